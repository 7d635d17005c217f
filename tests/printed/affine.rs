//! Loops that index at a fixed distance, of which the first and the last index are compared before the loop.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::Dice;

/// Elements of each column.
const LEN: usize = 24;

/// Counts what a column of `int` visits, one of `unsigned int`, and one of 64 bits.
#[gpu_kernel]
fn columns(numbers: &[i32], x: &mut [i32], y: &mut [i32], z: &mut [i32]) {
    let (first, pitch, from, to) = (numbers[0], numbers[1], numbers[2], numbers[3]);
    for i in from..to {
        x[first + pitch * (i + 1)] += 1;
    }
    let (base, distance, start, end) =
        (numbers[4] as u32, numbers[5] as u32, numbers[6] as u32, numbers[7] as u32);
    for i in start..end {
        y[(base - distance * i) as usize] += 1;
    }
    for i in start..end {
        z[first as usize + pitch as usize * i as usize] += 1;
    }
}

/// Sums each row that another one names, by a counter that takes every `by`-th place, and by a cursor that does.
#[gpu_kernel]
fn gathered(order: &[i32], x: &[i32], y: &mut [i32], pitch: i32, by: i32) {
    let row = order[0];
    for k in (1..pitch).step_by(by as usize) {
        y[k] += x[row * pitch + k];
    }
    let (mut k, row) = (order[1], order[2]);
    while k < pitch {
        y[k] += x[row * pitch + k];
        k += block_dim().x as i32;
    }
}

#[test]
fn a_row_that_memory_names_is_compared_before_a_loop_with_a_step() {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let text = gathered::print(&(), &options).expect("a kernel").code;
    let inside = "ws_is_in(((long long)(int)((unsigned int)row * pitch) + 1ll), x_len) && ws_is_in(";
    assert!(text.contains(inside), "{text}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn rows_that_memory_names_are_what_their_twins_are() {
    needs_cxx();
    let run = |order: &[i32; 3], [pitch, by]: [i32; 2], executor| {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let up = |values: &[i32]| device.upload(values).expect("memory");
        let (order, x, mut y) = (up(order), up(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), up(&[0; 5]));
        let launch = gathered(&order, &x, &mut y, pitch, by).grid(1).block(1);
        launch.launch(&device).map_err(super::first_line)?;
        Ok::<_, String>(device.download(&y).expect("memory"))
    };
    assert_eq!(run(&[1, 0, 1], [5, 2], Executor::All).expect("no fault"), [6, 14, 8, 18, 10]);
    let (mut dice, mut faults) = (Dice(3), 0);
    for _ in 0..200 {
        let mut pick = |all: &[i32]| all[dice.below(all.len())];
        let order =
            [pick(&[0, 1, 1, 2, -1, 1 << 28]), pick(&[0, 0, 2, 5, -1]), pick(&[0, 1, 1, 2, 3, -(1 << 28)])];
        let sizes = [pick(&[0, 4, 4, 5, 5, 6]), pick(&[1, 2, 3, 7])];
        let [twin, interpreter, printed] = [Executor::Twin, Executor::Interpreter, Executor::Printed]
            .map(|executor| run(&order, sizes, executor));
        assert_eq!((&twin, &twin), (&interpreter, &printed), "{order:?} {sizes:?}");
        faults += usize::from(twin.is_err());
    }
    assert!((50..180).contains(&faults), "{faults} of 200");
}

type Numbers = [i32; 8];

/// The message of a fault, or the elements.
fn run(numbers: &Numbers, executor: Executor) -> Result<Vec<i32>, String> {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let given = device.upload(numbers).expect("memory");
    let [mut x, mut y, mut z] = [(); 3].map(|()| device.upload(&[0i32; LEN]).expect("memory"));
    let launch = columns(&given, &mut x, &mut y, &mut z).grid(1).block(1);
    launch
        .launch(&device)
        .map_err(|fault| fault.to_string().split(" at ").next().unwrap_or_default().to_owned())?;
    Ok([x, y, z].iter().flat_map(|of| device.download(of).expect("memory")).collect())
}

/// The same in arithmetic that wraps.
fn wanted(numbers: &Numbers) -> Result<Vec<i32>, String> {
    let mut counts = vec![0; 3 * LEN];
    let mut visit = |part: usize, at: i64| {
        if at as u64 >= LEN as u64 {
            return Err(format!("index {at} is out of bounds for length {LEN}"));
        }
        counts[part * LEN + at as usize] += 1;
        Ok(())
    };
    let [first, pitch, from, to, base, distance, start, end] = *numbers;
    for i in from..to {
        visit(0, first.wrapping_add(pitch.wrapping_mul(i.wrapping_add(1))).into())?;
    }
    for i in start as u32..end as u32 {
        visit(1, (base as u32).wrapping_sub((distance as u32).wrapping_mul(i)).into())?;
    }
    for i in start as u32..end as u32 {
        visit(2, i64::from(first).wrapping_add(i64::from(pitch).wrapping_mul(i.into())))?;
    }
    Ok(counts)
}

/// Numbers of which most visits are in bounds, or any.
fn random(dice: &mut Dice) -> Numbers {
    if dice.below(2) == 0 {
        let [from, start, turns, more] = [2, 2, 5, 5].map(|n| dice.below(n) as i32);
        let [first, base] = [3, 12].map(|low| low + dice.below(9) as i32);
        let [pitch, distance] = [(); 2].map(|()| dice.below(4) as i32 - 1);
        return [first, pitch, from, from + turns, base, distance, start, start + more];
    }
    let mut pick = |all: &[i32]| all[dice.below(all.len())];
    let big = 1 << 30;
    let firsts = [0, 0, 1, 3, 20, 23, 24, -1, 0, 1, big, i32::MIN, i32::MAX];
    let pitches = [0, 1, 2, 3, 4, 5, 6, 7, -1, -2, -5, big, -big, i32::MIN, i32::MAX, 1 << 16];
    let (from, start) =
        (pick(&[0, 0, 0, 1, -1, -3, i32::MIN, i32::MAX - 2, big]), pick(&[0, 0, 0, 1, 2, -4, big, i32::MIN]));
    let (turns, more) = (pick(&[0, 1, 2, 3, 4, 5, 6]), pick(&[0, 1, 2, 3, 4, 5, 6]));
    let ends = [from.saturating_add(turns), (start as u32).saturating_add(more as u32) as i32];
    [pick(&firsts), pick(&pitches), from, ends[0], pick(&firsts), pick(&pitches), start, ends[1]]
}

#[test]
fn the_ends_of_a_column_are_compared_before_the_loop() {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let text = columns::print(&(), &options).expect("a kernel").code;
    for line in [
        "ws_is_in(((long long)first + ((long long)pitch * ((long long)from + 1ll))), x_len)",
        "ws_is_in(((long long)first + ((long long)pitch * ((to - 1ll) + 1ll))), x_len)",
        "x_len <= 2147483648ull && ",
        "end <= 2147483648u && y_len <= 2147483648ull && ",
        "ws_is_in(((long long)(int)base - ((long long)(int)distance * (long long)start)), y_len)",
        "y[check((unsigned long long)(base - distance * i), y_len, ",
        "(long long)(unsigned long long)first + ((long long)(unsigned long long)pitch * (long long)start)), z_len)",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn columns_are_visited_whatever_wraps() {
    needs_cxx();
    run(&[1, 4, -1, 4, 20, 4, 0, 5], Executor::All).expect("no fault, and no difference");
    // Both ends wrap to numbers that are in bounds, and what is between them does not.
    let big = 1 << 30;
    let mut cases = vec![
        [0, big, -1, 4, 0, big, 0, 5],
        [0, 0, 0, 0, 0, big, 0, 5],
        [1, i32::MIN, 0, 2, 1, i32::MIN, 0, 3],
        [0, 1, -3, 4, 3, 1, 0, 5],
        [0, 1, 0, 24, 3, 1, 0, 4],
        [0, -1, -4, 0, 3, 1, 0, 4],
        [0, 0, 0, 0, 0, 1, i32::MIN, i32::MIN + 2],
    ];
    let (mut dice, mut faults) = (Dice(11), 0);
    cases.extend((0..1500).map(|_| random(&mut dice)));
    for numbers in &cases {
        let printed = run(numbers, Executor::Printed);
        assert_eq!(printed, wanted(numbers), "{numbers:?}");
        faults += usize::from(printed.is_err());
    }
    assert!((500..1400).contains(&faults), "{faults} of {}", cases.len());
}
