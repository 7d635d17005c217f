//! Instructions on matrices in the registers of a warp, each by the function that the twin calls.

use std::ffi::c_void;

use super::host::host_functions;
use crate::device_api::{ldmatrix, mma};
use crate::simulator::context;

/// The address of a row, by its offset in the block's shared memory.
fn row(offset: u32) -> *mut u8 {
    context::dynamic_shared().0.wrapping_add(offset as usize)
}

/// Loads `N` matrices.
fn load<const N: usize>(kinds: [&'static str; 2], to: *mut u32, place: u32, transposed: bool) {
    let registers = ldmatrix::load::<N>(kinds[usize::from(transposed)], row(place), transposed);
    // SAFETY: the shim gives room for this number of registers.
    unsafe { to.cast::<[u32; N]>().write(registers) }
}

/// Stores `N` matrices.
fn store<const N: usize>(kinds: [&'static str; 2], place: u32, from: *const u32, transposed: bool) {
    // SAFETY: the shim gives this number of registers.
    let registers = unsafe { from.cast::<[u32; N]>().read() };
    ldmatrix::store(kinds[usize::from(transposed)], row(place), registers, transposed);
}

/// Multiplies, and leaves the sums where they were.
///
/// # Safety
/// The addresses are those of the function's operands.
unsafe fn multiply<A, B, C>(
    product: impl Fn(A, B, C) -> C,
    a: *const c_void,
    b: *const c_void,
    sums: *mut c_void,
) {
    // SAFETY: as promised by the caller.
    unsafe {
        let sums = sums.cast::<C>();
        sums.write(product(a.cast::<A>().read(), b.cast::<B>().read(), sums.read()));
    }
}

/// The table, from rows of functions of one kind.
macro_rules! instructions {
    (products: $($product:literal $name:ident;)+ others: $($others:tt)+) => {
        host_functions! { FUNCTIONS:
            $($product(a: *const c_void, b: *const c_void, sums: *mut c_void) = {
                // SAFETY: the shim gives arrays of the registers that the instruction has.
                unsafe { multiply(mma::$name, a, b, sums) }
            };)+
            $($others)+
        }
    };
}

instructions! {
    products:
    "ws_h_mma_m16n8k16_f32_f16" mma_m16n8k16_f32_f16;
    "ws_h_mma_m16n8k16_f16_f16" mma_m16n8k16_f16_f16;
    "ws_h_mma_m16n8k16_f32_bf16" mma_m16n8k16_f32_bf16;
    "ws_h_mma_m16n8k8_f32_f16" mma_m16n8k8_f32_f16;
    "ws_h_mma_m16n8k8_f16_f16" mma_m16n8k8_f16_f16;
    "ws_h_mma_m16n8k8_f32_bf16" mma_m16n8k8_f32_bf16;
    "ws_h_mma_m16n8k8_f32_tf32" mma_m16n8k8_f32_tf32;
    "ws_h_mma_m16n8k4_f32_tf32" mma_m16n8k4_f32_tf32;
    "ws_h_mma_m8n8k4_f64" mma_m8n8k4_f64;
    "ws_h_mma_m16n8k4_f64" mma_m16n8k4_f64;
    "ws_h_mma_m16n8k8_f64" mma_m16n8k8_f64;
    "ws_h_mma_m16n8k16_f64" mma_m16n8k16_f64;
    "ws_h_mma_m16n8k16_s32_s8_s8" mma_m16n8k16_s32_s8_s8;
    "ws_h_mma_m16n8k16_s32_s8_s8_satfinite" mma_m16n8k16_s32_s8_s8_satfinite;
    "ws_h_mma_m16n8k16_s32_s8_u8" mma_m16n8k16_s32_s8_u8;
    "ws_h_mma_m16n8k16_s32_s8_u8_satfinite" mma_m16n8k16_s32_s8_u8_satfinite;
    "ws_h_mma_m16n8k16_s32_u8_s8" mma_m16n8k16_s32_u8_s8;
    "ws_h_mma_m16n8k16_s32_u8_s8_satfinite" mma_m16n8k16_s32_u8_s8_satfinite;
    "ws_h_mma_m16n8k16_s32_u8_u8" mma_m16n8k16_s32_u8_u8;
    "ws_h_mma_m16n8k16_s32_u8_u8_satfinite" mma_m16n8k16_s32_u8_u8_satfinite;
    "ws_h_mma_m16n8k32_s32_s8_s8" mma_m16n8k32_s32_s8_s8;
    "ws_h_mma_m16n8k32_s32_s8_s8_satfinite" mma_m16n8k32_s32_s8_s8_satfinite;
    "ws_h_mma_m16n8k32_s32_s8_u8" mma_m16n8k32_s32_s8_u8;
    "ws_h_mma_m16n8k32_s32_s8_u8_satfinite" mma_m16n8k32_s32_s8_u8_satfinite;
    "ws_h_mma_m16n8k32_s32_u8_s8" mma_m16n8k32_s32_u8_s8;
    "ws_h_mma_m16n8k32_s32_u8_s8_satfinite" mma_m16n8k32_s32_u8_s8_satfinite;
    "ws_h_mma_m16n8k32_s32_u8_u8" mma_m16n8k32_s32_u8_u8;
    "ws_h_mma_m16n8k32_s32_u8_u8_satfinite" mma_m16n8k32_s32_u8_u8_satfinite;
    "ws_h_mma_m16n8k32_f32_e4m3_e4m3" mma_m16n8k32_f32_e4m3_e4m3;
    "ws_h_mma_m16n8k32_f32_e4m3_e5m2" mma_m16n8k32_f32_e4m3_e5m2;
    "ws_h_mma_m16n8k32_f32_e5m2_e4m3" mma_m16n8k32_f32_e5m2_e4m3;
    "ws_h_mma_m16n8k32_f32_e5m2_e5m2" mma_m16n8k32_f32_e5m2_e5m2;
    others:
    "ws_h_ldmatrix_x1"(to: *mut u32, place: u32, transposed: bool) = load::<1>(["ldmatrix_x1", "ldmatrix_x1_trans"], to, place, transposed);
    "ws_h_ldmatrix_x2"(to: *mut u32, place: u32, transposed: bool) = load::<2>(["ldmatrix_x2", "ldmatrix_x2_trans"], to, place, transposed);
    "ws_h_ldmatrix_x4"(to: *mut u32, place: u32, transposed: bool) = load::<4>(["ldmatrix_x4", "ldmatrix_x4_trans"], to, place, transposed);
    "ws_h_stmatrix_x1"(place: u32, from: *const u32, transposed: bool) = store::<1>(["stmatrix_x1", "stmatrix_x1_trans"], place, from, transposed);
    "ws_h_stmatrix_x2"(place: u32, from: *const u32, transposed: bool) = store::<2>(["stmatrix_x2", "stmatrix_x2_trans"], place, from, transposed);
    "ws_h_stmatrix_x4"(place: u32, from: *const u32, transposed: bool) = store::<4>(["stmatrix_x4", "stmatrix_x4_trans"], place, from, transposed);
}
