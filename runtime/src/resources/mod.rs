//! The resources that one specialization of a kernel uses, and the number of its blocks that fit on a multiprocessor.
//!
//! The compiler's or the driver's report about a kernel comes in. Numbers go out, with a text for people. This module names
//! no driver, and launches nothing.

mod bounds;
mod machine_code;
mod multiprocessor;
mod occupancy;
mod ptxas;
mod remarks;
mod sass;
mod unrolled;

pub use bounds::BoundsEffect;
pub use multiprocessor::Multiprocessor;
pub(crate) use multiprocessor::shared_unit;
pub use occupancy::{Allowed, Limiter, Occupancy};
pub use remarks::{Remark, RemarkKind};
pub(crate) use unrolled::Bodies;
pub use unrolled::Unrolled;

use std::fmt;

use crate::codegen::CudaSource;
use crate::error::{LaunchError, ReportError};
use crate::ir::Requirements;
use crate::nvrtc::{self, Arch, CompileOptions, Cubin};
use crate::shape::Dim3;

/// Registers and memory of a kernel, as compiled for one architecture.
///
/// Registers are of 32 bits; sizes are in bytes.
///
/// Source: CUDA Driver API, `cuFuncGetAttribute`; without a GPU, the log of `ptxas --verbose`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resources {
    /// The kernel.
    pub kernel: String,
    /// The architecture that it is compiled for.
    pub arch: Arch,
    /// Registers of a thread.
    pub registers: u32,
    /// The spills of a thread; `None` if the figures come from the driver alone, which does not know them.
    pub spills: Option<Spills>,
    /// Stack of a thread, with the functions that it calls; `None` as for spills.
    pub stack_frame: Option<u32>,
    /// Local memory of a thread: its stack, spills and arrays.
    pub local: u32,
    /// Static shared memory of a block.
    pub static_shared: u32,
    /// Dynamic shared memory of a block, which the launch asks for.
    pub dynamic_shared: u32,
    /// Constant memory of the kernel's module.
    pub constant: u32,
    /// Barriers of a block; `None` as for spills.
    pub barriers: Option<u32>,
    /// Threads of the largest block: of the launch bounds, or what the registers allow.
    pub max_threads: u32,
    /// The PTX version as ten times major plus minor: 90.
    pub ptx_version: u32,
    /// The version of the machine code, in the same form.
    pub binary_version: u32,
    /// Whether the kernel was compiled to cache global loads in L1 against the default; `None` without
    /// a GPU.
    pub cache_all: Option<bool>,
    /// Machine instructions of the kernel and of the functions that it calls; `None` if the figures come from the driver alone.
    pub instructions: Option<u32>,
    /// The compiler's remarks: instructions that it did not follow, and causes of lost speed; empty without NVRTC.
    pub remarks: Vec<Remark>,
}

/// Register values that are kept in memory because there are too few registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spills {
    /// Bytes that a thread stores, over all functions.
    pub stores: u32,
    /// Bytes that a thread loads again.
    pub loads: u32,
}

impl Spills {
    /// Returns whether there are any.
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

/// Whether a kernel is what its author demands, by the log of its compilation; the PTX tells the lines of remarks.
///
/// # Errors
/// [`LaunchError::Required`] with the remarks.
pub(crate) fn check_demands(
    kernel: &'static str,
    requires: Requirements,
    log: &str,
    ptx: &str,
) -> Result<(), LaunchError> {
    let mut said = remarks::parse(log);
    remarks::locate(&mut said, ptx);
    let Some((demand, found, way_out)) = remarks::unmet(requires, &said) else { return Ok(()) };
    let said = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    Err(LaunchError::Required { kernel, demand, said, way_out })
}

impl Resources {
    /// The resources of printed CUDA, compiled with these options. Needs no GPU.
    ///
    /// For a kernel that launches kernels, the figures are those before CUDA's device runtime is linked to it.
    ///
    /// # Errors
    /// An error of NVRTC, or a missing NVRTC; [`ReportError::Log`] if its log has no resources.
    pub fn of(source: &CudaSource, options: &CompileOptions) -> crate::Result<Self> {
        let cubin = nvrtc::compile_verbose(&source.complete(), &source.kernel_name, options)?;
        Ok(Self::compiled(source, options.arch, &cubin)?)
    }

    /// The resources of a source that was compiled with the assembler's report as its log.
    fn compiled(source: &CudaSource, arch: Arch, cubin: &Cubin) -> Result<Self, ReportError> {
        let kernel = &source.kernel_name;
        let usage = ptxas::parse(&cubin.log, kernel)
            .ok_or_else(|| ReportError::Log { kernel: kernel.clone(), log: cubin.log.clone() })?;
        let constant = machine_code::section_size(&cubin.image, ".nv.constant3");
        let version = arch.major * 10 + arch.minor;
        let multiprocessor = Multiprocessor::of((arch.major, arch.minor))?;
        let largest = multiprocessor.largest_block(usage.registers);
        Ok(Self {
            kernel: kernel.clone(),
            arch,
            registers: usage.registers,
            spills: Some(Spills { stores: usage.spill_stores, loads: usage.spill_loads }),
            stack_frame: Some(usage.stack_frame),
            local: usage.stack_frame + usage.local,
            static_shared: usage.shared + source.needs.large_shared_bytes as u32,
            dynamic_shared: 0,
            constant: constant.map_or(usage.constant, |bytes| u32::try_from(bytes).unwrap_or(u32::MAX)),
            barriers: Some(usage.barriers),
            max_threads: source.needs.max_threads.map_or(largest, |bound| bound.min(largest)),
            ptx_version: version,
            binary_version: version,
            cache_all: None,
            instructions: machine_code::instructions(&cubin.image).filter(|_| arch.major >= 7),
            remarks: remarks::parse(&cubin.log),
        })
    }

    /// The same kernel, launched with this much dynamic shared memory per block, in bytes.
    pub fn with_dynamic_shared(self, bytes: u32) -> Self {
        Self { dynamic_shared: bytes, ..self }
    }

    /// The number of blocks of a shape that are resident on a multiprocessor of the kernel's architecture.
    ///
    /// # Errors
    /// [`ReportError::Compute`] for an architecture that is not in the table, [`ReportError::Block`] for
    /// a block that no device can launch.
    pub fn occupancy(&self, block: impl Into<Dim3>) -> Result<Occupancy, ReportError> {
        let multiprocessor = Multiprocessor::of((self.arch.major, self.arch.minor))?;
        Occupancy::new(self, &multiprocessor, block)
    }

    /// The block size with the most resident threads, and its occupancy.
    ///
    /// If several are best, the largest, as the driver chooses.
    ///
    /// # Errors
    /// [`ReportError::Compute`] for an architecture that is not in the table.
    ///
    /// Source: CUDA Driver API, `cuOccupancyMaxPotentialBlockSize`.
    pub fn best_block(&self) -> Result<(u32, Occupancy), ReportError> {
        Occupancy::best(self, &Multiprocessor::of((self.arch.major, self.arch.minor))?)
    }

    /// Advice about spills, if there are any.
    pub fn warning(&self) -> Option<String> {
        let spills = self.spills.filter(|spills| spills.any())?;
        Some(format!(
            "each thread spills registers to local memory: {} bytes stored, {} loaded; raise \
             `max_registers(…)`, lower the block or the resident blocks of `launch_bounds(…)`, or keep fewer \
             values alive: smaller tiles, less unrolling, arrays indexed by constants",
            spills.stores, spills.loads
        ))
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel `{}` for {}", self.kernel, self.arch)?;
        writeln!(f, "  registers        {} a thread", self.registers)?;
        match self.spills {
            Some(spills) if spills.any() => {
                writeln!(f, "  spills           {} bytes stored, {} loaded", spills.stores, spills.loads)?;
            }
            Some(_) => writeln!(f, "  spills           none")?,
            None => writeln!(f, "  spills           not known without NVRTC")?,
        }
        if let Some(frame) = self.stack_frame {
            writeln!(f, "  stack frame      {frame} bytes a thread")?;
        }
        writeln!(f, "  local memory     {} bytes a thread", self.local)?;
        let (fixed, dynamic) = (self.static_shared, self.dynamic_shared);
        writeln!(f, "  shared memory    {fixed} bytes static and {dynamic} dynamic a block")?;
        writeln!(f, "  constant memory  {} bytes", self.constant)?;
        if let Some(barriers) = self.barriers {
            writeln!(f, "  barriers         {barriers} a block")?;
        }
        writeln!(f, "  largest block    {} threads", self.max_threads)?;
        if let Some(instructions) = self.instructions {
            writeln!(f, "  instructions     {instructions}")?;
        }
        if let Some(all) = self.cache_all {
            writeln!(f, "  L1 cache         {}", if all { "all global loads" } else { "the default" })?;
        }
        let [ptx, code] = [self.ptx_version, self.binary_version].map(|v| (v / 10, v % 10));
        write!(f, "  code             PTX {}.{}, machine code {}.{}", ptx.0, ptx.1, code.0, code.1)?;
        self.remarks.iter().try_for_each(|remark| write!(f, "\nremark: {remark}"))?;
        self.warning().map_or(Ok(()), |warning| write!(f, "\nwarning: {warning}"))
    }
}
