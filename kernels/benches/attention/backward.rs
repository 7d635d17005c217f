//! The gradients of attention, whose inputs are hashed: launches, and some elements beside the host's.

use warpsmith::prelude::*;
use warpsmith_kernels::Call;
use warpsmith_kernels::attention::{AttentionBackward, attention, attention_backward, heads, heads_mut};

use crate::filled::{element, filled};
use crate::function::{Result, Run, check, kept, launches};
use crate::{FROM, HEADS, TOKENS};

/// The arguments, and the forward results that the gradients need.
struct Problem<const D: usize> {
    /// Queries, keys, values, results and their gradients.
    inputs: [&'static Buffer<bf16>; 5],
    lse: &'static Buffer<f32>,
    tokens: usize,
    sharing: usize,
    causal: bool,
}

/// The number of the first element of the results' gradients.
const OF_O: usize = 3 << 30;

impl<const D: usize> Problem<D> {
    fn extents(&self) -> [[usize; 4]; 2] {
        let sequences = TOKENS / self.tokens;
        [[sequences, HEADS, self.tokens, D], [sequences, HEADS / self.sharing, self.tokens, D]]
    }

    fn call<'a>(
        &self,
        device: &Device,
        [dq, dk, dv]: [&'a mut Buffer<bf16>; 3],
    ) -> Result<Call<'a, AttentionBackward<'a, bf16>>> {
        let [of_q, of_k] = self.extents();
        let [q, k, v, o, of_o] = self.inputs;
        let gradients = [heads_mut(dq, of_q)?, heads_mut(dk, of_k)?, heads_mut(dv, of_k)?];
        let inputs = [heads(q, of_q)?, heads(k, of_k)?, heads(v, of_k)?];
        let call =
            attention_backward(device, inputs, heads(o, of_q)?, self.lse, heads(of_o, of_q)?, gradients);
        Ok(if self.causal { call.causal() } else { call })
    }

    /// Compares the gradients of some queries, keys and values with the host's, whose logarithms and results are the device's.
    fn compare(&self, device: &Device, [dq, dk, dv]: [&[bf16]; 3]) -> Result<()> {
        let lse = device.download(self.lse)?;
        let o = device.download(self.inputs[3])?;
        let vector = |row: usize, from: usize| -> Vec<f64> {
            (row * D..(row + 1) * D).map(|i| f64::from(element(i, from).to_f32())).collect()
        };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scale = 1.0 / (D as f64).sqrt();
        // A query's weight of a key, and the gradient of their score.
        let pair = |query: usize, q: &[f64], of_o: &[f64], k: &[f64], v: &[f64]| {
            let weight = (scale * dot(q, k) - f64::from(lse[query])).exp();
            let result: Vec<f64> = o[query * D..][..D].iter().map(|x| f64::from(x.to_f32())).collect();
            (weight, weight * scale * (dot(of_o, v) - dot(of_o, &result)))
        };
        for row in [self.tokens + 3, TOKENS * HEADS - 1, 5 * self.tokens / 2 + 77] {
            let (head, token) = (row / self.tokens, row % self.tokens);
            let first = head / self.sharing * self.tokens;
            let (q, of_o) = (vector(row, FROM[0]), vector(row, OF_O));
            let mut sum = vec![[0.0; 2]; D];
            for key in first..first + if self.causal { token + 1 } else { self.tokens } {
                let (k, v) = (vector(key, FROM[1]), vector(key, FROM[2]));
                let (_, change) = pair(row, &q, &of_o, &k, &v);
                add(&mut sum, change, &k);
            }
            same("dq", row, &dq[row * D..][..D], &sum)?;
        }
        for row in [5, TOKENS * HEADS / self.sharing - 2] {
            let (head, token) = (row / self.tokens, row % self.tokens);
            let (k, v) = (vector(row, FROM[1]), vector(row, FROM[2]));
            let (mut of_k, mut of_v) = (vec![[0.0; 2]; D], vec![[0.0; 2]; D]);
            for shared in 0..self.sharing {
                for t in if self.causal { token } else { 0 }..self.tokens {
                    let query = (head * self.sharing + shared) * self.tokens + t;
                    let (q, of_o) = (vector(query, FROM[0]), vector(query, OF_O));
                    let (weight, change) = pair(query, &q, &of_o, &k, &v);
                    add(&mut of_k, change, &q);
                    add(&mut of_v, weight, &of_o);
                }
            }
            same("dk", row, &dk[row * D..][..D], &of_k)?;
            same("dv", row, &dv[row * D..][..D], &of_v)?;
        }
        Ok(())
    }
}

/// Adds a multiple of a vector to sums, and to those of sizes.
fn add(sums: &mut [[f64; 2]], factor: f64, vector: &[f64]) {
    for (sum, x) in sums.iter_mut().zip(vector) {
        sum[0] += factor * x;
        sum[1] += (factor * x).abs();
    }
}

fn same(name: &str, row: usize, got: &[bf16], want: &[[f64; 2]]) -> Result<()> {
    for (e, (got, [want, size])) in got.iter().zip(want).enumerate() {
        let got = f64::from(got.to_f32());
        // Weights, the gradients of scores and the result are rounded to eight bits, the forward's result too.
        let is_right = (got - want).abs() <= 1e-6 + (want.abs() + size) / 64.0;
        check(is_right, || format!("`{name}` of vector {row}, element {e}: {got} instead of {want}"))?;
    }
    Ok(())
}

pub fn backward<const D: usize>(
    device: &Device,
    tokens: usize,
    causal: bool,
    sharing: usize,
) -> Result<Run<'static>> {
    let len = TOKENS * HEADS * D;
    let (q, of_o) = (filled(device, len, FROM[0])?, filled(device, len, OF_O)?);
    let (k, v) = (filled(device, len / sharing, FROM[1])?, filled(device, len / sharing, FROM[2])?);
    let o = kept(device.alloc_zeroed::<bf16>(len)?);
    let lse = kept(device.alloc_zeroed::<f32>(TOKENS * HEADS)?);
    let [of_q, of_k] = [HEADS, HEADS / sharing].map(|of| [TOKENS / tokens, of, tokens, D]);
    let forward =
        attention(device, heads(q, of_q)?, heads(k, of_k)?, heads(v, of_k)?, heads_mut(&mut *o, of_q)?);
    let forward = if causal { forward.causal() } else { forward };
    forward.lse(&mut *lse).run()?;
    let problem = Problem::<D> { inputs: [q, k, v, o, of_o], lse, tokens, sharing, causal };
    // Bits that are no number.
    let poison = bf16::from_bits(0x7fff);
    let upload = |len: usize| -> Result<_> { Ok(kept(device.upload(&vec![poison; len])?)) };
    let (dq, dk, dv) = (upload(len)?, upload(len / sharing)?, upload(len / sharing)?);
    problem.call(device, [&mut *dq, &mut *dk, &mut *dv])?.run()?;
    let [got_q, got_k, got_v] = [device.download(dq)?, device.download(dk)?, device.download(dv)?];
    problem.compare(device, [&got_q, &got_k, &got_v])?;
    launches(device, problem.call(device, [dq, dk, dv])?)
}
