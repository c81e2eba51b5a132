//! What is left when the host is known: port, length, and addresses or invisible characters further along.

use url::Url;
use vestibule_protocol::is_invisible;

use super::likeness::KnownDomains;
use super::written::Written;
use super::{UrlFindings, UrlWarning};

/// Beyond this a URL is long, in bytes.
const LONG: usize = 2048;
/// Beyond this it is refused, in bytes.
const TOO_LONG: usize = 8192;

/// Ports that browsers refuse, because something else than the web answers there (the Fetch standard's list).
const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

pub(super) fn inspect(url: &Url, written: &Written, known: &[&KnownDomains], found: &mut UrlFindings) {
    if let Some(port) = url.port() {
        found.port = Some(port);
        found.warn(UrlWarning::NonstandardPort);
        found.warn_if(BAD_PORTS.contains(&port), UrlWarning::BadPort);
    }
    inspect_length(url.as_str().len(), found);
    found.warn_if(
        has_invisible_escapes(written.rest()),
        UrlWarning::SuspiciousEscapes,
    );
    found.warn_if(names_another_host(url.path(), known), UrlWarning::UrlInPath);
}

pub(super) fn inspect_length(length: usize, found: &mut UrlFindings) {
    if length > TOO_LONG {
        found.warn(UrlWarning::UrlTooLong);
    } else if length > LONG {
        found.warn(UrlWarning::LongUrl);
    }
}

/// Whether escapes stand for characters that must never be shown as what they are.
fn has_invisible_escapes(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    while let Some(start) = bytes.iter().position(|byte| *byte == b'%') {
        bytes = &bytes[start..];
        let mut run = vec![];
        while let Some(byte) = escaped(bytes) {
            run.push(byte);
            bytes = &bytes[3..];
        }
        if run.is_empty() {
            bytes = &bytes[1..];
        }
        let decoded = String::from_utf8_lossy(&run);
        if decoded.chars().any(is_invisible) {
            return true;
        }
    }
    false
}

fn escaped(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

/// Whether the path holds what reads like a second address: a scheme, or a known host with a path behind it.
fn names_another_host(path: &str, known: &[&KnownDomains]) -> bool {
    let path = path.to_ascii_lowercase();
    let mut segments: Vec<&str> = path.split('/').collect();
    // What nothing follows is as likely the name of a file.
    segments.pop();
    segments.iter().any(|segment| {
        matches!(*segment, "http:" | "https:") || known.iter().any(|list| list.covers(segment))
    })
}
