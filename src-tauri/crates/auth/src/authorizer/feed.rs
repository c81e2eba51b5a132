//! Writes the headers of each request to the server, for tokens that are bound to a key and for those that are
//! not. Only requests to the server's own origin get any.

use std::sync::Arc;

use secrecy::ExposeSecret;
use url::Url;
use vestibule_egress::header::{AUTHORIZATION, HeaderName, HeaderValue};
use vestibule_egress::{HeaderMap, Method};
use vestibule_transport::http::Signer;

use super::AuthorizerInner;
use crate::dpop::{DpopKey, ProofTarget};
use crate::error::AuthError;
use crate::settings::Possession;
use crate::stored::StoredTokens;

/// Signs the requests of a transport with the token that is held at that moment.
pub(super) struct RequestSigner(pub(super) Arc<AuthorizerInner>);

impl Signer for RequestSigner {
    fn sign(&self, method: &Method, address: &Url, body: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let Some(kept) = self.0.held().kept.clone() else {
            return headers;
        };
        if address.origin() != self.0.settings.server.origin() {
            return headers;
        }
        let token = kept.access.expose_secret();
        let scheme = match self.proof(&kept, method, address, body) {
            Ok(None) => "Bearer",
            Ok(Some(proof)) => {
                add(&mut headers, HeaderName::from_static("dpop"), &proof);
                "DPoP"
            }
            Err(error) => {
                tracing::warn!(%error, "sending a request without authorization");
                return headers;
            }
        };
        add(&mut headers, AUTHORIZATION, &format!("{scheme} {token}"));
        headers
    }

    fn answered(&self, headers: &HeaderMap) {
        self.0.nonces.remember(&self.0.settings.server, headers);
    }
}

impl RequestSigner {
    fn proof(
        &self,
        kept: &StoredTokens,
        method: &Method,
        address: &Url,
        body: &[u8],
    ) -> Result<Option<String>, AuthError> {
        let Some(key) = &kept.key else {
            return Ok(None);
        };
        let with_body = self.0.settings.possession == Possession::WhereOffered { with_body: true };
        let about = ProofTarget {
            method: method.as_str(),
            address,
            nonce: self.0.nonces.of(address),
            token: Some(kept.access.expose_secret()),
            body: with_body.then_some(body),
        };
        DpopKey::from_secret(key.clone())?
            .proof(&about, self.0.now())
            .map(Some)
    }
}

fn add(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // Tokens were checked when they arrived; what no header can have is left out rather than mended.
    if let Ok(mut value) = HeaderValue::from_str(value) {
        value.set_sensitive(true);
        headers.insert(name, value);
    }
}
