//! Sizes of sections of a cubin, which is a 64-bit little-endian ELF file, and its instructions.

use crate::nvrtc::elf::{u32_at, u64_at};

/// Bytes of an instruction of compute capability 7.0 and above.
const INSTRUCTION: usize = 16;

/// Bytes of the section of a name; `None` if there is none or the image is no such file.
pub(super) fn section_size(image: &[u8], name: &str) -> Option<u64> {
    let found = sections(image)?.into_iter().find(|(own, _)| *own == name.as_bytes());
    found.and_then(|(_, header)| u64_at(header, 0x20))
}

/// Instructions of the functions of a cubin, without the padding after each function.
///
/// `None` if the image is no such file. The encoding is that of compute capability 7.0 and above.
pub(super) fn instructions(image: &[u8]) -> Option<u32> {
    let functions = sections(image)?.into_iter().filter(|(name, _)| name.starts_with(b".text."));
    let counts = functions.map(|(_, header)| {
        let (start, size) = (u64_at(header, 0x18)?, u64_at(header, 0x20)?);
        let start = usize::try_from(start).ok()?;
        Some(count(image.get(start..start.checked_add(usize::try_from(size).ok()?)?)?))
    });
    counts.sum()
}

/// The instructions of a function. After them come a branch to itself and operations that do nothing.
fn count(code: &[u8]) -> u32 {
    const NOP: u32 = 0x918;
    const BRA: u32 = 0x947;
    let operation = |instruction: &[u8]| u32_at(instruction, 0).map_or(0, |word| word & 0xfff);
    let all: Vec<u32> = code.chunks_exact(INSTRUCTION).map(operation).collect();
    let filled = all.iter().rev().take_while(|operation| **operation == NOP).count();
    let used = &all[..all.len() - filled];
    let ends = usize::from(filled > 0 && used.last() == Some(&BRA));
    (used.len() - ends) as u32
}

/// The names and headers of all sections.
fn sections(image: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let header = image.strip_prefix(b"\x7fELF\x02\x01").map(|_| image)?;
    let table = usize::try_from(u64_at(header, 0x28)?).ok()?;
    let (size, count) = (u16_at(header, 0x3a)?, u16_at(header, 0x3c)?);
    let names = u16_at(header, 0x3e)?;
    let section = |i: usize| image.get(table.checked_add(i.checked_mul(size)?)?..);
    let names = usize::try_from(u64_at(section(names)?, 0x18)?).ok()?;
    let named = (0..count).filter_map(section).filter_map(|section| {
        let start = names.checked_add(u32_at(section, 0)? as usize)?;
        Some((image.get(start..)?.split(|byte| *byte == 0).next()?, section))
    });
    Some(named.collect())
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|chunk| usize::from(u16::from_le_bytes(*chunk)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of two sections: their names, and one of 400 bytes.
    fn file() -> Vec<u8> {
        let mut file = vec![0u8; 0x40];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[0x28] = 0x40;
        file[0x3a] = 0x40;
        file[0x3c] = 2;
        file.resize(0xc0, 0);
        file[0x40 + 0x18] = 0xc0;
        file[0x80] = 1;
        file[0xa0..0xa2].copy_from_slice(&400u16.to_le_bytes());
        file.extend(b"\0.nv.constant3\0");
        file
    }

    #[test]
    fn a_section_is_found_by_its_whole_name() {
        assert_eq!(section_size(&file(), ".nv.constant3"), Some(400));
        assert_eq!(section_size(&file(), ".nv.constant"), None);
    }

    #[test]
    fn what_fills_a_function_is_not_counted() {
        let code = |operations: &[u32]| -> Vec<u8> {
            let word = |operation: &u32| [*operation | 0x7000, 0, 0, 0].map(u32::to_le_bytes).concat();
            operations.iter().flat_map(word).collect()
        };
        assert_eq!(count(&code(&[0x981, 0x986, 0x94d, 0x947, 0x918, 0x918])), 3);
        // A function may end with a branch, and hold operations that do nothing.
        assert_eq!(count(&code(&[0x981, 0x918, 0x94d, 0x947])), 4);
        assert_eq!(count(&[]), 0);
        assert_eq!(instructions(&file()), Some(0));
    }

    #[test]
    fn a_torn_or_foreign_file_has_no_section() {
        for length in 0..0xc0 {
            assert_eq!(section_size(&file()[..length], ".nv.constant3"), None, "{length} bytes");
        }
        assert_eq!(section_size(b"not an ELF file", ".nv.constant3"), None);
    }
}
