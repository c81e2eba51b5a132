//! Values that cannot be guessed, and comparing them without telling how far a guess was right.

use aws_lc_rs::{constant_time, digest, rand};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// An unguessable text of 256 bits.
pub(crate) fn unguessable() -> String {
    let mut bytes = [0_u8; 32];
    rand::fill(&mut bytes).expect("the system gives random bytes");
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Whether two texts are the same, in a time that tells nothing about where they differ.
pub(crate) fn same(one: &str, other: &str) -> bool {
    constant_time::verify_slices_are_equal(one.as_bytes(), other.as_bytes()).is_ok()
}

/// The SHA-256 of a text, in URL-safe base64.
pub(crate) fn fingerprint(data: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, data))
}
