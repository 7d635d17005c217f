//! Times attention on a GPU: in bursts and sustained, or, with `serve`, in turns with PyTorch's (`kernels/benches/attention.py`).
//!
//! Names are `full_128`, `causal_128`, and the same with 64 and 256: 16,384 tokens of 16 heads of that size, in sequences of a number of
//! tokens. In `shared_128`, causal too, four heads of queries share a head of keys. `back_full_128` and so on are the gradients of these, and
//! `varlen_full_128` and so on the same for sequences of many lengths up to a number of tokens, one after another. `paged_128` and
//! `paged_64` are the last tokens of 64 sequences of a number of tokens in pages of 16, of 32 heads that share 8. Some elements of each
//! result are checked. It prints
//! `ours NAME_TOKENS_MODE VALUE` with TFLOP/s, of causal attention with one half of the operations, and GB/s of keys and values for pages.

mod backward;
#[path = "../filled.rs"]
mod filled;
#[path = "../function.rs"]
mod function;
mod varlen;

use backward::backward;
use filled::{element, filled};
use function::Work::{Bytes, Operations};
use function::{Function, Result, Run, check, kept, launches, time};
use varlen::varlen;
use warpsmith::prelude::*;
use warpsmith_kernels::Call;
use warpsmith_kernels::argument::{Matrix, matrix};
use warpsmith_kernels::attention::{
    Attention, Heads, HeadsMut, PagedAttention, attention, heads, heads_mut, paged_attention,
};

const TOKENS: usize = 16_384;
const HEADS: usize = 16;
/// Sequences, heads of keys, heads that share each, and tokens of a page.
const PAGED: [usize; 4] = [64, 8, 4, 16];

const FUNCTIONS: [Function; 19] = [
    Function::new("full_128", Operations(work::<128, 1>), |d, n| forward::<128>(d, n, false, 1)),
    Function::new("causal_128", Operations(work::<128, 2>), |d, n| forward::<128>(d, n, true, 1)),
    Function::new("shared_128", Operations(work::<128, 2>), |d, n| forward::<128>(d, n, true, 4)),
    Function::new("full_64", Operations(work::<64, 1>), |d, n| forward::<64>(d, n, false, 1)),
    Function::new("causal_64", Operations(work::<64, 2>), |d, n| forward::<64>(d, n, true, 1)),
    Function::new("full_256", Operations(work::<256, 1>), |d, n| forward::<256>(d, n, false, 1)),
    Function::new("causal_256", Operations(work::<256, 2>), |d, n| forward::<256>(d, n, true, 1)),
    Function::new("back_full_128", Operations(back::<128, 1>), |d, n| backward::<128>(d, n, false, 1)),
    Function::new("back_causal_128", Operations(back::<128, 2>), |d, n| backward::<128>(d, n, true, 1)),
    Function::new("back_shared_128", Operations(back::<128, 2>), |d, n| backward::<128>(d, n, true, 4)),
    Function::new("back_full_64", Operations(back::<64, 1>), |d, n| backward::<64>(d, n, false, 1)),
    Function::new("back_causal_64", Operations(back::<64, 2>), |d, n| backward::<64>(d, n, true, 1)),
    Function::new("varlen_full_128", Operations(varlen::work::<128, 1>), |d, n| {
        varlen::<128>(d, n, false, 1)
    }),
    Function::new("varlen_causal_128", Operations(varlen::work::<128, 2>), |d, n| {
        varlen::<128>(d, n, true, 1)
    }),
    Function::new("varlen_shared_128", Operations(varlen::work::<128, 2>), |d, n| {
        varlen::<128>(d, n, true, 4)
    }),
    Function::new("varlen_full_64", Operations(varlen::work::<64, 1>), |d, n| varlen::<64>(d, n, false, 1)),
    Function::new("varlen_causal_64", Operations(varlen::work::<64, 2>), |d, n| varlen::<64>(d, n, true, 1)),
    Function::new("paged_128", Bytes(bytes::<128>()), paged::<128>),
    Function::new("paged_64", Bytes(bytes::<64>()), paged::<64>),
];

fn main() -> Result<()> {
    time(&FUNCTIONS.each_ref(), |_| true, &[4096, TOKENS])
}

fn work<const D: usize, const PARTS: usize>(tokens: usize) -> f64 {
    4.0 * (TOKENS * HEADS * D) as f64 * tokens as f64 / PARTS as f64
}

/// Operations of the gradients: five products of each pair of a query and a key, where the forward has two.
fn back<const D: usize, const PARTS: usize>(tokens: usize) -> f64 {
    2.5 * work::<D, PARTS>(tokens)
}

/// Bytes of keys and values for each token of a sequence.
const fn bytes<const D: usize>() -> f64 {
    (PAGED[0] * PAGED[1] * D * 4) as f64
}

/// The arguments' first numbers, which differ.
const FROM: [usize; 3] = [0, 1 << 30, 1 << 31];

/// Compares a query's result with the host's: the vectors of the query and of each key begin at these elements.
fn compare(got: &[bf16], query: usize, keys: &[usize]) -> Result<()> {
    let d = got.len();
    let at = |i: usize, of: usize| f64::from(element(i, FROM[of]).to_f32());
    let dot = |key: &usize| -> f64 { (0..d).map(|e| at(query + e, 0) * at(key + e, 1)).sum() };
    let weights: Vec<f64> = keys.iter().map(|key| (dot(key) / (d as f64).sqrt()).exp()).collect();
    let sum: f64 = weights.iter().sum();
    for (e, got) in got.iter().enumerate() {
        let parts = weights.iter().zip(keys).map(|(weight, key)| weight * at(key + e, 2) / sum);
        let (want, size) = parts.fold((0.0, 0.0), |(all, size), part| (all + part, size + part.abs()));
        let got = f64::from(got.to_f32());
        // Weights and the result are rounded to eight bits.
        let is_right = (got - want).abs() <= 0.0002 + (want.abs() + size) / 256.0;
        check(is_right, || format!("query at {query}, element {e}: {got} instead of {want}"))?;
    }
    Ok(())
}

fn forward<const D: usize>(
    device: &Device,
    tokens: usize,
    causal: bool,
    sharing: usize,
) -> Result<Run<'static>> {
    let (of_q, of_k) = ([TOKENS / tokens, HEADS, tokens, D], [TOKENS / tokens, HEADS / sharing, tokens, D]);
    let len = TOKENS * HEADS * D;
    let q = filled(device, len, FROM[0])?;
    let (k, v) = (filled(device, len / sharing, FROM[1])?, filled(device, len / sharing, FROM[2])?);
    let o = kept(device.alloc_zeroed::<bf16>(len)?);
    fn call<'a>(
        device: &Device,
        [q, k, v]: [&'a Buffer<bf16>; 3],
        o: &'a mut Buffer<bf16>,
        [of_q, of_k]: [[usize; 4]; 2],
        causal: bool,
    ) -> Result<Call<'a, Attention<'a, bf16>>> {
        let call = attention(device, heads(q, of_q)?, heads(k, of_k)?, heads(v, of_k)?, heads_mut(o, of_q)?);
        Ok(if causal { call.causal() } else { call })
    }
    call(device, [q, k, v], o, [of_q, of_k], causal)?.run()?;
    let got = device.download(o)?;
    for row in (0..TOKENS * HEADS).step_by(50_021) {
        let (head, token) = (row / tokens, row % tokens);
        let first = head / sharing * tokens;
        let seen = first..first + if causal { token + 1 } else { tokens };
        compare(&got[row * D..][..D], row * D, &seen.map(|key| key * D).collect::<Vec<_>>())?;
    }
    launches(device, call(device, [q, k, v], o, [of_q, of_k], causal)?)
}

fn paged<const D: usize>(device: &Device, tokens: usize) -> Result<Run<'static>> {
    let [sequences, of_keys, sharing, page] = PAGED;
    let columns = tokens / page;
    let pages = sequences * columns;
    let (of_q, of_k) = ([sequences, of_keys * sharing, 1, D], [pages, of_keys, page, D]);
    let q = filled(device, of_q.iter().product(), FROM[0])?;
    let [k, v] = [1, 2].map(|of| filled(device, of_k.iter().product(), FROM[of]));
    let (k, v) = (k?, v?);
    // A prime mixes the pages.
    let numbers: Vec<u32> = (0..pages).map(|i| (i * 1_000_003 % pages) as u32).collect();
    let (table, lengths) =
        (kept(device.upload(&numbers)?), kept(device.upload(&vec![tokens as u32; sequences])?));
    let o = kept(device.alloc_zeroed::<bf16>(of_q.iter().product())?);
    let (table, lengths) = (&*table, &*lengths);
    fn call<'a>(
        device: &Device,
        [q, k, v]: [Heads<'a, bf16>; 3],
        table: Matrix<'a, u32>,
        lengths: &'a Buffer<u32>,
        o: HeadsMut<'a, bf16>,
    ) -> Call<'a, PagedAttention<'a, bf16>> {
        paged_attention(device, q, k.by_token(), v.by_token(), table, lengths, o)
    }
    let inputs = || -> Result<_> { Ok([heads(q, of_q)?, heads(k, of_k)?, heads(v, of_k)?]) };
    let table = || matrix(table, sequences, columns);
    call(device, inputs()?, table()?, lengths, heads_mut(&mut *o, of_q)?).run()?;
    let got = device.download(o)?;
    for row in (0..sequences * of_keys * sharing).step_by(401) {
        let (sequence, head) = (row / (of_keys * sharing), row % (of_keys * sharing) / sharing);
        let place = |t: usize| {
            let page_of = numbers[sequence * columns + t / page] as usize;
            ((page_of * page + t % page) * of_keys + head) * D
        };
        compare(&got[row * D..][..D], row * D, &(0..tokens).map(place).collect::<Vec<_>>())?;
    }
    launches(device, call(device, inputs()?, table()?, lengths, heads_mut(o, of_q)?))
}
