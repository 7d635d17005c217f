//! More shared memory than static memory holds: the same `shared!`, in dynamic memory.

use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::validate::ValidateError;

use super::{everywhere, written};

const ROWS: usize = 200;

/// Words that each call of a function has for itself beside the kernel's.
#[gpu_fn]
fn largest_of_block(value: u32) -> u32 {
    let mut kept = shared!([u32; 4096], align = 128);
    let t = thread_idx().x;
    kept[t * 64] = value;
    sync_threads();
    let mut largest = 0;
    for i in 0..block_dim().x {
        largest = largest.max(kept[i * 64]);
    }
    sync_threads();
    largest
}

/// Applies a function to a word of each thread, by an array of each instance.
#[gpu_fn]
fn through_memory(apply: impl Fn(u32) -> u32) -> u32 {
    let mut kept = shared!([u32; 64]);
    kept[thread_idx().x] = apply(thread_idx().x);
    sync_threads();
    let result = kept[63 - thread_idx().x];
    sync_threads();
    result
}

#[gpu_kernel]
fn large(x: &[u32], out: &mut [u32]) {
    let mut rows = shared!([[u32; 64]; ROWS]);
    let mut last = shared!([u8; 3]);
    let mut queue = dynamic_shared::<u32>();
    let t = thread_idx().x;
    for row in 0..ROWS {
        rows[row][t] = x[row] * (t + 1);
    }
    if t < 3 {
        last[t] = t as u8 + 7;
    }
    queue[t] = 1000 + t;
    sync_threads();
    let mut sum = 0u32;
    for row in 0..ROWS {
        sum += rows[row][63 - t];
    }
    let own = queue[63 - t] + u32::from(last[t % 3]) + queue.len() as u32 + rows.len() as u32;
    let twice = through_memory(|i| i * 2) + through_memory(|i| i * 3);
    out[t] = sum.wrapping_mul(3) + own + largest_of_block(sum) + twice;
}

#[test]
fn a_kernel_has_more_than_static_memory_without_knowing() {
    everywhere::<large>(&(), |device| {
        let x: Vec<u32> = (0..ROWS as u32).map(|i| i * i % 97 + 1).collect();
        let total: u32 = x.iter().sum();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (64, 0), |out| {
            large(&input, out).grid(1).block(64).dynamic_shared(64 * 4).launch(device)
        });
        for t in 0..64u32 {
            let mirrored = 63 - t;
            let own = 1000 + mirrored + (t % 3 + 7) + 64 + ROWS as u32;
            let want = total * (mirrored + 1) * 3 + own + total * 64 + mirrored * 5;
            assert_eq!(out[t as usize], want, "thread {t} on {}", device.name());
        }
    });
}

#[test]
fn it_lies_in_dynamic_memory_by_alignment() {
    let options = PrintOptions { checks: Checks::None, line_directives: false };
    let source = large::print(&(), &options).expect("prints");
    assert!(source.code.contains("auto& kept = ws_shared_at<unsigned int[4096]>(0u);"), "{}", source.code);
    assert!(source.code.contains("auto& rows = ws_shared_at<unsigned int[ROWS][64]>(16384u);"));
    assert!(source.code.contains("auto& last = ws_shared_at<unsigned char[3]>(67584u);"));
    assert!(source.code.contains("unsigned int* queue = &ws_shared_at<unsigned int>(67600u);"));
    assert!(source.code.contains("__shared__ unsigned int kept[64];"));
    assert_eq!((source.needs.large_shared_bytes, source.needs.static_shared_bytes), (67_600, 512));
}

#[test]
fn a_launch_that_asks_for_more_than_a_device_has_is_refused() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u32>(ROWS).expect("memory");
    let mut out = device.alloc_zeroed::<u32>(64).expect("memory");
    let launch = large(&x, &mut out).grid(1).block(64).dynamic_shared(200_000);
    let message = launch.launch(&device).expect_err("too much").to_string();
    assert!(message.contains("shared memory") && message.contains("232448"), "{message}");
}

#[gpu_kernel]
fn too_large(out: &mut [u32]) {
    let mut a = shared!([u32; 30_000]);
    let mut b = shared!([u32; 30_000]);
    a[thread_idx().x] = 1;
    b[thread_idx().x] = 2;
    out[thread_idx().x] = a[thread_idx().x] + b[thread_idx().x];
}

#[gpu_kernel]
fn child(out: &mut [u32]) {
    let mut a = shared!([u32; 15_000]);
    a[thread_idx().x] = 1;
    out[thread_idx().x] = a[thread_idx().x];
}

#[gpu_kernel]
fn parent(out: &mut [u32]) {
    child(out).grid(1).block(32).launch();
}

#[test]
fn what_no_device_has_is_refused() {
    let Err(error) = too_large::cuda_source() else { panic!("printed") };
    let said = error.to_string();
    assert!(
        said.contains("240000 bytes of `shared!` arrays, and no block of any device has more than 232448"),
        "{said}"
    );
    let Err(error) = parent::cuda_source() else { panic!("printed") };
    let said = error.to_string();
    assert!(said.contains("60000 bytes of `shared!` arrays that must be static"), "{said}");
    assert!(matches!(error, warpsmith::Error::Validate(ValidateError::StaticShared { .. })), "{error:?}");
}
