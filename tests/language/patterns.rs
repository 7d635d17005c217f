//! Patterns: nested, by reference, of slices of arrays; labelled blocks; assignments to tuples.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A pair without names.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
struct Pair(i32, i32);

/// A record around it.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
struct Outer {
    pair: Pair,
    flag: bool,
    weight: f32,
}

#[gpu_kernel]
fn taken_apart(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    let outer = Outer { pair: Pair(v, v + 1), flag: v > 2, weight: 0.5 };
    let Outer { pair: Pair(first, mut second), flag, .. } = outer;
    second *= 2;
    let changed = Outer { flag: !flag, ..outer };
    let class = match (changed, [v, second, 3]) {
        (Outer { flag: true, pair: Pair(0, _), .. }, _) => 1,
        (Outer { flag: true, .. }, [1 | 2, s, _]) if s > 4 => 2,
        (Outer { pair: p @ Pair(3..=5, _), .. }, [_, s, t]) => p.1 * s + t,
        _ => 4,
    };
    let (mut a, mut b) = (first, second);
    (a, b) = (b, a + b);
    (_, b) = (a, b - 1);
    let mut target = outer;
    match &mut target {
        Outer { pair: Pair(p, _), flag: true, .. } => *p += 100,
        Outer { pair, .. } => pair.1 -= 100,
    }
    let Outer { pair: Pair(_, ref mut q), .. } = target;
    *q += 1;
    let ordered = 'search: {
        if a > b {
            break 'search 1;
        }
        if a == b {
            break 'search 0;
        }
        -1
    };
    let o = i * 6;
    out[o] = class;
    out[o + 1] = a;
    out[o + 2] = b;
    out[o + 3] = target.pair.0;
    out[o + 4] = target.pair.1;
    out[o + 5] = ordered;
}

fn on_host(v: i32) -> [i32; 6] {
    let (flag, s) = (v > 2, (v + 1) * 2);
    let class = match (!flag, v) {
        (true, 0) => 1,
        (true, 1 | 2) if s > 4 => 2,
        (_, 3..=5) => (v + 1) * s + 3,
        _ => 4,
    };
    let (a, b) = (s, v + s - 1);
    let (p, q) = if flag { (v + 100, v + 1) } else { (v, v + 1 - 100) };
    [class, a, b, p, q + 1, (a > b) as i32 - (a < b) as i32]
}

#[test]
fn patterns_take_values_and_places_apart() {
    everywhere::<taken_apart>(&(), |device| {
        let x = [0, 1, 2, 3, 4, 5, 6, -7];
        let input = device.upload(&x).expect("memory");
        let out = written(device, (48, 77), |out| taken_apart(&input, out).over(8).launch(device));
        let want: Vec<i32> = x.iter().flat_map(|v| on_host(*v)).collect();
        assert_eq!(out, want);
    });
}

#[gpu_fn]
fn matched_after_a_return(x: u32) -> u32 {
    match match true {
        false => ((x, true), [x; 2]),
        true => return x + 1,
    } {
        ((0..=1 | 6, _), _) => 10,
        ((3, true), [_, 4]) => 11,
        _ => 12,
    }
}

/// Patterns of every kind over what never is.
#[gpu_kernel]
fn never_matched(out: &mut [u32]) {
    let t = thread_idx().x;
    let mut rounds = 0;
    loop {
        rounds += 1;
        if rounds > 3 {
            break;
        }
        match match true {
            false => t as i64,
            true => continue,
        } {
            1.. => rounds = 100,
            -5i64 | -9223372036854775808 => rounds = 200,
            _ => rounds = 300,
        }
    }
    let from_label = 'left: {
        if let Some(7) | None = if true { break 'left 5 } else { Some(t) } {
            break 'left 6;
        }
        let (1.5, true) = (match true {
            true => break 'left 7,
            false => (2.5f32, t > 3),
        }) else {
            break 'left 8;
        };
        9
    };
    out[t] = matched_after_a_return(t) + rounds * 100 + from_label * 1000;
}

#[test]
fn what_never_is_matches_any_pattern() {
    everywhere::<never_matched>(&(), |device| {
        let out = written(device, (32, 0), |out| never_matched(out).grid(1).block(32).launch(device));
        let want: Vec<u32> = (0..32).map(|t| t + 1 + 400 + 5000).collect();
        assert_eq!(out, want, "on {}", device.name());
    });
}

#[gpu_fn]
fn ends([first, .., last]: [u32; 4], (a, d): (u32, u32)) -> u32 {
    first * 1000 + last * 100 + a * 10 + d
}

/// The elements that `..` leaves out, at each end and between, of values and of places.
#[gpu_kernel]
fn left_out(out: &mut [u32]) {
    let t = thread_idx().x;
    let mut row = [t, t + 1, t + 2, t + 3];
    let [first, ..] = row;
    let [.., last] = &row;
    out[t] = first + last * 10 + ends([1, 2, 3, 4], (5, 8)) * 100;
    if let [_, .., before, 3] = &mut row {
        *before += 7;
    }
    let [[.., corner], ..] = &mut [row; 2];
    *corner += 1;
    let [.., mut third, _] = row;
    third += *corner;
    out[t + 32] = match (row, third) {
        ([0, ..], ..) => 1000 + third,
        ([.., 5] | [1, .., 4], n) => n,
        ([..], _) => row[2],
    };
}

#[test]
fn patterns_leave_elements_out() {
    everywhere::<left_out>(&(), |device| {
        let out = written(device, (64, 0), |out| left_out(out).grid(1).block(32).launch(device));
        for t in 0..32 {
            let third = t + 2 + if t == 0 { 7 } else { 0 };
            let sum = third + t + 4;
            let want = [t + (t + 3) * 10 + 145_800, [1000 + sum, sum, sum, third][(t as usize).min(3)]];
            assert_eq!([out[t as usize], out[t as usize + 32]], want, "thread {t} on {}", device.name());
        }
    });
}
