//! Products of a warpgroup, each by the function that the twin calls.

use std::ffi::c_void;

use super::host::host_functions;
use crate::device_api::wgmma::WgmmaElement;
use crate::half::{bf16, f16};
use crate::simulator::context::{self, TensorSum, WgmmaLeft, WgmmaProduct};
use warpsmith_tiles::prelude::{F8E4M3, F8E5M2};

/// What a product does with its elements: their size, the value of an element, and how floats are added.
type Element = (usize, fn(u32) -> f64, Option<TensorSum>);

/// The elements of a product, by the shim's number.
fn element(number: u32) -> Element {
    fn of<T: WgmmaElement>() -> Element {
        (size_of::<T>(), T::value, T::FLOATS)
    }
    match number {
        0 => of::<f16>(),
        1 => of::<bf16>(),
        2 => of::<f32>(),
        3 => of::<F8E4M3>(),
        4 => of::<F8E5M2>(),
        5 => of::<i8>(),
        _ => of::<u8>(),
    }
}

/// Multiplies; bits 0 to 2 of `flags` say whether to keep the sums, and whether rows of either operand lie side by side.
///
/// # Safety
/// `registers` is null, or the address of four.
unsafe fn multiply(
    number: u32,
    sums: (u32, *mut c_void),
    registers: *const u32,
    left: u64,
    right: u64,
    flags: u32,
) {
    let (bytes, value, floats) = element(number);
    // SAFETY: as promised by the caller.
    let left = match unsafe { registers.cast::<[u32; 4]>().as_ref() } {
        Some(registers) => WgmmaLeft::Registers(*registers),
        None => WgmmaLeft::Shared(left),
    };
    let product = WgmmaProduct {
        operation: if registers.is_null() { "wgmma" } else { "wgmma_rs" },
        registers: sums.0 as usize,
        bytes,
        value,
        floats,
        turned: [flags >> 1 & 1 == 1, flags >> 2 & 1 == 1],
        left,
        right,
        keep: flags & 1 == 1,
    };
    context::wgmma(&product, sums.1.cast());
}

host_functions! { FUNCTIONS:
    "ws_h_wgmma"(element: u32, sums: u32, place: *mut c_void, registers: *const u32, left: u64, right: u64, flags: u32) = {
        // SAFETY: the shim gives an array of four registers, or null.
        unsafe { multiply(element, (sums, place), registers, left, right, flags) }
    };
    "ws_h_wgmma_fence"() = context::wgmma_fence();
    "ws_h_wgmma_commit"() = context::wgmma_commit();
    "ws_h_wgmma_wait"(left: u32) = context::wgmma_wait(left as usize);
}
