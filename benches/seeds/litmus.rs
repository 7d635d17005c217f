//! How often the outcomes are seen that only a weak memory order allows: of relaxed accesses, and of ordered ones,
//! where none may be.

use corpus::fences::{X, Y, fenced_order, weak_order};
use corpus::litmus::{
    coherence, independent_reads, message_passing, message_passing_block, store_buffering,
    store_buffering_system,
};
use warpsmith::Launch;
use warpsmith::prelude::*;

use super::measure::Bench;

/// Fresh memory for one launch: places that the threads of each group share, and counts of what groups have seen.
struct Places {
    x: Buffer<u32>,
    y: Buffer<u32>,
    read: Buffer<u32>,
    seen: Buffer<u32>,
}

/// Blocks, threads of a block and rounds of a launch.
fn shape(bench: &Bench) -> (u32, u32, u32) {
    bench.scale.pick((4, 64, 3), (128, 256, 512))
}

/// Counts the outcomes of kernels, each with the threads of a group, its outcomes, which of them are weak, and
/// whether those may be seen.
macro_rules! litmus {
    ($bench:expr, |$n:ident| $($name:literal, [$threads:literal, $outcomes:literal], $weak:expr, $may:literal,
        |$p:ident| $call:expr;)+) => {{
        let bench = $bench;
        let (grid, block, $n) = shape(bench);
        $(
            let (seen, of) = count(bench, [$threads, $outcomes], |$p| {
                $call.grid(grid).block(block).cooperative().launch(&bench.device)
            })?;
            print($name, seen, of, &$weak, $may);
        )+
        Ok(())
    }};
}

pub fn run(bench: &Bench) -> warpsmith::Result<()> {
    threads_of_blocks(bench)?;
    weak_orders(bench, "weak_order", true, |out| weak_order(out))?;
    weak_orders(bench, "fenced_order", false, |out| fenced_order(out))
}

/// The litmus tests of the corpus, each with the number of a weak outcome as its kernel counts them.
fn threads_of_blocks(bench: &Bench) -> warpsmith::Result<()> {
    litmus!(bench, |n|
        "message_passing_relaxed", [2, 4], [2], true,
            |p| message_passing(&mut p.x, &mut p.y, &mut p.seen, n, false);
        "message_passing_ordered", [2, 4], [2], false,
            |p| message_passing(&mut p.x, &mut p.y, &mut p.seen, n, true);
        "message_passing_block", [2, 4], [2], false,
            |p| message_passing_block(&mut p.x, &mut p.y, &mut p.seen, n);
        "store_buffering_relaxed", [2, 4], [0], true,
            |p| store_buffering(&mut p.x, &mut p.y, &mut p.read, &mut p.seen, n, false);
        "store_buffering_ordered", [2, 4], [0], false,
            |p| store_buffering(&mut p.x, &mut p.y, &mut p.read, &mut p.seen, n, true);
        "store_buffering_system_fence", [2, 4], [0], false,
            |p| store_buffering_system(&mut p.x, &mut p.y, &mut p.read, &mut p.seen, n);
        "independent_reads_acquire", [4, 16], [10], true,
            |p| independent_reads(&mut p.x, &mut p.y, &mut p.read, &mut p.seen, n, false);
        "independent_reads_ordered", [4, 16], [10], false,
            |p| independent_reads(&mut p.x, &mut p.y, &mut p.read, &mut p.seen, n, true);
        "coherence", [2, 9], [3, 6, 7], false, |p| coherence(&mut p.x, &mut p.seen, n);
    )
}

/// The outcomes that the groups of some launches have seen, and the number of groups.
fn count(
    bench: &Bench,
    [threads, outcomes]: [u32; 2],
    launch: impl Fn(&mut Places) -> warpsmith::Result<()>,
) -> warpsmith::Result<(Vec<u64>, u64)> {
    let (grid, block, rounds) = shape(bench);
    let groups = (grid * block / threads * rounds) as usize;
    let runs = bench.scale.pick(1, 10);
    let mut seen = vec![0; outcomes as usize];
    for _ in 0..runs {
        let place = |len| bench.device.alloc_zeroed::<u32>(len);
        let [x, y, read] = [place(groups)?, place(groups)?, place(groups)?];
        let mut places = Places { x, y, read, seen: place(outcomes as usize)? };
        launch(&mut places)?;
        let counts = bench.device.download(&places.seen)?;
        seen.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u64::from(count));
    }
    Ok((seen, (runs * groups) as u64))
}

/// Prints how often weak outcomes were seen.
///
/// # Panics
/// If they may not be.
fn print(name: &str, seen: Vec<u64>, of: u64, weak: &[usize], may: bool) {
    assert_eq!(seen.iter().sum::<u64>(), of, "{name}: {seen:?}");
    let weak: u64 = weak.iter().map(|outcome| seen[*outcome]).sum();
    println!("figure litmus_{name}_weak {weak} of {of}");
    assert!(may || weak == 0, "{name}: {seen:?}");
}

/// The seed's example, launched again and again: how often the new `Y` was seen with the old `X`.
fn weak_orders<K: Kernel>(
    bench: &Bench,
    name: &str,
    may: bool,
    kernel: impl for<'a> Fn(&'a mut Buffer<i32>) -> Launch<'a, K>,
) -> warpsmith::Result<()> {
    let launches = bench.scale.pick(5, 5_000);
    let mut seen = vec![0; 4];
    for _ in 0..launches {
        X.write(&bench.device, 1)?;
        Y.write(&bench.device, 2)?;
        let mut out = bench.device.upload(&[0; 2])?;
        kernel(&mut out).grid(2).block(32).launch(&bench.device)?;
        match bench.device.download(&out)?[..] {
            [x @ (1 | 10), y @ (2 | 20)] => seen[usize::from(y == 20) * 2 + usize::from(x == 10)] += 1,
            ref other => panic!("{name}: read {other:?}"),
        }
    }
    print(name, seen, launches, &[2], may);
    Ok(())
}
