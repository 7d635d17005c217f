//! Lanes of a warp: votes, matches, reductions, shuffles of every kind of value, tiles and groups.

use warpsmith::device_api::vote::Matched;
use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel]
fn votes(x: &[i32], out: &mut [u32]) {
    let t = thread_idx().x;
    let v = x[t];
    let o = &mut out[t * 12..t * 12 + 12];
    o[0] = ballot(v > 0);
    o[1] = any(v == 5) as u32 * 2 + all(v < 50) as u32;
    let half = if t % 32 < 16 { 0xffff } else { 0xffff_0000 };
    o[2] = ballot_sync(half, v % 2 == 0);
    o[3] = any_sync(half, v == 5) as u32 * 2 + all_sync(half, v < 50) as u32;
    o[4] = match_any(v % 4);
    o[5] = match_any_sync(half, v as i64 / 3);
    o[6] = match_all_sync(u32::MAX, v / 1000) as u32 * 2 + match_all_sync(half, v) as u32;
    o[7] = reduce_add_sync(half, v as u32);
    o[8] = bit_cast(reduce_min_sync(u32::MAX, v) * 1000 + reduce_max_sync(u32::MAX, v));
    o[9] = reduce_and_sync(half, v as u32 | 3);
    o[10] = reduce_or_sync(u32::MAX, v as u32) ^ reduce_xor_sync(half, v as u32);
    sync_warp_mask(half);
    sync_warp();
    o[11] = active_mask() >> (t % 32) & 1;
}

fn votes_on_host(warp: &[i32], lane: usize) -> [u32; 12] {
    let half = lane / 16 * 16..lane / 16 * 16 + 16;
    let bits = |range: core::ops::Range<usize>, test: &dyn Fn(i32) -> bool| {
        range.filter(|l| test(warp[*l])).fold(0u32, |b, l| b | 1 << l)
    };
    let mine = &warp[half.clone()];
    let v = warp[lane];
    let or = warp.iter().fold(0, |a, b| a | *b as u32);
    let xor = mine.iter().fold(0, |a, b| a ^ *b as u32);
    [
        bits(0..32, &|v| v > 0),
        u32::from(warp.contains(&5)) * 2 + u32::from(warp.iter().all(|v| *v < 50)),
        bits(half.clone(), &|v| v % 2 == 0),
        u32::from(mine.contains(&5)) * 2 + u32::from(mine.iter().all(|v| *v < 50)),
        bits(0..32, &|o| o % 4 == v % 4),
        bits(half.clone(), &|o| o / 3 == v / 3),
        u32::from(warp.iter().all(|o| o / 1000 == v / 1000)) * 2 + u32::from(mine.iter().all(|o| *o == v)),
        mine.iter().fold(0u32, |a, b| a.wrapping_add(*b as u32)),
        (warp.iter().min().expect("lanes") * 1000 + warp.iter().max().expect("lanes")) as u32,
        mine.iter().fold(u32::MAX, |a, b| a & (*b as u32 | 3)),
        or ^ xor,
        1,
    ]
}

#[test]
fn lanes_vote_match_and_reduce() {
    everywhere::<votes>(&(), |device| {
        let mut x: Vec<i32> = (0..96i64).map(|i| ((i * 7919 + 13) % 103 - 51) as i32).collect();
        (0..16).for_each(|i| x[32 + i] = 6);
        (0..32).for_each(|i| x[64 + i] = 5);
        let input = device.upload(&x).expect("memory");
        let out = written(device, (96 * 12, 77), |out| votes(&input, out).grid(1).block(96).launch(device));
        for t in 0..96 {
            let want = votes_on_host(&x[t / 32 * 32..t / 32 * 32 + 32], t % 32);
            assert_eq!(out[t * 12..t * 12 + 12], want, "thread {t} on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn matched<T: Matched>(x: &[T], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = match_any(x[t]);
    out[t + 32] = match_all_sync(u32::MAX, x[t]) as u32;
}

#[test]
fn values_match_by_their_bits() {
    macro_rules! check {
        ($t:ty, $values:expr) => {
            everywhere::<matched<$t>>(&(), |device| {
                let values: &[$t] = &$values;
                let x: Vec<$t> = (0..32).map(|i| values[i % values.len()]).collect();
                let input = device.upload(&x).expect("memory");
                let out =
                    written(device, (64, 9), |out| matched(&input, out).grid(1).block(32).launch(device));
                for i in 0..32 {
                    let same = |o: &usize| x[*o].to_le_bytes() == x[i].to_le_bytes();
                    let want = (0..32).filter(same).fold(0u32, |b, l| b | 1 << l);
                    assert_eq!(out[i], want, "lane {i} on {}", device.name());
                    assert_eq!(out[32 + i], u32::from(values.len() == 1));
                }
            });
        };
    }
    check!(i32, [-1, 5, 7]);
    check!(u64, [1 << 40, 1, 1 << 33, u64::MAX]);
    check!(f32, [0.0, -0.0, f32::NAN]);
    check!(f64, [2.5]);
    check!(usize, [usize::MAX, 3]);
}

/// Values besides scalars that a shuffle can carry.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Packet {
    key: u16,
    value: f64,
    tail: [u8; 3],
}

/// All four shuffles of a value at a width.
#[gpu_kernel]
fn shuffled<T: GpuType>(x: &[T], by: u32, width: u32, out: &mut [T]) {
    let t = thread_idx().x;
    let v = x[t];
    let o = &mut out[t * 5..t * 5 + 5];
    o[0] = shfl_sync(u32::MAX, v, by, width);
    o[1] = shfl_up_sync(u32::MAX, v, by, width);
    o[2] = shfl_down_sync(u32::MAX, v, by, width);
    o[3] = shfl_xor_sync(u32::MAX, v, by, width);
    o[4] = shfl(shfl_up(v, 1), 31);
}

/// The lane that each shuffle reads.
fn sources(lane: usize, by: usize, width: usize) -> [usize; 5] {
    // The hardware looks at five bits.
    let (group, at, by) = (lane / width * width, lane % width, by % 32);
    let up = if at >= by { lane - by } else { lane };
    let down = if at + by < width { lane + by } else { lane };
    // Groups below may be read, none above.
    let xor = if (lane ^ by) < group + width { lane ^ by } else { lane };
    [group + by % width, up, down, xor, 30]
}

fn shuffles<T: GpuType + PartialEq + core::fmt::Debug + 'static>(value: impl Fn(u32) -> T) {
    everywhere::<shuffled<T>>(&(), |device| {
        let x: Vec<T> = (0..32).map(&value).collect();
        let input = device.upload(&x).expect("memory");
        for width in [1u32, 2, 4, 8, 16, 32] {
            for by in [0u32, 1, 3, 7, 16, 35] {
                let out = written(device, (160, x[0]), |out| {
                    shuffled(&input, by, width, out).grid(1).block(32).launch(device)
                });
                for lane in 0..32 {
                    let from = sources(lane, by as usize, width as usize);
                    let want: Vec<T> = from.iter().map(|l| x[*l]).collect();
                    assert_eq!(out[lane * 5..lane * 5 + 5], want, "lane {lane}, {by} of {width}");
                }
            }
        }
    });
}

#[test]
fn every_kind_of_value_is_shuffled() {
    shuffles(|i| i as i8 - 100);
    shuffles(|i| i as u16 * 2000);
    shuffles(|i| i as i32 * -70_001);
    shuffles(|i| u64::from(i) << 33 | 5);
    shuffles(|i| i as f32 * 0.3);
    shuffles(|i| f64::from(i) * 1e-200);
    shuffles(|i| f16::from_f32(i as f32 * 0.5));
    shuffles(|i| bf16::from_f32(i as f32 * 0.5));
    shuffles(|i| i as usize * 0x1_0000_0001);
    shuffles(|i| F32x4::new(i as f32, 1.0, -2.0, i as f32 * 9.0));
    shuffles(|i| F16x2::new(f16::from_f32(i as f32), f16::ONE));
    shuffles(|i| U8x3::new(i as u8, 200, 7));
    shuffles(|i| [i as i16, -7, 300]);
    shuffles(|i| Packet { key: i as u16 * 3, value: f64::from(i) / 7.0, tail: [i as u8, 1, 255] });
}

#[gpu_kernel]
fn carried(x: &[i32], out: &mut [i32]) {
    let t = thread_idx().x;
    let v = x[t];
    let even = if v % 2 == 0 { Some(v) } else { None };
    let pair = shfl_xor((v, v as i64 * 2, v > 3), 1);
    let other = shfl_down(even, 2);
    let flag = shfl_up(v > 3, 1);
    let found = match other {
        Some(value) => value * 10,
        None => -1,
    };
    out[t * 3] = pair.0 + pair.1 as i32 + pair.2 as i32 * 1000;
    out[t * 3 + 1] = found;
    out[t * 3 + 2] = flag as i32;
}

#[test]
fn tuples_options_and_bools_are_shuffled() {
    everywhere::<carried>(&(), |device| {
        let x: Vec<i32> = (0..32).map(|i| (i * 11) % 9).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (96, -7), |out| carried(&input, out).grid(1).block(32).launch(device));
        for t in 0..32 {
            let (p, d, u) = (x[t ^ 1], x[if t < 30 { t + 2 } else { t }], x[t.saturating_sub(1)]);
            let want =
                [p * 3 + i32::from(p > 3) * 1000, if d % 2 == 0 { d * 10 } else { -1 }, i32::from(u > 3)];
            assert_eq!(out[t * 3..t * 3 + 3], want, "lane {t} on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn tiles<const N: u32>(x: &[i32], out: &mut [i32]) {
    let t = thread_idx().x;
    let tile = warp_tile::<N>();
    let v = x[t];
    let o = &mut out[t * 10..t * 10 + 10];
    let rank = tile.thread_rank();
    o[0] = (tile.size() * 1000 + tile.rank_in_warp() * 100 + rank) as i32;
    o[1] = tile.sum(v);
    o[2] = tile.reduce(v, |a, b| if b > a { b } else { a });
    o[3] = tile.inclusive_sum(v);
    o[4] = tile.ballot(v > 0) as i32;
    o[5] = tile.any(v == 3) as i32 * 2 + tile.all(v < 8) as i32;
    o[6] = tile.shfl(v, N - 1);
    o[7] = tile.shfl_up(v, 1) * 100 + tile.shfl_down(v, 1);
    o[8] = tile.shfl_xor(v, N / 2);
    tile.sync();
    o[9] = bit_cast(tile.mask());
}

fn tiles_of<const N: u32>() {
    everywhere::<tiles<N>>(&(), |device| {
        let n = N as usize;
        let x: Vec<i32> = (0..64).map(|i| (i * 29) % 17 - 6).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (640, 7), |out| tiles::<N>(&input, out).grid(1).block(64).launch(device));
        for t in 0..64 {
            let (start, rank) = (t / n * n, t % n);
            let tile = &x[start..start + n];
            let ballot = (0..n).filter(|r| tile[*r] > 0).fold(0u32, |b, r| b | 1 << r);
            let want = [
                (n * 1000 + t % 32 / n * 100 + rank) as i32,
                tile.iter().sum(),
                *tile.iter().max().expect("lanes"),
                tile[..=rank].iter().sum(),
                ballot as i32,
                i32::from(tile.contains(&3)) * 2 + i32::from(tile.iter().all(|v| *v < 8)),
                tile[n - 1],
                tile[rank.saturating_sub(1)] * 100 + tile[(rank + 1).min(n - 1)],
                tile[if n > 1 { rank ^ (n / 2) } else { 0 }],
                (u32::MAX >> (32 - N) << (start % 32)) as i32,
            ];
            assert_eq!(out[t * 10..t * 10 + 10], want, "thread {t}, tiles of {n} on {}", device.name());
        }
    });
}

#[test]
fn tiles_of_every_size_are_warps_of_their_own() {
    tiles_of::<1>();
    tiles_of::<2>();
    tiles_of::<4>();
    tiles_of::<8>();
    tiles_of::<16>();
    tiles_of::<32>();
}

/// Lanes that meet in a branch add as one: the leader adds for all, and tells each its place.
#[gpu_kernel]
fn gathered(x: &[i32], count: &mut [u32], kept: &mut [i32]) {
    let i = global_id();
    if i < x.len() && x[i] % 3 != 0 {
        let group = coalesced_threads();
        let mut first = 0;
        if group.thread_rank() == 0 {
            first = atomic_add(&mut count[0], group.size());
        }
        let place = group.shfl(first, 0) + group.thread_rank();
        group.sync();
        kept[place] = x[i] + (group.any(x[i] % 3 == 0) || !group.all(x[i] % 3 != 0)) as i32 * 1000;
        if group.ballot(true) != group.mask() {
            kept[place] = -1;
        }
    }
}

#[test]
fn lanes_that_meet_are_a_group() {
    everywhere::<gathered>(&(), |device| {
        let x: Vec<i32> = (0..300).map(|i| (i * 31) % 97).collect();
        let input = device.upload(&x).expect("memory");
        let mut count = device.upload(&[0u32]).expect("memory");
        let mut want: Vec<i32> = x.iter().copied().filter(|v| v % 3 != 0).collect();
        let mut kept = written(device, (want.len(), -7), |kept| {
            gathered(&input, &mut count, kept).over(300).block(128).launch(device)
        });
        kept.sort_unstable();
        want.sort_unstable();
        assert_eq!(kept, want, "on {}", device.name());
        assert_eq!(device.download(&count).expect("memory"), [want.len() as u32]);
    });
}

/// A key, and the lane that has it.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Keyed {
    key: u64,
    lane: u32,
    seen: u32,
}

#[gpu_impl]
impl Keyed {
    fn larger(self, other: Keyed) -> Keyed {
        if other.key > self.key { other } else { self }
    }
}

/// A literal whose last field is a shuffle: C++ would give it a handler.
#[gpu_kernel]
fn largest_of_warp(x: &[u64], out: &mut [u64]) {
    let mut best = Keyed { key: x[thread_idx().x], lane: lane_id(), seen: 1 };
    let mut delta = 16;
    while delta > 0 {
        let other = Keyed { key: shfl_xor(best.key, delta), lane: shfl_xor(best.lane, delta), ..best };
        best = best.larger(other);
        delta /= 2;
    }
    out[thread_idx().x] = best.key * 100 + (best.lane + best.seen) as u64;
}

#[test]
fn literals_are_made_of_shuffles() {
    everywhere::<largest_of_warp>(&(), |device| {
        let x: Vec<u64> = (0..32).map(|i| i * 7 % 32).collect();
        let x = device.upload(&x).expect("memory");
        let out = written(device, (32, 0), |out| largest_of_warp(&x, out).grid(1).block(32).launch(device));
        assert_eq!(out, [31 * 100 + 9 + 1; 32], "on {}", device.name());
    });
}
