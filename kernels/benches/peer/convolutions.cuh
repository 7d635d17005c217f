// Separable convolutions by hand: a tile with its halo in shared memory, the sums of its rows beside it, and then those of its columns.
// Edges are clamped.

#pragma once

#include <cstddef>

struct Factors {
    float down[33], across[33];
};

__device__ __forceinline__ float sum_of(float x) { return x; }
__device__ __forceinline__ float sum_of(unsigned char x) { return (float)x; }
__device__ __forceinline__ void put(float* y, float x) { *y = x; }
__device__ __forceinline__ void put(unsigned char* y, float x) { *y = (unsigned char)__float2int_rn(fminf(fmaxf(x, 0.0f), 255.0f)); }

template <class T, int R>
__global__ void __launch_bounds__(256) convolve_tiled(const T* __restrict__ x, T* __restrict__ y, int rows, int cols, Factors w) {
    constexpr int H = 32, W = 64, STEP = W + 2 * R;
    __shared__ float tile[(H + 2 * R) * STEP];
    __shared__ float sums[(H + 2 * R) * W];
    const int first_row = blockIdx.y * H, first_col = blockIdx.x * W, t = threadIdx.x;
    for (int i = t; i < (H + 2 * R) * STEP; i += 256) {
        const int r = min(max(first_row + i / STEP - R, 0), rows - 1), c = min(max(first_col + i % STEP - R, 0), cols - 1);
        tile[i] = sum_of(x[(size_t)r * cols + c]);
    }
    __syncthreads();
    for (int i = t; i < (H + 2 * R) * W; i += 256) {
        const float* from = tile + i / W * STEP + i % W;
        float sum = 0;
#pragma unroll
        for (int j = 0; j <= 2 * R; ++j) sum += w.across[j] * from[j];
        sums[i] = sum;
    }
    __syncthreads();
    // Eight rows of a column a thread: each sum is read once.
    const int col = t % W, row = t / W * 8;
    float of[8] = {};
#pragma unroll
    for (int r = 0; r < 8 + 2 * R; ++r) {
        const float sum = sums[(row + r) * W + col];
#pragma unroll
        for (int own = 0; own < 8; ++own) {
            if (r >= own && r - own <= 2 * R) of[own] += w.down[r - own] * sum;
        }
    }
#pragma unroll
    for (int own = 0; own < 8; ++own) {
        if (first_row + row + own < rows && first_col + col < cols) put(y + (size_t)(first_row + row + own) * cols + first_col + col, of[own]);
    }
}
