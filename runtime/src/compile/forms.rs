//! The forms of a launch's kernel to compare: as the launch compiles it, without checks, and with no loop unrolled.
//!
//! A kernel's module comes in, with the facts that a launch shows about it. Figures of the machine code go out. This module
//! compiles on request, and keeps nothing.

use super::{CompileJob, dump, passed, report};
use crate::codegen::{self, Checks, PrintOptions};
use crate::driver::Version;
use crate::error::Result;
use crate::nvrtc::{self, DebugInfo};
use crate::passes;
use crate::resources::{Bodies, Resources};
use crate::validate::ValidModule;

/// A kernel as a launch compiles it for one compute capability.
#[derive(Clone, Debug)]
pub(crate) struct Forms {
    pub kernel: &'static str,
    pub module: ValidModule,
    pub version: Version,
    pub compute: (u32, u32),
}

impl Forms {
    /// Figures of the kernel with and without the checks of the launch.
    ///
    /// # Errors
    /// An error of compiling, or a missing NVRTC.
    pub fn resources(&self) -> Result<[Resources; 2]> {
        let checked = self.job(self.version, false)?;
        let unchecked = self.job(Version { checks: Checks::None, ..self.version }, false)?;
        let own = report(&checked)?;
        let other =
            if unchecked.source.code == checked.source.code { own.clone() } else { report(&unchecked)? };
        Ok([own, other])
    }

    /// The bodies of the loops in the launch's machine code.
    ///
    /// # Errors
    /// As for [`Forms::resources`]; [`DumpError::NoDisassembler`](crate::error::DumpError::NoDisassembler).
    pub fn bodies(&self) -> Result<Bodies> {
        let mut job = self.job(self.version, true)?;
        job.options.debug_info = DebugInfo::Lines;
        let made = disassembled(&job)?;
        let module = passes::rolled(passed(&self.module, self.version)?.into_owned());
        let options = PrintOptions { checks: self.version.checks, line_directives: true };
        job.source = codegen::print(&module, &options);
        Ok(Bodies::new(&made, &disassembled(&job)?))
    }

    fn job(&self, version: Version, lines: bool) -> Result<CompileJob> {
        CompileJob::named(self.kernel, &self.module, version, self.compute, lines)
    }
}

/// The machine code of a job as text, with lines.
fn disassembled(job: &CompileJob) -> Result<String> {
    let cubin = nvrtc::compile_object(&job.source.complete(), &job.source.kernel_name, &job.options)?;
    Ok(dump::sass_with_lines(&cubin.image)?)
}
