//! Attention of sequences of any lengths against the host's, in f64.

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::attention::{heads, heads_mut, packed, packed_mut, varlen_attention};
use warpsmith_kernels::products::TensorCoreElement;

use crate::attention::{Wanted, sees};
use crate::devices::{Random, devices, shuffled};
use crate::matrices::Real;

/// What a test computes, and where its elements lie.
#[derive(Clone, Debug)]
struct Case {
    /// Queries and keys of each sequence.
    lengths: Vec<[usize; 2]>,
    heads: usize,
    sharing: usize,
    size: usize,
    window: [Option<usize>; 2],
    scale: Option<f32>,
    /// Whether the heads of a token lie side by side.
    by_token: bool,
    /// A sequence whose vectors are NaN.
    poisoned: Option<usize>,
}

impl Case {
    fn new(lengths: &[[usize; 2]]) -> Self {
        Self {
            lengths: lengths.to_vec(),
            heads: 1,
            sharing: 1,
            size: 64,
            window: [None; 2],
            scale: None,
            by_token: true,
            poisoned: None,
        }
    }

    /// The prefixes of queries or of keys. Some tokens before the first sequence and behind the last belong to none.
    fn offsets(&self, of: usize) -> Vec<u32> {
        let mut last = OUTSIDE;
        let behind = self.lengths.iter().map(|length| {
            last += length[of];
            last as u32
        });
        [OUTSIDE as u32].into_iter().chain(behind).collect()
    }

    /// The index of a token's vector.
    fn at(&self, [heads, tokens]: [usize; 2], head: usize, token: usize) -> usize {
        self.size * if self.by_token { token * heads + head } else { head * tokens + token }
    }

    fn run<T: TensorCoreElement + Real>(&self, device: &Device, seed: u64) {
        let &Self { heads: h, sharing, size, window, scale, by_token, .. } = self;
        let mut random = Random::new(seed);
        let offsets = [self.offsets(0), self.offsets(1)];
        let tokens = offsets.each_ref().map(|of| *of.last().expect("some") as usize + OUTSIDE);
        let mut vectors = |of: usize, heads: usize| -> Vec<T> {
            let mut all = vec![T::of(f64::NAN); tokens[of] * heads * size];
            for (s, ends) in offsets[of].windows(2).enumerate().filter(|(s, _)| Some(*s) != self.poisoned) {
                for (token, head) in (ends[0]..ends[1]).flat_map(|t| (0..heads).map(move |head| (t, head))) {
                    let from = self.at([heads, tokens[of]], head, token as usize);
                    let largest = (1 + (token as usize + s) % 4) as f64;
                    all[from..][..size].fill_with(|| T::of(random.unit() * largest));
                }
            }
            all
        };
        let (q, k, v) = (vectors(0, h * sharing), vectors(1, h), vectors(1, h));
        let untouched = T::of(99.0);
        let memory = |x: &[T]| device.upload(x).expect("device memory");
        let (dq, dk, dv) = (memory(&q), memory(&k), memory(&v));
        let mut o = memory(&vec![untouched; q.len()]);
        let mut lse = device.upload(&vec![99.0f32; tokens[0] * h * sharing]).expect("device memory");
        let places = offsets.each_ref().map(|of| device.upload(of).expect("device memory"));
        {
            let input = |x, of: usize, heads_of: usize| {
                if by_token {
                    packed(x, [tokens[of], heads_of, size])
                } else {
                    heads(x, [1, heads_of, tokens[of], size])
                }
                .expect("it fits")
            };
            let to = if by_token {
                packed_mut(&mut o, [tokens[0], h * sharing, size])
            } else {
                heads_mut(&mut o, [1, h * sharing, tokens[0], size])
            };
            let (q, k, v) = (input(&dq, 0, h * sharing), input(&dk, 1, h), input(&dv, 1, h));
            let call = varlen_attention(device, q, k, v, &places[0], &places[1], to.expect("it fits"));
            let call = match window {
                [None, None] => call,
                [None, Some(0)] => call.causal(),
                [left, right] => call.window(left.unwrap_or(usize::MAX), right.unwrap_or(usize::MAX)),
            };
            let call = if let Some(scale) = scale { call.scale(scale) } else { call };
            call.lse(&mut lse).run().unwrap_or_else(|e| panic!("{self:?}: {e}"));
        }
        let (got, got_lse) =
            (device.download(&o).expect("no fault"), device.download(&lse).expect("no fault"));
        let scale = scale.map_or(1.0 / (size as f64).sqrt(), f64::from);
        let vector =
            |x: &[T], at: usize| -> Vec<f64> { x[at..at + size].iter().map(|x| x.exact()).collect() };
        for (token, head) in (0..tokens[0]).flat_map(|t| (0..h * sharing).map(move |head| (t, head))) {
            let from = self.at([h * sharing, tokens[0]], head, token);
            let (of_query, lse) = (&got[from..][..size], got_lse[head * tokens[0] + token]);
            let what = || format!("{self:?} query {token} of head {head}");
            let Some(s) = offsets[0].windows(2).position(|of| (of[0]..of[1]).contains(&(token as u32)))
            else {
                assert!(of_query.iter().all(|x| *x == untouched) && lse == 99.0, "{} was written", what());
                continue;
            };
            let of_key = |j: usize| self.at([h, tokens[1]], head / sharing, offsets[1][s] as usize + j);
            let query = token - offsets[0][s] as usize;
            let seen: Vec<_> = (0..self.lengths[s][1])
                .filter(|j| sees(window, self.lengths[s], query, *j))
                .map(|j| (vector(&k, of_key(j)), vector(&v, of_key(j))))
                .collect();
            if self.poisoned == Some(s) {
                assert!(of_query.iter().all(|x| seen.is_empty() || x.exact().is_nan()), "{}", what());
                continue;
            }
            let want = Wanted::new(&vector(&q, from), &seen, scale);
            want.check_lse(lse, what);
            want.check(of_query, what);
        }
    }
}

/// Tokens before the first sequence and behind the last one.
const OUTSIDE: usize = 3;

#[test]
fn sequences_of_any_lengths_at_the_edges() {
    for device in devices() {
        let few = [[0, 0], [1, 130], [0, 4], [200, 0], [5, 5], [193, 128], [0, 0]];
        Case { poisoned: Some(4), ..Case::new(&few) }.run::<bf16>(&device, 1);
        Case { size: 128, heads: 2, window: [None, Some(0)], ..Case::new(&[[130, 70], [20, 140], [3, 3]]) }
            .run::<f16>(&device, 2);
        Case {
            size: 256,
            sharing: 2,
            by_token: false,
            poisoned: Some(1),
            ..Case::new(&[[66, 50], [9, 96], [2, 1]])
        }
        .run::<bf16>(&device, 3);
        Case::new(&[]).run::<bf16>(&device, 4);
    }
}

#[test]
fn offsets_beyond_the_tokens_end_the_launch() {
    for device in devices() {
        for (offsets, text) in [
            ([0u32, 9, 5], "an offset is below the one before"),
            ([0, 2, 70], "an offset is beyond the rows"),
            ([u32::MAX, 5, u32::MAX], "an offset is below the one before"),
        ] {
            let x = device.upload(&[bf16::from_f32(1.0); 12 * 8]).expect("device memory");
            let mut all = device.upload(&vec![bf16::from_f32(9.0); 20 * 8]).expect("device memory");
            let of = |x| packed(x, [12, 1, 8]).expect("it fits");
            let places = device.upload(&offsets).expect("device memory");
            let to = packed_mut(all.slice_mut(4 * 8..16 * 8).expect("a part"), [12, 1, 8]).expect("it fits");
            let result = varlen_attention(&device, of(&x), of(&x), of(&x), &places, &places, to).run();
            let error =
                result.and_then(|()| Ok::<_, KernelError>(device.synchronize()?)).expect_err("a fault");
            assert!(error.to_string().contains(text), "{offsets:?}: {error}");
            let around = device.download(&all).expect("no more faults");
            assert!(
                around[..4 * 8].iter().chain(&around[16 * 8..]).all(|x| x.to_f32() == 9.0),
                "{offsets:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sequences_of_random_lengths(
        lengths in vec([0usize..150, 0usize..150], 1..5),
        (heads, sharing) in (1usize..3, 1usize..3),
        size in prop_oneof![Just(64usize), Just(128), (1usize..17).prop_map(|units| units * 8)],
        window in prop_oneof![
            Just([None; 2]),
            Just([None, Some(0)]),
            (0usize..150, 0usize..150).prop_map(|(left, right)| [Some(left), Some(right)]),
        ],
        scale in prop_oneof![Just(None), Just(Some(0.3f32))],
        (by_token, is_poisoned, is_f16) in any::<(bool, bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let poisoned = is_poisoned.then_some(seed as usize % lengths.len());
        let case = Case { lengths, heads, sharing, size, window, scale, by_token, poisoned };
        for device in [shuffled(seed)].into_iter().chain(harness::gpu()) {
            if is_f16 {
                case.run::<f16>(&device, seed);
            } else {
                case.run::<bf16>(&device, seed);
            }
        }
    }
}
