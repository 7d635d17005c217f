//! Indices that something changes between the place that bounds them and their use: the check stays, and the fault is the twin's.

// Kernels are written as what they test asks, also where Rust has a shorter form, and in a line each.
#![allow(
    clippy::explicit_counter_loop,
    clippy::needless_range_loop,
    clippy::redundant_closure_call,
    clippy::single_match,
    clippy::swap_with_temporary,
    clippy::toplevel_ref_arg
)]

use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::simulator::Settings;

use super::fault_of_all;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Cursor {
    at: u32,
    end: u32,
}

#[gpu_impl]
impl Cursor {
    fn advance(&mut self, by: u32) {
        self.at += by;
    }

    fn place(&mut self) -> &mut u32 {
        &mut self.at
    }

    fn both(&mut self) -> (&mut u32, &mut u32) {
        (&mut self.at, &mut self.end)
    }
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Queue {
    items: [u32; 4],
    cursors: [Cursor; 2],
}

#[gpu_impl]
impl Queue {
    fn item(&mut self, i: u32) -> &mut u32 {
        &mut self.items[i]
    }

    fn all(&mut self) -> &mut [u32] {
        &mut self.items
    }

    /// The index is in the memory that is written.
    fn follow(&mut self, i: usize) {
        self.items[self.items[i]] = 1;
    }

    fn cursor(&mut self, i: u32) -> &mut Cursor {
        &mut self.cursors[i]
    }
}

#[gpu_fn]
fn chosen<'a>(a: &'a mut u32, b: &'a mut u32, first: bool) -> &'a mut u32 {
    if first { a } else { b }
}

#[gpu_fn]
fn part(q: &mut [u32], from: u32) -> &mut [u32] {
    &mut q[from..]
}

#[gpu_fn]
fn halves(q: &mut [u32]) -> (&mut [u32], &mut [u32]) {
    q.split_at_mut(1)
}

#[gpu_fn]
fn found(q: &mut [u32], i: u32) -> Option<&mut u32> {
    if i < 4 { Some(&mut q[i]) } else { None }
}

#[gpu_fn]
fn called(mut f: impl FnMut(u32), value: u32) {
    f(value);
}

#[gpu_fn]
fn read_later(cursor: &mut Cursor, x: &[u32]) -> u32 {
    if cursor.at < 16 {
        let own = &mut *cursor;
        own.advance(1000);
        return x[cursor.at];
    }
    0
}

#[gpu_fn]
fn written_later(n: &mut u32, out: &mut [u32]) {
    let before = *n;
    if before < 16 {
        *n = 1000 + before;
        out[*n] = 1;
    }
}

const START: Cursor = Cursor { at: 3, end: 0 };
const QUEUE: Queue = Queue { items: [0; 4], cursors: [START; 2] };

/// The fault of a kernel of one thread, on `0..16`, an output as long, and a number that is far beyond both.
fn is_far(launch: impl Fn(&Buffer<u32>, &mut Buffer<u32>, &Device) -> warpsmith::Result<()>) {
    let fault = fault_of_all(|executor| {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let x = device.upload(&(0..16).collect::<Vec<u32>>()).expect("memory");
        let mut out = device.upload(&[0u32; 16]).expect("memory");
        launch(&x, &mut out, &device).map_err(|fault| fault.to_string())?;
        Ok(device.download(&out).expect("memory"))
    });
    let says = ["out of bounds for length", "range bound", "the lengths differ"]
        .iter()
        .any(|part| fault.contains(part));
    // The line of the kernel or of a function above, and no line of the library.
    assert!(says && fault.contains(" at tests/printed/far.rs:"), "{fault}");
}

/// Kernels that leave the bounds of `x`, `out` or an array; `k` is 1000.
macro_rules! far {
    ($test:ident: $($name:ident |$x:ident, $out:ident, $k:ident| $body:block)+) => {
        $(
            #[gpu_kernel]
            #[allow(unused)]
            fn $name($x: &[u32], $out: &mut [u32], $k: u32) {
                // A launch is asked for nothing.
                if $out.len() == 16 && $x.len() == 16 $body
            }
        )+

        #[test]
        #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
        fn $test() {
            needs_cxx();
            $( is_far(|x, out, device| $name(x, out, 1000).grid(1).block(1).launch(device)); )+
        }
    };
}

far! { items_of_arrays_that_are_written_through_references:
    by_a_part |x, out, k| { let mut q = [0u32; 4]; part(&mut q, 1)[1] = k; out[q[2]] = 1; }
    by_a_part_with_a_name |x, out, k| { let mut q = [0u32; 4]; let p = part(&mut q, 1); p[1] = k; out[q[2]] = 1; }
    by_halves |x, out, k| { let mut q = [0u32; 4]; let (a, b) = halves(&mut q); b[0] = k; a[0] = 2; out[q[1]] = 1; }
    by_an_option |x, out, k| { let mut q = [0u32; 4]; if let Some(v) = found(&mut q, x[2]) { *v = k; } out[q[2]] = 1; }
    by_swap |x, out, k| { let mut q = [0u32; 4]; let mut v = k; core::mem::swap(&mut q[1], &mut v); out[q[1]] = 1; }
    by_replace |x, out, k| { let mut q = [0u32; 4]; let old = core::mem::replace(&mut q[1], k); out[q[1] + old] = 1; }
    by_swap_of_all |x, out, k| { let mut q = [0u32; 4]; core::mem::swap(&mut q, &mut [k; 4]); out[q[1]] = 1; }
    by_assignment_of_all |x, out, k| { let mut q = [0u32; 4]; q[1] = 2; q = [k, 1, 2, 3]; out[q[0]] = 1; }
    by_a_tuple |x, out, k| { let mut q = [0u32; 4]; let a; (q[0], a) = (k, 1); out[q[0] + a] = 1; }
    by_a_list |x, out, k| { let mut q = [0u32; 4]; [q[0], q[1], _] = [k, 1, 2]; out[q[0]] = 1; }
    by_fill |x, out, k| { let mut q = [0u32; 4]; q[1..3].fill(k); out[q[2]] = 1; }
    by_copies |x, out, k| { let mut q = [0u32; 4]; q.copy_from_slice(&x[12..]); out[q[2] + q[3]] = 1; }
    by_items |x, out, k| { let mut q = [0u32; 4]; for (v, w) in q.iter_mut().zip(x) { *v = w * k; } out[q[2]] = 1; }
    by_some_items |x, out, k| { let mut q = [0; 4]; for v in q.iter_mut().rev().skip(1).take(1) { *v = k; } out[q[2]] = 1u32; }
    by_each_item |x, out, k| { let mut q = [0u32; 4]; q.iter_mut().for_each(|v| *v = k); out[q[2]] = 1; }
    by_a_pattern |x, out, k| { let mut q = [0u32; 4]; let [a, _, c, _] = &mut q; *c = k + *a; out[q[2]] = 1; }
    by_the_rest |x, out, k| { let mut q = [0u32; 4]; let [_, rest @ ..] = &mut q; rest[1] = k; out[q[2]] = 1; }
    by_ref_mut |x, out, k| { let mut q = [0u32; 4]; let [_, _, ref mut c, _] = q; *c = k; out[q[2]] = 1; }
    by_an_arm |x, out, k| { let mut q = [0u32; 4]; match q { [ref mut a, ..] => *a = k } out[q[0]] = 1; }
    by_a_closure |x, out, k| { let mut q = [0u32; 4]; let mut f = |v| q[1] = v; f(k); out[q[1]] = 1; }
    by_a_closure_that_is_lent |x, out, k| { let mut q = [0u32; 4]; called(|v| q[1] = v, k); out[q[1]] = 1; }
    by_a_closure_in_another |x, out, k| { let mut q = [0; 4]; let mut f = |v: u32| { let mut g = |w| q[1] = w + v; g(1) }; f(k); out[q[1]] = 1u32; }
    by_a_copy |x, out, k| { let mut q = [0u32; 4]; let mut f = move |v| { q[1] += v; q[1] }; f(k); out[f(1)] = 1; }
    by_shifts |x, out, k| { let mut q = [1u32; 4]; q[1] <<= k / 100; out[q[1]] = 1; }
    by_wrapping |x, out, k| { let mut q = [1u32; 4]; q[1] = q[1].wrapping_sub(k); out[q[1]] = 1; }
    by_a_row |x, out, k| { let mut q = [[0u32; 4]; 2]; for r in &mut q { r[2] = k; } out[q[1][2]] = 1; }
    by_a_swapped_row |x, out, k| { let mut q = [[0u32; 4]; 2]; core::mem::swap(&mut q[1], &mut [k; 4]); out[q[1][2]] = 1; }
    while_they_are_walked |x, out, k| { let mut q = [0, 1, 2, 3]; for i in 0..4u32 { let j = q[i]; out[j] = 1; q[(i + 1) % 4] = j * k + k; } }
    of_a_struct |x, out, k| { let mut q = QUEUE; *q.item(2) = k; out[q.items[2]] = 1; }
    of_a_struct_by_all |x, out, k| { let mut q = QUEUE; q.all()[2] = k; out[q.items[2]] = 1; }
}

far! { fields_that_are_changed_behind_a_guard:
    by_a_method |x, out, k| { let mut q = QUEUE; if q.cursors[1].at < 16 { q.cursor(1).advance(k); out[q.cursors[1].at] = 1; } }
    by_a_method_of_an_item |x, out, k| { let (mut c, i) = ([START; 2], x[1]); if c[i].at < 16 { c[x[1]].advance(k); out[c[i].at] = 1; } }
    by_an_item |x, out, k| { let (mut c, i) = ([START; 2], x[1]); if c[x[1]].at < 16 { c[i].at += k; out[c[x[1]].at] = 1; } }
    by_all_items |x, out, k| { let (mut c, i) = ([START; 2], x[1]); if c[i].at < 16 { for c in c.iter_mut() { c.advance(k); } out[c[i].at] = 1; } }
    by_two_references |x, out, k| { let (mut c, i) = ([START; 2], x[1]); if c[i].at < 16 { let (a, b) = c[1].both(); *a += k + *b; out[c[i].at] = 1; } }
    by_what_a_method_gives |x, out, k| { let mut c = START; if c.at < 16 { *c.place() += k; out[c.at] = 1; } }
    by_a_part_of_a_pattern |x, out, k| { let mut c = START; if c.at < 16 { let Cursor { at, .. } = &mut c; *at += k; out[c.at] = 1; } }
    by_an_update |x, out, k| { let mut c = START; if c.at < 16 { c = Cursor { at: k, ..c }; out[c.at] = 1; } }
    by_swap_of_structs |x, out, k| { let (mut c, mut d) = (START, Cursor { at: k, end: 0 }); if c.at < 16 { core::mem::swap(&mut c, &mut d); out[c.at] = 1; } }
    by_fields_in_turn |x, out, k| { let mut c = Cursor { at: 3, end: k }; if c.at < 16 { (c.at, c.end) = (c.end, c.at); out[c.at] = 1; } }
    in_a_function |x, out, k| { let mut c = START; out[0] = read_later(&mut c, x); }
    in_a_function_through_a_number |x, out, k| { let mut a = 3; written_later(&mut a, out); }
}

far! { numbers_that_are_changed_behind_a_guard:
    by_a_chosen_reference |x, out, k| { let (mut a, mut b) = (x[1], x[2]); if a < 16 && b < 16 { *chosen(&mut a, &mut b, x[3] == 3) = k; out[a] = 1; } }
    by_a_reference |x, out, k| { let mut a = x[1]; let r = &mut a; if *r < 16 { *r += k; out[*r] = 1; } }
    by_a_closure_in_a_loop |x, out, k| { let mut a = 0; for i in 0..2u32 { let mut step = |by: u32| a += by; if i == 1 { step(k); } out[a] = 1; } }
    by_a_closure_that_asks |x, out, k| { let mut a = x[1]; let mut f = |by: u32| { a += by; a < 16 }; if f(1) { out[0] = 1; } f(k); out[a] = 1; }
    by_swap_of_numbers |x, out, k| { let (mut a, mut b) = (x[1], k); if a < 16 { core::mem::swap(&mut a, &mut b); out[a] = b; } }
    by_take |x, out, k| { let (mut a, mut i) = (Some(k), x[1]); if i < 16 { while let Some(v) = a.take() { i += v; } out[i] = 1; } }
    by_a_labelled_break |x, out, k| { let mut i = x[1]; 'all: loop { for _ in 0..4 { if i < 16 { i = k; break 'all; } } } out[i] = 1; }
    by_a_labelled_block |x, out, k| { let mut i = x[1]; if i < 16 { 'part: { if x[2] == 2 { i = k; break 'part; } out[0] = 1; } out[i] = 1; } }
    by_what_a_block_gives |x, out, k| { let i = x[1]; let v = 'found: { if x[2] == 2 { break 'found k; } else if i < 16 { break 'found i; } 0 }; out[v] = 1; }
    by_continue |x, out, k| { let (mut i, mut j) = (0, 0); while i < 16 && j < 3 { j += 1; if j == 2 { i = k; continue; } } out[i] = 1u32; }
    in_the_guard |x, out, k| { let mut i = x[1]; if i < 16 && { i += k; true } { out[i] = 1; } }
    in_an_arm |x, out, k| { let mut i = x[1]; match i { n @ 0..=15 => { i = n + k; out[i] = 1 } _ => {} } }
    in_the_index |x, out, k| { let mut i = x[1]; if i < 16 { out[{ i += k; i }] = 1; } }
    in_the_value |x, out, k| { let mut i = x[1]; if i < 16 { out[i] = { i += k; x[i] }; } }
    beside_a_copy |x, out, k| { let mut i = x[1]; let j = i; i = k; if j < 16 { out[i] = 1; } }
    beside_a_copy_that_indexed |x, out, k| { let (mut i, q) = (x[1], [1; 16]); let j = i; i = k; let a: u32 = q[j]; out[i] = a; }
    beside_a_copy_in_a_loop |x, out, k| { let (mut i, q) = (x[1], [1; 16]); for _ in 0..2 { let j = i; let a: u32 = q[j.min(15)]; i = k; out[i] = a; } }
}

far! { ends_that_are_moved:
    of_a_shorter_slice |x, out, k| { let mut s = x; for i in 0..16u32 { out[i] = s[i]; s = &s[1..]; } }
    of_slices_in_turn |x, out, k| { let (mut s, mut r) = (x, &x[..2]); let n = s.len(); (s, r) = (r, s); for i in 0..n { out[i] = s[i]; } }
    of_a_slice_of_the_same_name |x, out, k| { let n = x.len(); let f = |i| x[i]; out[0] = f(n - 1); let x = &x[..3]; for i in 0..n { out[i] = x[i]; } }
    of_a_tile |x, out, k| { let mut first = x[14]; let c = (16 - first).min(8); first += 1; for t in 0..c { out[first + t] = 1; } }
    of_a_tile_through_a_reference |x, out, k| { let first = x[14]; let mut c = (16 - first).min(8); let r = &mut c; *r += 1; for t in 0..c { out[first + t] = 1; } }
    of_a_tile_that_wraps |x, out, k| { let first = x[14] + 3; let t = x[2]; if t < 16u32.wrapping_sub(first).min(8) { out[first + t] = 1; } }
    of_steps |x, out, k| { for i in (3..u32::MAX).step_by(k as usize * 1_000_000) { out[i] = 1; } }
    of_steps_downwards |x, out, k| { for i in (0..=20u32).rev().step_by(5) { out[i] = 1; } }
    of_all_numbers |x, out, k| { for i in (u32::MAX - 1)..=u32::MAX { out[i] = 1; } }
    of_parts_of_bytes |x, out, k| { let i = (x[3] as u8).wrapping_sub(x[4] as u8); out[i] = 1; }
    of_the_least_number |x, out, k| { let i = (x[0] as i32 + i32::MIN).wrapping_abs(); if i < 16 { out[i as u32] = 1; } }
    of_a_remainder |x, out, k| { let i = -(x[3] as i32) % 16; out[i] = 1; }
}

far! { slices_that_a_loop_makes:
    of_chunks |x, out, k| { for (i, c) in out.chunks_mut(5).enumerate() { c[i] = 1; } }
    of_chunks_that_are_read |x, out, k| { for (i, c) in x.chunks(5).enumerate() { out[i] = c[i]; } }
    of_windows |x, out, k| { for (i, w) in x.windows(3).enumerate() { out[i] = w[i]; } }
    of_less_each_time |x, out, k| { for i in 0..16 { let s = &x[..16 - i]; out[i] = s[i] + k; } }
    of_rows |x, out, k| { for i in 0..5u32 { let row = part(out, i * 3); row[i] = 1; } }
    of_names |x, out, k| { for i in 0..8u32 { let s = &x[i..]; out[i] = s[s[2] * 2]; } }
    of_names_in_a_slice |x, out, k| { let mut i = 0; while i < 8 { let s = &x[i..]; let names = &x[2 * i..]; out[i] = s[names[1]]; i += 1; } }
    of_sums |x, out, k| { let mut sum = 0; for i in 0..12 { let s = &x[i..]; sum += s[i] + x[x[i]]; } out[0] = sum; }
}

far! { places_that_name_what_they_are_in:
    by_an_index |x, out, k| { let mut q = [k; 4]; q[q[1]] = 1; out[0] = q[0]; }
    by_an_index_and_an_operator |x, out, k| { let mut q = [k; 4]; q[q[1]] += 1; out[0] = q[0]; }
    by_a_length |x, out, k| { out[out.len()] = 1; }
    by_a_row_of_rows |x, out, k| { let mut q = [[k; 4]; 2]; q[1][q[0][1]] = 1; out[0] = q[1][0]; }
    by_an_end |x, out, k| { let mut q = [k; 4]; let part = &mut q[..q[1] as usize]; part[0] = 1; }
    in_a_method |x, out, k| { let mut q = Queue { items: [k; 4], ..QUEUE }; q.follow(1); out[0] = q.items[0]; }
    by_swap_of_items |x, out, k| { let mut q = [k; 4]; q.swap(0, k as usize); out[0] = q[0]; }
    by_swap_of_items_of_a_slice |x, out, k| { out.swap(k as usize, 1); }
    by_swap_in_a_part |x, out, k| { let n = x[14] as usize; out[n..].swap(0, n - 12); }
    by_swap_in_a_field |x, out, k| { let mut q = QUEUE; q.items.swap(1, k as usize); out[0] = q.items[0]; }
    by_fill_of_a_part |x, out, k| { let mut q = [k; 4]; q[2..k as usize].fill(1); out[0] = q[3]; }
    by_split |x, out, k| { let mut q = [k; 4]; let (a, b) = q.split_at_mut(k as usize); a[0] = b.len() as u32; }
    by_copies_of_too_many |x, out, k| { out[1..3].copy_from_slice(&x[..k as usize / 250]); }
}
