//! Roles of warpgroups: the block follows from them, and registers that contradict them are refused with their line.

use warpsmith::Kernel;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment};

use super::everywhere;

const MATH: u32 = 232;

/// The number of its registers, by each thread.
#[gpu_kernel(warpgroups(40, MATH, { MATH }))]
fn by_role(y: &mut [u32]) {
    let group = warpgroup_id();
    let mut n = 0;
    match group {
        0 => {
            registers::<40>();
            n += 40;
        }
        _ => {
            registers::<232>();
            n += MATH;
        }
    }
    y[thread_idx().x] = n;
}

#[test]
fn a_block_has_the_warpgroups_of_its_roles() {
    everywhere::<by_role>(&(), |device| {
        let mut y = device.upload(&[0u32; 384]).unwrap();
        by_role(&mut y).grid(1).launch(device).unwrap();
        let wanted: Vec<u32> = (0..384).map(|t| if t < 128 { 40 } else { 232 }).collect();
        assert_eq!(device.download(&y).unwrap(), wanted);
        let error = by_role(&mut y).grid(1).block(256).launch(device).unwrap_err();
        let warpsmith::Error::Launch(LaunchError::Roles { warpgroups: 3, block: [256, 1, 1], .. }) = error
        else {
            panic!("{error}");
        };
    });
    let source = by_role::cuda_source().unwrap().to_string();
    for wanted in ["__launch_bounds__(384, 1)", "ws_setmaxnreg_dec<40>();", "ws_setmaxnreg_inc<232>();"] {
        assert!(source.contains(wanted), "{source}");
    }
}

/// The code after a branch that returns, a condition with a name, and a computed number.
#[gpu_kernel(warpgroups(24, 240))]
fn in_other_words(y: &mut [u32]) {
    let first = warpgroup_id() as i32 - 1 < 0;
    if first {
        registers::<24>();
        return;
    }
    registers::<240>();
    y[thread_idx().x - 128] = 1;
}

#[test]
fn conditions_are_evaluated_for_each_warpgroup() {
    everywhere::<in_other_words>(&(), |device| {
        let mut y = device.upload(&[0u32; 128]).unwrap();
        in_other_words(&mut y).grid(1).launch(device).unwrap();
        assert_eq!(device.download(&y).unwrap(), [1; 128]);
    });
}

/// Sums of two products of ones, times the numbers that each thread reads while they are made.
#[gpu_kernel(warpgroups(240, 24), require(async_wgmma, no_spills))]
fn reads_among_products(x: &[f32], at: &[u32], y: &mut [f32]) {
    let mut tile = shared!(Tile<bf16, 64, 64, Swizzle128>);
    for i in (thread_idx().x as usize..64 * 64).step_by(256) {
        tile[(i / 64, i % 64)] = bf16::ONE;
    }
    fence_proxy_async();
    sync_threads();
    if warpgroup_id() == 0 {
        registers::<240>();
        let mut sums = Accumulator::<f32, 64>::zero();
        let mut chain = sums.chain();
        let mut factor = 0.0;
        for k in 0..2 {
            chain.start_abt(tile, tile, true);
            factor += x[at[thread_idx().x * 2 + k]];
        }
        chain.finish();
        y[thread_idx().x] = sums.get(0) * factor;
    } else {
        registers::<24>();
    }
}

#[test]
fn an_index_is_checked_while_products_are_made() {
    everywhere::<reads_among_products>(&(), |device| {
        let x = device.upload(&[0.5f32, 1.5]).unwrap();
        let mut y = device.upload(&[0.0f32; 128]).unwrap();
        let mut at = vec![1u32; 256];
        at[7] = 0;
        let inside = device.upload(&at).unwrap();
        reads_among_products(&x, &inside, &mut y).grid(1).launch(device).unwrap();
        let sums: Vec<f32> = (0..128).map(|t| if t == 3 { 256.0 } else { 384.0 }).collect();
        assert_eq!(device.download(&y).unwrap(), sums);
        // One lane fails between two products, and the device can be used afterwards.
        at[7] = 2;
        let outside = device.upload(&at).unwrap();
        let launched = reads_among_products(&x, &outside, &mut y).grid(1).launch(device);
        // A GPU reports the fault later.
        let said = launched.and_then(|()| device.download(&y)).unwrap_err().to_string();
        assert!(said.contains("index 2 is out of bounds for length 2 at "), "{said}");
        assert!(said.contains("in block (0, 0, 0), thread (3, 0, 0) of kernel"), "{said}");
        reads_among_products(&x, &inside, &mut y).grid(1).launch(device).unwrap();
        assert_eq!(device.download(&y).unwrap(), sums);
    });
}

#[gpu_kernel(warpgroups(40, 232))]
fn outside(y: &mut [u32]) {
    registers::<40>();
    y[0] = 1;
}

#[gpu_kernel(warpgroups(40, 232, 232))]
fn contradicted(y: &mut [u32]) {
    if warpgroup_id() == 2 {
        registers::<240>();
    }
    y[0] = 1;
}

#[gpu_kernel(warpgroups(40, 232, 224))]
fn behind_another(y: &mut [u32]) {
    if warpgroup_id() > 0 {
        registers::<232>();
    }
    y[0] = 1;
}

#[gpu_kernel(launch_bounds(256, 1))]
fn without_roles(y: &mut [u32]) {
    if warpgroup_id() == 0 {
        registers::<40>();
    }
    y[0] = 1;
}

#[gpu_kernel(warpgroups(40, 232))]
fn in_a_function(y: &mut [u32]) {
    fewer();
    y[0] = 1;
}

#[gpu_fn]
fn fewer() {
    registers::<40>();
}

#[test]
fn registers_that_contradict_the_roles_are_refused_with_their_line() {
    for (said, wanted) in [
        (outside::cuda_source(), "is reached by warpgroups 0 and 1, which have 40 and 232 registers"),
        (contradicted::cuda_source(), "is reached by warpgroup 2, which has 232 registers"),
        (behind_another::cuda_source(), "is reached by warpgroups 1 and 2, which have 232 and 224 registers"),
        (without_roles::cuda_source(), "`registers::<40>()` needs a kernel with roles"),
        (in_a_function::cuda_source(), "`fewer` sets the registers of a warpgroup"),
    ] {
        let said = said.expect_err(wanted).to_string();
        assert!(said.contains(wanted) && said.contains("roles.rs:"), "{said}");
    }
}
