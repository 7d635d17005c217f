//! Shuffles that read a lane which takes no part: it has returned, is not in the mask, or is beyond the block.

use warpsmith::Result;
use warpsmith::prelude::*;
use warpsmith::simulator::{Absence, Settings, SimChecks, SimFault};

use crate::faults::alike;

/// Lanes below 16 return before the others shuffle.
#[gpu_kernel]
fn after_some_return(out: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t < 16 {
        return;
    }
    out[t] = match how {
        0 => shfl_sync(u32::MAX, t, 3, 32),
        1 => shfl_up_sync(u32::MAX, t, 7, 32),
        2 => shfl_xor_sync(u32::MAX, t, 16, 32),
        3 => shfl_sync(u32::MAX, (t, 7u64, t), 3, 32).0,
        4 => shfl_sync(u32::MAX, t, 3, 16),
        5 => shfl_down_sync(u32::MAX, t, 5, 32),
        _ => shfl_up_sync(u32::MAX, t, 7, 16),
    };
}

/// Lanes from 16 on shuffle for themselves.
#[gpu_kernel]
fn of_half_a_warp(out: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t >= 16 {
        out[t] = match how {
            0 => shfl_sync(0xffff_0000, t, 3, 32),
            1 => shfl_up_sync(0xffff_0000, t, 1, 32),
            2 => shfl_xor_sync(0xffff_0000, t, 31, 32),
            3 => shfl_sync(0xffff_0000, t, 3, 16),
            4 => shfl_up_sync(0xffff_0000, t, 1, 16),
            _ => shfl_xor_sync(0xffff_0000, t, 15, 16),
        };
    }
}

/// The last warp of a block has fewer lanes.
#[gpu_kernel]
fn of_few_threads(out: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    out[t] = match how {
        0 => shfl(t, 20),
        1 => shfl_down(t, 1),
        2 => shfl_xor(t, 16),
        3 => shfl_up(t, 1),
        4 => shfl_down_sync(u32::MAX, t, 8, 16),
        _ => shfl_xor(t, 8),
    };
}

/// A row of 48 threads ends within a warp, so the lanes of the second warp part.
#[gpu_kernel]
fn of_rows(out: &mut [u32]) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let mut v = x;
    if x >> 5 == 0 {
        v = shfl_up(v, 1);
    }
    out[y * block_dim().x + x] = v;
}

type Kernel = fn(&mut Buffer<u32>, u32, u32, &Device) -> Result<()>;

const KERNELS: [Kernel; 3] = [
    |out, how, threads, device| after_some_return(out, how).grid(1).block(threads).launch(device),
    |out, how, threads, device| of_half_a_warp(out, how).grid(1).block(threads).launch(device),
    |out, how, threads, device| of_few_threads(out, how).grid(1).block(threads).launch(device),
];

fn run(kernel: usize, how: u32, threads: u32, device: &Device) -> Result<()> {
    let mut out = device.upload(&[7u32; 128])?;
    KERNELS[kernel](&mut out, how, threads, device)
}

/// The kernel, which mistake it makes, its threads, the lane that is read, and why that has no value.
const ABSENT: [(usize, u32, u32, u32, Absence); 11] = [
    (0, 0, 32, 3, Absence::Returned),
    (0, 1, 32, 9, Absence::Returned),
    (0, 2, 32, 15, Absence::Returned),
    (0, 3, 32, 3, Absence::Returned),
    (1, 0, 32, 3, Absence::Unnamed { mask: 0xffff_0000 }),
    (1, 1, 32, 15, Absence::Unnamed { mask: 0xffff_0000 }),
    (1, 2, 32, 0, Absence::Unnamed { mask: 0xffff_0000 }),
    (2, 0, 16, 20, Absence::Beyond { threads: 16 }),
    (2, 1, 16, 16, Absence::Beyond { threads: 16 }),
    (2, 2, 16, 31, Absence::Beyond { threads: 16 }),
    (2, 2, 48, 31, Absence::Beyond { threads: 48 }),
];

/// Kernels that read only lanes that take part, or keep their own value at the end of a group.
const PRESENT: [(usize, u32, u32); 13] = [
    (0, 4, 32),
    (0, 5, 32),
    (0, 6, 32),
    (1, 3, 32),
    (1, 4, 32),
    (1, 5, 32),
    (2, 0, 32),
    (2, 1, 64),
    (2, 2, 32),
    (2, 3, 16),
    (2, 4, 16),
    (2, 5, 16),
    (2, 5, 48),
];

#[test]
fn a_lane_that_takes_no_part_has_no_value() {
    for (kernel, how, threads, wanted, absence) in ABSENT {
        let fault = alike(Settings::default(), |device| run(kernel, how, threads, device));
        let SimFault::ShuffleSource { lane, why, line, .. } = &fault else { panic!("{fault}") };
        assert!((*lane, *why) == (wanted, absence) && *line > 0, "kernel {kernel}, {how}: {fault}");
    }
    let fault = alike(Settings::default(), |device| {
        of_rows(&mut device.alloc_zeroed::<u32>(96)?).grid(1).block([48, 2]).launch(device)
    });
    assert!(matches!(fault, SimFault::ShuffleSource { why: Absence::Returned, .. }), "{fault}");
}

#[test]
fn a_lane_that_takes_part_has_a_value() -> Result<()> {
    let device = Device::simulator();
    PRESENT.into_iter().try_for_each(|(kernel, how, threads)| run(kernel, how, threads, &device))?;
    let checks = SimChecks { initialisation: false, ..SimChecks::ALL };
    let unchecked = Device::simulator_with(Settings { checks, ..Settings::default() });
    ABSENT.into_iter().try_for_each(|(kernel, how, threads, ..)| run(kernel, how, threads, &unchecked))
}
