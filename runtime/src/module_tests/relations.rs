//! Tests of proofs by what two variables are to each other, by lists, and by all calls of a closure.

use super::elision::lifted;
use crate::prelude::*;

/// A position that is counted on, and begins again by a subtraction.
#[gpu_kernel]
fn wrapped_by_subtraction(y: &mut [u32], steps: i32) {
    let mut own = [0u32; 19];
    let mut at = 0i32;
    for step in 0..steps {
        let mut next = at + 9;
        if next >= 19 {
            next -= 19;
        }
        own[at] += own[next] + step as u32;
        at = next;
    }
    if !y.is_empty() {
        y[0] = own[at];
    }
}

/// The same with a subtraction that is too small.
#[gpu_kernel]
fn wrapped_too_late(y: &mut [u32], steps: i32) {
    let mut own = [0u32; 19];
    let mut at = 0i32;
    for step in 0..steps {
        at += 9;
        if at > 19 {
            at -= 19;
        }
        own[at] += step as u32;
    }
    if !y.is_empty() {
        y[0] = own[0];
    }
}

#[gpu_kernel]
fn longest_match(x: &[u8], y: &mut [u32], n: u32) {
    let t = thread_idx().x;
    let (mut longest, mut from) = (0, 0);
    while from < t {
        let mut len = 0;
        while len < 18 && t + len < n && x[from + len] == x[t + len] {
            len += 1;
        }
        longest = longest.max(len);
        from += 1;
    }
    if t < y.len() as u32 {
        y[t] = longest;
    }
}

#[gpu_kernel]
fn reduced_by_multiples(y: &mut [f32]) {
    let mut own = shared!([f32; 256]);
    let t = thread_rank();
    own[t] = t as f32;
    sync_threads();
    let mut step = 1;
    while step < 256 {
        let both = 2 * step;
        if t % both == 0 {
            own[t] += own[t + step];
        }
        sync_threads();
        step *= 2;
    }
    if t == 0 && !y.is_empty() {
        y[0] = own[0];
    }
}

/// The step is no power of two.
#[gpu_kernel]
fn reduced_by_others(y: &mut [f32]) {
    let mut own = shared!([f32; 256]);
    let t = thread_rank();
    own[t] = t as f32;
    let mut step = 1;
    while step < 256 {
        if t % (2 * step) == 0 {
            own[t] += own[t + step];
        }
        step *= 3;
    }
    if t == 0 && !y.is_empty() {
        y[0] = own[0];
    }
}

#[gpu_kernel]
fn swapped_in_registers(y: &mut [f32]) {
    let mut own = [1.0f32; 8];
    let mut span = 4;
    while span > 0 {
        for i in 0..8 {
            if i & span == 0 {
                own[i] += own[i + span];
            }
        }
        span /= 2;
    }
    if !y.is_empty() {
        y[0] = own[0];
    }
}

#[gpu_kernel]
fn pairs(y: &mut [f32]) {
    let x = [1.0f32; 80];
    let mut sum = 0.0;
    for i in 0..80 {
        for j in i + 1..81 {
            sum += x[j - i - 1];
        }
    }
    if !y.is_empty() {
        y[0] = sum;
    }
}

#[test]
fn variables_are_compared_with_each_other() {
    assert_eq!(lifted::<wrapped_by_subtraction>(), (0, vec![]));
    assert_eq!(lifted::<wrapped_too_late>().0, 1);
    assert_eq!(lifted::<longest_match>().0, 0);
    // Only the shared array's length is asked for, and the other sum needs small blocks.
    let [multiples, others] = [lifted::<reduced_by_multiples>(), lifted::<reduced_by_others>()];
    assert_eq!((multiples.0, multiples.1.len()), (0, 1), "{multiples:?}");
    assert!(others.1.len() > 1, "{others:?}");
    assert_eq!(lifted::<swapped_in_registers>(), (0, vec![]));
    assert_eq!(lifted::<pairs>(), (0, vec![]));
}

/// `a - b` wraps where `b` is negative.
#[gpu_kernel]
fn difference(y: &mut [f32], a: i32, b: i32, n: i32) {
    if b <= a && a - b < n {
        y[a - b] = 1.0;
    }
}

/// Tiles along a diagonal: the index rests on many conditions.
#[gpu_kernel]
fn tile_of_a_diagonal(x: &[i32], y: &mut [i32], cols: i32, diagonal: i32, last: i32) {
    let bx = block_idx().x as i32 + if diagonal > last { diagonal - last } else { 0 };
    let by = diagonal - bx;
    let corner = cols * 16 * by + 16 * bx;
    let mut sum = 0;
    for i in 0..16 {
        sum += x[corner + cols * (i + 1) + thread_idx().x as i32 + 1];
    }
    if !y.is_empty() {
        y[0] = sum;
    }
}

#[test]
fn a_difference_of_signed_numbers_may_wrap() {
    assert_eq!(lifted::<tile_of_a_diagonal>().0, 0);
    let (left, conditions) = lifted::<difference>();
    assert_eq!(left, 0);
    assert!(conditions.contains(&"a - b < 2147483648".to_owned()), "{conditions:?}");
}

#[gpu_kernel]
fn rows_of_a_list(x: &[f32], y: &mut [f32], rows: u32, width: u32) {
    let at = thread_idx().x;
    if at < rows {
        let near = [(at + rows - 1) % rows, at, (at + 1) % rows];
        let mut sum = 0.0;
        for i in 0..3 {
            sum += x[near[i] * width];
        }
        if at < y.len() as u32 {
            y[at] = sum;
        }
    }
}

/// The index is computed before the guard, which has a name.
#[gpu_kernel]
fn guarded_later(x: &[f32], y: &mut [f32], rows: i32, cols: i32, border: i32) {
    let row = block_idx().y as i32 * 14 - border + thread_idx().y as i32;
    let col = block_idx().x as i32 * 14 - border + thread_idx().x as i32;
    let at = cols * row + col;
    let inside = (0..rows).contains(&row) && (0..cols).contains(&col);
    if inside && !y.is_empty() {
        y[0] = x[at];
    }
}

#[test]
fn lists_and_guards_say_what_indices_are() {
    assert_eq!(lifted::<rows_of_a_list>().0, 0);
    let (left, conditions) = lifted::<guarded_later>();
    assert_eq!(left, 0);
    assert!(conditions.contains(&"cols + cols * (rows - 1) - 1 < x.len()".to_owned()), "{conditions:?}");
}

#[gpu_kernel]
fn by_closure(x: &[u8], y: &mut [i32], width: u32, height: u32) {
    let (col, row) = (thread_idx().x, thread_idx().y);
    if col == 0 || row == 0 || col >= width - 1 || row >= height - 1 {
        return;
    }
    let near = |dx: u32, dy: u32| x[(row + dy - 1) * width + col + dx - 1] as i32;
    if !y.is_empty() {
        y[0] = near(0, 0) + near(2, 1) - near(1, 2);
    }
}

/// One of the calls proves nothing.
#[gpu_kernel]
fn by_closure_beyond(x: &[u8], y: &mut [i32], far: &[u32]) {
    let n = x.len() as u32;
    let near = |at: u32| x[at] as i32;
    if thread_idx().x < n && !y.is_empty() {
        y[0] = near(thread_idx().x);
        if !far.is_empty() {
            y[0] += near(far[0]);
        }
    }
}

#[test]
fn all_calls_of_a_closure_prove_its_indices() {
    assert_eq!(lifted::<by_closure>().0, 0);
    assert_eq!(lifted::<by_closure_beyond>().0, 1);
}

/// The slice begins where memory says, and the loop names its index.
#[gpu_kernel]
fn named_in_a_loop(x: &[u8], from: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i + 1 < from.len() && i < y.len() {
        let (start, end) = (from[i] as usize, from[i + 1] as usize);
        let mut sum = 0u32;
        for k in 0..(end - start) / 2 {
            let at = start + k * 2;
            sum += x[at] as u32 * x[at + 1] as u32;
        }
        y[i] = sum;
    }
}

#[test]
fn an_index_with_a_name_is_compared_before_its_loop() {
    let source = named_in_a_loop::lifted_cuda_source_for(&()).expect("the kernel compiles");
    let compared = "unsigned long long at = start + k * 2ull;
            sum += (unsigned int)x[check(at, x_len, 0)] * (unsigned int)x[check(at + 1ull, x_len, 0)];";
    assert!(source.contains(compared), "{source}");
}

/// `x + 1` wraps, although a number of more bits is known to be more than `x`.
#[gpu_kernel]
fn from_behind_a_wide_guard(x: u32, y: u64, n: u32, out: &mut [u32]) {
    if (x as u64) < y {
        for j in x + 1..n {
            out[j - x] = 1;
        }
    }
}

#[gpu_kernel]
fn from_behind_a_guard(x: u32, y: u32, n: u32, out: &mut [u32]) {
    if x < y {
        for j in x + 1..n {
            out[j - x] = 1;
        }
    }
}

/// The distance of two numbers of opposite signs wraps.
#[gpu_kernel]
fn middle_of_signed(x: &[i8], out: &mut [u32]) {
    let own = [7u32; 200];
    if x.len() < 2 || out.is_empty() {
        return;
    }
    let (low, high) = (x[0], x[1]);
    if low >= -100 && high <= 100 && low < high {
        let middle = low + (high - low) / 2;
        out[0] = own[(middle as i32 + 100) as usize];
    }
}

#[test]
fn a_sum_that_wraps_proves_nothing() {
    assert_eq!(lifted::<from_behind_a_guard>(), (0, vec!["n - x - 1 < out.len()".to_owned()]));
    // The launch is asked whether it wraps.
    let (_, conditions) = lifted::<from_behind_a_wide_guard>();
    assert!(conditions.contains(&"min(x + 1, y) < 4294967296".to_owned()), "{conditions:?}");
    assert_eq!(lifted::<middle_of_signed>().0, 1);
}

/// A table of more elements than an expression may have parts.
#[gpu_kernel]
fn by_a_long_table(x: &[u8], y: &mut [u32]) {
    const NEXT: [u32; 512] = [15; 512];
    let own = [1u32; 16];
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = own[NEXT[x[i] as usize + 256]];
    }
}

#[test]
fn a_long_table_says_what_its_elements_are() {
    assert_eq!(lifted::<by_a_long_table>(), (0, vec![]));
}

/// A table whose places are found by a mask, beside another number that is given any value.
#[gpu_kernel]
fn probed(keys: &[u32], found: &mut [u32], mask: u32) {
    let key = thread_idx().x * 2_654_435_769;
    let mut slot = (key >> 7) & mask;
    let mut tries = 0xffff_ffffu32;
    while keys[slot] != key && tries != 0 {
        slot = (slot + 1) & mask;
        tries = keys[slot];
    }
    if !found.is_empty() {
        found[0] = slot;
    }
}

/// The number after each in a ring.
#[gpu_kernel]
fn around_a_ring(y: &mut [f32], count: i32) {
    let mut own = [0.0f32; 12];
    let mut sum = 0.0;
    if count <= 12 {
        for i in 0..count {
            own[i as usize] = i as f32;
            let next = if i + 1 == count { 0 } else { i + 1 };
            let two_further = (i + 2) % count;
            sum += own[next as usize] - own[two_further as usize];
        }
    }
    if !y.is_empty() {
        y[0] = sum;
    }
}

/// The same with a ring that may be smaller than what it is compared with.
#[gpu_kernel]
fn around_another_ring(y: &mut [f32], count: i32, others: i32) {
    let own = [0.0f32; 12];
    let mut sum = 0.0;
    if count <= 12 {
        for i in 0..count {
            sum += own[(if i + 1 == others { 0 } else { i + 1 }) as usize];
        }
    }
    if !y.is_empty() {
        y[0] = sum;
    }
}

#[gpu_kernel]
fn row_of_a_matrix(x: &[f32], y: &mut [f32], rows: usize, cols: usize) {
    let i = global_id();
    if i < rows && i < y.len() {
        let row = &x[i * cols..(i + 1) * cols];
        y[i] = row.iter().sum();
    }
}

/// A row of a length that may be negative: its end is before its start.
#[gpu_kernel]
fn row_of_a_length(x: &[f32], y: &mut [f32], row: i32, cols: i32) {
    if !y.is_empty() {
        y[0] = x[(row * cols) as usize..((row + 1) * cols) as usize].len() as f32;
    }
}

/// An index with five factors.
#[gpu_kernel]
fn depthwise(x: &[f32], y: &mut [f32], batch: i32, h: i32, w: i32, c: i32, k: i32, stride: i32, pad: i32) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id >= batch * h * w * c {
        return;
    }
    let (ch, ox, oy, b) = (id % c, id / c % w, id / c / w % h, id / c / w / h);
    let mut sum = 0.0;
    for ky in 0..k {
        for kx in 0..k {
            let (iy, ix) = (oy * stride + ky - pad, ox * stride + kx - pad);
            if iy >= 0 && iy < h && ix >= 0 && ix < w {
                sum += x[((b * h + iy) * w + ix) * c + ch];
            }
        }
    }
    y[id] = sum;
}

#[test]
fn masks_rings_and_rows_are_in_bounds() {
    let (left, conditions) = lifted::<probed>();
    assert_eq!(left, 0);
    assert!(conditions.iter().any(|condition| condition.contains("mask")), "{conditions:?}");
    assert_eq!(lifted::<around_a_ring>(), (0, vec![]));
    assert_eq!(lifted::<around_another_ring>(), (0, vec!["max(0, min(count, 12)) < 12".to_owned()]));
    let (left, conditions) = lifted::<row_of_a_matrix>();
    assert_eq!((left, conditions.len()), (0, 1), "{conditions:?}");
    let (_, conditions) = lifted::<row_of_a_length>();
    assert!(conditions.contains(&"-1 < cols".to_owned()), "{conditions:?}");
    assert_eq!(lifted::<depthwise>().0, 0);
}

/// A loop that ends by leaving, and is continued before.
#[gpu_kernel]
fn continued(y: &mut [u32]) {
    let own = [1u32; 8];
    let mut at = 0;
    let mut sum = 0;
    loop {
        sum += own[at];
        at += 1;
        if at < 9 {
            continue;
        }
        break;
    }
    if !y.is_empty() {
        y[0] = sum;
    }
}

/// A block that is left early.
#[gpu_kernel]
fn left_early(y: &mut [u32], n: u32) {
    let own = [1u32; 8];
    let mut at = 7;
    'block: {
        if own[at] == n {
            break 'block;
        }
        at -= own[at];
    }
    if !y.is_empty() {
        y[0] = at;
    }
}

#[test]
fn a_loop_that_runs_once_begins_with_what_is_known_before() {
    assert_eq!(lifted::<continued>().0, 1);
    assert_eq!(lifted::<left_early>(), (0, vec![]));
}
