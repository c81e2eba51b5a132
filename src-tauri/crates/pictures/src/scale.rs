//! One picture as a smaller file: decoded within limits, drawn at most so large, and written in at most so many bytes.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use serde::{Deserialize, Serialize};

/// The most pixels that are decoded.
const MAX_PIXELS: u64 = 40_000_000;
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
    #[error("the picture is neither PNG nor JPEG")]
    OtherFormat,
    #[error("the picture has too many pixels")]
    TooLarge,
    #[error("the picture is damaged")]
    Damaged,
}

/// Draws a PNG or JPEG within the limits. Transparency stays in a PNG; in a JPEG white is behind it.
///
/// # Errors
/// When it is of another format, claims too many pixels, or cannot be decoded.
pub fn scale(bytes: &[u8], limits: PictureLimits) -> Result<PictureFile, NotScaled> {
    let format = match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg)) => format,
        _ => return Err(NotScaled::OtherFormat),
    };
    let mut picture = shrunk(decoded(bytes, format)?, limits.edge);
    loop {
        if let Some(file) = written(&picture, format, limits.bytes) {
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

/// The picture as a file of at most so many bytes, in its own format where that is small enough.
fn written(picture: &DynamicImage, format: ImageFormat, most: usize) -> Option<PictureFile> {
    if format == ImageFormat::Png {
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
        for good in [good, jpeg] {
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
        assert_eq!(scale(b"GIF89a\x01\0\x01\0", LIMITS), Err(NotScaled::OtherFormat));
    }
}
