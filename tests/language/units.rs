//! Unit values: what they do is kept, in order; no variable is printed.
#![allow(clippy::let_unit_value, clippy::unit_arg, unused_variables, unused_assignments)]
#![allow(clippy::toplevel_ref_arg)]

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_static]
static ROWS: [[i32; 3]; 2] = [[0; 3]; 2];

#[gpu_fn]
fn doubled(n: &mut u64) {
    *n *= 2;
}

#[gpu_fn]
fn second(_nothing: (), n: u64) -> u64 {
    n
}

#[gpu_kernel]
fn units(x: &[u64], out: &mut [u64]) {
    let mut n = x[0];
    let u = ();
    let v = {
        out[1] = 3;
    };
    let w = if n > 2 {
        doubled(&mut n)
    };
    out[0] = n;
    out[2] = second(doubled(&mut n), n);
    out[3] = second(u, n) + second((), 1);
    let mut last = doubled(&mut n);
    last = doubled(&mut n);
    last = w;
    out[4] = n;
    let pair = (n, doubled(&mut n), n);
    out[5] = pair.0 * 1000 + pair.2;
    let (before, nothing) = (n, doubled(&mut n));
    out[6] = before;
    let copy = pair.1;
}

#[gpu_kernel]
fn unit_variants(x: &[u64], out: &mut [u64]) {
    let n = x[0];
    let some = if n > 2 { Some(()) } else { None };
    if some.is_some() {
        out[0] = 1;
    }
    if let Some(nothing) = some {
        out[1] = 2;
    }
    let result: Result<(), u32> = if n > 2 { Err(9) } else { Ok(()) };
    match result {
        Ok(nothing) => out[2] = 3,
        Err(code) => out[2] = code as u64,
    }
}

#[gpu_kernel]
fn pointers(x: &[u64], out: &mut [u64]) {
    let a = x[0];
    let z = &&a;
    out[0] = **z;
    let mut k = 1usize;
    let ref r = x[k];
    k = 0;
    out[1] = *r + k as u64;
}

#[gpu_fn]
fn second_plus_one(row: &mut [i32; 3]) {
    row[1] += 1;
}

#[gpu_kernel]
fn whole_statics(out: &mut [i32]) {
    ROWS.get_mut()[1] = [1, 2, 3];
    let row = &mut ROWS.get_mut()[1];
    row[0] = 5;
    second_plus_one(row);
    second_plus_one(&mut ROWS.get_mut()[0]);
    out[0] = ROWS.get()[1][0] * 100 + ROWS.get()[1][1] * 10 + ROWS.get()[0][1];
    *ROWS.get_mut() = [[7; 3]; 2];
    let all = ROWS.get_mut();
    all[0][2] = 8;
    out[1] = ROWS.get()[0][2] * 10 + ROWS.get()[1][2];
}

#[test]
fn unit_values_do_what_they_do_and_are_not_printed() {
    everywhere::<units>(&(), |device| {
        let x = device.upload(&[3u64]).unwrap();
        let out = written(device, (7, 0u64), |out| units(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [6, 3, 12, 13, 48, 48096, 96]);
    });
    everywhere::<unit_variants>(&(), |device| {
        let x = device.upload(&[3u64]).unwrap();
        let out = written(device, (3, 0u64), |out| unit_variants(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [1, 2, 9]);
    });
}

#[test]
fn references_of_what_is_not_written_are_const() {
    everywhere::<pointers>(&(), |device| {
        let x = device.upload(&[3u64, 4]).unwrap();
        let out = written(device, (2, 0u64), |out| pointers(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [3, 4]);
    });
}

#[test]
fn arrays_of_statics_are_places_as_a_whole() {
    everywhere::<whole_statics>(&(), |device| {
        let out = written(device, (2, 0i32), |out| whole_statics(out).grid(1).block(1).launch(device));
        assert_eq!(out, [531, 87]);
    });
}
