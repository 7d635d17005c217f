//! CUDA definitions of the longer methods of `f32` and `f64`, step by step as Rust's library has them.

use super::super::text::PAIR;
use crate::ir::Prelude;

pub(super) static SIN_COS: Prelude = Prelude {
    name: "ws_sin_cos",
    code: "__device__ __forceinline__ ws_Pair<float, float> ws_sin_cos(float x) {
    ws_Pair<float, float> both;
    sincosf(x, &both._0, &both._1);
    return both;
}
__device__ __forceinline__ ws_Pair<double, double> ws_sin_cos(double x) {
    ws_Pair<double, double> both;
    sincos(x, &both._0, &both._1);
    return both;
}
",
    needs: &[&PAIR],
};

pub(super) static REM_EUCLID: Prelude = Prelude {
    name: "ws_float_rem_euclid",
    code: "__device__ __forceinline__ float ws_float_rem_euclid(float a, float b) {
    float r = fmodf(a, b);
    return r < 0.0f ? r + fabsf(b) : r;
}
__device__ __forceinline__ double ws_float_rem_euclid(double a, double b) {
    double r = fmod(a, b);
    return r < 0.0 ? r + fabs(b) : r;
}
",
    needs: &[],
};

pub(super) static DIV_EUCLID: Prelude = Prelude {
    name: "ws_float_div_euclid",
    code: "__device__ __forceinline__ float ws_float_div_euclid(float a, float b) {
    float q = truncf(a / b);
    return fmodf(a, b) < 0.0f ? (b > 0.0f ? q - 1.0f : q + 1.0f) : q;
}
__device__ __forceinline__ double ws_float_div_euclid(double a, double b) {
    double q = trunc(a / b);
    return fmod(a, b) < 0.0 ? (b > 0.0 ? q - 1.0 : q + 1.0) : q;
}
",
    needs: &[],
};

/// An `f32` through `f64`, where the sum is exact enough; an `f64` halved before or after the sum.
pub(super) static MIDPOINT: Prelude = Prelude {
    name: "ws_float_midpoint",
    code: "__device__ __forceinline__ float ws_float_midpoint(float a, float b) {
    return (float)(((double)a + (double)b) / 2.0);
}
__device__ __forceinline__ double ws_float_midpoint(double a, double b) {
    const double low = __longlong_as_double(0x0020000000000000ll), high = __longlong_as_double(0x7fdfffffffffffffll);
    if (fabs(a) <= high && fabs(b) <= high) return (a + b) / 2.0;
    if (fabs(a) < low) return a + b / 2.0;
    if (fabs(b) < low) return a / 2.0 + b;
    return a / 2.0 + b / 2.0;
}
",
    needs: &[],
};

pub(super) static NEXT_UP: Prelude = Prelude {
    name: "ws_next_up",
    code: "__device__ __forceinline__ float ws_next_up(float x) {
    int bits = __float_as_int(x), magnitude = bits & 0x7fffffff;
    if (x != x || bits == 0x7f800000) return x;
    return __int_as_float(magnitude == 0 ? 1 : bits == magnitude ? bits + 1 : bits - 1);
}
__device__ __forceinline__ double ws_next_up(double x) {
    long long bits = __double_as_longlong(x), magnitude = bits & 0x7fffffffffffffffll;
    if (x != x || bits == 0x7ff0000000000000ll) return x;
    return __longlong_as_double(magnitude == 0 ? 1 : bits == magnitude ? bits + 1 : bits - 1);
}
",
    needs: &[],
};

pub(super) static IS_NORMAL: Prelude = Prelude {
    name: "ws_is_normal",
    code: "__device__ __forceinline__ bool ws_is_normal(float x) {
    unsigned int exponent = __float_as_uint(x) & 0x7f800000u;
    return exponent != 0u && exponent != 0x7f800000u;
}
__device__ __forceinline__ bool ws_is_normal(double x) {
    long long exponent = __double_as_longlong(x) & 0x7ff0000000000000ll;
    return exponent != 0 && exponent != 0x7ff0000000000000ll;
}
",
    needs: &[],
};

pub(super) static IS_SUBNORMAL: Prelude = Prelude {
    name: "ws_is_subnormal",
    code: "__device__ __forceinline__ bool ws_is_subnormal(float x) {
    return (__float_as_uint(x) & 0x7f800000u) == 0u && (__float_as_uint(x) & 0x007fffffu) != 0u;
}
__device__ __forceinline__ bool ws_is_subnormal(double x) {
    long long bits = __double_as_longlong(x);
    return (bits & 0x7ff0000000000000ll) == 0 && (bits & 0x000fffffffffffffll) != 0;
}
",
    needs: &[],
};
