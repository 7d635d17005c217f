//! Selections, partitions and runs of every type, length and alignment.

use proptest::prelude::*;
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::comparable::Comparable;
use warpsmith_kernels::pack::Pack;
use warpsmith_kernels::scan::Tiles;
use warpsmith_kernels::selection::{
    Distinct, Predicate, partition, partition_if, run_length_encode, select, select_if, select_kernel, unique,
};

use crate::devices::{Placed, Random, devices, scale, shuffled};

/// Lengths around those of warps and tiles, and more tiles than a warp reads at once.
const LENGTHS: [usize; 10] = [0, 1, 31, 33, 255, 4095, 4096, 4097, 9000, 140_001];

/// Numbers below a limit.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Below {
    limit: u32,
}

#[gpu_impl]
impl Predicate for Below {
    type Element = u32;

    fn holds(self, element: u32, _index: usize) -> bool {
        element < self.limit
    }
}

/// Elements with an even index.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct AtEven {
    remainder: u32,
}

#[gpu_impl]
impl Predicate for AtEven {
    type Element = u64;

    fn holds(self, _element: u64, index: usize) -> bool {
        index % 2 == self.remainder as usize
    }
}

/// An element of 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Triple {
    a: f32,
    b: u32,
    c: u32,
}

fn naturals(seed: u64, len: usize, below: usize) -> Vec<u32> {
    let mut random = Random::new(seed);
    (0..len).map(|_| random.below(below) as u32).collect()
}

/// `len` elements in runs of up to `longest`, of which neighbours may be equal.
fn in_runs(seed: u64, len: usize, longest: usize) -> Vec<u32> {
    let mut random = Random::new(seed);
    let mut x = Vec::new();
    while x.len() < len {
        let (value, times) = (random.below(3) as u32, random.below(longest) + 1);
        x.extend(std::iter::repeat_n(value, times));
    }
    x.truncate(len);
    x
}

/// Runs a call that writes `y`, which begins as `len` times `padding`, and a count. Returns both.
fn selected<T: GpuType>(
    device: &Device,
    (len, offset): (usize, usize),
    padding: T,
    call: impl FnOnce(warpsmith::PartMut<'_, T>, &mut Buffer<u64>) -> Result<(), KernelError>,
) -> (Vec<T>, u64) {
    let mut y = Placed::new(device, offset, &vec![padding; len], padding);
    let mut count = device.upload(&[u64::MAX]).expect("device memory");
    call(y.part_mut(), &mut count).unwrap_or_else(|e| panic!("{e}"));
    (y.read(device), device.download(&count).expect("no fault")[0])
}

/// The elements, and `padding` behind them up to `len`; elements that do not fit are cut off.
fn padded<T: Copy>(elements: &[T], len: usize, padding: T) -> Vec<T> {
    elements.iter().copied().chain(std::iter::repeat(padding)).take(len).collect()
}

/// The taken elements, followed by the others from the last to the first.
fn both<T: Copy>(x: &[T], takes: impl Fn(usize) -> bool) -> (Vec<T>, u64) {
    let taken = (0..x.len()).filter(|i| takes(*i));
    let others = (0..x.len()).rev().filter(|i| !takes(*i));
    let y = taken.clone().chain(others).map(|i| x[i]).collect();
    (y, taken.count() as u64)
}

#[test]
fn flags_select_and_partition() {
    for device in devices() {
        for (seed, n) in LENGTHS.into_iter().enumerate() {
            let n = n * scale(&device);
            let x = naturals(seed as u64, n, usize::MAX);
            for share in if n < 10_000 { vec![1, 2, 50] } else { vec![3] } {
                let flags: Vec<bool> = naturals(7, n, share).iter().map(|x| *x == 0).collect();
                let (xs, marks) = (Placed::new(&device, 1, &x, 0), Placed::new(&device, 2, &flags, true));
                let want: Vec<u32> = x.iter().zip(&flags).filter(|(_, f)| **f).map(|(x, _)| *x).collect();
                let got = selected(&device, (n, 3), 7, |y, count| {
                    select(&device, xs.part(), marks.part(), y, count).run()
                });
                assert!(got == (padded(&want, n, 7), want.len() as u64), "{n} elements, one of {share}");
                let got = selected(&device, (n, 0), 7, |y, count| {
                    partition(&device, xs.part(), marks.part(), y, count).run()
                });
                assert!(got == both(&x, |i| flags[i]), "{n} elements, one of {share}");
            }
        }
    }
}

#[test]
fn predicates_know_elements_and_indices() {
    for device in devices() {
        let x = naturals(3, 9000, 100);
        let buffer = device.upload(&x).expect("device memory");
        let want: Vec<u32> = x.iter().copied().filter(|x| *x < 30).collect();
        let got = selected(&device, (9000, 0), 7, |y, count| {
            select_if(&device, &buffer, Below { limit: 30 }, y, count).run()
        });
        assert!(got == (padded(&want, 9000, 7), want.len() as u64));
        let x: Vec<u64> = x.iter().map(|x| u64::from(*x) << 40).collect();
        let buffer = device.upload(&x).expect("device memory");
        let got = selected(&device, (9000, 0), 7, |y, count| {
            partition_if(&device, &buffer, AtEven { remainder: 1 }, y, count).run()
        });
        assert!(got == both(&x, |i| i % 2 == 1));
    }
}

#[test]
fn elements_of_any_size_are_selected() {
    for device in devices() {
        let flags = naturals(5, 5000, 2);
        let marks = device.upload(&flags).expect("device memory");
        let x: Vec<Triple> = (0..5000).map(|i| Triple { a: i as f32, b: i, c: !i }).collect();
        let buffer = device.upload(&x).expect("device memory");
        let got = selected(&device, (5000, 1), x[0], |y, count| {
            partition(&device, &buffer, &marks, y, count).run()
        });
        assert!(got == both(&x, |i| flags[i] != 0));
        let x: Vec<[u64; 5]> = (0..5000).map(|i| [i; 5]).collect();
        let buffer = device.upload(&x).expect("device memory");
        let got = selected(&device, (5000, 0), x[0], |y, count| {
            partition(&device, &buffer, &marks, y, count).run()
        });
        assert!(got == both(&x, |i| flags[i] != 0));
    }
}

#[test]
fn elements_that_do_not_fit_are_counted_alone() {
    for device in devices() {
        let x = naturals(5, 9000, 2);
        let buffer = device.upload(&x).expect("device memory");
        let ones = x.iter().sum::<u32>();
        for len in [0, 1, 100, 4097] {
            let (y, count) =
                selected(&device, (len, 0), 7, |y, count| select(&device, &buffer, &buffer, y, count).run());
            assert_eq!((y, count), (vec![1; len], u64::from(ones)));
        }
        let runs = runs_of(&x);
        let got = encoded(&device, &x, (0, 0), (100, 50));
        let want = runs[..100].iter().map(|(x, _)| *x).collect::<Vec<_>>();
        assert_eq!(got, (want, runs[..50].iter().map(|(_, n)| *n).collect(), runs.len() as u64));
    }
}

/// Each run of equal elements with its length.
fn runs_of<T: Copy + PartialEq>(x: &[T]) -> Vec<(T, u32)> {
    x.chunk_by(PartialEq::eq).map(|run| (run[0], run.len() as u32)).collect()
}

/// The values, lengths and number of runs, from `at.0` on; the outputs begin at `at.1`, and have room for `room` values and lengths.
fn encoded<T: Comparable + Default>(
    device: &Device,
    x: &[T],
    at: (usize, usize),
    room: (usize, usize),
) -> (Vec<T>, Vec<u32>, u64) {
    let x = Placed::new(device, at.0, x, T::default());
    let mut lengths = Placed::new(device, at.1, &vec![7; room.1], 7);
    let (values, count) = selected(device, (room.0, at.1), T::default(), |values, count| {
        run_length_encode(device, x.part(), values, lengths.part_mut(), count).run()
    });
    (values, lengths.read(device), count)
}

/// Returns whether a value equals itself, which NaN does not.
#[allow(clippy::eq_op)]
fn is_itself<T: PartialEq>(value: &T) -> bool {
    value == value
}

/// Compares the runs and the unique elements with those of the host.
#[track_caller]
fn check_runs<T: Comparable + Default>(device: &Device, x: &[T], at: (usize, usize)) {
    let (n, runs) = (x.len(), runs_of(x));
    let (firsts, lengths): (Vec<T>, Vec<u32>) = runs.iter().copied().unzip();
    let (values, sizes, count) = encoded(device, x, at, (n, n));
    // NaN differs from itself and begins a run each time.
    let same = |got: &[T]| got.iter().zip(&firsts).all(|(a, b)| a == b || !is_itself(a) && !is_itself(b));
    assert_eq!(count, runs.len() as u64, "{n} elements at {at:?}");
    assert!(same(&values), "{n} elements at {at:?}");
    assert!(sizes == padded(&lengths, n, 7), "{n} elements at {at:?}");
    let xs = Placed::new(device, at.0, x, T::default());
    let (y, count) =
        selected(device, (n, at.1), T::default(), |y, count| unique(device, xs.part(), y, count).run());
    assert!(same(&y) && count == runs.len() as u64, "{n} elements at {at:?}");
    assert!(y[runs.len()..].iter().all(|y| *y == T::default()));
}

#[test]
fn runs_of_every_length() {
    for device in devices() {
        for (seed, n) in LENGTHS.into_iter().enumerate() {
            let n = n * scale(&device);
            for longest in if n < 10_000 { vec![1, 4, 300, 6000] } else { vec![20_000] } {
                check_runs(&device, &in_runs(seed as u64, n, longest), (1, 2));
            }
        }
        let bytes: Vec<u8> = in_runs(3, 10_000, 9).iter().map(|x| *x as u8).collect();
        check_runs(&device, &bytes, (3, 1));
        let longs: Vec<i64> = in_runs(4, 10_000, 5000).iter().map(|x| i64::from(*x) << 35).collect();
        check_runs(&device, &longs, (0, 1));
    }
}

#[test]
fn each_nan_is_a_run() {
    for device in devices() {
        let mut x = vec![1.0f32; 6000];
        x[10..20].fill(f32::NAN);
        x[20] = 0.0;
        x[21] = -0.0;
        x[4095..4097].fill(f32::INFINITY);
        check_runs(&device, &x, (0, 0));
    }
}

#[test]
fn a_prepared_selection_runs_again() {
    for device in devices() {
        let x = naturals(1, 20_000, 2);
        let buffer = device.upload(&x).expect("device memory");
        let mut y = device.alloc_zeroed::<u32>(20_000).expect("device memory");
        let mut count = device.alloc_zeroed::<u64>(1).expect("device memory");
        let mut prepared = unique(&device, &buffer, &mut y, &mut count).prepare().expect("it compiles");
        for _ in 0..3 {
            prepared.launch().expect("it runs");
        }
        drop(prepared);
        assert_eq!(device.download(&count).expect("no fault"), [runs_of(&x).len() as u64]);
    }
}

#[test]
fn inputs_of_more_than_32_bits_count_in_two_words() {
    // No test has 2^32 elements. The kernel for such a number selects from a few.
    for device in devices() {
        let (x, tile) = (in_runs(5, 30_000, 40), 256 * 4 * 8);
        let tiles = x.len().div_ceil(tile);
        let buffer = device.upload(&x).expect("device memory");
        let packs = device.alloc_zeroed::<Pack<u32, 4>>(0).expect("device memory");
        let flags = device.alloc_zeroed::<bool>(0).expect("device memory");
        let flag_words = device.alloc_zeroed::<u32>(0).expect("device memory");
        let mut y = device.alloc_zeroed::<u32>(x.len()).expect("device memory");
        let mut count = device.alloc_zeroed::<u64>(1).expect("device memory");
        let mut words = device.alloc_zeroed::<u64>(2 * tiles).expect("device memory");
        let mut next = device.alloc_zeroed::<u32>(1).expect("device memory");
        let at = Tiles { head: 0, launch: 1 };
        select_kernel::<Distinct<u32>, 4, 8>(
            &buffer,
            &packs,
            &flags,
            &flag_words,
            0,
            &mut y,
            &mut count,
            at,
            &mut words,
            &mut next,
            false,
            true,
            false,
        )
        .grid(tiles as u32)
        .block(256)
        .launch(&device)
        .unwrap_or_else(|e| panic!("{e}"));
        let firsts: Vec<u32> = runs_of(&x).iter().map(|(x, _)| *x).collect();
        assert_eq!(device.download(&count).expect("no fault"), [firsts.len() as u64]);
        assert!(device.download(&y).expect("no fault") == padded(&firsts, x.len(), 0));
    }
}

#[test]
fn mistakes_are_explained() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 12]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(12).expect("memory");
    let mut count = device.alloc_zeroed::<u64>(2).expect("memory");
    let text = |result: Result<(), KernelError>| result.expect_err("refused").to_string();
    assert_eq!(
        text(unique(&device, &x, &mut y, &mut count).run()),
        "`count` has 2 elements, but needs 1, the result; pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
    let flags = device.upload(&[true; 11]).expect("memory");
    assert_eq!(
        text(select(&device, &x, &flags, &mut y, count.slice_mut(..1).expect("a part")).run()),
        "`flags` has 11 elements, but needs 12, one for each element of `x`; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
    let part = y.slice_mut(..5).expect("a part");
    assert_eq!(
        text(partition(&device, &x, &x, part, count.slice_mut(..1).expect("a part")).run()),
        "`y` has 5 elements, but needs 12, as many as `x`; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
    let large = device.upload(&[[0u64; 20]; 2]).expect("memory");
    let mut others = device.alloc_zeroed::<[u64; 20]>(2).expect("memory");
    let flags = device.upload(&[true; 2]).expect("memory");
    let refused = select(&device, &large, &flags, &mut others, count.slice_mut(..1).expect("a part"));
    assert_eq!(
        text(refused.run()),
        "`x` has elements of 160 bytes, but needs elements of at most 128 bytes; select their indices instead"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_length_alignment_and_order_of_blocks(
        n in 0usize..15_000,
        at in (0usize..9, 0usize..9),
        longest in 1usize..6000,
        seed in 0u64..1000,
    ) {
        let (device, x) = (shuffled(seed), in_runs(seed, n, longest));
        check_runs(&device, &x, at);
        let xs = Placed::new(&device, at.0, &x, 0);
        let got = selected(&device, (n, at.1), 7, |y, count| {
            partition_if(&device, xs.part(), Below { limit: 1 }, y, count).run()
        });
        prop_assert!(got == both(&x, |i| x[i] < 1));
    }
}
