//! Changes of a kernel, one at a time: each is reported, or is known to change nothing.

/// The number of a change, and its meaning.
pub type Change = (u32, &'static str);

/// Launches a kernel with a change, in an order of threads and copies, and returns its results.
type Run = fn(u32, u64) -> warpsmith::Result<Vec<f32>>;

/// Orders of threads and copies.
const SEEDS: [u64; 2] = [0, 3];

/// What is wrong with the reports of a change, or the lack of one; `known` are those that change nothing, and those that harm in
/// some orders alone.
fn complaint((m, what): Change, known: [&[Change]; 2], right: &[f32], run: Run) -> Option<String> {
    let [redundant, by_order] = known.map(|changes| changes.iter().any(|(of, _)| *of == m));
    let outcomes = SEEDS.map(|seed| run(m, seed));
    let reported = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    let wrong = match outcomes {
        _ if by_order => (reported == 0).then(|| "not reported".to_owned()),
        _ if !redundant => (reported < SEEDS.len()).then(|| format!("reported in {reported} orders")),
        outcomes => outcomes.into_iter().find_map(|outcome| match outcome {
            Ok(same) => (same != right).then(|| "other results".to_owned()),
            Err(report) => Some(report.to_string()),
        }),
    };
    Some(format!("{m} ({what}): {}", wrong?))
}

/// Asserts that each change is reported, in two orders or in one, and that those which are redundant give the right results.
pub fn every_change_is_reported(
    kernel: &str,
    changes: &'static [Change],
    known: [&'static [Change]; 2],
    right: &[f32],
    run: Run,
) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let parts = changes.chunks(changes.len().div_ceil(cores));
        let complaints = move |part: &'static [Change]| {
            part.iter().filter_map(|change| complaint(*change, known, right, run)).collect::<Vec<_>>()
        };
        let running: Vec<_> = parts.map(|part| scope.spawn(move || complaints(part))).collect();
        running.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    });
    println!("figure {kernel}_changes_reported {} changes", changes.len() - known[0].len());
    println!("figure {kernel}_changes_redundant {} changes", known[0].len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
