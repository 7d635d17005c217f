//! Random inputs and comparisons.

use std::time::{SystemTime, UNIX_EPOCH};

use warpsmith::prelude::F32x4;

/// Pseudo-random numbers, from a new seed in each process unless `CORPUS_SEED` gives one.
pub struct Random(u64);

impl Random {
    /// A generator; prints its seed, with which a failure can be run again.
    pub fn new(name: &str) -> Self {
        let given = std::env::var("CORPUS_SEED").ok().and_then(|s| s.parse().ok());
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64);
        let seed: u64 = given.unwrap_or_else(clock) | 1;
        println!("{name}: CORPUS_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Floats in [-1, 1).
    pub fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0).collect()
    }

    /// Integers in `low..high`.
    pub fn ints(&mut self, n: usize, low: i32, high: i32) -> Vec<i32> {
        let span = (high - low) as u64;
        (0..n).map(|_| low + (self.next() % span) as i32).collect()
    }

    /// Any values of 32 bits.
    pub fn words(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| (self.next() >> 32) as u32).collect()
    }

    /// Vectors of floats in [-1, 1).
    pub fn vectors(&mut self, n: usize) -> Vec<F32x4> {
        self.floats(4 * n).chunks_exact(4).map(|v| F32x4::new(v[0], v[1], v[2], v[3])).collect()
    }
}

/// The components of vectors, one after the other.
pub fn components(vectors: &[F32x4]) -> Vec<f32> {
    vectors.iter().flat_map(|v| v.to_array()).collect()
}

/// Compares every element exactly.
pub fn same<T: PartialEq + std::fmt::Debug>(got: &[T], want: &[T]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("{} elements instead of {}", got.len(), want.len()));
    }
    match got.iter().zip(want).position(|(g, w)| g != w) {
        None => Ok(()),
        Some(i) => Err(format!("element {i} is {:?} instead of {:?}", got[i], want[i])),
    }
}

/// Compares within a tolerance; NaN never passes.
pub fn close(got: &[f32], want: impl Fn(usize) -> f64, tolerance: f64) -> Result<(), String> {
    for (i, g) in got.iter().enumerate() {
        let w = want(i);
        if (f64::from(*g) - w).abs().partial_cmp(&tolerance) != Some(std::cmp::Ordering::Less) {
            return Err(format!("element {i} is {g} instead of {w}"));
        }
    }
    Ok(())
}
