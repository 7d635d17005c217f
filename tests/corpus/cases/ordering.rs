//! The weak-ordering example and the litmus tests: what must not be seen never is; what else is seen is
//! printed with its count.

use warpsmith::prelude::{Buffer, Kernel};
use warpsmith::{Device, Launch};

use super::{Case, Scale, module, print, text};
use crate::fences::{X, Y, fenced_order, weak_order};
use crate::litmus::{
    coherence, independent_reads, message_passing, message_passing_block, store_buffering,
    store_buffering_system,
};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case {
            name: "weak_order",
            print: print::<weak_order>,
            module: module::<weak_order>,
            check: |d, s| check_order(d, s, |out| weak_order(out), true),
        },
        Case {
            name: "fenced_order",
            print: print::<fenced_order>,
            module: module::<fenced_order>,
            check: |d, s| check_order(d, s, |out| fenced_order(out), false),
        },
    ];
    cases.extend(litmus());
    cases
}

/// A litmus test: `|memory, seen, rounds|`, four arrays of places and the counts.
macro_rules! case {
    ($name:literal, $kernel:ident $comptime:tt, [$threads:literal, $outcomes:literal], $forbidden:expr,
        |[$($place:ident),+], $seen:ident, $rounds:ident| $launch:expr) => {
        Case {
            name: $name,
            print: |options| $kernel::print(&$comptime, options),
            module: || $kernel::module(&$comptime),
            check: |device, scale| {
                check(device, scale, $name, [$threads, $outcomes], &$forbidden, |places, $seen, $rounds, grid| {
                    let [$($place),+, ..] = places;
                    $launch.grid(grid).block(block(scale)).cooperative().launch(device)
                })
            },
        }
    };
}

fn litmus() -> [Case; 9] {
    [
        case!("message_passing@relaxed", message_passing(false,), [2, 4], [], |[x, y], seen, n| {
            message_passing(x, y, seen, n, false)
        }),
        case!("message_passing@ordered", message_passing(true,), [2, 4], [2], |[x, y], seen, n| {
            message_passing(x, y, seen, n, true)
        }),
        case!("message_passing_block", message_passing_block(), [2, 4], [2], |[x, y], seen, n| {
            message_passing_block(x, y, seen, n)
        }),
        case!("store_buffering@relaxed", store_buffering(false,), [2, 4], [], |[x, y, r], seen, n| {
            store_buffering(x, y, r, seen, n, false)
        }),
        case!("store_buffering@ordered", store_buffering(true,), [2, 4], [0], |[x, y, r], seen, n| {
            store_buffering(x, y, r, seen, n, true)
        }),
        case!("store_buffering_system", store_buffering_system(), [2, 4], [0], |[x, y, r], seen, n| {
            store_buffering_system(x, y, r, seen, n)
        }),
        case!("independent_reads@acquire", independent_reads(false,), [4, 16], [], |[x, y, r], seen, n| {
            independent_reads(x, y, r, seen, n, false)
        }),
        case!("independent_reads@ordered", independent_reads(true,), [4, 16], [10], |[x, y, r], seen, n| {
            independent_reads(x, y, r, seen, n, true)
        }),
        case!("coherence", coherence(), [2, 9], [3, 6, 7], |[x], seen, n| coherence(x, seen, n)),
    ]
}

fn block(scale: Scale) -> u32 {
    scale.pick(64, 256)
}

/// Counts the outcomes of groups of `threads` threads; `forbidden` are those that no group may see.
fn check(
    device: &Device,
    scale: Scale,
    name: &str,
    [threads, outcomes]: [usize; 2],
    forbidden: &[usize],
    launch: impl Fn([&mut Buffer<u32>; 3], &mut Buffer<u32>, u32, u32) -> warpsmith::Result<()>,
) -> Result<(), String> {
    let (grid, rounds) = scale.pick((4, 3), (128, 512));
    let groups = (grid * block(scale)) as usize / threads * rounds as usize;
    let place = || device.alloc_zeroed::<u32>(groups).map_err(text);
    let (mut x, mut y, mut r) = (place()?, place()?, place()?);
    let mut seen = device.alloc_zeroed::<u32>(outcomes).map_err(text)?;
    launch([&mut x, &mut y, &mut r], &mut seen, rounds, grid).map_err(text)?;
    let seen = device.download(&seen).map_err(text)?;
    println!("{name}: {seen:?} of {groups}");
    if seen.iter().sum::<u32>() as usize != groups {
        return Err(format!("{seen:?} does not add up to {groups}"));
    }
    match forbidden.iter().find(|outcome| seen[**outcome] > 0) {
        None => Ok(()),
        Some(outcome) => Err(format!("outcome {outcome} was seen {} times", seen[*outcome])),
    }
}

/// Launches the weak-ordering example again and again; the new `Y` with the old `X` may be seen or not.
fn check_order<K: Kernel>(
    device: &Device,
    scale: Scale,
    kernel: impl for<'a> Fn(&'a mut Buffer<i32>) -> Launch<'a, K>,
    weak: bool,
) -> Result<(), String> {
    let mut counts = [0; 4];
    for _ in 0..scale.pick(20, 20_000) {
        X.write(device, 1).map_err(text)?;
        Y.write(device, 2).map_err(text)?;
        let mut out = device.upload(&[0; 2]).map_err(text)?;
        kernel(&mut out).grid(2).block(32).launch(device).map_err(text)?;
        match device.download(&out).map_err(text)?[..] {
            [a @ (1 | 10), b @ (2 | 20)] => counts[usize::from(b == 20) * 2 + usize::from(a == 10)] += 1,
            ref other => return Err(format!("read {other:?}")),
        }
    }
    println!("{}: {counts:?}, the third is the new Y with the old X", K::NAME);
    if counts[2] > 0 && !weak {
        return Err(format!("the new Y was seen with the old X {} times", counts[2]));
    }
    Ok(())
}
