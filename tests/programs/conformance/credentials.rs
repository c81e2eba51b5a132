//! The credentials that the suite hands out, entered where a user enters them: in the settings of the server's sign-in.
//! Which of them there are decides how access is got, and nothing else about a scenario does.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use url::Url;
use vestibule_host::view::{
    CompanyView, EnteredClientView, SignInMethod, SignInSecrets, SignInSettings, SigningAlgorithm,
    SigningKeyView,
};

use super::Result;
use super::page::get;
use super::script::Script;

/// Where the suite expects the document about the client to be.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// The largest document about a resource that is looked at, in bytes.
const MAX_DOCUMENT: usize = 64 * 1024;

/// The settings for signing in to the server of a scenario, with the secrets that belong to them; `None` where the
/// usual way is enough. `folder` takes the files in which tokens are handed over.
pub(crate) async fn settings(
    script: &Script,
    address: &Url,
    folder: &Path,
) -> Result<Option<(SignInSettings, SignInSecrets)>> {
    if !script.is_handed_credentials() {
        return Ok(None);
    }
    let mut settings = SignInSettings {
        method: method(script),
        document: Some(DOCUMENT.to_owned()),
        ..SignInSettings::default()
    };
    if let Some(id) = script.told("client_id") {
        let issuer = match script.told("issuer") {
            Some(issuer) => issuer,
            None => issuer_of(address).await?,
        };
        settings.client = Some(EnteredClientView {
            issuer,
            id,
            port: None,
        });
    }
    if let Some(algorithm) = script.told("signing_algorithm") {
        settings.key = SigningKeyView {
            algorithm: algorithm_of(&algorithm)?,
            id: None,
        };
    }
    if settings.method == SignInMethod::Enterprise {
        let told = |what: &str| script.told(what).unwrap_or_default();
        settings.company = Some(CompanyView {
            issuer: told("idp_issuer"),
            token_endpoint: told("idp_token_endpoint"),
            client: told("idp_client_id"),
        });
    }
    if let Some(token) = script.told("idp_id_token").or_else(|| script.told("valid_jwt")) {
        let file = folder.join("token");
        fs::write(&file, token)?;
        settings.token_file = Some(file.to_string_lossy().into_owned());
    }
    let secrets = SignInSecrets {
        client: script
            .told("private_key_pem")
            .or_else(|| script.told("client_secret")),
        company: None,
    };
    Ok(Some((settings, secrets)))
}

fn method(script: &Script) -> SignInMethod {
    let told = |what: &str| script.told(what).is_some();
    // A client that was entered for an issuer signs a user in; one without an issuer acts for itself.
    match () {
        () if told("valid_jwt") => SignInMethod::Workload,
        () if told("idp_id_token") => SignInMethod::Enterprise,
        () if told("private_key_pem") => SignInMethod::ClientKey,
        () if told("client_id") && !told("issuer") => SignInMethod::ClientSecret,
        () => SignInMethod::Page,
    }
}

/// The algorithm of this JOSE name.
fn algorithm_of(name: &str) -> Result<SigningAlgorithm> {
    Ok(serde_json::from_value(name.into())?)
}

/// The issuer that credentials belong to where the suite does not say it: the first one the server names.
async fn issuer_of(address: &Url) -> Result<String> {
    let answer = get(&address.join("/.well-known/oauth-protected-resource/mcp")?).await?;
    let body = answer.beginning(MAX_DOCUMENT, Duration::from_secs(5)).await;
    let document: Value = serde_json::from_slice(&body)?;
    let issuer = document["authorization_servers"][0].as_str();
    Ok(issuer.ok_or("the server names no issuer")?.to_owned())
}
