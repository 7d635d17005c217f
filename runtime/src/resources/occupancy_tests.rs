//! Occupancies worked out by hand from the programming guide's tables.

use super::*;
use crate::nvrtc::Arch;
use crate::resources::Spills;

fn kernel(compute: (u32, u32), registers: u32, shared: u32) -> Resources {
    Resources {
        kernel: "k".into(),
        arch: Arch { major: compute.0, minor: compute.1, specific: false },
        registers,
        spills: Some(Spills::default()),
        stack_frame: Some(0),
        local: 0,
        static_shared: shared,
        dynamic_shared: 0,
        constant: 0,
        barriers: Some(0),
        max_threads: 1024,
        ptx_version: 90,
        binary_version: 90,
        cache_all: None,
        remarks: Vec::new(),
    }
}

fn blocks(compute: (u32, u32), registers: u32, shared: u32, threads: u32) -> u32 {
    kernel(compute, registers, shared).occupancy(threads).expect("in the table").blocks
}

#[test]
fn registers_are_given_to_warps_in_units_and_to_parts_evenly() {
    // 32 registers are 1,024 a warp: 64 warps. One more takes a unit of 256: 12 warps of each part.
    assert_eq!(blocks((9, 0), 32, 0, 256), 8);
    assert_eq!(blocks((9, 0), 33, 0, 256), 6);
    assert_eq!(blocks((9, 0), 40, 0, 256), 6);
    assert_eq!(blocks((9, 0), 48, 0, 256), 5);
    // Nine warps a part are resident with 56 registers, 36 in all: not five blocks of eight.
    assert_eq!(blocks((9, 0), 56, 0, 256), 4);
    assert_eq!(blocks((9, 0), 255, 0, 256), 1);
    assert_eq!(blocks((9, 0), 65, 0, 1024), 0, "32 warps of 2,304 registers are more than 65,536");
}

#[test]
fn shared_memory_is_given_with_the_systems_part_in_units() {
    // 228 KiB; each block loses 1 KiB.
    assert_eq!(blocks((9, 0), 16, 48 << 10, 128), 4);
    assert_eq!(blocks((9, 0), 16, 56 << 10, 128), 4);
    assert_eq!(blocks((9, 0), 16, (56 << 10) + 1, 128), 3);
    assert_eq!(blocks((9, 0), 16, 227 << 10, 128), 1);
    assert_eq!(blocks((9, 0), 16, (227 << 10) + 1, 128), 0);
    assert_eq!(blocks((7, 5), 16, 32 << 10, 128), 2, "Turing takes nothing for itself");
}

#[test]
fn threads_and_blocks_are_limits_of_their_own() {
    assert_eq!(blocks((9, 0), 16, 0, 32), 32);
    assert_eq!(blocks((8, 6), 16, 0, 32), 16);
    assert_eq!(blocks((8, 6), 16, 0, 1024), 1);
    assert_eq!(blocks((9, 0), 16, 0, 768), 2);
    assert_eq!(blocks((9, 0), 16, 0, 33), 32, "a warp of one thread is a warp");
}

#[test]
fn the_seeds_block_shapes_fill_a_turing_multiprocessor_and_so_bound_what_was_achieved() {
    let achieved = [([32, 32], 0.501071), ([32, 16], 0.736900), ([16, 32], 0.766037), ([16, 16], 0.810691)];
    for (block, achieved) in achieved {
        let occupancy = kernel((7, 5), 16, 0).occupancy(block).expect("in the table");
        assert_eq!(occupancy.warps(), 32, "{block:?}");
        assert!(occupancy.fraction() > achieved);
        assert_eq!(occupancy.blocks, 1024 / (block[0] * block[1]));
        assert!(occupancy.limiters().contains(&Limiter::Threads));
        assert_eq!(occupancy.advice(), None);
    }
}

#[test]
fn a_small_block_is_limited_by_blocks_and_a_hungry_one_by_registers() {
    let small = kernel((7, 5), 16, 0).occupancy(32).expect("in the table");
    assert_eq!((small.fraction(), small.limiters()), (0.5, vec![Limiter::Blocks]));
    assert_eq!(small.advice().as_deref(), Some("larger blocks would allow more warps"));
    let hungry = kernel((9, 0), 48, 0).occupancy(256).expect("in the table");
    assert_eq!((hungry.warps(), hungry.limiters()), (40, vec![Limiter::Registers]));
    let advice = "40 registers a thread instead of 48 would allow 6 blocks";
    assert_eq!(hungry.advice().as_deref(), Some(advice));
    assert_eq!(
        hungry.to_string(),
        format!(
            "occupancy 62.5 %: 40 of 64 warps of a multiprocessor\n  5 blocks of 256 threads; limited by registers\n  {advice}"
        )
    );
}

#[test]
fn advice_names_everything_that_limits_and_is_right() {
    let both = kernel((9, 0), 48, 44 << 10).occupancy(256).expect("in the table");
    assert_eq!((both.blocks, both.limiters()), (5, vec![Limiter::Registers, Limiter::Shared]));
    let advice = "40 registers a thread instead of 48 and 37888 bytes of shared memory a block instead of \
                  45056 would allow 6 blocks";
    assert_eq!(both.advice().as_deref(), Some(advice));
    assert_eq!(blocks((9, 0), 40, 37_888, 256), 6);
    assert_eq!(blocks((9, 0), 40, 37_889, 256), 5);
    assert_eq!(blocks((9, 0), 41, 37_888, 256), 5);
}

#[test]
fn a_block_that_does_not_fit_says_so() {
    let mut bounded = kernel((9, 0), 16, 0);
    bounded.max_threads = 128;
    let none = bounded.occupancy(256).expect("in the table");
    assert_eq!((none.blocks, none.warps()), (0, 0));
    assert!(none.advice().is_some_and(|advice| advice.contains("smaller blocks only")));
    for block in [[0, 1], [1025, 1], [32, 33]] {
        assert!(matches!(bounded.occupancy(block), Err(ReportError::Block { limit: 1024, .. })), "{block:?}");
    }
}

#[test]
fn the_best_block_is_the_largest_of_those_that_hold_most_threads() {
    let best = |compute, registers| kernel(compute, registers, 0).best_block().expect("in the table").0;
    assert_eq!(best((9, 0), 32), 1024);
    assert_eq!(best((8, 6), 32), 768, "1,536 threads are two blocks of 768");
    assert_eq!(best((9, 0), 40), 768, "48 warps are two blocks of 24");
    let mut bounded = kernel((9, 0), 32, 0);
    bounded.max_threads = 100;
    assert_eq!(bounded.best_block().expect("in the table").0, 64, "16 blocks of 100 are 1,600 threads");
}
