// Device memory, random inputs and comparisons of the programs that are built by nvcc.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t e = (call);                                                      \
        if (e != cudaSuccess) {                                                      \
            printf("%s: %s\n", #call, cudaGetErrorString(e));                        \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

template <class T>
T* upload(const std::vector<T>& host) {
    T* device;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

// Fresh inputs in each process.
static unsigned long long state = std::chrono::steady_clock::now().time_since_epoch().count() | 1;
unsigned long long next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

std::vector<float> floats(size_t n) {
    std::vector<float> v(n);
    for (auto& f : v) f = (float)(next() >> 40) / (1 << 23) - 1;
    return v;
}

std::vector<int> ints(size_t n, int low, int high) {
    std::vector<int> v(n);
    for (auto& i : v) i = low + (int)(next() % (unsigned)(high - low));
    return v;
}

std::vector<unsigned> words(size_t n) {
    std::vector<unsigned> v(n);
    for (auto& w : v) w = (unsigned)(next() >> 32);
    return v;
}

// Stops where a result is wrong, before anything is timed.
void expect(const char* name, size_t i, double got, double want, double tolerance) {
    if (fabs(got - want) <= tolerance) return;
    printf("%s: element %zu is %g instead of %g\n", name, i, got, want);
    exit(1);
}

template <class T>
std::vector<T> download(const T* device, size_t n) {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<T> host(n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

// Device memory of zeros, freed at the end of the scope.
template <class T>
struct Memory {
    T* p;
    explicit Memory(size_t n) {
        CHECK(cudaMalloc(&p, n * sizeof(T)));
        CHECK(cudaMemset(p, 0, n * sizeof(T)));
    }
    explicit Memory(const std::vector<T>& host) : p(upload(host)) {}
    Memory(const Memory&) = delete;
    ~Memory() { cudaFree(p); }
};
