//! Secrets in records that are kept: written out only on the way into the vault.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(secret: &SecretString, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(secret.expose_secret())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SecretString, D::Error> {
    String::deserialize(from).map(SecretString::from)
}

/// The same for secrets that may be absent.
pub(crate) mod maybe {
    use super::{Deserialize, Deserializer, ExposeSecret, SecretString, Serializer};

    pub(crate) fn serialize<S: Serializer>(secret: &Option<SecretString>, out: S) -> Result<S::Ok, S::Error> {
        match secret {
            Some(secret) => out.serialize_some(secret.expose_secret()),
            None => out.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SecretString>, D::Error> {
        Ok(Option::<String>::deserialize(from)?.map(SecretString::from))
    }
}
