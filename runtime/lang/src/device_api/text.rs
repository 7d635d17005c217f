//! Shapes of CUDA text that several builtins share.

use crate::ir::{CudaText, Prelude, Scalar, Type};

/// The same text whatever the types are.
pub(crate) fn fixed(template: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |_, _| CudaText::new(template)
}

/// A fixed text that calls a prelude function.
pub(crate) fn with(template: &'static str, prelude: &'static Prelude) -> impl Fn(&[Type], &Type) -> CudaText {
    move |_, _| CudaText::with(template, prelude)
}

/// A function of CUDA's math library, with the suffix `f` on `f32`.
pub(crate) fn math(name: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| call(name, args.len(), scalar(args))
}

/// `name(…)` with `arity` arguments, or `namef(…)` on `f32`.
fn call(name: &str, arity: usize, scalar: Scalar) -> CudaText {
    let suffix = if scalar == Scalar::F32 { "f" } else { "" };
    let holes: Vec<String> = (0..arity).map(|i| format!("{{{i}}}")).collect();
    CudaText::new(format!("{name}{suffix}({})", holes.join(", ")))
}

/// One text for `f32` and one for `f64`, as the first argument is.
pub(crate) fn either(f32_text: &'static str, f64_text: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| CudaText::new(if scalar(args) == Scalar::F32 { f32_text } else { f64_text })
}

/// The scalar that the first argument is, or refers to.
pub(crate) fn scalar(args: &[Type]) -> Scalar {
    args.first().and_then(|ty| ty.peeled().scalar()).unwrap_or(Scalar::I32)
}

/// CUDA's name of the unsigned type as wide as an integer.
pub(crate) fn unsigned_name(s: Scalar) -> &'static str {
    match s.bits() {
        8 => "unsigned char",
        16 => "unsigned short",
        32 => "unsigned int",
        _ => "unsigned long long",
    }
}

/// CUDA's name of a type that a template is instantiated with.
pub(crate) fn type_name(ty: &Type) -> String {
    crate::codegen::plain_type_name(ty)
}

/// Two results of one function; converts to the struct that the printer makes of the tuple's type.
pub(crate) static PAIR: Prelude = Prelude {
    name: "ws_Pair",
    code: "template <class A, class B>
struct ws_Pair {
    A _0;
    B _1;
    template <class T>
    __device__ __forceinline__ operator T() const { return T{_0, _1}; }
};
",
    needs: &[],
};
