//! The order of tuples and short arrays: operators, keys of iterators, and the least and the greatest item.

use core::cmp::Ordering;

use harness::agree;
use warpsmith::prelude::*;

#[gpu_fn]
fn pair(x: &[u64], i: usize) -> (u64, i32) {
    (x[i] % 3, 1 - x[i] as i32 % 2)
}

/// All operators on numbers that differ in their first, in their last or in no part.
#[gpu_kernel]
fn operators(x: &[u64], out: &mut [u64]) {
    for i in 0..9usize {
        let a = (x[i] / 3, x[i] % 3);
        let b = (x[i + 4] / 6, x[4] % 3);
        out[i] =
            out[i] * 16 + (a < b) as u64 + 2 * (a <= b) as u64 + 4 * (a > b) as u64 + 8 * (a >= b) as u64;
        let (p, q) = (pair(x, i), pair(x, i / 2));
        out[i] =
            out[i] * 16 + (p < q) as u64 + 2 * (p <= q) as u64 + 4 * (p > q) as u64 + 8 * (p >= q) as u64;
    }
    let nested = ((x[1], (x[2] as i8, true)), [x[3], x[4]]);
    let other = ((x[1], (x[2] as i8, x[0] > 0)), [x[3], x[5]]);
    out[10] = (nested < other) as u64 + 2 * (nested >= other) as u64 + 4 * (nested.1 > other.1) as u64;
    out[11] = ([x[1], x[2], x[0]] <= [x[1], x[2], x[1]]) as u64;
}

/// A part that is no number equals none, so the parts behind it do not count.
#[gpu_kernel]
fn floats(x: &[u64], out: &mut [u64]) {
    let values = [0.0f32, -0.0, 1.0, f32::NAN, f32::INFINITY];
    for i in 0..25usize {
        let (a, b) = ((values[i % 5], x[i % 7]), (values[i / 5], x[3]));
        out[i % 16] = out[i % 16] * 16
            + (a < b) as u64
            + 2 * (a <= b) as u64
            + 4 * (a > b) as u64
            + 8 * (a >= b) as u64;
    }
}

/// Of equal items Rust gives the first of the least, and the last of the greatest.
#[gpu_kernel]
fn keys(x: &[u64], out: &mut [u64]) {
    let mut calls = 0;
    out[0] = *x
        .iter()
        .max_by_key(|v| {
            calls += 1;
            (**v % 4, **v / 8)
        })
        .unwrap();
    out[1] = *x.iter().min_by_key(|v| (**v % 4, **v / 8)).unwrap() + calls * 100;
    out[2] = x.iter().enumerate().max_by_key(|(i, v)| (*v % 5, *i % 2 == 0, 7 - *i as i32)).unwrap().0 as u64;
    out[3] = (0..x.len()).min_by_key(|i| pair(x, *i)).unwrap() as u64;
    out[4] = (0..x.len()).max_by_key(|i| (pair(x, *i), [x[*i] % 2, 3])).unwrap() as u64;
    let cells = [(2, 5u8), (1, 9), (2, 7), (1, 3)];
    let (most, least) = (cells.iter().max().unwrap(), cells.iter().min().unwrap());
    out[5] = most.0 * 100 + most.1 as u64;
    out[6] = least.0 * 100 + least.1 as u64;
    out[7] = x.iter().map(|v| (v % 6, v / 6)).max().map_or(0, |(a, b)| a * 100 + b);
    out[8] = x.iter().filter(|v| **v > 99).map(|v| (v % 6, *v)).min().is_none() as u64;
    out[9] =
        x.iter().zip(x[1..].iter().rev()).min_by_key(|(a, b)| (*a % 3, *b)).map_or(0, |(a, b)| a * 100 + b);
    let mut at = 0;
    out[10] = cells
        .iter()
        .max_by_key(|cell| {
            at += 1;
            (&cell.0, at)
        })
        .map_or(0, |cell| cell.1 as u64);
}

#[gpu_fn]
fn is_less(a: f64, b: f64) -> bool {
    a.partial_cmp(&b) == Some(Ordering::Less)
}

/// `==` of orders, and of what holds them.
#[gpu_kernel]
fn equal_orders(x: &[u64], out: &mut [u64]) {
    for i in 0..12usize {
        let (a, b) = (x[i] % 3, x[i + 1] % 4);
        let order = a.cmp(&b);
        out[i] = (order == Ordering::Less) as u64 + 2 * (order != Ordering::Equal) as u64;
        out[i] += 4 * (a.partial_cmp(&b) == Some(Ordering::Greater)) as u64;
        out[i] += 8 * is_less(a as f64, b as f64) as u64 + 16 * ((order, a) == (Ordering::Equal, 1)) as u64;
    }
    out[12] = (f32::NAN.partial_cmp(&1.0) == None) as u64;
}

agree! { operators floats keys equal_orders }
