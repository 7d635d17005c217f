// Online softmax and RMS normalisation, one block of 256 threads a row.
#pragma once

struct Running {
    float max, sum;
};

__device__ Running join(Running a, Running b) {
    float max = fmaxf(a.max, b.max);
    return {max, a.sum * __expf(a.max - max) + b.sum * __expf(b.max - max)};
}

__global__ void softmax(const float4* __restrict__ x, float4* __restrict__ y, unsigned width) {
    __shared__ Running warps[8];
    unsigned vectors = width / 4;
    const float4* row = x + (size_t)blockIdx.x * vectors;
    float4* out = y + (size_t)blockIdx.x * vectors;
    Running mine = {-3.402823466e38f, 0};
    for (unsigned i = threadIdx.x; i < vectors; i += 256) {
        float4 v = row[i];
        float max = fmaxf(mine.max, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        float added = __expf(v.x - max) + __expf(v.y - max) + __expf(v.z - max) + __expf(v.w - max);
        mine = {max, mine.sum * __expf(mine.max - max) + added};
    }
    for (int mask = 16; mask > 0; mask /= 2)
        mine = join(mine, {__shfl_xor_sync(~0u, mine.max, mask), __shfl_xor_sync(~0u, mine.sum, mask)});
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
    __syncthreads();
    Running all = warps[0];
#pragma unroll
    for (int w = 1; w < 8; ++w) all = join(all, warps[w]);
    float scale = 1 / all.sum;
    for (unsigned i = threadIdx.x; i < vectors; i += 256) {
        float4 v = row[i];
        out[i] = make_float4(__expf(v.x - all.max) * scale, __expf(v.y - all.max) * scale,
                             __expf(v.z - all.max) * scale, __expf(v.w - all.max) * scale);
    }
}

__device__ float block_sum(float sum) {
    __shared__ float sums[8];
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(~0u, sum, mask);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) sum += sums[w];
    return sum;
}

template <unsigned VECTORS>
__global__ void rms_norm(const float4* __restrict__ x, const float4* __restrict__ weight, float4* __restrict__ y,
                         float epsilon) {
    size_t start = (size_t)blockIdx.x * VECTORS * 256 + threadIdx.x;
    float4 row[VECTORS];
    float squares = 0;
#pragma unroll
    for (unsigned i = 0; i < VECTORS; ++i) {
        float4 v = x[start + i * 256], w = weight[i * 256 + threadIdx.x];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        row[i] = make_float4(v.x * w.x, v.y * w.y, v.z * w.z, v.w * w.w);
    }
    float scale = rsqrtf(block_sum(squares) / (VECTORS * 1024) + epsilon);
#pragma unroll
    for (unsigned i = 0; i < VECTORS; ++i) {
        float4 v = row[i];
        y[start + i * 256] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    }
}
