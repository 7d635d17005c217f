//! What meetings order, and for whom.

use super::*;

#[test]
fn a_barrier_orders_its_block_and_no_other() {
    let world = World::new(2, 64);
    world.write((0, 0), 8, 1).expect("a write");
    world.barrier(0, 64);
    world.barrier(1, 64);
    assert!(!races([world.read((0, 63), 8, 2)]));
    assert!(races([world.read((1, 63), 8, 2)]));
}

#[test]
fn a_barrier_orders_what_is_after_it_too() {
    let world = World::new(1, 64);
    (0..64).for_each(|t| world.read((0, t), 8, 1).expect("a read"));
    world.barrier(0, 64);
    assert!(!races([world.write((0, 1), 8, 2)]));
    assert!(races([world.read((0, 2), 8, 3)]));
}

#[test]
fn a_warp_is_ordered_by_sync_warp_and_not_by_a_shuffle() {
    let lanes: Vec<Who> = (0..32).map(|t| (0, t)).collect();
    for (name, orders, expected) in [("sync_warp", Some(MemoryScope::Block), false), ("shuffle", None, true)]
    {
        let world = World::new(1, 64);
        world.write((0, 0), 8, 1).expect("a write");
        world.meet(name, orders, &lanes);
        assert_eq!(races([world.read((0, 5), 8, 2)]), expected, "{name}");
    }
}

#[test]
fn sync_warp_orders_the_lanes_of_its_mask_only() {
    let world = World::new(1, 64);
    world.write((0, 0), 8, 1).expect("a write");
    world.sync_warp(&[(0, 0), (0, 1), (0, 2)]);
    assert!(!races([world.read((0, 2), 8, 2)]));
    assert!(races([world.read((0, 3), 8, 2)]));
    assert!(races([World::new(1, 64)].map(|world| {
        world.write((0, 0), 8, 1).expect("a write");
        world.sync_warp(&(0..32).map(|t| (0, t)).collect::<Vec<_>>());
        world.read((0, 32), 8, 2)
    })));
}

#[test]
fn knowledge_passes_from_meeting_to_meeting() {
    let world = World::new(1, 96);
    world.write((0, 0), 8, 1).expect("a write");
    world.sync_warp(&[(0, 0), (0, 1)]);
    world.meet("named_barrier", Some(MemoryScope::Block), &[(0, 1), (0, 40)]);
    world.sync_warp(&[(0, 40), (0, 41)]);
    assert!(!races([world.read((0, 41), 8, 2)]));
    assert!(races([world.write((0, 42), 8, 3)]));
}

#[test]
fn only_arriving_tells_and_does_not_learn() {
    let world = World::new(1, 64);
    world.write((0, 0), 8, 1).expect("a write");
    world.write((0, 32), 16, 2).expect("a write");
    world.arrive("named_barrier", (0, 0), false);
    let meeting = world.arrive("named_barrier", (0, 32), true);
    world.leave((0, 32), &meeting);
    assert!(!races([world.read((0, 32), 8, 3)]));
    assert!(races([world.read((0, 0), 16, 4)]));
}

#[test]
fn what_is_done_between_the_halves_of_a_barrier_is_not_ordered_by_it() {
    let world = World::of_clusters(2, 1, 2);
    (0..4).for_each(|_| world.fence((1, 0), MemoryScope::Block));
    world.write((0, 0), 8, 1).expect("a write");
    let meeting = world.arrive("cluster_arrive", (0, 0), true);
    world.write((0, 0), 16, 2).expect("a write");
    world.arrive("cluster_arrive", (1, 0), true);
    [0, 1].into_iter().for_each(|block| world.leave((block, 0), &meeting));
    assert!(!races([world.read((1, 0), 8, 3)]));
    assert!(races([world.read((1, 0), 16, 4)]));
}

#[test]
fn a_cluster_s_barrier_orders_its_blocks_and_no_others() {
    let world = World::of_clusters(4, 2, 2);
    world.write((0, 0), 8, 1).expect("a write");
    let cluster: Vec<Who> = [(0, 0), (0, 1), (1, 0), (1, 1)].into();
    world.meet("cluster_sync", Some(MemoryScope::Cluster), &cluster);
    assert!(!races([world.read((1, 1), 8, 2)]));
    assert!(races([world.read((2, 0), 8, 3)]));
}

#[test]
fn a_grid_s_barrier_orders_all() {
    let world = World::new(3, 40);
    world.write((2, 39), 8, 1).expect("a write");
    let all: Vec<Who> = (0..3).flat_map(|b| (0..40).map(move |t| (b, t))).collect();
    world.meet("grid_sync", Some(MemoryScope::Device), &all);
    assert!(!races([world.read((0, 0), 8, 2)]));
    assert!(races([world.write((1, 0), 8, 3)]));
}

#[test]
fn a_thread_that_has_returned_counts_as_having_arrived() {
    let world = World::new(1, 64);
    world.write((0, 63), 8, 1).expect("a write");
    (0..5).for_each(|_| world.fence((0, 63), MemoryScope::Block));
    world.write((0, 63), 12, 1).expect("a write");
    world.end((0, 63));
    world.barrier(0, 63);
    assert!(!races([world.read((0, 0), 8, 2), world.read((0, 0), 12, 2)]));
}

#[test]
fn a_thread_that_has_returned_is_no_party_to_what_does_not_expect_it() {
    let half: Vec<Who> = (16..32).map(|t| (0, t)).collect();
    let expected = [
        (Expected::Block, false),
        (Expected::Cluster, false),
        (Expected::Lanes(u32::MAX), false),
        (Expected::Lanes(0xffff_0000), true),
        (Expected::Count, true),
    ];
    for (of, races_then) in expected {
        let world = World::new(1, 32);
        world.write((0, 3), 8, 1).expect("a write");
        (0..16).for_each(|t| world.end((0, t)));
        world.meet_of("meeting", of, Some(MemoryScope::Block), &half);
        assert_eq!(races([world.read((0, 20), 8, 2)]), races_then, "{of:?}");
    }
}

#[test]
fn sync_warp_leaves_the_returned_threads_of_other_warps_out() {
    let world = World::new(1, 64);
    world.write((0, 40), 8, 1).expect("a write");
    world.write((0, 1), 16, 1).expect("a write");
    (1..64).for_each(|t| world.end((0, t)));
    world.sync_warp(&[(0, 0)]);
    assert!(!races([world.read((0, 0), 16, 2)]));
    assert!(races([world.read((0, 0), 8, 3)]));
}

#[test]
fn a_cluster_s_barrier_counts_a_block_that_has_returned() {
    let world = World::of_clusters(2, 2, 2);
    world.write((1, 1), 8, 1).expect("a write");
    [(1, 0), (1, 1)].into_iter().for_each(|who| world.end(who));
    world.meet("cluster_sync", Some(MemoryScope::Cluster), &[(0, 0), (0, 1)]);
    assert!(!races([world.read((0, 0), 8, 2)]));
}

#[test]
fn uneven_epochs_are_exact() {
    let world = World::new(1, 64);
    (0..9).for_each(|_| world.fence((0, 7), MemoryScope::Block));
    world.write((0, 7), 8, 1).expect("a write");
    world.barrier(0, 64);
    world.write((0, 3), 16, 2).expect("a write");
    assert!(!races([world.read((0, 40), 8, 3)]));
    assert!(races([world.read((0, 40), 16, 4)]));
}
