
// Does the same as `ws_Told`, and keeps the greatest index of one slice: compilers unroll a loop further that keeps a number than one that keeps whether
// something was out of bounds.
struct ws_Noted {
    unsigned int &most, &last;
    bool& outside;
    template <class I>
    __device__ __forceinline__ I operator()(I index, unsigned long long, unsigned int) const { return index; }
    template <class I>
    __device__ __forceinline__ I any(I index, ws_Short of, unsigned int) const {
        // An index of 64 bits that has more than 32 is beyond all others.
        unsigned int at = sizeof(I) > 4 && (unsigned long long)index >> 32 != 0 ? 0xffffffffu : (unsigned int)index;
        last = (unsigned int)of.len - 1u;
        most = at > most ? at : most;
        return (I)(at < last ? at : last);
    }
    template <class I>
    __device__ __forceinline__ I any(I index, unsigned long long len, unsigned int site) const { return other(index, len, site); }
    template <class I, class L>
    __device__ __forceinline__ I other(I index, L len, unsigned int site) const { return ws_Told{outside}.any(index, len, site); }
};

// Whether a loop has too many iterations to be tried.
template <class I>
__device__ __forceinline__ bool ws_is_long(I start, I end) { return ws_distance(start, end) > 1048576ull; }

// Tries a loop with checks that do not leave: whether no index was out of bounds. If one was, these variables have their old values.
template <class Loop>
__device__ __forceinline__ bool ws_was_right(Loop loop) {
    unsigned int most = 0, last = 0;
    bool outside = false;
    loop(ws_Noted{most, last, outside});
    return most <= last && !outside;
}
template <class Loop, class V, class... Vars>
__device__ __forceinline__ bool ws_was_right(Loop loop, V& var, Vars&... vars) {
    const V before = var;
    bool was_right = ws_was_right(loop, vars...);
    if (!was_right) var = before;
    return was_right;
}

template <class Loop, class T, int n, class... Vars>
__device__ __forceinline__ bool ws_was_right(Loop loop, T (&var)[n], Vars&... vars) {
    T before[n];
    for (int at = 0; at < n; ++at) before[at] = var[at];
    bool was_right = ws_was_right(loop, vars...);
    if (!was_right) {
        for (int at = 0; at < n; ++at) var[at] = before[at];
    }
    return was_right;
}

// A check that may end the thread stands between a loop's loads: it waits for one load before the next starts, and the compiler does
// not unroll the loop. A loop that only reads, and changes no more than these variables, is tried first. If an index is out of bounds,
// the loop is done again with all checks, and fails at the iteration where Rust fails.
template <class Loop, class... Vars>
__device__ __forceinline__ void ws_try(bool may_try, ws_Fault* fault, Loop loop, Vars&... vars) {
    if (may_try) may_try = ws_was_right(loop, vars...);
    if (!may_try) loop(ws_Checked{fault});
}

// The same for a body that is called with each number up to an end, and then the number is the end.
template <class I, class J, class L, class Body, class... Vars>
__device__ __forceinline__ void ws_try_while(I& at, J to, L limit, ws_Fault* fault, Body body, Vars&... vars) {
    const I end = to;
    bool may_try = ws_are_inside(at, end, limit) && !ws_is_long(at, end);
    // Unrolled further, as compilers would, fewer of its loads are in flight at once.
    if (may_try) {
        may_try = ws_was_right([&](ws_Noted check) {
            #pragma unroll 4
            for (; at < end; ++at) body(check, at);
        }, at, vars...);
    }
    if (!may_try) {
        #pragma unroll 1
        for (; at < end; ++at) body(ws_Checked{fault}, at);
    }
}
template <class I, class L, class Body, class... Vars>
__device__ __forceinline__ void ws_try_each(I at, I end, L limit, ws_Fault* fault, Body body, Vars&... vars) {
    ws_try_while(at, end, limit, fault, body, vars...);
}
