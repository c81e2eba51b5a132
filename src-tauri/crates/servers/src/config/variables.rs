//! The values of a server's variables or headers: read from where secrets are kept, and turned into fingerprints
//! that change with a value and tell nothing about it; and what of them is shown before a server starts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use vestibule_consent::{NamedValue, ValueDisplay};
use vestibule_policy::{VariableEffect, variable_effect};
use vestibule_protocol::ServerId;
use vestibule_store::{ServerPlace, ServerRecord};

use crate::config::network::without_credentials;
use crate::config::secrets::{SecretName, Secrets, SecretsError};
use vestibule_app_protocol::{InputProblem, Problem, StoreProblem};

/// What a secret of a server is called: a variable of a program, a header of an address.
pub fn secret(server: ServerId, place: &ServerPlace, name: &str) -> SecretName {
    let name = name.to_owned();
    match place {
        ServerPlace::Here(_) => SecretName::Variable { server, name },
        ServerPlace::Address(_) => SecretName::Header { server, name },
    }
}

/// The names whose values are not there.
pub(crate) async fn missing(record: &ServerRecord, secrets: &dyn Secrets) -> Vec<String> {
    let mut missing = vec![];
    for name in record.place.secrets() {
        let found = secrets.get(&secret(record.id, &record.place, name)).await;
        if !matches!(found, Ok(Some(_))) {
            missing.push(name.clone());
        }
    }
    missing
}

/// All values, in the order of their names.
pub(crate) async fn resolve_variables(
    record: &ServerRecord,
    secrets: &dyn Secrets,
) -> Result<Vec<(String, SecretString)>, Problem> {
    let mut values = vec![];
    let mut missing = vec![];
    for name in record.place.secrets() {
        match secrets.get(&secret(record.id, &record.place, name)).await? {
            Some(value) => values.push((name.clone(), value)),
            None => missing.push(name.clone()),
        }
    }
    if missing.is_empty() {
        Ok(values)
    } else {
        Err(Problem::Input(InputProblem::SecretsMissing { names: missing }))
    }
}

/// The values as a card shows them: in full where the name says that they decide what runs, on request where they came
/// by paste, and not at all where the user typed them. The address of a proxy is shown without its password.
pub(crate) fn displayed(place: &ServerPlace, values: &[(String, SecretString)]) -> Vec<NamedValue> {
    let one = |(name, value): &(String, SecretString)| {
        let effect = match place {
            ServerPlace::Here(_) => variable_effect(name),
            ServerPlace::Address(_) => None,
        };
        let text = || value.expose_secret().to_owned();
        let value = if effect == Some(VariableEffect::RoutesTraffic) {
            ValueDisplay::Shown {
                text: without_credentials(value.expose_secret()),
            }
        } else if effect.is_some() {
            ValueDisplay::Shown { text: text() }
        } else if place.pasted().contains(name) {
            ValueDisplay::Masked { text: text() }
        } else {
            ValueDisplay::Hidden
        };
        NamedValue {
            name: name.clone(),
            effect,
            value,
        }
    };
    values.iter().map(one).collect()
}

/// The variables of a server whose values decide what runs, for its page. No other value is read.
pub async fn deciding(record: &ServerRecord, secrets: &dyn Secrets) -> Result<Vec<NamedValue>, SecretsError> {
    let ServerPlace::Here(program) = &record.place else {
        return Ok(vec![]);
    };
    let mut values = vec![];
    for name in program.env.iter().filter(|name| variable_effect(name).is_some()) {
        if let Some(value) = secrets.get(&secret(record.id, &record.place, name)).await? {
            values.push((name.clone(), value));
        }
    }
    Ok(displayed(&record.place, &values))
}

impl From<SecretsError> for Problem {
    fn from(error: SecretsError) -> Self {
        Problem::Store(StoreProblem::KeychainFailed { detail: error.0 })
    }
}

/// A fingerprint a value, made with a key that only the keychain knows: a changed value changes the digest, and the
/// digest tells nothing about the value.
pub(crate) async fn fingerprints(
    values: &[(String, SecretString)],
    secrets: &dyn Secrets,
) -> Result<BTreeMap<String, String>, SecretsError> {
    if values.is_empty() {
        return Ok(BTreeMap::new());
    }
    let key = fingerprint_key(secrets).await?;
    let print = |value: &SecretString| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key.expose_secret().as_bytes())
            .expect("this code accepts a key of any length");
        mac.update(value.expose_secret().as_bytes());
        hex(&mac.finalize().into_bytes())
    };
    Ok(values
        .iter()
        .map(|(name, value)| (name.clone(), print(value)))
        .collect())
}

/// The key of all fingerprints, which is made when it is needed first.
async fn fingerprint_key(secrets: &dyn Secrets) -> Result<SecretString, SecretsError> {
    if let Some(key) = secrets.get(&SecretName::FingerprintKey).await? {
        return Ok(key);
    }
    let key = SecretString::from(format!("{}{}", uuid::Uuid::new_v4(), uuid::Uuid::new_v4()));
    secrets.set(&SecretName::FingerprintKey, &key).await?;
    Ok(key)
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
