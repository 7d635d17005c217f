//! Slices of arrays, of temporaries and of views: each is a slice of the device language.

#![deny(unused)]

use warpsmith::prelude::*;

use super::agree;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Bank {
    rows: [[u64; 4]; 2],
    total: u64,
}

const TABLE: [u64; 6] = [1, 2, 3, 4, 5, 6];

#[gpu_static]
static KEPT: [u64; 6] = [10, 20, 30, 40, 50, 60];

#[gpu_fn]
fn sum(s: &[u64]) -> u64 {
    let mut all = 0;
    for (i, v) in s.iter().enumerate() {
        all = all * 3 + *v + i as u64;
    }
    all
}

#[gpu_fn]
fn raise(s: &mut [u64], by: u64) -> u64 {
    for v in s.iter_mut() {
        *v += by;
    }
    s[0]
}

#[gpu_fn]
fn sort(s: &mut [u64]) {
    for i in 0..s.len() {
        for j in i + 1..s.len() {
            if s[j] < s[i] {
                s.swap(i, j);
            }
        }
    }
}

#[gpu_kernel]
fn halves_of_arrays(x: &[u64], out: &mut [u64]) {
    let mut v = [x[7], x[6], x[5], x[4], x[3], x[2], x[1], x[8]];
    let (p, q) = v.split_at_mut(3);
    out[0] = raise(p, 5) + raise(&mut q[1..3], 7) * 100;
    p[0] = q[4];
    let r = &mut p[..];
    r[1] += 1;
    let (s, t) = q.split_at_mut(2);
    sort(t);
    s[0] += sum(&t[..2]);
    for v in s.iter_mut() {
        *v *= 2;
    }
    for v in t {
        out[1] = out[1] * 7 + *v;
    }
    let (a, b) = v.split_at(x[2]);
    out[2] = sum(a);
    out[3] = sum(b);
    out[4] = a.len() as u64 * 10 + b.len() as u64;
    let (c, d) = (&mut v).split_at_mut(4);
    d.copy_from_slice(c);
    c.fill(9);
    out[5] = sum(&v[2..6]);
    let (e, _) = v.split_at_mut(1);
    e[0] = 77;
    let (_, f) = v.split_at(7);
    out[6] = v[0] + f[0];
}

#[gpu_kernel]
fn methods_of_arrays(x: &[u64], out: &mut [u64]) {
    let mut v = [1u64, 2, 3, 4];
    v.copy_from_slice(&x[2..6]);
    let i = x[1] as u32;
    v.swap(i, 3u8);
    out[0] = sum(&v[..]);
    out[1] = *v.get(i).unwrap_or(&7) + v.get(9u32).copied().unwrap_or(50);
    if let Some(place) = v.get_mut(2usize) {
        *place += 30;
    }
    out[2] = v[2];
    v.fill(x[3]);
    out[3] = v.iter().sum::<u64>() + v.len() as u64 + u64::from(v.is_empty());
    v.copy_from_slice(&[5, 6, 7, 8]);
    out[4] = v[3];
    let w = &mut v;
    let (a, b) = w.split_at_mut(2);
    a.copy_from_slice(b);
    a[0] += 1;
    out[5] = w[0] + w[1] * 10;
}

#[gpu_kernel]
fn halves_of_what_holds_arrays(x: &[u64], out: &mut [u64]) {
    let mut bank = Bank { rows: [[x[1], x[2], x[3], x[4]], [x[5], x[6], x[7], x[8]]], total: 0 };
    let (a, b) = bank.rows[1].split_at_mut(1);
    bank.total = raise(a, 3);
    out[0] = sum(b) + bank.total;
    let (rows, others) = bank.rows.split_at_mut(1);
    rows[0].swap(0, 2);
    let (c, d) = rows[0].split_at_mut(2);
    c[0] += d[1];
    others[0][0] = sum(c);
    out[1] = sum(&bank.rows[0][..]);
    out[2] = sum(&bank.rows[1][..]);
    let (e, f) = TABLE.split_at(2);
    out[3] = sum(e) + sum(f) * 1000;
    let mut pair = ([1u64, 2, 3], 4u64);
    let (g, h) = pair.0.split_at_mut(1);
    h[0] += g[0];
    pair.1 += pair.0[1];
    out[4] = pair.1;
    let mut tile = shared!([Bank; 2]);
    tile[1] = Bank { rows: [[1, 2, 3, 4], [5, 6, 7, 8]], total: 1 };
    let (k, l) = tile[1].rows[1].split_at_mut(1);
    l[0] = k[0] * 10;
    out[5] = sum(&tile[1].rows[1][..]);
    let (m, n) = KEPT.get_mut().split_at(4);
    out[6] = sum(m) + sum(n);
    let mut grid = [[1u64; 3]; 2];
    for row in grid.iter_mut() {
        let (o, p) = row.split_at_mut(1);
        p[1] += o[0];
    }
    out[7] = sum(&grid[1][..]);
    let again = |s: &mut [u64; 4]| {
        let (q, r) = s.split_at_mut(3);
        q[0] = r[0];
        sum(q)
    };
    out[8] = again(&mut bank.rows[0]);
}

#[gpu_kernel]
fn slices_of_temporaries(x: &[u64], out: &mut [u64]) {
    out[0] = sum(&[x[1]; 4][..]);
    out[1] = raise(&mut [x[2], x[3]][..], 4) + sum(&[x[1], 7, 8][1..]) * 100;
    let kept = &[x[1], x[2], x[3]][1..];
    let changed = &mut [x[4]; 3][..2];
    changed[1] = 50;
    out[2] = sum(kept) + changed[1] * 1000 + changed.len() as u64;
    let parts = (&[x[5], x[6], 1][..2], x[7]);
    out[3] = sum(parts.0) + parts.1;
    let (a, b) = (&[x[7]; 2][..], &mut [1u64, 2][..]);
    b[0] += a[1];
    out[4] = b[0] + out[3];
    out[5] = [x[1], x[2]][..].len() as u64 + sum(&[[x[1], 2], [3, 4]][1][..]);
    out[6] = sum(&made(x[3])[2..]);
    for v in &[x[1], x[2], x[3]][1..] {
        out[7] = out[7] * 10 + *v;
    }
    out[8] = raise(
        &mut {
            out[1] = 3;
            [x[1], out[1]]
        }[..],
        {
            out[1] = 9;
            2
        },
    ) + out[1];
    out[9] = sum([x[1], x[2], x[3]].split_at(1).1);
    match sum(&[x[2]; 2][..]) {
        v if v > sum(&[1, 2][..]) => out[10] = v,
        _ => out[10] = 5,
    }
    let nested = &(&[x[1], x[2], x[3], x[4]][1..])[..2];
    out[11] = sum(nested);
    let mut i = 0;
    while sum(&[i; 2][..]) < 20 {
        i += 1;
    }
    out[12] = i;
    let all = out.len();
    let tail = &mut out[all - 2..];
    tail[1] = tail.len() as u64;
    let last = &mut tail[tail.len() - 1..];
    last[0] += 1;
}

#[gpu_fn]
fn made(v: u64) -> [u64; 4] {
    [v, v + 1, v + 2, v + 3]
}

#[gpu_kernel]
fn views_are_walked(x: &[u64], out: &mut [u64]) {
    let m = View2::new(x, 3, 5);
    for v in m.row(0) {
        out[0] = out[0] * 3 + *v;
    }
    for v in m.row(1).iter() {
        out[1] = out[1] * 3 + *v;
    }
    for (i, v) in m.row(2).iter().enumerate().skip(1) {
        out[2] += i as u64 * *v;
    }
    let row = m.row(1);
    for &v in &row {
        out[3] += v;
    }
    for (a, b) in row.iter().zip(m.row(0).iter().rev()) {
        out[4] += *a * *b;
    }
    out[5] = row.iter().map(|v| v * 2).filter(|v| *v > 12).sum::<u64>()
        + row.into_iter().copied().max().unwrap_or(0);
    out[6] = row.iter().position(|v| *v == 7).unwrap_or(100) as u64;
    out[7] = sum(&row[1..3]) + row.iter().count() as u64;
    let w = ViewMut2::new(&mut out[8..16], 2, 4);
    for v in w.row(0) {
        *v = 3;
    }
    for (i, v) in w.row(1).iter_mut().enumerate() {
        *v = i as u64;
    }
    let mut last = w.row(1);
    for v in &mut last {
        *v += 1;
    }
    for v in last.iter_mut().take(2) {
        *v *= 5;
    }
    let mut all = 0;
    for v in &last {
        all = all * 2 + *v;
    }
    for v in last.iter() {
        all += *v;
    }
    last[3] = all;
    let (a, b) = last.split_at_mut(2);
    a[0] += b[0];
}

#[gpu_fn]
fn cut<'a>(s: &'a [u64], at: usize) -> (&'a [u64], &'a [u64]) {
    (&s[..at], &s[at..])
}

#[gpu_fn]
fn weighed(p: (&[u64], u64)) -> u64 {
    sum(p.0) * p.1 + p.0.len() as u64
}

#[gpu_fn]
fn longer<'a>(a: &'a [u64], b: &'a [u64]) -> Option<&'a [u64]> {
    if a.len() > b.len() {
        Some(a)
    } else if b.len() > a.len() {
        Some(b)
    } else {
        None
    }
}

#[gpu_kernel]
fn slices_in_values(x: &[u64], out: &mut [u64]) {
    let mut pair = (&x[1..4], 3u64);
    out[0] = sum(pair.0) + pair.1 + pair.0[2] + pair.0.len() as u64;
    pair.0 = &pair.0[1..];
    out[1] = weighed(pair) + weighed((&[x[5], 2][..], 4));
    pair = (x, 1);
    out[2] = pair.0.len() as u64;
    let halves = cut(pair.0, x[6] as usize);
    out[3] = sum(halves.0) + sum(halves.1);
    let (low, high) = cut(halves.1, 2);
    out[4] = low.len() as u64 * 100 + high.len() as u64;
    let parts = [&x[..2], &x[3..7], high];
    for (i, part) in parts.iter().enumerate() {
        out[5] = out[5] * 5 + sum(part) + i as u64;
    }
    let mut i = 1;
    out[6] = parts[i][{
        i += 1;
        2
    }] + parts[i].len() as u64;
    let most = longer(parts[0], parts[1]);
    if let Some(s) = most {
        out[7] = s[1] + s.len() as u64;
    }
    out[8] = longer(&x[..2], &x[1..3]).is_none() as u64 + most.is_some() as u64 * 7;
    let mut v = [x[1], x[2], x[3], x[4]];
    let mut both = v.split_at_mut(1);
    both.0[0] = both.1[1] + 4;
    both.1.swap(0, 2);
    let r = &mut both;
    r.1[0] += 7;
    r.1 = &mut r.0[..];
    out[9] = r.1.len() as u64 + r.1[0];
    out[10] = sum(&v[..]);
    let mut kept = (x, [(&x[..1], 2u64); 2]);
    kept.1[1] = (&x[2..5], 7);
    let again = |p: (&[u64], u64)| p.0.len() as u64 + p.1;
    out[11] = again(kept.1[0]) * 100 + again(kept.1[1]) + kept.0.len() as u64;
    let s = &kept.1[1].0;
    out[12] = s.len() as u64 + s[1];
    let mut one = &x[2..5];
    let lent = &one;
    out[13] = lent.len() as u64 + lent[1] + sum(lent) + weighed((lent, 2));
    one = &x[1..2];
    out[13] += one.len() as u64 + sum(&one) * 10;
    let mut all = parts;
    for part in all.iter_mut() {
        *part = &part[1..];
    }
    for &part in &all {
        out[14] = out[14] * 4 + part.len() as u64;
    }
    let w = &mut v[..2];
    let seen = &w;
    out[14] += seen[1] + sum(&seen[1..]);
    out[15] = raise(&mut *w, 3);
}

#[gpu_kernel]
fn halves_that_nothing_uses(x: &[u64], out: &mut [u64]) {
    let mut v = [x[1], 2, 3, 4];
    let (a, _) = v.split_at_mut(2);
    a[0] = 5;
    let (_, b) = a.split_at_mut(1);
    b[0] = 7;
    let (_, _) = v.split_at(3);
    let (_c, d) = out.split_at_mut(1);
    d[0] = v[0] + v[1] + x.split_at(4).0[2];
}

agree! {
    halves_of_arrays
    halves_of_what_holds_arrays
    halves_that_nothing_uses
    methods_of_arrays
    slices_in_values
    slices_of_temporaries
    views_are_walked
}
