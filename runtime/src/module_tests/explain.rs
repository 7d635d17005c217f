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
    let calls = |text: &str, name: &str| {
        text.matches(name).count() - usize::from(text.contains(&format!("__forceinline__ I {name}")))
    };
    // Lengths that fit `int` are compared as such.
    let checks = |text: &str| calls(text, "ws_at(") + calls(text, "ws_at_int(");
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
