//! The checksum of Amazon's binary frames, CRC-32.
//!
//! `crc32fast` has tables of 16 KiB that do not compress, which is too much for a WebAssembly
//! module. There, one of 1 KiB does.

/// Returns the checksum of these bytes.
#[cfg(not(target_family = "wasm"))]
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

#[cfg(target_family = "wasm")]
pub(super) use small::crc32;

#[cfg(any(test, target_family = "wasm"))]
mod small {
    /// The remainder of each byte.
    static TABLE: [u32; 256] = table();

    const fn table() -> [u32; 256] {
        const REVERSED_POLYNOMIAL: u32 = 0xEDB8_8320;
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut remainder = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                remainder = (remainder >> 1) ^ if remainder & 1 == 1 { REVERSED_POLYNOMIAL } else { 0 };
                bit += 1;
            }
            table[byte] = remainder;
            byte += 1;
        }
        table
    }

    /// Returns the checksum of these bytes.
    pub(in crate::wire::frames) fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |sum, &byte| (sum >> 8) ^ TABLE[usize::from(sum as u8 ^ byte)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_table_gives_the_same_checksums() {
        let bytes: alloc::vec::Vec<u8> = (0..1000_u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for len in [0, 1, 8, 255, 256, 1000] {
            assert_eq!(small::crc32(&bytes[..len]), crc32(&bytes[..len]), "{len} bytes");
        }
        assert_eq!(small::crc32(b"123456789"), 0xCBF4_3926, "the check value of CRC-32");
    }
}
