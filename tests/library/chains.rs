//! `chain` behind what decides itself where it ends.

use harness::agree;
use warpsmith::prelude::*;

#[gpu_fn]
fn folded(sum: u64, v: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(v)
}

/// Each way to end before all steps are done, at any step of them.
#[gpu_kernel]
fn ends(x: &[u64], out: &mut [u64]) {
    let y = [40u64, 41, 42];
    for limit in 0..5u64 {
        let mut all = 0;
        for v in x[..4].iter().take_while(|v| **v < limit).chain(&y) {
            all = folded(all, *v);
        }
        out[limit as usize] = all;
        all = x[..4]
            .iter()
            .map_while(|v| if *v < limit { Some(v * 3) } else { None })
            .chain(y)
            .fold(all, folded);
        all = (0..).take_while(|k| *k < limit).chain(7..9).fold(all, folded);
        all = (0..9).filter(|k| k % 2 == 0).take(limit as usize).chain(50..52).fold(all, folded);
        all = x
            .iter()
            .scan(0, |s, v| {
                *s += v;
                if *s < limit * 4 { Some(*s) } else { None }
            })
            .chain(y)
            .fold(all, folded);
        all = y.into_iter().chain(x.iter().copied().take_while(|v| *v < limit)).fold(all, folded);
        all = x
            .iter()
            .take_while(|v| **v < limit)
            .chain(x[1..].iter().take_while(|v| **v != 3))
            .chain(y.iter().take_while(|v| **v < 40 + limit))
            .chain(&y)
            .fold(all, |s, v| folded(s, *v));
        out[limit as usize + 5] = all;
    }
}

/// What stands behind: items are numbered, skipped and counted as they are given.
#[gpu_kernel]
fn behind(x: &[u64], out: &mut [u64]) {
    let y = [40u64, 41, 42];
    for limit in [0u64, 1, 3, 20] {
        let mut all = 0;
        for (i, v) in x.iter().take_while(|v| **v < limit).chain(&y).enumerate() {
            all = folded(all, i as u64 * 100 + *v);
        }
        all = x.iter().take_while(|v| **v < limit).chain(&y).skip(2).fold(all, |s, v| folded(s, *v));
        all = x.iter().take_while(|v| **v < limit).chain(&y).take(3).fold(all, |s, v| folded(s, *v));
        all = x
            .iter()
            .take_while(|v| **v < limit)
            .chain(&y)
            .filter(|v| **v % 2 == 1)
            .fold(all, |s, v| folded(s, *v));
        all = folded(all, x.iter().take_while(|v| **v < limit).chain(&y).nth(3).map_or(9, |v| *v));
        all = folded(all, x.iter().take_while(|v| **v < limit).chain(&y).count() as u64);
        all = folded(all, x.iter().take_while(|v| **v < limit).chain(&y).last().map_or(9, |v| *v));
        all = x
            .iter()
            .take_while(|v| **v < limit)
            .chain(&y)
            .take(4)
            .chain(&y[1..])
            .skip(1)
            .enumerate()
            .fold(all, |s, (i, v)| folded(s, *v + i as u64));
        all = x
            .iter()
            .take_while(|v| **v < limit)
            .chain(&y)
            .skip_while(|v| **v < 2)
            .fold(all, |s, v| folded(s, *v));
        all = folded(
            all,
            x.iter().take_while(|v| **v < limit).chain(&y).map(|v| (v % 4, *v)).max().map_or(0, |m| m.1),
        );
        out[limit as usize % 16] = all;
    }
}

/// Closures run once for each item that Rust asks for; loops in closures end by themselves.
#[gpu_kernel]
fn closures(x: &[u64], out: &mut [u64]) {
    let y = [40u64, 41, 42];
    let (mut asked, mut seen, mut others) = (0, 0, 0);
    let total: u64 = x
        .iter()
        .inspect(|v| seen += **v)
        .take_while(|v| {
            asked += 1;
            x.iter().take_while(|w| *w < *v).chain(&y).count() < 6
        })
        .chain(y.iter().inspect(|_| others += 1))
        .sum();
    out[0] = total;
    out[1] = asked * 100 + others;
    out[2] = seen;
    let mut local = [1u64, 2, 3, 4];
    let mut more = [5u64, 6];
    for v in local.iter_mut().take_while(|v| **v < 3).chain(more.iter_mut()) {
        *v += 10;
    }
    out[3] = local.iter().chain(&more).fold(0, |s, v| folded(s, *v));
    'outer: for v in x.iter().take_while(|v| **v < 5).chain(&y) {
        for w in x {
            if w > v {
                continue 'outer;
            }
            if *v == 41 {
                break 'outer;
            }
            out[4] += w * v;
        }
    }
    out[5] = x.iter().zip(x[3..].iter().take_while(|v| **v < 9)).map(|(a, b)| a * b).sum();
    out[6] = x.iter().take_while(|v| **v < 4).chain(&y).any(|v| *v == 41) as u64;
    out[7] = *x.iter().take_while(|v| **v < 4).chain(&y).find(|v| **v > 2).unwrap();
}

agree! { ends behind closures }
