//! Functions, methods and closures that give slices and references to elements.

use core::ops::{Index, IndexMut};

use warpsmith::prelude::*;
use warpsmith::types::Shared;

use super::{compiles, everywhere, written};
use harness::on_every_device;

#[gpu_fn]
fn row(m: &[i32], r: u32, n: u32) -> &[i32] {
    &m[r * n..(r + 1) * n]
}

#[gpu_fn]
fn row_mut(m: &mut [i32], r: u32, n: u32) -> &mut [i32] {
    &mut m[r * n..(r + 1) * n]
}

#[gpu_fn]
fn longer<'a, 'b: 'a>(a: &'a [i32], b: &'b [i32]) -> &'a [i32] {
    if a.len() < b.len() {
        return b;
    }
    a
}

#[gpu_fn]
fn at(m: &mut [i32], i: u32) -> &mut i32 {
    &mut m[i]
}

#[gpu_fn]
fn halves<T: Copy>(m: &[T], at: usize) -> (&[T], &[T]) {
    (&m[..at], &m[at..])
}

#[gpu_fn]
fn halves_mut(m: &mut [i32], at: usize) -> (&mut [i32], &mut [i32]) {
    m.split_at_mut(at)
}

#[gpu_fn]
fn from(m: &[i32], at: usize) -> Option<&[i32]> {
    if at < m.len() { Some(&m[at..]) } else { None }
}

const ODD: [i32; 3] = [1, 3, 5];
const EVEN: &[i32; 4] = &[0, 2, 4, 6];

#[gpu_fn]
fn table(odd: bool) -> &'static [i32] {
    if odd {
        return &ODD;
    }
    &EVEN[1..]
}

#[gpu_fn]
fn total(x: &[i32]) -> i32 {
    x.iter().sum()
}

/// Slices where they are bound, indexed, walked, given on, compared, matched and taken apart.
#[gpu_kernel]
fn read(m: &[i32], n: u32, out: &mut [i32]) {
    let t = thread_idx().x;
    let o = row_mut(out, t, 12);
    let r: &[i32] = row(m, t, n);
    for i in 0..r.len() {
        o[0] += r[i];
    }
    for v in row(m, t, n) {
        o[1] += 2 * v;
    }
    o[2] = row(m, t, n)[1] * 10 + row(row(m, t, n), 1, 2).len() as i32;
    o[3] = total(row(m, t, n)) + total(&row(m, t, n)[1..3]);
    o[4] = longer(row(m, 0, t), row(m, 0, 2)).len() as i32;
    o[5] = i32::from(row(m, t, n) == row(m, 3, n)) + 2 * i32::from(row(m, t, n).contains(&9));
    o[6] = match r {
        [a, .., b] => *a * 100 + *b,
        _ => -1,
    };
    let (a, b) = halves(m, t as usize);
    o[7] = total(a) * 100 + b[0];
    o[8] = from(m, 13 + t as usize).map_or(-1, |rest| rest[0] * 10 + rest.len() as i32);
    let mut found = row(m, 0, 1);
    for i in 1..4 {
        if row(m, i, n)[0] > 5 * t as i32 {
            found = row(m, i, n);
        }
    }
    o[9] = found[0] * 10 + found.len() as i32;
    let chosen = if t > 1 { row(m, 1, n) } else { &m[..t] };
    o[10] = total(chosen) * 10 + chosen.len() as i32;
    o[11] = (t > 0 && row(m, t, n)[0] > 4) as i32 + row(m, t, n).iter().rev().skip(1).max().map_or(0, |v| *v);
}

#[test]
fn slices_are_given_to_be_read() {
    let m: Vec<i32> = (0..16).collect();
    everywhere::<read>(&(), |gpu| {
        let x = gpu.upload(&m).expect("memory");
        let out = written(gpu, (48, 0), |out| read(&x, 4, out).grid(1).block(4).launch(gpu));
        for (t, o) in out.chunks(12).enumerate() {
            let r = &m[4 * t..4 * t + 4];
            let sum: i32 = r.iter().sum();
            assert_eq!(o[..4], [sum, 2 * sum, r[1] * 10 + 2, sum + r[1] + r[2]], "thread {t}");
            assert_eq!(o[4], t.max(2) as i32);
            assert_eq!(o[5], i32::from(t == 3) + 2 * i32::from(r.contains(&9)));
            assert_eq!(o[6], r[0] * 100 + r[3]);
            assert_eq!(o[7], m[..t].iter().sum::<i32>() * 100 + m[t]);
            assert_eq!(o[8], if t < 3 { (13 + t as i32) * 10 + 3 - t as i32 } else { -1 });
            let found = (1..4).rev().find(|i| 4 * i > 5 * t as i32);
            assert_eq!(o[9], found.map_or(1, |i| 4 * i * 10 + 4));
            assert_eq!(o[10], [0, 1, 224, 224][t]);
            assert_eq!(o[11], i32::from(t > 0 && r[0] > 4) + r[2]);
        }
    });
}

#[gpu_fn]
fn next(counter: &mut u32) -> u32 {
    *counter += 1;
    *counter
}

/// Slices and elements that are written, and the order in which Rust evaluates what is around them.
#[gpu_kernel]
fn write(m: &[i32], out: &mut [i32]) {
    let t = thread_idx().x;
    let own = row_mut(out, t, 8);
    *at(own, 0) = 1;
    *at(own, 0) += t as i32;
    row_mut(own, 1, 2)[0] = 5;
    row_mut(own, 1, 2)[1] += own[0] + 1;
    let (low, high) = halves_mut(own, 4);
    high[0] = low[2];
    row_mut(high, 1, 2).copy_from_slice(row(m, t, 2));
    low.swap(0, 1);
    let mut counter = 0;
    row_mut(high, 0, 2)[next(&mut counter) - 2] = row(m, next(&mut counter), 2)[0] + counter as i32;
    let again = row_mut(row_mut(own, 0, 8), 0, 4);
    again[0] += again.len() as i32;
    for v in row_mut(again, 1, 2) {
        *v *= 10;
    }
}

#[test]
fn slices_are_given_to_be_written() {
    let m: Vec<i32> = (0..16).collect();
    everywhere::<write>(&(), |gpu| {
        let x = gpu.upload(&m).expect("memory");
        let out = written(gpu, (32, 0), |out| write(&x, out).grid(1).block(4).launch(gpu));
        for (t, o) in out.chunks(8).enumerate() {
            let t = t as i32;
            assert_eq!(*o, [4, 1 + t, 50, 10 * (t + 2), 3, 0, 2 * t, 2 * t + 1], "thread {t}");
        }
    });
}

/// A matrix that is a view, and one that has its elements.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rows<'a> {
    data: View<'a, i32>,
    cols: u32,
}

#[gpu_impl]
impl<'a> Rows<'a> {
    fn row(&self, i: u32) -> &[i32] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    fn rest(&self, i: u32) -> Option<&[i32]> {
        if i < self.cols { Some(&self.row(i)[1..]) } else { None }
    }

    fn all(&self) -> &[i32] {
        &self.data
    }
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Small {
    rows: [[i32; 3]; 2],
    last: [i32; 3],
}

#[gpu_impl]
impl Small {
    fn row(&self, i: usize) -> &[i32] {
        if i == 2 {
            return &self.last;
        }
        &self.rows[i]
    }

    fn row_mut(&mut self, i: usize) -> &mut [i32] {
        match i {
            2 => &mut self.last,
            _ => &mut self.rows[i],
        }
    }

    fn element(&mut self, i: usize, j: usize) -> &mut i32 {
        &mut self.row_mut(i)[j]
    }
}

#[gpu_impl]
impl Index<usize> for Small {
    type Output = [i32];
    fn index(&self, i: usize) -> &[i32] {
        self.row(i)
    }
}

#[gpu_impl]
impl IndexMut<usize> for Small {
    fn index_mut(&mut self, i: usize) -> &mut [i32] {
        self.row_mut(i)
    }
}

#[gpu_trait]
trait HasRows {
    fn nth(&self, i: usize) -> &[i32];
    fn both<'a>(&'a self, other: &'a [i32], i: usize) -> (&'a [i32], &'a [i32]) {
        (self.nth(i), other)
    }
}

#[gpu_impl]
impl HasRows for Small {
    fn nth(&self, i: usize) -> &[i32] {
        self.row(i)
    }
}

#[gpu_fn]
fn sum_of<R: HasRows>(rows: &R, i: usize) -> i32 {
    total(rows.nth(i))
}

#[gpu_kernel]
fn methods(m: &[i32], out: &mut [i32]) {
    let t = thread_idx().x;
    let o = row_mut(out, t, 10);
    let rows = Rows { data: View::new(m), cols: 4 };
    o[0] = rows.row(t)[2] * 10 + rows.row(t).len() as i32;
    o[1] = rows.rest(t).map_or(0, |rest| total(rest)) + rows.all().len() as i32;
    let mut small = Small { rows: [[1, 2, 3], [4, 5, 6]], last: [7, 8, t as i32] };
    small.row_mut(1)[2] += 10;
    *small.element(2, 0) += small.row(0)[1];
    *small.element(0, 0) = 100;
    small.row_mut(0).swap(0, 2);
    o[2] = total(small.row(0)) * 1000 + total(small.row(1));
    o[3] = small.row(2).iter().map(|v| v * v).sum();
    o[4] = sum_of(&small, t as usize % 3);
    small[1][0] = 50;
    o[5] = small[1][0] + small[1].len() as i32 + total(&small[2]);
    let (a, b) = small.both(m, 1);
    o[6] = a[0] + b[t];
    for (i, v) in small[0].iter_mut().enumerate() {
        *v -= i as i32;
    }
    o[7] = small.rows[0][0] * 100 + small.rows[0][2];
    o[8] = small.rows[1][2] + small.last[0];
    o[9] = row(&small.last, 0, 2)[1] + row(&[4, 5, t as i32], 1, 2 - 1)[0];
}

#[test]
fn methods_give_parts_of_their_receivers() {
    let m: Vec<i32> = (0..16).collect();
    everywhere::<methods>(&(), |gpu| {
        let x = gpu.upload(&m).expect("memory");
        let out = written(gpu, (40, 0), |out| methods(&x, out).grid(1).block(4).launch(gpu));
        for (t, o) in out.chunks(10).enumerate() {
            let (first, t) = (4 * t as i32, t as i32);
            assert_eq!(o[..2], [(first + 2) * 10 + 4, 3 * first + 6 + 16], "thread {t}");
            assert_eq!(o[2..4], [105 * 1000 + 25, 81 + 64 + t * t]);
            assert_eq!(o[4], [105, 25, 17 + t][t as usize % 3]);
            assert_eq!(o[5], 50 + 3 + 17 + t);
            assert_eq!(o[6..], [50 + t, 300 + 98, 16 + 9, 8 + 5]);
        }
    });
}

#[gpu_fn]
fn lent_on<'a>(first: &'a Shared<i32>, second: &'a Shared<i32>, which: bool) -> &'a Shared<i32> {
    if which { second } else { first }
}

#[gpu_fn]
fn part_of(tile: &Shared<i32>, of: usize) -> &[i32] {
    &tile[of..of + 2]
}

#[gpu_fn]
fn part_of_mut(tile: &mut Shared<i32>, of: usize) -> &mut [i32] {
    &mut tile[of..of + 2]
}

/// Shared memory, and closures that give slices.
#[gpu_kernel]
fn shared_and_closures(m: &[i32], out: &mut [i32]) {
    let t = thread_idx().x as usize;
    let mut a = shared!([i32; 8]);
    let mut b = shared!([i32; 8]);
    part_of_mut(&mut a, 2 * t)[0] = t as i32;
    part_of_mut(&mut a, 2 * t)[1] = 10;
    b[2 * t] = 20;
    b[2 * t + 1] = 30;
    sync_threads();
    let o = row_mut(out, t as u32, 6);
    o[0] = lent_on(&a, &b, t > 1)[0] + lent_on(&a, &b, t > 1).len() as i32;
    o[1] = part_of(&a, 6 - 2 * t)[0] + total(part_of(&b, 1));
    let part = |all: bool| if all { m } else { &m[1..] };
    o[2] = part(t == 0)[0] * 100 + part(t == 1).len() as i32;
    let slice: i32 = [1u32, 2].iter().map(|i| row(m, *i, 3)).map(|r| r[t % 3] + r.len() as i32).sum();
    o[3] = slice;
    let of = |x: &[i32]| -> i32 { x[0] + row(x, 1, 2)[1] };
    o[4] = of(row(m, t as u32, 4)) + of(&m[..4]);
    let pair = (row(m, 1, 2), [row(m, 2, 2), row(m, 3, 2)]);
    o[5] = pair.0[0] * 100 + pair.1[t % 2][1] + table(t < 2)[1];
}

#[test]
fn shared_arrays_and_closures_give_slices() {
    let m: Vec<i32> = (0..16).collect();
    everywhere::<shared_and_closures>(&(), |gpu| {
        let x = gpu.upload(&m).expect("memory");
        let out = written(gpu, (24, 0), |out| shared_and_closures(&x, out).grid(1).block(4).launch(gpu));
        for (t, o) in out.chunks(6).enumerate() {
            let one = if t > 1 { 20 } else { 0 };
            assert_eq!(o[..2], [one + 8, 3 - t as i32 + 50], "thread {t}");
            assert_eq!(o[2], i32::from(t != 0) * 100 + 16 - i32::from(t != 1));
            let t = t as i32;
            assert_eq!(
                o[3..],
                [3 + 6 + 2 * (t % 3) + 6, 8 * t + 3 + 3, 205 + 2 * (t % 2) + if t < 2 { 3 } else { 4 }]
            );
        }
    });
}

macro_rules! changed {
    ($($name:ident |$array:ident| $change:expr;)+) => {
        $(
            #[gpu_kernel]
            fn $name(out: &mut [u32]) {
                let mut $array = [0u32; 4];
                $array[3] = 1;
                $change;
                if out.len() > 8 {
                    out[$array[0]] = 1;
                }
            }
        )+

        #[test]
        fn indices_from_arrays_that_are_written_through_references_are_checked() {
            $(
                compiles::<$name>(&());
                on_every_device(|gpu| {
                    let mut out = gpu.upload(&[0; 16]).expect("memory");
                    let launched = $name(&mut out).grid(1).block(1).launch(gpu).and_then(|()| gpu.synchronize());
                    assert!(launched.is_err_and(|e| e.to_string().contains("index 1000")), stringify!($name));
                });
            )+
        }
    };
}

#[gpu_fn]
fn fill(x: &mut [u32], value: u32) {
    x[0] = value;
}

#[gpu_fn]
fn first_of(x: &mut [u32]) -> &mut u32 {
    &mut x[0]
}

#[gpu_fn]
fn all_of(x: &mut [u32]) -> &mut [u32] {
    x
}

changed! {
    by_a_part |q| { let part = &mut q[..2]; part[0] = 1000 };
    by_a_function |q| fill(&mut q, 1000);
    by_an_element_that_a_function_gives |q| *first_of(&mut q) = 1000;
    by_a_slice_that_a_function_gives |q| all_of(&mut q)[0] = 1000;
    by_halves |q| { let (low, high) = q.split_at_mut(1); low[0] = 999 + high[2] };
    by_chunks |q| for pair in q.chunks_mut(2) { pair[0] = 1000 };
    by_fill |q| q.fill(1000);
}
