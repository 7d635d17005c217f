//! Clocks, and waiting for a while.

use super::text::{fixed, with};
use crate::ir::{Effect, Prelude, Variance};
use crate::simulator::context;

builtin! {
    /// The multiprocessor's cycle counter. The simulator counts events of the launch instead.
    pub fn clock() -> u64 { cuda: fixed("(unsigned long long)clock64()"), effect: Effect::Writes, variance: Variance::PerThread } {
        context::clock()
    }

    /// Nanoseconds of the GPU's global timer. The simulator counts events of the launch instead.
    pub fn global_timer() -> u64 {
        cuda: with("ws_global_timer()", &GLOBAL_TIMER), effect: Effect::Writes, variance: Variance::PerThread
    } {
        context::clock()
    }

    /// Suspends the thread for about this number of nanoseconds, at most a millisecond.
    ///
    /// Source: PTX ISA, `nanosleep`.
    pub fn nanosleep(nanoseconds: u32) { cuda: fixed("__nanosleep({0})"), effect: Effect::Writes } {
        let _ = nanoseconds;
        context::on_atomic();
    }

    /// Number of the multiprocessor that runs the thread; 0 on the simulator.
    pub fn multiprocessor_id() -> u32 {
        cuda: with("ws_multiprocessor_id()", &GLOBAL_TIMER), effect: Effect::Writes, variance: Variance::PerBlock
    } {
        0
    }
}

static GLOBAL_TIMER: Prelude = Prelude {
    name: "ws_global_timer",
    code: "__device__ __forceinline__ unsigned long long ws_global_timer() {
    unsigned long long t;
    asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t));
    return t;
}
__device__ __forceinline__ unsigned int ws_multiprocessor_id() {
    unsigned int id;
    asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(id));
    return id;
}
",
    needs: &[],
};
