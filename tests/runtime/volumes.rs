//! Pitched volumes: what kernels, copies of boxes and the host see of them.

use harness::everywhere;
use warpsmith::Error;
use warpsmith::driver::DriverError;
use warpsmith::host_memory::Pinned;
use warpsmith::prelude::*;

/// Every element gets its coordinates, on top of what it was.
#[gpu_kernel]
fn coordinates(mut v: ViewMut3<'_, u32>) {
    let (plane, row) = (block_idx().y as usize, block_idx().x as usize);
    for col in (thread_idx().x as usize..v.cols()).step_by(block_dim().x as usize) {
        v[(plane, row, col)] += (plane * 10_000 + row * 100 + col) as u32;
    }
}

/// Sum of the neighbours of each element that lie within the volume.
#[gpu_kernel]
fn neighbours(x: View3<'_, u32>, mut y: ViewMut3<'_, u32>) {
    let (p, r, c) = (block_idx().y as usize, block_idx().x as usize, thread_idx().x as usize);
    if c < x.cols() {
        let mut sum = 0;
        if p > 0 {
            sum += x[(p - 1, r, c)];
        }
        if p + 1 < x.planes() {
            sum += x.plane(p + 1)[(r, c)];
        }
        if r > 0 {
            sum += x.plane(p).row(r - 1)[c];
        }
        if r + 1 < x.rows() {
            sum += x[(p, r + 1, c)];
        }
        y[(p, r, c)] = sum;
    }
}

const EXTENTS: [usize; 3] = [5, 7, 61];

fn value([plane, row, col]: [usize; 3]) -> u32 {
    (plane * 10_000 + row * 100 + col) as u32
}

/// The elements of a box from a corner on, in the order of a dense copy.
fn dense(from: [usize; 3], extents: [usize; 3], value: impl Fn([usize; 3]) -> u32) -> Vec<u32> {
    let mut all = Vec::new();
    for plane in 0..extents[0] {
        for row in 0..extents[1] {
            all.extend((0..extents[2]).map(|col| value([from[0] + plane, from[1] + row, from[2] + col])));
        }
    }
    all
}

#[test]
fn kernels_index_planes_and_rows_by_their_strides() {
    everywhere::<neighbours>(&(), |device| {
        let [planes, rows, cols] = EXTENTS;
        let mut x = device.alloc_pitched_3d::<u32>(planes, rows, cols).expect("memory");
        let mut y = device.alloc_pitched_3d::<u32>(planes, rows, cols).expect("memory");
        assert!(x.pitch() >= cols * 4 && x.pitch().is_multiple_of(128), "{}", x.pitch());
        let grid = [rows as u32, planes as u32];
        coordinates(x.view3_mut()).grid(grid).block(32).launch(device).expect("a kernel");
        assert_eq!(x.to_vec().expect("a copy"), dense([0; 3], EXTENTS, value), "on {}", device.name());
        neighbours(x.view3(), y.view3_mut()).grid(grid).block(64).launch(device).expect("a kernel");
        let at = |p: usize, r: usize, c: usize| if p < planes && r < rows { value([p, r, c]) } else { 0 };
        let want = dense([0; 3], EXTENTS, |[p, r, c]| {
            at(p.wrapping_sub(1), r, c) + at(p + 1, r, c) + at(p, r.wrapping_sub(1), c) + at(p, r + 1, c)
        });
        assert_eq!(y.to_vec().expect("a copy"), want, "on {}", device.name());
    });
}

#[test]
fn boxes_are_copied_to_and_from_the_host() {
    everywhere::<coordinates>(&(), |device| {
        let [planes, rows, cols] = EXTENTS;
        let mut v = device.alloc_pitched_3d::<u32>(planes, rows, cols).expect("memory");
        v.write(&dense([0; 3], EXTENTS, value)).expect("a copy");
        let inner = v.part(1..4, 2..=5, 10..).expect("a box");
        assert_eq!(inner.extents(), [3, 4, 51]);
        assert_eq!(inner.to_vec().expect("a copy"), dense([1, 2, 10], [3, 4, 51], value));
        let within = inner.part(1.., ..2, 50..).expect("a box in a box");
        assert_eq!(within.to_vec().expect("a copy"), dense([2, 2, 60], [2, 2, 1], value));
        v.part_mut(1..3, 6.., 3..5).expect("a box").write(&[1, 2, 3, 4]).expect("a copy");
        let want = dense([0; 3], EXTENTS, |at| match at {
            [plane @ 1..3, 6, col @ 3..5] => (plane * 2 + col - 4) as u32,
            at => value(at),
        });
        assert_eq!(v.to_vec().expect("a copy"), want, "on {}", device.name());
        assert!(v.part(2..2, .., ..).expect("an empty box").to_vec().expect("a copy").is_empty());
        v.part_mut(.., ..0, ..).expect("an empty box").write(&[]).expect("a copy of nothing");
    });
}

#[test]
fn streams_copy_boxes_between_volumes_matrices_and_dense_memory() {
    everywhere::<coordinates>(&(), |device| {
        let stream = device.stream().expect("a stream");
        let mut staging = device.alloc_pinned::<u32>(3 * 4 * 20, Pinned::default()).expect("pinned memory");
        let mut v = device.alloc_pitched_3d::<u32>(4, 6, 30).expect("memory");
        let mut w = device.alloc_pitched_3d::<u32>(3, 9, 50).expect("memory");
        let mut m = device.alloc_pitched::<u32>(4, 20).expect("memory");
        let mut back = device.alloc_zeroed::<u32>(100).expect("memory");
        coordinates(v.view3_mut()).grid([6, 4]).block(32).on(&stream).launch(device).expect("a kernel");
        let extents = [3, 4, 20];
        let to = staging.part_mut().volume(3, 4, 20).expect("a dense volume");
        stream.copy_box(v.part(1.., 1..5, 5..25).expect("a box"), to).expect("to page-locked memory");
        assert_eq!(
            staging.host().expect("elements"),
            dense([1, 1, 5], extents, value),
            "on {}",
            device.name()
        );
        let from = staging.slice(..).expect("all").volume(3, 4, 20).expect("a dense volume");
        stream.copy_box(from, w.part_mut(.., 5.., 30..).expect("a box")).expect("to a volume");
        stream.copy_box(w.part(2.., 5.., 30..).expect("a plane of the box"), &mut m).expect("to a matrix");
        let part = m.part(1..3, 10..).expect("some rows");
        stream
            .copy_box(part, back.slice_mut(7..).expect("a part").volume(1, 2, 10).expect("a volume"))
            .expect("dense");
        assert_eq!(m.to_vec().expect("a copy"), dense([3, 1, 5], [1, 4, 20], value), "on {}", device.name());
        let back = device.download(&back).expect("a copy");
        assert_eq!(back[7..27], dense([3, 2, 15], [1, 2, 10], value), "on {}", device.name());
        assert!(back[..7].iter().chain(&back[27..]).all(|rest| *rest == 0));
        assert_eq!(
            w.to_vec().expect("a copy").iter().filter(|element| **element == 0).count(),
            3 * 9 * 50 - 240
        );
    });
}

#[test]
fn boxes_that_do_not_fit_are_refused() {
    everywhere::<coordinates>(&(), |device| {
        let stream = device.stream().expect("a stream");
        let mut v = device.alloc_pitched_3d::<u32>(4, 6, 30).expect("memory");
        let mut x = device.alloc_zeroed::<u32>(100).expect("memory");
        let refused = v.part(.., 3..7, ..).expect_err("seven rows of six");
        assert!(
            matches!(refused, Error::Driver(DriverError::Range { start: 3, end: 7, len: 6 })),
            "{refused}"
        );
        let refused = v.part_mut(.., .., ..2).expect("a box").write(&[0; 47]).expect_err("one less");
        assert!(matches!(refused, Error::Driver(DriverError::Length { buffer: 48, host: 47 })), "{refused}");
        assert!(x.slice(..).expect("all").volume(2, 5, 11).is_err(), "110 elements of 100");
        assert!(x.slice(..).expect("all").volume(usize::MAX, 2, 2).is_err());
        let to = x.slice_mut(..).expect("all").volume(2, 5, 10).expect("a volume");
        let refused =
            stream.copy_box(v.part(..2, ..5, ..11).expect("a box"), to).expect_err("11 columns to 10");
        assert!(refused.to_string().contains("[2, 5, 11]"), "{refused}");
        let refused = device.alloc_pitched_3d::<u32>(2, 2, 1 << 29).expect_err("rows of 2 GiB");
        assert!(matches!(refused, Error::Driver(DriverError::Pitch { .. })), "{refused}");
        assert!(device.alloc_pitched_3d::<u32>(usize::MAX, 2, 2).is_err());
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_volume_of_the_simulator_is_not_copied_on_a_gpu() {
    let gpu = harness::needs_gpu();
    let here = Device::simulator().alloc_pitched_3d::<u32>(1, 2, 3).expect("memory");
    let mut there = gpu.alloc_pitched_3d::<u32>(1, 2, 3).expect("memory");
    assert!(gpu.stream().expect("a stream").copy_box(&here, &mut there).is_err());
}
