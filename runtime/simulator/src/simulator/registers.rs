//! Registers that the threads of a block give back and take.
//!
//! Each thread begins with the registers that the launch bounds leave it. A thread can take only registers that other
//! threads of the block have given back, and waits for them. Source: PTX ISA, `setmaxnreg`.

use rustc_hash::FxHashMap;

use super::current::current;
use super::facts::Line;
use super::machine::{Machine, WaitKind};
use super::problem::RegisterProblem;

/// The registers of the blocks that run.
#[derive(Default)]
pub(super) struct Registers(FxHashMap<[u32; 3], Pool>);

/// The registers of a block whose threads have set theirs.
#[derive(Default)]
struct Pool {
    /// Registers that threads have given back.
    free: u32,
    /// Registers of threads that have set them, by the number of the thread in the block.
    held: FxHashMap<u32, u32>,
    /// Fibers that wait for others to give some back.
    waiting: Vec<u32>,
}

/// The direction in which an instruction changes the registers of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterChange {
    /// The thread gives registers back.
    Fewer,
    /// The thread takes registers.
    More,
    /// Either, to reach the number of the thread's role.
    Either,
}

/// Gives registers back, or takes some, until the calling thread has `wanted`.
#[track_caller]
pub fn set_registers(operation: &'static str, change: RegisterChange, wanted: u32) {
    let machine = current(operation);
    machine.set_registers((operation, change), wanted, machine.line(Line::caller()));
}

impl Registers {
    /// Forgets all registers, for the next blocks.
    pub fn reset(&mut self) {
        self.0.clear();
    }
}

impl Pool {
    /// Gives a thread this many registers; `false` if there are not enough.
    fn set(&mut self, thread: u32, held: u32, wanted: u32) -> bool {
        if wanted > held + self.free {
            return false;
        }
        self.free = self.free + held - wanted;
        self.held.insert(thread, wanted);
        true
    }
}

impl Machine<'_> {
    fn set_registers(&self, call: (&'static str, RegisterChange), wanted: u32, at: Line) {
        let (operation, change) = call;
        let Some(first) = self.launch.registers else { return };
        self.need_fibers(operation, at);
        let here = self.here.get();
        let held = self.in_pool(|pool| pool.held.get(&here.linear).copied().unwrap_or(first));
        let gives = match change {
            RegisterChange::Fewer => true,
            RegisterChange::More => false,
            RegisterChange::Either => wanted <= held,
        };
        if gives && wanted > held || !gives && wanted < held {
            self.raise_misuse(operation, RegisterProblem { held, wanted }, at);
        }
        while !self.in_pool(|pool| pool.set(here.linear, held, wanted)) {
            self.in_pool(|pool| pool.waiting.push(here.fiber));
            let free = self.in_pool(|pool| pool.free);
            self.note_wait(WaitKind::Registers { operation, held, wanted, free }, at);
            self.suspend();
        }
        if gives {
            let waiting = self.in_pool(|pool| std::mem::take(&mut pool.waiting));
            self.queues.ready.borrow_mut().extend(waiting);
        }
    }

    fn in_pool<R>(&self, work: impl FnOnce(&mut Pool) -> R) -> R {
        work(self.registers.borrow_mut().0.entry(self.here.get().block_idx).or_default())
    }
}
