//! Mistakes with instructions of a warp on matrices.

use warpsmith::Result;
use warpsmith::prelude::*;
use warpsmith::ptx::{
    ldmatrix_x1, ldmatrix_x4, matrix_descriptor, mma_m16n8k16_f32_bf16, stmatrix_x4, wgmma, wgmma_commit,
    wgmma_fence, wgmma_wait,
};
use warpsmith::simulator::{Executor, MaskProblem, Misuse, Settings, SimChecks, SimFault, WgmmaProblem};

use super::faults::{alike, alone};

#[gpu_kernel]
fn rows(x: &[u32], y: &mut [u32], apart: u32) {
    let mut tile = shared!([u32; 128], align = 16);
    let t = thread_idx().x;
    for i in 0..4 {
        tile[t * 4 + i] = x[t * 4 + i];
    }
    sync_warp();
    y[t] = ldmatrix_x4(&tile[t * apart])[0];
}

#[gpu_kernel]
fn global_row(x: &[u32], y: &mut [u32]) {
    y[thread_idx().x] = ldmatrix_x4(&x[thread_idx().x * 4])[0];
}

#[gpu_kernel]
fn row_beyond(y: &mut [u16]) {
    let mut tile = shared!([u16; 250], align = 16);
    let t = thread_idx().x;
    stmatrix_x4(&mut tile[t % 16 * 8 + t / 16 * 128], [t; 4]);
    sync_warp();
    y[t] = tile[t];
}

#[gpu_kernel]
fn unordered_rows(x: &[u32], y: &mut [u32]) {
    let mut tile = shared!([u32; 128], align = 16);
    let t = thread_idx().x;
    for i in 0..4 {
        tile[i * 32 + t] = x[i * 32 + t];
    }
    y[t] = ldmatrix_x4(&tile[t * 4])[0];
}

#[gpu_kernel]
fn first_rows_alone(x: &[u32], y: &mut [u32]) {
    let mut tile = shared!([u32; 32], align = 16);
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_warp();
    // Lanes from 8 on name places that are no rows.
    y[t] = ldmatrix_x1(&tile[if t < 8 { t * 4 } else { 31 }])[0];
}

#[gpu_kernel(allow(divergent_barriers))]
#[allow(clippy::if_same_then_else, reason = "the same product at two places is the mistake")]
fn parted(y: &mut [f32], apart: u32) {
    let t = thread_idx().x;
    let zero = [0.0f32; 4];
    y[t] = if t < apart {
        mma_m16n8k16_f32_bf16([t; 4], [t; 2], zero)[0]
    } else {
        mma_m16n8k16_f32_bf16([t; 4], [t; 2], zero)[0]
    };
}

#[gpu_kernel]
fn parted_without_a_word(y: &mut [f32]) {
    let t = thread_idx().x;
    if t < 16 {
        y[t] = mma_m16n8k16_f32_bf16([t; 4], [t; 2], [0.0; 4])[0];
    }
}

fn of_rows<'a>(
    launch: impl Fn(&Buffer<u32>, &mut Buffer<u32>, &Device) -> Result<()> + 'a,
) -> impl Fn(&Device) -> Result<()> + 'a {
    move |device| {
        let x = device.upload(&(0..128).collect::<Vec<u32>>())?;
        let mut y = device.alloc_zeroed::<u32>(128)?;
        launch(&x, &mut y, device)
    }
}

#[test]
fn a_row_that_is_no_multiple_of_16_bytes_is_misaligned() {
    let launch = of_rows(|x, y, device| rows(x, y, 3).grid(1).block(32).launch(device));
    let fault = alone(launch);
    assert!(matches!(&fault, SimFault::Misaligned { align: 16, bytes: 16, .. }), "{fault}");
}

#[test]
fn a_row_outside_shared_memory_is_named() {
    let launch = of_rows(|x, y, device| global_row(x, y).grid(1).block(32).launch(device));
    let fault = alike(Settings::default(), launch);
    let SimFault::MatrixRow(row) = &fault else { panic!("{fault}") };
    assert!(!row.begins_inside && row.operation == "ldmatrix_x4", "{fault}");
    assert!(fault.to_string().contains("outside the block's shared memory"), "{fault}");
}

#[test]
fn a_row_that_ends_outside_its_array_is_named() {
    let fault = alike(Settings::default(), |device| {
        let mut y = device.alloc_zeroed::<u16>(32)?;
        row_beyond(&mut y).grid(1).block(32).launch(device)
    });
    let SimFault::MatrixRow(row) = &fault else { panic!("{fault}") };
    assert!(row.begins_inside && row.thread == [31, 0, 0], "{fault}");
}

#[test]
fn a_row_that_others_have_written_is_a_race_without_a_barrier() {
    // The first lane runs up to the load before any other has written.
    let checks = SimChecks { initialisation: false, ..SimChecks::ALL };
    let device =
        Device::simulator_with(Settings { executor: Executor::Interpreter, checks, ..Settings::default() });
    let launch = of_rows(|x, y, device| unordered_rows(x, y).grid(1).block(32).launch(device));
    let Err(warpsmith::Error::Simulator(fault)) = launch(&device) else { panic!("no fault") };
    assert!(matches!(*fault, SimFault::DataRace(_)), "{fault}");
}

#[test]
fn rows_that_no_matrix_has_are_not_looked_at() -> Result<()> {
    of_rows(|x, y, device| first_rows_alone(x, y).grid(1).block(32).launch(device))(&Device::simulator())
}

#[test]
fn a_product_needs_all_lanes_at_one_place() {
    let launch = |apart: u32, threads: u32| {
        move |device: &Device| {
            let mut y = device.alloc_zeroed::<f32>(32)?;
            parted(&mut y, apart).grid(1).block(threads).launch(device)
        }
    };
    let fault = alike(Settings::default(), launch(16, 32));
    assert!(
        matches!(&fault, SimFault::ShuffleMask { problem: MaskProblem::LaneElsewhere { .. }, .. }),
        "{fault}"
    );
    let fault = alike(Settings::default(), launch(32, 16));
    assert!(fault.to_string().contains("launch whole warps"), "{fault}");
}

#[test]
fn a_product_that_some_lanes_skip_is_refused_when_it_is_recorded() {
    let refused = parted_without_a_word::cuda_source().expect_err("lanes part").to_string();
    assert!(refused.contains("`mma_m16n8k16_f32_bf16` needs all 32 lanes"), "{refused}");
}

/// A warpgroup multiplies a part of a matrix of rows of 128 bytes, swizzled, from row `first` on.
#[gpu_kernel]
fn part_of_a_tile(y: &mut [f32], first: u32) {
    let rows = shared!([bf16; 8192], align = 1024);
    let cols = shared!([bf16; 512], align = 1024);
    let mut sums = [[0.0f32; 4]; 1];
    let a = matrix_descriptor(&rows[first as usize * 64], 16, 1024, 1);
    let b = matrix_descriptor(&cols[0], 16, 1024, 1);
    wgmma_fence();
    wgmma::<bf16, _, false, false>(&mut sums, a, b, true);
    wgmma_commit();
    wgmma_wait::<0>();
    y[thread_idx().x] = sums[0][0];
}

#[test]
fn a_part_of_a_tile_begins_where_its_swizzle_does() {
    let run = |first: u32| {
        move |device: &Device| {
            let mut y = device.alloc_zeroed::<f32>(128)?;
            part_of_a_tile(&mut y, first).grid(1).block(128).launch(device)
        }
    };
    let settings = Settings { checks: SimChecks::NONE, ..Settings::default() };
    run(8)(&Device::simulator_with(settings.clone())).expect("a multiple of 1024 bytes");
    let fault = alike(settings, run(4));
    let problem = WgmmaProblem::Misaligned { is_left: true, beyond: 512, pattern: 1024 };
    assert!(
        matches!(&fault, SimFault::Misuse { problem: found, .. } if **found == Misuse::Wgmma(problem)),
        "{fault}"
    );
}
