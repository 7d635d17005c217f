//! Random numbers: the published ones of Philox, the same bits on every device, and distributions as they should be.

use proptest::prelude::{ProptestConfig, any, proptest};
use warpsmith::prelude::{Device, global_id, gpu_kernel};
use warpsmith_kernels::random::{
    Bits, Normal, Numbers, Uniform, fill_bits, fill_normal, fill_uniform, normal, philox, uniform, words,
};

use crate::devices::{Placed, devices, shuffled};

/// Number `i` of a seed, by the host.
fn number<N: Numbers>(seed: u64, i: u64) -> N::Number {
    N::of(words(seed, i / 4))[(i % 4) as usize]
}

#[test]
fn the_words_are_those_that_philox_has() {
    // Source: Random123, `kat_vectors`, `philox4x32 10`.
    let ones = u32::MAX;
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(philox([ones; 4], [ones; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    let counter = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
    let want = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
    assert_eq!(philox(counter, [0xa409_3822, 0x299f_31d0]), want);
}

#[test]
fn numbers_are_distributed_as_they_say() {
    let n = 200_000u64;
    let moments = |number: &dyn Fn(u64) -> f32| {
        let power = |k: i32| (0..n).map(|i| f64::from(number(i)).powi(k)).sum::<f64>() / n as f64;
        [power(1), power(2), power(3), power(4)]
    };
    // The standard deviation of a mean of this many numbers is below 0.003, of a mean of fourth powers of normal numbers below 0.022.
    let near = |got: [f64; 4], want: [f64; 4], by: f64| {
        let is_near = got.iter().zip(want).all(|(got, want)| (got - want).abs() < by);
        assert!(is_near, "{got:?} instead of {want:?}");
    };
    near(moments(&|i| number::<Uniform>(3, i)), [0.5, 1.0 / 3.0, 0.25, 0.2], 0.004);
    near(moments(&|i| number::<Normal>(3, i)), [0.0, 1.0, 0.0, 3.0], 0.1);
    let (least, most) = (uniform(0), uniform(u32::MAX));
    assert_eq!((least, most), (0.0, 1.0 - 1.0 / 16_777_216.0));
}

#[test]
fn normal_numbers_are_those_of_box_and_muller() {
    let edges = [0, 1, 255, 256, u32::MAX, u32::MAX - 256, 1 << 31, 3 << 30, 1 << 30, 1 << 29, 0xb504_f333];
    let some = (0..20_000).flat_map(|i| words(9, i));
    let all: Vec<u32> = edges.into_iter().chain(some).collect();
    for pair in all.windows(2) {
        let u = (f64::from(pair[0] >> 8) + 1.0) / 16_777_216.0;
        let angle = f64::from(pair[1] >> 8) / 16_777_216.0 * std::f64::consts::TAU;
        let radius = (-2.0 * u.ln()).sqrt();
        let [a, b] = normal(pair[0], pair[1]);
        for (got, want) in [(a, radius * angle.cos()), (b, radius * angle.sin())] {
            assert!((f64::from(got) - want).abs() <= 1e-6 * radius, "{got} instead of {want} for {pair:x?}");
        }
    }
}

/// Compares a fill's elements with the host's numbers, bit for bit.
fn check<N: Numbers<Number: Default + Copy>>(
    device: &Device,
    [len, offset]: [usize; 2],
    [seed, first]: [u64; 2],
    fill: impl Fn(&mut Placed<N::Number>),
    bits: fn(N::Number) -> u32,
) {
    let mut y = Placed::new(device, offset, &vec![N::Number::default(); len], N::Number::default());
    fill(&mut y);
    for (i, got) in (0u64..).zip(y.read(device)) {
        let want = number::<N>(seed, first.wrapping_add(i));
        assert_eq!(bits(got), bits(want), "number {i} from {first} on of seed {seed}");
    }
}

fn check_all(device: &Device, at: [usize; 2], [seed, first]: [u64; 2]) {
    let done = |result: Result<(), warpsmith_kernels::KernelError>| result.unwrap_or_else(|e| panic!("{e}"));
    let from = [seed, first];
    check::<Bits>(
        device,
        at,
        from,
        |y| done(fill_bits(device, y.part_mut(), seed).first(first).run()),
        |x| x,
    );
    let bits = f32::to_bits;
    check::<Uniform>(
        device,
        at,
        from,
        |y| done(fill_uniform(device, y.part_mut(), seed).first(first).run()),
        bits,
    );
    check::<Normal>(
        device,
        at,
        from,
        |y| done(fill_normal(device, y.part_mut(), seed).first(first).run()),
        bits,
    );
}

#[test]
fn every_device_has_the_bits_of_the_host() {
    for device in devices() {
        check_all(&device, [0, 0], [1, 0]);
        check_all(&device, [5000, 0], [u64::MAX, 0]);
        check_all(&device, [5000, 0], [2, (1 << 34) + 8]);
        check_all(&device, [5000, 3], [3, 5]);
    }
}

/// Walks at random: a kernel that draws its own numbers.
#[gpu_kernel]
fn walk(steps: u64, y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        let mut at = 0.0f32;
        for k in 0..steps {
            let [a, b, c, d] = words(i as u64, k);
            at += normal(a, b)[0] + uniform(c) - uniform(d);
        }
        y[i] = at;
    }
}

#[test]
fn kernels_draw_their_own_numbers() {
    for device in devices() {
        let mut y = device.alloc_zeroed::<f32>(100).expect("memory");
        walk(5, &mut y).over(100).launch(&device).unwrap_or_else(|e| panic!("{e}"));
        for (i, got) in (0u64..).zip(device.download(&y).expect("no fault")) {
            let drawn = (0..5).map(|k| words(i, k));
            let want =
                drawn.fold(0.0f32, |at, [a, b, c, d]| at + (normal(a, b)[0] + uniform(c) - uniform(d)));
            assert!((got - want).abs() < 1e-5, "{got} instead of {want}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_length_alignment_and_first_number(len in 0usize..3000, offset in 0usize..5, seed in any::<u64>(), first in 0u64..1 << 40) {
        check_all(&shuffled(seed), [len, offset], [seed, first]);
    }
}
