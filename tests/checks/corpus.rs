//! Each barrier, fence, wait and memory ordering of the corpus, removed in turn: each removal is reported, or
//! stands here with the reason why nothing is to be reported.

use std::collections::BTreeMap;

use corpus::cases;
use warpsmith::Device;
use warpsmith::checks::{BarrierLog, Barriers, Verdict};
use warpsmith::simulator::Settings;

/// Why a removal changes nothing.
const OWN_ELEMENT: &str =
    "each thread reads what it wrote itself; the original has the barrier, for its likes that read others'";
const NO_STEP: &str = "the step before it is for larger blocks, and there is a barrier behind it";
const FIRST_OF_A_LOOP: &str = "the first round needs its own elements alone, and ends with a barrier";
const LAST_USE: &str = "lets the array be used again, which it is not";
const BY_ARGUMENT: &str = "depends on an argument that this kernel's call does not set";
const TOGETHER: &str =
    "lets all threads begin a round at once; otherwise a GPU would hardly show weak outcomes";
const TWO_BRANCHES: &str = "keeps the compiler from making one branch of two, which a profiler is to count";
const ATOMICS: &str =
    "rules out weak outcomes of atomics, which the simulator never has; a GPU is asked for them";
const COUNTED: &str = "the phase needs the arrival, and what the copy engine writes is ordered by its bytes";

/// The barriers that are not needed: the kernel, the places in its report, and the reason.
const UNNEEDED: [(&str, &[usize], &str); 28] = [
    ("coherence", &[0], TOGETHER),
    ("conjugate_gradient", &[0, 1, 3, 5], OWN_ELEMENT),
    ("dwt53", &[1], OWN_ELEMENT),
    ("fenced_order", &[0, 1], ATOMICS),
    ("fft64", &[1], OWN_ELEMENT),
    ("fused_classifier", &[1], LAST_USE),
    ("gemm_sm90", &[3], COUNTED),
    ("global_norm_squared", &[1], BY_ARGUMENT),
    ("independent_reads", &[0], TOGETHER),
    ("independent_reads", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], ATOMICS),
    ("lava_md", &[0], OWN_ELEMENT),
    ("long_math_kernel3", &[0], TWO_BRANCHES),
    ("message_passing", &[0], TOGETHER),
    ("message_passing", &[1, 2], ATOMICS),
    ("message_passing_block", &[0], TOGETHER),
    ("message_passing_block", &[1, 2], ATOMICS),
    ("monte_carlo", &[1], OWN_ELEMENT),
    ("needle", &[0], FIRST_OF_A_LOOP),
    ("reduce6", &[0, 1, 2], NO_STEP),
    ("rms_norm_bulk", &[4], COUNTED),
    ("set_col_read_col", &[0], OWN_ELEMENT),
    ("set_col_read_col_rect", &[0], OWN_ELEMENT),
    ("set_row_read_row", &[0], OWN_ELEMENT),
    ("set_row_read_row_rect", &[0], OWN_ELEMENT),
    ("store_buffering", &[1, 2, 3, 4], ATOMICS),
    ("store_buffering_system", &[1, 2], ATOMICS),
    ("tensor_core_product", &[3], COUNTED),
    ("transpose_tma", &[2], COUNTED),
];

/// Cases that are left out, because a run without each of their barriers takes minutes: a product with the same barriers as
/// another one, and attention, each barrier of which `races` removes from a smaller one.
const LEFT_OUT: [&str; 5] =
    ["attention@64", "attention@64_causal", "attention@128", "attention@128_causal", "gemm_sm90@nn"];

#[test]
fn every_barrier_of_the_corpus_is_needed_or_it_is_known_why_not() {
    let log = BarrierLog::new();
    let mut cases = cases::all();
    cases.retain(|case| !LEFT_OUT.contains(&case.name));
    cases::check(&cases, || Device::simulator_with_barrier_log(Settings::default(), &log));
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
