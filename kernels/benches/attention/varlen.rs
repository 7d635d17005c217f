//! Attention of sequences of many lengths, one after another, whose inputs are hashed: launches, and some elements beside the host's.

use warpsmith::prelude::*;
use warpsmith_kernels::Call;
use warpsmith_kernels::attention::{VarlenAttention, packed, packed_mut, varlen_attention};

use crate::filled::filled;
use crate::function::{Result, Run, kept, launches};
use crate::{FROM, HEADS, TOKENS, compare};

/// Lengths in parts of the longest; the last sequence has the rest. `kernels/benches/attention.py` has the same.
const PARTS: [usize; 8] = [64, 9, 37, 3, 50, 21, 1, 44];

/// The offsets of sequences of up to this number of tokens.
fn offsets(longest: usize) -> Vec<u32> {
    let mut offsets = vec![0u32];
    for i in 0.. {
        let last = offsets[i] as usize;
        if last == TOKENS {
            break;
        }
        let length = (longest * PARTS[i % 8] / 64 + i * 37 % 61).min(longest).max(1);
        offsets.push((last + length).min(TOKENS) as u32);
    }
    offsets
}

/// Pairs of a query and a key of the same sequence, times operations of each.
pub fn work<const D: usize, const PARTS: usize>(longest: usize) -> f64 {
    let pairs = |of: &[u32]| f64::from(of[1] - of[0]).powi(2);
    4.0 * (HEADS * D) as f64 * offsets(longest).windows(2).map(pairs).sum::<f64>() / PARTS as f64
}

pub fn varlen<const D: usize>(
    device: &Device,
    longest: usize,
    causal: bool,
    sharing: usize,
) -> Result<Run<'static>> {
    let ends = offsets(longest);
    let places = kept(device.upload(&ends)?);
    let len = TOKENS * HEADS * D;
    let q = filled(device, len, FROM[0])?;
    let (k, v) = (filled(device, len / sharing, FROM[1])?, filled(device, len / sharing, FROM[2])?);
    let o = kept(device.alloc_zeroed::<bf16>(len)?);
    let (of_q, of_k) = ([TOKENS, HEADS, D], [TOKENS, HEADS / sharing, D]);
    fn call<'a>(
        device: &Device,
        [q, k, v]: [&'a Buffer<bf16>; 3],
        places: &'a Buffer<u32>,
        o: &'a mut Buffer<bf16>,
        [of_q, of_k]: [[usize; 3]; 2],
        causal: bool,
    ) -> Result<Call<'a, VarlenAttention<'a, bf16>>> {
        let (q, k, v) = (packed(q, of_q)?, packed(k, of_k)?, packed(v, of_k)?);
        let call = varlen_attention(device, q, k, v, places, places, packed_mut(o, of_q)?);
        Ok(if causal { call.causal() } else { call })
    }
    call(device, [q, k, v], places, o, [of_q, of_k], causal)?.run()?;
    let got = device.download(o)?;
    for row in (0..TOKENS * HEADS).step_by(30_011) {
        let (token, head) = (row / HEADS, row % HEADS);
        let s = ends.partition_point(|end| *end as usize <= token);
        let seen = ends[s - 1] as usize..if causal { token + 1 } else { ends[s] as usize };
        let keys: Vec<usize> = seen.map(|key| (key * HEADS / sharing + head / sharing) * D).collect();
        compare(&got[row * D..][..D], row * D, &keys)?;
    }
    launches(device, call(device, [q, k, v], places, o, [of_q, of_k], causal)?)
}
