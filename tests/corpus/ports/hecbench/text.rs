//! HeCBench on text and on the bytes of numbers.

use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("hecbench_word_count", word_count, words_are_counted),
        port!("hecbench_fpc", fpc, doubles_are_compressed),
    ]
}

/// Words of a text, counted by where they start.
#[gpu_kernel]
fn word_count(text: &[u8], words: &mut [u32], longest: &mut [u32]) {
    let i = global_id();
    let is_char = i < text.len() && text[i].is_ascii_alphabetic();
    let is_start = is_char && (i == 0 || !text[i - 1].is_ascii_alphabetic());
    let starts = ballot(is_start);
    if lane_id() == 0 && starts != 0 {
        atomic_add(&mut words[0], starts.count_ones());
    }
    if is_start {
        let mut end = i;
        while let Some(b'a'..=b'z' | b'A'..=b'Z') = (end < text.len()).then(|| text[end]) {
            end += 1;
        }
        atomic_max(&mut longest[0], (end - i) as u32);
    }
}

fn words_are_counted(device: &Device) {
    let text =
        b"It was the best of times, it was the worst of times; it was 1 age of wisdom -- and of FOOLISHNESS";
    let dt = up(device, text);
    let (mut words, mut longest) = (up(device, &[0u32]), up(device, &[0u32]));
    word_count(&dt, &mut words, &mut longest).over(text.len()).block(64).launch(device).unwrap();
    let parts: Vec<&[u8]> = text.split(|c| !c.is_ascii_alphabetic()).filter(|w| !w.is_empty()).collect();
    let max = parts.iter().map(|w| w.len()).max().unwrap();
    assert_eq!((down(device, &words)[0], down(device, &longest)[0]), (parts.len() as u32, max as u32));
}

/// Compressed sizes of doubles by their leading zero bytes, against the previous value (fpc).
#[gpu_kernel]
fn fpc(values: &[f64], codes: &mut [u8], sizes: &mut [u32]) {
    let i = global_id();
    if i >= values.len() {
        return;
    }
    let previous = if i > 0 { values[i - 1].to_bits() } else { 0 };
    let diff = values[i].to_bits() ^ previous;
    let mut zeros = (diff.leading_zeros() / 8) as u8;
    if zeros == 4 {
        zeros = 3;
    }
    let code = if zeros > 3 { zeros - 1 } else { zeros };
    let nibble = code | if values[i].is_sign_negative() { 8 } else { 0 };
    codes[i] = nibble;
    atomic_add(&mut sizes[code as usize & 7], 8 - zeros as u32);
}

fn doubles_are_compressed(device: &Device) {
    let x: Vec<f64> = (0..100).map(|i| if i % 7 == 0 { 1.5 } else { -(i as f64) * 0.1 }).collect();
    let dx = up(device, &x);
    let (mut codes, mut sizes) = (up(device, &[99u8; 100]), up(device, &[0u32; 8]));
    fpc(&dx, &mut codes, &mut sizes).over(100).block(32).launch(device).unwrap();
    let mut want = [0u32; 8];
    for i in 0..100 {
        let diff = (x[i].to_bits() ^ if i > 0 { x[i - 1].to_bits() } else { 0 }).to_be_bytes();
        let zeros = match diff.iter().take_while(|b| **b == 0).count() {
            4 => 3,
            n => n,
        };
        let code = zeros - usize::from(zeros > 3);
        want[code] += 8 - zeros as u32;
        assert_eq!(down(device, &codes)[i], code as u8 | if x[i] < 0.0 { 8 } else { 0 });
    }
    assert_eq!(down(device, &sizes), want);
}
