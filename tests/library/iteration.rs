//! `for` over elements, with the adapters that keep a plain loop.

#![allow(clippy::map_clone, clippy::map_identity, reason = "the adapters are what is looked at")]

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
    let usize_ = "unsigned long long";
    for variable in ["a = 0ull", "c = 0ull", "c_1 = 0ull", "d = 2ull"] {
        assert!(source.contains(&format!("for ({usize_} {variable};")), "{variable} in {source}");
    }
    assert!(source.contains("for (unsigned int b = 0u;"), "{source}");
    everywhere::<counts>(&(), |device| {
        let x = device.upload(&[3, 1, 4, 1, 5]).expect("memory");
        let out = written(device, (9, 77), |out| counts(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [2, 8, 2, 3, 1, 12, 10, 4, 5], "on {}", device.name());
    });
}

#[gpu_kernel]
fn totals(x: &[i32], y: &[f32], n: u32, out: &mut [i32], reals: &mut [f32]) {
    out[0] = x.iter().sum();
    out[1] = x.iter().zip(x.iter().rev()).map(|(a, b)| a * *b).sum::<i32>();
    out[2] = (1..=n).map(|i| i as i32 * i as i32).sum();
    out[3] = x.iter().filter(|v| **v > 1).map(|&v| v).product();
    out[4] = x.iter().fold(7, |total, v| total * 3 + *v);
    let any = x.iter().any(|v| *v == 4);
    out[5] = any as i32 + 2 * x.iter().skip(1).all(|&v| v < 5) as i32;
    out[6] = x.iter().copied().max().unwrap_or(-1) * 100 + *x.iter().min().unwrap();
    out[7] = x.iter().filter(|&&v| v % 2 == 1).count() as i32;
    out[8] = x.iter().position(|v| *v == 1).unwrap() as i32;
    out[9] = match x.iter().enumerate().find(|(_, v)| **v > 3) {
        Some((i, v)) => i as i32 * 10 + *v,
        None => -1,
    };
    out[10] = (0..n).rev().step_by(3).map(|i| i as i32).fold(0, |t, i| t * 10 + i);
    let mut seen = 0;
    x.iter().take(2).for_each(|v| seen = seen * 10 + *v);
    out[11] = seen;
    out[12] = (5..n).rev().map(|i| i as i32).reduce(|a, b| a - b).unwrap_or(99);
    for (k, v) in x.iter().map(|v| v * 2).enumerate() {
        out[13] += k as i32 * v;
    }
    for v in x.iter().filter(|v| **v != 1) {
        out[14] = out[14] * 10 + v;
    }
    reals[0] = y.iter().sum();
    reals[1] = y.iter().map(|v| v * v).sum::<f32>().sqrt();
    reals[2] = y.iter().fold(f32::NEG_INFINITY, |a, &v| a.max(v));
    reals[3] = y.iter().copied().fold(f32::INFINITY, f32::min);
    reals[4] = y[..0].iter().sum();
    out[0] += x[1..].iter().filter(|v| 0 < **v).map(|v| *v).min().map_or(0, |v| v * 1000);
    out.iter_mut().skip(15).for_each(|slot| *slot = 6);
    let (low, high) = y.iter().fold((9.0, -9.0), |(low, high), v| (v.min(low), v.max(high)));
    reals[5] = high - low;
}

#[test]
fn iterators_end_in_sums_and_their_like() {
    everywhere::<totals>(&(), |device| {
        let (x, y) = ([3, 1, 4, 1, 5], [0.5f32, -2.0, 3.25]);
        let (dx, dy) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
        let mut reals = device.upload(&[7.0f32; 6]).expect("memory");
        let out = written(device, (17, 0), |out| {
            totals(&dx, &dy, 8, out, &mut reals).grid(1).block(1).launch(device)
        });
        let folded = x.iter().fold(7, |t, v| t * 3 + v);
        let doubled = x.iter().map(|v| v * 2).enumerate().map(|(k, v)| k as i32 * v).sum::<i32>();
        let want = [1014, 48, 204, 60, folded, 1, 501, 4, 1, 24, 741, 31, 7 - 6 - 5, doubled, 345, 6, 6];
        assert_eq!(out, want, "on {}", device.name());
        let reals = device.download(&reals).expect("memory");
        let norm = y.iter().map(|v| v * v).sum::<f32>().sqrt();
        assert_eq!(reals, [1.75, norm, 3.25, -2.0, 0.0, 5.25], "on {}", device.name());
        let none: f32 = [0.0f32; 0].iter().sum();
        assert_eq!(reals[4].to_bits(), none.to_bits(), "on {}", device.name());
    });
}

#[gpu_kernel]
fn inclusive(n: u32, last: u8, x: &[u32], out: &mut [u32]) {
    for a in 0..=last {
        out[0] += a as u32;
    }
    if n < 100 && n > 0 {
        for b in 1..=n {
            out[1] += b;
        }
    }
    for c in 0..=n / 2 {
        out[2] += c;
    }
    for d in 1..=x.len() {
        out[3] += d as u32;
    }
    for e in n..=n {
        out[4] += e;
    }
    let part = &x[1..];
    let rest = &x[n as usize - 5..];
    out[5] = part[0] + rest[1] + rest.len() as u32;
}

#[test]
fn inclusive_ranges_are_plain_loops_where_the_end_has_a_successor() {
    let source = inclusive::cuda_source().expect("CUDA").to_string();
    let heads = ["b = 1u; b <= n; ++b", "c = 0u; c <= n / 2u; ++c", "d = 1ull; d <= x_len; ++d"];
    for head in heads {
        assert!(source.contains(head), "{head} in {source}");
    }
    // One more than the end may be beyond the type: these are left from the end of their bodies.
    for head in ["a = (unsigned char)0;; ++a", "if (a >= last) break;", "e = n;; ++e"] {
        assert!(source.contains(head), "{head} in {source}");
    }
    assert!(!source.contains("part_len") && source.contains("rest_len = "), "{source}");
    everywhere::<inclusive>(&(), |device| {
        let x = device.upload(&[3u32, 1, 4]).expect("memory");
        let out = written(device, (6, 0), |out| inclusive(6, 255, &x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [32640, 21, 6, 6, 6, 1 + 4 + 2], "on {}", device.name());
    });
}

#[gpu_fn]
fn bytes_in(x: &[u8]) -> u32 {
    x.iter().map(|v| *v as u32).sum()
}

#[gpu_kernel]
fn made<const N: usize>(out: &mut [u32]) {
    let local = [1u8, 2, 3];
    let zeros = [u32::default(); N];
    out[0] = bytes_in(&local[..]) + bytes_in(&local[1..]) + zeros[N - 1];
}

#[test]
fn a_local_array_is_given_as_a_slice() {
    everywhere::<made<4>>(&(), |device| {
        let out = written(device, (1, 7), |out| made::<4>(out).grid(1).block(1).launch(device));
        assert_eq!(out, [11], "on {}", device.name());
    });
}

#[gpu_kernel]
fn halves(x: &[f16], out: &mut [f32]) {
    out[0] = x.iter().sum::<f16>().to_f32();
}

#[gpu_kernel]
fn options(x: &[i32], out: &mut [i32]) {
    out[0] = x.iter().map(|v| (*v, v.checked_mul(2))).max().map_or(0, |(v, _)| v);
}

#[gpu_kernel]
fn options_as_keys(x: &[i32], out: &mut [i32]) {
    out[0] = *x.iter().min_by_key(|v| v.checked_mul(2)).unwrap();
}

#[test]
fn sums_of_halves_are_refused() {
    let sum = halves::cuda_source().expect_err("no CUDA").to_string();
    assert!(sum.contains("`sum` cannot take items whose sum is a `f16`; write the `fold`"), "{sum}");
}

#[test]
fn options_have_the_order_of_rust() {
    let x = [3, i32::MAX, -5, 8];
    let largest = x.iter().map(|v| (*v, v.checked_mul(2))).max().map_or(0, |(v, _)| v);
    let least = *x.iter().min_by_key(|v| v.checked_mul(2)).expect("it has some");
    everywhere::<options>(&(), |device| {
        let input = device.upload(&x).expect("memory");
        let out = written(device, (1, 7), |out| options(&input, out).grid(1).block(1).launch(device));
        assert_eq!(out, [largest], "on {}", device.name());
    });
    everywhere::<options_as_keys>(&(), |device| {
        let input = device.upload(&x).expect("memory");
        let out = written(device, (1, 7), |out| options_as_keys(&input, out).grid(1).block(1).launch(device));
        assert_eq!(out, [least], "on {}", device.name());
    });
}

/// Every way to walk a range that differs in how its loop is counted; the sums tell orders apart.
#[gpu_kernel]
fn directions(a: i32, b: i32, step: u64, small: u8, out: &mut [i32]) {
    let mut n = 0;
    let mut total = 0i32;
    for i in (a..b).rev() {
        total = total.wrapping_mul(31).wrapping_add(i);
    }
    out[n] = total;
    n += 1;
    total = 0;
    for i in (a..=b).step_by(step as usize) {
        total = total.wrapping_mul(31).wrapping_add(i);
    }
    out[n] = total;
    n += 1;
    total = 0;
    for i in (a..=b).rev().step_by(step as usize) {
        total = total.wrapping_mul(31).wrapping_add(i);
    }
    out[n] = total;
    n += 1;
    total = 0;
    for i in (a..b).step_by(step as usize).rev() {
        total = total.wrapping_mul(31).wrapping_add(i);
    }
    out[n] = total;
    n += 1;
    total = 0;
    for (k, i) in (a..=b).rev().skip(1).take(5).enumerate() {
        total = total.wrapping_mul(31).wrapping_add(i).wrapping_add(k as i32);
    }
    out[n] = total;
    n += 1;
    total = 0;
    for i in (small..=255).step_by(7) {
        total = total.wrapping_mul(31).wrapping_add(i as i32);
    }
    out[n] = total;
    n += 1;
    total = 0;
    for i in (small..=255).rev().step_by(100) {
        total = total.wrapping_mul(31).wrapping_add(i as i32);
    }
    out[n] = total;
    n += 1;
    out[n] = (a..b).rev().zip(a..=b).map(|(i, k)| i.wrapping_mul(k)).fold(0, |t, v| t ^ v);
    n += 1;
    out[n] = (a..b)
        .map(|i| i.wrapping_mul(2))
        .rev()
        .filter(|i| i % 3 != 0)
        .fold(0, |t: i32, v| t.wrapping_mul(31).wrapping_add(v));
    n += 1;
    out[n] = (a..=b).step_by(step as usize).map(|i| i).max().unwrap_or(-999);
}

#[test]
fn ranges_are_walked_as_rust_walks_them() {
    everywhere::<directions>(&(), |device| {
        let ranges = [(-5, 9), (0, 0), (3, -3), (i32::MAX - 4, i32::MAX), (i32::MIN, i32::MIN + 6), (-7, -7)];
        for ((a, b), step) in ranges.into_iter().flat_map(|r| [1usize, 2, 5, 40].map(|s| (r, s))) {
            let small = (a as u8) | 0x81;
            let hash = |items: &mut dyn Iterator<Item = i32>| {
                items.fold(0i32, |t, i| t.wrapping_mul(31).wrapping_add(i))
            };
            let mut want = vec![hash(&mut (a..b).rev())];
            want.push(hash(&mut (a..=b).step_by(step)));
            want.push(hash(&mut (a..=b).rev().step_by(step)));
            want.push(hash(&mut (a..b).step_by(step).rev()));
            let numbered = (a..=b).rev().skip(1).take(5).enumerate();
            want.push(
                numbered.fold(0i32, |t, (k, i)| t.wrapping_mul(31).wrapping_add(i).wrapping_add(k as i32)),
            );
            want.push(hash(&mut (small..=255).step_by(7).map(i32::from)));
            want.push(hash(&mut (small..=255).rev().step_by(100).map(i32::from)));
            want.push((a..b).rev().zip(a..=b).map(|(i, k)| i.wrapping_mul(k)).fold(0, |t, v| t ^ v));
            let doubled = (a..b).map(|i| i.wrapping_mul(2)).rev();
            want.push(hash(&mut doubled.filter(|i| i % 3 != 0)));
            want.push((a..=b).step_by(step).max().unwrap_or(-999));
            let got = written(device, (10, 0), |out| {
                directions(a, b, step as u64, small, out).grid(1).block(1).launch(device)
            });
            assert_eq!(got, want, "{a}, {b} by {step} on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn beyond_the_end(out: &mut [u32]) {
    let a = [1u32, 2, 3];
    let mut sum = 0;
    for v in a.iter().skip(9) {
        sum += v;
    }
    for v in a.iter().skip(9).rev() {
        sum += v;
    }
    for (i, v) in a.iter().enumerate().skip(2).step_by(usize::MAX) {
        sum += v * 10 + i as u32;
    }
    for (i, v) in (5..3).zip(a.iter()) {
        sum += v + i;
    }
    let k = 7u32;
    for (v, w) in a.iter().zip([k, k]) {
        sum += v * w;
    }
    let mut n = 0u32;
    for taken in a.iter().map(|_| k) {
        n += taken;
    }
    out[0] = sum + n * 1000 + k;
}

#[test]
fn counts_of_no_items_are_not_computed() {
    super::everywhere::<beyond_the_end>(&(), |device| {
        let out = super::written(device, (1, 0), |out| beyond_the_end(out).grid(1).block(1).launch(device));
        assert_eq!(out, [32 + 21 + 21_000 + 7]);
    });
    let text = beyond_the_end::cuda_source().expect("a kernel").to_string();
    assert!(text.contains("const unsigned int k = 7u;") || text.contains("unsigned int k = 7u;"), "{text}");
}
