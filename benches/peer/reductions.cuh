// The reduction ladder as tests/corpus/reduction.rs and shared_reduction.rs have it, and its runs as seeds/reductions.rs has them.
#pragma once

#include "queued.cuh"

__global__ void reduce_neighbored(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
    int* idata = g_idata + blockIdx.x * blockDim.x;
    if (idx >= n) return;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__global__ void reduce_neighbored_less(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
    int* idata = g_idata + blockIdx.x * blockDim.x;
    if (idx >= n) return;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned index = 2 * stride * tid;
        if (index < blockDim.x) idata[index] += idata[index + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__global__ void reduce_interleaved(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
    int* idata = g_idata + blockIdx.x * blockDim.x;
    if (idx >= n) return;
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__global__ void reduce_unrolling2(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    int* idata = g_idata + blockIdx.x * blockDim.x * 2;
    if (idx + blockDim.x < n) g_idata[idx] += g_idata[idx + blockDim.x];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__device__ int sum_of_eight(const int* data, unsigned idx, unsigned step) {
    int a1 = data[idx], a2 = data[idx + step], a3 = data[idx + 2 * step], a4 = data[idx + 3 * step];
    int b1 = data[idx + 4 * step], b2 = data[idx + 5 * step], b3 = data[idx + 6 * step], b4 = data[idx + 7 * step];
    return a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4;
}

__device__ void fold_step(int* data, unsigned tid, unsigned apart) {
    int v = data[tid] + data[tid + apart];
    __syncwarp();
    data[tid] = v;
    __syncwarp();
}

// The first 64 elements, by the first warp.
__device__ void fold_last_warp(int* data, unsigned tid) {
    fold_step(data, tid, 32);
    fold_step(data, tid, 16);
    fold_step(data, tid, 8);
    fold_step(data, tid, 4);
    fold_step(data, tid, 2);
    fold_step(data, tid, 1);
}

__global__ void reduce_unroll_warps8(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int* idata = g_idata + blockIdx.x * blockDim.x * 8;
    if (idx + 7 * blockDim.x < n) g_idata[idx] = sum_of_eight(g_idata, idx, blockDim.x);
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (tid < stride) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid < 32) fold_last_warp(idata, tid);
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

// Every thread of the block; leaves 64 elements.
__device__ void fold_block(int* data, unsigned tid) {
    if (blockDim.x >= 1024 && tid < 512) data[tid] += data[tid + 512];
    __syncthreads();
    if (blockDim.x >= 512 && tid < 256) data[tid] += data[tid + 256];
    __syncthreads();
    if (blockDim.x >= 256 && tid < 128) data[tid] += data[tid + 128];
    __syncthreads();
    if (blockDim.x >= 128 && tid < 64) data[tid] += data[tid + 64];
    __syncthreads();
}

__global__ void reduce_complete_unroll_warps8(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int* idata = g_idata + blockIdx.x * blockDim.x * 8;
    if (idx + 7 * blockDim.x < n) g_idata[idx] = sum_of_eight(g_idata, idx, blockDim.x);
    __syncthreads();
    fold_block(idata, tid);
    if (tid < 32) fold_last_warp(idata, tid);
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

template <unsigned BLOCK>
__global__ void reduce_complete_unroll(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * BLOCK * 8 + threadIdx.x;
    int* idata = g_idata + blockIdx.x * BLOCK * 8;
    if (idx + 7 * BLOCK < n) g_idata[idx] = sum_of_eight(g_idata, idx, BLOCK);
    __syncthreads();
    if constexpr (BLOCK >= 1024) {
        if (tid < 512) idata[tid] += idata[tid + 512];
        __syncthreads();
    }
    if constexpr (BLOCK >= 512) {
        if (tid < 256) idata[tid] += idata[tid + 256];
        __syncthreads();
    }
    if constexpr (BLOCK >= 256) {
        if (tid < 128) idata[tid] += idata[tid + 128];
        __syncthreads();
    }
    if constexpr (BLOCK >= 128) {
        if (tid < 64) idata[tid] += idata[tid + 64];
        __syncthreads();
    }
    if (tid < 32) fold_last_warp(idata, tid);
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__global__ void reduce_gmem(int* g_idata, int* g_odata, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
    int* idata = g_idata + blockIdx.x * blockDim.x;
    if (idx >= n) return;
    fold_block(idata, tid);
    if (tid < 32) fold_last_warp(idata, tid);
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

__global__ void reduce_smem_dyn(const int* g_idata, int* g_odata) {
    extern __shared__ int smem[];
    unsigned tid = threadIdx.x;
    smem[tid] = g_idata[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    fold_block(smem, tid);
    if (tid < 32) fold_last_warp(smem, tid);
    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

// The four elements of a thread.
__device__ int sum_of_four(const int* g_idata, unsigned n) {
    unsigned idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    if (idx + 3 * blockDim.x >= n) return 0;
    int a1 = g_idata[idx], a2 = g_idata[idx + blockDim.x], a3 = g_idata[idx + 2 * blockDim.x], a4 = g_idata[idx + 3 * blockDim.x];
    return a1 + a2 + a3 + a4;
}

__global__ void reduce_smem_unroll_dyn(const int* g_idata, int* g_odata, unsigned n) {
    extern __shared__ int smem[];
    unsigned tid = threadIdx.x;
    smem[tid] = sum_of_four(g_idata, n);
    __syncthreads();
    fold_block(smem, tid);
    if (tid < 32) fold_last_warp(smem, tid);
    if (tid == 0) g_odata[blockIdx.x] = smem[0];
}

__global__ void reduce_smem_unroll_shfl(const int* g_idata, int* g_odata, unsigned n) {
    __shared__ int smem[1024];
    unsigned tid = threadIdx.x;
    int local_sum = sum_of_four(g_idata, n);
    smem[tid] = local_sum;
    __syncthreads();
    fold_block(smem, tid);
    if (tid < 32) {
        local_sum = smem[tid] + smem[tid + 32];
        local_sum += __shfl_xor_sync(0xffffffff, local_sum, 16);
        local_sum += __shfl_xor_sync(0xffffffff, local_sum, 8);
        local_sum += __shfl_xor_sync(0xffffffff, local_sum, 4);
        local_sum += __shfl_xor_sync(0xffffffff, local_sum, 2);
        local_sum += __shfl_xor_sync(0xffffffff, local_sum, 1);
    }
    if (tid == 0) g_odata[blockIdx.x] = local_sum;
}

// An input that kernels overwrite, and the sum of each block.
struct Ladder {
    std::string label;
    std::vector<int> parts;
    Memory<int> input, data, sums;

    Ladder(std::string name, const std::vector<int>& host)
        : label(std::move(name)), parts(host.size() / 256), input(host), data(host.size()), sums(host.size() / 256) {
        for (size_t i = 0; i < host.size(); ++i) parts[i / 256] += host[i];
    }

    size_t size() const { return 256 * parts.size(); }
};

// Checks and times a kernel of `(data, sums, n, blocks)` whose threads each fold a number of elements.
template <class L>
void run_step(Ladder& ladder, const std::string& kernel, const char* suffix, unsigned block, unsigned per_thread, L launch) {
    const size_t n = ladder.size(), folded = block * per_thread;
    auto restore = [&] { CHECK(cudaMemcpyAsync(ladder.data.p, ladder.input.p, n * 4, cudaMemcpyDeviceToDevice)); };
    auto start = [&] { launch(ladder.data.p, ladder.sums.p, (unsigned)n, (unsigned)(n / folded)); };
    CHECK(cudaMemset(ladder.sums.p, 0x80, n / 256 * 4));
    restore();
    start();
    std::vector<int> sums = download(ladder.sums.p, n / folded);
    for (size_t i = 0; i < sums.size(); ++i) {
        int want = 0;
        for (size_t k = 0; k < folded / 256; ++k) want += ladder.parts[i * (folded / 256) + k];
        expect(kernel.c_str(), i, sums[i], want, 0);
    }
    print_milliseconds(kernel + "/" + std::to_string(block) + "/" + ladder.label + suffix, restore, start);
}

template <unsigned BLOCK>
void run_ladder(Ladder& l) {
#define STEP(kernel, suffix, per_thread, ...) \
    run_step(l, #kernel, suffix, BLOCK, per_thread, [](int* data, int* sums, unsigned n, unsigned blocks) { __VA_ARGS__; })
    STEP(reduce_neighbored, "", 1, reduce_neighbored<<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_neighbored_less, "", 1, reduce_neighbored_less<<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_interleaved, "", 1, reduce_interleaved<<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_unrolling2, "", 2, reduce_unrolling2<<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_unroll_warps8, "", 8, reduce_unroll_warps8<<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_complete_unroll_warps8, "", 8, reduce_complete_unroll_warps8<<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_complete_unroll, "", 8, reduce_complete_unroll<BLOCK><<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_gmem, "/shared", 1, reduce_gmem<<<blocks, BLOCK>>>(data, sums, n));
    STEP(reduce_smem_dyn, "/shared", 1, (void)n; reduce_smem_dyn<<<blocks, BLOCK, BLOCK * 4>>>(data, sums));
    STEP(reduce_smem_unroll_dyn, "/shared", 4, reduce_smem_unroll_dyn<<<blocks, BLOCK, BLOCK * 4>>>(data, sums, n));
    STEP(reduce_smem_unroll_shfl, "/shared", 4, reduce_smem_unroll_shfl<<<blocks, BLOCK>>>(data, sums, n));
#undef STEP
}

void run_reductions() {
    const std::vector<int> input = ints(1 << 28, -1000, 1000);
    for (int bits : {24, 28}) {
        Ladder ladder("2^" + std::to_string(bits), std::vector<int>(input.begin(), input.begin() + (1 << bits)));
        run_ladder<512>(ladder);
        run_ladder<256>(ladder);
    }
}
