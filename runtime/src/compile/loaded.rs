//! Kernels on a device: recorded, compiled and loaded at their first use.

use std::sync::Arc;

use super::kernel::Kernel;
use super::{Compiled, recorded};
use crate::codegen::Checks;
use crate::driver::{Gpu, Loaded, Recorded, Version};
use crate::error::Result;

impl Gpu {
    /// The kernel for these comptime values, compiled and loaded at its first use.
    ///
    /// # Errors
    /// An error of recording, validation, compilation or loading.
    pub fn load<K: Kernel>(&self, comptime: &K::Comptime, checks: Checks) -> Result<Arc<Loaded>> {
        self.loaded::<K>(comptime, checks).cloned()
    }

    /// Like [`Gpu::load`]; finding it takes no lock.
    pub(crate) fn loaded<K: Kernel>(
        &self,
        comptime: &K::Comptime,
        version: impl Into<Version>,
    ) -> Result<&Arc<Loaded>> {
        let version = version.into();
        if let Some(loaded) = self.loaded_kernels().find::<K>(comptime, version) {
            return Ok(loaded);
        }
        let fresh = Arc::new(self.compile::<K>(comptime, version)?);
        Ok(self.loaded_kernels().add::<K>(comptime, version, fresh))
    }

    /// The facts about a kernel before it is compiled.
    pub(crate) fn recorded<K: Kernel>(&self, comptime: &K::Comptime) -> Result<&Recorded> {
        if let Some(known) = self.recorded_kernels().find::<K>(comptime, Checks::None) {
            return Ok(known);
        }
        let fresh = Recorded::new(K::module(comptime)?);
        Ok(self.recorded_kernels().add::<K>(comptime, Checks::None, fresh))
    }

    fn compile<K: Kernel>(&self, comptime: &K::Comptime, version: Version) -> Result<Loaded> {
        self.bind()?;
        let known = self.recorded_kernels().find::<K>(comptime, Checks::None).and_then(Recorded::take);
        let module = known.map_or_else(|| K::module(comptime), Ok)?;
        let Compiled { source, cubin } = recorded::<K>(&module, comptime, version, self.limits().compute)?;
        Ok(self.load_cubin(K::NAME, source, &cubin)?)
    }
}
