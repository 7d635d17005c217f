//! What tensor cores multiply, what they add products to, and what is stored of sums.

use warpsmith::prelude::*;
use warpsmith::ptx::WgmmaElement;
use warpsmith::tensor::{Accumulator, Fragment, TensorElement};
use warpsmith::tensor_map::MappedElement;
use warpsmith::tile::Layout;
use warpsmith::types::DeviceType;

use super::super::Epilogue;
use super::super::finish::Finisher;
use super::warpgroups::GROUP;

/// Elements that warps and warpgroups multiply.
#[gpu_trait]
pub trait Multiplied:
    TensorElement<Sum = <Self as Multiplied>::Total>
    + WgmmaElement<Sum = <Self as Multiplied>::Total>
    + MappedElement
    + DeviceType<Erased = Self>
    + GpuType
    + 'static
{
    /// The type of sums.
    type Total: Total;

    /// Zero.
    fn zero() -> Self;
}

/// A type of sums: `f32`, or `i32` of integers. Its registers also keep a sum that is finished, which is a float.
#[gpu_trait]
pub trait Total: Num {
    /// A float in the register of a sum.
    fn keep(x: f32) -> Self;
    /// The float that [`keep`](Self::keep) has put there.
    fn kept(self) -> f32;
}

/// Elements of `c`.
#[gpu_trait]
pub trait Stored: Num + MappedElement {
    /// Whether sums are stored as they are, and are never finished: sums of integers have more digits than the floats by which
    /// sums are finished.
    const IS_SUM: bool;

    /// The element for a sum at (`row`, `col`), and for the element `old` that is there.
    fn finished<D: Total, E: Epilogue>(
        finisher: Finisher<Self, E>,
        sum: D,
        old: f32,
        row: usize,
        col: usize,
    ) -> Self;

    /// Stores the sums of the `OUT` columns from `first` on, as elements.
    fn store_tile<D: Total, L: Layout, const OWN: usize, const OUT: usize, F: Fn(D) -> Self>(
        sums: &Accumulator<D, OWN>,
        tile: Tile<Self, GROUP, OUT, L>,
        first: usize,
        convert: F,
    );
}

#[gpu_impl]
impl Total for f32 {
    fn keep(x: f32) -> f32 {
        x
    }

    fn kept(self) -> f32 {
        self
    }
}

#[gpu_impl]
impl Total for i32 {
    fn keep(x: f32) -> i32 {
        x.to_bits() as i32
    }

    fn kept(self) -> f32 {
        f32::from_bits(self as u32)
    }
}

macro_rules! multiplied {
    ($($t:ty: $total:ty, $zero:expr;)+) => {$(
        #[gpu_impl]
        impl Multiplied for $t {
            type Total = $total;

            fn zero() -> $t {
                $zero
            }
        }
    )+};
}

multiplied! {
    bf16: f32, bf16::ZERO;
    f16: f32, f16::ZERO;
    f32: f32, 0.0;
    F8E4M3: f32, F8E4M3::from_bits(0);
    F8E5M2: f32, F8E5M2::from_bits(0);
    i8: i32, 0;
}

macro_rules! stored {
    ($($t:ty: $is_sum:literal, |$finisher:ident, $sum:ident, $old:ident, $row:ident, $col:ident| $finished:expr, $store:ident;)+) => {$(
        #[gpu_impl]
        impl Stored for $t {
            const IS_SUM: bool = $is_sum;

            fn finished<D: Total, E: Epilogue>(
                $finisher: Finisher<$t, E>,
                $sum: D,
                $old: f32,
                $row: usize,
                $col: usize,
            ) -> $t {
                $finished
            }

            fn store_tile<D: Total, L: Layout, const OWN: usize, const OUT: usize, F: Fn(D) -> $t>(
                sums: &Accumulator<D, OWN>,
                tile: Tile<$t, GROUP, OUT, L>,
                first: usize,
                convert: F,
            ) {
                $store::<D, $t, L, OWN, OUT, _>(sums, tile, first, convert);
            }
        }
    )+};
}

stored! {
    bf16: false, |finisher, sum, old, row, col| finisher.element(sum.cast::<f32>(), old, row, col), store_halves;
    f16: false, |finisher, sum, old, row, col| finisher.element(sum.cast::<f32>(), old, row, col), store_halves;
    f32: false, |finisher, sum, old, row, col| finisher.element(sum.cast::<f32>(), old, row, col), store_words;
    i32: true, |_finisher, sum, _old, _row, _col| sum.cast::<i32>(), store_words;
}

/// Stores sums as elements of two bytes, 16 × 16 of them at a time.
#[gpu_fn]
fn store_halves<D: Total, C: Stored, L: Layout, const OWN: usize, const OUT: usize, F: Fn(D) -> C>(
    sums: &Accumulator<D, OWN>,
    tile: Tile<C, GROUP, OUT, L>,
    first: usize,
    convert: F,
) {
    sums.store_tile(tile, first, convert);
}

/// Stores sums as elements of four bytes, two of them in each access.
#[gpu_fn]
fn store_words<D: Total, C: Stored, L: Layout, const OWN: usize, const OUT: usize, F: Fn(D) -> C>(
    sums: &Accumulator<D, OWN>,
    tile: Tile<C, GROUP, OUT, L>,
    first: usize,
    convert: F,
) {
    let mut tile = tile;
    let (row, col) = Accumulator::<D, OWN>::at(0);
    #[unroll]
    for i in 0..OUT / 4 {
        let (down, right) = Accumulator::<D, OWN>::offset(2 * i);
        let at = first / 2 + 2 * i;
        let pair = [convert(sums.get(at)), convert(sums.get(at + 1))];
        let words = pair.as_ptr() as *const u32;
        let to = &mut tile[(row + down, col + right)] as *mut C as *mut U32x2;
        unsafe { *to = U32x2::new(*words, *words.wrapping_add(1)) }
    }
}
