//! Random products of every instruction of tensor cores, by which their sums are compared bit for bit.
//!
//! The operands of a product are picked from pools of rows, columns and old sums, which are the same for the same seed. So a
//! sum is known by its seed, its instruction, the number of its product and its place there.

mod element;
mod pools;
pub mod warp;
pub mod warpgroup;

use std::ops::Range;

use warpsmith::Device;
use warpsmith::prelude::f16;
use warpsmith::simulator::TensorCores;
use warpsmith::simulator::context::{TensorSum, TensorUnit, add_product};

pub use element::Element;
pub use pools::{POOL, Pools, STYLES, pick};

/// What becomes of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// It is rounded.
    Float,
    /// It wraps.
    Wrap,
    /// It stays between the limits.
    Clamp,
}

/// Runs products by their numbers, and returns the bits of the sums that are compared.
pub type Run = fn(&Instruction, &Device, &Pools, Range<u32>) -> warpsmith::Result<Vec<u64>>;

/// One instruction: its shape, its types, and how its products are run.
pub struct Instruction {
    pub name: String,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: Element,
    pub b: Element,
    pub c: Element,
    pub sums: Sums,
    /// Whether a warpgroup multiplies, and not a warp.
    pub warpgroup: bool,
    pub run: Run,
}

/// What one sum is made of.
pub struct Operands<'a> {
    pub a: &'a [f64],
    pub b: &'a [f64],
    pub old: u64,
    /// How the numbers of the row and of the column are related: places in [`STYLES`].
    pub styles: [u8; 2],
}

impl Instruction {
    /// Sums of a product that are compared: all of a warp's, one of each thread of a warpgroup.
    pub fn compared(&self) -> usize {
        if self.warpgroup { 128 } else { 8 * self.m }
    }

    /// What its products pick from, by a seed.
    pub fn pools(&self, seed: u64) -> Pools {
        Pools::new(seed, self.k, [self.a, self.b, self.c])
    }

    /// What the sum in this place of a product's compared sums is made of.
    pub fn operands<'a>(&self, pools: &'a Pools, product: u32, sum: usize) -> Operands<'a> {
        let ([row, col, old], keeps) = match self.warpgroup {
            true => (warpgroup::entries(product, sum, self.n), pools::keeps(product)),
            false => (warp::entries(product, sum, self.m), true),
        };
        Operands {
            a: &pools.values[0][row * self.k..][..self.k],
            b: &pools.values[1][col * self.k..][..self.k],
            old: if keeps { pools.sums[old] } else { 0 },
            styles: [pools.styles[0][row], pools.styles[1][col]],
        }
    }

    /// How floats of up to 32 bits are added.
    pub fn floats(&self) -> Option<TensorSum> {
        let unit = match (self.c, self.a.bytes(), self.warpgroup) {
            (Element::F16, ..) => TensorUnit::Half,
            (Element::F32, 1, true) => TensorUnit::Short,
            (Element::F32, 1, false) => TensorUnit::Converted,
            (Element::F32, ..) => TensorUnit::Single,
            _ => return None,
        };
        Some(TensorSum { operands: [self.a.float()?, self.b.float()?], unit })
    }

    /// The bits that the simulator's settings ask for.
    pub fn sum(&self, cores: TensorCores, of: &Operands<'_>) -> u64 {
        if let Some(floats) = self.floats() {
            return match self.c {
                Element::F16 => half_bits(floats.sum(cores, of.a, of.b, self.c.value(of.old))),
                _ => floats.sum_f32(cores, of.a, of.b, f32::from_bits(of.old as u32)).to_bits().into(),
            };
        }
        let (factors, old) = (of.a.iter().zip(of.b), self.c.value(of.old));
        if self.c == Element::F64 {
            return factors.fold(old, |sum, (a, b)| add_product(*a, *b, sum)).to_bits();
        }
        let total = factors.fold(old as i64, |sum, (a, b)| sum + (a * b) as i64);
        let clamped = total.clamp(i32::MIN.into(), i32::MAX.into());
        u64::from(if self.sums == Sums::Clamp { clamped } else { total } as u32)
    }
}

/// The bits of a number that is one of `f16`.
pub fn half_bits(value: f64) -> u64 {
    if value.is_nan() { 0x7fff } else { f16::from_f64(value).to_bits().into() }
}

/// Bits of a number of some bytes.
fn bits(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}
