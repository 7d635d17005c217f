//! Patterns and references: each binds the place, never a copy of it.

#![allow(unused_assignments)]

use warpsmith::prelude::*;

use super::agree;

/// A body that moves.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Particle {
    x: u64,
    v: [u64; 3],
    inner: Inner,
}

/// The nested struct.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Inner {
    a: u64,
    q: [u64; 2],
}

/// A value or another.
#[derive(Clone, Copy, GpuType)]
enum Cell {
    Empty,
    One(u64),
    Two { left: u64, right: u64 },
}

#[gpu_fn]
fn particle(n: u64) -> Particle {
    Particle { x: n, v: [n + 1, n + 2, n + 3], inner: Inner { a: n + 4, q: [n + 5, n + 6] } }
}

#[gpu_fn]
fn total(p: &Particle) -> u64 {
    p.x + p.v[0] * 3 + p.v[1] * 5 + p.v[2] * 7 + p.inner.a * 11 + p.inner.q[0] * 13 + p.inner.q[1] * 17
}

#[gpu_kernel]
fn let_patterns_of_references(x: &[u64], out: &mut [u64]) {
    let mut p = [particle(x[1]), particle(x[2])];
    let mut i = 0usize;
    let Particle { x: px, v, .. } = &mut p[i];
    *px += 10;
    v[1] += 20;
    i = 1;
    let [a, b, _] = &mut p[i].v;
    *a += 30;
    core::mem::swap(a, b);
    let Particle { inner: Inner { a: na, q: [q0, q1] }, .. } = &mut p[1];
    *na += *q0;
    (*q0, *q1) = (*q1, *q0 + 1);
    out[0] = total(&p[0]);
    out[1] = total(&p[1]);
    let (mut r, mut s) = (particle(3), particle(4));
    let (first, second) = (&mut r, &mut s);
    first.x += 1;
    second.inner.q[1] = 9;
    let (Particle { x: fx, .. }, Particle { v: sv, .. }) = (first, second);
    *fx *= 2;
    sv[0] = 0;
    out[2] = total(&r) * 1000 + total(&s);
    let mut t = (1u64, [2u64, 3]);
    let (t0, [t1, ref mut t2]) = t;
    *t2 += t0 + t1;
    out[3] = t.1[1];
    let (u0, u1) = &mut t;
    *u0 = 40;
    u1[0] = 50;
    out[4] = t.0 + t.1[0];
    let &mut (c0, [c1, _]) = &mut t;
    t.0 = 0;
    out[5] = c0 * 100 + c1 + t.0;
}

#[gpu_kernel]
fn let_else_and_match_of_references(x: &[u64], out: &mut [u64]) {
    let mut cells = [Cell::One(x[3]), Cell::Two { left: 4, right: 5 }, Cell::Empty];
    let Cell::One(n) = &mut cells[0] else { return };
    *n += 6;
    let Cell::Two { left, right: r } = &mut cells[1] else { return };
    *left += *r;
    *r = 1;
    let mut z = Some(x[7]);
    let Some(v) = &mut z else { return };
    *v += 1;
    if let Some(v) = &mut z {
        *v *= 2;
    }
    while let Some(v) = &mut z {
        *v -= 5;
        out[5] += 1;
        if *v < 5 {
            break;
        }
    }
    for cell in &mut cells {
        match cell {
            Cell::One(n) if *n > 100 => *n = 0,
            Cell::One(n) => *n += 1,
            Cell::Two { right, .. } => *right += 7,
            other => *other = Cell::One(3),
        }
    }
    let mut k = 0;
    for cell in cells.iter() {
        out[k] = match cell {
            Cell::Empty => 1,
            Cell::One(n) => *n,
            &Cell::Two { left, right } => left * 100 + right,
        };
        k += 1;
    }
    out[4] = z.unwrap_or(0);
    let kept @ (Cell::One(_) | Cell::Two { .. }) = cells[1] else { return };
    cells[1] = Cell::Empty;
    out[6] = matches!(kept, Cell::Two { left: 9, .. }) as u64;
}

#[gpu_kernel]
fn for_and_closure_patterns_of_references(x: &[u64], out: &mut [u64]) {
    let mut z = [particle(x[1]), particle(x[2]), particle(x[3])];
    for Particle { x, v, .. } in z.iter_mut() {
        *x += 1;
        v[2] = *x;
    }
    for (i, Particle { inner: Inner { q: [a, _], .. }, .. }) in z.iter_mut().enumerate() {
        *a += i as u64;
    }
    for (Particle { x: left, .. }, right) in z.iter_mut().zip([7u64, 8, 9].iter()) {
        *left += right;
    }
    z.iter_mut().for_each(|Particle { x, inner, .. }| {
        *x += inner.a;
        inner.q[1] = 2;
    });
    let most = z.iter().map(|Particle { x, v: [a, _, _], .. }| x * 10 + a).max();
    out[3] = most.unwrap_or(0);
    for i in 0..3 {
        out[i] = total(&z[i]);
    }
    let touch = |Particle { x, .. }: &mut Particle, (a, b): (u64, u64)| *x += a * b;
    touch(&mut z[1], (3, 4));
    out[4] = total(&z[1]);
    out[5] = taken(&mut z[2], (5, 6));
    out[6] = total(&z[2]);
}

#[gpu_fn]
fn taken(Particle { x, inner: Inner { a, .. }, .. }: &mut Particle, (m, n): (u64, u64)) -> u64 {
    *x += m;
    *a = n;
    *x * *a
}

#[gpu_impl]
impl Particle {
    fn me(&mut self) -> &mut Particle {
        self.x += 1;
        self
    }

    fn inner_mut(&mut self) -> &mut Inner {
        &mut self.inner
    }

    fn with(&mut self, x: u64) -> &mut Self {
        self.x = x;
        self
    }
}

#[gpu_impl]
impl Inner {
    fn bump(&mut self) -> u64 {
        self.a += 1;
        self.a
    }
}

#[gpu_fn]
fn nth(p: &mut [Particle; 2], i: usize) -> &mut Particle {
    &mut p[i]
}

#[gpu_fn]
fn first(p: &mut [u64]) -> &mut u64 {
    &mut p[0]
}

#[gpu_kernel]
fn places_below_calls(x: &[u64], out: &mut [u64]) {
    let mut p = [particle(x[1]), particle(x[2])];
    p[0].me().v[2] = 70;
    p[0].me().v[1] += 3;
    p[0].me().inner.q[1] *= 2;
    (*p[0].me()).v[0] = 6;
    nth(&mut p, 1).inner.a = 4;
    nth(&mut p, {
        out[9] = 1;
        1
    })
    .v[out[9] as usize] += 4;
    let r = &mut nth(&mut p, 0).inner.q;
    r[0] = 90;
    let a = &mut p[1].inner_mut().a;
    *a += 8;
    p[1].with(5).v[2] *= 2;
    p[0].me().v.swap(0, 2);
    p[0].me().inner.q.fill(4);
    for v in p[0].me().v.iter_mut() {
        *v += 1;
    }
    out[0] = p[1].me().inner.bump() + nth(&mut p, 1).inner_mut().bump();
    out[1] = core::mem::replace(&mut nth(&mut p, 0).x, 9);
    let Inner { a, .. } = &mut nth(&mut p, 0).inner;
    *a += 2;
    match &mut p[1].me().inner {
        Inner { a, q: [q0, _] } => core::mem::swap(a, q0),
    }
    let part = &mut p[0].me().v[1..];
    part[0] += 60;
    *first(&mut p[1].me().v[..]) += 13;
    *first(&mut out[7..]) += 2;
    out[2] = total(&p[0]);
    out[3] = total(&p[1]);
    particle(1).v[0] = 7;
    ({ p[0] }).x = 1000;
    out[4] = { p[0] }.x
        + {
            let mut q = p[0];
            q.x += 1;
            q
        }
        .me()
        .x
        + p[0].x;
}

/// Rows that count how they are reached.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rows {
    rows: [[u64; 4]; 2],
    reads: u64,
    writes: u64,
}

#[gpu_impl]
impl core::ops::Index<usize> for Rows {
    type Output = [u64; 4];
    fn index(&self, i: usize) -> &[u64; 4] {
        &self.rows[i]
    }
}

#[gpu_impl]
impl core::ops::IndexMut<usize> for Rows {
    fn index_mut(&mut self, i: usize) -> &mut [u64; 4] {
        self.writes += 1;
        &mut self.rows[i]
    }
}

#[gpu_kernel]
fn indices_of_ones_own_are_written(x: &[u64], out: &mut [u64]) {
    let mut m = Rows { rows: [[x[1], 2, 3, 4], [5, 6, 7, 8]], reads: 0, writes: 0 };
    for v in m[1].iter_mut() {
        *v += 10;
    }
    m[1].swap(0, 2);
    m[0].fill(3);
    let part = &mut m[1][1..];
    part[0] = 90;
    if let Some(v) = m[0].get_mut(2) {
        *v = 70;
    }
    m[0][1] += 5;
    let [a, _, _, _] = &mut m[1];
    *a += 1;
    let sum: u64 = m[1].iter().sum::<u64>() + m[0][2] + m[1].len() as u64;
    out[0] = sum;
    out[1] = m.writes;
    for i in 0..4 {
        out[2 + i] = m[0][i];
        out[6 + i] = m[1][i];
    }
}

#[gpu_kernel]
fn slices_behind_references(x: &[u64], out: &mut [u64]) {
    let mut s = &x[2..9];
    let i = x[3] as usize;
    out[0] = (*s)[i] + (&*s)[1] + s[i];
    let t = &*s;
    s = &x[..1];
    out[1] = t[i] + t.len() as u64 + s.len() as u64;
    let o = &mut out[4..];
    let p = &mut *o;
    p[0] = 5;
    (*p)[1] = 6;
    o[2] = o.len() as u64;
    let (mut a, mut b) = (&x[..4], &x[4..]);
    (a, b) = (b, a);
    out[2] = a[0] * 10 + b[0] + a.len() as u64;
}

#[gpu_static]
static QUEUE: Inner = Inner { a: 3, q: [4, 5] };

#[gpu_kernel]
fn statics_are_places(x: &[u64], out: &mut [u64]) {
    out[0] = x[1];
    let q = QUEUE.get_mut();
    q.a = 10;
    out[1] = atomic_add(&mut QUEUE.get_mut().a, 1);
    let Inner { q: [first, _], .. } = QUEUE.get_mut();
    *first += 1;
    out[2] = QUEUE.get_mut().bump();
    QUEUE.get_mut().q[1] *= 2;
    out[3] = QUEUE.get().a;
    out[4] = QUEUE.get().q[0] * 100 + QUEUE.get().q[1];
    QUEUE.get_mut().q = [4, 5];
}

agree! {
    let_patterns_of_references let_else_and_match_of_references for_and_closure_patterns_of_references
    places_below_calls indices_of_ones_own_are_written slices_behind_references statics_are_places
}
