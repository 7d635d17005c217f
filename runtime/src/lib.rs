//! Write CUDA kernels inline, as Rust functions.
//!
//! ```
//! use warpsmith::prelude::*;
//!
//! /// y[i] = a * x[i] + y[i]
//! #[gpu_kernel]
//! pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id();
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> warpsmith::Result<()> {
//!     let gpu = Device::open()?; // the first CUDA GPU; without one, the CPU simulator
//!     let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
//!     let mut y = gpu.upload(&[10.0f32, 20.0, 30.0])?;
//!     saxpy(2.0, &x, &mut y).over(3).block(256).launch(&gpu)?;
//!     assert_eq!(gpu.download(&y)?, [12.0, 24.0, 36.0]);
//!     println!("{}", saxpy::cuda_source()?); // readable CUDA C++
//!     Ok(())
//! }
//! ```
//!
//! One annotated function becomes three things. The *twin* is the body with real Rust types: rustc checks it and the [`simulator`]
//! can run it. The *witness* is the same tokens in a closure that is type-checked but never called; its return type contains every
//! type that rustc inferred. The *emitter* records the [`ir`] with those types. Validation, bounds-check elision and [`codegen`]
//! turn the IR into CUDA C++, [`nvrtc`] compiles that to a cubin, and a [`Launch`] runs it. The simulator interprets the IR, with
//! [`checks`] of every access.
//!
//! Programs need only the items at the root and the types that these return. [`ir`], [`codegen`] and [`validate`] expose what the
//! stages pass to each other, for tools and tests; they may change in any version. Error enums, and structs that programs only
//! read, are `#[non_exhaustive]`.

#![deny(missing_docs)]
#![allow(
    clippy::result_large_err,
    reason = "a fault of the simulator ends a launch, and is boxed where it becomes an `Error`"
)]
#![cfg_attr(not(feature = "simulator"), allow(unreachable_code, reason = "no launch is simulated then"))]
#![cfg_attr(
    not(all(feature = "simulator", feature = "report", feature = "tuner")),
    allow(dead_code, reason = "some of what the optional rooms call")
)]

// The macros spell `::warpsmith`; this crate's own tests and device code use them too.
extern crate self as warpsmith;

mod compile;
pub mod driver;
pub mod error;
mod explained;
mod host;
pub mod launch;
mod memory;
#[cfg(feature = "simulator")]
pub mod printed;
#[cfg(feature = "simulator")]
pub mod reference;
mod rehearsal;
#[cfg(feature = "report")]
pub mod report;
pub mod resources;
mod settings;
mod shape;
mod sources;
#[cfg(feature = "simulator")]
pub mod testing;
#[cfg(feature = "tuner")]
pub mod tuner;

#[doc(hidden)]
pub mod __macro {
    //! The items that the macros' expansions name; not for users.
    pub use crate::launch::launched;
    pub use crate::memory::args::{SliceArg, SliceMutArg};
    pub use warpsmith_lang::macro_support::*;
}

#[cfg(test)]
mod module_tests;

#[cfg(feature = "simulator")]
use warpsmith_interpreter::interpreter;
use warpsmith_ir::deep_stack;
use warpsmith_ir::fault;
#[cfg(feature = "simulator")]
use warpsmith_ir::half;
pub use warpsmith_ir::{codegen, ir, validate};
#[doc(hidden)]
pub use warpsmith_ir::{limits, passes};
use warpsmith_lang::argument;
use warpsmith_lang::boxes;
pub use warpsmith_lang::{device_api, types};
#[doc(hidden)]
pub use warpsmith_lang::{record, witness};
pub use warpsmith_nvrtc::{cache, nvrtc};
pub use warpsmith_sim::simulator;
#[cfg(feature = "simulator")]
pub use warpsmith_sim::{checks, metrics};
pub use warpsmith_tiles::{pipeline, ptx, tensor, tile};

pub use compile::kernel::{Kernel, KernelDefinition};
pub use compile::{CompileErrors, Job, aot, compile_all, dump};
pub use error::{Error, Result};
pub use host::device::Device;
pub use host::stream::{Event, Stream};
pub use launch::graph::Graph;
pub use launch::{Launch, graph};
pub use memory::buffer::Buffer;
pub use memory::global::{GpuConst, GpuStatic};
pub use memory::host_memory::{ManagedBuffer, PinnedBuffer, Registered};
pub use memory::image::{Image1, Image2, Image3, ImageLayers};
pub use memory::part::{Part, PartMut};
pub use memory::pitched::Pitched2;
pub use memory::region::{Part3, PartMut3};
pub use memory::static_memory::{ConstMemory, StaticMemory};
pub use memory::volume::Pitched3;
pub use memory::{args, global, host_memory, image};
pub use record::RecordError;
#[cfg(feature = "tuner")]
pub use tuner::Tuner;
pub use warpsmith_lang::argument::KernelArg;
pub use warpsmith_macros::{
    DeviceType, GpuType, Stage, gpu_const, gpu_fn, gpu_impl, gpu_kernel, gpu_static, gpu_trait,
};

/// Tensor maps: their types in kernels, and how the host makes them.
pub mod tensor_map {
    pub use crate::driver::Promotion;
    pub use crate::memory::tensor_map::{TensorOptions, TensorPart, TensorPartMut};
    pub use warpsmith_tiles::tensor_map::{
        BoxLayout, LoadMap, MappedElement, ReducedBits, ReducedOrder, ReducedSum, StoreMap, TensorMap,
        TensorMap1, TensorMap3, TensorMap4, TensorMap5, TensorMapMut, TensorMapMut1, TensorMapMut3,
        TensorMapMut4, TensorMapMut5,
    };
}

/// Everything that kernels and the code around them use.
pub mod prelude {
    pub use crate::driver::MemSyncDomain;
    pub use crate::memory::image::{Image1, Image2, Image3, ImageLayers};
    pub use crate::{
        Buffer, Device, Event, GpuConst, GpuStatic, Graph, Kernel, KernelDefinition, Launch, Stream,
    };
    pub use warpsmith_macros::gpu_kernel;
    pub use warpsmith_tiles::prelude::*;
}
