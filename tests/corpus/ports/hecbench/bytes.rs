//! HeCBench on bytes and words: ciphers, hashes and checksums.

use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{down, integers, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("hecbench_aes128", aes128, aes_encrypts_the_vector_of_fips_197),
        port!("hecbench_sha256", sha256, sha256_of_one_block_and_of_two),
        port!("hecbench_chacha20", chacha20, chacha20_of_rfc_8439),
        port!("hecbench_crc64", crc64, crc64_of_the_check_string),
        port!("hecbench_keccak_f", keccak_f, keccak_of_zero),
        port!("hecbench_murmurhash3", murmurhash3, murmurhash3_of_every_tail),
    ]
}

/// The multiplicative inverse and affine map of AES, as rustc computes them.
const fn s_box() -> [u8; 256] {
    let mut table = [0u8; 256];
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        p = p ^ (p << 1) ^ if p & 0x80 != 0 { 0x1b } else { 0 };
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if q & 0x80 != 0 {
            q ^= 0x09;
        }
        table[p as usize] =
            q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4) ^ 0x63;
        if p == 1 {
            break;
        }
    }
    table[0] = 0x63;
    table
}

#[gpu_const]
static S_BOX: [u8; 256] = s_box();

#[gpu_const]
static ROUND_KEYS: [[u8; 16]; 11] = [[0; 16]; 11];

/// Doubling in the field of AES.
#[gpu_fn]
fn xtime(b: u8) -> u8 {
    (b << 1) ^ (if b & 0x80 != 0 { 0x1b } else { 0x00 })
}

/// The state of AES, column by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
struct Block {
    bytes: [u8; 16],
}

#[gpu_impl]
impl Block {
    fn add_round_key(&mut self, round: usize) {
        for (b, k) in self.bytes.iter_mut().zip(ROUND_KEYS[round]) {
            *b ^= k;
        }
    }

    fn sub_bytes(&mut self) {
        for b in &mut self.bytes {
            *b = S_BOX[*b as usize];
        }
    }

    fn shift_rows(&mut self) {
        let old = self.bytes;
        for row in 1..4 {
            for col in 0..4 {
                self.bytes[row + 4 * col] = old[row + 4 * ((col + row) % 4)];
            }
        }
    }

    fn mix_columns(&mut self) {
        for col in 0..4 {
            let [a, b, c, d] = [
                self.bytes[4 * col],
                self.bytes[4 * col + 1],
                self.bytes[4 * col + 2],
                self.bytes[4 * col + 3],
            ];
            let all = a ^ b ^ c ^ d;
            self.bytes[4 * col] ^= all ^ xtime(a ^ b);
            self.bytes[4 * col + 1] ^= all ^ xtime(b ^ c);
            self.bytes[4 * col + 2] ^= all ^ xtime(c ^ d);
            self.bytes[4 * col + 3] ^= all ^ xtime(d ^ a);
        }
    }
}

#[gpu_kernel]
fn aes128(blocks: &mut [Block]) {
    let i = global_id();
    if i >= blocks.len() {
        return;
    }
    let mut block = blocks[i];
    block.add_round_key(0);
    for round in 1..=10 {
        block.sub_bytes();
        block.shift_rows();
        if round != 10 {
            block.mix_columns();
        }
        block.add_round_key(round);
    }
    blocks[i] = block;
}

fn aes_encrypts_the_vector_of_fips_197(device: &Device) {
    let sbox = s_box();
    let mut keys = [[0u8; 16]; 11];
    keys[0] = std::array::from_fn(|i| i as u8);
    let mut rcon = 1;
    for r in 1..11 {
        let last = keys[r - 1];
        for w in 0..4 {
            for b in 0..4 {
                let before = if w > 0 {
                    keys[r][4 * (w - 1) + b]
                } else {
                    sbox[last[12 + (b + 1) % 4] as usize] ^ if b == 0 { rcon } else { 0 }
                };
                keys[r][4 * w + b] = last[4 * w + b] ^ before;
            }
        }
        rcon = xtime(rcon);
    }
    ROUND_KEYS.set(device, keys).expect("memory");
    let plain = Block { bytes: std::array::from_fn(|i| (i * 0x11) as u8) };
    let mut blocks = up(device, &[plain; 3]);
    aes128(&mut blocks).over(3).block(32).launch(device).unwrap();
    let want =
        [0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a];
    assert_eq!(down(device, &blocks), [Block { bytes: want }; 3]);
}

const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

#[gpu_fn]
fn compress(state: &mut [u32; 8], chunk: &[u8]) {
    let mut w = [0u32; 64];
    for (i, word) in w.iter_mut().enumerate().take(16) {
        *word = u32::from_be_bytes([chunk[4 * i], chunk[4 * i + 1], chunk[4 * i + 2], chunk[4 * i + 3]]);
    }
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let ch = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(ch).wrapping_add(K[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    for (s, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *s = s.wrapping_add(v);
    }
}

#[gpu_kernel]
fn sha256(messages: &[u8], len: usize, digests: &mut [u8]) {
    let i = global_id();
    if (i + 1) * 32 > digests.len() {
        return;
    }
    let message = &messages[i * len..][..len];
    let mut state =
        [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19u32];
    let mut block = [0u8; 64];
    let mut at = 0;
    for &byte in message {
        block[at] = byte;
        at += 1;
        if at == 64 {
            compress(&mut state, &block[..]);
            at = 0;
        }
    }
    block[at] = 0x80;
    block[at + 1..].fill(0);
    if at >= 56 {
        compress(&mut state, &block[..]);
        block = [0; 64];
    }
    let bits = (len as u64 * 8).to_be_bytes();
    for k in 0..8 {
        block[56 + k] = bits[k];
    }
    compress(&mut state, &block[..]);
    let digest = &mut digests[i * 32..(i + 1) * 32];
    for (k, word) in state.iter().enumerate() {
        digest[4 * k..4 * k + 4].copy_from_slice(&word.to_be_bytes());
    }
}

fn sha256_of_one_block_and_of_two(device: &Device) {
    let text = |d: &[u8]| d.iter().map(|b| format!("{b:02x}")).collect::<String>();
    for (message, want) in [
        (b"abc".repeat(2), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (vec![b'a'; 120], "11ee391211c6256460b6ed375957fadd8061cafbb31daf967db875aebd5aaad4"),
    ] {
        let dm = up(device, &message);
        let mut out = up(device, &[0u8; 64]);
        let len = message.len() / 2;
        sha256(&dm, len, &mut out).over(2).launch(device).unwrap();
        let got = down(device, &out);
        assert_eq!((text(&got[..32]), text(&got[32..])), (want.to_owned(), want.to_owned()));
    }
}

#[gpu_fn]
fn quarter_round(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(16);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(12);
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(8);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(7);
}

#[gpu_kernel]
fn chacha20(key: [u32; 8], nonce: [u32; 3], counter: u32, data: &mut [u8]) {
    const CONSTANTS: [u32; 4] = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];
    let block = global_id();
    let start = block * 64;
    if start >= data.len() {
        return;
    }
    let mut init = [0; 16];
    for i in 0..16 {
        init[i] = match i {
            0..=3 => CONSTANTS[i],
            4..=11 => key[i - 4],
            12 => counter + block as u32,
            _ => nonce[i - 13],
        };
    }
    let mut s = init;
    for _ in 0..10 {
        for i in 0..4 {
            quarter_round(&mut s, i, i + 4, i + 8, i + 12);
        }
        for i in 0..4 {
            quarter_round(&mut s, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
        }
    }
    let end = data.len().min(start + 64);
    for (i, byte) in data[start..end].iter_mut().enumerate() {
        let word = s[i / 4].wrapping_add(init[i / 4]);
        *byte ^= word.to_le_bytes()[i % 4];
    }
}

fn chacha20_of_rfc_8439(device: &Device) {
    let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
    let mut data = up(device, text);
    let key: [u32; 8] =
        std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|b| (4 * i + b) as u8)));
    chacha20(key, [0, 0x4a000000, 0], 1, &mut data).over(2).launch(device).unwrap();
    let got = down(device, &data);
    assert_eq!(got[..8], [0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80]);
    assert_eq!(got[106..], [0x8e, 0xed, 0xf2, 0x78, 0x5e, 0x42, 0x87, 0x4d]);
}

const fn crc_table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u64;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xC96C_5795_D787_0F42 } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}

#[gpu_const]
static CRC_TABLE: [u64; 256] = crc_table();

#[gpu_kernel]
fn crc64(data: &[u8], per_thread: usize, out: &mut [u64]) {
    let i = global_id();
    let Some(slot) = (i < out.len()).then_some(i) else { return };
    let mut crc = !0u64;
    for b in data.iter().skip(i * per_thread).take(per_thread) {
        crc = CRC_TABLE[((crc ^ *b as u64) & 0xff) as usize] ^ (crc >> 8);
    }
    out[slot] = !crc;
}

fn crc64_of_the_check_string(device: &Device) {
    let data = up(device, b"123456789123456789");
    let mut out = up(device, &[0u64; 2]);
    crc64(&data, 9, &mut out).over(2).launch(device).unwrap();
    assert_eq!(down(device, &out), [0x995d_c9bb_df19_39fa; 2]);
}

/// Sponge of Keccak-f\[1600\].
#[gpu_kernel]
fn keccak_f(states: &mut [[u64; 25]]) {
    const ROUND: [u64; 24] = round_constants();
    const ROTATION: [u32; 25] =
        [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];
    let id = global_id();
    if id >= states.len() {
        return;
    }
    let mut a = states[id];
    for rc in ROUND {
        let mut c = [0u64; 5];
        for x in 0..5 {
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        }
        for (i, lane) in a.iter_mut().enumerate() {
            *lane ^= c[(i + 4) % 5] ^ c[(i + 1) % 5].rotate_left(1);
        }
        let mut b = [0; 25];
        for (i, lane) in a.iter().enumerate() {
            let (x, y) = (i % 5, i / 5);
            b[y + 5 * ((2 * x + 3 * y) % 5)] = lane.rotate_left(ROTATION[i]);
        }
        for (i, lane) in a.iter_mut().enumerate() {
            let row = i / 5 * 5;
            *lane = b[i] ^ (!b[row + (i + 1) % 5] & b[row + (i + 2) % 5]);
        }
        a[0] ^= rc;
    }
    states[id] = a;
}

const fn round_constants() -> [u64; 24] {
    let mut constants = [0; 24];
    let (mut lfsr, mut round) = (1u8, 0);
    while round < 24 {
        let mut j = 0;
        while j < 7 {
            if lfsr & 1 != 0 {
                constants[round] |= 1 << ((1 << j) - 1);
            }
            lfsr = (lfsr << 1) ^ if lfsr & 0x80 != 0 { 0x71 } else { 0 };
            j += 1;
        }
        round += 1;
    }
    constants
}

fn keccak_of_zero(device: &Device) {
    let mut states = up(device, &[[0u64; 25]; 2]);
    keccak_f(&mut states).over(2).launch(device).unwrap();
    for got in down(device, &states) {
        assert_eq!(
            got[..4],
            [0xF125_8F79_40E1_DDE7, 0x84D5_CCF9_33C0_478A, 0xD598_261E_A65A_A9EE, 0xBD15_4730_6F80_494D]
        );
    }
}

#[gpu_fn]
fn fmix64(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51afd7ed558ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ceb9fe1a85ec53);
    k ^ k >> 33
}

/// MurmurHash3 of 128 bits, of keys of any length.
#[gpu_kernel]
fn murmurhash3(keys: &[u8], lengths: &[usize], offsets: &[usize], out: &mut [[u64; 2]]) {
    const C1: u64 = 0x87c37b91114253d5;
    const C2: u64 = 0x4cf5ad432745937f;
    let id = global_id();
    if id >= out.len() {
        return;
    }
    let len = lengths[id];
    let data = &keys[offsets[id]..offsets[id] + len];
    let (mut h1, mut h2) = (42u64, 42u64);
    let word = |at: usize, n: usize| {
        let mut w = 0u64;
        for k in 0..n {
            w |= u64::from(data[at + k]) << (8 * k);
        }
        w
    };
    for i in 0..len / 16 {
        let (mut k1, mut k2) = (word(i * 16, 8), word(i * 16 + 8, 8));
        k1 = k1.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
        h1 ^= k1;
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dce729);
        k2 = k2.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
        h2 ^= k2;
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x38495ab5);
    }
    let (tail, rest) = (len / 16 * 16, len & 15);
    if rest > 8 {
        h2 ^= word(tail + 8, rest - 8).wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    }
    if rest > 0 {
        h1 ^= word(tail, rest.min(8)).wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    }
    h1 ^= len as u64;
    h2 ^= len as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = fmix64(h1);
    h2 = fmix64(h2);
    h1 = h1.wrapping_add(h2);
    out[id] = [h1, h2.wrapping_add(h1)];
}

fn murmur_on_host(data: &[u8]) -> [u64; 2] {
    let (c1, c2) = (0x87c3_7b91_1142_53d5u64, 0x4cf5_ad43_2745_937fu64);
    let m = |a: u64, b: u64, c: u64, r: u32| a.wrapping_mul(b).rotate_left(r).wrapping_mul(c);
    let word = |b: &[u8]| b.iter().rev().fold(0, |w, v| w << 8 | u64::from(*v));
    let (mut h, mut g) = (42u64, 42u64);
    let chunks = data.chunks_exact(16);
    let tail = chunks.remainder();
    for c in chunks {
        h = (h ^ m(word(&c[..8]), c1, c2, 31))
            .rotate_left(27)
            .wrapping_add(g)
            .wrapping_mul(5)
            .wrapping_add(0x52dc_e729);
        g = (g ^ m(word(&c[8..]), c2, c1, 33))
            .rotate_left(31)
            .wrapping_add(h)
            .wrapping_mul(5)
            .wrapping_add(0x3849_5ab5);
    }
    g ^= m(word(&tail[tail.len().min(8)..]), c2, c1, 33) ^ data.len() as u64;
    h ^= m(word(&tail[..tail.len().min(8)]), c1, c2, 31) ^ data.len() as u64;
    h = h.wrapping_add(g);
    g = g.wrapping_add(h);
    (h, g) = (fmix64(h), fmix64(g));
    h = h.wrapping_add(g);
    [h, g.wrapping_add(h)]
}

fn murmurhash3_of_every_tail(device: &Device) {
    let keys: Vec<u8> = integers(400, 256, 131).iter().map(|v| *v as u8).collect();
    let lengths: Vec<usize> = (0..24).collect();
    let offsets: Vec<usize> = (0..24).map(|i| i * 16).collect();
    let (dk, dl, dof) = (up(device, &keys), up(device, &lengths), up(device, &offsets));
    let mut out = up(device, &[[0u64; 2]; 24]);
    murmurhash3(&dk, &dl, &dof, &mut out).over(24).launch(device).unwrap();
    let want: Vec<[u64; 2]> = (0..24).map(|i| murmur_on_host(&keys[i * 16..i * 16 + i])).collect();
    assert_eq!(down(device, &out), want);
}
