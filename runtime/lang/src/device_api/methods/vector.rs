//! Methods of vectors.

use warpsmith_macros::device_methods;

use super::half::widened;
use crate::ir::{Cost, CudaText, Facts, Prelude, Type};
use crate::types::Parts;
use crate::types::vector::*;
use crate::witness::never_called;

/// A template function whose name ends in the number of components.
fn sized(name: &'static str, args: usize) -> impl Fn(&[Type], &Type) -> CudaText {
    move |types, _| {
        let n = if let Some(Type::Vector(_, n)) = types.first().map(Type::peeled) { *n } else { 4 };
        let holes: Vec<String> = (0..args).map(|i| format!("{{{i}}}")).collect();
        CudaText::with(format!("{name}{n}({})", holes.join(", ")), &VECTOR)
    }
}

/// Components of a value that may be printed once only.
fn picked(components: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |_, ret| {
        let to = super::super::text::type_name(ret);
        CudaText::with(format!("ws_{components}<{to}>({{0}})"), &SWIZZLE)
    }
}

fn extended(_types: &[Type], ret: &Type) -> CudaText {
    let to = super::super::text::type_name(ret);
    CudaText::with(format!("ws_extend<{to}>({{0}}, {{1}})"), &SWIZZLE)
}

fn to_array(_types: &[Type], ret: &Type) -> CudaText {
    let n = if let Type::Array(_, n) = ret { *n } else { 0 };
    CudaText::with(format!("ws_to_array{n}({{0}})"), &ARRAYS)
}

fn from_array(_types: &[Type], ret: &Type) -> CudaText {
    let n = if let Type::Vector(_, n) = ret { *n } else { 0 };
    let to = super::super::text::type_name(ret);
    CudaText::with(format!("ws_from_array{n}<{to}>({{0}})"), &ARRAYS)
}

/// Methods that vectors of some lengths or scalars lack: rustc finds these only where there is no other.
///
/// The twin does not compile where it calls one, so none is ever called.
#[cfg_attr(not(feature = "simulator"), allow(dead_code, reason = "meanings alone ask for it"))]
trait Absent: Sized {
    fn dot<O, R>(self, _other: O) -> R {
        never_called()
    }
    fn sum<R>(self) -> R {
        never_called()
    }
    fn length<R>(self) -> R {
        never_called()
    }
    fn normalize(self) -> Self {
        never_called()
    }
    fn xy<R>(self) -> R {
        never_called()
    }
    fn zw<R>(self) -> R {
        never_called()
    }
    fn xyz<R>(self) -> R {
        never_called()
    }
    fn extend<W, R>(self, _w: W) -> R {
        never_called()
    }
}

impl<V: Vector> Absent for V {}

device_methods! {
    /// Methods of every vector that kernels may call.
    pub trait VectorMethods: Parts in vector for
        I8x2, I8x3, I8x4, U8x2, U8x3, U8x4, I16x2, I16x3, I16x4, U16x2, U16x3, U16x4, I32x2, I32x3, I32x4, U32x2, U32x3,
        U32x4, I64x2, I64x3, I64x4, U64x2, U64x3, U64x4, F16x2, F16x3, F16x4, BF16x2, BF16x3, BF16x4, F32x2, F32x3, F32x4,
        F64x2, F64x3, F64x4
    {
        fn min(self, other: Self) -> Self = sized("ws_min", 2);
        fn max(self, other: Self) -> Self = sized("ws_max", 2);
        fn dot(self, other: Self) -> <Self as Vector>::Scalar = widened(sized("ws_dot", 2)), Facts::costs(Cost::Fuses);
        fn sum(self) -> <Self as Vector>::Scalar = widened(sized("ws_sum", 1)), Facts::costs(Cost::Adds);
        fn length(self) -> <Self as Vector>::Scalar = widened(sized("ws_length", 1));
        fn normalize(self) -> Self = sized("ws_normalize", 1);
        fn xy(self) -> <Self as Parts>::Two = picked("xy");
        fn zw(self) -> <Self as Parts>::Two = picked("zw");
        fn xyz(self) -> <Self as Parts>::Three = picked("xyz");
        fn extend(self, w: <Self as Vector>::Scalar) -> <Self as Parts>::Four = widened(extended);
        fn to_array(self) -> <Self as Vector>::Array = to_array;
        fn from_array(array: <Self as Vector>::Array) -> Self = from_array;
    }
}

/// Component-wise functions as templates over the vector type.
static VECTOR: Prelude = Prelude {
    name: "ws_vector",
    code: "template <class T>
__device__ __forceinline__ T ws_lesser(T a, T b) { return b < a || !(a == a) ? b : a; }
template <class T>
__device__ __forceinline__ T ws_greater(T a, T b) { return b > a || !(a == a) ? b : a; }
template <class V>
__device__ __forceinline__ V ws_min2(V a, V b) { return V{ws_lesser(a.x, b.x), ws_lesser(a.y, b.y)}; }
template <class V>
__device__ __forceinline__ V ws_min3(V a, V b) { return V{ws_lesser(a.x, b.x), ws_lesser(a.y, b.y), ws_lesser(a.z, b.z)}; }
template <class V>
__device__ __forceinline__ V ws_min4(V a, V b) {
    return V{ws_lesser(a.x, b.x), ws_lesser(a.y, b.y), ws_lesser(a.z, b.z), ws_lesser(a.w, b.w)};
}
template <class V>
__device__ __forceinline__ V ws_max2(V a, V b) { return V{ws_greater(a.x, b.x), ws_greater(a.y, b.y)}; }
template <class V>
__device__ __forceinline__ V ws_max3(V a, V b) { return V{ws_greater(a.x, b.x), ws_greater(a.y, b.y), ws_greater(a.z, b.z)}; }
template <class V>
__device__ __forceinline__ V ws_max4(V a, V b) {
    return V{ws_greater(a.x, b.x), ws_greater(a.y, b.y), ws_greater(a.z, b.z), ws_greater(a.w, b.w)};
}
template <class V>
__device__ __forceinline__ auto ws_sum2(V v) -> decltype(v.x + v.y) { return v.x + v.y; }
template <class V>
__device__ __forceinline__ auto ws_sum3(V v) -> decltype(v.x + v.y) { return v.x + v.y + v.z; }
template <class V>
__device__ __forceinline__ auto ws_sum4(V v) -> decltype(v.x + v.y) { return v.x + v.y + v.z + v.w; }
template <class V>
__device__ __forceinline__ auto ws_dot2(V a, V b) -> decltype(a.x * b.x) { return a.x * b.x + a.y * b.y; }
template <class V>
__device__ __forceinline__ auto ws_dot3(V a, V b) -> decltype(a.x * b.x) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class V>
__device__ __forceinline__ auto ws_dot4(V a, V b) -> decltype(a.x * b.x) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
template <class V>
__device__ __forceinline__ auto ws_length2(V v) -> decltype(v.x * v.x) { return sqrt(ws_dot2(v, v)); }
template <class V>
__device__ __forceinline__ auto ws_length3(V v) -> decltype(v.x * v.x) { return sqrt(ws_dot3(v, v)); }
template <class V>
__device__ __forceinline__ auto ws_length4(V v) -> decltype(v.x * v.x) { return sqrt(ws_dot4(v, v)); }
template <class V>
__device__ __forceinline__ V ws_normalize2(V v) { auto n = ws_length2(v); return V{v.x / n, v.y / n}; }
template <class V>
__device__ __forceinline__ V ws_normalize3(V v) { auto n = ws_length3(v); return V{v.x / n, v.y / n, v.z / n}; }
template <class V>
__device__ __forceinline__ V ws_normalize4(V v) { auto n = ws_length4(v); return V{v.x / n, v.y / n, v.z / n, v.w / n}; }
",
    needs: &[],
};

static SWIZZLE: Prelude = Prelude {
    name: "ws_swizzle",
    code: "template <class R, class V>
__device__ __forceinline__ R ws_xy(V v) { return R{v.x, v.y}; }
template <class R, class V>
__device__ __forceinline__ R ws_zw(V v) { return R{v.z, v.w}; }
template <class R, class V>
__device__ __forceinline__ R ws_xyz(V v) { return R{v.x, v.y, v.z}; }
template <class R, class V, class T>
__device__ __forceinline__ R ws_extend(V v, T w) { return R{v.x, v.y, v.z, w}; }
",
    needs: &[],
};

static ARRAYS: Prelude = Prelude {
    name: "ws_to_array",
    code: "template <class V>
__device__ __forceinline__ auto ws_to_array2(V v) -> ws_Array<decltype(v.x), 2> { return {{v.x, v.y}}; }
template <class V>
__device__ __forceinline__ auto ws_to_array3(V v) -> ws_Array<decltype(v.x), 3> { return {{v.x, v.y, v.z}}; }
template <class V>
__device__ __forceinline__ auto ws_to_array4(V v) -> ws_Array<decltype(v.x), 4> { return {{v.x, v.y, v.z, v.w}}; }
template <class V, class A>
__device__ __forceinline__ V ws_from_array2(A a) { return V{a[0], a[1]}; }
template <class V, class A>
__device__ __forceinline__ V ws_from_array3(A a) { return V{a[0], a[1], a[2]}; }
template <class V, class A>
__device__ __forceinline__ V ws_from_array4(A a) { return V{a[0], a[1], a[2], a[3]}; }
",
    needs: &[&crate::codegen::ARRAY],
};
