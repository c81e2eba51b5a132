//! How to sign in to one server as the user set it: secrets in the keychain, everything else in the store.
//! A change signs out first, because access belongs to the client that got it.

use std::path::Path;
use std::sync::Arc;

use secrecy::SecretString;
use url::Url;
use vestibule_auth::{Application, AuthSettings, EnteredClient, Enterprise, Grant, Possession, SigningKey};
use vestibule_protocol::ServerId;

use super::sign_out;
use super::token_file::TokenFile;
use crate::config::secrets::SecretName;
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::{LogSource, Problem, SignInMethod, SignInSettings};

/// The kind of identity token that is exchanged at a company's identity provider.
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

/// What the user set; the default where nothing was.
pub(crate) async fn sign_in_settings(server: &ServerHandle) -> Result<SignInSettings, Problem> {
    let store = &server.context().options.store;
    let kept = store.setting(&key(server.id())).await?;
    Ok(kept
        .and_then(|kept| serde_json::from_value(kept).ok())
        .unwrap_or_default())
}

/// Sets how to sign in, and forgets the sign-in there was. `secrets` replace those that are kept. A secret that is not
/// replaced is deleted where the settings name another party than the one it was entered for.
pub(crate) async fn set_sign_in_settings(
    server: &ServerHandle,
    settings: &SignInSettings,
    secrets: [Option<SecretString>; 2],
) -> Result<(), Problem> {
    server.stop_and_wait().await;
    if let Some(left) = sign_out::forget(server).await? {
        server.note(LogSource::Host, Some("warning".into()), &left.to_string());
    }
    let stay = secrets_that_stay(&sign_in_settings(server).await?, settings);
    for ((name, secret), stays) in names(server.id()).into_iter().zip(secrets).zip(stay) {
        match secret {
            Some(secret) => server.secrets().set(&name, &secret).await?,
            None if stays => {}
            None => server.secrets().remove(&name).await?,
        }
    }
    let value = serde_json::to_value(settings).expect("settings are plain data");
    let store = &server.context().options.store;
    store.put_setting(&key(server.id()), value).await?;
    super::set_up(server).await;
    server.publish();
    Ok(())
}

/// Whether the secret of the client and that of the company's identity provider still belong to the parties they were
/// entered for. A secret is sent to the issuer of its client alone. A private key is kept in its place and never sent.
fn secrets_that_stay(before: &SignInSettings, after: &SignInSettings) -> [bool; 2] {
    let client = |set: &SignInSettings| {
        let client = set.client.as_ref()?;
        Some((client.issuer.clone(), client.id.clone()))
    };
    let is_key = |set: &SignInSettings| set.method == SignInMethod::ClientKey;
    [
        client(before) == client(after) && is_key(before) == is_key(after),
        before.company == after.company,
    ]
}

/// Forgets what was set for a server that is being removed.
pub(crate) async fn forget_sign_in_settings(server: &ServerHandle) -> Result<(), Problem> {
    for name in names(server.id()) {
        server.secrets().remove(&name).await?;
    }
    let store = &server.context().options.store;
    Ok(store
        .put_setting(&key(server.id()), serde_json::Value::Null)
        .await?)
}

/// The settings as an authorizer takes them.
pub(super) async fn auth_settings(server: &ServerHandle, address: Url) -> Result<AuthSettings, Problem> {
    let set = sign_in_settings(server).await?;
    let application = Application {
        name: "Vestibule".to_owned(),
        document: set.document.clone(),
    };
    let mut settings = AuthSettings::new(address, server.id().to_string(), application);
    settings.proxies = server.context().options.proxies.clone();
    if !set.bound {
        settings.possession = Possession::Off;
    }
    let [client, company] = names(server.id());
    let secret = server.secrets().get(&client).await?;
    let signs = set.method == SignInMethod::ClientKey;
    settings.entered = set.client.as_ref().map(|client| EnteredClient {
        issuer: client.issuer.clone(),
        id: client.id.clone(),
        secret: secret.clone().filter(|_| !signs),
        port: client.port,
    });
    let company = server.secrets().get(&company).await?;
    settings.grant = grant(&set, secret, company, &server.context().options.data_folder);
    Ok(settings)
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

fn key(id: ServerId) -> String {
    format!("sign_in/{id}")
}

/// Where the secrets of the client and of the company's identity provider are kept.
fn names(id: ServerId) -> [SecretName; 2] {
    ["entered", "company"].map(|what| SecretName::SignIn(format!("{what}/{id}")))
}

#[cfg(test)]
mod tests {
    use vestibule_app_protocol::{CompanyView, EnteredClientView};

    use super::*;

    fn set(method: SignInMethod, issuer: &str, id: &str, tokens: Option<&str>) -> SignInSettings {
        SignInSettings {
            method,
            client: Some(EnteredClientView {
                issuer: issuer.to_owned(),
                id: id.to_owned(),
                port: None,
            }),
            company: tokens.map(|token_endpoint| CompanyView {
                token_endpoint: token_endpoint.to_owned(),
                ..CompanyView::default()
            }),
            ..SignInSettings::default()
        }
    }

    /// AU-033, AU-034.
    #[test]
    fn a_secret_stays_only_for_the_party_it_was_entered_for() {
        use SignInMethod::{ClientKey, ClientSecret, Enterprise, Page};
        let before = set(
            Enterprise,
            "https://a.example",
            "one",
            Some("https://idp.example/token"),
        );
        let other = [
            (set(ClientSecret, "https://a.example", "one", None), [true, false]),
            (set(Page, "https://b.example", "one", None), [false, false]),
            (set(Page, "https://a.example", "two", None), [false, false]),
            (set(ClientKey, "https://a.example", "one", None), [false, false]),
            (
                set(
                    Enterprise,
                    "https://b.example",
                    "one",
                    Some("https://idp.example/token"),
                ),
                [false, true],
            ),
            (
                set(
                    Enterprise,
                    "https://a.example",
                    "one",
                    Some("https://evil.example/token"),
                ),
                [true, false],
            ),
            (SignInSettings::default(), [false, false]),
        ];
        assert_eq!(secrets_that_stay(&before, &before), [true, true]);
        for (after, stay) in other {
            assert_eq!(secrets_that_stay(&before, &after), stay, "{after:?}");
        }
        let by_key = set(ClientKey, "https://a.example", "one", None);
        let by_page = set(Page, "https://a.example", "one", None);
        assert!(
            !secrets_that_stay(&by_key, &by_page)[0],
            "a private key is no secret to send"
        );
    }
}
