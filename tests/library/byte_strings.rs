//! Byte strings where slices are asked for.

use harness::agree;
use warpsmith::prelude::*;

#[gpu_fn]
fn word(w: &[u8]) -> u64 {
    w.iter().fold(w.len() as u64, |sum, b| sum * 31 + *b as u64)
}

#[gpu_fn]
fn is_word(w: &[u8]) -> bool {
    w == b"yes" || w == b"no" || &w[..2] == b"le"
}

#[gpu_fn]
fn name(of: u64) -> &'static [u8] {
    match of % 3 {
        0 => b"none",
        1 => b"one",
        _ => b"several",
    }
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Times(u64);

#[gpu_impl]
impl Times {
    fn first(self, w: &[u8]) -> u64 {
        self.0 * w[0] as u64
    }
}

#[gpu_kernel]
fn arguments(x: &[u64], out: &mut [u64]) {
    out[0] = word(b"true") + word(&[1, x[0] as u8]);
    let w = b"abc";
    out[1] = word(w) + word(&w[1..]);
    let both = |v: &[u8], n: u64| word(v) * n;
    out[2] = both(b"xy", x[3]) + Times(4).first(b"true");
    out[3] = b"abc"[1] as u64 + b"abc".len() as u64 + b"abc".iter().map(|v| *v as u64).sum::<u64>();
}

#[gpu_kernel]
fn values(x: &[u64], out: &mut [u64]) {
    let typed: &[u8] = b"xyz";
    let chosen: &[u8] = if x[1] > 4 { b"more" } else { b"less!" };
    out[0] = word(typed) + word(chosen);
    for i in 0..3usize {
        out[i + 1] = word(name(x[i]));
    }
    let v = [1u8, 0, x[0] as u8];
    out[4] = (&v[..2] == b"\x01\x00") as u64 + 2 * (v[..2] == *b"\x01\x00") as u64;
    out[4] +=
        4 * (&v == b"\x01\x00\x07") as u64 + 8 * (typed != b"xyz") as u64 + 16 * (b"less!" == chosen) as u64;
    out[5] = is_word(b"yes") as u64 + 2 * is_word(b"yesno") as u64 + 4 * is_word(chosen) as u64;
}

agree! { arguments values }
