//! Observers of a simulated launch, and the events that they receive: the interface of checks and metrics.
//!
//! An observer receives facts: accesses of bytes, meetings of threads, and their lines. The observer decides what they
//! mean, such as a race or a bank conflict. Accesses of plain places, branches and operations are told where the
//! interpreter runs the kernel; builtins tell theirs either way.

use std::ops::Range;

use super::facts::{
    Access, Branch, ChildOrder, Instruction, Line, MbarrierEvent, Meeting, MemoryScope, Operation,
    ProxyFence, Thread, TransferEvent,
};
use super::{SimFault, SimLaunch, SimReport, Synchronisation};

/// The events that an observer wants. Events that no observer wants cost nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interests {
    /// [`Observer::on_access`]
    pub accesses: bool,
    /// [`Observer::on_access`] of [`Space::Local`](super::Space::Local) too.
    pub locals: bool,
    /// [`Observer::on_branch`]
    pub branches: bool,
    /// [`Observer::on_work`]
    pub work: bool,
    /// [`Instruction::instance`], which is 0 where nobody asks for it.
    pub instances: bool,
    /// [`Observer::on_synchronise`]
    pub synchronisations: bool,
}

/// Watches a launch.
///
/// Every method has an empty default. Methods but [`on_launch`](Observer::on_launch) and
/// [`on_finish`](Observer::on_finish) may be called on the small stack of a simulated thread, so
/// they should record rather than print. A method that can return a fault ends the launch with it.
/// A launch without observers pays one test of an empty list for each event, none for each thread.
pub trait Observer {
    /// The events that it wants besides blocks, threads and meetings.
    fn interests(&self) -> Interests {
        Interests::default()
    }

    /// The launch begins.
    fn on_launch(&self, _launch: &SimLaunch<'_>) {}

    /// The block at this index begins; its shared memory is fresh.
    fn on_block(&self, _block: [u32; 3]) {}

    /// A thread has returned from the kernel.
    fn on_thread_end(&self, _by: &Thread) {}

    /// A thread is about to access memory.
    ///
    /// # Errors
    /// What is wrong with it.
    fn on_access(&self, _by: &Thread, _access: &Access) -> Result<(), SimFault> {
        Ok(())
    }

    /// A thread is about to access a row of a matrix, sixteen bytes of shared memory, in an instruction of its warp that loads
    /// or stores such rows.
    ///
    /// # Errors
    /// What is wrong with it.
    fn on_row(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        self.on_access(by, access)
    }

    /// A thread has started an asynchronous copy, which may happen at any time until it is waited for.
    ///
    /// # Errors
    /// What is wrong with it.
    fn on_copy_start(&self, _by: &Thread, _copy: u64, _from: &Access, _to: &Access) -> Result<(), SimFault> {
        Ok(())
    }

    /// A thread has waited for the copy that it started under this number.
    fn on_copy_end(&self, _by: &Thread, _copy: u64) {}

    /// A thread gives the copy engine work, which may happen at any time until it is complete.
    ///
    /// # Errors
    /// What is wrong with it.
    fn on_transfer_start(&self, _by: &Thread, _transfer: &TransferEvent<'_>) -> Result<(), SimFault> {
        Ok(())
    }

    /// A thread has waited for the copy of this number: for its reads alone, or for all of it.
    fn on_transfer_waited(&self, _by: &Thread, _transfer: u64, _reads_alone: bool) {}

    /// A thread has waited for the products of a warpgroup, which has this number, up to one of them: the
    /// count of the warpgroup's products until then, and the number of the transfer as which it was started.
    fn on_product_waited(&self, _by: &Thread, _warpgroup: u64, _product: (u32, u64)) {}

    /// The copy of this number, of the copy engine or of a thread's own, has told the barrier at this address that it is
    /// complete.
    fn on_transfer_counted(&self, _transfer: u64, _barrier: usize) {}

    /// Something happens to a barrier that counts arrivals and bytes.
    ///
    /// # Errors
    /// What is wrong with it.
    fn on_mbarrier(&self, _by: &Thread, _event: &MbarrierEvent, _at: Line) -> Result<(), SimFault> {
        Ok(())
    }

    /// A thread makes its accesses visible to the copy engine.
    fn on_proxy_fence(&self, _by: &Thread, _fence: ProxyFence, _at: Line) {}

    /// A function with a device body that does not say what it touches may write these addresses: its block's shared memory.
    fn on_hidden(&self, _by: &Thread, _memory: &Range<usize>) {}

    /// A thread has waited for the launch before this one, which may have begun before that ended.
    fn on_dependency_wait(&self, _by: &Thread) {}

    /// A thread passes a fence.
    fn on_fence(&self, _by: &Thread, _scope: MemoryScope, _at: Line) {}

    /// A thread has come to a synchronisation and is about to execute it; the interpreter alone tells.
    fn on_synchronise(&self, _by: &Thread, _which: &Synchronisation) {}

    /// A thread arrives at a meeting.
    fn on_arrive(&self, _by: &Thread, _meeting: &Meeting, _at: Line) {}

    /// A thread goes on from a meeting at which all that it waited for have arrived.
    fn on_leave(&self, _by: &Thread, _meeting: &Meeting) {}

    /// A thread launches a grid; this number is unique in the launch by the host.
    fn on_child(&self, _by: &Thread, _child: u64, _order: ChildOrder) {}

    /// The grid that was launched under this number begins; [`on_launch`](Observer::on_launch) follows.
    fn on_child_begin(&self, _child: u64) {}

    /// The grid that was launched under this number has ended, and all that it launched.
    fn on_child_end(&self, _child: u64) {}

    /// All threads of the block, or of the cluster that holds it, have reached the barrier.
    fn on_barrier(&self, _barrier: &'static str, _block: [u32; 3], _at: Line) {}

    /// All lanes of `mask` that exist have reached the warp operation.
    fn on_exchange(&self, _operation: &'static str, _block: [u32; 3], _mask: u32, _at: Line) {}

    /// A thread has come to a branch or to the end of a loop's iteration.
    fn on_branch(&self, _by: &Thread, _branch: &Branch) {}

    /// A thread computes something.
    fn on_work(&self, _by: &Thread, _work: Operation, _instruction: &Instruction) {}

    /// The launch has ended without a fault.
    ///
    /// # Errors
    /// The fault that was found in the whole launch, if any.
    fn on_finish(&self, _report: &SimReport) -> Result<(), SimFault> {
        Ok(())
    }
}
