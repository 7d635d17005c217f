//! Errors that no context survives are recognised: every later call is an error that says so, and nothing panics.
//!
//! It happens in a process of its own, whose context it is.

use std::process::Command;

use warpsmith::driver::DriverError;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;
use warpsmith::{Error, Result};

#[gpu_kernel]
fn wild_store(y: &mut [u32], at: usize) {
    y[at] = 1;
}

/// Returns whether a result is the error of a lost context, in words that say so.
fn is_lost<T>(outcome: Result<T>) -> bool {
    let Err(error) = outcome else { return false };
    let lost = matches!(
        error,
        Error::Driver(DriverError::ContextLost { .. })
            | Error::Launch(LaunchError::Driver(DriverError::ContextLost { .. }))
    );
    println!("{error}");
    lost && error.to_string().contains("the CUDA context is lost")
}

#[test]
#[ignore = "loses the context of its process; `a_lost_context_is_recognised` runs it alone"]
fn lose_the_context() {
    let device = harness::needs_gpu();
    let mut y = device.upload(&[0u32; 4]).expect("memory");
    let other = device.upload(&[0u32; 4]).expect("memory");
    // SAFETY: none: the index is far out of bounds. The process ends right after.
    unsafe { wild_store(&mut y, 1 << 42).grid(1).block(1).launch_unchecked(&device) }.expect("it is queued");
    assert!(is_lost(device.synchronize()));
    assert!(is_lost(device.download(&other)));
    assert!(is_lost(device.upload(&[1u32])));
    assert!(is_lost(wild_store(&mut y, 0).grid(1).block(1).launch(&device)));
    drop((y, other));
    println!("the context was lost, and every call said so");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_lost_context_is_recognised() {
    harness::needs_gpu();
    let me = std::env::current_exe().expect("this test has a path");
    let child = Command::new(me)
        .args(["--exact", "lost::lose_the_context", "--ignored", "--nocapture"])
        .output()
        .expect("this test starts again");
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}\n{}", String::from_utf8_lossy(&child.stderr));
    assert!(said.contains("the context was lost, and every call said so"), "{said}");
}
