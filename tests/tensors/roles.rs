//! Roles of warpgroups: the block follows from them, and registers that contradict them are refused with their line.

use warpsmith::Kernel;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;
use warpsmith::ptx::*;

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
