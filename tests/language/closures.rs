//! Closures in variables and as arguments, capturing by reference and by value.

use warpsmith::prelude::*;
use warpsmith::types::Shared2;

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

#[gpu_fn]
fn halves(x: &mut [u32], mut f: impl FnMut(&mut [u32], u32)) {
    let n = x.len() / 2;
    f(&mut x[..n], 1);
    f(&mut x[n..], 2);
}

#[gpu_fn]
fn of_rest<F: Fn(&[u32], &[u32]) -> u32>(x: &[u32], f: F) -> u32 {
    f(&x[1..], x)
}

struct Twice;

#[gpu_impl]
impl Twice {
    fn of<F>(x: &mut [u32], mut f: F) -> u32
    where
        F: FnMut(&mut [u32]) -> u32,
    {
        f(x) + f(&mut x[..2])
    }
}

#[gpu_kernel]
fn closures_of_slices(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x as usize;
    let sum = |s: &[u32]| s.iter().sum::<u32>() + s.len() as u32;
    let add = |s: &mut [u32], v: u32| s[0] += v;
    add(&mut out[t..], sum(x) * 100 + sum(&x[2..]));
    let mut mine = [0u32; 5];
    halves(&mut mine[..], |s, v| s[s.len() - 1] += v + s.len() as u32);
    add(&mut mine[4..], of_rest(x, |rest, all| rest[0] * 10 + all.len() as u32));
    let mut rows = shared!([[u32; 3]; 4]);
    let fill = |m: &mut Shared2<u32>, v: u32| m[t][2] = v;
    fill(&mut rows, mine[4]);
    out[t] += Twice::of(&mut mine[..], |s| s.len() as u32 * 1000 + s[1]) + rows[t][2];
}

#[test]
fn closures_get_slices_with_their_lengths() {
    everywhere::<closures_of_slices>(&(), |device| {
        let x = device.upload(&[1u32, 2, 3, 4]).expect("memory");
        let out = written(device, (4, 7), |out| closures_of_slices(&x, out).grid(1).block(4).launch(device));
        // 14 and 9 of all and of the last two; `mine` is `[0, 3, 0, 0, 5 + 24]`.
        assert_eq!(out, [7 + 1409 + 7000 + 6 + 29; 4], "on {}", device.name());
    });
}
