//! Vector types: components, operators with vectors and scalars, indices, whole loads and stores.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel(fmad = false)]
fn arithmetic(x: &[F32x4], n: &[I32x3], out: &mut [F32x4], ints: &mut [I32x3]) {
    let i = global_id();
    if i >= x.len() || i >= n.len() || i >= out.len() || i >= ints.len() {
        return;
    }
    let v = x[i];
    let mut w = v * 2.0 + F32x4::new(1.0, 2.0, 3.0, 4.0) / v - F32x4::splat(0.5);
    w.y = -v.x;
    w += v;
    w[3] *= 3.0;
    let mut m = n[i] * I32x3::new(1, 2, 3) - 7;
    m = -m ^ n[i];
    if m == n[i] {
        m.x += 1;
    }
    for c in 0..3u32 {
        m[c] += c as i32;
    }
    out[i] = w;
    ints[i] = m;
}

#[test]
fn vectors_compute_component_by_component() {
    everywhere::<arithmetic>(&(), |device| {
        let x = [F32x4::new(1.0, -2.0, 0.5, 8.0), F32x4::splat(3.0)];
        let n = [I32x3::new(5, -6, 7), I32x3::new(7, 1, i32::MAX / 4)];
        let (dx, dn) = (device.upload(&x).expect("memory"), device.upload(&n).expect("memory"));
        let mut ints = device.upload(&[I32x3::splat(99); 2]).expect("memory");
        let out = written(device, (2, F32x4::splat(f32::NAN)), |out| {
            arithmetic(&dx, &dn, out, &mut ints).over(2).launch(device)
        });
        let ints = device.download(&ints).expect("memory");
        for i in 0..2 {
            let mut w = x[i] * 2.0 + F32x4::new(1.0, 2.0, 3.0, 4.0) / x[i] - F32x4::splat(0.5);
            w.y = -x[i].x;
            w += x[i];
            w.w *= 3.0;
            assert_eq!(out[i], w, "on {}", device.name());
            let mut m = -(n[i] * I32x3::new(1, 2, 3) - 7) ^ n[i];
            if m == n[i] {
                m.x += 1;
            }
            assert_eq!(ints[i], m + I32x3::new(0, 1, 2), "on {}", device.name());
        }
    });
}

#[gpu_kernel(fmad = false)]
fn halves(x: &[f16], p: &[F16x2], b: &[bf16], out: &mut [f16], pairs: &mut [F16x2], brain: &mut [bf16]) {
    let i = global_id();
    if i >= x.len() || i >= out.len() || i >= p.len() || i >= pairs.len() || i >= b.len() || i >= brain.len()
    {
        return;
    }
    let h = x[i];
    let mut sum = h * h + f16::ONE;
    if h > f16::ZERO {
        sum -= h / sum;
    }
    out[i] = -sum;
    pairs[i] = p[i] * p[i] + F16x2::splat(h);
    brain[i] = b[i] * b[i] - bf16::ONE;
}

#[test]
fn half_precision_is_rounded_as_in_rust() {
    everywhere::<halves>(&(), |device| {
        let values: Vec<f32> = (0..200).map(|i| (i as f32 - 100.0) * 0.37 + 0.011).collect();
        let x: Vec<f16> = values.iter().map(|v| f16::from_f32(*v)).collect();
        let b: Vec<bf16> = values.iter().map(|v| bf16::from_f32(*v)).collect();
        let p: Vec<F16x2> = x.iter().map(|v| F16x2::new(*v, *v + f16::ONE)).collect();
        let (dx, dp) = (device.upload(&x).expect("memory"), device.upload(&p).expect("memory"));
        let db = device.upload(&b).expect("memory");
        let mut pairs = device.upload(&p).expect("memory");
        let mut brain = device.upload(&b).expect("memory");
        let out = written(device, (x.len(), f16::NAN), |out| {
            halves(&dx, &dp, &db, out, &mut pairs, &mut brain).over(x.len()).launch(device)
        });
        let (pairs, brain) =
            (device.download(&pairs).expect("memory"), device.download(&brain).expect("memory"));
        for i in 0..x.len() {
            let h = x[i];
            let mut sum = h * h + f16::ONE;
            if h > f16::ZERO {
                sum -= h / sum;
            }
            assert_eq!(out[i].to_bits(), (-sum).to_bits(), "{h} on {}", device.name());
            assert_eq!(pairs[i], p[i] * p[i] + F16x2::splat(h), "on {}", device.name());
            assert_eq!(brain[i], b[i] * b[i] - bf16::ONE, "on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn literals(x: &[I32x4], out: &mut [I32x4]) {
    let i = global_id();
    if let Some(&I32x4 { x: a, w, .. }) = x.get(i) {
        let near = I32x2 { y: a, x: w };
        let moved = I32x4 { z: near.x * 10, ..x[i] };
        out[i] = I32x4 { x: near.y - 1, ..moved };
    }
}

#[test]
fn vectors_are_structs() {
    everywhere::<literals>(&(), |device| {
        let input = device.upload(&[I32x4::new(1, 2, 3, 4), I32x4::new(-5, 6, 7, 8)]).expect("memory");
        let out = written(device, (2, I32x4::splat(99)), |out| literals(&input, out).over(2).launch(device));
        assert_eq!(out, [I32x4::new(0, 2, 40, 4), I32x4::new(-6, 6, 80, 8)], "on {}", device.name());
    });
}

#[test]
fn what_some_refers_to_is_read_once_it_is_known_to_be_there() -> warpsmith::Result<()> {
    let cuda = literals::cuda_source()?;
    let (before, after) = cuda.split_once("if (").expect("a test of the variant");
    let body = before.rsplit_once('{').expect("a body").1;
    assert!(!body.contains("Some._0"), "{cuda}");
    assert!(after.contains("Some._0->x"), "{cuda}");
    Ok(())
}

#[gpu_fn]
fn made(t: i32) -> I32x4 {
    I32x4::new(10, t, 30, 40)
}

const FIXED: I32x4 = I32x4::new(7, 8, 9, 11);

#[gpu_kernel]
fn components_of_values(out: &mut [i32]) {
    let t = thread_idx().x as usize;
    let some = Some(made(3));
    out[t] = made(t as i32)[t] + (made(1) + made(2))[3 - t] * 100;
    out[t + 4] = FIXED[t] + [made(5), FIXED][t % 2][1] * 100 + some.unwrap()[t] * 10_000;
    out[t + 8] = (if t > 1 { made(9) } else { FIXED })[t] + (made(7), 1).0[1] * 100 - (-FIXED)[t];
}

#[test]
fn components_of_vectors_that_are_no_places_are_indexed() {
    everywhere::<components_of_values>(&(), |device| {
        let out = written(device, (12, 0), |out| components_of_values(out).grid(1).block(4).launch(device));
        let want = [[8010, 6001, 330, 2040], [100_507, 30_808, 300_509, 400_811], [714, 716, 739, 751]];
        assert_eq!(out, want.concat());
    });
}
