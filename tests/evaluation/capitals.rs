//! Names that begin with a capital: variables where a pattern cannot fail, items where it can.

#![allow(non_snake_case, non_upper_case_globals)]

use warpsmith::prelude::*;

use super::agree;

#[derive(Clone, Copy, PartialEq, GpuType)]
#[repr(C)]
struct Bank {
    rows: [u64; 3],
    Total: u64,
}

#[derive(Clone, Copy, PartialEq, GpuType)]
#[repr(C)]
struct Pair(u64, u64);

/// The only value of its type.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Marker;

#[gpu_fn]
fn weight(_: Marker) -> u64 {
    7
}

const LIMIT: u64 = 3;

#[gpu_fn]
fn apply(Value: u64, mut F: impl FnMut(u64) -> u64) -> u64 {
    let X_1 = F(Value);
    X_1 + F(X_1)
}

#[gpu_fn]
fn changed(mut Rows: [u64; 3], (Left, Right): (u64, u64), Out: &mut [u64]) -> u64 {
    Rows[1] += Left;
    Out[0] += Right;
    Rows[0] + Rows[1] * 10 + Rows[2] * 100
}

#[gpu_kernel]
fn let_binds(x: &[u64], out: &mut [u64]) {
    let Shape_Dot = x[3];
    let mut N = Shape_Dot + 1;
    N += Shape_Dot;
    let (A, (mut B, C)) = (x[1], (x[2], N));
    B += A;
    let [D, E_, mut F_] = [A, B, C];
    F_ += D;
    let Pair(First, Second) = Pair(E_, F_);
    let Bank { rows: [_, Mid, Last], Total } = Bank { rows: [First, Second, N], Total: x[4] };
    let Late;
    if Mid > Last {
        Late = Mid
    } else {
        Late = Last
    }
    out[0] = Shape_Dot + N * 10 + A * 100 + B * 1000 + C * 10000;
    out[1] = D + E_ * 10 + F_ * 100 + First * 1000 + Second * 10000;
    out[2] = Mid + Last * 10 + Total * 100 + Late * 1000;
}

#[gpu_kernel]
fn references_bind(x: &[u64], out: &mut [u64]) {
    let mut v = [x[1], x[2], x[3], x[4]];
    let [a, Shape_Dot, b, c] = &mut v;
    *Shape_Dot += *a;
    *a += 5;
    *b += *c;
    *c = 9;
    let &[P, _, Q, _] = &v;
    let [_, ref R, _, ref mut S] = v;
    *S += *R;
    out[0] = P + Q * 100;
    out[1] = v[0] + v[1] * 100 + v[2] * 10000 + v[3] * 1000000;
    let mut bank = Bank { rows: [1, 2, 3], Total: x[5] };
    let Bank { rows: [_, Row, _], Total } = &mut bank;
    *Row += *Total;
    *Total = 3;
    let Whole @ Bank { Total: T, .. } = bank;
    out[2] = bank.rows[1] + bank.Total * 100 + T * 1000 + Whole.rows[0] * 10000;
    let &Kept = &out[0];
    out[0] = 1;
    out[3] = Kept;
}

#[gpu_kernel]
fn closures_bind(x: &[u64], out: &mut [u64]) {
    let mut bank = Bank { rows: [x[1], x[2], x[3]], Total: 1 };
    let f = |Bank { rows: [_, Shape_Dot, _], .. }: &mut Bank| {
        *Shape_Dot += 1;
    };
    f(&mut bank);
    f(&mut bank);
    let g = |[A, _, B]: &mut [u64; 3], By: u64| {
        *A += By;
        *B *= By;
    };
    g(&mut bank.rows, 7);
    let Scale = x[2];
    let H = move |Pair(A, B): Pair, &C: &u64| A * Scale + B * 10 + C * 100;
    out[0] = bank.rows[0] + bank.rows[1] * 100 + bank.rows[2] * 10000;
    out[1] = H(Pair(1, 2), &x[3]);
    let mut Count = 0u64;
    out[2] = apply(x[1], |V| {
        Count += 1;
        V * 2 + Count
    });
    out[3] = apply(x[1], move |V| V + Scale) + Count * 1000;
    out[4] = changed([1, 2, 3], (4, 5), &mut out[5..6]);
}

#[gpu_kernel]
fn loops_bind(x: &[u64], out: &mut [u64]) {
    for I in 0..2usize {
        out[I] = I as u64;
    }
    for (I, &V) in x[..3].iter().enumerate() {
        out[2] += V * 10 + I as u64;
    }
    for (A, B) in x.iter().zip([1u64, 2].iter()) {
        out[3] = out[3] * 3 + *A * *B;
    }
    for &[A, B] in [[1u64, 2], [3, 4]].iter() {
        out[4] = out[4] * 2 + A * B;
    }
    out[5] = x.iter().map(|X| *X * 2).filter(|&Y| Y > 7).fold(0, |Sum, Z| Sum + Z);
    out[6] = x.iter().copied().map(move |X| X + 1).sum::<u64>();
    out[7] = x.iter().position(|&X| X == 4).unwrap_or(99) as u64;
}

#[gpu_kernel]
fn captures_bind(x: &[u64], out: &mut [u64]) {
    let Mut = &mut *out;
    let Slice_ = &x[2..5];
    for V in Slice_ {
        Mut[0] += *V;
    }
    let mut Array = [x[1]; 3];
    Array[1] = 7;
    let F = move |i: usize| Array[i] + Slice_[i];
    Array[0] = 100;
    Mut[1] = F(0) + F(1) * 10 + Array[0];
    let mut Tile = shared!([u64; 4]);
    Tile[2] = x[3];
    Mut[2] = Tile[2];
}

#[gpu_kernel]
fn constants_are_items_where_a_pattern_can_fail(x: &[u64], out: &mut [u64]) {
    for i in 0..5usize {
        out[i] = match x[i] {
            LIMIT => 1000,
            v => v,
        };
        out[5 + i] = match (&x[i], i) {
            (&LIMIT, _) => 5,
            (&v, 2) => v + 50,
            _ => 7,
        };
        let Third = i as u64;
        if let Some(LIMIT) = Some(Third) {
            out[10] += 1;
        }
    }
    let None = Option::<u64>::None else { return };
    let Some(LIMIT) = Some(x[3]) else { return };
    out[11] = LIMIT;
}

#[gpu_kernel]
fn items_of_one_value_are_as_good_as_variables(x: &[u64], out: &mut [u64]) {
    let (Marker, n) = (Marker, x[3]);
    for (Marker, v) in [(Marker, x[1]), (Marker, x[2])] {
        out[0] = out[0] * 10 + v + weight(Marker);
    }
    let f = |Marker: Marker, by: u64| weight(Marker) * by;
    out[1] = f(Marker, n);
}

agree! {
    captures_bind
    closures_bind
    constants_are_items_where_a_pattern_can_fail
    items_of_one_value_are_as_good_as_variables
    let_binds
    loops_bind
    references_bind
}
