//! Kernels that a device has loaded, by type, comptime values and checks.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use cudarc::driver::{CudaContext, CudaFunction, sys};
use cudarc::nvrtc::Ptx;

use super::attribute_checks::check_carveout;
use super::fault::FaultRecord;
use super::occupancy::Counted;
use super::symbols::ConstantSymbol;
use super::table::{Shown, Table};
use super::{Attributes, CachePreference, Carveout, ClusterScheduling, DriverError, Gpu, attributes};
use crate::codegen::{CudaSource, Needs, Site};
use crate::error::LaunchError;
use crate::ir::{CoarsenFactor, ConditionSet};
use crate::limits;
use crate::nvrtc::Cubin;
use crate::passes;
use crate::shape::LaunchShape;
use crate::validate::ValidModule;

use sys::CUfunction_attribute as Attribute;

/// The facts about a kernel before it is compiled.
pub(crate) struct Recorded {
    /// The conditions that its launches may fulfil.
    pub conditions: ConditionSet,
    /// The slice parameters that nothing writes if they overlap none that it writes.
    pub read_only: u64,
    /// The number of elements that its attribute asks each thread to do.
    pub coarsen: Option<CoarsenFactor>,
    /// The kernel itself, until it is compiled: to record it costs more than to find it on disk.
    module: Mutex<Option<ValidModule>>,
}

impl Recorded {
    /// A kernel that was recorded and validated.
    pub fn new(module: ValidModule) -> Self {
        let of = module.module();
        let conditions = ConditionSet::new(of.conditions.clone(), of.fits.clone());
        let (read_only, coarsen) = (passes::read_only(&module), of.attributes.coarsen);
        Self { conditions, read_only, coarsen, module: Mutex::new(Some(module)) }
    }

    /// The facts that most launches show.
    pub fn most(&self) -> Shown {
        Shown::ALL.of(self.conditions.fits().len(), self.read_only)
    }

    /// The module, the first time.
    pub fn take(&self) -> Option<ValidModule> {
        self.module.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A kernel loaded on one device.
pub struct Loaded {
    kernel: &'static str,
    function: CudaFunction,
    context: Arc<CudaContext>,
    needs: Needs,
    sites: Vec<Site>,
    fault: Option<FaultRecord>,
    /// Dynamic shared memory that the function has been opted in to.
    opted_in: AtomicU32,
    /// Whether clusters of more than eight blocks are allowed.
    large_clusters: AtomicBool,
    /// The cache preference that was last set, as the driver numbers it.
    cache: AtomicU32,
    /// The constants that it reads.
    pub(super) constants: Vec<Arc<ConstantSymbol>>,
    /// Occupancies that were asked for.
    pub(super) counted: RwLock<Vec<Counted>>,
}

impl Loaded {
    pub(super) fn function(&self) -> sys::CUfunction {
        self.function.cu_function()
    }

    /// The kernel's name.
    pub(crate) fn name(&self) -> &'static str {
        self.kernel
    }

    /// cudarc's function, for its attributes: registers, spills, shared memory.
    pub fn cuda_function(&self) -> &CudaFunction {
        &self.function
    }

    /// Sets the part of a multiprocessor's memory that launches of this kernel prefer as shared memory. A launch's own
    /// setting overrides it.
    ///
    /// # Errors
    /// [`LaunchError::Carveout`] above 100 percent, or a driver error.
    ///
    /// Source: CUDA Driver API, `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
    pub fn set_shared_carveout(&self, carveout: Carveout) -> std::result::Result<(), LaunchError> {
        check_carveout(self.kernel, carveout)?;
        self.bind()?;
        let percent = attributes::percent(carveout) as i32;
        Ok(self.set(Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent)?)
    }

    /// The part that [`Loaded::set_shared_carveout`] set last, in percent; `None` is the driver's own choice. It does not
    /// include settings of launches, nor the part that the driver chose.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
    pub fn shared_carveout(&self) -> std::result::Result<Option<u8>, DriverError> {
        let percent = self.get(Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)?;
        Ok(u8::try_from(percent).ok())
    }

    /// Bytes of dynamic shared memory that the kernel was opted in to; 48 KiB less its static shared
    /// memory unless a launch asked for more.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    pub fn max_dynamic_shared(&self) -> std::result::Result<usize, DriverError> {
        let bytes = self.get(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?;
        Ok(usize::try_from(bytes).unwrap_or(0))
    }

    /// Sets how clusters of this kernel are spread over the device. A launch's own setting overrides it.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`.
    pub fn set_cluster_scheduling(&self, policy: ClusterScheduling) -> std::result::Result<(), DriverError> {
        self.bind()?;
        let policy = attributes::scheduling_to_driver(policy) as i32;
        self.set(Attribute::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, policy)
    }

    /// How clusters of this kernel are spread over the device.
    ///
    /// # Errors
    /// A driver error.
    pub fn cluster_scheduling(&self) -> std::result::Result<ClusterScheduling, DriverError> {
        let policy = self.get(Attribute::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)?;
        Ok(attributes::scheduling_from_driver(policy as u32))
    }

    /// Whether clusters of more than the portable eight blocks are allowed, which they are once a launch has used one.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
    pub fn allows_large_clusters(&self) -> std::result::Result<bool, DriverError> {
        Ok(self.get(Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)? != 0)
    }

    /// The cache preference that a launch set last. This is the value that was set, not one read back: the driver stores
    /// a preference for each kernel, but reports only the context's,
    /// [`Gpu::cache_preference`](super::Gpu::cache_preference).
    pub fn cache_preference(&self) -> CachePreference {
        attributes::cache_from_driver(self.cache.load(Ordering::Relaxed))
    }

    fn bind(&self) -> std::result::Result<(), DriverError> {
        self.context.bind_to_thread().map_err(|e| DriverError::cuda("cuCtxSetCurrent", &e))
    }

    /// The requirements of the kernel on a device and a launch.
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
        let failure = site.failure(record.a, record.b);
        Some(LaunchError::Fault {
            kernel: site.kernel.unwrap_or(self.kernel),
            file: site.at.file,
            line: site.at.line,
            what: failure.to_string(),
            way_out: failure.way_out(),
            block: record.block,
            thread: record.thread,
        })
    }

    /// Sets the attributes of the function that a launch needs, each once; the context is bound.
    pub(super) fn ready(
        &self,
        shape: &LaunchShape,
        attributes: &Attributes,
    ) -> std::result::Result<(), DriverError> {
        self.opt_in(shape.dynamic_shared)?;
        if let Some(cluster) = attributes.preferred_cluster.or(shape.cluster).or(self.needs.cluster) {
            self.allow_clusters(cluster.iter().product())?;
        }
        match attributes.cache {
            Some(preference) => self.prefer(preference),
            None => Ok(()),
        }
    }

    /// Opts in to more dynamic shared memory than every kernel has, once for each larger size.
    fn opt_in(&self, bytes: u32) -> std::result::Result<(), DriverError> {
        let most = bytes as usize + self.needs.static_shared_bytes + self.needs.shared_padding;
        if most <= limits::STATIC_SHARED || bytes <= self.opted_in.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32)?;
        self.opted_in.fetch_max(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Allows clusters of more blocks than every device with clusters runs.
    fn allow_clusters(&self, blocks: u32) -> std::result::Result<(), DriverError> {
        if blocks <= limits::PORTABLE_CLUSTER || self.large_clusters.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.set(Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        self.large_clusters.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Sets the cache preference, unless it was the last one set.
    fn prefer(&self, preference: CachePreference) -> std::result::Result<(), DriverError> {
        let preference = attributes::cache_to_driver(preference);
        if self.cache.swap(preference as u32, Ordering::Relaxed) == preference as u32 {
            return Ok(());
        }
        // SAFETY: the context is bound and the function loaded in it.
        unsafe { sys::cuFuncSetCacheConfig(self.function(), preference) }
            .result()
            .map_err(|e| DriverError::cuda("cuFuncSetCacheConfig", &e))
    }

    fn get(&self, attribute: Attribute) -> std::result::Result<i32, DriverError> {
        self.function.get_attribute(attribute).map_err(|e| DriverError::cuda("cuFuncGetAttribute", &e))
    }

    fn set(&self, attribute: Attribute, value: i32) -> std::result::Result<(), DriverError> {
        self.function.set_attribute(attribute, value).map_err(|e| DriverError::cuda("cuFuncSetAttribute", &e))
    }
}

impl Gpu {
    /// Loads a compiled kernel.
    pub(crate) fn load_cubin(
        &self,
        kernel: &'static str,
        source: CudaSource,
        cubin: &Cubin,
    ) -> Result<Loaded, DriverError> {
        let image = Ptx::from_binary(cubin.image.clone());
        let module =
            self.context.load_module(image).map_err(|e| DriverError::cuda("cuModuleLoadData", &e))?;
        let constants = self.bind_statics(&module, &source.globals)?;
        if source.needs.shadow_table {
            self.bind_shadows(&module)?;
        }
        let function = module
            .load_function(&source.kernel_name)
            .map_err(|e| DriverError::cuda("cuModuleGetFunction", &e))?;
        let fault = if source.has_fault_param { Some(self.faults.record()?) } else { None };
        Ok(Loaded {
            kernel,
            function,
            context: self.context.clone(),
            needs: source.needs,
            sites: source.sites,
            fault,
            opted_in: AtomicU32::new(0),
            large_clusters: AtomicBool::new(false),
            cache: AtomicU32::new(sys::CUfunc_cache::CU_FUNC_CACHE_PREFER_NONE as u32),
            constants,
            counted: RwLock::default(),
        })
    }

    /// Kernels that are loaded.
    pub(crate) fn loaded_kernels(&self) -> &Table<Arc<Loaded>> {
        &self.loaded
    }

    /// Kernels before they are compiled, with [`Checks::None`](crate::codegen::Checks) in the place of checks.
    pub(crate) fn recorded_kernels(&self) -> &Table<Recorded> {
        &self.recorded
    }
}
