//! The functions by which device code asks about its thread, in a build that simulates none. All of them panic, and the
//! message says why.
//!
//! These are the functions of the simulator's own `context`, as far as the language calls them.

#[doc(hidden)]
pub use super::facts::Child;
pub use super::facts::SharedSite;
use super::facts::{AccessKind, Line, MemoryScope, ProxyFence};
pub use super::tensor_sums::{FloatFormat, TensorCores, TensorSum, TensorUnit, add_product};
use crate::on_host;

/// Functions that only a simulated thread can call.
macro_rules! in_kernels_alone {
    ($($(#[$docs:meta])* fn $name:ident($($of:ty),*) $(-> $result:ty)?;)+) => {$(
        $(#[$docs])*
        #[doc = concat!("Panics: `", stringify!($name), "` is of kernels.")]
        #[cold]
        #[track_caller]
        pub fn $name($(_: $of),*) $(-> $result)? {
            on_host::no_thread(stringify!($name))
        }
    )+};
}

in_kernels_alone! {
    fn thread_idx() -> [u32; 3];
    fn block_idx() -> [u32; 3];
    fn block_dim() -> [u32; 3];
    fn grid_dim() -> [u32; 3];
    fn lane_id() -> u32;
    fn tensor_cores() -> TensorCores;
    fn warp_id() -> u32;
    fn cluster_rank() -> u32;
    fn cluster_size() -> u32;
    fn cluster_dim() -> [u32; 3];
    fn block_idx_in_cluster() -> [u32; 3];
    fn cluster_idx() -> [u32; 3];
    fn sync_threads();
    fn sync_warp(u32);
    fn cluster_sync();
    fn grid_sync();
    fn sync_vote(bool) -> u32;
    fn named_barrier(u32, u32, bool);
    fn cluster_arrive();
    fn cluster_wait();
    fn active_lanes() -> u32;
    fn clock() -> u64;
    fn warp_exchange(u32, &'static str, [u8; 16]) -> WarpView;
    fn warp_exchange_wide(u32, &'static str, &[[u8; 16]]) -> WarpView;
    fn read_row(&'static str, *const u8) -> [u8; 16];
    fn write_row(&'static str, *mut u8, [u8; 16]);
    fn fault_source(&'static str, u32, u32);
    fn shared_alloc(SharedSite, usize, usize) -> *mut u8;
    fn dynamic_shared() -> (*mut u8, usize);
    fn map_shared_rank(*const u8, u32) -> *mut u8;
    fn copy_async(*mut u8, *const u8, usize);
    fn copy_async_commit();
    fn copy_async_wait(usize);
    fn mbarrier_init(*const u8, u32);
    fn mbarrier_inval(*const u8);
    fn mbarrier_arrive(&'static str, *const u8, u32, u32) -> u64;
    fn mbarrier_arrive_at(&'static str, *const u8, u32, bool);
    fn mbarrier_expect(&'static str, *const u8, u32);
    fn mbarrier_wait(&'static str, *const u8, PhaseOf, MemoryScope);
    fn mbarrier_try_wait(&'static str, *const u8, PhaseOf) -> bool;
    fn mbarrier_test_wait(&'static str, *const u8, PhaseOf) -> bool;
    fn cp_async_mbarrier_arrive(*const u8);
    fn bulk_copy(&'static str, BulkCopy, (*mut u8, usize), (*const u8, usize), *const u8);
    fn box_copy(&'static str, BoxCopy, SharedBox, BoxPart<'_>, *const u8);
    fn described_place(&'static str, *const u8) -> u32;
    fn set_registers(&'static str, RegisterChange, u32);
    fn grid_dependency_wait();
    fn wgmma_fence();
    fn wgmma_commit();
    fn wgmma_wait(usize);
    fn wgmma(&WgmmaProduct, *mut u32);
    fn bulk_commit();
    fn bulk_wait(usize, bool);
    fn launch(Child, Line);
    fn fault_launch(&str, String, Line) -> !;
}

/// The direction in which an instruction changes the registers of a thread.
#[allow(missing_docs)]
pub enum RegisterChange {
    Fewer,
    More,
    Either,
}

/// Where the left operand of a product is.
#[allow(missing_docs)]
pub enum WgmmaLeft {
    Shared(u64),
    Registers([u32; 4]),
}

/// One product of a warpgroup.
#[allow(missing_docs)]
pub struct WgmmaProduct {
    pub operation: &'static str,
    pub registers: usize,
    pub bytes: usize,
    pub value: fn(u32) -> f64,
    pub floats: Option<TensorSum>,
    pub turned: [bool; 2],
    pub left: WgmmaLeft,
    pub right: u64,
    pub keep: bool,
}

/// Which memory a bulk copy reads and writes.
#[allow(missing_docs)]
pub enum BulkCopy {
    Load,
    Store,
    Send { rank: u32 },
}

/// A function that combines elements in memory with others.
pub type Join = fn(*mut u8, *const u8, usize);

/// Which memory a copy of a box reads and writes.
#[allow(missing_docs)]
pub enum BoxCopy {
    Load,
    Multicast { blocks: u16 },
    Store,
    Reduce { join: Join, element: usize },
}

/// Where a box lies in shared memory.
#[allow(missing_docs)]
pub struct SharedBox {
    pub start: *mut u8,
    pub align: usize,
}

/// Bytes side by side of a box.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxPiece {
    pub at: usize,
    pub tensor: Option<usize>,
    pub bytes: usize,
}

/// A box of a tensor.
#[allow(missing_docs)]
pub struct BoxPart<'a> {
    pub pieces: &'a [BoxPiece],
    pub fill: u8,
    pub element: usize,
    pub at: &'a [i64],
}

/// Which phase of a barrier a thread waits for.
#[allow(missing_docs)]
pub enum PhaseOf {
    Parity(u32),
    Number(u32),
}

/// The values of a warp operation's lanes; no such value exists.
pub struct WarpView(());

impl WarpView {
    /// The value of a lane: none.
    pub fn lane(&self, _: u32) -> Option<[u8; 16]> {
        None
    }

    /// A part of what a lane brought: nothing.
    pub fn piece(&self, _: u32, _: usize) -> Option<[u8; 16]> {
        None
    }

    /// The lanes that take part: none.
    pub fn participants(&self) -> u32 {
        0
    }
}

/// Keeps a descriptor for ever.
#[doc(hidden)]
pub fn keep<'a, T>(descriptor: T) -> &'a mut T {
    Box::leak(Box::new(descriptor))
}

/// Nobody counts atomics.
pub fn on_atomic() {}

/// Nobody looks at what atomics find.
#[doc(hidden)]
pub fn on_found<T: Copy>(_: &T, _: &T) {}

/// Nobody is told of accesses.
#[doc(hidden)]
pub fn on_access<T>(_: &T, _: AccessKind) {}

/// Nobody is told of accesses.
///
/// # Safety
/// Always safe: the place is not accessed.
#[doc(hidden)]
pub unsafe fn on_access_at<T>(_: *const T, _: AccessKind) {}

/// No other thread sees what a fence orders, but the compiler moves nothing across.
pub fn fence(_: MemoryScope) {
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
}

/// There is no copy engine to fence for.
pub fn proxy_fence(_: ProxyFence) {}

/// An index that is out of bounds, on the host.
#[cold]
#[track_caller]
pub fn fault_bounds(index: i64, len: usize) -> ! {
    on_host::out_of_bounds(index, len)
}

/// A range that is out of bounds, on the host.
#[cold]
#[track_caller]
pub fn fault_range(bound: i64, limit: usize) -> ! {
    on_host::range_out_of_bounds(bound, limit)
}

/// Prints the text of a `println!`, with a line feed at its end, or of a `print!`.
pub fn print(text: String, newline: bool) {
    print!("{text}{}", if newline { "\n" } else { "" });
}
