//! Gradients of attention against the host's, in f64.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::attention::{Heads, HeadsMut, attention, attention_backward, heads, heads_mut};
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
};

/// Sums with bounds of their errors, in the places of vectors.
struct Sums {
    sums: Vec<f64>,
    bounds: Vec<f64>,
}

impl Sums {
    fn new(len: usize) -> Self {
        Self { sums: vec![0.0; len], bounds: vec![0.0; len] }
    }

    /// Adds `factor`, which is wrong by up to `error`, times a vector.
    fn add(&mut self, at: usize, factor: f64, error: f64, vector: &[f64]) {
        for (i, x) in vector.iter().enumerate() {
            self.sums[at + i] += factor * x;
            self.bounds[at + i] += error * x.abs();
        }
    }

    fn check<T: Real>(&self, case: &Case, name: &str, got: &[T], untouched: T) {
        let (got, behind) = got.split_at(self.sums.len());
        assert!(behind.iter().all(|x| *x == untouched), "{case:?} wrote behind `{name}`");
        for (i, ((got, want), bound)) in got.iter().zip(&self.sums).zip(&self.bounds).enumerate() {
            let (x, bound) = (got.exact(), bound + 2.0 * T::ROUNDING * want.abs() + 1e-5);
            let (token, element) = (i / case.size, i % case.size);
            assert!(
                (x - want).abs() <= bound,
                "{case:?} element {element} of vector {token} of `{name}`: {x} instead of {want}, within {bound}"
            );
        }
    }
}

impl Case {
    /// The index of a token's vector.
    fn at(&self, [heads, tokens]: [usize; 2], [s, h, t]: [usize; 3]) -> usize {
        let vector = if self.by_token { (s * tokens + t) * heads + h } else { (s * heads + h) * tokens + t };
        vector * self.size
    }

    fn sees(&self, query: usize, key: usize) -> bool {
        let far = (key + self.queries) as i64 - (query + self.keys) as i64;
        self.window[0].is_none_or(|left| -far <= left as i64)
            && self.window[1].is_none_or(|right| far <= right as i64)
    }

    fn run<T: TensorCoreElement + Real>(self, device: &Device, seed: u64) {
        let Self { sequences, heads: h, sharing, queries, keys, size, .. } = self;
        let mut random = Random::new(seed);
        let of_heads = [h * sharing, h];
        let [of_q, of_k] = [[sequences, of_heads[0], queries, size], [sequences, h, keys, size]];
        let mut elements = |[a, b, c, d]: [usize; 4], largest: f64| -> Vec<T> {
            (0..a * b * c * d).map(|i| T::of(random.unit() * (1.0 + (i / d % 3) as f64) * largest)).collect()
        };
        let (q, k, v, of_o) =
            (elements(of_q, 1.0), elements(of_k, 1.0), elements(of_k, 1.0), elements(of_q, 1.0));
        let exact = |x: &[T]| -> Vec<f64> { x.iter().map(|x| x.exact()).collect() };
        let [eq, ek, ev, eo] = [&q, &k, &v, &of_o].map(|x| exact(x));
        let scale = self.scale.map_or(1.0 / (size as f64).sqrt(), f64::from);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut o = vec![T::of(0.0); q.len()];
        let mut lse = vec![f32::NEG_INFINITY; sequences * of_heads[0] * queries];
        let [mut dq, mut dk, mut dv] = [Sums::new(q.len()), Sums::new(k.len()), Sums::new(k.len())];
        for (s, head, t) in (0..sequences)
            .flat_map(|s| (0..of_heads[0]).flat_map(move |head| (0..queries).map(move |t| (s, head, t))))
        {
            let row = self.at([of_heads[0], queries], [s, head, t]);
            let (query, gradient) = (&eq[row..][..size], &eo[row..][..size]);
            let seen: Vec<usize> = (0..keys).filter(|key| self.sees(t, *key)).collect();
            let at_key = |key: &usize| self.at([h, keys], [s, head / sharing, *key]);
            let scores: Vec<f64> =
                seen.iter().map(|key| scale * dot(query, &ek[at_key(key)..][..size])).collect();
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
            if seen.is_empty() {
                continue;
            }
            lse[(s * of_heads[0] + head) * queries + t] = (top + sum.ln()) as f32;
            let mut result = vec![0.0; size];
            let weights: Vec<f64> = scores.iter().map(|score| (score - top).exp() / sum).collect();
            for (key, weight) in seen.iter().zip(&weights) {
                result.iter_mut().zip(&ev[at_key(key)..]).for_each(|(o, v)| *o += weight * v);
            }
            for (o, x) in o[row..].iter_mut().zip(&result) {
                *o = T::of(*x);
            }
            // The kernel has the rounded result.
            let rounded: Vec<f64> = o[row..][..size].iter().map(|x| x.exact()).collect();
            let mean = dot(gradient, &rounded);
            for (key, weight) in seen.iter().zip(&weights) {
                let at = at_key(key);
                let of_weight = dot(gradient, &ev[at..][..size]);
                let change = weight * (of_weight - mean) * scale;
                // Weights and changes are rounded; scores, logarithms and powers of two are single.
                let (near, share) =
                    (2.0 * T::ROUNDING + 1e-4, weight * scale * (of_weight.abs() + mean.abs()));
                dv.add(at, *weight, weight * near, gradient);
                dk.add(at, change, change.abs() * near + share * 1e-4, query);
                dq.add(row, change, change.abs() * near + share * 1e-4, &ek[at..][..size]);
            }
        }
        let untouched = T::of(99.0);
        let memory = |x: &[T]| device.upload(x).expect("device memory");
        let (q, k, v, o, of_o) = (memory(&q), memory(&k), memory(&v), memory(&o), memory(&of_o));
        let lse = device.upload(&lse).expect("device memory");
        let results = [dq.sums.len(), dk.sums.len(), dv.sums.len()];
        let [mut to_q, mut to_k, mut to_v] = results.map(|len| memory(&vec![untouched; len + 8]));
        {
            let input = |x, extents| -> Heads<'_, T> {
                let heads = heads(x, extents).expect("it fits");
                if self.by_token { heads.by_token() } else { heads }
            };
            fn output<T: GpuType>(x: &mut Buffer<T>, extents: [usize; 4], by_token: bool) -> HeadsMut<'_, T> {
                let heads = heads_mut(x, extents).expect("it fits");
                if by_token { heads.by_token() } else { heads }
            }
            let by_token = self.by_token;
            let gradients = [
                output(&mut to_q, of_q, by_token),
                output(&mut to_k, of_k, by_token),
                output(&mut to_v, of_k, by_token),
            ];
            let inputs = [input(&q, of_q), input(&k, of_k), input(&v, of_k)];
            let call =
                attention_backward(device, inputs, input(&o, of_q), &lse, input(&of_o, of_q), gradients);
            let call = match self.window {
                [None, None] => call,
                [None, Some(0)] => call.causal(),
                [left, right] => call.window(left.unwrap_or(usize::MAX), right.unwrap_or(usize::MAX)),
            };
            let call = if let Some(scale) = self.scale { call.scale(scale) } else { call };
            call.run().unwrap_or_else(|e| panic!("{self:?}: {e}"));
        }
        for (name, sums, got) in [("dq", dq, to_q), ("dk", dk, to_k), ("dv", dv, to_v)] {
            sums.check(&self, name, &device.download(&got).expect("no fault"), untouched);
        }
    }
}

#[test]
fn gradients_of_any_extent_at_the_edges() {
    for device in devices() {
        for (queries, keys) in [(0, 3), (1, 1), (3, 0), (129, 65)] {
            Case { queries, keys, ..CASE }.run::<bf16>(&device, 1);
        }
        Case { sharing: 0, ..CASE }.run::<bf16>(&device, 1);
        Case { queries: 60, keys: 130, size: 128, ..CASE }.run::<f16>(&device, 2);
        Case { window: [None, Some(0)], queries: 130, keys: 80, ..CASE }.run::<bf16>(&device, 3);
        Case { window: [Some(20), Some(3)], queries: 70, keys: 100, size: 80, ..CASE }.run::<f16>(&device, 4);
        Case { size: 8, sequences: 2, sharing: 2, by_token: true, ..CASE }.run::<bf16>(&device, 5);
    }
}

#[test]
fn nan_stays_in_its_head_and_its_query() {
    let (device, extents, of_head) = (Device::simulator(), [1, 2, 3, 8], 3 * 8);
    let mut elements = vec![bf16::from_f32(0.5); 2 * of_head];
    let k = device.upload(&elements).expect("device memory");
    elements[8] = bf16::from_f32(f32::NAN);
    let q = device.upload(&elements).expect("device memory");
    let mut o = device.alloc_zeroed::<bf16>(2 * of_head).expect("device memory");
    let mut lse = device.alloc_zeroed::<f32>(6).expect("device memory");
    let of = |x| heads(x, extents).expect("it fits");
    let to = heads_mut(&mut o, extents).expect("it fits");
    attention(&device, of(&q), of(&k), of(&k), to).lse(&mut lse).run().unwrap_or_else(|e| panic!("{e}"));
    let mut results = [0; 3].map(|_| device.alloc_zeroed::<bf16>(2 * of_head).expect("device memory"));
    let to = results.each_mut().map(|x| heads_mut(x, extents).expect("it fits"));
    attention_backward(&device, [of(&q), of(&k), of(&k)], of(&o), &lse, of(&k), to)
        .run()
        .unwrap_or_else(|e| panic!("{e}"));
    let [dq, dk, dv] = results.map(|x| device.download(&x).expect("no fault"));
    let has_nan = |x: &[bf16]| x.iter().all(|x| x.to_f32().is_nan());
    let has_none = |x: &[bf16]| x.iter().all(|x| x.to_f32().is_finite());
    assert!(has_none(&dq[..8]) && has_nan(&dq[8..16]) && has_none(&dq[16..]), "{dq:?}");
    assert!(has_nan(&dv[..of_head]) && has_none(&dv[of_head..]), "{dv:?}");
    assert!(dk[..of_head].iter().any(|x| x.to_f32().is_nan()) && has_none(&dk[of_head..]), "{dk:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn gradients_of_any_shape(
        (sequences, heads, sharing) in (1usize..3, 1usize..2, 1usize..3),
        queries in 0usize..140,
        keys in 0usize..140,
        size in prop_oneof![Just(64usize), Just(128), (1usize..17).prop_map(|units| units * 8)],
        window in prop_oneof![
            Just([None; 2]),
            Just([None, Some(0)]),
            (0usize..150, 0usize..150).prop_map(|(left, right)| [Some(left), Some(right)]),
        ],
        scale in prop_oneof![Just(None), Just(Some(0.3f32))],
        (by_token, is_f16) in any::<(bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let case = Case { sequences, heads, sharing, queries, keys, size, window, scale, by_token };
        for device in [shuffled(seed)].into_iter().chain(harness::gpu()) {
            if is_f16 {
                case.run::<f16>(&device, seed);
            } else {
                case.run::<bf16>(&device, seed);
            }
        }
    }
}
