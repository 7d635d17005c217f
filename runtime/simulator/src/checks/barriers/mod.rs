//! Which barriers, fences, waits and memory orderings a launch needs.
//!
//! What removing each of them alone did comes in; a report goes out, as data and as text. Runs nothing:
//! `Launch::barriers` does.

mod log;
mod reached;
mod text;

pub use log::BarrierLog;
#[doc(hidden)]
pub use reached::Reached;

use crate::simulator::{DataRace, SimFault, Synchronisation};

/// Which of its synchronisations a launch needs, or several launches of one kernel do.
///
/// It prints as a table that is the same for the same launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Barriers {
    /// The kernel.
    pub kernel: String,
    /// How many launches were looked at.
    pub launches: u64,
    /// Every synchronisation of the kernel, its functions, and the kernels that it launches, in the order of
    /// the text. Those in functions of this library stand where these are called, if they were reached.
    pub list: Vec<Barrier>,
}

/// A barrier, fence, wait or memory ordering, and its purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Barrier {
    /// Its kind and its location.
    pub synchronisation: Synchronisation,
    /// How often a thread came to it.
    pub reached: u64,
    /// The effect of its removal.
    pub verdict: Verdict,
}

/// The effect of removing one synchronisation from a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// No thread came to it.
    NotReached,
    /// The same: no data race, no fault, no other result.
    Redundant,
    /// No data race. It is a fence or an ordering of a launch with atomics, and what these could see of each
    /// other without it, the simulator does not show: its memory is sequentially consistent.
    Unseen,
    /// Two accesses race that it orders.
    Race(Box<DataRace>),
    /// The launch ends with another fault.
    Fault(Box<SimFault>),
    /// It gives another result: which bytes of what.
    OtherResult(String),
}

impl Verdict {
    /// Whether the launch goes wrong without it.
    pub fn is_needed(&self) -> bool {
        match self {
            Verdict::NotReached | Verdict::Redundant | Verdict::Unseen => false,
            Verdict::Race(_) | Verdict::Fault(_) | Verdict::OtherResult(_) => true,
        }
    }

    /// What holds if this was found in one launch and the other in another.
    fn or(self, other: Self) -> Self {
        let weight = |verdict: &Self| match verdict {
            Verdict::NotReached => 0,
            Verdict::Redundant => 1,
            Verdict::Unseen => 2,
            Verdict::OtherResult(_) | Verdict::Fault(_) | Verdict::Race(_) => 3,
        };
        if weight(&self) >= weight(&other) { self } else { other }
    }
}

impl From<SimFault> for Verdict {
    fn from(fault: SimFault) -> Self {
        match fault {
            SimFault::DataRace(race) => Verdict::Race(race),
            fault => Verdict::Fault(fault.into()),
        }
    }
}

impl Barriers {
    /// A report about one launch, without anything in it.
    #[doc(hidden)]
    pub fn new(kernel: &str) -> Self {
        Self { kernel: kernel.to_owned(), launches: 1, list: Vec::new() }
    }

    /// Adds a synchronisation; what is known of it already is kept if it weighs more.
    #[doc(hidden)]
    pub fn add(&mut self, new: Barrier) {
        match self.list.binary_search_by_key(&new.synchronisation, |barrier| barrier.synchronisation) {
            Ok(known) => {
                let known = &mut self.list[known];
                known.reached += new.reached;
                let verdict = std::mem::replace(&mut known.verdict, Verdict::NotReached);
                known.verdict = verdict.or(new.verdict);
            }
            Err(place) => self.list.insert(place, new),
        }
    }

    /// Adds what another launch of the kernel needs: what one of them needs is needed.
    pub fn join(&mut self, other: Barriers) {
        self.launches += other.launches;
        other.list.into_iter().for_each(|barrier| self.add(barrier));
    }

    /// Those that were reached and that nothing needs.
    pub fn redundant(&self) -> impl Iterator<Item = &Barrier> {
        self.list.iter().filter(|barrier| barrier.verdict == Verdict::Redundant)
    }
}

impl Barrier {
    #[doc(hidden)]
    pub fn new(synchronisation: Synchronisation, reached: u64, verdict: Verdict) -> Self {
        Self { synchronisation, reached, verdict }
    }
}
