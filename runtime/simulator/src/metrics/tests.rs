//! Events by hand against figures by hand.

use std::sync::atomic::Ordering;

use super::{Counts, Metrics, PatternKind, Report};
use crate::simulator::{
    Access, AccessKind, Branch, Expected, Instruction, Line, Meeting, MemoryScope, Observer, Operation,
    SimLaunch, Space, Thread,
};

const ATOMIC: AccessKind =
    AccessKind::Atomic { reads: true, writes: true, order: Ordering::Relaxed, scope: MemoryScope::Device };
const SHARED: Space = Space::Shared { rank: 0 };

fn thread(linear: u32) -> Thread {
    Thread { block_idx: [0; 3], block: 0, rank: 0, thread_idx: [linear, 0, 0], linear }
}

fn at(line: u32, site: u32, instance: u64) -> Instruction {
    Instruction { at: Line { file: "src/kernel.rs", line, column: 5 }, site, instance }
}

/// Accesses of `bytes` bytes of all lanes for which there is an address.
fn accesses(
    space: Space,
    kind: AccessKind,
    bytes: u32,
    threads: u32,
    address: impl Fn(u32) -> Option<usize>,
) -> Report {
    let metrics = Metrics::new();
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [threads, 1, 1]));
    for linear in 0..threads {
        if let Some(address) = address(linear) {
            let access = Access { address, bytes, align: bytes, space, kind, by: at(7, 1, 0) };
            metrics.on_access(&thread(linear), &access).expect("no fault");
        }
        metrics.on_thread_end(&thread(linear));
    }
    metrics.report()
}

/// Requests, sectors, ideal sectors, bytes.
fn loads(bytes: u32, threads: u32, address: impl Fn(u32) -> Option<usize>) -> [u64; 4] {
    let of = accesses(Space::Global, AccessKind::Read, bytes, threads, address).total.loads;
    [of.requests, of.sectors, of.ideal_sectors, of.bytes]
}

/// Requests, wavefronts, ideal wavefronts of loads.
fn shared_loads(bytes: u32, threads: u32, address: impl Fn(u32) -> Option<usize>) -> [u64; 3] {
    let of = accesses(SHARED, AccessKind::Read, bytes, threads, &address).total.shared_loads;
    [of.requests, of.wavefronts, of.ideal_wavefronts]
}

/// As [`shared_loads`], of stores.
fn shared_stores(bytes: u32, threads: u32, address: impl Fn(u32) -> Option<usize>) -> [u64; 3] {
    let of = accesses(SHARED, AccessKind::Write, bytes, threads, &address).total.shared_stores;
    [of.requests, of.wavefronts, of.ideal_wavefronts]
}

/// As [`shared_loads`], of what stores do alike.
fn shared(bytes: u32, threads: u32, address: impl Fn(u32) -> Option<usize>) -> [u64; 3] {
    let loads = shared_loads(bytes, threads, &address);
    assert_eq!(loads, shared_stores(bytes, threads, &address), "stores are as loads");
    loads
}

#[test]
fn sectors_are_those_that_a_warp_touches_each_once() {
    assert_eq!(loads(4, 32, |i| Some(4096 + 4 * i as usize)), [1, 4, 4, 128]);
    assert_eq!(loads(4, 32, |i| Some(4096 + 44 + 4 * i as usize)), [1, 5, 4, 128], "11 elements off");
    assert_eq!(loads(4, 32, |i| Some(4096 + 8 * i as usize)), [1, 8, 4, 128], "every other");
    assert_eq!(loads(4, 32, |i| Some(4096 + 128 * i as usize)), [1, 32, 4, 128], "a column");
    assert_eq!(loads(4, 32, |_| Some(4096)), [1, 1, 1, 4], "all the same");
    assert_eq!(loads(16, 32, |i| Some(4096 + 16 * i as usize)), [1, 16, 16, 512]);
    assert_eq!(loads(1, 32, |i| Some(4096 + i as usize)), [1, 1, 1, 32]);
    assert_eq!(
        loads(4, 100, |i| Some(4096 + 4 * i as usize)),
        [4, 13, 13, 400],
        "a warp of four lanes is last"
    );
    assert_eq!(loads(4, 32, |i| (i % 2 == 0).then_some(4096 + 4 * i as usize)), [1, 4, 2, 64]);
    assert_eq!(loads(4, 32, |i| Some(4096 + 4 * (31 - i as usize))), [1, 4, 4, 128], "backwards");
    assert_eq!(
        loads(8, 2, |i| Some(4096 + 28 + 4 * i as usize)),
        [1, 2, 1, 12],
        "overlapping, over a boundary"
    );
}

#[test]
fn efficiencies_are_those_of_the_course() {
    let efficiency = |bytes, address: &dyn Fn(usize) -> usize| {
        accesses(Space::Global, AccessKind::Write, bytes, 256, |i| Some((1 << 20) + address(i as usize)))
            .total
            .stores
            .efficiency()
    };
    assert_eq!(efficiency(4, &|i| 8 * i), 50.0, "an array of structs");
    assert_eq!(efficiency(8, &|i| 8 * i), 100.0, "float2");
    assert_eq!(efficiency(4, &|i| 4 * i), 100.0, "a struct of arrays");
    assert_eq!(efficiency(4, &|i| 44 + 4 * i), 80.0, "an offset of 11");
    assert_eq!(efficiency(4, &|i| 4 * i + 4 * 128), 100.0, "an offset of 128");
    assert_eq!(efficiency(4, &|i| 4096 * i), 12.5, "a column");
    assert_eq!(efficiency(4, &|i| 4096 * (i % 16) + 4 * (i / 16)), 25.0, "a column, blocks of 16 by 16");
}

#[test]
fn wavefronts_of_32_bits_are_the_words_of_the_busiest_bank() {
    assert_eq!(shared(4, 32, |i| Some(4 * i as usize)), [1, 1, 1]);
    assert_eq!(shared(4, 32, |i| Some(128 * i as usize)), [1, 32, 1], "one bank");
    assert_eq!(shared(4, 32, |i| Some(132 * i as usize)), [1, 1, 1], "padded");
    assert_eq!(shared(4, 32, |i| Some(8 * i as usize)), [1, 2, 1], "every other word");
    assert_eq!(shared(4, 32, |i| Some(4 * (31 - i as usize))), [1, 1, 1], "permuted");
    assert_eq!(shared(4, 32, |_| Some(64)), [1, 1, 1], "a broadcast");
    assert_eq!(shared(4, 32, |i| Some(128 * (i as usize / 16))), [1, 2, 1], "two words of one bank");
    assert_eq!(shared(1, 32, |i| Some(i as usize)), [1, 1, 1], "bytes of eight words");
    assert_eq!(shared(2, 32, |i| Some(128 * (i as usize / 2) + 2 * (i as usize % 2))), [1, 16, 1]);
    assert_eq!(shared(4, 32, |i| (i < 2).then_some(128 * i as usize)), [1, 2, 1], "two active lanes");
}

#[test]
fn wavefronts_of_64_bits_go_by_halves_and_of_128_bits_by_quarters() {
    assert_eq!(shared(8, 32, |i| Some(8 * i as usize)), [1, 2, 2]);
    assert_eq!(shared(8, 32, |i| Some(16 * i as usize)), [1, 4, 2], "two-way in each half");
    assert_eq!(shared(8, 16, |i| Some(8 * i as usize)), [1, 1, 1], "only one half is there");
    assert_eq!(shared(16, 32, |i| Some(16 * i as usize)), [1, 4, 4]);
    assert_eq!(shared(16, 32, |i| Some(32 * i as usize)), [1, 8, 4], "two-way in each quarter");
    assert_eq!(shared(16, 8, |i| Some(16 * i as usize)), [1, 1, 1], "only one quarter is there");
    assert_eq!(
        shared(16, 32, |i| Some(16 * (i as usize / 8) + 512 * (i as usize % 8))),
        [1, 32, 4],
        "one bank"
    );
}

#[test]
fn loads_in_pairs_are_packed_and_stores_are_not() {
    let pairs = |i: u32| Some(16 * (i as usize / 2));
    let half_of_them = |i: u32| if i < 16 { pairs(i) } else { Some(16 * i as usize) };
    assert_eq!(shared_loads(8, 32, |_| Some(0)), [1, 1, 1], "a broadcast to both halves");
    assert_eq!(shared_loads(8, 32, |i| Some(8 * (i as usize / 2))), [1, 1, 1]);
    assert_eq!(shared_loads(16, 32, |_| Some(0)), [1, 2, 2], "a broadcast goes by halves");
    assert_eq!(shared_loads(16, 32, pairs), [1, 2, 2]);
    assert_eq!(shared_stores(16, 32, pairs), [1, 4, 4]);
    assert_eq!(shared_loads(16, 32, half_of_them), [1, 4, 4], "the whole warp does, or none of it");
    let even = |i: u32| i.is_multiple_of(2).then_some(16 * (i as usize / 2));
    assert_eq!(shared_loads(16, 32, even), [1, 2, 2], "a neighbour that is not there differs from none");
    assert_eq!(shared_stores(16, 32, even), [1, 4, 4]);
}

#[test]
fn a_tile_of_the_course_takes_32_or_1024_wavefronts() {
    // A block of 32 by 32 threads writes its tile by rows and reads it by columns.
    let warp = |i: u32| (i as usize % 32, i as usize / 32);
    let by_rows = |i| Some(4 * (warp(i).1 * 32 + warp(i).0));
    let by_columns = |i| Some(4 * (warp(i).0 * 32 + warp(i).1));
    let padded = |i| Some(4 * (warp(i).0 * 33 + warp(i).1));
    assert_eq!(shared(4, 1024, by_rows), [32, 32, 32]);
    assert_eq!(shared(4, 1024, by_columns), [32, 1024, 32]);
    assert_eq!(shared(4, 1024, padded), [32, 32, 32]);
}

#[test]
fn atomics_count_the_lanes_that_meet() {
    let of = accesses(Space::Global, ATOMIC, 4, 32, |i| Some(4096 + 4 * (i as usize / 8))).total.atomics;
    assert_eq!((of.requests, of.lanes, of.sectors, of.turns, of.contention), (1, 32, 8, 8, 8));
    let of = accesses(SHARED, ATOMIC, 4, 64, |i| Some(4 * i as usize % 256)).total.shared_atomics;
    assert_eq!((of.requests, of.lanes, of.sectors, of.turns, of.contention), (2, 64, 0, 2, 1));
}

#[test]
fn what_is_not_the_blocks_own_shared_memory_has_no_banks() {
    let remote = accesses(Space::Shared { rank: 3 }, AccessKind::Read, 4, 32, |i| Some(128 * i as usize));
    assert_eq!((remote.total.remote.warps, remote.total.remote.threads), (1, 32));
    assert_eq!(remote.total.shared_loads.requests, 0);
    let constant = accesses(Space::Constant, AccessKind::Read, 4, 32, |_| Some(0)).total;
    assert_eq!((constant.constants.warps, constant.loads.requests), (1, 0));
    let local = accesses(Space::Local, AccessKind::Read, 4, 32, |_| Some(0)).total;
    assert_eq!(local, Counts::default());
}

#[test]
fn the_footprint_has_each_sector_once() {
    let metrics = Metrics::new();
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [64, 1, 1]));
    for (site, kind) in [(1, AccessKind::Read), (2, AccessKind::Read), (3, AccessKind::Write)] {
        for linear in 0..64 {
            let address = 4096 + 4 * linear as usize;
            let by = at(7, site, 0);
            let access = Access { address, bytes: 4, align: 4, space: Space::Global, kind, by };
            metrics.on_access(&thread(linear), &access).expect("no fault");
        }
    }
    let report = metrics.report();
    assert_eq!((report.footprint_read, report.footprint_written), (256, 256));
    assert_eq!(report.total.sector_bytes(), 3 * 256);
    assert_eq!((report.rows.len(), report.rows[0].counts.loads.requests), (1, 4));
}

fn branches(taken: impl Fn(u32) -> Option<bool>) -> (u64, u64, f64) {
    let metrics = Metrics::new();
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [64, 1, 1]));
    for linear in 0..64 {
        if let Some(taken) = taken(linear) {
            metrics.on_branch(&thread(linear), &Branch { taken, by: at(7, 1, 0) });
        }
        metrics.on_thread_end(&thread(linear));
    }
    let of = metrics.report().total.branches;
    (of.executed, of.divergent, of.efficiency())
}

#[test]
fn a_branch_diverges_where_lanes_of_one_warp_differ() {
    assert_eq!(branches(|i| Some(i % 2 == 0)), (2, 2, 0.0));
    assert_eq!(branches(|i| Some(i < 32)), (2, 0, 100.0));
    assert_eq!(branches(|i| Some(i < 40)), (2, 1, 50.0));
    assert_eq!(
        branches(|i| (i < 16).then_some(true)),
        (1, 0, 100.0),
        "lanes that are not there decide nothing"
    );
}

#[test]
fn operations_are_counted_by_threads_and_active_lanes_by_warps() {
    let metrics = Metrics::new();
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [32, 1, 1]));
    for linear in 0..32 {
        for k in 0..3 {
            metrics.on_work(&thread(linear), Operation::FloatFma(32), &at(7, 1, k));
        }
        if linear < 8 {
            metrics.on_work(&thread(linear), Operation::FloatAdd(64), &at(8, 2, 0));
        }
        metrics.on_thread_end(&thread(linear));
    }
    let report = metrics.report();
    assert_eq!(report.total.flops(), 2 * 96 + 8);
    assert_eq!(report.total.active_lanes(), (96.0 + 8.0) / 4.0);
    assert_eq!(report.row("src/kernel.rs", 8).map(|row| row.counts.active_lanes()), Some(8.0));
    let named = report.total.profiler();
    let of = |name: &str| named.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    assert_eq!(of("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"), Some(96.0));
    assert_eq!(of("smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"), Some(8.0));
}

/// A thread accesses memory in a loop; each lane runs alone, and `order` says which goes on when.
fn in_turns(limit: usize, iterations: u64, order: &[(u32, u32)], meets: bool) -> Report {
    let metrics = Metrics::with_open_limit(limit);
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [32, 1, 1]));
    for k in 0..iterations {
        for lane in order.iter().flat_map(|(first, end)| *first..*end) {
            let address = 4096 + 4 * lane as usize + 128 * k as usize;
            let (space, kind, by) = (Space::Global, AccessKind::Read, at(7, 1, k));
            let access = Access { address, bytes: 4, align: 4, space, kind, by };
            metrics.on_access(&thread(lane), &access).expect("no fault");
            if meets {
                let meeting = Meeting {
                    number: k,
                    name: "sync_threads",
                    of: Expected::Block,
                    orders: None,
                    waits: true,
                };
                metrics.on_arrive(&thread(lane), &meeting, by.at);
            }
        }
    }
    (0..32).for_each(|lane| metrics.on_thread_end(&thread(lane)));
    metrics.report()
}

#[test]
fn lanes_join_in_any_order() {
    for order in [&[(0, 32)][..], &[(16, 32), (0, 16)], &[(1, 2), (0, 1), (2, 32)]] {
        let report = in_turns(8, 100, order, false);
        assert_eq!((report.total.loads.requests, report.total.loads.sectors, report.forced), (100, 400, 0));
    }
}

#[test]
fn what_waits_at_one_meeting_is_counted_and_forgotten() {
    // Half of the lanes take part, so requests are never full.
    let alone = in_turns(8, 100, &[(0, 16)], false);
    assert_eq!(alone.total.loads.requests, 100);
    assert!(alone.forced > 0, "without a meeting they are kept up to the limit");
    let metrics = Metrics::with_open_limit(8);
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [32, 1, 1]));
    for k in 0..100u64 {
        for lane in 0..32 {
            if lane % 2 == 0 {
                let (space, kind, by) = (Space::Global, AccessKind::Read, at(7, 1, k));
                let access =
                    Access { address: 4096 + 4 * lane as usize, bytes: 4, align: 4, space, kind, by };
                metrics.on_access(&thread(lane), &access).expect("no fault");
            }
            let meeting =
                Meeting { number: k, name: "sync_threads", of: Expected::Block, orders: None, waits: true };
            metrics.on_arrive(&thread(lane), &meeting, at(8, 2, k).at);
        }
    }
    let report = metrics.report();
    assert_eq!((report.total.loads.requests, report.total.loads.lanes, report.forced), (100, 1600, 0));
    assert_eq!(in_turns(8, 100, &[(0, 32)], true).forced, 0);
}

#[test]
fn beyond_the_limit_requests_may_be_counted_in_parts_and_the_report_says_so() {
    let metrics = Metrics::with_open_limit(10);
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [32, 1, 1]));
    for lane in 0..32 {
        for k in 0..100 {
            let (space, kind, by) = (Space::Global, AccessKind::Read, at(7, 1, k));
            let address = 4096 + 4 * lane as usize;
            let access = Access { address, bytes: 4, align: 4, space, kind, by };
            metrics.on_access(&thread(lane), &access).expect("no fault");
        }
        metrics.on_thread_end(&thread(lane));
    }
    let report = metrics.report();
    assert_eq!(report.total.loads.lanes, 3200, "no access is lost");
    assert!(report.forced > 0 && report.total.loads.requests > 100);
    assert!(report.to_string().contains("figures are upper bounds"), "{report}");
}

#[test]
fn a_lane_that_repeats_an_instruction_makes_another_request() {
    // As where a struct of two fields is copied: both accesses are one instruction of the program.
    let metrics = Metrics::new();
    metrics.on_launch(&SimLaunch::new("k", [1; 3], [32, 1, 1]));
    for lane in 0..32 {
        for field in 0..2 {
            let address = 4096 + 8 * lane as usize + 4 * field;
            let (space, kind, by) = (Space::Global, AccessKind::Write, at(7, 1, 0));
            let access = Access { address, bytes: 4, align: 4, space, kind, by };
            metrics.on_access(&thread(lane), &access).expect("no fault");
        }
        metrics.on_thread_end(&thread(lane));
    }
    let of = metrics.report().total.stores;
    assert_eq!((of.requests, of.sectors, of.efficiency()), (2, 16, 50.0));
}

#[test]
fn blocks_and_warps_do_not_mix() {
    let metrics = Metrics::new();
    metrics.on_launch(&SimLaunch::new("k", [2, 1, 1], [64, 1, 1]));
    for linear in 0..64 {
        for block in 0..2 {
            let by = Thread { block, block_idx: [block as u32, 0, 0], ..thread(linear) };
            let address = 4096 + 4 * (64 * block as usize + linear as usize);
            let (space, kind) = (Space::Global, AccessKind::Read);
            let access = Access { address, bytes: 4, align: 4, space, kind, by: at(7, 1, 0) };
            metrics.on_access(&by, &access).expect("no fault");
        }
    }
    let of = metrics.report().total.loads;
    assert_eq!((of.requests, of.sectors), (4, 16));
}

#[test]
fn the_dearest_request_is_kept_with_its_banks() {
    let report = accesses(SHARED, AccessKind::Read, 4, 64, |i| {
        Some((1 << 16) + if i < 32 { 4 * i as usize } else { 128 * (i as usize - 32) })
    });
    let [pattern] = &report.patterns[..] else { panic!("{:?}", report.patterns) };
    assert_eq!((pattern.kind, pattern.cost, pattern.ideal), (PatternKind::SharedLoad, 32, 1));
    assert_eq!(pattern.lanes[3], (3, 3 * 128));
    assert_eq!(pattern.words_of_banks(u32::MAX)[0].len(), 32);
    assert_eq!(report.banks[0].words[..3], [33, 1, 1]);
}

#[test]
fn the_text_names_figures_and_ways_out() {
    let report = accesses(Space::Global, AccessKind::Read, 4, 64, |i| Some((1 << 20) + 8 * i as usize));
    let text = report.to_string();
    assert!(text.contains("kernel.rs:7"), "{text}");
    let row: Vec<&str> =
        text.lines().find(|line| line.contains("load")).expect("a row").split_whitespace().collect();
    assert_eq!(row, ["kernel.rs:7", "load", "2", "16", "8", "8.00", "50.00"]);
    assert!(text.contains("touch 16 sectors of 32 bytes where the bytes that are used fill 8"), "{text}");
}
