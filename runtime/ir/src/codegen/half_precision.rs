//! CUDA definitions of `f16` and `bf16`: native arithmetic by inline PTX, without a header.
//!
//! `ws_rn` is empty where products and sums may be contracted to fused multiply-adds, else `.rn`.

use crate::ir::Prelude;

/// Arithmetic may be contracted.
pub(super) static CONTRACTED: Prelude = Prelude { name: "ws_rn", code: "#define ws_rn \"\"\n", needs: &[] };

/// Every operation is rounded.
pub(super) static ROUNDED: Prelude = Prelude { name: "ws_rn", code: "#define ws_rn \".rn\"\n", needs: &[] };

/// One line of CUDA: a function that is always inlined.
macro_rules! function {
    ($($part:literal)+) => {
        concat!("__device__ __forceinline__ ", $($part,)+ "\n")
    };
}

/// The operations that a half type computes in `f32` or by its own other operators.
macro_rules! by_float {
    ($t:literal, $to:literal) => {
        concat!(
            function!($t " operator/(" $t " a, " $t " b) { return " $to "(__fdiv_rn((float)a, (float)b)); }"),
            function!($t " operator-(" $t " a) { return " $t "{(unsigned short)(a.bits ^ 0x8000)}; }"),
            function!($t "& operator+=(" $t "& a, " $t " b) { return a = a + b; }"),
            function!($t "& operator-=(" $t "& a, " $t " b) { return a = a - b; }"),
            function!($t "& operator*=(" $t "& a, " $t " b) { return a = a * b; }"),
            function!($t "& operator/=(" $t "& a, " $t " b) { return a = a / b; }"),
            function!("bool operator==(" $t " a, " $t " b) { return (float)a == (float)b; }"),
            function!("bool operator!=(" $t " a, " $t " b) { return (float)a != (float)b; }"),
            function!("bool operator<(" $t " a, " $t " b) { return (float)a < (float)b; }"),
            function!("bool operator<=(" $t " a, " $t " b) { return (float)a <= (float)b; }"),
            function!("bool operator>(" $t " a, " $t " b) { return (float)a > (float)b; }"),
            function!("bool operator>=(" $t " a, " $t " b) { return (float)a >= (float)b; }"),
            function!($t " ws_fmod(" $t " a, " $t " b) { return " $to "(fmodf((float)a, (float)b)); }"),
        )
    };
}

/// `f16`: IEEE binary16.
pub static F16: Prelude = Prelude {
    name: "ws_f16",
    code: concat!(
        "struct ws_f16 {
    unsigned short bits;
    __device__ __forceinline__ explicit operator float() const {
        float f;
        asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(bits));
        return f;
    }
    __device__ __forceinline__ explicit operator double() const { return (double)(float)*this; }
};
__device__ __forceinline__ ws_f16 ws_to_f16(float x) {
    ws_f16 h;
    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h.bits) : \"f\"(x));
    return h;
}
__device__ __forceinline__ ws_f16 ws_to_f16(double x) {
    ws_f16 h;
    asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(h.bits) : \"d\"(x));
    return h;
}
__device__ __forceinline__ ws_f16 operator+(ws_f16 a, ws_f16 b) {
    ws_f16 r;
    asm(\"add\" ws_rn \".f16 %0, %1, %2;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return r;
}
__device__ __forceinline__ ws_f16 operator-(ws_f16 a, ws_f16 b) {
    ws_f16 r;
    asm(\"sub\" ws_rn \".f16 %0, %1, %2;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return r;
}
__device__ __forceinline__ ws_f16 operator*(ws_f16 a, ws_f16 b) {
    ws_f16 r;
    asm(\"mul\" ws_rn \".f16 %0, %1, %2;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return r;
}
",
        by_float!("ws_f16", "ws_to_f16"),
        "__device__ __forceinline__ ws_f16 ws_fma(ws_f16 a, ws_f16 b, ws_f16 c) {
    ws_f16 r;
    asm(\"fma.rn.f16 %0, %1, %2, %3;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits), \"h\"(c.bits));
    return r;
}
"
    ),
    needs: &[],
};

/// An integer of 64 bits as a double that `bf16` is rounded from: one that is inexact has its last bit set, and lies on no tie.
pub static DOUBLE_TO_ROUND: Prelude = Prelude {
    name: "ws_double_to_round",
    code: "__device__ __forceinline__ double ws_double_to_round(long long x) {
    double d = __ll2double_rz(x);
    return (long long)d == x ? d : __longlong_as_double(__double_as_longlong(d) | 1);
}
__device__ __forceinline__ double ws_double_to_round(unsigned long long x) {
    double d = __ull2double_rz(x);
    return (unsigned long long)d == x ? d : __longlong_as_double(__double_as_longlong(d) | 1);
}
",
    needs: &[],
};

/// `bf16`: the upper half of an `f32`. Before compute capability 9.0 sums and products are fused
/// multiply-adds with one and minus zero, which round alike.
pub static BF16: Prelude = Prelude {
    name: "ws_bf16",
    code: concat!("struct ws_bf16 {
    unsigned short bits;
    __device__ __forceinline__ explicit operator float() const { return __uint_as_float((unsigned int)bits << 16); }
    __device__ __forceinline__ explicit operator double() const { return (double)(float)*this; }
};
__device__ __forceinline__ ws_bf16 ws_to_bf16(float x) {
    ws_bf16 h;
    asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(h.bits) : \"f\"(x));
    return h;
}
__device__ __forceinline__ ws_bf16 ws_to_bf16(double x) {
    float f = __double2float_rz(x);
    // An inexact first rounding sets the last bit; the second rounding is then right.
    if ((double)f != x && x == x) f = __uint_as_float(__float_as_uint(f) | 1u);
    return ws_to_bf16(f);
}
__device__ __forceinline__ ws_bf16 ws_fma(ws_bf16 a, ws_bf16 b, ws_bf16 c) {
    ws_bf16 r;
    asm(\"fma.rn.bf16 %0, %1, %2, %3;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits), \"h\"(c.bits));
    return r;
}
__device__ __forceinline__ ws_bf16 operator+(ws_bf16 a, ws_bf16 b) {
#if __CUDA_ARCH__ >= 900
    ws_bf16 r;
    asm(\"add\" ws_rn \".bf16 %0, %1, %2;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return r;
#else
    return ws_fma(a, ws_bf16{0x3f80}, b);
#endif
}
__device__ __forceinline__ ws_bf16 operator-(ws_bf16 a, ws_bf16 b) {
#if __CUDA_ARCH__ >= 900
    ws_bf16 r;
    asm(\"sub\" ws_rn \".bf16 %0, %1, %2;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return r;
#else
    return ws_fma(b, ws_bf16{0xbf80}, a);
#endif
}
__device__ __forceinline__ ws_bf16 operator*(ws_bf16 a, ws_bf16 b) {
#if __CUDA_ARCH__ >= 900
    ws_bf16 r;
    asm(\"mul\" ws_rn \".bf16 %0, %1, %2;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits));
    return r;
#else
    return ws_fma(a, b, ws_bf16{0x8000});
#endif
}
", by_float!("ws_bf16", "ws_to_bf16")),
    needs: &[],
};

/// A pair of halves as the register that packed instructions take.
pub(super) static PAIR: Prelude = Prelude {
    name: "ws_pair",
    code: "template <class V>
__device__ __forceinline__ unsigned int ws_pair(V v) {
    return (unsigned int)v.x.bits | (unsigned int)v.y.bits << 16;
}
template <class V>
__device__ __forceinline__ V ws_unpair(unsigned int r) {
    V v;
    v.x.bits = (unsigned short)r;
    v.y.bits = (unsigned short)(r >> 16);
    return v;
}
",
    needs: &[],
};
