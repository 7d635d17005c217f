//! Closures in variables and as arguments, capturing by reference and by value.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_fn]
fn twice(start: i32, mut step: impl FnMut(i32) -> i32) -> i32 {
    let once = step(start);
    step(once)
}

#[gpu_kernel]
fn captured(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if i >= x.len() || (i + 1) * 3 > out.len() {
        return;
    }
    let factor = x[i];
    let mut calls = 0;
    let scaled = |v: i32| v * factor + 1;
    let sum = scaled(2) + scaled(3);
    let mut count = |v| {
        calls += 1;
        scaled(v)
    };
    let counted = twice(sum, &mut count) + count(1);
    let mut state = 10;
    let mut moved = move |v: i32| {
        state += 1;
        state + v
    };
    let own = twice(0, &mut moved) * 10_000 + moved(0) * 100 + twice(0, moved);
    out[i * 3] = counted;
    out[i * 3 + 1] = calls;
    out[i * 3 + 2] = own + state;
}

#[test]
fn closures_see_what_they_capture() {
    everywhere::<captured>(&(), |device| {
        let x = [1, 2, -3];
        let input = device.upload(&x).expect("memory");
        let out = written(device, (9, 77), |out| captured(&input, out).over(3).launch(device));
        for (f, got) in x.iter().zip(out.chunks(3)) {
            let scaled = |v| v * f + 1;
            let want = scaled(scaled(scaled(2) + scaled(3))) + scaled(1);
            assert_eq!(got, [want, 3, 231_329 + 10], "on {}", device.name());
        }
    });
}

#[gpu_fn]
fn doubled(v: i32) -> i32 {
    v * 2
}

#[gpu_fn]
fn checked(v: i32) -> i32 {
    assert!(v > -1000);
    v + 1
}

#[gpu_fn]
fn larger<T: Num>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

#[gpu_fn]
fn folded<T: Num>(x: &[T], start: T, join: impl Fn(T, T) -> T) -> T {
    let mut all = start;
    for v in x {
        all = join(all, *v);
    }
    all
}

#[gpu_kernel]
fn named(x: &[i32], out: &mut [i32]) {
    out[0] = twice(x[0], doubled);
    out[1] = twice(x[1], checked);
    out[2] = folded(x, x[0], larger);
    out[3] = folded(x, 100, larger::<i32>);
    out[4] = Some(x[1]).map(doubled).unwrap_or(0);
}

#[test]
fn functions_are_arguments_by_their_names() {
    everywhere::<named>(&(), |device| {
        let input = device.upload(&[3, -5, 9]).expect("memory");
        let out = written(device, (5, 77), |out| named(&input, out).grid(1).block(1).launch(device));
        assert_eq!(out, [12, -3, 9, 100, -10], "on {}", device.name());
    });
}
