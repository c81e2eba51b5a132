//! How to sign in to one server as the person set it: what is no secret in the store, what is one in the keychain.
//! A change signs out first, because access belongs to the client that got it.

use std::path::Path;
use std::sync::Arc;

use secrecy::SecretString;
use url::Url;
use vestibule_auth::{Application, AuthSettings, EnteredClient, Enterprise, Grant, Possession, SigningKey};
use vestibule_protocol::ServerId;

use super::token_file::TokenFile;
use super::{Registry, gone};
use crate::secrets::SecretName;
use crate::view::{LogSource, Problem, SignInMethod, SignInSettings};

/// The kind of identity token that is exchanged at a company's identity provider.
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

impl Registry {
    /// What the person set; the usual where nothing was.
    pub(crate) async fn sign_in_settings(&self, server: ServerId) -> Result<SignInSettings, Problem> {
        let kept = self.0.store.setting(&key(server)).await?;
        Ok(kept
            .and_then(|kept| serde_json::from_value(kept).ok())
            .unwrap_or_default())
    }

    /// Sets how to sign in, and forgets the sign-in there was. `secrets` replace those that are kept.
    pub(crate) async fn set_sign_in_settings(
        &self,
        server: ServerId,
        settings: &SignInSettings,
        secrets: [Option<SecretString>; 2],
    ) -> Result<(), Problem> {
        let record = self.record(server).ok_or_else(gone)?;
        self.stop_and_wait(server).await;
        if let Some(told) = self.forget_sign_in(server).await? {
            self.note(server, LogSource::Host, Some("warning".into()), &told.to_string());
        }
        for (name, secret) in names(server).into_iter().zip(secrets) {
            if let Some(secret) = secret {
                self.0.secrets.set(&name, &secret).await?;
            }
        }
        let value = serde_json::to_value(settings).expect("settings are plain data");
        self.0.store.put_setting(&key(server), value).await?;
        let seal = self.seal(server, &record.place).await;
        self.change(server, |seat| seat.seal = seal);
        Ok(())
    }

    /// Forgets what was set for a server that is being removed.
    pub(crate) async fn forget_sign_in_settings(&self, server: ServerId) -> Result<(), Problem> {
        for name in names(server) {
            self.0.secrets.remove(&name).await?;
        }
        Ok(self
            .0
            .store
            .put_setting(&key(server), serde_json::Value::Null)
            .await?)
    }

    /// The settings as a sign-in takes them.
    pub(super) async fn auth_settings(
        &self,
        server: ServerId,
        address: Url,
    ) -> Result<AuthSettings, Problem> {
        let set = self.sign_in_settings(server).await?;
        let application = Application {
            name: "Vestibule".to_owned(),
            document: set.document.clone(),
            page: vestibule_auth::CallbackPage::default(),
        };
        let mut settings = AuthSettings::new(address, server.to_string(), application);
        settings.proxies = self.0.proxies.clone();
        if !set.bound {
            settings.possession = Possession::Off;
        }
        let [client, company] = names(server);
        let secret = self.0.secrets.get(&client).await?;
        let signs = set.method == SignInMethod::ClientKey;
        settings.entered = set.client.as_ref().map(|client| EnteredClient {
            issuer: client.issuer.clone(),
            id: client.id.clone(),
            secret: secret.clone().filter(|_| !signs),
            port: client.port,
        });
        let company = self.0.secrets.get(&company).await?;
        settings.grant = grant(&set, secret, company, &self.0.data_folder);
        Ok(settings)
    }
}

/// How access is got, with the secret or key of the client and the secret at the company's identity provider.
fn grant(
    set: &SignInSettings,
    secret: Option<SecretString>,
    company_secret: Option<SecretString>,
    data: &Path,
) -> Grant {
    let file = || {
        Arc::new(TokenFile::new(
            set.token_file.clone().unwrap_or_default(),
            data.to_owned(),
        ))
    };
    match set.method {
        SignInMethod::Page => Grant::Page,
        SignInMethod::ClientSecret => Grant::ClientCredentials { key: None },
        SignInMethod::ClientKey => Grant::ClientCredentials {
            key: secret.map(|pem| SigningKey {
                pem,
                algorithm: set.key.algorithm,
                key_id: set.key.id.clone(),
            }),
        },
        SignInMethod::Enterprise => {
            // Without its provider it ends in a sentence that says so; no other way is tried.
            let company = set.company.clone().unwrap_or_default();
            Grant::Enterprise(Enterprise {
                token_endpoint: company.token_endpoint,
                issuer: company.issuer,
                client_id: company.client,
                client_secret: company_secret,
                identity: file(),
                identity_type: ID_TOKEN.to_owned(),
            })
        }
        SignInMethod::Workload => Grant::Workload(file()),
    }
}

fn key(server: ServerId) -> String {
    format!("sign_in/{server}")
}

/// Where the secrets of the client and of the company's identity provider are kept.
fn names(server: ServerId) -> [SecretName; 2] {
    ["entered", "company"].map(|what| SecretName::SignIn(format!("{what}/{server}")))
}
