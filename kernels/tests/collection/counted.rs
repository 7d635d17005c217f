//! The costs of calls, launch by launch.

use warpsmith::prelude::*;
use warpsmith_kernels::histogram::histogram;
use warpsmith_kernels::sorting::sort;

#[test]
fn each_launch_of_a_call_is_counted_in_order() {
    let device = Device::simulator();
    let x = device.upload(&(0..4096u32).map(|i| i % 8).collect::<Vec<_>>()).unwrap();
    let mut bins = device.alloc_zeroed::<u32>(8).unwrap();
    let launches = histogram(&device, &x, &mut bins).metrics().unwrap();
    assert_eq!(device.download(&bins).unwrap(), [512; 8]);
    // The first launch clears the bins, and the second one reads each value once.
    let loaded: Vec<u64> = launches.iter().map(|launch| launch.total.loads.sectors).collect();
    assert_eq!(loaded, [0, 4096 * 4 / 32]);
}

#[test]
fn a_step_of_many_launches_is_counted_too() {
    let device = Device::simulator();
    let x = device.upload(&(0..500u32).rev().collect::<Vec<_>>()).unwrap();
    let mut y = device.alloc_zeroed::<u32>(500).unwrap();
    let launches = sort(&device, &x, &mut y).metrics().unwrap();
    assert_eq!(launches.len(), 2 + 4); // it counts digits, adds up, and sorts by each of four digits
    assert!(device.download(&y).unwrap().is_sorted());
}
