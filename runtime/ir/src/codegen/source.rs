//! The result of printing: the text, and the facts about it that a launch needs.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::fault::{Failure, GLOBAL, SHARED, refused_by_device};
use crate::ir::{CoarsenNeeds, Condition, Global, Location, LoopId};

/// CUDA C++ of one kernel.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CudaSource {
    /// The text. A checked one includes [`CHECKS_HEADER`](super::CHECKS_HEADER).
    pub code: String,
    /// Name of the `extern "C"` kernel.
    pub kernel_name: String,
    /// The sites of faults, by their numbers.
    pub sites: Vec<Site>,
    /// Whether the kernel's last parameter is the fault record.
    pub has_fault_param: bool,
    /// The requirements on a device and a launch.
    pub needs: Needs,
    /// The conditions of a launch under which every index is in bounds or checked.
    pub conditions: Vec<Condition>,
    /// Constants and device globals that it names, with their symbols.
    pub globals: Vec<(&'static Global, String)>,
    /// The functions of its prelude that do more than to compute: through them the kernel meets other threads, or uses memory.
    pub operations: BTreeSet<String>,
    /// Its device functions by their names in the text, each with the location of its definition.
    pub functions: Vec<(String, Location)>,
    /// How its loops over ranges are printed.
    pub loops: Vec<PrintedLoop>,
}

impl CudaSource {
    /// The text with all that it includes, as compilers are given it.
    pub fn complete(&self) -> Cow<'_, str> {
        super::complete(&self.code)
    }
}

/// A loop over a range, as it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrintedLoop {
    /// The Rust name of the kernel or the device function that it stands in.
    pub function: String,
    /// Its identity there.
    pub id: LoopId,
    /// Whether its head tells the number of iterations: `i < n; ++i`. Otherwise it counts or tests in a form that is exact
    /// at the end of the counter's type.
    pub is_plain: bool,
    /// The version without checks that leave the loop, if the loop is compiled twice.
    pub ahead: Option<Ahead>,
}

/// The reason why a loop, or the first of its two versions, needs no checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// A comparison before the loop.
    Compared,
    /// Comparisons before each few iterations, which the second version ends.
    Batched,
    /// Failures are noted, and the second version runs after a failure.
    Tried,
    /// A comparison before the loop reports the first failure, and there is no second version.
    Reported,
}

/// The requirements of a kernel on a device and a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// Whether it needs an architecture-specific target (`sm_90a`).
    pub arch_specific: bool,
    /// Smallest compute capability.
    pub min_compute: (u32, u32),
    /// Whether it uses dynamic shared memory.
    pub uses_dynamic_shared: bool,
    /// Whether it meets the other blocks of a cluster.
    pub uses_cluster: bool,
    /// Whether it meets the whole grid, which is a cooperative launch.
    pub uses_grid: bool,
    /// Blocks of a cluster, where the kernel fixes them.
    pub cluster: Option<[u32; 3]>,
    /// Whether its slices must not overlap.
    pub noalias: bool,
    /// Bytes of its parameters, with the fault record's address where it takes one.
    pub parameter_bytes: usize,
    /// Bytes of static shared memory.
    pub static_shared_bytes: usize,
    /// Most bytes that the compiler adds to these, to align the arrays.
    pub shared_padding: usize,
    /// Bytes of declared arrays that static memory does not hold: dynamic shared memory begins with them, and the
    /// launch's own lies behind.
    pub large_shared_bytes: usize,
    /// Bytes of dynamic shared memory that it takes beyond the launch's, for the record of written bytes.
    pub shadow_bytes: usize,
    /// Whether it looks up written bytes of global memory in the table `ws_shadows`.
    pub shadow_table: bool,
    /// Whether it launches kernels: it is compiled as relocatable code and linked with CUDA's device runtime.
    pub launches: bool,
    /// Whether it may reach memory that is none of its slices: by an address in a value, in an
    /// element, or in a device static.
    pub hidden_memory: bool,
    /// Largest block, from launch bounds.
    pub max_threads: Option<u32>,
    /// The requirements on launches in which a thread does several elements. The number of threads, as the host asked for
    /// them, is the last parameter before the fault record, and the grid has fewer blocks.
    pub coarsened: Option<CoarsenNeeds>,
}

/// A place that can fail at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Site {
    /// How.
    pub kind: SiteKind,
    /// The location in the Rust source.
    pub at: Location,
    /// The launched kernel that it stands in; `None` in the kernel itself and in device functions.
    pub kernel: Option<&'static str>,
}

impl Site {
    /// The failure that a record reports for this place, by the record's two numbers.
    pub fn failure(&self, a: u64, b: u64) -> Failure<'_> {
        match &self.kind {
            SiteKind::Bounds => Failure::Index { index: a as i64, len: b },
            SiteKind::Range => Failure::Range { bound: a as i64, limit: b },
            SiteKind::Aligned => Failure::Misaligned { beyond: a % b.max(1), align: b },
            // The bits above the 32nd are the kind of memory.
            SiteKind::Unwritten => {
                let memory = if a >> 32 == 0 { SHARED } else { GLOBAL };
                Failure::Unwritten { memory, bytes: b, byte: a as u32 }
            }
            SiteKind::Assert(message) => Failure::Assertion(message),
            SiteKind::Launch(child) => Failure::Launch { child, why: refused_by_device(a).into() },
        }
    }
}

/// How a site fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// An index at or beyond the length.
    Bounds,
    /// A range that starts beyond its end, or ends beyond the length.
    Range,
    /// An address that is not aligned for the type it is read as.
    Aligned,
    /// A read of memory that no thread has written.
    Unwritten,
    /// A false assertion, with its message.
    Assert(String),
    /// A launch of this kernel that the device refuses.
    Launch(String),
}
