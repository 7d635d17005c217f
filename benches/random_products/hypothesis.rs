//! Hypotheses on how tensor cores add, for GPUs that do not add as the simulator does.

use std::ops::Range;

use corpus::random_products::{Element, Instruction, Operands, Pools, half_bits};
use warpsmith::simulator::context::{cut, fused, nearest_half};

/// What is added at once, and what is cut.
#[derive(Clone, Copy, Debug)]
pub struct Hypothesis {
    /// Products that are added at once, in the order of K.
    pub group: usize,
    /// Of every four products, whether the first two come before the others, and the old sum is added at the end.
    pub converted: bool,
    /// Bits of a term behind the greatest exponent.
    pub fraction: i32,
    /// Bits of a sum of `f32` behind the first.
    pub mantissa: u32,
    /// Whether subnormal factors have the exponent of their first bit.
    pub normal: bool,
}

impl Hypothesis {
    /// The number of sums that differ.
    pub fn wrong(&self, of: &Instruction, pools: &Pools, products: Range<u32>, got: &[u64]) -> u64 {
        let places = products.flat_map(|product| (0..of.compared()).map(move |sum| (product, sum)));
        let differs = |((product, sum), got): &((u32, usize), &u64)| {
            self.sum(of, &of.operands(pools, *product, *sum)) != **got
        };
        places.zip(got).filter(differs).count() as u64
    }

    fn sum(&self, of: &Instruction, operands: &Operands<'_>) -> u64 {
        let mut factors: Vec<(f64, f64)> =
            operands.a.iter().copied().zip(operands.b.iter().copied()).collect();
        if self.converted {
            let half = |second: bool| (0..factors.len()).filter(move |k| (k & 2 != 0) == second);
            factors = half(false).chain(half(true)).map(|k| factors[k]).collect();
        }
        let least = [of.a, of.b].map(|side| side.float().filter(|_| !self.normal));
        let least = least.map(|format| format.map_or(i32::MIN / 2, |format| format.least()));
        let (old, of_sums) = (of.c.value(operands.old), if of.c == Element::F16 { -14 } else { -126 });
        let start = if self.converted { 0.0 } else { old };
        let sum = factors.chunks(self.group).fold(start, |sum, group| {
            let terms = group.iter().map(|(a, b)| (a, b));
            match (fused(terms, least, (sum, of_sums), self.fraction), of.c) {
                (sum, Element::F16) => nearest_half(sum),
                (sum, _) => cut(sum, self.mantissa),
            }
        });
        let sum = if self.converted { f64::from(sum as f32 + old as f32) } else { sum } + 0.0;
        match of.c {
            Element::F16 => half_bits(nearest_half(sum)),
            _ if sum.is_nan() => 0x7fff_ffff,
            _ => (sum as f32).to_bits().into(),
        }
    }
}

/// The hypotheses for an instruction with sums of floats of 16 or 32 bits.
pub fn hypotheses(of: &Instruction) -> Vec<Hypothesis> {
    let mut all = Vec::new();
    if of.floats().is_none() {
        return all;
    }
    for group in [2, 4, 8, 16, 32].into_iter().filter(|group| *group <= of.k) {
        for fraction in [12, 13, 14, 15, 23, 24, 25, 26, 27] {
            for mantissa in [13, 23] {
                for (converted, normal) in [(false, false), (false, true), (true, false), (true, true)] {
                    all.push(Hypothesis { group, converted, fraction, mantissa, normal });
                }
            }
        }
    }
    all
}
