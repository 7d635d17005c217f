//! Iterators without an end, one after the other, and the methods that end one: `next`, `nth`, `last`, `find_map`, `rposition`;
//! searches in slices that are in order.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel]
fn endless(x: &[i32], out: &mut [i32]) {
    let mut n = 0;
    for i in 0.. {
        if i * i > 50 {
            break;
        }
        if i % 2 == 0 {
            continue;
        }
        n += i;
    }
    out[0] = n;
    let start = x[3];
    for i in (start..).step_by(3) {
        if i > 20 {
            out[1] = i;
            break;
        }
    }
    for (i, v) in (1..).zip(x) {
        out[2] += i * *v;
    }
    for (v, i) in x.iter().zip(10..) {
        out[3] += i * *v;
    }
    for (v, i) in x.iter().zip((10..).step_by(2)) {
        out[4] += i * *v;
    }
    out[5] = (5..).take(4).sum::<i32>();
    out[6] = (1..).map(|i| i * i).take_while(|s| *s < 100).last().unwrap_or(-1);
    out[7] = (2..).find(|i| 91 % *i == 0).unwrap_or(0);
    let found = 'outer: loop {
        for i in 1usize.. {
            if i * 7 % 11 == 1 {
                break 'outer i as i32;
            }
        }
    };
    out[8] = found;
    let mut e = 0;
    for (k, i) in (7u8..).enumerate() {
        if k == 5 {
            e = i as i32;
            break;
        }
    }
    out[9] = e;
    out[10] = (-3i64..).skip(2).step_by(5).nth(3).unwrap_or(0) as i32;
    'a: for i in 1.. {
        for j in i.. {
            if i * j == 35 {
                out[11] = i * 100 + j;
                break 'a;
            }
            if j > 40 {
                continue 'a;
            }
        }
    }
    out[12] = (1..).position(|i| i * 3 > 20).unwrap_or(0) as i32;
}

#[gpu_kernel]
fn ends(x: &[i32], out: &mut [i32]) {
    let a = [3, 1, 4];
    out[0] = *x.iter().last().unwrap();
    out[1] = x.iter().filter(|v| **v % 2 == 0).last().copied().unwrap_or(0);
    out[2] = *x.iter().nth(2).unwrap();
    out[3] = x.iter().map(|v| v * 2).nth(1).unwrap();
    out[4] = x.iter().filter(|v| **v > 3).nth(1).copied().unwrap_or(-1);
    out[5] = x.iter().nth(100).copied().unwrap_or(-5);
    out[6] = x.iter().chain(&a).sum();
    for (i, v) in x.iter().chain(a.iter()).enumerate() {
        out[7] += i as i32 * *v;
    }
    for v in a.iter().chain(x.iter().filter(|v| **v > 4)).rev() {
        out[8] = out[8] * 7 + *v;
    }
    out[9] = (0..3).chain(10..12).map(|v| v * v).sum();
    out[10] = x.iter().rposition(|v| *v < 5).unwrap_or(99) as i32;
    out[11] = x.iter().copied().rfind(|v| *v % 3 == 0).unwrap_or(-1);
    out[12] = x.iter().find_map(|v| if *v > 4 { Some(*v * 10) } else { None }).unwrap_or(0);
    out[13] = x.iter().skip(3).next().copied().unwrap_or(0);
    let mut b = [5, 6];
    let mut c = [7, 8, 9];
    for v in b.iter_mut().chain(c.iter_mut()) {
        *v *= 2;
    }
    out[14] = b[1] + c[2] * 100;
    out[15] = x.iter().chain(&a).skip(6).step_by(2).fold(0, |s, v| s * 10 + *v);
    out[16] = x.iter().zip(a.iter().chain(&b)).map(|(p, q)| p * q).sum();
    out[17] = x.iter().max_by_key(|v| (**v - 4).abs()).copied().unwrap_or(0);
    out[18] = a.into_iter().chain([9, 10]).max().unwrap();
    out[19] = x.chunks(3).last().map_or(0, |c| c[0] + c.len() as i32);
    out[20] = (0..x.len()).rev().nth(1).unwrap() as i32 + (1..=5).last().unwrap();
    out[21] = x.iter().chain(&a).take(9).chain(&b).count() as i32;
}

#[gpu_kernel]
fn searched(x: &[i32], out: &mut [i32]) {
    let a = [3, 1, 4];
    out[0] = x.partition_point(|v| *v < 5) as i32 * 100 + a.partition_point(|v| *v < 5) as i32;
    out[1] = match x.binary_search(&4) {
        Ok(i) => i as i32,
        Err(i) => -(i as i32),
    };
    out[2] = match x.binary_search(&100) {
        Ok(i) => i as i32,
        Err(i) => -(i as i32),
    };
    let sorted = [1u8, 3, 3, 7];
    out[3] =
        sorted.binary_search(&3).unwrap_or(77) as i32 * 10 + sorted.binary_search(&5).unwrap_err() as i32;
    out[4] = x.binary_search_by(|v| v.cmp(&6)).is_ok() as i32
        + x[2..].binary_search_by_key(&12, |v| *v * 2).unwrap_or(50) as i32;
}

#[gpu_kernel]
fn narrow(x: &[i32], out: &mut [i32]) {
    for i in 250u8.. {
        out[0] += i as i32;
        if i as i32 == x[0] {
            break;
        }
    }
}

fn check<K: Kernel<Comptime = ()>>(
    want: &[i32],
    launch: impl Fn(&Buffer<i32>, &mut Buffer<i32>, &Device) -> warpsmith::Result<()>,
) {
    everywhere::<K>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4, 5, 6, 7, 8]).expect("memory");
        let out = written(gpu, (want.len(), 0), |out| launch(&x, out, gpu));
        assert_eq!(out, want);
    });
}

#[test]
fn a_range_without_an_end_is_walked_until_something_leaves_the_loop() {
    check::<endless>(&[16, 22, 204, 528, 696, 26, 81, 7, 8, 12, 14, 135, 6], |x, out, gpu| {
        endless(x, out).grid(1).block(1).launch(gpu)
    });
}

#[test]
fn iterators_follow_each_other_and_end_in_an_item() {
    check::<ends>(
        &[8, 8, 3, 4, 5, -5, 44, 241, 1075168, 226, 3, 6, 50, 4, 1812, 734, 117, 8, 10, 9, 11, 11],
        |x, out, gpu| ends(x, out).grid(1).block(1).launch(gpu),
    );
}

#[test]
fn slices_in_order_are_searched_as_in_rust() {
    check::<searched>(&[403, 3, -8, 23, 4], |x, out, gpu| searched(x, out).grid(1).block(1).launch(gpu));
}

/// Rust computes the number behind an item before it gives the item.
#[test]
fn a_range_without_an_end_overflows_as_in_rust() {
    everywhere::<narrow>(&(), |gpu| {
        let run = |first: i32| {
            let x = gpu.upload(&[first]).expect("memory");
            let mut out = gpu.upload(&[0]).expect("memory");
            narrow(&x, &mut out).grid(1).block(1).launch(gpu).and_then(|()| gpu.download(&out))
        };
        assert_eq!(run(252).expect("no overflow"), [250 + 251 + 252]);
        if gpu.is_simulator() {
            let fault = run(255).expect_err("an overflow").to_string();
            assert!(fault.contains("overflow"), "{fault}");
        }
    });
}
