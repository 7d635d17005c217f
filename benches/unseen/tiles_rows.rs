//! A block's share of a row in dynamic shared memory: reductions, scans, sorts and transforms whose extent is known when
//! the kernel is launched.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "tiles_rows",
    originals: include_str!("tiles_rows.cu"),
    kernels: &[
        Unseen {
            name: "reduce_dynamic",
            class: "reduction, dynamic shared, u32",
            make: reduce_dynamic_trial,
        },
        Unseen { name: "scan_dynamic", class: "scan, dynamic shared, usize", make: scan_dynamic_trial },
        Unseen {
            name: "softmax_dynamic",
            class: "lane-stride rows, dynamic shared",
            make: softmax_dynamic_trial,
        },
        Unseen {
            name: "histogram_dynamic",
            class: "histogram, dynamic shared",
            make: histogram_dynamic_trial,
        },
        Unseen { name: "fft_dynamic", class: "FFT, dynamic shared, u32", make: fft_dynamic_trial },
        Unseen {
            name: "odd_even_dynamic",
            class: "sort, dynamic shared, usize",
            make: odd_even_dynamic_trial,
        },
        Unseen { name: "haar_dynamic", class: "wavelet, dynamic shared, i32", make: haar_dynamic_trial },
    ],
};

#[gpu_kernel]
fn reduce_dynamic(input: &[i32], sums: &mut [i32], n: u32) {
    let mut shared = dynamic_shared::<i32>();
    let tid = thread_idx().x;
    let i = block_idx().x * block_dim().x * 2 + tid;
    let mut sum = 0;
    if i < n {
        sum = input[i];
    }
    if i + block_dim().x < n {
        sum += input[i + block_dim().x];
    }
    shared[tid] = sum;
    sync_threads();
    let mut s = block_dim().x / 2;
    while s > 0 {
        if tid < s {
            shared[tid] += shared[tid + s];
        }
        sync_threads();
        s /= 2;
    }
    if tid == 0 {
        sums[block_idx().x] = shared[0];
    }
}

fn reduce_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, block) = ground.pick((300, 64), (1 << 25, 256));
    let input = ground.ints(n, -100..100);
    let di = ground.up(&input)?;
    let share = 2 * block as usize;
    let want = move |b: usize| input[b * share..n.min((b + 1) * share)].iter().sum();
    let mut sums = ground.blank(n.div_ceil(share), exactly(want))?;
    let shape = Shape::line(n.div_ceil(2), block).shared(4 * block as usize);
    trial!(
        ground,
        shape,
        reduce_dynamic(&di, &mut sums.memory, n as u32),
        original(&di, &sums.memory, n as u32),
        [sums]
    )
}

/// Sums up to and with each element, of each block's share; two halves of memory take turns.
#[gpu_kernel]
fn scan_dynamic(input: &[u32], output: &mut [u32], n: usize) {
    let mut both = dynamic_shared::<u32>();
    let t = thread_idx().x as usize;
    let size = block_dim().x as usize;
    let i = block_idx().x as usize * size + t;
    let mut from = 0;
    let mut to = size;
    both[t] = if i < n { input[i] } else { 0 };
    sync_threads();
    let mut offset = 1;
    while offset < size {
        both[to + t] = if t >= offset { both[from + t] + both[from + t - offset] } else { both[from + t] };
        sync_threads();
        let kept = from;
        from = to;
        to = kept;
        offset *= 2;
    }
    if i < n {
        output[i] = both[from + t];
    }
}

fn scan_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, block) = ground.pick((150, 64), (1 << 24, 256));
    let input = ground.below(n, 1000);
    let di = ground.up(&input)?;
    let want = move |i: usize| input[i / block as usize * block as usize..=i].iter().sum();
    let mut output = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, block).shared(2 * 4 * block as usize),
        scan_dynamic(&di, &mut output.memory, n),
        original(&di, &output.memory, n as i32),
        [output]
    )
}

/// A block a row, which it keeps; then as many words for the block's reductions as it has threads.
#[gpu_kernel]
fn softmax_dynamic(input: &[f32], output: &mut [f32], cols: usize) {
    let mut all = dynamic_shared::<f32>();
    let (row, partial) = all.split_at_mut(cols);
    let base = block_idx().x as usize * cols;
    let t = thread_idx().x as usize;
    let size = block_dim().x as usize;
    let mut largest = f32::MIN;
    for c in (t..cols).step_by(size) {
        row[c] = input[base + c];
        largest = largest.max(row[c]);
    }
    partial[t] = largest;
    sync_threads();
    let mut s = size / 2;
    while s > 0 {
        if t < s {
            partial[t] = partial[t].max(partial[t + s]);
        }
        sync_threads();
        s /= 2;
    }
    largest = partial[0];
    sync_threads();
    let mut sum = 0.0;
    for c in (t..cols).step_by(size) {
        row[c] = (row[c] - largest).exp();
        sum += row[c];
    }
    partial[t] = sum;
    sync_threads();
    let mut s = size / 2;
    while s > 0 {
        if t < s {
            partial[t] += partial[t + s];
        }
        sync_threads();
        s /= 2;
    }
    for c in (t..cols).step_by(size) {
        output[base + c] = row[c] / partial[0];
    }
}

fn softmax_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (rows, cols, block) = ground.pick((3, 100, 32), (8192, 2000, 256));
    let input = ground.between(rows * cols, -4.0..4.0);
    let di = ground.up(&input)?;
    let want = move |at: usize| {
        let row = &input[at / cols * cols..][..cols];
        let sum: f64 = row.iter().map(|v| f64::from(*v).exp()).sum();
        (f64::from(input[at]).exp() / sum) as f32
    };
    let mut output = ground.blank(rows * cols, near(1e-5, want))?;
    let shape = Shape::blocks([rows as u32, 1, 1], [block, 1, 1]).shared(4 * (cols + block as usize));
    trial!(
        ground,
        shape,
        softmax_dynamic(&di, &mut output.memory, cols),
        original(&di, &output.memory, cols as i32),
        [output]
    )
}

/// Counts of keys; a block counts in shared memory first. The counts are those of before and these.
#[gpu_kernel]
fn histogram_dynamic(keys: &[u32], counts: &mut [u32], bins: u32) {
    let mut own = dynamic_shared::<u32>();
    let mut b = thread_idx().x;
    while b < bins {
        own[b] = 0;
        b += block_dim().x;
    }
    sync_threads();
    let mut i = global_id();
    while i < keys.len() {
        atomic_add(&mut own[keys[i] % bins], 1);
        i += global_size();
    }
    sync_threads();
    let mut b = thread_idx().x;
    while b < bins {
        atomic_add(&mut counts[b], own[b]);
        b += block_dim().x;
    }
}

fn histogram_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, bins, blocks, block) = ground.pick((900, 50, 3, 64), (1 << 25, 1000, 528, 256));
    let keys = ground.below(n, u32::MAX);
    let dk = ground.up(&keys)?;
    let mut wanted = vec![7u32; bins];
    keys.iter().for_each(|key| wanted[*key as usize % bins] += 1);
    let mut counts = ground.from(vec![7; bins], exactly(move |b| wanted[b]))?;
    let shape = Shape::blocks([blocks, 1, 1], [block, 1, 1]).shared(4 * bins);
    trial!(
        ground,
        shape,
        histogram_dynamic(&dk, &mut counts.memory, bins as u32),
        original(&dk, &counts.memory, n as i32, bins as u32),
        [counts]
    )
}

/// Transforms of a power of two of complex numbers, a block each, half as many threads: radix two, in place.
#[gpu_kernel]
fn fft_dynamic(signal: &[F32x2], spectrum: &mut [F32x2], log_n: u32) {
    let mut data = dynamic_shared::<F32x2>();
    let n = 1u32 << log_n;
    let t = thread_idx().x;
    let base = block_idx().x * n;
    for half in 0..2 {
        let i = t + half * (n / 2);
        data[i.reverse_bits() >> (32 - log_n)] = signal[base + i];
    }
    sync_threads();
    for stage in 0..log_n {
        let span = 1u32 << stage;
        let k = t & (span - 1);
        let low = ((t >> stage) << (stage + 1)) + k;
        let high = low + span;
        let angle = -std::f32::consts::PI * k as f32 / span as f32;
        let (sine, cosine) = angle.sin_cos();
        let a = data[low];
        let b = data[high];
        let turned = F32x2::new(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        data[low] = a + turned;
        data[high] = a - turned;
        sync_threads();
    }
    spectrum[base + t] = data[t];
    spectrum[base + t + n / 2] = data[t + n / 2];
}

fn fft_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (count, log_n) = ground.pick((2, 6), (16_384, 9));
    let n = 1usize << log_n;
    let signal: Vec<F32x2> =
        ground.floats(2 * count * n).chunks_exact(2).map(|v| F32x2::new(v[0], v[1])).collect();
    let ds = ground.up(&signal)?;
    let want = move |at: usize| {
        let (block, k) = (&signal[at / n * n..][..n], at % n);
        let (mut re, mut im) = (0.0f64, 0.0f64);
        for (i, v) in block.iter().enumerate() {
            let (s, c) = (-2.0 * std::f64::consts::PI * (i * k % n) as f64 / n as f64).sin_cos();
            re += f64::from(v.x) * c - f64::from(v.y) * s;
            im += f64::from(v.x) * s + f64::from(v.y) * c;
        }
        F32x2::new(re as f32, im as f32)
    };
    let mut spectrum = ground.blank(count * n, near(1e-3, want))?;
    trial!(
        ground,
        Shape::blocks([count as u32, 1, 1], [n as u32 / 2, 1, 1]).shared(8 * n),
        fft_dynamic(&ds, &mut spectrum.memory, log_n),
        original(&ds, &spectrum.memory, log_n),
        [spectrum]
    )
}

/// Sorts a block's share by comparing neighbours; two elements a thread.
#[gpu_kernel]
fn odd_even_dynamic(keys: &[i32], sorted: &mut [i32]) {
    let mut run = dynamic_shared::<i32>();
    let t = thread_idx().x as usize;
    let n = block_dim().x as usize * 2;
    let base = block_idx().x as usize * n;
    run[t] = keys[base + t];
    run[t + n / 2] = keys[base + t + n / 2];
    sync_threads();
    for step in 0..n {
        let i = 2 * t + step % 2;
        if i + 1 < n && run[i] > run[i + 1] {
            let kept = run[i];
            run[i] = run[i + 1];
            run[i + 1] = kept;
        }
        sync_threads();
    }
    sorted[base + t] = run[t];
    sorted[base + t + n / 2] = run[t + n / 2];
}

fn odd_even_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (blocks, block) = ground.pick((2, 32), (2048, 128));
    let n = 2 * block as usize;
    let keys = ground.ints(blocks * n, -10_000..10_000);
    let dk = ground.up(&keys)?;
    let mut wanted = keys.clone();
    wanted.chunks_exact_mut(n).for_each(<[i32]>::sort_unstable);
    let mut sorted = ground.blank(blocks * n, exactly(move |i| wanted[i]))?;
    trial!(
        ground,
        Shape::blocks([blocks as u32, 1, 1], [block, 1, 1]).shared(4 * n),
        odd_even_dynamic(&dk, &mut sorted.memory),
        original(&dk, &sorted.memory),
        [sorted]
    )
}

/// All levels of Haar's wavelets of a block's share; two elements a thread.
#[gpu_kernel]
fn haar_dynamic(signal: &[f32], coefficients: &mut [f32], n: i32) {
    let mut level = dynamic_shared::<f32>();
    let t = thread_idx().x as i32;
    let base = block_idx().x as i32 * n;
    level[t] = signal[base + t];
    level[t + n / 2] = signal[base + t + n / 2];
    sync_threads();
    let mut half = n / 2;
    while half >= 1 {
        let mut mean = 0.0;
        if t < half {
            let (left, right) = (level[2 * t], level[2 * t + 1]);
            mean = (left + right) * std::f32::consts::FRAC_1_SQRT_2;
            coefficients[base + half + t] = (left - right) * std::f32::consts::FRAC_1_SQRT_2;
        }
        sync_threads();
        if t < half {
            level[t] = mean;
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        coefficients[base] = level[0];
    }
}

fn haar_dynamic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (blocks, block) = ground.pick((2, 32), (16_384, 256));
    let n = 2 * block as usize;
    let signal = ground.floats(blocks * n);
    let ds = ground.up(&signal)?;
    let mut wanted: Vec<f32> = vec![0.0; blocks * n];
    for (signal, wanted) in signal.chunks_exact(n).zip(wanted.chunks_exact_mut(n)) {
        let mut level: Vec<f64> = signal.iter().map(|v| f64::from(*v)).collect();
        while level.len() > 1 {
            let half = level.len() / 2;
            let pairs: Vec<(f64, f64)> = level.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            (0..half).for_each(|k| wanted[half + k] = ((pairs[k].0 - pairs[k].1) * 0.5f64.sqrt()) as f32);
            level = pairs.iter().map(|(left, right)| (left + right) * 0.5f64.sqrt()).collect();
        }
        wanted[0] = level[0] as f32;
    }
    let mut out = ground.blank(blocks * n, near(1e-4, move |i| wanted[i]))?;
    trial!(
        ground,
        Shape::blocks([blocks as u32, 1, 1], [block, 1, 1]).shared(4 * n),
        haar_dynamic(&ds, &mut out.memory, n as i32),
        original(&ds, &out.memory, n as i32),
        [out]
    )
}
