// The originals of trees.rs.

extern "C" __global__ void tree_scan(const int* x, int* y, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, base = blockIdx.x * n;
    temp[2 * t] = x[base + 2 * t];
    temp[2 * t + 1] = x[base + 2 * t + 1];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (t == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            int v = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += v;
        }
    }
    __syncthreads();
    y[base + 2 * t] = temp[2 * t];
    y[base + 2 * t + 1] = temp[2 * t + 1];
}

extern "C" __global__ void walsh(const float* x, float* y, int log_n) {
    extern __shared__ float values[];
    int n = 1 << log_n, base = blockIdx.x << log_n, t = threadIdx.x, threads = blockDim.x;
    for (int pos = t; pos < n; pos += threads) values[pos] = x[base + pos];
    for (int stride = n / 2; stride >= 1; stride >>= 1) {
        __syncthreads();
        for (int pos = t; pos < n / 2; pos += threads) {
            int lo = pos & (stride - 1);
            int i0 = ((pos - lo) << 1) + lo;
            int i1 = i0 + stride;
            float a = values[i0], b = values[i1];
            values[i0] = a + b;
            values[i1] = a - b;
        }
    }
    __syncthreads();
    for (int pos = t; pos < n; pos += threads) y[base + pos] = values[pos];
}

extern "C" __global__ void batched_lu(float* all, int n, int count) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count) return;
    float* a = all + m * n * n;
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            float f = a[i * n + k] / a[k * n + k];
            a[i * n + k] = f;
            for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
        }
    }
}

extern "C" __global__ void knn(const float* points, const float* queries, float* bests, unsigned* indices, int n, int dim, int q,
                               int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= q) return;
    float* best = bests + i * k;
    unsigned* index = indices + i * k;
    for (int p = 0; p < n; p++) {
        float d = 0.0f;
        for (int c = 0; c < dim; c++) {
            float v = points[p * dim + c] - queries[i * dim + c];
            d += v * v;
        }
        if (d < best[k - 1]) {
            int at = k - 1;
            while (at > 0 && best[at - 1] > d) {
                best[at] = best[at - 1];
                index[at] = index[at - 1];
                at--;
            }
            best[at] = d;
            index[at] = p;
        }
    }
}

extern "C" __global__ void star3d(const float* u, const float* c, float* out, unsigned nx, unsigned ny, unsigned nz,
                                  unsigned radius) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + radius;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y + radius;
    if (x >= nx - radius || y >= ny - radius) return;
    for (unsigned z = radius; z < nz - radius; z++) {
        unsigned at = (z * ny + y) * nx + x;
        float sum = c[0] * u[at];
        for (unsigned r = 1; r <= radius; r++) {
            float line = u[at - r] + u[at + r] + u[at - r * nx] + u[at + r * nx];
            sum += c[r] * (line + u[at - r * nx * ny] + u[at + r * nx * ny]);
        }
        out[at] = sum;
    }
}

extern "C" __global__ void embedding_bag(const float* table, const unsigned* indices, const unsigned* offsets, float* out,
                                         unsigned dim) {
    unsigned bag = blockIdx.x;
    for (unsigned c = threadIdx.x; c < dim; c += blockDim.x) {
        float sum = 0.0f;
        for (unsigned i = offsets[bag]; i < offsets[bag + 1]; i++) sum += table[indices[i] * dim + c];
        out[bag * dim + c] = sum;
    }
}
