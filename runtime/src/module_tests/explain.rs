//! Tests of a launch's explanation of its checks.

use crate::launch::Why;
use crate::prelude::*;

#[gpu_kernel]
fn gathered(x: &[f32], order: &[u32], y: &mut [f32], stride: u32) {
    let i = global_id();
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..4u32 {
            sum += x[order[i] + k] + x[k * stride];
        }
        y[i] = sum;
    }
}

struct Memory {
    device: Device,
    x: Buffer<f32>,
    order: Buffer<u32>,
    y: Buffer<f32>,
}

fn memory(order: usize) -> Memory {
    let device = Device::simulator();
    let (x, y) = (device.upload(&[1.0f32; 40]), device.upload(&[0.0f32; 32]));
    let order = device.upload(&vec![0u32; order]).expect("memory");
    Memory { x: x.expect("memory"), y: y.expect("memory"), order, device }
}

#[test]
fn each_index_says_why_it_is_checked_or_not() {
    let Memory { x, order, mut y, .. } = memory(32);
    let explained = gathered(&x, &order, &mut y, 13).over(32).explain().expect("it is valid");
    let why: Vec<(&str, usize, &Why)> =
        explained.indices.iter().map(|index| (&*index.text, index.loops, &index.why)).collect();
    let launch = |condition: &str| Why::Launch(vec![condition.to_owned()]);
    let missing = Why::Checked(vec!["`order[i] + k < x.len()`".into()]);
    assert_eq!(
        why,
        [
            ("order[i]", 1, &launch("y.len() - 1 < order.len()")),
            ("x[order[i] + k]", 1, &missing),
            ("x[k * stride]", 1, &launch("3 * stride < x.len()")),
            ("y[i]", 0, &Why::Text),
        ]
    );
    assert_eq!(explained.checked().count(), 1);
}

#[test]
fn what_a_launch_fails_is_named() {
    let Memory { x, order, mut y, .. } = memory(31);
    let explained = gathered(&x, &order, &mut y, 13).over(32).explain().expect("it is valid");
    let text = explained.to_string();
    let failed =
        "order[i], in a loop: checked here; this launch would prove it if `y.len() - 1 < order.len()`";
    assert!(text.contains(failed), "{text}");
    assert!(text.starts_with("gathered: 2 of 4 indices are checked\n"), "{text}");
    let line = format!("{}:12\n", file!());
    assert!(text.contains(&line), "{text}");
}

#[test]
fn the_cuda_of_a_launch_has_the_checks_that_it_does_not_prove() {
    // Lengths that fit `int` are compared as such, and the parameter of a lambda compares in loops that are compiled twice.
    let names = ["ws_at(", "ws_at_int(", "check(", "check.any(", "check.other("];
    let calls = |text: &str| names.map(|name| text.matches(name).count()).iter().sum::<usize>();
    let checks = |text: &str| calls(text) + super::elision::together(text);
    for (order, left) in [(32, 1), (31, 2)] {
        let Memory { x, order, mut y, .. } = memory(order);
        let text = gathered(&x, &order, &mut y, 13).over(32).cuda_source().expect("it is valid");
        assert_eq!(checks(&text), left, "{text}");
    }
    assert_eq!(checks(&gathered::checked_cuda_source_for(&()).expect("it is valid")), 3);
}

#[gpu_kernel]
fn totals(y: &mut [f32], rows: i32) {
    let mut shared = dynamic_shared::<f32>();
    let t = thread_idx().x as i32;
    for row in 0..rows {
        shared[row * 32 + t] = 1.0;
    }
    y[t] = shared[t];
}

/// The conditions of a launch are about its dynamic shared memory too, and a launch that fails them faults at the line.
#[test]
fn a_launch_with_too_little_shared_memory_is_checked() {
    let Memory { device, mut y, .. } = memory(1);
    for (bytes, checked) in [(512, 0), (508, 1)] {
        let launch = totals(&mut y, 4).grid(1).block(32).dynamic_shared(bytes);
        assert_eq!(launch.explain().expect("it is valid").checked().count(), checked, "{bytes}");
        assert_eq!(launch.launch(&device).is_err(), checked > 0, "{bytes}");
    }
}

/// Words of two bytes more than half of what a slice begins with.
#[gpu_kernel]
fn words(bytes: &[u8], y: &mut [f32]) {
    let words = bytes.reinterpret::<u32>();
    let i = global_id();
    if i < words.len() && i < y.len() {
        y[i] = words[i] as f32;
    }
}

#[test]
fn a_launch_proves_how_its_memory_is_aligned() {
    let Memory { device, mut y, .. } = memory(1);
    let bytes = device.upload(&[0u8; 64]).expect("memory");
    let checked = |from: usize, y: &mut Buffer<f32>| {
        let part = bytes.slice(from..64).expect("it is a part");
        words(part, y).over(8).explain().expect("it is valid").checked().count()
    };
    assert_eq!([checked(0, &mut y), checked(4, &mut y), checked(2, &mut y)], [0, 0, 1]);
}

#[gpu_kernel]
fn looped(x: &[f32], order: &[u32], y: &mut [f32], n: u32, stride: u64) {
    let mut sum = 0.0;
    for k in 0..4u32 {
        sum += x[k];
    }
    for k in (0..x.len()).step_by(stride as usize) {
        sum += x[k];
    }
    for k in 0..n {
        sum += x[order[order[k]]];
    }
    for k in 0..n {
        y[order[order[k]]] = 1.0;
    }
    #[unroll(2)]
    for k in 0..x.len() {
        if x[k] > 4.0 {
            break;
        }
    }
    #[unroll(1)]
    for k in 0..x.len() {
        sum *= x[k];
    }
    let mut s = n;
    while s > 0 {
        s /= 2;
        for k in (0..=n).rev() {
            sum += k as f32;
        }
    }
    y[0] = sum;
}

/// The explanation of each loop, without a compiler.
#[test]
fn each_loop_says_what_lets_it_be_unrolled_or_hinders_that() {
    let Memory { x, order, mut y, .. } = memory(32);
    // More than `int` has: the step may pass the end of its type.
    let stride = u64::MAX - 7;
    let explained = looped(&x, &order, &mut y, 20, stride).over(32).explain().expect("it is valid");
    let first = line!() - 43;
    let text = explained.proven();
    for (line, told) in [
        (4, "for k in 0..4: the compiler may unroll it (4 iterations)"),
        (
            7,
            "for k in (0..x.len()).step_by(stride): may stay as it is, because its counter may reach the end of its type",
        ),
        (
            10,
            "for k in 0..n: the compiler may unroll it; compiled twice: first with failures noted, then to report one",
        ),
        (
            13,
            "for k in 0..n: may stay as it is, because `order[order[k]]` and `y[order[order[k]]]` are checked in it",
        ),
        (17, "for k in 0..x.len(): the compiler is asked to unroll it (`#[unroll(2)]`)"),
        (23, "for k in 0..x.len(): not unrolled, because `#[unroll(1)]` forbids it"),
        (
            27,
            "while s > 0: may stay as it is, because its iterations are not counted before the first and another loop \
             is in it",
        ),
    ] {
        let expected = format!("{}:{}\n    {told}\n", file!(), first + line);
        assert!(text.contains(&expected), "{expected}\n{text}");
    }
    assert!(text.contains("for k in (0..=n).rev(): "), "{text}");
    let hindrances: Vec<usize> = explained.loops.iter().map(|own| own.hindrances.len()).collect();
    assert_eq!(hindrances[..7], [0, 1, 0, 1, 1, 1, 2], "{text}");
}

#[gpu_kernel(coarsen)]
fn doubled(x: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[test]
fn a_coarsened_launch_says_how_many_elements_a_thread_does() {
    let Memory { mut y, .. } = memory(32);
    let explain = |launch: Launch<'_, doubled>| launch.explain().expect("it is valid");
    let coarsened = explain(doubled(&mut y).over(32).coarsen(8));
    assert_eq!(coarsened.elements, Some(8));
    assert!(coarsened.proven().contains("each thread does 8 elements, together if none is left out\n"));
    assert_eq!(explain(doubled(&mut y).over(32).coarsen(1)).elements, None);
}

#[test]
fn a_coarsened_launch_counts_with_int() {
    let Memory { mut y, .. } = memory(32);
    let source = doubled(&mut y).over(32).coarsen(4).cuda_source().expect("it is valid");
    assert!(source.contains("    int first = (int)("), "{source}");
    assert!(source.contains("end <= (int)threads && end <= (int)x_len"), "{source}");
}
