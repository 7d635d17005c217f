//! Constants: arrays as tables in constant memory, structs, `const fn`.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A rule with a struct's fields.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rule {
    shift: u32,
    weights: [i32; 2],
}

const PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];
const GRID: [[i32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
static RULES: [Rule; 2] = [Rule { shift: 1, weights: [3, -3] }, Rule { shift: 2, weights: [5, -5] }];
const DEFAULT: Rule = Rule { shift: 4, weights: [7, square(3)] };

#[gpu_fn]
const fn square(v: i32) -> i32 {
    v * v
}

#[gpu_kernel]
fn looked_up(out: &mut [i32]) {
    let i = global_id();
    if i >= out.len() {
        return;
    }
    let prime = PRIMES[i % 8] + PRIMES[7];
    let row = GRID[i % 2];
    let rule = RULES[i % 2];
    let mut sum = 0;
    for v in PRIMES.iter() {
        sum += *v;
    }
    out[i] = prime as i32
        + row[i % 3] * GRID[(i + 1) % 2][2]
        + (rule.weights[i % 2] << rule.shift)
        + DEFAULT.weights[1] * square(DEFAULT.shift as i32)
        + sum as i32;
}

#[test]
fn tables_are_looked_up_in_constant_memory() {
    let source = looked_up::cuda_source().expect("a valid kernel");
    assert!(
        source.contains("__constant__ const unsigned int PRIMES[8] = {2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u};")
    );
    everywhere::<looked_up>(&(), |device| {
        let out = written(device, (16, 77), |out| looked_up(out).over(16).launch(device));
        for (i, got) in out.iter().enumerate() {
            let rule = RULES[i % 2];
            let want = PRIMES[i % 8] as i32
                + 19
                + GRID[i % 2][i % 3] * GRID[(i + 1) % 2][2]
                + (rule.weights[i % 2] << rule.shift)
                + 9 * 16
                + PRIMES.iter().sum::<u32>() as i32;
            assert_eq!(*got, want, "element {i} on {}", device.name());
        }
    });
}

#[gpu_fn]
fn weighed(rows: &[[i32; 3]]) -> i32 {
    rows.iter().map(|row| row[0] * 2 + row.iter().sum::<i32>()).sum()
}

/// Rows of a table as a slice of arrays: whole, a part, and walked.
#[gpu_kernel]
fn passed(out: &mut [i32]) {
    let i = global_id();
    if i < out.len() {
        let rest = &GRID[i % 2..];
        let low = GRID.iter().map(|row| row[i % 3]).min().unwrap_or(0);
        out[i] = weighed(&GRID) * 1000 + weighed(rest) + low + rest.len() as i32;
    }
}

#[test]
fn rows_of_a_table_are_a_slice_of_arrays() {
    let source = passed::cuda_source().expect("a valid kernel");
    assert!(source.contains("__constant__ const int GRID[2][3] = {{1, 2, 3}, {4, 5, 6}};"), "{source}");
    everywhere::<passed>(&(), |device| {
        let out = written(device, (12, 77), |out| passed(out).over(12).launch(device));
        let weighed = |rows: &[[i32; 3]]| rows.iter().map(|r| r[0] * 2 + r.iter().sum::<i32>()).sum::<i32>();
        for (i, got) in out.iter().enumerate() {
            let rest = &GRID[i % 2..];
            let want = weighed(&GRID) * 1000 + weighed(rest) + GRID[0][i % 3] + rest.len() as i32;
            assert_eq!(*got, want, "element {i} on {}", device.name());
        }
    });
}
