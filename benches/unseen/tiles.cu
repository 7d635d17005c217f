// The originals of tiles.rs.

extern "C" __global__ void matmul_dynamic(const float* a, const float* b, float* c, int m, int n, int k) {
    extern __shared__ float tiles[];
    int side = blockDim.x;
    float* ta = tiles;
    float* tb = tiles + side * side;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * side + ty;
    int col = blockIdx.x * side + tx;
    float sum = 0.0f;
    for (int t = 0; t < (k + side - 1) / side; t++) {
        ta[ty * side + tx] = row < m && t * side + tx < k ? a[row * k + t * side + tx] : 0.0f;
        tb[ty * side + tx] = t * side + ty < k && col < n ? b[(t * side + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < side; i++) sum += ta[ty * side + i] * tb[i * side + tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" __global__ void nbody_dynamic(const float4* __restrict__ bodies, float4* __restrict__ accelerations, int n, float softening) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = threadIdx.x;
    int size = blockDim.x;
    float4 me = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < n; start += size) {
        tile[t] = start + t < n ? bodies[start + t] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        for (int j = 0; j < size; j++) {
            float dx = tile[j].x - me.x;
            float dy = tile[j].y - me.y;
            float dz = tile[j].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float s = tile[j].w * inverse * inverse * inverse;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    if (i < n) accelerations[i] = make_float4(ax, ay, az, 0.0f);
}

extern "C" __global__ void transpose_dynamic(const unsigned* input, unsigned* output, int width, int height) {
    extern __shared__ unsigned square[];
    int side = blockDim.x;
    int pitch = side + 1;
    int x = blockIdx.x * side + threadIdx.x;
    int y = blockIdx.y * side + threadIdx.y;
    if (x < width && y < height) square[threadIdx.y * pitch + threadIdx.x] = input[y * width + x];
    __syncthreads();
    x = blockIdx.y * side + threadIdx.x;
    y = blockIdx.x * side + threadIdx.y;
    if (x < height && y < width) output[y * height + x] = square[threadIdx.x * pitch + threadIdx.y];
}

extern "C" __global__ void kmeans_dynamic(const float* points, const float* centers, int* labels, int n, int k, int dims) {
    extern __shared__ float table[];
    for (int at = threadIdx.x; at < k * dims; at += blockDim.x) table[at] = centers[at];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int best = 0;
        float best_distance = 3.402823466e38f;
        for (int c = 0; c < k; c++) {
            float distance = 0.0f;
            for (int d = 0; d < dims; d++) {
                float off = points[d * n + i] - table[c * dims + d];
                distance += off * off;
            }
            if (distance < best_distance) {
                best_distance = distance;
                best = c;
            }
        }
        labels[i] = best;
    }
}

extern "C" __global__ void conv1d_dynamic(const float* input, const float* kernel, float* output, int n, int radius) {
    extern __shared__ float line[];
    int size = blockDim.x;
    int t = threadIdx.x;
    int i = blockIdx.x * size + t;
    line[t + radius] = i < n ? input[i] : 0.0f;
    if (t < radius) {
        line[t] = i >= radius && i - radius < n ? input[i - radius] : 0.0f;
        line[t + radius + size] = i + size < n ? input[i + size] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
        float sum = 0.0f;
        for (int k = -radius; k <= radius; k++) sum += kernel[k + radius] * line[t + radius + k];
        output[i] = sum;
    }
}

extern "C" __global__ void lcs_dynamic(const unsigned char* left, const unsigned char* right, unsigned* lengths, unsigned n) {
    extern __shared__ unsigned diagonals[];
    unsigned pair = blockIdx.x;
    unsigned pitch = n + 1;
    for (unsigned at = threadIdx.x; at < 3 * pitch; at += blockDim.x) diagonals[at] = 0;
    __syncthreads();
    for (unsigned d = 2; d <= 2 * n; d++) {
        unsigned now = d % 3 * pitch;
        unsigned before = (d + 2) % 3 * pitch;
        unsigned oldest = (d + 1) % 3 * pitch;
        unsigned low = d > n ? d - n : 1;
        unsigned high = d - 1 < n ? d - 1 : n;
        for (unsigned i = low + threadIdx.x; i <= high; i += blockDim.x) {
            unsigned j = d - i;
            if (left[pair * n + i - 1] == right[pair * n + j - 1]) {
                diagonals[now + i] = (i == 1 || j == 1 ? 0 : diagonals[oldest + i - 1]) + 1;
            } else {
                unsigned above = i == 1 ? 0 : diagonals[before + i - 1];
                unsigned beside = j == 1 ? 0 : diagonals[before + i];
                diagonals[now + i] = above > beside ? above : beside;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) lengths[pair] = diagonals[2 * n % 3 * pitch + n];
}
