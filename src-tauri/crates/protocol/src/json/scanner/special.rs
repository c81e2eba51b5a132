//! Looks for the bytes that end the plain characters of a string, sixteen at a time.

use wide::u8x16;

/// How many bytes are looked at together.
pub(super) const BLOCK: usize = 16;

/// Where the first byte of a block is that may not stand in a string as it is: a quote, a backslash or a control character.
#[inline]
pub(super) fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let bytes = u8x16::new(*block);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let special = (is(b'"') | is(b'\\') | is_control).to_bitmask();
    (special != 0).then(|| special.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_special(byte: &u8) -> bool {
        matches!(byte, b'"' | b'\\' | 0..0x20)
    }

    #[test]
    fn every_byte_is_found_at_every_place_or_passed_over() {
        for byte in 0..=u8::MAX {
            for at in 0..BLOCK {
                let mut block = [b'a'; BLOCK];
                block[at] = byte;
                let expected = is_special(&byte).then_some(at);
                assert_eq!(first_special(&block), expected, "{byte} at {at}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_first_of_several_is_found(block: [u8; BLOCK]) {
            let expected = block.iter().position(is_special);
            prop_assert_eq!(first_special(&block), expected);
        }
    }
}
