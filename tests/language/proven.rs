//! Indices that the text or a launch proves: they are not checked, and where a launch proves less, they are.

use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Grid {
    pitch: u32,
    extents: [usize; 2],
}

/// The transpose of a matrix of `extents[0]` rows and `extents[1]` columns.
#[gpu_kernel]
fn transposed(x: &[f32], y: &mut [f32], grid: Grid) {
    let [rows, cols] = grid.extents;
    let i = global_id();
    if i < x.len() {
        y[(i % cols) * rows + i / cols] = x[i];
    }
}

/// The same through pointers, whose offsets nothing checks.
#[gpu_kernel]
fn transposed_by_pointers(x: &[f32], y: &mut [f32], shape: [[usize; 2]; 1]) {
    let i = global_id();
    if i < x.len() {
        let (row, col) = (i / shape[0][1], i % shape[0][1]);
        // SAFETY: the launch has arrays of this shape.
        unsafe { *y.as_mut_ptr().wrapping_add(col * shape[0][0] + row) = *x.as_ptr().wrapping_add(i) };
    }
}

/// Elements that two numbers of a list are apart, in a loop.
#[gpu_kernel]
fn sums(x: &[f32], y: &mut [f32], at: [u32; 3]) {
    for i in (global_id()..y.len()).step_by(global_size()) {
        y[i] = x[i / at[0] as usize] + x[i % at[1] as usize + at[2] as usize];
    }
}

const SHAPE: [usize; 2] = [20, 30];

#[test]
fn elements_of_a_parameters_array_prove_indices_at_launch() {
    let device = Device::simulator();
    let x: Vec<f32> = (0..600).map(|i| i as f32).collect();
    let (from, mut to) =
        (device.upload(&x).expect("memory"), device.alloc_zeroed::<f32>(600).expect("memory"));
    let grid = Grid { pitch: 0, extents: SHAPE };
    let explained = transposed(&from, &mut to, grid).over(600).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    transposed(&from, &mut to, grid).over(600).launch(&device).expect("no fault");
    let wanted: Vec<f32> = (0..600).map(|i| (i % 20 * 30 + i / 20) as f32).collect();
    assert_eq!(device.download(&to).expect("memory"), wanted);

    let mut short = device.alloc_zeroed::<f32>(40).expect("memory");
    let explained = sums(&from, &mut short, [2, 7, 590]).over(8).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());

    // A launch whose numbers are others is checked.
    let launch = sums(&from, &mut short, [2, 7, 595]).over(40);
    assert_eq!(launch.explain().expect("it is valid").checked().count(), 1);
    let error = launch.launch(&device).expect_err("600 is behind the last").to_string();
    assert!(error.contains("index 600") && error.contains("length 600"), "{error}");
    let none = Grid { pitch: 0, extents: [20, 0] };
    let error =
        transposed(&from, &mut to, none).over(600).launch(&device).expect_err("no columns").to_string();
    assert!(error.contains("zero"), "{error}");
}

#[test]
fn quotients_are_of_32_bits_where_a_launch_shows_that_they_fit() {
    let device = Device::simulator();
    let x: Vec<f32> = (0..600).map(|i| i as f32).collect();
    let (from, mut to) =
        (device.upload(&x).expect("memory"), device.alloc_zeroed::<f32>(600).expect("memory"));
    let launch = transposed_by_pointers(&from, &mut to, [SHAPE]).over(600);
    let text = launch.cuda_source().expect("it is valid");
    assert!(text.contains("(unsigned int)i / (unsigned int)shape[0][1]"), "{text}");
    launch.launch(&device).expect("no fault");
    assert_eq!(device.download(&to).expect("memory")[..3], [0.0, 30.0, 60.0]);

    let text = transposed_by_pointers(&from, &mut to, [[20, 1 << 33]]).over(600).cuda_source();
    let text = text.expect("it is valid");
    assert!(text.contains("= i / shape[0][1]"), "{text}");
}

/// Sums of a window whose start only a remainder bounds.
#[gpu_kernel]
fn windows(out: &mut [f32]) {
    let w = [0.5f32; 9];
    let i = global_id();
    if i < out.len() {
        let n = i % 8;
        out[i] = w.iter().skip(n).take(8).sum();
    }
}

/// Numbers each of which is chosen by comparing those before it, and divided by one more.
#[gpu_kernel]
fn chosen(b: usize, out: &mut [u64]) {
    let n = b % 5;
    let t = if n < 7 { 7 - n } else { 0 };
    let c = if t < 5 { t } else { 5 };
    let d = if c < 5 - t % 4 { t - c % 3 } else { 5 };
    let e = if d < c { d + n } else { t % (d + 1) };
    let f = if e < d % (e + 1) { e - d } else { c };
    out[c] += 1;
    out[f % (e + 1)] += 2;
}

/// Each proof asks for others: all of them together have an end.
#[test]
fn proofs_that_need_each_other_end() {
    let device = Device::simulator();
    let mut out = device.alloc_zeroed::<f32>(20).expect("memory");
    let launch = windows(&mut out).over(20);
    assert_eq!(launch.explain().expect("it is valid").checked().count(), 0);
    launch.launch(&device).expect("no fault");
    let wanted: Vec<f32> = (0..20).map(|i| 0.5 * (9 - i % 8).min(8) as f32).collect();
    assert_eq!(device.download(&out).expect("memory"), wanted);
    let mut out = device.alloc_zeroed::<u64>(20).expect("memory");
    chosen(17, &mut out).grid(1).block(1).launch(&device).expect("no fault");
    assert_eq!(device.download(&out).expect("memory")[..6], [0, 0, 0, 0, 0, 3]);
}

/// Rows by their starts and lengths, and the components of vectors by their numbers.
#[gpu_kernel]
fn rows(x: &[f32], points: &[F32x3], y: &mut [f32], n: usize) {
    let i = global_id();
    if i < y.len() {
        let row = &x[i * n..][..n];
        let rest = &x[i * n..];
        let (mut sum, point) = (0.0, points[i]);
        for k in 0..n {
            sum += row[k] * rest[..n][k];
        }
        for k in 0..3 {
            sum += point[k];
        }
        y[i] = sum;
    }
}

#[test]
fn a_part_of_the_rest_of_a_slice_is_a_part_of_the_slice() {
    let device = Device::simulator();
    let x: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let from = device.upload(&x).expect("memory");
    let points = device.upload(&[F32x3::new(1.0, 2.0, 3.0); 6]).expect("memory");
    let mut sums = device.alloc_zeroed::<f32>(6).expect("memory");
    let explained = rows(&from, &points, &mut sums, 4).over(6).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    rows(&from, &points, &mut sums, 4).over(6).launch(&device).expect("no fault");
    let sum = |i: usize| (0..4).map(|k| x[i * 4 + k].powi(2)).sum::<f32>() + 6.0;
    assert_eq!(device.download(&sums).expect("memory"), (0..6).map(sum).collect::<Vec<_>>());

    let launch = rows(&from, &points, &mut sums, 5).over(6);
    assert!(launch.explain().expect("it is valid").checked().count() > 0);
    let error = launch.launch(&device).expect_err("29 is behind the last").to_string();
    assert!(error.contains("range bound 5 is beyond 4"), "{error}");
}

/// The number that each letter or digit stands for in base 36.
#[gpu_kernel]
fn values(text: &[u8], values: &mut [u32]) {
    let i = global_id();
    if i < text.len() && i < values.len() {
        let (c, mut of) = (text[i], [0u32; 36]);
        for k in 0..36 {
            of[k] = k;
        }
        if c.is_ascii_digit() {
            values[i] = of[(c - b'0') as usize];
        } else if c.is_ascii_lowercase() && c != b'z' {
            values[i] = of[(c - b'a') as usize + 11] - 1;
        }
    }
}

#[test]
fn classes_of_bytes_tell_their_range() {
    let device = Device::simulator();
    let text = device.upload(b"a0 9y{/z").expect("memory");
    let mut to = device.upload(&[99u32; 8]).expect("memory");
    let explained = values(&text, &mut to).over(8).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    values(&text, &mut to).over(8).launch(&device).expect("no fault");
    assert_eq!(device.download(&to).expect("memory"), [10, 0, 99, 9, 34, 99, 99, 99]);
}

/// Guards with names that also read memory, of numbers with a sign, across a barrier; and of the last of several elements.
#[gpu_kernel]
fn guarded(x: &[i32], y: &mut [i32], z: &mut [i32]) {
    let mut kept = shared!([i32; 32]);
    let i = global_id() as i32;
    let is_kept = (i as usize) < x.len() && x[i] > 0;
    let is_out = i as usize >= y.len() || y[i] < 0;
    kept[thread_idx().x % 32] = is_kept as i32;
    sync_threads();
    if is_kept {
        atomic_add(&mut y[0], x[i]);
    }
    let r = global_id();
    if (r + 1) * 4 <= z.len() {
        for k in 0..4 {
            z[r * 4 + k] = kept[(r * 4 + k) % 32];
        }
    }
    sync_threads();
    if is_out {
        return;
    }
    y[i] += kept[31 - thread_idx().x % 32];
}

#[test]
fn guards_with_names_prove_what_they_guard() {
    let device = Device::simulator();
    let (x, y) = (device.upload(&[1, 0, -2, 3, 4]).expect("memory"), [5, 6, -7, 8, 9, 10, 11]);
    let (mut to, mut z) = (device.upload(&y).expect("memory"), device.upload(&[9; 11]).expect("memory"));
    let explained = guarded(&x, &mut to, &mut z).grid(1).block(32).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    guarded(&x, &mut to, &mut z).grid(1).block(32).launch(&device).expect("no fault");
    assert_eq!(device.download(&to).expect("memory"), [13, 6, -7, 8, 9, 10, 11]);
    assert_eq!(device.download(&z).expect("memory"), [1, 0, 0, 1, 1, 0, 0, 0, 9, 9, 9]);
}

/// Walks that take what is left of a slice apart.
#[gpu_kernel]
fn walked(x: &[u32], y: &mut [u32]) {
    let (mut rest, mut sum) = (x, 0);
    while let [first, others @ ..] = rest {
        sum += first;
        rest = others;
    }
    rest = x;
    while !rest.is_empty() {
        sum += rest[0] * 10;
        rest = &rest[1..];
    }
    y[global_id()] = sum;
}

#[test]
fn what_is_left_of_a_slice_is_in_bounds() {
    let device = Device::simulator();
    let x = device.upload(&[1u32, 2, 3]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(2).expect("memory");
    let explained = walked(&x, &mut y).grid(1).block(2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    walked(&x, &mut y).grid(1).block(2).launch(&device).expect("no fault");
    assert_eq!(device.download(&y).expect("memory"), [66, 66]);
}

/// Sums of few bits, which may be zero, in the guards of their parts.
#[allow(clippy::int_plus_one, reason = "sums are what it is about")]
#[gpu_kernel]
fn widened_sums(y: &mut [u32], n: u32, first: u8, way: u32) {
    if way == 0 {
        if ((n + 1) as usize) < y.len() {
            y[n as usize] = 1;
        }
    } else if way == 1 {
        if ((n + 3) as usize) >= y.len() {
            return;
        }
        y[(n + 1) as usize] = 1;
    } else if way == 2 {
        for k in first..=255 {
            if ((k + 1) as usize) < y.len() {
                y[k as usize] = 1;
            }
        }
    } else if way == 3 {
        let len = y.len();
        if len >= (n + 1) as usize {
            y[len - (n + 1) as usize] = 1;
        }
    } else if way == 4 {
        let is_inside = ((first + 2) as usize) < y.len();
        if is_inside {
            y[first as usize] = 1;
        }
    } else if n + 1 <= 100 && y.len() >= 100 {
        y[..100][n as usize] = 1;
    }
}

/// Where a sum wraps, its guard says nothing about its parts.
#[test]
fn a_sum_that_wraps_before_it_is_widened_proves_nothing() {
    let settings = Settings { executor: Executor::Interpreter, overflow: false, ..Settings::default() };
    let device = Device::simulator_with(settings);
    for (way, n, first, index, len) in [
        (0, u32::MAX, 0, u32::MAX, 8),
        (1, u32::MAX - 1, 0, u32::MAX, 8),
        (2, 0, 250, 255, 8),
        (3, u32::MAX, 0, 8, 8),
        (4, 0, 254, 254, 8),
        (5, u32::MAX, 0, u32::MAX, 100),
    ] {
        let mut y = device.alloc_zeroed::<u32>(len).expect("memory");
        let launch = widened_sums(&mut y, n, first, way).grid(1).block(1);
        let said = launch.launch(&device).expect_err("it is out of bounds").to_string();
        assert!(said.contains(&format!("index {index} is out of bounds for length {len} at ")), "{said}");
    }
    // The launch that would go wrong is the one whose text has the checks.
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    let wraps = widened_sums(&mut y, u32::MAX, 255, 0).grid(1).block(1).explain().expect("it is valid");
    assert_eq!(wraps.checked().count(), 6, "{}", wraps.proven());
}

/// Parts whose ends are read from memory, by the numbers that made them.
#[gpu_kernel]
fn ragged(x: &[u32], ends: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i + 1 < ends.len() && i < y.len() {
        let (start, n) = (ends[i] as usize, ends[i + 1] as usize);
        let row = &x[start..start + n];
        for k in 0..n {
            y[i] += row[k];
        }
        let until = &x[start..n];
        for k in 0..n - start {
            y[i] += until[k];
        }
        let all = &x[..n];
        let (left, right) = all.split_at(n / 2);
        y[i] += left.len() as u32 + 10 * right.len() as u32;
    }
}

/// Several elements for each thread, as a guard of the thread's number counts them.
#[gpu_kernel]
fn several(x: &[u32], y: &mut [u32], n: usize) {
    let t = global_id();
    let size = 3;
    if (t + 1) * size > x.len() || (t + 1) * n > y.len() {
        return;
    }
    for k in 0..n {
        y[n * t + k] = x[t * size] + x[size * t + 2];
    }
    y[t * n..][..n][0] += 1;
}

#[test]
fn parts_and_shares_are_indexed_by_what_made_them() {
    let device = Device::simulator();
    let x = device.upload(&(0..20u32).collect::<Vec<_>>()).expect("memory");
    let ends = device.upload(&[2u32, 5, 9]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(2).expect("memory");
    let launch = ragged(&x, &ends, &mut y).over(2);
    let explained = launch.explain().expect("it is valid");
    // The ends of the three parts are checked, and nothing else.
    assert_eq!(explained.checked().count(), 3, "{}", explained.proven());
    launch.launch(&device).expect("no fault");
    let wanted = [
        (2..7u32).sum::<u32>() + (2..5u32).sum::<u32>() + 32,
        (5..14u32).sum::<u32>() + (5..9u32).sum::<u32>() + 54,
    ];
    assert_eq!(device.download(&y).expect("memory"), wanted);

    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    let launch = several(&x, &mut y, 2).over(6);
    let explained = launch.explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
    launch.launch(&device).expect("no fault");
    assert_eq!(device.download(&y).expect("memory"), [3, 2, 9, 8, 15, 14, 21, 20]);
}
