//! Facts about a builtin besides its text: its accesses, the range of its result, its cost, and the order that it makes.
//!
//! Each builtin says its own facts where it is defined; passes, validation, printers and the interpreter read them. None
//! of them decides anything by a builtin's name. Every default is the answer that is right of any builtin: of a builtin
//! that says too little less is proven, more is refused, or more is counted.

/// The access of a call to the memory that an argument refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentAccess {
    /// No access: it passes the address on, or hints at it.
    None,
    /// Reads it.
    Read,
    /// Writes it, whatever was there.
    Write,
    /// Both: the old value is part of the new one, or of the result.
    Update,
}

/// The position of a thread, or the number of threads, warps and blocks: the same whenever a thread asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// Index of the thread in its block, by axis.
    ThreadIndex,
    /// Index of the block in the grid, by axis.
    BlockIndex,
    /// Threads of a block, by axis.
    BlockExtent,
    /// Blocks of the grid, by axis.
    GridExtent,
    /// Index of the thread in a grid of one dimension.
    GlobalId,
    /// Threads of a grid of one dimension.
    GlobalSize,
    /// Number of the thread in its block.
    ThreadRank,
    /// Threads of a block.
    BlockSize,
    /// Number of the block in the grid.
    GridBlockRank,
    /// Blocks of the grid.
    GridBlocks,
    /// Number of the thread in the grid.
    GridThreadRank,
    /// Threads of the grid.
    GridThreads,
    /// Lanes of a warp.
    WarpSize,
    /// Number of the lane in its warp.
    LaneId,
    /// Bits of lanes, by the lane's number.
    LaneMask,
    /// Number of the warp in its block.
    WarpId,
    /// Number of the block in its cluster.
    ClusterBlockRank,
    /// Blocks of a cluster.
    ClusterSize,
    /// Blocks of a cluster, by axis.
    ClusterExtent,
    /// Index of the block in its cluster, by axis.
    ClusterBlockIndex,
    /// Index of the cluster in the grid of clusters, by axis.
    ClusterIndex,
    /// Number of the thread in its cluster.
    ClusterThreadRank,
    /// Threads of a cluster.
    ClusterThreads,
}

/// The range of an integer result, for all inputs of a GPU, including those for which Rust panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultRange {
    /// Anywhere in its type: right of every builtin.
    Any,
    /// The lesser of the first two arguments.
    Least,
    /// The greater of the first two arguments.
    Greatest,
    /// From the lesser of the first two arguments to the greater, rounded down if the type is unsigned: the middle of both.
    Middle,
    /// The first argument, but not below the second, and in any case not above the third.
    Clamped,
    /// From 0 to the first argument, if the type is unsigned; else anywhere.
    UpToFirst,
    /// The first argument less the second, or 0 if the second is more, if the type is unsigned; else anywhere.
    Remaining,
    /// Of an `Option`: the first argument less the second, unless the second is more, if neither has a sign; else anything.
    CheckedDifference,
    /// From 0 to before the second argument, if that is above zero; else anywhere.
    Modulo,
    /// The first argument over the second, rounded up, if neither has a sign and the second is above zero; else anywhere.
    QuotientUp,
    /// From 0 to the bits of the first argument's type.
    UpToBits,
    /// From 0 to the bits of the first argument's type, and that many only of zero.
    Zeros,
    /// From 0 to before the bits of the first argument's type, if that is above zero; else anywhere.
    BelowBits,
    /// From the first number to the second.
    Within(i64, i64),
    /// True only if the first argument is from the first number to the second.
    Tells(i64, i64),
}

impl ResultRange {
    /// Returns whether the result is the lesser or the greater of two arguments.
    pub const fn is_choice(self) -> bool {
        matches!(self, Self::Least | Self::Greatest)
    }

    /// Returns whether it is the value itself, of arguments alone.
    pub const fn is_of_arguments(self) -> bool {
        matches!(
            self,
            Self::Least
                | Self::Greatest
                | Self::Clamped
                | Self::Remaining
                | Self::CheckedDifference
                | Self::Modulo
                | Self::QuotientUp
        )
    }
}

/// The computation of a call that gives a float, for the counts of reports.
///
/// For a result that is no float, only [`Cost::Converts`] and [`Cost::Products`] count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// A function of its own, such as a root. It is the most expensive kind, and therefore the default.
    Special,
    /// No computation: it moves a value, from memory, from another lane, or from one type to another by its bits.
    Moves,
    /// A conversion between types.
    Converts,
    /// An addition, a comparison or a change of sign.
    Adds,
    /// A multiplication.
    Multiplies,
    /// A fused multiply-add.
    Fuses,
    /// A thread's part of a product of matrices by the tensor cores.
    Products {
        /// Multiply-adds of one thread.
        each: u16,
        /// The elements that are multiplied.
        of: TensorFormat,
    },
}

/// The elements that the tensor cores multiply, as far as their speed depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TensorFormat {
    /// `f16`, summed in `f32`.
    F16,
    /// `f16`, summed in `f16`.
    F16InF16,
    /// `bf16`.
    Bf16,
    /// `f32`, of which the highest 19 bits count.
    Tf32,
    /// 8-bit floats.
    F8,
    /// Integers of eight bits, with a sign or without.
    I8,
    /// `f64`.
    F64,
}

impl TensorFormat {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::F16, Self::F16InF16, Self::Bf16, Self::Tf32, Self::F8, Self::I8, Self::F64];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F16InF16 => "f16 in f16",
            Self::Bf16 => "bf16",
            Self::Tf32 => "tf32",
            Self::F8 => "f8",
            Self::I8 => "i8",
            Self::F64 => "f64",
        }
    }
}

/// The memory orderings that Rust allows an argument to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordered {
    /// The orderings of a load: not `Release` and not `AcqRel`.
    Load,
    /// The orderings of a store: not `Acquire` and not `AcqRel`.
    Store,
    /// All, of an operation that loads and stores.
    Update,
}

impl Ordered {
    /// Returns whether an argument may be an ordering, by its Rust name.
    pub fn allows(self, ordering: &str) -> bool {
        match self {
            Ordered::Load => !matches!(ordering, "Release" | "AcqRel"),
            Ordered::Store => !matches!(ordering, "Acquire" | "AcqRel"),
            Ordered::Update => true,
        }
    }
}

/// Whether a call orders memory by itself, for reports of a synchronisation's purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orders {
    /// It does not; what lanes exchange is no order of memory either.
    Nothing,
    /// A barrier, or a wait, that gives no value and has no other half: a launch can leave it out.
    Whole,
    /// A barrier that gives a value, or one half of a barrier.
    Part,
    /// A fence, by which the threads order what their atomic operations do.
    Fence,
    /// An atomic operation with an ordering at each of these positions of its arguments.
    By(&'static [(usize, Ordered)]),
}

/// The lanes of a warp that must reach an operation of the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// All of them: the default, as it refuses most.
    All,
    /// The lanes of the mask that is the argument at a position.
    Masked(usize),
    /// Any of them.
    Any,
}

/// A form that printers and the interpreter write in their own way, instead of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A call and no more.
    Call,
    /// The address that a number of elements (the second argument) after a pointer (the first) has: `p + n`.
    PointerSum,
    /// A plain read through a raw pointer: `*p`.
    PointerRead,
    /// A plain write through a raw pointer: `*p = value`.
    PointerWrite,
    /// A view (the first argument) from an index on (the second), which is at most its length; checked.
    ViewOffset,
    /// A copy of all bytes of a value at once: the address is a multiple of its size.
    WholeCopy,
    /// Rows of sixteen bytes of matrices of 8 × 8, whose addresses the first lanes pass: eight for each matrix.
    MatrixRows(u32),
    /// A copy of a box of a tensor into a tile, its first argument, by the copy engine.
    BoxLoad,
    /// The same into the tiles of several blocks of the cluster.
    BoxLoadToBlocks,
    /// The memory of another block of the cluster.
    OtherBlock,
    /// The author's word that the condition, its argument, holds from here on.
    Assumption,
    /// Sets the registers of each thread of the warpgroup to this number, which is fewer or more than before by the kernel's roles.
    Registers(u32),
}

/// The facts about a builtin, stated once where it is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// The accesses through each of its first arguments, which are then addresses; the other arguments are not addresses.
    ///
    /// A test compares it with what each builtin does on the simulator.
    pub accesses: &'static [ArgumentAccess],
    /// Whether it reads what other threads may write meanwhile: a loop may wait for them by it.
    pub waits: bool,
    /// Whether the thread may stop there for another or for the copy engine, or gives that work: the simulator runs each
    /// thread on a fiber then.
    pub rendezvous: bool,
    /// The position of the thread, if that is the result. Two calls without it do not give the same.
    pub position: Option<Position>,
    /// The range of its result.
    pub result: ResultRange,
    /// Its computation.
    pub cost: Cost,
    /// Whether it orders memory by itself.
    pub orders: Orders,
    /// The lanes that must reach it, if it is an operation of a warp.
    pub lanes: Lanes,
    /// Its form, if it is not a call.
    pub form: Form,
    /// Whether its result is true in one lane of each warp and false in the others.
    pub elects: bool,
    /// Whether the registers that its first argument refers to are in use after the call, until the thread waits: nothing
    /// may read or write them meanwhile.
    pub in_flight: bool,
}

impl Facts {
    /// The facts of a builtin that touches no memory.
    pub const NONE: Self = Self {
        accesses: &[],
        waits: false,
        rendezvous: false,
        position: None,
        result: ResultRange::Any,
        cost: Cost::Special,
        orders: Orders::Nothing,
        lanes: Lanes::All,
        form: Form::Call,
        elects: false,
        in_flight: false,
    };
    /// The facts of a builtin that returns its argument, or a part of it, as it is.
    pub const MOVES: Self = Self { cost: Cost::Moves, ..Self::NONE };
    /// The facts of a plain read through the first argument.
    pub const READS: Self = Self { accesses: &[ArgumentAccess::Read], ..Self::MOVES };
    /// The facts of a write through the first argument.
    pub const WRITES: Self = Self { accesses: &[ArgumentAccess::Write], ..Self::MOVES };
    /// The facts of a read through the first argument that sees what other threads write.
    pub const OBSERVES: Self = Self { accesses: &[ArgumentAccess::Read], waits: true, ..Self::MOVES };
    /// The facts of an atomic read-modify-write through the first argument.
    pub const UPDATES: Self = Self { accesses: &[ArgumentAccess::Update], waits: true, ..Self::MOVES };
    /// The facts of a conversion.
    pub const CONVERTS: Self = Self::costs(Cost::Converts);
    /// The facts of a barrier or wait that can be left out by itself.
    pub const BARRIER: Self = Self { orders: Orders::Whole, ..Self::MOVES };
    /// The facts of a barrier that gives a value or has another half.
    pub const PART_OF_BARRIER: Self = Self { orders: Orders::Part, ..Self::MOVES };
    /// The facts of a fence.
    pub const FENCE: Self = Self { orders: Orders::Fence, ..Self::MOVES };
    /// The facts of an exchange between the lanes of the mask that is its first argument.
    pub const MASKED: Self = Self { lanes: Lanes::Masked(0), ..Self::MOVES };
    /// The facts of an assumption, which the author asserts.
    pub const ASSUMES: Self = Self { form: Form::Assumption, ..Self::MOVES };

    /// The facts of a function that returns a position of the thread.
    pub const fn at(position: Position) -> Self {
        Self { position: Some(position), ..Self::MOVES }
    }

    /// The facts of a function whose result lies in a range.
    pub const fn within(result: ResultRange) -> Self {
        Self { result, ..Self::NONE }
    }

    /// The facts of a function with this cost.
    pub const fn costs(cost: Cost) -> Self {
        Self { cost, ..Self::NONE }
    }

    /// The same facts, with a cost.
    pub const fn costing(self, cost: Cost) -> Self {
        Self { cost, ..self }
    }

    /// The same facts, with a form.
    pub const fn is(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The same, with orderings among its arguments.
    pub const fn ordered(self, by: &'static [(usize, Ordered)]) -> Self {
        Self { orders: Orders::By(by), ..self }
    }

    /// The access of a call through the argument at a position.
    pub fn access(&self, position: usize) -> ArgumentAccess {
        self.accesses.get(position).copied().unwrap_or(ArgumentAccess::None)
    }
}
