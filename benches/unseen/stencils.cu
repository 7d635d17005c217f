// The originals of stencils.rs.

extern "C" __global__ void jacobi2d(const double* a, double* b, int n) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1) {
        b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j]);
    }
}

extern "C" __global__ void conv3d(const float* a, float* b, int ni, int nj, int nk) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j > 0 && j < nj - 1 && k > 0 && k < nk - 1) {
        for (int i = 1; i < ni - 1; i++) {
            b[i * (nk * nj) + j * nk + k] = 0.2f * a[(i - 1) * (nk * nj) + (j - 1) * nk + (k - 1)]
                + 0.5f * a[(i - 1) * (nk * nj) + (j + 1) * nk + (k + 1)]
                - 0.8f * a[i * (nk * nj) + (j - 1) * nk + k]
                - 0.3f * a[i * (nk * nj) + j * nk + k]
                + 0.6f * a[i * (nk * nj) + (j + 1) * nk + k]
                - 0.9f * a[(i + 1) * (nk * nj) + (j - 1) * nk + (k + 1)]
                + 0.4f * a[(i + 1) * (nk * nj) + j * nk + (k - 1)]
                + 0.7f * a[(i + 1) * (nk * nj) + (j + 1) * nk + (k + 1)];
        }
    }
}

__device__ __forceinline__ int cell(int x, int y, int z, int nx, int ny) {
    return x + nx * (y + ny * z);
}

extern "C" __global__ void heat7(float c0, float c1, const float* from, float* to, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z + 1;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k < nz - 1) {
        to[cell(i, j, k, nx, ny)] = (from[cell(i, j, k + 1, nx, ny)]
            + from[cell(i, j, k - 1, nx, ny)]
            + from[cell(i, j + 1, k, nx, ny)]
            + from[cell(i, j - 1, k, nx, ny)]
            + from[cell(i + 1, j, k, nx, ny)]
            + from[cell(i - 1, j, k, nx, ny)]) * c1
            - from[cell(i, j, k, nx, ny)] * c0;
    }
}

#define RADIUS 4

extern "C" __global__ void wave_queue(const float* __restrict__ field, float* __restrict__ out,
                                      const float* __restrict__ weights, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) {
        int stride = nx * ny;
        int at = y * nx + x;
        float queue[2 * RADIUS + 1];
        for (int k = 1; k < 2 * RADIUS + 1; k++) queue[k] = field[at + (k - 1) * stride];
        at += RADIUS * stride;
        for (int z = RADIUS; z < nz - RADIUS; z++) {
            for (int k = 0; k < 2 * RADIUS; k++) queue[k] = queue[k + 1];
            queue[2 * RADIUS] = field[at + RADIUS * stride];
            float sum = weights[0] * queue[RADIUS];
            for (int k = 1; k <= RADIUS; k++) sum += weights[k] * (queue[RADIUS - k] + queue[RADIUS + k]);
            out[at] = sum;
            at += stride;
        }
    }
}

extern "C" __global__ void laplace_march(const float* input, float* output, int nx, int ny, int nz) {
    __shared__ float tile[10][34];
    int tx = threadIdx.x + 1;
    int ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + tx;
    int y = blockIdx.y * 8 + ty;
    int stride = nx * ny;
    bool inside = x < nx - 1 && y < ny - 1;
    int at = y * nx + x;
    float current = 0.0f, front = 0.0f;
    if (inside) {
        current = input[at];
        front = input[at + stride];
    }
    for (int z = 1; z < nz - 1; z++) {
        float behind = current;
        current = front;
        at += stride;
        if (inside) {
            front = input[at + stride];
            tile[ty][tx] = current;
            if (tx == 1) tile[ty][tx - 1] = input[at - 1];
            if (tx == 32 || x == nx - 2) tile[ty][tx + 1] = input[at + 1];
            if (ty == 1) tile[ty - 1][tx] = input[at - nx];
            if (ty == 8 || y == ny - 2) tile[ty + 1][tx] = input[at + nx];
        }
        __syncthreads();
        if (inside) {
            float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
            output[at] = behind + front + around - 6.0f * current;
        }
        __syncthreads();
    }
}

extern "C" __global__ void blur_halo(const float* input, float* output, int width, int height) {
    __shared__ float tile[18][18];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 16 + tx;
    int y = blockIdx.y * 16 + ty;
    int left = min(max(x - 1, 0), width - 1);
    int right = min(x + 1, width - 1);
    int top = min(max(y - 1, 0), height - 1);
    int bottom = min(y + 1, height - 1);
    int xc = min(x, width - 1), yc = min(y, height - 1);
    tile[ty + 1][tx + 1] = input[yc * width + xc];
    if (tx == 0) tile[ty + 1][0] = input[yc * width + left];
    if (tx == 15) tile[ty + 1][17] = input[yc * width + right];
    if (ty == 0) tile[0][tx + 1] = input[top * width + xc];
    if (ty == 15) tile[17][tx + 1] = input[bottom * width + xc];
    if (tx == 0 && ty == 0) tile[0][0] = input[top * width + left];
    if (tx == 15 && ty == 0) tile[0][17] = input[top * width + right];
    if (tx == 0 && ty == 15) tile[17][0] = input[bottom * width + left];
    if (tx == 15 && ty == 15) tile[17][17] = input[bottom * width + right];
    __syncthreads();
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) sum += tile[ty + dy][tx + dx];
        output[y * width + x] = sum / 9.0f;
    }
}

extern "C" __global__ void sobel_halo(const unsigned char* image, unsigned char* edges, int width, int height) {
    __shared__ unsigned char tile[10][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 30 + tx - 1;
    int y = blockIdx.y * 8 + ty - 1;
    tile[ty][tx] = x >= 0 && x < width && y >= 0 && y < height ? image[y * width + x] : 0;
    __syncthreads();
    if (tx > 0 && tx < 31 && ty > 0 && ty < 9 && x < width && y < height) {
        int p00 = tile[ty - 1][tx - 1], p01 = tile[ty - 1][tx], p02 = tile[ty - 1][tx + 1];
        int p10 = tile[ty][tx - 1], p12 = tile[ty][tx + 1];
        int p20 = tile[ty + 1][tx - 1], p21 = tile[ty + 1][tx], p22 = tile[ty + 1][tx + 1];
        int gx = p02 + 2 * p12 + p22 - p00 - 2 * p10 - p20;
        int gy = p20 + 2 * p21 + p22 - p00 - 2 * p01 - p02;
        edges[y * width + x] = min((abs(gx) + abs(gy)) / 8, 255);
    }
}

extern "C" __global__ void smooth1d(const float* input, float* output, int n) {
    __shared__ float line[256 + 8];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    line[t + 4] = i < n ? input[i] : 0.0f;
    if (t < 4) {
        line[t] = i >= 4 && i - 4 < n ? input[i - 4] : 0.0f;
        line[t + 260] = i + 256 < n ? input[i + 256] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 8; k++) sum += line[t + k];
        output[i] = sum / 9.0f;
    }
}

extern "C" __global__ void life(const unsigned char* now, unsigned char* next, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        unsigned left = (x + width - 1) % width;
        unsigned right = (x + 1) % width;
        unsigned up = (y + height - 1) % height * width;
        unsigned down = (y + 1) % height * width;
        unsigned row = y * width;
        int alive = now[up + left] + now[up + x] + now[up + right] + now[row + left] + now[row + right]
                    + now[down + left] + now[down + x] + now[down + right];
        next[row + x] = alive == 3 || (alive == 2 && now[row + x] == 1) ? 1 : 0;
    }
}
