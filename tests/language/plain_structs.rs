//! Indices in structs and pairs: stacks, queues and cursors with methods, right as in plain Rust, and proven; what something else may
//! have changed stays checked.

#![allow(
    clippy::needless_range_loop,
    clippy::manual_div_ceil,
    unused_variables,
    reason = "loops and guards are as kernels have them"
)]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// A stack, as one that walks a tree has it.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Stack {
    items: [u32; 16],
    len: usize,
}

#[gpu_impl]
impl Stack {
    fn new() -> Self {
        Stack { items: [0; 16], len: 0 }
    }

    fn push(&mut self, item: u32) -> bool {
        if self.len == self.items.len() {
            return false;
        }
        self.items[self.len] = item;
        self.len += 1;
        true
    }

    fn pop(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        Some(self.items[self.len])
    }

    fn top(&self) -> u32 {
        if self.len > 0 { self.items[self.len - 1] } else { 0 }
    }
}

/// The last eight numbers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Ring {
    items: [u64; 8],
    head: u32,
    full: bool,
}

#[gpu_impl]
impl Ring {
    fn put(&mut self, item: u64) {
        self.items[self.head as usize] = item;
        self.head += 1;
        if self.head == 8 {
            self.head = 0;
            self.full = true;
        }
    }

    fn sum(&self) -> u64 {
        let count = if self.full { 8 } else { self.head as usize };
        let mut sum = 0u64;
        for k in 0..count {
            sum = sum.wrapping_add(self.items[k]).rotate_left(1);
        }
        sum
    }
}

/// The least numbers in order, with where they were.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Least {
    keys: [u64; 4],
    at: [usize; 4],
    len: usize,
}

#[gpu_impl]
impl Least {
    fn insert(&mut self, key: u64, at: usize) {
        if self.len == 4 && key >= self.keys[3] {
            return;
        }
        let mut k = if self.len < 4 { self.len } else { 3 };
        while k > 0 && self.keys[k - 1] > key {
            self.keys[k] = self.keys[k - 1];
            self.at[k] = self.at[k - 1];
            k -= 1;
        }
        self.keys[k] = key;
        self.at[k] = at;
        if self.len < 4 {
            self.len += 1;
        }
    }
}

/// A window of columns.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Window {
    first: usize,
    last: usize,
}

#[gpu_impl]
impl Window {
    fn around(at: usize, n: usize) -> Self {
        let first = if at > 2 { at - 2 } else { 0 };
        Window { first, last: if at + 2 < n { at + 2 } else { n - 1 } }
    }
}

#[gpu_fn]
fn unflattened(at: usize, columns: usize) -> (usize, usize) {
    (at / columns, at % columns)
}

/// Two numbers in order, the greater one below 60.
#[gpu_fn]
fn bracket(a: usize, b: usize) -> (usize, usize) {
    let most = 59;
    if a < b {
        return (a, b);
    }
    if a > most { (b, most) } else { (b, a) }
}

plain! { held(i, x):
    stack {
        let mut s = Stack::new();
        s.push(x[i] as u32 % 50);
        let mut h = 0;
        while let Some(v) = s.pop() {
            h = (h ^ v as u64).rotate_left(7);
            if v > 1 {
                s.push(v / 2);
                s.push(v / 3);
            }
        }
        h ^ s.top() as u64
    }
    stack_in_place {
        let mut s = Stack { items: [1; 16], len: 1 };
        let mut h = 0;
        for k in 0..40 {
            if x[(i + k) % 64] % 3 > 0 && s.len < 16 {
                s.items[s.len] = k as u32;
                s.len += 1;
            } else if s.len > 0 {
                s.len -= 1;
                h = h * 3 + s.items[s.len] as u64;
            }
        }
        h
    }
    ring {
        let mut r = Ring { items: [0; 8], head: 0, full: false };
        for k in 0..i % 20 {
            r.put(x[k]);
        }
        r.sum()
    }
    least {
        let mut l = Least { keys: [0; 4], at: [0; 4], len: 0 };
        for k in 0..9 {
            l.insert(x[i + k], k);
        }
        let mut h = 0u64;
        for k in 0..l.len {
            h = h.rotate_left(5) ^ l.keys[k] ^ l.at[k] as u64;
        }
        h
    }
    window {
        let w = Window::around(i, x.len());
        let mut h = 0u64;
        for k in w.first..=w.last {
            h = h.rotate_left(3) ^ x[k];
        }
        h ^ x[w.first]
    }
    best_pair {
        let mut best = (0usize, x[0]);
        for k in 1..x.len() {
            if x[k] > best.1 {
                best = (k, x[k]);
            }
        }
        x[best.0] ^ best.1
    }
    flattened {
        let (row, col) = unflattened(i * 7 % 63, 9);
        let (low, high) = bracket(row, col);
        x[low] ^ x[high] << 1 ^ x[row * 9 + col]
    }
    copied {
        let mut a = Window { first: 0, last: 5 };
        let mut h = 0;
        for k in 0..8 {
            let b = a;
            a.first = k;
            h ^= x[b.first].rotate_left(k as u32) ^ x[b.last];
        }
        h ^ x[a.first]
    }
    chosen {
        let w = if x[i] % 2 == 0 { Window { first: 3, last: i } } else { Window { first: i, last: 9 } };
        x[w.first] ^ x[w.last] << 2
    }
    swapped_pair {
        let mut ends = (i, 7usize);
        for _ in 0..3 {
            ends = (ends.1, ends.0);
        }
        x[ends.0] ^ x[ends.1] << 1
    }
    turned {
        let mut three = (i % 9, 20usize, 3usize);
        let mut h = 0;
        for k in 0..x[i] % 8 {
            h ^= x[three.0] ^ x[three.1].rotate_left(9) ^ x[three.2].rotate_left(18);
            three = (three.2, three.0, three.1);
        }
        h
    }
}

#[test]
fn structs_that_hold_indices_are_those_of_plain_rust() {
    check::<held::cases>();
}

#[test]
fn indices_in_structs_are_proven() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u64>(72).expect("memory");
    let mut out = device.alloc_zeroed::<u64>(CASES * held::cases::NAMES.len()).expect("memory");
    let explained = held::cases(&x, &mut out).grid(2).block(CASES / 2).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
}

/// A number in a struct that is lent.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct At {
    at: usize,
    n: usize,
}

#[gpu_impl]
impl At {
    fn raise(&mut self) -> bool {
        self.at += 6;
        true
    }

    fn zero(&mut self) -> bool {
        self.at = 0;
        true
    }

    fn restart(&mut self) -> bool {
        self.at = 0;
        self.raise()
    }

    fn delegate(&mut self) -> bool {
        self.raise()
    }

    fn place(&mut self) -> &mut usize {
        &mut self.at
    }

    /// The loop's condition changes what the call began with.
    fn raised(&mut self, x: &[u32]) -> u32 {
        while self.raise() && self.n > 0 {
            self.n -= 1;
        }
        x[self.at]
    }

    fn step(&mut self) {
        if self.at < 2 {
            self.at += 1;
            return;
        }
        self.at = 9;
    }

    /// What `self` is may be in memory that other threads change.
    fn read(&mut self, x: &[u32]) -> u32 {
        if self.at < x.len() { x[self.at] } else { 0 }
    }
}

#[gpu_fn]
fn replace(at: &mut At) {
    *at = At { at: at.n, n: at.at };
}

/// What it does to `at` is done by a reference, of which the analysis knows nothing.
#[gpu_fn]
fn set(_: bool, at: &mut At) {
    let r = &mut *at;
    r.at = 6;
}

#[gpu_fn]
fn read(p: At, x: &[u32]) -> u32 {
    x[p.at]
}

/// A guard of what a call, a copy or a closure changes: each must be a fault.
#[gpu_kernel]
fn changed(x: &[u32], y: &mut [u32], start: At, zero: usize, #[comptime] case: u32) {
    let mut s = At { at: zero, n: zero };
    y[0] = match case {
        0 if s.at < 2 && s.raise() => x[s.at],
        1 if s.at < 2 && s.raise() && x[s.at] > 0 => 1,
        2 => s.raised(x),
        3 => {
            s.step();
            s.step();
            s.step();
            x[s.at]
        }
        4 => {
            s.n = 8;
            replace(&mut s);
            x[s.at]
        }
        5 => {
            *s.place() = 7;
            x[s.at]
        }
        6 => {
            let mut raise = || s.at += 7;
            raise();
            x[s.at]
        }
        7 => {
            s = At { at: s.n, n: 9 };
            s = At { at: s.n, n: s.at };
            x[s.at]
        }
        8 => {
            let r = &mut s;
            r.at += 6;
            x[s.at]
        }
        9 => {
            let mut other = At { at: 9, n: 9 };
            std::mem::swap(&mut s, &mut other);
            x[s.at]
        }
        10 => {
            let mut all = [s, s];
            all[1].at = 6;
            s = all[1];
            x[s.at]
        }
        11 => {
            let mut pair = (s, 3usize);
            pair.0.raise();
            x[pair.0.at] + x[pair.1]
        }
        12 => {
            while s.n < 3 {
                s.n += 1;
                if s.n == 2 {
                    s.at = 8;
                    break;
                }
            }
            x[s.at]
        }
        13 => {
            let mut bump = || s.raise();
            bump();
            x[s.at]
        }
        14 => {
            s.restart();
            x[s.at]
        }
        15 => {
            s.delegate();
            x[s.at]
        }
        16 if s.zero() && s.raise() => x[s.at],
        17 => {
            set(s.zero(), &mut s);
            x[s.at]
        }
        18 => {
            let mut t = start;
            t.at = 9;
            read(t, x)
        }
        19 => {
            let mut t = start;
            t.at = 9;
            let own = |p: At| x[p.at];
            own(t)
        }
        20 => {
            if (zero == 0 && s.zero()) || s.raise() {
                s.raise();
            }
            x[s.at]
        }
        21 => {
            let pair = (&mut s, 3usize);
            pair.0.at += 6;
            x[s.at]
        }
        _ => 0,
    };
}

#[test]
fn guards_of_what_is_changed_prove_nothing() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 6]).expect("memory");
    for case in 0..22 {
        let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
        let explained =
            changed(&x, &mut y, At { at: 0, n: 0 }, 0, case).grid(1).block(1).explain().expect("it is valid");
        assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        let launch = changed(&x, &mut y, At { at: 0, n: 0 }, 0, case).grid(1).block(1);
        let error = launch.launch(&device).expect_err("it is outside").to_string();
        assert!(error.contains("is out of bounds for length 6"), "case {case}: {error}");
    }
}

/// The struct is in memory that all threads see.
#[gpu_kernel]
fn in_memory(x: &[u32], all: &mut [At], y: &mut [u32]) {
    let i = thread_idx().x as usize;
    y[i] = all[0].read(x);
}

#[test]
fn what_other_threads_may_change_stays_checked() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 6]).expect("memory");
    let mut all = device.upload(&[At { at: 0, n: 0 }]).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
    let explained = in_memory(&x, &mut all, &mut y).grid(1).block(1).explain().expect("it is valid");
    assert_eq!(explained.checked().count(), 1, "{}", explained.proven());
}
