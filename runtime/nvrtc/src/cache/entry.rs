//! The file of one entry: its key, its bytes, and a checksum over all of it.
//!
//! This module opens no files. It reports data that was torn, changed or written by another program, and never trusts it.

use xxhash_rust::xxh3::xxh3_128;

/// First bytes of every file.
const MAGIC: &[u8; 8] = b"WARPSMTH";
/// Version of this layout.
const FORMAT: u32 = 1;
/// The bytes before those that the checksum covers.
const UNCHECKED: usize = MAGIC.len() + size_of::<u128>();

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The whole key.
    pub key: &'a [u8],
    /// The maker: a version of NVRTC.
    pub maker: &'a str,
    /// The bytes.
    pub image: &'a [u8],
    /// The compiler's log.
    pub log: &'a str,
}

/// Why bytes are no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// It begins with something else.
    #[error("it is a foreign file")]
    Foreign,
    /// Another version of this crate wrote it.
    #[error("it has another format")]
    Format,
    /// Its checksum or its lengths are wrong.
    #[error("it is damaged")]
    Torn,
}

impl<'a> Entry<'a> {
    /// The entry as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let fields = [self.key, self.maker.as_bytes(), self.image, self.log.as_bytes()];
        let length = fields.iter().map(|field| field.len() + size_of::<u64>()).sum::<usize>();
        let mut bytes = Vec::with_capacity(UNCHECKED + size_of::<u32>() + length);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; size_of::<u128>()]);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        for field in fields {
            bytes.extend_from_slice(&(field.len() as u64).to_le_bytes());
        }
        for field in fields {
            bytes.extend_from_slice(field);
        }
        let checksum = xxh3_128(&bytes[UNCHECKED..]);
        bytes[MAGIC.len()..UNCHECKED].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads what [`Entry::encode`] writes.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Damage> {
        let rest = match bytes.strip_prefix(MAGIC) {
            Some(rest) => rest,
            None if MAGIC.starts_with(bytes) => return Err(Damage::Torn),
            None => return Err(Damage::Foreign),
        };
        let (checksum, checked) = rest.split_first_chunk().ok_or(Damage::Torn)?;
        if u128::from_le_bytes(*checksum) != xxh3_128(checked) {
            return Err(Damage::Torn);
        }
        let (format, fields) = checked.split_first_chunk().ok_or(Damage::Torn)?;
        if u32::from_le_bytes(*format) != FORMAT {
            return Err(Damage::Format);
        }
        Self::fields(fields).ok_or(Damage::Torn)
    }

    fn fields(bytes: &'a [u8]) -> Option<Self> {
        let (lengths, mut bytes) = bytes.split_at_checked(4 * size_of::<u64>())?;
        let mut lengths = lengths.chunks_exact(size_of::<u64>());
        let mut field = || {
            let length = u64::from_le_bytes(*lengths.next()?.first_chunk()?);
            let (field, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
            bytes = rest;
            Some(field)
        };
        let (key, maker, image, log) = (field()?, field()?, field()?, field()?);
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let entry = Self { key, maker: text(maker)?, image, log: text(log)? };
        bytes.is_empty().then_some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry<'_> = Entry { key: b"key", maker: "13.0 65be", image: b"\x7fELF image", log: "log" };

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        assert_eq!(Entry::decode(&ENTRY.encode()), Ok(ENTRY));
        let empty = Entry { key: b"", maker: "", image: b"", log: "" };
        assert_eq!(Entry::decode(&empty.encode()), Ok(empty));
    }

    #[test]
    fn a_file_torn_at_any_length_is_told() {
        let bytes = ENTRY.encode();
        for length in 0..bytes.len() {
            assert_eq!(Entry::decode(&bytes[..length]), Err(Damage::Torn), "{length} bytes");
        }
        assert_eq!(Entry::decode(&[&bytes[..], b"\0"].concat()), Err(Damage::Torn));
    }

    #[test]
    fn a_flipped_bit_is_told_wherever_it_is() {
        let bytes = ENTRY.encode();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let damage = if bit / 8 < MAGIC.len() { Damage::Foreign } else { Damage::Torn };
            assert_eq!(Entry::decode(&flipped), Err(damage), "bit {bit}");
        }
    }

    #[test]
    fn another_format_is_told() {
        let mut bytes = ENTRY.encode();
        bytes[UNCHECKED] += 1;
        let checksum = xxh3_128(&bytes[UNCHECKED..]);
        bytes[MAGIC.len()..UNCHECKED].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(Entry::decode(&bytes), Err(Damage::Format));
        assert_eq!(Entry::decode(b"#!/bin/sh\n"), Err(Damage::Foreign));
    }
}
