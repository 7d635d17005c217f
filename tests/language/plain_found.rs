//! Indices that are found, chosen, computed by functions, or passed to closures: right as in plain Rust, and proven.

#![allow(
    unused_variables,
    clippy::manual_range_contains,
    reason = "not every case asks which thread it is in, and guards are as kernels have them"
)]

use warpsmith::prelude::*;

use super::everywhere;
use super::plain::{CASES, Plain, check};

/// The place of a cell in a grid of 8 by 8, if it is one.
#[gpu_fn]
fn cell(row: i32, col: i32) -> Option<usize> {
    if row >= 0 && row < 8 && col >= 0 && col < 8 { Some((row * 8 + col) as usize) } else { None }
}

/// A number that is reflected at both ends.
#[gpu_fn]
fn reflected(at: i32, n: i32) -> usize {
    if at < 0 {
        return (-at - 1).min(n - 1) as usize;
    }
    let mut at = at;
    if at >= n {
        at = (2 * n - at - 1).max(0);
    }
    at as usize
}

/// The first number that is no less than a value, in a part in order; the length if there is none.
#[gpu_fn]
fn first_not_below(x: &[u64; 8], value: u64) -> usize {
    let (mut low, mut high) = (0, 8);
    while low < high {
        let middle = (low + high) / 2;
        if x[middle] < value {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Whether a cell is in a grid.
#[gpu_fn]
fn inside(row: i32, col: i32, rows: i32, cols: i32) -> bool {
    row >= 0 && row < rows && col >= 0 && col < cols
}

/// What a function of numbers below eight gives, once for each.
#[gpu_fn]
fn mixed(of: impl Fn(usize, u32) -> u64) -> u64 {
    let mut h = of(7, 3);
    for k in 0..7 {
        h = h.rotate_left(5) ^ of(k, k as u32 + 1);
    }
    h
}

plain! { found(i, x):
    neighbours {
        let left = if i > 0 { Some(i - 1) } else { None };
        let right = if i < 63 { Some(i + 1) } else { None };
        let mut h = x[i];
        if let Some(k) = left {
            h ^= x[k] << 1;
        }
        if let Some(k) = right {
            h ^= x[k] << 2;
        }
        h
    }
    cells {
        let (row, col) = (i as i32 / 8, i as i32 % 8);
        let mut h = 0;
        if let Some(k) = cell(row - 1, col) {
            h ^= x[k];
        }
        if let Some(k) = cell(row, col + 1) {
            h ^= x[k] << 3;
        }
        h
    }
    greatest {
        let best = (0..8).max_by_key(|&k| x[k + 3] % 7).unwrap_or(0);
        x[best] ^ best as u64
    }
    last_of_a_loop {
        let mut found = None;
        for k in 0..9 {
            if x[k] % 3 == 0 {
                found = Some(k + 1);
            }
        }
        match found {
            Some(k) => x[k] ^ k as u64,
            None => 5,
        }
    }
    first_of_a_slice {
        let part = &x[i..i + 8];
        match part.iter().position(|&v| v % 5 == 1) {
            Some(k) => part[k] ^ part[7 - k],
            None => 6,
        }
    }
    a_second_chance {
        let mut at = None;
        let mut k = 0;
        while k < 8 && at.is_none() {
            if x[k] % 4 == 3 {
                at = Some(k);
            }
            k += 2;
        }
        if at.is_none() {
            at = Some(7);
        }
        at.map_or(0, |k| x[k]) ^ at.unwrap_or(1) as u64
    }
    reflections {
        x[reflected(i as i32 % 11 - 4, 7)] ^ x[reflected(i as i32 % 3 + 5, 6)]
    }
    searches {
        let table = [1, 3, 9, 70, 300, 5000, 1 << 20, 1 << 40];
        let k = first_not_below(&table, x[i]);
        if k < 8 { table[k] } else { x[k] }
    }
    arrays_of_elements {
        let four: [u64; 4] = std::array::from_fn(|k| x[i + 2 * k]);
        let nine: [[u64; 3]; 3] = std::array::from_fn(|r| std::array::from_fn(|c| x[r * 3 + c]));
        let three = [0usize, 5, 2].map(|k| x[i + k]);
        four[0] ^ four[3] ^ nine[2][1] ^ nine[0][2] ^ three[1] ^ three[2]
    }
    functions_of_closures {
        mixed(|k, n| x[i + k].rotate_left(n) ^ x[n as usize])
    }
    cut_off_parts {
        let first = i * 5;
        if first >= 64 {
            return 1;
        }
        let last = (first + 5).min(64);
        let chosen = if first + 3 > 60 { 64 } else { first + 3 };
        let part = &x[first..last];
        part.iter().fold(0u64, |h, v| h.rotate_left(7) ^ v) ^ x[first..chosen].len() as u64
    }
    windows_of_sums {
        if i == 0 || i > 60 {
            return 2;
        }
        let part = &x[i - 1..=i + 1];
        part[0] ^ part[1] << 1 ^ part[2] << 2
    }
    around_the_ends {
        let k = i as i32;
        x[(k - 3).rem_euclid(64) as usize] ^ x[(k + 9).rem_euclid(60) as usize]
    }
    guards_in_functions_and_closures {
        let (row, col) = (i as i32 / 8 - 1, i as i32 % 8 + 1);
        let is_left = |r: i32, c: i32| r >= 0 && r < 8 && c >= 0 && c < 4;
        let mut h = 0;
        if inside(row, col, 8, 8) {
            h ^= x[(row * 8 + col) as usize];
        }
        if is_left(row, col) {
            h ^= x[(row * 8 + col) as usize] << 1;
        }
        h
    }
    library_searches {
        let table = [1, 3, 9, 70, 300, 5000, 1 << 20, 1 << 40];
        let part = &x[i..i + 8];
        let (none, all) = (part.partition_point(|_| false), part.partition_point(|_| true));
        let below = table.partition_point(|v| *v < x[i]);
        let found = table.binary_search(&x[i]).unwrap_or_else(|k| k);
        let by_key = table.binary_search_by_key(&(x[i] / 2), |v| v / 2).is_ok();
        (none + 9 * all + 81 * below + 729 * found) as u64 ^ by_key as u64
    }
    multiples_and_quotients {
        let even = x[i & !1] ^ x[(i & !1) + 1];
        let blocks = 60usize.div_ceil(8);
        let (a, b, c, d) = (i / 2 / 4 / 4, i / 2 / 4 % 4, i / 2 % 4, i % 2);
        even ^ x[i / 8 * blocks + i % 8] << 1 ^ x[((a * 4 + b) * 4 + c) * 2 + d] << 2
    }
    the_last_of_many_arms {
        let key = [x[i], x[i + 1], x[i + 2]];
        let words: [u64; 8] = std::array::from_fn(|k| match k {
            0 | 1 => 5,
            2..5 => key[k - 2],
            _ => key[k - 5],
        });
        words.iter().fold(0, |h: u64, w| h.rotate_left(9) ^ w)
    }
}

#[test]
fn indices_that_are_found_are_those_of_plain_rust() {
    check::<found::cases>();
}

#[test]
fn indices_that_are_found_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * found::cases::NAMES.len()).expect("memory");
    let explained = found::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// What a closure does with a variable that it changes is not known where it begins.
#[gpu_kernel]
fn changed_in_a_closure(x: &[u32], y: &mut [u32]) {
    let mut at = 0;
    let parts: [u32; 4] = std::array::from_fn(|k| {
        at += 3;
        x[at + k]
    });
    y[0] = parts[3];
    let held = [Some(2), None, Some(9)];
    let mut best = None;
    for k in 0..3 {
        if let Some(v) = &mut best {
            *v += 4;
        }
        if let Some(first) = held[k] {
            best = Some(first);
        }
    }
    y[1] = x[best.unwrap_or(0)];
}

#[test]
fn what_changes_elsewhere_stays_checked() {
    let device = Device::simulator();
    let long = device.alloc_zeroed::<u32>(16).expect("memory");
    let short = device.alloc_zeroed::<u32>(9).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(2).expect("memory");
    changed_in_a_closure(&long, &mut y).grid(1).block(1).launch(&device).expect("no fault");
    let error =
        changed_in_a_closure(&short, &mut y).grid(1).block(1).launch(&device).expect_err("12 + 3 is outside");
    assert!(error.to_string().contains("length 9"), "{error}");
}

/// The least and the greatest of bytes and of short numbers, by loops.
#[gpu_kernel]
fn extremes(bytes: &[u8], shorts: &[u16], least: &mut [u8], greatest: &mut [u16]) {
    let i = global_id();
    let mut low = 255;
    let mut high = 0;
    for k in 0..5 {
        low = bytes[i + k].min(low);
        high = high.max(shorts[i + k]).min(60_000);
    }
    low /= 3;
    high += 9;
    least[i] = low.rotate_left(1);
    greatest[i] = high << 1;
}

#[test]
fn bytes_that_loops_compare_are_ints_with_the_values_of_bytes() {
    let bytes: Vec<u8> = (0..36u32).map(|i| (i * 197 + 31) as u8).collect();
    let shorts: Vec<u16> = (0..36u32).map(|i| (i * 40_503 + 7) as u16).collect();
    everywhere::<extremes>(&(), |device| {
        let (b, s) = (device.upload(&bytes).expect("memory"), device.upload(&shorts).expect("memory"));
        let mut least = device.alloc_zeroed::<u8>(32).expect("memory");
        let mut greatest = device.alloc_zeroed::<u16>(32).expect("memory");
        let launch = extremes(&b, &s, &mut least, &mut greatest).grid(1).block(32);
        let cuda = launch.cuda_source().expect("it is valid");
        assert!(cuda.contains("int low = 255;") && cuda.contains("int high = 0;"), "{cuda}");
        launch.launch(device).expect("no fault");
        let want = |i: usize| {
            let low = bytes[i..i + 5].iter().min().expect("five") / 3;
            let high = shorts[i..i + 5].iter().fold(0, |high: u16, v| high.max(*v).min(60_000)) + 9;
            (low.rotate_left(1), high << 1)
        };
        let got = device.download(&least).expect("memory").into_iter();
        let got: Vec<_> = got.zip(device.download(&greatest).expect("memory")).collect();
        assert_eq!(got, (0..32).map(want).collect::<Vec<_>>(), "on {}", device.name());
    });
}

/// Every 32nd element, from a thread's own on.
#[gpu_kernel]
fn stepped(x: &[u32], y: &mut [u32]) {
    let lane = global_id();
    y[lane] = x.iter().skip(lane).step_by(32).fold(0, |h: u32, v| h.rotate_left(3) ^ v);
}

#[test]
fn skipped_and_stepped_elements_are_walked_by_the_loop_of_cuda() {
    let data: Vec<u32> = (0..150).map(|i| i * i + 1).collect();
    everywhere::<stepped>(&(), |device| {
        let x = device.upload(&data).expect("memory");
        let mut y = device.alloc_zeroed::<u32>(32).expect("memory");
        let launch = stepped(&x, &mut y).grid(1).block(32);
        let cuda = launch.cuda_source().expect("it is valid");
        assert!(cuda.contains("for (int k = lane; k < (int)x_len; k += 32) {"), "{cuda}");
        launch.launch(device).expect("no fault");
        let want = |lane| data.iter().skip(lane).step_by(32).fold(0, |h: u32, v| h.rotate_left(3) ^ v);
        assert_eq!(device.download(&y).expect("memory"), (0..32).map(want).collect::<Vec<_>>());
    });
}
