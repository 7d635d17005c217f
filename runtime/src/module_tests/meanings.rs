//! Tests of the meaning of a recorded function with a CUDA body.

use crate::Kernel;
use crate::types::{DeviceType, Slice};

/// A value in the IR's layout.
fn ir<T: DeviceType>(value: T) -> Vec<u8> {
    let mut bytes = vec![0xab; T::LAYOUT.size];
    // SAFETY: as many bytes as the type has.
    unsafe { value.to_ir(bytes.as_mut_ptr()) };
    bytes
}

#[warpsmith_macros::gpu_fn(cuda = "return x[i] + by;", pure)]
fn element_plus(x: &[f32], i: u32, by: f32) -> f32 {
    x[i] + by
}

#[warpsmith_macros::gpu_fn(cuda = "return x;", pure)]
fn on_the_device_only(x: f32) -> f32;

#[warpsmith_macros::gpu_kernel]
fn calls_both(x: &[f32], y: &mut [f32]) {
    y[0] = element_plus(x, 1, 0.5) + on_the_device_only(1.0);
}

#[test]
fn a_function_with_a_cuda_body_has_the_meaning_of_its_rust_body() {
    let module = <calls_both as Kernel>::record(&()).expect("the kernel records");
    let of = |name: &str| module.functions.iter().find(|f| f.name == name).expect("called").meaning;
    assert!(of("on_the_device_only").is_none());
    let mut x = [1.0f32, 2.0];
    // SAFETY: the elements outlive the descriptor.
    let slice = unsafe { Slice::from_raw_parts(x.as_mut_ptr(), 2) };
    let args = [ir(&slice), ir(1u32), ir(0.5f32)];
    let addresses = args.each_ref().map(|arg| arg.as_ptr());
    let mut sum = 0.0f32;
    // SAFETY: the arguments that the function takes.
    unsafe { (of("element_plus").expect("a Rust body").0)(addresses.as_ptr(), (&raw mut sum).cast()) };
    assert_eq!(sum, 2.5);
}
