//! Operators, casts and methods over edge values: on the simulator always, on a GPU where there is
//! one, each against what Rust computes on the host.
//!
//! The twin panics where Rust does in a debug build, so plain `+ - *`, shifts and negation on values
//! that overflow run on a GPU only, where they wrap as in a release build.

use harness::devices;
use warpsmith::prelude::*;

/// Every pair of edge values, as two columns.
fn pairs<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
    values.iter().flat_map(|a| values.iter().map(|b| (*a, *b))).unzip()
}

macro_rules! integer_operators {
    ($module:ident, $t:ty) => {
        mod $module {
            use super::*;

            /// Operations that Rust defines for every pair of values.
            #[gpu_kernel]
            fn total(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = global_id();
                if i < a.len() && i < b.len() {
                    let (x, y) = (a[i], b[i]);
                    let n = (y as u32) & 63;
                    let o = i * 20;
                    out[o] = x.wrapping_add(y);
                    out[o + 1] = x.wrapping_sub(y);
                    out[o + 2] = x.wrapping_mul(y);
                    out[o + 3] = x & y;
                    out[o + 4] = x | y;
                    out[o + 5] = x ^ y;
                    out[o + 6] = !x;
                    out[o + 7] = x.wrapping_shl(n);
                    out[o + 8] = x.wrapping_shr(n);
                    out[o + 9] = x.min(y);
                    out[o + 10] = x.max(y);
                    out[o + 11] = x.rotate_left(n);
                    out[o + 12] = x.rotate_right(n);
                    out[o + 13] = x.swap_bytes();
                    out[o + 14] = x.reverse_bits();
                    out[o + 15] = x.saturating_add(y);
                    out[o + 16] = x.saturating_sub(y);
                    out[o + 17] = x.count_ones() as $t;
                    out[o + 18] = x.leading_zeros() as $t;
                    out[o + 19] = x.trailing_zeros() as $t;
                }
            }

            fn total_on_host(x: $t, y: $t) -> [$t; 20] {
                let n = (y as u32) & 63;
                [
                    x.wrapping_add(y),
                    x.wrapping_sub(y),
                    x.wrapping_mul(y),
                    x & y,
                    x | y,
                    x ^ y,
                    !x,
                    x.wrapping_shl(n),
                    x.wrapping_shr(n),
                    x.min(y),
                    x.max(y),
                    x.rotate_left(n),
                    x.rotate_right(n),
                    x.swap_bytes(),
                    x.reverse_bits(),
                    x.saturating_add(y),
                    x.saturating_sub(y),
                    x.count_ones() as $t,
                    x.leading_zeros() as $t,
                    x.trailing_zeros() as $t,
                ]
            }

            /// The plain operators: what a release build computes.
            #[gpu_kernel]
            fn plain(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = global_id();
                if i < a.len() && i < b.len() {
                    let (x, y) = (a[i], b[i]);
                    let o = i * 8;
                    out[o] = x + y;
                    out[o + 1] = x - y;
                    out[o + 2] = x * y + x - y * y;
                    out[o + 3] = x << (y as u32);
                    out[o + 4] = x >> (y as u32);
                    out[o + 5] = x;
                    out[o + 5] += y;
                    out[o + 6] = x;
                    out[o + 6] *= y;
                    out[o + 7] = x;
                    out[o + 7] <<= y as u32;
                }
            }

            fn plain_on_host(x: $t, y: $t) -> [$t; 8] {
                let ring = x.wrapping_mul(y).wrapping_add(x).wrapping_sub(y.wrapping_mul(y));
                let n = y as u32;
                let (shl, shr) = (x.wrapping_shl(n), x.wrapping_shr(n));
                [
                    x.wrapping_add(y),
                    x.wrapping_sub(y),
                    ring,
                    shl,
                    shr,
                    x.wrapping_add(y),
                    x.wrapping_mul(y),
                    shl,
                ]
            }

            /// Division, remainder and comparisons, for divisors that are not zero.
            #[gpu_kernel]
            fn quotients(a: &[$t], b: &[$t], out: &mut [$t]) {
                let i = global_id();
                if i < a.len() && i < b.len() {
                    let (x, y) = (a[i], b[i]);
                    let o = i * 6;
                    out[o] = x / y;
                    out[o + 1] = x % y;
                    out[o + 2] = (x < y) as $t;
                    out[o + 3] = (x >= y) as $t;
                    out[o + 4] = (x & y == y) as $t;
                    out[o + 5] = x.rem_euclid(y);
                }
            }

            const EDGES: [$t; 11] =
                [0, 1, 2, 3, 7, 31, 100, <$t>::MAX, <$t>::MAX - 1, <$t>::MIN, <$t>::MIN + 1];

            fn compare<const N: usize>(
                device: &Device,
                (a, b): (Vec<$t>, Vec<$t>),
                what: &str,
                launch: impl Fn(&Buffer<$t>, &Buffer<$t>, &mut Buffer<$t>) -> warpsmith::Result<()>,
                host: impl Fn($t, $t) -> [$t; N],
            ) {
                let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
                let mut out = device.upload(&vec![42 as $t; a.len() * N]).expect("memory");
                launch(&da, &db, &mut out).expect("the kernel runs");
                let out = device.download(&out).expect("memory");
                for (i, got) in out.chunks(N).enumerate() {
                    let want = host(a[i], b[i]);
                    for op in 0..N {
                        assert_eq!(
                            got[op],
                            want[op],
                            "{what} {op} of {} and {} on {}",
                            a[i],
                            b[i],
                            device.name()
                        );
                    }
                }
            }

            #[test]
            fn operators_and_methods_agree_with_rust() {
                for device in devices() {
                    let n = EDGES.len() * EDGES.len();
                    compare(
                        &device,
                        pairs(&EDGES),
                        "total",
                        |a, b, out| total(a, b, out).over(n).launch(&device),
                        total_on_host,
                    );
                    if !device.is_simulator() {
                        compare(
                            &device,
                            pairs(&EDGES),
                            "plain",
                            |a, b, out| plain(a, b, out).over(n).launch(&device),
                            plain_on_host,
                        );
                    }
                    let whole = |x: &$t, y: &$t| x.checked_div(*y).is_some();
                    let divisible: (Vec<$t>, Vec<$t>) = {
                        let (a, b) = pairs(&EDGES);
                        a.into_iter().zip(b).filter(|(x, y)| whole(x, y)).unzip()
                    };
                    compare(
                        &device,
                        divisible,
                        "quotients",
                        |a, b, out| quotients(a, b, out).over(n).launch(&device),
                        |x, y| {
                            [x / y, x % y, (x < y) as $t, (x >= y) as $t, (x & y == y) as $t, x.rem_euclid(y)]
                        },
                    );
                }
            }
        }
    };
}

integer_operators!(i8_operators, i8);
integer_operators!(i16_operators, i16);
integer_operators!(i32_operators, i32);
integer_operators!(i64_operators, i64);
integer_operators!(u8_operators, u8);
integer_operators!(u16_operators, u16);
integer_operators!(u32_operators, u32);
integer_operators!(u64_operators, u64);

macro_rules! float_casts {
    ($module:ident, $f:ty, $edges:expr) => {
        mod $module {
            use super::*;

            /// Casts saturate and turn NaN into zero; the results as bits in 64-bit words.
            #[gpu_kernel]
            fn casts(x: &[$f], out: &mut [i64]) {
                let i = global_id();
                if i < x.len() {
                    let v = x[i];
                    let o = i * 10;
                    out[o] = v as i8 as i64;
                    out[o + 1] = v as i16 as i64;
                    out[o + 2] = v as i32 as i64;
                    out[o + 3] = v as i64;
                    out[o + 4] = v as u8 as i64;
                    out[o + 5] = v as u16 as i64;
                    out[o + 6] = v as u32 as i64;
                    out[o + 7] = v as u64 as i64;
                    out[o + 8] = (v as f64).to_bits() as i64;
                    out[o + 9] = (v as f32).to_bits() as i64;
                }
            }

            /// Exactly rounded methods: bit for bit.
            #[gpu_kernel(fmad = false)]
            fn exact(x: &[$f], y: &[$f], out: &mut [$f]) {
                let i = global_id();
                if i < x.len() && i < y.len() {
                    let (a, b) = (x[i], y[i]);
                    let o = i * 19;
                    out[o] = a + b;
                    out[o + 1] = a - b;
                    out[o + 2] = a * b;
                    out[o + 3] = a / b;
                    out[o + 4] = a % b;
                    out[o + 5] = a * b + a;
                    out[o + 6] = a.mul_add(b, a);
                    out[o + 7] = a.abs().sqrt();
                    out[o + 8] = a.floor();
                    out[o + 9] = a.ceil();
                    out[o + 10] = a.round();
                    out[o + 11] = a.trunc();
                    out[o + 12] = a.round_ties_even();
                    out[o + 13] = a.min(b);
                    out[o + 14] = a.max(b);
                    out[o + 15] = a.copysign(b);
                    out[o + 16] = a.signum();
                    out[o + 17] = a.powi(3);
                    out[o + 18] = -a;
                }
            }

            fn exact_on_host(a: $f, b: $f) -> [$f; 19] {
                [
                    a + b,
                    a - b,
                    a * b,
                    a / b,
                    a % b,
                    a * b + a,
                    a.mul_add(b, a),
                    a.abs().sqrt(),
                    a.floor(),
                    a.ceil(),
                    a.round(),
                    a.trunc(),
                    a.round_ties_even(),
                    a.min(b),
                    a.max(b),
                    a.copysign(b),
                    a.signum(),
                    a.powi(3),
                    -a,
                ]
            }

            #[test]
            fn casts_and_exact_methods_agree_with_rust() {
                let edges: Vec<$f> = $edges;
                for device in devices() {
                    let x = device.upload(&edges).expect("memory");
                    let mut out = device.upload(&vec![-99i64; edges.len() * 10]).expect("memory");
                    casts(&x, &mut out).over(edges.len()).launch(&device).expect("the kernel runs");
                    let out = device.download(&out).expect("memory");
                    for (v, got) in edges.iter().zip(out.chunks(10)) {
                        let mut want = [
                            *v as i8 as i64,
                            *v as i16 as i64,
                            *v as i32 as i64,
                            *v as i64,
                            *v as u8 as i64,
                            *v as u16 as i64,
                            *v as u32 as i64,
                            *v as u64 as i64,
                            (*v as f64).to_bits() as i64,
                            (*v as f32).to_bits() as i64,
                        ];
                        let mut got: [i64; 10] = got.try_into().expect("ten results");
                        if v.is_nan() {
                            // Rust leaves the bits of a NaN open.
                            (want[8], want[9], got[8], got[9]) = (0, 0, 0, 0);
                        }
                        assert_eq!(got, want, "casts of {v:?} on {}", device.name());
                    }
                    let (a, b) = pairs(&edges);
                    let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
                    let mut out = device.upload(&vec![42.0 as $f; a.len() * 19]).expect("memory");
                    exact(&da, &db, &mut out).over(a.len()).launch(&device).expect("the kernel runs");
                    let out = device.download(&out).expect("memory");
                    for (i, got) in out.chunks(19).enumerate() {
                        for (op, (got, want)) in got.iter().zip(exact_on_host(a[i], b[i])).enumerate() {
                            // `min` and `max` of zeros of both signs may give either.
                            let zeros = (13..=14).contains(&op) && *got == 0.0 && want == 0.0;
                            let same =
                                got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()) || zeros;
                            assert!(
                                same,
                                "operation {op} of {:?} and {:?} is {got:?} instead of {want:?} on {}",
                                a[i],
                                b[i],
                                device.name()
                            );
                        }
                    }
                }
            }
        }
    };
}

float_casts!(
    f32_operators,
    f32,
    vec![
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        1.5,
        2.5,
        -2.5,
        127.9,
        255.5,
        -129.0,
        65536.0,
        2147483648.0,
        -2147483904.0,
        4294967296.0,
        9.3e18,
        1.9e19,
        1e-40,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        3.3333333
    ]
);
float_casts!(
    f64_operators,
    f64,
    vec![
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        1.5,
        2.5,
        -2.5,
        127.9,
        255.5,
        -129.0,
        65536.0,
        2147483647.5,
        -2147483649.0,
        4294967296.0,
        9.3e18,
        1.9e19,
        1e-310,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        std::f64::consts::PI
    ]
);

#[allow(clippy::never_loop, reason = "a loop that gives a value")]
/// Loops at the ends of their types, with every direction and step.
#[gpu_kernel]
fn loop_edges(out: &mut [u32]) {
    let mut count = 0u32;
    for i in 250..=255u8 {
        count += i as u32;
    }
    out[0] = count;
    count = 0;
    for i in (0..5u32).rev() {
        count = count * 10 + i;
    }
    out[1] = count;
    count = 0;
    for i in (0..250u8).step_by(100) {
        count = count * 1000 + i as u32;
    }
    out[2] = count;
    count = 0;
    for _ in (-3..=3i32).rev() {
        count += 1;
    }
    out[3] = count;
    let found = 'rows: loop {
        for row in 0..10u32 {
            let mut col = 0;
            while col < 10 {
                if row * col == 42 {
                    break 'rows row * 100 + col;
                }
                if row == 3 {
                    break;
                }
                col += 1;
            }
        }
        break 0;
    };
    out[4] = found;
    count = 0;
    'outer: for i in 0..6u32 {
        for j in 0..6u32 {
            if j == i {
                continue 'outer;
            }
            count += j;
        }
    }
    out[5] = count;
    out[6] = match out[5] {
        0 => 1,
        n @ 1..=9 => n,
        n if n % 2 == 0 => n / 2,
        _ => 99,
    };
    let end = out.len() as u32;
    count = 0;
    for mut i in 0..end {
        i *= 2;
        count += i;
    }
    out[7] = count;
}

#[test]
fn loops_and_matches_agree_with_rust() {
    for device in devices() {
        let mut out = device.upload(&[77u32; 8]).expect("memory");
        loop_edges(&mut out).grid(1).block(1).launch(&device).expect("the kernel runs");
        let got = device.download(&out).expect("memory");
        assert_eq!(got, [1515, 43210, 100_200, 7, 607, 20, 10, 56], "on {}", device.name());
    }
}
