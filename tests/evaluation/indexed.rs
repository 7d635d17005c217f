//! Places whose index reads the variable that they are in: Rust reads the index before it borrows the slice.

use warpsmith::prelude::*;

use super::agree;

/// Two numbers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct V {
    a: u64,
    b: u64,
}

#[gpu_kernel]
fn indexed_by_itself(x: &[u64], out: &mut [u64]) {
    out[out.len() - 1] = x[1];
    out[out.len() - 2] += x[x.len() - 1];
    out[out[0] as usize - 100] = 5;
    let r = &mut out[out.len() - 3];
    *r = 8;
    core::mem::swap(&mut out[out.len() - 4], &mut 9);
    let mut a = [[1u64, 2], [3, 4]];
    a[a.len() - 1][a[0].len() - 1] = 7;
    a[a[0][1] as usize - 1][0] *= 2;
    out[1] = a[1][1] * 100 + a[1][0];
    let t = &mut out[6..16];
    t[t.len() - 1] = t.len() as u64;
    t[t[9] as usize - 3] = t[t.len() - 1] + 1;
    let mut s = [V { a: 1, b: 2 }; 3];
    let p = &mut s[..];
    p[p.len() - 1].b = 9;
    p[p[2].b as usize - 7].a += p[p.len() - 1].b;
    out[2] = s[2].a * 10 + s[2].b;
}

#[gpu_kernel]
fn constants_are_rust(x: &[u64], out: &mut [u64]) {
    const K: usize = 4;
    const SQUARES: [u64; K] = {
        let mut t = [0; K];
        let mut i = 0;
        while i < K {
            t[i] = (i * i) as u64;
            i += 1;
        }
        t
    };
    out[0] = SQUARES[x[3] as usize] + SQUARES.iter().sum::<u64>();
}

agree! { indexed_by_itself constants_are_rust }
