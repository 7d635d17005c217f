// Stencils by hand: those of planes with tiles in shared memory and plain ones, and stars in three dimensions with a plane in shared memory
// and the samples along the planes in registers. Edges are clamped.

#pragma once

#include <cstddef>

struct Cells {
    float of[81];
};

__device__ __forceinline__ int clamped(int i, int n) { return min(max(i, 0), n - 1); }

// A result a thread; the caches have the neighbours.
template <int R, bool STAR>
__global__ void __launch_bounds__(256) plain(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, Cells w) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (col >= cols || row >= rows) return;
    float sum = 0;
#pragma unroll
    for (int i = -R; i <= R; ++i) {
        const float* from = x + (size_t)clamped(row + i, rows) * cols;
#pragma unroll
        for (int j = -R; j <= R; ++j) {
            if (!STAR || i == 0 || j == 0) sum += w.of[(i + 4) * 9 + j + 4] * from[clamped(col + j, cols)];
        }
    }
    y[(size_t)row * cols + col] = sum;
}

// Tiles of 32 × 128 results with a halo in shared memory; four neighbours of four rows a thread.
template <int R, bool STAR>
__global__ void __launch_bounds__(256) tiled(const float* __restrict__ x, float* __restrict__ y, int rows, int cols, Cells w) {
    constexpr int H = 32, W = 128, STEP = W + 8;
    __shared__ __align__(16) float tile[(H + 2 * R) * STEP];
    const int first_row = blockIdx.y * H, first_col = blockIdx.x * W, t = threadIdx.y * 32 + threadIdx.x;
    const bool inside = first_col >= 4 && first_col + W + 4 <= cols;
    for (int i = t; i < (H + 2 * R) * (STEP / 4); i += 256) {
        const int r = i / (STEP / 4), c = i % (STEP / 4) * 4;
        const float* from = x + (size_t)clamped(first_row + r - R, rows) * cols;
        float4 v;
        if (inside) {
            v = *(const float4*)(from + first_col + c - 4);
        } else {
            v.x = from[clamped(first_col + c - 4, cols)], v.y = from[clamped(first_col + c - 3, cols)];
            v.z = from[clamped(first_col + c - 2, cols)], v.w = from[clamped(first_col + c - 1, cols)];
        }
        *(float4*)(tile + r * STEP + c) = v;
    }
    __syncthreads();
    float sums[4][4] = {};
    const int row = threadIdx.y * 4, col = threadIdx.x * 4;
#pragma unroll
    for (int r = 0; r < 4 + 2 * R; ++r) {
        float window[12];
#pragma unroll
        for (int k = 0; k < 3; ++k) *(float4*)(window + 4 * k) = *(float4*)(tile + (row + r) * STEP + col + 4 * k);
#pragma unroll
        for (int own = 0; own < 4; ++own) {
            const int i = r - own - R;
            if (i < -R || i > R) continue;
#pragma unroll
            for (int j = -R; j <= R; ++j) {
                if (STAR && i != 0 && j != 0) continue;
#pragma unroll
                for (int k = 0; k < 4; ++k) sums[own][k] += w.of[(i + 4) * 9 + j + 4] * window[4 + k + j];
            }
        }
    }
#pragma unroll
    for (int own = 0; own < 4; ++own) {
        float* to = y + (size_t)(first_row + row + own) * cols + first_col + col;
        if (first_row + row + own < rows && first_col + col < cols) *(float4*)to = make_float4(sums[own][0], sums[own][1], sums[own][2], sums[own][3]);
    }
}

// A star in three dimensions: w.of[axis * 9 + offset + 4], the centre along the planes. Each block marches along `chunk` planes.
template <int R>
__global__ void __launch_bounds__(512) star_planes(const float* __restrict__ x, float* __restrict__ y, int planes, int rows, int cols, int chunk, Cells w) {
    __shared__ float tile[16 + 2 * R][32 + 2 * R];
    const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx, row = blockIdx.y * 16 + ty, first = blockIdx.z * chunk;
    const int own_col = clamped(col, cols), own_row = clamped(row, rows);
    const size_t plane = (size_t)rows * cols;
    auto at = [&](int z) { return x[clamped(z, planes) * plane + (size_t)own_row * cols + own_col]; };
    float along[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) along[k + 1] = at(first - R + k);
    for (int z = first; z < min(first + chunk, planes); ++z) {
#pragma unroll
        for (int k = 0; k < 2 * R; ++k) along[k] = along[k + 1];
        along[2 * R] = at(z + R);
        __syncthreads();
        const float* here = x + z * plane;
        tile[ty + R][tx + R] = along[R];
        if (ty < R) {
            tile[ty][tx + R] = here[(size_t)clamped(row - R, rows) * cols + own_col];
            tile[ty + 16 + R][tx + R] = here[(size_t)clamped(row + 16, rows) * cols + own_col];
        }
        if (tx < R) {
            tile[ty + R][tx] = here[(size_t)own_row * cols + clamped(col - R, cols)];
            tile[ty + R][tx + 32 + R] = here[(size_t)own_row * cols + clamped(col + 32, cols)];
        }
        __syncthreads();
        float sum = 0;
#pragma unroll
        for (int k = -R; k <= R; ++k) sum += w.of[k + 4] * along[k + R];
#pragma unroll
        for (int k = -R; k <= R; ++k) {
            if (k != 0) sum += w.of[9 + k + 4] * tile[ty + R + k][tx + R] + w.of[18 + k + 4] * tile[ty + R][tx + R + k];
        }
        if (row < rows && col < cols) y[z * plane + (size_t)row * cols + col] = sum;
    }
}

// The 27 neighbours of a cube: w.of[(plane * 3 + row) * 3 + col], a result a thread.
__global__ void __launch_bounds__(256) plain_cube(const float* __restrict__ x, float* __restrict__ y, int planes, int rows, int cols, Cells w) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (col >= cols || row >= rows) return;
    float sum = 0;
#pragma unroll
    for (int i = -1; i <= 1; ++i) {
#pragma unroll
        for (int j = -1; j <= 1; ++j) {
            const float* from = x + ((size_t)clamped(z + i, planes) * rows + clamped(row + j, rows)) * cols;
#pragma unroll
            for (int k = -1; k <= 1; ++k) sum += w.of[((i + 1) * 3 + j + 1) * 3 + k + 1] * from[clamped(col + k, cols)];
        }
    }
    y[((size_t)z * rows + row) * cols + col] = sum;
}
