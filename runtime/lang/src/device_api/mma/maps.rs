//! The lane and the register of each element of the matrices that a warp multiplies.
//!
//! A register holds one element of 32 or 64 bits, two of 16, or four of 8. Lane `l` has rows `l / 4` and `l / 4 + 8` of `a` and
//! of the sums, and column `l / 4` of `b`; its registers go on along `k` four registers of the row later.
//!
//! Source: PTX ISA, matrix fragments for `mma.m16n8k16` and its siblings.

/// The shape of one product: `m` × `k` elements by `k` × 8 elements, and how many a register holds.
#[derive(Clone, Copy, Debug)]
pub struct MmaShape {
    /// Rows of `a` and of the sums, 8 or 16.
    pub m: usize,
    /// Products that each sum gets.
    pub k: usize,
    /// Elements of a register.
    pub per_register: usize,
}

impl MmaShape {
    /// Registers of a lane for `a`, and for `b`.
    pub fn registers(self) -> (usize, usize) {
        let along = self.k / (4 * self.per_register);
        (self.m / 8 * along, along)
    }

    /// Row and column (along `k`) of the first element in a register of `a`.
    pub fn a(self, lane: usize, register: usize) -> (usize, usize) {
        let down = self.m / 8;
        let k = (register / down * 4 + lane % 4) * self.per_register;
        (lane / 4 + register % down * 8, k)
    }

    /// Row (along `k`) of the first element in a register of `b`, and column.
    pub fn b(self, lane: usize, register: usize) -> (usize, usize) {
        ((register * 4 + lane % 4) * self.per_register, lane / 4)
    }

    /// Lane and register that hold the elements of `a` from row and column on.
    pub fn of_a(self, row: usize, k: usize) -> (usize, usize) {
        let along = k / self.per_register;
        (row % 8 * 4 + along % 4, row / 8 + along / 4 * (self.m / 8))
    }

    /// Lane and register that hold the elements of `b` from row and column on.
    pub fn of_b(self, k: usize, col: usize) -> (usize, usize) {
        let along = k / self.per_register;
        (col * 4 + along % 4, along / 4)
    }

    /// Row and column of element `i` of a lane's sums, in products of every shape.
    pub fn sum(lane: usize, i: usize) -> (usize, usize) {
        (lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn shapes() -> Vec<MmaShape> {
        let of = |m, k, per_register| MmaShape { m, k, per_register };
        vec![
            of(16, 16, 2),
            of(16, 8, 2),
            of(16, 8, 1),
            of(16, 4, 1),
            of(16, 16, 1),
            of(8, 4, 1),
            of(16, 32, 4),
            of(16, 16, 4),
        ]
    }

    #[test]
    fn every_element_of_the_operands_is_in_one_register_of_one_lane() {
        for shape in shapes() {
            let (of_a, of_b) = shape.registers();
            let (mut a, mut b) = (BTreeSet::new(), BTreeSet::new());
            for lane in 0..32 {
                for register in 0..of_a {
                    let (row, k) = shape.a(lane, register);
                    assert_eq!(shape.of_a(row, k), (lane, register), "{shape:?}");
                    a.extend((0..shape.per_register).map(|e| (row, k + e)));
                }
                for register in 0..of_b {
                    let (k, col) = shape.b(lane, register);
                    assert_eq!(shape.of_b(k, col), (lane, register), "{shape:?}");
                    b.extend((0..shape.per_register).map(|e| (k + e, col)));
                }
            }
            assert!(a.iter().all(|(row, k)| *row < shape.m && *k < shape.k), "{shape:?}");
            assert!(b.iter().all(|(k, col)| *k < shape.k && *col < 8), "{shape:?}");
            // There are as many distinct elements as registers, so no element is there twice.
            assert_eq!(a.len(), shape.m * shape.k, "{shape:?}");
            assert_eq!(a.len(), 32 * of_a * shape.per_register, "{shape:?}");
            assert_eq!(b.len(), 8 * shape.k, "{shape:?}");
            assert_eq!(b.len(), 32 * of_b * shape.per_register, "{shape:?}");
        }
    }

    #[test]
    fn every_sum_is_in_one_lane() {
        for rows in [8, 16] {
            let all: BTreeSet<_> =
                (0..32).flat_map(|lane| (0..rows / 4).map(move |i| MmaShape::sum(lane, i))).collect();
            let wanted = (0..rows).flat_map(|row| (0..8).map(move |col| (row, col))).collect();
            assert_eq!(all, wanted);
        }
    }

    /// The figures of PTX's manual, where a formula could be another bijection.
    #[test]
    fn the_maps_are_those_of_ptx() {
        let halves = MmaShape { m: 16, k: 16, per_register: 2 };
        assert_eq!((0..4).map(|r| halves.a(5, r)).collect::<Vec<_>>(), [(1, 2), (9, 2), (1, 10), (9, 10)]);
        assert_eq!((0..2).map(|r| halves.b(5, r)).collect::<Vec<_>>(), [(2, 1), (10, 1)]);
        let bytes = MmaShape { m: 16, k: 32, per_register: 4 };
        assert_eq!(
            (0..4).map(|r| bytes.a(31, r)).collect::<Vec<_>>(),
            [(7, 12), (15, 12), (7, 28), (15, 28)]
        );
        let doubles = MmaShape { m: 16, k: 16, per_register: 1 };
        assert_eq!(
            (0..8).map(|r| doubles.a(6, r)).collect::<Vec<_>>(),
            [(1, 2), (9, 2), (1, 6), (9, 6), (1, 10), (9, 10), (1, 14), (9, 14)]
        );
        assert_eq!((0..4).map(|i| MmaShape::sum(7, i)).collect::<Vec<_>>(), [(1, 6), (1, 7), (9, 6), (9, 7)]);
    }
}
