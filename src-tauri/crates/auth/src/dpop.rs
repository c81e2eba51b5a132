//! Proof of possession (RFC 9449): a key that only this computer has, and a proof made with it for each request,
//! so that a stolen token is worth nothing. Keys are made here, one a sign-in, and kept beside the token.
//! The nonces servers hand out are remembered by origin and never leave it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::{
    AlgorithmParameters, CommonParameters, EllipticCurve, EllipticCurveKeyParameters, EllipticCurveKeyType,
    Jwk,
};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use url::Url;
use vestibule_egress::HeaderMap;

use crate::error::{AuthError, Reason, Step};
use crate::random::{fingerprint, unguessable};

const MAX_NONCE: usize = 512;
const MAX_ORIGINS: usize = 16;

/// A key for proofs.
pub(crate) struct DpopKey {
    kept: SecretString,
    signing: EncodingKey,
    public: Jwk,
}

/// What a proof is about.
pub(crate) struct ProofTarget<'a> {
    pub(crate) method: &'a str,
    pub(crate) address: &'a Url,
    pub(crate) nonce: Option<String>,
    /// The token that goes along.
    pub(crate) token: Option<&'a str>,
    /// The body, where its digest is wanted.
    pub(crate) body: Option<&'a [u8]>,
}

impl DpopKey {
    pub(crate) fn generate() -> Result<Self, AuthError> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(|_| unusable())?;
        let document = pair.to_pkcs8v1().map_err(|_| unusable())?;
        Self::from_secret(STANDARD.encode(document.as_ref()).into())
    }

    /// The key that was kept.
    pub(crate) fn from_secret(kept: SecretString) -> Result<Self, AuthError> {
        let document = STANDARD.decode(kept.expose_secret()).map_err(|_| unusable())?;
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &document).map_err(|_| unusable())?;
        Ok(Self {
            kept,
            signing: EncodingKey::from_ec_der(&document),
            public: public_part(&pair),
        })
    }

    /// The key in the form it is kept in.
    pub(crate) fn secret(&self) -> &SecretString {
        &self.kept
    }

    pub(crate) fn proof(&self, about: &ProofTarget<'_>, now: SystemTime) -> Result<String, AuthError> {
        let header = Header {
            typ: Some("dpop+jwt".to_owned()),
            jwk: Some(self.public.clone()),
            ..Header::new(Algorithm::ES256)
        };
        let claims = about.claims(now);
        jsonwebtoken::encode(&header, &claims, &self.signing).map_err(|_| unusable())
    }
}

impl ProofTarget<'_> {
    fn claims(&self, now: SystemTime) -> Value {
        let mut place = self.address.clone();
        place.set_query(None);
        place.set_fragment(None);
        let mut claims = json!({
            "jti": unguessable(),
            "htm": self.method,
            "htu": place.as_str(),
            "iat": seconds(now),
        });
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                claims[name] = Value::String(value);
            }
        };
        add("nonce", self.nonce.clone());
        add("ath", self.token.map(|token| fingerprint(token.as_bytes())));
        add("content_digest", self.body.map(digest_of));
        claims
    }
}

/// The public key in the form proofs carry it in.
fn public_part(pair: &EcdsaKeyPair) -> Jwk {
    // An uncompressed point: one byte that says so, then both coordinates.
    let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
    Jwk {
        common: CommonParameters::default(),
        algorithm: AlgorithmParameters::EllipticCurve(EllipticCurveKeyParameters {
            key_type: EllipticCurveKeyType::EC,
            curve: EllipticCurve::P256,
            x: URL_SAFE_NO_PAD.encode(x),
            y: URL_SAFE_NO_PAD.encode(y),
        }),
    }
}

/// The newest nonce of each origin.
#[derive(Default)]
pub(crate) struct Nonces(Mutex<HashMap<String, String>>);

impl Nonces {
    pub(crate) fn of(&self, address: &Url) -> Option<String> {
        let nonces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        nonces.get(&address.origin().ascii_serialization()).cloned()
    }

    /// Remembers the nonce of an answer. True when there was a new one.
    pub(crate) fn remember(&self, address: &Url, headers: &HeaderMap) -> bool {
        let Some(nonce) = headers.get("dpop-nonce").and_then(|value| value.to_str().ok()) else {
            return false;
        };
        let mut nonces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let origin = address.origin().ascii_serialization();
        let room = nonces.len() < MAX_ORIGINS || nonces.contains_key(&origin);
        if nonce.is_empty() || nonce.len() > MAX_NONCE || !room {
            return false;
        }
        nonces.insert(origin, nonce.to_owned()).as_deref() != Some(nonce)
    }
}

pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn digest_of(body: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, body);
    format!("sha-256=:{}:", STANDARD.encode(digest))
}

fn unusable() -> AuthError {
    AuthError::new(
        Step::Token,
        Reason::Local("the key that proves possession cannot be used".to_owned()),
    )
}
