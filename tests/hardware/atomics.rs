//! Atomics: every operation on every type, with every scope and ordering; under contention.

use warpsmith::device_api::atomic::{AtomicExchange, AtomicInt};
use warpsmith::device_api::ordered::AtomicValue;
use warpsmith::prelude::*;

use super::{everywhere, written};

/// The integer operations, one place each; `old` is what each gave.
#[gpu_kernel]
fn integers<T: AtomicInt + AtomicExchange + AtomicValue>(values: &[T], places: &mut [T], old: &mut [T]) {
    let i = global_id();
    let n = 10;
    if i >= values.len() || (i + 1) * n > places.len() || (i + 1) * n > old.len() {
        return;
    }
    let (v, p, o) = (values[i], &mut places[i * n..], &mut old[i * n..]);
    o[0] = atomic(&mut p[0]).fetch_add(v, Ordering::Relaxed);
    o[1] = atomic_block(&mut p[1]).fetch_sub(v, Ordering::Acquire);
    o[2] = atomic_system(&mut p[2]).fetch_min(v, Ordering::Release);
    o[3] = atomic(&mut p[3]).fetch_max(v, Ordering::AcqRel);
    o[4] = atomic_cluster(&mut p[4]).fetch_and(v, Ordering::SeqCst);
    o[5] = atomic(&mut p[5]).fetch_or(v, Ordering::SeqCst);
    o[6] = atomic_block(&mut p[6]).fetch_xor(v, Ordering::Relaxed);
    o[7] = atomic(&mut p[7]).swap(v, Ordering::AcqRel);
    atomic(&mut p[8]).store(v, Ordering::Release);
    o[8] = atomic_system(&mut p[8]).load(Ordering::Acquire);
    o[9] = match atomic(&mut p[9]).compare_exchange(T::ONE, v, Ordering::AcqRel, Ordering::Relaxed) {
        Ok(found) => found,
        Err(found) => found - T::ONE,
    };
}

/// The plain functions, in the same order.
#[gpu_kernel]
fn plain_integers<T: AtomicInt + AtomicExchange>(values: &[T], places: &mut [T], old: &mut [T]) {
    let i = global_id();
    let n = 10;
    if i >= values.len() || (i + 1) * n > places.len() || (i + 1) * n > old.len() {
        return;
    }
    let (v, p, o) = (values[i], &mut places[i * n..], &mut old[i * n..]);
    o[0] = atomic_add(&mut p[0], v);
    o[1] = atomic_sub(&mut p[1], v);
    o[2] = atomic_min(&mut p[2], v);
    o[3] = atomic_max(&mut p[3], v);
    o[4] = atomic_and(&mut p[4], v);
    o[5] = atomic_or(&mut p[5], v);
    o[6] = atomic_xor(&mut p[6], v);
    o[7] = atomic_exchange(&mut p[7], v);
    o[8] = atomic_exchange(&mut p[8], v);
    o[8] = p[8];
    o[9] = atomic_compare_exchange(&mut p[9], T::ONE, v);
    if o[9] != T::ONE {
        o[9] = o[9] - T::ONE;
    }
}

macro_rules! every_integer {
    ($($t:ident)+) => {$(
        #[allow(clippy::unnecessary_cast)]
        fn $t() {
            let values: Vec<$t> =
                [0, 1, 5, 100, <$t>::MAX, <$t>::MIN, <$t>::MAX / 3, <$t>::MIN / 2 + 9].to_vec();
            let begin: [$t; 10] = [7, 3, 50, 50, <$t>::MAX - 6, 9, 0x5a, <$t>::MAX, 11, 1];
            let mut places: Vec<$t> = values.iter().flat_map(|_| begin).collect();
            // Every other comparison finds another value.
            places.iter_mut().skip(9).step_by(20).for_each(|p| *p = 42);
            let changed = |at: usize, p: $t, v: $t| match at {
                0 => p.wrapping_add(v),
                1 => p.wrapping_sub(v),
                2 => p.min(v),
                3 => p.max(v),
                4 => p & v,
                5 => p | v,
                6 => p ^ v,
                7 | 8 => v,
                _ => if p == 1 { v } else { p },
            };
            let old = |at: usize, p: $t, v: $t| match at {
                8 => v,
                9 => if p == 1 { 1 } else { p - 1 },
                _ => p,
            };
            let each = |f: &dyn Fn(usize, $t, $t) -> $t| -> Vec<$t> {
                (0..places.len()).map(|i| f(i % 10, places[i], values[i / 10])).collect()
            };
            let (want, want_old) = (each(&changed), each(&old));
            macro_rules! check {
                ($kernel:ident) => {
                    everywhere::<$kernel<$t>>(&(), |device| {
                        let input = device.upload(&values).expect("memory");
                        let mut memory = device.upload(&places).expect("memory");
                        let got = written(device, (places.len(), 99), |old| {
                            $kernel(&input, &mut memory, old).over(values.len()).launch(device)
                        });
                        assert_eq!(device.download(&memory).expect("memory"), want, "on {}", device.name());
                        assert_eq!(got, want_old, "on {}", device.name());
                    });
                };
            }
            check!(integers);
            check!(plain_integers);
        }
    )+};
}

mod per_type {
    use super::*;
    every_integer! { i32 u32 i64 u64 isize usize }

    #[test]
    fn every_integer_operation_changes_the_place_and_gives_what_it_held() {
        i32();
        u32();
        i64();
        u64();
        isize();
        usize();
    }
}

/// Every ordering and scope of an operation that prints by itself for each.
#[gpu_kernel]
fn orderings(counts: &mut [u32], seen: &mut [u32]) {
    let c = &mut counts[0];
    let mut sum = 0;
    sum += atomic(c).fetch_add(1, Ordering::Relaxed);
    sum += atomic(c).fetch_add(1, Ordering::Acquire);
    sum += atomic(c).fetch_add(1, Ordering::Release);
    sum += atomic(c).fetch_add(1, Ordering::AcqRel);
    sum += atomic(c).fetch_add(1, Ordering::SeqCst);
    sum += atomic_block(c).fetch_add(1, Ordering::Relaxed);
    sum += atomic_block(c).fetch_add(1, Ordering::AcqRel);
    sum += atomic_block(c).fetch_add(1, Ordering::SeqCst);
    sum += atomic_cluster(c).fetch_add(1, Ordering::Relaxed);
    sum += atomic_cluster(c).fetch_add(1, Ordering::Acquire);
    sum += atomic_cluster(c).fetch_add(1, Ordering::SeqCst);
    sum += atomic_system(c).fetch_add(1, Ordering::Relaxed);
    sum += atomic_system(c).fetch_add(1, Ordering::Release);
    sum += atomic_system(c).fetch_add(1, Ordering::SeqCst);
    seen[0] = sum;
    let mut loads = atomic(c).load(Ordering::Relaxed) + atomic(c).load(Ordering::Acquire);
    loads += atomic(c).load(Ordering::SeqCst) + atomic_block(c).load(Ordering::Relaxed);
    loads += atomic_cluster(c).load(Ordering::Acquire) + atomic_system(c).load(Ordering::SeqCst);
    seen[1] = loads;
    atomic(c).store(seen[1] + 1, Ordering::Relaxed);
    atomic_block(c).store(seen[1] + 2, Ordering::Release);
    atomic_cluster(c).store(seen[1] + 3, Ordering::SeqCst);
    seen[2] = atomic(c).swap(5, Ordering::SeqCst);
    seen[3] = atomic(c).fetch_inc(5, Ordering::Relaxed) * 10 + atomic_block(c).fetch_inc(5, Ordering::AcqRel);
    seen[4] = atomic(c).fetch_dec(5, Ordering::Relaxed) * 100 + atomic(c).fetch_dec(7, Ordering::SeqCst) * 10;
    seen[4] += atomic_inc(c, 3) + atomic_dec(c, 9);
    let failed = atomic(c).compare_exchange(1, 2, Ordering::Relaxed, Ordering::Acquire);
    let done = atomic(c).compare_exchange(9, 2, Ordering::Release, Ordering::Acquire).is_ok();
    let exact = atomic_system(c).compare_exchange(2, 3, Ordering::Relaxed, Ordering::Relaxed);
    seen[5] = failed.is_err() as u32 * 100 + done as u32 * 10 + exact.unwrap_or(77);
}

#[test]
fn every_ordering_and_scope_does_the_same_to_one_thread() {
    everywhere::<orderings>(&(), |device| {
        let mut counts = device.upload(&[0u32]).expect("memory");
        let seen =
            written(device, (6, 99), |seen| orderings(&mut counts, seen).grid(1).block(1).launch(device));
        // 5 starts again at 0, then 1; 1, then 0 becomes 7; 7 is above 3; 0 becomes 9.
        assert_eq!(seen, [91, 84, 87, 50, 100 + 7, 112], "on {}", device.name());
        assert_eq!(device.download(&counts).expect("memory"), [3]);
    });
}

#[gpu_kernel]
fn floats<T: Float + AtomicExchange + AtomicValue>(values: &[T], sums: &mut [T], old: &mut [T]) {
    let i = global_id();
    if i < values.len() {
        atomic_add(&mut sums[0], values[i]);
        atomic(&mut sums[1]).fetch_add(values[i], Ordering::Relaxed);
        atomic_block(&mut sums[2]).fetch_add(values[i], Ordering::Relaxed);
        atomic_system(&mut sums[3]).fetch_add(values[i], Ordering::AcqRel);
    }
    if i == 0 {
        old[0] = atomic_exchange(&mut sums[4], values[1]);
        old[1] = atomic(&mut sums[4]).swap(-values[1], Ordering::Release);
        atomic(&mut sums[5]).store(values[2], Ordering::SeqCst);
        old[2] = atomic(&mut sums[5]).load(Ordering::Relaxed);
        old[3] = atomic_block(&mut sums[6])
            .compare_exchange(-T::ZERO, values[3], Ordering::SeqCst, Ordering::SeqCst)
            .unwrap_or(T::ONE);
        let _ =
            atomic(&mut sums[7]).compare_exchange(-T::ZERO, values[3], Ordering::AcqRel, Ordering::Acquire);
    }
}

#[test]
fn floats_are_added_and_exchanged() {
    macro_rules! check {
        ($t:ty) => {
            everywhere::<floats<$t>>(&(), |device| {
                let values: Vec<$t> = (0..96).map(|i| i as $t * 0.5 - 3.0).collect();
                let input = device.upload(&values).expect("memory");
                // The place of a comparison with `-0.0` holds `0.0`, then `-0.0`: bits are compared.
                let mut sums = device.upload(&[0.0, 1.0, 2.0, 3.0, 9.5, 0.0, 0.0, -0.0]).expect("memory");
                let old = written(device, (4, <$t>::NAN), |old| {
                    floats(&input, &mut sums, old).grid(1).block(96).launch(device)
                });
                let total: $t = values.iter().sum();
                let want = [total, total + 1.0, total + 2.0, total + 3.0, 2.5, -2.0, 0.0, -1.5];
                assert_eq!(device.download(&sums).expect("memory"), want, "on {}", device.name());
                assert_eq!(old, [9.5, -2.5, -2.0, 1.0], "on {}", device.name());
            });
        };
    }
    check!(f32);
    check!(f64);
}

#[gpu_kernel]
fn half_sums(h: &mut [f16], b: &mut [bf16], hh: &mut [F16x2], bb: &mut [BF16x2]) {
    let one = F16x2::new(f16::ONE, -f16::ONE);
    atomic_add(&mut h[0], f16::ONE);
    atomic(&mut h[1]).fetch_add(f16::ONE, Ordering::Relaxed);
    // Atomic for the threads of one block: each block has a place of its own.
    atomic_block(&mut h[2 + block_idx().x]).fetch_add(f16::ONE, Ordering::AcqRel);
    atomic_add(&mut b[0], bf16::ONE);
    atomic_system(&mut b[1]).fetch_add(bf16::ONE, Ordering::Release);
    atomic_add(&mut hh[0], one);
    atomic(&mut hh[1]).fetch_add(one, Ordering::SeqCst);
    atomic_add(&mut bb[0], BF16x2::splat(bf16::ONE));
    let before = atomic(&mut bb[1]).fetch_add(BF16x2::splat(-bf16::ONE), Ordering::Relaxed);
    if before.x == bf16::ZERO {
        atomic_add(&mut b[2], before.x - bf16::ONE);
    }
}

#[test]
fn halves_and_pairs_are_added_in_one_step() {
    everywhere::<half_sums>(&(), |device| {
        let mut h = device.upload(&[f16::ZERO; 6]).expect("memory");
        let mut b = device.upload(&[bf16::ZERO; 3]).expect("memory");
        let mut hh = device.upload(&[F16x2::splat(f16::ZERO); 2]).expect("memory");
        let mut bb = device.upload(&[BF16x2::splat(bf16::ZERO); 2]).expect("memory");
        half_sums(&mut h, &mut b, &mut hh, &mut bb).grid(4).block(32).launch(device).expect("it runs");
        let (n, m) = (f16::from_f32(128.0), bf16::from_f32(128.0));
        let of_block = f16::from_f32(32.0);
        let sums = [n, n, of_block, of_block, of_block, of_block];
        assert_eq!(device.download(&h).expect("memory"), sums, "on {}", device.name());
        assert_eq!(device.download(&b).expect("memory"), [m, m, -bf16::ONE], "on {}", device.name());
        assert_eq!(device.download(&hh).expect("memory"), [F16x2::new(n, -n); 2]);
        assert_eq!(device.download(&bb).expect("memory"), [BF16x2::splat(m), BF16x2::splat(-m)]);
    });
}

/// A sum and a count in sixteen bytes, changed together.
#[gpu_kernel]
fn pairs(state: &mut [U64x2], seen: &mut [u64]) {
    let i = global_id();
    let mut known = U64x2::new(0, 0);
    loop {
        let next = U64x2::new(known.x + i as u64, known.y + 1);
        match atomic(&mut state[0]).compare_exchange(known, next, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(before) => {
                seen[i] = before.y;
                break;
            }
            Err(now) => known = now,
        }
    }
}

#[test]
fn sixteen_bytes_are_exchanged_together() {
    everywhere::<pairs>(&(), |device| {
        let mut state = device.upload(&[U64x2::new(0, 0)]).expect("memory");
        let mut seen =
            written(device, (256, 999), |seen| pairs(&mut state, seen).grid(4).block(64).launch(device));
        assert_eq!(device.download(&state).expect("memory"), [U64x2::new(255 * 128, 256)]);
        seen.sort_unstable();
        assert_eq!(seen, (0..256).collect::<Vec<u64>>(), "on {}", device.name());
    });
}

/// A lock in device memory.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Lock {
    taken: u32,
}

#[gpu_impl]
impl Lock {
    fn acquire(&mut self) {
        while atomic(&mut self.taken).compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            nanosleep(20);
        }
    }

    fn release(&mut self) {
        atomic(&mut self.taken).store(0, Ordering::Release);
    }
}

/// Each block adds to plain memory under a lock, then takes a ticket; the last block reports.
#[gpu_kernel]
fn locked(lock: &mut [Lock], sums: &mut [u64], tickets: &mut [u32], out: &mut [u64]) {
    if thread_idx().x != 0 {
        return;
    }
    for k in 0..5u64 {
        lock[0].acquire();
        let before = volatile_load(&sums[0]);
        volatile_store(&mut sums[0], before + k);
        volatile_store(&mut sums[1], before);
        lock[0].release();
    }
    sums[2 + block_idx().x] = block_idx().x as u64 + 1;
    fence_device();
    let ticket = atomic(&mut tickets[0]).fetch_inc(grid_dim().x - 1, Ordering::AcqRel);
    if ticket == grid_dim().x - 1 {
        let mut total = 0;
        for b in 0..grid_dim().x {
            total += volatile_load(&sums[2 + b]);
        }
        out[0] = total;
        out[1] = volatile_load(&sums[0]);
    }
}

#[test]
fn locks_and_tickets_order_blocks() {
    everywhere::<locked>(&(), |device| {
        let blocks = 24u32;
        let mut lock = device.upload(&[Lock { taken: 0 }]).expect("memory");
        let mut sums = device.upload(&vec![0u64; 2 + blocks as usize]).expect("memory");
        let mut tickets = device.upload(&[0u32]).expect("memory");
        for _ in 0..2 {
            let out = written(device, (2, 0), |out| {
                locked(&mut lock, &mut sums, &mut tickets, out).grid(blocks).block(32).launch(device)
            });
            let sum = device.download(&sums).expect("memory")[0];
            assert_eq!(out, [u64::from(blocks * (blocks + 1) / 2), sum], "on {}", device.name());
            assert_eq!(device.download(&tickets).expect("memory"), [0]);
        }
        assert_eq!(device.download(&sums).expect("memory")[0], u64::from(blocks) * 20);
        assert_eq!(device.download(&lock).expect("memory")[0].taken, 0);
    });
}

/// A histogram in shared memory, added to the whole one; contention at both.
#[gpu_kernel]
fn histogram(x: &[u8], bins: &mut [u32]) {
    let mut mine = shared!([u32; 16]);
    let t = thread_idx().x;
    if t < 16 {
        mine[t] = 0;
    }
    sync_threads();
    let mut i = global_id();
    while i < x.len() {
        atomic_block(&mut mine[x[i] % 16]).fetch_add(1, Ordering::Relaxed);
        i += global_size();
    }
    sync_threads();
    if t < 16 {
        atomic(&mut bins[t]).fetch_add(mine[t], Ordering::Relaxed);
    }
}

#[test]
fn contention_loses_no_update() {
    everywhere::<histogram>(&(), |device| {
        let x: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8 & 0x3f).collect();
        let input = device.upload(&x).expect("memory");
        let got = written(device, (16, 0), |bins| histogram(&input, bins).grid(6).block(128).launch(device));
        let mut want = vec![0u32; 16];
        x.iter().for_each(|v| want[usize::from(v % 16)] += 1);
        assert_eq!(got, want, "on {}", device.name());
    });
}
