//! One `cuLaunchKernelEx`.

use std::ffi::c_void;

use cudarc::driver::sys::{self, CUlaunchAttributeID as Id};

use super::{DriverError, Gpu, Loaded, order};
use crate::args::KernelArg;
use crate::args::Place;
use crate::launch::{LaunchError, Shape};
use crate::stream::LaunchStream;

/// A logical memory synchronization domain.
///
/// Source: CUDA Driver API, `CUlaunchMemSyncDomain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemSyncDomain {
    /// For compute.
    Default,
    /// For communication with other devices.
    Remote,
}

/// Attributes of a launch beyond its shape.
#[derive(Clone, Default)]
pub struct Attributes {
    pub(crate) stream: Option<LaunchStream>,
    pub(crate) cooperative: bool,
    pub(crate) priority: Option<i32>,
    pub(crate) domain: Option<MemSyncDomain>,
    pub(crate) domain_map: Option<[u8; 2]>,
    pub(crate) programmatic: bool,
}

/// Attributes of one launch at most.
const MAX_ATTRIBUTES: usize = 6;

/// The attribute list that the driver reads.
struct List {
    items: [sys::CUlaunchAttribute; MAX_ATTRIBUTES],
    len: usize,
}

impl List {
    fn new(shape: &Shape, attributes: &Attributes) -> Self {
        // SAFETY: plain integers and unions of them; all zero bits are a valid value of each.
        let items = unsafe { std::mem::zeroed() };
        let mut list = List { items, len: 0 };
        if let Some([x, y, z]) = shape.cluster {
            list.push(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, |v| v.clusterDim = cluster_dim(x, y, z));
        }
        if attributes.cooperative {
            list.push(Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, |v| v.cooperative = 1);
        }
        if let Some(priority) = attributes.priority {
            list.push(Id::CU_LAUNCH_ATTRIBUTE_PRIORITY, |v| v.priority = priority);
        }
        if let Some(domain) = attributes.domain {
            list.push(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, |v| v.memSyncDomain = domain_id(domain));
        }
        if let Some([default_, remote]) = attributes.domain_map {
            let map = sys::CUlaunchMemSyncDomainMap { default_, remote };
            list.push(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, |v| v.memSyncDomainMap = map);
        }
        if attributes.programmatic {
            list.push(Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, |v| {
                v.programmaticStreamSerializationAllowed = 1;
            });
        }
        list
    }

    fn push(&mut self, id: Id, set: impl FnOnce(&mut sys::CUlaunchAttributeValue)) {
        if let Some(item) = self.items.get_mut(self.len) {
            item.id = id;
            set(&mut item.value);
            self.len += 1;
        }
    }
}

fn cluster_dim(x: u32, y: u32, z: u32) -> sys::CUlaunchAttributeValue_union__bindgen_ty_1 {
    sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z }
}

fn domain_id(domain: MemSyncDomain) -> sys::CUlaunchMemSyncDomain {
    match domain {
        MemSyncDomain::Default => sys::CUlaunchMemSyncDomain::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
        MemSyncDomain::Remote => sys::CUlaunchMemSyncDomain::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
    }
}

/// Run-time parameters of one kernel at most; a slice is two.
const MAX_PARAMS: usize = 130;

/// Addresses of the parameters, in place: a launch allocates nothing.
struct Params {
    items: [*mut c_void; MAX_PARAMS],
    len: usize,
}

impl Params {
    fn push<T>(&mut self, value: *const T) {
        if let Some(item) = self.items.get_mut(self.len) {
            *item = value.cast_mut().cast();
            self.len += 1;
        }
    }
}

impl Gpu {
    /// Launches a loaded kernel; everything was checked but what only the driver knows.
    pub(crate) fn launch(
        &self,
        loaded: &Loaded,
        shape: &Shape,
        attributes: &Attributes,
        args: &[KernelArg],
    ) -> Result<(), LaunchError> {
        if args.len() > (MAX_PARAMS - 2) / 2 {
            return Err(LaunchError::Arguments { count: args.len(), limit: (MAX_PARAMS - 2) / 2 });
        }
        let mut params = Params { items: [std::ptr::null_mut(); MAX_PARAMS], len: 0 };
        for arg in args {
            match arg {
                KernelArg::Slice { ptr, len, .. } => {
                    params.push(ptr);
                    params.push(len);
                }
                KernelArg::Value(bytes) => params.push(bytes.as_ptr()),
            }
        }
        let fault = loaded.fault_address();
        if let Some(fault) = &fault {
            params.push(fault);
        }
        let stream = match &attributes.stream {
            None => &self.stream,
            Some(LaunchStream(Some(stream))) => stream,
            Some(LaunchStream(None)) => {
                let (owner, device) = (Place::Simulator, Place::Gpu(self.ordinal));
                return Err(DriverError::OtherDevice { what: "stream", owner, device }.into());
            }
        };
        self.accepts(stream)?;
        let cuda =
            |call| move |e: cudarc::driver::DriverError| LaunchError::Driver(DriverError::cuda(call, &e));
        let begun = order::before(self, stream, args, loaded.needs().hidden_memory)?;
        self.context.bind_to_thread().map_err(cuda("cuCtxSetCurrent"))?;
        loaded.opt_in(shape.dynamic_shared).map_err(LaunchError::Driver)?;
        if shape.cluster.is_some_and(|c| c.iter().product::<u32>() > 8) {
            loaded.allow_large_clusters().map_err(LaunchError::Driver)?;
        }
        let mut list = List::new(shape, attributes);
        let config = sys::CUlaunchConfig {
            gridDimX: shape.grid[0],
            gridDimY: shape.grid[1],
            gridDimZ: shape.grid[2],
            blockDimX: shape.block[0],
            blockDimY: shape.block[1],
            blockDimZ: shape.block[2],
            sharedMemBytes: shape.dynamic_shared,
            hStream: stream.cu_stream(),
            attrs: list.items.as_mut_ptr(),
            numAttrs: list.len as u32,
        };
        // SAFETY: the function is loaded in the bound context; each parameter's address is to a
        // value of the type that the printed kernel declares, alive for the call, which copies it.
        let result = unsafe {
            sys::cuLaunchKernelEx(
                &raw const config,
                loaded.function(),
                params.items.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        result.result().map_err(cuda("cuLaunchKernelEx"))?;
        Ok(order::after(self, stream, args, begun)?)
    }
}
