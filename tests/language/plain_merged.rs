//! Searches between two ends that move towards each other, as those along the path of a merge, and sums whose guards add in another order:
//! right as in plain Rust, and proven.

#![allow(unused_variables, reason = "loops are as kernels have them")]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { read(i, x):
    merge_path {
        let (a, b) = (&x[..20], &x[20..52]);
        if i > a.len() + b.len() {
            return 1;
        }
        let mut lo = i.saturating_sub(b.len());
        let mut hi = i.min(a.len());
        while lo < hi {
            let mid = (lo + hi) / 2;
            if a[mid] <= b[i - 1 - mid] {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        lo as u64
    }
    merge_path_by_distance {
        let (a, b) = (&x[i..i + 8], &x[2..]);
        let mut lo = i.saturating_sub(b.len());
        let mut hi = i.min(a.len());
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            if a[mid] < b[i - mid - 1] {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        lo as u64
    }
    loaded_ends {
        let (na, nb) = (x[i] as usize % 30, x[i + 1] as usize % 30);
        let (a, b) = (&x[..na], &x[30..30 + nb]);
        let (mut lo, mut hi) = (i.saturating_sub(b.len()), i.min(a.len()));
        while lo < hi {
            let mid = usize::midpoint(lo, hi);
            if a[mid] <= b[i - 1 - mid] { lo = mid + 1 } else { hi = mid }
        }
        lo as u64
    }
    sums_in_other_orders {
        let (row, w, c) = (i / 8, x[0] as u8 as usize % 9, x[1] as u8 as usize % 9);
        if (2 + row) * w + c + i < x.len() && i > 0 {
            let h = x[(2 + row) * w + (c + i) - 1] ^ x[c + i + (row + 2) * w] << 1;
            return h ^ x[i + ((2 + row) * w + c)] << 2;
        }
        3
    }
}

#[test]
fn searches_and_sums_are_those_of_plain_rust() {
    check::<read::cases>();
}

#[test]
fn searches_and_sums_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * read::cases::NAMES.len()).expect("memory");
    let explained = read::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    // The ends of the loaded part are checked, and nothing else.
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// Searches that leave their ends, and sums of other addends: each must be a fault.
#[gpu_kernel]
fn beyond(a: &[u32], b: &[u32], y: &mut [u32], d: usize, #[comptime] case: u32) {
    let mut lo = d.saturating_sub(b.len());
    let mut hi = d.min(a.len());
    match case {
        // The lower end falls below where it began.
        0 => {
            while lo < hi {
                let mid = (lo + hi) / 2;
                if a[mid] > 90 {
                    lo = mid + 1;
                } else {
                    hi = mid;
                }
                lo -= 1;
                y[0] ^= b[d - 1 - mid];
            }
        }
        // Another diagonal than that of the ends.
        1 => {
            while lo < hi {
                let mid = (lo + hi) / 2;
                if a[mid] > 90 {
                    lo = mid + 1;
                } else {
                    hi = mid;
                }
                y[0] ^= b[d + 1 - mid];
            }
        }
        // The sum wraps before it is halved.
        2 => {
            let (lo, mut hi) = (d as u8 + 240, 250u8);
            while lo < hi {
                let mid = lo.wrapping_add(hi) / 2;
                y[0] ^= b[250 - mid as usize];
                hi = lo;
            }
        }
        // The diagonal changes after the ends were chosen.
        3 => {
            let mut d = d;
            let (lo, mut hi) = (d.saturating_sub(b.len()), d.min(a.len()));
            d += 3;
            while lo < hi {
                let mid = (lo + hi) / 2;
                y[0] ^= b[d - 1 - mid];
                hi = mid;
            }
        }
        4 => {
            while lo <= hi {
                let mid = lo + (hi - lo) / 2;
                y[0] ^= a[mid];
                lo = mid + 1;
            }
        }
        // The other list.
        5 => {
            while lo < hi {
                let mid = (lo + hi) / 2;
                y[0] ^= b[mid];
                lo = mid + 1;
            }
        }
        // A number between two others by then is between others.
        6 => {
            let mut mid = lo;
            while lo < hi {
                let before = mid;
                mid = (lo + hi) / 2;
                hi += 1;
                y[0] ^= a[hi - 1] ^ a[mid];
            }
        }
        7 if d + lo + hi < a.len() => y[0] = a[d + (lo + lo) + hi + 9],
        8 if d as u8 + (lo as u8).wrapping_add(250) < 9 => {
            y[0] = a[d + (lo + 250)];
        }
        _ => {}
    }
}

#[test]
fn searches_beyond_their_ends_prove_nothing() {
    let device = Device::simulator();
    let a = device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8, 9, 10]).expect("memory");
    let b = device.upload(&[1u32, 2, 3, 4]).expect("memory");
    for (case, d) in [(0, 8), (1, 8), (2, 0), (3, 8), (4, 11), (5, 8), (6, 8), (7, 2), (8, 6)] {
        let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
        let launch = beyond(&a, &b, &mut y, d, case).grid(1).block(1);
        let explained = launch.explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let error = launch.launch(&device).expect_err(&format!("case {case}")).to_string();
        assert!(error.contains("out of bounds") || error.contains("overflow"), "case {case}: {error}");
    }
}
