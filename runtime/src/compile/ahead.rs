//! Kernels on a device of a bundle: recorded and printed at their first use, compiled once a launch runs them.

use std::sync::Arc;

use super::aot::Place;
use super::kernel::AnyKernel;
use super::{module, needs};
use crate::codegen::Checks;
use crate::driver::{Recorded, Version};
use crate::error::{Error, LaunchError, Result};
use crate::host::ahead::{Ahead, Text};

impl Ahead {
    /// The facts about a kernel before it is compiled.
    pub(crate) fn recorded(&self, kernel: &dyn AnyKernel) -> Result<&Recorded> {
        if let Some(known) = self.recorded.find(kernel, Checks::None) {
            return Ok(known);
        }
        let fresh = Recorded::new(module(kernel)?);
        Ok(self.recorded.add(kernel, Checks::None, fresh))
    }

    /// A version of a kernel, which is not compiled yet.
    pub(crate) fn text(&self, kernel: &dyn AnyKernel, version: Version) -> Result<&Arc<Text>> {
        if let Some(text) = self.texts.find(kernel, version) {
            return Ok(text);
        }
        let fresh = Arc::new(Text::new(version, needs(kernel, version, self.limits.compute)?));
        Ok(self.texts.add(kernel, version, fresh))
    }

    /// Compiles a version into the bundle, and the one that other launches of the kernel can run.
    pub(crate) fn keep(&self, kernel: &dyn AnyKernel, text: &Text) -> Result<()> {
        if text.is_kept() {
            return Ok(());
        }
        let place = Place { shelf: &self.shelf, compute: self.limits.compute };
        place.add(kernel, text.version)?;
        if self.for_any_launch {
            match place.add(kernel, text.version.for_any_launch()) {
                // With more checks it may not meet what its author demands; then no launch runs it.
                Ok(()) | Err(Error::Launch(LaunchError::Required { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        text.set_kept();
        Ok(())
    }
}
