//! CUDA's library of numeric functions, each by the function that the twin calls.
//!
//! The results are therefore the twin's bit for bit. The test is whether the text calls the right function.

use crate::half::{Nearest as _, bf16, f16};

use super::host::host_functions;
use crate::device_api::number::Float;
use crate::device_api::{convert, fast, fp8, int_intrinsics as int, math, packed, rounding};

/// The table, from rows of functions of one kind.
macro_rules! numbers {
    (
        methods: $($method:literal $method_f32:literal ($($m:ident),+) = $m_body:expr;)+
        library: $($library:literal $library_f32:literal $l:ident($($la:ident),+);)+
        directed: $($directed_f32:literal $directed_f64:literal $d:ident($($da:ident),+);)+
        packed: $($packed:literal $p:ident($($pa:ident),+);)+
        converted: $($converted:literal $c:ident $from:ty => $to:ty;)+
        others: $($others:tt)+
    ) => {
        host_functions! { FUNCTIONS:
            $($method($($m: f64),+) -> f64 = $m_body;)+
            $($method_f32($($m: f32),+) -> f32 = $m_body;)+
            $($library($($la: f64),+) -> f64 = math::$l($($la),+);)+
            $($library_f32($($la: f32),+) -> f32 = math::$l($($la),+);)+
            $($directed_f32($($da: f32),+) -> f32 = rounding::$d($($da),+);)+
            $($directed_f64($($da: f64),+) -> f64 = rounding::$d($($da),+);)+
            $($packed($($pa: u32),+) -> u32 = packed::$p($($pa),+);)+
            $($converted(x: $from) -> $to = convert::$c(x);)+
            $($others)+
        }
    };
}

numbers! {
    methods:
    "sqrt" "sqrtf"(x) = x.sqrt();
    "cbrt" "cbrtf"(x) = x.cbrt();
    "fma" "fmaf"(x, a, b) = x.mul_add(a, b);
    "exp" "expf"(x) = x.exp();
    "exp2" "exp2f"(x) = x.exp2();
    "expm1" "expm1f"(x) = x.exp_m1();
    "log" "logf"(x) = x.ln();
    "log2" "log2f"(x) = x.log2();
    "log10" "log10f"(x) = x.log10();
    "log1p" "log1pf"(x) = x.ln_1p();
    "sin" "sinf"(x) = x.sin();
    "cos" "cosf"(x) = x.cos();
    "tan" "tanf"(x) = x.tan();
    "asin" "asinf"(x) = x.asin();
    "acos" "acosf"(x) = x.acos();
    "atan" "atanf"(x) = x.atan();
    "atan2" "atan2f"(x, y) = x.atan2(y);
    "sinh" "sinhf"(x) = x.sinh();
    "cosh" "coshf"(x) = x.cosh();
    "tanh" "tanhf"(x) = x.tanh();
    "asinh" "asinhf"(x) = x.asinh();
    "acosh" "acoshf"(x) = x.acosh();
    "atanh" "atanhf"(x) = x.atanh();
    "hypot" "hypotf"(x, y) = x.hypot(y);
    "pow" "powf"(x, y) = x.powf(y);
    "fabs" "fabsf"(x) = x.abs();
    "floor" "floorf"(x) = x.floor();
    "ceil" "ceilf"(x) = x.ceil();
    "round" "roundf"(x) = x.round();
    "rint" "rintf"(x) = x.round_ties_even();
    "trunc" "truncf"(x) = x.trunc();
    "fmin" "fminf"(x, y) = x.min(y);
    "fmax" "fmaxf"(x, y) = x.max(y);
    "copysign" "copysignf"(x, y) = x.copysign(y);
    "fmod" "fmodf"(x, y) = x % y;
    library:
    "rsqrt" "rsqrtf" rsqrt(x);
    "rcbrt" "rcbrtf" rcbrt(x);
    "exp10" "exp10f" exp10(x);
    "sinpi" "sinpif" sinpi(x);
    "cospi" "cospif" cospi(x);
    "rhypot" "rhypotf" rhypot(x, y);
    "norm3d" "norm3df" norm3d(x, y, z);
    "rnorm3d" "rnorm3df" rnorm3d(x, y, z);
    "norm4d" "norm4df" norm4d(x, y, z, w);
    "rnorm4d" "rnorm4df" rnorm4d(x, y, z, w);
    "fdim" "fdimf" fdim(x, y);
    "logb" "logbf" logb(x);
    "nextafter" "nextafterf" nextafter(x, y);
    "remainder" "remainderf" remainder(x, y);
    "erf" "erff" erf(x);
    "erfc" "erfcf" erfc(x);
    "erfcx" "erfcxf" erfcx(x);
    "erfinv" "erfinvf" erfinv(x);
    "erfcinv" "erfcinvf" erfcinv(x);
    "normcdf" "normcdff" normcdf(x);
    "normcdfinv" "normcdfinvf" normcdfinv(x);
    "tgamma" "tgammaf" tgamma(x);
    "lgamma" "lgammaf" lgamma(x);
    "j0" "j0f" j0(x);
    "j1" "j1f" j1(x);
    "y0" "y0f" y0(x);
    "y1" "y1f" y1(x);
    "cyl_bessel_i0" "cyl_bessel_i0f" cyl_bessel_i0(x);
    "cyl_bessel_i1" "cyl_bessel_i1f" cyl_bessel_i1(x);
    directed:
    "__fadd_rn" "__dadd_rn" add_rn(a, b);
    "__fadd_rz" "__dadd_rz" add_rz(a, b);
    "__fadd_ru" "__dadd_ru" add_ru(a, b);
    "__fadd_rd" "__dadd_rd" add_rd(a, b);
    "__fsub_rn" "__dsub_rn" sub_rn(a, b);
    "__fsub_rz" "__dsub_rz" sub_rz(a, b);
    "__fsub_ru" "__dsub_ru" sub_ru(a, b);
    "__fsub_rd" "__dsub_rd" sub_rd(a, b);
    "__fmul_rn" "__dmul_rn" mul_rn(a, b);
    "__fmul_rz" "__dmul_rz" mul_rz(a, b);
    "__fmul_ru" "__dmul_ru" mul_ru(a, b);
    "__fmul_rd" "__dmul_rd" mul_rd(a, b);
    "__fmaf_rn" "__fma_rn" fma_rn(a, b, c);
    "__fmaf_rz" "__fma_rz" fma_rz(a, b, c);
    "__fmaf_ru" "__fma_ru" fma_ru(a, b, c);
    "__fmaf_rd" "__fma_rd" fma_rd(a, b, c);
    "__fdiv_rn" "__ddiv_rn" div_rn(a, b);
    "__fdiv_rz" "__ddiv_rz" div_rz(a, b);
    "__fdiv_ru" "__ddiv_ru" div_ru(a, b);
    "__fdiv_rd" "__ddiv_rd" div_rd(a, b);
    "__frcp_rn" "__drcp_rn" rcp_rn(a);
    "__frcp_rz" "__drcp_rz" rcp_rz(a);
    "__frcp_ru" "__drcp_ru" rcp_ru(a);
    "__frcp_rd" "__drcp_rd" rcp_rd(a);
    "__fsqrt_rn" "__dsqrt_rn" sqrt_rn(a);
    "__fsqrt_rz" "__dsqrt_rz" sqrt_rz(a);
    "__fsqrt_ru" "__dsqrt_ru" sqrt_ru(a);
    "__fsqrt_rd" "__dsqrt_rd" sqrt_rd(a);
    packed:
    "__vadd2" vadd2(a, b);
    "__vadd4" vadd4(a, b);
    "__vaddss2" vaddss2(a, b);
    "__vaddss4" vaddss4(a, b);
    "__vaddus2" vaddus2(a, b);
    "__vaddus4" vaddus4(a, b);
    "__vsub2" vsub2(a, b);
    "__vsub4" vsub4(a, b);
    "__vsubss2" vsubss2(a, b);
    "__vsubss4" vsubss4(a, b);
    "__vsubus2" vsubus2(a, b);
    "__vsubus4" vsubus4(a, b);
    "__vabs2" vabs2(a);
    "__vabs4" vabs4(a);
    "__vabsss2" vabsss2(a);
    "__vabsss4" vabsss4(a);
    "__vneg2" vneg2(a);
    "__vneg4" vneg4(a);
    "__vnegss2" vnegss2(a);
    "__vnegss4" vnegss4(a);
    "__vabsdiffs2" vabsdiffs2(a, b);
    "__vabsdiffs4" vabsdiffs4(a, b);
    "__vabsdiffu2" vabsdiffu2(a, b);
    "__vabsdiffu4" vabsdiffu4(a, b);
    "__vhaddu2" vhaddu2(a, b);
    "__vhaddu4" vhaddu4(a, b);
    "__vavgu2" vavgu2(a, b);
    "__vavgu4" vavgu4(a, b);
    "__vmaxs2" vmaxs2(a, b);
    "__vmaxs4" vmaxs4(a, b);
    "__vmaxu2" vmaxu2(a, b);
    "__vmaxu4" vmaxu4(a, b);
    "__vmins2" vmins2(a, b);
    "__vmins4" vmins4(a, b);
    "__vminu2" vminu2(a, b);
    "__vminu4" vminu4(a, b);
    "__vcmpeq2" vcmpeq2(a, b);
    "__vcmpeq4" vcmpeq4(a, b);
    "__vcmpne2" vcmpne2(a, b);
    "__vcmpne4" vcmpne4(a, b);
    "__vcmpges2" vcmpges2(a, b);
    "__vcmpges4" vcmpges4(a, b);
    "__vcmpgeu2" vcmpgeu2(a, b);
    "__vcmpgeu4" vcmpgeu4(a, b);
    "__vcmpgts2" vcmpgts2(a, b);
    "__vcmpgts4" vcmpgts4(a, b);
    "__vcmpgtu2" vcmpgtu2(a, b);
    "__vcmpgtu4" vcmpgtu4(a, b);
    "__vcmples2" vcmples2(a, b);
    "__vcmples4" vcmples4(a, b);
    "__vcmpleu2" vcmpleu2(a, b);
    "__vcmpleu4" vcmpleu4(a, b);
    "__vcmplts2" vcmplts2(a, b);
    "__vcmplts4" vcmplts4(a, b);
    "__vcmpltu2" vcmpltu2(a, b);
    "__vcmpltu4" vcmpltu4(a, b);
    "__vsads2" vsads2(a, b);
    "__vsads4" vsads4(a, b);
    "__vsadu2" vsadu2(a, b);
    "__vsadu4" vsadu4(a, b);
    converted:
    "__float2int_rn" f32_to_i32_rn f32 => i32;
    "__float2int_ru" f32_to_i32_ru f32 => i32;
    "__float2int_rd" f32_to_i32_rd f32 => i32;
    "__float2uint_rn" f32_to_u32_rn f32 => u32;
    "__float2uint_ru" f32_to_u32_ru f32 => u32;
    "__float2uint_rd" f32_to_u32_rd f32 => u32;
    "__float2ll_rn" f32_to_i64_rn f32 => i64;
    "__float2ll_ru" f32_to_i64_ru f32 => i64;
    "__float2ll_rd" f32_to_i64_rd f32 => i64;
    "__float2ull_rn" f32_to_u64_rn f32 => u64;
    "__float2ull_ru" f32_to_u64_ru f32 => u64;
    "__float2ull_rd" f32_to_u64_rd f32 => u64;
    "__double2int_rn" f64_to_i32_rn f64 => i32;
    "__double2int_ru" f64_to_i32_ru f64 => i32;
    "__double2int_rd" f64_to_i32_rd f64 => i32;
    "__double2uint_rn" f64_to_u32_rn f64 => u32;
    "__double2uint_ru" f64_to_u32_ru f64 => u32;
    "__double2uint_rd" f64_to_u32_rd f64 => u32;
    "__double2ll_rn" f64_to_i64_rn f64 => i64;
    "__double2ll_ru" f64_to_i64_ru f64 => i64;
    "__double2ll_rd" f64_to_i64_rd f64 => i64;
    "__double2ull_rn" f64_to_u64_rn f64 => u64;
    "__double2ull_ru" f64_to_u64_ru f64 => u64;
    "__double2ull_rd" f64_to_u64_rd f64 => u64;
    "__int2float_rz" i32_to_f32_rz i32 => f32;
    "__int2float_ru" i32_to_f32_ru i32 => f32;
    "__int2float_rd" i32_to_f32_rd i32 => f32;
    "__uint2float_rz" u32_to_f32_rz u32 => f32;
    "__uint2float_ru" u32_to_f32_ru u32 => f32;
    "__uint2float_rd" u32_to_f32_rd u32 => f32;
    "__ll2float_rz" i64_to_f32_rz i64 => f32;
    "__ll2float_ru" i64_to_f32_ru i64 => f32;
    "__ll2float_rd" i64_to_f32_rd i64 => f32;
    "__ull2float_rz" u64_to_f32_rz u64 => f32;
    "__ull2float_ru" u64_to_f32_ru u64 => f32;
    "__ull2float_rd" u64_to_f32_rd u64 => f32;
    "__ll2double_rz" i64_to_f64_rz i64 => f64;
    "__ll2double_ru" i64_to_f64_ru i64 => f64;
    "__ll2double_rd" i64_to_f64_rd i64 => f64;
    "__ull2double_rz" u64_to_f64_rz u64 => f64;
    "__ull2double_ru" u64_to_f64_ru u64 => f64;
    "__ull2double_rd" u64_to_f64_rd u64 => f64;
    "__double2float_rz" f64_to_f32_rz f64 => f32;
    "__double2float_ru" f64_to_f32_ru f64 => f32;
    "__double2float_rd" f64_to_f32_rd f64 => f32;
    others:
    "ws_h_fma"(a: f32, b: f32, c: f32) -> f32 = a.mul_add(b, c);
    "ws_h_fast_exp2"(x: f32) -> f32 = fast::fast_exp2(x);
    "ws_h_brev"(x: u32) -> u32 = x.reverse_bits();
    "__float2int_rz"(x: f32) -> i32 = x as i32;
    "__float2uint_rz"(x: f32) -> u32 = x as u32;
    "__float2ll_rz"(x: f32) -> i64 = x as i64;
    "__float2ull_rz"(x: f32) -> u64 = x as u64;
    "__double2int_rz"(x: f64) -> i32 = x as i32;
    "__double2uint_rz"(x: f64) -> u32 = x as u32;
    "__double2ll_rz"(x: f64) -> i64 = x as i64;
    "__double2ull_rz"(x: f64) -> u64 = x as u64;
    "__frsqrt_rn"(x: f32) -> f32 = rounding::rsqrt_rn(x);
    "ldexpf"(x: f32, n: i32) -> f32 = math::ldexp(x, n);
    "ldexp"(x: f64, n: i32) -> f64 = math::ldexp(x, n);
    "scalbnf"(x: f32, n: i32) -> f32 = math::scalbn(x, n);
    "scalbn"(x: f64, n: i32) -> f64 = math::scalbn(x, n);
    "ilogbf"(x: f32) -> i32 = math::ilogb(x);
    "ilogb"(x: f64) -> i32 = math::ilogb(x);
    "jnf"(n: i32, x: f32) -> f32 = math::jn(n, x);
    "jn"(n: i32, x: f64) -> f64 = math::jn(n, x);
    "ynf"(n: i32, x: f32) -> f32 = math::yn(n, x);
    "yn"(n: i32, x: f64) -> f64 = math::yn(n, x);
    "sincosf"(x: f32, sin: *mut f32, cos: *mut f32) = put(x.sin_cos(), sin, cos);
    "sincos"(x: f64, sin: *mut f64, cos: *mut f64) = put(x.sin_cos(), sin, cos);
    "sincospif"(x: f32, sin: *mut f32, cos: *mut f32) = put(math::sincospi(x), sin, cos);
    "sincospi"(x: f64, sin: *mut f64, cos: *mut f64) = put(math::sincospi(x), sin, cos);
    "__sincosf"(x: f32, sin: *mut f32, cos: *mut f32) = put(fast::fast_sincos(x), sin, cos);
    "frexpf"(x: f32, exponent: *mut i32) -> f32 = first(math::frexp(x), exponent);
    "frexp"(x: f64, exponent: *mut i32) -> f64 = first(math::frexp(x), exponent);
    "modff"(x: f32, whole: *mut f32) -> f32 = first(math::modf(x), whole);
    "modf"(x: f64, whole: *mut f64) -> f64 = first(math::modf(x), whole);
    "__sinf"(x: f32) -> f32 = fast::fast_sin(x);
    "__cosf"(x: f32) -> f32 = fast::fast_cos(x);
    "__tanf"(x: f32) -> f32 = fast::fast_tan(x);
    "__expf"(x: f32) -> f32 = fast::fast_exp(x);
    "__exp10f"(x: f32) -> f32 = fast::fast_exp10(x);
    "__logf"(x: f32) -> f32 = fast::fast_log(x);
    "__log2f"(x: f32) -> f32 = fast::fast_log2(x);
    "__log10f"(x: f32) -> f32 = fast::fast_log10(x);
    "__powf"(x: f32, y: f32) -> f32 = fast::fast_pow(x, y);
    "__fdividef"(x: f32, y: f32) -> f32 = fast::fast_div(x, y);
    "__saturatef"(x: f32) -> f32 = fast::saturate(x);
    "__popc"(x: u32) -> i32 = int::popc(x) as i32;
    "__popcll"(x: u64) -> i32 = int::popc(x) as i32;
    "__clz"(x: i32) -> i32 = int::clz(x) as i32;
    "__clzll"(x: i64) -> i32 = int::clz(x) as i32;
    "__ffs"(x: i32) -> i32 = int::ffs(x) as i32;
    "__ffsll"(x: i64) -> i32 = int::ffs(x) as i32;
    "__brev"(x: u32) -> u32 = int::brev(x);
    "__brevll"(x: u64) -> u64 = int::brev(x);
    "__mulhi"(x: i32, y: i32) -> i32 = int::mul_hi(x, y);
    "__umulhi"(x: u32, y: u32) -> u32 = int::mul_hi(x, y);
    "__mul64hi"(x: i64, y: i64) -> i64 = int::mul_hi(x, y);
    "__umul64hi"(x: u64, y: u64) -> u64 = int::mul_hi(x, y);
    "__mul24"(x: i32, y: i32) -> i32 = int::mul24(x, y);
    "__umul24"(x: u32, y: u32) -> u32 = int::umul24(x, y);
    "__funnelshift_l"(lo: u32, hi: u32, shift: u32) -> u32 = int::funnel_shift_l(lo, hi, shift);
    "__funnelshift_lc"(lo: u32, hi: u32, shift: u32) -> u32 = int::funnel_shift_lc(lo, hi, shift);
    "__funnelshift_r"(lo: u32, hi: u32, shift: u32) -> u32 = int::funnel_shift_r(lo, hi, shift);
    "__funnelshift_rc"(lo: u32, hi: u32, shift: u32) -> u32 = int::funnel_shift_rc(lo, hi, shift);
    "__byte_perm"(x: u32, y: u32, selector: u32) -> u32 = int::byte_perm(x, y, selector);
    "__sad"(x: i32, y: i32, z: u32) -> u32 = int::sad(x, y, z);
    "__usad"(x: u32, y: u32, z: u32) -> u32 = int::usad(x, y, z);
    "__hadd"(x: i32, y: i32) -> i32 = int::hadd(x, y);
    "__uhadd"(x: u32, y: u32) -> u32 = int::uhadd(x, y);
    "__rhadd"(x: i32, y: i32) -> i32 = int::rhadd(x, y);
    "__urhadd"(x: u32, y: u32) -> u32 = int::urhadd(x, y);
    "__dp4a"(a: i32, b: i32, c: i32) -> i32 = int::dp4a_s32(a, b, c);
    "__dp4a"(a: u32, b: u32, c: u32) -> u32 = int::dp4a_u32(a, b, c);
    "__dp2a_lo"(a: i32, b: i32, c: i32) -> i32 = int::dp2a_lo_s32(a, b, c);
    "__dp2a_lo"(a: u32, b: u32, c: u32) -> u32 = int::dp2a_lo_u32(a, b, c);
    "__dp2a_hi"(a: i32, b: i32, c: i32) -> i32 = int::dp2a_hi_s32(a, b, c);
    "__dp2a_hi"(a: u32, b: u32, c: u32) -> u32 = int::dp2a_hi_u32(a, b, c);
    "__fns"(mask: u32, base: u32, offset: i32) -> u32 = int::fns(mask, base, offset);
    "ws_h_f16_to_f32"(bits: u16) -> f32 = f16::from_bits(bits).to_f32();
    "ws_h_f16_of_f32"(x: f32) -> u16 = f16::from_f32(x).to_bits();
    "ws_h_f16_of_f64"(x: f64) -> u16 = f16::nearest(x).to_bits();
    "ws_h_bf16_of_f32"(x: f32) -> u16 = bf16::from_f32(x).to_bits();
    "ws_h_f16_add"(a: u16, b: u16) -> u16 = (f16::from_bits(a) + f16::from_bits(b)).to_bits();
    "ws_h_f16_sub"(a: u16, b: u16) -> u16 = (f16::from_bits(a) - f16::from_bits(b)).to_bits();
    "ws_h_f16_mul"(a: u16, b: u16) -> u16 = (f16::from_bits(a) * f16::from_bits(b)).to_bits();
    "ws_h_f16_fma"(a: u16, b: u16, c: u16) -> u16 =
        Float::mul_add(f16::from_bits(a), f16::from_bits(b), f16::from_bits(c)).to_bits();
    "ws_h_bf16_add"(a: u16, b: u16) -> u16 = (bf16::from_bits(a) + bf16::from_bits(b)).to_bits();
    "ws_h_bf16_sub"(a: u16, b: u16) -> u16 = (bf16::from_bits(a) - bf16::from_bits(b)).to_bits();
    "ws_h_bf16_mul"(a: u16, b: u16) -> u16 = (bf16::from_bits(a) * bf16::from_bits(b)).to_bits();
    "ws_h_bf16_fma"(a: u16, b: u16, c: u16) -> u16 =
        Float::mul_add(bf16::from_bits(a), bf16::from_bits(b), bf16::from_bits(c)).to_bits();
    "ws_h_e4m3_of_f32"(x: f32) -> u8 = fp8::f32_to_e4m3(x);
    "ws_h_e5m2_of_f32"(x: f32) -> u8 = fp8::f32_to_e5m2(x);
    "ws_h_e4m3_to_f32"(bits: u8) -> f32 = fp8::f32_from_e4m3(bits);
    "ws_h_e5m2_to_f32"(bits: u8) -> f32 = fp8::f32_from_e5m2(bits);
}

/// Writes both results of a function of two.
fn put<T>((a, b): (T, T), to_a: *mut T, to_b: *mut T) {
    // SAFETY: the text passes addresses of variables.
    unsafe {
        to_a.write(a);
        to_b.write(b);
    }
}

/// Writes the second result of a function, and gives the first.
fn first<T, U>((a, b): (T, U), to: *mut U) -> T {
    // SAFETY: as above.
    unsafe { to.write(b) };
    a
}
