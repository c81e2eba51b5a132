//! The values of a server's variables or headers: read from where secrets are kept, and turned into fingerprints
//! that change with a value and tell nothing about it.

use std::fmt::Write as _;

use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use sha2::Sha256;
use vestibule_protocol::ServerId;
use vestibule_store::{Place, ServerRecord};

use crate::secrets::{SecretName, Secrets, SecretsError};
use crate::view::Problem;

/// What a secret of a server is called: a variable of a program, a header of an address.
pub(crate) fn secret(server: ServerId, place: &Place, name: &str) -> SecretName {
    let name = name.to_owned();
    match place {
        Place::Here(_) => SecretName::Variable { server, name },
        Place::Address(_) => SecretName::Header { server, name },
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
pub(crate) async fn of(
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
        Err(Problem::SecretsMissing { names: missing })
    }
}

impl From<SecretsError> for Problem {
    fn from(error: SecretsError) -> Self {
        Self::KeychainFailed { detail: error.0 }
    }
}

/// A fingerprint a value, made with a key that only the keychain knows: a changed value changes the digest, and the
/// digest tells nothing about the value.
pub(crate) async fn fingerprints(
    values: &[(String, SecretString)],
    secrets: &dyn Secrets,
) -> Result<Map<String, Value>, SecretsError> {
    if values.is_empty() {
        return Ok(Map::new());
    }
    let key = match secrets.get(&SecretName::FingerprintKey).await? {
        Some(key) => key,
        None => {
            let key = SecretString::from(format!("{}{}", uuid::Uuid::new_v4(), uuid::Uuid::new_v4()));
            secrets.set(&SecretName::FingerprintKey, &key).await?;
            key
        }
    };
    let print = |value: &SecretString| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key.expose_secret().as_bytes())
            .expect("this code accepts a key of any length");
        mac.update(value.expose_secret().as_bytes());
        hex(&mac.finalize().into_bytes())
    };
    Ok(values
        .iter()
        .map(|(name, value)| (name.clone(), print(value).into()))
        .collect())
}

/// Bytes as digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
