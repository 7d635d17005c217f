//! Operands: each is what it was when Rust evaluated it, whatever a later one does.

#![allow(unused_assignments)]

use core::ops::{Index, IndexMut};

use warpsmith::prelude::*;

use super::agree;

/// Two numbers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: u64,
    b: u64,
}

#[gpu_fn]
fn next(n: &mut u64) -> u64 {
    *n += 1;
    *n
}

#[gpu_fn]
fn joined(a: u64, b: u64) -> u64 {
    a * 10 + b
}

#[gpu_kernel]
fn lengths_before_a_reassignment(x: &[u64], out: &mut [u64]) {
    let t = &x[4..12];
    let mut s = &x[1..7];
    out[0] = (s.len() + {
        s = t;
        s.len()
    }) as u64;
    s = &x[1..7];
    let p = (s.len(), {
        s = t;
        1
    });
    out[1] = p.0 as u64;
    s = &x[1..7];
    out[2] = joined(s.len() as u64, {
        s = t;
        1
    });
    s = &x[1..7];
    out[3] = Pair {
        a: s.len() as u64,
        b: {
            s = t;
            1
        },
    }
    .a;
    s = &x[1..7];
    out[4] = (s.len() > {
        s = t;
        7
    }) as u64;
    s = &x[1..7];
    out[5] = s.is_empty() as u64 + {
        s = &x[..0];
        5
    };
    s = &x[1..7];
    out[6] = [s.len(), {
        s = t;
        1
    }][0] as u64;
    let mut a = [1u64; 16];
    s = &x[1..7];
    a[s.len()] += {
        s = t;
        50
    };
    out[7] = a[6] * 100 + a[8];
    s = &x[1..7];
    out[8] = s[2] + {
        s = t;
        s[2]
    };
    s = &x[1..7];
    out[9] = *s
        .get({
            s = t;
            3
        })
        .unwrap_or(&0);
}

#[gpu_kernel]
fn places_before_an_effect(x: &[u64], out: &mut [u64]) {
    let mut n = x[3];
    out[0] = n * 100 + next(&mut n) * 10 + n;
    let mut p = Pair { a: 2, b: 5 };
    out[1] = p.a * 100
        + {
            p.a = 7;
            p.b
        } * 10
        + next(&mut p.b);
    let r = &mut p;
    out[2] = r.a + {
        r.a += 1;
        r.a
    } * r.a;
    let q = &mut n;
    out[3] = q.wrapping_add({
        *q += 9;
        3
    });
    out[4] = joined(*q, {
        *q = 1;
        2
    }) + *q;
    let mut a = [3u64, 1, 2, 0];
    let mut i = 0usize;
    out[5] = a[i]
        + {
            i = 2;
            a[i]
        } * 10
        + {
            a[2] = 9;
            a[i]
        };
    out[6] = a[a[i % 4] as usize % 4]
        + {
            a[0] = 8;
            i = 1;
            4
        }
        + a[i];
    out[7] = (if n > 2 { n } else { 4 }) + {
        n = 50;
        n
    };
}

#[gpu_kernel]
fn struct_update_reads_its_base_last(x: &[u64], out: &mut [u64]) {
    let mut n = x[0];
    let p = Pair { b: next(&mut n), ..Pair { a: next(&mut n), b: 0 } };
    out[0] = p.a * 10 + p.b;
    let mut q = Pair { a: 1, b: 2 };
    let r = Pair {
        a: {
            q.b = 9;
            4
        },
        ..q
    };
    out[1] = r.a * 10 + r.b;
    let v = U64x2 { x: next(&mut n), ..U64x2::new(next(&mut n), next(&mut n)) };
    out[2] = v.x * 10 + v.y;
    let mut list = [q, r];
    let mut i = 0;
    let s = Pair {
        a: {
            i = 1;
            list[0].b = 77;
            5
        },
        ..list[i]
    };
    out[3] = s.a * 100 + s.b;
    list[i] = s;
    out[4] = list[1].b;
}

/// Adds in a way of its own.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Sum(u64);

#[gpu_impl]
impl core::ops::AddAssign for Sum {
    fn add_assign(&mut self, other: Sum) {
        self.0 = self.0 * 2 + other.0;
    }
}

#[gpu_impl]
impl core::ops::AddAssign<u64> for Sum {
    fn add_assign(&mut self, other: u64) {
        self.0 = self.0 * 3 + other;
    }
}

#[gpu_fn]
fn generic<T: Num>(mut a: [T; 4]) -> T {
    let mut i = 0;
    a[i] += {
        i += 1;
        T::ONE
    };
    a[i] * (T::ONE + T::ONE) + a[0]
}

#[gpu_fn]
fn bump(i: &mut usize) -> usize {
    *i += 1;
    *i
}

#[gpu_kernel]
fn compound_assignment_by_a_trait(x: &[u64], out: &mut [u64]) {
    let mut i = x[0] as usize;
    let mut v = [U64x2::splat(1), U64x2::splat(2), U64x2::splat(3)];
    v[i] += {
        i += 1;
        U64x2::splat(i as u64 + 5)
    };
    v[bump(&mut i)] += U64x2::splat(bump(&mut i) as u64);
    out[0] = v[0].x * 100 + v[1].x * 10 + v[2].x;
    i = 0;
    let mut s = [Sum(1), Sum(2), Sum(3)];
    s[i] += {
        i += 1;
        Sum(7)
    };
    s[i] += {
        i += 1;
        i as u64
    };
    out[1] = s[0].0 * 10000 + s[1].0 * 100 + s[2].0;
    out[2] = generic([1u64, 2, 3, 4]);
    out[3] = generic([1.0f32, 2.0, 3.0, 4.0]) as u64;
    i = 0;
    let mut h = [f16::ONE, f16::ONE];
    h[i] += {
        i += 1;
        f16::ONE
    };
    out[4] = (h[0].to_f32() * 10.0 + h[1].to_f32()) as u64;
    i = 0;
    let mut n = [1u64, 2, 3];
    n[i] += {
        i += 1;
        50
    };
    n[bump(&mut i)] *= {
        n[0] += 1;
        n[0]
    };
    out[5] = n[0] * 10000 + n[1] * 100 + n[2];
}

#[gpu_kernel]
fn targets_of_tuples(x: &[u64], out: &mut [u64]) {
    let (mut a, mut b, mut c) = (x[1], x[2], x[3]);
    (a, (b, c)) = (c, (a, b));
    out[0] = a * 100 + b * 10 + c;
    let mut v = [1u64, 2, 3, 4];
    let mut i = 3usize;
    (
        v[i],
        v[{
            i -= 1;
            i
        }],
    ) = (50, 60);
    out[1] = v[2] * 100 + v[3];
    (v[0], v[1]) = (v[1], v[0]);
    out[2] = v[0] * 10 + v[1];
    [a, _, c] = [c, 5, a];
    out[3] = a * 10 + c;
    Pair { a, b: c } = Pair { a: c + 20, b: a };
    out[4] = a * 100 + c;
    let p = ((1u64, 2u64), [3u64, 4]);
    ((a, ..), [b, c]) = p;
    out[5] = a * 100 + b * 10 + c;
    (i, v[i]) = (0, 7);
    out[6] = v[2] * 100 + v[0] + i as u64;
    _ = next(&mut a);
    out[7] = a;
}

/// Rows that are counted as they are written, and a number beside them.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Counted {
    rows: [[u64; 2]; 2],
    writes: u64,
}

#[gpu_impl]
impl Index<usize> for Counted {
    type Output = [u64; 2];
    fn index(&self, row: usize) -> &[u64; 2] {
        &self.rows[row & 1]
    }
}

#[gpu_impl]
impl IndexMut<usize> for Counted {
    fn index_mut(&mut self, row: usize) -> &mut [u64; 2] {
        self.writes = self.writes * 3 + row as u64 + 1;
        &mut self.rows[row & 1]
    }
}

#[gpu_kernel]
fn places_that_are_calls(x: &[u64], out: &mut [u64]) {
    let mut c = Counted { rows: [[1, 2], [3, 4]], writes: x[1] };
    // Plain names and fields beside a place whose index is a function that changes them.
    c[1][0] = !c.writes;
    c[0][1] += c.writes;
    c[1] = [c.writes, c.rows[0][0]];
    let w = c.writes as usize;
    c[w][w & 1] ^= c.writes * 5;
    let mut many = [c; 2];
    many[1][0][1] = many[1].writes;
    many[x[1] as usize][1][0] ^= many[1].writes;
    many[0][1] = [many[0].writes, many[1][0][1]];
    let pair = (many[0].writes, {
        many[0][1][1] = 7;
        many[0][1][1] + many[0].writes
    });
    for many in &mut many {
        many[1][1] = many.writes + 1;
    }
    out[0] = many[0].writes;
    out[1] = many[1].writes;
    out[2] = pair.0 * 1000 + pair.1;
    for i in 0..2 {
        for j in 0..2 {
            out[4 + i * 4 + j] = many[i].rows[j][0];
            out[6 + i * 4 + j] = many[i][j][1];
        }
    }
}

agree! {
    lengths_before_a_reassignment places_before_an_effect struct_update_reads_its_base_last
    compound_assignment_by_a_trait targets_of_tuples
    places_that_are_calls
}
