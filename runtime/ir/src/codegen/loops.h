
// The body of a loop that reads memory, or the loop, is a function that is compiled several times. Its parameter `check` is called for each
// index that the loop's counter runs along, its `any` for other indices of one slice, and its `other` for those of further slices; it is one of
// these.

// Compares each index, and reports the first that is out of bounds.
struct ws_Checked {
    ws_Fault* fault;
    template <class I>
    __device__ __forceinline__ I operator()(I index, unsigned long long len, unsigned int site) const { return ws_at(index, len, site, fault); }
    template <class I, class L>
    __device__ __forceinline__ I any(I index, L len, unsigned int site) const {
        if (ws_is_outside(index, len)) ws_fail(fault, site, (unsigned long long)index, ws_len(len));
        return index;
    }
    template <class I, class L>
    __device__ __forceinline__ I other(I index, L len, unsigned int site) const { return any(index, len, site); }
    __device__ __forceinline__ unsigned long long of(unsigned long long len) const { return len; }
};

// Compares nothing: all indices are known to be in bounds.
struct ws_Known {
    template <class I>
    __device__ __forceinline__ I operator()(I index, unsigned long long, unsigned int) const { return index; }
    template <class I, class L>
    __device__ __forceinline__ I any(I index, L, unsigned int) const { return index; }
    template <class I, class L>
    __device__ __forceinline__ I other(I index, L, unsigned int) const { return index; }
    __device__ __forceinline__ ws_Any of(unsigned long long) const { return {}; }
};

// Tells whether an index is out of bounds that the counter does not run along, and gives another one in its place. No slice is empty.
struct ws_Told {
    bool& outside;
    template <class I>
    __device__ __forceinline__ I operator()(I index, unsigned long long, unsigned int) const { return index; }
    template <class I, class L>
    __device__ __forceinline__ I any(I index, L len, unsigned int) const {
        bool is_outside = ws_is_outside(index, len);
        outside |= is_outside;
        return is_outside ? I() : index;
    }
    template <class I, class L>
    __device__ __forceinline__ I other(I index, L len, unsigned int site) const { return any(index, len, site); }
};

// The number of iterations, if there is one; the end may be as wrong as what a loop indexes.
template <class I>
__device__ __forceinline__ unsigned long long ws_distance(I start, I end) {
    return sizeof(I) > 4 ? (unsigned long long)end - (unsigned long long)start : (unsigned int)end - (unsigned int)start;
}
// Whether the numbers from a start up to an end are in bounds: of a length, or by a condition that is known.
template <class I>
__device__ __forceinline__ bool ws_are_inside(I start, I end, unsigned long long len) { return (long long)start >= 0 && (unsigned long long)end <= len; }
template <class I>
__device__ __forceinline__ bool ws_are_inside(I, I, bool inside) { return inside; }

__device__ __forceinline__ unsigned long long ws_least(unsigned long long len) { return len; }
template <class... More>
__device__ __forceinline__ unsigned long long ws_least(unsigned long long len, More... more) {
    unsigned long long least = ws_least(more...);
    return len < least ? len : least;
}

// A loop whose indices are all known to be in bounds, if a condition holds; otherwise each is compared.
template <class Loop>
__device__ __forceinline__ void ws_twice(bool inside, ws_Fault* fault, Loop loop) {
    if (inside) loop(ws_Known());
    else loop(ws_Checked{fault});
}

// The same for a body that is called with each number from a start up to an end.
template <class I, class L, class Body>
__device__ __forceinline__ void ws_each(I start, I end, L limit, ws_Fault* fault, Body body) {
    if (ws_are_inside(start, end, limit)) {
        for (I at = start; at < end; ++at) body(ws_Known(), at);
    } else {
        for (I at = start; at < end; ++at) body(ws_Checked{fault}, at);
    }
}

// Runs `n` iterations at a time until one of their indices is out of bounds, and returns whether none was. The indices of `n` iterations are compared
// before one branch, and then the elements that they name are read together.
template <int n, class I, class Look, class Body, class... Vars>
__device__ __forceinline__ bool ws_together(I& at, I end, Look look, Body body, Vars&... vars) {
    while (at < end && ws_distance(at, end) >= n) {
        bool outside = false;
        #pragma unroll
        for (int ahead = 0; ahead < n; ++ahead) look(ws_Told{outside}, (I)(at + ahead), vars...);
        if (outside) return false;
        #pragma unroll
        for (int turn = 0; turn < n; ++turn, ++at) body(ws_Known(), at, vars...);
    }
    return true;
}

// Calls a body with each number up to an end, first `most` numbers at a time, and then a quarter of that. `look` compares the indices of a number; without
// it, the body does so on copies of the variables that it changes. After an index that is out of bounds, indices are compared one by one.
template <int most, class I, class J, class L, class Look, class Body, class... Vars>
__device__ __forceinline__ void ws_ahead_after(I& at, J to, L limit, ws_Fault* fault, Look look, Body body, Vars&... vars) {
    const I end = to;
    if (ws_are_inside(at, end, limit)) {
        if (ws_together<most>(at, end, look, body, vars...) && most > 4) ws_together<most / 4>(at, end, look, body, vars...);
    }
    #pragma unroll 1
    for (; at < end; ++at) body(ws_Checked{fault}, at, vars...);
}
template <int most, class I, class J, class L, class Body, class... Vars>
__device__ __forceinline__ void ws_ahead(I& at, J end, L limit, ws_Fault* fault, Body body, Vars&... vars) {
    ws_ahead_after<most>(at, end, limit, fault, [&](ws_Told check, I next, Vars... copies) { body(check, next, copies...); }, body, vars...);
}

// The same for the numbers of a range.
template <int most, class I, class L, class... Parts>
__device__ __forceinline__ void ws_each_ahead_after(I at, I end, L limit, ws_Fault* fault, Parts&&... parts) {
    ws_ahead_after<most>(at, end, limit, fault, parts...);
}
template <int most, class I, class L, class... Parts>
__device__ __forceinline__ void ws_each_ahead(I at, I end, L limit, ws_Fault* fault, Parts&&... parts) {
    ws_ahead<most>(at, end, limit, fault, parts...);
}

// Whether an index in exact arithmetic is in bounds. NVVM compiles several of these to fewer instructions than calls of a function.
#define ws_is_in(index, len) ((unsigned long long)(index) < (len))

// Whether the sums of a number and all numbers from 0 up to an end are below a length.
template <class O, class I>
__device__ __forceinline__ bool ws_fits(O offset, I end, unsigned long long len) {
    return (unsigned long long)end <= len && (unsigned long long)offset <= len - (unsigned long long)end;
}
