//! Attention against the host's, in f64.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::attention::{attention, heads, heads_mut};
use warpsmith_kernels::products::TensorCoreElement;

use crate::devices::{Random, devices, shuffled};
use crate::matrices::Real;

/// What a test computes, and where its elements lie.
#[derive(Clone, Copy, Debug)]
struct Case {
    sequences: usize,
    heads: usize,
    sharing: usize,
    queries: usize,
    keys: usize,
    size: usize,
    window: [Option<usize>; 2],
    scale: Option<f32>,
    by_token: bool,
    has_lse: bool,
}

const CASE: Case = Case {
    sequences: 1,
    heads: 1,
    sharing: 1,
    queries: 5,
    keys: 5,
    size: 64,
    window: [None; 2],
    scale: None,
    by_token: false,
    has_lse: true,
};

/// Heads of random elements, of which some tokens are larger than others.
fn elements<T: Real>(random: &mut Random, tokens: usize, size: usize) -> Vec<T> {
    (0..tokens * size).map(|i| T::of(random.unit() * (1 + i / size % 4) as f64)).collect()
}

/// The index of a token's vector.
fn at(case: &Case, [heads, tokens]: [usize; 2], [s, h, t]: [usize; 3]) -> usize {
    let vector = if case.by_token { (s * tokens + t) * heads + h } else { (s * heads + h) * tokens + t };
    vector * case.size
}

fn check<T: TensorCoreElement + Real>(device: &Device, case: Case, seed: u64) {
    let Case { sequences, heads: h, sharing, queries, keys, size, window, scale, by_token, has_lse } = case;
    let mut random = Random::new(seed);
    let of_q = [sequences, h * sharing, queries, size];
    let of_k = [sequences, h, keys, size];
    let [q, k, v] = [of_q, of_k, of_k].map(|[a, b, c, d]| elements::<T>(&mut random, a * b * c, d));
    let untouched = T::of(99.0);
    let memory = |x: &[T]| device.upload(x).expect("device memory");
    let (dq, dk, dv) = (memory(&q), memory(&k), memory(&v));
    let mut o = memory(&vec![untouched; q.len() + 8]);
    let mut lse = device.upload(&vec![99.0f32; sequences * h * sharing * queries]).expect("device memory");
    {
        let (q, k, v) = (heads(&dq, of_q), heads(&dk, of_k), heads(&dv, of_k));
        let (q, k, v) = (q.expect("it fits"), k.expect("it fits"), v.expect("it fits"));
        let to = heads_mut(&mut o, of_q).expect("it fits");
        let call = if by_token {
            attention(device, q.by_token(), k.by_token(), v.by_token(), to.by_token())
        } else {
            attention(device, q, k, v, to)
        };
        let call = match window {
            [None, None] => call,
            [None, Some(0)] => call.causal(),
            [left, right] => call.window(left.unwrap_or(usize::MAX), right.unwrap_or(usize::MAX)),
        };
        let call = if let Some(scale) = scale { call.scale(scale) } else { call };
        let call = if has_lse { call.lse(&mut lse) } else { call };
        call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    }
    let (got, got_lse) = (device.download(&o).expect("no fault"), device.download(&lse).expect("no fault"));
    assert!(got[q.len()..].iter().all(|x| *x == untouched), "{case:?} wrote behind the results");
    let scale = scale.map_or(1.0 / (size as f64).sqrt(), f64::from);
    let vector = |x: &[T], at: usize| -> Vec<f64> { x[at..at + size].iter().map(|x| x.exact()).collect() };
    for s in 0..sequences {
        for head in 0..h * sharing {
            for t in 0..queries {
                let from = at(&case, [h * sharing, queries], [s, head, t]);
                let of_key = |j: usize| at(&case, [h, keys], [s, head / sharing, j]);
                let seen: Vec<_> = (0..keys)
                    .filter(|j| sees(window, [queries, keys], t, *j))
                    .map(|j| (vector(&k, of_key(j)), vector(&v, of_key(j))))
                    .collect();
                let want = Wanted::new(&vector(&q, from), &seen, scale);
                let lse = got_lse[(s * h * sharing + head) * queries + t];
                let what = || format!("{case:?} query {t} of head {head}");
                if has_lse {
                    want.check_lse(lse, what);
                } else {
                    assert_eq!(lse, 99.0, "{}", what());
                }
                want.check(&got[from..][..size], what);
            }
        }
    }
}

/// Whether a query of a sequence sees a key.
pub fn sees(window: [Option<usize>; 2], [queries, keys]: [usize; 2], query: usize, key: usize) -> bool {
    let far = (key + queries) as i64 - (query + keys) as i64;
    window[0].is_none_or(|left| -far <= left as i64) && window[1].is_none_or(|right| far <= right as i64)
}

/// The result of a query.
pub struct Wanted {
    lse: f64,
    elements: Vec<f64>,
    /// The same of absolute values.
    sizes: Vec<f64>,
}

impl Wanted {
    /// The result of a query that sees these keys and values.
    pub fn new(query: &[f64], seen: &[(Vec<f64>, Vec<f64>)], scale: f64) -> Self {
        let dot = |key: &[f64]| key.iter().zip(query).map(|(a, b)| a * b).sum::<f64>();
        let scores: Vec<f64> = seen.iter().map(|(key, _)| scale * dot(key)).collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        let lse = if seen.is_empty() { f64::NEG_INFINITY } else { top + sum.ln() };
        let (mut elements, mut sizes) = (vec![0.0; query.len()], vec![0.0; query.len()]);
        for ((_, value), score) in seen.iter().zip(&scores) {
            let weight = (score - top).exp() / sum;
            for (i, x) in value.iter().enumerate() {
                elements[i] += weight * x;
                sizes[i] += weight * x.abs();
            }
        }
        Self { lse, elements, sizes }
    }

    pub fn check_lse(&self, lse: f32, what: impl Fn() -> String) {
        let (lse, want) = (f64::from(lse), self.lse);
        let is_right = lse == want || (lse - want).abs() < 1e-3;
        assert!(is_right, "{}: the logarithm is {lse} instead of {want}", what());
    }

    pub fn check<T: Real>(&self, got: &[T], what: impl Fn() -> String) {
        for (i, ((want, size), got)) in self.elements.iter().zip(&self.sizes).zip(got).enumerate() {
            let x = got.exact();
            // Weights and the result are rounded.
            let bound = 2.0 * T::ROUNDING * (size + want.abs()) + 1e-3 * size + 1e-6;
            assert!((x - want).abs() <= bound, "{} element {i}: {x} instead of {want}", what());
        }
    }
}

#[test]
fn attention_of_any_extent_at_the_edges() {
    for device in devices() {
        for (queries, keys) in [(0, 3), (1, 1), (3, 0), (63, 65), (193, 129)] {
            check::<bf16>(&device, Case { queries, keys, ..CASE }, 1);
        }
        check::<bf16>(&device, Case { window: [None, Some(0)], queries: 130, keys: 200, ..CASE }, 2);
        check::<bf16>(
            &device,
            Case { window: [None, Some(0)], queries: 200, keys: 130, size: 128, ..CASE },
            3,
        );
        check::<f16>(
            &device,
            Case { window: [Some(20), Some(3)], queries: 70, keys: 300, size: 80, ..CASE },
            4,
        );
        check::<bf16>(&device, Case { size: 256, queries: 66, keys: 50, sharing: 2, ..CASE }, 5);
        // Two tiles of queries in one place, and three steps of keys.
        check::<f16>(&device, Case { size: 256, queries: 130, keys: 170, ..CASE }, 7);
        check::<f16>(
            &device,
            Case { size: 8, sequences: 2, heads: 2, sharing: 3, by_token: true, ..CASE },
            6,
        );
    }
}

#[test]
fn nan_and_infinities_do_as_documented() {
    let device = Device::simulator();
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let vectors = |x: &[f32]| {
        let elements: Vec<bf16> = x.iter().flat_map(|x| [bf16::from_f32(*x); 8]).collect();
        device.upload(&elements).expect("device memory")
    };
    // Each head has two keys.
    let (q, k) = (vectors(&[1.0; 5]), vectors(&[nan, 1.0, inf, 1.0, -inf, 1.0, -inf, -inf, 1.0, 1.0]));
    let v = vectors(&[2.0, 4.0, 2.0, 4.0, 2.0, 4.0, 2.0, 4.0, inf, 4.0]);
    let (mut o, mut lse) = (vectors(&[9.0; 5]), device.alloc_zeroed::<f32>(5).expect("device memory"));
    let of = |x| heads(x, [1, 5, 2, 8]).expect("it fits");
    let to = heads_mut(&mut o, [1, 5, 1, 8]).expect("it fits");
    let query = heads(&q, [1, 5, 1, 8]).expect("it fits");
    let call = attention(&device, query, of(&k), of(&v), to).lse(&mut lse);
    call.run().unwrap_or_else(|e| panic!("{e}"));
    let got: Vec<f32> = device.download(&o).expect("no fault").chunks(8).map(|x| x[0].to_f32()).collect();
    assert!(got[0].is_nan() && got[1].is_nan(), "{got:?}");
    assert_eq!(got[2..], [4.0, 0.0, inf]);
    assert_eq!(device.download(&lse).expect("no fault")[3], -inf);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn attention_of_any_shape(
        (sequences, heads, sharing) in (1usize..3, 1usize..3, 1usize..3),
        queries in 0usize..140,
        keys in 0usize..280,
        size in prop_oneof![Just(64usize), Just(128), (1usize..17).prop_map(|units| units * 8)],
        window in prop_oneof![
            Just([None; 2]),
            Just([None, Some(0)]),
            (0usize..150, 0usize..150).prop_map(|(left, right)| [Some(left), Some(right)]),
        ],
        scale in prop_oneof![Just(None), Just(Some(0.3f32))],
        (by_token, has_lse, is_f16) in any::<(bool, bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let case = Case { sequences, heads, sharing, queries, keys, size, window, scale, by_token, has_lse };
        let device = shuffled(seed);
        if is_f16 {
            check::<f16>(&device, case, seed);
        } else {
            check::<bf16>(&device, case, seed);
        }
    }
}
