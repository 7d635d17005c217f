//! Explanations of a launch: the CUDA that is compiled for it, and why each index is checked or not.

use super::{AnyLaunch, Launch, LaunchShape, conditions};
use crate::argument::KernelArg;
use crate::codegen::Checks;
use crate::compile::kernel::Kernel;
use crate::compile::{self, Forms};
use crate::driver::{Limits, Version};
use crate::error::Result;
use crate::explained::{Explanation, Fulfilled};
use crate::host::device::Device;

impl<K: Kernel> Launch<'_, K> {
    /// The CUDA C++ that this launch compiles, with the bounds checks that neither the kernel's code nor the launch's shape and
    /// arguments make redundant. Nothing is launched.
    ///
    /// # Errors
    /// An error of recording or validation, with its Rust line; a missing or invalid shape.
    pub fn cuda_source(&self) -> Result<String> {
        self.any().cuda_source()
    }

    /// The CUDA C++ that this launch compiles without bounds checks, as [`Launch::launch_unchecked`] does. Nothing is launched.
    ///
    /// # Errors
    /// The errors of [`Launch::cuda_source`].
    pub fn cuda_source_unchecked(&self) -> Result<String> {
        self.any().cuda_source_unchecked()
    }

    /// Explains why each index of the kernel is in bounds in this launch, or what would prove it, the form of its loops,
    /// and the cost of the checks in registers, spills and instructions. Nothing is launched.
    ///
    /// Figures of machine code are for sm_90, which the simulator models; [`Launch::explain_on`] gives those for a device. The
    /// figures need NVRTC, and the form of loops also `nvdisasm`; both run when the explanation is printed.
    ///
    /// # Errors
    /// The errors of [`Launch::cuda_source`].
    pub fn explain(&self) -> Result<Explanation> {
        self.any().explained(Limits::SIMULATOR.compute)
    }

    /// Like [`Launch::explain`], with figures of machine code for the architecture of a device.
    ///
    /// # Errors
    /// As [`Launch::cuda_source`].
    pub fn explain_on(&self, device: &Device) -> Result<Explanation> {
        self.any().explained(device.limits().compute)
    }
}

impl AnyLaunch<'_> {
    fn cuda_source(self) -> Result<String> {
        self.printed(self.version()?)
    }

    fn cuda_source_unchecked(self) -> Result<String> {
        self.printed(Version { checks: Checks::None, ..self.version()? })
    }

    fn printed(self, version: Version) -> Result<String> {
        Ok(compile::print(&compile::module(self.kernel)?, version, false)?.code)
    }

    pub(super) fn explained(self, compute: (u32, u32)) -> Result<Explanation> {
        let (kernel, shape) = (self.kernel.name(), self.shape()?);
        let forms =
            Forms { kernel, module: compile::module(self.kernel)?, version: self.version()?, compute };
        explanation(forms, &shape, self.args)
    }
}

/// The explanation of a launch with this shape and these arguments, which compiles these forms.
pub(super) fn explanation(forms: Forms, shape: &LaunchShape, args: &[KernelArg]) -> Result<Explanation> {
    let module = forms.module.module();
    let fulfilled = Fulfilled {
        checks: conditions::fulfilled(&module.conditions, shape, args),
        fits: conditions::fulfilled(&module.fits, shape, args),
    };
    let source = compile::print(&forms.module, forms.version, false)?;
    Ok(Explanation::new(forms, &source, &fulfilled))
}
