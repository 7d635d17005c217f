//! Matrices of 8 × 8 16-bit elements, between shared memory and the registers of a warp.
//!
//! A matrix is eight rows of sixteen bytes, each at its own address: lane `l` passes the address of row `l % 8` of matrix `l
//! / 8`. In registers, lane `l` has the elements `2 * (l % 4)` and `2 * (l % 4) + 1` of row `l / 4` of each matrix;
//! transposed, those of column `l / 4`. Elements of 8 or 32 bits are moved as raw bytes.
//!
//! Source: PTX ISA, `ldmatrix`, `stmatrix`.

use crate::codegen::ARRAY;
use crate::ir::{ArgumentAccess, CudaText, Effect, Facts, Form, SyncScope};
use crate::simulator::context;
use crate::types::AnyBits;

/// The facts of loads: all lanes load together, and each of the first lanes names a row.
const LOADS: Facts = Facts { accesses: &[ArgumentAccess::Read], ..Facts::MOVES };
/// The facts of stores: all lanes store together, and each of the first lanes names a row.
const STORES: Facts = Facts { accesses: &[ArgumentAccess::Write], ..Facts::MOVES };

/// Builtins that load matrices: each with the number of matrices, and whether they are transposed.
macro_rules! loads {
    ($($(#[$docs:meta])* $name:ident $matrices:literal $transposed:literal;)+) => {
        builtin! {
            in loads;
            $(
                $(#[$docs])*
                pub fn $name<T: AnyBits>(row: &T) -> [u32; $matrices] {
                    cuda: |_: &[_], _: &_| load_text($matrices, $transposed), effect: Effect::Sync(SyncScope::Warp),
                    by_reference: true, facts: LOADS.is(Form::MatrixRows($matrices)), min_compute: (7, 5)
                } {
                    load(stringify!($name), (&raw const *row).cast(), $transposed)
                }
            )+
        }
    };
}

loads! {
    /// Loads a matrix: lane `l` below 8 names the first element of row `l`; the places that other lanes name are ignored.
    ldmatrix_x1 1 false;
    /// Loads two matrices: lane `l` below 16 names row `l % 8` of matrix `l / 8`.
    ldmatrix_x2 2 false;
    /// Loads four matrices: lane `l` names row `l % 8` of matrix `l / 8`.
    ldmatrix_x4 4 false;
    /// Like [`ldmatrix_x1`], transposed.
    ldmatrix_x1_trans 1 true;
    /// Like [`ldmatrix_x2`], each matrix transposed.
    ldmatrix_x2_trans 2 true;
    /// Like [`ldmatrix_x4`], each matrix transposed.
    ldmatrix_x4_trans 4 true;
}

/// Builtins that store matrices, from the same list.
macro_rules! stores {
    ($($(#[$docs:meta])* $name:ident $matrices:literal $transposed:literal;)+) => {
        builtin! {
            in stores;
            $(
                $(#[$docs])*
                pub fn $name<T: AnyBits>(row: &mut T, value: [u32; $matrices]) {
                    cuda: |_: &[_], _: &_| store_text($matrices, $transposed), effect: Effect::Sync(SyncScope::Warp),
                    by_reference: true, facts: STORES.is(Form::MatrixRows($matrices)), min_compute: (9, 0)
                } {
                    store(stringify!($name), (&raw mut *row).cast(), value, $transposed);
                }
            )+
        }
    };
}

stores! {
    /// Stores a matrix: lane `l` below 8 names the first element of row `l`; the places that other lanes name are ignored.
    stmatrix_x1 1 false;
    /// Stores two matrices: lane `l` below 16 names row `l % 8` of matrix `l / 8`.
    stmatrix_x2 2 false;
    /// Stores four matrices: lane `l` names row `l % 8` of matrix `l / 8`.
    stmatrix_x4 4 false;
    /// Like [`stmatrix_x1`], transposed.
    stmatrix_x1_trans 1 true;
    /// Like [`stmatrix_x2`], each matrix transposed.
    stmatrix_x2_trans 2 true;
    /// Like [`stmatrix_x4`], each matrix transposed.
    stmatrix_x4_trans 4 true;
}

/// The name of a form and its words in PTX: `x4_trans`, `x4.trans`.
fn form(matrices: usize, transposed: bool) -> (String, String) {
    match transposed {
        true => (format!("x{matrices}_trans"), format!("x{matrices}.trans")),
        false => (format!("x{matrices}"), format!("x{matrices}")),
    }
}

/// `prefix0suffix, prefix1suffix, …`
fn list(numbers: std::ops::Range<usize>, prefix: &str, suffix: &str) -> String {
    numbers.map(|i| format!("{prefix}{i}{suffix}")).collect::<Vec<_>>().join(", ")
}

fn load_text(matrices: usize, transposed: bool) -> CudaText {
    let (name, ptx) = form(matrices, transposed);
    let (registers, results) = (list(0..matrices, "%", ""), list(0..matrices, "\"=r\"(r.at[", "])"));
    let definition = format!(
        "__device__ __forceinline__ ws_Array<unsigned int, {matrices}> ws_ldmatrix_{name}(const void* row) {{
    ws_Array<unsigned int, {matrices}> r;
    asm volatile(\"ldmatrix.sync.aligned.m8n8.{ptx}.shared.b16 {{{registers}}}, [%{matrices}];\" : {results} : \"r\"((unsigned int)__cvta_generic_to_shared(row)) : \"memory\");
    return r;
}}
"
    );
    let template = format!("ws_ldmatrix_{name}({{0}})");
    CudaText { template, prelude: vec![&ARRAY], definitions: vec![definition] }
}

fn store_text(matrices: usize, transposed: bool) -> CudaText {
    let (name, ptx) = form(matrices, transposed);
    let (registers, values) = (list(1..matrices + 1, "%", ""), list(0..matrices, "\"r\"(r.at[", "])"));
    let definition = format!(
        "__device__ __forceinline__ void ws_stmatrix_{name}(void* row, ws_Array<unsigned int, {matrices}> r) {{
    asm volatile(\"stmatrix.sync.aligned.m8n8.{ptx}.shared.b16 [%0], {{{registers}}};\" :: \"r\"((unsigned int)__cvta_generic_to_shared(row)), {values} : \"memory\");
}}
"
    );
    let template = format!("ws_stmatrix_{name}({{0}}, {{1}})");
    CudaText { template, prelude: vec![&ARRAY], definitions: vec![definition] }
}

/// The row or the registers that a lane brought; zeros for a lane that takes no part, unless that is a fault.
#[track_caller]
fn brought(lanes: &context::WarpView, kind: &'static str, lane: usize) -> [u8; 16] {
    let lane = lane as u32;
    if lanes.lane(lane).is_none() {
        context::fault_source(kind, u32::MAX, lane);
    }
    lanes.lane(lane).unwrap_or_default()
}

/// The position of a matrix element in registers: the lane, and the first byte in its register.
fn in_registers(row: usize, col: usize, transposed: bool) -> (usize, usize) {
    let (row, col) = if transposed { (col, row) } else { (row, col) };
    (row * 4 + col / 2, col % 2 * 2)
}

/// Loads `N` matrices, and returns the calling lane's part of each.
#[track_caller]
#[doc(hidden)]
pub fn load<const N: usize>(kind: &'static str, row: *const u8, transposed: bool) -> [u32; N] {
    let lane = context::lane_id() as usize;
    let mine = if lane < 8 * N { context::read_row(kind, row) } else { [0; 16] };
    let lanes = context::warp_exchange(u32::MAX, kind, mine);
    let mut registers = [[0; 4]; N];
    for (matrix, register) in registers.iter_mut().enumerate() {
        for half in 0..2 {
            let (along, across) = (lane % 4 * 2 + half, lane / 4);
            let (row, col) = if transposed { (along, across) } else { (across, along) };
            let from = brought(&lanes, kind, matrix * 8 + row);
            register[half * 2..half * 2 + 2].copy_from_slice(&from[col * 2..col * 2 + 2]);
        }
    }
    registers.map(u32::from_ne_bytes)
}

/// Stores `N` matrices; `value` holds the calling lane's elements.
#[track_caller]
#[doc(hidden)]
pub fn store<const N: usize>(kind: &'static str, row: *mut u8, value: [u32; N], transposed: bool) {
    let lane = context::lane_id() as usize;
    let mut mine = [0; 16];
    for (bytes, register) in mine.chunks_exact_mut(4).zip(value) {
        bytes.copy_from_slice(&register.to_ne_bytes());
    }
    let lanes = context::warp_exchange(u32::MAX, kind, mine);
    if lane >= 8 * N {
        return;
    }
    let mut elements = [0; 16];
    for col in 0..8 {
        let (from, byte) = in_registers(lane % 8, col, transposed);
        let start = lane / 8 * 4 + byte;
        elements[col * 2..col * 2 + 2].copy_from_slice(&brought(&lanes, kind, from)[start..start + 2]);
    }
    context::write_row(kind, row, elements);
}
