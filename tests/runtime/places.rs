//! Memory and launches of different devices do not mix.

use corpus::vectors::doubled;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;
use warpsmith::{Error, driver::DriverError};

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn memory_of_the_simulator_is_refused_on_a_gpu() {
    let gpu = harness::needs_gpu();
    let mut here = Device::simulator().upload(&[1u32, 2, 3]).expect("host memory");
    let refused = doubled(&mut here).over(3).launch(&gpu).expect_err("the memory is not the GPU's");
    assert!(matches!(refused, Error::Launch(LaunchError::Argument { argument: "x", .. })), "{refused}");
    let refused = gpu.download(&here).expect_err("the memory is not the GPU's");
    assert!(matches!(refused, Error::Driver(DriverError::WrongDevice { .. })), "{refused}");
}
