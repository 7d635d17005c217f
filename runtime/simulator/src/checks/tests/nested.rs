//! Grids that kernels launch.

use crate::simulator::ChildOrder;

use super::*;

/// A parent of one block of two threads, of which the first launches; then what the tests do in the child.
fn parent() -> World {
    let world = World::new(1, 2);
    world.write((0, 0), 8, 1).expect("before the launch");
    world.write((0, 1), 16, 2).expect("by another thread");
    world
}

fn launch(world: &World, child: u64, order: ChildOrder) {
    world.races.on_child(&world.thread((0, 0)), child, order);
}

fn finish(world: &World) {
    (0..2).for_each(|t| world.end((0, t)));
}

fn begin(world: &World, child: u64) {
    world.races.on_child_begin(child);
    world.begin("child", 1);
}

fn end(world: &World, child: u64) {
    finish(world);
    world.races.on_child_end(child);
}

#[test]
fn a_child_knows_what_its_launching_thread_knew() {
    for order in [ChildOrder::Block, ChildOrder::Free] {
        let world = parent();
        launch(&world, 1, order);
        world.write((0, 0), 24, 3).expect("after the launch");
        finish(&world);
        begin(&world, 1);
        assert!(!races([world.read((0, 1), 8, 4)]));
        assert!(races([world.read((0, 1), 24, 5)]));
        let race = race(world.read((0, 0), 16, 6));
        assert_eq!((race.first.kernel.as_str(), race.second.kernel.as_str()), ("test", "child"));
    }
}

#[test]
fn a_tail_launch_knows_the_whole_grid_and_its_children() {
    let world = parent();
    launch(&world, 1, ChildOrder::Free);
    launch(&world, 2, ChildOrder::Tail);
    world.write((0, 0), 24, 3).expect("after the launch");
    finish(&world);
    begin(&world, 1);
    world.write((0, 1), 32, 4).expect("by the child");
    end(&world, 1);
    begin(&world, 2);
    assert!(!races([8, 16, 24, 32].map(|address| world.read((0, 0), address, 5))));
}

#[test]
fn children_of_a_block_follow_each_other_unless_they_are_free() {
    for (order, expected) in [(ChildOrder::Block, false), (ChildOrder::Free, true)] {
        let world = parent();
        launch(&world, 1, order);
        launch(&world, 2, order);
        finish(&world);
        begin(&world, 1);
        world.write((0, 0), 64, 3).expect("by the first");
        end(&world, 1);
        begin(&world, 2);
        assert_eq!(races([world.read((0, 1), 64, 4)]), expected);
    }
}

#[test]
fn the_next_launch_of_the_host_starts_anew() {
    let world = parent();
    launch(&world, 1, ChildOrder::Free);
    finish(&world);
    begin(&world, 1);
    world.write((0, 0), 64, 3).expect("by the child");
    end(&world, 1);
    world.begin("next", 1);
    assert!(!races([world.write((0, 1), 64, 4), world.read((0, 0), 8, 5)]));
}
