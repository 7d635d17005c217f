// Host cost of one `<<<>>>` of 0, 4, 16 and 32 arguments, a slice being a pointer and a length, as launches/mod.rs has them.
#pragma once

#define SLICE(T, name) T *name, size_t name##_len

__global__ void of_0() {}

__global__ void of_4(SLICE(const float, a), SLICE(float, b), unsigned n, float s) {
    if ((size_t)blockIdx.x * blockDim.x + threadIdx.x > 1000000000) b[0] = a[0] * s + n;
}

__global__ void of_16(SLICE(const float, a), SLICE(const float, b), SLICE(const float, c), SLICE(float, d), unsigned n0, unsigned n1,
                      unsigned n2, unsigned n3, unsigned n4, unsigned n5, float s0, float s1, float s2, float s3, float s4, float s5) {
    if ((size_t)blockIdx.x * blockDim.x + threadIdx.x > 1000000000)
        d[0] = a[0] + b[0] + c[0] + (n0 + n1 + n2 + n3 + n4 + n5) + s0 + s1 + s2 + s3 + s4 + s5;
}

__global__ void of_32(SLICE(const float, a), SLICE(const float, b), SLICE(const float, c), SLICE(const float, d), SLICE(const float, e),
                      SLICE(const float, f), SLICE(const float, g), SLICE(float, h), unsigned n0, unsigned n1, unsigned n2, unsigned n3,
                      unsigned n4, unsigned n5, unsigned n6, unsigned n7, unsigned n8, unsigned n9, unsigned n10, unsigned n11, float s0,
                      float s1, float s2, float s3, float s4, float s5, float s6, float s7, float s8, float s9, float s10, float s11) {
    if ((size_t)blockIdx.x * blockDim.x + threadIdx.x > 1000000000) {
        unsigned n = n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8 + n9 + n10 + n11;
        float s = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;
        h[0] = a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + n + s;
    }
}

template <class F>
void host_time(const char* name, F launch) {
    std::vector<double> times;
    for (int round = 0; round < 100; ++round) {
        CHECK(cudaDeviceSynchronize());
        auto start = std::chrono::steady_clock::now();
        for (unsigned i = 0; i < 200; ++i) launch(i);
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 200);
    }
    std::sort(times.begin(), times.end());
    printf("peer %s %.5f us\n", name, times[times.size() / 2]);
}

void run_launches() {
    float* x = upload(std::vector<float>{1});
    float* y = upload(std::vector<float>{1});
    host_time("launch_0", [&](unsigned) { of_0<<<1, 32>>>(); });
    host_time("launch_4", [&](unsigned i) { of_4<<<1, 32>>>(x, 1, y, 1, i, 1); });
    host_time("launch_16", [&](unsigned i) { of_16<<<1, 32>>>(x, 1, x, 1, x, 1, y, 1, i, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5); });
    host_time("launch_32", [&](unsigned i) {
        of_32<<<1, 32>>>(x, 1, x, 1, x, 1, x, 1, x, 1, x, 1, x, 1, y, 1, i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                         10, 11);
    });
    CHECK(cudaGetLastError());
}
