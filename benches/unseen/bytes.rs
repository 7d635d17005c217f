//! Bytes: tables, hashes, codes, texts walked by cursors, and quantised blocks.

use warpsmith::prelude::*;

use crate::ground::{Compared, Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "bytes",
    originals: include_str!("bytes.cu"),
    kernels: &[
        Unseen { name: "crc32", class: "table by a byte, slice", make: crc32_trial },
        Unseen { name: "tone_curve", class: "table by a byte, shared", make: tone_curve_trial },
        Unseen { name: "base64", class: "constant table by six bits", make: base64_trial },
        Unseen { name: "fnv1a", class: "cursor over a slice, hash, u64", make: fnv1a_trial },
        Unseen { name: "mix32", class: "integer hash, grid-stride step_by", make: mix32_trial },
        Unseen { name: "count_bits", class: "reinterpret", make: count_bits_trial },
        Unseen { name: "varint", class: "cursor over bytes", make: varint_trial },
        Unseen { name: "run_lengths", class: "cursor, runs of a slice", make: run_lengths_trial },
        Unseen {
            name: "dequantize4",
            class: "quantised blocks, structs with arrays",
            make: dequantize4_trial,
        },
        Unseen { name: "quantize8", class: "quantised blocks, structs with arrays", make: quantize8_trial },
        Unseen {
            name: "dot_blocks8",
            class: "quantised blocks, structs with arrays",
            make: dot_blocks8_trial,
        },
    ],
};

/// Remainders of bytes.
fn crc_table() -> Vec<u32> {
    let shifted = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    (0..256).map(|byte| (0..8).fold(byte, |crc, _| shifted(crc))).collect()
}

/// The checksum of each message of a length.
#[gpu_kernel]
fn crc32(data: &[u8], table: &[u32], sums: &mut [u32], length: u32, count: u32) {
    let id = block_idx().x * block_dim().x + thread_idx().x;
    if id < count {
        let mut crc = 0xffff_ffffu32;
        for k in 0..length {
            let byte = data[id * length + k];
            crc = (crc >> 8) ^ table[(crc ^ byte as u32) & 0xff];
        }
        sums[id] = !crc;
    }
}

fn crc32_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [count, length] = ground.pick([70, 13], [1 << 18, 64]);
    let (data, table) = (ground.bytes(count * length), crc_table());
    let (dd, dt) = (ground.up(&data)?, ground.up(&table)?);
    let want = move |id: usize| {
        let step = |crc: u32, bit: u32| if (crc ^ bit) & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        let byte = |crc: u32, byte: &u8| (0..8).fold(crc, |crc, k| step(crc, u32::from(*byte) >> k));
        !data[id * length..][..length].iter().fold(!0, byte)
    };
    let mut sums = ground.blank(count, exactly(want))?;
    let (count, length) = (count as u32, length as u32);
    trial!(
        ground,
        Shape::line(count as usize, 128),
        crc32(&dd, &dt, &mut sums.memory, length, count),
        original(&dd, &dt, &sums.memory, length, count),
        [sums]
    )
}

/// Each pixel by a table that the block keeps.
#[gpu_kernel]
fn tone_curve(image: &[u8], curve: &[u8], out: &mut [u8]) {
    let mut own = shared!([u8; 256]);
    own[thread_idx().x] = curve[thread_idx().x];
    sync_threads();
    let mut i = global_id();
    while i < image.len() {
        out[i] = own[image[i]];
        i += global_size();
    }
}

fn tone_curve_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks) = ground.pick((2000, 2), (1 << 26, 1056));
    let (image, curve) = (ground.bytes(n), ground.bytes(256));
    let (di, dc) = (ground.up(&image)?, ground.up(&curve)?);
    let mut out = ground.blank(n, exactly(move |i| curve[usize::from(image[i])]))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [256, 1, 1]),
        tone_curve(&di, &dc, &mut out.memory),
        original(&di, &dc, &out.memory, n as u32),
        [out]
    )
}

const ALPHABET: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Four letters for each three bytes.
#[gpu_kernel]
fn base64(data: &[u8], text: &mut [u8]) {
    let i = global_id();
    if i < data.len() / 3 {
        let a = data[3 * i] as u32;
        let b = data[3 * i + 1] as u32;
        let c = data[3 * i + 2] as u32;
        let word = a << 16 | b << 8 | c;
        text[4 * i] = ALPHABET[word >> 18];
        text[4 * i + 1] = ALPHABET[word >> 12 & 63];
        text[4 * i + 2] = ALPHABET[word >> 6 & 63];
        text[4 * i + 3] = ALPHABET[word & 63];
    }
}

fn base64_trial(ground: &Ground) -> Result<Trial, Failure> {
    let triples = ground.pick(300, 1 << 24);
    let data = ground.bytes(3 * triples);
    let dd = ground.up(&data)?;
    let want = move |at: usize| {
        let bits = data[at / 4 * 3..][..3].iter().fold(0u32, |bits, byte| bits * 256 + u32::from(*byte));
        ALPHABET[(bits / 64u32.pow(3 - at as u32 % 4) % 64) as usize]
    };
    let mut text = ground.blank(4 * triples, exactly(want))?;
    trial!(
        ground,
        Shape::line(triples, 256),
        base64(&dd, &mut text.memory),
        original(&dd, &text.memory, triples as u32),
        [text]
    )
}

/// Where words start in a text; they have from none to fifteen letters.
fn words(ground: &Ground, count: usize) -> (Vec<u32>, Vec<u8>) {
    let mut starts = vec![0u32];
    (0..count).for_each(|i| starts.push(starts[i] + (ground.word() >> 60) as u32));
    let text = ground.bytes(starts[count] as usize);
    (starts, text)
}

#[gpu_kernel]
fn fnv1a(text: &[u8], starts: &[u32], hashes: &mut [u64]) {
    let i = global_id();
    if i < hashes.len() {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for byte in &text[starts[i]..starts[i + 1]] {
            hash ^= *byte as u64;
            hash = hash.wrapping_mul(0x0100_0000_01b3);
        }
        hashes[i] = hash;
    }
}

fn fnv1a_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(90, 1 << 20);
    let (starts, text) = words(ground, count);
    let (dt, ds) = (ground.up(&text)?, ground.up(&starts)?);
    let want = move |i: usize| {
        let word = &text[starts[i] as usize..starts[i + 1] as usize];
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211);
        word.iter().fold(14_695_981_039_346_656_037, step)
    };
    let mut hashes = ground.blank(count, exactly(want))?;
    trial!(
        ground,
        Shape::line(count, 256),
        fnv1a(&dt, &ds, &mut hashes.memory),
        original(&dt, &ds, &hashes.memory, count as u32),
        [hashes]
    )
}

/// A number whose bits depend on all bits of another.
#[gpu_fn]
fn mixed(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

#[gpu_kernel]
fn mix32(keys: &[u32], hashes: &mut [u32], seed: u32) {
    for i in (global_id()..keys.len()).step_by(global_size()) {
        hashes[i] = mixed(keys[i] ^ seed);
    }
}

fn mix32_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks) = ground.pick((1000, 2), (1 << 26, 2112));
    let keys = ground.below(n, u32::MAX);
    let dk = ground.up(&keys)?;
    let want = move |i: usize| {
        let shifted = |x: u32, by: u32, factor: u32| (x ^ x >> by).wrapping_mul(factor);
        shifted(shifted(shifted(keys[i] ^ 99, 16, 0x7feb_352d), 15, 0x846c_a68b), 16, 1)
    };
    let mut hashes = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [256, 1, 1]),
        mix32(&dk, &mut hashes.memory, 99),
        original(&dk, &hashes.memory, 99u32, n as u32),
        [hashes]
    )
}

/// Bits that are set in each eight bytes, which are read as words.
#[gpu_kernel]
fn count_bits(bytes: &[u8], counts: &mut [u32]) {
    let words = bytes.reinterpret::<u32>();
    let i = global_id();
    if 2 * i + 1 < words.len() && i < counts.len() {
        counts[i] = words[2 * i].count_ones() + words[2 * i + 1].count_ones();
    }
}

fn count_bits_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(300, 1 << 24);
    let bytes = ground.bytes(8 * n);
    let db = ground.up(&bytes)?;
    let want = move |i: usize| bytes[8 * i..][..8].iter().map(|byte| byte.count_ones()).sum();
    let mut counts = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        count_bits(&db, &mut counts.memory),
        original(&db, &counts.memory, n as u32),
        [counts]
    )
}

/// Sums of numbers of seven bits a byte, a thread a row of them.
#[gpu_kernel]
fn varint(code: &[u8], starts: &[u32], sums: &mut [u32], rows: u32) {
    let row = block_idx().x * block_dim().x + thread_idx().x;
    if row < rows {
        let mut at = starts[row];
        let end = starts[row + 1];
        let mut sum = 0u32;
        while at < end {
            let mut value = 0u32;
            let mut shift = 0;
            loop {
                let byte = code[at];
                at += 1;
                value |= ((byte & 0x7f) as u32) << shift;
                shift += 7;
                if byte < 128 {
                    break;
                }
            }
            sum += value;
        }
        sums[row] = sum;
    }
}

fn varint_trial(ground: &Ground) -> Result<Trial, Failure> {
    let rows = ground.pick(70, 1 << 18);
    let (mut code, mut starts, mut wanted) = (Vec::new(), vec![0u32], Vec::new());
    for _ in 0..rows {
        let mut sum = 0;
        for _ in 0..16 {
            let word = ground.word();
            let mut value = (word >> 32) as u32 >> (11 + word % 20);
            sum += value;
            while value > 127 {
                code.push(value as u8 | 128);
                value >>= 7;
            }
            code.push(value as u8);
        }
        starts.push(code.len() as u32);
        wanted.push(sum);
    }
    let (dc, ds) = (ground.up(&code)?, ground.up(&starts)?);
    let mut sums = ground.blank(rows, exactly(move |row| wanted[row]))?;
    trial!(
        ground,
        Shape::line(rows, 128),
        varint(&dc, &ds, &mut sums.memory, rows as u32),
        original(&dc, &ds, &sums.memory, rows as u32),
        [sums]
    )
}

/// Writes runs out: each thread fills its own.
#[gpu_kernel]
fn run_lengths(values: &[u8], starts: &[u32], text: &mut [u8]) {
    let i = global_id();
    if i < values.len() {
        let value = values[i];
        for at in starts[i]..starts[i + 1] {
            text[at] = value;
        }
    }
}

fn run_lengths_trial(ground: &Ground) -> Result<Trial, Failure> {
    let runs = ground.pick(90, 1 << 21);
    let (starts, mut wanted) = words(ground, runs);
    let values = ground.bytes(runs);
    (0..runs).for_each(|i| wanted[starts[i] as usize..starts[i + 1] as usize].fill(values[i]));
    let (dv, ds) = (ground.up(&values)?, ground.up(&starts)?);
    let mut text = ground.blank(wanted.len(), exactly(move |at| wanted[at]))?;
    trial!(
        ground,
        Shape::line(runs, 256),
        run_lengths(&dv, &ds, &mut text.memory),
        original(&dv, &ds, &text.memory, runs as u32),
        [text]
    )
}

/// Thirty-two weights of four bits, and their scale.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Block4 {
    scale: f32,
    codes: [u8; 16],
}

#[gpu_kernel]
fn dequantize4(blocks: &[Block4], weights: &mut [f32]) {
    let i = global_id();
    if i < blocks.len() {
        let scale = blocks[i].scale;
        for k in 0..16 {
            let code = blocks[i].codes[k];
            weights[32 * i + k] = scale * ((code & 15) as f32 - 8.0);
            weights[32 * i + k + 16] = scale * ((code >> 4) as f32 - 8.0);
        }
    }
}

fn dequantize4_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(70, 1 << 20);
    let (scales, codes) = (ground.floats(n), ground.bytes(16 * n));
    let block = |i: usize| Block4 { scale: scales[i], codes: std::array::from_fn(|k| codes[16 * i + k]) };
    let db = ground.up(&(0..n).map(block).collect::<Vec<_>>())?;
    let want = move |at: usize| {
        let code = codes[at / 32 * 16 + at % 16];
        let four = if at % 32 < 16 { code % 16 } else { code / 16 };
        scales[at / 32] * (f32::from(four) - 8.0)
    };
    let mut weights = ground.blank(32 * n, near(1e-6, want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        dequantize4(&db, &mut weights.memory),
        original(&db, &weights.memory, n as u32),
        [weights]
    )
}

/// Thirty-two weights of eight bits, and their scale.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Block8 {
    scale: f32,
    codes: [i8; 32],
}

impl Compared for Block8 {
    const POISON: Self = Block8 { scale: f32::NAN, codes: [-91; 32] };

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        // A number in the middle between two codes may have either.
        let codes = self
            .codes
            .iter()
            .zip(want.codes)
            .all(|(got, want)| (i32::from(*got) - i32::from(want)).abs() <= 1);
        codes && self.scale.is_near(&want.scale, tolerance)
    }
}

#[gpu_kernel]
fn quantize8(weights: &[f32], blocks: &mut [Block8]) {
    let i = global_id();
    if i < blocks.len() {
        let mut largest = 0.0f32;
        for k in 0..32 {
            largest = largest.max(weights[32 * i + k].abs());
        }
        let scale = largest / 127.0;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        blocks[i].scale = scale;
        for k in 0..32 {
            blocks[i].codes[k] = (weights[32 * i + k] * inverse).round() as i8;
        }
    }
}

/// A block of numbers, quantised.
fn block8(weights: &[f32]) -> Block8 {
    let scale = weights.iter().fold(0.0f32, |largest, v| largest.max(v.abs())) / 127.0;
    let code = |k: usize| if scale > 0.0 { (weights[k] / scale).round() as i8 } else { 0 };
    Block8 { scale, codes: std::array::from_fn(code) }
}

fn quantize8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(70, 1 << 19);
    let weights = ground.floats(32 * n);
    let dw = ground.up(&weights)?;
    let mut blocks = ground.blank(n, near(1e-6, move |i| block8(&weights[32 * i..][..32])))?;
    trial!(
        ground,
        Shape::line(n, 128),
        quantize8(&dw, &mut blocks.memory),
        original(&dw, &blocks.memory, n as u32),
        [blocks]
    )
}

/// A quantised matrix by a quantised vector, a thread a row.
#[gpu_kernel]
fn dot_blocks8(matrix: &[Block8], vector: &[Block8], out: &mut [f32], rows: usize) {
    let row = global_id();
    if row < rows {
        let width = vector.len();
        let mut sum = 0.0;
        for b in 0..width {
            let block = &matrix[row * width + b];
            let mut dot = 0i32;
            for k in 0..32 {
                dot += block.codes[k] as i32 * vector[b].codes[k] as i32;
            }
            sum += block.scale * vector[b].scale * dot as f32;
        }
        out[row] = sum;
    }
}

fn dot_blocks8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, width] = ground.pick([40, 3], [32_768, 32]);
    let blocks = |n: usize| -> Vec<Block8> { ground.floats(32 * n).chunks_exact(32).map(block8).collect() };
    let (matrix, vector) = (blocks(rows * width), blocks(width));
    let (dm, dv) = (ground.up(&matrix)?, ground.up(&vector)?);
    let want = move |row: usize| {
        let pairs = matrix[row * width..][..width].iter().zip(&vector);
        let term = |(a, b): (&Block8, &Block8)| {
            let dot: i32 = (0..32).map(|k| i32::from(a.codes[k]) * i32::from(b.codes[k])).sum();
            f64::from(a.scale) * f64::from(b.scale) * f64::from(dot)
        };
        pairs.map(term).sum::<f64>() as f32
    };
    let mut out = ground.blank(rows, near(1e-4, want))?;
    trial!(
        ground,
        Shape::line(rows, 64),
        dot_blocks8(&dm, &dv, &mut out.memory, rows),
        original(&dm, &dv, &out.memory, rows as i32, width as i32),
        [out]
    )
}
