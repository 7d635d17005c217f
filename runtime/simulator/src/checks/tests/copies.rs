//! Asynchronous copies, from their start until they are waited for.

use super::*;

const FROM: usize = 4096;
const TO: usize = 64;

fn start(world: &World, who: Who, copy: u64) -> Step {
    let from = accessed(AccessKind::Read, (FROM, 4), 10, Space::Global);
    let to = accessed(AccessKind::Write, (TO, 4), 10, SHARED);
    world.races.on_copy_start(&world.thread(who), copy, &from, &to)
}

fn wait(world: &World, who: Who, copy: u64) {
    world.races.on_copy_end(&world.thread(who), copy);
}

fn read(world: &World, who: Who) -> Step {
    world.access(AccessKind::Read, who, (TO, 4), 20, SHARED)
}

#[test]
fn its_own_thread_must_wait() {
    let world = World::new(1, 64);
    start(&world, (0, 0), 1).expect("a copy");
    let race = race(read(&world, (0, 0)));
    assert_eq!(race.first.does.to_string(), "writes (asynchronous copy)");
    assert!(race.hint.starts_with("wait for the copy"), "{race}");
    let world = World::new(1, 64);
    start(&world, (0, 0), 1).expect("a copy");
    wait(&world, (0, 0), 1);
    assert!(!races([read(&world, (0, 0))]));
}

#[test]
fn others_need_the_wait_and_then_a_barrier() {
    let world = World::new(1, 64);
    start(&world, (0, 0), 1).expect("a copy");
    wait(&world, (0, 0), 1);
    world.barrier(0, 64);
    assert!(!races([read(&world, (0, 40))]));
    let world = World::new(1, 64);
    start(&world, (0, 0), 1).expect("a copy");
    world.barrier(0, 64);
    wait(&world, (0, 0), 1);
    assert!(races([read(&world, (0, 40))]));
    let world = World::new(1, 64);
    start(&world, (0, 0), 1).expect("a copy");
    wait(&world, (0, 0), 1);
    assert!(races([read(&world, (0, 40))]));
}

#[test]
fn what_it_reads_may_be_read_and_not_written() {
    let world = World::new(1, 64);
    start(&world, (0, 0), 1).expect("a copy");
    assert!(!races([world.read((0, 0), FROM, 30)]));
    assert!(races([world.write((0, 0), FROM, 31)]));
}

#[test]
fn what_came_before_the_start_is_ordered_before_it() {
    let world = World::new(1, 64);
    assert!(!races([world.access(AccessKind::Write, (0, 0), (TO, 4), 5, SHARED), start(&world, (0, 0), 1),]));
    let world = World::new(1, 64);
    assert!(races([world.access(AccessKind::Read, (0, 1), (TO, 4), 5, SHARED), start(&world, (0, 0), 1),]));
}

#[test]
fn two_copies_to_one_place_race_until_the_first_is_waited_for() {
    let world = World::new(1, 64);
    assert!(races([start(&world, (0, 0), 1), start(&world, (0, 0), 2)]));
    let world = World::new(1, 64);
    start(&world, (0, 0), 1).expect("a copy");
    wait(&world, (0, 0), 1);
    assert!(!races([start(&world, (0, 0), 2)]));
}
