// The originals of graphs.rs.

extern "C" __global__ void relax_edges(const unsigned* from, const unsigned* to, const unsigned* weights, const unsigned* before,
                                       unsigned* distances, int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) {
        unsigned start = before[from[e]];
        if (start != 0xffffffffu) {
            unsigned through = start + weights[e];
            if (through < before[to[e]]) atomicMin(&distances[to[e]], through);
        }
    }
}

extern "C" __global__ void pagerank(const unsigned* starts, const unsigned* sources, const unsigned* degrees, const float* ranks,
                                    float* next, unsigned n) {
    unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < n) {
        float sum = 0.0f;
        for (unsigned e = starts[node]; e < starts[node + 1]; e++) {
            unsigned source = sources[e];
            sum += ranks[source] / degrees[source];
        }
        next[node] = 0.15f / n + 0.85f * sum;
    }
}

extern "C" __global__ void labels(const unsigned* starts, const unsigned* targets, const int* before, int* after, int n) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < n) {
        int label = before[node];
        for (unsigned e = starts[node]; e < starts[node + 1]; e++) {
            int other = before[targets[e]];
            if (other < label) label = other;
        }
        after[node] = label;
    }
}

extern "C" __global__ void floyd_step(const int* from, int* to, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        int through = from[i * n + k] + from[k * n + j];
        int direct = from[i * n + j];
        to[i * n + j] = through < direct ? through : direct;
    }
}

extern "C" __global__ void triangles(const unsigned* starts, const unsigned* targets, const unsigned (*edges)[2], unsigned* counts, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        unsigned a = edges[id][0], b = edges[id][1];
        const unsigned* left = targets + starts[a];
        const unsigned* right = targets + starts[b];
        int left_len = starts[a + 1] - starts[a];
        int right_len = starts[b + 1] - starts[b];
        int i = 0, j = 0;
        unsigned shared = 0;
        while (i < left_len && j < right_len) {
            if (left[i] == right[j]) {
                shared++;
                i++;
                j++;
            } else if (left[i] < right[j]) {
                i++;
            } else {
                j++;
            }
        }
        counts[id] = shared;
    }
}

extern "C" __global__ void merge_runs(const int* __restrict__ input, int* __restrict__ output, int pairs, int run) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < pairs) {
        int base = id * 2 * run;
        const int* left = input + base;
        const int* right = input + base + run;
        int i = 0, j = 0;
        for (int at = base; at < base + 2 * run; at++) {
            if (j == run || (i < run && left[i] <= right[j]))
                output[at] = left[i++];
            else
                output[at] = right[j++];
        }
    }
}

extern "C" __global__ void lower_bound(const unsigned* keys, const unsigned* queries, unsigned* places, unsigned n, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned low = 0, high = n;
        while (low < high) {
            unsigned middle = (low + high) / 2;
            if (keys[middle] < queries[i])
                low = middle + 1;
            else
                high = middle;
        }
        places[i] = low;
    }
}

extern "C" __global__ void viterbi_step(const float* scores, const float* moves, float* next, unsigned* from, unsigned states) {
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x;
    if (state < states) {
        float best = scores[0] + moves[state];
        unsigned came = 0;
        for (unsigned s = 1; s < states; s++) {
            float score = scores[s] + moves[s * states + state];
            if (score > best) {
                best = score;
                came = s;
            }
        }
        next[state] = best;
        from[state] = came;
    }
}

extern "C" __global__ void knapsack_row(const int* before, int* after, int weight, int value, int capacity) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w <= capacity) {
        int without = before[w];
        after[w] = w >= weight && before[w - weight] + value > without ? before[w - weight] + value : without;
    }
}

extern "C" __global__ void bitonic_step(unsigned* keys, unsigned j, unsigned k, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned other = i ^ j;
    if (other > i && other < n) {
        bool upward = (i & k) == 0;
        if ((keys[i] > keys[other]) == upward) {
            unsigned kept = keys[i];
            keys[i] = keys[other];
            keys[other] = kept;
        }
    }
}
