// The originals of networks.rs.

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

extern "C" __global__ void group_norm(const float* x, const float* weight, const float* bias, float* out, int channels, int groups,
                                      int plane) {
    __shared__ float2 partial[32];
    int per_group = channels / groups;
    int size = per_group * plane;
    int g = blockIdx.x, t = threadIdx.x;
    const float* group = x + (size_t)g * size;
    float sum = 0.0f, squares = 0.0f;
    for (int i = t; i < size; i += blockDim.x) {
        float v = group[i];
        sum += v;
        squares += v * v;
    }
    for (int by = 16; by > 0; by >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, by);
        squares += __shfl_xor_sync(0xffffffff, squares, by);
    }
    if (t % 32 == 0) partial[t / 32] = make_float2(sum, squares);
    __syncthreads();
    sum = squares = 0.0f;
    for (int k = 0; k < blockDim.x / 32; k++) {
        sum += partial[k].x;
        squares += partial[k].y;
    }
    float mean = sum / size;
    float variance = squares / size - mean * mean;
    float scale = rsqrtf(variance + 1e-5f);
    float* to = out + (size_t)g * size;
    for (int i = t; i < size; i += blockDim.x) {
        int c = g % groups * per_group + i / plane;
        to[i] = (group[i] - mean) * scale * weight[c] + bias[c];
    }
}

#define WARP_SIZE 32

__device__ __forceinline__ float warp_reduce_max(float x) {
    for (int mask = 16; mask > 0; mask >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, mask, 32));
    return x;
}

__device__ __forceinline__ float warp_reduce_sum(float x) {
    for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(0xffffffff, x, mask, 32);
    return x;
}

extern "C" __global__ void alibi_softmax(const float* x, float* dst, int ncols, int nrows, float scale, float m0, float m1,
                                         int n_head_log2) {
    extern __shared__ float data[];
    float* buf_iw = data;
    float* vals = buf_iw + WARP_SIZE;
    const int tid = threadIdx.x;
    const int block_size = blockDim.x;
    const int row = blockIdx.x;
    const int head = row / nrows;
    const int pos = row % nrows;
    const int warp_id = threadIdx.x / WARP_SIZE;
    const int lane_id = threadIdx.x % WARP_SIZE;
    const float base = head < n_head_log2 ? m0 : m1;
    const int exponent = head < n_head_log2 ? head + 1 : 2 * (head - n_head_log2) + 1;
    const float slope = powf(base, exponent);
    float max_val = -INFINITY;
    for (int col = tid; col < ncols; col += block_size) {
        const int ix = row * ncols + col;
        const float val = col <= pos ? x[ix] * scale + slope * (col - pos) : -INFINITY;
        vals[col] = val;
        max_val = max(max_val, val);
    }
    max_val = warp_reduce_max(max_val);
    if (block_size > WARP_SIZE) {
        if (warp_id == 0) buf_iw[lane_id] = -INFINITY;
        __syncthreads();
        if (lane_id == 0) buf_iw[warp_id] = max_val;
        __syncthreads();
        max_val = buf_iw[lane_id];
        max_val = warp_reduce_max(max_val);
    }
    float tmp = 0.0f;
    for (int col = tid; col < ncols; col += block_size) {
        const float val = expf(vals[col] - max_val);
        tmp += val;
        vals[col] = val;
    }
    tmp = warp_reduce_sum(tmp);
    if (block_size > WARP_SIZE) {
        __syncthreads();
        if (warp_id == 0) buf_iw[lane_id] = 0.0f;
        __syncthreads();
        if (lane_id == 0) buf_iw[warp_id] = tmp;
        __syncthreads();
        tmp = buf_iw[lane_id];
        tmp = warp_reduce_sum(tmp);
    }
    const float inv_sum = 1.0f / tmp;
    for (int col = tid; col < ncols; col += block_size) dst[row * ncols + col] = vals[col] * inv_sum;
}

#define STATES 16

__device__ __forceinline__ float softplus(float x) {
    return x > 20.0f ? x : log1pf(expf(x));
}

extern "C" __global__ void selective_scan(const float* u, const float* delta, const float* A, const float* B, const float* C,
                                          const float* D, float* y, int batches, int channels, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batches * channels) return;
    int batch = i / channels, channel = i % channels;
    float h[STATES] = {};
    for (int step = 0; step < length; step++) {
        int row = batch * length + step;
        int at = row * channels + channel;
        float dt = softplus(delta[at]);
        float input = dt * u[at];
        float sum = 0.0f;
        for (int n = 0; n < STATES; n++) {
            h[n] = h[n] * expf(dt * A[channel * STATES + n]) + input * B[row * STATES + n];
            sum += h[n] * C[row * STATES + n];
        }
        y[at] = sum + D[channel] * u[at];
    }
}

extern "C" __global__ void wkv(const float* _w, const float* _u, const float* _k, const float* _v, float* _y, unsigned T, unsigned C) {
    const unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned _b = idx / C;
    const unsigned _c = idx % C;
    const unsigned _offset = _b * T * C + _c;
    float u = _u[_c];
    float w = _w[_c];
    const float* k = _k + _offset;
    const float* v = _v + _offset;
    float* y = _y + _offset;
    float p = 0, q = 0, o = -1e38f;
    for (unsigned i = 0; i < T; i++) {
        const unsigned ii = i * C;
        float no = max(o, u + k[ii]);
        float A = expf(o - no);
        float B = expf(u + k[ii] - no);
        y[ii] = (A * p + B * v[ii]) / (A * q + B);
        no = max(w + o, k[ii]);
        A = expf(w + o - no);
        B = expf(k[ii] - no);
        p = A * p + B * v[ii];
        q = A * q + B;
        o = no;
    }
}

template <typename T>
__device__ void add_at(const unsigned* ids, const T* x, T* out, int middle, int places, int right, int pre, int post) {
    for (int j = 0; j < middle; j++) {
        int from = (pre * middle + j) * right + post;
        int to = (pre * places + ids[from]) * right + post;
        out[to] += x[from];
    }
}

extern "C" __global__ void scatter_add(const unsigned* ids, const float* x, float* out, int left, int middle, int places, int right) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < left * right; i += blockDim.x * gridDim.x)
        add_at(ids, x, out, middle, places, right, i / right, i % right);
}
