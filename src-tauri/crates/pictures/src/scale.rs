//! One picture as a smaller file: decoded within limits, drawn at most so large, and written in at most so many bytes.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use serde::{Deserialize, Serialize};

use crate::MAX_PIXELS;

/// The most memory of one decoded picture, in bytes: 40 million pixels of eight bytes, and room for rows.
const MAX_MEMORY: u64 = 400 * 1024 * 1024;
/// The qualities of JPEG that are tried, the best first.
const QUALITIES: [u8; 3] = [85, 70, 50];
/// A picture is not made smaller than this to save bytes, in pixels.
const LEAST_EDGE: u32 = 64;

/// How large a picture may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureLimits {
    /// The longest edge, in pixels.
    pub edge: u32,
    /// The most bytes of its file.
    pub bytes: usize,
}

/// A picture as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFile {
    /// Its type, `image/png` or `image/jpeg`.
    pub mime: &'static str,
    pub bytes: Vec<u8>,
}

/// Why a picture was not made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum NotScaled {
    #[error("the picture is none of PNG, JPEG, GIF and WebP")]
    OtherFormat,
    #[error("the picture has too many pixels")]
    TooLarge,
    #[error("the picture is damaged")]
    Damaged,
}

/// Draws a PNG, JPEG, GIF or WebP within the limits, of one that moves its first frame. It becomes a PNG or a JPEG, which
/// all vendors take. Transparency stays in a PNG; in a JPEG white is behind it.
///
/// # Errors
/// When it is of another format, claims too many pixels, or cannot be decoded.
pub fn scale(bytes: &[u8], limits: PictureLimits) -> Result<PictureFile, NotScaled> {
    let format = match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::Gif | ImageFormat::WebP)) => format,
        _ => return Err(NotScaled::OtherFormat),
    };
    let mut picture = shrunk(decoded(bytes, format)?, limits.edge);
    let as_png = match format {
        ImageFormat::Jpeg => false,
        // Most of them are photos.
        ImageFormat::WebP => picture.color().has_alpha(),
        _ => true,
    };
    loop {
        if let Some(file) = written(&picture, as_png, limits.bytes) {
            return Ok(file);
        }
        let edge = picture.width().max(picture.height()) / 2;
        if edge < LEAST_EDGE {
            return Err(NotScaled::TooLarge);
        }
        picture = shrunk(picture, edge);
    }
}

/// The picture as its file says it is to be seen. What it claims to be is checked before memory is taken for it.
fn decoded(bytes: &[u8], format: ImageFormat) -> Result<DynamicImage, NotScaled> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|_| NotScaled::Damaged)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(NotScaled::TooLarge);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| NotScaled::Damaged)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn shrunk(picture: DynamicImage, edge: u32) -> DynamicImage {
    let edge = edge.max(1);
    if picture.width().max(picture.height()) <= edge {
        return picture;
    }
    picture.resize(edge, edge, FilterType::Triangle)
}

/// The picture as a file of at most so many bytes; as a JPEG where a PNG is not wanted or not small enough.
fn written(picture: &DynamicImage, as_png: bool, most: usize) -> Option<PictureFile> {
    if as_png {
        let mut bytes = Cursor::new(vec![]);
        picture.write_to(&mut bytes, ImageFormat::Png).ok()?;
        let bytes = bytes.into_inner();
        if bytes.len() <= most {
            return Some(PictureFile {
                mime: "image/png",
                bytes,
            });
        }
    }
    let opaque = on_white(picture);
    let mut files = QUALITIES.iter().filter_map(|quality| {
        let mut bytes = vec![];
        let encoder = JpegEncoder::new_with_quality(&mut bytes, *quality);
        opaque.write_with_encoder(encoder).ok()?;
        Some(PictureFile {
            mime: "image/jpeg",
            bytes,
        })
    });
    files.find(|file| file.bytes.len() <= most)
}

fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let mut opaque = RgbImage::new(picture.width(), picture.height());
    for (from, to) in picture.to_rgba8().pixels().zip(opaque.pixels_mut()) {
        let [red, green, blue, alpha] = from.0.map(u16::from);
        let over = |color: u16| ((color * alpha + 255 * (255 - alpha)) / 255) as u8;
        *to = Rgb([red, green, blue].map(over));
    }
    opaque
}

#[cfg(test)]
mod tests {
    use image::{GenericImageView as _, ImageBuffer, Rgba};

    use super::*;

    const LIMITS: PictureLimits = PictureLimits {
        edge: 100,
        bytes: 20_000,
    };

    /// A sequence that looks random and is always the same.
    fn noise(seed: &mut u32) -> u8 {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 24) as u8
    }

    fn png(width: u32, height: u32, mut pixel: impl FnMut(u32, u32) -> [u8; 4]) -> Vec<u8> {
        let picture = ImageBuffer::from_fn(width, height, |x, y| Rgba(pixel(x, y)));
        let mut bytes = Cursor::new(vec![]);
        picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    fn read(file: &PictureFile) -> DynamicImage {
        image::load_from_memory(&file.bytes).unwrap()
    }

    #[test]
    fn the_longest_edge_is_the_one_that_is_wanted_and_the_shape_stays() {
        let file = scale(&png(400, 200, |x, _| [(x / 2) as u8, 0, 0, 255]), LIMITS).unwrap();
        assert_eq!((file.mime, read(&file).dimensions()), ("image/png", (100, 50)));
        let small = scale(&png(40, 20, |_, _| [1, 2, 3, 255]), LIMITS).unwrap();
        assert_eq!(read(&small).dimensions(), (40, 20));
    }

    #[test]
    fn a_picture_that_does_not_compress_still_fits_into_its_bytes() {
        let mut seed = 7;
        let picture = png(300, 300, |_, _| {
            [noise(&mut seed), noise(&mut seed), noise(&mut seed), 255]
        });
        for bytes in [20_000, 4_000] {
            let file = scale(&picture, PictureLimits { edge: 300, bytes }).unwrap();
            assert!(file.bytes.len() <= bytes, "{}", file.bytes.len());
            assert_eq!(file.mime, "image/jpeg");
        }
    }

    #[test]
    fn what_is_transparent_becomes_white_in_a_jpeg() {
        let picture = DynamicImage::from(ImageBuffer::from_pixel(2, 1, Rgba([0u8; 4])));
        assert_eq!(on_white(&picture).get_pixel(1, 0).0, [255, 255, 255]);
    }

    fn file(picture: DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(vec![]);
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_gif_and_a_webp_become_what_every_vendor_takes() {
        let opaque = DynamicImage::from(ImageBuffer::from_fn(400, 200, |x, y| {
            Rgb([(x / 2) as u8, y as u8, 0])
        }));
        let clear = DynamicImage::from(ImageBuffer::from_fn(400, 200, |x, _| {
            Rgba([9, 9, 9, (x / 2) as u8])
        }));
        for (format, picture, mime) in [
            (ImageFormat::Gif, clear.clone(), "image/png"),
            (ImageFormat::WebP, clear, "image/png"),
            (ImageFormat::WebP, opaque, "image/jpeg"),
        ] {
            let drawn = scale(&file(picture, format), LIMITS).unwrap();
            assert_eq!((drawn.mime, read(&drawn).dimensions()), (mime, (100, 50)));
            assert!(drawn.bytes.len() <= LIMITS.bytes);
        }
    }

    /// The first frame stands for a picture that moves, and what comes after it is not decoded.
    #[test]
    fn of_a_picture_that_moves_the_first_frame_is_drawn() {
        let frame = |red| ImageBuffer::from_pixel(20, 10, Rgba([red, 0, 0, 255u8]));
        let mut bytes = vec![];
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
        for red in [200, 0] {
            encoder.encode_frame(image::Frame::new(frame(red))).unwrap();
        }
        drop(encoder);
        let end = bytes.len() / 2 + 30;
        for bytes in [&bytes[..], &bytes[..end]] {
            let drawn = read(&scale(bytes, LIMITS).unwrap());
            assert!(drawn.get_pixel(5, 5).0[0] > 150, "{:?}", drawn.get_pixel(5, 5));
        }
    }

    /// L-12: the screen of a GIF is small, its frame claims four billion pixels; a WebP claims more than may be decoded.
    #[test]
    fn a_gif_or_webp_that_claims_too_many_pixels_is_not_decoded() {
        let screen = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff";
        let frame = b"\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x44\x01\0\x3b";
        let huge = b"GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff";
        let webp = b"RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\xff\xff\xff\xff\0\0\0\0\0";
        for bomb in [
            [&screen[..], frame].concat(),
            [&huge[..], frame].concat(),
            webp.to_vec(),
        ] {
            let drawn = scale(&bomb, LIMITS);
            assert!(
                matches!(drawn, Err(NotScaled::TooLarge | NotScaled::Damaged)),
                "{drawn:?}"
            );
        }
    }

    /// L-12: the size that a file claims is read before memory is taken for it.
    #[test]
    fn a_picture_that_claims_too_many_pixels_is_not_decoded() {
        let mut bomb = png(1, 1, |_, _| [0; 4]);
        bomb[16..24].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
        let refused = scale(&bomb, LIMITS).unwrap_err();
        assert!(
            matches!(refused, NotScaled::TooLarge | NotScaled::Damaged),
            "{refused}"
        );
    }

    #[test]
    fn damaged_pictures_are_refused_or_drawn_but_end_nothing() {
        let mut seed = 1;
        let good = png(30, 30, |x, y| [x as u8, y as u8, 9, 255]);
        let jpeg = {
            let opaque = on_white(&image::load_from_memory(&good).unwrap());
            let mut bytes = vec![];
            opaque.write_with_encoder(JpegEncoder::new(&mut bytes)).unwrap();
            bytes
        };
        let picture = image::load_from_memory(&good).unwrap();
        let [gif, webp] = [ImageFormat::Gif, ImageFormat::WebP].map(|format| file(picture.clone(), format));
        for good in [good, jpeg, gif, webp] {
            for cut in [0, 1, 8, 20, good.len() / 2] {
                assert!(scale(&good[..cut], LIMITS).is_err() || cut > 20);
            }
            for _ in 0..300 {
                let mut damaged = good.clone();
                let at = (usize::from(noise(&mut seed)) << 8 | usize::from(noise(&mut seed))) % damaged.len();
                damaged[at] = noise(&mut seed);
                if let Ok(file) = scale(&damaged, LIMITS) {
                    assert!(read(&file).width() <= 100);
                }
            }
        }
        assert_eq!(scale(b"BM\x01\0\x01\0", LIMITS), Err(NotScaled::OtherFormat));
    }
}
