//! Copies from global to shared memory that run while the thread does other work.
//!
//! Source: PTX ISA, `cp.async`.

use core::mem::size_of;

use super::numbered::numbered;
use crate::ir::{ArgumentAccess, CudaText, Effect, Facts, Form, Prelude, Type};
use crate::simulator::context;
use crate::types::AnyBits;

builtin! {
    /// Starts a copy of a value of 4, 8 or 16 bytes from global memory to shared memory.
    ///
    /// The copy belongs to the group that the thread's next [`copy_async_commit`] closes. Until
    /// [`copy_async_wait`] has waited for that group, the place must not be read; the simulator leaves
    /// the old value there.
    ///
    /// ```
    /// # use warpsmith::prelude::*;
    /// #[gpu_kernel]
    /// fn reverse(x: &[f32], y: &mut [f32]) {
    ///     let mut tile = shared!([f32; 64]);
    ///     let t = thread_idx().x;
    ///     copy_async(&mut tile[t], &x[t]);
    ///     copy_async_commit();
    ///     copy_async_wait::<0>();
    ///     sync_threads();
    ///     y[t] = tile[63 - t];
    /// }
    /// # fn main() -> warpsmith::Result<()> {
    /// # let gpu = Device::simulator();
    /// # let x = gpu.upload(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
    /// # let mut y = gpu.upload(&[0.0f32; 64])?;
    /// # reverse(&x, &mut y).grid(1).block(64).launch(&gpu)?;
    /// # assert_eq!(gpu.download(&y)?[0], 63.0);
    /// # Ok(()) }
    /// ```
    pub fn copy_async<T: AnyBits>(place: &mut T, value: &T) {
        cuda: copy_text, effect: Effect::Writes, by_reference: true,
        facts: Facts { accesses: &[ArgumentAccess::Write, ArgumentAccess::Read], ..Facts::MOVES.is(Form::WholeCopy) }, min_compute: (8, 0)
    } {
        const { T::FILLED };
        assert!(
            matches!(size_of::<T>(), 4 | 8 | 16),
            "`copy_async` copies values of 4, 8 or 16 bytes, and this one has {}",
            size_of::<T>()
        );
        context::copy_async((&raw mut *place).cast(), (&raw const *value).cast(), size_of::<T>());
    }

    /// Closes the group of the copies that the thread has started since the last one.
    pub fn copy_async_commit() {
        cuda: |_: &[Type], _: &Type| CudaText::with("ws_copy_async_commit()", &COPY_ASYNC),
        effect: Effect::Writes, min_compute: (8, 0)
    } {
        context::copy_async_commit();
    }
}

fn copy_text(args: &[Type], _ret: &Type) -> CudaText {
    let bytes = args.first().map_or(0, |ty| ty.peeled().size());
    CudaText::with(format!("ws_copy_async<{bytes}>({{0}}, {{1}})"), &COPY_ASYNC)
}

/// Waits until at most the last `N` groups that the thread has closed are in flight.
///
/// The thread then sees what its other copies wrote; a barrier makes it visible to other threads.
#[inline]
pub fn copy_async_wait<const N: u32>() {
    context::copy_async_wait(N as usize);
}

numbered! {
    wait for copy_async_wait: &COPY_ASYNC, { effect: Effect::Writes, facts: Facts::BARRIER, min_compute: (8, 0) }
}

static COPY_ASYNC: Prelude = Prelude {
    name: "ws_copy_async",
    code: "template <int BYTES>
__device__ __forceinline__ void ws_copy_async(void* shared, const void* global) {
    static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, \"copy_async copies values of 4, 8 or 16 bytes\");
    unsigned int to = (unsigned int)__cvta_generic_to_shared(shared);
    if constexpr (BYTES == 16) {
        asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(to), \"l\"(global) : \"memory\");
    } else {
        asm volatile(\"cp.async.ca.shared.global [%0], [%1], %2;\" :: \"r\"(to), \"l\"(global), \"n\"(BYTES) : \"memory\");
    }
}
__device__ __forceinline__ void ws_copy_async_commit() { asm volatile(\"cp.async.commit_group;\" ::: \"memory\"); }
template <int N>
__device__ __forceinline__ void ws_copy_async_wait() { asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(N) : \"memory\"); }
",
    needs: &[],
};
