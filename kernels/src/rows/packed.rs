//! Elements of rows as kernels load them: one at a time, or in packs of 16 bytes.

use core::marker::PhantomData;

use warpsmith::prelude::*;

/// An element of a row: `f32`, `f16` or `bf16`. Rows are computed in `f32`.
#[gpu_trait]
pub trait RowElement: Float + Packed {
    /// Elements in 32 bits.
    const A_WORD: usize;

    /// The element of a word that begins at bit `shift`.
    fn of_word(word: u32, shift: u32) -> f32;
    /// The word with another element at bit `shift`.
    fn in_word(word: u32, shift: u32, value: f32) -> u32;
}

/// One or several elements of a row, which one instruction loads or stores.
#[gpu_trait]
pub trait Packed: GpuType + 'static {
    /// Zeros.
    fn zero() -> Self;
    /// Element `k`.
    fn get(self, k: usize) -> f32;
    /// The same with another element `k`, rounded to the nearest.
    fn with(self, k: usize, value: f32) -> Self;
}

/// Sixteen bytes of elements, as words: halves stay two in a register.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C, align(16))]
pub struct Words<T> {
    words: [u32; 4],
    elements: PhantomData<T>,
}

#[gpu_impl]
impl<T: RowElement> Packed for Words<T> {
    fn zero() -> Self {
        Words { words: [0; 4], elements: PhantomData }
    }
    fn get(self, k: usize) -> f32 {
        T::of_word(self.words[k / T::A_WORD], (k % T::A_WORD) as u32 * 16)
    }
    fn with(self, k: usize, value: f32) -> Self {
        let mut changed = self;
        let place = k / T::A_WORD;
        changed.words[place] = T::in_word(self.words[place], (k % T::A_WORD) as u32 * 16, value);
        changed
    }
}

macro_rules! elements {
    ($($t:ident, $a_word:literal: |$word:ident, $shift:ident, $value:ident| $of:expr, $in:expr;)+) => {$(
        #[gpu_impl]
        impl RowElement for $t {
            const A_WORD: usize = $a_word;

            fn of_word($word: u32, $shift: u32) -> f32 {
                $of
            }
            #[allow(unused_variables, reason = "an element may be the whole word")]
            fn in_word($word: u32, $shift: u32, $value: f32) -> u32 {
                $in
            }
        }

        #[gpu_impl]
        impl Packed for $t {
            fn zero() -> Self {
                $t::ZERO
            }
            fn get(self, _k: usize) -> f32 {
                self.cast::<f32>()
            }
            fn with(self, _k: usize, value: f32) -> Self {
                value.cast::<$t>()
            }
        }
    )+};
}

elements! {
    f32, 1: |word, _shift, value| f32::from_bits(word), value.to_bits();
    f16, 2: |word, shift, value|
        f16::from_bits((word >> shift) as u16).to_f32(),
        replaced(word, shift, f16::from_f32(value).to_bits());
    bf16, 2: |word, shift, value|
        f32::from_bits(word >> shift << 16),
        replaced(word, shift, bf16::from_f32(value).to_bits());
}

/// A word with other bits in the half that begins at bit `shift`.
#[gpu_fn]
fn replaced(word: u32, shift: u32, half: u16) -> u32 {
    word & (0xffff_0000u32 >> shift) | (half as u32) << shift
}

/// The elements as numbers.
#[gpu_fn]
pub fn floats<P: Packed, const N: usize>(packed: P) -> [f32; N] {
    let mut values = [0.0; N];
    #[unroll]
    for k in 0..N {
        values[k] = packed.get(k);
    }
    values
}

/// The sums of elements, each rounded to the type of the elements.
#[gpu_fn]
pub fn plus<P: Packed, const N: usize>(a: P, b: P) -> P {
    let mut sum = a;
    #[unroll]
    for k in 0..N {
        sum = sum.with(k, a.get(k) + b.get(k));
    }
    sum
}

/// Numbers as elements, each rounded to the nearest.
#[gpu_fn]
pub fn rounded<P: Packed, const N: usize>(values: [f32; N]) -> P {
    let mut packed = P::zero();
    #[unroll]
    for k in 0..N {
        packed = packed.with(k, values[k]);
    }
    packed
}
