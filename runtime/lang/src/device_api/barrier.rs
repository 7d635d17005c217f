//! Barriers in shared memory with phases: the convenient form, without parities and byte counts.
//!
//! Written in the kernel language itself, on the builtins of [`mbarrier`](super::mbarrier).

use core::mem::size_of;

use warpsmith_macros::{GpuType, gpu_impl};

use super::bulk_copy::bulk_load;
use super::mbarrier::{
    mbarrier_arrive, mbarrier_arrive_at, mbarrier_arrive_expect_tx, mbarrier_expect_tx, mbarrier_init,
    mbarrier_publish_at, mbarrier_wait_phase, mbarrier_wait_phase_cluster,
};
use crate::ir::{FieldType, StructType, Type};
use crate::types::{AnyBits, DeviceType, InShared};

/// A barrier in the block's shared memory, which counts arrivals and the bytes of copies, phase after phase.
///
/// A kernel declares it by `shared!(Barrier)` or `shared!([Barrier; N])`. One thread initialises it by [`init`](Self::init)
/// and calls `ptx::fence_mbarrier_init`; then all threads of the block meet at `sync_threads()`. From there on a phase is
/// complete when all of its arrivals have happened and all copies that it counts are done. A kernel cannot copy a barrier
/// or read its bytes.
///
/// ```
/// # use warpsmith::prelude::*;
/// use warpsmith::ptx::*;
///
/// /// The rows of `x`, each twice as large: a row of 64 numbers is copied to shared memory, and the block waits for it.
/// #[gpu_kernel]
/// fn double(x: &[f32], y: &mut [f32]) {
///     let mut row = shared!([f32; 64], align = 16);
///     let full = shared!(Barrier);
///     let t = thread_idx().x as usize;
///     if t == 0 {
///         full.init(1);
///         fence_mbarrier_init();
///     }
///     sync_threads();
///     let start = block_idx().x as usize * 64;
///     if t == 0 {
///         full.load(&mut row, &x[start..start + 64]);
///         full.arrive();
///     }
///     full.wait(&mut Phase::first());
///     y[start + t] = 2.0 * row[t];
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let x = gpu.upload(&(0..256).map(|i| i as f32).collect::<Vec<_>>())?;
/// # let mut y = gpu.upload(&[0.0f32; 256])?;
/// # double(&x, &mut y).grid(4).block(64).launch(&gpu)?;
/// # assert_eq!(gpu.download(&y)?[255], 510.0);
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[repr(C)]
pub struct Barrier {
    state: u64,
}

impl DeviceType for Barrier {
    type Erased = Barrier;
    fn ty() -> Type {
        let state = FieldType { name: "state", ty: Type::U64, offset: 0 };
        let (size, align) = (size_of::<Self>(), align_of::<Self>());
        Type::Struct(StructType::new("Barrier".to_owned(), vec![state], size, align).into())
    }
}

impl InShared for Barrier {
    type Element = Barrier;
    const LEN: usize = 1;
}

impl Barrier {
    /// Its address; a simulated barrier has its state elsewhere.
    #[doc(hidden)]
    pub fn address(&self) -> *const u8 {
        core::ptr::from_ref(self).cast()
    }
}

/// The phase of a [`Barrier`] that a thread waits for next.
///
/// Each thread has its own, one for each barrier or for each ring of barriers that it cycles through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Phase {
    number: u32,
}

#[gpu_impl]
impl Phase {
    /// The first phase of a barrier.
    pub fn first() -> Phase {
        Phase { number: 0 }
    }

    /// The phase before the first, which is complete from the start: for barriers that signal a free place.
    pub fn passed() -> Phase {
        Phase { number: u32::MAX }
    }

    /// The phase after it.
    pub fn next(self) -> Phase {
        Phase { number: self.number.wrapping_add(1) }
    }
}

#[gpu_impl]
impl Barrier {
    /// The barrier in `memory`, which is shared, of one barrier.
    #[allow(
        clippy::new_ret_no_self,
        clippy::needless_lifetimes,
        reason = "a barrier stays where it is, and `gpu_impl` asks for the name"
    )]
    pub fn new<'a>(memory: &'a mut [Barrier]) -> &'a Barrier {
        &memory[0]
    }

    /// Makes it, with phases of `count` arrivals each.
    ///
    /// One thread does this, then calls `ptx::fence_mbarrier_init`, and all threads meet at a barrier before its first use.
    #[track_caller]
    pub fn init(&self, count: u32) {
        mbarrier_init(self, count);
    }

    /// Arrives, and makes the caller's writes visible to the waiting threads of the block.
    #[track_caller]
    pub fn arrive(&self) {
        mbarrier_arrive(self);
    }

    /// Arrives at the same barrier of block `rank` of the cluster. It signals to that block that the caller's loads are
    /// done.
    ///
    /// Stores of the caller are not visible to that block; [`publish_at`](Self::publish_at) makes them visible.
    #[track_caller]
    pub fn arrive_at(&self, rank: u32) {
        mbarrier_arrive_at(self, rank);
    }

    /// Arrives at the same barrier of block `rank` of the cluster, and makes the caller's writes visible to threads that
    /// wait with [`wait_cluster`](Self::wait_cluster). It costs a device-wide fence.
    #[track_caller]
    pub fn publish_at(&self, rank: u32) {
        mbarrier_publish_at(self, rank);
    }

    /// Arrives, and makes the phase wait for `bytes` more bytes of copies; [`load`](Self::load) counts its own.
    #[track_caller]
    pub fn expect(&self, bytes: u32) {
        mbarrier_arrive_expect_tx(self, bytes);
    }

    /// Starts a copy from global to shared memory, and makes the phase wait for its bytes. It does not arrive.
    ///
    /// One thread calls it, and calls [`arrive`](Self::arrive) after its last load. Both parts have the same length; each
    /// begins at a multiple of 16 bytes, and its size is a multiple of 16 bytes.
    #[track_caller]
    pub fn load<T: AnyBits>(&self, to: &mut [T], from: &[T]) {
        mbarrier_expect_tx(self, (from.len() * size_of::<T>()) as u32);
        bulk_load(to, from, self);
    }

    /// Waits until `phase` is complete, and advances it to the next phase.
    #[track_caller]
    pub fn wait(&self, phase: &mut Phase) {
        mbarrier_wait_phase(self, phase.number);
        *phase = phase.next();
    }

    /// Waits until a phase is complete.
    #[track_caller]
    pub fn wait_for(&self, phase: Phase) {
        mbarrier_wait_phase(self, phase.number);
    }

    /// Like [`wait`](Self::wait), and also acquires what other blocks of the cluster have published.
    #[track_caller]
    pub fn wait_cluster(&self, phase: &mut Phase) {
        mbarrier_wait_phase_cluster(self, phase.number);
        *phase = phase.next();
    }
}
