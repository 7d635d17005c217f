//! The message of an assertion about a launch that does not hold.

use std::panic::{AssertUnwindSafe, catch_unwind};

use corpus::access::{Float2, array_of_cuda_float2, array_of_structure, write_offset};
use corpus::divergence::{math_kernel1, math_kernel2};
use corpus::shared_layout::{set_row_read_col, set_row_read_col_pad};
use warpsmith::prelude::*;
use warpsmith::testing::{assert_coalesced, assert_conflict_free, assert_race_free, assert_uniform};

/// The words of an assertion that does not hold.
#[track_caller]
fn refusal(assertion: impl FnOnce()) -> String {
    let panicked = catch_unwind(AssertUnwindSafe(assertion)).expect_err("it does not hold");
    panicked.downcast_ref::<String>().expect("it has words").clone()
}

#[track_caller]
fn check(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is missing:\n{text}"));
}

#[test]
fn an_array_of_structs_is_not_coalesced() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let pairs = device.upload(&[Float2 { x: 1.0, y: 2.0 }; 64])?;
    let mut out = device.upload(&[Float2 { x: 0.0, y: 0.0 }; 64])?;
    let text = refusal(|| {
        assert_coalesced!(array_of_structure(&pairs, &mut out, 64).over(64), &device);
    });
    let first =
        "kernel `array_of_structure` moves more of global memory than it uses\n  tests/corpus/access.rs:";
    check(&text, &[first, "50.0 % of what is moved is used", "help: let neighbouring lanes"]);
    let pairs = device.upload(&[F32x2::splat(1.0); 64])?;
    let mut out = device.upload(&[F32x2::splat(0.0); 64])?;
    let metrics = assert_coalesced!(array_of_cuda_float2(&pairs, &mut out, 64).over(64), &device);
    assert_eq!(metrics.total.loads.sectors, 16);
    Ok(())
}

#[test]
fn a_bound_lets_some_sectors_be_moved_in_vain() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let (a, b) = (device.upload(&[1.0f32; 512])?, device.upload(&[1.0f32; 512])?);
    let mut c = device.upload(&[0.0f32; 512])?;
    assert_coalesced!(write_offset(&a, &b, &mut c, 512, 11).over(256), &device, 80.0);
    let text = refusal(|| {
        assert_coalesced!(write_offset(&a, &b, &mut c, 512, 11).over(256), &device, 81.0);
    });
    check(&text, &["its stores touch 40 sectors of 32 bytes where the bytes that are used fill 32"]);
    Ok(())
}

#[test]
fn a_column_of_a_tile_conflicts_until_it_is_padded() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut out = device.upload(&[0u32; 1024])?;
    let text = refusal(|| {
        assert_conflict_free!(set_row_read_col(&mut out).grid(1).block([32, 32]), &device);
    });
    check(&text, &["has bank conflicts", "take 1024 wavefronts where 32 would do", "help: pad the rows"]);
    assert_conflict_free!(set_row_read_col_pad(&mut out).grid(1).block([32, 32]), &device);
    Ok(())
}

#[test]
fn a_condition_on_whole_warps_is_uniform() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut c = device.upload(&[0.0f32; 128])?;
    let text = refusal(|| {
        assert_uniform!(math_kernel1(&mut c).over(128).block(64), &device);
    });
    check(&text, &["kernel `math_kernel1` diverges", "at 4 of 4 branches", "thread_idx().x / 32"]);
    assert_uniform!(math_kernel2(&mut c).over(128).block(64), &device);
    Ok(())
}

#[test]
fn a_launch_that_fails_says_why() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut c = device.upload(&[0.0f32; 100])?;
    let text = refusal(|| {
        assert_coalesced!(math_kernel1(&mut c).over(128).block(64), &device);
    });
    check(&text, &["the launch cannot be measured", "out of bounds", "100"]);
    Ok(())
}

/// Turns the elements of a block round; without its barrier it races.
#[gpu_kernel]
fn reversed(x: &mut [u32], #[comptime] waits: bool) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = x[t];
    if waits {
        sync_threads();
    }
    x[t] = tile[63 - t];
}

#[test]
fn a_missing_barrier_is_a_race_with_both_its_lines() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut x = device.upload(&[7u32; 64])?;
    assert_race_free!(reversed(&mut x, true).grid(1).block(64), &device);
    let text = refusal(|| assert_race_free!(reversed(&mut x, false).grid(1).block(64), &device));
    check(&text, &["kernel `reversed` cannot be called free of races", "assertions.rs:"]);
    let line =
        |code: &str| 1 + include_str!("assertions.rs").lines().position(|l| l.trim() == code).unwrap_or(0);
    check(&text, &[&format!(":{}", line("tile[t] = x[t];")), &format!(":{}", line("x[t] = tile[63 - t];"))]);
    Ok(())
}
