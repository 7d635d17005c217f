//! Reductions against references on the host.

use warpsmith::prelude::*;
use warpsmith_kernels::reduction::{Sum, reduce};

#[test]
fn the_sum_of_any_length() {
    let device = Device::simulator();
    for n in [0, 1, 31, 32, 33, 1000, 20000, 70000] {
        let x: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let mut y = device.alloc_zeroed::<f32>(1).unwrap();
        let buffer = device.upload(&x).unwrap();
        reduce::<Sum<f32>>(&device, &buffer, &mut y).run().unwrap();
        assert_eq!(device.download(&y).unwrap(), [x.iter().sum::<f32>()], "{n}");
    }
}
