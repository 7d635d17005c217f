//! Barriers that count arrivals and bytes: what each phase orders before its waiters.
//!
//! Source: PTX ISA, `mbarrier`, memory consistency model, async proxy.

use rustc_hash::FxHashMap;

use super::clock::{Asks, Clock, Group, Key};
use super::threads::{Agent, Threads};
use crate::simulator::{Line, MbarrierUse, MemoryScope};

/// Marks a number that is a barrier's: a thread that knows epoch `n` of it knows that `n` phases are complete.
const BARRIER: Key = 1 << 45;

/// The thread that initialised a barrier.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub by: Key,
    pub epoch: u32,
    /// Where.
    pub at: Line,
}

/// The accesses released in a phase, and in the phases before the open one.
#[derive(Default)]
struct Released {
    open: Clock,
    done: Clock,
}

/// One barrier.
struct Counting {
    key: Key,
    made: Made,
    /// The thread that has made it visible to the copy engine by `fence_mbarrier_init`, and its epoch then.
    fenced: Option<(Key, u32)>,
    /// Phases that are complete.
    phases: u32,
    /// For the threads of its block, and for those that wait for what the cluster released.
    block: Released,
    cluster: Released,
    /// The accesses of arriving threads before their arrivals, released or not.
    arrived: Released,
}

/// The barriers of the blocks that run, by address.
#[derive(Default)]
pub(super) struct CountingBarriers {
    live: FxHashMap<usize, Counting>,
    next: u64,
}

impl CountingBarriers {
    /// The shared memory is that of other blocks.
    pub fn clear(&mut self) {
        self.live.clear();
    }

    /// The barrier at an address was made, and nothing orders that before what the thread does now.
    pub fn unordered(&self, address: usize, by: Key, agent: &Agent) -> Option<Made> {
        let made = self.live.get(&address)?.made;
        (made.by != by && agent.clock.get(made.by) < made.epoch).then_some(made)
    }

    /// The barrier at an address was made, and the copy engine may not see that yet.
    pub fn invisible(&self, address: usize, by: Key, agent: &Agent) -> Option<Made> {
        let Counting { made, fenced, .. } = self.live.get(&address)?;
        let fenced = fenced.is_some_and(|(fencer, epoch)| fencer == by || agent.clock.get(fencer) >= epoch);
        let visible = agent.clock.ordered(made.by, Asks::Engine { global: false }) >= made.epoch;
        (!fenced && !visible).then_some(*made)
    }

    /// A thread does something with a barrier.
    pub fn operate(&mut self, address: usize, does: MbarrierUse, by: Key, agent: &mut Agent, at: Line) {
        if does == MbarrierUse::Init {
            let key = BARRIER | self.next;
            self.next += 1;
            let made = Made { by, epoch: agent.epoch, at };
            let [block, cluster, arrived] = [(); 3].map(|()| Released::default());
            self.live
                .insert(address, Counting { key, made, fenced: None, phases: 0, block, cluster, arrived });
            return;
        }
        let Some(barrier) = self.live.get_mut(&address) else { return };
        match does {
            MbarrierUse::Init | MbarrierUse::Expect | MbarrierUse::Look => {}
            MbarrierUse::Arrive(None) | MbarrierUse::Wait(None) => {}
            MbarrierUse::Inval => {
                self.live.remove(&address);
            }
            MbarrierUse::Arrive(Some(MemoryScope::Block)) => barrier.block.open.join(&agent.release(by)),
            MbarrierUse::Arrive(Some(_)) => {
                let clock = agent.release(by);
                barrier.block.open.join_loads(&clock);
                barrier.cluster.open.join(&clock);
                barrier.arrived.open.join(&clock);
            }
            MbarrierUse::ArriveAfterLoads { orders } => {
                let clock = agent.release(by);
                if orders {
                    barrier.block.open.join_loads(&clock);
                }
                barrier.arrived.open.join(&clock);
            }
            MbarrierUse::Wait(Some(scope)) => barrier.acquired(by, agent, scope),
            MbarrierUse::Complete(_) => barrier.complete(),
        }
    }

    /// A thread makes the barriers that it has made visible to the copy engine.
    pub fn fence(&mut self, by: Key, agent: &mut Agent) {
        for barrier in self.live.values_mut().filter(|barrier| barrier.made.by == by) {
            barrier.fenced.get_or_insert((by, agent.epoch));
        }
        agent.epoch += 1;
    }

    /// The copies of these numbers have told a barrier that they are complete.
    pub fn count(&self, address: usize, copies: [u64; 2], threads: &mut Threads) {
        if let Some(barrier) = self.live.get(&address) {
            copies.into_iter().for_each(|copy| threads.count_copy(barrier.key, barrier.phases + 1, copy));
        }
    }
}

impl Counting {
    fn complete(&mut self) {
        self.phases += 1;
        self.block.open.raise(self.key, Group::Thread, self.phases);
        self.block.done = self.block.open.clone();
        self.cluster.done = self.cluster.open.clone();
        self.arrived.done = self.arrived.open.clone();
    }

    /// A thread that has waited knows what was released; the loads before an arrival are over for the copy engine too.
    fn acquired(&self, by: Key, agent: &mut Agent, scope: MemoryScope) {
        agent.acquire(by, &self.block.done);
        agent.clock.join_loads(&self.block.done);
        agent.hear(&self.arrived.done);
        if scope >= MemoryScope::Cluster {
            agent.acquire(by, &self.cluster.done);
            agent.clock.join_loads(&self.cluster.done);
        }
    }
}
