//! Draws a small picture and writes it as PNG in base64.
//!
//! Both formats are written by hand in their simplest form (stored blocks, no compression), so that the tour needs no
//! image library.

const WIDTH: u8 = 96;
const HEIGHT: u8 = 64;

/// A door in a wall, as PNG, in base64.
pub(crate) fn door() -> String {
    base64(&png(&pixels()))
}

/// Rows of RGB, each after a zero byte that says "not filtered".
fn pixels() -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..HEIGHT {
        rows.push(0);
        for x in 0..WIDTH {
            let door = (34..62).contains(&x) && y >= 12;
            let knob = (54..58).contains(&x) && (36..40).contains(&y);
            rows.extend_from_slice(&match (knob, door) {
                (true, _) => [0xf2, 0xc1, 0x4e],
                (false, true) => [0x2f, 0x5d, 0x62],
                (false, false) => [0xe8 - y / 4, 0xe0 - y / 4, 0xd4 - x / 8],
            });
        }
    }
    rows
}

fn png(pixels: &[u8]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(
        &mut file,
        b"IHDR",
        &[0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 8, 2, 0, 0, 0],
    );
    chunk(&mut file, b"IDAT", &zlib(pixels));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("the picture is a few kilobytes");
    file.extend_from_slice(&length.to_be_bytes());
    let body = [kind.as_slice(), data].concat();
    file.extend_from_slice(&body);
    file.extend_from_slice(&crc(&body).to_be_bytes());
}

/// Stored blocks only: each says whether it is the last, its length, and the length's complement.
fn zlib(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let blocks = data.chunks(0xffff);
    let last = blocks.len().saturating_sub(1);
    for (index, block) in blocks.enumerate() {
        let length = u16::try_from(block.len()).expect("a block has at most 65535 bytes");
        stream.push(u8::from(index == last));
        stream.extend_from_slice(&length.to_le_bytes());
        stream.extend_from_slice(&(!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    let (low, high) = data.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65521;
        (low, (high + low) % 65521)
    });
    stream.extend_from_slice(&(high << 16 | low).to_be_bytes());
    stream
}

fn crc(data: &[u8]) -> u32 {
    let step = |crc: u32| {
        if crc & 1 == 1 {
            0xedb8_8320 ^ (crc >> 1)
        } else {
            crc >> 1
        }
    };
    !data.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc))
    })
}

fn base64(data: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in data.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| {
            bits << 8 | usize::from(group.get(at).copied().unwrap_or(0))
        });
        for place in 0..4 {
            let letter = char::from(ALPHABET[bits >> (18 - 6 * place) & 63]);
            text.push(if place > group.len() { '=' } else { letter });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ];
        for (plain, encoded) in cases {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn the_checksum_is_the_one_of_the_standard() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn the_picture_begins_as_a_png() {
        assert!(door().starts_with("iVBORw0KGgo"));
    }
}
