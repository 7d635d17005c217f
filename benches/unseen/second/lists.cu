// The originals of lists.rs.

struct Node {
    int keys[16];
    int children[17];
    int count;
};

extern "C" __global__ void btree_find(const Node* nodes, const int* queries, int* found, int height, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        int key = queries[id];
        int at = 0;
        for (int level = 0; level < height; level++) {
            int k = 0;
            while (k < nodes[at].count && key >= nodes[at].keys[k]) k++;
            at = nodes[at].children[k];
        }
        int where = -1;
        for (int k = 0; k < nodes[at].count; k++) {
            if (nodes[at].keys[k] == key) where = nodes[at].children[k];
        }
        found[id] = where;
    }
}

extern "C" __global__ void kmeans_assign(const float* features, const float* centers, int* members, int points, int clusters, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < points) {
        int best = 0;
        float least = 3.402823466e38f;
        for (int c = 0; c < clusters; c++) {
            float distance = 0.0f;
            for (int f = 0; f < count; f++) {
                float d = features[f * points + id] - centers[c * count + f];
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        members[id] = best;
    }
}

struct Point {
    float weight;
    int assign;
    float cost;
};

extern "C" __global__ void stream_cost(const float* coords, const Point* points, const int* center_table, const unsigned char* switches, float* work, int num, int dim, int x, int k) {
    extern __shared__ float center[];
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = threadIdx.x; i < dim; i += blockDim.x) center[i] = coords[i * num + x];
    __syncthreads();
    if (id < num) {
        float* lower = &work[id * (k + 1)];
        float cost = 0.0f;
        for (int i = 0; i < dim; i++) {
            float d = coords[i * num + id] - center[i];
            cost += d * d;
        }
        cost *= points[id].weight;
        int assigned = points[id].assign;
        if (cost < points[id].cost && switches[id] == 0) {
            lower[k] = cost - points[id].cost;
        } else {
            lower[center_table[assigned]] += points[id].cost - cost;
        }
    }
}

extern "C" __global__ void ragged_gather(const unsigned* offsets, const unsigned* indices, const float* table, float* out, unsigned rows, unsigned width) {
    unsigned row = blockIdx.x;
    if (row < rows) {
        for (unsigned c = threadIdx.x; c < width; c += blockDim.x) {
            float sum = 0.0f;
            unsigned at = offsets[row];
            unsigned end = offsets[row + 1];
            while (at < end) {
                sum += table[indices[at] * width + c];
                at++;
            }
            out[row * width + c] = end > offsets[row] ? sum / (end - offsets[row]) : 0.0f;
        }
    }
}

#define CHUNK 64
#define WINDOW 8
extern "C" __global__ void sliding_max(const int* values, int* largest, int n) {
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * CHUNK;
    int deque[WINDOW];
    int head = 0, size = 0;
    int from = start - WINDOW + 1 < 0 ? 0 : start - WINDOW + 1;
    for (int i = from; i < start + CHUNK && i < n; i++) {
        if (size > 0 && deque[head] + WINDOW <= i) {
            head = (head + 1) % WINDOW;
            size--;
        }
        while (size > 0 && values[deque[(head + size - 1) % WINDOW]] <= values[i]) size--;
        deque[(head + size) % WINDOW] = i;
        size++;
        if (i >= start) largest[i] = values[deque[head]];
    }
}

extern "C" __global__ void bitonic_shared(unsigned* keys, unsigned* values, unsigned length, unsigned direction) {
    __shared__ unsigned sk[1024];
    __shared__ unsigned sv[1024];
    unsigned first = blockIdx.x * 1024 + threadIdx.x;
    sk[threadIdx.x] = keys[first];
    sv[threadIdx.x] = values[first];
    sk[threadIdx.x + 512] = keys[first + 512];
    sv[threadIdx.x + 512] = values[first + 512];
    for (unsigned size = 2; size <= length; size <<= 1) {
        unsigned way = direction ^ ((threadIdx.x & (size / 2)) != 0);
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if ((sk[pos] > sk[pos + stride]) == way) {
                unsigned t = sk[pos];
                sk[pos] = sk[pos + stride];
                sk[pos + stride] = t;
                t = sv[pos];
                sv[pos] = sv[pos + stride];
                sv[pos + stride] = t;
            }
        }
    }
    __syncthreads();
    keys[first] = sk[threadIdx.x];
    values[first] = sv[threadIdx.x];
    keys[first + 512] = sk[threadIdx.x + 512];
    values[first + 512] = sv[threadIdx.x + 512];
}

extern "C" __global__ void sum_words(const unsigned long long* values, unsigned long long* sums, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long sum = 0;
    while (i < n) {
        sum += values[i];
        i += (unsigned long long)gridDim.x * blockDim.x;
    }
    for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ unsigned long long warps[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == 0) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (int)blockDim.x / warpSize ? warps[lane] : 0;
        for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0) sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void histogram_shared(const float* values, unsigned* counts, float low, float width, int bins, int n) {
    __shared__ unsigned own[512];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int bin = (int)((values[i] - low) / width);
        if (bin >= 0 && bin < bins) atomicAdd(&own[bin], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], own[b]);
}
