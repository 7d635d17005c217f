//! Mistakes that are refused when a kernel is recorded, and those that the host refuses before a launch.

use warpsmith::Kernel;
use warpsmith::prelude::*;

use super::is_quoted;
use super::kernels::*;

/// A tile that no block has room for.
#[gpu_kernel]
fn too_much_shared(y: &mut [f32]) {
    let mut rows = shared!([f32; 60000]);
    rows[0] = 1.0;
    y[0] = rows[0];
}

#[test]
fn a_kernel_is_validated_when_it_is_recorded() {
    let said = parted_warpgroup::cuda_source().expect_err("threads of a warpgroup part").to_string();
    is_quoted("an operation of a warpgroup in a branch that parts it", &said);
    let said = elected_alone::cuda_source_for(&()).expect_err("lanes of a warp part").to_string();
    is_quoted("an operation of a warp in a branch on `elect_one`", &said);
    let said = too_much_shared::cuda_source().expect_err("no such block").to_string();
    is_quoted("stages larger than a block's shared memory", &said);
}

#[test]
fn limits_of_maps_are_checked_on_the_host() {
    let device = Device::simulator();
    let x = device.upload(&[0.0f32; 1024]).expect("memory");
    let said = |map: warpsmith::Result<_>| map.map(drop).expect_err("no map").to_string();
    let part = x.slice(3..).expect("a part");
    is_quoted("a map whose address is no multiple of 16", &said(part.tensor_map::<4, 8, Unswizzled>(10, 32)));
    is_quoted(
        "a map whose rows are no multiple of 16 bytes apart",
        &said(x.tensor_map::<4, 8, Unswizzled>(10, 30)),
    );
    let volume = x.slice(..).expect("a part").volume(2, 8, 8).expect("a volume");
    is_quoted("a map of a matrix of several planes", &said(volume.tensor_map::<4, 8, Unswizzled>()));
}
