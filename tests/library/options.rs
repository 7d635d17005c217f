//! Methods of `Option` and `Result`, and arithmetic that may have no result.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_fn]
fn half(x: i32) -> Option<i32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

#[gpu_fn]
fn root(x: f32) -> Result<f32, i32> {
    if x < 0.0 { Err(x as i32) } else { Ok(x.sqrt()) }
}

#[gpu_kernel]
fn chosen(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    let h = half(v);
    let factor = 3;
    let mut answers = [0; 14];
    answers[0] = h.is_some() as i32 + 2 * h.is_none() as i32;
    answers[1] = h.unwrap_or(-1);
    answers[2] = h.map(|h| h * factor).unwrap_or(-2);
    answers[3] = h.and_then(|h| half(h)).unwrap_or(-3);
    answers[4] = h.map_or(7, |h| h - factor);
    answers[5] = h.is_some_and(|h| h > 1) as i32;
    answers[6] = h.filter(|h| *h > 2).or(Some(99)).unwrap();
    answers[7] = h.unwrap_or_default();
    answers[8] = h.unwrap_or_else(|| v * 10);
    answers[9] = h.ok_or(-v).unwrap_or(5);
    let r = root(v as f32);
    answers[10] = r.is_ok() as i32 + 2 * r.is_err() as i32;
    answers[11] = r.map(|r| (r * 100.0) as i32).unwrap_or(-11);
    answers[12] = r.err().unwrap_or(0);
    answers[13] = r.ok().map_or(-1, |r| r as i32);
    if let Some(h) = half(v) {
        answers[0] += 10 * Some(h).expect("there is one");
    }
    for k in 0..answers.len() {
        out[i * 14 + k] = answers[k];
    }
}

fn expected(v: i32) -> [i32; 14] {
    let half = |x: i32| (x % 2 == 0).then_some(x / 2);
    let h = half(v);
    let r = if v < 0 { Err(v) } else { Ok((v as f32).sqrt()) };
    [
        h.is_some() as i32 + 2 * h.is_none() as i32 + h.map_or(0, |h| 10 * h),
        h.unwrap_or(-1),
        h.map_or(-2, |h| h * 3),
        h.and_then(half).unwrap_or(-3),
        h.map_or(7, |h| h - 3),
        h.is_some_and(|h| h > 1) as i32,
        h.filter(|h| *h > 2).or(Some(99)).unwrap(),
        h.unwrap_or_default(),
        h.unwrap_or(v * 10),
        h.ok_or(-v).unwrap_or(5),
        r.is_ok() as i32 + 2 * r.is_err() as i32,
        r.map(|r| (r * 100.0) as i32).unwrap_or(-11),
        r.err().unwrap_or(0),
        r.ok().map_or(-1, |r| r as i32),
    ]
}

#[test]
fn methods_of_option_and_result_choose_as_in_rust() {
    let x: Vec<i32> = (-9..24).collect();
    everywhere::<chosen>(&(), |device| {
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (x.len() * 14, -77), |out| chosen(&input, out).over(x.len()).launch(device));
        for (v, got) in x.iter().zip(out.chunks(14)) {
            assert_eq!(got, expected(*v), "of {v} on {}", device.name());
        }
    });
}

/// Line of the first `unwrap` in `must_be`.
const UNWRAP: u32 = line!() + 5;

#[gpu_kernel]
fn must_be(x: &[i32], out: &mut [i32], named: u32) {
    let i = global_id();
    let v = half(x[i]).unwrap();
    out[i] = if named == 1 { half(v).expect("a multiple of four") } else { v };
}

#[test]
fn a_missing_value_is_a_fault_at_the_line_that_wants_it() {
    everywhere::<must_be>(&(), |device| {
        for (x, named, line, words) in [
            (3, 0, UNWRAP, "called `Option::unwrap()` on a `None` value"),
            (6, 1, UNWRAP + 1, "a multiple of four"),
        ] {
            let input = device.upload(&[x]).expect("memory");
            let mut out = device.upload(&[0]).expect("memory");
            let launch = must_be(&input, &mut out, named).grid(1).block(1);
            let fault = launch.launch(device).and_then(|()| device.synchronize()).expect_err("there is none");
            let text = fault.to_string();
            assert!(text.contains(&format!("options.rs:{line}")) && text.contains(words), "{text}");
        }
    });
}

macro_rules! checked {
    ($name:ident $test:ident $t:ty) => {
        #[gpu_kernel]
        fn $name(x: &[$t], y: &[$t], out: &mut [i64]) {
            let i = global_id();
            if i >= x.len() {
                return;
            }
            let (a, b) = (x[i], y[i]);
            let n = b as u32 & 127;
            let mut answers = [None; 9];
            answers[0] = a.checked_add(b);
            answers[1] = a.checked_sub(b);
            answers[2] = a.checked_mul(b);
            answers[3] = a.checked_div(b);
            answers[4] = a.checked_rem(b);
            answers[5] = a.checked_neg();
            answers[6] = a.checked_shl(n);
            answers[7] = a.checked_shr(n);
            answers[8] = a.checked_pow(n & 7);
            for k in 0..9usize {
                out[i * 9 + k] = match answers[k] {
                    Some(v) => v as i64 ^ 1,
                    None => -123_456,
                };
            }
        }

        #[test]
        fn $test() {
            let edges = [
                <$t>::MIN,
                <$t>::MAX,
                0,
                1,
                2,
                7,
                31,
                32,
                64,
                <$t>::MIN + 1,
                <$t>::MAX / 2,
                (0 as $t).wrapping_sub(1),
            ];
            let pairs: Vec<($t, $t)> = edges.iter().flat_map(|a| edges.map(|b| (*a, b))).collect();
            let (x, y): (Vec<$t>, Vec<$t>) = pairs.iter().copied().unzip();
            everywhere::<$name>(&(), |device| {
                let (a, b) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
                let out =
                    written(device, (x.len() * 9, 0), |out| $name(&a, &b, out).over(x.len()).launch(device));
                for ((a, b), got) in pairs.iter().zip(out.chunks(9)) {
                    let n = *b as u32 & 127;
                    let want = [
                        a.checked_add(*b),
                        a.checked_sub(*b),
                        a.checked_mul(*b),
                        a.checked_div(*b),
                        a.checked_rem(*b),
                        a.checked_neg(),
                        a.checked_shl(n),
                        a.checked_shr(n),
                        a.checked_pow(n & 7),
                    ];
                    assert_eq!(
                        got,
                        want.map(|v| v.map_or(-123_456, |v| v as i64 ^ 1)),
                        "of {a} and {b} on {}",
                        device.name()
                    );
                }
            });
        }
    };
}

checked! { checked_i8 i8_arithmetic_knows_when_it_has_no_result i8 }
checked! { checked_u16 u16_arithmetic_knows_when_it_has_no_result u16 }
checked! { checked_i32 i32_arithmetic_knows_when_it_has_no_result i32 }
checked! { checked_u64 u64_arithmetic_knows_when_it_has_no_result u64 }
checked! { checked_i64 i64_arithmetic_knows_when_it_has_no_result i64 }

const THREADS: u32 = 64;

/// The shape of a product's tile.
struct Shape<const N: usize>;

impl<const N: usize> Shape<N> {
    const BLOCKS: usize = N / 8;
}

#[gpu_kernel(launch_bounds(THREADS * 2, 1))]
fn bounded_by_a_constant(y: &mut [u32]) {
    y[thread_idx().x] = 1;
}

#[gpu_kernel(max_registers(THREADS / 2))]
fn few_registers(y: &mut [u32]) {
    y[0] = 1;
}

#[allow(redundant_semicolons)]
#[gpu_kernel(launch_bounds(BM / TM, { Shape::<BM>::BLOCKS - 14 }), cluster(TM / 2))]
fn bounded_by_generics<const BM: usize, const TM: usize>(y: &mut [u32]) {
    y[0] = 1;
}

#[test]
fn numbers_of_an_attribute_are_constants_and_const_generics() {
    harness::compiles::<bounded_by_a_constant>(&());
    harness::compiles::<bounded_by_generics<128, 4>>(&());
    harness::compiles::<few_registers>(&());
    let text = few_registers::cuda_source().expect("a kernel").to_string();
    assert!(text.contains("__maxnreg__(32)"), "{text}");
    let text = bounded_by_a_constant::cuda_source().expect("a kernel").to_string();
    assert!(text.contains("__launch_bounds__(128, 1)"), "{text}");
    let text = bounded_by_generics::<128, 4>::cuda_source().expect("a kernel").to_string();
    assert!(
        text.contains("__launch_bounds__(32, 2)") && text.contains("__cluster_dims__(2, 1, 1)"),
        "{text}"
    );
    let device = warpsmith::Device::simulator();
    let mut y = device.upload(&[0u32; 256]).expect("memory");
    bounded_by_a_constant(&mut y).grid(1).block(128).launch(&device).expect("128 threads are allowed");
    let refused = bounded_by_a_constant(&mut y).grid(1).block(129).launch(&device);
    assert!(refused.is_err_and(|e| e.to_string().contains("128")));
}

#[gpu_kernel]
fn halved(y: &mut [u32]) {
    let mut v = y[thread_idx().x];
    let mut o = 16;
    #[unroll]
    while o > 0 {
        v += o;
        o >>= 1;
    }
    let mut rest = Some(v);
    #[unroll(2)]
    while let Some(r) = rest {
        rest = if r > 100 { Some(r - 50) } else { None };
        v += 1;
    }
    #[unroll(4)]
    'out: loop {
        v += 3;
        #[unroll]
        loop {
            v += 1;
            if v % 5 == 0 {
                break 'out;
            }
            if v % 3 == 0 {
                break;
            }
        }
    }
    y[thread_idx().x] = v
}

fn halved_on_host(mut v: u32) -> u32 {
    v += 31;
    let mut r = v;
    loop {
        v += 1;
        if r <= 100 {
            break;
        }
        r -= 50;
    }
    'out: loop {
        v += 3;
        loop {
            v += 1;
            if v % 5 == 0 {
                break 'out;
            }
            if v % 3 == 0 {
                break;
            }
        }
    }
    v
}

#[test]
fn every_kind_of_loop_is_unrolled() {
    super::everywhere::<halved>(&(), |device| {
        let x: Vec<u32> = (0..32).map(|i| i * 17).collect();
        let mut y = device.upload(&x).expect("memory");
        halved(&mut y).grid(1).block(32).launch(device).expect("a launch");
        let want: Vec<u32> = x.iter().map(|v| halved_on_host(*v)).collect();
        assert_eq!(device.download(&y).expect("memory"), want);
    });
    let text = halved::cuda_source().expect("a kernel").to_string();
    for wanted in [
        "#pragma unroll\n    while (o > 0u)",
        "#pragma unroll 2\n    for (;;)",
        "#pragma unroll 4\n    for (;;)",
        "#pragma unroll\n        for (;;)",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing:\n{text}");
    }
}

#[gpu_fn]
fn even_half(x: u32) -> Option<u32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

#[gpu_fn]
fn halved_thrice(x: u32, steps: &mut u32) -> Option<u32> {
    *steps += 1;
    let quarter = even_half(even_half(x)?)? + {
        *steps += 10;
        0
    };
    let all = [quarter, even_half(quarter)?];
    *steps += 100;
    Some(all[1] + all[0] * 100)
}

#[gpu_fn]
fn checked(x: u32) -> Result<u32, u8> {
    if x > 20 { Err(x as u8) } else { Ok(x + 1) }
}

#[gpu_fn]
fn checked_twice(x: u32) -> Result<f32, u8> {
    let first = checked(x)? * 2;
    Ok(checked(first)? as f32)
}

#[gpu_kernel]
fn tried(out: &mut [u32]) {
    let t = thread_idx().x;
    out[t + 32] = match checked_twice(t) {
        Ok(value) => value as u32,
        Err(error) => 1000 + error as u32,
    };
    let mut steps = 0;
    let found = halved_thrice(t, &mut steps);
    out[t] = if t == 31 {
        1
    } else if let Some(found) = found {
        found * 1000 + steps
    } else if let (0, Some(half)) = (steps % 10, even_half(t)) {
        half
    } else if let Some(half @ 3..) = even_half(t) {
        half * 1_000_000 + steps
    } else {
        steps
    };
}

#[test]
fn a_question_mark_returns_none() {
    everywhere::<tried>(&(), |device| {
        let out = written(device, (64, 0), |out| tried(out).grid(1).block(32).launch(device));
        for (t, got) in (0..32).zip(&out[32..]) {
            assert_eq!(*got, checked_twice(t).map_or_else(|error| 1000 + u32::from(error), |v| v as u32));
        }
        for (t, got) in (0..32).zip(out) {
            let mut steps = 0;
            let want = match halved_thrice(t, &mut steps) {
                _ if t == 31 => 1,
                Some(found) => found * 1000 + steps,
                None if t % 2 == 0 && t / 2 >= 3 => t / 2 * 1_000_000 + steps,
                None => steps,
            };
            assert_eq!(got, want, "thread {t} on {}", device.name());
        }
    });
}

#[derive(Clone, Copy, GpuType)]
enum Figure {
    Circle(u32),
    Empty,
}

#[gpu_impl]
impl Figure {
    fn size(&self) -> u32 {
        match self {
            Figure::Circle(radius) => *radius,
            Figure::Empty => 0,
        }
    }
}

#[gpu_fn]
fn positive(x: u32) -> Result<u32, i16> {
    if x == 0 { Err(-3) } else { Ok(x) }
}

#[gpu_kernel]
fn combined(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    out[i * 6] = positive(x[i]).unwrap_or_default();
    out[i * 6 + 1] = positive(x[i]).map_or_else(|error| error as u32, |value| value + 1);
    out[i * 6 + 2] = positive(x[i]).or(positive(x[i] + 8)).unwrap_or(1);
    out[i * 6 + 3] =
        positive(x[i]).or_else(|error| if error < 0 { Ok::<u32, u8>(9) } else { Err(1) }).unwrap_or(2);
    out[i * 6 + 4] = positive(x[i]).and(positive(4)).unwrap_or(70);
    let figures = [Figure::Empty, Figure::Circle(x[i])];
    out[i * 6 + 5] =
        figures.iter().max_by_key(|figure| figure.size()).copied().unwrap_or(Figure::Empty).size();
}

#[test]
fn results_are_combined_and_enums_copied_out_of_options() {
    everywhere::<combined>(&(), |device| {
        let given = device.upload(&[0u32, 6]).expect("memory");
        let out = written(device, (12, 99), |out| combined(&given, out).grid(1).block(2).launch(device));
        let none = [0, -3i16 as u32, 8, 9, 70, 0];
        assert_eq!(out, [none, [6, 7, 6, 6, 4, 6]].concat(), "on {}", device.name());
    });
}
