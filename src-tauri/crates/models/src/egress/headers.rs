//! Extra headers of a connection, as gateways want them. Any of their values may be a secret, so all of them are kept as one.

use secrecy::{ExposeSecret, SecretString};
use vestibule_egress::HeaderMap;
use vestibule_egress::header::{HeaderName, HeaderValue};

use crate::ModelError;

/// Headers that are the client's own, carry credentials, or belong to one hop of the way.
const RESERVED: [&str; 26] = [
    "accept",
    "accept-encoding",
    "api-key",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "origin",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-api-key",
    "x-goog-api-key",
];

/// Whether a connection may set a header of this name: not one that frames the request or names where it goes, and not
/// one the key goes in.
#[must_use]
pub fn is_free_header(name: &str) -> bool {
    HeaderName::try_from(name).is_ok_and(|name| !RESERVED.contains(&name.as_str()))
}

/// Whether a text can be the value of a header.
#[must_use]
pub fn is_header_value(value: &str) -> bool {
    !value.is_empty() && value.len() <= 8192 && HeaderValue::try_from(value).is_ok()
}

/// Adds the extra headers to the head of a request.
///
/// # Errors
/// [`ModelError::Unsendable`] where one of them may not be set; its value is not in the error.
pub(super) fn put(headers: &mut HeaderMap, extra: &[(String, SecretString)]) -> Result<(), ModelError> {
    for (name, value) in extra {
        let refused = || ModelError::Unsendable {
            detail: format!("the header {name:?} cannot be set"),
        };
        if !is_free_header(name) {
            return Err(refused());
        }
        let name = HeaderName::try_from(name.as_str()).map_err(|_| refused())?;
        let mut value = HeaderValue::try_from(value.expose_secret()).map_err(|_| refused())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_frames_or_redirects_the_request_is_not_free() {
        for name in [
            "Host",
            "COOKIE",
            "Authorization",
            "x-api-key",
            "TE",
            "Content-Length",
            "Connection",
            "a b",
            "",
        ] {
            assert!(!is_free_header(name), "{name}");
        }
        for name in ["HTTP-Referer", "X-Title", "OpenAI-Organization", "anthropic-beta"] {
            assert!(is_free_header(name), "{name}");
        }
        assert!(!is_header_value("a\r\nHost: evil") && !is_header_value(""));
    }

    #[test]
    fn a_value_is_in_no_error() {
        let broken = [("X-Team".to_owned(), SecretString::from("secret\r\nHost: evil"))];
        let error = put(&mut HeaderMap::new(), &broken).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
