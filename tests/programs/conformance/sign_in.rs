//! Signing in over the session crate alone: whoever agrees to everything, a keychain for one run, and the credentials
//! the suite hands out. Which of them there are decides how access is got, and nothing else about a scenario does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::Value;
use url::Url;
use vestibule_app_protocol::SigningAlgorithm;
use vestibule_auth::{
    Application, Approved, AuthSettings, Authorizer, CallbackPage, ChallengeOutcome, Declined, EnteredClient,
    Enterprise, Grant, PageNotOpened, SignInPrompt, SigningKey, UserAgent, Vault, VaultError,
};
use vestibule_session::{CallError, Challenge, OpenError};

use super::Result;
use super::page::{get, visit};
use super::script::Script;

/// Where the suite expects the document about the client to be.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
/// The largest document about a resource that is looked at, in bytes.
const MAX_DOCUMENT: usize = 64 * 1024;

/// Why something was not sent.
pub(crate) enum Unsent {
    Challenged(Challenge),
    Failed(String),
}

/// The sign-in of the scenario's server.
pub(crate) async fn authorizer(address: &Url, script: &Script) -> Result<Authorizer> {
    let application = Application {
        name: "Vestibule".into(),
        document: Some(DOCUMENT.into()),
        page: CallbackPage::default(),
    };
    let mut settings = AuthSettings::new(address.clone(), "suite", application);
    settings.grant = grant(script);
    if let Some(id) = script.told("client_id") {
        let issuer = match script.told("issuer") {
            Some(issuer) => issuer,
            None => issuer_of(address).await?,
        };
        settings.entered = Some(EnteredClient {
            issuer,
            id,
            secret: script.told("client_secret").map(SecretString::from),
            port: None,
        });
    }
    Ok(Authorizer::new(
        settings,
        Arc::new(Agrees),
        Arc::<Pocket>::default(),
    ))
}

/// Sends something until the server is content with who sends it.
pub(crate) async fn authorized<T, F>(authorizer: &Authorizer, send: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = std::result::Result<T, Unsent>>,
{
    let mut attempt = authorizer.ready().await?;
    loop {
        let challenge = match send().await {
            Ok(answer) => return Ok(answer),
            Err(Unsent::Failed(reason)) => return Err(reason.into()),
            Err(Unsent::Challenged(challenge)) => challenge,
        };
        match authorizer.on_challenge(&mut attempt, &challenge).await {
            ChallengeOutcome::Retry => {}
            ChallengeOutcome::SignInNeeded { .. } => authorizer.sign_in().await?,
            ChallengeOutcome::GiveUp(error) => return Err(error.into()),
        }
    }
}

fn grant(script: &Script) -> Grant {
    let told = |what: &str| script.told(what).unwrap_or_default();
    let secret = |what: &str| SecretString::from(told(what));
    if script.told("valid_jwt").is_some() {
        return Grant::Workload(Arc::new(secret("valid_jwt")));
    }
    if script.told("idp_id_token").is_some() {
        return Grant::Enterprise(Enterprise {
            token_endpoint: told("idp_token_endpoint"),
            issuer: told("idp_issuer"),
            client_id: told("idp_client_id"),
            client_secret: None,
            identity: Arc::new(secret("idp_id_token")),
            identity_type: ID_TOKEN.into(),
        });
    }
    let key = script.told("private_key_pem").map(|_| SigningKey {
        pem: secret("private_key_pem"),
        algorithm: algorithm(&told("signing_algorithm")),
        key_id: None,
    });
    // A client that was entered for an issuer signs a person in; one without an issuer is for itself.
    match script.told("client_id").is_some() && script.told("issuer").is_none() {
        true => Grant::ClientCredentials { key },
        false => Grant::Page,
    }
}

/// The algorithm of this JOSE name.
fn algorithm(name: &str) -> SigningAlgorithm {
    serde_json::from_value(name.into()).expect("an algorithm the client knows")
}

/// The issuer that credentials belong to where the suite does not say it: the first one the server names.
async fn issuer_of(address: &Url) -> Result<String> {
    let answer = get(&address.join("/.well-known/oauth-protected-resource/mcp")?).await?;
    let body = answer.beginning(MAX_DOCUMENT, Duration::from_secs(5)).await;
    let document: Value = serde_json::from_slice(&body)?;
    let issuer = document["authorization_servers"][0].as_str();
    Ok(issuer.ok_or("the server names no issuer")?.to_owned())
}

/// Someone who agrees to every sign-in and goes through with it.
struct Agrees;

#[async_trait]
impl UserAgent for Agrees {
    async fn consent(&self, request: SignInPrompt) -> std::result::Result<Approved, Declined> {
        Ok(request.approve())
    }

    async fn open(&self, _: &Approved, page: &Url) -> std::result::Result<(), PageNotOpened> {
        visit(page)
            .await
            .map_err(|error| PageNotOpened(error.to_string()))
    }
}

/// Secrets of this run.
#[derive(Default)]
struct Pocket(Mutex<HashMap<String, SecretString>>);

#[async_trait]
impl Vault for Pocket {
    async fn get(&self, name: &str) -> std::result::Result<Option<SecretString>, VaultError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(name).cloned())
    }

    async fn put(&self, name: &str, secret: &SecretString) -> std::result::Result<(), VaultError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(name.to_owned(), secret.clone());
        Ok(())
    }

    async fn delete(&self, name: &str) -> std::result::Result<(), VaultError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(name);
        Ok(())
    }
}

impl From<CallError> for Unsent {
    fn from(error: CallError) -> Self {
        match &error {
            CallError::NotAnswered(failure) => match &failure.challenge {
                Some(challenge) => Self::Challenged(challenge.clone()),
                None => Self::Failed(error.to_string()),
            },
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<OpenError> for Unsent {
    fn from(error: OpenError) -> Self {
        match &error {
            OpenError::NotAnswered(failure) => match &failure.challenge {
                Some(challenge) => Self::Challenged(challenge.clone()),
                None => Self::Failed(error.to_string()),
            },
            _ => Self::Failed(error.to_string()),
        }
    }
}
