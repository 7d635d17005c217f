//! Atomic and volatile operations, fences, and their scopes.

use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::*;

const FLAG: usize = 1024;
const DATA: usize = 8;
const SCOPES: [MemoryScope; 4] =
    [MemoryScope::Block, MemoryScope::Cluster, MemoryScope::Device, MemoryScope::System];

/// A writer's data, a flag with these orderings and scopes, and a reader at a distance; whether they race.
fn message(
    reader: Who,
    (store, load): (Ordering, Ordering),
    (written, read): (MemoryScope, MemoryScope),
) -> bool {
    let world = World::of_clusters(4, 64, 2);
    world.write((0, 0), DATA, 1).expect("the data");
    world.store((0, 0), FLAG, store, written).expect("the flag");
    match world.load(reader, FLAG, load, read) {
        Ok(()) => races([world.read(reader, DATA, 2)]),
        Err(_) => true,
    }
}

#[test]
fn atomics_race_where_a_scope_does_not_hold_both_threads() {
    for (other, needed) in [((0, 40), 0), ((1, 0), 1), ((2, 0), 2)] {
        for (i, first) in SCOPES.into_iter().enumerate() {
            for (j, second) in SCOPES.into_iter().enumerate() {
                let world = World::of_clusters(4, 64, 2);
                world.update((0, 0), FLAG, Relaxed, first).expect("the first");
                let expected = i.min(j) < needed;
                assert_eq!(
                    races([world.update(other, FLAG, Relaxed, second)]),
                    expected,
                    "{other:?} {i} {j}"
                );
            }
        }
    }
}

#[test]
fn atomic_loads_never_race_with_each_other_or_with_reads() {
    let world = World::new(2, 2);
    assert!(!races([
        world.load((0, 0), FLAG, Relaxed, MemoryScope::Block),
        world.load((1, 0), FLAG, Relaxed, MemoryScope::Block),
        world.read((1, 1), FLAG, 1),
    ]));
}

#[test]
fn an_atomic_and_a_plain_access_race() {
    let device = MemoryScope::Device;
    let world = World::new(2, 2);
    assert!(races([world.update((0, 0), FLAG, Relaxed, device), world.read((1, 0), FLAG, 1)]));
    let world = World::new(2, 2);
    assert!(races([world.write((0, 0), FLAG, 1), world.update((0, 1), FLAG, Relaxed, device)]));
    let world = World::new(2, 2);
    assert!(races([world.read((0, 0), FLAG, 1), world.store((0, 1), FLAG, Relaxed, device)]));
    let world = World::new(2, 2);
    world.update((0, 0), FLAG, Relaxed, device).expect("an atomic");
    world.barrier(0, 2);
    assert!(!races([world.write((0, 1), FLAG, 1)]));
}

#[test]
fn every_unordered_atomic_is_remembered() {
    let world = World::new(1, 64);
    for lane in 0..2 {
        world.atomic((0, lane), FLAG, (false, true), Relaxed, MemoryScope::Device).expect("an atomic");
    }
    world.sync_warp(&[(0, 1), (0, 2)]);
    assert_eq!(race(world.write((0, 2), FLAG, 1)).first.thread, [0, 0, 0]);
}

#[test]
fn an_atomic_that_an_ordered_one_has_observed_is_ordered() {
    // What the first two do, as (loads, stores) and scope, and whether the third, after the second, may store plainly.
    let (update, store, load) = ((true, true), (false, true), (true, false));
    let (device, block) = (MemoryScope::Device, MemoryScope::Block);
    let cases = [
        ((update, device), (update, device), true),
        ((store, device), (load, device), true),
        ((store, device), (update, device), true),
        ((store, device), (store, device), false),
        ((update, device), (store, device), false),
        ((load, device), (update, device), false),
        ((load, device), (load, device), false),
        ((update, block), (update, block), true),
    ];
    for ((first, its_scope), (second, scope), clean) in cases {
        let world = World::new(1, 64);
        world.atomic((0, 0), FLAG, first, Relaxed, its_scope).expect("an atomic");
        world.atomic((0, 1), FLAG, second, Relaxed, scope).expect("an atomic");
        world.sync_warp(&[(0, 1), (0, 2)]);
        assert_eq!(world.write((0, 2), FLAG, 1).is_ok(), clean, "{first:?} {second:?}");
    }
}

#[test]
fn an_observation_is_forgotten_neither_by_its_thread_nor_for_others() {
    let world = World::new(1, 64);
    world.atomic((0, 0), FLAG, (false, true), Relaxed, MemoryScope::Device).expect("a store");
    for _ in 0..3 {
        world.atomic((0, 1), FLAG, (true, false), Relaxed, MemoryScope::Device).expect("a load");
        world.sync_warp(&[(0, 1), (0, 2)]);
    }
    world.atomic((0, 1), FLAG, (true, false), Relaxed, MemoryScope::Device).expect("a load");
    assert!(world.read((0, 2), FLAG, 1).is_ok(), "the first load is ordered, and has seen the store");
    assert!(world.read((0, 3), FLAG, 1).is_err());
    assert!(world.write((0, 2), FLAG, 1).is_err(), "the last load is not ordered");
}

#[test]
fn atomics_of_different_widths_race() {
    let world = World::new(2, 2);
    let kind = AccessKind::Atomic { reads: true, writes: true, order: Relaxed, scope: MemoryScope::Device };
    world.access(kind, (0, 0), (FLAG, 8), 1, Space::Global).expect("the wide one");
    let race = race(world.access(kind, (1, 0), (FLAG + 4, 4), 2, Space::Global));
    assert!(race.hint.contains("one type"), "{race}");
}

#[test]
fn the_hint_of_atomics_names_a_wider_scope() {
    let world = World::new(2, 2);
    world.update((0, 0), FLAG, Relaxed, MemoryScope::Block).expect("an atomic");
    let race = race(world.update((1, 0), FLAG, Relaxed, MemoryScope::Device));
    assert!(race.hint.contains("use `atomic(…)`"), "{race}");
}

#[test]
fn a_release_and_an_acquire_order_if_both_scopes_hold_both() {
    for (reader, needed) in [((0, 40), 0), ((1, 0), 1), ((3, 0), 2)] {
        for (i, written) in SCOPES.into_iter().enumerate() {
            for (j, read) in SCOPES.into_iter().enumerate() {
                let expected = i.min(j) < needed;
                assert_eq!(
                    message(reader, (Release, Acquire), (written, read)),
                    expected,
                    "{reader:?} {i} {j}"
                );
            }
        }
    }
}

#[test]
fn both_sides_must_order() {
    let device = (MemoryScope::Device, MemoryScope::Device);
    for (store, load, expected) in [
        (Release, Acquire, false),
        (SeqCst, SeqCst, false),
        (SeqCst, Acquire, false),
        (Release, SeqCst, false),
        (Relaxed, Acquire, true),
        (Release, Relaxed, true),
        (Relaxed, Relaxed, true),
    ] {
        assert_eq!(message((2, 0), (store, load), device), expected, "{store:?} {load:?}");
    }
}

#[test]
fn what_is_done_after_a_release_is_not_released() {
    let world = World::new(2, 1);
    world.store((0, 0), FLAG, Release, MemoryScope::Device).expect("the flag");
    world.write((0, 0), DATA, 1).expect("the data");
    world.load((1, 0), FLAG, Acquire, MemoryScope::Device).expect("the flag");
    assert!(races([world.read((1, 0), DATA, 2)]));
}

/// A writer's data, a fence, a relaxed flag; the flag, a fence, and the data in another block.
fn fenced(writer: Option<MemoryScope>, reader: Option<MemoryScope>, volatile: bool) -> bool {
    let world = World::new(2, 1);
    let (a, b) = ((0, 0), (1, 0));
    world.write(a, DATA, 1).expect("the data");
    writer.inspect(|scope| world.fence(a, *scope));
    if volatile {
        world.volatile(a, FLAG, true).expect("the flag");
        world.volatile(b, FLAG, false).expect("the flag");
    } else {
        world.store(a, FLAG, Relaxed, MemoryScope::Device).expect("the flag");
        world.load(b, FLAG, Relaxed, MemoryScope::Device).expect("the flag");
    }
    reader.inspect(|scope| world.fence(b, *scope));
    races([world.read(b, DATA, 2)])
}

#[test]
fn fences_around_a_relaxed_flag_order_if_their_scopes_are_wide_enough() {
    let (block, device) = (Some(MemoryScope::Block), Some(MemoryScope::Device));
    for volatile in [false, true] {
        assert!(!fenced(device, device, volatile));
        assert!(!fenced(Some(MemoryScope::System), device, volatile));
        assert!(fenced(block, device, volatile));
        assert!(fenced(device, block, volatile));
        assert!(fenced(None, device, volatile));
        assert!(fenced(device, None, volatile));
    }
}

#[test]
fn a_fence_before_the_data_or_after_the_flag_orders_nothing() {
    let device = MemoryScope::Device;
    let world = World::new(2, 1);
    world.fence((0, 0), device);
    world.write((0, 0), DATA, 1).expect("the data");
    world.store((0, 0), FLAG, Relaxed, device).expect("the flag");
    world.fence((0, 0), device);
    world.load((1, 0), FLAG, Relaxed, device).expect("the flag");
    world.fence((1, 0), device);
    assert!(races([world.read((1, 0), DATA, 2)]));
}

#[test]
fn a_fence_before_the_load_of_the_flag_orders_nothing() {
    let device = MemoryScope::Device;
    let world = World::new(2, 1);
    world.write((0, 0), DATA, 1).expect("the data");
    world.store((0, 0), FLAG, Release, device).expect("the flag");
    world.fence((1, 0), device);
    world.load((1, 0), FLAG, Relaxed, device).expect("the flag");
    assert!(races([world.read((1, 0), DATA, 2)]));
}

#[test]
fn a_read_modify_write_passes_on_what_was_released_and_a_store_does_not() {
    let device = MemoryScope::Device;
    for (update, expected) in [(true, false), (false, true)] {
        let world = World::new(3, 1);
        world.write((0, 0), DATA, 1).expect("the data");
        world.store((0, 0), FLAG, Release, device).expect("the flag");
        world.atomic((1, 0), FLAG, (update, true), Relaxed, device).expect("the flag");
        world.load((2, 0), FLAG, Acquire, device).expect("the flag");
        assert_eq!(races([world.read((2, 0), DATA, 2)]), expected);
    }
}

#[test]
fn order_passes_from_scope_to_scope() {
    let world = World::new(2, 64);
    world.write((0, 0), DATA, 1).expect("the data");
    world.barrier(0, 64);
    world.fence((0, 5), MemoryScope::Device);
    world.update((0, 5), FLAG, Relaxed, MemoryScope::Device).expect("the counter");
    world.update((1, 7), FLAG, Relaxed, MemoryScope::Device).expect("the counter");
    world.fence((1, 7), MemoryScope::Device);
    world.barrier(1, 64);
    assert!(!races([world.read((1, 60), DATA, 2)]));
}

#[test]
fn the_last_of_many_blocks_knows_all() {
    for fence in [true, false] {
        let world = World::new(50, 32);
        for block in 0..50 {
            (0..32).for_each(|t| {
                world.write((block, t), 4096 + 128 * block as usize + 4 * t as usize, 1).expect("part")
            });
            world.barrier(block, 32);
            if fence {
                world.fence((block, 0), MemoryScope::Device);
            }
            world
                .update((block, 0), FLAG, if fence { Relaxed } else { Release }, MemoryScope::Device)
                .expect("ticket");
        }
        let last = (49, 0);
        if fence {
            world.fence(last, MemoryScope::Device);
        } else {
            world.load(last, FLAG, Acquire, MemoryScope::Device).expect("ticket");
        }
        world.barrier(49, 32);
        assert!(!races((0..50).map(|block| world.read((49, 31), 4096 + 128 * block, 2))));
    }
}

#[test]
fn a_lock_orders_its_owners() {
    let device = MemoryScope::Device;
    let world = World::new(4, 1);
    for block in 0..4 {
        world.update((block, 0), FLAG, Acquire, device).expect("locked");
        assert!(!races([world.read((block, 0), DATA, 1), world.write((block, 0), DATA, 2)]));
        world.store((block, 0), FLAG, Release, device).expect("unlocked");
    }
    assert!(!races([world.update((0, 0), FLAG, AcqRel, device), world.write((0, 0), DATA, 3)]));
}

#[test]
fn a_plain_store_to_a_flag_releases_nothing() {
    let world = World::new(1, 64);
    let block = MemoryScope::Block;
    world.store((0, 0), FLAG, Release, block).expect("the flag");
    world.barrier(0, 64);
    world.write((0, 1), DATA, 1).expect("the data");
    world.write((0, 1), FLAG, 2).expect("the flag");
    world.sync_warp(&[(0, 1), (0, 2)]);
    world.load((0, 2), FLAG, Acquire, block).expect("the flag");
    world.write((0, 0), DATA + 64, 1).expect("more");
    assert!(!races([world.read((0, 2), DATA, 3)]));
    assert!(races([world.read((0, 2), DATA + 64, 4)]));
}
