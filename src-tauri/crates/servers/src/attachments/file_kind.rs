//! What a file holds, by its content: a picture of a kind that a window shows, a text, or a PDF. Its name says nothing
//! about that. Nothing is decoded; a picture that claims too many pixels is refused by its header.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use vestibule_app_protocol::{ContentView, InputProblem};
use vestibule_pictures::{MAX_PIXELS, has_allowed_size};

/// The largest picture, in bytes: 5 MiB as Base64, the most that each vendor of models takes.
pub(super) const MAX_PICTURE: usize = 5 * 1024 * 1024 / 4 * 3;
/// The longest text, in bytes.
pub(super) const MAX_TEXT: usize = 1024 * 1024;
/// The largest PDF, in bytes. Most of its bytes are pictures and fonts; its text has the limit of a text.
pub(super) const MAX_PDF: usize = 32 * 1024 * 1024;

/// The content of a file of this size, of which at least as many bytes were read as it may have.
///
/// # Errors
/// Where it is too large for its kind, claims too many pixels, or is neither a picture nor a text.
pub(super) fn content(file: &str, size: u64, bytes: Vec<u8>) -> Result<ContentView, InputProblem> {
    let kind = picture_kind(&bytes);
    let limit = if kind.is_some() { MAX_PICTURE } else { MAX_TEXT };
    if size > limit as u64 {
        return Err(too_large(file, limit));
    }
    match kind {
        Some(kind) => picture(file, kind, &bytes),
        None => text(file, bytes),
    }
}

pub(super) fn too_large(file: &str, limit: usize) -> InputProblem {
    InputProblem::FileTooLarge {
        file: file.to_owned(),
        limit_kb: (limit / 1024) as u32,
    }
}

pub(super) fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-")
}

/// The media type of the picture that begins with these bytes.
fn picture_kind(bytes: &[u8]) -> Option<&'static str> {
    let is_webp = |rest: &[u8]| rest.get(4..8) == Some(b"WEBP");
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', rest @ ..] if is_webp(rest) => Some("image/webp"),
        _ => None,
    }
}

/// A picture as a file.
pub struct PictureFile {
    /// The usual ending of the name of such a file.
    pub ending: &'static str,
    pub bytes: Vec<u8>,
}

/// The file that a part of a chat has as Base64; `None` where it is no picture of a kind that a window shows. Its ending
/// is that of its content, whatever the part says of it.
#[must_use]
pub fn picture_file(base64: &str) -> Option<PictureFile> {
    // A window leaves out the same, such as line breaks.
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let digits: Vec<u8> = base64.bytes().filter(is_base64).collect();
    let bytes = STANDARD_NO_PAD.decode(digits).ok()?;
    let ending = match picture_kind(&bytes)? {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        _ => "webp",
    };
    Some(PictureFile { ending, bytes })
}

fn picture(file: &str, kind: &str, bytes: &[u8]) -> Result<ContentView, InputProblem> {
    if !has_allowed_size(kind, bytes) {
        return Err(InputProblem::PictureTooLarge {
            file: file.to_owned(),
            limit_megapixels: (MAX_PIXELS / 1_000_000) as u32,
        });
    }
    Ok(ContentView::Image {
        mime: kind.to_owned(),
        base64: STANDARD.encode(bytes),
    })
}

/// A text without its byte order mark. What has a NUL is data that happens to be UTF-8.
fn text(file: &str, bytes: Vec<u8>) -> Result<ContentView, InputProblem> {
    let unknown = || InputProblem::FileKindUnknown {
        file: file.to_owned(),
    };
    if bytes.contains(&0) {
        return Err(unknown());
    }
    let text = String::from_utf8(bytes).map_err(|_| unknown())?;
    Ok(ContentView::Text {
        text: text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", &size[..], &[8, 6, 0, 0, 0]].concat()
    }

    /// What a file with these bytes is taken for, in short.
    fn kind_of(bytes: &[u8]) -> String {
        match content("file", bytes.len() as u64, bytes.to_vec()) {
            Ok(ContentView::Image { mime, .. }) => mime,
            Ok(ContentView::Text { text }) => format!("text {text}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_file_is_what_its_content_says() {
        assert_eq!(kind_of(&png(4, 3)), "image/png");
        assert_eq!(
            kind_of(b"GIF89a\x04\0\x03\0\0\0\0,\0\0\0\0\x04\0\x03\0\0\x02\x02\x44\x01\0\x3b"),
            "image/gif"
        );
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\0\x03\0\x04\x03";
        assert_eq!(kind_of(jpeg), "image/jpeg");
        let webp = b"RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x1f\xc3\x95\0";
        assert_eq!(kind_of(webp), "image/webp");
        assert_eq!(kind_of("天气\n".as_bytes()), "text 天气\n");
        assert_eq!(kind_of(b"\xef\xbb\xbfa,b"), "text a,b");
        assert_eq!(kind_of(b""), "text ");
    }

    #[test]
    fn what_is_neither_picture_nor_text_is_refused() {
        for bytes in [&b"PK\x03\x04\0\0"[..], b"caf\xe9", b"\xff\xfea\0b\0", b"a\0b"] {
            assert!(kind_of(bytes).contains("FileKindUnknown"), "{bytes:?}");
        }
    }

    #[test]
    fn a_picture_that_claims_too_many_pixels_or_no_size_is_refused_before_it_is_decoded() {
        assert!(kind_of(&png(10_000, 10_000)).contains("PictureTooLarge"));
        assert!(kind_of(b"GIF89a\xff\xff\xff\xff").contains("PictureTooLarge"));
        assert!(kind_of(b"\xff\xd8\xff").contains("PictureTooLarge"));
    }

    #[test]
    fn each_kind_has_its_largest_size() {
        assert!(kind_of(&vec![b'a'; MAX_TEXT]).starts_with("text a"));
        assert!(kind_of(&vec![b'a'; MAX_TEXT + 1]).contains("limit_kb: 1024"));
        let mut large = png(4, 3);
        large.resize(MAX_PICTURE, 0);
        assert_eq!(kind_of(&large), "image/png");
        large.push(0);
        assert!(kind_of(&large).contains("limit_kb: 3840"));
    }

    #[test]
    fn a_picture_becomes_a_file_with_the_ending_of_its_content() {
        let bytes = png(4, 3);
        let text = STANDARD.encode(&bytes);
        let (begin, end) = text.split_at(9);
        for base64 in [
            text.clone(),
            format!("{begin}\r\n {end}"),
            text.trim_end_matches('=').to_owned(),
        ] {
            let file = picture_file(&base64).unwrap();
            assert_eq!((file.ending, file.bytes), ("png", bytes.clone()), "{base64}");
        }
        for (bytes, ending) in [
            (&b"GIF89a"[..], "gif"),
            (b"\xff\xd8\xff", "jpg"),
            (b"RIFF\0\0\0\0WEBP", "webp"),
        ] {
            assert_eq!(picture_file(&STANDARD.encode(bytes)).unwrap().ending, ending);
        }
        for bytes in [&b""[..], b"\x7fELF", b"<svg onload=alert(1)>"] {
            assert!(picture_file(&STANDARD.encode(bytes)).is_none(), "{bytes:?}");
        }
    }
}
