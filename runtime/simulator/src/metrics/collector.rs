//! The observer: groups lanes into requests, and counts each by its line.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::LANES;
use super::counted::Counted;
use super::counts::Counts;
use super::report::{Report, Row};
use super::warp::{Class, Key, Warp};
use crate::simulator::{
    Access, AccessKind, Branch, Instruction, Interests, Line, MbarrierEvent, MbarrierUse, Meeting, Observer,
    Operation, SimFault, SimLaunch, SimReport, Space, Thread, TransferEvent,
};

/// Requests that are kept open at most, of all warps that run.
pub const OPEN_LIMIT: usize = 1 << 20;

/// Watches launches and counts what they cost; see the module.
///
/// Several launches that it watches are added up.
#[derive(Default)]
pub struct Metrics {
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    kernel: String,
    launches: u64,
    /// Threads of a block of the launch that runs.
    threads: u32,
    /// Warps that have begun, by block and number in it; the one that acted last is in `current`.
    warps: FxHashMap<(u64, u32), Warp>,
    current: Option<((u64, u32), Warp)>,
    /// Where each thread, by block and number in it, has last found a phase of a barrier incomplete.
    looked: FxHashMap<(u64, u32), Line>,
    /// Requests that were open when each warp acted last, added up.
    open: usize,
    limit: Option<usize>,
    counted: Counted,
}

impl Metrics {
    /// An observer that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// An observer that keeps fewer requests open than [`OPEN_LIMIT`].
    pub fn with_open_limit(requests: usize) -> Self {
        let metrics = Self::default();
        metrics.state.borrow_mut().limit = Some(requests);
        metrics
    }

    /// The counts of all launches so far.
    pub fn report(&self) -> Report {
        let state = self.state.borrow();
        let counted = &state.counted;
        let mut lines: BTreeMap<(&'static str, u32), Counts> = BTreeMap::new();
        for (line, counts) in &counted.lines {
            *lines.entry((line.file, line.line)).or_default() += counts;
        }
        let rows: Vec<Row> =
            lines.into_iter().map(|((file, line), counts)| Row::new(file, line, counts)).collect();
        let mut total = Counts::default();
        rows.iter().for_each(|row| total += &row.counts);
        let [read, written] = counted.footprint.bytes();
        Report {
            kernel: state.kernel.clone(),
            launches: state.launches,
            rows,
            total,
            footprint_read: read,
            footprint_written: written,
            forced: counted.forced,
            patterns: counted.patterns.values().cloned().collect(),
            banks: counted.banks.values().cloned().collect(),
        }
    }

    fn note(&self, by: &Thread, instruction: &Instruction, class: Class, bytes: u32, value: u64) {
        let key = Key { by: *instruction, class, bytes };
        let mut state = self.state.borrow_mut();
        state.with(by, |warp, lane, counted| {
            warp.join(lane, key, value, &mut |key, addresses| counted.request(key, addresses));
        });
        state.keep_to_limit();
    }
}

impl Observer for Metrics {
    fn interests(&self) -> Interests {
        Interests { accesses: true, branches: true, work: true, instances: true, ..Interests::default() }
    }

    fn on_launch(&self, launch: &SimLaunch<'_>) {
        let mut state = self.state.borrow_mut();
        if state.launches == 0 {
            launch.kernel.clone_into(&mut state.kernel);
        }
        state.launches += 1;
        state.threads = launch.block.iter().product();
        // What a launch that a fault ended has left.
        (state.current, state.open) = (None, 0);
        state.warps.clear();
        state.looked.clear();
    }

    fn on_access(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        if let Some(class) = class(by, access) {
            self.note(by, &access.by, class, access.bytes, access.address as u64);
        }
        Ok(())
    }

    fn on_row(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        let class = if access.kind.writes() { Class::MatrixStore } else { Class::MatrixLoad };
        self.note(by, &access.by, class, access.bytes, access.address as u64);
        Ok(())
    }

    fn on_transfer_start(&self, _: &Thread, transfer: &TransferEvent<'_>) -> Result<(), SimFault> {
        self.state.borrow_mut().counted.transfer(transfer);
        Ok(())
    }

    fn on_mbarrier(&self, by: &Thread, event: &MbarrierEvent, at: Line) -> Result<(), SimFault> {
        let thread = (by.block, by.linear);
        match event.does {
            MbarrierUse::Look => {
                self.state.borrow_mut().looked.insert(thread, at);
            }
            MbarrierUse::Wait(_) => {
                let delayed = self.state.borrow_mut().looked.remove(&thread) == Some(at);
                let by_line = Instruction { at, site: 0, instance: 0 };
                self.note(by, &by_line, Class::Wait, 0, u64::from(delayed));
            }
            _ => {}
        }
        Ok(())
    }

    fn on_copy_start(&self, by: &Thread, _: u64, from: &Access, to: &Access) -> Result<(), SimFault> {
        self.note(by, &from.by, Class::Copy, from.bytes, from.address as u64);
        self.note(by, &to.by, Class::SharedCopy, to.bytes, to.address as u64);
        Ok(())
    }

    fn on_branch(&self, by: &Thread, branch: &Branch) {
        self.note(by, &branch.by, Class::Branch, 0, u64::from(branch.taken));
    }

    fn on_work(&self, by: &Thread, work: Operation, instruction: &Instruction) {
        self.note(by, instruction, Class::Work(work), 0, 0);
    }

    fn on_arrive(&self, by: &Thread, meeting: &Meeting, _at: Line) {
        if !meeting.waits {
            return;
        }
        self.state.borrow_mut().with(by, |warp, lane, counted| {
            warp.wait(lane, meeting.number, &mut |key, addresses| counted.request(key, addresses));
        });
    }

    fn on_thread_end(&self, by: &Thread) {
        let mut state = self.state.borrow_mut();
        let mut last = false;
        state.with(by, |warp, lane, counted| {
            last = warp.end(lane, &mut |key, addresses| counted.request(key, addresses));
        });
        if last {
            state.current = None;
        }
    }

    fn on_finish(&self, _: &SimReport) -> Result<(), SimFault> {
        self.state.borrow_mut().finish();
        Ok(())
    }
}

impl State {
    /// Acts on the warp of a thread.
    fn with(&mut self, by: &Thread, act: impl FnOnce(&mut Warp, u32, &mut Counted)) {
        let (number, lane) = (by.linear / LANES as u32, by.linear % LANES as u32);
        let key = (by.block, number);
        if self.current.as_ref().is_none_or(|(current, _)| *current != key) {
            let lanes = self.threads.saturating_sub(number * LANES as u32).clamp(1, LANES as u32);
            let exists = u32::MAX >> (LANES as u32 - lanes);
            let warp = self.warps.remove(&key).unwrap_or_else(|| Warp::new(exists));
            if let Some((before, warp)) = self.current.replace((key, warp)) {
                self.warps.insert(before, warp);
            }
        }
        if let Some((_, warp)) = &mut self.current {
            let before = warp.len();
            act(warp, lane, &mut self.counted);
            self.open = self.open + warp.len() - before;
        }
    }

    /// Counts what is open of all warps, which have ended.
    fn finish(&mut self) {
        let (counted, warps) = (&mut self.counted, std::mem::take(&mut self.warps));
        let warps = warps.into_values().chain(self.current.take().map(|(_, warp)| warp));
        warps.for_each(|mut warp| warp.finish_all(&mut |key, addresses| counted.request(key, addresses)));
        self.open = 0;
    }

    /// Counts the older half of what is open, of all warps, if it is too much.
    fn keep_to_limit(&mut self) {
        if self.open <= self.limit.unwrap_or(OPEN_LIMIT) {
            return;
        }
        let counted = &mut self.counted;
        self.open = 0;
        for warp in self.warps.values_mut().chain(self.current.as_mut().map(|(_, warp)| warp)) {
            let forced = warp.finish_half(&mut |key, addresses| counted.request(key, addresses));
            counted.forced += forced;
            self.open += warp.len();
        }
    }
}

/// The kind that an access counts as; `None` for the thread's own variables.
fn class(by: &Thread, access: &Access) -> Option<Class> {
    let atomic = matches!(access.kind, AccessKind::Atomic { .. });
    Some(match access.space {
        Space::Local => return None,
        Space::Constant => Class::Constant,
        Space::Shared { rank } if rank != by.rank => Class::Remote,
        Space::Shared { .. } if atomic => Class::SharedAtomic,
        Space::Shared { .. } if access.kind.writes() => Class::SharedStore,
        Space::Shared { .. } => Class::SharedLoad,
        Space::Global if atomic => Class::Atomic,
        Space::Global if access.kind.writes() => Class::Store,
        Space::Global => Class::Load,
    })
}
