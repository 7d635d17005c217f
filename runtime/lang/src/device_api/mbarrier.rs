//! Barriers in shared memory that count arrivals and bytes: PTX's instructions, one builtin each.
//!
//! [`Barrier`] has methods that need no parity and no count of bytes. Source: PTX ISA, `mbarrier`.

use warpsmith_macros::GpuType;

use super::barrier::Barrier;
use super::text::with;
use crate::ir::{Effect, Facts, Prelude, SyncScope, Variance};
use crate::simulator::context::{self, PhaseOf};
use crate::simulator::{MemoryScope, ProxyFence};

/// The phase at which a thread arrived, to wait for.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct ArrivalToken {
    state: u64,
}

/// The facts of builtins that change a barrier's count or wait for it.
const USES: Facts = Facts { rendezvous: true, ..Facts::PART_OF_BARRIER };

builtin! {
    /// Initialises a barrier for `count` arrivals per phase, from 1 to 1,048,575.
    ///
    /// One thread does this. That thread then calls [`fence_mbarrier_init`], and all threads meet before others and the copy
    /// engine use the barrier. Source: PTX ISA, `mbarrier.init`; compute capability 8.0.
    pub fn mbarrier_init(barrier: &Barrier, count: u32) {
        cuda: with("ws_mbarrier_init({0}, {1})", &INIT), by_reference: true, effect: Effect::Writes, min_compute: (8, 0),
        facts: Facts { rendezvous: true, ..Facts::MOVES }
    } {
        context::mbarrier_init(barrier.address(), count);
    }

    /// Ends the use of a barrier. Its memory may then hold another one.
    ///
    /// Source: PTX ISA, `mbarrier.inval`; compute capability 8.0.
    pub fn mbarrier_inval(barrier: &Barrier) {
        cuda: with("ws_mbarrier_inval({0})", &INVAL), by_reference: true, effect: Effect::Writes, min_compute: (8, 0),
        facts: Facts { rendezvous: true, ..Facts::MOVES }
    } {
        context::mbarrier_inval(barrier.address());
    }

    /// Makes the barriers that the thread has initialised visible to the copy engine and to the other blocks of the cluster.
    ///
    /// Source: PTX ISA, `fence.mbarrier_init`; compute capability 9.0.
    pub fn fence_mbarrier_init() {
        cuda: with("ws_fence_mbarrier_init()", &FENCE_INIT), effect: Effect::Writes, min_compute: (9, 0), facts: Facts::BARRIER
    } {
        context::proxy_fence(ProxyFence::MbarrierInit);
    }

    /// Arrives once, and releases the thread's earlier writes to the threads of its block.
    ///
    /// Source: PTX ISA, `mbarrier.arrive`; compute capability 8.0.
    pub fn mbarrier_arrive(barrier: &Barrier) {
        cuda: with("ws_mbarrier_arrive({0})", &ARRIVE), by_reference: true, effect: Effect::Writes, min_compute: (8, 0), facts: USES
    } {
        context::mbarrier_arrive("mbarrier_arrive", barrier.address(), 1, 0);
    }

    /// Arrives once, and returns the phase to wait for with [`mbarrier_test_wait_token`] or [`mbarrier_try_wait_token`].
    ///
    /// Source: PTX ISA, `mbarrier.arrive`; compute capability 8.0.
    pub fn mbarrier_arrive_token(barrier: &Barrier) -> ArrivalToken {
        cuda: with("__builtin_bit_cast({ret}, ws_mbarrier_arrive_token({0}))", &ARRIVE_TOKEN), by_reference: true,
        effect: Effect::Writes, variance: Variance::PerThread, min_compute: (8, 0), facts: USES
    } {
        ArrivalToken { state: context::mbarrier_arrive("mbarrier_arrive_token", barrier.address(), 1, 0) }
    }

    /// Arrives `count` times.
    ///
    /// Source: PTX ISA, `mbarrier.arrive`; compute capability 9.0.
    pub fn mbarrier_arrive_count(barrier: &Barrier, count: u32) {
        cuda: with("ws_mbarrier_arrive_count({0}, {1})", &ARRIVE_COUNT), by_reference: true, effect: Effect::Writes,
        min_compute: (9, 0), facts: USES
    } {
        context::mbarrier_arrive("mbarrier_arrive_count", barrier.address(), count, 0);
    }

    /// Makes the phase wait for `bytes` more bytes of copies.
    ///
    /// Source: PTX ISA, `mbarrier.expect_tx`; compute capability 9.0.
    pub fn mbarrier_expect_tx(barrier: &Barrier, bytes: u32) {
        cuda: with("ws_mbarrier_expect_tx({0}, {1})", &EXPECT), by_reference: true, effect: Effect::Writes, min_compute: (9, 0),
        facts: Facts { rendezvous: true, ..Facts::MOVES }
    } {
        context::mbarrier_expect("mbarrier_expect_tx", barrier.address(), bytes);
    }

    /// Makes the phase wait for `bytes` more bytes of copies, and arrives.
    ///
    /// Source: PTX ISA, `mbarrier.arrive.expect_tx`; compute capability 9.0.
    pub fn mbarrier_arrive_expect_tx(barrier: &Barrier, bytes: u32) {
        cuda: with("ws_mbarrier_arrive_expect_tx({0}, {1})", &ARRIVE_EXPECT), by_reference: true, effect: Effect::Writes,
        min_compute: (9, 0), facts: USES
    } {
        context::mbarrier_arrive("mbarrier_arrive_expect_tx", barrier.address(), 1, bytes);
    }

    /// Arrives at the same barrier in block `rank` of the cluster, to signal that the thread's loads are done.
    ///
    /// It does not release the thread's stores: [`mbarrier_publish_at`] does that, at the cost of a device-wide fence. Source: PTX
    /// ISA, `mbarrier.arrive`, `mapa`; compute capability 9.0.
    pub fn mbarrier_arrive_at(barrier: &Barrier, rank: u32) {
        cuda: with("ws_mbarrier_arrive_at({0}, {1})", &ARRIVE_AT), by_reference: true, effect: Effect::Writes, min_compute: (9, 0),
        facts: USES
    } {
        context::mbarrier_arrive_at("mbarrier_arrive_at", barrier.address(), rank, false);
    }

    /// Arrives at the same barrier in block `rank` of the cluster, and releases the thread's earlier writes to threads that wait
    /// with [`mbarrier_wait_cluster`].
    ///
    /// Source: PTX ISA, `mbarrier.arrive.release.cluster`, `mapa`; compute capability 9.0.
    pub fn mbarrier_publish_at(barrier: &Barrier, rank: u32) {
        cuda: with("ws_mbarrier_publish_at({0}, {1})", &PUBLISH_AT), by_reference: true, effect: Effect::Writes,
        min_compute: (9, 0), facts: USES
    } {
        context::mbarrier_arrive_at("mbarrier_publish_at", barrier.address(), rank, true);
    }

    /// Waits until the phase of this parity is complete, and acquires what threads of the block released in it and what
    /// copies wrote.
    ///
    /// Source: PTX ISA, `mbarrier.try_wait.parity`; compute capability 9.0.
    pub fn mbarrier_wait(barrier: &Barrier, parity: u32) {
        cuda: with("ws_mbarrier_wait({0}, {1})", &WAIT), by_reference: true, effect: Effect::Writes, min_compute: (9, 0),
        facts: USES
    } {
        context::mbarrier_wait("mbarrier_wait", barrier.address(), PhaseOf::Parity(parity), MemoryScope::Block);
    }

    /// The same, and acquires what threads of the cluster published at the barrier.
    ///
    /// Source: PTX ISA, `mbarrier.try_wait.parity.acquire.cluster`; compute capability 9.0.
    pub fn mbarrier_wait_cluster(barrier: &Barrier, parity: u32) {
        cuda: with("ws_mbarrier_wait_cluster({0}, {1})", &WAIT_CLUSTER), by_reference: true, effect: Effect::Writes,
        min_compute: (9, 0), facts: USES
    } {
        context::mbarrier_wait("mbarrier_wait_cluster", barrier.address(), PhaseOf::Parity(parity), MemoryScope::Cluster);
    }

    /// [`mbarrier_wait`] for a phase given by its number, counted from 0.
    ///
    /// The simulator ends the launch if the barrier is in neither that phase nor the next: hardware sees only the lowest bit of
    /// the number.
    pub fn mbarrier_wait_phase(barrier: &Barrier, number: u32) {
        cuda: with("ws_mbarrier_wait({0}, ({1}) & 1u)", &WAIT), by_reference: true, effect: Effect::Writes, min_compute: (9, 0),
        facts: USES
    } {
        context::mbarrier_wait("wait", barrier.address(), PhaseOf::Number(number), MemoryScope::Block);
    }

    /// [`mbarrier_wait_cluster`] for a phase given by its number, counted from 0.
    pub fn mbarrier_wait_phase_cluster(barrier: &Barrier, number: u32) {
        cuda: with("ws_mbarrier_wait_cluster({0}, ({1}) & 1u)", &WAIT_CLUSTER), by_reference: true, effect: Effect::Writes,
        min_compute: (9, 0), facts: USES
    } {
        context::mbarrier_wait("wait_cluster", barrier.address(), PhaseOf::Number(number), MemoryScope::Cluster);
    }

    /// Arrives once the copies that the thread has started by [`copy_async`](super::copy_async::copy_async) are done.
    ///
    /// The arrival counts towards the phase's arrivals; waiters see what the copies wrote. Source: PTX ISA,
    /// `cp.async.mbarrier.arrive.noinc`; compute capability 8.0.
    pub fn cp_async_mbarrier_arrive(barrier: &Barrier) {
        cuda: with("ws_cp_async_mbarrier_arrive({0})", &COPY_ARRIVE), by_reference: true, effect: Effect::Writes,
        min_compute: (8, 0), facts: USES
    } {
        context::cp_async_mbarrier_arrive(barrier.address());
    }

    /// Returns whether the hardware elects the calling lane of its warp; all lanes must call this together.
    ///
    /// Source: PTX ISA, `elect.sync`; compute capability 9.0.
    pub fn elect_one() -> bool {
        cuda: with("ws_elect_one()", &ELECT), effect: Effect::Sync(SyncScope::Warp), variance: Variance::PerThread,
        min_compute: (9, 0), facts: Facts { elects: true, ..Facts::MOVES }
    } {
        let lanes = context::warp_exchange(u32::MAX, "elect_one", [0; 16]);
        lanes.participants().trailing_zeros() == context::lane_id()
    }
}

/// Builtins that ask whether a phase is complete.
macro_rules! asked {
    ($($(#[$docs:meta])* $name:ident($phase:ident: $ty:ty = $of:expr) $text:literal $prelude:ident $min:expr, $ask:ident;)+) => {
        builtin! {
            in asked;
            $(
                $(#[$docs])*
                pub fn $name(barrier: &Barrier, $phase: $ty) -> bool {
                    cuda: with($text, &$prelude), by_reference: true, effect: Effect::Writes,
                    variance: Variance::PerThread, min_compute: $min, facts: USES
                } {
                    context::$ask(stringify!($name), barrier.address(), $of)
                }
            )+
        }
    };
}

asked! {
    /// Returns whether the phase of this parity is complete: parity 0 is that of the first phase, 1 of the second, 0 of the third.
    ///
    /// Before the first phase is complete, parity 1 counts as complete. Source: PTX ISA, `mbarrier.test_wait.parity`; compute
    /// capability 8.0.
    mbarrier_test_wait(parity: u32 = PhaseOf::Parity(parity)) "ws_mbarrier_test_wait({0}, {1})" TEST_WAIT (8, 0), mbarrier_test_wait;
    /// Returns whether the phase of an arrival is complete.
    ///
    /// Source: PTX ISA, `mbarrier.test_wait`; compute capability 8.0.
    mbarrier_test_wait_token(token: ArrivalToken = PhaseOf::Number(token.state as u32))
        "ws_mbarrier_test_wait_token({0}, __builtin_bit_cast(unsigned long long, {1}))" TEST_WAIT_TOKEN (8, 0), mbarrier_test_wait;
    /// Does the same as [`mbarrier_test_wait`], but may wait for some time first.
    ///
    /// Source: PTX ISA, `mbarrier.try_wait.parity`; compute capability 9.0.
    mbarrier_try_wait(parity: u32 = PhaseOf::Parity(parity)) "ws_mbarrier_try_wait({0}, {1})" TRY_WAIT (9, 0), mbarrier_try_wait;
    /// Does the same as [`mbarrier_test_wait_token`], but may wait for some time first.
    ///
    /// Source: PTX ISA, `mbarrier.try_wait`; compute capability 9.0.
    mbarrier_try_wait_token(token: ArrivalToken = PhaseOf::Number(token.state as u32))
        "ws_mbarrier_try_wait_token({0}, __builtin_bit_cast(unsigned long long, {1}))" TRY_WAIT_TOKEN (9, 0), mbarrier_try_wait;
}

/// A piece of the prelude that is one function.
macro_rules! helpers {
    ($($name:ident $text:literal = $code:expr $(, needs $($needs:ident)+)?;)+) => {$(
        static $name: Prelude = Prelude {
            name: $text,
            code: concat!("__device__ __forceinline__ ", $code, "\n"),
            needs: &[&SHARED_ADDRESS $($(, &$needs)+)?],
        };
    )+};
}

/// An address of shared memory as instructions take it.
pub(super) static SHARED_ADDRESS: Prelude = Prelude {
    name: "ws_shared_address",
    code: "__device__ __forceinline__ unsigned int ws_shared_address(const void* place) { return (unsigned int)__cvta_generic_to_shared(place); }\n",
    needs: &[],
};

helpers! {
    INIT "ws_mbarrier_init" = "void ws_mbarrier_init(const void* barrier, unsigned int count) {
    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \"r\"(ws_shared_address(barrier)), \"r\"(count) : \"memory\");
}";
    INVAL "ws_mbarrier_inval" = "void ws_mbarrier_inval(const void* barrier) {
    asm volatile(\"mbarrier.inval.shared::cta.b64 [%0];\" :: \"r\"(ws_shared_address(barrier)) : \"memory\");
}";
    ARRIVE "ws_mbarrier_arrive" = "void ws_mbarrier_arrive(const void* barrier) {
    asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" :: \"r\"(ws_shared_address(barrier)) : \"memory\");
}";
    ARRIVE_TOKEN "ws_mbarrier_arrive_token" = "unsigned long long ws_mbarrier_arrive_token(const void* barrier) {
    unsigned long long state;
    asm volatile(\"mbarrier.arrive.shared::cta.b64 %0, [%1];\" : \"=l\"(state) : \"r\"(ws_shared_address(barrier)) : \"memory\");
    return state;
}";
    ARRIVE_COUNT "ws_mbarrier_arrive_count" = "void ws_mbarrier_arrive_count(const void* barrier, unsigned int count) {
    asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0], %1;\" :: \"r\"(ws_shared_address(barrier)), \"r\"(count) : \"memory\");
}";
    EXPECT "ws_mbarrier_expect_tx" = "void ws_mbarrier_expect_tx(const void* barrier, unsigned int bytes) {
    asm volatile(\"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\" :: \"r\"(ws_shared_address(barrier)), \"r\"(bytes) : \"memory\");
}";
    ARRIVE_EXPECT "ws_mbarrier_arrive_expect_tx" = "void ws_mbarrier_arrive_expect_tx(const void* barrier, unsigned int bytes) {
    asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" :: \"r\"(ws_shared_address(barrier)), \"r\"(bytes) : \"memory\");
}";
    ARRIVE_AT "ws_mbarrier_arrive_at" = "void ws_mbarrier_arrive_at(const void* barrier, unsigned int rank) {
    asm volatile(\"{\\n\\t.reg .b32 remote;\\n\\tmapa.shared::cluster.u32 remote, %0, %1;\\n\\tmbarrier.arrive.shared::cluster.b64 _, [remote];\\n\\t}\" :: \"r\"(ws_shared_address(barrier)), \"r\"(rank) : \"memory\");
}";
    PUBLISH_AT "ws_mbarrier_publish_at" = "void ws_mbarrier_publish_at(const void* barrier, unsigned int rank) {
    asm volatile(\"{\\n\\t.reg .b32 remote;\\n\\tmapa.shared::cluster.u32 remote, %0, %1;\\n\\tmbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\\n\\t}\" :: \"r\"(ws_shared_address(barrier)), \"r\"(rank) : \"memory\");
}";
    WAIT "ws_mbarrier_wait" = "void ws_mbarrier_wait(const void* barrier, unsigned int parity) {
    while (!ws_mbarrier_try_wait(barrier, parity)) {}
}", needs TRY_WAIT;
    WAIT_CLUSTER "ws_mbarrier_wait_cluster" = "void ws_mbarrier_wait_cluster(const void* barrier, unsigned int parity) {
    while (!ws_mbarrier_try_wait_cluster(barrier, parity)) {}
}", needs TRY_WAIT_CLUSTER;
    COPY_ARRIVE "ws_cp_async_mbarrier_arrive" = "void ws_cp_async_mbarrier_arrive(const void* barrier) {
    asm volatile(\"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];\" :: \"r\"(ws_shared_address(barrier)) : \"memory\");
}";
}

/// Functions that ask an instruction of two operands whether a phase is complete.
macro_rules! questions {
    ($($name:ident $text:literal = $instruction:literal of $ty:literal $phase:literal $constraint:literal;)+) => {
        helpers! { $(
            $name $text = concat!(
                "bool ", $text, "(const void* barrier, ", $ty, " ", $phase, ") {
    unsigned int done;
    asm volatile(\"{\\n\\t.reg .pred p;\\n\\t", $instruction, ".shared::cta.b64 p, [%1], %2;\\n\\tselp.u32 %0, 1, 0, p;\\n\\t}\" : \"=r\"(done) : \"r\"(ws_shared_address(barrier)), \"", $constraint, "\"(", $phase, ") : \"memory\");
    return done != 0u;
}"
            );
        )+ }
    };
}

questions! {
    TEST_WAIT "ws_mbarrier_test_wait" = "mbarrier.test_wait.parity" of "unsigned int" "parity" "r";
    TEST_WAIT_TOKEN "ws_mbarrier_test_wait_token" = "mbarrier.test_wait" of "unsigned long long" "state" "l";
    TRY_WAIT "ws_mbarrier_try_wait" = "mbarrier.try_wait.parity" of "unsigned int" "parity" "r";
    TRY_WAIT_TOKEN "ws_mbarrier_try_wait_token" = "mbarrier.try_wait" of "unsigned long long" "state" "l";
    TRY_WAIT_CLUSTER "ws_mbarrier_try_wait_cluster" = "mbarrier.try_wait.parity.acquire.cluster" of "unsigned int" "parity" "r";
}

static FENCE_INIT: Prelude = Prelude {
    name: "ws_fence_mbarrier_init",
    code: "__device__ __forceinline__ void ws_fence_mbarrier_init() { asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\"); }\n",
    needs: &[],
};

static ELECT: Prelude = Prelude {
    name: "ws_elect_one",
    code: "__device__ __forceinline__ bool ws_elect_one() {
    unsigned int elected;
    asm volatile(\"{\\n\\t.reg .pred p;\\n\\telect.sync _|p, %1;\\n\\tselp.u32 %0, 1, 0, p;\\n\\t}\" : \"=r\"(elected) : \"r\"(0xffffffffu));
    return elected != 0u;
}
",
    needs: &[],
};
