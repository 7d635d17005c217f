//! Constants print as the source spells them: by name, in arithmetic on names, and in their radix.

use warpsmith::prelude::*;
use warpsmith::record::RecordError;
use warpsmith::{Error, Kernel};

use super::{everywhere, written};

/// Rows of a tile, of another type than the columns.
const ROWS: u32 = 4;
const COLS: usize = 8;
const PAD: usize = 1;
const SHIFT: u8 = 3;
const LEAST: i32 = i32::MIN;
const NEGATIVE: i32 = -6;

/// `out[i] = x[i]`, with extents, bounds and literals of all kinds on the way.
#[gpu_kernel]
fn spelled(x: &[u32], out: &mut [u32], #[comptime] width: u32) {
    let mut tile = shared!([[u32; COLS + PAD]; ROWS as usize]);
    let mut row = shared!([u32; 2 * width + 0x10]);
    let mut counts = [0u32; COLS];
    let mut table = [[0i64; PAD + 1]; ROWS as usize - 1];
    let t = thread_idx().x;
    table[t % 3][t % 2] = i64::from(t) + 0x1_0000_0000;
    counts[t % 8] = x[t] & 0xffff_00ff | 0b1010_0000;
    row[t] = counts[t % 8] ^ 0o17;
    tile[t / 8][t % 8] = row[t] + 7 * width;
    sync_threads();
    if t < ROWS * (COLS as u32) - 2 * width {
        out[t] = (tile[t / 8][t % 8] << SHIFT) >> SHIFT as u32;
    }
    if t + (width << 1) < 2 {
        let low = LEAST + 1 + NEGATIVE / 4;
        out[t] = ((low + (table[0][0] & (3 << 40)) as i32) as u32 % !width) | (1 << 31);
    }
}

#[test]
fn names_and_radixes_stay() {
    everywhere::<spelled>(&(4,), |device| {
        let x: Vec<u32> = (0..32).map(|i| i * 0x0101_0101).collect();
        let input = device.upload(&x).expect("memory");
        let got = written(device, (32, 1), |out| spelled(&input, out, 4).grid(1).block(24).launch(device));
        let want = |i: u32| ((((x[i as usize] & 0xffff_00ff | 0xa0) ^ 0o17) + 28) << 3) >> 3;
        let want: Vec<u32> = (0..32).map(|i| if i < 24 { want(i) } else { 1 }).collect();
        assert_eq!(got, want, "on {}", device.name());
    });
    let source = spelled::cuda_source_for(&(4,)).expect("it prints");
    for line in [
        "__shared__ unsigned int tile[ROWS][COLS + PAD];",
        "__shared__ unsigned int row[2 * width + 0x10];",
        "unsigned int counts[COLS] = {};",
        "long long table[ROWS - 1][PAD + 1] = {};",
        "+ 0x100000000ll",
        "x[t] & 0xffff00ffu",
        "0b10100000u",
        "^ 017u",
        "row[t] + 7u * width",
        "if (t < ROWS * (unsigned int)COLS - 2u * width) {",
        "<< SHIFT >> SHIFT;",
        "if (t + (width << 1) < 2u) {",
        "LEAST + 1 + NEGATIVE / 4",
        "% ~width",
        "1u << 31",
        "3ll << 40",
        "static constexpr unsigned int width = 4u;",
        "static constexpr unsigned char SHIFT = (unsigned char)3;",
        "static constexpr int LEAST = (-2147483647 - 1);",
    ] {
        assert!(source.contains(line), "no `{line}` in\n{source}");
    }
}

/// Two constants of one name.
#[gpu_fn]
fn widened<const N: usize>(value: u32) -> u32 {
    let mut parts = [0u32; N];
    parts[0] = value;
    parts[N - 1] += 2 * N as u32;
    parts[0] + parts[N - 1]
}

#[gpu_kernel]
fn two_of_one_name(out: &mut [u32]) {
    out[0] = widened::<2>(10);
    out[1] = widened::<3>(20);
}

#[test]
fn a_name_of_two_values_prints_its_values() {
    everywhere::<two_of_one_name>(&(), |device| {
        let got = written(device, (2, 0), |out| two_of_one_name(out).grid(1).block(1).launch(device));
        assert_eq!(got, [14, 26]);
    });
    let source = two_of_one_name::cuda_source().expect("it prints");
    assert!(source.contains("parts[2] = {}") && source.contains("parts[3] = {}"), "{source}");
    assert!(!source.contains("constexpr"), "{source}");
}

#[gpu_kernel]
fn shrunk(out: &mut [u32], #[comptime] width: u32, #[comptime] parts: i32) {
    let mut tile = shared!([[u32; 16 - width]; 8 / parts]);
    tile[0][0] = 1;
    out[0] = tile[0][0];
}

#[test]
fn an_extent_that_overflows_is_an_error_of_the_kernel() {
    let refused = |width, parts| match shrunk::module(&(width, parts)).map(|_| ()) {
        Err(Error::Record(error)) => error,
        other => panic!("not refused: {other:?}"),
    };
    let at = line!() - 11;
    match refused(17, 1) {
        RecordError::ConstantOverflow { expression, at: place } => {
            assert_eq!((expression.as_str(), place.line), ("16 - 17", at));
        }
        other => panic!("{other}"),
    }
    assert!(refused(1, 0).to_string().contains("8 / 0"));
    assert!(refused(1, -1).to_string().contains("an extent of -8"), "{}", refused(1, -1));
    assert!(shrunk::module(&(1, 8)).is_ok());
}

#[gpu_kernel]
fn evaluated(out: &mut [u32], #[comptime] width: u32, #[comptime] large: usize) {
    let mut tile = shared!([u32; 64 / width.next_power_of_two()]);
    let mut rows = shared!([[u32; large]; large.max(1)]);
    tile[0] = 1;
    rows[0][0] = 2;
    out[0] = tile[0] + rows[0][0];
}

#[test]
fn an_extent_that_the_host_cannot_evaluate_is_an_error_too() {
    let refused =
        |width, large| evaluated::module(&(width, large)).map(|_| ()).expect_err("refused").to_string();
    assert!(refused(128, 1).contains("`tile`"), "{}", refused(128, 1));
    assert!(
        refused(2, 1 << 40).contains("no block of any device has more than 232448"),
        "{}",
        refused(2, 1 << 40)
    );
    assert!(evaluated::module(&(3, 4)).is_ok());
    if cfg!(debug_assertions) {
        // `next_power_of_two` panics where overflow is checked.
        assert!(refused(u32::MAX, 1).contains("evaluation panics"), "{}", refused(u32::MAX, 1));
    }
}
