//! Blocks that are left early, and chains of patterns with guards: right as in plain Rust, and proven by what holds wherever they are left.

#![allow(clippy::never_loop, clippy::needless_range_loop, reason = "loops that run once are what is tested")]
#![allow(unused_variables, unused_assignments, reason = "blocks are left before and behind assignments")]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { read(i, x):
    hull {
        let at = 'found: {
            if x[0] % 3 == 0 {
                break 'found 3;
            }
            if x[1] % 2 == 0 && x[2] % 2 == 0 {
                break 'found 7;
            }
            x[3] as usize % 5
        };
        x[..8][at]
    }
    guarded_before {
        let (mut h, n) = (0u64, x.len().min(8));
        for k in 0..n {
            'skip: {
                if x[k] % 3 == 0 {
                    break 'skip;
                }
                h = h.rotate_left(5) ^ x[k];
                if x[n - 1 - k] > x[k] {
                    break 'skip;
                }
                h ^= x[n - 1 - k];
            }
        }
        h
    }
    left_by_a_loop {
        let at;
        'first: {
            for k in 0..9 {
                if x[k] % 4 == 0 {
                    at = k;
                    break 'first;
                }
            }
            at = 9;
        }
        x[..10][at]
    }
    in_order {
        let (mut lo, mut hi) = (0usize, 12usize);
        while lo < hi {
            let mid = lo.midpoint(hi);
            'one: {
                if x[mid] % 11 == 0 {
                    hi = mid;
                    break 'one;
                }
                if x[mid] % 2 == 0 {
                    lo = mid + 1;
                    break 'one;
                }
                hi = mid;
            }
        }
        lo as u64
    }
    loop_that_runs_once {
        let mut at = 2usize;
        loop {
            if x[0] % 2 == 0 {
                at += 1;
                break;
            }
            at += 2;
            break;
        }
        x[..5][at]
    }
    chains {
        let (a, b) = (x.get(x[0] as usize % 20), x.get(x[1] as usize % 20));
        if let Some(a) = a && let Some(b) = b && a < b {
            a ^ 1
        } else if x[2] % 5 == 0 {
            2
        } else if let Some(a) = a && *a % 3 == 0 && let Some(c) = x.get(*a as usize % 17) {
            c ^ 3
        } else if let Some(b) = b {
            b ^ 4
        } else if x[3] % 2 == 0 && let Some(c) = x.last() && *c % 2 == 0 {
            5
        } else {
            6
        }
    }
    chains_that_return_nothing {
        let mut h = 0u64;
        for k in 0..12 {
            if x[k] % 2 == 0 && let Some(v) = x.get(k + x[k] as usize % 9) && v % 3 == 0 {
                h = h.rotate_left(5) ^ v;
            } else if let Some(v) = x.get(k + 1) && let Some(w) = x.get(k + 2) && v < w {
                h ^= v;
            } else if x[k] % 5 == 0 {
                h ^= 1;
                continue;
            }
            h = h.rotate_left(3);
        }
        h
    }
    arms_with_guards {
        let mut h = 0u64;
        let mut rest = &x[..12];
        while !rest.is_empty() {
            let len = match rest {
                [a, b, ..] if a % 4 == 0 && b % 2 == 0 => 2,
                [a, _, c, ..] if a % 4 == 1 && c % 2 == 1 => 3,
                [a, b, c, d, ..] if a % 4 == 2 && (b ^ c ^ d) % 2 == 0 => 4,
                [a, ..] if a % 4 == 3 => 1,
                _ => 1,
            };
            h = h.rotate_left(7) ^ len as u64 ^ rest[0];
            rest = &rest[len..];
        }
        h
    }
    steps {
        let mut h = 0u64;
        let mut rest = &x[..20];
        while let [first, ..] = rest {
            let step = if rest.len() >= 8 { 8 } else if *first % 2 == 0 { rest.len() } else { 1 };
            h = h.rotate_left(5) ^ rest[step - 1];
            rest = &rest[step..];
        }
        h
    }
    branches {
        let mut h = 0u64;
        let mut rest = &x[..20];
        while !rest.is_empty() {
            let mut step = 1;
            if rest.len() > 3 && rest[3] % 2 == 0 {
                step = 4;
            } else if rest.len() > 1 {
                step = 2;
            }
            h = h.rotate_left(5) ^ rest[0];
            rest = &rest[step..];
        }
        h
    }
}

#[test]
fn blocks_and_chains_are_those_of_plain_rust() {
    check::<read::cases>();
}

#[test]
fn indices_behind_blocks_and_branches_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * read::cases::NAMES.len()).expect("memory");
    let explained = read::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// Blocks that do not leave what an index needs, at one of their exits: each must be a fault.
#[gpu_kernel]
fn left_too_early(x: &[u32], y: &mut [u32], first: i32, #[comptime] case: u32) {
    let own = [1u32; 8];
    let (mut at, most) = (first as usize, x.len());
    match case {
        // Left before the assignment.
        0 => {
            'block: {
                if x[0] > 0 {
                    break 'block;
                }
                at = 0;
            }
            y[0] = own[at];
        }
        // Left by a loop, one step past the end.
        1 => {
            'block: {
                for k in 0..8 {
                    if x[k] == 8 {
                        at = k + 1;
                        break 'block;
                    }
                }
                at = 0;
            }
            y[0] = own[at];
        }
        // Left by a loop that counts on.
        2 => {
            'block: {
                at = 0;
                while at < 20 {
                    if at > most {
                        break 'block;
                    }
                    at += 1;
                }
                at = 7;
            }
            y[0] = own[at];
        }
        // The loop around runs more than once.
        3 => {
            at = 0;
            for k in 0..9 {
                'block: {
                    if x[k] == 0 {
                        break 'block;
                    }
                    y[0] = own[at];
                    at += 1;
                }
            }
        }
        // So does this one, which ends by leaving.
        4 => {
            at = 0;
            loop {
                y[0] = own[at];
                at += 1;
                if at < 9 {
                    continue;
                }
                break;
            }
        }
        // Left for the loop around, too.
        5 => {
            at = 6;
            'outer: for k in 0..4 {
                'block: {
                    if x[k] > 2 {
                        break 'outer;
                    }
                    if x[k] > 1 {
                        break 'block;
                    }
                    at -= 1;
                }
                at += 2;
            }
            y[0] = own[at];
        }
        // A block in a block, which leaves both.
        6 => {
            'outer: {
                at = 3;
                'inner: {
                    if x[0] > 5 {
                        break 'inner;
                    }
                    at = 8;
                    if x[1] > 0 {
                        break 'outer;
                    }
                }
                at = 1;
            }
            y[0] = own[at];
        }
        // What a guard said no longer holds behind the block.
        7 if at < 8 => {
            'block: {
                if x[0] == 1 {
                    at += 8;
                    break 'block;
                }
                at = 2;
            }
            y[0] = own[at];
        }
        // The condition is asked, and need not hold.
        8 => {
            while x[0] > 5 {
                at = 0;
                break;
            }
            y[0] = own[at];
        }
        // An order holds at one exit alone.
        9 => {
            let (mut lo, mut hi) = (0, most);
            'block: {
                if x[0] > 5 {
                    hi = most / 2;
                    break 'block;
                }
                lo = most;
            }
            y[0] = x[lo..hi][0];
        }
        // A chain that binds the length of something else.
        10 => {
            let rest = &x[..4];
            if let [_, ..] = rest
                && let Some(v) = x.get(6)
                && *v < 7
            {
                y[0] = 1;
            } else if let [a, ..] = rest
                && let Some(v) = x.get(*a as usize)
                && *v > 1
            {
                y[0] = rest[*v as usize + 2];
            } else {
                y[0] = 3;
            }
        }
        // More is cut off than was found.
        11..16 => {
            let mut rest = x;
            while !rest.is_empty() {
                let mut len = 1;
                match case {
                    11 if rest.len() >= 2 => len = 4,
                    12 => {
                        if rest.len() >= 10 {
                            len = 10;
                        }
                        rest = &rest[1..];
                    }
                    13 if rest.len() >= 4 => {
                        len = 4;
                        rest = &rest[2..];
                    }
                    14 if x.len() >= 4 => len = 4,
                    15 => {
                        let whole = rest;
                        rest = &rest[rest.len() / 2..];
                        len = if whole.len() >= 10 { 10 } else { 1 };
                    }
                    _ => {}
                }
                y[0] ^= rest[0];
                rest = &rest[len..];
            }
        }
        _ => {}
    }
    y[0] ^= own[y.len()];
}

#[test]
fn blocks_that_are_left_too_early_prove_nothing() {
    let device = Device::simulator();
    let x = device.upload(&(1..11u32).collect::<Vec<_>>()).expect("memory");
    for case in 0..16 {
        let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
        let first = if case == 7 { 4 } else { 9 };
        let launch = left_too_early(&x, &mut y, first, case).grid(1).block(1);
        let explained = launch.explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let error = launch.launch(&device).expect_err(&format!("case {case}")).to_string();
        let faults = ["out of bounds", "is beyond", "overflow"];
        assert!(faults.iter().any(|fault| error.contains(fault)), "case {case}: {error}");
    }
}
