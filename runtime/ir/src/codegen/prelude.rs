//! CUDA definitions that printed code itself needs.

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

/// The record of the first fault of a launch, and how a thread leaves with one.
///
/// The attribute says that the function never returns. A caller then keeps no registers for the code after it, and a check
/// that was passed proves the same check further on.
pub(super) static FAULT: Prelude = Prelude {
    name: "ws_Fault",
    code: "struct ws_Fault {
    unsigned int state, site;
    uint3 block, thread;
    unsigned long long a, b;
    volatile unsigned int* any;
};

[[noreturn]] __device__ __noinline__ void ws_fail(ws_Fault* fault, unsigned int site, unsigned long long a, unsigned long long b) {
    if (atomicCAS(&fault->state, 0u, 1u) == 0u) {
        fault->site = site;
        fault->block = blockIdx;
        fault->thread = threadIdx;
        fault->a = a;
        fault->b = b;
        __threadfence_system();
        *(volatile unsigned int*)&fault->state = 2u;
        __threadfence_system();
        *fault->any = 1u;
    }
    asm volatile(\"exit;\");
    __builtin_unreachable();
}
",
    needs: &[],
};

/// The same in a kernel whose threads each do `factor` elements.
///
/// The lowest bits of a fault's address are the element that the thread is at, and the record names the block and the
/// thread that would do this element alone.
pub(super) fn fault_of_element(factor: u32) -> String {
    let own = "        fault->thread = threadIdx;\n";
    let element = format!(
        "{CLEARED}    unsigned long long element = ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) * {factor} + at;\n"
    );
    FAULT
        .code
        .replace("    if (atomicCAS", &format!("{element}    if (atomicCAS"))
        .replace(own, &format!("{own}        fault->block.x = (unsigned int)(element / blockDim.x);\n        fault->thread.x = (unsigned int)(element % blockDim.x);\n"))
        + AT_ELEMENT
}

const CLEARED: &str = "    unsigned int at = (unsigned int)((unsigned long long)fault & 15);
    fault = (ws_Fault*)((char*)fault - at);
";

const AT_ELEMENT: &str = "
__device__ __forceinline__ ws_Fault* ws_at_element(ws_Fault* fault, unsigned int element) {
    return (ws_Fault*)((char*)fault + element);
}
";

/// An index that must be below a length.
pub(super) static AT: Prelude = Prelude {
    name: "ws_at",
    code: "template <class I>
__device__ __forceinline__ I ws_at(I index, unsigned long long len, unsigned int site, ws_Fault* fault) {
    if ((unsigned long long)index >= len) ws_fail(fault, site, (unsigned long long)index, len);
    return index;
}
",
    needs: &[&FAULT],
};

/// The same of a length that fits `int`, and an index of no more bits.
pub(super) static AT_SHORT: Prelude = Prelude {
    name: "ws_at_int",
    code: "template <class I>
__device__ __forceinline__ I ws_at_int(I index, unsigned int len, unsigned int site, ws_Fault* fault) {
    if ((unsigned int)index >= len) ws_fail(fault, site, (unsigned long long)index, len);
    return index;
}
",
    needs: &[&FAULT],
};

/// Reads an element of a slice that is not empty. An index out of bounds reads the first element instead, and is noted.
pub(super) static TRY: Prelude = Prelude {
    name: "ws_try",
    code: "template <class T, class I>
__device__ __forceinline__ T ws_try(const T* base, I index, unsigned long long len, bool& failed) {
    bool outside = (unsigned long long)index >= len;
    failed |= outside;
    return base[outside ? I() : index];
}
",
    needs: &[],
};

/// The same of a length that fits `int`, and an index of no more bits: the greatest index is kept, and one beyond the last reads
/// the last element.
pub(super) static TRY_SHORT: Prelude = Prelude {
    name: "ws_try_int",
    code: "template <class T, class I>
__device__ __forceinline__ T ws_try_int(const T* base, I index, unsigned int last, unsigned int& most) {
    unsigned int at = (unsigned int)index;
    most = at > most ? at : most;
    return base[at < last ? at : last];
}
",
    needs: &[],
};

/// Checks several indices, each with its limit and the number of its place. All of them are compared without a branch, and
/// then one branch leaves if any has failed. Only past that branch are they compared again, one by one, to report the first
/// that failed. The compiler cannot merge these comparisons with the earlier ones, nor widen an index for both the report and an
/// address: only the earlier comparisons cost anything.
pub(super) static INSIDE: Prelude = Prelude {
    name: "ws_inside",
    code: "__device__ __forceinline__ bool ws_outside() { return false; }
template <class I, class L, class... More>
__device__ __forceinline__ bool ws_outside(I index, L len, unsigned int, More... more) {
    return ((L)index >= len) | ws_outside(more...);
}
template <class I, class L, class... More>
[[noreturn]] __device__ __forceinline__ void ws_fail_first(ws_Fault* fault, I index, L len, unsigned int site, More... more) {
    if constexpr (sizeof(I) == 4) asm volatile(\"\" : \"+r\"(index));
    unsigned long long own = (unsigned long long)index;
    if constexpr (sizeof(I) != 4) asm volatile(\"\" : \"+l\"(own));
    if constexpr (sizeof...(More) > 0) {
        if ((L)own < len) ws_fail_first(fault, more...);
    }
    ws_fail(fault, site, own, len);
}
template <class... Checks>
__device__ __forceinline__ void ws_inside(ws_Fault* fault, Checks... checks) {
    if (ws_outside(checks...)) ws_fail_first(fault, checks...);
}
",
    needs: &[&FAULT],
};

/// The start of a range that must lie within a length.
pub(super) static PART: Prelude = Prelude {
    name: "ws_part",
    code: "template <class I, class J>
__device__ __forceinline__ I ws_part(I start, J end, unsigned long long len, unsigned int site, ws_Fault* fault) {
    if ((unsigned long long)start > (unsigned long long)end) ws_fail(fault, site, (unsigned long long)start, (unsigned long long)end);
    if ((unsigned long long)end > len) ws_fail(fault, site, (unsigned long long)end, len);
    return start;
}
",
    needs: &[&FAULT],
};

/// An address that must be aligned.
pub(super) static ALIGNED: Prelude = Prelude {
    name: "ws_aligned",
    code: "template <class T>
__device__ __forceinline__ T* ws_aligned(T* p, unsigned int align, unsigned int site, ws_Fault* fault) {
    if ((unsigned long long)p % align != 0) ws_fail(fault, site, (unsigned long long)p, align);
    return p;
}
",
    needs: &[&FAULT],
};

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
    needs: &[&FAULT],
};
