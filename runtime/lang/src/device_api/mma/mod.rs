//! Products of small matrices on tensor cores, which a warp computes together: `a` times `b`, added to sums.
//!
//! `mma_m16n8k16_f32_bf16` multiplies 16 × 16 elements of `bf16` by 16 × 8 and adds sums of `f32`, as PTX names it: rows,
//! columns, and how many products each sum gets. `a` is row-major and `b` column-major. Each lane has some of the elements in
//! registers; [`MmaShape`] says which ones. A register of 32 bits holds two 16-bit elements or four of 8, the first in the
//! lowest bits.
//!
//! Source: PTX ISA, `mma`.

mod maps;
mod operands;
mod sums;

use crate::codegen::ARRAY;
use crate::half::{bf16, f16};
use crate::ir::{Cost, CudaText, Effect, Facts, Scalar, SyncScope, TensorFormat, Type};
pub use maps::MmaShape;
use operands::{E4m3, E5m2, Format, Tf32, gather};

/// Builtins by name, with their registers, their words in PTX and their meaning: the sums, the rows, the formats.
macro_rules! products {
    ($(
        $(#[$doc:meta])*
        $name:ident($a:ty, $b:ty, $c:ty) $ptx:literal $compute:tt: $sums:path, $rows:literal of $of_a:ty, $of_b:ty;
    )+) => {
        builtin! {$(
            $(#[$doc])*
            pub fn $name(a: $a, b: $b, c: $c) -> $c {
                cuda: |args: &[Type], _: &Type| instruction(stringify!($name), $ptx, args),
                effect: Effect::Sync(SyncScope::Warp), facts: facts::<$of_b, $b, $c>($rows), min_compute: $compute
            } {
                $sums(&gather::<$of_a, $of_b, _>(stringify!($name), $rows, &a, &b), c)
            }
        )+}
    };
}

products! {
    /// 16 × 16 elements of `f16` by 16 × 8, added to sums of `f32`.
    mma_m16n8k16_f32_f16([u32; 4], [u32; 2], [f32; 4]) "m16n8k16.row.col.f32.f16.f16.f32" (8, 0): sums::to_f32, 16 of f16, f16;
    /// 16 × 16 elements of `f16` by 16 × 8, added to sums of `f16`, two a register.
    mma_m16n8k16_f16_f16([u32; 4], [u32; 2], [u32; 2]) "m16n8k16.row.col.f16.f16.f16.f16" (8, 0): sums::to_f16, 16 of f16, f16;
    /// 16 × 16 elements of `bf16` by 16 × 8, added to sums of `f32`.
    mma_m16n8k16_f32_bf16([u32; 4], [u32; 2], [f32; 4]) "m16n8k16.row.col.f32.bf16.bf16.f32" (8, 0): sums::to_f32, 16 of bf16, bf16;
    /// 16 × 8 elements of `f16` by 8 × 8, added to sums of `f32`.
    mma_m16n8k8_f32_f16([u32; 2], [u32; 1], [f32; 4]) "m16n8k8.row.col.f32.f16.f16.f32" (7, 5): sums::to_f32, 16 of f16, f16;
    /// 16 × 8 elements of `f16` by 8 × 8, added to sums of `f16`, two a register.
    mma_m16n8k8_f16_f16([u32; 2], [u32; 1], [u32; 2]) "m16n8k8.row.col.f16.f16.f16.f16" (7, 5): sums::to_f16, 16 of f16, f16;
    /// 16 × 8 elements of `bf16` by 8 × 8, added to sums of `f32`.
    mma_m16n8k8_f32_bf16([u32; 2], [u32; 1], [f32; 4]) "m16n8k8.row.col.f32.bf16.bf16.f32" (8, 0): sums::to_f32, 16 of bf16, bf16;
    /// 16 × 8 elements of `f32`, of which the highest 19 bits count, by 8 × 8, added to sums of `f32`.
    mma_m16n8k8_f32_tf32([u32; 4], [u32; 2], [f32; 4]) "m16n8k8.row.col.f32.tf32.tf32.f32" (8, 0): sums::to_f32, 16 of Tf32, Tf32;
    /// 16 × 4 elements of `f32`, of which the highest 19 bits count, by 4 × 8, added to sums of `f32`.
    mma_m16n8k4_f32_tf32([u32; 2], [u32; 1], [f32; 4]) "m16n8k4.row.col.f32.tf32.tf32.f32" (8, 0): sums::to_f32, 16 of Tf32, Tf32;
    /// 8 × 4 elements of `f64` by 4 × 8, added to sums of `f64`.
    mma_m8n8k4_f64([f64; 1], [f64; 1], [f64; 2]) "m8n8k4.row.col.f64.f64.f64.f64" (8, 0): sums::to_f64, 8 of f64, f64;
    /// 16 × 4 elements of `f64` by 4 × 8, added to sums of `f64`.
    mma_m16n8k4_f64([f64; 2], [f64; 1], [f64; 4]) "m16n8k4.row.col.f64.f64.f64.f64" (9, 0): sums::to_f64, 16 of f64, f64;
    /// 16 × 8 elements of `f64` by 8 × 8, added to sums of `f64`.
    mma_m16n8k8_f64([f64; 4], [f64; 2], [f64; 4]) "m16n8k8.row.col.f64.f64.f64.f64" (9, 0): sums::to_f64, 16 of f64, f64;
    /// 16 × 16 elements of `f64` by 16 × 8, added to sums of `f64`.
    mma_m16n8k16_f64([f64; 8], [f64; 4], [f64; 4]) "m16n8k16.row.col.f64.f64.f64.f64" (9, 0): sums::to_f64, 16 of f64, f64;
    /// 16 × 16 elements of `i8` by 16 × 8, added to sums of `i32`, which wrap.
    mma_m16n8k16_s32_s8_s8([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.s32.s8.s8.s32" (8, 0): sums::to_i32, 16 of i8, i8;
    /// Like [`mma_m16n8k16_s32_s8_s8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k16_s32_s8_s8_satfinite([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.satfinite.s32.s8.s8.s32" (8, 0): sums::to_clamped_i32, 16 of i8, i8;
    /// 16 × 16 elements of `i8` by 16 × 8 of `u8`, added to sums of `i32`, which wrap.
    mma_m16n8k16_s32_s8_u8([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.s32.s8.u8.s32" (8, 0): sums::to_i32, 16 of i8, u8;
    /// Like [`mma_m16n8k16_s32_s8_u8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k16_s32_s8_u8_satfinite([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.satfinite.s32.s8.u8.s32" (8, 0): sums::to_clamped_i32, 16 of i8, u8;
    /// 16 × 16 elements of `u8` by 16 × 8 of `i8`, added to sums of `i32`, which wrap.
    mma_m16n8k16_s32_u8_s8([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.s32.u8.s8.s32" (8, 0): sums::to_i32, 16 of u8, i8;
    /// Like [`mma_m16n8k16_s32_u8_s8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k16_s32_u8_s8_satfinite([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.satfinite.s32.u8.s8.s32" (8, 0): sums::to_clamped_i32, 16 of u8, i8;
    /// 16 × 16 elements of `u8` by 16 × 8, added to sums of `i32`, which wrap.
    mma_m16n8k16_s32_u8_u8([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.s32.u8.u8.s32" (8, 0): sums::to_i32, 16 of u8, u8;
    /// Like [`mma_m16n8k16_s32_u8_u8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k16_s32_u8_u8_satfinite([u32; 2], [u32; 1], [i32; 4]) "m16n8k16.row.col.satfinite.s32.u8.u8.s32" (8, 0): sums::to_clamped_i32, 16 of u8, u8;
    /// 16 × 32 elements of `i8` by 32 × 8, added to sums of `i32`, which wrap.
    mma_m16n8k32_s32_s8_s8([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.s32.s8.s8.s32" (8, 0): sums::to_i32, 16 of i8, i8;
    /// Like [`mma_m16n8k32_s32_s8_s8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k32_s32_s8_s8_satfinite([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.satfinite.s32.s8.s8.s32" (8, 0): sums::to_clamped_i32, 16 of i8, i8;
    /// 16 × 32 elements of `i8` by 32 × 8 of `u8`, added to sums of `i32`, which wrap.
    mma_m16n8k32_s32_s8_u8([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.s32.s8.u8.s32" (8, 0): sums::to_i32, 16 of i8, u8;
    /// Like [`mma_m16n8k32_s32_s8_u8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k32_s32_s8_u8_satfinite([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.satfinite.s32.s8.u8.s32" (8, 0): sums::to_clamped_i32, 16 of i8, u8;
    /// 16 × 32 elements of `u8` by 32 × 8 of `i8`, added to sums of `i32`, which wrap.
    mma_m16n8k32_s32_u8_s8([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.s32.u8.s8.s32" (8, 0): sums::to_i32, 16 of u8, i8;
    /// Like [`mma_m16n8k32_s32_u8_s8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k32_s32_u8_s8_satfinite([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.satfinite.s32.u8.s8.s32" (8, 0): sums::to_clamped_i32, 16 of u8, i8;
    /// 16 × 32 elements of `u8` by 32 × 8, added to sums of `i32`, which wrap.
    mma_m16n8k32_s32_u8_u8([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.s32.u8.u8.s32" (8, 0): sums::to_i32, 16 of u8, u8;
    /// Like [`mma_m16n8k32_s32_u8_u8`], with sums that saturate at the limits of `i32`.
    mma_m16n8k32_s32_u8_u8_satfinite([u32; 4], [u32; 2], [i32; 4]) "m16n8k32.row.col.satfinite.s32.u8.u8.s32" (8, 0): sums::to_clamped_i32, 16 of u8, u8;
    /// 16 × 32 elements of `e4m3` by 32 × 8, added to sums of `f32`.
    mma_m16n8k32_f32_e4m3_e4m3([u32; 4], [u32; 2], [f32; 4]) "m16n8k32.row.col.f32.e4m3.e4m3.f32" (8, 9): sums::to_f32, 16 of E4m3, E4m3;
    /// 16 × 32 elements of `e4m3` by 32 × 8 of `e5m2`, added to sums of `f32`.
    mma_m16n8k32_f32_e4m3_e5m2([u32; 4], [u32; 2], [f32; 4]) "m16n8k32.row.col.f32.e4m3.e5m2.f32" (8, 9): sums::to_f32, 16 of E4m3, E5m2;
    /// 16 × 32 elements of `e5m2` by 32 × 8 of `e4m3`, added to sums of `f32`.
    mma_m16n8k32_f32_e5m2_e4m3([u32; 4], [u32; 2], [f32; 4]) "m16n8k32.row.col.f32.e5m2.e4m3.f32" (8, 9): sums::to_f32, 16 of E5m2, E4m3;
    /// 16 × 32 elements of `e5m2` by 32 × 8, added to sums of `f32`.
    mma_m16n8k32_f32_e5m2_e5m2([u32; 4], [u32; 2], [f32; 4]) "m16n8k32.row.col.f32.e5m2.e5m2.f32" (8, 9): sums::to_f32, 16 of E5m2, E5m2;
}

/// The cost of a product with this number of rows, whose right operand `R` has a format, and of whose sums a lane has `S`.
const fn facts<F: Format, R, S>(rows: usize) -> Facts {
    // A lane has the 32nd part of eight columns: a fourth of one.
    let each = rows * (size_of::<R>() / F::BYTES);
    // Two sums of 16 bits share a register.
    let of = match F::FORMAT {
        TensorFormat::F16 if size_of::<S>() == 8 => TensorFormat::F16InF16,
        format => format,
    };
    Facts { cost: Cost::Products { each: each as u16, of }, ..Facts::MOVES }
}

/// The instruction as a function of three arrays of registers.
fn instruction(name: &str, ptx: &str, args: &[Type]) -> CudaText {
    let mut next = 0;
    let mut operands = Vec::new();
    for (name, ty) in ["a", "b", "c"].into_iter().zip(args) {
        let (element, count) = registers(ty);
        operands.push(Operand { name, element, first: next, count });
        // The sums come first among the operands of the statement, as they are its results too.
        next += count;
    }
    let sums = operands.last().map_or(0, |c| c.count);
    operands.iter_mut().for_each(|o| o.first = if o.name == "c" { 0 } else { o.first + sums });
    let [a, b, c] = operands.as_slice() else {
        return CudaText::new(format!("ws_{name}({{0}}, {{1}}, {{2}})"));
    };
    let definition = format!(
        "__device__ __forceinline__ {c_ty} ws_{name}({a_ty} a, {b_ty} b, {c_ty} c) {{
    asm volatile(\"mma.sync.aligned.{ptx} {c_list}, {a_list}, {b_list}, {c_list};\" : {c_bound} : {a_bound}, {b_bound});
    return c;
}}
",
        c_ty = c.ty(), a_ty = a.ty(), b_ty = b.ty(),
        c_list = c.list(), a_list = a.list(), b_list = b.list(),
        c_bound = c.bound("+"), a_bound = a.bound(""), b_bound = b.bound(""),
    );
    let template = format!("ws_{name}({{0}}, {{1}}, {{2}})");
    CudaText { template, prelude: vec![&ARRAY], definitions: vec![definition] }
}

/// The element type and the length of an array.
fn registers(ty: &Type) -> (Scalar, usize) {
    match ty.peeled() {
        Type::Array(element, count) => (element.scalar().unwrap_or(Scalar::U32), *count),
        other => (other.scalar().unwrap_or(Scalar::U32), 1),
    }
}

/// An array of registers among the operands of the statement.
struct Operand {
    name: &'static str,
    element: Scalar,
    /// The number of its first register.
    first: usize,
    count: usize,
}

impl Operand {
    fn ty(&self) -> String {
        format!("ws_Array<{}, {}>", crate::codegen::scalar_name(self.element), self.count)
    }

    /// `{%4, %5}`
    fn list(&self) -> String {
        let numbers: Vec<String> = (self.first..self.first + self.count).map(|i| format!("%{i}")).collect();
        format!("{{{}}}", numbers.join(", "))
    }

    /// `"r"(a.at[0]), "r"(a.at[1])`
    fn bound(&self, access: &str) -> String {
        let letter = match self.element {
            Scalar::F32 => 'f',
            Scalar::F64 => 'd',
            _ => 'r',
        };
        let bind = |i| format!("\"{access}{letter}\"({}.at[{i}])", self.name);
        (0..self.count).map(bind).collect::<Vec<_>>().join(", ")
    }
}
