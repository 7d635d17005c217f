// Bilateral filters by hand: a tile with its halo in shared memory, four rows of a pixel a thread. Edges are clamped.

#pragma once

#include <cstddef>

#include "convolutions.cuh"

__device__ __forceinline__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

template <class T, int R, int C>
__global__ void __launch_bounds__(256) bilateral_tiled(const T* __restrict__ x, T* __restrict__ y, int rows, int pixels, float space, float range) {
    constexpr int H = 32, W = 32, STEP = W + 2 * R;
    __shared__ float tile[C][(H + 2 * R) * STEP];
    const int first_row = blockIdx.y * H, first_col = blockIdx.x * W, tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    for (int i = threadIdx.x; i < (H + 2 * R) * STEP; i += 256) {
        const int r = min(max(first_row + i / STEP - R, 0), rows - 1), c = min(max(first_col + i % STEP - R, 0), pixels - 1);
#pragma unroll
        for (int k = 0; k < C; ++k) tile[k][i] = sum_of(x[((size_t)r * pixels + c) * C + k]);
    }
    __syncthreads();
    for (int row = ty; row < H; row += 8) {
        float centre[C], sums[C] = {}, weights = 0;
#pragma unroll
        for (int k = 0; k < C; ++k) centre[k] = tile[k][(row + R) * STEP + tx + R];
#pragma unroll
        for (int i = 0; i <= 2 * R; ++i) {
#pragma unroll
            for (int j = 0; j <= 2 * R; ++j) {
                float differing = 0;
#pragma unroll
                for (int k = 0; k < C; ++k) {
                    const float by = tile[k][(row + i) * STEP + tx + j] - centre[k];
                    differing += by * by;
                }
                const float weight = power_of_two(space * ((i - R) * (i - R) + (j - R) * (j - R)) + range * differing);
                weights += weight;
#pragma unroll
                for (int k = 0; k < C; ++k) sums[k] += weight * tile[k][(row + i) * STEP + tx + j];
            }
        }
        if (first_row + row < rows && first_col + tx < pixels) {
#pragma unroll
            for (int k = 0; k < C; ++k) put(y + ((size_t)(first_row + row) * pixels + first_col + tx) * C + k, sums[k] / weights);
        }
    }
}
