//! Methods of `f16` and `bf16`.
//!
//! Arithmetic is native. Functions that hardware has for `f32` only are computed in `f32` and rounded once; the twin does
//! the same.

use warpsmith_macros::device_methods;

use crate::half::{bf16, f16};
use crate::ir::{CudaText, Facts, Prelude, Scalar, Type};

device_methods! {
    /// Conversions of `f16` and `bf16` that kernels may call.
    pub trait HalfMethods in half_conversion for f16, bf16 {
        fn to_f32(self) -> f32 = converted, Facts::CONVERTS;
        fn to_f64(self) -> f64 = converted, Facts::CONVERTS;
        fn from_f32(value: f32) -> Self = converted, Facts::CONVERTS;
        fn from_f64(value: f64) -> Self = converted, Facts::CONVERTS, crate::half::Nearest::nearest;
    }
}

/// A conversion from or to a half.
fn converted(args: &[Type], ret: &Type) -> CudaText {
    match (args.first().and_then(Type::scalar), ret.scalar()) {
        (Some(from), Some(Scalar::F64)) if from.is_half() => CudaText::new("(double)({0})"),
        (Some(from), _) if from.is_half() => CudaText::new("(float)({0})"),
        (_, Some(Scalar::BF16)) => CudaText::new("ws_to_bf16({0})"),
        _ => CudaText::new("ws_to_f16({0})"),
    }
}

/// The half among the types of a call, if there is one.
fn half_of(args: &[Type], ret: &Type) -> Option<Scalar> {
    args.iter().chain([ret]).filter_map(|ty| ty.peeled().scalar()).find(|s| s.is_half())
}

/// The text of a method; on a half it is computed in `f32` and rounded.
pub(super) fn widened(text: impl Fn(&[Type], &Type) -> CudaText) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, ret| match half_of(args, ret) {
        Some(half) => in_f32(half, args, ret, &text),
        None => text(args, ret),
    }
}

fn in_f32(half: Scalar, args: &[Type], ret: &Type, text: &dyn Fn(&[Type], &Type) -> CudaText) -> CudaText {
    let is_half = |ty: &Type| ty.peeled().scalar().is_some_and(Scalar::is_half);
    let f32 = Type::Scalar(Scalar::F32);
    let wide: Vec<Type> = args.iter().map(|ty| if is_half(ty) { f32.clone() } else { ty.clone() }).collect();
    let mut inner = text(&wide, if is_half(ret) { &f32 } else { ret });
    for (i, ty) in args.iter().enumerate() {
        if is_half(ty) {
            inner.template = inner.template.replace(&format!("{{{i}}}"), &format!("(float)({{{i}}})"));
        }
    }
    let to = if half == Scalar::F16 { "ws_to_f16" } else { "ws_to_bf16" };
    match ret {
        ret if is_half(ret) => inner.template = format!("{to}({})", inner.template),
        Type::Tuple(_) => {
            inner.template = format!("{to}s({})", inner.template);
            inner.prelude.push(if half == Scalar::F16 { &PAIR_F16 } else { &PAIR_BF16 });
        }
        _ => {}
    }
    inner
}

/// A method that looks at the bits of a half, or that the hardware has: its text there, and that of other floats.
///
/// `{own}` is the half's type, `{bits}` the bits of the operand, `{infinity}` and `{least}` those of infinity and of the
/// least normal value.
pub(super) fn of_half(
    template: &'static str,
    others: impl Fn(&[Type], &Type) -> CudaText,
) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, ret| {
        let Some(half) = half_of(args, ret) else { return others(args, ret) };
        let (infinity, least) = if half == Scalar::F16 { ("0x7c00", "0x0400") } else { ("0x7f80", "0x0080") };
        let text = template
            .replace("{own}", crate::codegen::scalar_name(half))
            .replace("{bits}", "({0}).bits")
            .replace("{infinity}", infinity)
            .replace("{least}", least);
        CudaText::with(text, &BITS)
    }
}

static BITS: Prelude = Prelude {
    name: "ws_half_bits",
    code: "__device__ __forceinline__ bool ws_half_is_normal(unsigned short bits, unsigned int least, unsigned int infinity) {
    unsigned int magnitude = bits & 0x7fffu;
    return magnitude >= least && magnitude < infinity;
}
__device__ __forceinline__ bool ws_half_is_subnormal(unsigned short bits, unsigned int least) {
    unsigned int magnitude = bits & 0x7fffu;
    return magnitude != 0u && magnitude < least;
}
__device__ __forceinline__ unsigned short ws_half_next_up(unsigned short bits, unsigned int infinity) {
    if ((bits & 0x7fffu) > infinity || bits == infinity) return bits;
    if ((bits & 0x7fffu) == 0u) return 1;
    return (unsigned short)(bits < 0x8000u ? bits + 1 : bits - 1);
}
",
    needs: &[],
};

static PAIR_F16: Prelude = Prelude {
    name: "ws_to_f16s",
    code: "template <class P>
__device__ __forceinline__ ws_Pair<ws_f16, ws_f16> ws_to_f16s(P pair) { return {ws_to_f16(pair._0), ws_to_f16(pair._1)}; }
",
    needs: &[&super::super::text::PAIR],
};

static PAIR_BF16: Prelude = Prelude {
    name: "ws_to_bf16s",
    code: "template <class P>
__device__ __forceinline__ ws_Pair<ws_bf16, ws_bf16> ws_to_bf16s(P pair) { return {ws_to_bf16(pair._0), ws_to_bf16(pair._1)}; }
",
    needs: &[&super::super::text::PAIR],
};
