//! Barriers and warp operations that do what they should.

use super::*;

#[test]
fn a_block_reduces_through_shared_memory() {
    let out = global(0u32, 3);
    let report = simulate(3, 256, || {
        let (t, [block, ..]) = (tid(), context::block_idx());
        let sums = shared::<u32>(1, 256);
        sums[t as usize].set(t + block);
        let mut stride = 128;
        while stride > 0 {
            context::sync_threads();
            if t < stride {
                sums[t as usize].set(sums[t as usize].get() + sums[(t + stride) as usize].get());
            }
            stride /= 2;
        }
        if t == 0 {
            out[block as usize].set(sums[0].get());
        }
    });
    assert_eq!(values(&out), [32640, 32640 + 256, 32640 + 512]);
    let report = report.expect("no fault");
    assert_eq!((report.threads, report.barriers, report.clusters, report.fibers), (768, 24, 3, 256));
}

#[test]
fn a_block_of_1024_threads_in_three_dimensions_meets_at_a_barrier() {
    let seen = global(0u32, 1024);
    let launch = SimLaunch::new("test", [1, 1, 1], [16, 8, 8]);
    let report = run(&launch, &|| {
        let [x, y, z] = context::thread_idx();
        let linear = x + 16 * (y + 8 * z);
        assert_eq!((context::lane_id(), context::warp_id()), (linear % 32, linear / 32));
        let order = shared::<u32>(1, 1024);
        order[linear as usize].set(linear);
        context::sync_threads();
        seen[linear as usize].set(order[1023 - linear as usize].get());
    });
    assert_eq!(report.map(|r| r.fibers), Ok(1024));
    assert!((0..1024).all(|i| seen[i as usize].get() == 1023 - i));
}

#[test]
fn an_xor_shuffle_sums_a_warp() {
    let out = global(0u32, 64);
    let report = simulate(1, 64, || {
        let (lane, mut sum) = (context::lane_id(), tid());
        for step in [16, 8, 4, 2, 1] {
            let view = context::warp_exchange(u32::MAX, "shfl_xor_sync", payload(sum));
            sum += number(view.lane(lane ^ step)).expect("the lane takes part");
        }
        out[tid() as usize].set(sum);
    });
    assert_eq!(values(&out[..32]), [496; 32]);
    assert_eq!(values(&out[32..]), [496 + 32 * 32; 32]);
    assert_eq!(report.map(|r| r.exchanges), Ok(10));
}

#[test]
fn lanes_bring_values_of_any_size() {
    let report = simulate(1, 40, || {
        let own = context::lane_id();
        for pieces in [1, 3, 2] {
            let brought: Vec<[u8; 16]> = (0..pieces).map(|piece| payload(own * 10 + piece)).collect();
            let view = context::warp_exchange_wide(u32::MAX, "mma", &brought);
            for (lane, piece) in (0..32).flat_map(|lane| (0..4).map(move |piece| (lane, piece))) {
                let there = lane < if context::warp_id() == 0 { 32 } else { 8 };
                let wanted = (there && piece < pieces).then_some(lane * 10 + piece);
                assert_eq!(number(view.piece(lane, piece as usize)), wanted);
            }
        }
    });
    assert_eq!(report.map(|r| r.exchanges), Ok(6));
}

#[test]
fn lanes_that_a_block_lacks_take_no_part() {
    let report = simulate(1, 40, || {
        let view = context::warp_exchange(u32::MAX, "ballot_sync", payload(tid()));
        let expected = if context::warp_id() == 0 { u32::MAX } else { 0xff };
        assert_eq!(view.participants(), expected);
        assert_eq!(number(view.lane(8)), (context::warp_id() == 0).then_some(8));
        assert_eq!(view.lane(32), None);
    });
    assert_eq!(report.map(|r| r.exchanges), Ok(2));
}

#[test]
fn parts_of_a_warp_exchange_apart_from_each_other() {
    let report = simulate(1, 32, || {
        let lane = context::lane_id();
        let mask = if lane < 8 { 0xff } else { 0xffff_ff00 };
        for round in 0..if lane < 8 { 5 } else { 2 } {
            let view = context::warp_exchange(mask, "shfl_sync", payload(lane + 100 * round));
            let neighbour = lane ^ 1;
            assert_eq!(number(view.lane(neighbour)), Some(neighbour + 100 * round));
            assert_eq!(number(view.lane(if lane < 8 { 20 } else { 3 })), None);
        }
        context::sync_warp(u32::MAX);
    });
    assert_eq!(report.map(|r| r.exchanges), Ok(5 + 2 + 1));
}

#[test]
fn one_lane_may_meet_two_overlapping_masks_in_turn() {
    let report = simulate(1, 3, || match tid() {
        0 => context::sync_warp(0b011),
        1 => {
            context::sync_warp(0b110);
            context::sync_warp(0b011);
        }
        _ => context::sync_warp(0b110),
    });
    assert_eq!(report.map(|r| r.exchanges), Ok(2));
}

#[test]
fn a_spinning_thread_lets_the_one_it_waits_for_run() {
    let flag = Cell::new(0);
    let report = simulate(1, 64, || {
        if tid() == 63 {
            flag.set(1);
        }
        loop {
            context::on_atomic();
            if flag.get() == 1 {
                break;
            }
        }
    });
    assert!(report.is_ok_and(|r| r.atomics >= 64));
}

#[test]
fn shared_memory_starts_poisoned_in_every_block_and_stays_within_a_loop() {
    let report = simulate(2, 2, || {
        for round in 0..3 {
            let cells = shared::<u32>(1, 2);
            let expected = if round == 0 { 0xa5a5_a5a5 } else { tid() };
            assert_eq!(cells[tid() as usize].get(), expected);
            cells[tid() as usize].set(tid());
            let other = shared::<u64>(2, 1);
            assert_ne!(cells.as_ptr().cast::<u8>(), other.as_ptr().cast::<u8>());
            context::sync_threads();
        }
    });
    assert!(report.is_ok(), "{report:?}");
}

#[test]
fn dynamic_shared_memory_lies_apart_from_static() {
    let mut launch = SimLaunch::new("test", [2, 1, 1], [4, 1, 1]);
    launch.dynamic_shared = 4096;
    let report = run(&launch, &|| {
        let (start, bytes) = context::dynamic_shared();
        assert_eq!((start as usize % 1024, bytes), (0, 4096));
        let cells = shared::<u8>(1, 16).as_ptr() as usize;
        assert!(cells >= start as usize + 4096 || cells + 16 <= start as usize);
        // SAFETY: inside the block's dynamic shared memory.
        assert_eq!(unsafe { start.add(4095).read() }, context::POISON);
    });
    assert!(report.is_ok(), "{report:?}");
}

#[test]
fn who_has_arrived_at_a_named_barrier_is_forgotten_with_the_block() {
    let outcome = simulate(2, 64, || match (context::block_idx()[0], tid() / 32) {
        (0, 0) => context::named_barrier(3, 64, false),
        (1, 1) => context::named_barrier(3, 64, true),
        _ => {}
    });
    let fault = outcome.expect_err("half of the threads are missing").to_string();
    assert!(fault.contains("named_barrier"), "{fault}");
}
