//! Copies of boxes by the copy engine, one builtin an instruction.
//!
//! One thread starts a copy. Coordinates are those of the box's first element, the outermost first: `[row, col]` in a matrix.
//! They may be beyond the tensor, those of loads also negative. The column's offset is a multiple of 16 bytes. Source: PTX ISA, `cp.async.bulk.tensor`;
//! for the column, an H200, which stops with an illegal instruction at others.

use core::marker::PhantomData;

use warpsmith_macros::{GpuType, gpu_impl};

use super::{AnyMap, BoxLayout, LoadMap, MappedElement, ReducedBits, ReducedOrder, ReducedSum, StoreMap};
use crate::boxes::{BoxShape, TensorMapObject};
use crate::device_api::barrier::Barrier;
use crate::device_api::tensor_copy::{ALL, Number};
use crate::record::Callee;
use crate::simulator::context::{BoxCopy, SharedBox};
use crate::tile::Tile;
use crate::types::IndexInteger;
use crate::witness::{DeviceFn, FnProbe};

/// A policy for how long the L2 cache keeps the bytes that a copy reads.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct CachePolicy {
    bits: u64,
}

#[gpu_impl]
impl CachePolicy {
    /// The bytes are evicted first, because the kernel reads them once.
    ///
    /// Source: PTX ISA, `createpolicy.fractional.L2::evict_first`, of all accesses.
    pub fn evict_first() -> CachePolicy {
        CachePolicy { bits: 0x12f0_0000_0000_0000 }
    }

    /// The bytes are evicted last, because other blocks read them again.
    ///
    /// Source: PTX ISA, `createpolicy.fractional.L2::evict_last`, of all accesses.
    pub fn evict_last() -> CachePolicy {
        CachePolicy { bits: 0x14f0_0000_0000_0000 }
    }
}

/// Starts a copy of the box whose first element has these coordinates.
#[track_caller]
fn start<T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout, I: IndexInteger>(
    operation: &'static str,
    copy: BoxCopy,
    tile: Tile<'_, T, ROWS, COLS, L>,
    (map, shape): (&TensorMapObject, BoxShape),
    at: &[I],
    barrier: *const u8,
) {
    let memory = SharedBox { start: tile.at(0, 0).cast(), align: shape.align };
    let at: Vec<i32> = at.iter().map(|i| i.to_index() as i32).collect();
    map.start(operation, copy, memory, &at, barrier);
}

/// Combines elements in memory with those of a tile, as the copy engine does.
fn joined<T: MappedElement>(to: *mut u8, from: *const u8, bytes: usize, join: impl Fn(T, T) -> T) {
    let (to, from) = (to.cast::<T>(), from.cast::<T>());
    for i in 0..bytes / size_of::<T>() {
        // SAFETY: the simulator gives `bytes` bytes of elements at both addresses.
        unsafe { to.add(i).write_unaligned(join(to.add(i).read_unaligned(), from.add(i).read_unaligned())) }
    }
}

/// A copy as a builtin: its function, and its marker.
macro_rules! copies {
    ($($(#[$docs:meta])* $name:ident $number:ident<$bound:ident, $map:ident>($($arg:ident: $ty:ty),+) $body:block)+) => {$(
        $(#[$docs])*
        #[inline]
        #[track_caller]
        pub fn $name<
            T: $bound,
            const ROWS: usize,
            const COLS: usize,
            L: BoxLayout,
            M: $map<T, ROWS, COLS, L, RANK>,
            const RANK: usize,
            I: IndexInteger,
        >($($arg: $ty),+) $body

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub struct $name<T, const ROWS: usize, const COLS: usize, L, M, const RANK: usize, I> {
            _generics: PhantomData<fn(M, I) -> (T, L)>,
        }

        #[doc(hidden)]
        impl<T, const ROWS: usize, const COLS: usize, L, M, const RANK: usize, I> $name<T, ROWS, COLS, L, M, RANK, I> {
            #[allow(missing_docs, clippy::type_complexity)]
            pub fn called_in_a_kernel(_: fn($($ty),+), _: &FnProbe<Self>) {}
        }

        impl<T: $bound, const ROWS: usize, const COLS: usize, L: BoxLayout, M, const RANK: usize, I: IndexInteger> DeviceFn
            for $name<T, ROWS, COLS, L, M, RANK, I>
        where
            M: $map<T, ROWS, COLS, L, RANK>,
        {
            fn callee() -> Callee {
                #[cfg(feature = "simulator")]
                unsafe fn meaning<
                    T: $bound,
                    const ROWS: usize,
                    const COLS: usize,
                    L: BoxLayout,
                    M: $map<T, ROWS, COLS, L, RANK>,
                    const RANK: usize,
                    I: IndexInteger,
                >(
                    args: *const *const u8,
                    ret: *mut u8,
                ) {
                    // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
                    unsafe {
                        let mut args = crate::meaning::Arguments::new(args);
                        $(let $arg: $ty = args.take();)+
                        crate::meaning::give($name::<T, ROWS, COLS, L, M, RANK, I>($($arg),+), ret);
                    }
                }
                let builtin = &ALL[Number::$number as usize];
                Callee::Builtin(builtin, crate::meaning::meant!(meaning::<T, ROWS, COLS, L, M, RANK, I>))
            }
        }
    )+};
}

copies! {
    /// Starts a copy of a box into a tile; `barrier` counts its bytes.
    ///
    /// The copy has [`Tile::SIZE`] bytes, including those of elements outside the tensor, which become zeros, or the
    /// map's fill. A thread lets the barrier expect the bytes, by `mbarrier_arrive_expect_tx`; `load_tile` of the barrier does
    /// both. A thread that has waited for the barrier sees the tile. Source: PTX ISA, `cp.async.bulk.tensor`; compute
    /// capability 9.0.
    tma_load Load<MappedElement, LoadMap>(
        tile: Tile<'_, T, ROWS, COLS, L>, map: &M, at: [I; RANK], barrier: &Barrier
    ) {
        start("tma_load", BoxCopy::Load, tile, (map.object(), const { M::SHAPE }), &at, barrier.address());
    }

    /// Starts a copy of a box into several blocks of the cluster: those whose bits are set in `blocks`. Each receives it in
    /// the tile at the same place as `tile`, and its barrier at the same place as `barrier` counts the bytes.
    ///
    /// Otherwise like [`tma_load`]. Source: PTX ISA, `cp.async.bulk.tensor`, `.multicast::cluster`; compute capability 9.0.
    tma_load_multicast LoadMulticast<MappedElement, LoadMap>(
        tile: Tile<'_, T, ROWS, COLS, L>, map: &M, at: [I; RANK], barrier: &Barrier, blocks: u16
    ) {
        start("tma_load_multicast", BoxCopy::Multicast { blocks }, tile, (map.object(), const { M::SHAPE }), &at, barrier.address());
    }

    /// Like [`tma_load`], with a policy for how long the L2 cache keeps the box.
    ///
    /// Source: PTX ISA, `cp.async.bulk.tensor`, `.L2::cache_hint`; compute capability 9.0.
    tma_load_hint LoadHint<MappedElement, LoadMap>(
        tile: Tile<'_, T, ROWS, COLS, L>, map: &M, at: [I; RANK], barrier: &Barrier, policy: CachePolicy
    ) {
        let _ = policy;
        start("tma_load_hint", BoxCopy::Load, tile, (map.object(), const { M::SHAPE }), &at, barrier.address());
    }

    /// Like [`tma_load_multicast`], with a policy for how long the L2 cache keeps the box.
    ///
    /// Source: PTX ISA, `cp.async.bulk.tensor`, `.L2::cache_hint`; compute capability 9.0.
    tma_load_multicast_hint LoadMulticastHint<MappedElement, LoadMap>(
        tile: Tile<'_, T, ROWS, COLS, L>, map: &M, at: [I; RANK], barrier: &Barrier, blocks: u16,
        policy: CachePolicy
    ) {
        let _ = policy;
        start("tma_load_multicast_hint", BoxCopy::Multicast { blocks }, tile, (map.object(), const { M::SHAPE }), &at, barrier.address());
    }

    /// Starts a copy of a tile into a box, in the group that the thread's next `bulk_commit` closes.
    ///
    /// Elements outside the tensor are left out. Threads that wrote the tile call `fence_proxy_async` before they meet
    /// with the thread that starts the copy. Source: PTX ISA, `cp.async.bulk.tensor`; compute capability 9.0.
    tma_store Store<MappedElement, StoreMap>(
        map: &mut M, at: [I; RANK], tile: Tile<'_, T, ROWS, COLS, L>
    ) {
        start("tma_store", BoxCopy::Store, tile, (map.object(), const { M::SHAPE }), &at, core::ptr::null());
    }

    /// Adds the elements of a tile to those of a box, atomically each.
    ///
    /// Otherwise like [`tma_store`]. Source: PTX ISA, `cp.reduce.async.bulk.tensor`; compute capability 9.0.
    tma_reduce_add ReduceAdd<ReducedSum, StoreMap>(
        map: &mut M, at: [I; RANK], tile: Tile<'_, T, ROWS, COLS, L>
    ) {
        fn join<T: ReducedSum>(to: *mut u8, from: *const u8, bytes: usize) {
            joined::<T>(to, from, bytes, T::sum);
        }
        start("tma_reduce_add", BoxCopy::Reduce { join: join::<T>, element: size_of::<T>() }, tile, (map.object(), const { M::SHAPE }), &at, core::ptr::null());
    }

    /// Replaces each element of a box by the minimum of it and the tile's, atomically.
    ///
    /// Otherwise like [`tma_store`]. Source: PTX ISA, `cp.reduce.async.bulk.tensor`; compute capability 9.0.
    tma_reduce_min ReduceMin<ReducedOrder, StoreMap>(
        map: &mut M, at: [I; RANK], tile: Tile<'_, T, ROWS, COLS, L>
    ) {
        fn join<T: ReducedOrder>(to: *mut u8, from: *const u8, bytes: usize) {
            joined::<T>(to, from, bytes, T::least);
        }
        start("tma_reduce_min", BoxCopy::Reduce { join: join::<T>, element: size_of::<T>() }, tile, (map.object(), const { M::SHAPE }), &at, core::ptr::null());
    }

    /// Replaces each element of a box by the maximum of it and the tile's, atomically.
    ///
    /// Otherwise like [`tma_store`]. Source: PTX ISA, `cp.reduce.async.bulk.tensor`; compute capability 9.0.
    tma_reduce_max ReduceMax<ReducedOrder, StoreMap>(
        map: &mut M, at: [I; RANK], tile: Tile<'_, T, ROWS, COLS, L>
    ) {
        fn join<T: ReducedOrder>(to: *mut u8, from: *const u8, bytes: usize) {
            joined::<T>(to, from, bytes, T::greatest);
        }
        start("tma_reduce_max", BoxCopy::Reduce { join: join::<T>, element: size_of::<T>() }, tile, (map.object(), const { M::SHAPE }), &at, core::ptr::null());
    }

    /// Combines the bits of a box's elements with the tile's by and, atomically each.
    ///
    /// Otherwise like [`tma_store`]. Source: PTX ISA, `cp.reduce.async.bulk.tensor`; compute capability 9.0.
    tma_reduce_and ReduceAnd<ReducedBits, StoreMap>(
        map: &mut M, at: [I; RANK], tile: Tile<'_, T, ROWS, COLS, L>
    ) {
        fn join<T: ReducedBits>(to: *mut u8, from: *const u8, bytes: usize) {
            joined::<T>(to, from, bytes, |a, b| a & b);
        }
        start("tma_reduce_and", BoxCopy::Reduce { join: join::<T>, element: size_of::<T>() }, tile, (map.object(), const { M::SHAPE }), &at, core::ptr::null());
    }

    /// Combines the bits of a box's elements with the tile's by or, atomically each.
    ///
    /// Otherwise like [`tma_store`]. Source: PTX ISA, `cp.reduce.async.bulk.tensor`; compute capability 9.0.
    tma_reduce_or ReduceOr<ReducedBits, StoreMap>(
        map: &mut M, at: [I; RANK], tile: Tile<'_, T, ROWS, COLS, L>
    ) {
        fn join<T: ReducedBits>(to: *mut u8, from: *const u8, bytes: usize) {
            joined::<T>(to, from, bytes, |a, b| a | b);
        }
        start("tma_reduce_or", BoxCopy::Reduce { join: join::<T>, element: size_of::<T>() }, tile, (map.object(), const { M::SHAPE }), &at, core::ptr::null());
    }

    /// Combines the bits of a box's elements with the tile's by exclusive or, atomically each.
    ///
    /// Otherwise like [`tma_store`]. Source: PTX ISA, `cp.reduce.async.bulk.tensor`; compute capability 9.0.
    tma_reduce_xor ReduceXor<ReducedBits, StoreMap>(
        map: &mut M, at: [I; RANK], tile: Tile<'_, T, ROWS, COLS, L>
    ) {
        fn join<T: ReducedBits>(to: *mut u8, from: *const u8, bytes: usize) {
            joined::<T>(to, from, bytes, |a, b| a ^ b);
        }
        start("tma_reduce_xor", BoxCopy::Reduce { join: join::<T>, element: size_of::<T>() }, tile, (map.object(), const { M::SHAPE }), &at, core::ptr::null());
    }
}

/// Fetches a map into the cache of the copy engine, which then starts its first copy sooner. One thread calls it.
///
/// Source: PTX ISA, `prefetch.tensormap`; compute capability 9.0.
#[inline]
pub fn tensormap_prefetch<M: AnyMap>(_map: &M) {}

#[doc(hidden)]
#[allow(non_camel_case_types)]
pub struct tensormap_prefetch<M> {
    _generics: PhantomData<fn() -> M>,
}

#[doc(hidden)]
impl<M> tensormap_prefetch<M> {
    #[allow(missing_docs)]
    pub fn called_in_a_kernel(_: fn(&M), _: &FnProbe<Self>) {}
}

impl<M: AnyMap> DeviceFn for tensormap_prefetch<M> {
    fn callee() -> Callee {
        #[cfg(feature = "simulator")]
        unsafe fn meaning<M: AnyMap>(_args: *const *const u8, _ret: *mut u8) {}
        Callee::Builtin(&ALL[Number::Prefetch as usize], crate::meaning::meant!(meaning::<M>))
    }
}
