//! The weights of scores, of which a warp or a warpgroup has some columns at a time.

use warpsmith::prelude::*;
use warpsmith::tensor::{Fragment, across_rows};

/// A thread's intermediate results for its two rows.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Rows {
    /// The largest score.
    top: [f32; 2],
    /// The thread's part of the sum of weights.
    sum: [f32; 2],
}

#[gpu_impl]
impl Rows {
    /// Rows without a score.
    pub fn new() -> Rows {
        Rows { top: [f32::NEG_INFINITY; 2], sum: [0.0; 2] }
    }

    /// Replaces scores by their weights, `2^(scale * (score - top))`. Returns the factors for earlier weights.
    ///
    /// `scale` is positive. A row without a score above negative infinity has weights of zero.
    pub fn weigh<F: Fragment<Element = f32>>(&mut self, scores: &mut F, scale: f32) -> [f32; 2] {
        let mut most = [f32::NEG_INFINITY; 2];
        #[unroll]
        for i in 0..F::COUNT {
            most[i / 2 % 2] = most[i / 2 % 2].max(scores.get(i));
        }
        most = across_rows(most, |a, b| a.max(b));
        let mut shrink = [0.0f32; 2];
        let mut shift = [0.0f32; 2];
        #[unroll]
        for i in 0..2usize {
            let top = self.top[i].max(most[i]);
            shift[i] = if top == f32::NEG_INFINITY { 0.0 } else { top * scale };
            shrink[i] = fast_exp2(self.top[i].mul_add(scale, -shift[i]));
            self.top[i] = top;
            self.sum[i] *= shrink[i];
        }
        #[unroll]
        for i in 0..F::COUNT {
            let weight = fast_exp2(scores.get(i).mul_add(scale, -shift[i / 2 % 2]));
            scores.set(i, weight);
            self.sum[i / 2 % 2] += weight;
        }
        shrink
    }

    /// The largest score of each row, and the sum of its weights.
    pub fn parts(self) -> [[f32; 2]; 2] {
        [self.top, across_rows(self.sum, |a, b| a + b)]
    }

    /// The sum of weights of each row, and the natural logarithm of the sum of `e^score`, where scores are multiplied by `scale *
    /// ln(2)`.
    pub fn finish(self, scale: f32) -> [[f32; 2]; 2] {
        let sum = across_rows(self.sum, |a, b| a + b);
        let mut lse = [0.0f32; 2];
        #[unroll]
        for i in 0..2usize {
            lse[i] = self.top[i].mul_add(scale, fast_log2(sum[i])) * core::f32::consts::LN_2;
        }
        [sum, lse]
    }
}
