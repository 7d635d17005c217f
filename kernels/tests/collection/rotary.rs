//! Rotary embeddings against the host's.

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::rows::{RowElement, rotary, rotary_in_place};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};

/// What a test rotates, and how.
#[derive(Clone, Copy, Debug)]
struct Case {
    tokens: usize,
    heads: usize,
    half: usize,
    gap: usize,
    offset: usize,
    interleaved: bool,
    in_place: bool,
    has_positions: bool,
}

fn check<T: RowElement + Real>(device: &Device, case: Case, seed: u64) {
    let Case { tokens, heads, half, gap, offset, interleaved, in_place, has_positions } = case;
    let cols = heads * half * 2;
    let mut random = Random::new(seed);
    let x: Vec<T> = (0..tokens * cols).map(|_| T::of(random.unit() * 4.0)).collect();
    let rows = tokens + 3;
    let angles: Vec<f64> = (0..rows * half).map(|_| random.unit() * 3.0).collect();
    let tables = [f64::cos, f64::sin].map(|f| angles.iter().map(|a| f(*a) as f32).collect::<Vec<f32>>());
    // Every fifth position has no angles.
    let positions: Vec<u32> = (0..tokens)
        .map(|t| if t % 5 == 4 { u32::MAX >> (t % 3) } else { random.below(rows) as u32 })
        .collect();
    let padding = T::of(99.0);
    let place = Place { rows: tokens, cols, gap, offset };
    let mut placed = Placed::new(device, place, &x, padding);
    let mut y = Placed::new(device, Place { gap: gap * 2, ..place }, &vec![padding; x.len()], padding);
    let [cos, sin] = tables.each_ref().map(|table| device.upload(table).expect("device memory"));
    let listed = device.upload(&positions).expect("device memory");
    let call = if in_place {
        rotary_in_place(device, placed.matrix_mut(), heads, &cos, &sin)
    } else {
        rotary(device, placed.matrix(), heads, &cos, &sin, y.matrix_mut())
    };
    let call = if interleaved { call.interleaved() } else { call };
    let call = if has_positions { call.positions(&listed) } else { call };
    call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let got = if in_place { placed.read(device, padding) } else { y.read(device, padding) };
    for i in 0..x.len() {
        let (token, c) = (i / cols, i % cols);
        let (head, at) = (c / (2 * half), c % (2 * half));
        let (k, is_second) = if interleaved { (at / 2, at % 2 == 1) } else { (at % half, at >= half) };
        let position = if has_positions { positions[token] as usize } else { token };
        let first = token * cols + head * 2 * half;
        let (a, b) = if interleaved { (2 * k, 2 * k + 1) } else { (k, k + half) };
        let (a, b) = (x[first + a].exact(), x[first + b].exact());
        let (cosine, sine) = match position < rows {
            true => (f64::from(tables[0][position * half + k]), f64::from(tables[1][position * half + k])),
            false => (1.0, 0.0),
        };
        let want = if is_second { b * cosine + a * sine } else { a * cosine - b * sine };
        let (got, bound) = (got[i].exact(), 2e-6 + want.abs() * T::ROUNDING * 1.01);
        assert!((got - want).abs() <= bound, "{case:?} at ({token}, {c}): {got} instead of {want}");
    }
}

#[test]
fn pairs_are_rotated_by_the_angles_of_their_tokens() {
    for device in devices() {
        for (k, (tokens, heads, half)) in
            [(0, 2, 4), (3, 0, 1), (1, 1, 1), (7, 3, 8), (5, 2, 64), (9, 4, 5), (33, 8, 32)]
                .into_iter()
                .enumerate()
        {
            for (j, (gap, offset)) in [(0, 0), (16, 0), (3, 1)].into_iter().enumerate() {
                let (interleaved, in_place) = ((k + j) % 2 == 0, j == 1);
                let case = Case {
                    tokens,
                    heads,
                    half,
                    gap,
                    offset,
                    interleaved,
                    in_place,
                    has_positions: k % 2 == 0,
                };
                check::<f32>(&device, case, k as u64);
                check::<bf16>(&device, Case { interleaved: !interleaved, ..case }, k as u64);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn heads_of_any_shape(
        (tokens, heads) in (0usize..20, 1usize..6),
        half in prop_oneof![1usize..20, Just(8), Just(16), Just(64)],
        (gap, offset) in prop_oneof![Just((0usize, 0usize)), (0usize..9, 0usize..9)],
        (interleaved, in_place, has_positions, is_half) in any::<(bool, bool, bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let case = Case { tokens, heads, half, gap, offset, interleaved, in_place, has_positions };
        if is_half {
            check::<f16>(&shuffled(seed), case, seed);
        } else {
            check::<f32>(&shuffled(seed), case, seed);
        }
    }
}
