// The originals of tiles_rows.rs.

extern "C" __global__ void reduce_dynamic(const int* input, int* sums, unsigned n) {
    extern __shared__ int shared_ints[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x * 2 + tid;
    int sum = 0;
    if (i < n) sum = input[i];
    if (i + blockDim.x < n) sum += input[i + blockDim.x];
    shared_ints[tid] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) shared_ints[tid] += shared_ints[tid + s];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = shared_ints[0];
}

extern "C" __global__ void scan_dynamic(const unsigned* input, unsigned* output, int n) {
    extern __shared__ unsigned both[];
    int t = threadIdx.x;
    int size = blockDim.x;
    int i = blockIdx.x * size + t;
    int from = 0, to = size;
    both[t] = i < n ? input[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < size; offset *= 2) {
        if (t >= offset)
            both[to + t] = both[from + t] + both[from + t - offset];
        else
            both[to + t] = both[from + t];
        __syncthreads();
        int kept = from;
        from = to;
        to = kept;
    }
    if (i < n) output[i] = both[from + t];
}

extern "C" __global__ void softmax_dynamic(const float* __restrict__ input, float* __restrict__ output, int cols) {
    extern __shared__ float row[];
    float* partial = row + cols;
    int base = blockIdx.x * cols;
    int t = threadIdx.x;
    int size = blockDim.x;
    float largest = -3.402823466e38f;
    for (int c = t; c < cols; c += size) {
        row[c] = input[base + c];
        largest = fmaxf(largest, row[c]);
    }
    partial[t] = largest;
    __syncthreads();
    for (int s = size / 2; s > 0; s /= 2) {
        if (t < s) partial[t] = fmaxf(partial[t], partial[t + s]);
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();
    float sum = 0.0f;
    for (int c = t; c < cols; c += size) {
        row[c] = expf(row[c] - largest);
        sum += row[c];
    }
    partial[t] = sum;
    __syncthreads();
    for (int s = size / 2; s > 0; s /= 2) {
        if (t < s) partial[t] += partial[t + s];
        __syncthreads();
    }
    for (int c = t; c < cols; c += size) output[base + c] = row[c] / partial[0];
}

extern "C" __global__ void histogram_dynamic(const unsigned* keys, unsigned* counts, int n, unsigned bins) {
    extern __shared__ unsigned own[];
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[keys[i] % bins], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], own[b]);
}

extern "C" __global__ void fft_dynamic(const float2* signal, float2* spectrum, unsigned log_n) {
    extern __shared__ float2 data[];
    unsigned n = 1u << log_n;
    unsigned t = threadIdx.x;
    unsigned base = blockIdx.x * n;
    for (unsigned half = 0; half < 2; half++) {
        unsigned i = t + half * (n / 2);
        data[__brev(i) >> (32 - log_n)] = signal[base + i];
    }
    __syncthreads();
    for (unsigned stage = 0; stage < log_n; stage++) {
        unsigned span = 1u << stage;
        unsigned k = t & (span - 1);
        unsigned low = ((t >> stage) << (stage + 1)) + k;
        unsigned high = low + span;
        float angle = -3.14159265f * k / span;
        float sine, cosine;
        sincosf(angle, &sine, &cosine);
        float2 a = data[low];
        float2 b = data[high];
        float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        data[low] = make_float2(a.x + turned.x, a.y + turned.y);
        data[high] = make_float2(a.x - turned.x, a.y - turned.y);
        __syncthreads();
    }
    spectrum[base + t] = data[t];
    spectrum[base + t + n / 2] = data[t + n / 2];
}

extern "C" __global__ void odd_even_dynamic(const int* keys, int* sorted) {
    extern __shared__ int run[];
    int t = threadIdx.x;
    int n = blockDim.x * 2;
    int base = blockIdx.x * n;
    run[t] = keys[base + t];
    run[t + n / 2] = keys[base + t + n / 2];
    __syncthreads();
    for (int step = 0; step < n; step++) {
        int i = 2 * t + step % 2;
        if (i + 1 < n && run[i] > run[i + 1]) {
            int kept = run[i];
            run[i] = run[i + 1];
            run[i + 1] = kept;
        }
        __syncthreads();
    }
    sorted[base + t] = run[t];
    sorted[base + t + n / 2] = run[t + n / 2];
}

extern "C" __global__ void haar_dynamic(const float* signal, float* coefficients, int n) {
    extern __shared__ float level[];
    int t = threadIdx.x;
    int base = blockIdx.x * n;
    level[t] = signal[base + t];
    level[t + n / 2] = signal[base + t + n / 2];
    __syncthreads();
    for (int half = n / 2; half >= 1; half /= 2) {
        float mean = 0.0f;
        if (t < half) {
            float left = level[2 * t], right = level[2 * t + 1];
            mean = (left + right) * 0.70710678f;
            coefficients[base + half + t] = (left - right) * 0.70710678f;
        }
        __syncthreads();
        if (t < half) level[t] = mean;
        __syncthreads();
    }
    if (t == 0) coefficients[base] = level[0];
}
