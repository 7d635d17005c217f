//! Tests of proofs of cursors that go back, rings, stacks, trees, and guards of quotients and differences: of launches, each beside one
//! that is just outside of what can be proven.

use crate::prelude::*;

/// The indices that a launch checks.
fn checked<K: Kernel>(launch: &Launch<'_, K>) -> Vec<String> {
    let explanation = launch.explain().expect("the kernel compiles");
    explanation.checked().map(|index| index.text.clone()).collect()
}

/// The indices of a launch that checks none.
const NONE: [&str; 0] = [];

fn numbers(n: usize) -> Buffer<u32> {
    Device::simulator().upload(&(0..n as u32).collect::<Vec<_>>()).expect("memory")
}

/// The iterations after the fifth find a counter that was raised five times.
#[gpu_kernel]
fn raised_by_some<const N: usize>(y: &mut [u32]) {
    let mut own = [0u32; N];
    let mut at = 0u32;
    for i in 0..10u32 {
        own[at] += i;
        if i < 5 {
            at += 1;
        }
    }
    y[0] = own[0];
}

#[test]
fn a_counter_that_some_iterations_raise_is_raised_before_later_ones() {
    let mut y = numbers(1);
    assert_eq!(checked(&raised_by_some::<5>(&mut y).grid(1).block(1)), ["own[at]"]);
    assert_eq!(checked(&raised_by_some::<6>(&mut y).grid(1).block(1)), NONE);
}

/// A place that begins again where it meets the end.
#[gpu_kernel]
fn around(y: &mut [u32], window: u32) {
    let (mut ring, mut fixed) = ([0u32; 32], [0u32; 16]);
    let (mut head, mut other) = (0, 0);
    for i in 0..y.len() as u32 {
        y[i] = ring[head] + fixed[other];
        ring[head] = i;
        fixed[other] = i;
        head += 1;
        if head == window {
            head = 0;
        }
        other += 1;
        if other >= 16 {
            other = 0;
        }
    }
}

/// The same with an end that is met too late, and with a `continue` before it.
#[gpu_kernel]
fn around_too_late(y: &mut [u32]) {
    let (mut late, mut left) = ([0u32; 16], [0u32; 16]);
    let (mut head, mut other) = (0, 0);
    for i in 0..y.len() as u32 {
        late[head] = i;
        head += 1;
        if head == 17 {
            head = 0;
        }
    }
    for i in 0..y.len() as u32 {
        left[other] = i;
        other += 1;
        if i == 9 {
            continue;
        }
        if other == 16 {
            other = 0;
        }
    }
    y[0] = late[0] + left[0];
}

#[test]
fn a_ring_ends_where_its_place_begins_again() {
    let mut y = numbers(40);
    assert_eq!(checked(&around(&mut y, 32).grid(1).block(1)), NONE);
    // A window of no elements is never met.
    for window in [0, 33] {
        assert_eq!(checked(&around(&mut y, window).grid(1).block(1)), ["ring[head]"]);
    }
    assert_eq!(checked(&around_too_late(&mut y).grid(1).block(1)), ["late[head]", "left[other]"]);
}

/// A filter that goes down a column and back up.
#[gpu_kernel]
fn down_and_up(x: &[f32], y: &mut [f32], w: i32, h: i32, back: i32) {
    let col = thread_idx().x as i32;
    if col >= w {
        return;
    }
    let (mut at, mut sum) = (col, 0.0);
    for _ in 0..h {
        sum = 0.5 * sum + x[at];
        y[at] = sum;
        at += w;
    }
    at -= w;
    for _ in (0..back).rev() {
        sum = 0.5 * sum + x[at];
        y[at] += sum;
        at -= w;
    }
}

#[test]
fn a_cursor_that_goes_back_stays_above_where_it_began() {
    let gpu = Device::simulator();
    let (x, mut y) = (gpu.upload(&[1.0f32; 60]).expect("memory"), gpu.upload(&[1.0f32; 60]).expect("memory"));
    assert_eq!(checked(&down_and_up(&x, &mut y, 10, 6, 6).grid(1).block(32)), NONE);
    assert_eq!(checked(&down_and_up(&x, &mut y, 10, 6, 5).grid(1).block(32)), NONE);
    assert_eq!(checked(&down_and_up(&x, &mut y, 10, 6, 7).grid(1).block(32)), ["x[at]", "y[at]"]);
}

/// A stack that grows by two.
#[gpu_kernel]
fn grows_by_two(children: &[i32], y: &mut [i32]) {
    let mut stack = [0i32; 16];
    let (mut top, mut sum) = (1i32, 0);
    while top > 0 {
        top -= 1;
        let node = stack[top];
        sum += node;
        if node < 100 {
            stack[top] = node * 2;
            stack[top + 1] = node * 2 + 1;
            top += 2;
        }
    }
    y[0] = sum + children.len() as i32;
}

#[test]
fn a_stack_is_compared_where_it_grows() {
    let gpu = Device::simulator();
    let (x, mut y) = (gpu.upload(&[1i32]).expect("memory"), gpu.upload(&[1i32]).expect("memory"));
    assert_eq!(checked(&grows_by_two(&x, &mut y).grid(1).block(1)), ["stack[top + 1]"]);
}

/// The last start that is not above a number.
#[gpu_kernel]
fn last_start(starts: &[u32], y: &mut [u32], runs: u32) {
    let i = thread_idx().x;
    let (mut low, mut high) = (0, runs);
    while low + 1 < high {
        let mid = (low + high) / 2;
        if starts[mid] <= i {
            low = mid;
        } else {
            high = mid;
        }
    }
    y[i] = low;
}

#[test]
fn a_search_between_two_ends_stays_between_them() {
    let (starts, mut y) = (numbers(50), numbers(32));
    assert_eq!(checked(&last_start(&starts, &mut y, 50).grid(1).block(32)), NONE);
    assert_eq!(checked(&last_start(&starts, &mut y, 52).grid(1).block(32)), ["starts[mid]"]);
}

/// Guards of a quotient and of differences, with signs and without.
#[gpu_kernel]
fn guarded_by_parts(x: &[u32], y: &mut [u32], rows: u32, n: i32, m: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let (row, at) = (i / 4, i as i32);
    if row < rows {
        y[i] = row;
    }
    if n - at > 3 {
        y[0] = x[at + 3];
    }
    if m - i > 3 {
        y[0] = x[m - i - 4];
    }
}

#[test]
fn guards_of_quotients_and_differences_tell_of_their_operands() {
    let (x, mut y, mut short) = (numbers(40), numbers(40), numbers(39));
    // The difference without a sign may wrap.
    let wrapped = "x[(m - i) - 4]";
    assert_eq!(checked(&guarded_by_parts(&x, &mut y, 10, 40, 40).grid(8).block(64)), [wrapped]);
    assert_eq!(checked(&guarded_by_parts(&x, &mut short, 10, 40, 40).grid(8).block(64)), ["y[i]", wrapped]);
    let beyond = checked(&guarded_by_parts(&x, &mut y, 10, 41, 40).grid(8).block(64));
    assert_eq!(beyond, ["x[at + 3]", wrapped]);
}

/// Matrices in a row, each a part of a slice, and rows that follow their start.
#[gpu_kernel]
fn matrices(a: &mut [u32], n: usize, count: usize, k: usize) {
    let m = global_id() as usize;
    if m >= count {
        return;
    }
    let own = &mut a[m * n * n..(m + 1) * n * n];
    for i in 0..n {
        for j in 0..n {
            own[i * n + j] += 1;
        }
    }
    let row = &mut a[m * n..m * n + n];
    for j in 0..k {
        row[j] += 1;
    }
}

#[test]
fn parts_of_slices_by_products_have_the_rest_of_the_factors_as_their_length() {
    let mut a = numbers(5 * 49);
    assert_eq!(checked(&matrices(&mut a, 7, 5, 7).grid(1).block(32)), NONE);
    assert_eq!(checked(&matrices(&mut a, 7, 5, 8).grid(1).block(32)), ["row[j]"]);
    let short = checked(&matrices(&mut a, 7, 6, 7).grid(1).block(32));
    assert_eq!(short, ["a[((m * n) * n)..(((m + 1) * n) * n)]"]);
}

/// A tree in a block's shared memory: half of a power of two, and flags that make up an index.
#[gpu_kernel]
fn halves_and_flags<const FLAGS: usize>(x: &[u32], y: &mut [u32], limit: u32) {
    let (table, t) = ([1u32; FLAGS], thread_rank() % 16);
    let mut own = [0u32; 16];
    let mut i = 1;
    while i <= 4 {
        let power = 1 << i;
        if t % power == 0 {
            own[t + power / 2] += 1;
        }
        if t % (power + 1) == 0 {
            own[t + (power + 1) / 2] += 1;
        }
        i += 1;
    }
    let mut flags = 0u32;
    flags |= (x[0] < limit) as u32;
    flags |= ((x[1] < limit) as u32) << 1;
    flags |= ((x[2] < limit) as u32) << 2;
    y[0] = table[flags] + own[0];
}

#[test]
fn halves_of_powers_have_no_bit_in_common_with_multiples() {
    let (x, mut y) = (numbers(3), numbers(1));
    let other = "own[t + (power + 1) / 2]";
    assert_eq!(checked(&halves_and_flags::<8>(&x, &mut y, 2).grid(1).block(16)), [other]);
    assert_eq!(checked(&halves_and_flags::<7>(&x, &mut y, 2).grid(1).block(16)), [other, "table[flags]"]);
}

/// A tree: its stride doubles where the number of its threads is halved.
#[gpu_kernel]
fn up_a_tree(x: &[u32], y: &mut [u32], n: u32, more: u32) {
    let mut own = shared!([u32; 64]);
    let t = thread_idx().x;
    own[2 * t] = x[2 * t];
    own[2 * t + 1] = x[2 * t + 1];
    let (mut stride, mut left) = (1, n / 2);
    while left > 0 {
        sync_threads();
        if t < left {
            let (from, to) = (stride * (2 * t + 1) - 1, stride * (2 * t + 2) - 1);
            own[to] += own[from];
        }
        stride *= 2;
        left /= 2;
    }
    let (mut stride, mut left) = (1, n / 2);
    while left > 0 {
        sync_threads();
        if t < left {
            own[stride * (2 * t + 2)] += more;
        }
        stride *= 2;
        left /= 2;
    }
    y[t] = own[t];
}

#[test]
fn the_stride_of_a_tree_times_its_threads_stays_the_same() {
    let (x, mut y) = (numbers(64), numbers(32));
    let other = "own[stride * ((2 * t) + 2)]";
    let of = |n: u32, y: &mut Buffer<u32>| checked(&up_a_tree(&x, y, n, 1).grid(1).block(32));
    let found = of(64, &mut y);
    assert!(!found.iter().any(|index| index == "own[from]" || index == "own[to]"), "{found:?}");
    assert_eq!(found.len(), 1, "{found:?}, and not {other}");
    assert!(of(66, &mut y).iter().any(|index| index == "own[to]"));
}
