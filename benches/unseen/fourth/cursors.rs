//! Rings, columns that are filtered down and up, searches, decoders and bands.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "cursors",
    originals: include_str!("cursors.cu"),
    kernels: &[
        Unseen { name: "ring_average", class: "ring in a local array, u32", make: ring_average_trial },
        Unseen {
            name: "recursive_gauss",
            class: "filter down and up a column, i32",
            make: recursive_gauss_trial,
        },
        Unseen { name: "rle_expand", class: "search between two ends, u32", make: rle_expand_trial },
        Unseen { name: "huffman", class: "decoder by bits, tables, u32", make: huffman_trial },
        Unseen { name: "hash_lookup", class: "linear probing, u32", make: hash_lookup_trial },
        Unseen { name: "banded", class: "alignment in a band, u32", make: banded_trial },
    ],
};

/// Averages of the last elements of many series.
#[gpu_kernel]
fn ring_average(x: &[f32], y: &mut [f32], series: u32, n: u32, window: u32) {
    let s = block_idx().x * block_dim().x + thread_idx().x;
    if s >= series {
        return;
    }
    let mut ring = [0.0f32; 32];
    let mut head = 0;
    let mut sum = 0.0;
    for i in 0..n {
        let v = x[i * series + s];
        sum += v - ring[head];
        ring[head] = v;
        head += 1;
        if head == window {
            head = 0;
        }
        y[i * series + s] = sum / window as f32;
    }
}

fn ring_average_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [series, n, window] = ground.pick([50, 40, 20], [32768, 256, 20]);
    // Small numbers, so that all sums are exact.
    let x = ground.each(series * n, |word| (word >> 58) as f32);
    let dx = ground.up(&x)?;
    let want = move |at: usize| {
        let (i, s) = (at / series, at % series);
        let sum: f32 = ((i + 1).saturating_sub(window)..=i).map(|i| x[i * series + s]).sum();
        sum / window as f32
    };
    let mut y = ground.blank(series * n, near(1e-6, want))?;
    let shape = Shape::line(series, 128);
    let [series, n, window] = [series, n, window].map(|n| n as u32);
    trial!(
        ground,
        shape,
        ring_average(&dx, &mut y.memory, series, n, window),
        original(&dx, &y.memory, series, n, window),
        [y]
    )
}

/// A recursive filter, down each column and up again.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn recursive_gauss(x: &[f32], y: &mut [f32], w: i32, h: i32, a0: f32, a1: f32, b1: f32, b2: f32) {
    let col = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if col >= w {
        return;
    }
    let mut at = col;
    let (mut xp, mut yp, mut yb) = (0.0, 0.0, 0.0);
    for _ in 0..h {
        let xc = x[at];
        let yc = a0 * xc + a1 * xp - b1 * yp - b2 * yb;
        y[at] = yc;
        at += w;
        xp = xc;
        yb = yp;
        yp = yc;
    }
    at -= w;
    let (mut xn, mut yn, mut ya) = (0.0, 0.0, 0.0);
    for _ in (0..h).rev() {
        let xc = x[at];
        let yc = a1 * xn - b1 * yn - b2 * ya;
        xn = xc;
        ya = yn;
        yn = yc;
        y[at] += yc;
        at -= w;
    }
}

fn recursive_gauss_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [w, h] = ground.pick([37, 29], [8192, 1024]);
    let x = ground.between(w * h, 0.0..1.0);
    let dx = ground.up(&x)?;
    let [a0, a1, b1, b2] = [0.25f32, 0.125, -0.5, 0.125];
    let [c0, c1, d1, d2] = [a0, a1, b1, b2].map(f64::from);
    let mut all = vec![0.0f64; w * h];
    for col in 0..w {
        let (mut xp, mut yp, mut yb) = (0.0, 0.0, 0.0);
        for at in (0..h).map(|i| i * w + col) {
            let xc = f64::from(x[at]);
            all[at] = c0 * xc + c1 * xp - d1 * yp - d2 * yb;
            (xp, yb, yp) = (xc, yp, all[at]);
        }
        let (mut xn, mut yn, mut ya) = (0.0, 0.0, 0.0);
        for at in (0..h).rev().map(|i| i * w + col) {
            let yc = c1 * xn - d1 * yn - d2 * ya;
            (xn, ya, yn) = (f64::from(x[at]), yn, yc);
            all[at] += yc;
        }
    }
    let mut y = ground.blank(w * h, near(1e-5, move |at| all[at] as f32))?;
    let shape = Shape::line(w, 128);
    let [w, h] = [w, h].map(|n| n as i32);
    trial!(
        ground,
        shape,
        recursive_gauss(&dx, &mut y.memory, w, h, a0, a1, b1, b2),
        original(&dx, &y.memory, w, h, a0, a1, b1, b2),
        [y]
    )
}

/// Each element's value, by the run that it is in.
#[gpu_kernel]
fn rle_expand(starts: &[u32], values: &[u8], out: &mut [u8], runs: u32, n: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i >= n {
        return;
    }
    let mut low = 0;
    let mut high = runs;
    while low + 1 < high {
        let mid = (low + high) / 2;
        if starts[mid] <= i {
            low = mid;
        } else {
            high = mid;
        }
    }
    out[i] = values[low];
}

fn rle_expand_trial(ground: &Ground) -> Result<Trial, Failure> {
    let runs = ground.pick(60, 1 << 20);
    let (mut starts, mut all) = (Vec::new(), Vec::new());
    let values = ground.bytes(runs);
    for (value, length) in values.iter().zip(ground.below(runs, 15)) {
        starts.push(all.len() as u32);
        all.extend(std::iter::repeat_n(*value, length as usize + 1));
    }
    let (ds, dv, n) = (ground.up(&starts)?, ground.up(&values)?, all.len());
    let mut out = ground.blank(n, exactly(move |i| all[i]))?;
    let (runs, shape, n) = (runs as u32, Shape::line(n, 256), n as u32);
    trial!(
        ground,
        shape,
        rle_expand(&ds, &dv, &mut out.memory, runs, n),
        original(&ds, &dv, &out.memory, runs, n),
        [out]
    )
}

/// Decodes chunks of a stream of bits by a table of eight bits.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn huffman(
    bits: &[u32],
    starts: &[u32],
    symbols: &[u8],
    lengths: &[u8],
    out: &mut [u8],
    chunks: u32,
    per: u32,
) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i >= chunks {
        return;
    }
    let mut at = starts[i];
    for k in 0..per {
        let word = at / 32;
        let bit = at % 32;
        let window = ((bits[word + 1] as u64) << 32 | bits[word] as u64) >> bit;
        let code = (window & 0xff) as u32;
        out[i * per + k] = symbols[code];
        at += lengths[code] as u32;
    }
}

fn huffman_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [chunks, per] = ground.pick([40, 32], [1 << 16, 64]);
    let bits = ground.each(chunks * per / 4 + 2, |word| (word >> 32) as u32);
    let starts: Vec<u32> = (0..chunks).map(|i| (i * per * 8) as u32).collect();
    let (symbols, lengths) = (ground.bytes(256), ground.each(256, |word| 3 + (word >> 32) as u8 % 6));
    let mut all = Vec::new();
    for start in &starts {
        let mut at = *start as usize;
        for _ in 0..per {
            let window = u64::from(bits[at / 32 + 1]) << 32 | u64::from(bits[at / 32]);
            let code = (window >> (at % 32) & 0xff) as usize;
            all.push(symbols[code]);
            at += usize::from(lengths[code]);
        }
    }
    let (db, ds) = (ground.up(&bits)?, ground.up(&starts)?);
    let (dt, dl) = (ground.up(&symbols)?, ground.up(&lengths)?);
    let mut out = ground.blank(chunks * per, exactly(move |i| all[i]))?;
    let shape = Shape::line(chunks, 128);
    let [chunks, per] = [chunks, per].map(|n| n as u32);
    trial!(
        ground,
        shape,
        huffman(&db, &ds, &dt, &dl, &mut out.memory, chunks, per),
        original(&db, &ds, &dt, &dl, &out.memory, chunks, per),
        [out]
    )
}

/// The finalizer of MurmurHash3.
#[gpu_fn]
fn mixed(key: u32) -> u32 {
    let mut h = key;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// The values of keys in a table with linear probing.
#[gpu_kernel]
fn hash_lookup(
    keys: &[u32],
    out: &mut [u32],
    table_keys: &[u32],
    table_values: &[u32],
    n: u32,
    capacity: u32,
) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i >= n {
        return;
    }
    let key = keys[i];
    let mut slot = mixed(key) % capacity;
    while table_keys[slot] != u32::MAX {
        if table_keys[slot] == key {
            out[i] = table_values[slot];
            return;
        }
        slot += 1;
        if slot == capacity {
            slot = 0;
        }
    }
    out[i] = u32::MAX;
}

fn hash_lookup_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, capacity] = ground.pick([500usize, 1009], [1 << 21, 2_999_999]);
    let (mut table_keys, mut table_values) = (vec![u32::MAX; capacity], vec![0u32; capacity]);
    // Even keys are in the table.
    for key in (0..n as u32).map(|i| 2 * i) {
        let mut slot = mixed(key) as usize % capacity;
        while table_keys[slot] != u32::MAX {
            slot = (slot + 1) % capacity;
        }
        (table_keys[slot], table_values[slot]) = (key, key ^ 0x5a5a);
    }
    let keys = ground.below(n, 2 * n as u32);
    let (dk, dt, dv) = (ground.up(&keys)?, ground.up(&table_keys)?, ground.up(&table_values)?);
    let want = move |i: usize| if keys[i] % 2 == 0 { keys[i] ^ 0x5a5a } else { u32::MAX };
    let mut out = ground.blank(n, exactly(want))?;
    let (shape, n, capacity) = (Shape::line(n, 256), n as u32, capacity as u32);
    trial!(
        ground,
        shape,
        hash_lookup(&dk, &mut out.memory, &dt, &dv, n, capacity),
        original(&dk, &out.memory, &dt, &dv, n, capacity),
        [out]
    )
}

/// The best local score of pairs of words, in a band around the diagonal; the rows of all pairs are in memory.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn banded(a: &[u8], b: &[u8], scores: &mut [i32], rows: &mut [i32], n: u32, m: u32, band: u32, pairs: u32) {
    let p = block_idx().x * block_dim().x + thread_idx().x;
    if p >= pairs {
        return;
    }
    let width = 2 * band + 1;
    for j in 0..width {
        rows[j * pairs + p] = 0;
    }
    let mut best = 0;
    for i in 0..n {
        let low = if i > band { i - band } else { 0 };
        let high = (i + band + 1).min(m);
        let mut left = 0;
        for j in low..high {
            let slot = j + band - i;
            let diag = rows[slot * pairs + p];
            let up = if slot + 1 < width { rows[(slot + 1) * pairs + p] } else { 0 };
            let same = if a[i * pairs + p] == b[j * pairs + p] { 2 } else { -1 };
            let s = (diag + same).max(up - 1).max(left - 1).max(0);
            rows[slot * pairs + p] = s;
            left = s;
            best = best.max(s);
        }
    }
    scores[p] = best;
}

fn banded_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, band, pairs] = ground.pick([30, 5, 40], [128, 8, 1 << 15]);
    let [a, b] = [(); 2].map(|()| ground.each(n * pairs, |word| (word >> 62) as u8));
    let (da, db) = (ground.up(&a)?, ground.up(&b)?);
    let (mut best, mut last) = (vec![0i32; pairs], vec![0i32; (2 * band + 1) * pairs]);
    for p in 0..pairs {
        for i in 0..n {
            let mut left = 0;
            for j in i.saturating_sub(band)..(i + band + 1).min(n) {
                let slot = j + band - i;
                let up = if slot < 2 * band { last[(slot + 1) * pairs + p] } else { 0 };
                let same = if a[i * pairs + p] == b[j * pairs + p] { 2 } else { -1 };
                left = (last[slot * pairs + p] + same).max(up - 1).max(left - 1).max(0);
                last[slot * pairs + p] = left;
                best[p] = best[p].max(left);
            }
        }
    }
    let mut scores = ground.blank(pairs, exactly(move |p| best[p]))?;
    let mut rows = ground.blank((2 * band + 1) * pairs, exactly(move |at| last[at]))?;
    let shape = Shape::line(pairs, 128);
    let [n, band, pairs] = [n, band, pairs].map(|n| n as u32);
    trial!(
        ground,
        shape,
        banded(&da, &db, &mut scores.memory, &mut rows.memory, n, n, band, pairs),
        original(&da, &db, &scores.memory, &rows.memory, n, n, band, pairs),
        [scores, rows]
    )
}
