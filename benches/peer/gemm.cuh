// The register-tiled product: 128x128 elements a block, 8x8 a thread, two stages of shared tiles.
#pragma once

__global__ void __launch_bounds__(256, 2)
sgemm(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c, unsigned k, unsigned n) {
    __shared__ float4 a_tile[2][8][32], b_tile[2][8][32];
    unsigned t = threadIdx.x;
    unsigned a_row = t / 2, a_col = t % 2, b_row = t / 32, b_col = t % 32, ty = t / 16, tx = t % 16;
    unsigned a_at = (blockIdx.y * 128 + a_row) * (k / 4) + a_col, b_at = b_row * (n / 4) + blockIdx.x * 32 + b_col;
    float4 next_a = a[a_at], next_b = b[b_at];
    float sums[8][8] = {};
    for (unsigned step = 0; step < k / 8; ++step) {
        unsigned stage = step % 2;
        float* column = &a_tile[stage][a_col * 4][a_row / 4].x + a_row % 4;
        column[0] = next_a.x;
        column[128] = next_a.y;
        column[256] = next_a.z;
        column[384] = next_a.w;
        b_tile[stage][b_row][b_col] = next_b;
        __syncthreads();
        if (step + 1 < k / 8) {
            next_a = a[a_at += 2];
            next_b = b[b_at += 2 * n];
        }
#pragma unroll
        for (int e = 0; e < 8; ++e) {
            float4 r0 = a_tile[stage][e][ty], r1 = a_tile[stage][e][ty + 16];
            float4 c0 = b_tile[stage][e][tx], c1 = b_tile[stage][e][tx + 16];
            float rows[8] = {r0.x, r0.y, r0.z, r0.w, r1.x, r1.y, r1.z, r1.w};
            float cols[8] = {c0.x, c0.y, c0.z, c0.w, c1.x, c1.y, c1.z, c1.w};
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += rows[i] * cols[j];
        }
    }
    unsigned row = blockIdx.y * 128 + ty * 4, col = blockIdx.x * 32 + tx;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float4* out = c + (row + i / 4 * 64 + i % 4) * (n / 4) + col;
        out[0] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        out[16] = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}
