//! Device code of another crate: functions, traits, types, statics and kernels.

use reuse::geometry::{Hit, Vector};
use reuse::reduce::{self, Monoid, Sum};
use reuse::turns::{self, Turns};
use reuse::{newton, state};
use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel(fmad = false)]
fn borrowed(x: &[f32], scratch: &mut [f32], out: &mut [f32]) {
    let i = global_id();
    if i >= x.len() || i >= scratch.len() || (i + 1) * 5 > out.len() {
        return;
    }
    let v = x[i];
    let o = &mut out[i * 5..i * 5 + 5];
    o[0] = newton(v, |x| x * x - 2.0, |x| 2.0 * x).unwrap_or(-1.0);
    o[1] = reuse::smooth_step(v) + reuse::SMOOTH[1] * reuse::STEPS as f32;
    reuse::weighted(scratch, i);
    o[2] = reuse::reversed(i as u32) as f32;
    let a = Vector { at: [v, 1.0, -v] };
    o[3] = (a * 2.0 + Vector::<f32, 3>::ORIGIN).dot(&a);
    let near = Hit::Surface { distance: v, id: i as u32 };
    o[4] = match near.nearer(Hit::Surface { distance: 1.0, id: 99 }).nearer(Hit::Miss) {
        Hit::Miss => -1.0,
        Hit::Surface { distance, id } => distance * 100.0 + id as f32,
    };
    state::count();
}

#[test]
fn functions_and_types_come_from_another_crate() {
    everywhere::<borrowed>(&(), |device| {
        let x = [0.5f32, 1.0, 7.0, 0.0, -3.0];
        let input = device.upload(&x).expect("memory");
        let mut scratch = device.upload(&[10.0f32; 5]).expect("memory");
        state::CALLS.write(device, 7).expect("memory");
        state::GAIN.set(device, [3.0, -4.0]).expect("memory");
        let out =
            written(device, (25, f32::NAN), |out| borrowed(&input, &mut scratch, out).over(5).launch(device));
        for (i, v) in x.into_iter().enumerate() {
            let got = &out[i * 5..i * 5 + 5];
            let root = 2f32.sqrt().copysign(v);
            let settles = v != 0.0 && (got[0] - root).abs() < 1e-6;
            assert!(settles || got[0] == -1.0, "{} from {v} on {}", got[0], device.name());
            let c = v.clamp(0.0, 1.0);
            let near = if 1.0 < v { 199.0 } else { v * 100.0 + i as f32 };
            let want = [
                ((-2.0 * c + 3.0) * c + 0.0) * c + 60.0,
                (i as u32).reverse_bits() as f32,
                v * 2.0 * v + 2.0 + v * 2.0 * v,
                near,
            ];
            assert_eq!(got[1..], want, "{v} on {}", device.name());
        }
        assert_eq!(device.download(&scratch).expect("memory"), [30.0, -40.0, 30.0, -40.0, 30.0]);
        assert_eq!(state::CALLS.read(device).expect("memory"), 12);
    });
}

/// The largest and the smallest: a trait of another crate, on a type of this one.
struct Bounds;

#[gpu_impl]
impl Monoid for Bounds {
    type Value = I32x2;
    const IDENTITY: I32x2 = I32x2 { x: i32::MIN, y: i32::MAX };

    fn join(a: I32x2, b: I32x2) -> I32x2 {
        I32x2::new(a.x.max(b.x), a.y.min(b.y))
    }
}

#[gpu_kernel]
fn joined(x: &[i32], bounds: &mut [I32x2], sums: &mut [i32]) {
    let v = x[global_id()];
    let both = reduce::block_reduce::<Bounds, 32>(I32x2::splat(v));
    let sum = reduce::block_reduce::<Sum<i32>, 32>(v);
    if thread_idx().x == 0 {
        let b = block_idx().x;
        bounds[b] = Bounds::join3(both, Bounds::IDENTITY, I32x2::new(0, 0));
        sums[b] = sum;
    }
}

/// Two instances of a function at once, with arrays of one size.
#[gpu_fn]
fn kept<const KIND: u32>(value: i32) -> i32 {
    let mut slots = shared!([i32; 32]);
    let t = thread_idx().x;
    slots[t] = value;
    sync_threads();
    if KIND == 0 {
        return slots[31 - t] * 1000 + kept_other::<1>(value * 2) + slots[t];
    }
    slots[31 - t]
}

#[gpu_fn]
fn kept_other<const KIND: u32>(value: i32) -> i32 {
    let mut slots = shared!([i32; 32]);
    slots[thread_idx().x] = -value;
    sync_threads();
    slots[KIND] + value
}

#[gpu_kernel]
fn instances(out: &mut [i32]) {
    let t = thread_idx().x;
    let a = kept::<0>(t as i32);
    let b = kept::<2>(100 + t as i32);
    sync_threads();
    let c = kept_other::<0>(5) + kept_other::<1>(t as i32);
    out[t] = a + b * 100_000 + c * 10;
}

#[test]
fn every_instance_has_shared_arrays_of_its_own() {
    everywhere::<instances>(&(), |device| {
        let out = written(device, (32, 7), |out| instances(out).grid(1).block(32).launch(device));
        for t in 0..32 {
            let a = (31 - t) * 1000 + (2 * t - 2) + t;
            let (b, c) = (131 - t, t - 1);
            assert_eq!(out[t as usize], a + b * 100_000 + c * 10, "thread {t} on {}", device.name());
        }
    });
}

#[test]
fn a_trait_of_another_crate_is_implemented_here() {
    everywhere::<joined>(&(), |device| {
        let x: Vec<i32> = (0..96).map(|i| (i * 37) % 101 - 50).collect();
        let input = device.upload(&x).expect("memory");
        let mut sums = device.upload(&[7; 3]).expect("memory");
        let bounds = written(device, (3, I32x2::splat(1)), |bounds| {
            joined(&input, bounds, &mut sums).grid(3).block(32).launch(device)
        });
        let sums = device.download(&sums).expect("memory");
        for (b, part) in x.chunks(32).enumerate() {
            let (max, min) = (part.iter().max().expect("values"), part.iter().min().expect("values"));
            assert_eq!(bounds[b], I32x2::new(*max.max(&0), *min.min(&0)), "on {}", device.name());
            assert_eq!(sums[b], part.iter().sum::<i32>(), "on {}", device.name());
        }
    });
}

#[test]
fn kernels_of_another_crate_are_launched() {
    everywhere::<reuse::scaled<f16>>(&(), |device| {
        let x: Vec<f16> = (0..40).map(|i| f16::from_f32(i as f32 * 0.25)).collect();
        let input = device.upload(&x).expect("memory");
        let by = f16::from_f32(-1.5);
        let out =
            written(device, (40, f16::NAN), |out| reuse::scaled(&input, by, out).over(40).launch(device));
        assert_eq!(out, x.iter().map(|v| *v * by).collect::<Vec<_>>(), "on {}", device.name());
    });
}

#[gpu_kernel]
fn taking_turns(out: &mut [u32]) {
    let mut numbers = shared!([u32; 2]);
    let mut turns = shared!([Turns; 1]);
    let t = thread_idx().x;
    if t < 2 {
        numbers[t] = t + 1;
    }
    if t == 0 {
        turns[0] = Turns { count: 1, who: 2 };
    }
    sync_threads();
    let next = turns[0].counted();
    let first = turns::added(&mut numbers[0], 3);
    sync_threads();
    let (a, b) = numbers.split_at_mut(1);
    let both = turns::added_to_both((&mut a[0], Some(&mut b[0])));
    out[t] = next + first * 10 + both * 100_000;
}

/// The crate `reuse` is optimised in every profile: LLVM must not take the memory for the thread's own.
#[test]
fn references_to_shared_memory_show_what_others_wrote() {
    everywhere::<taking_turns>(&(), |device| {
        let out = written(device, (8, 0u32), |out| taking_turns(out).grid(1).block(8).launch(device));
        assert_eq!(out, [2 + 110 + 111_500_000; 8], "on {}", device.name());
    });
}
