// What a thread asks of the simulator's machine. Every operation that may fault says where it stands: the text maps
// its lines to those of the Rust code.

#define WS_AT const char *ws_file = __builtin_FILE(), int ws_line = __builtin_LINE()
#define WS_HERE (ws_left = ws_budget, ws_h_at(ws_file, ws_line))

// Steps that a thread may make from one such operation to the next; the host sets how many.
extern "C" { __attribute__((visibility("default"))) unsigned long long ws_budget = ~0ull; }
static unsigned long long ws_left = ~0ull;

static inline uint3 ws_index(int which) {
    uint3 index;
    ws_h_index(which, &index.x);
    return index;
}
#define threadIdx ws_index(0)
#define blockIdx ws_index(1)
#define blockDim ws_index(2)
#define gridDim ws_index(3)
static inline dim3 __clusterDim() { return ws_index(4); }
static inline dim3 __clusterRelativeBlockIdx() { return ws_index(5); }
static inline dim3 __clusterIdx() { return ws_index(6); }
static inline unsigned int __clusterRelativeBlockRank() { return ws_h_cluster_rank(); }
static inline unsigned int __clusterSizeInBlocks() { return ws_h_cluster_size(); }
static const int warpSize = 32;

// Memory of a block.
template <class T>
static inline T& ws_shared(const void* site, unsigned long long align) {
    return *(T*)ws_h_shared(site, sizeof(T), align > alignof(T) ? align : alignof(T));
}
static inline unsigned long long __cvta_generic_to_shared(const void* p) { return ws_h_shared_offset(p); }
static inline void* __cluster_map_shared_rank(const void* p, unsigned int rank, WS_AT) {
    WS_HERE;
    return ws_h_map_shared_rank(p, rank);
}

// Barriers and fences.
static inline void __syncthreads(WS_AT) { WS_HERE; ws_h_sync_threads(); }
static inline int __syncthreads_count(int vote, WS_AT) { WS_HERE; return (int)ws_h_sync_vote(vote != 0); }
static inline int __syncthreads_and(int vote, WS_AT) { WS_HERE; return ws_h_sync_vote(vote == 0) == 0; }
static inline int __syncthreads_or(int vote, WS_AT) { WS_HERE; return ws_h_sync_vote(vote != 0) != 0; }
static inline void __syncwarp(unsigned int mask = 0xffffffffu, WS_AT) { WS_HERE; ws_h_sync_warp(mask); }
static inline void ws_grid_barrier(WS_AT) { WS_HERE; ws_h_grid_sync(); }
static inline void __threadfence_block() { ws_h_fence(); }
static inline void __threadfence() { ws_h_fence(); }
static inline void __threadfence_system() { ws_h_fence(); }

// Exchanges between lanes.
#define WS_SHUFFLE(name, host, T, W, P) \
    static inline T name(unsigned int mask, T value, P by, int width = 32, WS_AT) { \
        WS_HERE; \
        return __builtin_bit_cast(T, host(mask, __builtin_bit_cast(W, value), (unsigned int)by, (unsigned int)width)); \
    }
#define WS_SHUFFLES(name, host, P) \
    WS_SHUFFLE(name, host##_32, int, unsigned int, P) \
    WS_SHUFFLE(name, host##_32, unsigned int, unsigned int, P) \
    WS_SHUFFLE(name, host##_32, float, unsigned int, P) \
    WS_SHUFFLE(name, host##_64, long long, unsigned long long, P) \
    WS_SHUFFLE(name, host##_64, unsigned long long, unsigned long long, P) \
    WS_SHUFFLE(name, host##_64, double, unsigned long long, P)
WS_SHUFFLES(__shfl_sync, ws_h_shfl, int)
WS_SHUFFLES(__shfl_up_sync, ws_h_shfl_up, unsigned int)
WS_SHUFFLES(__shfl_down_sync, ws_h_shfl_down, unsigned int)
WS_SHUFFLES(__shfl_xor_sync, ws_h_shfl_xor, int)

// Values of several words, sixteen bytes at a time, as lanes of the twin exchange them: then lanes go on in the same order.
struct ws_Sixteen { unsigned int words[4]; };
#define WS_SHUFFLE_16(name, host, P) \
    static inline ws_Sixteen name(unsigned int mask, ws_Sixteen value, P by, int width = 32, WS_AT) { \
        WS_HERE; \
        host(mask, value.words, (unsigned int)by, (unsigned int)width); \
        return value; \
    }
WS_SHUFFLE_16(__shfl_sync, ws_h_shfl_16_bytes, int)
WS_SHUFFLE_16(__shfl_up_sync, ws_h_shfl_up_16_bytes, unsigned int)
WS_SHUFFLE_16(__shfl_down_sync, ws_h_shfl_down_16_bytes, unsigned int)
WS_SHUFFLE_16(__shfl_xor_sync, ws_h_shfl_xor_16_bytes, int)
#define ws_SHUFFLED(name, intrinsic) \
    template <class T> \
    static inline T name(unsigned int mask, T value, unsigned int by, unsigned int width) { \
        for (unsigned long long start = 0; start < sizeof(T); start += sizeof(ws_Sixteen)) { \
            unsigned long long count = sizeof(T) - start < sizeof(ws_Sixteen) ? sizeof(T) - start : sizeof(ws_Sixteen); \
            ws_Sixteen part = {}; \
            memcpy(&part, (char*)&value + start, count); \
            part = intrinsic(mask, part, by, width); \
            memcpy((char*)&value + start, &part, count); \
        } \
        return value; \
    }

static inline unsigned int __activemask(WS_AT) { WS_HERE; return ws_h_active_lanes(); }
static inline unsigned int __ballot_sync(unsigned int mask, int vote, WS_AT) { WS_HERE; return ws_h_ballot(mask, vote != 0); }
static inline int __any_sync(unsigned int mask, int vote, WS_AT) { WS_HERE; return ws_h_any(mask, vote != 0); }
static inline int __all_sync(unsigned int mask, int vote, WS_AT) { WS_HERE; return ws_h_all(mask, vote != 0); }

#define WS_MATCH(T, W, host) \
    static inline unsigned int __match_any_sync(unsigned int mask, T value, WS_AT) { \
        WS_HERE; \
        return ws_h_match_any##host(mask, __builtin_bit_cast(W, value)); \
    } \
    static inline unsigned int __match_all_sync(unsigned int mask, T value, int* same, WS_AT) { \
        WS_HERE; \
        *same = ws_h_match_all##host(mask, __builtin_bit_cast(W, value)); \
        return *same ? mask : 0u; \
    }
WS_MATCH(int, unsigned int, _32)
WS_MATCH(unsigned int, unsigned int, _32)
WS_MATCH(float, unsigned int, _32)
WS_MATCH(long long, unsigned long long, _64)
WS_MATCH(unsigned long long, unsigned long long, _64)
WS_MATCH(double, unsigned long long, _64)

#define WS_REDUCE(name, T, host) \
    static inline T name(unsigned int mask, T value, WS_AT) { WS_HERE; return host(mask, value); }
WS_REDUCE(__reduce_add_sync, int, ws_h_reduce_add_signed)
WS_REDUCE(__reduce_add_sync, unsigned int, ws_h_reduce_add)
WS_REDUCE(__reduce_min_sync, int, ws_h_reduce_min_signed)
WS_REDUCE(__reduce_min_sync, unsigned int, ws_h_reduce_min)
WS_REDUCE(__reduce_max_sync, int, ws_h_reduce_max_signed)
WS_REDUCE(__reduce_max_sync, unsigned int, ws_h_reduce_max)
WS_REDUCE(__reduce_and_sync, unsigned int, ws_h_reduce_and)
WS_REDUCE(__reduce_or_sync, unsigned int, ws_h_reduce_or)
WS_REDUCE(__reduce_xor_sync, unsigned int, ws_h_reduce_xor)

// Clocks, ends, output.
static inline long long clock64() { return (long long)ws_h_clock(); }
static inline void __nanosleep(unsigned int, WS_AT) { WS_HERE; ws_h_poll(); }
[[noreturn]] static inline void __trap(WS_AT) { WS_HERE; ws_h_trap(); __builtin_unreachable(); }
static inline void ws_assume(bool holds, WS_AT) {
    if (__builtin_expect(!holds, 0)) { WS_HERE; ws_h_assumed(); }
}
__attribute__((format(printf, 1, 2))) static int printf(const char* format, ...) {
    char text[4096];
    __builtin_va_list values;
    __builtin_va_start(values, format);
    int length = __builtin_vsnprintf(text, sizeof text, format, values);
    __builtin_va_end(values);
    ws_h_print(text);
    return length;
}

// The state of the launch's record of a fault, which is then taken. An atomic of the kernel would let other threads run, whose fault would
// be the first.
static inline unsigned int ws_first_fault(unsigned int* state) {
    unsigned int before = *state;
    if (before == 0u) *state = 1u;
    return before;
}

// A load that may be one of a loop that waits: other threads run now and then.
template <class T>
static inline T* ws_polled(T* p, WS_AT) {
    WS_HERE;
    ws_h_poll();
    return p;
}

// A launch: the kernel's parameters are read from their addresses.
template <unsigned int...> struct ws_Places {};
template <unsigned int N, unsigned int... I> struct ws_Count : ws_Count<N - 1, N - 1, I...> {};
template <unsigned int... I> struct ws_Count<0, I...> { typedef ws_Places<I...> type; };
template <class T> struct ws_Plain { typedef T type; };
template <class T> struct ws_Plain<const T> { typedef T type; };
template <class... P, unsigned int... I>
__attribute__((no_sanitize_address)) static inline void ws_call(void (*kernel)(P...), const void* const* arguments, ws_Places<I...>) {
    ws_left = ws_budget;
    kernel(*(typename ws_Plain<P>::type*)arguments[I]...);
}
template <class... P>
__attribute__((no_sanitize_address)) static inline void ws_call(void (*kernel)(P...), const void* const* arguments) {
    ws_call(kernel, arguments, typename ws_Count<sizeof...(P)>::type());
}

// Launches by kernels: `kernel<<<grid, block>>>(arguments)` is a call of `ws_launch<&kernel>` with its shape and its arguments.
// A launch that a GPU would refuse ends with a fault of the host's.
struct ws_Shape {
    dim3 grid, block;
    unsigned long long shared;
    cudaStream_t order;
    ws_Shape(dim3 grid, dim3 block, unsigned long long shared = 0, cudaStream_t order = cudaStreamDefault)
        : grid(grid), block(block), shared(shared), order(order) {}
};
template <auto kernel>
static void ws_entry_of(const void* const* arguments) { ws_call(kernel, arguments); }
template <class... P>
static inline void ws_queue(void (*)(P...), const void* entry, const char* name, ws_Shape shape, typename ws_Plain<P>::type... arguments) {
    const void* values[] = {&arguments..., 0};
    unsigned long long sizes[] = {sizeof(arguments)..., 0};
    ws_h_launch(name, entry, &shape.grid.x, &shape.block.x, shape.shared, shape.order, sizeof...(P), values, sizes);
}
template <auto kernel, class... A>
static inline void ws_launch(const char* ws_file, int ws_line, const char* name, ws_Shape shape, A... arguments) {
    WS_HERE;
    ws_queue(kernel, (const void*)&ws_entry_of<kernel>, name, shape, arguments...);
}
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
