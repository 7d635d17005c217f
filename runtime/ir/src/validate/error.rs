//! The errors and warnings of validation.

use crate::ir::Location;

/// A kernel that could hang, or that no device can run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValidateError {
    /// A barrier that not all threads may reach.
    DivergentBarrier {
        /// The barrier.
        barrier: &'static str,
        /// The threads that must reach it: the block, the cluster or the grid.
        whole: &'static str,
        /// The value that the condition depends on.
        cause: String,
        /// The barrier.
        at: Location,
        /// The condition.
        cond: Location,
    },
    /// An operation of a warpgroup that some of its threads may not reach.
    DivergentWarpgroup {
        /// The operation.
        operation: &'static str,
        /// The value that the condition depends on.
        cause: String,
        /// The operation.
        at: Location,
        /// The condition.
        cond: Location,
    },
    /// A full-mask warp operation that some lanes of a warp skip.
    DivergentWarp {
        /// The operation.
        operation: &'static str,
        /// The value that the condition depends on.
        cause: String,
        /// The operation.
        at: Location,
        /// The condition.
        cond: Location,
    },
    /// A tree in which an operand could observe the effect of another; the recorder should have made a temporary.
    Order {
        /// The function.
        function: String,
        /// The statement.
        at: Location,
    },
    /// A length of what has none: the recorder should have bound it to a variable.
    Length {
        /// The function.
        function: String,
        /// The type.
        of: String,
        /// The function.
        at: Location,
    },
    /// A number of another type than the parameter's that it is given to: the recorder should have converted it.
    Argument {
        /// The calling function.
        function: String,
        /// The type of the parameter.
        param: String,
        /// The type of the argument.
        arg: String,
        /// The calling function.
        at: Location,
    },
    /// A shared array without elements.
    EmptyShared {
        /// The array.
        name: String,
        /// Its function.
        at: Location,
    },
    /// An array without elements.
    EmptyArray {
        /// What is or has the array.
        what: String,
        /// The type of the array.
        ty: String,
        /// Its function.
        at: Location,
    },
    /// More shared memory than a block of any device has.
    SharedMemory {
        /// The kernel.
        kernel: String,
        /// The declared size.
        bytes: usize,
        /// The allowed size.
        limit: usize,
        /// The kernel.
        at: Location,
    },
    /// More static shared memory than CUDA allows, where it cannot be dynamic.
    StaticShared {
        /// The kernel.
        kernel: String,
        /// The declared size.
        bytes: usize,
        /// The allowed size.
        limit: usize,
        /// The kernel.
        at: Location,
    },
    /// More instances of functions than a compiler could follow.
    Instances {
        /// The kernel.
        kernel: String,
        /// The allowed size.
        limit: usize,
        /// The kernel.
        at: Location,
    },
    /// Memory that ends before a launched kernel could use it.
    LaunchedMemory {
        /// The kernel that is launched.
        kernel: String,
        /// Its parameter.
        argument: String,
        /// The memory that was given.
        memory: &'static str,
        /// The launch.
        at: Location,
    },
    /// A launch that is not a kernel's own.
    LaunchInFunction {
        /// The function.
        function: String,
        /// The launch.
        at: Location,
    },
    /// A call of `registers` in a kernel without roles.
    NoRoles {
        /// How many.
        registers: u32,
        /// The call.
        at: Location,
    },
    /// A call of `registers` in a device function.
    RegistersInFunction {
        /// The function.
        function: String,
        /// The call.
        at: Location,
    },
    /// A call of `registers` with a number that differs from the role of a warpgroup that reaches it.
    Roles {
        /// How many.
        registers: u32,
        /// The warpgroups that reach the call, each with the registers of its role.
        reached: Vec<(u32, u32)>,
        /// The call.
        at: Location,
    },
    /// A kernel that kernels cannot launch.
    NotLaunchable {
        /// The kernel that is launched.
        kernel: String,
        /// The reason.
        why: &'static str,
        /// The launch.
        at: Location,
    },
}

impl ValidateError {
    /// The statement or function that it is about.
    pub fn at(&self) -> Location {
        match self {
            Self::DivergentBarrier { at, .. }
            | Self::DivergentWarp { at, .. }
            | Self::DivergentWarpgroup { at, .. }
            | Self::Order { at, .. }
            | Self::Length { at, .. }
            | Self::Argument { at, .. }
            | Self::EmptyShared { at, .. }
            | Self::EmptyArray { at, .. }
            | Self::SharedMemory { at, .. }
            | Self::StaticShared { at, .. }
            | Self::Instances { at, .. }
            | Self::LaunchedMemory { at, .. }
            | Self::LaunchInFunction { at, .. }
            | Self::NoRoles { at, .. }
            | Self::RegistersInFunction { at, .. }
            | Self::Roles { at, .. }
            | Self::NotLaunchable { at, .. } => *at,
        }
    }
}

impl std::error::Error for ValidateError {}

// Written out, as no derive is needed for so few: the crates above wait for this one, which waits for no macro.
impl std::fmt::Display for ValidateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = self.at();
        write!(f, "{}:{}: ", at.file, at.line)?;
        match self {
            Self::DivergentBarrier { barrier, whole, cause, cond, .. } => write!(
                f,
                "barrier in divergent control flow: whether `{barrier}` is reached depends on `{cause}` (line {}); move it \
                 out of the branch, or say `uniform(…)` if the condition is equal in the whole {whole}",
                cond.line
            ),
            Self::DivergentWarpgroup { operation, cause, cond, .. } => write!(
                f,
                "`{operation}` needs all 128 threads of a warpgroup, but whether it is reached depends on `{cause}` (line {}), \
                 which differs within a warpgroup; move it out of the branch, or branch on `warpgroup_id()`",
                cond.line
            ),
            Self::DivergentWarp { operation, cause, cond, .. } => write!(
                f,
                "`{operation}` needs all 32 lanes, but lanes part at line {}, where the condition depends on `{cause}`; \
                 move it out of the branch, or use the form with a mask",
                cond.line
            ),
            Self::Order { function, .. } => write!(
                f,
                "`{function}` was recorded with operands in an open order; this is a bug in warpsmith, please report it \
                 with this line"
            ),
            Self::Length { function, of, .. } => write!(
                f,
                "`{function}` was recorded with the length of a `{of}` that has none; this is a bug in warpsmith, please \
                 report it with this line"
            ),
            Self::Argument { function, param, arg, .. } => write!(
                f,
                "`{function}` was recorded with a call that gives `{arg}` for `{param}`; this is a bug in warpsmith, please \
                 report it with this line"
            ),
            Self::EmptyArray { what, ty, .. } => write!(
                f,
                "{what} has an array without elements, `{ty}`, which CUDA does not have; give it one at least, or take a part of a slice, `&x[..0]`"
            ),
            Self::EmptyShared { name, .. } => write!(f, "shared array `{name}` has an extent of zero"),
            Self::SharedMemory { kernel, bytes, limit, .. } => write!(
                f,
                "kernel `{kernel}` declares {bytes} bytes of `shared!` arrays, and no block of any device has more than \
                 {limit}; let several blocks, or the blocks of a cluster, have parts of them"
            ),
            Self::StaticShared { kernel, bytes, limit, .. } => write!(
                f,
                "kernel `{kernel}` declares {bytes} bytes of `shared!` arrays that must be static, above the limit of \
                 {limit}: those of functions that take different closures, and all of a kernel that launches kernels or is \
                 launched by one; declare them in the kernel and pass them on, or use `dynamic_shared`"
            ),
            Self::Instances { kernel, limit, .. } => write!(
                f,
                "kernel `{kernel}` calls functions that take closures with more than {limit} combinations of closures, \
                 each of which is compiled; let the functions that pass closures on write fewer closures of their own"
            ),
            Self::LaunchedMemory { kernel, argument, memory, .. } => write!(
                f,
                "argument `{argument}` of the launched kernel `{kernel}` is {memory}, which ends with its block or thread; \
                 pass a part of a slice that is a parameter of the launching kernel"
            ),
            Self::LaunchInFunction { function, .. } => write!(
                f,
                "`{function}` launches a kernel; only kernels launch kernels: write the launch in the kernel itself"
            ),
            Self::NoRoles { registers, .. } => write!(
                f,
                "`registers::<{registers}>()` needs a kernel with roles; write \
                 `#[gpu_kernel(warpgroups(40, 232, 232))]`, the registers of each warpgroup of a block"
            ),
            Self::RegistersInFunction { function, .. } => write!(
                f,
                "`{function}` sets the registers of a warpgroup; write `registers` in the kernel itself, first in the branch of \
                 the warpgroup"
            ),
            Self::Roles { registers, reached, .. } => write_roles(f, *registers, reached),
            Self::NotLaunchable { kernel, why, .. } => {
                write!(f, "kernel `{kernel}` cannot be launched by a kernel: {why}")
            }
        }
    }
}

/// Names the warpgroups that reach a call of `registers` with another number than their roles have.
fn write_roles(f: &mut std::fmt::Formatter<'_>, registers: u32, reached: &[(u32, u32)]) -> std::fmt::Result {
    let list = |numbers: Vec<u32>| {
        let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => words.concat(),
        }
    };
    let (groups, theirs) =
        (list(reached.iter().map(|r| r.0).collect()), list(reached.iter().map(|r| r.1).collect()));
    let (which, each) = match reached {
        [_] => ("warpgroup", "has"),
        _ => ("warpgroups", "have"),
    };
    write!(
        f,
        "`registers::<{registers}>()` is reached by {which} {groups}, which {each} {theirs} registers by `warpgroups(…)`; put the call \
         in a branch on `warpgroup_id()`, with the number of its role"
    )
}

/// Something that works and may surprise.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Threads may return before a barrier that others reach.
    EarlyReturn {
        /// The `return`.
        at: Location,
        /// The barrier.
        barrier: Location,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::EarlyReturn { at, barrier } => write!(
                f,
                "{}:{}: threads that return here never reach the barrier at line {}; launch full blocks, or guard the work instead",
                at.file, at.line, barrier.line
            ),
        }
    }
}
