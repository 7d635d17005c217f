// The transpose ladder as tests/corpus/transpose.rs has it, and its runs as seeds/transposes.rs has them.
#pragma once

#include "queued.cuh"

__global__ void copy_row(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny) out[iy * nx + ix] = in[iy * nx + ix];
}

__global__ void copy_col(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny) out[ix * ny + iy] = in[ix * ny + iy];
}

__global__ void transpose_naive_row(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix < nx && iy < ny) out[ix * ny + iy] = in[iy * nx + ix];
}

__global__ void transpose_naive_col(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix < ny && iy < nx) out[iy * ny + ix] = in[ix * nx + iy];
}

__global__ void transpose_unroll4_row(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned ix = blockDim.x * blockIdx.x * 4 + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    unsigned ti = iy * nx + ix, to = ix * ny + iy;
    if (ix + 3 * blockDim.x < nx && iy < ny) {
        out[to] = in[ti];
        out[to + ny * blockDim.x] = in[ti + blockDim.x];
        out[to + ny * 2 * blockDim.x] = in[ti + 2 * blockDim.x];
        out[to + ny * 3 * blockDim.x] = in[ti + 3 * blockDim.x];
    }
}

__global__ void transpose_unroll4_col(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned ix = blockDim.x * blockIdx.x * 4 + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    unsigned ti = iy * ny + ix, to = ix * nx + iy;
    if (ix + 3 * blockDim.x < ny && iy < nx) {
        out[ti] = in[to];
        out[ti + blockDim.x] = in[to + blockDim.x * nx];
        out[ti + 2 * blockDim.x] = in[to + 2 * blockDim.x * nx];
        out[ti + 3 * blockDim.x] = in[to + 3 * blockDim.x * nx];
    }
}

__global__ void transpose_diagonal_row(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned bid = blockIdx.y * gridDim.x + blockIdx.x, blk_y = bid % gridDim.y, blk_x = (bid / gridDim.y + blk_y) % gridDim.x;
    unsigned ix = blockDim.x * blk_x + threadIdx.x, iy = blockDim.y * blk_y + threadIdx.y;
    if (ix < nx && iy < ny) out[ix * ny + iy] = in[iy * nx + ix];
}

__global__ void transpose_diagonal_col(float* out, const float* in, unsigned nx, unsigned ny) {
    unsigned bid = blockIdx.y * gridDim.x + blockIdx.x, blk_y = bid % gridDim.y, blk_x = (bid / gridDim.y + blk_y) % gridDim.x;
    unsigned ix = blockDim.x * blk_x + threadIdx.x, iy = blockDim.y * blk_y + threadIdx.y;
    if (ix < ny && iy < nx) out[iy * ny + ix] = in[ix * nx + iy];
}

// Through a shared tile of 32 rows, each with padding elements.
template <unsigned PADDING>
__device__ void through_tile(float* out, const float* in, unsigned nx, unsigned ny) {
    __shared__ float tile[32][32 + PADDING];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < nx && y + j < ny) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * nx + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < ny && y + j < nx) out[(y + j) * ny + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_smem(float* out, const float* in, unsigned nx, unsigned ny) { through_tile<0>(out, in, nx, ny); }
__global__ void transpose_smem_pad(float* out, const float* in, unsigned nx, unsigned ny) { through_tile<1>(out, in, nx, ny); }

// Through a tile in dynamic shared memory, as large as the block.
template <unsigned PADDING>
__device__ void through_dynamic_tile(float* out, const float* in, unsigned nx, unsigned ny) {
    extern __shared__ float tile[];
    unsigned ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    unsigned ti = iy * nx + ix, idx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned row_idx = threadIdx.y * (blockDim.x + PADDING) + threadIdx.x;
    unsigned irow = idx / blockDim.y, icol = idx % blockDim.y, col_idx = icol * (blockDim.x + PADDING) + irow;
    unsigned ix2 = blockDim.y * blockIdx.y + icol, iy2 = blockDim.x * blockIdx.x + irow, to = iy2 * ny + ix2;
    if (ix < nx && iy < ny) tile[row_idx] = in[ti];
    __syncthreads();
    if (ix2 < ny && iy2 < nx) out[to] = tile[col_idx];
}

__global__ void transpose_smem_dyn(float* out, const float* in, unsigned nx, unsigned ny) { through_dynamic_tile<0>(out, in, nx, ny); }
__global__ void transpose_smem_pad_dyn(float* out, const float* in, unsigned nx, unsigned ny) {
    through_dynamic_tile<1>(out, in, nx, ny);
}

__global__ void transpose_smem_unroll_pad(float* out, const float* in, unsigned nx, unsigned ny) {
    __shared__ float tile[16 * (32 * 2 + 1)];
    unsigned ix = 2 * blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned ti = iy * nx + ix, bidx = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned irow = bidx / blockDim.y, icol = bidx % blockDim.y;
    unsigned ix2 = blockIdx.y * blockDim.y + icol, iy2 = 2 * blockIdx.x * blockDim.x + irow, to = iy2 * ny + ix2;
    unsigned row_idx = threadIdx.y * (blockDim.x * 2 + 1) + threadIdx.x;
    if (ix < nx && iy < ny) tile[row_idx] = in[ti];
    if (ix + 32 < nx && iy < ny) tile[row_idx + 32] = in[ti + 32];
    __syncthreads();
    unsigned col_idx = icol * (blockDim.x * 2 + 1) + irow;
    if (ix2 < ny && iy2 < nx) out[to] = tile[col_idx];
    if (ix2 < ny && iy2 + 32 < nx) out[to + ny * 32] = tile[col_idx + 32];
}

using Transpose = void (*)(float*, const float*, unsigned, unsigned);

// A kernel, the block of its launch, what a block covers, and its dynamic shared memory.
struct Rung {
    const char* name;
    Transpose kernel;
    dim3 block, covers;
    unsigned shared;
};

void run_transposes() {
    const unsigned side = 16384;
    const size_t count = (size_t)side * side;
    const dim3 block(32, 8), tile(32, 32), unrolled(16, 16), four(64, 16), wide(32, 16), pair(64, 16);
    const Rung rungs[] = {
        {"copy_row", copy_row, block, block, 0},
        {"copy_col", copy_col, block, block, 0},
        {"transpose_naive_row", transpose_naive_row, block, block, 0},
        {"transpose_naive_col", transpose_naive_col, block, block, 0},
        {"transpose_unroll4_row", transpose_unroll4_row, unrolled, four, 0},
        {"transpose_unroll4_col", transpose_unroll4_col, unrolled, four, 0},
        {"transpose_diagonal_row", transpose_diagonal_row, block, block, 0},
        {"transpose_diagonal_col", transpose_diagonal_col, block, block, 0},
        {"transpose_smem", transpose_smem, block, tile, 0},
        {"transpose_smem_pad", transpose_smem_pad, block, tile, 0},
        {"transpose_smem_dyn", transpose_smem_dyn, wide, wide, 4 * 32 * 16},
        {"transpose_smem_pad_dyn", transpose_smem_pad_dyn, wide, wide, 4 * 33 * 16},
        {"transpose_smem_unroll_pad", transpose_smem_unroll_pad, wide, pair, 0},
    };
    const std::vector<float> host = floats(count);
    Memory<float> in(host), out(count);
    for (const Rung& rung : rungs) {
        const dim3 grid(side / rung.covers.x, side / rung.covers.y);
        auto launch = [&] { rung.kernel<<<grid, rung.block, rung.shared>>>(out.p, in.p, side, side); };
        CHECK(cudaMemset(out.p, 0, count * 4));
        launch();
        const bool copies = std::string(rung.name).rfind("copy", 0) == 0;
        for (size_t row = 0; row < side; row += 255) {
            std::vector<float> line = download(out.p + row * side, side);
            for (size_t col = 0; col < side; ++col)
                expect(rung.name, row * side + col, line[col], host[copies ? row * side + col : col * side + row], 0);
        }
        print_bandwidth(std::string(rung.name) + "/16384", 2 * 4 * count, launch);
    }
}
