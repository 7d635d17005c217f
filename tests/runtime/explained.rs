//! Facts from a launch's machine code: the cost of its checks, and the loops that the compiler unrolled.

use warpsmith::Error;
use warpsmith::launch::{Explanation, Unrolled};
use warpsmith::nvrtc::NvrtcError;
use warpsmith::prelude::*;

#[gpu_fn]
fn weighted(x: &[f32], at: u32, weight: f32) -> f32 {
    x[at] * weight
}

#[gpu_kernel]
fn loops(x: &[f32], order: &[u32], y: &mut [f32], n: u32) {
    let i = global_id();
    let mut sum = 0.0;
    for k in 0..4u32 {
        sum += x[k];
    }
    #[unroll(2)]
    for k in 0..x.len() {
        sum *= x[k];
    }
    #[unroll(1)]
    for k in 0..x.len() {
        sum += x[k];
    }
    for k in 0..n {
        y[order[order[k]]] = sum;
    }
    #[unroll(1)]
    for k in 0..n {
        for j in 0..3u32 {
            sum += weighted(x, j, 2.0);
        }
        y[k] = sum;
    }
    if i < y.len() {
        y[i] = sum;
    }
}

fn explained(n: u32) -> Explanation {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 64]).expect("memory");
    let order = device.upload(&[0u32; 64]).expect("memory");
    let mut y = device.upload(&[0.0f32; 64]).expect("memory");
    loops(&x, &order, &mut y, n).over(64).explain().expect("it is valid")
}

#[test]
#[cfg_attr(nvrtc, ignore = "needs a machine without NVRTC")]
fn without_nvrtc_one_line_says_that_it_is_missing() {
    let explained = explained(20);
    assert_eq!(explained.cost().expect_err("there is none"), Error::Nvrtc(NvrtcError::Missing));
    let text = explained.to_string();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("NVRTC")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(
        lines[0].starts_with("Registers and the cost of checks are left out: NVRTC is missing"),
        "{text}"
    );
    assert!(text.starts_with(&explained.proven()), "{text}");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn the_cost_of_checks_is_that_of_both_forms() {
    harness::needs_nvrtc();
    let device = Device::simulator();
    let (x, order) =
        (device.upload(&[1.0f32; 64]).expect("memory"), device.upload(&[0u32; 64]).expect("memory"));
    let mut y = device.upload(&[0.0f32; 64]).expect("memory");
    let explained = counted_up(&x, &order, &mut y).over(64).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 1, "{explained}");
    let cost = explained.cost().expect("it compiles");
    let [checked, unchecked] = [&cost.checked, &cost.unchecked].map(|of| of.instructions.expect("counted"));
    assert!(checked > unchecked, "{checked} instructions against {unchecked}");
    assert!(cost.checked.registers >= cost.unchecked.registers, "{cost}");
    assert!(cost.times.is_none() && cost.arch.to_string() == "sm_90", "{cost}");
    let text = explained.to_string();
    assert!(text.contains(&format!("  instructions          {checked:>11} {unchecked:>10}\n")), "{text}");
    // A kernel without checks has one form.
    let none = filled(&mut y).over(64).explain().expect("it is valid");
    let cost = none.cost().expect("it compiles");
    assert_eq!(cost.checked, cost.unchecked);
}

#[gpu_kernel]
fn filled(y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = 1.0;
    }
}

#[test]
#[cfg_attr(not(all(nvrtc, nvdisasm)), ignore = "needs NVRTC and `nvdisasm`")]
fn machine_code_tells_what_the_compiler_unrolled() {
    harness::needs_nvrtc();
    let explained = explained(20);
    let unrolled = match explained.unrolled() {
        Ok(unrolled) => unrolled,
        // `cuobjdump` alone writes no lines.
        Err(Error::Dump(missing)) => return println!("skipped: {missing}"),
        Err(error) => panic!("{error}"),
    };
    let expected = [
        Some(Unrolled::Wholly),
        Some(Unrolled::By(2)),
        Some(Unrolled::Not),
        Some(Unrolled::Not),
        Some(Unrolled::Not),
        // Its lines are those of a function, and of the call.
        Some(Unrolled::Wholly),
    ];
    assert_eq!(unrolled, expected, "{explained}");
    let text = explained.to_string();
    for told in [
        "for k in 0..4: unrolled wholly (4 iterations)\n",
        "for k in 0..x.len(): unrolled by 2 (`#[unroll(2)]`)\n",
        "for k in 0..x.len(): not unrolled, because `#[unroll(1)]` forbids it\n",
        "for k in 0..n: not unrolled, because `order[order[k]]` and `y[order[order[k]]]` are checked in it\n",
        "for j in 0..3: unrolled wholly (3 iterations)\n",
    ] {
        assert!(text.contains(told), "{told}{text}");
    }
}

#[gpu_kernel]
fn counted_up(x: &[f32], order: &[u32], y: &mut [f32]) {
    let i = global_id();
    if i < order.len() && i < y.len() {
        y[i] += x[order[i]];
    }
}

/// Each timed launch begins with the same memory, and in the end it is as it was.
#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn both_forms_are_timed_and_leave_the_memory_as_it_was() {
    let gpu = harness::needs_gpu();
    let count = 1 << 20;
    let x = gpu.upload(&vec![1.0f32; count]).expect("memory");
    let order = gpu.upload(&(0..count as u32).rev().collect::<Vec<_>>()).expect("memory");
    let mut y = gpu.upload(&vec![2.0f32; count]).expect("memory");
    let launch = counted_up(&x, &order, &mut y).over(count);
    // SAFETY: each of `order` is an index of `x`.
    let explained = unsafe { launch.explain_timed(&gpu, 20) }.expect("it runs");
    let times = explained.cost().expect("it compiles").times.clone().expect("they were measured");
    assert_eq!((times.rounds, times.device.as_str()), (20, gpu.name()));
    assert!(times.checked.as_nanos() > 0 && times.unchecked.as_nanos() > 0, "{times:?}");
    println!("{explained}");
    assert_eq!(gpu.download(&y).expect("memory"), vec![2.0; count]);
    // A launch that fails is not repeated without its checks.
    let beyond = gpu.upload(&vec![u32::MAX; count]).expect("memory");
    let launch = counted_up(&x, &beyond, &mut y).over(count);
    // SAFETY: the checked form, which is first, fails.
    let fault = unsafe { launch.explain_timed(&gpu, 20) }.expect_err("out of bounds").to_string();
    assert!(fault.contains("is out of bounds for length 1048576"), "{fault}");
    assert_eq!(gpu.download(&y).expect("memory"), vec![2.0; count]);
}

#[test]
fn the_simulator_times_nothing() {
    let device = Device::simulator();
    let (x, order) =
        (device.upload(&[1.0f32; 4]).expect("memory"), device.upload(&[3u32; 4]).expect("memory"));
    let mut y = device.upload(&[2.0f32; 4]).expect("memory");
    let launch = counted_up(&x, &order, &mut y).over(4);
    // SAFETY: each of `order` is an index of `x`.
    let explained = unsafe { launch.explain_timed(&device, 20) }.expect("it is valid");
    assert_eq!(explained.checked().count(), 1);
    assert_eq!(device.download(&y).expect("memory"), [2.0; 4]);
}
