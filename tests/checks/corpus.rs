//! Each barrier, fence, wait and memory ordering of the corpus, removed in turn: each removal is reported, or
//! stands here with the reason why nothing is to be reported.

use std::collections::BTreeMap;

use corpus::cases::{self, Scale};
use warpsmith::Device;
use warpsmith::checks::{BarrierLog, Barriers, Verdict};
use warpsmith::simulator::Settings;

/// Why a removal changes nothing.
const OWN_ELEMENT: &str = "each thread reads what it wrote itself; the seed's kernel has the barrier, for its likes that read others'";
const TOGETHER: &str = "lets all threads begin a round at once, so that a GPU shows weak outcomes at all";
const TWO_BRANCHES: &str = "keeps the compiler from making one branch of two, which a profiler is to count";
const ATOMICS: &str =
    "rules out weak outcomes of atomics, which the simulator never has; a GPU is asked for them";

/// What is not needed: the kernel, the places in its report, and why.
const UNNEEDED: [(&str, &[usize], &str); 15] = [
    ("coherence", &[0], TOGETHER),
    ("fenced_order", &[0, 1], ATOMICS),
    ("independent_reads", &[0], TOGETHER),
    ("independent_reads", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], ATOMICS),
    ("long_math_kernel3", &[0], TWO_BRANCHES),
    ("message_passing", &[0], TOGETHER),
    ("message_passing", &[1, 2], ATOMICS),
    ("message_passing_block", &[0], TOGETHER),
    ("message_passing_block", &[1, 2], ATOMICS),
    ("set_col_read_col", &[0], OWN_ELEMENT),
    ("set_col_read_col_rect", &[0], OWN_ELEMENT),
    ("set_row_read_row", &[0], OWN_ELEMENT),
    ("set_row_read_row_rect", &[0], OWN_ELEMENT),
    ("store_buffering", &[1, 2, 3, 4], ATOMICS),
    ("store_buffering_system", &[1, 2], ATOMICS),
];

#[test]
fn every_barrier_of_the_corpus_is_needed_or_it_is_known_why_not() {
    let log = BarrierLog::new();
    let device = Device::simulator_with_barrier_log(Settings::default(), &log);
    let wrong =
        |case: &cases::Case| Some(format!("{}: {}", case.name, (case.check)(&device, Scale::Small).err()?));
    let failures: Vec<String> = cases::all().iter().filter_map(wrong).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let reports = log.reports();
    figures(&reports);
    let known: BTreeMap<(&str, usize), &str> = UNNEEDED
        .iter()
        .flat_map(|(kernel, places, why)| places.iter().map(|place| ((*kernel, *place), *why)))
        .collect();
    let mut unneeded = BTreeMap::new();
    for report in &reports {
        for (place, barrier) in report.list.iter().enumerate().filter(|(_, b)| !b.verdict.is_needed()) {
            let kind = if barrier.verdict == Verdict::Unseen { ATOMICS } else { "" };
            unneeded.insert((report.kernel.as_str(), place), kind);
        }
    }
    let new: Vec<_> = unneeded.keys().filter(|key| !known.contains_key(*key)).collect();
    assert!(new.is_empty(), "not needed, and nobody says why: {new:?}\n{log}");
    let gone: Vec<_> = known.keys().filter(|key| !unneeded.contains_key(*key)).collect();
    assert!(gone.is_empty(), "said not to be needed, and they are: {gone:?}\n{log}");
    let mistaken = unneeded.iter().filter(|(key, kind)| (**kind == ATOMICS) != (known[key] == ATOMICS));
    assert_eq!(mistaken.count(), 0, "{log}");
}

fn figures(reports: &[Barriers]) {
    let count = |wanted: fn(&Verdict) -> bool| {
        reports.iter().flat_map(|report| &report.list).filter(|barrier| wanted(&barrier.verdict)).count()
    };
    println!("figure barriers_of_the_corpus {} barriers", count(|_| true));
    println!("figure barriers_race_without {} barriers", count(|v| matches!(v, Verdict::Race(_))));
    println!("figure barriers_fault_without {} barriers", count(|v| matches!(v, Verdict::Fault(_))));
    println!(
        "figure barriers_other_result_without {} barriers",
        count(|v| matches!(v, Verdict::OtherResult(_)))
    );
    println!("figure barriers_redundant {} barriers", count(|v| *v == Verdict::Redundant));
    println!("figure barriers_unseen {} barriers", count(|v| *v == Verdict::Unseen));
    println!("figure barriers_not_reached {} barriers", count(|v| *v == Verdict::NotReached));
}
