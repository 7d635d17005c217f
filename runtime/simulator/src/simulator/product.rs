//! One product of a warpgroup: what its threads ask for, and what their sums become.

use super::matrix_descriptor::Place;
use super::tensor_sums::{TensorCores, TensorSum};

/// Where the left operand of a product is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WgmmaLeft {
    /// In shared memory, as a descriptor says.
    Shared(u64),
    /// In the calling thread's registers.
    Registers([u32; 4]),
}

/// One product of 64 × K by K × N elements, N being twice the number of sums a thread.
#[derive(Clone, Copy, Debug)]
pub struct WgmmaProduct {
    /// The builtin.
    pub operation: &'static str,
    /// Sums of each thread.
    pub registers: usize,
    /// Bytes of an element.
    pub bytes: usize,
    /// The value of an element of either operand, by its bits.
    pub value: fn(u32) -> f64,
    /// How sums of `f32` are added; sums of `i32` wrap.
    pub floats: Option<TensorSum>,
    /// Whether the rows of each operand, and not its elements along K, lie side by side.
    pub turned: [bool; 2],
    /// The left operand.
    pub left: WgmmaLeft,
    /// The descriptor of the right operand.
    pub right: u64,
    /// Whether the product is added to what the sums are.
    pub keep: bool,
}

/// A product with its operands found.
pub(super) struct Product {
    pub product: WgmmaProduct,
    pub left: Vec<[u32; 4]>,
    /// The block's shared memory.
    pub memory: usize,
    /// How tensor cores add floats.
    pub cores: TensorCores,
}

impl WgmmaProduct {
    /// Elements along K: 32 bytes of them.
    fn depth(&self) -> usize {
        32 / self.bytes
    }

    /// Columns of the product.
    fn columns(&self) -> usize {
        2 * self.registers
    }

    /// Where the operands are in shared memory: the left one, unless it is in registers, and the right one.
    pub(super) fn operands(&self) -> [Option<Place>; 2] {
        let place = |descriptor, rows, turned| Place { descriptor, rows, turned, bytes: self.bytes };
        let left = match self.left {
            WgmmaLeft::Shared(descriptor) => Some(place(descriptor, 64, self.turned[0])),
            WgmmaLeft::Registers(_) => None,
        };
        [left, Some(place(self.right, self.columns(), self.turned[1]))]
    }

    /// In what another thread's call differs.
    pub(super) fn differs(&self, other: &Self) -> Option<&'static str> {
        let in_registers = |left: &WgmmaLeft| matches!(left, WgmmaLeft::Registers(_));
        let left = match (self.left, other.left) {
            (WgmmaLeft::Shared(a), WgmmaLeft::Shared(b)) => a == b,
            (a, b) => in_registers(&a) == in_registers(&b),
        };
        let shape = |of: &Self| (of.operation, of.registers, of.bytes, of.floats, of.turned);
        match () {
            () if shape(self) != shape(other) => Some("the shape"),
            () if !left => Some("the descriptor of `a`"),
            () if self.right != other.right => Some("the descriptor of `b`"),
            () if self.keep != other.keep => Some("`keep`"),
            () => None,
        }
    }
}

/// Row and column of a thread's sum.
///
/// Source: PTX ISA, `wgmma`, matrix D.
fn place_of_sum(thread: usize, register: usize) -> (usize, usize) {
    let (warp, lane) = (thread / 32, thread % 32);
    (16 * warp + lane / 4 + register / 2 % 2 * 8, register / 4 * 8 + lane % 4 * 2 + register % 2)
}

impl Product {
    /// Adds the product to the sums of all threads.
    pub fn add_to(&self, sums: &mut [u32]) {
        let (depth, registers) = (self.product.depth(), self.product.registers);
        let [left, right] = self.product.operands();
        let left = left.map_or_else(|| self.left_in_registers(), |place| self.elements(&place));
        let right = right.map_or_else(Vec::new, |place| self.elements(&place));
        for (i, sum) in sums.iter_mut().enumerate() {
            let (row, col) = place_of_sum(i / registers, i % registers);
            let (a, b) = (&left[row * depth..][..depth], &right[col * depth..][..depth]);
            *sum = self.sum(*sum, a, b);
        }
    }

    /// One sum, by its bits.
    fn sum(&self, old: u32, a: &[f64], b: &[f64]) -> u32 {
        let old = if self.product.keep { old } else { 0 };
        match self.product.floats {
            Some(floats) => floats.sum_f32(self.cores, a, b, f32::from_bits(old)).to_bits(),
            None => a.iter().zip(b).fold(f64::from(old as i32), |sum, (a, b)| sum + a * b) as i64 as u32,
        }
    }

    /// The values of an operand in shared memory: row after row, or column after column of the right one.
    fn elements(&self, place: &Place) -> Vec<f64> {
        let (depth, bytes) = (self.product.depth(), self.product.bytes);
        let read = |i: usize| {
            let mut bits = [0; 4];
            let at: *const u8 =
                std::ptr::with_exposed_provenance(self.memory + place.element(i / depth, i % depth));
            // SAFETY: the place of each element was checked to be in the block's shared memory.
            unsafe { at.copy_to_nonoverlapping(bits.as_mut_ptr(), bytes) }
            (self.product.value)(u32::from_le_bytes(bits))
        };
        (0..place.rows * depth).map(read).collect()
    }

    /// The values of a left operand in registers, row after row.
    fn left_in_registers(&self) -> Vec<f64> {
        let (depth, bytes) = (self.product.depth(), self.product.bytes);
        let per_register = 4 / bytes;
        let mut values = vec![0.0; 64 * depth];
        for (thread, registers) in self.left.iter().enumerate() {
            let (row, lane) = (thread / 32 * 16 + thread % 32 / 4, thread % 4);
            for (r, bits) in registers.iter().enumerate() {
                for e in 0..per_register {
                    let k = (r / 2 * 4 + lane) * per_register + e;
                    values[(row + r % 2 * 8) * depth + k] = (self.product.value)(bits >> (8 * bytes * e));
                }
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::place_of_sum;

    #[test]
    fn every_sum_is_in_one_register_of_one_thread() {
        for columns in (8..=256).step_by(8) {
            let places = (0..128).flat_map(|t| (0..columns / 2).map(move |r| place_of_sum(t, r)));
            let all: BTreeSet<_> = places.collect();
            assert_eq!(all, (0..64).flat_map(|row| (0..columns).map(move |col| (row, col))).collect());
        }
    }
}
