//! Parts of slices, what is asked of slices, `..` in patterns, and functions by name, beside plain Rust.

// A closure is lent as libraries ask for it.
#![allow(clippy::needless_borrows_for_generic_args)]

use warpsmith::prelude::*;

use harness::everywhere;

use super::plain::{CASES, Plain, check};

/// A number in a struct.
#[derive(Clone, Copy, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
struct Word(u64);

#[gpu_impl]
impl Word {
    fn half(v: u64) -> Word {
        Word(v / 2)
    }

    fn get(self) -> u64 {
        self.0
    }
}

#[gpu_impl]
impl From<u64> for Word {
    fn from(v: u64) -> Word {
        Word(v ^ 1)
    }
}

plain! { parts(i, x):
    chunks_of_a_length_that_is_known_late {
        let n = x[i] as usize % 7 + 1;
        let mut h = x.len() as u64;
        for (k, c) in x[i..].chunks(n).enumerate() {
            h = h.wrapping_mul(31) ^ c[0] ^ (c.len() * k) as u64;
        }
        for c in x[i..].chunks_exact(n).rev().skip(1) {
            h = h.wrapping_mul(31) ^ c[n - 1] ^ c.iter().fold(0, |a, b| a ^ b);
        }
        h ^ x[i..].windows(n).filter(|w| w[0] > w[n - 1]).count() as u64
    }
    parts_longer_than_the_slice {
        let part = &x[i..i + 4];
        let n = x[i] as usize % 3 + 3;
        let h = part.windows(n).count() + 10 * part.chunks_exact(n).count() + 100 * part.chunks(n).count();
        (h + 1000 * part[..0].chunks(n).count() + 10000 * part[..0].windows(n).count()) as u64
    }
    parts_to_be_written {
        let mut v = [x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4]];
        for (k, c) in v.chunks_mut(2).enumerate() {
            c[0] ^= k as u64 + 1;
            c.reverse();
        }
        for c in v[1..].chunks_exact_mut(3) {
            c.swap(0, 2);
        }
        for (c, w) in v.chunks_mut(1).zip(x.windows(2)) {
            c[0] = c[0].wrapping_mul(w[1] | 1);
        }
        v.iter().fold(0, |h, v| h.wrapping_mul(31) ^ v)
    }
    the_slice_and_the_length_are_those_of_the_start {
        let (mut s, mut n) = (&x[i..i + 8], 3usize);
        let mut h = 0u64;
        for c in s.chunks(n) {
            s = &x[..2];
            n = 1;
            h = h.wrapping_mul(31) ^ c[c.len() - 1];
        }
        h ^ (s.len() + n) as u64
    }
    parts_of_arrays {
        let v = [[x[i], 2u64], [x[i + 1], 4], [5, 6]];
        let pairs = v.windows(2).map(|w| w[0][0] ^ w[1][1]).fold(0, |a, b| a ^ b);
        let last = v.chunks(2).map(|c| c[c.len() - 1][0]).fold(0u64, |a, b| a.rotate_left(3) ^ b);
        pairs ^ last
    }
    slices_are_compared {
        let (a, b) = (&x[i..i + 2], [x[i + 2], x[i]]);
        let same = (x[i..i + 2] == b) as u64 + (a == &x[i + 1..i + 3]) as u64 * 2 + (b[1..] != x[i..=i]) as u64 * 4;
        let longer = (x[i..i + 2] == x[i..i + 3]) as u64 + (a != &x[i..i + 2]) as u64 * 2;
        same + longer * 8 + (x[..0] == a[2..]) as u64 * 64
    }
    slices_are_searched {
        let key = x[(i * 7) % 60];
        let words = [Word(x[i]), Word(3)];
        let found = x[i..i + 5].contains(&key) as u64 + words.contains(&Word(3)) as u64 * 2;
        let begins = x[i..].starts_with(&x[i..i + 2]) as u64 + x[i..].starts_with(&[key]) as u64 * 2;
        let ends = x.ends_with(&x[70..]) as u64 + x[..i].ends_with(&[key, 1]) as u64 * 2;
        let none = f64::from_bits(x[i]);
        found + begins * 4 + ends * 16 + [none].contains(&none) as u64 * 64 + b"key".ends_with(b"ey") as u64 * 128
    }
    slices_are_split_at_their_ends {
        let mut rest = &x[i..];
        let mut h = 0u64;
        while let Some((first, behind)) = rest.split_first() {
            h = h.wrapping_mul(31) ^ first;
            rest = behind;
            let Some((last, before)) = rest.split_last() else { break };
            h = h.wrapping_mul(37) ^ last;
            rest = before;
        }
        h ^ x[..0].split_last().is_none() as u64
    }
}

plain! { rests(i, x):
    rest_of_a_tuple {
        let t = (x[i], 2u8, x[i + 1] as i32, x[i + 2]);
        let (a, .., b) = t;
        let (.., c, _) = t;
        let f = |(p, .., q): (u64, u64, u64)| p ^ q << 1;
        a ^ b << 2 ^ (c as u64) << 3 ^ f((1, a, b))
    }
    rest_of_a_variant {
        let mut o = Some((x[i] % 4, (x[i + 1], 4u64, x[i + 2])));
        if let Some((.., (.., z))) = &mut o {
            *z ^= 7;
        }
        match o {
            Some((3, ..)) => 5,
            Some((.., (1 | 2, ..))) => 6,
            Some((k, (.., z))) => k ^ z,
            None => 7,
        }
    }
    rest_of_a_target {
        let (mut a, mut b) = (0u64, 0u64);
        (a, .., b) = (x[i] ^ a, 0u8, x[i + 1], x[i + 2] ^ b);
        let mut v = [a, b, 3, 4];
        [v[2], .., v[0]] = v;
        ([.., a, _], .., b) = (v, 9u8, v[0]);
        v.iter().fold(a ^ b, |h, v| h.wrapping_mul(31) ^ v)
    }
    values_that_go_on_behind_a_block {
        let g = |(a, b): (u64, u64)| match a { 0 => 1, 1 => 2, _ => 3 } * (b % 100);
        let k = |v: i64| if v > 0 { 5 } else { 6 } - v % 100;
        let guarded = match x[i] {
            n if { n > 30 } || n == 2 => 5,
            n if { n < 9 } && { x[i + 1] == 1 } => 6,
            _ => 7,
        };
        let sum = x[i..i + 3].iter().map(|v| if *v > 3 { 1 } else { 2 } + v % 50).sum::<u64>();
        g((x[i], x[i + 1])) ^ (k(x[i] as i64) as u64) << 1 ^ guarded << 8 ^ sum << 16
    }
    questions_in_closures {
        let small = |k: usize| -> Option<u64> {
            let a = x.get(k)?;
            let b = x.get(k + 1).filter(|b| **b % 3 != 0)?;
            Some(a ^ b)
        };
        let halved = |k: usize| -> Result<u64, u64> {
            let v = x.get(k).ok_or(k as u64)?;
            if v % 2 == 0 { Ok(v / 2) } else { Err(*v) }
        };
        let both = match (halved(i), halved(i + 20)) { (Ok(a), Err(b)) | (Err(a), Ok(b)) => a ^ b, _ => 3 };
        small(i).unwrap_or(1) ^ small(i + 30).unwrap_or(77) << 1 ^ both << 2
    }
    functions_by_name {
        let word = x.get(i + 9).copied().map(Word::from).map_or(7, Word::get);
        let more = x.get(i).copied().map(Word).filter(|w| w.0 > 3).map(Word::get).map(Word::half).map_or(8, |w| w.0);
        let r: Result<u64, u32> = if x[i] % 2 == 0 { Ok(4) } else { Err(x[i] as u32) };
        let wide = match r.map_err(u64::from) { Ok(v) => v, Err(e) => e ^ 1 };
        word ^ more << 1 ^ wide << 2 ^ [x[i], 3].map(Word::half)[0].0 ^ r.ok().and_then(u64::checked_next_power_of_two).unwrap_or(0)
    }
    left_by_a_filter {
        let mut asked = 0u64;
        let taken = x[i..].iter().filter(|v| { asked += 1; **v % 3 == 1 }).take(2).fold(0, |a, b| a ^ b);
        let mut h = taken ^ asked << 32;
        for (k, v) in x[i..].iter().filter(|v| **v > 20).enumerate().skip(1) {
            h = h.wrapping_mul(31) ^ v ^ k as u64;
        }
        let mut made = 0u64;
        let skipped = x[..i].iter().map(|v| { made += 1; v ^ 1 }).skip(2).take_while(|v| *v != 8).fold(0, |a, b| a ^ b);
        let none = x[..i].iter().skip_while(|v| **v > 2).take(0).count() as u64;
        h ^ skipped << 1 ^ made << 40 ^ none ^ x[i..].iter().filter_map(|v| v.checked_sub(9)).take(3).map(|v| v | 1).max().unwrap_or(5)
    }
}

#[test]
fn parts_of_slices_are_rusts() {
    check::<parts::cases>();
}

#[test]
fn rests_questions_and_functions_by_name_are_rusts() {
    check::<rests::cases>();
}

/// Takes a closure by reference, as libraries do.
#[gpu_fn]
fn lent(f: &impl Fn(u64) -> u64, v: u64) -> u64 {
    f(v) + lent_further(f, v) + lent_further(&f, 1)
}

#[gpu_fn]
fn lent_further(f: &dyn Fn(u64) -> u64, v: u64) -> u64 {
    f(f(v))
}

/// Where a reader is.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Cursor<'a> {
    data: View<'a, u64>,
    at: usize,
}

#[gpu_impl]
impl<'a> Cursor<'a> {
    fn new(data: &'a [u64]) -> Cursor<'a> {
        Cursor { data: View::new(data), at: 0 }
    }

    fn next(&mut self) -> Option<u64> {
        let v = *self.data.get(self.at)?;
        self.at += 1;
        Some(v)
    }
}

#[gpu_kernel]
fn lent_closures_and_views(x: &[u64], out: &mut [u64]) {
    let m = x[3];
    let add = |v: u64| v + m;
    out[0] = lent(&add, 2);
    out[1] = lent(&|v| v * m, 3);
    let mut cursor = Cursor::new(&x[3..7]);
    while let Some(v) = cursor.next() {
        out[2] = out[2] * 10 + v;
    }
    let mut rest = ViewMut::new(&mut out[3..]);
    rest[1] = cursor.at as u64;
}

#[test]
fn closures_are_lent_and_views_are_made_of_slices() {
    super::everywhere::<lent_closures_and_views>(&(), |device| {
        let x = device.upload(&(0..16).collect::<Vec<u64>>()).expect("memory");
        let out = super::written(device, (5, 0), |out| {
            lent_closures_and_views(&x, out).grid(1).block(1).launch(device)
        });
        assert_eq!(out, [5 + 8 + 7, 9 + 27 + 9, 3456, 0, 4], "on {}", device.name());
    });
}

#[gpu_kernel]
fn parts_of_nothing(x: &[u64], out: &mut [u64], n: u32) {
    for c in x.chunks(n) {
        out[0] += c[0];
    }
}

#[test]
fn parts_of_no_elements_are_a_fault() {
    let device = Device::simulator();
    let x = device.upload(&[1u64, 2, 3]).expect("memory");
    let mut out = device.upload(&[0u64]).expect("memory");
    parts_of_nothing(&x, &mut out, 2).grid(1).block(1).launch(&device).expect("no fault");
    assert_eq!(device.download(&out).expect("memory"), [4]);
    let fault = parts_of_nothing(&x, &mut out, 0).grid(1).block(1).launch(&device).expect_err("a fault");
    assert!(fault.to_string().contains("a part of a slice has at least one element"), "{fault}");
}

/// Parts through a last index of a narrow type, of a signed one, and of the widest.
#[gpu_kernel]
fn through(x: &[u32], narrow: &[u8], signed: &[i32], wide: &[u64], out: &mut [usize]) {
    let i = global_id();
    let own = 0..=narrow[i];
    out[i] = x[0..=narrow[i]].len() + x[own].len();
    out[i] += x[..=signed[i]].len() + x[..=wide[i]].len();
}

#[test]
fn parts_through_the_last_number_of_a_type_do_not_wrap() {
    everywhere::<through>(&(), |device| {
        let run = |narrow: u8, signed: i32, wide: u64| {
            let x = device.upload(&[1u32; 300]).expect("memory");
            let narrow = device.upload(&[narrow]).expect("memory");
            let (signed, wide) =
                (device.upload(&[signed]).expect("memory"), device.upload(&[wide]).expect("memory"));
            let mut out = device.upload(&[0usize]).expect("memory");
            let launch = through(&x, &narrow, &signed, &wide, &mut out).grid(1).block(1);
            launch.launch(device).and_then(|()| device.download(&out)).map_err(|e| e.to_string())
        };
        assert_eq!(run(255, 299, 9), Ok(vec![256 + 256 + 300 + 10]), "on {}", device.name());
        for (signed, wide) in [(-1, 0), (0, u64::MAX), (300, 0), (0, 300), (-2, 0), (i32::MAX, 0)] {
            let error = run(0, signed, wide).expect_err("there is no such part");
            let is_told = error.contains(&format!("{}:", file!())) && !error.contains("differently");
            assert!(is_told, "{error} on {}", device.name());
        }
    });
}

/// A part through an index that is known to be below the length, and one that is not.
#[gpu_kernel]
fn through_guarded(x: &[u32], out: &mut [usize]) {
    let i = global_id();
    if i < out.len() && i < x.len() {
        out[i] = x[..=i].len();
    }
}

#[gpu_kernel]
fn through_anything(x: &[u32], last: usize, out: &mut [usize]) {
    out[0] = x[..=last].len();
}

#[test]
fn parts_through_guarded_indices_have_no_check() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 8]).expect("memory");
    let mut out = device.upload(&[0usize; 8]).expect("memory");
    let cuda = through_guarded(&x, &mut out).over(8).cuda_source().expect("it is valid");
    assert!(!cuda.contains("ws_fail") && !cuda.contains("ws_part"), "{cuda}");
    // The launch knows the last index.
    for (last, is_within) in [(7, true), (8, false), (usize::MAX, false)] {
        let cuda = through_anything(&x, last, &mut out).grid(1).block(1).cuda_source().expect("it is valid");
        assert_eq!(!cuda.contains("ws_fail") && !cuda.contains("ws_part"), is_within, "{last}: {cuda}");
    }
}
