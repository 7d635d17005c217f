//! Tiles, tensors and pipelines of kernels.
//!
//! Types for tensor cores and the copy engine that catch mistakes: [`tile`] has shared-memory tiles and their layouts,
//! [`tensor_map`] the copies of boxes, [`tensor`] matrices in registers and their products, [`pipeline`] stages that are filled and
//! emptied in turn. They are written in the kernel language itself, on the instructions in [`ptx`].
//!
//! This crate uses only what kernels use: it is independent of GPUs, drivers and launches, and of how kernels are recorded,
//! interpreted or printed. Use it through `warpsmith`, which re-exports all of it; its own API may change in any version.

#![deny(missing_docs)]

// The macros spell `::warpsmith`.
extern crate self as warpsmith;

pub mod eighth;
pub mod pipeline;
pub mod tensor;
pub mod tensor_map;
pub mod tile;

use warpsmith_ir::{half, ir};
use warpsmith_lang::macro_support as __macro;
use warpsmith_lang::{argument, boxes, device_api, image, meaning, record, types, witness};
use warpsmith_sim::simulator;

/// The folder of this crate's sources, as the source locations of its device functions name it.
#[doc(hidden)]
pub const SOURCES: &str = file!().split_at(file!().len() - "lib.rs".len()).0;

/// PTX instructions, under their PTX names; the types of the [`prelude`] and of [`tensor`] are built on them.
pub mod ptx {
    pub use crate::tensor_map::copies::*;
    pub use warpsmith_lang::ptx::*;
}

/// The items that kernels use: builtins, types and the attributes of device code.
pub mod prelude {
    pub use crate::eighth::{F8E4M3, F8E5M2};
    pub use crate::pipeline::Pipeline;
    pub use crate::tensor::Fragment as _;
    pub use crate::tensor_map::load::TileLoads as _;
    pub use crate::tensor_map::{
        TensorMap, TensorMap1, TensorMap3, TensorMap4, TensorMap5, TensorMapMut, TensorMapMut1,
        TensorMapMut3, TensorMapMut4, TensorMapMut5,
    };
    pub use crate::tile::{
        Layout, Padded, RowMajor, RowRing, Stages, Swizzle32, Swizzle64, Swizzle128, Swizzled, Tile,
        Unswizzled,
    };
    pub use warpsmith_lang::prelude::*;
}
