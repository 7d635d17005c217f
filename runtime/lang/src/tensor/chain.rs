//! Products of a warpgroup that are under way, as a borrow of what they add to.

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

/// Products that a warpgroup has started, and may start, on the sums of an [`Accumulator`]: made by [`Accumulator::chain`].
///
/// The tensor cores have the sums, and left operands in registers, until [`finish`](Self::finish). Until then the chain borrows
/// them, so rustc refuses whoever reads, writes or copies them. Each product is a group of its own: [`wait`](Self::wait) tells
/// which tiles may be filled again. All 128 threads of the warpgroup make each call together.
#[derive(Debug)]
#[repr(C)]
#[must_use = "the sums are the tensor cores' until the chain is finished"]
pub struct Chain<'s, D, const N: usize> {
    pub(super) sums: &'s mut Accumulator<D, N>,
}

/// Does nothing. A value that is dropped lives until the end of its scope: sums cannot be used before then by forgetting to finish.
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
        Type::Struct(StructType { name, cuda_name: None, fields, size, align }.into())
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
    /// The same of a tile whose rows follow one another along K.
    const TURNED_STEPS: usize = {
        assert!(
            Self::STEPS > 0 && ROWS % 16 == 0,
            "a warpgroup multiplies 16 rows of a K × N tile at a time"
        );
        ROWS / 16
    };
    /// Bytes from one panel to the next, of one panel anything.
    const APART: u32 = if L::PANEL == 0 && Self::STEPS > 0 { 16 } else { L::PANEL as u32 };
}

/// Units of 16 bytes from the start of a row to step `k` along it.
#[gpu_fn]
fn along<L: Canonical>(k: usize) -> u64 {
    if L::PANEL == 0 { 2 * k as u64 } else { (k / 4 * (L::PANEL / 16) + k % 4 * 2) as u64 }
}

#[gpu_impl]
impl<'s, D: Num, const N: usize> Chain<'s, D, N> {
    /// Starts to add `a * bᵀ`: the 64 rows of `a` by the `N` rows of `b`. Without `keep` the sums begin anew.
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

    /// Starts to add `a * b`: the 64 rows of `a` by the `N` columns of `b`, of 16 bits. Without `keep` the sums begin anew.
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

    /// Starts to add `a * bᵀ`, where `a` is in registers. Without `keep` the sums begin anew.
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

    /// Starts to add `a * b`, where `a` is in registers: 64 × `K` by `K` × `N`. Without `keep` the sums begin anew.
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

    /// Waits until at most `PRODUCTS` of those that the warpgroup started last, by any chain, are under way: tiles of the others may
    /// be filled again.
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

    /// Waits for the products of this chain, after whose last the warpgroup has started `LATER` by other chains, which go on.
    ///
    /// The simulator finds a number that is too large: the sums are not there yet.
    #[track_caller]
    pub fn finish_before<const LATER: u32>(self) {
        wgmma_wait::<LATER>();
        wgmma_pin(&mut self.sums.registers);
    }
}
