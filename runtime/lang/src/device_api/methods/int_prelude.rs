//! CUDA definitions of the integer methods that report, saturate or divide.

use super::super::text::PAIR;
use super::prelude::{
    BITS, DIV_EUCLID, IS_NEGATIVE, LIMIT, NEXT_POWER_OF_TWO, REM_EUCLID, SATURATING_ADD, SATURATING_SUB,
    UNSIGNED,
};
use crate::codegen::SHORT;
use crate::ir::Prelude;

pub(super) static ONES: Prelude = Prelude {
    name: "ws_ones",
    code: "template <class T>
__device__ __forceinline__ unsigned int ws_leading_ones(T x) { return ws_leading_zeros((T)~x); }
template <class T>
__device__ __forceinline__ unsigned int ws_trailing_ones(T x) { return ws_trailing_zeros((T)~x); }
",
    needs: &[&BITS],
};

static IS_SIGNED: Prelude = Prelude {
    name: "ws_is_signed",
    code: "template <class T>
__device__ __forceinline__ constexpr bool ws_is_signed() { return (T)~(T)0 < (T)1; }
",
    needs: &[],
};

/// Wraps at the smallest value over -1, which is undefined in C++.
pub(super) static WRAPPING_DIV: Prelude = Prelude {
    name: "ws_wrapping_div",
    code: "template <class T>
__device__ __forceinline__ T ws_wrapping_div(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    return ws_is_signed<T>() && b == (T)~(T)0 ? (T)(U)((U)0 - (U)a) : (T)(a / b);
}
",
    needs: &[&UNSIGNED, &IS_SIGNED],
};

pub(super) static WRAPPING_REM: Prelude = Prelude {
    name: "ws_wrapping_rem",
    code: "template <class T>
__device__ __forceinline__ T ws_wrapping_rem(T a, T b) {
    return ws_is_signed<T>() && b == (T)~(T)0 ? (T)0 : (T)(a % b);
}
",
    needs: &[&IS_SIGNED],
};

pub(super) static OVERFLOWING_ADD: Prelude = Prelude {
    name: "ws_overflowing_add",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_add(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    T sum = (T)(U)((U)a + (U)b);
    return ws_Pair<T, bool>{sum, ws_is_negative(b) ? sum > a : sum < a};
}
",
    needs: &[&UNSIGNED, &IS_NEGATIVE, &PAIR],
};

pub(super) static OVERFLOWING_SUB: Prelude = Prelude {
    name: "ws_overflowing_sub",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_sub(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    T difference = (T)(U)((U)a - (U)b);
    return ws_Pair<T, bool>{difference, ws_is_negative(b) ? difference < a : difference > a};
}
",
    needs: &[&UNSIGNED, &IS_NEGATIVE, &PAIR],
};

/// Up to 32 bits the product is exact in 64; of 64 bits the high half tells.
pub(super) static OVERFLOWING_MUL: Prelude = Prelude {
    name: "ws_overflowing_mul",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_mul(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    T low = (T)(U)((unsigned long long)(U)a * (unsigned long long)(U)b);
    bool over;
    if (ws_is_signed<T>()) {
        over = sizeof(T) == 8 ? __mul64hi((long long)a, (long long)b) != ((long long)low >> 63)
                              : (long long)((unsigned long long)a * (unsigned long long)b) != (long long)low;
    } else {
        over = sizeof(T) == 8 ? __umul64hi((unsigned long long)a, (unsigned long long)b) != 0
                              : (unsigned long long)a * (unsigned long long)b != (unsigned long long)low;
    }
    return ws_Pair<T, bool>{low, over};
}
",
    needs: &[&UNSIGNED, &IS_SIGNED, &PAIR],
};

/// Asks for the one value that overflows.
pub(super) static OVERFLOWING_NEG: Prelude = Prelude {
    name: "ws_overflowing_neg",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_neg(T x) {
    typedef typename ws_unsigned<T>::type U;
    T lowest = (T)((U)1 << (8 * sizeof(T) - 1));
    return ws_Pair<T, bool>{(T)(U)((U)0 - (U)x), ws_is_signed<T>() ? x == lowest : x != 0};
}
__device__ __forceinline__ ws_Pair<short, bool> ws_overflowing_neg(short x) {
    return ws_Pair<short, bool>{ws_short(0u - (unsigned int)x), x == -32768};
}
",
    needs: &[&UNSIGNED, &IS_SIGNED, &PAIR, &SHORT],
};

/// The `Option` of a value that comes with whether there is none.
pub(super) static CHECKED: Prelude = Prelude {
    name: "ws_checked",
    code: "template <class O, class T>
__device__ __forceinline__ O ws_checked(ws_Pair<T, bool> value) {
    O option;
    option.tag = value._1 ? 0 : 1;
    option.Some._0 = value._0;
    return option;
}
",
    needs: &[&PAIR],
};

pub(super) static CHECKED_DIV: Prelude = Prelude {
    name: "ws_checked_div",
    code: "template <class T>
__device__ __forceinline__ bool ws_no_quotient(T a, T b) {
    typedef typename ws_unsigned<T>::type U;
    return b == 0 || (ws_is_signed<T>() && b == (T)~(T)0 && a == (T)((U)1 << (8 * sizeof(T) - 1)));
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_div(T a, T b) {
    bool none = ws_no_quotient(a, b);
    return ws_Pair<T, bool>{none ? (T)0 : (T)(a / b), none};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_rem(T a, T b) {
    bool none = ws_no_quotient(a, b);
    return ws_Pair<T, bool>{none ? (T)0 : (T)(a % b), none};
}
",
    needs: &[&UNSIGNED, &IS_SIGNED, &PAIR],
};

/// Rounded towards negative infinity for positive divisors; the quotient by -1 wraps as that of `wrapping_div`.
pub(super) static WRAPPING_EUCLID: Prelude = Prelude {
    name: "ws_wrapping_div_euclid",
    code: "template <class T>
__device__ __forceinline__ T ws_wrapping_div_euclid(T a, T b) {
    return ws_is_signed<T>() && b == (T)~(T)0 ? ws_wrapping_div(a, b) : ws_div_euclid(a, b);
}
template <class T>
__device__ __forceinline__ T ws_wrapping_rem_euclid(T a, T b) {
    return ws_is_signed<T>() && b == (T)~(T)0 ? (T)0 : ws_rem_euclid(a, b);
}
",
    needs: &[&WRAPPING_DIV, &DIV_EUCLID, &REM_EUCLID],
};

pub(super) static CHECKED_EUCLID: Prelude = Prelude {
    name: "ws_checked_div_euclid",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_div_euclid(T a, T b) {
    bool none = ws_no_quotient(a, b);
    return ws_Pair<T, bool>{none ? (T)0 : ws_div_euclid(a, b), none};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_rem_euclid(T a, T b) {
    bool none = ws_no_quotient(a, b);
    return ws_Pair<T, bool>{none ? (T)0 : ws_rem_euclid(a, b), none};
}
",
    needs: &[&CHECKED_DIV, &DIV_EUCLID, &REM_EUCLID],
};

/// A quotient or remainder that wraps, and whether the quotient is none of the type.
pub(super) static OVERFLOWING_DIV: Prelude = Prelude {
    name: "ws_overflowing_div",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_div(T a, T b) {
    return ws_Pair<T, bool>{ws_wrapping_div(a, b), ws_no_quotient(a, b)};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_rem(T a, T b) {
    return ws_Pair<T, bool>{ws_wrapping_rem(a, b), ws_no_quotient(a, b)};
}
",
    needs: &[&WRAPPING_DIV, &WRAPPING_REM, &CHECKED_DIV],
};

pub(super) static CHECKED_SHIFT: Prelude = Prelude {
    name: "ws_checked_shl",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_shl(T x, unsigned int n) {
    typedef typename ws_unsigned<T>::type U;
    bool none = n >= 8 * sizeof(T);
    return ws_Pair<T, bool>{none ? (T)0 : (T)(U)((U)x << n), none};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_shr(T x, unsigned int n) {
    bool none = n >= 8 * sizeof(T);
    return ws_Pair<T, bool>{none ? (T)0 : (T)(x >> n), none};
}
",
    needs: &[&UNSIGNED, &PAIR],
};

pub(super) static OVERFLOWING_POW: Prelude = Prelude {
    name: "ws_overflowing_pow",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_pow(T x, unsigned int n) {
    ws_Pair<T, bool> result{(T)1, false};
    bool over = false;
    for (; n != 0; n >>= 1) {
        if (n & 1u) {
            ws_Pair<T, bool> product = ws_overflowing_mul(result._0, x);
            result = ws_Pair<T, bool>{product._0, result._1 || over || product._1};
        }
        ws_Pair<T, bool> square = ws_overflowing_mul(x, x);
        x = square._0;
        over = over || square._1;
    }
    return result;
}
",
    needs: &[&OVERFLOWING_MUL],
};

pub(super) static SATURATING_MUL: Prelude = Prelude {
    name: "ws_saturating_mul",
    code: "template <class T>
__device__ __forceinline__ T ws_saturating_mul(T a, T b) {
    ws_Pair<T, bool> product = ws_overflowing_mul(a, b);
    return product._1 ? ws_limit<T>(ws_is_negative(a) == ws_is_negative(b)) : product._0;
}
",
    needs: &[&OVERFLOWING_MUL, &IS_NEGATIVE, &LIMIT],
};

pub(super) static SATURATING_DIV: Prelude = Prelude {
    name: "ws_saturating_div",
    code: "template <class T>
__device__ __forceinline__ T ws_saturating_div(T a, T b) {
    if (ws_is_signed<T>() && b == (T)~(T)0) return a == ws_limit<T>(false) ? ws_limit<T>(true) : (T)-a;
    return (T)(a / b);
}
",
    needs: &[&IS_SIGNED, &LIMIT],
};

pub(super) static SATURATING_POW: Prelude = Prelude {
    name: "ws_saturating_pow",
    code: "template <class T>
__device__ __forceinline__ T ws_saturating_pow(T x, unsigned int n) {
    ws_Pair<T, bool> power = ws_overflowing_pow(x, n);
    return power._1 ? ws_limit<T>(!ws_is_negative(x) || n % 2 == 0) : power._0;
}
",
    needs: &[&OVERFLOWING_POW, &IS_NEGATIVE, &LIMIT],
};

pub(super) static SATURATING_NEG: Prelude = Prelude {
    name: "ws_saturating_neg",
    code: "template <class T>
__device__ __forceinline__ T ws_saturating_neg(T x) { return x == ws_limit<T>(false) ? ws_limit<T>(true) : (T)-x; }
",
    needs: &[&LIMIT],
};

pub(super) static SATURATING_ABS: Prelude = Prelude {
    name: "ws_saturating_abs",
    code: "template <class T>
__device__ __forceinline__ T ws_saturating_abs(T x) { return ws_is_negative(x) ? ws_saturating_neg(x) : x; }
",
    needs: &[&IS_NEGATIVE, &SATURATING_NEG],
};

pub(super) static SATURATING_ADD_SIGNED: Prelude = Prelude {
    name: "ws_saturating_add_signed",
    code: "template <class T, class S>
__device__ __forceinline__ T ws_saturating_add_signed(T x, S y) {
    return y < 0 ? ws_saturating_sub(x, (T)((T)0 - (T)y)) : ws_saturating_add(x, (T)y);
}
",
    needs: &[&SATURATING_ADD, &SATURATING_SUB],
};

pub(super) static UNBOUNDED_SHL: Prelude = Prelude {
    name: "ws_unbounded_shl",
    code: "template <class T>
__device__ __forceinline__ T ws_unbounded_shl(T x, unsigned int n) {
    typedef typename ws_unsigned<T>::type U;
    return n >= 8 * sizeof(T) ? (T)0 : (T)(U)((U)x << n);
}
",
    needs: &[&UNSIGNED],
};

pub(super) static UNBOUNDED_SHR: Prelude = Prelude {
    name: "ws_unbounded_shr",
    code: "template <class T>
__device__ __forceinline__ T ws_unbounded_shr(T x, unsigned int n) {
    return n >= 8 * sizeof(T) ? (T)(ws_is_negative(x) ? ~(T)0 : (T)0) : (T)(x >> n);
}
",
    needs: &[&IS_NEGATIVE],
};

/// Rounded down, then towards zero as Rust does.
pub(super) static MIDPOINT: Prelude = Prelude {
    name: "ws_midpoint",
    code: "template <class T>
__device__ __forceinline__ T ws_midpoint(T a, T b) {
    T below = (T)((a & b) + ((a ^ b) >> 1));
    return ws_is_negative(below) ? (T)(below + ((a ^ b) & 1)) : below;
}
",
    needs: &[&IS_NEGATIVE],
};

/// The float root is off by one at most; integers settle it.
pub(super) static ISQRT: Prelude = Prelude {
    name: "ws_isqrt",
    code: "template <class T>
__device__ __forceinline__ T ws_isqrt(T x) {
    const unsigned long long v = (unsigned long long)x, most = 4294967295ull;
    unsigned long long r = sizeof(T) == 8 ? (unsigned long long)sqrt((double)v) : (unsigned long long)sqrtf((float)v);
    if (r > most) r = most;
    while (r * r > v) --r;
    while (r < most && (r + 1) * (r + 1) <= v) ++r;
    return (T)r;
}
",
    needs: &[],
};

/// Zero where Rust panics: for values below one and bases below two.
pub(super) static ILOG: Prelude = Prelude {
    name: "ws_ilog",
    code: "template <class T, class B>
__device__ __forceinline__ unsigned int ws_ilog(T x, B wanted) {
    const T base = (T)wanted;
    unsigned int n = 0;
    if (base < 2) return n;
    for (; x >= base; x = (T)(x / base)) ++n;
    return n;
}
",
    needs: &[],
};

pub(super) static CHECKED_ILOG: Prelude = Prelude {
    name: "ws_checked_ilog",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<unsigned int, bool> ws_checked_ilog(T x, int base) {
    return ws_Pair<unsigned int, bool>{x > 0 ? ws_ilog(x, base) : 0u, !(x > 0)};
}
",
    needs: &[&ILOG, &PAIR],
};

pub(super) static OVERFLOWING_SHIFT: Prelude = Prelude {
    name: "ws_overflowing_shl",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_shl(T x, unsigned int n) {
    typedef typename ws_unsigned<T>::type U;
    return ws_Pair<T, bool>{(T)(U)((U)x << (n & (8 * sizeof(T) - 1))), n >= 8 * sizeof(T)};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_shr(T x, unsigned int n) {
    return ws_Pair<T, bool>{(T)(x >> (n & (8 * sizeof(T) - 1))), n >= 8 * sizeof(T)};
}
",
    needs: &[&UNSIGNED, &PAIR],
};

pub(super) static OVERFLOWING_ABS: Prelude = Prelude {
    name: "ws_overflowing_abs",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_overflowing_abs(T x) {
    return ws_is_negative(x) ? ws_overflowing_neg(x) : ws_Pair<T, bool>{x, false};
}
",
    needs: &[&OVERFLOWING_NEG, &IS_NEGATIVE],
};

/// A number and one of the other signedness, and whether the result is none of the first one's type.
pub(super) static ADD_OTHER: Prelude = Prelude {
    name: "ws_add_unsigned",
    code: "template <class T, class U>
__device__ __forceinline__ ws_Pair<T, bool> ws_add_unsigned(T x, U y) {
    T sum = (T)(U)((U)x + y);
    return ws_Pair<T, bool>{sum, sum < x};
}
template <class T, class U>
__device__ __forceinline__ ws_Pair<T, bool> ws_sub_unsigned(T x, U y) {
    T difference = (T)(U)((U)x - y);
    return ws_Pair<T, bool>{difference, difference > x};
}
template <class T, class S>
__device__ __forceinline__ ws_Pair<T, bool> ws_add_signed(T x, S y) {
    T sum = (T)(x + (T)y);
    return ws_Pair<T, bool>{sum, ws_is_negative(y) ? sum > x : sum < x};
}
",
    needs: &[&IS_NEGATIVE, &PAIR],
};

/// A result, or a limit of its type where there is none.
pub(super) static SATURATED: Prelude = Prelude {
    name: "ws_saturated",
    code: "template <class T>
__device__ __forceinline__ T ws_saturated(ws_Pair<T, bool> result, bool highest) {
    return result._1 ? ws_limit<T>(highest) : result._0;
}
",
    needs: &[&ADD_OTHER, &LIMIT],
};

pub(super) static CHECKED_NEXT: Prelude = Prelude {
    name: "ws_checked_next_power_of_two",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_next_power_of_two(T x) {
    const T most = (T)((T)1 << (8 * sizeof(T) - 1));
    return ws_Pair<T, bool>{x > most ? (T)0 : ws_next_power_of_two(x), x > most};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_checked_next_multiple_of(T x, T of) {
    if (of == 0) return ws_Pair<T, bool>{(T)0, true};
    T rest = (T)(x % of), sum = rest == 0 ? x : (T)(x + (T)(of - rest));
    return ws_Pair<T, bool>{sum, sum < x};
}
",
    needs: &[&NEXT_POWER_OF_TWO, &PAIR],
};

/// Arithmetic of numbers of several words. Up to 32 bits a product and its carry are exact in 64.
pub(super) static CARRYING: Prelude = Prelude {
    name: "ws_carrying_add",
    code: "template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_carrying_add(T a, T b, bool carry) {
    T sum = (T)(a + b), all = (T)(sum + (T)carry);
    return ws_Pair<T, bool>{all, sum < a || all < sum};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, bool> ws_borrowing_sub(T a, T b, bool borrow) {
    T difference = (T)(a - b), all = (T)(difference - (T)borrow);
    return ws_Pair<T, bool>{all, difference > a || all > difference};
}
template <class T>
__device__ __forceinline__ ws_Pair<T, T> ws_carrying_mul(T a, T b, T carry) {
    unsigned long long low = (unsigned long long)a * b, sum = low + carry;
    if (sizeof(T) < 8) return ws_Pair<T, T>{(T)sum, (T)(sum >> (8 * sizeof(T) % 64))};
    return ws_Pair<T, T>{(T)sum, (T)(__umul64hi(a, b) + (sum < low ? 1ull : 0ull))};
}
",
    needs: &[&PAIR],
};
