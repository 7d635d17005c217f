//! Tiles, tensors and pipelines of kernels.
//!
//! What tensor cores and the copy engine work on, as types that catch mistakes: [`tile`] has tiles of shared memory and their
//! layouts, [`tensor_map`] the copies of boxes, [`tensor`] matrices in registers and their products, [`pipeline`] stages that are
//! filled and emptied in turn. They are written in the device language itself, over the instructions of [`ptx`].
//!
//! This crate knows what kernels know, and no more: no GPU, no driver, no launch, and not how kernels are recorded, interpreted
//! or printed. Use it through `warpsmith`, which has all of it under its own paths; on its own it promises nothing between versions.

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

/// The folder of this crate's sources, as lines of its device functions spell it.
#[doc(hidden)]
pub const SOURCES: &str = file!().split_at(file!().len() - "lib.rs".len()).0;

/// Instructions of PTX, by its names; the typed objects of the [`prelude`] and of [`tensor`] are made of them.
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
