//! CUDA definitions of methods that are more than one operator or library call.

use crate::codegen::SHORT;
use crate::ir::Prelude;

/// Compiler-rt's algorithm, which Rust's `powi` runs on the host: the same products in the same order.
pub(super) static POWI: Prelude = Prelude {
    name: "ws_powi",
    code: "template <class T>
__device__ __forceinline__ T ws_powi(T x, int n) {
    bool invert = n < 0;
    T r = 1;
    for (;;) {
        if (n & 1) r *= x;
        n /= 2;
        if (n == 0) break;
        x *= x;
    }
    return invert ? (T)1 / r : r;
}
",
    needs: &[],
};

pub(super) static FRACT: Prelude = Prelude {
    name: "ws_fract",
    code: "__device__ __forceinline__ float ws_fract(float x) { return x - truncf(x); }
__device__ __forceinline__ double ws_fract(double x) { return x - trunc(x); }
",
    needs: &[],
};

pub(super) static CLAMP: Prelude = Prelude {
    name: "ws_clamp",
    code: "template <class T>
__device__ __forceinline__ T ws_clamp(T x, T low, T high) {
    T y = x < low ? low : x;
    return y > high ? high : y;
}
",
    needs: &[],
};

pub(super) static SIGNUM: Prelude = Prelude {
    name: "ws_signum",
    code: "__device__ __forceinline__ float ws_signum(float x) { return x != x ? x : copysignf(1.0f, x); }
__device__ __forceinline__ double ws_signum(double x) { return x != x ? x : copysign(1.0, x); }
",
    needs: &[],
};

pub(super) static IS_NAN: Prelude = Prelude {
    name: "ws_is_nan",
    code: "template <class T>
__device__ __forceinline__ bool ws_is_nan(T x) { return x != x; }
",
    needs: &[],
};

pub(super) static BITS: Prelude = Prelude {
    name: "ws_bits",
    code: "template <class T>
__device__ __forceinline__ unsigned int ws_count_ones(T x) {
    return sizeof(T) == 8 ? __popcll(x) : __popc((unsigned int)x);
}
template <class T>
__device__ __forceinline__ unsigned int ws_count_zeros(T x) { return 8 * sizeof(T) - ws_count_ones(x); }
template <class T>
__device__ __forceinline__ unsigned int ws_leading_zeros(T x) {
    return sizeof(T) == 8 ? __clzll(x) : __clz((unsigned int)x) - (32 - 8 * (int)sizeof(T));
}
template <class T>
__device__ __forceinline__ unsigned int ws_trailing_zeros(T x) {
    return x == 0 ? 8 * sizeof(T) : (sizeof(T) == 8 ? __ffsll(x) : __ffs((unsigned int)x)) - 1;
}
",
    needs: &[],
};

pub(super) static UNSIGNED: Prelude = Prelude {
    name: "ws_unsigned",
    code: "template <class T> struct ws_unsigned { typedef T type; };
template <> struct ws_unsigned<signed char> { typedef unsigned char type; };
template <> struct ws_unsigned<short> { typedef unsigned short type; };
template <> struct ws_unsigned<int> { typedef unsigned int type; };
template <> struct ws_unsigned<long long> { typedef unsigned long long type; };
",
    needs: &[],
};

pub(super) static MIN: Prelude = Prelude {
    name: "ws_min",
    code: "template <class T>
__device__ __forceinline__ T ws_min(T a, T b) { return b < a ? b : a; }
",
    needs: &[],
};

pub(super) static MAX: Prelude = Prelude {
    name: "ws_max",
    code: "template <class T>
__device__ __forceinline__ T ws_max(T a, T b) { return b < a ? a : b; }
",
    needs: &[],
};

pub(super) static POW: Prelude = Prelude {
    name: "ws_pow",
    code: "template <class T>
__device__ __forceinline__ T ws_pow(T x, unsigned int n) {
    typedef typename ws_unsigned<T>::type U;
    unsigned long long r = 1, b = (U)x;
    for (; n != 0; n >>= 1) {
        if (n & 1u) r *= b;
        b *= b;
    }
    return (T)(U)r;
}
",
    needs: &[&UNSIGNED],
};

pub(super) static ROTATE_LEFT: Prelude = Prelude {
    name: "ws_rotate_left",
    code: "template <class T>
__device__ __forceinline__ T ws_rotate_left(T x, unsigned int n) {
    typedef typename ws_unsigned<T>::type U;
    const unsigned int bits = 8 * sizeof(T);
    n %= bits;
    return n == 0 ? x : (T)(U)(((U)x << n) | ((U)x >> (bits - n)));
}
",
    needs: &[&UNSIGNED],
};

pub(super) static ROTATE_RIGHT: Prelude = Prelude {
    name: "ws_rotate_right",
    code: "template <class T>
__device__ __forceinline__ T ws_rotate_right(T x, unsigned int n) {
    const unsigned int bits = 8 * sizeof(T);
    return ws_rotate_left(x, bits - n % bits);
}
",
    needs: &[&ROTATE_LEFT],
};

pub(super) static REVERSE_BITS: Prelude = Prelude {
    name: "ws_reverse_bits",
    code: "template <class T>
__device__ __forceinline__ T ws_reverse_bits(T x) {
    typedef typename ws_unsigned<T>::type U;
    return (T)(U)(__brevll((U)x) >> (64 - 8 * sizeof(T)));
}
",
    needs: &[&UNSIGNED],
};

pub(super) static SWAP_BYTES: Prelude = Prelude {
    name: "ws_swap_bytes",
    code: "template <class T>
__device__ __forceinline__ T ws_swap_bytes(T x) {
    typedef typename ws_unsigned<T>::type U;
    U from = (U)x, to = 0;
    for (unsigned int i = 0; i < sizeof(T); ++i) to = (U)(to | ((U)((from >> (8 * i)) & 0xff) << (8 * (sizeof(T) - 1 - i))));
    return (T)to;
}
",
    needs: &[&UNSIGNED],
};

pub(super) static IS_NEGATIVE: Prelude = Prelude {
    name: "ws_is_negative",
    code: "template <class T>
__device__ __forceinline__ bool ws_is_negative(T x) { return !(x > 0) && x != 0; }
",
    needs: &[],
};

pub(super) static IS_POSITIVE: Prelude = Prelude {
    name: "ws_is_positive",
    code: "template <class T>
__device__ __forceinline__ bool ws_is_positive(T x) { return x > 0; }
",
    needs: &[],
};

pub(super) static LIMIT: Prelude = Prelude {
    name: "ws_limit",
    code: "template <class T>
__device__ __forceinline__ T ws_limit(bool high) {
    typedef typename ws_unsigned<T>::type U;
    const U all = (U)~(U)0;
    const bool is_signed = (T)all < (T)1;
    return is_signed ? (T)(high ? (U)(all >> 1) : (U)(all ^ (all >> 1))) : (T)(high ? all : (U)0);
}
",
    needs: &[&UNSIGNED],
};

pub(super) static SATURATING_ADD: Prelude = Prelude {
    name: "ws_saturating_add",
    code: "template <class T>
__device__ __forceinline__ T ws_saturating_add(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    T sum = (T)(U)((U)a + (U)b);
    if (ws_is_negative(b) ? sum > a : sum < a) return ws_limit<T>(!ws_is_negative(b));
    return sum;
}
",
    needs: &[&UNSIGNED, &IS_NEGATIVE, &LIMIT],
};

pub(super) static SATURATING_SUB: Prelude = Prelude {
    name: "ws_saturating_sub",
    code: "template <class T>
__device__ __forceinline__ T ws_saturating_sub(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    T difference = (T)(U)((U)a - (U)b);
    if (ws_is_negative(b) ? difference < a : difference > a) return ws_limit<T>(ws_is_negative(b));
    return difference;
}
",
    needs: &[&UNSIGNED, &IS_NEGATIVE, &LIMIT],
};

pub(super) static ABS_DIFF: Prelude = Prelude {
    name: "ws_abs_diff",
    code: "template <class T>
__device__ __forceinline__ typename ws_unsigned<T>::type ws_abs_diff(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    return (U)(a < b ? (U)b - (U)a : (U)a - (U)b);
}
",
    needs: &[&UNSIGNED],
};

pub(super) static UNSIGNED_ABS: Prelude = Prelude {
    name: "ws_unsigned_abs",
    code: "template <class T>
__device__ __forceinline__ typename ws_unsigned<T>::type ws_unsigned_abs(T x) {
    typedef typename ws_unsigned<T>::type U;
    return ws_is_negative(x) ? (U)((U)0 - (U)x) : (U)x;
}
",
    needs: &[&UNSIGNED, &IS_NEGATIVE],
};

pub(super) static WRAPPING_ABS: Prelude = Prelude {
    name: "ws_wrapping_abs",
    code: "template <class T>
__device__ __forceinline__ T ws_wrapping_abs(T x) { return (T)ws_unsigned_abs(x); }
__device__ __forceinline__ short ws_wrapping_abs(short x) { return x < 0 ? ws_short(0u - (unsigned int)x) : x; }
",
    needs: &[&UNSIGNED_ABS, &SHORT],
};

pub(super) static INT_SIGNUM: Prelude = Prelude {
    name: "ws_int_signum",
    code: "template <class T>
__device__ __forceinline__ T ws_int_signum(T x) { return (T)((x > 0) - (ws_is_negative(x) ? 1 : 0)); }
",
    needs: &[&IS_NEGATIVE],
};

pub(super) static REM_EUCLID: Prelude = Prelude {
    name: "ws_rem_euclid",
    code: "template <class T>
__device__ __forceinline__ T ws_rem_euclid(T a, T b) {
    T r = a % b;
    return ws_is_negative(r) ? (T)(ws_is_negative(b) ? r - b : r + b) : r;
}
",
    needs: &[&IS_NEGATIVE],
};

pub(super) static DIV_EUCLID: Prelude = Prelude {
    name: "ws_div_euclid",
    code: "template <class T>
__device__ __forceinline__ T ws_div_euclid(T a, T b) {
    T q = a / b;
    return ws_is_negative((T)(a % b)) ? (T)(ws_is_negative(b) ? q + 1 : q - 1) : q;
}
",
    needs: &[&IS_NEGATIVE],
};

pub(super) static ILOG2: Prelude = Prelude {
    name: "ws_ilog2",
    code: "template <class T>
__device__ __forceinline__ unsigned int ws_ilog2(T x) { return 63 - __clzll((long long)x); }
",
    needs: &[],
};

pub(super) static IS_POWER_OF_TWO: Prelude = Prelude {
    name: "ws_is_power_of_two",
    code: "template <class T>
__device__ __forceinline__ bool ws_is_power_of_two(T x) { return x != 0 && (x & (T)(x - 1)) == 0; }
",
    needs: &[],
};

pub(super) static NEXT_POWER_OF_TWO: Prelude = Prelude {
    name: "ws_next_power_of_two",
    code: "template <class T>
__device__ __forceinline__ T ws_next_power_of_two(T x) {
    return x <= 1 ? (T)1 : (T)(2ull << (63 - __clzll((long long)(x - 1))));
}
",
    needs: &[],
};

pub(super) static DIV_CEIL: Prelude = Prelude {
    name: "ws_div_ceil",
    code: "template <class T>
__device__ __forceinline__ T ws_div_ceil(T a, T b) { return (T)(a / b + (a % b != 0 ? 1 : 0)); }
",
    needs: &[],
};

pub(super) static IS_MULTIPLE_OF: Prelude = Prelude {
    name: "ws_is_multiple_of",
    code: "template <class T>
__device__ __forceinline__ bool ws_is_multiple_of(T a, T b) { return b == 0 ? a == 0 : a % b == 0; }
",
    needs: &[],
};

pub(super) static NEXT_MULTIPLE_OF: Prelude = Prelude {
    name: "ws_next_multiple_of",
    code: "template <class T>
__device__ __forceinline__ T ws_next_multiple_of(T a, T b) {
    T r = (T)(a % b);
    return r == 0 ? a : (T)(a + (b - r));
}
",
    needs: &[],
};
