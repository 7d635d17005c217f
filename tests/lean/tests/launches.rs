//! The features of a program without simulator and reports.

use lean::{block_sums, halved, saxpy};
use warpsmith::error::DriverError;
use warpsmith::prelude::*;
use warpsmith::{Error, Result};

#[test]
fn kernels_are_printed_as_ever() {
    let text = saxpy::cuda_source().expect("it prints");
    assert!(text.contains("y[i] = a * x[i] + y[i];"), "{text}");
    let text = halved::cuda_source().expect("it prints");
    assert!(text.contains("ws_f16{0x3800}"), "{text}");
    let text = block_sums::cuda_source().expect("it prints");
    assert!(text.contains("__shfl_down_sync"), "{text}");
}

#[test]
fn halves_are_rounded_to_the_nearest() {
    assert_eq!(f16::from_f32(0.1).to_bits(), 0x2e66);
    assert_eq!(bf16::from_f32(0.1).to_bits(), 0x3dcd);
    assert_eq!(f16::from_f32(65_520.0).to_f32(), f32::INFINITY);
}

/// Launches where there is a GPU; elsewhere the error says what is missing.
#[test]
fn it_launches_on_a_gpu_or_says_that_there_is_none() {
    match Device::open() {
        Ok(gpu) => launches(&gpu).expect("the GPU runs it"),
        Err(Error::Driver(
            error @ (DriverError::Missing | DriverError::NoDevice { .. } | DriverError::NoSimulator),
        )) => {
            assert!(error.to_string().contains("enable the feature `simulator`"), "{error}");
        }
        Err(other) => panic!("{other}"),
    }
}

fn launches(gpu: &Device) -> Result<()> {
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let (from, mut to) = (gpu.upload(&x)?, gpu.upload(&[1.0f32; 1000])?);
    saxpy(2.0, &from, &mut to).over(1000).launch(gpu)?;
    assert!(gpu.download(&to)?.iter().zip(&x).all(|(y, x)| *y == 2.0 * x + 1.0));
    let numbers: Vec<u32> = (0..1024).collect();
    let (from, mut sums) = (gpu.upload(&numbers)?, gpu.alloc_zeroed::<u32>(4)?);
    block_sums(&from, &mut sums).grid(4).block(256).launch(gpu)?;
    assert_eq!(gpu.download(&sums)?.iter().sum::<u32>(), 1023 * 512);
    Ok(())
}
