//! Products of a warpgroup in flight, as a borrow of their sums.

use core::mem::{offset_of, size_of};

use warpsmith_macros::{gpu_fn, gpu_impl};

use super::{Accumulator, HalfElement, LeftOperand};
use crate::device_api::number::Num;
use crate::device_api::wgmma::{
    WgmmaElement, matrix_descriptor, wgmma, wgmma_commit, wgmma_fence, wgmma_pin, wgmma_rs, wgmma_wait,
};
use crate::ir::{FieldType, StructType, Type};
use crate::tile::{Canonical, Tile};
use crate::types::DeviceType;

/// Products that a warpgroup starts on the sums of an [`Accumulator`]. [`Accumulator::chain`] makes it.
///
/// The tensor cores use the sums, and left operands in registers, until [`finish`](Self::finish). The chain borrows them
/// until then, so code that reads, writes or copies them does not compile. Each product is a separate group, and
/// [`wait`](Self::wait) waits for all but the last ones, whose tiles are still in use. All 128 threads of the warpgroup make
/// each call together.
#[derive(Debug)]
#[repr(C)]
#[must_use = "the sums are the tensor cores' until the chain is finished"]
pub struct Chain<'s, D, const N: usize> {
    pub(super) sums: &'s mut Accumulator<D, N>,
}

/// Does nothing. A value with a `Drop` lives until the end of its scope, so a chain that is not finished borrows the sums
/// until there.
impl<D, const N: usize> Drop for Chain<'_, D, N> {
    fn drop(&mut self) {}
}

impl<'s, D: Num, const N: usize> DeviceType for Chain<'s, D, N> {
    type Erased = Chain<'static, D::Erased, N>;

    fn ty() -> Type {
        let (ty, offset) = (<&'s mut Accumulator<D, N>>::ty(), offset_of!(Self, sums));
        let (size, align) = (size_of::<Self>(), align_of::<Self>());
        let name = format!("Chain_{}_{N}", D::ty().suffix());
        let fields = vec![FieldType { name: "sums", ty, offset }];
        Type::Struct(StructType::new(name, fields, size, align).into())
    }
}

impl<T, const ROWS: usize, const COLS: usize, L: Canonical> Tile<'_, T, ROWS, COLS, L> {
    /// Steps along K of 32 bytes of each row.
    const STEPS: usize = {
        assert!(
            L::GROUP * size_of::<T>() == 16 && ROWS % 8 == 0 && COLS * size_of::<T>() % 128 == 0,
            "a warpgroup multiplies tiles with rows of a multiple of 128 bytes, whose layout is of groups of 16 bytes, and whole \
             pieces of 8 rows: `Tile<bf16, 64, 64, Swizzle128>`, `Tile<f32, 64, 32, Swizzle128<4>>`"
        );
        assert!(
            L::PANEL != 0 || COLS * size_of::<T>() == 128,
            "rows of a `Swizzle128` tile that a warpgroup multiplies are 128 bytes; wider tiles are `Panels`"
        );
        COLS * size_of::<T>() / 32
    };
    /// The same for a tile whose rows follow one another along K.
    const TURNED_STEPS: usize = {
        assert!(
            Self::STEPS > 0 && ROWS % 16 == 0,
            "a warpgroup multiplies 16 rows of a K × N tile at a time"
        );
        ROWS / 16
    };
    /// Bytes from one panel to the next. With one panel, the number has no meaning.
    const APART: u32 = if L::PANEL == 0 && Self::STEPS > 0 { 16 } else { L::PANEL as u32 };
}

/// Units of 16 bytes from the start of a row to step `k` along it.
#[gpu_fn]
fn along<L: Canonical>(k: usize) -> u64 {
    if L::PANEL == 0 { 2 * k as u64 } else { (k / 4 * (L::PANEL / 16) + k % 4 * 2) as u64 }
}

#[gpu_impl]
impl<'s, D: Num, const N: usize> Chain<'s, D, N> {
    /// Starts a product that adds `a * bᵀ`: the 64 rows of `a` by the `N` rows of `b`. If `keep` is false, it replaces the
    /// sums.
    #[track_caller]
    pub fn start_abt<T: WgmmaElement<Sum = D>, const K: usize, L: Canonical, M: Canonical>(
        &mut self,
        a: Tile<T, 64, K, L>,
        b: Tile<T, N, K, M>,
        keep: bool,
    ) {
        let left = matrix_descriptor(unsafe { &*a.at(0, 0) }, Tile::<T, 64, K, L>::APART, 1024, 1);
        let right = matrix_descriptor(unsafe { &*b.at(0, 0) }, Tile::<T, N, K, M>::APART, 1024, 1);
        wgmma_fence();
        #[unroll]
        for k in 0..Tile::<T, N, K, M>::STEPS {
            let (from_a, from_b) = (left + along::<L>(k), right + along::<M>(k));
            wgmma::<T, _, false, false>(&mut self.sums.registers, from_a, from_b, keep || k > 0);
        }
        wgmma_commit();
    }

    /// Starts a product that adds `a * b`: the 64 rows of `a` by the `N` columns of `b`, whose elements have 16 bits. If
    /// `keep` is false, it replaces the sums.
    #[track_caller]
    pub fn start_ab<T: WgmmaElement<Sum = D> + HalfElement, const K: usize, L: Canonical, M: Canonical>(
        &mut self,
        a: Tile<T, 64, K, L>,
        b: Tile<T, K, N, M>,
        keep: bool,
    ) {
        let left = matrix_descriptor(unsafe { &*a.at(0, 0) }, Tile::<T, 64, K, L>::APART, 1024, 1);
        let right = matrix_descriptor(unsafe { &*b.at(0, 0) }, Tile::<T, K, N, M>::APART, 1024, 1);
        wgmma_fence();
        #[unroll]
        for k in 0..Tile::<T, K, N, M>::TURNED_STEPS {
            let (from_a, from_b) = (left + along::<L>(k), right + 128 * k as u64);
            wgmma::<T, _, false, true>(&mut self.sums.registers, from_a, from_b, keep || k > 0);
        }
        wgmma_commit();
    }

    /// Starts a product that adds `aᵀ * b`: the 64 columns of `a` by the `N` columns of `b`, whose elements have 16 bits. If
    /// `keep` is false, it replaces the sums.
    #[track_caller]
    pub fn start_atb<T: WgmmaElement<Sum = D> + HalfElement, const K: usize, L: Canonical, M: Canonical>(
        &mut self,
        a: Tile<T, K, 64, L>,
        b: Tile<T, K, N, M>,
        keep: bool,
    ) {
        let left = matrix_descriptor(unsafe { &*a.at(0, 0) }, Tile::<T, K, 64, L>::APART, 1024, 1);
        let right = matrix_descriptor(unsafe { &*b.at(0, 0) }, Tile::<T, K, N, M>::APART, 1024, 1);
        wgmma_fence();
        #[unroll]
        for k in 0..Tile::<T, K, N, M>::TURNED_STEPS {
            let (from_a, from_b) = (left + 128 * k as u64, right + 128 * k as u64);
            wgmma::<T, _, true, true>(&mut self.sums.registers, from_a, from_b, keep || k > 0);
        }
        wgmma_commit();
    }

    /// Starts a product that adds `a * bᵀ`, with `a` in registers. If `keep` is false, it replaces the sums.
    #[track_caller]
    pub fn start_rs_abt<T: WgmmaElement<Sum = D> + HalfElement, const K: usize, M: Canonical>(
        &mut self,
        a: &'s LeftOperand<T, K>,
        b: Tile<T, N, K, M>,
        keep: bool,
    ) {
        let right = matrix_descriptor(unsafe { &*b.at(0, 0) }, Tile::<T, N, K, M>::APART, 1024, 1);
        wgmma_fence();
        #[unroll]
        for k in 0..Tile::<T, N, K, M>::STEPS {
            let from_b = right + along::<M>(k);
            wgmma_rs::<T, _, false>(&mut self.sums.registers, a.registers[k], from_b, keep || k > 0);
        }
        wgmma_commit();
    }

    /// Starts a product that adds `a * b`, 64 × `K` by `K` × `N`, with `a` in registers. If `keep` is false, it replaces
    /// the sums.
    #[track_caller]
    pub fn start_rs_ab<T: WgmmaElement<Sum = D> + HalfElement, const K: usize, M: Canonical>(
        &mut self,
        a: &'s LeftOperand<T, K>,
        b: Tile<T, K, N, M>,
        keep: bool,
    ) {
        let right = matrix_descriptor(unsafe { &*b.at(0, 0) }, Tile::<T, K, N, M>::APART, 1024, 1);
        wgmma_fence();
        #[unroll]
        for k in 0..Tile::<T, K, N, M>::TURNED_STEPS {
            let from_b = right + 128 * k as u64;
            wgmma_rs::<T, _, true>(&mut self.sums.registers, a.registers[k], from_b, keep || k > 0);
        }
        wgmma_commit();
    }

    /// Waits until at most the last `PRODUCTS` products of the warpgroup, in any chain, are in flight. The tiles of all
    /// earlier products may be refilled.
    #[track_caller]
    pub fn wait<const PRODUCTS: u32>(&mut self) {
        wgmma_wait::<PRODUCTS>();
    }

    /// Waits for all products that the warpgroup has started; the sums can be used again.
    #[track_caller]
    pub fn finish(self) {
        wgmma_wait::<0>();
        wgmma_pin(&mut self.sums.registers);
    }

    /// Waits for all products of this chain. The warpgroup has started `LATER` products by other chains after the last of
    /// them, and these continue.
    ///
    /// If `LATER` is too large, the sums are not complete yet; the simulator reports that.
    #[track_caller]
    pub fn finish_before<const LATER: u32>(self) {
        wgmma_wait::<LATER>();
        wgmma_pin(&mut self.sums.registers);
    }
}
