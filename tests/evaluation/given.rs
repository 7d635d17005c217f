//! Slices and references that functions give: the call is evaluated once, where it stands, and what it gives is the memory itself.

use warpsmith::prelude::*;

use super::agree;

#[gpu_fn]
fn row<T: Copy>(m: &[T], r: usize, n: usize) -> &[T] {
    &m[r * n..(r + 1) * n]
}

#[gpu_fn]
fn row_mut(m: &mut [u64], r: usize, n: usize) -> &mut [u64] {
    &mut m[r * n..(r + 1) * n]
}

#[gpu_fn]
fn next(counter: &mut usize) -> usize {
    *counter += 1;
    *counter
}

#[gpu_fn]
fn counted<'a>(m: &'a [u64], r: usize, calls: &mut u64) -> &'a [u64] {
    *calls = *calls * 10 + r as u64 % 10;
    row(m, r, 4)
}

#[gpu_fn]
fn tail(m: &[u64], at: usize) -> Option<&[u64]> {
    if at < m.len() { Some(&m[at..]) } else { None }
}

#[gpu_fn]
fn second(m: &[u64], at: usize) -> Option<&u64> {
    let rest = tail(m, at)?;
    let rest = tail(rest, 1)?;
    rest.first()
}

#[gpu_fn]
fn sum(x: &[u64], y: &[u64], by: usize) -> u64 {
    x.iter().sum::<u64>() * 100 + y[0] + by as u64
}

#[gpu_kernel]
fn operands(x: &[u64], out: &mut [u64]) {
    let mut c = 0;
    out[0] = sum(row(x, next(&mut c), 3), row(x, next(&mut c), 4), next(&mut c));
    row_mut(out, next(&mut c) - 3, 4)[next(&mut c) - 5] = next(&mut c) as u64;
    row_mut(out, next(&mut c) - 6, 4)[next(&mut c) - 7] += next(&mut c) as u64 * row(x, c - 7, 4)[1];
    out[8] = c as u64;
    let pair = (row(x, next(&mut c) - 9, 2)[0], next(&mut c));
    out[9] = pair.0 * 100 + pair.1 as u64;
    let mut k = 1;
    let r = row(x, k, 4);
    k = 2;
    out[10] = r[k] + k as u64;
}

#[gpu_kernel]
fn conditions(x: &[u64], out: &mut [u64]) {
    let (mut i, mut calls) = (0, 0);
    while counted(x, i, &mut calls)[0] < 8 {
        i += 1;
    }
    out[0] = i as u64;
    out[1] = calls;
    for k in 0..counted(x, 1, &mut calls).len() {
        calls += k as u64;
    }
    out[2] = calls;
    let far = x.len();
    out[3] = (far < 4 && row(x, far, 4)[0] > 0) as u64;
    out[4] = (far > 4 || row(x, far, 4)[0] > 0) as u64;
    out[5] = if far < 4 { row(x, far, 4) } else { row(x, 1, 2) }[1];
    out[6] = match i {
        n if row(x, n, 2)[0] > 100 => 1,
        n if row(x, n, 2)[0] == 4 && counted(x, n, &mut calls)[1] == 9 => 2,
        _ => 3,
    };
    out[7] = calls;
    let mut n = 0;
    let found = loop {
        let r = row(x, n, 4);
        if r[3] > 9 {
            break r;
        }
        n += 1;
    };
    out[8] = found[0];
    let kept = 'search: {
        for k in 0..4 {
            if row(x, k, 4).contains(&6) {
                break 'search row(x, k, 4);
            }
        }
        x
    };
    out[9] = kept[0] * 10 + kept.len() as u64;
    let Some(rest) = tail(x, 14) else { return };
    out[10] = rest[1] + second(x, 3).map_or(0, |v| *v) * 100 + second(x, 15).map_or(7, |v| *v);
    let mut from = x;
    let mut steps = 0;
    while let Some(rest) = tail(from, 5) {
        from = rest;
        steps += 1;
    }
    out[11] = steps * 100 + from[0];
}

/// What is given refers to the memory, not to a copy of it.
#[gpu_kernel]
fn memory(x: &[u64], out: &mut [u64]) {
    let mut local = [x[1], 2, 3, 4, 5, 6];
    let part = row_mut(&mut local, 1, 2);
    part[0] = 30;
    let again = row_mut(part, 1, 1);
    again[0] += 1;
    out[0] = local[2] * 100 + local[3];
    let mut add = |by: u64| {
        let r = row_mut(&mut local, 2, 2);
        r[1] += by;
        r[0] + r[1]
    };
    out[1] = add(1) * 1000 + add(10);
    let view = View::new(row(&local, 1, 3));
    let pairs = [row(&local, 0, 2), row(&local, 2, 2)];
    out[2] = view[1] + pairs[x[1] as usize][0] * 10 + pairs.iter().map(|p| p[1]).sum::<u64>() * 1000;
    core::mem::swap(&mut row_mut(out, 1, 2)[0], &mut local[0]);
    core::mem::swap(&mut row_mut(&mut local, 0, 2)[1], &mut out[3]);
    let moved = core::mem::replace(&mut row_mut(&mut local, 1, 2)[0], 77);
    out[4] = moved * 1000 + local[0] * 100 + local[1] + local[2];
    let mut queue = [0usize; 4];
    for (k, v) in queue.iter_mut().enumerate() {
        *v = k;
    }
    let order = row(&queue, 1, 2);
    out[order[0] + 4] += order[1] as u64;
    let other = row_mut(out, 2, 4);
    for (k, v) in other.iter_mut().enumerate() {
        *v = local[k] + k as u64;
    }
    other.reverse();
    let (low, high) = other.split_at_mut(2);
    low.copy_from_slice(row(high, 0, 2));
    out[12] = {
        let r = row(x, 1, 4);
        let mut total = 0;
        for (a, b) in r.iter().zip(row(x, 2, 4)) {
            total += a * b;
        }
        total
    };
}

agree! { operands conditions memory }
