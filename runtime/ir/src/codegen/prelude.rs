//! CUDA definitions that printed code itself needs.

use std::borrow::Cow;

use crate::ir::Prelude;

/// Offset of a field: NVRTC has no `offsetof` without a header.
pub(super) static OFFSETOF: Prelude = Prelude {
    name: "ws_offsetof",
    code: "#ifdef __CUDACC_RTC__
#define ws_offsetof(T, field) __INTADDR__(&((T*)0)->field)
#else
#define ws_offsetof(T, field) __builtin_offsetof(T, field)
#endif
",
    needs: &[],
};

/// A pointer and a length by value.
pub static VIEW: Prelude = Prelude {
    name: "ws_View",
    code: "template <class T>
struct ws_View {
    T* ptr;
    unsigned long long len;
    template <class I>
    __device__ __forceinline__ T& operator[](I i) const { return ptr[i]; }
};
",
    needs: &[],
};

/// A matrix: a pointer, extents and the distance of rows, by value.
pub static VIEW2: Prelude = Prelude {
    name: "ws_View2",
    code: "template <class T>
struct ws_View2 {
    T* ptr;
    unsigned long long rows, cols, stride;
};
",
    needs: &[],
};

/// A volume: a pointer, extents and the distances of planes and rows, by value.
pub static VIEW3: Prelude = Prelude {
    name: "ws_View3",
    code: "template <class T>
struct ws_View3 {
    T* ptr;
    unsigned long long planes, rows, cols, plane_stride, stride;
};
",
    needs: &[],
};

/// The number of steps from a start up to an end; exact for all bounds.
/// ptxas takes `neg.s16` and `abs.s16` of the least number for positive, and so extends their sign wrongly. NVVM makes `neg.s16` of a difference or
/// a product that it knows to be one, unless it cannot look into the 32 bits.
pub static SHORT: Prelude = Prelude {
    name: "ws_short",
    code: "// The low half of a number that wraps. The statement hides from NVVM where it comes from: its `neg.s16` of -32768 is 32768.
__device__ __forceinline__ short ws_short(unsigned int x) {
    asm(\"\" : \"+r\"(x));
    return (short)x;
}
",
    needs: &[],
};

pub(super) static STEPS: Prelude = Prelude {
    name: "ws_steps",
    code: "__device__ __forceinline__ unsigned long long ws_steps(unsigned long long start, unsigned long long end, unsigned long long step) {
    return start < end ? (end - start - 1) / step + 1 : 0;
}
",
    needs: &[],
};

/// The same for a range with its end; the step is at least two.
pub(super) static STEPS_TO: Prelude = Prelude {
    name: "ws_steps_to",
    code: "__device__ __forceinline__ unsigned long long ws_steps_to(unsigned long long start, unsigned long long end, unsigned long long step) {
    return start <= end ? (end - start) / step + 1 : 0;
}
",
    needs: &[],
};

/// Hides from the compiler that an `int` is a byte: NVRTC 13.0 loses signs when it shifts or divides bytes of one register.
pub(super) static WIDE: Prelude = Prelude {
    name: "ws_wide",
    code: "__device__ __forceinline__ int ws_wide(int value) {
    asm(\"\" : \"+r\"(value));
    return value;
}
",
    needs: &[],
};

/// An array by value.
pub static ARRAY: Prelude = Prelude {
    name: "ws_Array",
    code: "template <class T, unsigned long long N>
struct ws_Array {
    T at[N];
    template <class I>
    __device__ __forceinline__ T& operator[](I i) { return at[i]; }
    template <class I>
    __device__ __forceinline__ const T& operator[](I i) const { return at[i]; }
};
",
    needs: &[],
};

/// An array of equal elements.
pub(super) static REPEAT: Prelude = Prelude {
    name: "ws_repeat",
    code: "template <class T, unsigned long long N>
__device__ __forceinline__ ws_Array<T, N> ws_repeat(T value) {
    ws_Array<T, N> array;
    for (unsigned long long i = 0; i < N; ++i) array.at[i] = value;
    return array;
}
",
    needs: &[&ARRAY],
};

/// Float to integer as Rust casts: truncated, saturated, NaN to zero.
///
/// PTX's `cvt` from `f32` to 32 bits or to a byte does all of that. If either side has 64 bits, it converts NaN to another number.
pub(super) static SATURATE: Prelude = Prelude {
    name: "ws_to",
    code: "__device__ __forceinline__ int ws_to_i32(float x) { return __float2int_rz(x); }
__device__ __forceinline__ int ws_to_i32(double x) { return x != x ? 0 : __double2int_rz(x); }
__device__ __forceinline__ unsigned int ws_to_u32(float x) { return __float2uint_rz(x); }
__device__ __forceinline__ unsigned int ws_to_u32(double x) { return x > 0.0 ? __double2uint_rz(x) : 0u; }
__device__ __forceinline__ long long ws_to_i64(float x) { return x != x ? 0ll : __float2ll_rz(x); }
__device__ __forceinline__ long long ws_to_i64(double x) { return x != x ? 0ll : __double2ll_rz(x); }
__device__ __forceinline__ unsigned long long ws_to_u64(float x) { return x > 0.0f ? __float2ull_rz(x) : 0ull; }
__device__ __forceinline__ unsigned long long ws_to_u64(double x) { return x > 0.0 ? __double2ull_rz(x) : 0ull; }
template <class F>
__device__ __forceinline__ signed char ws_to_i8(F x) {
    int to = ws_to_i32(x);
    return (signed char)(to < -128 ? -128 : to > 127 ? 127 : to);
}
template <class F>
__device__ __forceinline__ short ws_to_i16(F x) {
    int to = ws_to_i32(x);
    return (short)(to < -32768 ? -32768 : to > 32767 ? 32767 : to);
}
template <class F>
__device__ __forceinline__ unsigned char ws_to_u8(F x) {
    unsigned int to = ws_to_u32(x);
    return (unsigned char)(to > 255u ? 255u : to);
}
template <class F>
__device__ __forceinline__ unsigned short ws_to_u16(F x) {
    unsigned int to = ws_to_u32(x);
    return (unsigned short)(to > 65535u ? 65535u : to);
}
__device__ __forceinline__ unsigned char ws_to_u8(float x) {
    unsigned int to;
    asm(\"cvt.rzi.u8.f32 %0, %1;\" : \"=r\"(to) : \"f\"(x));
    return (unsigned char)to;
}
",
    needs: &[],
};

/// Bytes of dynamic shared memory of the launch.
pub(super) static DYNAMIC_SHARED: Prelude = Prelude {
    name: "ws_dynamic_shared_bytes",
    code: "__device__ __forceinline__ unsigned long long ws_dynamic_shared_bytes() {
    unsigned int bytes;
    asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(bytes));
    return bytes;
}
",
    needs: &[],
};

/// [`DYNAMIC_SHARED`] for a kernel whose last bytes belong to the shadow.
pub(super) static SHADOWED_DYNAMIC_SHARED: Prelude = Prelude {
    name: "ws_dynamic_shared_bytes",
    code: "__device__ __forceinline__ unsigned long long ws_dynamic_shared_bytes() {
    unsigned int bytes;
    asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(bytes));
    return bytes - 29184u;
}
",
    needs: &[],
};

/// Arrays that do not fit static shared memory, and the dynamic shared memory after them.
pub(super) static SHARED_AT: Prelude = Prelude {
    name: "ws_shared_at",
    code: "// The dynamic shared memory at an offset in bytes.
template <class T> __device__ __forceinline__ T& ws_shared_at(unsigned int offset) {
    extern __shared__ __align__(1024) unsigned char ws_dynamic[];
    return *(T*)(ws_dynamic + offset);
}
",
    needs: &[],
};

/// The text of the header that checked kernels include, [`CHECKS_HEADER_NAME`]: bounds checks and the report of a fault, and loops that
/// are compiled twice. It needs no other header. NVRTC compiles the lambdas of such loops with the option
/// `--device-as-default-execution-space`; nvcc needs none.
pub const CHECKS_HEADER: &str =
    concat!(include_str!("checks.h"), include_str!("loops.h"), include_str!("trials.h"));

/// The parts of the header, each with the beginnings of calls that need it; the first is always needed.
const PARTS: [(&str, &[&str]); 3] = [
    (include_str!("checks.h"), &[""]),
    (include_str!("loops.h"), &["ws_twice(", "ws_each", "ws_try", "ws_ahead"]),
    (include_str!("trials.h"), &["ws_try"]),
];

/// The name by which printed text includes [`CHECKS_HEADER`].
pub const CHECKS_HEADER_NAME: &str = "warpsmith_checks.h";

/// Includes [`CHECKS_HEADER`].
pub(super) static CHECKS: Prelude =
    Prelude { name: "ws_Fault", code: "#include \"warpsmith_checks.h\"\n", needs: &[] };

/// A printed text with the parts of [`CHECKS_HEADER`] that it needs in the place of the line that includes it: all of what a compiler
/// needs.
pub fn complete(code: &str) -> Cow<'_, str> {
    let Some((before, after)) = code.split_once(CHECKS.code) else { return Cow::Borrowed(code) };
    let needed = PARTS.iter().filter(|(_, calls)| calls.iter().any(|call| after.contains(call)));
    let header: String = needed.map(|(part, _)| *part).collect();
    Cow::Owned([before, &header, after].concat())
}

/// The check of an index of 32 bits by a length that fits `int`, or of any other index.
pub(super) fn at(is_short: bool) -> &'static str {
    if is_short { "ws_at_int" } else { "ws_at" }
}

/// An extent of a launch, converted as on the host: zero and numbers that are too large are refused.
pub(super) static EXTENT: Prelude = Prelude {
    name: "ws_extent",
    code: "__device__ __forceinline__ unsigned int ws_extent(int n) { return n < 0 ? 0u : (unsigned int)n; }
__device__ __forceinline__ unsigned int ws_extent(unsigned long long n) { return n > 0xffffffffull ? 0xffffffffu : (unsigned int)n; }
",
    needs: &[],
};

/// Blocks that have a thread for every item; at least one.
pub(super) static COVERING: Prelude = Prelude {
    name: "ws_covering",
    code: "__device__ __forceinline__ unsigned int ws_covering(unsigned long long items, dim3 block) {
    unsigned long long blocks = items / block.x + (items % block.x != 0);
    return blocks == 0 ? 1u : blocks > 0xffffffffull ? 0xffffffffu : (unsigned int)blocks;
}
",
    needs: &[],
};

/// The result of a launch by the thread.
pub(super) static LAUNCHED: Prelude = Prelude {
    name: "ws_launched",
    code: "__device__ __forceinline__ void ws_launched(unsigned int site, ws_Fault* fault) {
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) ws_fail(fault, site, (unsigned long long)error, 0);
}
",
    needs: &[&CHECKS],
};
