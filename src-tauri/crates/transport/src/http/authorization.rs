//! The authorization of requests: mostly one header value, which changes when a token is renewed. Where a server wants each
//! request signed (DPoP), the holder of the key makes the headers. Values and keys come from the caller.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use tokio::sync::watch;
use url::Url;
use vestibule_egress::Method;
use vestibule_egress::header::{AUTHORIZATION, HeaderMap, HeaderValue};

/// Sets the authorization headers of each request.
#[derive(Clone)]
pub enum Authorization {
    /// The value of the header `Authorization`, read again for every exchange.
    Held(watch::Receiver<Option<SecretString>>),
    /// Headers made for each request.
    Signed(Arc<dyn Signer>),
}

/// Makes the headers of one request, and hears what the server says to it.
pub trait Signer: Send + Sync {
    /// The headers for this request, `Authorization` among them; none when there is nothing to say yet.
    fn sign(&self, method: &Method, address: &Url, body: &[u8]) -> HeaderMap;

    /// The headers of the answer, whatever its status. Untrusted.
    fn answered(&self, headers: &HeaderMap);
}

impl From<watch::Receiver<Option<SecretString>>> for Authorization {
    fn from(held: watch::Receiver<Option<SecretString>>) -> Self {
        Self::Held(held)
    }
}

impl Authorization {
    /// Adds what this request needs. A value that no header can have is left out.
    pub(super) fn write(&self, headers: &mut HeaderMap, method: &Method, address: &Url, body: &[u8]) {
        match self {
            Self::Held(held) => {
                let token = held.borrow().clone();
                let value = token.and_then(|token| HeaderValue::from_str(token.expose_secret()).ok());
                if let Some(mut value) = value {
                    value.set_sensitive(true);
                    headers.insert(AUTHORIZATION, value);
                }
            }
            Self::Signed(signer) => headers.extend(signer.sign(method, address, body)),
        }
    }

    /// Passes on what the server said.
    pub(super) fn answered(&self, headers: &HeaderMap) {
        if let Self::Signed(signer) = self {
            signer.answered(headers);
        }
    }
}
