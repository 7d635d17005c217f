//! Ciphers, hashes, random numbers, options and rays.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "numbers",
    originals: include_str!("numbers.cu"),
    kernels: &[
        Unseen { name: "chacha20", class: "cipher, array by a closure, usize", make: chacha20_trial },
        Unseen { name: "xxhash", class: "hash of records, chunks, usize", make: xxhash_trial },
        Unseen { name: "sobol", class: "quasi-random, shared table, bits, u32", make: sobol_trial },
        Unseen { name: "binomial", class: "tree in registers and shared, i32", make: binomial_trial },
        Unseen { name: "asian", class: "random paths, methods, fold, usize", make: asian_trial },
        Unseen { name: "bvh_rays", class: "tree with a stack, options, usize", make: bvh_rays_trial },
    ],
};

/// A part of a round of ChaCha.
#[gpu_fn]
fn quarter(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(16);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(12);
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(8);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(7);
}

/// Encrypts blocks of 64 bytes in place.
#[gpu_kernel]
fn chacha20(key: &[u32], nonce: &[u32], data: &mut [u32], counter: u32) {
    let i = global_id();
    if i >= data.len() / 16 {
        return;
    }
    let start: [u32; 16] = std::array::from_fn(|k| match k {
        0 => 0x6170_7865,
        1 => 0x3320_646e,
        2 => 0x7962_2d32,
        3 => 0x6b20_6574,
        4..12 => key[k - 4],
        12 => counter.wrapping_add(i as u32),
        _ => nonce[k - 13],
    });
    let mut s = start;
    for _ in 0..10 {
        quarter(&mut s, 0, 4, 8, 12);
        quarter(&mut s, 1, 5, 9, 13);
        quarter(&mut s, 2, 6, 10, 14);
        quarter(&mut s, 3, 7, 11, 15);
        quarter(&mut s, 0, 5, 10, 15);
        quarter(&mut s, 1, 6, 11, 12);
        quarter(&mut s, 2, 7, 8, 13);
        quarter(&mut s, 3, 4, 9, 14);
    }
    for (word, (a, b)) in data[16 * i..16 * (i + 1)].iter_mut().zip(s.iter().zip(&start)) {
        *word ^= a.wrapping_add(*b);
    }
}

fn chacha20_trial(ground: &Ground) -> Result<Trial, Failure> {
    let blocks = ground.pick(70, 1 << 21);
    let random = |n| ground.each(n, |word| (word >> 32) as u32);
    let (key, nonce, data) = (random(8), random(3), random(16 * blocks));
    let (dk, dn, before) = (ground.up(&key)?, ground.up(&nonce)?, data.clone());
    let want = move |at: usize| {
        let words = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
        let all =
            words.iter().chain(&key).copied().chain([5 + (at / 16) as u32]).chain(nonce.iter().copied());
        let start: Vec<u32> = all.collect();
        let mut s = start.clone();
        for round in 0..20 {
            for k in 0..4 {
                let place = |row: usize| 4 * row + (k + row * (round % 2)) % 4;
                let [a, b, c, d] = std::array::from_fn(place);
                for (to, by, turned, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                    s[to] = s[to].wrapping_add(s[by]);
                    s[turned] = (s[turned] ^ s[to]).rotate_left(bits);
                }
            }
        }
        before[at] ^ s[at % 16].wrapping_add(start[at % 16])
    };
    let mut data = ground.from(data, exactly(want))?;
    trial!(
        ground,
        Shape::line(blocks, 128),
        chacha20(&dk, &dn, &mut data.memory, 5),
        original(&dk, &dn, &data.memory, blocks as i32, 5u32),
        [data]
    )
}

const PRIME1: u32 = 0x9e37_79b1;
const PRIME2: u32 = 0x85eb_ca77;
const PRIME3: u32 = 0xc2b2_ae3d;
const PRIME4: u32 = 0x27d4_eb2f;

/// The hashes (XXH32) of records of whole words.
#[gpu_kernel]
fn xxhash(data: &[u32], hashes: &mut [u32], words: usize) {
    let i = global_id();
    if i >= hashes.len() {
        return;
    }
    let record = &data[i * words..(i + 1) * words];
    let mut acc = [PRIME1.wrapping_add(PRIME2), PRIME2, 0, PRIME1.wrapping_neg()];
    for chunk in record.chunks_exact(4) {
        for (a, word) in acc.iter_mut().zip(chunk) {
            *a = a.wrapping_add(word.wrapping_mul(PRIME2)).rotate_left(13).wrapping_mul(PRIME1);
        }
    }
    let mut h = acc[0]
        .rotate_left(1)
        .wrapping_add(acc[1].rotate_left(7))
        .wrapping_add(acc[2].rotate_left(12))
        .wrapping_add(acc[3].rotate_left(18))
        .wrapping_add(4 * words as u32);
    for word in &record[words / 4 * 4..] {
        h = h.wrapping_add(word.wrapping_mul(PRIME3)).rotate_left(17).wrapping_mul(PRIME4);
    }
    h ^= h >> 15;
    h = h.wrapping_mul(PRIME2);
    h ^= h >> 13;
    h = h.wrapping_mul(PRIME3);
    hashes[i] = h ^ h >> 16;
}

fn xxhash_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [records, words] = ground.pick([90, 23], [1 << 20, 23]);
    let data = ground.each(records * words, |word| (word >> 32) as u32);
    let dd = ground.up(&data)?;
    let want = move |i: usize| {
        let record = &data[i * words..][..words];
        let mut acc = [PRIME1.wrapping_add(PRIME2), PRIME2, 0, 0u32.wrapping_sub(PRIME1)];
        let whole = words / 4 * 4;
        for (k, word) in record[..whole].iter().enumerate() {
            let mixed = acc[k % 4].wrapping_add(word.wrapping_mul(PRIME2));
            acc[k % 4] = mixed.rotate_left(13).wrapping_mul(PRIME1);
        }
        let turned = acc.iter().zip([1, 7, 12, 18]).map(|(a, by)| a.rotate_left(by));
        let mut h = turned.fold(4 * words as u32, u32::wrapping_add);
        for word in &record[whole..] {
            h = h.wrapping_add(word.wrapping_mul(PRIME3)).rotate_left(17).wrapping_mul(PRIME4);
        }
        h = (h ^ h >> 15).wrapping_mul(PRIME2);
        h = (h ^ h >> 13).wrapping_mul(PRIME3);
        h ^ h >> 16
    };
    let mut hashes = ground.blank(records, exactly(want))?;
    trial!(
        ground,
        Shape::line(records, 128),
        xxhash(&dd, &mut hashes.memory, words),
        original(&dd, &hashes.memory, records as i32, words as i32),
        [hashes]
    )
}

/// Points of Sobol's sequence, a dimension for each row of blocks; a thread goes through the sequence in large steps.
#[gpu_kernel]
fn sobol(n_vectors: u32, directions: &[u32], output: &mut [f32]) {
    let mut v = shared!([u32; 32]);
    let directions = &directions[32 * block_idx().y..];
    let output = &mut output[n_vectors * block_idx().y..];
    if thread_idx().x < 32 {
        v[thread_idx().x] = directions[thread_idx().x];
    }
    sync_threads();
    let i0 = thread_idx().x + block_idx().x * block_dim().x;
    let stride = grid_dim().x * block_dim().x;
    let mut g = i0 ^ (i0 >> 1);
    let mut x = 0;
    for k in 0..stride.trailing_zeros() {
        let mask = (g & 1).wrapping_neg();
        x ^= mask & v[k];
        g >>= 1;
    }
    if i0 < n_vectors {
        output[i0] = x as f32 * 2.328_306_4e-10;
    }
    let v_stride = v[stride.trailing_zeros() - 1];
    let v_mask = stride - 1;
    let mut i = i0 + stride;
    while i < n_vectors {
        x ^= v_stride ^ v[(!((i - stride) | v_mask)).trailing_zeros()];
        output[i] = x as f32 * 2.328_306_4e-10;
        i += stride;
    }
}

fn sobol_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, dimensions, blocks] = ground.pick([500, 3, 2], [1 << 18, 128, 64]);
    // Any table of numbers, each with a highest bit of its own, gives such a sequence.
    let directions: Vec<u32> =
        (0..32 * dimensions).map(|k| ((ground.word() >> 32) as u32 | 1 << 31) >> (k % 32)).collect();
    let dd = ground.up(&directions)?;
    let want = move |at: usize| {
        let (i, own) = ((at % n) as u32, &directions[at / n * 32..][..32]);
        let gray = i ^ i >> 1;
        let x = (0..32).filter(|k| gray >> k & 1 == 1).fold(0, |x, k| x ^ own[k]);
        x as f32 / 4_294_967_296.0
    };
    let mut output = ground.blank(n * dimensions, near(1e-6, want))?;
    let shape = Shape::blocks([blocks as u32, dimensions as u32, 1], [64, 1, 1]);
    let n = n as u32;
    trial!(ground, shape, sobol(n, &dd, &mut output.memory), original(n, &dd, &output.memory), [output])
}

const THREADS: i32 = 128;
const ELEMENTS: i32 = 4;
const STEPS: i32 = THREADS * ELEMENTS;

/// An option, and how its price moves in a step.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Contract {
    s: f32,
    x: f32,
    vdt: f32,
    pu: f32,
    pd: f32,
}

/// What an option is worth in the end.
#[gpu_fn]
fn expiry_value(s: f32, x: f32, vdt: f32, i: i32) -> f32 {
    let d = s * (vdt * (2.0 * i as f32 - STEPS as f32)).exp() - x;
    if d > 0.0 { d } else { 0.0 }
}

/// Options by a binomial tree; a block has an option, and a thread some leaves next to each other.
#[gpu_kernel]
fn binomial(contracts: &[Contract], values: &mut [f32]) {
    let mut exchange = shared!([f32; THREADS as usize + 1]);
    let tid = thread_idx().x as i32;
    let Contract { s, x, vdt, pu, pd } = contracts[block_idx().x];
    let mut call = [0.0f32; ELEMENTS as usize + 1];
    for i in 0..ELEMENTS {
        call[i] = expiry_value(s, x, vdt, tid * ELEMENTS + i);
    }
    if tid == 0 {
        exchange[THREADS] = expiry_value(s, x, vdt, STEPS);
    }
    let final_it = (tid * ELEMENTS - 1).max(0);
    #[unroll(16)]
    for i in (1..=STEPS).rev() {
        exchange[tid] = call[0];
        sync_threads();
        call[ELEMENTS] = exchange[tid + 1];
        sync_threads();
        if i > final_it {
            #[unroll]
            for j in 0..ELEMENTS {
                call[j] = pu * call[j + 1] + pd * call[j];
            }
        }
    }
    if tid == 0 {
        values[block_idx().x] = call[0];
    }
}

fn binomial_trial(ground: &Ground) -> Result<Trial, Failure> {
    let count = ground.pick(2, 4096);
    let make = |word: u64| {
        let part = |k: u32| (word >> (16 * k) & 0xffff) as f32 / 65536.0;
        let (years, rate) = (0.5 + part(2), 0.05);
        let dt = years / STEPS as f32;
        let (vdt, growth) = (0.3 * dt.sqrt(), (rate * dt).exp());
        let up = (growth - (-vdt).exp()) / (vdt.exp() - (-vdt).exp());
        Contract {
            s: 5.0 + 25.0 * part(0),
            x: 5.0 + 25.0 * part(1),
            vdt,
            pu: up / growth,
            pd: (1.0 - up) / growth,
        }
    };
    let contracts = ground.each(count, make);
    let dc = ground.up(&contracts)?;
    let want = move |at: usize| {
        let [s, x, vdt, pu, pd] = {
            let c = &contracts[at];
            [c.s, c.x, c.vdt, c.pu, c.pd].map(f64::from)
        };
        let leaf = |i| (s * (vdt * f64::from(2 * i - STEPS)).exp() - x).max(0.0);
        let mut level: Vec<f64> = (0..=STEPS).map(leaf).collect();
        while level.len() > 1 {
            level = level.windows(2).map(|pair| pu * pair[1] + pd * pair[0]).collect();
        }
        level[0] as f32
    };
    let mut values = ground.blank(count, near(1e-3, want))?;
    let shape = Shape::blocks([count as u32, 1, 1], [THREADS as u32, 1, 1]);
    trial!(ground, shape, binomial(&dc, &mut values.memory), original(&dc, &values.memory), [values])
}

/// A generator of random numbers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rng {
    state: u32,
}

#[gpu_impl]
impl Rng {
    fn next(&mut self) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        self.state
    }

    /// A number in [0, 1), of 24 bits.
    fn uniform(&mut self) -> f32 {
        (self.next() >> 8) as f32 * 5.960_464_5e-8
    }

    fn normal(&mut self) -> f32 {
        let a = self.uniform() + 5.960_464_5e-8;
        let b = self.uniform();
        (-2.0 * a.ln()).sqrt() * (std::f32::consts::TAU * b).cos()
    }
}

/// What options on the mean of a price pay, by random paths.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn asian(
    seeds: &[u32],
    payoffs: &mut [f32],
    paths: usize,
    steps: usize,
    spot: f32,
    strike: f32,
    drift: f32,
    volatility: f32,
) {
    let i = global_id();
    if i >= payoffs.len() {
        return;
    }
    let mut rng = Rng { state: seeds[i] };
    let mut sum = 0.0;
    for _ in 0..paths {
        let (_, total) = (0..steps).fold((spot, 0.0), |(price, total), _| {
            let price = price * (drift + volatility * rng.normal()).exp();
            (price, total + price)
        });
        sum += (total / steps as f32 - strike).max(0.0);
    }
    payoffs[i] = sum / paths as f32;
}

fn asian_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, paths, steps] = ground.pick([70, 2, 8], [1 << 17, 8, 32]);
    let seeds = ground.each(n, |word| (word >> 32) as u32 | 1);
    let ds = ground.up(&seeds)?;
    let want = move |i: usize| {
        let mut rng = Rng { state: seeds[i] };
        let mut payoff = || {
            let (mut price, mut total) = (100.0f64, 0.0);
            for _ in 0..steps {
                price *= (0.001 + 0.05 * f64::from(rng.normal())).exp();
                total += price;
            }
            (total / steps as f64 - 100.0).max(0.0)
        };
        ((0..paths).map(|_| payoff()).sum::<f64>() / paths as f64) as f32
    };
    let mut payoffs = ground.blank(n, near(1e-2, want))?;
    let [k, p, s] = [n, paths, steps].map(|n| n as i32);
    trial!(
        ground,
        Shape::line(n, 128),
        asian(&ds, &mut payoffs.memory, paths, steps, 100.0, 100.0, 0.001, 0.05),
        original(&ds, &payoffs.memory, k, p, s, 100.0f32, 100.0f32, 0.001f32, 0.05f32),
        [payoffs]
    )
}

/// A box: of others, the first of the two that it has; or, with a count, of boxes without any in them.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Node {
    low: [f32; 3],
    first: u32,
    high: [f32; 3],
    count: u32,
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Ray {
    origin: [f32; 3],
    inverse: [f32; 3],
}

#[gpu_impl]
impl Ray {
    /// The distance to a box.
    fn hit(&self, node: &Node) -> Option<f32> {
        let (mut enter, mut leave) = (0.0f32, f32::INFINITY);
        for k in 0..3 {
            let a = (node.low[k] - self.origin[k]) * self.inverse[k];
            let b = (node.high[k] - self.origin[k]) * self.inverse[k];
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some(enter)
    }
}

/// How far the nearest box is on each ray, by a tree of boxes.
#[gpu_kernel]
fn bvh_rays(nodes: &[Node], boxes: &[Node], rays: &[Ray], distances: &mut [f32]) {
    let i = global_id();
    let Some(ray) = rays.get(i) else {
        return;
    };
    let mut nearest = f32::INFINITY;
    let mut stack = [0usize; 32];
    let mut top = 1;
    while top > 0 {
        top -= 1;
        let node = nodes[stack[top]];
        let Some(entered) = ray.hit(&node) else { continue };
        if entered >= nearest {
            continue;
        }
        let first = node.first as usize;
        if node.count == 0 {
            stack[top] = first;
            stack[top + 1] = first + 1;
            top += 2;
            continue;
        }
        for other in &boxes[first..first + node.count as usize] {
            if let Some(t) = ray.hit(other) {
                nearest = nearest.min(t);
            }
        }
    }
    distances[i] = nearest;
}

/// Fills a node, and those below it.
fn build(nodes: &mut Vec<Node>, at: usize, boxes: &mut [Node], first: usize) {
    let bound = |pick: fn(&Node) -> [f32; 3], join: fn(f32, f32) -> f32| {
        std::array::from_fn(|k| boxes.iter().map(|b| pick(b)[k]).reduce(join).unwrap_or(0.0))
    };
    let (low, high) = (bound(|b| b.low, f32::min), bound(|b| b.high, f32::max));
    if boxes.len() <= 4 {
        nodes[at] = Node { low, first: first as u32, high, count: boxes.len() as u32 };
        return;
    }
    let longest = (0..3).max_by(|a, b| (high[*a] - low[*a]).total_cmp(&(high[*b] - low[*b]))).unwrap_or(0);
    boxes.sort_by(|a, b| a.low[longest].total_cmp(&b.low[longest]));
    let below = nodes.len();
    nodes[at] = Node { low, first: below as u32, high, count: 0 };
    nodes.extend([nodes[at]; 2]);
    let (left, right) = boxes.split_at_mut(boxes.len() / 2);
    let middle = first + left.len();
    build(nodes, below, left, first);
    build(nodes, below + 1, right, middle);
}

fn bvh_rays_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, count] = ground.pick([90, 50], [1 << 18, 1 << 13]);
    let three = |range: std::ops::Range<f32>| -> [f32; 3] {
        let all = ground.between(3, range);
        [all[0], all[1], all[2]]
    };
    let a_box = |_| {
        let (low, extent) = (three(0.0..1.0), three(0.001..0.03));
        Node { low, first: 0, high: std::array::from_fn(|k| low[k] + extent[k]), count: 1 }
    };
    let mut boxes: Vec<Node> = (0..count).map(a_box).collect();
    let mut nodes = vec![boxes[0]];
    build(&mut nodes, 0, &mut boxes, 0);
    let a_ray = |_| Ray { origin: three(-1.0..0.0), inverse: three(0.2..1.0).map(|v| 1.0 / v) };
    let rays: Vec<Ray> = (0..n).map(a_ray).collect();
    let (dn, db, dr) = (ground.up(&nodes)?, ground.up(&boxes)?, ground.up(&rays)?);
    let want = move |i: usize| boxes.iter().filter_map(|b| rays[i].hit(b)).fold(f32::INFINITY, f32::min);
    let mut distances = ground.blank(n, near(1e-6, want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        bvh_rays(&dn, &db, &dr, &mut distances.memory),
        original(&dn, &db, &dr, &distances.memory, n as i32),
        [distances]
    )
}
