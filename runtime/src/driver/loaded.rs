//! Kernels that a device has loaded, by type, comptime values and checks.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};

use cudarc::driver::{CudaFunction, sys};
use cudarc::nvrtc::Ptx;

use super::fault::FaultRecord;
use super::{DriverError, Gpu};
use crate::codegen::{Checks, Needs, Site, SiteKind};
use crate::compile::{self, Compiled};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::launch::LaunchError;

/// A kernel loaded on one device.
pub struct Loaded {
    kernel: &'static str,
    function: CudaFunction,
    needs: Needs,
    sites: Vec<Site>,
    fault: Option<FaultRecord>,
    /// Dynamic shared memory that the function has been opted in to.
    opted_in: AtomicU32,
}

type Specialized<K> = HashMap<(<K as Kernel>::Comptime, bool), Arc<Loaded>>;

impl Loaded {
    pub(super) fn function(&self) -> sys::CUfunction {
        self.function.cu_function()
    }

    /// cudarc's function, for its attributes: registers, spills, shared memory.
    pub fn cuda_function(&self) -> &CudaFunction {
        &self.function
    }

    /// What the kernel needs of a device and a launch.
    pub(crate) fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Address of the fault record, if the kernel takes one.
    pub(super) fn fault_address(&self) -> Option<u64> {
        self.fault.as_ref().map(FaultRecord::device_address)
    }

    pub(super) fn take_fault(&self) -> Option<LaunchError> {
        let record = self.fault.as_ref()?.take()?;
        let site = self.sites.get(record.site as usize)?;
        let (a, b) = (record.a as i64, record.b);
        let what = match &site.kind {
            SiteKind::Bounds => format!("index {a} is out of bounds for length {b}"),
            SiteKind::Range => format!("range bound {a} is beyond {b}"),
            SiteKind::Aligned => format!("memory at {a:#x} is not aligned to {b} bytes"),
            SiteKind::Assert(message) => message.clone(),
        };
        Some(LaunchError::Fault {
            kernel: self.kernel,
            file: site.at.file,
            line: site.at.line,
            what,
            block: record.block,
            thread: record.thread,
        })
    }

    /// Opts in to more than 48 KiB of dynamic shared memory, once for each larger size.
    pub(super) fn opt_in(&self, bytes: u32) -> std::result::Result<(), DriverError> {
        if bytes <= 48 * 1024 || bytes <= self.opted_in.load(Ordering::Relaxed) {
            return Ok(());
        }
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.function
            .set_attribute(attribute, bytes as i32)
            .map_err(|e| DriverError::cuda("cuFuncSetAttribute", &e))?;
        self.opted_in.fetch_max(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Allows clusters of more than eight blocks.
    pub(super) fn allow_large_clusters(&self) -> std::result::Result<(), DriverError> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        self.function.set_attribute(attribute, 1).map_err(|e| DriverError::cuda("cuFuncSetAttribute", &e))
    }
}

impl Gpu {
    /// The kernel for these comptime values, compiled and loaded at its first use.
    ///
    /// # Errors
    /// Whatever recording, validating, compiling or loading refuses.
    pub fn load<K: Kernel>(&self, comptime: &K::Comptime, checks: bool) -> Result<Arc<Loaded>> {
        let key = (comptime.clone(), checks);
        let type_id = TypeId::of::<K>();
        {
            let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
            let known = loaded.get(&type_id).and_then(|map| map.downcast_ref::<Specialized<K>>());
            if let Some(loaded) = known.and_then(|map| map.get(&key)) {
                return Ok(loaded.clone());
            }
        }
        let fresh = Arc::new(self.compile::<K>(comptime, checks)?);
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        let map = loaded.entry(type_id).or_insert_with(|| Box::new(Specialized::<K>::new()));
        let Some(map) = map.downcast_mut::<Specialized<K>>() else { return Ok(fresh) };
        let kept = map.entry(key).or_insert(fresh).clone();
        let mut faulting = self.faulting.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.fault.is_some() && !faulting.iter().any(|known| Arc::ptr_eq(known, &kept)) {
            faulting.push(kept.clone());
        }
        Ok(kept)
    }

    fn compile<K: Kernel>(&self, comptime: &K::Comptime, checks: bool) -> Result<Loaded> {
        let checks = if checks { Checks::All } else { Checks::None };
        let Compiled { source, cubin } = compile::kernel::<K>(comptime, checks, self.limits.compute)?;
        let image = Ptx::from_binary(cubin.image.clone());
        let module =
            self.context.load_module(image).map_err(|e| DriverError::cuda("cuModuleLoadData", &e))?;
        self.bind_statics(&module, &source.globals)?;
        let function = module
            .load_function(&source.kernel_name)
            .map_err(|e| DriverError::cuda("cuModuleGetFunction", &e))?;
        let fault = if source.has_fault_param { Some(FaultRecord::new(&self.context)?) } else { None };
        let opted_in = AtomicU32::new(0);
        Ok(Loaded { kernel: K::NAME, function, needs: source.needs, sites: source.sites, fault, opted_in })
    }
}
