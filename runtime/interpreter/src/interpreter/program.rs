//! A kernel as the interpreter runs it: operations on the bytes of one frame.
//!
//! No function calls itself, so every variable of every function has one place in the frame of a
//! thread. Values there have the IR's layout.

use crate::ir::{Global, Meaning, Scalar};
use crate::simulator::{AccessKind, Line, Operation, Synchronisation};

/// A place in the frame, in bytes from its base; constants are below it.
pub(super) type Slot = i32;

/// Computes on one operand.
pub(super) type UnaryFn = unsafe fn(frame: *mut u8, to: Slot, a: Slot);

/// Computes on two operands.
pub(super) type BinaryFn = unsafe fn(frame: *mut u8, to: Slot, a: Slot, b: Slot);

/// Computes on two operands; false if Rust refuses them.
pub(super) type CheckedFn = unsafe fn(frame: *mut u8, to: Slot, a: Slot, b: Slot) -> bool;

/// Compares two operands.
pub(super) type TestFn = unsafe fn(frame: *mut u8, a: Slot, b: Slot) -> bool;

/// Sets a counter to the first value of a range; false if there is none.
pub(super) type FirstFn = unsafe fn(frame: *mut u8, counter: Slot, start: Slot, end: Slot) -> bool;

/// Moves a counter to the next value of a range; false if there is none.
pub(super) type NextFn = unsafe fn(frame: *mut u8, counter: Slot, bound: Slot, step: Slot) -> bool;

/// The number of a place of the program in [`Program::sites`].
pub(super) type Site = u32;

/// An integer of any type, as an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    pub slot: Slot,
    pub width: Width,
}

/// How an index is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    I8,
    I16,
    I32,
    U8,
    U16,
    U32,
    Word,
}

/// Rust's message for operands that it refuses.
#[derive(Clone, Copy)]
pub(super) enum Refusal {
    Message(&'static str),
    /// A division by zero, or of the minimum by -1, with the divisor's number of bytes.
    Division {
        bytes: u8,
    },
    Remainder {
        bytes: u8,
    },
}

/// One step.
#[derive(Clone, Copy)]
pub(super) enum Op {
    /// Copies a value within the frame.
    Copy {
        to: Slot,
        from: Slot,
        bytes: u32,
    },
    /// The address of a value in the frame.
    AddressOf {
        to: Slot,
        of: Slot,
    },
    /// An address plus a constant.
    Offset {
        to: Slot,
        pointer: Slot,
        bytes: u32,
    },
    Load {
        to: Slot,
        pointer: Slot,
        offset: u32,
        bytes: u32,
    },
    Store {
        pointer: Slot,
        offset: u32,
        from: Slot,
        bytes: u32,
    },
    Unary {
        f: UnaryFn,
        to: Slot,
        a: Slot,
    },
    Binary {
        f: BinaryFn,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    /// An operation that faults with a message where Rust panics.
    Checked {
        f: CheckedFn,
        to: Slot,
        a: Slot,
        b: Slot,
        otherwise: Refusal,
        site: Site,
    },
    /// The address of an element of what has its address and length in the frame.
    Element {
        to: Slot,
        extent: Slot,
        index: Index,
        bytes: u32,
        site: Site,
    },
    /// The same of a slice, by a reference to its descriptor.
    ElementOf {
        to: Slot,
        slice: Slot,
        index: Index,
        bytes: u32,
        site: Site,
    },
    /// The same of an array at an address.
    ElementIn {
        to: Slot,
        pointer: Slot,
        len: u32,
        index: Index,
        bytes: u32,
        site: Site,
    },
    /// A row of a shared matrix, or a plane of a shared volume.
    Row {
        to: Slot,
        shared: Slot,
        rank: u32,
        index: Index,
        bytes: u32,
        site: Site,
    },
    /// The address of an element of a shared matrix.
    Cell {
        to: Slot,
        shared: Slot,
        indices: [Index; 2],
        bytes: u32,
        site: Site,
    },
    /// The address of an element of a view of rank 2 or 3.
    ViewElement {
        to: Slot,
        view: Slot,
        rank: u32,
        indices: [Index; 3],
        bytes: u32,
        site: Site,
    },
    /// Narrows an address and length in the frame to a range.
    Part {
        extent: Slot,
        start: Option<Index>,
        end: Option<Index>,
        bytes: u32,
        site: Site,
    },
    /// Makes an address and length in the frame those of elements of another type.
    Reinterpret {
        extent: Slot,
        table: u32,
        site: Site,
    },
    /// A reference to a descriptor of an address and length, for as long as the thread lives.
    Keep {
        to: Slot,
        extent: Slot,
    },
    /// Address and length of a slice, by a reference to its descriptor.
    Extent {
        to: Slot,
        slice: Slot,
    },
    /// The memory of a shared array: its descriptor.
    Shared {
        to: Slot,
        array: u32,
    },
    /// Dynamic shared memory as elements of this number of bytes: its descriptor.
    DynamicShared {
        to: Slot,
        bytes: u32,
    },
    Jump {
        to: u32,
    },
    JumpIf {
        condition: Slot,
        to: u32,
    },
    JumpUnless {
        condition: Slot,
        to: u32,
    },
    /// Jumps by a comparison.
    JumpBy {
        f: TestFn,
        a: Slot,
        b: Slot,
        sense: bool,
        to: u32,
    },
    First {
        f: FirstFn,
        counter: Slot,
        start: Slot,
        end: Slot,
        some: Slot,
    },
    Next {
        f: NextFn,
        counter: Slot,
        bound: Slot,
        step: Slot,
        more: Slot,
    },
    /// Begins a loop over a range, or jumps past it.
    Begin {
        f: FirstFn,
        counter: Slot,
        start: Slot,
        end: Slot,
        to: u32,
    },
    /// Jumps to the next iteration of a loop over a range, if there is one.
    Again {
        f: NextFn,
        counter: Slot,
        bound: Slot,
        step: Slot,
        to: u32,
    },
    /// Remembers the instance around a loop or an inlined call.
    Enter {
        kept: Slot,
    },
    /// Begins an iteration.
    Iterate {
        kept: Slot,
        watched: bool,
        site: Site,
    },
    /// Restores the instance of an iteration, which a loop in it may have been left by a jump.
    Resume {
        kept: Slot,
        site: Site,
    },
    /// Restores the instance around a loop or an inlined call.
    Leave {
        kept: Slot,
    },
    Call {
        to: u32,
        link: Slot,
        site: Site,
    },
    Return {
        link: Slot,
    },
    End,
    Builtin {
        meaning: Meaning,
        args: u32,
        count: u32,
        ret: Slot,
        site: Site,
    },
    /// Ends the launch with a panic.
    Fail {
        message: u32,
        site: Site,
    },
    /// Ends the launch with an index, or a bound of a range, beyond its limit.
    Beyond {
        value: Index,
        limit: Index,
        range: bool,
        site: Site,
    },
    Print {
        table: u32,
    },
    Launch {
        table: u32,
        site: Site,
    },
    /// Faults where an operation on numbers gave none.
    NotNan {
        scalar: Scalar,
        value: Slot,
        a: Slot,
        b: Slot,
        site: Site,
    },
    /// Faults where a conversion would change a value.
    Within {
        f: CheckedFn,
        value: Slot,
        range: Slot,
        scalar: Scalar,
        wanted: Scalar,
        site: Site,
    },
    /// Tells of an access by an address in the frame.
    Access {
        pointer: Slot,
        offset: u32,
        bytes: u32,
        align: u32,
        kind: AccessKind,
        constant: bool,
        site: Site,
    },
    /// Tells of an access of the frame itself.
    Local {
        slot: Slot,
        bytes: u32,
        align: u32,
        kind: AccessKind,
        site: Site,
    },
    /// Reads or writes memory that may be registers which a product computes.
    Touch {
        pointer: Slot,
        offset: u32,
        bytes: u32,
        writes: bool,
        site: Site,
    },
    /// The same, of the frame itself.
    TouchLocal {
        slot: Slot,
        bytes: u32,
        writes: bool,
        site: Site,
    },
    Branch {
        condition: Slot,
        negated: bool,
        site: Site,
    },
    /// Comes to a synchronisation that the launch may do without; jumps past it if it does.
    Synchronise {
        which: u32,
        site: Site,
        to: u32,
    },
    /// Is past one.
    Synchronised,
    Work {
        work: Operation,
        site: Site,
    },
}

/// A shared array: its place among all, its size and extents.
pub(super) struct SharedArray {
    pub at: Line,
    pub number: u32,
    pub bytes: usize,
    pub align: usize,
    pub extents: Vec<usize>,
}

/// Memory read as elements of another type.
pub(super) struct Reinterpretation {
    pub from: usize,
    pub to: usize,
    pub align: usize,
    pub name: String,
}

/// A parameter of a kernel.
pub(super) struct Param {
    pub slot: Slot,
    pub bytes: usize,
}

/// A kernel of the program.
pub(super) struct Entry {
    pub pc: u32,
    pub params: Vec<Param>,
}

/// A lowered module.
#[derive(Default)]
pub struct Program {
    pub(super) code: Vec<Op>,
    /// The kernels of the module, its own first.
    pub(super) entries: Vec<Entry>,
    /// Whether observers hear of accesses of the frame, too.
    pub(super) locals: bool,
    /// Bytes above the base of a frame.
    pub(super) frame: usize,
    /// The constants, which lie below the base.
    pub(super) constants: Vec<u8>,
    /// Statics of the device, whose addresses each launch puts at these slots.
    pub(super) globals: Vec<(Slot, &'static Global)>,
    /// Arguments of builtins.
    pub(super) args: Vec<Slot>,
    pub(super) sites: Vec<Line>,
    /// For each site, whether it is in a function of this library rather than in the user's code.
    pub(super) library: Vec<bool>,
    /// The folders of the library's sources.
    pub(super) sources: &'static [&'static str],
    pub(super) messages: Vec<String>,
    pub(super) shared: Vec<SharedArray>,
    pub(super) reinterpretations: Vec<Reinterpretation>,
    pub(super) prints: Vec<super::print::Print>,
    pub(super) launches: Vec<super::nested::Launched>,
    /// The places at which its threads order each other, if that is watched.
    pub(super) synchronisations: Vec<Synchronisation>,
    /// Array constants, at addresses that constants hold.
    #[allow(dead_code, reason = "keeps what the constants point to")]
    pub(super) tables: Vec<Box<[u128]>>,
}
