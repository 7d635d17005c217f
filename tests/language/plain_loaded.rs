//! Numbers that a kernel loads: bytes that index tables, lengths, and ends of rows; right as in plain Rust, and proven.

#![allow(
    clippy::manual_memcpy,
    clippy::needless_range_loop,
    unused_variables,
    reason = "guards are as kernels have them"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};
use super::{everywhere, written};

plain! { read(i, x):
    shares_of_a_length {
        let n = (x[i] as u32 % 60) as usize;
        if n > x.len() {
            return 1;
        }
        let mut h = 0u64;
        for k in 0..n / 2 {
            h = h.rotate_left(5) ^ x[k];
        }
        for v in &x[..n.min(9)] {
            h = h.rotate_left(5) ^ v;
        }
        for v in &x[..n.div_ceil(8)] {
            h = h.rotate_left(5) ^ v;
        }
        if i < n / 2 { h ^ x[i] } else { h }
    }
    shares_of_a_part {
        let n = x[i] as u8 as usize % 60;
        let part = &x[..n];
        let mut h = part.len() as u64;
        for k in 0..n / 2 {
            h = h.rotate_left(5) ^ part[k] ^ part[k + n / 2];
        }
        for k in 0..n / 4 {
            h = h.rotate_left(5) ^ part[4 * k] ^ part[4 * k + 3];
        }
        for v in part[..n.div_ceil(8)].iter().chain(&part[..n.min(9)]) {
            h = h.rotate_left(5) ^ v;
        }
        let half = n / 2;
        for k in 0..half {
            h = h.rotate_left(5) ^ part[half + k];
        }
        h
    }
    shares_of_a_row {
        let (start, end) = (x[i] as usize % 20, x[i + 1] as usize % 20 + 20);
        let row = &x[start..end];
        let (n, mut h) = (row.len(), 0u64);
        for k in 0..n / 2 {
            h = h.rotate_left(5) ^ row[k] ^ row[k + n / 2];
        }
        for k in 0..n.div_ceil(3) {
            h = h.rotate_left(5) ^ row[k];
        }
        for v in &row[..n.div_ceil(8)] {
            h = h.rotate_left(5) ^ v;
        }
        if i < n / 3 { h ^ row[i] } else { h }
    }
    beside_an_array {
        let (start, end) = (x[i] as usize % 20, x[i + 1] as usize % 20 + 20);
        let row = &x[start..end];
        let mut own = [0u64; 16];
        let first = &row[..row.len().min(16)];
        for k in 0..first.len() {
            own[k] = first[k];
        }
        for (k, v) in row[..row.len().min(16)].iter().enumerate() {
            own[k] = own[k].rotate_left(3) ^ v;
        }
        own[..first.len()].iter().fold(0u64, |h, v| h.rotate_left(5) ^ v)
    }
    offsets_of_a_row {
        let (start, end) = (x[i] as usize % 50, x[i + 1] as usize % 50);
        if start > end || end > x.len() {
            return 2;
        }
        let (n, mut h) = (end - start, 0u64);
        for k in 0..n {
            h = h.rotate_left(5) ^ x[start + k];
        }
        for k in 0..n / 2 {
            h = h.rotate_left(5) ^ x[start + k];
        }
        for k in 0..n.min(7) {
            h = h.rotate_left(5) ^ x[start + k];
        }
        for v in x[start..start + n / 2].iter().chain(&x[start..start + n.min(9)]) {
            h = h.rotate_left(5) ^ v;
        }
        h
    }
}

#[test]
fn indices_by_loaded_numbers_are_those_of_plain_rust() {
    check::<read::cases>();
}

#[test]
fn indices_by_loaded_numbers_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * read::cases::NAMES.len()).expect("memory");
    let explained = read::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// Bytes and short numbers that have names, as indices of tables.
#[gpu_kernel]
fn looked_up(text: &[u8], short: &[u16], signed: &[i8], table: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < y.len() && i + 1 < text.len() && i < short.len() && i < signed.len() {
        let (v, w, s, t) = (text[i], text[i + 1], short[i], signed[i]);
        y[i] = table[v as usize] ^ table[v as usize * 256 + w as usize];
        y[i] ^= table[s as usize] ^ table[(t as i32 + 128) as usize].rotate_left(3);
    }
}

#[test]
fn tables_of_all_bytes_are_indexed_by_them() {
    let table: Vec<u32> = (0..65536u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (text, short, signed) = ([0u8, 255, 7, 255, 255], [65535u16, 0, 9, 3], [-128i8, 127, 0, -1]);
    let want: Vec<u32> = (0..4)
        .map(|i| {
            let (v, w) = (text[i] as usize, text[i + 1] as usize);
            let first = table[v] ^ table[v * 256 + w];
            first ^ table[short[i] as usize] ^ table[(signed[i] as i32 + 128) as usize].rotate_left(3)
        })
        .collect();
    everywhere::<looked_up>(&(), |device| {
        let (text, short) = (device.upload(&text).expect("memory"), device.upload(&short).expect("memory"));
        let (signed, full) =
            (device.upload(&signed).expect("memory"), device.upload(&table).expect("memory"));
        let launch =
            |y: &mut Buffer<u32>| looked_up(&text, &short, &signed, &full, y).grid(1).block(4).launch(device);
        assert_eq!(written(device, (4, 0), launch), want, "{}", device.name());
    });
    let device = Device::simulator();
    let (text, short) = (device.upload(&text).expect("memory"), device.upload(&short).expect("memory"));
    let signed = device.upload(&signed).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(4).expect("memory");
    // One element fewer, and the launch has the check of the index that may be the last.
    for (len, checks) in [(65536, 0), (65535, 2), (256, 2), (255, 4)] {
        let table = device.upload(&table[..len]).expect("memory");
        let launch = looked_up(&text, &short, &signed, &table, &mut y).grid(1).block(4);
        let explained = launch.explain().expect("it is valid");
        assert_eq!(explained.checked().count(), checks, "{len}: {}", explained.proven());
        assert_eq!(launch.launch(&device).is_err(), checks > 0, "{len}");
    }
}

/// Numbers that only look like those of a part, or of a row: each index must be a fault.
#[gpu_kernel]
fn other_numbers(x: &[u32], lens: &[u32], y: &mut [u32], #[comptime] case: u32) {
    let mut n = lens[0] as usize;
    let (start, end) = (lens[1] as usize, lens[2] as usize);
    let part = &x[..n];
    y[0] = match case {
        0 => part[n / 2 + n / 2],
        1 => {
            n += 2;
            part[n / 2 + 1]
        }
        2 => {
            let other = &x[..n - 1];
            let mut h = 0;
            for k in 0..n {
                h ^= other[k];
            }
            h
        }
        3 => part[n.div_ceil(2) + n.div_ceil(3)],
        // The difference may wrap.
        4 => {
            let n = end - start;
            let mut h = 0;
            for k in 0..n.min(3) {
                h ^= x[start + k];
            }
            h
        }
        5 if start as u8 + 5 > 5 => {
            let n = (start as u8 - end as u8) as usize;
            let mut h = 0;
            for k in 0..n / 2 + 3 {
                h ^= x[end + k];
            }
            h
        }
        // The length of another iteration's part.
        6 => {
            let (mut last, mut h) = (0, 0);
            for k in 0..2 {
                let m = lens[k] as usize;
                let own = &x[..m];
                if last > 0 {
                    h ^= own[last - 1];
                }
                last = m;
            }
            h
        }
        7 => {
            let mut own = [0u32; 3];
            let first = &x[..n.min(4)];
            for k in 0..first.len() {
                own[k] = first[k];
            }
            own[1]
        }
        8 => {
            let narrow = lens[3] as u8;
            let part = &x[..narrow as usize];
            let wrapped = narrow.wrapping_sub(4);
            part[wrapped as usize / 2]
        }
        _ => 0,
    };
}

#[test]
fn other_numbers_prove_nothing() {
    let device = Device::simulator();
    let x = device.upload(&[0u32, 1, 2, 3]).expect("memory");
    // The part's length, the start and the end of a row, and a short length.
    let lens = device.upload(&[4u32, 3, 2, 2]).expect("memory");
    for case in 0..9 {
        let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
        let launch = other_numbers(&x, &lens, &mut y, case).grid(1).block(1);
        let explained = launch.explain().expect("it is valid");
        // The part itself is checked, and the index.
        assert!(explained.checked().count() > 1, "case {case}: {}", explained.proven());
        let error = launch.launch(&device).expect_err(&format!("case {case}")).to_string();
        assert!(error.contains("out of bounds") || error.contains("overflow"), "case {case}: {error}");
    }
}
