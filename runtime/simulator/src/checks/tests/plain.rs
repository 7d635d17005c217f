//! Plain loads and stores that nothing orders.

use super::*;

#[test]
fn reads_never_race() {
    let world = World::new(3, 64);
    assert!(!races((0..3).flat_map(|b| (0..64).map(move |t| (b, t))).map(|who| world.read(who, 64, 1))));
}

#[test]
fn a_thread_does_not_race_with_itself() {
    let world = World::new(1, 2);
    let who = (0, 1);
    assert!(!races([world.write(who, 8, 1), world.read(who, 8, 2), world.write(who, 8, 3)]));
}

#[test]
fn any_two_threads_race_if_one_stores() {
    for (first, second) in [((0, 0), (0, 1)), ((0, 0), (0, 40)), ((0, 3), (1, 3))] {
        let world = || World::new(2, 64);
        let w = world();
        assert!(races([w.write(first, 8, 1), w.read(second, 8, 2)]));
        let w = world();
        assert!(races([w.read(first, 8, 1), w.write(second, 8, 2)]));
        let w = world();
        assert!(races([w.write(first, 8, 1), w.write(second, 8, 2)]));
        let w = world();
        assert!(!races([w.write(first, 8, 1), w.read(second, 12, 2), w.write(second, 4, 3)]));
    }
}

#[test]
fn a_race_names_both_accesses() {
    let world = World::new(2, 64);
    world.write((0, 33), 8, 10).expect("the first access");
    let race = race(world.read((1, 2), 8, 20));
    assert_eq!((race.memory, race.bytes, race.lines()), ("global", 4, (10, 20)));
    assert_eq!((race.first.block, race.first.thread), ([0, 0, 0], [33, 0, 0]));
    assert_eq!((race.second.block, race.second.thread), ([1, 0, 0], [2, 0, 0]));
    assert_eq!(
        race.to_string(),
        "data race on 4 bytes of global memory: thread (33, 0, 0) of block (0, 0, 0) of kernel `test` writes at test.rs:10, \
         thread (2, 0, 0) of block (1, 0, 0) of kernel `test` reads at test.rs:20, and nothing orders the two; blocks run in any \
         order: use atomic operations, a flag stored with `Ordering::Release` and loaded with `Ordering::Acquire`, \
         `grid_sync()` in a cooperative launch, or a second launch"
    );
}

#[test]
fn the_hint_depends_on_how_far_the_threads_are_apart() {
    let hint = |first, second| {
        let world = World::of_clusters(4, 64, 2);
        world.write(second, 100, 1).expect("an access at the first line");
        world.write(first, 8, 1).expect("the first access");
        race(world.write(second, 8, 2)).hint
    };
    assert!(hint((0, 0), (0, 31)).contains("`sync_warp()`"));
    assert!(hint((0, 0), (0, 32)).starts_with("put `sync_threads()`"));
    assert!(hint((0, 0), (1, 0)).contains("`cluster_sync()`"));
    assert!(hint((1, 0), (2, 0)).contains("`grid_sync()`"));
}

#[test]
fn the_first_of_many_readers_that_is_not_ordered_is_found() {
    let world = World::new(1, 64);
    (0..64).for_each(|t| world.read((0, t), 8, 1).expect("a read"));
    world.barrier(0, 64);
    world.read((0, 40), 8, 2).expect("a read");
    assert_eq!(race(world.write((0, 3), 8, 3)).first.thread, [40, 0, 0]);
}

#[test]
fn bytes_are_exact() {
    let world = World::new(1, 64);
    let byte = |who, address| world.access(AccessKind::Write, who, (address, 1), 1, SHARED);
    assert!(!races((0..64).map(|t| byte((0, t), 100 + t as usize))));
    assert!(!races([world.access(AccessKind::Read, (0, 5), (105, 1), 2, SHARED)]));
    assert!(races([world.access(AccessKind::Read, (0, 5), (104, 2), 2, SHARED)]));
    let wide = |address, bytes| world.access(AccessKind::Write, (0, 9), (address, bytes), 3, SHARED);
    assert!(!races([wide(4090, 6)]));
    assert!(races([world.access(AccessKind::Read, (0, 8), (4095, 4), 4, SHARED)]));
}

#[test]
fn what_is_shared_ends_with_its_block_and_what_is_global_does_not() {
    let world = World::new(1, 32);
    world.access(AccessKind::Write, (0, 0), (8, 4), 1, SHARED).expect("a write");
    world.write((0, 0), 64, 1).expect("a write");
    (0..32).for_each(|t| world.end((0, t)));
    let launch = SimLaunch::new("test", [2, 1, 1], [32, 1, 1]);
    world.races.on_launch(&launch);
    for block in 0..2 {
        world.races.on_block([block, 0, 0]);
        assert!(!races([world.access(AccessKind::Write, (block.into(), 3), (8, 4), 1, SHARED)]));
        (0..32).for_each(|t| world.end((block.into(), t)));
    }
    world.races.on_launch(&launch);
    world.races.on_block([0, 0, 0]);
    assert!(!races([world.write((0, 0), 64, 1)]), "launches come one after the other");
    (0..32).for_each(|t| world.end((0, t)));
    world.races.on_block([1, 0, 0]);
    assert!(races([world.read((1, 0), 64, 2)]), "blocks do not");
}

#[test]
fn what_nobody_else_can_touch_is_not_looked_at() {
    let world = World::new(1, 2);
    let write = |who, space| world.access(AccessKind::Write, who, (8, 4), 1, space);
    for space in [Space::Local, Space::Constant] {
        assert!(!races([write((0, 0), space), write((0, 1), space)]));
    }
}
