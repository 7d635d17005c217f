// CUB's reductions, scans, histograms, selections, sorts and sorts of segments, for turns with ours. Each line `NAME SIZE GROUPS` of the input is answered with the milliseconds of
// a launch: the median of the last two thirds of `GROUPS` groups of launches. The answer is `none` if CUB has no such function.
//
//   nvcc -O3 -std=c++17 -arch=sm_90a -o cub kernels/benches/peer/cub.cu

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cuda_bf16.h>

#define CHECK(call)                                                                                     \
    do {                                                                                                \
        cudaError_t error = (call);                                                                     \
        if (error != cudaSuccess) {                                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));              \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)

constexpr int LAUNCHES = 5;

// The same numbers as ours: a hash of the index.
__device__ float unit(uint64_t i) {
    uint32_t h = (uint32_t)i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return (float)(h >> 8) / 8388608.0f - 1.0f;
}

template <class T>
__global__ void fill(T* x, size_t n, float scale) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        x[i] = (T)(unit(i) * scale);
    }
}

// The same values as ours: uniform, all equal, or as unequal as words of a language.
__global__ void fill_bins(int* x, size_t n, int bins, char values) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float u = (unit(i) + 1.0f) * 0.5f;
        x[i] = values == 'e' ? bins / 3 : values == 'z' ? (int)expf(u * logf((float)bins)) - 1 : (int)(u * (float)bins);
    }
}

// Half of the flags are true.
__global__ void fill_flags(bool* flags, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        flags[i] = unit(i) < 0.0f;
    }
}

// Runs of eight equal elements.
__global__ void fill_runs(uint32_t* x, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        x[i] = (uint32_t)(int)(unit(i / 8) * 1000.0f);
    }
}

// The same keys as ours: any bits, all equal, or of three values.
__host__ __device__ uint32_t word(uint32_t i) {
    uint32_t h = (i + 1) * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    return h ^ h >> 16;
}

__global__ void fill_keys(uint32_t* x, size_t n, char keys) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        x[i] = keys == 'e' ? 77 : keys == 'f' ? word(i) % 3 : word(i);
    }
}

struct Work {
    void* x = nullptr;
    void* y = nullptr;
    void* temporary = nullptr;
    size_t bytes = 0;
    std::function<cudaError_t(void*, size_t&)> run;

    ~Work() {
        cudaFree(x);
        cudaFree(y);
        cudaFree(temporary);
    }
};

template <class T, class U, class Run>
void prepare(Work& work, size_t n, size_t outputs, Run run) {
    CHECK(cudaMalloc(&work.x, n * sizeof(T)));
    CHECK(cudaMalloc(&work.y, outputs * sizeof(U)));
    T* x = (T*)work.x;
    U* y = (U*)work.y;
    fill<<<2048, 256>>>(x, n, std::is_integral<T>::value ? 1000.0f : 1.0f);
    work.run = [=](void* memory, size_t& bytes) { return run(memory, bytes, x, y); };
    CHECK(work.run(nullptr, work.bytes));
    CHECK(cudaMalloc(&work.temporary, work.bytes));
}

struct Widened {
    __host__ __device__ float operator()(__nv_bfloat16 x) const { return __bfloat162float(x); }
};

struct RowStart {
    int64_t cols;
    __host__ __device__ int64_t operator()(int64_t row) const { return row * cols; }
};

template <class K>
void prepare_sort(Work& work, size_t n, char keys) {
    prepare<K, K>(work, n, n, [n](void* m, size_t& b, K* x, K* y) { return cub::DeviceRadixSort::SortKeys(m, b, x, y, (int64_t)n); });
    fill_keys<<<2048, 256>>>((uint32_t*)work.x, n * sizeof(K) / 4, keys);
}

// The same segments as ours, of any lengths below twice the mean.
static std::vector<uint32_t> segments(size_t n, size_t mean) {
    std::vector<uint32_t> offsets{0};
    for (size_t at = 0; at < n;) {
        at = std::min(n, at + word((uint32_t)offsets.size()) % (2 * mean));
        offsets.push_back((uint32_t)at);
    }
    return offsets;
}

// The offsets lie behind the outputs, and values behind the keys.
static void prepare_segments(Work& work, size_t n, size_t mean, bool has_values) {
    const auto offsets = segments(n, mean);
    const int64_t count = (int64_t)offsets.size() - 1;
    const size_t elements = has_values ? 2 * n : n;
    prepare<uint32_t, uint32_t>(work, elements, elements + offsets.size(), [=](void* m, size_t& b, uint32_t* x, uint32_t* y) {
        const uint32_t* from = y + elements;
        return has_values ? cub::DeviceSegmentedSort::StableSortPairs(m, b, x, y, x + n, y + n, (int64_t)n, count, from, from + 1)
                          : cub::DeviceSegmentedSort::StableSortKeys(m, b, x, y, (int64_t)n, count, from, from + 1);
    });
    fill_keys<<<2048, 256>>>((uint32_t*)work.x, n, 'u');
    CHECK(cudaMemcpy((uint32_t*)work.y + elements, offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
}

static bool make(Work& work, const std::string& name, size_t n) {
    using cub::DeviceReduce;
    using cub::DeviceScan;
    if (name == "sum_f32") {
        prepare<float, float>(work, n, 1, [n](void* m, size_t& b, float* x, float* y) { return DeviceReduce::Sum(m, b, x, y, (int64_t)n); });
    } else if (name == "sum_bf16") {
        prepare<__nv_bfloat16, float>(work, n, 1, [n](void* m, size_t& b, __nv_bfloat16* x, float* y) {
            return DeviceReduce::Sum(m, b, thrust::make_transform_iterator(x, Widened()), y, (int64_t)n);
        });
    } else if (name == "sum_f64") {
        prepare<double, double>(work, n, 1, [n](void* m, size_t& b, double* x, double* y) { return DeviceReduce::Sum(m, b, x, y, (int64_t)n); });
    } else if (name == "max_i32") {
        prepare<int, int>(work, n, 1, [n](void* m, size_t& b, int* x, int* y) { return DeviceReduce::Max(m, b, x, y, (int64_t)n); });
    } else if (name == "argmax_f32") {
        prepare<float, int64_t>(work, n, 2, [n](void* m, size_t& b, float* x, int64_t* y) {
            return DeviceReduce::ArgMax(m, b, x, (float*)(y + 1), y, (int64_t)n);
        });
    } else if (name == "rows_sum_f32") {
        const size_t cols = 8192, rows = n / cols;
        prepare<float, float>(work, n, rows, [=](void* m, size_t& b, float* x, float* y) {
            auto first = thrust::make_transform_iterator(thrust::make_counting_iterator<int64_t>(0), RowStart{(int64_t)cols});
            return cub::DeviceSegmentedReduce::Sum(m, b, x, y, (int64_t)rows, first, first + 1);
        });
    } else if (name == "scan_f32") {
        prepare<float, float>(work, n, n, [n](void* m, size_t& b, float* x, float* y) { return DeviceScan::InclusiveSum(m, b, x, y, (int64_t)n); });
    } else if (name == "scan_u32") {
        prepare<uint32_t, uint32_t>(work, n, n, [n](void* m, size_t& b, uint32_t* x, uint32_t* y) { return DeviceScan::InclusiveSum(m, b, x, y, (int64_t)n); });
    } else if (name == "scan_i64") {
        prepare<int64_t, int64_t>(work, n, n, [n](void* m, size_t& b, int64_t* x, int64_t* y) { return DeviceScan::InclusiveSum(m, b, x, y, (int64_t)n); });
    } else if (name == "exclusive_u32") {
        prepare<uint32_t, uint32_t>(work, n, n, [n](void* m, size_t& b, uint32_t* x, uint32_t* y) { return DeviceScan::ExclusiveSum(m, b, x, y, (int64_t)n); });
    } else if (name.rfind("histogram_edges_", 0) == 0) {
        // The edges lie behind the counts.
        const int bins = atoi(name.c_str() + 16);
        prepare<float, unsigned>(work, n, 2 * bins + 1, [=](void* m, size_t& b, float* x, unsigned* y) {
            return cub::DeviceHistogram::HistogramRange(m, b, x, y, bins + 1, (float*)(y + bins), (int64_t)n);
        });
        std::vector<float> edges(bins + 1);
        for (int i = 0; i <= bins; ++i) edges[i] = (float)((size_t)i * i) / (float)((size_t)bins * bins) * 2.0f - 1.0f;
        CHECK(cudaMemcpy((unsigned*)work.y + bins, edges.data(), edges.size() * sizeof(float), cudaMemcpyHostToDevice));
    } else if (name.rfind("histogram_", 0) == 0) {
        const int bins = atoi(name.c_str() + 10);
        const size_t end = name.find('_', 10);
        prepare<int, unsigned>(work, n, bins, [=](void* m, size_t& b, int* x, unsigned* y) {
            return cub::DeviceHistogram::HistogramEven(m, b, x, y, bins + 1, 0, bins, (int64_t)n);
        });
        fill_bins<<<2048, 256>>>((int*)work.x, n, bins, end == std::string::npos ? 'u' : name[end + 1]);
    } else if (name == "select_u32" || name == "partition_u32") {
        // The flags and the count lie behind the outputs.
        const bool keeps_others = name[0] == 'p';
        prepare<uint32_t, uint32_t>(work, n, n + n / 4 + 4, [=](void* m, size_t& b, uint32_t* x, uint32_t* y) {
            int64_t* count = (int64_t*)(y + n);
            bool* flags = (bool*)(count + 1);
            return keeps_others ? cub::DevicePartition::Flagged(m, b, x, flags, y, count, (int64_t)n)
                                : cub::DeviceSelect::Flagged(m, b, x, flags, y, count, (int64_t)n);
        });
        fill_flags<<<2048, 256>>>((bool*)((uint32_t*)work.y + n + 2), n);
    } else if (name == "unique_u32" || name == "run_length_u32") {
        const bool encodes = name[0] == 'r';
        prepare<uint32_t, uint32_t>(work, n, 2 * n + 2, [=](void* m, size_t& b, uint32_t* x, uint32_t* y) {
            int64_t* count = (int64_t*)(y + 2 * n);
            return encodes ? cub::DeviceRunLengthEncode::Encode(m, b, x, y, y + n, count, (int64_t)n)
                           : cub::DeviceSelect::Unique(m, b, x, y, count, (int64_t)n);
        });
        fill_runs<<<2048, 256>>>((uint32_t*)work.x, n);
    } else if (name.rfind("segmented_", 0) == 0) {
        prepare_segments(work, n, (size_t)atoi(name.c_str() + name.rfind('_') + 1), name[10] == 'p');
    } else if (name == "sort_pairs_u32") {
        // The values lie behind the keys.
        prepare<uint64_t, uint64_t>(work, n, n, [n](void* m, size_t& b, uint64_t* x, uint64_t* y) {
            uint32_t *keys = (uint32_t*)x, *sorted = (uint32_t*)y;
            return cub::DeviceRadixSort::SortPairs(m, b, keys, sorted, keys + n, sorted + n, (int64_t)n);
        });
        fill_keys<<<2048, 256>>>((uint32_t*)work.x, n, 'u');
    } else if (name == "sort_f32") {
        prepare_sort<float>(work, n, 'u');
    } else if (name == "sort_u64") {
        prepare_sort<uint64_t>(work, n, 'u');
    } else if (name.rfind("sort_u32", 0) == 0) {
        prepare_sort<uint32_t>(work, n, name.size() > 9 ? name[9] : 'u');
    } else {
        return false;
    }
    return true;
}

int main() {
    char line[256];
    std::string made;
    Work* work = nullptr;
    while (fgets(line, sizeof line, stdin)) {
        char name[64];
        unsigned long long n, groups;
        if (sscanf(line, "%63s %llu %llu", name, &n, &groups) != 3) break;
        const std::string key = std::string(name) + " " + std::to_string(n);
        if (key != made) {
            delete work;
            work = new Work;
            if (!make(*work, name, n)) {
                printf("none\n");
                fflush(stdout);
                made.clear();
                continue;
            }
            made = key;
        }
        std::vector<cudaEvent_t> events(groups + 1);
        for (auto& event : events) CHECK(cudaEventCreate(&event));
        CHECK(cudaEventRecord(events[0]));
        for (unsigned long long g = 0; g < groups; ++g) {
            for (int k = 0; k < LAUNCHES; ++k) CHECK(work->run(work->temporary, work->bytes));
            CHECK(cudaEventRecord(events[g + 1]));
        }
        CHECK(cudaDeviceSynchronize());
        std::vector<float> times;
        for (unsigned long long g = 0; g < groups; ++g) {
            float ms;
            CHECK(cudaEventElapsedTime(&ms, events[g], events[g + 1]));
            if (g >= groups / 3) times.push_back(ms / LAUNCHES);
        }
        for (auto& event : events) CHECK(cudaEventDestroy(event));
        std::sort(times.begin(), times.end());
        printf("%g\n", times.empty() ? 0.0 : times[times.size() / 2]);
        fflush(stdout);
    }
    delete work;
}
