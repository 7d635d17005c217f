//! Tests of the simulator with closures in place of kernels.

mod clusters;
mod counting;
mod faults;
mod recovery;
mod rendezvous;
mod schedule;
mod speed;

use std::cell::Cell;

use super::{Settings, SimFault, SimLaunch, SimReport, context, run};

/// Runs `thread` in every thread of one-dimensional blocks; a barrier waits for all of them.
fn simulate(blocks: u32, threads: u32, thread: impl Fn()) -> Result<SimReport, SimFault> {
    let settings = Settings { returned_threads_pass: false, ..Settings::default() };
    run(&SimLaunch { settings, ..SimLaunch::new("test", [blocks, 1, 1], [threads, 1, 1]) }, &thread)
}

/// The fault that `thread` ends with in one block.
fn fault(threads: u32, thread: impl Fn()) -> SimFault {
    match simulate(1, threads, thread) {
        Err(fault) => fault,
        Ok(report) => panic!("no fault: {report:?}"),
    }
}

/// Shared memory of `len` elements, as cells; the same for calls with the same `line`.
fn shared<'a, T: Copy>(line: u32, len: usize) -> &'a [Cell<T>] {
    let site = context::SharedSite { file: "tests.rs", line, column: 1, instance: None };
    let ptr = context::shared_alloc(site, len * size_of::<T>(), align_of::<T>());
    // SAFETY: as long and as aligned as asked for; the tests use numbers, which any bytes are.
    unsafe { std::slice::from_raw_parts(ptr.cast::<Cell<T>>(), len) }
}

/// Global memory that threads may write.
fn global<T: Copy>(value: T, len: usize) -> Vec<Cell<T>> {
    vec![Cell::new(value); len]
}

fn values<T: Copy>(cells: &[Cell<T>]) -> Vec<T> {
    cells.iter().map(Cell::get).collect()
}

fn tid() -> u32 {
    context::thread_idx()[0]
}

/// The lowest 4 bytes of what a lane brought to a warp operation.
fn number(lane: Option<[u8; 16]>) -> Option<u32> {
    lane.map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn payload(value: u32) -> [u8; 16] {
    u128::from(value).to_le_bytes()
}
