//! Sizes of sections of a cubin, which is a 64-bit little-endian ELF file.

use crate::nvrtc::elf::{u32_at, u64_at};

/// Bytes of the section of a name; `None` if there is none or the image is no such file.
pub(super) fn section_size(image: &[u8], name: &str) -> Option<u64> {
    let header = image.strip_prefix(b"\x7fELF\x02\x01").map(|_| image)?;
    let table = usize::try_from(u64_at(header, 0x28)?).ok()?;
    let (size, count) = (u16_at(header, 0x3a)?, u16_at(header, 0x3c)?);
    let names = u16_at(header, 0x3e)?;
    let section = |i: usize| image.get(table.checked_add(i.checked_mul(size)?)?..);
    let names = usize::try_from(u64_at(section(names)?, 0x18)?).ok()?;
    (0..count).filter_map(section).find_map(|section| {
        let start = names.checked_add(u32_at(section, 0)? as usize)?;
        let own = image.get(start..)?.split(|byte| *byte == 0).next()?;
        if own == name.as_bytes() { u64_at(section, 0x20) } else { None }
    })
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
    fn a_torn_or_foreign_file_has_no_section() {
        for length in 0..0xc0 {
            assert_eq!(section_size(&file()[..length], ".nv.constant3"), None, "{length} bytes");
        }
        assert_eq!(section_size(b"not an ELF file", ".nv.constant3"), None);
    }
}
