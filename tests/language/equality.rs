//! `==` and `!=` of whatever has parts: enums with fields, arrays and tuples of structs, `Option`, `Result`.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
enum Shape {
    A,
    B(u32),
    Both { at: [Cell; 2], pair: [f32; 2] },
}

/// Compares by its number alone.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Cell {
    number: u32,
    comment: u32,
}

#[gpu_impl]
impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
struct Grid<T> {
    cells: [Cell; 3],
    many: [[T; 2]; 3],
    rows: [[Cell; 2]; 3],
}

#[gpu_fn]
fn shape(code: u32) -> Shape {
    match code % 4 {
        0 => Shape::A,
        1 => Shape::B(code / 4),
        2 => Shape::Both { at: [Cell { number: 1, comment: code }; 2], pair: [1.5, 2.0] },
        _ => Shape::Both { at: [Cell { number: code / 4, comment: 0 }; 2], pair: [1.5, (code / 8) as f32] },
    }
}

#[gpu_fn]
fn grid(code: u32) -> Grid<u32> {
    let mut grid = Grid {
        cells: [Cell { number: 5, comment: code }; 3],
        many: [[7; 2]; 3],
        rows: [[Cell { number: 1, comment: code }; 2]; 3],
    };
    grid.cells[(code % 3) as usize].number += code / 6;
    grid.many[2][1] += code / 9;
    grid.rows[1][1].number += code / 12;
    grid
}

/// Bits, one a comparison.
#[gpu_fn]
fn compared(a: u32, b: u32) -> u32 {
    let (s, t) = (shape(a), shape(b));
    let (g, h) = (grid(a), grid(b));
    let cell = |code: u32| Cell { number: code / 3, comment: code };
    let (x, y) = (cell(a), cell(b));
    let some = |code: u32| if code % 3 == 0 { None } else { Some(Cell { number: code / 5, comment: code }) };
    let (o, p) = (some(a), some(b));
    let fallible = |code: u32| -> Result<[u32; 2], Cell> {
        if code % 2 == 0 { Ok([code / 4, 1]) } else { Err(Cell { number: code / 7, comment: code }) }
    };
    let (r, q) = (fallible(a), fallible(b));
    let mut bits = 0;
    bits |= (s == t) as u32;
    bits |= ((s != t) as u32) << 1;
    bits |= ((s == Shape::A) as u32) << 2;
    bits |= ((g == h) as u32) << 3;
    bits |= ((g != h) as u32) << 4;
    bits |= ((g.cells == h.cells) as u32) << 5;
    bits |= (((x, [y; 5], (1, x)) == (y, [x; 5], (1, y))) as u32) << 6;
    bits |= (((x, a) != (y, b)) as u32) << 7;
    bits |= ((o == p) as u32) << 8;
    bits |= ((o != None) as u32) << 9;
    bits |= ((o == Some(y)) as u32) << 10;
    bits |= ((r == q) as u32) << 11;
    bits |= ((r != Ok([a / 4, 1])) as u32) << 12;
    bits |= ((&x == &y) as u32) << 13;
    bits |= (([x, y].iter().any(|c| c == &y)) as u32) << 16;
    assert_eq!([x, y], [x, y]);
    assert_ne!(Some(a), Some(a + 1));
    bits
}

#[gpu_kernel]
fn all_pairs(out: &mut [u32]) {
    let (a, b) = (thread_idx().x, block_idx().x);
    out[a * grid_dim().x + b] = compared(a, b);
}

#[test]
fn values_with_parts_compare_as_their_parts_do() {
    everywhere::<all_pairs>(&(), |device| {
        let n = 26;
        let out = written(device, (n * n, 0), |out| all_pairs(out).grid(n).block(n).launch(device));
        let want: Vec<u32> = (0..n * n).map(|i| compared((i / n) as u32, (i % n) as u32)).collect();
        assert_eq!(out, want);
        let distinct: std::collections::HashSet<u32> = want.into_iter().collect();
        assert!(distinct.len() > 20, "the comparisons tell little: {distinct:?}");
    });
}
