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

/// The logical screen of a GIF, or its first frame where that is larger: WebKit and Gecko then take the size of the frame.
/// `None` without a frame, since nothing of it is drawn.
fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    let screen = bytes
        .strip_prefix(b"GIF87a")
        .or_else(|| bytes.strip_prefix(b"GIF89a"))?;
    let flags = *screen.get(4)?;
    let colours = if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    };
    let mut rest = screen.get(7 + colours..)?;
    loop {
        rest = match *rest.first()? {
            b',' => {
                let larger = |range: std::ops::Range<usize>, frame: std::ops::Range<usize>| {
                    Some(little(screen.get(range)?).max(little(rest.get(frame)?)))
                };
                return Some((larger(0..2, 5..7)?, larger(2..4, 7..9)?));
            }
            b'!' => after_extension(*rest.get(1)?, rest.get(2..)?)?,
            _ => return None,
        };
    }
}

/// What follows the blocks of an extension of a GIF. Engines read at least four bytes of a graphic control and three of a
/// loop count, whatever length their block claims; with shorter ones they would find another frame than this does.
fn after_extension(label: u8, mut rest: &[u8]) -> Option<&[u8]> {
    let mut shortest = if label == 0xf9 { 4 } else { 0 };
    loop {
        let length = usize::from(*rest.first()?);
        let block = rest.get(1..=length)?;
        rest = rest.get(1 + length..)?;
        if length < shortest {
            return None;
        }
        if length == 0 {
            return Some(rest);
        }
        let is_loop = label == 0xff && matches!(block, b"NETSCAPE2.0" | b"ANIMEXTS1.0");
        shortest = if is_loop { 3 } else { 0 };
    }
}

/// The first frame header of a JPEG; the segments before it say their own length. Markers without a length, which decoders
/// pass over, have no place there.
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
            0x00 | 0x01 | 0xd0..=0xda => return None,
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

    /// A GIF with a screen, blocks before its first frame, and that frame.
    fn gif(screen: &[u8], blocks: &[u8], frame: &[u8]) -> Vec<u8> {
        let end = b"\0\x02\x02\x44\x01\0\x3b";
        [b"GIF89a", screen, &[0; 3], blocks, b",\0\0\0\0", frame, end].concat()
    }

    /// L-12: a file of some bytes that would become gigabytes in the window.
    #[test]
    fn a_picture_with_too_many_pixels_is_not_shown() {
        assert!(shown("image/png", &[&png(4000, 3000)]));
        assert!(!shown("image/png", &[&png(30_000, 30_000)]));
        assert!(!shown("image/png", &[&png(u32::MAX, u32::MAX)]));
        assert!(shown(
            "image/gif",
            &[&gif(&[0x20, 3, 0x58, 2], &[], &[1, 0, 1, 0])]
        ));
        assert!(!shown("image/gif", &[&gif(&[0xff; 4], &[], &[1, 0, 1, 0])]));
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

    /// L-12: engines draw the first frame at its own size, also beyond the screen.
    #[test]
    fn the_first_frame_of_a_gif_counts_where_it_is_larger_than_the_screen() {
        let huge = 22_000u16.to_le_bytes().repeat(2);
        let control = b"!\xf9\x04\0\0\0\0\0";
        let looped = b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0";
        let comment = b"!\xfe\x03,,,\x02,,\0";
        let blocks = [&control[..], looped, comment].concat();
        for blocks in [&[][..], control, looped, comment, &blocks] {
            assert!(!shown("image/gif", &[&gif(&[1, 0, 1, 0], blocks, &huge)]));
            assert!(shown(
                "image/gif",
                &[&gif(&[1, 0, 1, 0], blocks, &[0x20, 3, 0x58, 2])]
            ));
            let size = picture_size(
                "image/gif",
                &STANDARD.encode(gif(&[9, 0, 1, 0], blocks, &[3, 0, 4, 0])),
            );
            assert_eq!(size, Some((9, 4)));
        }
        let colours = [
            &b"GIF89a\x01\0\x01\0\x80\0\0"[..],
            b",,,,,,",
            b",\0\0\0\0",
            &huge,
            b"\0",
        ]
        .concat();
        assert!(!shown("image/gif", &[&colours]));
    }

    #[test]
    fn a_gif_without_a_frame_or_with_blocks_that_engines_read_otherwise_is_not_shown() {
        let small = [1, 0, 1, 0];
        for blocks in [
            &b"\0"[..],
            b";",
            b"!\xfe\xff",
            b"!\xf9\x01\0\0",
            b"!\xf9\0",
            b"!\xff\x0bNETSCAPE2.0\x01\0\0",
        ] {
            assert!(!shown("image/gif", &[&gif(&small, blocks, &small)]), "{blocks:?}");
        }
        assert!(!shown("image/gif", &[b"GIF89a", &small]));
        assert!(!shown("image/gif", &[b"GIF89a", &small, &[0; 3], b";"]));
    }

    /// L-12: libjpeg passes over markers without a length, so what would be read as one can hide the frame header.
    #[test]
    fn a_jpeg_with_markers_without_length_before_its_frame_is_not_shown() {
        let huge = b"\xff\xc0\0\x11\x08\x55\xf0\x55\xf0\x03";
        let small = b"\xff\xc0\0\x11\x08\0\x01\0\x01\x03";
        let hidden = [&[0; 0xffc0 - 10][..], small].concat();
        for marker in [0x00, 0x01, 0xd0, 0xd3, 0xd7, 0xd8, 0xd9, 0xda] {
            assert!(
                !shown("image/jpeg", &[b"\xff\xd8\xff", &[marker], huge, &hidden]),
                "{marker:x}"
            );
        }
        assert!(shown("image/jpeg", &[b"\xff\xd8\xff", small]));
        assert!(!shown("image/jpeg", &[b"\xff\xd8", huge]));
    }
}
