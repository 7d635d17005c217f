// A hot buffer and traffic beside it, with and without an access-policy window, as seeds/persistence.rs has them.
#pragma once

#include "queued.cuh"

struct InOrder {
    __host__ __device__ static unsigned index(unsigned i) { return i; }
    static constexpr const char* name = "in_order";
};

struct Scattered {
    __host__ __device__ static unsigned index(unsigned i) {
        i *= 0x9e3779b1;
        return i ^ (i >> 16);
    }
    static constexpr const char* name = "scattered";
};

template <class Access>
__global__ void hot_and_cold(const unsigned* hot, unsigned* cold, size_t n, unsigned mask) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        cold[i] += hot[Access::index((unsigned)i) & mask];
}

// Launches with a persisting window over the hot buffer, or without.
template <class Access>
void launch_hot_and_cold(const Memory<unsigned>& hot, const Memory<unsigned>& cold, size_t n, unsigned mask, bool window) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    attribute.val.accessPolicyWindow.base_ptr = hot.p;
    attribute.val.accessPolicyWindow.num_bytes = (mask + 1ull) * sizeof(unsigned);
    attribute.val.accessPolicyWindow.hitRatio = 1;
    attribute.val.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    attribute.val.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaLaunchConfig_t config = {};
    config.gridDim = 132 * 8;
    config.blockDim = 256;
    config.attrs = &attribute;
    config.numAttrs = window ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&config, hot_and_cold<Access>, (const unsigned*)hot.p, cold.p, n, mask));
}

// Checks one launch, then times more.
template <class Access>
void run_state(const char* state, const char* label, const std::vector<unsigned>& host, Memory<unsigned>& hot, Memory<unsigned>& cold,
               bool window = false) {
    const size_t n = 1 << 29, compared = 4096;
    const unsigned mask = (unsigned)host.size() - 1;
    auto launch = [&] { launch_hot_and_cold<Access>(hot, cold, n, mask, window); };
    CHECK(cudaMemset(cold.p, 0, n * 4));
    launch();
    for (size_t start : {(size_t)0, n - compared}) {
        std::vector<unsigned> part = download(cold.p + start, compared);
        for (size_t i = 0; i < compared; ++i) expect(state, start + i, part[i], host[Access::index((unsigned)(start + i)) & mask], 0);
    }
    print_milliseconds(std::string(state) + "/" + Access::name + "_" + label, [] {}, launch);
}

template <class Access>
void run_states(const char* label, const std::vector<unsigned>& host, Memory<unsigned>& hot, Memory<unsigned>& cold, size_t limit) {
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
    run_state<Access>("l2_plain", label, host, hot, cold);
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, limit));
    run_state<Access>("l2_set_aside", label, host, hot, cold);
    run_state<Access>("l2_window", label, host, hot, cold, true);
    CHECK(cudaCtxResetPersistingL2Cache());
    run_state<Access>("l2_after_reset", label, host, hot, cold);
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
}

void run_persistence() {
    int limit = 0;
    CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxPersistingL2CacheSize, 0));
    Memory<unsigned> cold((size_t)1 << 29);
    for (unsigned mebibytes : {4, 8, 16}) {
        const size_t len = (size_t)mebibytes << 18;
        if (len * 4 > (size_t)limit) continue;
        const std::vector<unsigned> host = words(len);
        Memory<unsigned> hot(host);
        const std::string label = std::to_string(mebibytes) + "MiB";
        run_states<InOrder>(label.c_str(), host, hot, cold, limit);
        run_states<Scattered>(label.c_str(), host, hot, cold, limit);
    }
}
