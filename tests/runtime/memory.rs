//! Parts of buffers, copies, and host memory that kernels and copies use.

use corpus::vectors::sum_matrix_2d;
use harness::everywhere;
use warpsmith::Error;
use warpsmith::driver::DriverError;
use warpsmith::host_memory::{Advice, Pinned};
use warpsmith::prelude::*;

/// y[i] = 2 * x[i]
#[gpu_kernel]
fn twice(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = 2.0 * x[i];
    }
}

const N: usize = 10_000;

fn ramp() -> Vec<f32> {
    (0..N).map(|i| i as f32).collect()
}

#[test]
fn parts_are_arguments_and_sides_of_copies() {
    everywhere::<twice>(&(), |device| {
        let stream = device.stream().expect("a stream");
        let x = device.upload(&ramp()).expect("memory");
        let mut y = device.alloc_zeroed::<f32>(N).expect("memory");
        let (from, to) = (x.slice(100..200).expect("a part"), y.slice_mut(7..107).expect("a part"));
        twice(from, to).over(100).on(&stream).launch(device).expect("a kernel");
        stream.copy(x.slice(..3).expect("a part"), y.slice_mut(N - 3..).expect("a part")).expect("a copy");
        let got = device.download(&y).expect("memory");
        let want = (0..N).map(|i| match i {
            7..107 => 2.0 * (i + 93) as f32,
            _ if i >= N - 3 => (i + 3 - N) as f32,
            _ => 0.0,
        });
        assert!(got.iter().copied().eq(want), "on {}", device.name());
        let refused = x.slice(5..N + 1).expect_err("beyond the end");
        assert!(matches!(refused, Error::Driver(DriverError::Range { len: N, .. })), "{refused}");
        let refused = stream.copy(x.slice(..3).expect("a part"), &mut y).expect_err("other lengths");
        assert!(matches!(refused, Error::Driver(DriverError::Length { .. })), "{refused}");
    });
}

#[test]
fn the_host_waits_for_copies_in_flight() {
    everywhere::<twice>(&(), |device| {
        let (left, right) = (device.stream().expect("a stream"), device.stream().expect("a stream"));
        for write_combined in [false, true] {
            let how = Pinned { portable: true, write_combined };
            let mut staging = device.alloc_pinned::<f32>(N, how).expect("pinned memory");
            let mut back = device.alloc_pinned::<f32>(N, Pinned::default()).expect("pinned memory");
            let mut x = device.alloc_zeroed::<f32>(N).expect("memory");
            let mut y = device.alloc_zeroed::<f32>(N).expect("memory");
            for round in 0..20 {
                let value = round as f32;
                staging.host_mut().expect("host memory").fill(value);
                left.copy(&staging, &mut x).expect("a copy");
                staging.host_mut().expect("host memory").fill(-1.0);
                twice(&x, &mut y).over(N).on(&right).launch(device).expect("a kernel");
                left.copy(&y, &mut back).expect("a copy");
                let got = back.host().expect("host memory");
                assert!(got.iter().all(|got| *got == 2.0 * value), "on {}", device.name());
            }
        }
    });
}

#[test]
fn kernels_take_pinned_registered_and_managed_memory() {
    everywhere::<twice>(&(), |device| {
        let stream = device.stream().expect("a stream");
        let mut pinned = device.alloc_pinned::<f32>(N, Pinned::default()).expect("pinned memory");
        let mut managed = device.alloc_managed::<f32>(N).expect("managed memory");
        let mut registered = device.register(vec![0.0f32; N]).expect("registered memory");
        pinned.host_mut().expect("host memory").copy_from_slice(&ramp());
        managed.advise(Advice::PreferDevice).expect("advice");
        managed.prefetch_to_device(&stream).expect("a prefetch");
        twice(&pinned, &mut managed).over(N).on(&stream).launch(device).expect("pinned to managed");
        twice(&managed, &mut registered).over(N).launch(device).expect("managed to registered");
        managed.prefetch_to_host(&stream).expect("a prefetch");
        let factor = |got: &[f32]| got.iter().zip(ramp()).all(|(got, x)| *got == 4.0 * x);
        assert!(factor(registered.host().expect("host memory")), "on {}", device.name());
        assert!(managed.host().expect("host memory").iter().zip(ramp()).all(|(got, x)| *got == 2.0 * x));
        assert!(factor(&registered.into_vec().expect("the vector")), "on {}", device.name());
    });
}

#[test]
fn memory_dropped_in_flight_is_unlocked_after_its_uses() {
    everywhere::<twice>(&(), |device| {
        let stream = device.stream().expect("a stream");
        let mut y = device.alloc_zeroed::<f32>(N).expect("memory");
        for round in 0..10 {
            let x = device.register(vec![round as f32; N]).expect("registered memory");
            twice(&x, &mut y).over(N).on(&stream).launch(device).expect("a kernel");
            drop(x);
            let others = vec![-1.0f32; N];
            let got = device.download(&y).expect("memory");
            assert!(got.iter().all(|got| *got == 2.0 * round as f32), "on {}", device.name());
            drop(others);
        }
    });
}

#[test]
fn free_memory_is_known_and_given_back() {
    everywhere::<twice>(&(), |device| {
        let before = device.mem_info().expect("sizes");
        assert_eq!(before.is_none(), device.is_simulator());
        let big = device.alloc_zeroed::<u8>(1 << 28).expect("memory");
        drop(big);
        device.trim(0).expect("trimmed");
        if let (Some((free, total)), Some((after, _))) = (before, device.mem_info().expect("sizes")) {
            assert!(free <= total && after <= total && after + (1 << 27) > free, "{free} {after} {total}");
        }
    });
}

/// y[row, col] = x[col, row]
#[gpu_kernel]
fn transposed(x: View2<'_, f32>, mut y: ViewMut2<'_, f32>) {
    let (col, row) = (global_id() as usize, block_idx().y as usize);
    if row < y.rows() && col < y.cols() {
        y[(row, col)] = x[(col, row)];
    }
}

#[test]
fn pitched_rows_are_aligned_and_copied_dense() {
    everywhere::<transposed>(&(), |device| {
        let (rows, cols) = (37, 113);
        let dense: Vec<f32> = ramp()[..rows * cols].to_vec();
        let mut x = device.alloc_pitched::<f32>(rows, cols).expect("memory");
        let mut y = device.alloc_pitched::<f32>(cols, rows).expect("memory");
        assert!(x.pitch() >= cols * 4 && x.pitch().is_multiple_of(128), "{}", x.pitch());
        x.write(&dense).expect("a copy");
        transposed(x.view2(), y.view2_mut())
            .grid([1, cols as u32])
            .block(64)
            .launch(device)
            .expect("a kernel");
        let want = (0..rows * cols).map(|i| dense[i % rows * cols + i / rows]);
        assert!(y.to_vec().expect("a copy").into_iter().eq(want), "on {}", device.name());
        assert_eq!(x.to_vec().expect("a copy"), dense, "on {}", device.name());
        let refused = x.write(&dense[1..]).expect_err("one element less");
        assert!(matches!(refused, Error::Driver(DriverError::Length { .. })), "{refused}");
        let odd = device.alloc_pitched::<[f32; 3]>(5, 7).expect("memory");
        assert!(odd.pitch().is_multiple_of(12), "a stride is whole elements");
    });
}

/// The address at which the kernel sees a slice begin, as a number.
#[gpu_kernel]
fn begin_of(x: &[f32], begin: &mut [u64]) {
    begin[0] = x.as_ptr() as u64;
}

/// The course's matrix addition without a copy: host and kernel use the same memory at the same address.
#[test]
fn a_matrix_addition_takes_managed_and_mapped_memory_at_the_host_s_address() {
    let (nx, ny) = (129usize, 67usize);
    let n = nx * ny;
    // Adds what the host writes, in memory that it allocates by `$alloc`, and reads the sums there.
    macro_rules! added {
        ($device:ident, $alloc:expr) => {{
            let device: &Device = $device;
            let [mut a, mut b, mut c] = [(); 3].map(|()| $alloc(device).expect("memory"));
            a.host_mut().expect("host memory").iter_mut().zip(0..).for_each(|(a, i)| *a = i as f32);
            b.host_mut().expect("host memory").iter_mut().zip(0..).for_each(|(b, i)| *b = 2.0 * i as f32);
            let launch = sum_matrix_2d(&a, &b, &mut c, nx as u32, ny as u32);
            launch.over_2d([nx, ny]).block([32, 8]).launch(device).expect("a kernel");
            let got = c.host().expect("host memory");
            assert!(got.iter().zip(0..).all(|(got, i)| *got == 3.0 * i as f32), "on {}", device.name());
            let mut begin = device.upload(&[0u64]).expect("memory");
            begin_of(&c, &mut begin).grid(1).block(1).launch(device).expect("a kernel");
            let on_device = device.download(&begin).expect("memory")[0];
            assert_eq!(on_device, c.host().expect("host memory").as_ptr() as u64, "on {}", device.name());
        }};
    }
    everywhere::<sum_matrix_2d>(&(), |device| {
        added!(device, |device: &Device| device.alloc_managed::<f32>(n));
        added!(device, |device: &Device| device.alloc_pinned::<f32>(n, Pinned::default()));
        added!(device, |device: &Device| device.register(vec![0.0f32; n]));
    });
}
