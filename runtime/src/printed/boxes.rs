//! Copies of boxes that a compiled text starts with a tensor map; the map's first word is the address of the host's
//! map.

use std::ffi::c_void;
use std::{ptr, slice};

use super::bulk::own;
use super::host::host_functions;
use crate::boxes::{BoxElement, TensorMapObject};
use crate::half::{bf16, f16};
use crate::simulator::context::{BoxCopy, Join, SharedBox};
use crate::tensor_map::{ReducedBits, ReducedOrder, ReducedSum};

/// The map that a kernel was given.
fn map<'a>(given: *const c_void) -> &'a TensorMapObject {
    // SAFETY: the launch gave the words, and keeps the map.
    unsafe { &*ptr::with_exposed_provenance(given.cast::<u64>().read() as usize) }
}

/// A tile by its offset.
fn tile(offset: u32, of: &TensorMapObject) -> SharedBox {
    SharedBox { start: own(offset), align: of.shape.align }
}

fn each<T: Copy>(to: *mut u8, from: *const u8, bytes: usize, join: impl Fn(T, T) -> T) {
    let (to, from) = (to.cast::<T>(), from.cast::<T>());
    for i in 0..bytes / size_of::<T>() {
        // SAFETY: the simulator gives this number of bytes of elements at both.
        unsafe { to.add(i).write_unaligned(join(to.add(i).read_unaligned(), from.add(i).read_unaligned())) }
    }
}

fn sums<T: ReducedSum>(to: *mut u8, from: *const u8, bytes: usize) {
    each::<T>(to, from, bytes, T::sum);
}

fn least<T: ReducedOrder>(to: *mut u8, from: *const u8, bytes: usize) {
    each::<T>(to, from, bytes, T::least);
}

fn greatest<T: ReducedOrder>(to: *mut u8, from: *const u8, bytes: usize) {
    each::<T>(to, from, bytes, T::greatest);
}

fn ands<T: ReducedBits>(to: *mut u8, from: *const u8, bytes: usize) {
    each::<T>(to, from, bytes, |a, b| a & b);
}

fn ors<T: ReducedBits>(to: *mut u8, from: *const u8, bytes: usize) {
    each::<T>(to, from, bytes, |a, b| a | b);
}

fn xors<T: ReducedBits>(to: *mut u8, from: *const u8, bytes: usize) {
    each::<T>(to, from, bytes, |a, b| a ^ b);
}

/// How a reduction changes an element; `None` of one that a kernel's types do not allow.
type Reduction = fn(BoxElement) -> Option<Join>;

/// Reductions in the order in which the shim numbers them.
const REDUCTIONS: [(&str, Reduction); 6] = [
    ("tma_reduce_add", added),
    ("tma_reduce_min", |element| ordered(element, false)),
    ("tma_reduce_max", |element| ordered(element, true)),
    ("tma_reduce_and", |element| combined(element, [ands::<i32>, ands::<u64>])),
    ("tma_reduce_or", |element| combined(element, [ors::<i32>, ors::<u64>])),
    ("tma_reduce_xor", |element| combined(element, [xors::<i32>, xors::<u64>])),
];

fn added(element: BoxElement) -> Option<Join> {
    match element {
        BoxElement::U32 => Some(sums::<u32>),
        BoxElement::I32 => Some(sums::<i32>),
        BoxElement::U64 => Some(sums::<u64>),
        BoxElement::F16 => Some(sums::<f16>),
        BoxElement::BF16 => Some(sums::<bf16>),
        BoxElement::F32 => Some(sums::<f32>),
        BoxElement::U8 | BoxElement::U16 | BoxElement::I64 | BoxElement::F64 => None,
    }
}

fn ordered(element: BoxElement, greater: bool) -> Option<Join> {
    fn of<T: ReducedOrder>(greater: bool) -> Option<Join> {
        Some(if greater { greatest::<T> } else { least::<T> })
    }
    match element {
        BoxElement::U32 => of::<u32>(greater),
        BoxElement::I32 => of::<i32>(greater),
        BoxElement::U64 => of::<u64>(greater),
        BoxElement::I64 => of::<i64>(greater),
        BoxElement::F16 => of::<f16>(greater),
        BoxElement::BF16 => of::<bf16>(greater),
        BoxElement::U8 | BoxElement::U16 | BoxElement::F32 | BoxElement::F64 => None,
    }
}

/// By the bits of an element: of four bytes, of eight.
fn combined(element: BoxElement, [of4, of8]: [Join; 2]) -> Option<Join> {
    match element {
        BoxElement::U32 | BoxElement::I32 => Some(of4),
        BoxElement::U64 | BoxElement::I64 => Some(of8),
        _ => None,
    }
}

/// The coordinates that an instruction was given, the innermost first, as the map has them.
fn coordinates(given: *const i32, of: &TensorMapObject) -> Vec<i32> {
    // SAFETY: the text has as many of them as its map's type has dimensions.
    let innermost_first = unsafe { slice::from_raw_parts(given, of.tensor.dimensions.len()) };
    innermost_first.iter().rev().copied().collect()
}

host_functions! { FUNCTIONS:
    "ws_h_tma_load"(to: u32, given: *const c_void, at: *const i32, barrier: u32) = {
        let map = map(given);
        map.start("tma_load", BoxCopy::Load, tile(to, map), &coordinates(at, map), own(barrier));
    };
    "ws_h_tma_load_multicast"(to: u32, given: *const c_void, at: *const i32, barrier: u32, blocks: u32) = {
        let (map, blocks) = (map(given), blocks as u16);
        let copy = BoxCopy::Multicast { blocks };
        map.start("tma_load_multicast", copy, tile(to, map), &coordinates(at, map), own(barrier));
    };
    "ws_h_tma_store"(given: *const c_void, at: *const i32, from: u32) = {
        let map = map(given);
        map.start("tma_store", BoxCopy::Store, tile(from, map), &coordinates(at, map), ptr::null());
    };
    "ws_h_tma_reduce"(given: *const c_void, at: *const i32, from: u32, number: u32) = {
        let map = map(given);
        let element = map.shape.element;
        let reduction = REDUCTIONS.get(number as usize).and_then(|(name, of)| Some((*name, of(element)?)));
        if let Some((name, join)) = reduction {
            let copy = BoxCopy::Reduce { join, element: element.size() };
            map.start(name, copy, tile(from, map), &coordinates(at, map), ptr::null());
        }
    };
}
