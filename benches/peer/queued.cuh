// Median time of launches that are queued back to back, as benches/seeds/measure.rs takes it.
#pragma once

#include <string>

#include "memory.cuh"

// Milliseconds of `launch`, by events around it; `restore` runs ahead of each and is not timed.
template <class R, class L>
double queued(R restore, L launch) {
    const int rounds = 21;
    using clock = std::chrono::steady_clock;
    for (auto begun = clock::now(); clock::now() - begun < std::chrono::milliseconds(30);) {
        restore();
        launch();
        CHECK(cudaDeviceSynchronize());
    }
    cudaEvent_t start[rounds], end[rounds];
    for (int i = 0; i < rounds; ++i) {
        CHECK(cudaEventCreate(&start[i]));
        CHECK(cudaEventCreate(&end[i]));
    }
    for (int i = 0; i < rounds; ++i) {
        restore();
        CHECK(cudaEventRecord(start[i]));
        launch();
        CHECK(cudaEventRecord(end[i]));
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<float> times(rounds);
    for (int i = 0; i < rounds; ++i) {
        CHECK(cudaEventElapsedTime(&times[i], start[i], end[i]));
        CHECK(cudaEventDestroy(start[i]));
        CHECK(cudaEventDestroy(end[i]));
    }
    std::sort(times.begin(), times.end());
    return times[rounds / 2];
}

template <class R, class L>
void print_milliseconds(const std::string& name, R restore, L launch) {
    printf("peer %s %.5f ms\n", name.c_str(), queued(restore, launch));
}

template <class L>
void print_bandwidth(const std::string& name, size_t bytes, L launch) {
    printf("peer %s %.2f GB/s\n", name.c_str(), bytes / queued([] {}, launch) / 1e6);
}
