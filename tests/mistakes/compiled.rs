//! Mistakes that the compiler's log shows. Kernels that demand these checks fail to compile with NVRTC.

use warpsmith::Kernel;
use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::is_quoted;

/// Sums are read while a product computes them: the compiler puts a wait there.
#[gpu_kernel(launch_bounds(128, 1), require(async_wgmma))]
fn read_in_flight(y: &mut [f32]) {
    let rows = shared!([bf16; 1024], align = 1024);
    let a = matrix_descriptor(&rows[0], 16, 128, 0);
    let mut sums = [[0.0f32; 4]; 1];
    wgmma_fence();
    wgmma::<bf16, _, false, false>(&mut sums, a, a, false);
    wgmma_commit();
    y[thread_idx().x] = sums[0][0];
    wgmma_wait::<0>();
    y[thread_idx().x + 128] = sums[0][1];
}

/// The size of a block is not stated, so the registers of a thread at the start are not known.
#[gpu_kernel(require(async_wgmma))]
fn without_bounds(y: &mut [f32]) {
    setmaxnreg_dec::<40>();
    y[thread_idx().x] = 1.0;
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn the_compilers_silence_is_broken() {
    harness::needs_nvrtc();
    let said = |error: warpsmith::Result<_>| {
        error.map(|_: Vec<u8>| ()).expect_err("a demand is not met").to_string()
    };
    is_quoted(
        "products that the compiler serialises",
        &said(read_in_flight::cubin_for(&(), "sm_90a").map(|_| Vec::new())),
    );
    is_quoted(
        "`setmaxnreg` that the compiler ignores",
        &said(without_bounds::cubin_for(&(), "sm_90a").map(|_| Vec::new())),
    );
}
