// The originals of rows.rs.

extern "C" __global__ void spmv_ell(const float* values, const int* columns, const float* x, float* y, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int k = 0; k < width; k++) {
            int col = columns[k * rows + row];
            if (col >= 0) sum += values[k * rows + row] * x[col];
        }
        y[row] = sum;
    }
}

extern "C" __global__ void spmm_csr(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                                    const float* __restrict__ values, const float* __restrict__ b, float* __restrict__ c,
                                    unsigned rows, unsigned n) {
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && j < n) {
        float sum = 0.0f;
        for (unsigned at = starts[row]; at < starts[row + 1]; at++) sum += values[at] * b[columns[at] * n + j];
        c[row * n + j] = sum;
    }
}

extern "C" __global__ void sddmm(const unsigned* rows, const unsigned* cols, const float* a, const float* b, float* out, int samples, int k) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < samples) {
        int row = rows[at];
        int col = cols[at];
        float sum = 0.0f;
        for (int i = 0; i < k; i++) sum += a[row * k + i] * b[col * k + i];
        out[at] = sum;
    }
}

extern "C" __global__ void row_norm(const float* matrix, float* norms, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        float sum = 0.0f;
        for (int c = lane; c < cols; c += 32) {
            float v = matrix[row * cols + c];
            sum += v * v;
        }
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        if (lane == 0) norms[row] = sqrtf(sum);
    }
}

extern "C" __global__ void argmax_rows(const float* matrix, int* indices, int cols) {
    __shared__ float values[128];
    __shared__ int places[128];
    int t = threadIdx.x;
    int row = blockIdx.x;
    float best = -3.402823466e38f;
    int place = 0;
    for (int c = t; c < cols; c += 128) {
        float v = matrix[row * cols + c];
        if (v > best) {
            best = v;
            place = c;
        }
    }
    values[t] = best;
    places[t] = place;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s && values[t + s] > values[t]) {
            values[t] = values[t + s];
            places[t] = places[t + s];
        }
        __syncthreads();
    }
    if (t == 0) indices[row] = places[0];
}

extern "C" __global__ void dot(const float* x, const float* y, float* partial, int n) {
    __shared__ float shared[256];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
    shared[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) shared[t] += shared[t + s];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = shared[0];
}

extern "C" __global__ void warp_scan(const unsigned* input, unsigned* output, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    unsigned sum = i < n ? input[i] : 0;
    for (unsigned by = 1; by < 32; by *= 2) {
        unsigned below = __shfl_up_sync(0xffffffffu, sum, by);
        if (lane >= by) sum += below;
    }
    if (i < n) output[i] = sum;
}

extern "C" __global__ void segment_sum(const float* values, const unsigned* starts, float* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (unsigned at = starts[i]; at < starts[i + 1]; at++) sum += values[at];
        sums[i] = sum;
    }
}

extern "C" __global__ void histogram_u8(const unsigned char* data, unsigned* counts, unsigned n) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void extremes(const int* input, int* out, int n) {
    int stride = gridDim.x * blockDim.x;
    int least = 2147483647;
    int largest = -2147483647 - 1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        least = min(least, input[i]);
        largest = max(largest, input[i]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        least = min(least, __shfl_down_sync(0xffffffffu, least, offset));
        largest = max(largest, __shfl_down_sync(0xffffffffu, largest, offset));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(&out[0], least);
        atomicMax(&out[1], largest);
    }
}
