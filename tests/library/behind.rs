//! What counts, behind what leaves items out or runs closures: each of these behind each of those.

use harness::agree;
use warpsmith::prelude::*;

#[gpu_fn]
fn folded(sum: u64, v: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(v)
}

#[gpu_fn]
fn numbered(sum: u64, (i, v): (usize, u64)) -> u64 {
    sum.wrapping_mul(31).wrapping_add(v * 8 + i as u64)
}

/// A kernel that puts each adapter and each end that counts behind an iterator of `x` with its adapters.
macro_rules! behind {
    ($($name:ident, $x:ident: [$($first:tt)*];)+) => {$(
        #[gpu_kernel]
        fn $name($x: &[u64], out: &mut [u64]) {
            out[0] = $x.iter() $($first)* .skip(2).take(3).fold(7, folded);
            out[1] = $x.iter() $($first)* .take(5).skip(1).fold(7, folded);
            out[2] = $x.iter() $($first)* .skip(2).enumerate().fold(7, numbered);
            out[3] = $x.iter() $($first)* .enumerate().skip(2).take(4).fold(7, numbered);
            out[4] = $x.iter() $($first)* .skip(1).skip(2).enumerate().take(3).fold(7, numbered);
            out[5] = $x.iter() $($first)* .skip(2).filter(|v| *v % 2 == 0).enumerate().fold(7, numbered);
            out[6] = $x.iter() $($first)* .skip(1).map(|v| v + 1).skip(1).enumerate().fold(7, numbered);
            out[7] = $x.iter() $($first)* .skip(2).position(|v| v > 9).map_or(99, |i| i as u64);
            out[8] = $x.iter() $($first)* .skip(2).nth(1).unwrap_or(99);
            out[9] = $x.iter() $($first)* .skip(2).last().unwrap_or(99);
            out[10] = $x.iter() $($first)* .skip(2).count() as u64;
            out[11] = $x.iter() $($first)* .skip(1).take_while(|v| *v < 12).enumerate().fold(7, numbered);
            out[12] = $x.iter() $($first)* .skip(2).chain($x.iter().copied()).enumerate().fold(7, numbered);
            out[13] = $x.iter().copied().chain($x.iter() $($first)* .skip(2)).skip(9).take(12).fold(7, folded);
            out[14] = $x.iter() $($first)* .take(6).position(|v| v > 6).map_or(99, |i| i as u64);
            let mut all = 7;
            for (i, v) in $x.iter() $($first)* .skip(3).take(4).enumerate() {
                all = numbered(all, (i, v));
            }
            out[15] = all;
        }
    )+};
}

behind! {
    copied, x: [.copied()];
    mapped, x: [.map(|v| v * 3)];
    inspected, x: [.copied().inspect(|v| assert!(*v < 16))];
    scanned, x: [.scan(0, |s, v| { *s += v; Some(*s) })];
    scanned_to_the_end, x: [.scan(0, |s, v| { *s += v; if *s < 40 { Some(*s) } else { None } })];
    taken, x: [.copied().take_while(|v| *v < 11)];
    mapped_while, x: [.map_while(|v| if *v < 12 { Some(v + 1) } else { None })];
    skipped, x: [.copied().skip_while(|v| *v < 3)];
    filtered, x: [.copied().filter(|v| v % 3 != 1)];
    chosen, x: [.filter_map(|v| if v % 3 == 1 { None } else { Some(v * 2) })];
    mapped_and_skipped, x: [.map(|v| v + 1).skip(3)];
    skipped_and_mapped, x: [.skip(1).map(|v| v + 1)];
    enumerated, x: [.enumerate().map(|(i, v)| v * 2 + i as u64)];
    chained, x: [.map(|v| v + 1).skip(12).chain(x.iter().copied())];
    of_windows, x: [.zip(&x[1..]).map(|(a, b)| b * b - a)];
}

agree! {
    copied mapped inspected scanned scanned_to_the_end taken mapped_while skipped filtered chosen mapped_and_skipped skipped_and_mapped
    enumerated chained of_windows
}
