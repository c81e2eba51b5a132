//! How large a picture is when it is shown, read from the beginning of its file: a small file can hold so many pixels that
//! a window freezes or runs out of memory. Nothing is decoded here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The most pixels of a picture that is shown.
pub const MAX_PIXELS: u64 = 40_000_000;
/// The most bytes of JPEG segments that are passed over to find the size.
const MAX_HEADER: usize = 1024 * 1024;

/// Whether the picture has a size that can be read and is shown. `kind` is its type as the server names it.
#[must_use]
pub fn can_be_shown(kind: &str, base64: &str) -> bool {
    picture_size(kind, base64).is_some_and(is_allowed)
}

/// Whether the picture that begins with these bytes has a size that can be read and is shown.
#[must_use]
pub fn has_allowed_size(kind: &str, bytes: &[u8]) -> bool {
    size_in(kind, bytes).is_some_and(is_allowed)
}

fn is_allowed((width, height): (u32, u32)) -> bool {
    u64::from(width) * u64::from(height) <= MAX_PIXELS
}

/// Kinds of picture that a webview shows without running anything.
pub const SHOWN_KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The width and height that the file of a picture claims, in pixels; `None` where they cannot be read. `kind` is its
/// type as the server names it.
#[must_use]
pub fn picture_size(kind: &str, base64: &str) -> Option<(u32, u32)> {
    // Whole groups of four characters, so that what is left out does not spoil what is read.
    let length = base64.len().min(MAX_HEADER / 3 * 4) / 4 * 4;
    size_in(kind, &STANDARD.decode(base64.get(..length)?).ok()?)
}

fn size_in(kind: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    match kind {
        "image/png" => png(bytes),
        "image/gif" => gif(bytes),
        "image/jpeg" => jpeg(bytes),
        "image/webp" => webp(bytes),
        _ => None,
    }
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    (header.get(4..8)? == b"IHDR").then_some(())?;
    Some((big(header.get(8..12)?), big(header.get(12..16)?)))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    let screen = bytes
        .strip_prefix(b"GIF87a")
        .or_else(|| bytes.strip_prefix(b"GIF89a"))?;
    Some((little(screen.get(..2)?), little(screen.get(2..4)?)))
}

/// The first frame header of a JPEG; the segments before it say their own length.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let marker = *rest.get(1).filter(|_| rest[0] == 0xff)?;
        if marker == 0xff {
            rest = rest.get(1..)?;
            continue;
        }
        let segment = rest.get(2..)?;
        match marker {
            // Start of frame, whatever the coding; the other numbers in this range are tables.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some((big(segment.get(5..7)?), big(segment.get(3..5)?)));
            }
            0xd8..=0xda => return None,
            _ => rest = segment.get(usize::try_from(big(segment.get(..2)?)).ok()?..)?,
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let body = bytes.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    let data = body.get(8..)?;
    match body.get(..4)? {
        b"VP8 " => {
            let size = data.get(3..)?.strip_prefix(b"\x9d\x01\x2a")?;
            Some((little(size.get(..2)?) & 0x3fff, little(size.get(2..4)?) & 0x3fff))
        }
        b"VP8L" => {
            let size = little(data.strip_prefix(b"\x2f")?.get(..4)?);
            Some(((size & 0x3fff) + 1, ((size >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => Some((little(data.get(4..7)?) + 1, little(data.get(7..10)?) + 1)),
        _ => None,
    }
}

fn big(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn little(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: &str, parts: &[&[u8]]) -> bool {
        can_be_shown(kind, &STANDARD.encode(parts.concat()))
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", &size[..], &[8, 6, 0, 0, 0]].concat()
    }

    /// L-12: a file of some bytes that would become gigabytes in the window.
    #[test]
    fn a_picture_with_too_many_pixels_is_not_shown() {
        assert!(shown("image/png", &[&png(4000, 3000)]));
        assert!(!shown("image/png", &[&png(30_000, 30_000)]));
        assert!(!shown("image/png", &[&png(u32::MAX, u32::MAX)]));
        assert!(shown("image/gif", &[b"GIF89a", &[0x20, 3, 0x58, 2]]));
        assert!(!shown("image/gif", &[b"GIF89a", &[0xff; 4]]));
        let frame = |size: &[u8]| [b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x0b\x08", size, b"\x03"].concat();
        assert!(shown("image/jpeg", &[&frame(&[2, 0x58, 3, 0x20])]));
        assert!(!shown("image/jpeg", &[&frame(&[0xff; 4])]));
        let webp = |kind: &[u8], data: &[u8]| [b"RIFF\0\0\0\0WEBP", kind, b"\0\0\0\0", data].concat();
        assert!(shown(
            "image/webp",
            &[&webp(b"VP8X", &[0, 0, 0, 0, 0x1f, 3, 0, 0x57, 2, 0])]
        ));
        assert!(!shown("image/webp", &[&webp(b"VP8X", &[0xff; 10])]));
        assert!(shown("image/webp", &[&webp(b"VP8L", b"\x2f\x1f\xc3\x95\0")]));
        assert!(!shown(
            "image/webp",
            &[&webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\xff\xff\xff\xff")]
        ));
    }

    #[test]
    fn a_picture_whose_size_cannot_be_read_is_not_shown() {
        assert!(!shown("image/png", &[b"GIF89a", &[1, 0, 1, 0]]));
        assert!(!shown("image/jpeg", &[b"\xff\xd8\xff\xda\0\x02"]));
        assert!(!shown("image/webp", &[b"RIFF"]));
        assert!(!shown("image/png", &[]));
        assert!(!can_be_shown("image/png", "not base64!"));
    }
}
