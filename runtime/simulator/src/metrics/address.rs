//! The addresses of a warp's lanes for one instruction.

use super::LANES;

/// Which lanes, and the address of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses {
    /// Bit `i` for lane `i`.
    pub mask: u32,
    shape: Shape,
}

/// Addresses, as long as they need.
#[derive(Clone, Debug, Default)]
enum Shape {
    /// None is kept.
    #[default]
    None,
    /// Lane `i` has `base + i * stride`, wrapping.
    Affine { base: u64, stride: u64 },
    /// Anything else.
    Each(Box<[u64; LANES]>),
}

impl Addresses {
    /// Keeps which lanes are there, without their addresses.
    pub fn forget(&mut self) {
        self.shape = Shape::None;
    }

    /// Adds a lane that is not there yet, with its address.
    pub fn push(&mut self, lane: u32, address: u64) {
        self.shape = match std::mem::take(&mut self.shape) {
            Shape::None => Shape::Affine { base: address, stride: 0 },
            Shape::Affine { base, stride } if at(base, stride, lane) == address => {
                Shape::Affine { base, stride }
            }
            Shape::Affine { base, .. } if self.mask.count_ones() == 1 => self.second(base, lane, address),
            Shape::Affine { base, stride } => {
                let mut each = Box::new(std::array::from_fn(|i| at(base, stride, i as u32)));
                each[lane as usize] = address;
                Shape::Each(each)
            }
            Shape::Each(mut each) => {
                each[lane as usize] = address;
                Shape::Each(each)
            }
        };
        self.mask |= 1 << lane;
    }

    /// The shape of two lanes: the one that is there has `address`, as has every lane of a stride of 0.
    fn second(&self, address: u64, lane: u32, other: u64) -> Shape {
        let first = self.mask.trailing_zeros();
        let (low, high) =
            if first < lane { ((first, address), (lane, other)) } else { ((lane, other), (first, address)) };
        let (apart, bytes) = (u64::from(high.0 - low.0), high.1.wrapping_sub(low.1) as i64);
        let stride = (bytes / apart as i64) as u64;
        if stride.wrapping_mul(apart) == bytes as u64 {
            let base = low.1.wrapping_sub(stride.wrapping_mul(u64::from(low.0)));
            return Shape::Affine { base, stride };
        }
        let mut each = Box::new([address; LANES]);
        each[lane as usize] = other;
        Shape::Each(each)
    }

    /// The lanes that are there, ascending, each with its address.
    pub fn lanes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..LANES as u32).filter(|lane| self.mask >> lane & 1 == 1).map(|lane| (lane, self.of(lane)))
    }

    fn of(&self, lane: u32) -> u64 {
        match &self.shape {
            Shape::None => 0,
            Shape::Affine { base, stride } => at(*base, *stride, lane),
            Shape::Each(each) => each[lane as usize],
        }
    }
}

fn at(base: u64, stride: u64, lane: u32) -> u64 {
    base.wrapping_add(stride.wrapping_mul(u64::from(lane)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(u32, u64)]) {
        let mut addresses = Addresses::default();
        pairs.iter().for_each(|(lane, address)| addresses.push(*lane, *address));
        let mut want = pairs.to_vec();
        want.sort();
        assert_eq!(addresses.lanes().collect::<Vec<_>>(), want);
    }

    #[test]
    fn what_is_pushed_comes_out_whatever_its_shape_and_order() {
        check(&[(0, 100), (1, 104), (2, 108), (3, 112)]);
        check(&[(5, 100), (2, 88), (7, 108)]);
        check(&[(0, 100), (31, 3), (7, 12), (8, 100)]);
        check(&[(0, 400), (1, 396), (2, 392)]);
        check(&[(3, 7), (9, 7), (1, 7)]);
        check(&[(3, 7), (9, 7), (1, 8), (2, 9)]);
        check(&[(0, 8), (2, 9), (4, 10)]);
    }
}
