//! The result of a call, a block or an operator is a value of its own, also behind a reference to a part of it.

#![allow(
    unused_assignments,
    clippy::identity_op,
    clippy::unnecessary_cast,
    clippy::unnecessary_min_or_max,
    clippy::bind_instead_of_map,
    clippy::map_identity,
    clippy::useless_conversion
)]

use core::mem::replace;

use warpsmith::prelude::*;

use super::agree;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: u64,
    b: [u64; 2],
}

/// A choice that holds one.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
enum Choice {
    Whole(Pair),
    Part { of: Pair, by: u64 },
}

#[gpu_impl]
impl Choice {
    fn pair(self) -> Pair {
        match self {
            Choice::Whole(pair) => pair,
            Choice::Part { of, .. } => of,
        }
    }
}

#[gpu_impl]
impl Pair {
    fn of(a: u64) -> Self {
        Pair { a, b: [a + 1, a + 2] }
    }

    fn same(self) -> Self {
        self
    }

    fn sum(&self) -> u64 {
        self.a + self.b[0] * 10 + self.b[1] * 100
    }

    fn bump(&mut self) -> &mut Self {
        self.a += 7;
        self.b[1] += 3;
        self
    }
}

#[gpu_fn]
fn same(pair: Pair) -> Pair {
    pair
}

#[gpu_fn]
fn through<T: GpuType>(value: T, f: impl Fn(T) -> T) -> T {
    f(value)
}

#[gpu_kernel]
fn parts_of_values(x: &[u64], out: &mut [u64]) {
    let mut o = Some(Pair::of(x[1]));
    let r = &o.unwrap().a;
    let s = &o.unwrap_or(Pair::of(9)).b[1];
    let t = &o.map(|p| p).expect("some").b[0];
    let u = &o.unwrap_or_else(|| Pair::of(0)).b;
    let m = o.unwrap().bump().a;
    o = Some(Pair::of(50));
    out[0] = *r + *s * 10 + *t * 100 + u[1] * 1000 + m * 10_000;
    let mut p = Pair::of(x[2]);
    let (r, s) = (&same(p).b[0], &p.same().b);
    let t = &through(p, |q| q).a;
    let u = &{ p }.b[1];
    let v = &(if x[0] == 0 { p } else { Pair::of(1) }).b[0];
    let w = &(match x[0] {
        0 => p,
        _ => Pair::of(1),
    })
    .a;
    p = Pair::of(60);
    out[1] = *r + s[1] * 10 + *t * 100 + *u * 1000 + *v * 10_000 + *w * 100_000;
    let mut pairs = [p, Pair::of(x[3])];
    let r = &(pairs[1], p).0.b[1];
    let s = &[pairs[1], p][0].a;
    let t = &Pair { a: 1, ..pairs[1] }.b;
    let u = &replace(&mut pairs[1], Pair::of(70)).b[0];
    let v = &replace(&mut pairs[0], Pair::of(0)).b[1];
    pairs[1].a = 0;
    out[2] = *r + *s * 10 + t[0] * 100 + *u * 1000 + *v * 10_000 + pairs[0].sum() + pairs[1].sum();
    let mut c = Choice::Part { of: Pair::of(x[4]), by: 3 };
    let r = &c.pair().b[0];
    let s = c.pair().bump().sum();
    if let Choice::Part { of, by } = &mut c {
        of.bump();
        *by += 1;
    }
    out[3] = *r + s + c.pair().sum() * 10;
    c = Choice::Whole(p);
    out[4] = c.pair().sum();
}

#[gpu_kernel]
fn parts_of_numbers(x: &[u64], out: &mut [u64]) {
    let mut v = U64x4::new(x[1], x[2], x[3], x[4]);
    let r = &(v + U64x4::splat(0)).x;
    let s = &v.clone().y;
    let t = &same_vector(v).z;
    let (mut n, mut k) = (x[5], x[6]);
    let a = &(n as u64);
    let b = &(n + 0);
    let c = &{ n };
    let d = &n.max(0);
    let e = &u64::from(n);
    let f = &(n, k).0;
    let g = &[n, k][1];
    let h = &Some(n).unwrap();
    let i = &if k > 0 { n } else { k };
    let j = &n.wrapping_add(0);
    v = U64x4::splat(90);
    n = 70;
    k = 80;
    out[0] = *r + *s * 10 + *t * 100 + v.w * 1000;
    out[1] = [*a, *b, *c, *d, *e, *f, *g, *h, *i, *j].iter().fold(0, |sum, y| sum * 10 + *y) + n + k;
    let mut row = [x[1], x[2], x[3]];
    let r = &{ row }[1];
    let s = &{ row }[1..];
    let t = (if x[0] == 0 { row } else { [0; 3] })
        .iter()
        .map(|y| {
            row[0] += 5;
            *y
        })
        .sum::<u64>();
    for (i, y) in { row }.iter().enumerate() {
        row[2 - i] += *y * 2;
    }
    let [p, ref q, _] = { row };
    row = [7; 3];
    out[2] = *r + s[1] * 10 + t * 100 + p * 1000 + *q * 100_000 + row[0];
    let mut twice = [row; 2];
    twice[1][0] = 3;
    let u = &twice[1].map_all(|y| y + 1)[0];
    twice[1][0] = 30;
    out[3] = *u + twice[1][0];
    let z = {
        let y = &mut row;
        y[1] += 1;
        *y
    };
    row[1] = 0;
    out[4] = z[1] + row[1];
}

#[gpu_fn]
fn same_vector(v: U64x4) -> U64x4 {
    v
}

#[gpu_trait]
trait Maps {
    fn map_all(self, f: impl Fn(u64) -> u64) -> Self;
}

#[gpu_impl]
impl Maps for [u64; 3] {
    fn map_all(self, f: impl Fn(u64) -> u64) -> Self {
        [f(self[0]), f(self[1]), f(self[2])]
    }
}

agree! {
    parts_of_values parts_of_numbers
}
