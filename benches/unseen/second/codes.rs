//! Hashes, ciphers, codes and packed numbers.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "codes",
    originals: include_str!("codes.cu"),
    kernels: &[
        Unseen { name: "md5", class: "rounds, local words, tables", make: md5_trial },
        Unseen { name: "sha256", class: "rounds, local schedule, u32", make: sha256_trial },
        Unseen { name: "aes_tables", class: "tables by bytes, shared", make: aes_tables_trial },
        Unseen { name: "crc64", class: "table by a byte, ragged rows, u64", make: crc64_trial },
        Unseen { name: "base64_decode", class: "table by a byte, i8", make: base64_decode_trial },
        Unseen { name: "dot_packed8", class: "naive product, packed i8", make: dot_packed8_trial },
        Unseen { name: "complex_multiply", class: "map, interleaved pairs", make: complex_multiply_trial },
    ],
};

const MD5_K: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];
const MD5_S: [u32; 16] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const MD5_START: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

/// One block of 64 bytes a thread, as words.
#[gpu_kernel]
fn md5(blocks: &[u32], digests: &mut [u32], count: i32) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id >= count {
        return;
    }
    let mut w = [0u32; 16];
    for i in 0..16 {
        w[i as usize] = blocks[id * 16 + i];
    }
    let [mut a, mut b, mut c, mut d] = MD5_START;
    for i in 0..64usize {
        let f;
        let g;
        if i < 16 {
            f = (b & c) | (!b & d);
            g = i;
        } else if i < 32 {
            f = (d & b) | (!d & c);
            g = (5 * i + 1) % 16;
        } else if i < 48 {
            f = b ^ c ^ d;
            g = (3 * i + 5) % 16;
        } else {
            f = c ^ (b | !d);
            g = 7 * i % 16;
        }
        let sum = a.wrapping_add(f).wrapping_add(MD5_K[i]).wrapping_add(w[g]);
        let rotated = sum.rotate_left(MD5_S[i / 16 * 4 + i % 4]);
        a = d;
        d = c;
        c = b;
        b = b.wrapping_add(rotated);
    }
    digests[id * 4] = a.wrapping_add(MD5_START[0]);
    digests[id * 4 + 1] = b.wrapping_add(MD5_START[1]);
    digests[id * 4 + 2] = c.wrapping_add(MD5_START[2]);
    digests[id * 4 + 3] = d.wrapping_add(MD5_START[3]);
}

/// MD5's mixing of a block, with the constants from their definition by the sine.
fn md5_of(w: &[u32]) -> [u32; 4] {
    let mut v = MD5_START;
    for i in 0..64 {
        let [a, b, c, d] = v;
        let (f, g) = match i / 16 {
            0 => (d ^ (b & (c ^ d)), i),
            1 => (c ^ (d & (b ^ c)), 5 * i + 1),
            2 => (b ^ c ^ d, 3 * i + 5),
            _ => (c ^ (b | !d), 7 * i),
        };
        let k = (f64::abs(((i + 1) as f64).sin()) * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(f).wrapping_add(k).wrapping_add(w[g % 16]);
        v = [d, b.wrapping_add(sum.rotate_left(MD5_S[i / 16 * 4 + i % 4])), b, c];
    }
    std::array::from_fn(|i| v[i].wrapping_add(MD5_START[i]))
}

fn md5_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 20);
    let blocks = ground.each(16 * count, |word| (word >> 32) as u32);
    let db = ground.up(&blocks)?;
    let mut digests =
        ground.blank(4 * count, exactly(move |at| md5_of(&blocks[at / 4 * 16..][..16])[at % 4]))?;
    trial!(
        ground,
        Shape::line(count, 256),
        md5(&db, &mut digests.memory, count as i32),
        original(&db, &digests.memory, count as i32),
        [digests]
    )
}

const SHA_START: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// One block of 64 bytes a thread, with the whole schedule in a local array.
#[gpu_kernel]
fn sha256(blocks: &[u32], k: &[u32], digests: &mut [u32]) {
    let id = global_id();
    if id < digests.len() / 8 {
        let mut w = [0u32; 64];
        for t in 0..16 {
            w[t] = blocks[id * 16 + t];
        }
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let mut v = SHA_START;
        for t in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let ch = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = v[7].wrapping_add(s1).wrapping_add(ch).wrapping_add(k[t]).wrapping_add(w[t]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            let t2 = s0.wrapping_add(maj);
            for i in (1..8).rev() {
                v[i] = v[i - 1];
            }
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(t2);
        }
        for i in 0..8 {
            digests[id * 8 + i] = SHA_START[i].wrapping_add(v[i]);
        }
    }
}

/// The round constants: fractions of the cube roots of the first primes.
fn sha_constants() -> Vec<u32> {
    let primes = (2u128..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    primes
        .take(64)
        .map(|p| {
            // The largest number whose cube is not above p << 96.
            let root = (0..35).rev().fold(0u128, |root, bit| {
                let tried = root | 1 << bit;
                if tried * tried * tried <= p << 96 { tried } else { root }
            });
            root as u32
        })
        .collect()
}

fn sha_of(block: &[u32], k: &[u32]) -> [u32; 8] {
    let mut w = block.to_vec();
    for t in 16..64 {
        let small = |x: u32, [a, b, c]: [u32; 3]| x.rotate_right(a) ^ x.rotate_right(b) ^ (x >> c);
        let sum = [w[t - 16], small(w[t - 15], [7, 18, 3]), w[t - 7], small(w[t - 2], [17, 19, 10])];
        w.push(sum.into_iter().fold(0, u32::wrapping_add));
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = SHA_START;
    for t in 0..64 {
        let large = |x: u32, [a, b, c]: [u32; 3]| x.rotate_right(a) ^ x.rotate_right(b) ^ x.rotate_right(c);
        let chosen = g ^ (e & (f ^ g));
        let first = [h, large(e, [6, 11, 25]), chosen, k[t], w[t]].into_iter().fold(0, u32::wrapping_add);
        let second = large(a, [2, 13, 22]).wrapping_add((a & b) | (c & (a | b)));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    let ends = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|i| ends[i].wrapping_add(SHA_START[i]))
}

fn sha256_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(70, 1 << 19);
    let blocks = ground.each(16 * count, |word| (word >> 32) as u32);
    let k = sha_constants();
    let (db, dk) = (ground.up(&blocks)?, ground.up(&k)?);
    let want = move |at: usize| sha_of(&blocks[at / 8 * 16..][..16], &k)[at % 8];
    let mut digests = ground.blank(8 * count, exactly(want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        sha256(&db, &dk, &mut digests.memory),
        original(&db, &dk, &digests.memory, count as u32),
        [digests]
    )
}

/// The middle rounds of AES, by one table of words that is turned for each byte.
#[gpu_kernel]
fn aes_tables(blocks: &[u32], table: &[u32], keys: &[u32], out: &mut [u32], count: i32, rounds: i32) {
    let mut t0 = shared!([u32; 256]);
    let mut i = thread_idx().x;
    while i < 256 {
        t0[i] = table[i];
        i += block_dim().x;
    }
    sync_threads();
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id < count {
        let mut s = [0u32; 4];
        for i in 0..4 {
            s[i] = blocks[4 * id as usize + i] ^ keys[i];
        }
        for r in 1..rounds {
            let mut t = [0u32; 4];
            for i in 0..4 {
                t[i] = t0[s[i] >> 24]
                    ^ t0[(s[(i + 1) % 4] >> 16) & 0xff].rotate_right(8)
                    ^ t0[(s[(i + 2) % 4] >> 8) & 0xff].rotate_right(16)
                    ^ t0[s[(i + 3) % 4] & 0xff].rotate_right(24)
                    ^ keys[4 * r as usize + i];
            }
            s = t;
        }
        for i in 0..4 {
            out[4 * id as usize + i] = s[i];
        }
    }
}

fn aes_tables_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (count, rounds) = (ground.pick(300, 1 << 21), 10);
    let numbers = |n: usize| ground.each(n, |word| (word >> 32) as u32);
    let (blocks, table, keys) = (numbers(4 * count), numbers(256), numbers(4 * rounds));
    let (db, dt, dk) = (ground.up(&blocks)?, ground.up(&table)?, ground.up(&keys)?);
    let want = move |at: usize| {
        let start = &blocks[at / 4 * 4..][..4];
        let mut s: Vec<u32> = start.iter().zip(&keys).map(|(word, key)| word ^ key).collect();
        for r in 1..rounds {
            let byte = |i: usize, k: usize| table[s[(i + k) % 4].to_be_bytes()[k] as usize];
            let word =
                |i: usize| (0..4).fold(keys[4 * r + i], |all, k| all ^ byte(i, k).rotate_right(8 * k as u32));
            s = (0..4).map(word).collect();
        }
        s[at % 4]
    };
    let mut out = ground.blank(4 * count, exactly(want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        aes_tables(&db, &dt, &dk, &mut out.memory, count as i32, rounds as i32),
        original(&db, &dt, &dk, &out.memory, count as i32, rounds as i32),
        [out]
    )
}

/// A checksum of each row of bytes.
#[gpu_kernel]
fn crc64(data: &[u8], starts: &[i32], table: &[u64], sums: &mut [u64], count: i32) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id < count {
        let mut crc = !0u64;
        for k in starts[id]..starts[id + 1] {
            crc = (crc >> 8) ^ table[(crc ^ data[k] as u64) & 0xff];
        }
        sums[id] = !crc;
    }
}

fn crc64_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(90, 1 << 18);
    let mut starts = vec![0i32];
    (0..count).for_each(|i| starts.push(starts[i] + (ground.word() >> 58) as i32));
    let data = ground.bytes(starts[count] as usize);
    let step = |crc: u64, bit: u64| (crc >> 1) ^ (0xc96c_5795_d787_0f42 * ((crc ^ bit) & 1));
    let table: Vec<u64> = (0..256).map(|byte| (0..8).fold(byte, |crc, _| step(crc, 0))).collect();
    let (dd, ds, dt) = (ground.up(&data)?, ground.up(&starts)?, ground.up(&table)?);
    let want = move |id: usize| {
        let byte = |crc: u64, byte: &u8| (0..8).fold(crc, |crc, k| step(crc, u64::from(*byte) >> k));
        !data[starts[id] as usize..starts[id + 1] as usize].iter().fold(!0, byte)
    };
    let mut sums = ground.blank(count, exactly(want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        crc64(&dd, &ds, &dt, &mut sums.memory, count as i32),
        original(&dd, &ds, &dt, &sums.memory, count as i32),
        [sums]
    )
}

/// Three bytes for each four letters; groups with a letter that is none are counted.
#[gpu_kernel]
fn base64_decode(text: &[u8], values: &[i8], data: &mut [u8], bad: &mut [i32], groups: usize) {
    let i = global_id();
    if i < groups {
        let mut word = 0i32;
        let mut wrong = false;
        for k in 0..4 {
            let v = values[text[4 * i + k]] as i32;
            if v < 0 {
                wrong = true;
            }
            word = word << 6 | (v & 63);
        }
        if wrong {
            atomic_add(&mut bad[0], 1);
        }
        data[3 * i] = (word >> 16) as u8;
        data[3 * i + 1] = (word >> 8) as u8;
        data[3 * i + 2] = word as u8;
    }
}

fn base64_decode_trial(ground: &Ground) -> Result<Trial, Failure> {
    let groups = ground.pick(300, 1 << 24);
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = vec![-1i8; 256];
    letters.iter().enumerate().for_each(|(value, letter)| values[usize::from(*letter)] = value as i8);
    let letter = |word: u64| if word % 5003 == 0 { b'!' } else { letters[(word >> 58) as usize] };
    let text = ground.each(4 * groups, letter);
    let wrong = text.chunks_exact(4).filter(|group| group.contains(&b'!')).count() as i32;
    let (dt, dv) = (ground.up(&text)?, ground.up(&values)?);
    let want = move |at: usize| {
        let six = |k: usize| values[usize::from(text[at / 3 * 4 + k])] as u32 & 63;
        let word = (0..4).fold(0, |word, k| word * 64 + six(k));
        word.to_be_bytes()[1 + at % 3]
    };
    let mut data = ground.blank(3 * groups, exactly(want))?;
    let mut bad = ground.from(vec![0], exactly(move |_| wrong))?;
    trial!(
        ground,
        Shape::line(groups, 256),
        base64_decode(&dt, &dv, &mut data.memory, &mut bad.memory, groups),
        original(&dt, &dv, &data.memory, &bad.memory, groups as i32),
        [data, bad]
    )
}

/// A product of bytes with signs, four in a word.
#[gpu_kernel]
fn dot_packed8(a: &[u32], b: &[u32], scales: &[f32], c: &mut [f32], m: i32, n: i32, words: i32) {
    let col = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let row = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if row < m && col < n {
        let mut sum = 0i32;
        for k in 0..words {
            let x = a[row * words + k];
            let y = b[k * n + col];
            for s in (0..32).step_by(8) {
                sum += ((x >> s) & 0xff) as i8 as i32 * ((y >> s) & 0xff) as i8 as i32;
            }
        }
        c[row * n + col] = sum as f32 * scales[row];
    }
}

fn dot_packed8_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [m, n, words] = ground.pick([9, 37, 5], [1024, 1024, 128]);
    let numbers = |n: usize| ground.each(n, |word| (word >> 32) as u32);
    let (a, b, scales) = (numbers(m * words), numbers(words * n), ground.between(m, 0.001..0.01));
    let (da, db, ds) = (ground.up(&a)?, ground.up(&b)?, ground.up(&scales)?);
    let want = move |at: usize| {
        let (row, col) = (at / n, at % n);
        let bytes = |word: u32| word.to_le_bytes().map(|byte| i32::from(byte as i8));
        let dot = |k: usize| {
            let (x, y) = (bytes(a[row * words + k]), bytes(b[k * n + col]));
            (0..4).map(|i| x[i] * y[i]).sum::<i32>()
        };
        (0..words).map(dot).sum::<i32>() as f32 * scales[row]
    };
    let mut c = ground.blank(m * n, near(1e-6, want))?;
    let shape = Shape::plane([n, m], [32, 8]);
    let [m, n, words] = [m, n, words].map(|n| n as i32);
    trial!(
        ground,
        shape,
        dot_packed8(&da, &db, &ds, &mut c.memory, m, n, words),
        original(&da, &db, &ds, &c.memory, m, n, words),
        [c]
    )
}

/// Products of complex numbers, whose parts lie side by side.
#[gpu_kernel]
fn complex_multiply(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = global_id();
    if 2 * i + 1 < c.len() {
        let (ar, ai) = (a[2 * i], a[2 * i + 1]);
        let (br, bi) = (b[2 * i], b[2 * i + 1]);
        c[2 * i] = ar * br - ai * bi;
        c[2 * i + 1] = ar * bi + ai * br;
    }
}

fn complex_multiply_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(300, 1 << 25);
    let (a, b) = (ground.floats(2 * n), ground.floats(2 * n));
    let (da, db) = (ground.up(&a)?, ground.up(&b)?);
    let want = move |at: usize| {
        let [ar, ai] = [a[at / 2 * 2], a[at / 2 * 2 + 1]].map(f64::from);
        let [br, bi] = [b[at / 2 * 2], b[at / 2 * 2 + 1]].map(f64::from);
        [ar * br - ai * bi, ar * bi + ai * br][at % 2] as f32
    };
    let mut c = ground.blank(2 * n, near(1e-6, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        complex_multiply(&da, &db, &mut c.memory),
        original(&da, &db, &c.memory, n as i32),
        [c]
    )
}
