//! Figures by kernel.

use std::collections::BTreeMap;

use corpus::measured;
use warpsmith::metrics::{Counts, Report};
use warpsmith::simulator::Operation;

fn all() -> BTreeMap<&'static str, Report> {
    let predicted = |m: &measured::Measured| match m.predict() {
        Ok(report) => (m.name, report),
        Err(error) => panic!("{}: {error}", m.name),
    };
    measured::all().iter().map(predicted).collect()
}

/// Compares a figure of some launches.
#[track_caller]
fn check<T: PartialEq + std::fmt::Debug>(of: impl Fn(&Counts) -> T, expected: &[(&str, T)]) {
    let mut known = measured::all();
    known.extend(measured::branches());
    for (name, figure) in expected {
        let launch = known.iter().find(|m| m.name == *name).expect(name);
        let report = launch.predict().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(of(&report.total), *figure, "{name}\n{report}");
    }
}

#[test]
fn every_launch_is_counted_exactly() {
    let reports = all();
    assert!(reports.len() >= 40, "{}", reports.len());
    for (name, report) in &reports {
        assert_eq!(report.forced, 0, "{name}");
        assert!(!report.rows.is_empty(), "{name}");
    }
}

#[test]
fn figures_do_not_depend_on_the_run() {
    for name in ["transpose_smem_unroll_pad", "count_into@8", "array_of_structure"] {
        let known = measured::all();
        let launch = known.iter().find(|m| m.name == name).expect(name);
        let [first, second] = [(); 2].map(|()| launch.predict().expect(name));
        assert_eq!(first, second, "{name}");
    }
}

#[test]
fn global_efficiencies_are_those_of_the_course() {
    let both = |counts: &Counts| [counts.loads.efficiency(), counts.stores.efficiency()];
    check(
        both,
        &[
            ("copy", [100.0, 100.0]),
            ("copy_ldg", [100.0, 100.0]),
            ("copy_restrict", [100.0, 100.0]),
            ("write_offset@0", [100.0, 100.0]),
            ("write_offset@11", [100.0, 80.0]),
            ("write_offset@128", [100.0, 100.0]),
            ("read_offset@0", [100.0, 100.0]),
            ("read_offset@11", [80.0, 100.0]),
            ("read_offset@128", [100.0, 100.0]),
            ("read_offset_unroll4@11", [80.0, 100.0]),
            ("array_of_structure", [50.0, 50.0]),
            ("array_of_cuda_float2", [100.0, 100.0]),
            ("structure_of_array", [100.0, 100.0]),
            ("copy_row", [100.0, 100.0]),
            ("copy_col", [12.5, 12.5]),
            ("transpose_naive_row", [100.0, 12.5]),
            ("transpose_naive_col", [12.5, 100.0]),
            ("transpose_unroll4_row", [100.0, 25.0]),
            ("transpose_unroll4_col", [25.0, 100.0]),
            ("transpose_diagonal_row", [100.0, 12.5]),
            ("transpose_diagonal_col", [12.5, 100.0]),
            ("transpose_smem", [100.0, 100.0]),
            ("transpose_smem_pad", [100.0, 100.0]),
            ("copy_quads@side_by_side", [100.0, 100.0]),
            ("copy_quads@every_other", [50.0, 100.0]),
        ],
    );
}

#[test]
fn requests_are_one_for_each_warp_and_sectors_four_where_floats_lie_side_by_side() {
    let of = |counts: &Counts| [counts.loads, counts.stores].map(|t| [t.requests, t.sectors]);
    check(
        of,
        &[
            ("copy", [[128, 512], [128, 512]]),
            ("write_offset@11", [[256, 1024], [128, 640]]),
            ("array_of_structure", [[256, 2048], [256, 2048]]),
            ("array_of_cuda_float2", [[128, 1024], [128, 1024]]),
            ("transpose_naive_row", [[512, 2048], [512, 16_384]]),
            ("copy_quads@side_by_side", [[128, 2048], [128, 2048]]),
        ],
    );
}

#[test]
fn wavefronts_are_those_of_the_course() {
    let of = |counts: &Counts| [counts.shared_loads.wavefronts, counts.shared_stores.wavefronts];
    check(
        of,
        &[
            ("set_row_read_row", [32, 32]),
            ("set_col_read_col", [1024, 1024]),
            ("set_row_read_col", [1024, 32]),
            ("set_row_read_col_dyn", [1024, 32]),
            ("set_row_read_col_pad", [32, 32]),
            ("set_row_read_col_dyn_pad", [32, 32]),
            ("set_row_read_row_rect", [16, 16]),
            // Columns of 16: two lanes of a warp for each bank pair, half of the banks are used.
            ("set_col_read_col_rect", [256, 256]),
        ],
    );
}

#[test]
fn padding_takes_the_conflicts_away() {
    check(
        |counts| counts.conflicts(),
        &[
            ("transpose_smem", 512 * 31),
            ("transpose_smem_pad", 0),
            ("set_row_read_col_pad", 0),
            ("set_row_read_col_dyn_pad", 0),
        ],
    );
}

#[test]
fn wide_accesses_go_by_halves_and_quarters() {
    check(
        |counts| counts.shared_loads.wavefronts,
        &[
            ("shared_pairs@side_by_side", 2),
            ("shared_pairs@every_other", 4),
            ("shared_pairs@two_lanes_each", 1),
            ("shared_pairs@broadcast", 1),
            ("shared_quads@side_by_side", 4),
            ("shared_quads@every_other", 8),
            ("shared_quads@two_lanes_each", 2),
            ("shared_quads@broadcast", 2),
        ],
    );
}

#[test]
fn branches_of_the_course_diverge_where_lanes_part() {
    let of = |counts: &Counts| (counts.branches.executed, counts.branches.divergent);
    check(of, &[("math_kernel1", (128, 128)), ("math_kernel2", (128, 0)), ("math_kernel3", (256, 256))]);
}

#[test]
fn longer_sides_diverge_as_often_at_more_branches() {
    // Of each warp the conditions of the course, and on each side that it takes six ends of a round.
    let of = |counts: &Counts| (counts.branches.executed, counts.branches.divergent);
    check(
        of,
        &[
            ("long_math_kernel1", (128 * (1 + 2 * 6), 128)),
            ("long_math_kernel2", (128 * (1 + 6), 0)),
            ("long_math_kernel3", (128 * (2 + 2 * 6), 256)),
        ],
    );
}

#[test]
fn branches_of_loops_are_counted_by_the_round() {
    // Lanes leave after 0 to 4 rounds, the last of them together; each side of a branch has six rounds and an end.
    let of = |counts: &Counts| (counts.branches.executed, counts.branches.divergent);
    check(
        of,
        &[
            ("uneven_rounds", (128 * 5, 128 * 4)),
            ("parted", (128 * (1 + 2 * 7), 128)),
            ("parted_by_warps", (128 * (1 + 7), 0)),
        ],
    );
}

#[test]
fn operations_are_those_that_were_written() {
    let counted =
        |counts: &Counts, work: Operation| counts.work.get(&work).map_or(0, |executed| executed.threads);
    let of = |counts: &Counts| {
        let each = [Operation::FloatAdd(32), Operation::FloatMul(32), Operation::FloatFma(32)];
        (each.map(|work| counted(counts, work)), counts.flops())
    };
    let sums: u64 = (0..4096).map(|i| i % 5).sum();
    check(
        of,
        &[
            ("contracted", ([4096, 4096, 0], 8192)),
            ("apart", ([4096, 4096, 0], 8192)),
            ("fused", ([0, 0, 4096], 8192)),
            ("uneven_rounds", ([sums, sums, 0], 2 * sums)),
            ("parted", ([4096 * 6, 4096 * 6, 0], 4096 * 12)),
        ],
    );
}

#[test]
fn lanes_meet_at_the_bins_of_a_count() {
    let of = |counts: &Counts| (counts.atomics.requests, counts.atomics.lanes, counts.atomics.turns);
    check(
        of,
        &[
            ("count_into@1", (128, 4096, 128 * 32)),
            ("count_into@8", (128, 4096, 128 * 4)),
            ("count_into@1024", (128, 4096, 128)),
        ],
    );
}

#[test]
fn branches_stand_where_the_loop_or_the_condition_does() {
    // Of each of 128 warps: two conditions with `&&`, and the loop's four iterations and its end.
    let known = measured::all();
    let launch = known.iter().find(|m| m.name == "transpose_smem").expect("it is there");
    let report = launch.predict().expect("it runs");
    let mut of: Vec<u64> = report.rows.iter().map(|row| row.counts.branches.executed).collect();
    of.retain(|executed| *executed > 0);
    let warps = 16 * 8;
    assert_eq!(of, [warps * 5, warps * 4 * 2, warps * 5, warps * 4 * 2], "{report}");
}
