//! The conditions of a kernel that launches fulfil, whichever the launch before fulfilled.

use crate::launch::AskedConditions;
use crate::prelude::*;

#[gpu_kernel]
fn scaled(x: &[f32], y: &mut [f32], n: u32, stride: u32) {
    let i = global_id() as u32;
    if i < n {
        y[i] = x[i * stride];
    }
}

#[test]
fn each_launch_is_asked_anew() {
    let device = Device::simulator();
    let (long, short) =
        (device.upload(&[1.0f32; 256]).expect("memory"), device.upload(&[1.0f32; 32]).expect("memory"));
    let mut y = device.upload(&[0.0f32; 64]).expect("memory");
    let asked = AskedConditions::new(&scaled(&long, &mut y, 64, 1).over(64)).expect("it is valid");
    assert!(asked.count() > 2);
    let launches = [
        (true, 64, 1),
        (true, 64, 1),
        (true, 64, 4),
        (true, 64, 5),
        (false, 64, 1),
        (true, 64, 1),
        (true, 65, 1),
    ];
    let fulfilled: Vec<[u64; 3]> = launches
        .iter()
        .map(|(is_long, n, stride)| {
            let x = if *is_long { &long } else { &short };
            asked.of(&scaled(x, &mut y, *n, *stride).over(64)).expect("it has a shape")
        })
        .collect();
    let fresh: Vec<[u64; 3]> = launches
        .iter()
        .map(|(is_long, n, stride)| {
            let launch = scaled(if *is_long { &long } else { &short }, &mut y, *n, *stride).over(64);
            AskedConditions::new(&launch).and_then(|asked| asked.of(&launch)).expect("it has a shape")
        })
        .collect();
    assert_eq!(fulfilled, fresh);
    let checks: Vec<u64> = fulfilled.iter().map(|[checks, ..]| *checks).collect();
    assert_eq!(checks[0], checks[1]);
    assert_eq!(checks[0], checks[2], "4 * 63 is an index");
    for (at, differs) in [(3, true), (4, true), (5, false), (6, true)] {
        assert_eq!(checks[at] != checks[0], differs, "launch {at}: {checks:?}");
    }
}
