//! Blocks of a cluster: ranks, their barrier, each other's shared memory.

use super::*;
use crate::simulator::RankProblem;

fn launch(blocks: u32, threads: u32, cluster: u32) -> SimLaunch<'static> {
    SimLaunch { cluster: [cluster, 1, 1], ..SimLaunch::new("test", [blocks, 1, 1], [threads, 1, 1]) }
}

#[test]
fn blocks_of_a_cluster_read_each_others_shared_memory() {
    let out = global(0u32, 8);
    let report = run(&launch(8, 32, 4), &|| {
        let (rank, [block, ..]) = (context::cluster_rank(), context::block_idx());
        // The mapped array is not the first in memory, and not every block has allocated yet.
        let _first = shared::<u8>(1, 100);
        let own = shared::<u32>(2, 32);
        own[tid() as usize].set(1000 * block + tid());
        context::cluster_sync();
        let next = context::map_shared_rank(own.as_ptr().cast(), (rank + 1) % context::cluster_size());
        // SAFETY: the next block's 32 numbers.
        let next = unsafe { std::slice::from_raw_parts(next.cast::<Cell<u32>>(), 32) };
        if tid() == 5 {
            out[block as usize].set(next[5].get());
        }
        context::cluster_sync();
    });
    assert_eq!(values(&out), [1005, 2005, 3005, 5, 5005, 6005, 7005, 4005]);
    assert_eq!(report.map(|r| (r.clusters, r.barriers, r.fibers)), Ok((2, 4, 128)));
}

#[test]
fn sixteen_blocks_of_1024_threads_run_at_once() {
    let count = Cell::new(0u32);
    let report = run(&launch(16, 1024, 16), &|| {
        count.set(count.get() + 1);
        context::sync_threads();
        context::cluster_sync();
        assert_eq!(count.get(), 16 * 1024);
    });
    assert_eq!(report.map(|r| (r.threads, r.fibers, r.barriers)), Ok((16384, 16384, 17)));
}

#[test]
fn a_cluster_has_three_dimensions() {
    let ranks = global(u32::MAX, 16);
    let launch = SimLaunch { cluster: [2, 2, 1], ..SimLaunch::new("test", [4, 2, 2], [1, 1, 1]) };
    let report = run(&launch, &|| {
        let [x, y, z] = context::block_idx();
        assert_eq!(context::block_idx_in_cluster(), [x % 2, y % 2, 0]);
        assert_eq!(context::cluster_idx(), [x / 2, y / 2, z]);
        assert_eq!((context::cluster_dim(), context::grid_dim()), ([2, 2, 1], [4, 2, 2]));
        ranks[(x + 4 * (y + 2 * z)) as usize].set(context::cluster_rank());
        context::cluster_sync();
    });
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(values(&ranks), [0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3]);
}

#[test]
fn a_rank_beyond_the_cluster_is_a_fault() {
    let fault = run(&launch(4, 1, 2), &|| {
        context::map_shared_rank(shared::<u32>(1, 1).as_ptr().cast(), 2);
    });
    let problem = RankProblem::Beyond { size: 2 };
    assert!(matches!(fault, Err(SimFault::SharedRank { rank: 2, problem: p, .. }) if p == problem));
}

#[test]
fn mapping_an_address_outside_shared_memory_is_a_fault() {
    let host = 0u32;
    let fault = run(&launch(2, 1, 2), &|| {
        context::map_shared_rank((&raw const host).cast(), 0);
    });
    assert!(matches!(fault, Err(SimFault::SharedRank { problem: RankProblem::NotShared, .. })));
}

#[test]
fn the_halves_of_a_barrier_wait_for_those_that_have_not_returned() {
    let (arrived, passed) = (Cell::new(0), Cell::new(0));
    let report = run(&launch(2, 4, 2), &|| {
        let who = (context::cluster_rank(), tid());
        if who == (1, 3) {
            return; // last of all, when the others wait
        }
        context::cluster_arrive();
        arrived.set(arrived.get() + 1);
        if matches!(who, (0, 0 | 1)) {
            return; // in between the halves
        }
        context::cluster_wait();
        assert_eq!(arrived.get(), 7);
        passed.set(passed.get() + 1);
    });
    assert_eq!(report.map(|r| r.barriers), Ok(1));
    assert_eq!(passed.get(), 5);
}
