//! Statics: read when Rust reads them, written when Rust writes them, however they are reached.

#![allow(clippy::mem_replace_with_default)]

use core::mem::{replace, swap};

use warpsmith::prelude::*;

use super::agree;

#[derive(Clone, Copy, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
struct Gauge {
    at: u64,
    of: [u64; 3],
}

#[gpu_static]
static GAUGE: Gauge = Gauge { at: 1, of: [2, 3, 4] };

#[gpu_static]
static ROW: [u64; 4] = [1, 2, 3, 4];

#[gpu_static]
static ONE: u64 = 5;

#[gpu_fn]
fn bump() -> u64 {
    let row = ROW.get_mut();
    row[0] += 1;
    row[3] = row[3] * 3 % 11;
    ROW.get()[0]
}

#[gpu_fn]
fn set_one(v: u64) -> u64 {
    let was = ONE.get();
    *ONE.get_mut() = v;
    was
}

#[gpu_fn]
fn gauge() -> &'static mut Gauge {
    GAUGE.get_mut()
}

#[gpu_fn]
fn at(i: u64) -> usize {
    GAUGE.get_mut().at = GAUGE.get().at * 2 + i;
    (GAUGE.get().at & 3) as usize
}

#[gpu_impl]
impl Gauge {
    fn turn(&mut self, by: u64) -> &mut Self {
        self.of = [self.of[1] + by, self.of[2], self.of[0] + ROW.get()[0]];
        self.at += bump();
        self
    }

    fn sum(self) -> u64 {
        self.at + self.of[0] * 10 + self.of[1] * 100 + self.of[2] * 1000
    }
}

#[gpu_fn]
fn reset() {
    *ROW.get_mut() = [1, 2, 3, 4];
    *ONE.get_mut() = 5;
    *GAUGE.get_mut() = Gauge { at: 1, of: [2, 3, 4] };
}

#[gpu_kernel]
fn copies_and_references(x: &[u64], out: &mut [u64]) {
    reset();
    let before = ROW.get()[0];
    let r = &ROW.get()[0];
    bump();
    out[0] = before * 100 + *r;
    let whole = ROW.get();
    bump();
    out[1] = whole[0] * 1000 + whole[3] * 100 + ROW.get()[0] * 10 + ROW.get()[3];
    let [a, _, _, d] = ROW.get();
    let [p, _, _, q] = ROW.get_mut();
    bump();
    out[2] = a * 1000 + d * 100 + *p * 10 + *q;
    let Gauge { at, of: [first, ..] } = GAUGE.get_mut();
    *at += 5;
    swap(at, first);
    out[3] = GAUGE.get().sum();
    let copy = GAUGE.get();
    GAUGE.get_mut().turn(3).turn(4);
    out[4] = copy.sum() * 7 + GAUGE.get().sum();
    out[5] = gauge().turn(1).at
        + {
            gauge().of[0] = 9;
            gauge().of[0]
        }
        + gauge().at;
    let mut mine = x[3];
    swap(&mut mine, &mut ROW.get_mut()[1]);
    out[6] = mine * 100 + ROW.get()[1] + replace(ONE.get_mut(), 8) * 1000 + ONE.get();
    let old = replace(GAUGE.get_mut(), Gauge { at: ONE.get(), of: [mine; 3] });
    out[7] = old.sum() ^ GAUGE.get().sum();
    let part = &ROW.get()[1..];
    ROW.get_mut()[2] = 77;
    out[8] = part[1] * 10 + part.len() as u64;
    let part = &mut ROW.get_mut()[2..];
    part[0] += bump();
    part.fill(6);
    out[9] = ROW.get()[2] * 10 + ROW.get()[3];
    out[10] = if GAUGE.get() == copy { 1 } else { 2 };
    let updated = Gauge { at: set_one(3), ..GAUGE.get() };
    out[11] = updated.sum() + ONE.get();
}

#[gpu_kernel]
fn heads_and_conditions(x: &[u64], out: &mut [u64]) {
    reset();
    let mut n = 0;
    for i in 0..ROW.get()[3] {
        ROW.get_mut()[3] = 1;
        n += i + 1;
    }
    out[0] = n;
    ROW.get_mut()[0] = 0;
    while ROW.get()[0] < 5 {
        bump();
        n += ROW.get()[0];
    }
    out[1] = n;
    for v in ROW.get() {
        ROW.get_mut()[3] += v;
        n += v;
    }
    out[2] = n * 100 + ROW.get()[3];
    for v in ROW.get().iter() {
        n += *v;
        *ONE.get_mut() += *v;
    }
    out[3] = n + ONE.get();
    out[4] = match set_one(2) {
        v if v > set_one(9) => 1,
        v if v + set_one(11) > 9 => 2,
        _ => set_one(12),
    } * 100
        + ONE.get();
    out[5] = (set_one(1) > 5 && set_one(2) > 5 || set_one(3) == 2) as u64 * 10 + ONE.get();
    GAUGE.get_mut().of[2] = 1;
    if GAUGE.get().of[2] < 4 {
        GAUGE.get_mut().of[2] = 13;
        out[6] = x[GAUGE.get().of[2] as usize];
    }
    let mut k = 0;
    loop {
        if bump() > 9 {
            break;
        }
        k = k * 3 + ROW.get()[3];
    }
    out[7] = k;
    out[8] = (0..4).map(|i| bump() * i + ONE.get()).sum();
    let f = |v: u64| v + ONE.get();
    out[9] = f(1) * 1000 + set_one(50) + f(1);
    let g = move |v: u64| v + set_one(v);
    out[10] = g(4) * 1000 + g(5) + ONE.get();
}

#[gpu_kernel]
fn places_and_values(x: &[u64], out: &mut [u64]) {
    reset();
    ROW.get_mut()[at(1)] = bump() + GAUGE.get().at;
    out[0] = ROW.get()[0] + ROW.get()[1] * 10 + ROW.get()[2] * 100 + ROW.get()[3] * 1000;
    ROW.get_mut()[at(2)] += bump() * 2 + GAUGE.get().at;
    out[1] = ROW.get()[0] + ROW.get()[1] * 10 + ROW.get()[2] * 100 + ROW.get()[3] * 1000;
    (ROW.get_mut()[at(0)], out[at(1) + 2]) = (GAUGE.get().at, GAUGE.get().at + bump());
    out[6] = GAUGE.get().at * 10 + ROW.get()[0];
    gauge().of[at(1) % 3] ^= gauge().at + at(3) as u64;
    out[7] = GAUGE.get().sum();
    out[8] = x[at(5)] + GAUGE.get().at * x[at(6)] + GAUGE.get().at;
    let list = [GAUGE.get().at, at(1) as u64, GAUGE.get().at, bump(), ROW.get()[0]];
    out[9] = list[0] ^ list[1] * 3 ^ list[2] * 5 ^ list[3] * 7 ^ list[4] * 11;
    let t = (ONE.get(), set_one(6), ONE.get(), set_one(7));
    out[10] = t.0 * 1000 + t.1 * 100 + t.2 * 10 + t.3;
    *ONE.get_mut() += set_one(20) + ONE.get();
    out[11] = ONE.get();
    *ONE.get_mut() = ONE.get() + set_one(3);
    out[12] = ONE.get();
    out[13] = atomic_add(ONE.get_mut(), set_one(4)) * 100 + ONE.get();
    let v = (ROW.get()[0] - ROW.get()[0].min(bump())) + ROW.get()[0];
    out[14] = v;
    out[15] = GAUGE.get().of.iter().map(|o| o * set_one(*o)).sum::<u64>() + ONE.get();
}

#[gpu_kernel]
fn copies_are_no_places(x: &[u64], out: &mut [u64]) {
    reset();
    let mut row = [x[1], x[2], x[3], x[4]];
    let mut own = Gauge { at: x[5], of: [x[6], x[7], x[8]] };
    let (r, s) = (&row.clone()[1], &own.clone().of[2]);
    let part = &row.clone()[2..];
    row = [50, 60, 70, 80];
    own.of = [90; 3];
    out[0] = *r + *s * 10 + part[1] * 100 + part.len() as u64 * 1000;
    for (i, v) in row.clone().iter().enumerate() {
        row[3 - i] += *v;
    }
    out[1] = row[0] + row[1] * 3 + row[2] * 5 + row[3] * 7;
    for v in ROW.get().iter() {
        ROW.get_mut()[3] += *v;
    }
    out[2] = ROW.get()[3];
    let Gauge { at, of: [_, ref second, _] } = GAUGE.get();
    let (kept, part) = (&GAUGE.get().of, &GAUGE.get().of[1..]);
    own.clone().turn(5).at += 1;
    GAUGE.get().turn(6).at += 1;
    *GAUGE.get_mut() = own.clone();
    out[3] = at + *second * 10 + kept[2] * 100 + part[0] * 1000;
    out[4] = GAUGE.get().sum() + own.clone().turn(2).of[0] + own.of[0];
    let mut gauges = [own, GAUGE.get()];
    let [first, second] = &gauges.clone();
    gauges[1].at = first.at + 7;
    out[5] = second.at * 100
        + gauges[1].at
        + gauges.clone()[{
            gauges[0].at = 33;
            0
        }]
        .at;
    out[6] = ROW.get()[{
        ROW.get_mut()[1] = 44;
        1
    }] + ROW.get()[1] * 100;
    let told = |g: &Gauge| {
        set_one(g.at);
        g.at + g.of[1]
    };
    out[7] = told(&GAUGE.get()) + told(&gauges[1].clone()) + ONE.get();
    let f = ROW.get().map_first(|v| {
        ROW.get_mut()[0] = 5;
        v + ROW.get()[0]
    });
    out[8] = f;
    out[9] = if let [1, y, ..] = ROW.get() { y } else { ROW.get()[0] };
    let taken = replace(&mut GAUGE.get().of[1], 4);
    out[10] = taken * 100 + GAUGE.get().of[1];
    let largest = ROW.get().iter().copied().max().unwrap_or(0);
    out[11] = largest + *ROW.get().iter().min().unwrap();
}

#[gpu_trait]
trait First {
    fn map_first(self, f: impl Fn(u64) -> u64) -> u64;
}

#[gpu_impl]
impl First for [u64; 4] {
    fn map_first(self, f: impl Fn(u64) -> u64) -> u64 {
        f(self[0]) * 100 + self[0]
    }
}

agree! {
    copies_are_no_places
    copies_and_references heads_and_conditions places_and_values
}
