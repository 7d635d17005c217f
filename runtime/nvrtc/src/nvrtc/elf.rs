//! The build ID of a shared library, read from the head of its file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes that hold the program headers and the notes; linkers put both first.
const HEAD: u64 = 4096;
/// `PT_NOTE`.
const NOTE: u32 = 4;
/// `NT_GNU_BUILD_ID`.
const GNU_BUILD_ID: u32 = 3;

/// The build ID in hexadecimal; `None` if the file is no 64-bit little-endian ELF file or has none.
pub(super) fn build_id(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    find(&head)
}

fn find(head: &[u8]) -> Option<String> {
    // `\x7fELF`, 64 bits, little-endian.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = usize::try_from(u64_at(head, 0x20)?).ok()?;
    let (size, count) = (u32_at(head, 0x36)? & 0xffff, u32_at(head, 0x38)? & 0xffff);
    let headers = (0..count as usize).map_while(|i| head.get(table.checked_add(i * size as usize)?..));
    headers.filter(|header| u32_at(header, 0) == Some(NOTE)).find_map(|header| {
        let start = usize::try_from(u64_at(header, 0x08)?).ok()?;
        let length = usize::try_from(u64_at(header, 0x20)?).ok()?;
        gnu_note(head.get(start..start.checked_add(length)?)?)
    })
}

/// The build ID among the notes of a segment.
fn gnu_note(mut notes: &[u8]) -> Option<String> {
    loop {
        let (name, text, kind) = (u32_at(notes, 0)? as usize, u32_at(notes, 4)? as usize, u32_at(notes, 8)?);
        let start = 12 + name.next_multiple_of(4);
        if kind == GNU_BUILD_ID && notes.get(12..12 + name)? == b"GNU\0" {
            return Some(notes.get(start..start + text)?.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        notes = notes.get(start + text.next_multiple_of(4)..)?;
    }
}

/// A little-endian number at an offset; `None` where the bytes end before.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

/// Like [`u32_at`], with 64 bits.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file with one note segment that holds an unknown note and then a build ID.
    fn file() -> Vec<u8> {
        let mut file = vec![0u8; 0x78];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[0x20] = 0x40;
        file[0x36] = 0x38;
        file[0x38] = 1;
        file[0x40] = 4;
        file[0x48] = 0x78;
        let words = |words: [u32; 3]| words.map(u32::to_le_bytes).concat();
        let notes =
            [&words([4, 1, 9])[..], b"GNU\0", &[7, 0, 0, 0], &words([4, 3, 3]), b"GNU\0", &[0xab, 1, 2, 0]];
        file.extend(notes.concat());
        file[0x60] = (file.len() - 0x78) as u8;
        file
    }

    #[test]
    fn a_build_id_is_found_behind_other_notes() {
        assert_eq!(find(&file()).as_deref(), Some("ab0102"));
    }

    #[test]
    fn a_torn_file_has_no_build_id() {
        for length in 0..file().len() - 1 {
            assert_eq!(find(&file()[..length]), None, "{length} bytes");
        }
    }
}
