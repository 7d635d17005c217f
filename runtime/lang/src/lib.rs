//! The language of kernels.
//!
//! The expansions of the attributes call this crate, and it records an [`ir::Module`] with the types that rustc inferred.
//! [`types`] has the types of a kernel's values, and [`device_api`] the functions that it calls: each builtin has its Rust
//! meaning beside its CUDA text. [`witness`] reads inferred types off closures that are never called, and [`record`] builds the IR.
//!
//! This crate is independent of GPUs, drivers, host memory objects and launches: an argument is an address with a length, an image
//! or bytes. Use it through `warpsmith`, which re-exports all of it; its own API may change in any version.

#![deny(missing_docs)]
#![allow(
    clippy::result_large_err,
    reason = "a fault of the simulator ends a launch, and is boxed where it becomes an `Error`"
)]

// The macros spell `::warpsmith`; device functions of this crate use them too.
extern crate self as warpsmith;

pub mod argument;
#[doc(hidden)]
pub mod boxes;
pub mod device_api;
pub mod device_type;
pub mod image;
pub mod kernel;
pub mod kernel_map;
#[doc(hidden)]
pub mod macro_support;
pub mod meaning;
mod place;
pub mod record;
pub mod texels;
pub mod types;
mod value_bytes;
pub mod witness;

#[doc(hidden)]
pub use macro_support as __macro;

use warpsmith_ir::{codegen, half, ir, limits};
use warpsmith_sim::simulator;

/// The folder of this crate's sources, as the source locations of its device functions name it.
#[doc(hidden)]
pub const SOURCES: &str = file!().split_at(file!().len() - "lib.rs".len()).0;

/// PTX instructions, under their PTX names; the types of `warpsmith-tiles` are built on them.
pub mod ptx {
    pub use crate::device_api::bulk_copy::*;
    pub use crate::device_api::ldmatrix::*;
    pub use crate::device_api::mbarrier::*;
    pub use crate::device_api::mma::*;
    pub use crate::device_api::setmaxnreg::*;
    pub use crate::device_api::wgmma::*;
}

/// The items that kernels use: builtins, types and the attributes of device code.
pub mod prelude {
    pub use crate::device_api::atomic::*;
    pub use crate::device_api::barrier::{Barrier, Phase};
    pub use crate::device_api::cluster::*;
    pub use crate::device_api::convert::*;
    pub use crate::device_api::copy_async::*;
    pub use crate::device_api::dependency::*;
    pub use crate::device_api::fast::*;
    pub use crate::device_api::fence::*;
    pub use crate::device_api::fp8::*;
    pub use crate::device_api::group::*;
    pub use crate::device_api::hint::*;
    pub use crate::device_api::index::*;
    pub use crate::device_api::int_intrinsics::*;
    pub use crate::device_api::math::*;
    pub use crate::device_api::memory::{
        CacheAccess, bit_cast, load_l2, load_last_use, load_read_only, load_streaming, prefetch_l1,
        prefetch_l2, store_l2, store_streaming, store_through, trap, volatile_load, volatile_store,
    };
    pub use crate::device_api::number::{Float, Int, Num};
    pub use crate::device_api::ordered::{Atomic, atomic, atomic_block, atomic_cluster, atomic_system};
    pub use crate::device_api::packed::*;
    pub use crate::device_api::rounding::*;
    pub use crate::device_api::shared::*;
    pub use crate::device_api::shuffle::*;
    pub use crate::device_api::std_names::{max, min, replace, swap, take};
    pub use crate::device_api::sync::*;
    pub use crate::device_api::time::*;
    pub use crate::device_api::vote::*;
    pub use crate::image::{
        AddressMode, Filter, Sampler, Surface1, Surface2, Surface3, SurfaceLayers, Texture1, Texture2,
        Texture3, TextureLayers,
    };
    pub use crate::types::ReinterpretArray as _;
    pub use crate::types::vector::*;
    pub use crate::types::{AnyBits, Constant, GpuType, View, View2, View3, ViewMut, ViewMut2, ViewMut3};
    pub use core::sync::atomic::Ordering;
    pub use warpsmith_ir::half::{bf16, f16};
    pub use warpsmith_macros::{
        DeviceType, GpuType, Stage, gpu_const, gpu_fn, gpu_impl, gpu_static, gpu_trait,
    };
}
