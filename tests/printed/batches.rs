//! Loops whose indices are compared a few iterations before, and slices that are indexed alike: the faults are the twin's.

use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::Dice;

/// Sums of what rows of names name: by a variable of the body, with a counter that may be negative, of 64 bits, and with a store
/// between.
#[gpu_kernel]
fn gathers(rows: &[i32], names: &[u32], x: &[i32], y: &[i32], out: &mut [i32], by: u32) {
    let (mut sum, mut at) = (0i32, rows[0]);
    while at < rows[1] {
        let by = by + 1;
        let name = names[at as usize].wrapping_mul(by);
        sum = sum.wrapping_mul(3).wrapping_add(x[name]).wrapping_add(y[name]);
        at += 1;
    }
    out[0] = sum;
    let (mut far, last) = (rows[0] as i64 as usize, rows[1] as i64 as usize);
    while far < last {
        let name = names[far];
        out[1] = out[1].wrapping_mul(5).wrapping_add(x[name.wrapping_add(by)]);
        far += 1;
    }
}

/// The same over ranges: one index, two of them, and with a store between.
#[gpu_kernel]
fn gathers_of_ranges(rows: &[i32], names: &[u32], x: &[i32], y: &[i32], out: &mut [i32], by: u32) {
    let (mut sum, mut both) = (0i32, 1i32);
    for at in rows[0]..rows[1] {
        sum = sum.wrapping_mul(3).wrapping_add(x[names[at as usize].wrapping_mul(by + 1)]);
    }
    for at in rows[0] as u32..rows[1] as u32 {
        let name = names[at].wrapping_mul(by + 1);
        both = both.wrapping_mul(3).wrapping_add(x[name]).wrapping_add(y[name]);
        sum ^= both;
    }
    out[0] = sum;
    for far in rows[0] as i64 as usize..rows[1] as i64 as usize {
        out[1] = out[1].wrapping_mul(5).wrapping_add(x[names[far].wrapping_add(by)]);
    }
}

/// Two indices of two slices, both read, and one more after them.
#[gpu_kernel]
fn alike(names: &[u32], x: &[i32], y: &[i32], out: &mut [i32], k: u32) {
    let a = x[names[k].wrapping_add(1)];
    let b = y[names[k].wrapping_add(1)];
    let c = x[names[k + 1].wrapping_add(1)] - y[names[k + 1].wrapping_add(1)];
    out[0] = a.wrapping_sub(b).wrapping_add(c);
}

/// Each name but the first is written by the iteration before.
#[gpu_kernel]
fn rewrites(names: &mut [u32], x: &[i32], out: &mut [i32], end: u32) {
    let (mut sum, mut at) = (0, 0u32);
    while at < end {
        sum += x[names[at]];
        names[at + 1] += names[at];
        at += 1;
    }
    out[0] = sum;
}

#[derive(Clone, Debug)]
struct Gather {
    rows: [i32; 2],
    names: [u32; 40],
    lengths: [usize; 2],
    by: u32,
}

const PLAIN: Gather = Gather { rows: [1, 40], names: names(), lengths: [9, 9], by: 0 };

const fn names() -> [u32; 40] {
    let (mut names, mut at) = ([0; 40], 0);
    while at < names.len() {
        names[at] = at as u32 % 8;
        at += 1;
    }
    names
}

/// Places about the ends of the iterations that are done at a time.
const PLACES: [i32; 24] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 18, 20, 21, 24, 31, 32, 33, 38, 40, 41];

impl Gather {
    fn random(dice: &mut Dice) -> Self {
        let mut pick = |all: &[i32]| all[dice.below(all.len())];
        let mut names = PLAIN.names;
        for _ in 0..pick(&[0, 0, 1, 3]) {
            names[pick(&PLACES) as usize % 40] = pick(&[0, 1, 5, 7, 8, 8, 9, -1]) as u32;
        }
        let rows = [pick(&[0, 0, 1, 2, 5, 9, -1]), pick(&PLACES)];
        Gather {
            rows,
            names,
            lengths: [pick(&[9, 9, 9, 8, 0]) as usize, pick(&[9, 9, 8]) as usize],
            by: pick(&[0, 0, 1]) as u32,
        }
    }

    fn run(&self, executor: Executor) -> Result<Vec<i32>, String> {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let (rows, names) =
            (device.upload(&self.rows).expect("memory"), device.upload(&self.names).expect("memory"));
        let [x, y] = self.lengths.map(|n| (0..n as i32).map(|i| i * 7 - 5).collect::<Vec<_>>());
        let (x, y) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
        let mut out = device.upload(&[1i32; 2]).expect("memory");
        let done = [
            gathers(&rows, &names, &x, &y, &mut out, self.by).grid(1).block(1).launch(&device),
            gathers_of_ranges(&rows, &names, &x, &y, &mut out, self.by).grid(1).block(1).launch(&device),
            alike(&names, &x, &y, &mut out, self.by).grid(1).block(1).launch(&device),
        ];
        for fault in done {
            fault.map_err(super::first_line)?;
        }
        Ok(device.download(&out).expect("memory"))
    }
}

/// The text of a launch of [`alike`], whose second slice has a length.
fn text_of_alike(second: usize) -> String {
    let device = Device::simulator();
    let (names, x) = (device.upload(&[0u32; 4]).expect("memory"), device.upload(&[0i32; 9]).expect("memory"));
    let (y, mut out) =
        (device.upload(&vec![0i32; second]).expect("memory"), device.upload(&[0i32]).expect("memory"));
    alike(&names, &x, &y, &mut out, 0).grid(1).block(1).cuda_source().expect("a text")
}

#[test]
fn slices_that_are_indexed_alike_share_a_check() {
    for (second, shares) in [(9, true), (10, true), (8, false)] {
        let text = text_of_alike(second);
        assert_eq!(!text.contains("ws_int(y_len)"), shares, "{second}: {text}");
        assert!(text.contains("ws_int(x_len)"), "{text}");
    }
}

#[test]
fn indices_of_the_next_iterations_are_compared_at_once() {
    let device = Device::simulator();
    let up = |values: &[i32]| device.upload(values).expect("memory");
    let names = device.upload(&PLAIN.names).expect("memory");
    let (rows, x, y, mut out) = (up(&PLAIN.rows), up(&[0; 9]), up(&[0; 9]), up(&[0; 2]));
    let text = gathers(&rows, &names, &x, &y, &mut out, 0).grid(1).block(1).cuda_source().expect("a text");
    for line in [
        "ws_ahead<8>(at, ",
        "auto& sum) {",
        "check.any(name, ws_int(x_len), ",
        "}, sum);",
        "ws_ahead_after<8>(far, last, ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let ranges = gathers_of_ranges(&rows, &names, &x, &y, &mut out, 0).grid(1).block(1);
    let text = ranges.cuda_source().expect("a text");
    for line in [
        "ws_each_ahead<16, int>(rows[0], rows[1], ",
        "ws_each_ahead<8, unsigned int>(",
        "}, both, sum);",
        "ws_each_ahead_after<8, unsigned long long>(",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn loops_whose_indices_are_compared_before_do_what_their_twins_do() {
    needs_cxx();
    PLAIN.run(Executor::All).expect("no fault, and no difference");
    let (mut dice, mut faults) = (Dice(11), 0);
    for _ in 0..400 {
        let gather = Gather::random(&mut dice);
        let [twin, interpreter, printed] =
            [Executor::Twin, Executor::Interpreter, Executor::Printed].map(|executor| gather.run(executor));
        assert_eq!((&twin, &twin), (&interpreter, &printed), "{gather:?}");
        faults += usize::from(twin.is_err());
    }
    assert!((100..300).contains(&faults), "{faults} of 400");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn indices_that_the_loop_writes_are_compared_when_they_are_read() {
    needs_cxx();
    // In the third, an index is wrong that was right before the first of four iterations.
    for (len, end, is_inside) in [(5, 4, true), (5, 6, false), (3, 4, false)] {
        let results = [Executor::Twin, Executor::Interpreter, Executor::Printed].map(|executor| {
            let device = Device::simulator_with(Settings { executor, ..Settings::default() });
            let mut names = device.upload(&[1u32, 1, 1, 1, 1, 1, 1, 1]).expect("memory");
            let x = device.upload(&[3i32, 1, 4, 1, 5][..len]).expect("memory");
            let mut out = device.upload(&[0i32]).expect("memory");
            let done = rewrites(&mut names, &x, &mut out, end).grid(1).block(1).launch(&device);
            done.map_err(super::first_line)?;
            Ok::<_, String>(device.download(&out).expect("memory"))
        });
        assert_eq!((&results[0], &results[0]), (&results[1], &results[2]));
        assert_eq!(results[0].is_ok(), is_inside, "{results:?}");
    }
}
