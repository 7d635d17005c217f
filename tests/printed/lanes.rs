//! Values of several words that lanes exchange: lanes go on in the order in which those of the twin do.

use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimChecks};

/// What a lane draws after an exchange tells when it went on.
#[gpu_kernel]
fn drawn(out: &mut [u32], count: &mut [u32]) {
    let i = global_id() as u32;
    let pair = shfl_up((i, i), 1);
    out[i] = atomic_add(&mut count[0], 1) + pair.0 * 1000;
    let vector = shfl_xor(F32x4::splat(i as f32), 3);
    out[i] += (atomic_add(&mut count[0], 1) + vector.w as u32) * 3;
    let some = shfl(if i < 20 { Some(i) } else { None }, i / 2);
    out[i] += (atomic_add(&mut count[0], 1) + some.unwrap_or(7)) * 7;
    let long = shfl_down(([i; 5], i as u64), 2);
    out[i] += (atomic_add(&mut count[0], 1) + long.0[4] + long.1 as u32) * 31;
    let halves = shfl_xor(F64x2::splat(i as f64), 16);
    out[i] += (atomic_add(&mut count[0], 1) + halves.x as u32) * 131;
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn lanes_go_on_as_those_of_the_twin_behind_exchanges_of_several_words() {
    needs_cxx();
    let settings = Settings { executor: Executor::All, checks: SimChecks::NONE, ..Settings::default() };
    let device = Device::simulator_with(settings);
    let mut out = device.alloc_zeroed::<u32>(64).expect("memory");
    let mut count = device.alloc_zeroed::<u32>(1).expect("memory");
    // `Executor::All` compares the memory that each of them leaves.
    drawn(&mut out, &mut count).grid(2).block(32).launch(&device).expect("they agree");
    assert_eq!(device.download(&count).expect("memory"), [320]);
}
