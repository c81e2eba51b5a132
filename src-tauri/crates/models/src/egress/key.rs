//! The key of a request, put where its vendor wants it at the last moment.

use url::Url;
use vestibule_egress::HeaderMap;
use vestibule_egress::header::{HeaderName, HeaderValue};

use crate::ModelError;

/// Puts the key into the head of a request to `address`. `header` is the header it goes in, and what stands before it
/// there.
///
/// # Errors
/// [`ModelError::Unsendable`] where no header can hold the key.
pub(super) fn put(
    headers: &mut HeaderMap,
    address: &mut Url,
    key: Option<&str>,
    header: (&'static str, &'static str),
) -> Result<(), ModelError> {
    // The wire library holds no key, but writes an empty one where its vendor wants it.
    for header in ["authorization", "x-api-key", "api-key"] {
        headers.remove(header);
    }
    remove_empty_key(address);
    let Some(key) = key else { return Ok(()) };
    let (name, scheme) = header;
    let value = HeaderValue::try_from(format!("{scheme}{key}"));
    let mut value = value.map_err(|_| ModelError::Unsendable {
        detail: "the key contains characters a key cannot have".to_owned(),
    })?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_static(name), value);
    Ok(())
}

/// Takes the empty `key` out of an address: Gemini's belongs in a header, where no log shows it.
fn remove_empty_key(url: &mut Url) {
    let Some(query) = url.query() else { return };
    let kept: Vec<&str> = query.split('&').filter(|pair| *pair != "key=").collect();
    let kept = kept.join("&");
    url.set_query((!kept.is_empty()).then_some(kept.as_str()));
}
