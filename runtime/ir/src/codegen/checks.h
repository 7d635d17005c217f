// Bounds checks of warpsmith's kernels, and how a thread reports one that fails. A kernel that does several elements a thread
// defines `ws_elements`, their number, before it includes this.

// The first fault of a launch: the place in the source, the thread, and the two numbers that were compared.
struct ws_Fault {
    unsigned int state, site;
    uint3 block, thread;
    unsigned long long a, b;
    volatile unsigned int* any;
};

#ifdef ws_elements
// The lowest bits of a fault's address are the element that the thread is at.
__device__ __forceinline__ ws_Fault* ws_at_element(ws_Fault* fault, unsigned int element) {
    return (ws_Fault*)((char*)fault + element);
}
#endif

// Records the fault, unless another thread was first, and ends the thread. The attribute says that the function never returns: a
// caller then keeps no registers for the code after it, and a check that was passed proves the same check further on.
[[noreturn]] __device__ __noinline__ void ws_fail(ws_Fault* fault, unsigned int site, unsigned long long a, unsigned long long b) {
#ifdef ws_elements
    unsigned int at = (unsigned int)((unsigned long long)fault & 15);
    fault = (ws_Fault*)((char*)fault - at);
    unsigned long long element = ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) * ws_elements + at;
#endif
    if (atomicCAS(&fault->state, 0u, 1u) == 0u) {
        fault->site = site;
        fault->block = blockIdx;
        fault->thread = threadIdx;
#ifdef ws_elements
        // The block and the thread that would do this element alone.
        fault->block.x = (unsigned int)(element / blockDim.x);
        fault->thread.x = (unsigned int)(element % blockDim.x);
#endif
        fault->a = a;
        fault->b = b;
        __threadfence_system();
        *(volatile unsigned int*)&fault->state = 2u;
        __threadfence_system();
        *fault->any = 1u;
    }
    asm volatile("exit;");
    __builtin_unreachable();
}
#undef ws_elements

// An index that must be below a length.
template <class I>
__device__ __forceinline__ I ws_at(I index, unsigned long long len, unsigned int site, ws_Fault* fault) {
    if ((unsigned long long)index >= len) ws_fail(fault, site, (unsigned long long)index, len);
    return index;
}

// The same of a length that fits `int`, and an index of no more bits.
template <class I>
__device__ __forceinline__ I ws_at_int(I index, unsigned long long len, unsigned int site, ws_Fault* fault) {
    if ((unsigned int)index >= (unsigned int)len) ws_fail(fault, site, (unsigned long long)index, (unsigned int)len);
    return index;
}

// The numbers from a start up to an end, of which each must be below a length.
template <class I>
__device__ __forceinline__ void ws_all(I start, I end, unsigned long long len, unsigned int site, ws_Fault* fault) {
    bool outside = (long long)start < 0 || (unsigned long long)start >= len;
    if (start < end && (outside || (unsigned long long)end > len)) ws_fail(fault, site, outside ? (unsigned long long)start : len, len);
}

// The length of a check by `ws_inside` that compares 32 bits, unless the index has more.
struct ws_Short {
    unsigned long long len;
};
__device__ __forceinline__ ws_Short ws_int(unsigned long long len) { return {len}; }

template <class I>
__device__ __forceinline__ bool ws_is_outside(I index, unsigned long long len) { return (unsigned long long)index >= len; }
template <class I>
__device__ __forceinline__ bool ws_is_outside(I index, ws_Short of) {
    return sizeof(I) > 4 ? (unsigned long long)index >= of.len : (unsigned int)index >= (unsigned int)of.len;
}
__device__ __forceinline__ unsigned long long ws_len(unsigned long long len) { return len; }
__device__ __forceinline__ unsigned long long ws_len(ws_Short of) { return (unsigned int)of.len; }

// The length of a check by `ws_inside` of an index that is known to be in bounds.
struct ws_Any {};
template <class I>
__device__ __forceinline__ bool ws_is_outside(I, ws_Any) { return false; }
__device__ __forceinline__ unsigned long long ws_len(ws_Any) { return 0; }

// Checks several indices, each with its limit and the number of its place. All of them are compared without a branch, and
// then one branch leaves if any has failed. Only past that branch are they compared again, one by one, to report the first
// that failed. The compiler cannot merge these comparisons with the earlier ones, nor widen an index for both the report and an
// address: only the earlier comparisons cost anything.
__device__ __forceinline__ bool ws_outside() { return false; }
template <class I, class L, class... More>
__device__ __forceinline__ bool ws_outside(I index, L len, unsigned int, More... more) {
    return ws_is_outside(index, len) | ws_outside(more...);
}
template <class I, class L, class... More>
[[noreturn]] __device__ __forceinline__ void ws_fail_first(ws_Fault* fault, I index, L len, unsigned int site, More... more) {
    if constexpr (sizeof(I) == 4) asm volatile("" : "+r"(index));
    unsigned long long own = (unsigned long long)index;
    if constexpr (sizeof(I) != 4) asm volatile("" : "+l"(own));
    if constexpr (sizeof...(More) > 0) {
        if (!ws_is_outside(own, len)) ws_fail_first(fault, more...);
    }
    ws_fail(fault, site, own, ws_len(len));
}
template <class... Checks>
__device__ __forceinline__ void ws_inside(ws_Fault* fault, Checks... checks) {
    if (ws_outside(checks...)) ws_fail_first(fault, checks...);
}

// The start of a range that must lie within a length.
template <class I, class J>
__device__ __forceinline__ I ws_part(I start, J end, unsigned long long len, unsigned int site, ws_Fault* fault) {
    if ((unsigned long long)start > (unsigned long long)end) ws_fail(fault, site, (unsigned long long)start, (unsigned long long)end);
    if ((unsigned long long)end > len) ws_fail(fault, site, (unsigned long long)end, len);
    return start;
}

// An address that must be aligned.
template <class T>
__device__ __forceinline__ T* ws_aligned(T* p, unsigned int align, unsigned int site, ws_Fault* fault) {
    if ((unsigned long long)p % align != 0) ws_fail(fault, site, (unsigned long long)p, align);
    return p;
}
