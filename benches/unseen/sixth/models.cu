// The originals of models.rs.

#ifdef UNSEEN_HOST
inline int __dp4a(int a, int b, int c) {
    for (int k = 0; k < 4; k++) c += (int)(signed char)(a >> 8 * k) * (int)(signed char)(b >> 8 * k);
    return c;
}
#endif

#define QK8 32
#define WARP_SIZE 32

struct block_q8 {
    float d, s;
    signed char qs[QK8];
};

extern "C" __global__ void quantize_q8(const float* x, block_q8* y, int kx, int kx_padded) {
    int ix = blockDim.x * blockIdx.x + threadIdx.x;
    if (ix >= kx_padded) return;
    int iy = blockDim.y * blockIdx.y + threadIdx.y;
    int i_padded = iy * kx_padded + ix;
    int ib = i_padded / QK8;
    int iqs = i_padded % QK8;
    float xi = ix < kx ? x[iy * kx + ix] : 0.0f;
    float amax = fabsf(xi);
    float sum = xi;
    for (int mask = 16; mask > 0; mask >>= 1) {
        amax = fmaxf(amax, __shfl_xor_sync(0xffffffff, amax, mask, 32));
        sum += __shfl_xor_sync(0xffffffff, sum, mask, 32);
    }
    float d = amax / 127;
    signed char q = amax == 0.0f ? 0 : roundf(xi / d);
    y[ib].qs[iqs] = q;
    if (iqs > 0) return;
    y[ib].d = d;
    y[ib].s = sum;
}

struct block_q4k {
    float d, dmin;
    unsigned char scales[12];
    unsigned char qs[128];
};

__device__ __forceinline__ void get_scale_min(int j, const unsigned char* q, unsigned char& d, unsigned char& m) {
    if (j < 4) {
        d = q[j] & 63;
        m = q[j + 4] & 63;
    } else {
        d = (q[j + 4] & 0xF) | ((q[j - 4] >> 6) << 4);
        m = (q[j + 4] >> 4) | ((q[j - 0] >> 6) << 4);
    }
}

extern "C" __global__ void dequantize_q4k(const block_q4k* x, float* yy) {
    const int i = blockIdx.x;
    const int tid = threadIdx.x;
    const int il = tid / 8;
    const int ir = tid % 8;
    const int is = 2 * il;
    const int n = 4;
    float* y = yy + i * 256 + 64 * il + n * ir;
    const float dall = x[i].d;
    const float dmin = x[i].dmin;
    const unsigned char* q = x[i].qs + 32 * il + n * ir;
    unsigned char sc, m;
    get_scale_min(is + 0, x[i].scales, sc, m);
    const float d1 = dall * sc, m1 = dmin * m;
    get_scale_min(is + 1, x[i].scales, sc, m);
    const float d2 = dall * sc, m2 = dmin * m;
    for (int l = 0; l < n; ++l) {
        y[l + 0] = d1 * (q[l] & 0xF) - m1;
        y[l + 32] = d2 * (q[l] >> 4) - m2;
    }
}

struct block_q4 {
    float d;
    int qs[4];
};

struct words_q8 {
    float d, s;
    int qs[8];
};

__device__ __forceinline__ float vec_dot_q4_q8(const block_q4* w, const words_q8* v) {
    int sumi = 0;
    for (int k = 0; k < 4; ++k) {
        sumi = __dp4a(w->qs[k] & 0x0F0F0F0F, v->qs[k], sumi);
        sumi = __dp4a((w->qs[k] >> 4) & 0x0F0F0F0F, v->qs[k + 4], sumi);
    }
    return w->d * (sumi * v->d - 8.0f * v->s);
}

extern "C" __global__ void mul_q4_q8(const block_q4* weights, const words_q8* x, float* out, int nrows, int nblocks) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE;
    if (row >= nrows) return;
    int lane = threadIdx.x % WARP_SIZE;
    float sum = 0.0f;
    for (int ib = lane; ib < nblocks; ib += WARP_SIZE) sum += vec_dot_q4_q8(&weights[row * nblocks + ib], &x[ib]);
    for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, mask, 32);
    if (lane == 0) out[row] = sum;
}

__device__ __forceinline__ void swap_int(int& a, int& b) {
    int t = a;
    a = b;
    b = t;
}

extern "C" __global__ void argsort_rows(const float* x, int* dst, int ncols, int ncols_pad) {
    int col = threadIdx.x;
    int row = blockIdx.x;
    if (col >= ncols_pad) return;
    const float* x_row = x + row * ncols;
    extern __shared__ int dst_row[];
    dst_row[col] = col;
    __syncthreads();
    for (int k = 2; k <= ncols_pad; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int ixj = col ^ j;
            if (ixj > col) {
                if ((col & k) == 0) {
                    if (dst_row[col] >= ncols || (dst_row[ixj] < ncols && x_row[dst_row[col]] > x_row[dst_row[ixj]]))
                        swap_int(dst_row[col], dst_row[ixj]);
                } else {
                    if (dst_row[ixj] >= ncols || (dst_row[col] < ncols && x_row[dst_row[col]] < x_row[dst_row[ixj]]))
                        swap_int(dst_row[col], dst_row[ixj]);
                }
            }
            __syncthreads();
        }
    }
    if (col < ncols) dst[row * ncols + col] = dst_row[col];
}

#define THREADS 256

__device__ float block_sum(float v, float* partial) {
    for (int by = 16; by > 0; by >>= 1) v += __shfl_xor_sync(0xffffffff, v, by, 32);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < THREADS / 32; k++) sum += partial[k];
    __syncthreads();
    return sum;
}

__device__ float mass_above(const float* row, int classes, float pivot, float* partial) {
    float own = 0.0f;
    for (int i = threadIdx.x; i < classes; i += THREADS)
        if (row[i] > pivot) own += row[i];
    return block_sum(own, partial);
}

extern "C" __global__ void top_p(const float* weights, const float* draws, unsigned* chosen, int classes, float p) {
    __shared__ float partial[THREADS / 32];
    __shared__ float sums[THREADS];
    int b = blockIdx.x, t = threadIdx.x;
    const float* row = weights + (size_t)b * classes;
    float enough = p * mass_above(row, classes, 0.0f, partial);
    float low = 0.0f, high = 1024.0f;
    while (high - low > 1.0f) {
        float pivot = floorf((low + high) * 0.5f);
        if (mass_above(row, classes, pivot, partial) >= enough) low = pivot;
        else high = pivot;
    }
    int share = (classes + THREADS - 1) / THREADS;
    int first = min(t * share, classes);
    int last = min(first + share, classes);
    float mass = 0.0f;
    for (int i = first; i < last; i++)
        if (row[i] > low) mass += row[i];
    sums[t] = mass;
    __syncthreads();
    for (int by = 1; by < THREADS; by *= 2) {
        float below = t >= by ? sums[t - by] : 0.0f;
        __syncthreads();
        sums[t] += below;
        __syncthreads();
    }
    float target = draws[b] * sums[THREADS - 1];
    float sum = sums[t] - mass;
    if (sum > target || target >= sums[t]) return;
    for (int i = first; i < last; i++) {
        if (row[i] > low) sum += row[i];
        if (sum > target) {
            chosen[b] = i;
            return;
        }
    }
}
