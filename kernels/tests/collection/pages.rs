//! Attention to pages against the host's, in f64.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::matrix;
use warpsmith_kernels::attention::{heads, heads_mut, paged_attention};
use warpsmith_kernels::products::TensorCoreElement;

use crate::devices::{Random, devices, shuffled};
use crate::matrices::Real;

/// What a test computes, and where its elements lie.
#[derive(Clone, Debug)]
struct Case {
    lengths: Vec<usize>,
    heads: usize,
    sharing: usize,
    /// Tokens of a page.
    tokens: usize,
    size: usize,
    by_token: bool,
    splits: Option<u32>,
}

fn check<T: TensorCoreElement + Real>(device: &Device, case: &Case, seed: u64) {
    let Case { lengths, heads: h, sharing, tokens, size, by_token, splits } = case;
    let (h, sharing, tokens, size) = (*h, *sharing, *tokens, *size);
    let mut random = Random::new(seed);
    let columns = lengths.iter().map(|length| length.div_ceil(tokens)).max().unwrap_or(0) + 1;
    let pages = lengths.len() * columns + 2;
    // Sequences have their pages in no order. Entries behind the last page of a sequence name none.
    let mut order: Vec<u32> = (0..pages as u32).collect();
    for i in (1..pages).rev() {
        order.swap(i, random.below(i + 1));
    }
    let mut table = vec![u32::MAX; lengths.len() * columns];
    for (s, length) in lengths.iter().enumerate() {
        for column in 0..length.div_ceil(tokens) {
            table[s * columns + column] = order[s * columns + column];
        }
    }
    let elements = |random: &mut Random, len: usize| -> Vec<T> {
        (0..len).map(|i| T::of(random.unit() * (1 + i / size % 4) as f64)).collect()
    };
    let (of_q, of_k) = ([lengths.len(), h * sharing, 1, size], [pages, h, tokens, size]);
    let q = elements(&mut random, of_q.iter().product());
    let [k, v] = [(); 2].map(|()| elements(&mut random, of_k.iter().product()));
    let memory = |x: &[T]| device.upload(x).expect("device memory");
    let (dq, dk, dv, mut o) = (memory(&q), memory(&k), memory(&v), memory(&vec![T::of(99.0); q.len()]));
    let words: Vec<u32> = lengths.iter().map(|length| *length as u32).collect();
    let (words, of_table) = (device.upload(&words), device.upload(&table));
    let (words, of_table) = (words.expect("device memory"), of_table.expect("device memory"));
    let mut lse = device.upload(&vec![99.0f32; lengths.len() * h * sharing]).expect("device memory");
    {
        let of = |x| {
            let x = heads(x, of_k).expect("it fits");
            if *by_token { x.by_token() } else { x }
        };
        let query = heads(&dq, of_q).expect("it fits");
        let table = matrix(&of_table, lengths.len(), columns).expect("it fits");
        let to = heads_mut(&mut o, of_q).expect("it fits");
        let call = paged_attention(device, query, of(&dk), of(&dv), table, &words, to).lse(&mut lse);
        let call = if let Some(splits) = splits { call.splits(*splits) } else { call };
        let mut call = call.prepare().unwrap_or_else(|e| panic!("{case:?}: {e}"));
        // The second launch finds the counters as the first one left them.
        for _ in 0..if seed.is_multiple_of(3) { 2 } else { 1 } {
            call.launch().unwrap_or_else(|e| panic!("{case:?}: {e}"));
        }
    }
    let (got, got_lse) = (device.download(&o).expect("no fault"), device.download(&lse).expect("no fault"));
    let scale = 1.0 / (size as f64).sqrt();
    for (i, (got, got_lse)) in got.chunks(size).zip(got_lse).enumerate() {
        let (s, head) = (i / (h * sharing), i % (h * sharing));
        let of_token = |t: usize| {
            let (page, within) = (table[s * columns + t / tokens] as usize, t % tokens);
            let head = head / sharing;
            let vector = if *by_token {
                (page * tokens + within) * h + head
            } else {
                (page * h + head) * tokens + within
            };
            vector * size
        };
        let vector =
            |x: &[T], at: usize| -> Vec<f64> { x[at..at + size].iter().map(|x| x.exact()).collect() };
        let query = vector(&q, i * size);
        let scores: Vec<f64> = (0..lengths[s])
            .map(|t| scale * vector(&k, of_token(t)).iter().zip(&query).map(|(a, b)| a * b).sum::<f64>())
            .collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        let want = if scores.is_empty() { f64::NEG_INFINITY } else { top + sum.ln() };
        let lse = f64::from(got_lse);
        assert!(lse == want || (lse - want).abs() < 1e-3, "{case:?} head {i}: {lse} instead of {want}");
        let (mut wanted, mut sizes) = (vec![0.0; size], vec![0.0; size]);
        for (t, score) in scores.iter().enumerate() {
            let weight = (score - top).exp() / sum;
            for (i, x) in vector(&v, of_token(t)).into_iter().enumerate() {
                wanted[i] += weight * x;
                sizes[i] += weight * x.abs();
            }
        }
        for (e, (want, size)) in wanted.into_iter().zip(sizes).enumerate() {
            let x = got[e].exact();
            // Weights and the result are rounded.
            let bound = 2.0 * T::ROUNDING * (size + want.abs()) + 1e-3 * size + 1e-6;
            assert!((x - want).abs() <= bound, "{case:?} element {e} of head {i}: {x} instead of {want}");
        }
    }
}

#[test]
fn pages_of_any_extent_at_the_edges() {
    let case = Case {
        lengths: vec![0, 1, 15, 16, 17],
        heads: 2,
        sharing: 1,
        tokens: 16,
        size: 64,
        by_token: true,
        splits: None,
    };
    for device in devices() {
        check::<bf16>(&device, &case, 1);
        check::<bf16>(&device, &Case { lengths: vec![200], sharing: 8, size: 128, ..case.clone() }, 3);
        check::<f16>(
            &device,
            &Case { lengths: vec![63, 64, 65], sharing: 20, heads: 1, splits: Some(3), ..case.clone() },
            4,
        );
        check::<bf16>(&device, &Case { lengths: vec![], ..case.clone() }, 5);
        check::<bf16>(
            &device,
            &Case { lengths: vec![90], tokens: 7, size: 200, by_token: false, ..case.clone() },
            6,
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_any_shape(
        lengths in proptest::collection::vec(0usize..200, 0..4),
        heads in 1usize..3,
        sharing in prop_oneof![Just(1usize), Just(4), 1usize..19],
        tokens in prop_oneof![Just(16usize), Just(64), 1usize..100],
        size in prop_oneof![Just(64usize), Just(128), (1usize..17).prop_map(|units| units * 8)],
        (by_token, is_f16) in any::<(bool, bool)>(),
        splits in prop_oneof![Just(None), (1u32..200).prop_map(Some)],
        seed in 0u64..1000,
    ) {
        let splits = splits.map(|splits: u32| splits.min(9));
        let case = Case { lengths, heads, sharing, tokens, size, by_token, splits };
        let device = shuffled(seed);
        if is_f16 {
            check::<f16>(&device, &case, seed);
        } else {
            check::<bf16>(&device, &case, seed);
        }
    }
}
