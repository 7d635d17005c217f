//! C++ names: the user's, renamed predictably where C++ or the prelude has the name already.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that C++ and CUDA keep for themselves, where Rust does not.
const RESERVED: &str = "alignas alignof and and_eq asm auto bitand bitor bool case catch char char16_t char32_t class \
    compl const constexpr const_cast decltype default delete do double dynamic_cast explicit export float friend goto \
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    register reinterpret_cast short signed sizeof static_assert static_cast switch template this thread_local throw \
    try typedef typeid typename union unsigned using virtual void volatile wchar_t xor xor_eq threadIdx blockIdx \
    blockDim gridDim warpSize dim3 uint3 float2 float4 int2 int4 printf assert min max abs NULL main ws_fault \
    break continue else enum extern false for if return static struct true while";

/// Functions that NVRTC declares by itself: what is `extern` needs another name.
pub(super) const IMPLICIT: [&str; 3] = ["all", "any", "ballot"];

/// CUDA's math functions, which exist with and without the suffix `f`.
const FUNCTIONS: &str = "sqrt cbrt fma exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh \
    acosh atanh hypot pow fabs floor ceil round rint trunc fmin fmax copysign fmod erf erfc rsqrt abs min max printf assert \
    clock malloc free memcpy memset atomicAdd atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExch atomicCAS \
    atomicInc atomicDec rcbrt exp10 sinpi cospi erfcx erfinv erfcinv normcdf normcdfinv tgamma lgamma jn yn cyl_bessel_i0 \
    cyl_bessel_i1 norm3d rnorm3d norm4d rnorm4d rhypot fdim ldexp scalbn frexp modf logb ilogb nextafter remainder sincos \
    sincospi";

/// Words of a list, which every name is looked up in.
type Words = LazyLock<HashSet<&'static str>>;

static RESERVED_WORDS: Words = LazyLock::new(|| RESERVED.split_whitespace().collect());
static FUNCTION_WORDS: Words = LazyLock::new(|| FUNCTIONS.split_whitespace().collect());

/// Whether C++, CUDA or the prelude has the name already.
fn is_reserved(name: &str) -> bool {
    let function = |name: &str| FUNCTION_WORDS.contains(name);
    RESERVED_WORDS.contains(name)
        || function(name)
        || name.strip_suffix('f').is_some_and(function)
        || name.starts_with("ws_")
        || name.starts_with("__")
}

/// `name` as a C++ identifier that nothing but a reserved word has.
pub(super) fn unreserved(name: &str) -> String {
    fresh(name, &HashSet::new())
}

/// `name` as a C++ identifier that is not taken: a reserved word gets `_`, a second one `_1`, `_2`.
pub(super) fn fresh(name: &str, taken: &HashSet<String>) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut base: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if is_reserved(&base) {
        base.push('_');
    }
    if !taken.contains(&base) {
        return base;
    }
    (1..).map(|n| format!("{base}_{n}")).find(|candidate| !taken.contains(candidate)).unwrap_or(base)
}
