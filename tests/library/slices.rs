//! Parts of slices, arrays, views and shared arrays; shared arrays as arguments.

use warpsmith::prelude::*;
use warpsmith::types::Shared2;

use super::{everywhere, written};

#[gpu_fn]
fn sum(x: &[i32]) -> i32 {
    let mut total = 0;
    for v in x {
        total += *v;
    }
    total
}

#[gpu_fn]
fn scale(x: &mut [i32], by: i32) {
    for v in x.iter_mut() {
        *v *= by;
    }
}

#[gpu_kernel]
fn parts(x: &[i32], width: u32, out: &mut [i32]) {
    let i = global_id();
    let start = i * width as usize;
    if start + width as usize > x.len() || (i + 1) * 4 > out.len() {
        return;
    }
    let row = &x[start..start + width as usize];
    let mut tail = &row[1..];
    let whole = sum(row);
    let mut ends = sum(tail);
    tail = &tail[..=0];
    ends = ends * 10 + tail[0];
    let mut local = [1, 2, 3, 4, 5];
    scale(&mut local[2..], row[0]);
    let mine = &mut out[i * 4..(i + 1) * 4];
    mine[0] = whole;
    mine[1] = ends;
    mine[2] = sum(&local[..]);
    mine[3] = row.len() as i32 * 10 + sum(&row[row.len()..]);
}

#[test]
fn parts_of_slices_have_their_own_length() {
    everywhere::<parts>(&(), |device| {
        let x: Vec<i32> = (0..12).map(|v| v * v - 20).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (12, 77), |out| parts(&input, 4, out).over(3).launch(device));
        for (i, row) in x.chunks(4).enumerate() {
            let tail: i32 = row[1..].iter().sum();
            let want = [row.iter().sum(), tail * 10 + row[1], 3 + 12 * row[0], 40];
            assert_eq!(out[i * 4..(i + 1) * 4], want, "on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn beyond(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = sum(&x[i..i + 3]);
    }
}

#[test]
fn a_range_beyond_the_end_is_a_fault() {
    everywhere::<beyond>(&(), |device| {
        let input = device.upload(&[1, 2, 3, 4]).expect("memory");
        let mut out = device.upload(&[0; 4]).expect("memory");
        let outcome = beyond(&input, &mut out).over(4).launch(device).and_then(|()| device.synchronize());
        let message = outcome.expect_err("the last ranges end beyond the slice").to_string();
        assert!(message.contains("slices.rs") && message.contains("beyond"), "{message}");
    });
}

/// Adds the columns of a tile into its first row.
#[gpu_fn]
fn fold_rows(tile: &mut Shared2<i32>, col: u32) {
    for r in 1..tile.len() {
        tile[0][col] = tile[0][col] + tile[r][col];
    }
}

#[gpu_kernel]
fn shared_argument(x: &[i32], out: &mut [i32]) {
    let mut tile = shared!([[i32; 33]; 4]);
    let (c, r) = (thread_idx().x, thread_idx().y);
    tile[r][c] = x[r * 32 + c];
    sync_threads();
    if r == 0 {
        fold_rows(&mut tile, c);
    }
    sync_threads();
    if r == 0 && c == 0 {
        out[0] = sum(&tile[0][..32]);
        out[1] = sum(&tile[3][30..32]);
    }
}

#[test]
fn shared_arrays_of_two_dimensions_are_arguments() {
    everywhere::<shared_argument>(&(), |device| {
        let x: Vec<i32> = (0..128).collect();
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (2, 0), |out| shared_argument(&input, out).grid(1).block([32, 4]).launch(device));
        assert_eq!(out, [x.iter().sum::<i32>(), 126 + 127]);
    });
}

#[gpu_kernel]
fn where_there_is(x: &[i32], shift: &[u32], out: &mut [i32]) {
    let i = global_id();
    let mut tile = shared!([i32; 4]);
    if let (Some(place), Some(v)) = (tile.get_mut(thread_idx().x), x.get(i)) {
        *place = *v;
    }
    sync_threads();
    if let Some(place) = out.get_mut(i) {
        let next = x.get(i + 1).copied().unwrap_or(-5);
        let shift = shift.get(i % 3).map_or(0, |s| *s);
        *place += (next << shift) + x[1..].get(7usize).is_none() as i32;
        if let Some(first) = tile.get(i) {
            *place += *first * 1000;
        }
    }
}

#[test]
fn an_element_is_got_where_there_is_one() {
    everywhere::<where_there_is>(&(), |device| {
        let (x, shift) = ([4, -3, 2, 9, 6], [1u32, 3]);
        let (dx, ds) = (device.upload(&x).expect("memory"), device.upload(&shift).expect("memory"));
        let out =
            written(device, (7, 7), |out| where_there_is(&dx, &ds, out).grid(1).block(32).launch(device));
        for i in 0..7usize {
            let next = x.get(i + 1).copied().unwrap_or(-5);
            let first = x[..4].get(i).map_or(0, |v| v * 1000);
            assert_eq!(
                out[i],
                8 + (next << shift.get(i % 3).map_or(0, |s| *s)) + first,
                "{i} on {}",
                device.name()
            );
        }
    });
}

#[gpu_kernel]
fn parts_of_parts(x: &[i32], out: &mut [i32], at: usize) {
    let row = &x[at..][..3];
    let mut local = [1, 2, 3, 4, 5, 6];
    local[1..][..4][2] += row[1];
    local[2..][1..].swap(0, 2);
    let o = &mut out[2 * at..][..4];
    o[0] = sum(row) + x[1..][at];
    o[1] = row[1..][..2].len() as i32 + (x[at..])[0] * 10;
    o[2] = sum(&local[..5][1..]) * 10 + local[3];
    out[2 * at..][3] = sum(&x[..at + 2][at..=at + 1]);
}

#[test]
fn a_part_has_parts() {
    everywhere::<parts_of_parts>(&(), |device| {
        let x = [4, -3, 2, 9, 6, 1];
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (8, 7), |out| parts_of_parts(&input, out, 2).grid(1).block(1).launch(device));
        assert_eq!(out, [7, 7, 7, 7, 2 + 9 + 6 + 9, 22, (2 + 3 + 6 + 5) * 10 + 6, 11]);
    });
}

/// A type that kernels compute with and no memory holds.
#[derive(Clone, Copy, GpuType)]
enum Token {
    Number(i32),
    Sum { of: u8, signed: bool },
}

#[gpu_fn]
fn code(token: Option<&Token>) -> i32 {
    match token {
        Some(Token::Number(n)) => *n,
        Some(Token::Sum { of, signed }) => -(*of as i32) - *signed as i32,
        None => 1000,
    }
}

#[gpu_kernel]
fn tokens(x: &[i32], out: &mut [i32]) {
    let mut line = [Token::Number(x[0]), Token::Sum { of: 7, signed: x[0] > 0 }, Token::Number(9)];
    line.swap(0, 1);
    let mut copy = [Token::Number(0); 4];
    copy[..3].copy_from_slice(&line);
    line.reverse();
    copy[2..].fill(Token::Number(x[1]));
    copy[1..].swap(0, 1);
    for i in 0..3u32 {
        out[i] = code(line.get(i));
        out[3 + i] = code(copy.get(i));
    }
    out[6] = code(line[1..].first()) * 100 + code(line.last());
    out[7] = code(copy[..0].first()) + code(copy[4..].last());
}

#[test]
fn slices_of_what_no_memory_holds_have_the_same_methods() {
    everywhere::<tokens>(&(), |device| {
        let x = device.upload(&[5, 6]).expect("memory");
        let out = written(device, (8, 77), |out| tokens(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [9, 5, -8, -8, 6, 5, 5 * 100 - 8, 2000], "on {}", device.name());
    });
}

#[gpu_kernel]
fn ends(x: &[u32], out: &mut [u32]) {
    let mut tile = shared!([u32; 4]);
    let t = thread_idx().x;
    tile[t] = x[t] * 2;
    sync_threads();
    let grid = View2::new(x, 2, 2);
    let row = grid.row(1);
    let parts = (&x[1..3], &x[..0], [x[3], x[2]]);
    if t == 0 {
        out[0] = x.first().map_or(99, |v| *v) * 10 + x.last().copied().unwrap_or(99);
        out[1] = *parts.0.first().unwrap() * 10 + parts.0.last().unwrap();
        out[2] = parts.1.first().is_none() as u32 + parts.1.last().is_none() as u32;
        out[3] = parts.2.first().unwrap() * 10 + parts.2.last().unwrap();
        out[4] = tile.first().unwrap() * 10 + tile.last().unwrap();
        out[5] = row.first().unwrap() * 10 + row.last().unwrap();
        if let (Some(first), Some(&last)) = (x.first(), x.last()) {
            out[6] = last - first;
        }
    }
}

#[test]
fn the_ends_of_a_slice_are_options() {
    everywhere::<ends>(&(), |device| {
        let x = device.upload(&[1u32, 2, 3, 4]).expect("memory");
        let out = written(device, (7, 77), |out| ends(&x, out).grid(1).block(4).launch(device));
        assert_eq!(out, [14, 23, 2, 43, 28, 34, 3], "on {}", device.name());
    });
}

/// Before each call the same function is called with an index that fills 64 bits.
#[gpu_kernel]
fn narrow_indices(x: &[u32], minus: i64, out: &mut [u32]) {
    let mut local = [x[0], x[1], x[2], x[3]];
    let k = (minus + 2) as u8;
    out[0] = x.get(minus as u64).is_none() as u32 * 10 + *x.get(k).unwrap();
    out[1] = x.get(minus as i8).is_none() as u32 * 10 + *x.get(k as i8).unwrap();
    out[2] = x.get(minus as i16).is_none() as u32 * 10 + *x.get(k as u16).unwrap();
    out[3] = x.get(minus as i32).is_none() as u32 * 10 + *x.get(k as i32).unwrap();
    out[4] = x.get(minus).is_none() as u32 * 10 + *x.get(1).unwrap();
    out[5] = x.get(minus as usize).is_none() as u32 * 10 + *x.get(k as i16).unwrap();
    if let Some(v) = local.get_mut(minus as isize) {
        *v = 0;
    }
    if let Some(v) = local.get_mut(k as u32) {
        *v += 5;
    }
    local.swap(2 * k as usize, 0);
    local.swap(k, k as i16 + 2);
    out[6] = local[1] * 10 + local[2];
    out[7] = local[3];
}

#[test]
fn an_index_of_any_integer_type_is_what_it_is() {
    everywhere::<narrow_indices>(&(), |device| {
        let x = device.upload(&[1u32, 2, 3, 4]).expect("memory");
        let out = written(device, (8, 77), |out| narrow_indices(&x, -1, out).grid(1).block(1).launch(device));
        assert_eq!(out, [12, 12, 12, 12, 12, 12, 41, 7], "on {}", device.name());
    });
}
