// Bodies, stencils and sparse rows.
#pragma once

struct Bodies {
    const float4* positions;
    float4* velocities;
};

__global__ void nbody(Bodies bodies, float4* __restrict__ moved, unsigned count, float step) {
    __shared__ float4 tile[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    float4 here = bodies.positions[i];
    float ax = 0, ay = 0, az = 0;
    for (unsigned first = 0; first < count; first += 256) {
        tile[t] = bodies.positions[first + t];
        __syncthreads();
#pragma unroll 32
        for (int k = 0; k < 256; ++k) {
            float4 there = tile[k];
            float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-2f);
            float pull = there.w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    float4 v = bodies.velocities[i];
    v = make_float4(v.x + ax * step, v.y + ay * step, v.z + az * step, 0);
    bodies.velocities[i] = v;
    moved[i] = make_float4(here.x + v.x * step, here.y + v.y * step, here.z + v.z * step, here.w);
}

__constant__ float coefficients[9] = {-1.f / 560, 8.f / 315, -1.f / 5, 8.f / 5, -205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};

__global__ void stencil(const float* __restrict__ x, float* __restrict__ y, unsigned n) {
    __shared__ float tile[256 + 8];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t + 4] = i < n ? x[i] : 0;
    if (t < 4) {
        tile[t] = i >= 4 && i - 4 < n ? x[i - 4] : 0;
        tile[t + 260] = i + 256 < n ? x[i + 256] : 0;
    }
    __syncthreads();
    if (i < n) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 9; ++k) sum += coefficients[k] * tile[t + k];
        y[i] = sum;
    }
}

struct Field {
    unsigned width, height;
    const float* cells;
};

__device__ float nearest(const Field& f, int row, int col) {
    row = min(max(row, 0), (int)f.height - 1);
    col = min(max(col, 0), (int)f.width - 1);
    return f.cells[row * f.width + col];
}

__global__ void jacobi(Field f, float* __restrict__ next) {
    __shared__ float tile[10][34];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 32 + tx, row = blockIdx.y * 8 + ty;
    tile[ty + 1][tx + 1] = nearest(f, row, col);
    if (tx == 0) tile[ty + 1][0] = nearest(f, row, col - 1);
    if (tx == 31) tile[ty + 1][33] = nearest(f, row, col + 1);
    if (ty == 0) tile[0][tx + 1] = nearest(f, row - 1, col);
    if (ty == 7) tile[9][tx + 1] = nearest(f, row + 1, col);
    __syncthreads();
    if (col < f.width && row < f.height)
        next[row * f.width + col] =
            0.25f * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + (tile[ty + 1][tx] + tile[ty + 1][tx + 2]));
}

__global__ void spmv(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                     const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y, unsigned rows) {
    unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    unsigned end = starts[row + 1];
    for (unsigned i = starts[row] + lane; i < end; i += 32) sum += values[i] * x[columns[i]];
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(~0u, sum, delta);
    if (lane == 0) y[row] = sum;
}
