//! Devices: a CUDA GPU, or the simulator.

use std::sync::Arc;

use crate::argument::MemoryPlace;
use crate::codegen::GpuChecks;
use crate::driver::{DriverError, Gpu, Limits};
use crate::error::{Error, Result};
use crate::host::ahead::Ahead;
use crate::host::simulated::Given;
use crate::rehearsal;
use crate::settings::{self, DeviceChoice};
use crate::simulator::Statics;

/// A device that runs kernels: a CUDA GPU or the CPU simulator. Clones are the same device.
///
/// A device of a [`Bundle`](crate::aot::Bundle::device) compiles kernels instead of running them.
#[derive(Clone)]
pub struct Device {
    backend: Backend,
    /// The simulator's own settings.
    pub(super) given: Given,
    /// The default GPU checks, for launches that set none.
    gpu_checks: Option<GpuChecks>,
    /// The device statics of a simulator.
    statics: Arc<Statics>,
    /// What it compiles for, if its launches do not run.
    ahead: Option<Arc<Ahead>>,
}

#[derive(Clone)]
pub(crate) enum Backend {
    Gpu(Arc<Gpu>),
    #[cfg_attr(
        not(feature = "simulator"),
        allow(dead_code, reason = "a build without the simulator makes none")
    )]
    Simulator,
}

impl Device {
    /// The first CUDA GPU; the simulator where there is no GPU or no driver.
    ///
    /// `WARPSMITH_DEVICE=sim` selects the simulator; `WARPSMITH_DEVICE=gpu` requires a GPU.
    ///
    /// # Errors
    /// The GPU does not work, or a GPU is required and there is none.
    pub fn open() -> Result<Self> {
        match settings::device()? {
            DeviceChoice::Simulator => Self::instead_of_a_gpu(DriverError::NoSimulator),
            DeviceChoice::Gpu => Self::gpu(0),
            DeviceChoice::Any => match Self::gpu(0) {
                Err(Error::Driver(why @ (DriverError::Missing | DriverError::NoDevice { .. }))) => {
                    Self::instead_of_a_gpu(why)
                }
                other => other,
            },
        }
    }

    /// A CUDA GPU by ordinal.
    ///
    /// # Errors
    /// [`DriverError::Missing`] without a driver, [`DriverError::NoDevice`] without that GPU.
    pub fn gpu(ordinal: usize) -> Result<Self> {
        let gpu = Gpu::open_while(ordinal, rehearsal::start)?;
        Ok(Self::of(Backend::Gpu(gpu), Given::default()))
    }

    pub(super) fn of(backend: Backend, given: Given) -> Self {
        Self { backend, given, gpu_checks: None, statics: Arc::default(), ahead: None }
    }

    /// A device whose launches are compiled into a bundle. Its memory is the host's.
    pub(crate) fn that_compiles(ahead: Ahead) -> Self {
        Self { ahead: Some(Arc::new(ahead)), ..Self::of(Backend::Simulator, Given::default()) }
    }

    /// What this device compiles for, if launches on it do not run.
    pub(crate) fn ahead(&self) -> Option<&Arc<Ahead>> {
        self.ahead.as_ref()
    }

    /// The same device with default checks for its launches on a GPU. [`Launch::gpu_checks`](crate::Launch::gpu_checks)
    /// overrides them for one launch. On the simulator, [`Settings::checks`](crate::simulator::Settings::checks) selects the checks.
    pub fn with_gpu_checks(self, checks: GpuChecks) -> Self {
        Self { gpu_checks: Some(checks), ..self }
    }

    /// The GPU checks of launches that set none.
    pub(crate) fn gpu_checks(&self) -> Result<GpuChecks> {
        match self.gpu_checks {
            Some(checks) => Ok(checks),
            None => Ok(settings::PipelineSettings::process()?.gpu_checks),
        }
    }

    /// The device statics of a simulator.
    pub(crate) fn statics(&self) -> &Arc<Statics> {
        &self.statics
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }

    pub(crate) fn place(&self) -> MemoryPlace {
        match &self.backend {
            Backend::Gpu(gpu) => MemoryPlace::Gpu(gpu.ordinal()),
            Backend::Simulator => MemoryPlace::Simulator,
        }
    }

    /// Returns whether this is the simulator, or a device of a bundle.
    pub fn is_simulator(&self) -> bool {
        matches!(self.backend, Backend::Simulator)
    }

    /// The GPU's name; `simulator`, or `a bundle for sm_90`.
    pub fn name(&self) -> &str {
        match &self.backend {
            Backend::Gpu(gpu) => gpu.name(),
            Backend::Simulator => self.ahead.as_ref().map_or("simulator", |ahead| ahead.name()),
        }
    }

    /// The limits of the device. The simulator has those of the device of compute capability 9.0 that it models; a device of a
    /// bundle has those of the GPUs that it compiles for.
    pub fn limits(&self) -> &Limits {
        match &self.backend {
            Backend::Gpu(gpu) => gpu.limits(),
            Backend::Simulator => self.ahead.as_ref().map_or(&Limits::SIMULATOR, |ahead| &ahead.limits),
        }
    }

    /// The GPU behind this device, for cudarc's streams and memory; `None` on the simulator.
    pub fn as_gpu(&self) -> Option<&Gpu> {
        match &self.backend {
            Backend::Gpu(gpu) => Some(gpu),
            Backend::Simulator => None,
        }
    }

    /// Waits for everything launched before.
    ///
    /// # Errors
    /// A fault of a kernel, or a driver error.
    pub fn synchronize(&self) -> Result<()> {
        match &self.backend {
            Backend::Gpu(gpu) => {
                gpu.synchronize()?;
                Ok(gpu.take_fault()?)
            }
            Backend::Simulator => Ok(()),
        }
    }

    /// Sets how many launches by kernels may be pending at once; default: 2048. Each takes some of the device's memory.
    ///
    /// The number holds for the whole process: for all simulators, and for one GPU.
    ///
    /// # Errors
    /// A driver error: the GPU has too little memory for the number, or a kernel is running.
    ///
    /// Source: CUDA Driver API, `CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT`.
    pub fn set_pending_launches(&self, launches: usize) -> Result<()> {
        match &self.backend {
            Backend::Gpu(gpu) => Ok(gpu.set_pending_launches(launches)?),
            Backend::Simulator => {
                crate::simulator::set_pending_limit(launches);
                Ok(())
            }
        }
    }

    /// Returns whether this GPU can access another's memory directly; always `false` for the simulator.
    ///
    /// # Errors
    /// An error of the driver.
    ///
    /// Source: CUDA Driver API, `cuDeviceCanAccessPeer`.
    pub fn can_access_peer(&self, other: &Device) -> Result<bool> {
        match (&self.backend, &other.backend) {
            (Backend::Gpu(here), Backend::Gpu(there)) => Ok(here.can_access(there)?),
            _ => Ok(false),
        }
    }

    /// Returns whether the link between two GPUs performs atomics of this GPU on the memory of the other (`atomic_system`), as
    /// NVLink does; always `false` for the simulator.
    ///
    /// # Errors
    /// An error of the driver.
    ///
    /// Source: CUDA Driver API, `CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED`.
    pub fn has_peer_atomics(&self, other: &Device) -> Result<bool> {
        match (&self.backend, &other.backend) {
            (Backend::Gpu(here), Backend::Gpu(there)) if here.ordinal() != there.ordinal() => {
                Ok(here.peer_atomics(there)?)
            }
            _ => Ok(false),
        }
    }

    /// Gives this GPU access to another's memory, for the rest of the process: its launches take buffers of the other, and copies
    /// between them no longer go through the host.
    ///
    /// The opposite direction needs a separate call. Launches on both GPUs are ordered by the memory that they write, as on one GPU.
    ///
    /// # Errors
    /// [`DriverError::Unavailable`] where [`Device::can_access_peer`] gives `false`; an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuCtxEnablePeerAccess`, `cuMemPoolSetAccess`.
    pub fn enable_peer_access(&self, other: &Device) -> Result<()> {
        match (&self.backend, &other.backend) {
            (Backend::Gpu(here), Backend::Gpu(there)) if here.can_access(there)? => {
                Ok(here.enable_access(there)?)
            }
            _ => {
                let why = "the devices do not reach each other; `stream.copy` works without";
                Err(DriverError::Unavailable { what: "peer access", place: self.place(), why }.into())
            }
        }
    }
}
