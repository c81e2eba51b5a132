//! How to sign in to one server as the person set it: what is no secret in the store, what is one in the keychain.
//! A change signs out first, because access belongs to the client that got it.

use secrecy::SecretString;
use url::Url;
use vestibule_auth::{Application, EnteredClient, Grant, Possession, Settings, SigningKey};
use vestibule_protocol::ServerId;

use super::{Registry, gone};
use crate::secrets::SecretName;
use crate::view::{Problem, SignInMethod, SignInSettings};

impl Registry {
    /// What the person set; the usual where nothing was.
    pub(crate) async fn sign_in_settings(&self, server: ServerId) -> Result<SignInSettings, Problem> {
        let kept = self.0.store.setting(&key(server)).await?;
        Ok(kept
            .and_then(|kept| serde_json::from_value(kept).ok())
            .unwrap_or_default())
    }

    /// Sets how to sign in, and forgets the sign-in there was. `secret` replaces the one that is kept.
    pub(crate) async fn set_sign_in_settings(
        &self,
        server: ServerId,
        settings: &SignInSettings,
        secret: Option<SecretString>,
    ) -> Result<(), Problem> {
        let record = self.record(server).ok_or_else(gone)?;
        self.stop_and_wait(server).await;
        self.forget_sign_in(server).await?;
        if let Some(secret) = secret {
            self.0.secrets.set(&secret_name(server), &secret).await?;
        }
        let value = serde_json::to_value(settings).expect("settings are plain data");
        self.0.store.put_setting(&key(server), value).await?;
        let seal = self.seal(server, &record.place).await;
        self.change(server, |seat| seat.seal = seal);
        Ok(())
    }

    /// Forgets what was set for a server that is being removed.
    pub(crate) async fn forget_sign_in_settings(&self, server: ServerId) -> Result<(), Problem> {
        self.0.secrets.remove(&secret_name(server)).await?;
        Ok(self
            .0
            .store
            .put_setting(&key(server), serde_json::Value::Null)
            .await?)
    }

    /// The settings as a sign-in takes them.
    pub(super) async fn auth_settings(&self, server: ServerId, address: Url) -> Result<Settings, Problem> {
        let set = self.sign_in_settings(server).await?;
        let application = Application {
            name: "Vestibule".to_owned(),
            document: None,
            page: vestibule_auth::Page::default(),
        };
        let mut settings = Settings::new(address, server.to_string(), application);
        if !set.bound {
            settings.possession = Possession::Off;
        }
        let Some(client) = set.client else {
            return Ok(settings);
        };
        let secret = self.0.secrets.get(&secret_name(server)).await?;
        let (secret, key) = match set.method {
            SignInMethod::ClientKey => (None, secret),
            SignInMethod::Page | SignInMethod::ClientSecret => (secret, None),
        };
        settings.entered = Some(EnteredClient {
            issuer: client.issuer,
            id: client.id,
            secret,
            port: client.port,
        });
        if set.method != SignInMethod::Page {
            let signing = |pem| SigningKey {
                pem,
                algorithm: "ES256".to_owned(),
                key_id: None,
            };
            settings.grant = Grant::ClientCredentials {
                key: key.map(signing),
            };
        }
        Ok(settings)
    }
}

fn key(server: ServerId) -> String {
    format!("sign_in/{server}")
}

fn secret_name(server: ServerId) -> SecretName {
    SecretName::SignIn(format!("entered/{server}"))
}
