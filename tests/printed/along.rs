//! Loops whose counters run along slices, which one comparison shows to be in bounds.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::fault_of_all;

/// Fills each row with its thread's value, and counts beside it.
#[gpu_kernel]
fn fills(
    shift: u32,
    starts: &[u32],
    ends: &[u32],
    text: &mut [u32],
    wide: &mut [u32],
    from: u64,
    low: i32,
    high: i32,
) {
    let row = global_id() as u32;
    for at in starts[row]..ends[row] {
        text[at] += row + 1;
        text[at + shift] += 100;
    }
    for at in (starts[row]..ends[row]).step_by(3) {
        text[at] += 1000;
    }
    for at in 0..ends[row] as u64 {
        wide[from + at] += 1;
    }
    for at in low..high {
        wide[at] += 10;
    }
}

struct Fill {
    shift: u32,
    starts: [u32; 2],
    ends: [u32; 2],
    from: u64,
    low: i32,
    high: i32,
}

const PLAIN: Fill = Fill { shift: 2, starts: [2, 0], ends: [6, 8], from: 4, low: 3, high: 12 };

impl Fill {
    fn run(&self, executor: Executor) -> Result<Vec<u32>, String> {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let up = |values: &[u32]| device.upload(values).expect("memory");
        let (starts, ends) = (up(&self.starts), up(&self.ends));
        let (mut text, mut wide) = (up(&[0; 10]), up(&[0; 12]));
        // One thread after the other, as they write the same elements.
        let Fill { shift, from, low, high, .. } = *self;
        let launch = fills(shift, &starts, &ends, &mut text, &mut wide, from, low, high).grid(1).block(1);
        launch.launch(&device).map_err(|fault| fault.to_string())?;
        Ok([text, wide].iter().flat_map(|of| device.download(of).expect("memory")).collect())
    }

    fn fault(&self) -> String {
        fault_of_all(|executor| self.run(executor))
    }
}

/// Multiplies a number and adds to it.
#[gpu_fn]
fn grown(number: &mut u32, by: u32, and: u32) -> u32 {
    *number = *number * by + and;
    *number
}

/// The ends of the range change each other.
#[gpu_kernel]
fn taken(numbers: &[u32], text: &mut [u32]) {
    let mut next = numbers[0];
    for at in grown(&mut next, 1, 1)..grown(&mut next, 3, 0) {
        text[at] = at;
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn the_ends_of_a_range_are_evaluated_in_their_order() {
    needs_cxx();
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    let numbers = device.upload(&[1u32]).expect("memory");
    let mut text = device.upload(&[0u32; 8]).expect("memory");
    taken(&numbers, &mut text).grid(1).block(1).launch(&device).expect("no fault, and no difference");
    assert_eq!(device.download(&text).expect("memory"), [0, 0, 2, 3, 4, 5, 0, 0]);
}

#[test]
fn a_loop_along_a_slice_is_compiled_twice() {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let text = fills::print(&(), &options).expect("a kernel").code;
    for line in [
        "ws_each<unsigned int>(start, end, ",
        " <= text_len && ",
        "text[check(at, text_len, ",
        "ws_fits(from, ",
        "wide[check(from + at, wide_len, ",
        "ws_each<int>(low, high, wide_len, ws_fault, [&](auto check, auto at) {",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_loop_along_a_slice_does_what_its_twin_does() {
    needs_cxx();
    let empty = Fill { starts: [8, 0], ends: [3, 0], low: 5, high: -5, ..PLAIN };
    let to_the_end = Fill { shift: 0, starts: [0, 0], ends: [10, 0], from: 2, low: 0, high: 12 };
    // Nothing is indexed from a place beyond the end, or with a sum that wraps.
    let beyond = Fill { ends: [0, 0], from: u64::MAX, low: i32::MAX, high: i32::MAX, ..PLAIN };
    for fill in [PLAIN, empty, to_the_end, beyond] {
        fill.run(Executor::All).expect("no fault, and no difference");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn the_iteration_that_is_out_of_bounds_is_told() {
    needs_cxx();
    let cases = [
        (
            Fill { shift: 0, starts: [0, 0], ends: [11, 0], ..PLAIN },
            "index 10 is out of bounds for length 10",
        ),
        (Fill { shift: 6, starts: [6, 0], ends: [7, 0], ..PLAIN }, "index 12 is out of bounds for length 10"),
        // The sum with the end wraps to one that is in bounds.
        (
            Fill { shift: u32::MAX - 2, starts: [0, 0], ends: [6, 0], ..PLAIN },
            "index 4294967293 is out of bounds for length 10",
        ),
        (
            Fill { starts: [u32::MAX, 0], ends: [0, 0], low: -2, ..PLAIN },
            "index -2 is out of bounds for length 12",
        ),
        (Fill { from: 9, ..PLAIN }, "index 12 is out of bounds for length 12"),
        (Fill { from: u64::MAX, ..PLAIN }, "index -1 is out of bounds for length 12"),
        (Fill { high: 13, ..PLAIN }, "index 12 is out of bounds for length 12"),
        (Fill { low: i32::MIN, ..PLAIN }, "index -2147483648 is out of bounds for length 12"),
    ];
    for (fill, want) in cases {
        let fault = fill.fault();
        assert!(fault.starts_with(want), "{want}: {fault}");
    }
}

/// Counts the elements of a range that is shifted.
#[gpu_kernel]
fn shifted(low: i32, high: i32, shift: i32, x: &mut [i32]) {
    for at in low..high {
        x[at + shift] += 1;
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn an_offset_that_leads_out_of_bounds_is_told() {
    needs_cxx();
    let run = |executor, [low, high, shift]: [i32; 3]| {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let mut x = device.upload(&[0; 8]).expect("memory");
        let launch = shifted(low, high, shift, &mut x).grid(1).block(1);
        launch.launch(&device).map_err(|fault| fault.to_string())?;
        Ok::<_, String>(device.download(&x).expect("memory"))
    };
    assert_eq!(run(Executor::All, [2, 10, -2]).expect("no fault"), [1; 8]);
    for (range, want) in [([0, 5, -3], -3), ([4, 6, 4], 8), ([-3, 5, 2], -1), ([2, 11, -2], 8)] {
        let fault = fault_of_all(|executor| run(executor, range));
        let want = format!("index {want} is out of bounds for length 8");
        assert!(fault.starts_with(&want), "{want}: {fault}");
    }
}

/// Copies parts of `text` one after the other, each with what is as far back as `back` says; a cursor moves on with each. Then sums
/// parts of shared memory.
#[gpu_kernel]
fn moves(lengths: &[u32], back: u32, text: &[u32], out: &mut [u32]) {
    let mut shared = shared!([u32; 8]);
    for at in 0..8u32 {
        shared[at] = at + 1;
    }
    let (mut from, mut to) = (0u32, back);
    let mut part = 0;
    while part < 3u32 {
        for i in 0..lengths[part] {
            out[to + i] = text[from + i];
        }
        from += lengths[part];
        for i in 0..lengths[part] {
            out[to + i] += out[to + i - back] * 3;
        }
        to += lengths[part];
        for i in lengths[part]..lengths[part + 1] {
            out[0] += shared[i];
        }
        part += 1;
    }
}

fn moved(executor: Executor, lengths: [u32; 4], back: u32, extents: [usize; 2]) -> Result<Vec<u32>, String> {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let [text, mut out] = extents.map(|n| device.upload(&vec![7u32; n]).expect("memory"));
    let lengths = device.upload(&lengths).expect("memory");
    let launch = moves(&lengths, back, &text, &mut out).grid(1).block(1);
    launch.launch(&device).map_err(|fault| fault.to_string())?;
    Ok(device.download(&out).expect("memory"))
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn cursors_that_a_loop_leaves_as_they_are_are_compared_before_it() {
    needs_cxx();
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let text = moves::print(&(), &options).expect("a kernel").code;
    for line in [
        "ws_fits(from, end, text_len) && ws_fits(to, end, out_len)",
        "ws_fits(to - back, end_1, out_len)",
        "(start, end_2, 8ull, ws_fault, ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let right = ([2, 3, 4, 8], 1, [9, 10]);
    moved(Executor::All, right.0, right.1, right.2).expect("no fault, and no difference");
    let wrong = [
        ([2, 3, 4, 9], 1, [9, 10]),
        ([2, 3, 4, 8], 1, [8, 10]),
        ([2, 3, 4, 8], 1, [9, 9]),
        ([2, 3, 4, 8], u32::MAX, [9, 10]),
        ([u32::MAX, 3, 4, 8], 1, [9, 10]),
    ];
    for (lengths, back, extents) in wrong {
        let fault = fault_of_all(|executor| moved(executor, lengths, back, extents));
        assert!(fault.contains("is out of bounds for length"), "{fault}");
    }
}

/// Adds up the elements of a range, by counters of all kinds.
#[gpu_kernel]
fn summed(kind: u32, low: i64, high: i64, x: &[u32], out: &mut [u32]) {
    let mut sum = 0;
    if kind == 0 {
        for at in low as i32..high as i32 {
            sum += x[at];
        }
    } else if kind == 1 {
        for at in low as u32..high as u32 {
            sum = sum * 3 + x[at];
        }
    } else if kind == 2 {
        for at in low as u64..high as u64 {
            sum ^= x[at];
        }
    } else if kind == 3 {
        for at in low as i32..high as i32 {
            let here = if x[at as usize] > 2 { 1 } else { 2 };
            sum += here;
        }
    } else if kind == 4 {
        // A negative number is another index here.
        for at in low as i32..high as i32 {
            sum += x[at as u32];
        }
    } else if kind == 5 {
        // Not every iteration reads.
        for at in low as i32..high as i32 {
            if at % 2 == 0 {
                sum += x[at];
            }
        }
    } else {
        for at in low as i32..high as i32 {
            out[0] = at as u32;
            sum += x[at];
        }
    }
    out[1] = sum;
}

#[test]
fn a_loop_whose_only_check_is_that_of_its_counter_is_compiled_once() {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let text = summed::print(&(), &options).expect("a kernel").code;
    assert_eq!(text.matches("ws_all<").count(), 4, "{text}");
    for line in ["ws_all<unsigned int>(start, end, x_len, 1, ws_fault);", "sum = sum * 3u + x[at];"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(text.matches("auto check").count(), 3, "{text}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_check_before_a_loop_tells_the_first_index_out_of_bounds() {
    needs_cxx();
    let run = |executor, kind, [low, high]: [i64; 2]| {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let (x, mut out) =
            (device.upload(&[1, 2, 3, 4]).expect("memory"), device.upload(&[9; 2]).expect("memory"));
        let launch = summed(kind, low, high, &x, &mut out).grid(1).block(1);
        launch.launch(&device).map_err(|fault| fault.to_string())?;
        Ok::<_, String>(device.download(&out).expect("memory"))
    };
    for kind in 0..7 {
        for range in [[0, 4], [1, 3], [4, 4], [9, 2], [3, -7]] {
            // As numbers without a sign, the last range has many.
            if range[1] >= 0 || ![1, 2].contains(&kind) {
                run(Executor::All, kind, range).expect("no fault, and no difference");
            }
        }
        for (range, want) in [([0, 5], 4), ([2, 90], 4), ([7, 9], 7), ([-3, 2], -3), ([-2, -1], -2)] {
            let want = match kind {
                1 | 4 => i64::from(want as u32),
                5 if want % 2 != 0 => want + 1,
                _ => want,
            };
            let begins = format!("index {want} is out of bounds for length 4");
            let is_empty = [1, 2].contains(&kind) && (range[0] as u64) > range[1] as u64;
            if !is_empty {
                let fault = fault_of_all(|executor| run(executor, kind, range));
                assert!(fault.starts_with(&begins), "{kind} {range:?}: {fault}");
            }
        }
    }
}
