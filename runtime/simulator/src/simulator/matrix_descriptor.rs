//! Where the elements of a matrix are in shared memory, as the descriptors of `wgmma` say it.
//!
//! A descriptor has the first byte, in units of 16 from the start of the block's shared memory, two distances between
//! pieces of the matrix, and the swizzle. Source: PTX ISA, `wgmma`, matrix descriptor and canonical layouts.

/// An operand in shared memory, 32 bytes of it along K.
pub(super) struct Place {
    pub descriptor: u64,
    /// Its rows, or columns if it is the right operand.
    pub rows: usize,
    /// Whether rows, and not the elements along K, lie side by side.
    pub turned: bool,
    /// Bytes of an element.
    pub bytes: usize,
}

impl Place {
    /// A field of 14 bits, in bytes.
    fn field(&self, bit: u32) -> usize {
        (self.descriptor >> bit & 0x3fff) as usize * 16
    }

    /// Bytes within which units of 16 change places; 16 without a swizzle.
    fn span(&self) -> usize {
        [16, 128, 64, 32][(self.descriptor >> 62) as usize]
    }

    /// How many bytes the matrix begins beyond a row of the swizzle's pattern that the hardware takes for the first, and the
    /// bytes after which the pattern begins again; `None` where it begins right.
    ///
    /// The hardware counts the rows of the pattern from the descriptor's first byte, which may be at any of the units that a
    /// row of the matrix has, but within the first row of the pattern. Source: PTX ISA, `wgmma`, matrix base offset, which is 0.
    pub fn misaligned(&self) -> Option<(usize, usize)> {
        let (span, start) = (self.span(), self.field(0));
        let pattern = 8 * span;
        let beyond = start % pattern;
        (span > 16 && beyond >= span).then_some((beyond, pattern))
    }

    /// The first byte of an element, from the start of the block's shared memory.
    pub fn element(&self, row: usize, k: usize) -> usize {
        let (span, leading, stride) = (self.span(), self.field(16), self.field(32));
        let offset = match (self.turned, span) {
            (false, 16) => {
                let along = k * self.bytes;
                row % 8 * 16 + row / 8 * stride + along / 16 * leading + along % 16
            }
            (false, _) => row % 8 * span + row / 8 * stride + k * self.bytes,
            (true, 16) => {
                let along = row * self.bytes;
                along / 16 * stride + along % 16 + k % 8 * 16 + k / 8 * leading
            }
            (true, _) => {
                let along = row * self.bytes;
                along / span * leading + along % span + k % 8 * span + k / 8 * stride
            }
        };
        let address = self.field(0) + offset;
        // Bits 4 to 6 of the address are combined with bits 7 to 9, as many as the span has units.
        address ^ (address >> 3 & (span - 16))
    }

    /// The units of 16 bytes that it has.
    pub fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        let (rows, depth) = (self.rows, 32 / self.bytes);
        let unit = 16 / self.bytes;
        let (across, along) = if self.turned { (unit, 1) } else { (1, unit) };
        (0..rows)
            .step_by(across)
            .flat_map(move |row| (0..depth).step_by(along).map(move |k| self.element(row, k) & !15))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Place;

    fn descriptor(leading: u64, stride: u64, mode: u64) -> u64 {
        (leading / 16) << 16 | (stride / 16) << 32 | mode << 62
    }

    /// Rows of 128 bytes, the second 32 bytes of each.
    #[test]
    fn a_step_along_k_stays_within_the_swizzle() {
        let start = |bytes: u64| Place {
            descriptor: descriptor(16, 1024, 1) + bytes / 16,
            rows: 16,
            turned: false,
            bytes: 2,
        };
        for (step, row, k) in [(0, 0, 0), (32, 5, 3), (64, 9, 15), (96, 15, 8)] {
            let (unit, within) = ((step as usize + k * 2) / 16, k * 2 % 16);
            let wanted = row * 128 + (unit ^ (row & 7)) * 16 + within;
            assert_eq!(start(step).element(row, k), wanted);
        }
    }

    /// 64 columns side by side in rows of 128 bytes, a row for each place along K; the next 64 columns are elsewhere.
    #[test]
    fn a_turned_operand_has_its_columns_side_by_side() {
        let place = Place { descriptor: descriptor(8192, 1024, 1), rows: 128, turned: true, bytes: 2 };
        for (col, k) in [(0, 0), (7, 1), (63, 15), (64, 0), (100, 9)] {
            let (chunk, within) = (col / 64, col % 64 * 2);
            let wanted = chunk * 8192 + k * 128 + ((within / 16) ^ (k & 7)) * 16 + within % 16;
            assert_eq!(place.element(col, k), wanted);
        }
    }

    #[test]
    fn a_matrix_begins_in_the_first_row_of_its_pattern() {
        let of = |start: u64, mode: u64| {
            let descriptor = descriptor(16, 1024, mode) + start / 16;
            Place { descriptor, rows: 64, turned: false, bytes: 2 }.misaligned()
        };
        assert_eq!([of(2048, 1), of(2048 + 96, 1), of(512, 2), of(256, 3), of(48, 0)], [None; 5]);
        assert_eq!(of(2048 + 128, 1), Some((128, 1024)));
        assert_eq!(of(1024 + 64, 2), Some((64, 512)));
        assert_eq!(of(128, 3), Some((128, 256)));
    }

    #[test]
    fn no_two_elements_share_a_byte() {
        for (leading, stride, mode, turned) in [
            (2048, 128, 0, false),
            (16, 256, 3, false),
            (16, 512, 2, false),
            (16, 1024, 1, false),
            (1024, 128, 0, true),
            (512, 8192, 3, true),
            (1024, 8192, 2, true),
            (2048, 8192, 1, true),
        ] {
            let place = Place { descriptor: descriptor(leading, stride, mode), rows: 64, turned, bytes: 2 };
            let all: BTreeSet<usize> = (0..64)
                .flat_map(|row| (0..16).map(move |k| (row, k)))
                .map(|(row, k)| place.element(row, k))
                .collect();
            assert_eq!(all.len(), 64 * 16, "{leading} {stride} {mode} {turned}");
            assert_eq!(place.lines().collect::<BTreeSet<_>>().len(), 64 * 2);
        }
    }
}
