//! Searches on the simulator, and stored results of searches on a GPU.

use std::cell::{Cell, RefCell};

use super::*;
use crate::Error;
use crate::prelude::*;

#[gpu_kernel]
fn copy(x: &[u32], y: &mut [u32], #[comptime] tile: u32) {
    let mut part = shared!([u32; 64]);
    let i = global_id();
    if tile > 64 {
        return;
    }
    let at = thread_idx().x % tile;
    if thread_idx().x == at {
        part[at] = 0;
    }
    sync_threads();
    if i < x.len() && i < y.len() {
        y[i] = x[i] + part[0];
    }
}

fn candidates<const N: usize>(values: [u32; N]) -> (Space, Axis<u32>, Vec<Candidate>) {
    let mut space = Space::default();
    let axis = space.axis("a".into(), values);
    let candidates = space.candidates().expect("no axis is empty");
    (space, axis, candidates)
}

fn timed(micros: u64) -> Tried {
    Tried::Timed { median: Duration::from_micros(micros), rounds: 7, stopped: false }
}

fn rows<const N: usize>(tried: [Tried; N]) -> Vec<Row> {
    let (_, _, candidates) = candidates(std::array::from_fn::<u32, N, _>(|i| i as u32));
    candidates.into_iter().zip(tried).map(|(candidate, tried)| Row { candidate, tried }).collect()
}

fn skipped(reason: &str) -> Tried {
    Tried::Skipped { reason: reason.into() }
}

#[test]
fn candidates_are_all_combinations_and_the_last_axis_changes_first() {
    let mut space = Space::default();
    let block = space.axis("block".into(), [[32u32, 8], [64, 4]]);
    let deep = space.axis("deep".into(), [true, false]);
    let candidates = space.candidates().expect("no axis is empty");
    let texts: Vec<_> = candidates.iter().map(Candidate::to_string).collect();
    assert_eq!(
        texts,
        [
            "block [32, 8], deep true",
            "block [32, 8], deep false",
            "block [64, 4], deep true",
            "block [64, 4], deep false"
        ]
    );
    assert_eq!((candidates[2].get(block), candidates[2].get(deep)), (Ok([64, 4]), Ok(true)));
}

#[test]
fn an_axis_without_values_and_one_of_another_search_are_refused() {
    let mut space = Space::default();
    space.axis::<u32>("none".into(), []);
    assert!(matches!(space.candidates(), Err(TunerError::Empty { axis }) if axis == "none"));
    let (_, _, here) = candidates([1]);
    let (_, there, _) = candidates([1]);
    assert!(matches!(here[0].get(there), Err(Error::Tuner(TunerError::Axis { .. }))));
}

#[test]
fn candidates_that_do_not_fit_are_skipped_with_the_reason() {
    let device = Device::simulator();
    let x = device.upload(&(0..500).collect::<Vec<u32>>()).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(500).expect("memory");
    let mut tuner = Tuner::new("copy");
    let block = tuner.axis("block", [2048u32, 32, 64]);
    let shared = tuner.axis("shared", [0usize, 300_000]);
    let tuner = tuner.only("not 64", move |candidate| Ok(candidate.get(block)? != 64));
    let outcome = tuner
        .tune(&device, |candidate, trial| {
            assert!(trial.runs(), "the simulator keeps nothing, so nothing is only looked at");
            let launch = copy(&x, &mut y, 16).over(500).block(candidate.get(block)?);
            trial.launch(launch.dynamic_shared(candidate.get(shared)?))
        })
        .expect("one fits");
    let reasons: Vec<_> = outcome
        .rows()
        .iter()
        .map(|row| match &row.tried {
            Tried::Skipped { reason } => reason.as_str(),
            Tried::Ran => "ran",
            Tried::Timed { .. } => "timed",
        })
        .collect();
    assert!(reasons[0].contains("1024") && reasons[1].contains("1024"), "{reasons:?}");
    assert_eq!(reasons[2], "ran");
    assert!(reasons[3].contains("shared memory"), "{reasons:?}");
    assert_eq!(reasons[4..], ["not 64", "not 64"]);
    assert_eq!((outcome.best().get(block), outcome.best_time()), (Ok(32), None));
    let table = outcome.to_string();
    assert!(table.contains("\n* block 32, shared 0") && table.contains("does not time"), "{table}");
    assert_eq!(device.download(&y).expect("memory")[499], 499);
}

#[test]
fn a_search_in_which_nothing_fits_says_why() {
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    let x = device.alloc_zeroed::<u32>(8).expect("memory");
    let mut tuner = Tuner::new("copy");
    let block = tuner.axis("block", [4096u32, 2048]);
    let refused = tuner
        .tune(&device, |candidate, trial| {
            trial.launch(copy(&x, &mut y, 1).over(8).block(candidate.get(block)?))
        })
        .expect_err("blocks of 2,048");
    assert!(matches!(refused, Error::Tuner(TunerError::NoneFits { count: 2, .. })), "{refused}");
    assert!(refused.to_string().contains("block 4096: kernel `copy`"), "{refused}");
}

#[test]
fn a_closure_that_does_not_launch_once_is_refused() {
    let device = Device::simulator();
    let mut tuner = Tuner::new("none");
    tuner.axis("a", [1]);
    let refused = tuner.tune(&device, |_, _| Ok(())).expect_err("no launch");
    assert!(matches!(refused, Error::Tuner(TunerError::Launches { launches: 0, .. })), "{refused}");
    let x = device.alloc_zeroed::<u32>(8).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    let twice = tuner.tune(&device, |_, trial| {
        trial.launch(copy(&x, &mut y, 1).over(8))?;
        trial.launch(copy(&x, &mut y, 1).over(8))
    });
    assert!(matches!(twice, Err(Error::Tuner(TunerError::Launches { launches: 2, .. }))));
}

#[test]
fn a_fault_of_the_kernel_ends_the_search() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u32>(8).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    let mut tuner = Tuner::new("copy");
    let tile = tuner.axis("tile", [1u32, 0]);
    let fault = tuner.tune(&device, |candidate, trial| {
        trial.launch(copy(&x, &mut y, candidate.get(tile)?).over(8).block(32))
    });
    assert!(matches!(fault, Err(Error::Simulator(_))), "a division by zero is no reason to skip");
}

#[test]
fn progress_is_told_after_each_candidate() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u32>(8).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    let told = std::rc::Rc::new(RefCell::new(Vec::new()));
    let mut tuner = Tuner::new("copy");
    let block = tuner.axis("block", [32u32, 64, 4096]);
    let tell = told.clone();
    let tuner = tuner.on_progress(move |progress| tell.borrow_mut().push(progress.to_string()));
    let run = |candidate: &Candidate, trial: &mut Trial<'_>| {
        trial.launch(copy(&x, &mut y, 1).over(8).block(candidate.get(block)?))
    };
    tuner.tune(&device, run).expect("two fit");
    assert_eq!(*told.borrow(), ["1 of 3", "2 of 3", "3 of 3"]);
}

#[test]
fn a_hopeless_candidate_is_stopped_after_its_first_round() {
    let calls = Cell::new(0);
    let round = |times: &'static [u64]| {
        calls.set(0);
        let calls = &calls;
        move || {
            calls.set(calls.get() + 1);
            Ok(Duration::from_micros(times[calls.get() - 1]))
        }
    };
    let best = Some(Duration::from_micros(10));
    let stopped = Tried::Timed { median: Duration::from_micros(21), rounds: 1, stopped: true };
    assert_eq!(measure(5, best, round(&[21, 9, 9, 9, 9])), Ok(stopped));
    assert_eq!(calls.get(), 1);
    let whole = Tried::Timed { median: Duration::from_micros(9), rounds: 5, stopped: false };
    assert_eq!(measure(5, best, round(&[20, 9, 8, 9, 50])), Ok(whole.clone()));
    assert_eq!(measure(5, None, round(&[21, 9, 8, 9, 50])), Ok(whole));
}

#[test]
fn a_round_of_a_short_kernel_has_many_launches() {
    let micros = Duration::from_micros;
    let counts = [0, 1, 10, 400, 600, 1_000_000].map(|time| trial::launches(micros(time)));
    assert_eq!(counts, [200, 200, 50, 1, 1, 1]);
}

#[test]
fn the_table_marks_the_best_and_gives_bandwidths() {
    let stopped = Tried::Timed { median: Duration::from_micros(900), rounds: 1, stopped: true };
    let rows = rows([timed(200), timed(100), stopped, skipped("too\nlarge")]);
    let outcome = Outcome::new("t", "a GPU", Some(1_000_000), rows, true).expect("some fit");
    assert_eq!(outcome.best_time(), Some(Duration::from_micros(100)));
    let table = "`t` on a GPU: 4 candidates, kept from an earlier search
  a 0      0.2000 ms      5.0 GB/s
* a 1      0.1000 ms     10.0 GB/s
  a 2      0.9000 ms      1.1 GB/s  stopped early
  a 3  skipped: too";
    assert_eq!(outcome.to_string(), table);
}

#[test]
fn what_was_kept_is_read_for_the_same_candidates_alone() {
    let kept = rows([timed(200), skipped("a\tb\nc"), timed(100)]);
    let text = keep::encode(&kept);
    let (_, _, same) = candidates([0, 1, 2]);
    let read = keep::decode(&text, &same).expect("the same candidates");
    assert_eq!(read[0].tried, kept[0].tried);
    assert_eq!(read[1].tried, skipped("a b c"));
    assert_eq!(read[2].tried, kept[2].tried);
    for other in [candidates([0, 1]).2, candidates([0, 1, 3]).2, candidates([0, 1, 2, 3]).2] {
        assert!(keep::decode(&text, &other).is_none(), "{other:?}");
    }
    for length in 0..text.len() - 1 {
        assert!(keep::decode(&text[..length], &same).is_none(), "{length} bytes");
    }
    let nothing = keep::encode(&rows([skipped("x"), skipped("y")]));
    assert!(keep::decode(&nothing, &candidates([0, 1]).2).is_none(), "there is no best");
}

#[test]
fn every_part_of_a_key_tells_and_sizes_share_a_bucket() {
    let base = keep::key(&["gpu", "size", "source", "axes"]);
    let parts = [["gpv", "size", "source", "axes"], ["gpu", "sizf", "source", "axes"]];
    assert!(parts.iter().all(|parts| keep::key(&parts[..]) != base));
    assert_ne!(keep::key(&["a", "bc"]), keep::key(&["ab", "c"]));
    let bucket = |size| keep::bucket("items", size);
    assert_eq!(bucket(1 << 20), "items up to 2^20");
    assert_eq!(bucket((1 << 19) + 1), bucket(1 << 20));
    assert_ne!(bucket(1 << 19), bucket(1 << 20));
    assert_eq!(bucket(0), "items up to 2^0");
}

#[test]
fn the_sources_of_all_candidates_are_looked_at_once_each() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<u32>(8).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    let mut looked = |tiles: &[u32]| {
        let mut look = Look::default();
        for tile in tiles {
            let mut trial = Trial::look(&device, &mut look);
            assert!(!trial.runs());
            trial.launch(copy(&x, &mut y, *tile).over(8)).expect("prints");
        }
        assert_eq!(look.bytes, 64);
        look.sources()
    };
    assert_eq!(looked(&[1, 2]), looked(&[1, 2, 1, 2]));
    assert_ne!(looked(&[1, 2]), looked(&[1, 3]));
    assert_ne!(looked(&[1]), looked(&[1, 2]));
}
