//! Grids of 100,000 threads.

use std::time::Instant;

use super::*;

const BLOCKS: u64 = 400;
const THREADS: u32 = 256;

fn everybody() -> impl Iterator<Item = Who> {
    (0..BLOCKS).flat_map(|block| (0..THREADS).map(move |thread| (block, thread)))
}

fn grid() -> World {
    World::new(BLOCKS as u32, THREADS)
}

#[test]
fn one_place_that_all_read_and_one_counter_of_all() {
    let world = grid();
    assert!(!races(everybody().map(|who| world.read(who, 0, 1))));
    assert!(!races(everybody().map(|who| world.update(who, 64, Ordering::Relaxed, MemoryScope::Device))));
    assert!(races([world.write((0, 0), 0, 2)]));
}

#[test]
fn every_thread_releases_to_the_last() {
    let world = grid();
    for (i, who) in everybody().enumerate() {
        world.write(who, 4096 + 4 * i, 1).expect("its own");
        world.fence(who, MemoryScope::Device);
        world.update(who, 64, Ordering::Relaxed, MemoryScope::Device).expect("the counter");
    }
    let last = (BLOCKS - 1, THREADS - 1);
    world.fence(last, MemoryScope::Device);
    assert!(!races((0..everybody().count()).map(|i| world.read(last, 4096 + 4 * i, 2))));
}

#[test]
fn rows_that_many_read_share_their_histories() {
    let world = grid();
    let start = Instant::now();
    for who in everybody() {
        for k in 0..16 {
            let row = who.0 as usize % 64 * 1024;
            world.read(who, row + 4 * k, 1).expect("a read");
        }
    }
    println!("figure races_reads_per_second {:.0}", 16.0 * 102_400.0 / start.elapsed().as_secs_f64());
}
