//! Copies by the copy engine without a tensor map. One thread starts a copy of any number of bytes.
//!
//! Threads access memory through the generic proxy, and the copy engine through the async proxy: [`fence_proxy_async`]
//! makes a thread's accesses visible to the copy engine. Source: PTX ISA, `cp.async.bulk`, async proxy.

use core::mem::size_of;

use super::barrier::Barrier;
use super::mbarrier::SHARED_ADDRESS;
use super::numbered::numbered;
use super::text::with;
use crate::ir::{ArgumentAccess, Effect, Facts, Prelude};
use crate::simulator::ProxyFence;
use crate::simulator::context::{self, BulkCopy};
use crate::types::{AnyBits, Slice};

/// The facts of builtins that give the copy engine work or wait for it.
const STARTS: Facts = Facts { rendezvous: true, ..Facts::MOVES };

/// The facts of a copy from the second argument to the first.
const COPIES: Facts = Facts { accesses: &[ArgumentAccess::Write, ArgumentAccess::Read], ..STARTS };

/// The address of a part of memory, and its bytes.
fn read<T>(part: &Slice<T>) -> (*const u8, usize) {
    (part.as_ptr().cast(), part.len() * size_of::<T>())
}

/// The same of a part that is written.
fn written<T>(part: &mut Slice<T>) -> (*mut u8, usize) {
    (part.as_mut_ptr().cast(), part.len() * size_of::<T>())
}

builtin! {
    /// Starts a copy from global to shared memory; `barrier` counts its bytes.
    ///
    /// Both parts have the same length, begin at multiples of 16 bytes, and have a size that is a multiple of 16 bytes. A
    /// thread lets the barrier expect the bytes, by
    /// [`mbarrier_arrive_expect_tx`](super::mbarrier::mbarrier_arrive_expect_tx). A thread that has waited for the barrier
    /// sees the copied bytes. Source: PTX ISA, `cp.async.bulk`; compute capability 9.0.
    pub fn bulk_load<T: AnyBits>(to: &mut Slice<T>, from: &Slice<T>, barrier: &Barrier) {
        cuda: with("ws_bulk_load({0}, {1}, {2})", &LOAD), by_reference: true, effect: Effect::Writes, min_compute: (9, 0), facts: COPIES
    } {
        const { T::FILLED };
        context::bulk_copy("bulk_load", BulkCopy::Load, written(to), read(from), barrier.address());
    }

    /// Starts a copy from shared to global memory, in the group that the thread's next [`bulk_commit`] closes.
    ///
    /// Both parts have the same length, begin at multiples of 16 bytes, and have a size that is a multiple of 16 bytes.
    /// Threads that wrote the shared memory call [`fence_proxy_async`] before they meet with the thread that starts the
    /// copy. Source: PTX ISA, `cp.async.bulk`; compute capability 9.0.
    pub fn bulk_store<T: AnyBits>(to: &mut Slice<T>, from: &Slice<T>) {
        cuda: with("ws_bulk_store({0}, {1})", &STORE), by_reference: true, effect: Effect::Writes, min_compute: (9, 0), facts: COPIES
    } {
        const { T::FILLED };
        context::bulk_copy("bulk_store", BulkCopy::Store, written(to), read(from), core::ptr::null());
    }

    /// Starts a copy from shared memory to the same place as `to` in block `rank` of the cluster; the barrier at the same
    /// place as `barrier` in that block counts its bytes.
    ///
    /// The rules of [`bulk_load`] apply. Source: PTX ISA, `cp.async.bulk`, `mapa`; compute capability 9.0.
    pub fn bulk_send<T: AnyBits>(to: &mut Slice<T>, from: &Slice<T>, barrier: &Barrier, rank: u32) {
        cuda: with("ws_bulk_send({0}, {1}, {2}, {3})", &SEND), by_reference: true, effect: Effect::Writes, min_compute: (9, 0), facts: COPIES
    } {
        const { T::FILLED };
        context::bulk_copy("bulk_send", BulkCopy::Send { rank }, written(to), read(from), barrier.address());
    }

    /// Closes the group of the bulk stores that the thread has started since the last one.
    ///
    /// Source: PTX ISA, `cp.async.bulk.commit_group`; compute capability 9.0.
    pub fn bulk_commit() {
        cuda: with("ws_bulk_commit()", &COMMIT), effect: Effect::Writes, min_compute: (9, 0), facts: STARTS
    } {
        context::bulk_commit();
    }

    /// Makes the thread's accesses to shared memory visible to the copy engine.
    ///
    /// Call it after stores, and after loads that no barrier with phases orders, before the threads meet and one of them
    /// starts a copy of that memory. Source: PTX ISA, `fence.proxy.async`; compute capability 9.0.
    pub fn fence_proxy_async() {
        cuda: with("ws_fence_proxy_async()", &FENCE), effect: Effect::Writes, min_compute: (9, 0), facts: Facts::BARRIER
    } {
        context::proxy_fence(ProxyFence::Shared);
    }

    /// Makes the thread's accesses to global memory visible to the copy engine.
    ///
    /// Source: PTX ISA, `fence.proxy.async`; compute capability 9.0.
    pub fn fence_proxy_async_global() {
        cuda: with("ws_fence_proxy_async_global()", &FENCE_GLOBAL), effect: Effect::Writes, min_compute: (9, 0), facts: Facts::BARRIER
    } {
        context::proxy_fence(ProxyFence::Global);
    }
}

/// Waits until at most the last `N` groups of bulk stores that the thread has closed are in flight.
///
/// The thread then sees what the other groups wrote to global memory. Source: PTX ISA, `cp.async.bulk.wait_group`; compute
/// capability 9.0.
#[inline]
pub fn bulk_wait<const N: u32>() {
    context::bulk_wait(N as usize, false);
}

/// Waits until at most the last `N` groups of bulk stores that the thread has closed still read shared memory.
///
/// The place may then be written, and the block may end. Source: PTX ISA, `cp.async.bulk.wait_group.read`; compute
/// capability 9.0.
#[inline]
pub fn bulk_wait_read<const N: u32>() {
    context::bulk_wait(N as usize, true);
}

/// The facts of a wait for bulk stores.
const WAITS: Facts = Facts { rendezvous: true, ..Facts::BARRIER };

numbered! {
    wait for bulk_wait: &WAIT, { effect: Effect::Writes, facts: WAITS, min_compute: (9, 0) }
    wait_read for bulk_wait_read: &WAIT_READ, { effect: Effect::Writes, facts: WAITS, min_compute: (9, 0) }
}

static LOAD: Prelude = Prelude {
    name: "ws_bulk_load",
    code: "template <class T>
__device__ __forceinline__ void ws_bulk_load(T* to, unsigned long long room, const T* from, unsigned long long len, const void* barrier) {
    unsigned int bytes = (unsigned int)((len < room ? len : room) * sizeof(T));
    asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\" :: \"r\"(ws_shared_address(to)), \"l\"(from), \"r\"(bytes), \"r\"(ws_shared_address(barrier)) : \"memory\");
}
",
    needs: &[&SHARED_ADDRESS],
};

static STORE: Prelude = Prelude {
    name: "ws_bulk_store",
    code: "template <class T>
__device__ __forceinline__ void ws_bulk_store(T* to, unsigned long long room, const T* from, unsigned long long len) {
    unsigned int bytes = (unsigned int)((len < room ? len : room) * sizeof(T));
    asm volatile(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\" :: \"l\"(to), \"r\"(ws_shared_address(from)), \"r\"(bytes) : \"memory\");
}
",
    needs: &[&SHARED_ADDRESS],
};

static SEND: Prelude = Prelude {
    name: "ws_bulk_send",
    code: "template <class T>
__device__ __forceinline__ void ws_bulk_send(T* to, unsigned long long room, const T* from, unsigned long long len, const void* barrier, unsigned int rank) {
    unsigned int bytes = (unsigned int)((len < room ? len : room) * sizeof(T));
    asm volatile(\"{\\n\\t.reg .b32 to, counter;\\n\\tmapa.shared::cluster.u32 to, %0, %4;\\n\\tmapa.shared::cluster.u32 counter, %3, %4;\\n\\tcp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [to], [%1], %2, [counter];\\n\\t}\" :: \"r\"(ws_shared_address(to)), \"r\"(ws_shared_address(from)), \"r\"(bytes), \"r\"(ws_shared_address(barrier)), \"r\"(rank) : \"memory\");
}
",
    needs: &[&SHARED_ADDRESS],
};

static COMMIT: Prelude = Prelude {
    name: "ws_bulk_commit",
    code: "__device__ __forceinline__ void ws_bulk_commit() { asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\"); }\n",
    needs: &[],
};

static WAIT: Prelude = Prelude {
    name: "ws_bulk_wait",
    code: "template <int N>
__device__ __forceinline__ void ws_bulk_wait() { asm volatile(\"cp.async.bulk.wait_group %0;\" :: \"n\"(N) : \"memory\"); }
",
    needs: &[],
};

static WAIT_READ: Prelude = Prelude {
    name: "ws_bulk_wait_read",
    code: "template <int N>
__device__ __forceinline__ void ws_bulk_wait_read() { asm volatile(\"cp.async.bulk.wait_group.read %0;\" :: \"n\"(N) : \"memory\"); }
",
    needs: &[],
};

static FENCE: Prelude = Prelude {
    name: "ws_fence_proxy_async",
    code: "__device__ __forceinline__ void ws_fence_proxy_async() { asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); }\n",
    needs: &[],
};

static FENCE_GLOBAL: Prelude = Prelude {
    name: "ws_fence_proxy_async_global",
    code: "__device__ __forceinline__ void ws_fence_proxy_async_global() { asm volatile(\"fence.proxy.async.global;\" ::: \"memory\"); }\n",
    needs: &[],
};
