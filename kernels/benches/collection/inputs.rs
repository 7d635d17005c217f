//! Elements of inputs, by their indices.

use warpsmith::prelude::*;

use crate::function::hashed;

pub fn unit(n: usize) -> Vec<f32> {
    (0..n).map(hashed).collect()
}

pub fn halves(n: usize) -> Vec<bf16> {
    (0..n).map(|i| bf16::from_f32(hashed(i))).collect()
}

pub fn doubles(n: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(hashed(i))).collect()
}

pub fn whole_numbers(n: usize) -> Vec<i32> {
    (0..n).map(|i| (hashed(i) * 1000.0) as i32).collect()
}

pub fn longs(n: usize) -> Vec<i64> {
    (0..n).map(|i| (hashed(i) * 1000.0) as i64).collect()
}

pub fn naturals(n: usize) -> Vec<u32> {
    (0..n).map(|i| (hashed(i) * 1000.0) as i32 as u32).collect()
}
