//! Everyday Rust: `contains`, `then`, derived defaults, bytes, ASCII.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel]
fn contained(x: &[i32], low: i32, out: &mut [u32]) {
    let i = global_id();
    if i >= x.len() || i >= out.len() {
        return;
    }
    let v = x[i];
    let mut bits = 0;
    if (low..10).contains(&v) {
        bits |= 1;
    }
    bits |= ((low..=10).contains(&x[i]) as u32) << 1;
    bits |= ((low + 1..).contains(&(v - 1)) as u32) << 2;
    bits |= ((..low * 2).contains(&v) as u32) << 3;
    bits |= u32::from(!(..=7).contains(&v)) << 4;
    bits |= ((0.5..2.5f32).contains(&(v as f32)) as u32) << 5;
    out[i] = bits;
}

#[test]
fn ranges_contain_numbers() {
    everywhere::<contained>(&(), |device| {
        let x: Vec<i32> = (-3..15).collect();
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (x.len(), 99), |out| contained(&input, 3, out).over(x.len()).launch(device));
        for (v, got) in x.iter().zip(out) {
            let tests = [3 <= *v && *v < 10, 3 <= *v && *v <= 10, *v > 4, *v < 6, *v > 7, *v == 1 || *v == 2];
            let want = tests.iter().enumerate().map(|(k, t)| u32::from(*t) << k).sum::<u32>();
            assert_eq!(got, want, "{v} on {}", device.name());
        }
    });
}

/// The position of a walk, and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[repr(C)]
struct Walk {
    at: [i32; 2],
    far: f32,
    done: bool,
}

#[gpu_kernel]
fn walked(x: &[i32], out: &mut [Walk]) {
    let i = global_id();
    let first = (i < x.len()).then(|| x[i]).or_else(|| (x.len() > 2).then_some(77));
    let mut walk = Walk { far: first.map_or_else(|| -1.0, |v| v as f32), ..Default::default() };
    if first.is_none_or(|v| v > 3) {
        let mut other = Walk::default();
        other.at[1] += 5;
        walk.at = other.at;
    }
    if i < out.len() {
        out[i] = walk;
    }
}

#[test]
fn derived_defaults_and_conditional_values() {
    everywhere::<walked>(&(), |device| {
        let fill = Walk { at: [9; 2], far: 9.0, done: true };
        for x in [vec![2, 8, 4], vec![1]] {
            let input = device.upload(&x).expect("memory");
            let out = written(device, (5, fill), |out| walked(&input, out).over(5).launch(device));
            for (i, got) in out.iter().enumerate() {
                let first = x.get(i).copied().or((x.len() > 2).then_some(77));
                let at = if first.is_none_or(|v| v > 3) { [0, 5] } else { [0, 0] };
                let far = first.map_or(-1.0, |v| v as f32);
                assert_eq!(*got, Walk { at, far, done: false }, "{i} on {}", device.name());
            }
        }
    });
}

#[gpu_kernel]
fn as_bytes(x: &[u64], out: &mut [u8], back: &mut [i64]) {
    let i = global_id();
    if i >= x.len() || i >= back.len() || i * 16 + 16 > out.len() {
        return;
    }
    let v = x[i];
    out[i * 16..][..8].copy_from_slice(&v.to_be_bytes());
    out[i * 16..][8..12].copy_from_slice(&(v as i32).to_le_bytes());
    let whole = v.to_be_bytes();
    out[i * 16..i * 16 + 16][12..].copy_from_slice(&whole[..4]);
    let [a, b] = (v as i16).to_be_bytes();
    back[i] = u64::from_le_bytes(v.to_be_bytes()) as i64 ^ i16::from_be_bytes([a, b]) as i64;
}

#[test]
fn integers_are_bytes() {
    everywhere::<as_bytes>(&(), |device| {
        let x = [0x0123_4567_89ab_cdef_u64, u64::MAX - 5, 1 << 40];
        let input = device.upload(&x).expect("memory");
        let mut back = device.upload(&[0i64; 3]).expect("memory");
        let out = written(device, (48, 99), |out| as_bytes(&input, out, &mut back).over(3).launch(device));
        let want: Vec<u8> = x
            .iter()
            .flat_map(|v| [&v.to_be_bytes()[..], &(*v as i32).to_le_bytes(), &v.to_be_bytes()[..4]].concat())
            .collect();
        assert_eq!(out, want, "on {}", device.name());
        let want = x.map(|v| v.swap_bytes() as i64 ^ i64::from(v as i16));
        assert_eq!(device.download(&back).expect("memory"), want);
    });
}

/// Line of the copy in `copied`.
const COPY: u32 = line!() + 4;

#[gpu_kernel]
fn copied(x: &[u8], out: &mut [u8]) {
    out[1..].copy_from_slice(x);
}

#[test]
fn a_copy_of_another_length_is_a_fault() {
    everywhere::<copied>(&(), |device| {
        let run = |n: usize| {
            let x = device.upload(&vec![7u8; n]).expect("memory");
            let mut out = device.upload(&[0u8; 4]).expect("memory");
            copied(&x, &mut out).grid(1).block(1).launch(device)?;
            device.download(&out)
        };
        assert_eq!(run(3).expect("as many"), [0, 7, 7, 7]);
        let message = run(2).expect_err("one too few").to_string();
        assert!(message.contains("the lengths differ") && message.contains(&format!("{COPY}")), "{message}");
    });
}

#[gpu_kernel]
fn classified(out: &mut [u32]) {
    let i = global_id();
    if i < out.len() {
        // A cast that saturates beside the tests.
        let c = i as f32 as u8;
        let tests = [
            c.is_ascii(),
            c.is_ascii_digit(),
            c.is_ascii_lowercase(),
            c.is_ascii_uppercase(),
            c.is_ascii_alphabetic(),
            c.is_ascii_alphanumeric(),
            c.is_ascii_hexdigit(),
            c.is_ascii_whitespace(),
            c.is_ascii_punctuation(),
            c.is_ascii_control(),
            c.eq_ignore_ascii_case(&b'q'),
        ];
        let mut bits = (c.to_ascii_lowercase() as u32) << 24 | (c.to_ascii_uppercase() as u32) << 16;
        for (k, test) in tests.iter().enumerate() {
            bits |= (*test as u32) << k;
        }
        out[i] = bits;
    }
}

#[test]
fn bytes_are_ascii_characters() {
    everywhere::<classified>(&(), |device| {
        let out = written(device, (256, 0), |out| classified(out).over(256).launch(device));
        let mut on_host = vec![0; 256];
        for (i, bits) in on_host.iter_mut().enumerate() {
            let c = char::from(i as u8);
            let tests = [
                c.is_ascii(),
                c.is_ascii_digit(),
                c.is_ascii_lowercase(),
                c.is_ascii_uppercase(),
                c.is_ascii_alphabetic(),
                c.is_ascii_alphanumeric(),
                c.is_ascii_hexdigit(),
                c.is_ascii_whitespace(),
                c.is_ascii_punctuation(),
                c.is_ascii_control(),
                c == 'q' || c == 'Q',
            ];
            *bits = (c.to_ascii_lowercase() as u32) << 24 | (c.to_ascii_uppercase() as u32) << 16;
            tests.iter().enumerate().for_each(|(k, t)| *bits |= u32::from(*t) << k);
        }
        assert_eq!(out, on_host, "on {}", device.name());
    });
}

/// A counter of steps.
#[gpu_trait]
trait Stepper {
    fn step(&mut self) -> u32;

    fn step_twice(&mut self) -> u32 {
        self.step() * 100 + self.step()
    }
}

#[gpu_impl]
impl Stepper for Walk {
    fn step(&mut self) -> u32 {
        self.at[0] += 1;
        self.at[0] as u32
    }
}

#[gpu_fn]
fn stepped<S: Stepper>(stepper: &mut S) -> u32 {
    stepper.step_twice()
}

#[gpu_kernel]
fn inclusive(n: &[u64], out: &mut [u32]) {
    let mut walk = Walk::default();
    out[0] = stepped(&mut walk);
    let mut sum = 0;
    for i in 0..4u64 {
        for j in 0..=i {
            for k in 0..=n[0] {
                sum += (i * 16 + j * 4 + k) as u32;
            }
        }
    }
    out[1] = sum;
}

#[test]
fn traits_may_change_self_and_inclusive_ranges_end() {
    let source = inclusive::cuda_source().expect("it prints");
    assert!(source.contains("for (unsigned long long j = 0ull; j <= i; ++j)"), "{source}");
    everywhere::<inclusive>(&(), |device| {
        let n = device.upload(&[2u64]).expect("memory");
        let out = written(device, (2, 9), |out| inclusive(&n, out).grid(1).block(1).launch(device));
        let mut sum = 0;
        (0..4).for_each(|i| (0..=i).for_each(|j| (0..3).for_each(|k| sum += i * 16 + j * 4 + k)));
        assert_eq!(out, [102, sum], "on {}", device.name());
    });
}

#[gpu_kernel]
fn signed_arithmetic(n: i32, out: &mut [i32]) {
    let t = thread_idx().x as i32;
    let next = t + 1;
    for i in 0..4 {
        out[(t * 4 + i) as usize] = (i - 3) * next + -t;
    }
    if t == 0 {
        out[31] = n.wrapping_add(next).wrapping_sub(n);
        for i in i32::MAX - 2..=i32::MAX {
            out[30] = i - 1 + (2 - n);
        }
    }
}

#[test]
fn signed_arithmetic_is_plain_where_it_cannot_overflow() {
    let source = signed_arithmetic::cuda_source().expect("it prints");
    for plain in ["int next = t + 1;", "(i - 3) * next + -t;"] {
        assert!(source.contains(plain), "{plain}\n{source}");
    }
    assert!(source.contains("(unsigned int)n"), "{source}");
    everywhere::<signed_arithmetic>(&(), |device| {
        let out =
            written(device, (32, 77), |out| signed_arithmetic(i32::MAX, out).grid(1).block(7).launch(device));
        let mut want: Vec<i32> =
            (0..7).flat_map(|t| (0..4).map(move |i| (i - 3) * (t + 1) - t)).chain([77; 4]).collect();
        want[31] = i32::MAX.wrapping_add(1).wrapping_sub(i32::MAX);
        want[30] = 1;
        assert_eq!(out, want, "on {}", device.name());
    });
}
