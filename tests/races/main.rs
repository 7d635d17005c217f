//! A suite of racy and race-free kernels: what the simulator's race detector misses, and what it invents.
//!
//! Each kernel takes `how`: one number is the right kernel, the others are mistakes. Of a mistake, the
//! two lines that race are marked `// race`, with the numbers of the mistakes if they differ; of one that ends with
//! another fault, the table has words of the report. Every case runs in several orders of blocks and warps, and the
//! answer must be the same in all.

// Kernels are written as their mistakes need it.
#![allow(clippy::needless_range_loop, clippy::manual_is_multiple_of)]

mod atomics;
mod attention;
mod barriers;
mod blocks;
mod buffers;
mod changes;
mod clusters;
mod copies;
mod engine;
mod flags;
mod gemm;
mod locks;
mod nested;
mod places;
mod reductions;
mod returned;
mod scopes;
mod sequences;
mod suite;
mod warps;
mod widths;

use suite::Case;
use warpsmith::checks::{BarrierLog, Verdict};

fn all() -> Vec<Case> {
    [
        atomics::cases(),
        barriers::cases(),
        blocks::cases(),
        buffers::cases(),
        clusters::cases(),
        copies::cases(),
        engine::cases(),
        flags::cases(),
        locks::cases(),
        nested::cases(),
        places::cases(),
        places::others(),
        reductions::cases(),
        returned::cases(),
        scopes::cases(),
        sequences::cases(),
        warps::cases(),
        widths::cases(),
    ]
    .concat()
}

#[test]
fn no_race_is_missed_and_none_is_invented() {
    let verdicts: Vec<suite::Verdict> = all().iter().flat_map(Case::verdicts).collect();
    let racy = verdicts.iter().filter(|v| v.is_mistake()).count();
    let count = |f: fn(&suite::Verdict) -> bool| verdicts.iter().filter(|v| f(v)).count();
    println!("figure races_racy_cases {racy} cases");
    println!("figure races_clean_cases {} cases", verdicts.len() - racy);
    println!("figure races_missed {} cases", count(suite::Verdict::is_missed));
    println!("figure races_false_alarms {} cases", count(suite::Verdict::is_false_alarm));
    println!("figure races_wrong_lines {} cases", count(suite::Verdict::is_elsewhere));
    let wrong: Vec<String> = verdicts.iter().filter_map(suite::Verdict::complaint).collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), verdicts.len(), wrong.join("\n"));
    assert!(racy >= 500 && verdicts.len() - racy >= 280, "{racy} of {} cases are racy", verdicts.len());
}

/// The effect of removing each barrier of the correct kernels, which is most of the mistakes.
#[test]
fn the_barriers_of_the_race_free_kernels_are_needed() {
    let log = BarrierLog::new();
    let judged: Vec<String> =
        all().iter().filter_map(|case| Some(format!("{}: {}", case.name, case.judge(&log).err()?))).collect();
    assert!(judged.is_empty(), "{}", judged.join("\n"));
    let reports = log.reports();
    let count = |wanted: fn(&Verdict) -> bool| {
        reports.iter().flat_map(|report| &report.list).filter(|barrier| wanted(&barrier.verdict)).count()
    };
    let (needed, redundant) = (count(Verdict::is_needed), count(|v| *v == Verdict::Redundant));
    println!("figure races_barriers_needed {needed} barriers");
    println!("figure races_barriers_redundant {redundant} barriers");
    println!("figure races_barriers_unseen {} barriers", count(|v| *v == Verdict::Unseen));
    println!("{log}");
    assert!(needed > 9 * redundant, "{needed} are needed, {redundant} are not\n{log}");
}
