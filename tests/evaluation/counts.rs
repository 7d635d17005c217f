//! The number of an iterator's items, and the items: at the ends of the types of numbers, and below zero.

use warpsmith::prelude::*;

use super::agree;

#[gpu_kernel]
fn below_zero(x: &[u64], out: &mut [u64]) {
    for v in (-5..5i32).rev().step_by(3) {
        out[0] = out[0] * 3 + (v + 10) as u64;
    }
    let n = x[5] as i32;
    out[1] = (-n..n).rev().enumerate().fold(0i64, |c, (i, v)| c * 3 + i as i64 + v as i64) as u64;
    out[2] = (-n..=n).skip(2).take(7).fold(0i64, |c, v| c * 3 + v as i64) as u64;
    let m = -(x[9] as i64);
    out[3] = (m..9).zip(x.iter()).map(|(a, b)| a * *b as i64).sum::<i64>() as u64;
    out[4] = (m..=-2).rev().enumerate().map(|(i, v)| i as i64 * v).sum::<i64>() as u64;
}

#[gpu_kernel]
fn more_than_the_largest_number(x: &[u64], out: &mut [u64]) {
    let m = x[12] as i8 * 10;
    out[0] = (-m..m).enumerate().skip(180).fold(0, |c, (i, v)| (c * 3 + i as i64 + v as i64) % 1009) as u64;
    out[1] = (i8::MIN..=i8::MAX).rev().step_by(50).fold(0, |c, v| (c * 3 + v as i64) % 1009) as u64;
    out[2] = (i8::MIN..i8::MAX).enumerate().map(|(i, v)| i as i64 * v as i64).sum::<i64>() as u64;
    out[3] =
        (i16::MIN..=m as i16).rev().enumerate().step_by(9999).map(|(i, v)| i as i64 + v as i64).sum::<i64>()
            as u64;
    for (v, w) in (i64::MIN + m as i64 - 120..=i64::MAX).zip(0..3) {
        out[4] = out[4].wrapping_mul(3).wrapping_add(v as u64 + w);
    }
    for (v, w) in (i64::MIN..=i64::MAX).zip(0..3) {
        out[5] = out[5].wrapping_mul(3).wrapping_add(v as u64 + w);
    }
}

#[gpu_kernel]
fn all_numbers(x: &[u64], out: &mut [u64]) {
    for (i, v) in (x[0]..=u64::MAX).enumerate() {
        if i == 5 {
            break;
        }
        out[0] += v;
    }
    for v in (x[0]..=u64::MAX).rev().step_by(2) {
        if v < u64::MAX - 5 {
            break;
        }
        out[1] = out[1].wrapping_mul(3).wrapping_add(v);
    }
    for v in (x[0]..u64::MAX).rev().step_by(3) {
        if v < u64::MAX - 9 {
            break;
        }
        out[2] = out[2].wrapping_mul(3).wrapping_add(v);
    }
    for (v, w) in (0..=u64::MAX).zip(0..3) {
        out[3] += v * w;
    }
    for v in (i64::MAX - 4 * x[1] as i64..=i64::MAX).rev().skip(1) {
        out[4] = out[4].wrapping_mul(3).wrapping_add(v as u64);
    }
    out[5] = (x[1]..=u64::MAX).zip(x.iter()).map(|(a, b)| a * b).sum();
}

#[gpu_kernel]
fn steps_past_the_end(x: &[u64], out: &mut [u64]) {
    let far = usize::MAX - x[0] as usize;
    for v in x.iter().skip(1).step_by(far) {
        out[0] += v;
    }
    for v in (x[2]..x[9]).rev().step_by(far) {
        out[1] += v;
    }
    for v in (x[2]..x[9]).step_by(far) {
        out[2] += v;
    }
    for v in x.iter().take(far).skip(far - 1) {
        out[3] += v;
    }
    for (v, i) in (x[7] as i32..i32::MAX).rev().step_by(1 << 30).zip(1..9u64) {
        out[4] = out[4] * 3 + v as u64 * i;
    }
    out[5] = x.iter().step_by(x[6] as usize).count() as u64;
    out[6] = (x[3]..x[13]).rev().step_by(x[5] as usize).sum();
}

#[gpu_kernel]
fn steps_of_all_numbers(x: &[u64], out: &mut [u64]) {
    let third = u64::MAX / 3 + x[0];
    for v in (0..=u64::MAX).rev().step_by(0x5555_5555_5555_5555) {
        out[0] = out[0] * 3 + v % 1009;
    }
    for v in (x[0]..=u64::MAX).rev().step_by(third as usize) {
        out[1] = out[1] * 3 + v % 1009;
    }
    for (i, v) in (i64::MIN..=i64::MAX).step_by(third as usize).enumerate() {
        out[2] = out[2] * 3 + (v.rem_euclid(1009)) as u64 + i as u64;
    }
    for v in (0..=i64::MAX).rev().step_by(third as usize) {
        out[3] = out[3] * 3 + v as u64 % 1009;
    }
    for v in (x[1]..=u64::MAX).rev().step_by(third as usize) {
        out[4] = out[4] * 3 + v % 1009;
    }
    for v in (0..u64::MAX).rev().step_by(0x5555_5555_5555_5555) {
        out[5] = out[5] * 3 + v % 1009;
    }
}

agree! { steps_of_all_numbers below_zero more_than_the_largest_number all_numbers steps_past_the_end }
