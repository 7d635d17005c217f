// Inclusive prefix sums in a single pass with decoupled look-back; 256 threads, 4096 elements a tile.
#pragma once

struct Published {
    bool is_prefix, is_sum;
    unsigned value;
};

__device__ unsigned long long pack(unsigned launch, bool is_prefix, unsigned value) {
    return (unsigned long long)(launch * 2 + is_prefix) << 32 | value;
}

__device__ Published load_word(unsigned long long* word, unsigned launch) {
    unsigned long long bits;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(bits) : "l"(word) : "memory");
    unsigned state = (unsigned)(bits >> 32);
    return {state == launch * 2 + 1, state / 2 == launch, (unsigned)bits};
}

__device__ unsigned look_back(unsigned long long* words, unsigned tile, unsigned launch) {
    unsigned sum = 0, lane = threadIdx.x % 32;
    for (unsigned end = tile; end > 0; end -= 32) {
        bool exists = lane + 1 <= end;
        Published seen = {true, true, 0};
        if (exists) seen = load_word(&words[end - lane - 1], launch);
        while (!__all_sync(~0u, seen.is_sum))
            if (exists) seen = load_word(&words[end - lane - 1], launch);
        unsigned prefixes = __ballot_sync(~0u, seen.is_prefix);
        unsigned nearest = prefixes ? __ffs(prefixes) - 1 : 32;
        unsigned value = lane <= nearest ? seen.value : 0;
        for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(~0u, value, mask);
        sum += value;
        if (prefixes) break;
    }
    return sum;
}

__global__ void scan(const uint4* __restrict__ x, uint4* __restrict__ y, unsigned long long* words, unsigned* next_tile,
                     unsigned launch) {
    __shared__ unsigned warp_sums[8], shared_tile, before_tile;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        unsigned taken = atomicAdd(next_tile, 1);
        if (taken == gridDim.x - 1) atomicExch(next_tile, 0);
        shared_tile = taken;
    }
    __syncthreads();
    unsigned tile = shared_tile, start = tile * 1024 + warp * 128 + lane;
    uint4 values[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) values[r] = x[start + r * 32];
    unsigned carry = 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        uint4& v = values[r];
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        unsigned total = v.w, through = total;
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            unsigned below = __shfl_up_sync(~0u, through, delta);
            if (lane >= delta) through += below;
        }
        unsigned before = carry + through - total;
        v.x += before;
        v.y += before;
        v.z += before;
        v.w += before;
        carry += __shfl_sync(~0u, through, 31);
    }
    if (lane == 0) warp_sums[warp] = carry;
    __syncthreads();
    unsigned before_warp = 0, tile_sum = 0;
#pragma unroll
    for (unsigned w = 0; w < 8; ++w) {
        if (w == warp) before_warp = tile_sum;
        tile_sum += warp_sums[w];
    }
    if (warp == 0) {
        if (lane == 0 && tile > 0) atomicExch(&words[tile], pack(launch, false, tile_sum));
        unsigned before = look_back(words, tile, launch);
        if (lane == 0) {
            atomicExch(&words[tile], pack(launch, true, before + tile_sum));
            before_tile = before;
        }
    }
    __syncthreads();
    unsigned before = before_tile + before_warp;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        uint4 v = values[r];
        y[start + r * 32] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
    }
}
