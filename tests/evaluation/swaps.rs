//! `x.swap(i, j)`: receivers and indices that are evaluated once, in Rust's order, and parts of what is swapped.

use warpsmith::prelude::*;

use super::agree;

#[gpu_fn]
fn next(c: &mut usize) -> usize {
    *c += 1;
    *c
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rows {
    q: [u64; 4],
    r: [[u64; 3]; 2],
}

#[gpu_impl]
impl Rows {
    fn row(&mut self) -> &mut [u64] {
        self.q[0] += 1;
        &mut self.q
    }
}

#[gpu_kernel]
fn swaps(x: &[u64], out: &mut [u64]) {
    let mut q = [x[1], x[2], x[3], x[4]];
    let mut c = 0usize;
    q.swap(next(&mut c), next(&mut c));
    q.swap(0, 0);
    q.swap(q[0] as usize, 3u32);
    q[1..].swap(0, 2);
    for i in 0..4 {
        out[i] = q[i];
    }
    out[4..].swap(0, 1);
    out.swap(0, x[2] as usize);
    out[3..][..4].swap(x[1], x[3]);
    let mut m = Rows { q: [1, 2, 3, 4], r: [[1, 2, 3], [4, 5, 6]] };
    m.q.swap(1, c);
    m.row().swap(0, 3);
    m.r.swap(0, 1);
    m.r[1].swap(0, 2);
    m.r[next(&mut c) - 2].swap(0, 1);
    let r = &mut m.q;
    r.swap(1, 3);
    let s = &mut r[..];
    s.swap(0, 1);
    for v in m.r.iter_mut() {
        v.swap(0, 2);
    }
    for i in 0..4 {
        out[5 + i] = m.q[i];
    }
    for i in 0..6 {
        out[9 + i] = m.r[i / 3][i % 3];
    }
    let mut f = |i: usize| q.swap(i, 3 - i);
    f(0);
    f(1);
    out[15] = q[0] * 100 + q[1];
    q.reverse();
    out[4] = q[0] * 10 + {
        let mut z = [1u64, 2];
        z.swap(0, 1);
        z[0]
    };
}

#[gpu_kernel]
fn shared_swaps(x: &[u64], out: &mut [u64]) {
    let mut s = shared!([u64; 8]);
    let mut t = shared!([[u64; 4]; 2]);
    for i in 0..8 {
        s[i] = x[i];
        t[i / 4][i % 4] = x[i];
    }
    s.swap(1, x[5]);
    t[1].swap(0, 3);
    let mut v = ViewMut::new(out);
    for i in 0..8 {
        v[i] = s[i] + 10 * t[i / 4][i % 4];
    }
    v.swap(0, 7);
}
agree! { swaps shared_swaps }
