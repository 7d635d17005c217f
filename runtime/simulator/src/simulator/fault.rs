//! The faults of a simulated launch.

use warpsmith_ir::fault::{Failure, FaultPlace, told};

use super::index::triple;
use super::problem::{Absence, MaskProblem, Misuse, RankProblem};
use super::race::DataRace;
use super::refused::Refused;
use super::unwritten::UnwrittenMemory;
use super::waiting::{Missing, Unstarted, Waiting, list, to_start};

/// Why a simulated launch stopped.
///
/// Indices are CUDA's, `[x, y, z]`. The first fault of the schedule ends the launch; what its
/// threads have written by then stays written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimFault {
    /// An index at or beyond the length of what it indexes.
    #[error(
        "{}",
        told(&Failure::index(.index, .len), &FaultPlace::of(.kernel, .file, .line, .block, .thread))
    )]
    OutOfBounds {
        /// The kernel.
        kernel: String,
        /// Rust file of the access.
        file: String,
        /// Line of the access, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
        /// The index, in elements.
        index: i64,
        /// The length, in elements.
        len: usize,
    },
    /// The start or the end of a range beyond its end, or beyond the length.
    #[error(
        "{}",
        told(&Failure::range(.bound, .limit), &FaultPlace::of(.kernel, .file, .line, .block, .thread))
    )]
    Range {
        /// The kernel.
        kernel: String,
        /// Rust file of the range.
        file: String,
        /// Line of the range, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
        /// The bound, in elements.
        bound: i64,
        /// The limit that it exceeds, in elements.
        limit: usize,
    },
    /// A panic of the kernel's Rust code: `assert!`, arithmetic overflow, division by zero.
    #[error(
        "{}",
        told(&Failure::Assertion(.message), &FaultPlace::of(.kernel, .file, .line, .block, .thread))
    )]
    Panic {
        /// The kernel.
        kernel: String,
        /// The message of the panic.
        message: String,
        /// Rust file of the panic, empty if a foreign panic hook kept it from us.
        file: String,
        /// Line of the panic, from 1; 0 if unknown.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// Some threads wait at a barrier that another one will not reach.
    #[error("{waiting} threads wait at `{barrier}` ({file}:{line}) in block {} of kernel `{kernel}`, but {other}; every thread must reach the barrier", triple(.block))]
    BarrierNotReached {
        /// The kernel.
        kernel: String,
        /// The function that waits.
        barrier: &'static str,
        /// Rust file of the barrier.
        file: String,
        /// Line of the barrier, from 1.
        line: u32,
        /// How many threads wait there.
        waiting: u32,
        /// Block of one that waits.
        block: [u32; 3],
        /// A thread that left, or waits elsewhere.
        other: Missing,
    },
    /// Threads of one block or cluster wait at different barriers at once.
    #[error("threads of block {} of kernel `{kernel}` wait at two different barriers at once: thread {} at `{barrier}` ({file}:{line}), others at {other_file}:{other_line}; move the barrier out of the branch", triple(.block), triple(.thread))]
    BarrierMismatch {
        /// The kernel.
        kernel: String,
        /// The function that waits.
        barrier: &'static str,
        /// Rust file of the barrier that `thread` reached.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// Rust file of the barrier where others wait.
        other_file: String,
        /// Its line, from 1.
        other_line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// The mask of a warp operation does not fit the lanes that make the call.
    #[error("the mask {mask:#010x} of `{operation}` at {file}:{line}, in block {}, thread {} of kernel `{kernel}`, {problem}", triple(.block), triple(.thread))]
    ShuffleMask {
        /// The kernel.
        kernel: String,
        /// The warp operation.
        operation: &'static str,
        /// Bit `i` names lane `i`.
        mask: u32,
        /// Rust file of the call.
        file: String,
        /// Line of the call, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
        /// The mistake in the mask.
        problem: MaskProblem,
    },
    /// A shuffle that reads a lane that takes no part in it, whose value is undefined on a GPU.
    #[error("`{operation}` at {file}:{line}, in block {}, thread {} of kernel `{kernel}`, reads the value of lane {lane}, {why}", triple(.block), triple(.thread))]
    ShuffleSource {
        /// The kernel.
        kernel: String,
        /// The warp operation.
        operation: &'static str,
        /// The lane that is read.
        lane: u32,
        /// Why it has no value to give.
        why: Absence,
        /// Rust file of the call.
        file: String,
        /// Line of the call, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// A row of a matrix, of an instruction of a warp, that is not in a shared array.
    #[error("{0}")]
    MatrixRow(Box<super::MatrixRow>),
    /// A barrier, a copy or a product that is used in a way that hardware does not define.
    #[error("`{operation}` at {file}:{line}, in block {}, thread {} of kernel `{kernel}`, {problem}", triple(.block), triple(.thread))]
    Misuse {
        /// The kernel.
        kernel: String,
        /// The function, or what else does it.
        operation: &'static str,
        /// Rust file of the call.
        file: String,
        /// Line of the call, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
        /// The mistake in the use.
        problem: Box<Misuse>,
    },
    /// Threads wait for each other, or spin, and none can go on.
    #[error("deadlock in kernel `{kernel}`: no thread that has started can go on: {}{}", list(.waiting), to_start(.unstarted))]
    Deadlock {
        /// The kernel.
        kernel: String,
        /// The waiting threads, with their lines.
        waiting: Vec<Waiting>,
        /// The blocks that have not started, since they wait for those that run to end.
        unstarted: Option<Unstarted>,
    },
    /// A kernel that was launched as free of barriers and warp operations calls one.
    #[error(
        "kernel `{kernel}` calls `{operation}` at {file}:{line}, but was launched with `rendezvous: false`; launch it with `rendezvous: true`"
    )]
    Rendezvous {
        /// The kernel.
        kernel: String,
        /// The function that waits.
        operation: &'static str,
        /// Rust file of the call.
        file: String,
        /// Line of the call, from 1.
        line: u32,
    },
    /// One `shared!` asked for different sizes in different threads.
    #[error("the shared array at {file}:{line} of kernel `{kernel}` has {bytes} bytes in thread {} of block {}, but {first} bytes in an earlier thread; its extents must be the same in all threads", triple(.thread), triple(.block))]
    SharedSize {
        /// The kernel.
        kernel: String,
        /// Rust file of the array.
        file: String,
        /// Line of the array, from 1.
        line: u32,
        /// Bytes that this thread asks for.
        bytes: usize,
        /// Bytes that the first thread asked for.
        first: usize,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// More shared memory in a block than a GPU has.
    #[error(
        "a block of kernel `{kernel}` needs {bytes} bytes of shared memory, above the limit of {limit}; use smaller shared arrays"
    )]
    SharedMemory {
        /// The kernel.
        kernel: String,
        /// Static and dynamic shared memory, in bytes.
        bytes: usize,
        /// [`Settings::shared_limit`](super::Settings::shared_limit).
        limit: usize,
    },
    /// `map_shared_rank` of a block that the cluster does not have, or of memory that is not shared.
    #[error("`map_shared_rank` to block {rank} at {file}:{line}, in block {}, thread {} of kernel `{kernel}`, {problem}", triple(.block), triple(.thread))]
    SharedRank {
        /// The kernel.
        kernel: String,
        /// The rank asked for.
        rank: u32,
        /// Rust file of the call.
        file: String,
        /// Line of the call, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
        /// The mistake.
        problem: RankProblem,
    },
    /// Shared memory of another block, used when that block may have exited.
    #[error("thread {} of block {} of kernel `{kernel}` uses shared memory of block {} of its cluster at {file}:{line}, and nothing keeps that block from exiting before; end the kernel with `cluster_sync()`, or use the memory before the last one", triple(.thread), triple(.block), triple(.owner))]
    SharedMemoryGone {
        /// The kernel.
        kernel: String,
        /// The block whose memory it is.
        owner: [u32; 3],
        /// Rust file of the access.
        file: String,
        /// Line of the access, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// Two accesses that nothing orders.
    #[error("{0}")]
    DataRace(Box<DataRace>),
    /// A read of unwritten memory: of shared memory, since the block began.
    #[error(
        "{}",
        told(
            &Failure::Unwritten { memory: &.memory.to_string(), bytes: u64::from(*.bytes), byte: *.byte },
            &FaultPlace::of(.kernel, .file, .line, .block, .thread)
        )
    )]
    Uninitialised {
        /// The kernel.
        kernel: String,
        /// Whose memory it is.
        memory: UnwrittenMemory,
        /// How many bytes are read.
        bytes: u32,
        /// The first of them that was not written.
        byte: u32,
        /// Rust file of the read.
        file: String,
        /// Line of the read, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// An access at an address that its type does not allow.
    #[error(
        "{}: it takes {bytes} bytes of {memory} memory",
        told(
            &Failure::Misaligned { beyond: u64::from(*.beyond), align: u64::from(*.align) },
            &FaultPlace::of(.kernel, .file, .line, .block, .thread)
        )
    )]
    Misaligned {
        /// The kernel.
        kernel: String,
        /// `shared` or `global`.
        memory: &'static str,
        /// How many bytes are accessed at once.
        bytes: u32,
        /// The alignment that the address needs, in bytes.
        align: u32,
        /// The rest of its division by that.
        beyond: u32,
        /// Rust file of the access.
        file: String,
        /// Line of the access, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// A launch whose extents no GPU accepts.
    #[error("kernel `{kernel}` cannot be launched: {argument} is {}, but {rule}", triple(.value))]
    Extents {
        /// The kernel.
        kernel: String,
        /// `grid`, `block` or `cluster`.
        argument: &'static str,
        /// Its value.
        value: [u32; 3],
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The operating system gave no stack for another simulated thread.
    #[error(
        "no stack of {bytes} bytes for simulated thread {count} of kernel `{kernel}`: {reason}; use smaller blocks or clusters, a smaller `WARPSMITH_SIM_STACK`, or raise vm.max_map_count"
    )]
    Stack {
        /// The kernel.
        kernel: String,
        /// Bytes of one stack.
        bytes: usize,
        /// Stacks in use.
        count: usize,
        /// The message of the operating system.
        reason: String,
    },
    /// An endless loop.
    #[error("a thread has run {steps} loop iterations and has not ended: the loop at {file}:{line}, in block {}, thread {} of kernel `{kernel}`, is still running; make sure that its condition becomes false, or raise `step_budget` of the simulator's settings", triple(.block), triple(.thread))]
    Endless {
        /// The kernel.
        kernel: String,
        /// Iterations of all loops of the thread.
        steps: u64,
        /// Rust file of the loop.
        file: String,
        /// Line of the loop, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// A conversion to a type that cannot hold the value, where [`Settings`](super::Settings) asks for it.
    #[error("the conversion of {value} to `{to}` at {file}:{line} changes the value, in block {}, thread {} of kernel `{kernel}`; use a wider type, or check the value before", triple(.block), triple(.thread))]
    LossyCast {
        /// The kernel.
        kernel: String,
        /// The value.
        value: String,
        /// The type.
        to: String,
        /// Rust file of the conversion.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// An operation on numbers that gave none, where [`Settings`](super::Settings) asks for it.
    #[error("an operation on {} and {} at {file}:{line} gives NaN, in block {}, thread {} of kernel `{kernel}`; guard the operands", .operands[0], .operands[1], triple(.block), triple(.thread))]
    NotANumber {
        /// The kernel.
        kernel: String,
        /// Its operands.
        operands: [String; 2],
        /// Rust file of the operation.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// The twin and the interpreter do not agree: a mistake of the simulator, to be reported to its author.
    #[error("kernel `{kernel}` runs differently by its twin and by the interpreter: {what}")]
    ExecutorsDiffer {
        /// The kernel.
        kernel: String,
        /// What differs.
        what: String,
    },
    /// A kernel that only its twin can run, in a launch that is watched.
    #[error(
        "kernel `{kernel}` cannot be watched: the interpreter does not run {what} at {file}:{line}; write it another way, or launch without observers"
    )]
    NotInterpreted {
        /// The kernel.
        kernel: String,
        /// The code that the interpreter cannot run.
        what: String,
        /// Rust file of it.
        file: String,
        /// Its line, from 1.
        line: u32,
    },
    /// The printed CUDA does not do what the twin does: a mistake of the printer or of the recorder, to be
    /// reported to its author.
    #[error("kernel `{kernel}` runs differently as printed CUDA than by its twin: {what}")]
    PrintedDiffers {
        /// The kernel.
        kernel: String,
        /// What differs.
        what: String,
    },
    /// A kernel whose printed CUDA the host cannot run.
    #[error("kernel `{kernel}` cannot be run as printed CUDA: {why}")]
    NotPrinted {
        /// The kernel.
        kernel: String,
        /// Why, and what to do.
        why: Refused,
    },
    /// A fault of threads that ran in an order that a seed made.
    #[error("{fault}; `.seed({seed})` or `WARPSMITH_SIM_SEED={seed}` runs the threads in this order again")]
    Seeded {
        /// The seed.
        seed: u64,
        /// The fault itself.
        fault: Box<SimFault>,
    },
    /// A launch by a kernel that a GPU refuses.
    #[error(
        "{}",
        told(
            &Failure::launch(.child, .why),
            &FaultPlace::of(.kernel, .file, .line, .block, .thread),
        )
    )]
    Launch {
        /// The kernel that launches.
        kernel: String,
        /// The kernel that is launched.
        child: String,
        /// The mistake, with the limit.
        why: String,
        /// Rust file of the launch.
        file: String,
        /// Line of the launch, from 1.
        line: u32,
        /// Block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// A launch from within a simulated kernel.
    #[error(
        "kernel `{kernel}` was launched on a device from within a simulated kernel; in a kernel write `.launch()`"
    )]
    Nested {
        /// The kernel.
        kernel: String,
    },
    /// An environment variable that is not what it may be.
    #[error("{name} is `{value}`, which is not {expected}")]
    Setting {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// The value that it should have.
        expected: &'static str,
    },
}
