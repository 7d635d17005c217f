//! `for` over elements, with the adapters that keep a plain loop.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel]
fn walks(x: &[i32], y: &[i32], out: &mut [i32]) {
    let mut total = 0;
    for (i, v) in x.iter().enumerate() {
        total += i as i32 * *v;
    }
    out[0] = total;
    total = 0;
    for (&a, b) in x.iter().zip(y) {
        total = total * 3 + a - *b;
    }
    out[1] = total;
    total = 0;
    for (i, v) in x.iter().rev().enumerate().skip(1).take(3) {
        total = total * 10 + *v + i as i32;
    }
    out[2] = total;
    total = 0;
    for v in [5, 6, 7] {
        total = total * 10 + v;
    }
    out[3] = total;
    total = 0;
    for (k, (i, v)) in (10..20u32).step_by(3).zip(y.iter().copied().enumerate()) {
        total += k as i32 * v - i as i32;
    }
    out[4] = total;
    total = 0;
    'outer: for v in &x[2..] {
        for w in y.iter().rev() {
            if v == w {
                continue 'outer;
            }
            if *w > 100 {
                break 'outer;
            }
            total += 1;
        }
    }
    out[5] = total;
    let mut local = [1u8; 6];
    for (i, slot) in local.iter_mut().enumerate() {
        *slot += i as u8;
    }
    total = 0;
    #[unroll]
    for v in local {
        total = total * 10 + v as i32;
    }
    out[6] = total;
    for (slot, v) in out[7..].iter_mut().zip(x.iter()) {
        *slot = *v + 1;
    }
}

#[test]
fn iterators_are_plain_loops() {
    everywhere::<walks>(&(), |device| {
        let (x, y) = ([3, 1, 4, 1, 5], [2, 7, 1, 8]);
        let (dx, dy) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
        let out = written(device, (11, 77), |out| walks(&dx, &dy, out).grid(1).block(1).launch(device));
        let weighted = x.iter().enumerate().map(|(i, v)| i as i32 * v).sum();
        let zipped = x.iter().zip(&y).fold(0, |t, (a, b)| t * 3 + a - b);
        let backwards = x.iter().rev().enumerate().skip(1).take(3).fold(0, |t, (i, v)| t * 10 + v + i as i32);
        let stepped = (10..20).step_by(3).zip(y.iter().enumerate()).map(|(k, (i, v))| k * v - i as i32).sum();
        let found =
            x[2..].iter().map(|v| y.iter().rev().position(|w| w == v).unwrap_or(y.len()) as i32).sum::<i32>();
        assert_eq!(out[..7], [weighted, zipped, backwards, 567, stepped, found, 123456]);
        assert_eq!(out[7..], [4, 2, 5, 2], "on {}", device.name());
    });
}

#[gpu_kernel]
fn counts(x: &[i32], out: &mut [i32]) {
    for a in 0..3 {
        out[a] = x[a + 1] * 2;
    }
    for b in 0..2 {
        let at: u32 = b + 3;
        out[at] = x[b];
    }
    for c in 0..2 {
        let mut total = 0;
        for c in 0..4 {
            total += x[c];
        }
        assert!(c < x.len());
        out[5 + c] = total + x[c];
    }
    for d in (1..=2).rev() {
        out[d + 6] = x[2 * d];
    }
}

#[test]
fn a_variable_that_only_indexes_has_the_type_that_rust_gives_it() {
    let source = counts::cuda_source().expect("CUDA").to_string();
    let types =
        ["int a = 0", "unsigned int b = 0u", "unsigned long long c = 0ull", "int c_1 = 0", "int d = 2"];
    for text in types {
        assert!(source.contains(&format!("for ({text};")), "{text} in {source}");
    }
    everywhere::<counts>(&(), |device| {
        let x = device.upload(&[3, 1, 4, 1, 5]).expect("memory");
        let out = written(device, (9, 77), |out| counts(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [2, 8, 2, 3, 1, 12, 10, 4, 5], "on {}", device.name());
    });
}
