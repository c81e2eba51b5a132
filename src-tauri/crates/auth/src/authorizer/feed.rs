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
        match self.proof(&kept, method, address, body) {
            Ok(proof) => add_token(&mut headers, kept.access.expose_secret(), proof.as_deref()),
            Err(error) => tracing::warn!(%error, "sending a request without authorization"),
        }
        headers
    }

    fn answered(&self, headers: &HeaderMap) {
        self.0.nonces.remember(&self.0.settings.server, headers);
    }
}

impl RequestSigner {
    /// Whether proofs cover the digest of the body.
    fn covers_body(&self) -> bool {
        self.0.settings.possession == Possession::WhereOffered { with_body: true }
    }

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
        let about = ProofTarget {
            method: method.as_str(),
            address,
            nonce: self.0.nonces.of(address),
            token: Some(kept.access.expose_secret()),
            body: self.covers_body().then_some(body),
        };
        DpopKey::from_secret(key.clone())?
            .proof(&about, self.0.now())
            .map(Some)
    }
}

/// Adds the token, and the proof that goes with a token that is bound to a key.
fn add_token(headers: &mut HeaderMap, token: &str, proof: Option<&str>) {
    let scheme = match proof {
        None => "Bearer",
        Some(proof) => {
            add(headers, HeaderName::from_static("dpop"), proof);
            "DPoP"
        }
    };
    add(headers, AUTHORIZATION, &format!("{scheme} {token}"));
}

fn add(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // Tokens were checked when they arrived; what no header can have is left out rather than mended.
    if let Ok(mut value) = HeaderValue::from_str(value) {
        value.set_sensitive(true);
        headers.insert(name, value);
    }
}
