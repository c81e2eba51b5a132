//! Reading optional members that a peer may have got wrong. A malformed title or icon must not cost the
//! person the whole tool, so such a member counts as absent. Members that decide anything are never read
//! this way.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The member, or its default when it has the wrong shape.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

/// Keeps `null` apart from absence: a member that is present is `Some`, whatever its value.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
