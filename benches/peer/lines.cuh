// The seed's stencil with its weights in constant memory and in the read-only cache, and its sum of two matrices.
#pragma once

#include "queued.cuh"

constexpr unsigned LINE_BLOCK = 32, LINE_RADIUS = 4;
constexpr float DERIVATIVE[5] = {0, 4. / 5, -1. / 5, 4. / 105, -1. / 280};

__constant__ float COEF[5];

// The elements of a block and its halo.
__device__ void read_line(float* smem, const float* in, unsigned sidx, unsigned idx, unsigned n) {
    if (idx + LINE_RADIUS < n + 2 * LINE_RADIUS) smem[sidx] = in[idx + LINE_RADIUS];
    if (threadIdx.x < LINE_RADIUS) {
        smem[sidx - LINE_RADIUS] = in[idx];
        if (idx + LINE_RADIUS + LINE_BLOCK < n + 2 * LINE_RADIUS) smem[sidx + LINE_BLOCK] = in[idx + LINE_RADIUS + LINE_BLOCK];
    }
}

__global__ void stencil_1d(const float* in, float* out, unsigned n) {
    __shared__ float smem[LINE_BLOCK + 2 * LINE_RADIUS];
    unsigned sidx = threadIdx.x + LINE_RADIUS;
    for (unsigned first = blockIdx.x * LINE_BLOCK; first < n; first += gridDim.x * LINE_BLOCK) {
        unsigned idx = first + threadIdx.x;
        read_line(smem, in, sidx, idx, n);
        __syncthreads();
        if (idx < n) {
            float tmp = 0;
#pragma unroll
            for (unsigned i = 1; i <= LINE_RADIUS; ++i) tmp += COEF[i] * (smem[sidx + i] - smem[sidx - i]);
            out[idx] = tmp;
        }
        __syncthreads();
    }
}

__global__ void stencil_1d_read_only(const float* __restrict__ in, float* __restrict__ out, unsigned n,
                                     const float* __restrict__ dcoef) {
    __shared__ float smem[LINE_BLOCK + 2 * LINE_RADIUS];
    unsigned sidx = threadIdx.x + LINE_RADIUS;
    for (unsigned first = blockIdx.x * LINE_BLOCK; first < n; first += gridDim.x * LINE_BLOCK) {
        unsigned idx = first + threadIdx.x;
        read_line(smem, in, sidx, idx, n);
        __syncthreads();
        if (idx < n) {
            float tmp = 0;
#pragma unroll
            for (unsigned i = 1; i <= LINE_RADIUS; ++i) tmp += dcoef[i] * (smem[sidx + i] - smem[sidx - i]);
            out[idx] = tmp;
        }
        __syncthreads();
    }
}

void run_stencils() {
    const unsigned n = 1 << 26;
    const std::vector<float> x = floats(n + 2 * LINE_RADIUS);
    Memory<float> in(x), weights(std::vector<float>(DERIVATIVE, DERIVATIVE + 5)), out(n);
    CHECK(cudaMemcpyToSymbol(COEF, DERIVATIVE, sizeof(DERIVATIVE)));
    auto run = [&](const char* name, auto launch) {
        CHECK(cudaMemset(out.p, 0xff, n * 4ull));
        launch();
        std::vector<float> y = download(out.p, n);
        for (size_t i = 0; i < n; ++i) {
            double want = 0;
            for (unsigned k = 1; k <= LINE_RADIUS; ++k)
                want += (double)DERIVATIVE[k] * ((double)x[i + LINE_RADIUS + k] - x[i + LINE_RADIUS - k]);
            expect(name, i, y[i], want, 1e-5);
        }
        print_milliseconds(std::string(name) + "/2^26", [] {}, launch);
    };
    run("stencil_1d", [&] { stencil_1d<<<n / LINE_BLOCK, LINE_BLOCK>>>(in.p, out.p, n); });
    run("stencil_1d_read_only", [&] { stencil_1d_read_only<<<n / LINE_BLOCK, LINE_BLOCK>>>(in.p, out.p, n, weights.p); });
}

__global__ void sum_matrix_2d(const float* a, const float* b, float* c, unsigned nx, unsigned ny) {
    unsigned ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix < nx && iy < ny) {
        unsigned idx = iy * nx + ix;
        c[idx] = a[idx] + b[idx];
    }
}

void run_sums() {
    const unsigned side = 16384;
    const size_t count = (size_t)side * side;
    const std::vector<float> a = floats(count);
    std::vector<float> b = a;
    std::rotate(b.begin(), b.begin() + side / 2 + 1, b.end());
    Memory<float> da(a), db(b), dc(count);
    for (dim3 block : {dim3(32, 32), dim3(32, 16), dim3(16, 32), dim3(16, 16)}) {
        auto launch = [&] { sum_matrix_2d<<<dim3(side / block.x, side / block.y), block>>>(da.p, db.p, dc.p, side, side); };
        CHECK(cudaMemset(dc.p, 0, count * 4));
        launch();
        std::vector<float> c = download(dc.p, count);
        for (size_t i = 0; i < count; ++i) expect("sum_matrix_2d", i, c[i], a[i] + b[i], 0);
        print_bandwidth("sum_matrix_2d_" + std::to_string(block.x) + "x" + std::to_string(block.y) + "/block_shapes", 3 * 4 * count, launch);
    }
}
