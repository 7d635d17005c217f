//! Wrong launches, each refused with its limit, and launches that work.

use super::{LaunchShape, Limits, check_attributes};
use crate::driver::Attributes;
use crate::prelude::*;
use crate::{Error, launch::LaunchError};

#[gpu_kernel]
fn fill(y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = i as u32;
    }
}

fn refused(shape: impl FnOnce(Launch<'_, fill>) -> Launch<'_, fill>) -> LaunchError {
    let device = Device::simulator();
    let mut y = device.upload(&[0u32; 8]).expect("simulator memory");
    match shape(fill(&mut y)).launch(&device) {
        Err(Error::Launch(error)) => error,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn wrong_shapes_are_refused_with_their_limit() {
    assert!(matches!(refused(|l| l), LaunchError::NoGrid { .. }));
    assert!(matches!(refused(|l| l.grid(0)), LaunchError::Zero { what: "grid", .. }));
    assert!(matches!(refused(|l| l.over(8).block(0)), LaunchError::Zero { what: "block", .. }));
    assert!(matches!(
        refused(|l| l.over(8).block(2048)),
        LaunchError::Block { limit: 1024, threads: 2048, .. }
    ));
    assert!(matches!(refused(|l| l.grid([1, 70_000])), LaunchError::Extent { axis: 'y', limit: 65_535, .. }));
    assert!(matches!(
        refused(|l| l.grid(1).block([1, 1, 65])),
        LaunchError::Extent { axis: 'z', limit: 64, .. }
    ));
    assert!(matches!(refused(|l| l.grid(3).cluster(2)), LaunchError::ClusterGrid { .. }));
    assert!(matches!(refused(|l| l.grid(32).cluster(32)), LaunchError::ClusterSize { limit: 16, .. }));
    assert!(matches!(
        refused(|l| l.grid(1).dynamic_shared(300_000)),
        LaunchError::SharedMemory { limit: 232_448, .. }
    ));
}

#[test]
fn refusals_say_the_numbers_that_were_given() {
    let said = |error: LaunchError| error.to_string();
    let many = said(refused(|l| l.grid(1).block([u32::MAX; 3])));
    assert!(many.contains("has 79228162458924105385300197375 threads"), "{many}");
    for bytes in [usize::MAX, 1 << 40, 1 << 32, u32::MAX as usize] {
        let much = said(refused(|l| l.grid(1).dynamic_shared(bytes)));
        assert!(much.contains(&format!("{bytes} bytes of dynamic")) && much.contains("232448"), "{much}");
    }
    let negative = said(refused(|l| l.grid(-1)));
    assert!(negative.contains("-1 cannot be an extent of a grid"), "{negative}");
    let huge = said(refused(|l| l.grid(1).block(usize::MAX)));
    assert!(huge.contains("18446744073709551615 cannot be an extent of a block"), "{huge}");
    assert!(said(refused(|l| l.grid(8).cluster(-2))).contains("-2 cannot be an extent of a cluster"));
    // The last setting counts.
    let (device, mut y) = (Device::simulator(), Device::simulator().upload(&[0u32; 8]).expect("memory"));
    fill(&mut y).grid(-1).grid(1).launch(&device).expect("a right launch");
}

#[test]
fn an_attribute_that_the_driver_does_not_know_is_refused() {
    let attributes = Attributes { nvlink_utilisation: true, ..Attributes::default() };
    let shape = LaunchShape { grid: [1; 3], block: [1; 3], cluster: None, dynamic_shared: 0 };
    let check = |driver_version| {
        let limits = Limits { driver_version, ..Limits::SIMULATOR };
        check_attributes::check("fill", &shape, &attributes, &limits, None)
    };
    let old = check(12_080).expect_err("there was none").to_string();
    assert!(old.contains("`.nvlink_utilisation()` needs the driver of CUDA 13.0"), "{old}");
    assert_eq!((check(13_000), check(0)), (Ok(()), Ok(())));
}

#[test]
fn a_grid_covers_its_items_whatever_the_block() {
    let device = Device::simulator();
    for (items, block) in [(1, 1), (1000, 96), (1024, 256)] {
        let mut y = device.upload(&vec![7u32; items]).expect("simulator memory");
        fill(&mut y).over(items).block(block).launch(&device).expect("a right launch");
        let y = device.download(&y).expect("simulator memory");
        assert!(y.iter().enumerate().all(|(i, v)| *v == i as u32), "{items} items in blocks of {block}");
    }
}
