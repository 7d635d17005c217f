//! Calls that are refused, by their texts.

use warpsmith::args::{KernelArg, SliceArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith_kernels::argument::matrix;
use warpsmith_kernels::reduction::{Sum, dot, reduce};
use warpsmith_kernels::{Call, Family, KernelError, Plan, Step, Target};

#[track_caller]
fn refused<T>(result: Result<T, KernelError>, text: &str) {
    match result {
        Err(error) => assert_eq!(error.to_string(), text),
        Ok(_) => panic!("not refused: {text}"),
    }
}

#[test]
fn lengths_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 12]).expect("memory");
    let z = device.upload(&[1.0f32; 11]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(2).expect("memory");
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).run(),
        "`y` has 2 elements, but needs 1, one for each result; pass a buffer of that length, or a part: `y.slice_mut(..n)?`",
    );
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).axis(&[3, 5], 0).plan(),
        "`x` has 12 elements, but needs as many as the extents [3, 5] make up; \
         pass the extents of the array, or a part of the memory",
    );
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).axis(&[3, 4], 2).prepare(),
        "`axis` has the value 2, but needs to be below 2, the number of extents; axes are counted from zero",
    );
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).axis(&[usize::MAX, 2], 0).plan(),
        "`x` has 12 elements, but needs as many as the extents [18446744073709551615, 2] make up; \
         pass the extents of the array, or a part of the memory",
    );
    refused(
        dot(&device, &x, &z, y.slice_mut(..1).expect("a part")).run(),
        "`z` has 11 elements, but needs 12, as many as `x`; pass parts of equal length",
    );
    refused(
        matrix(&x, 4, 4),
        "`matrix` has 12 elements, but needs 16, for 4 rows and 4 columns; pass more memory, or smaller extents",
    );
    refused(
        matrix(&x, 3, 4).expect("it fits").stride(3),
        "`stride` has 3 elements, but needs at least the 4 elements of a row; rows must not overlap",
    );
}

#[test]
fn a_plan_says_what_and_why() {
    let device = Device::simulator();
    let x = device.upload(&vec![1.0f32; 100_000]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(1).expect("memory");
    let plan = reduce::<Sum<f32>>(&device, &x, &mut y).plan().expect("it fits");
    assert_eq!(
        plan.to_string(),
        "reduce_rows<Sum<f32>>: 7 blocks of 256 threads, 14286 elements a block, 36 bytes of shared memory, \
         32 bytes of workspace; 7 blocks share a row, and the last joins their results"
    );
}

/// Memory that is an argument although something else has it.
struct Shared(KernelArg);

// SAFETY: the call is refused before anything runs.
unsafe impl<'a> SliceArg<'a, f32> for Shared {
    fn into_arg(self) -> KernelArg {
        self.0
    }
}

#[test]
fn memory_that_is_read_and_written_is_refused() {
    let device = Device::simulator();
    let mut x = device.upload(&[1.0f32; 12]).expect("memory");
    let again = Shared(SliceArg::<f32>::into_arg(&x));
    refused(
        reduce::<Sum<f32>>(&device, again, x.slice_mut(3..4).expect("a part")).run(),
        "`y` and `x` overlap in device memory; pass parts that have no element in common",
    );
}

/// A family whose kernels need a device that nobody has yet.
struct Future;

impl<'a> Family<'a> for Future {
    const NEEDS: (u32, u32) = (99, 0);

    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        let mut plan = Plan::nothing(String::new(), "a test");
        plan.kernel = "future";
        Ok(plan)
    }

    fn steps(self, _plan: &Plan, _target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        Ok(Vec::new())
    }
}

#[test]
fn a_device_that_is_too_old_is_refused() {
    refused(
        Call::new(&Device::simulator(), Future).prepare(),
        "future needs compute capability 99.0, and the device has 9.0",
    );
}
