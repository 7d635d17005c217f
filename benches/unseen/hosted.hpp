// As much of CUDA as the originals use, on a host: a thread of a block is a coroutine, and blocks run one after the other.
#define UNSEEN_HOST 1
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __constant__ static
#define __shared__ static
#define __align__(n) alignas(n)

struct uint3 { unsigned x, y, z; };
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(4) uchar4 { unsigned char x, y, z, w; };
struct alignas(8) int2 { int x, y; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }

static uint3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

namespace hosted {
struct Warp {
    unsigned long long kept[2][32];
    unsigned arrived, phase;
};
struct Thread {
    ucontext_t context;
    char* stack;
    bool alive;
};
static const size_t STACK = 128 << 10;
alignas(1024) static char dynamic[256 << 10];
static Thread threads[1024];
static Warp warps[32];
static ucontext_t scheduler;
static unsigned count, alive, current, arrived, phase;
static void (*body)(void**);
static void** parameters;

static void pause() {
    swapcontext(&threads[current].context, &scheduler);
}
static void release() {
    if (alive && arrived == alive) { arrived = 0; phase++; }
}
static void run() {
    body(parameters);
    threads[current].alive = false;
    alive--;
    release();
    pause();
}
static void barrier() {
    unsigned now = phase;
    arrived++;
    release();
    while (phase == now) pause();
}
static unsigned lane() { return current % 32; }
// All lanes of the mask give a value; the slots of all of them.
static const unsigned long long* exchange(unsigned mask, unsigned long long value) {
    Warp& warp = warps[current / 32];
    unsigned now = warp.phase;
    warp.kept[now & 1][lane()] = value;
    if (++warp.arrived == (unsigned)__builtin_popcount(mask)) { warp.arrived = 0; warp.phase++; }
    while (warp.phase == now) pause();
    return warp.kept[now & 1];
}
static void block() {
    alive = count = blockDim.x * blockDim.y * blockDim.z;
    arrived = phase = 0;
    memset(warps, 0, sizeof warps);
    memset(dynamic, 0xa5, sizeof dynamic);
    for (unsigned i = 0; i < count; i++) {
        Thread& thread = threads[i];
        if (!thread.stack) thread.stack = (char*)malloc(STACK);
        getcontext(&thread.context);
        thread.context.uc_stack.ss_sp = thread.stack;
        thread.context.uc_stack.ss_size = STACK;
        thread.context.uc_link = &scheduler;
        thread.alive = true;
        makecontext(&thread.context, run, 0);
    }
    while (alive)
        for (current = 0; current < count; current++)
            if (threads[current].alive) {
                threadIdx.x = current % blockDim.x;
                threadIdx.y = current / blockDim.x % blockDim.y;
                threadIdx.z = current / blockDim.x / blockDim.y;
                swapcontext(&scheduler, &threads[current].context);
            }
}
static void grid(void (*kernel)(void**), void** given, const unsigned* shape) {
    body = kernel;
    parameters = given;
    gridDim = {shape[0], shape[1], shape[2]};
    blockDim = {shape[3], shape[4], shape[5]};
    for (unsigned z = 0; z < gridDim.z; z++)
        for (unsigned y = 0; y < gridDim.y; y++)
            for (unsigned x = 0; x < gridDim.x; x++) {
                blockIdx = {x, y, z};
                block();
            }
}
template <class... A, size_t... I>
static void call(void (*kernel)(A...), void** given, std::index_sequence<I...>) {
    kernel(*(std::remove_reference_t<A>*)given[I]...);
}
template <class... A>
static void apply(void (*kernel)(A...), void** given) {
    call(kernel, given, std::index_sequence_for<A...>{});
}
template <class T>
static unsigned long long bits(T value) {
    unsigned long long all = 0;
    memcpy(&all, &value, sizeof value);
    return all;
}
template <class T>
static T value(unsigned long long bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
}  // namespace hosted

#define HOSTED(kernel)                                                                      \
    extern "C" void hosted_##kernel(void** given, const unsigned* shape) {                  \
        hosted::grid([](void** given) { hosted::apply(kernel, given); }, given, shape);     \
    }

inline void __syncthreads() { hosted::barrier(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { hosted::exchange(mask, 0); }
template <class T>
T __shfl_sync(unsigned mask, T v, int from, int width = 32) {
    return hosted::value<T>(hosted::exchange(mask, hosted::bits(v))[from & 31]);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {
    unsigned lane = hosted::lane(), from = lane % width + by < (unsigned)width ? lane + by : lane;
    return hosted::value<T>(hosted::exchange(mask, hosted::bits(v))[from]);
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {
    unsigned lane = hosted::lane(), from = lane % width >= by ? lane - by : lane;
    return hosted::value<T>(hosted::exchange(mask, hosted::bits(v))[from]);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) {
    unsigned lane = hosted::lane();
    return hosted::value<T>(hosted::exchange(mask, hosted::bits(v))[lane ^ bits]);
}
inline unsigned __ballot_sync(unsigned mask, int p) {
    const unsigned long long* all = hosted::exchange(mask, p != 0);
    unsigned votes = 0;
    for (int i = 0; i < 32; i++) votes |= (mask >> i & 1) && all[i] ? 1u << i : 0;
    return votes;
}

template <class T> T atomicAdd(T* p, T v) { T old = *p; *p = old + v; return old; }
template <class T> T atomicMin(T* p, T v) { T old = *p; *p = v < old ? v : old; return old; }
template <class T> T atomicMax(T* p, T v) { T old = *p; *p = v > old ? v : old; return old; }
template <class T> T atomicExch(T* p, T v) { T old = *p; *p = v; return old; }
template <class T> T atomicCAS(T* p, T c, T v) { T old = *p; if (old == c) *p = v; return old; }
template <class T> T __ldg(const T* p) { return *p; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
inline unsigned __brev(unsigned v) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i); return r; }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline unsigned __float_as_uint(float v) { return (unsigned)hosted::bits(v); }
inline float __uint_as_float(unsigned v) { return hosted::value<float>(v); }
