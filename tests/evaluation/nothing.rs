//! Values of type `()`, wherever a value may stand.

#![allow(unused_assignments, clippy::unused_unit, clippy::let_unit_value, clippy::unit_arg, clippy::unit_cmp)]

use warpsmith::prelude::*;

use super::agree;

#[gpu_fn]
fn same(_: ()) {}

#[gpu_fn]
fn twice(v: (), mut f: impl FnMut((), u64)) {
    f(v, 1);
    f(v, 2)
}

#[gpu_fn]
fn counts(_: (), a: u64, _b: &()) -> u64 {
    a + 1
}

#[gpu_fn]
fn written(place: &mut u64) -> () {
    *place += 1;
}

#[gpu_kernel]
fn unit_values(x: &[u64], out: &mut [u64]) {
    let u = ();
    let v = {
        out[0] += 1;
    };
    let r = &u;
    let w = *r;
    out[1] = counts(u, x[2], &v) + counts(w, 3, r);
    let z = written(&mut out[2]);
    same(z);
    let t = (z, x[4], ());
    out[3] = t.1;
    let (a, b, c) = t;
    out[4] = b + counts(a, 1, &c);
    let mut late = ();
    late = written(&mut out[2]);
    same(late);
    let m = &mut late;
    *m = written(&mut out[2]);
    let (p, q) = (&mut late, &r);
    same(*p);
    same(**q);
    out[5] = counts((), x[3], p) + counts(**q, 1, q);
}

#[gpu_kernel]
fn units_in_arrays(x: &[u64], out: &mut [u64]) {
    let p = [(x[1], ()), (x[2], ())];
    out[4] = p[0].0 + p[1].0;
    let mut s = [((), x[3]); 2];
    s[1].0 = ();
    s[1].1 += 2;
    out[5] = s[0].1 + s[1].1;
    for (u, v) in p.iter().map(|(v, u)| (u, v)) {
        same(*u);
        out[7] += *v;
    }
}

#[gpu_kernel]
fn units_in_options(x: &[u64], out: &mut [u64]) {
    let o = Some(());
    if let Some(()) = o {
        out[4] += 1;
    }
    if let Some(inner) = o {
        out[4] += counts(inner, 1, &inner);
    }
    let q: Option<()> = if x[1] > 3 { Some(written(&mut out[5])) } else { None };
    out[6] = q.is_some() as u64 + o.map(|()| 5u64).unwrap_or(0);
}

#[gpu_kernel]
fn units_in_closures(x: &[u64], out: &mut [u64]) {
    let mut n = x[1];
    let mut f = |u: (), by: u64| {
        n += by;
        u
    };
    let u = f((), 1);
    f(u, 2);
    let none = || ();
    none();
    out[0] = n;
    out[1] = 1;
    twice((), |u, by| {
        out[1] += by;
        u
    });
    let u = ();
    let g = move |v: u64| {
        same(u);
        v + 1
    };
    out[2] = g(3);
    let h = |(): (), v: u64| v + 2;
    out[3] = h((), 4);
    (0..3u64).for_each(|v| out[4] += v);
    let k = (0..3u64)
        .map(|v| {
            out[5] += v;
        })
        .count();
    out[6] = k as u64;
    let l = |r: &()| same(*r);
    l(&u);
    let whole = loop {
        break written(&mut out[7]);
    };
    same(whole);
}

agree! {
    unit_values
    units_in_arrays
    units_in_closures
    units_in_options
}
