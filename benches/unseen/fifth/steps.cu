// The originals of steps.rs.

__constant__ int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float WEIGHTS[9] = {4.0f / 9.0f,  1.0f / 9.0f,  1.0f / 9.0f,  1.0f / 9.0f, 1.0f / 9.0f,
                                 1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f};

extern "C" __global__ void lbm(const float* from, float* to, int nx, int ny, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    float f[9];
    float rho = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; k++) {
        int sx = (x - CX[k] + nx) % nx;
        int sy = (y - CY[k] + ny) % ny;
        f[k] = from[(k * ny + sy) * nx + sx];
        rho += f[k];
        ux += f[k] * CX[k];
        uy += f[k] * CY[k];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        float along = 3.0f * (CX[k] * ux + CY[k] * uy);
        float rest = WEIGHTS[k] * rho * (1.0f + along + 0.5f * along * along - square);
        to[(k * ny + y) * nx + x] = f[k] + omega * (rest - f[k]);
    }
}

#define SIDE 16
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))

extern "C" __global__ void hotspot_pyramid(const float* power, const float* temp_src, float* temp_dst, int iterations, int cols,
                                           int rows, float cap, float rx, float ry, float rz) {
    __shared__ float temp[SIDE][SIDE];
    __shared__ float heat[SIDE][SIDE];
    __shared__ float next[SIDE][SIDE];
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int small = SIDE - iterations * 2;
    int block_y = small * by - iterations;
    int block_x = small * bx - iterations;
    int block_y_max = block_y + SIDE - 1;
    int block_x_max = block_x + SIDE - 1;
    int y = block_y + ty;
    int x = block_x + tx;
    int index = cols * y + x;
    if (IN_RANGE(y, 0, rows - 1) && IN_RANGE(x, 0, cols - 1)) {
        temp[ty][tx] = temp_src[index];
        heat[ty][tx] = power[index];
    }
    __syncthreads();
    int y_min = block_y < 0 ? -block_y : 0;
    int y_max = block_y_max > rows - 1 ? SIDE - 1 - (block_y_max - rows + 1) : SIDE - 1;
    int x_min = block_x < 0 ? -block_x : 0;
    int x_max = block_x_max > cols - 1 ? SIDE - 1 - (block_x_max - cols + 1) : SIDE - 1;
    int n = ty - 1;
    int s = ty + 1;
    int w = tx - 1;
    int e = tx + 1;
    n = n < y_min ? y_min : n;
    s = s > y_max ? y_max : s;
    w = w < x_min ? x_min : w;
    e = e > x_max ? x_max : e;
    bool computed = false;
    for (int i = 0; i < iterations; i++) {
        computed = false;
        if (IN_RANGE(tx, i + 1, SIDE - i - 2) && IN_RANGE(ty, i + 1, SIDE - i - 2) && IN_RANGE(tx, x_min, x_max) &&
            IN_RANGE(ty, y_min, y_max)) {
            computed = true;
            float t = temp[ty][tx];
            next[ty][tx] = t + cap * (heat[ty][tx] + (temp[s][tx] + temp[n][tx] - 2.0f * t) * ry +
                                      (temp[ty][e] + temp[ty][w] - 2.0f * t) * rx + (80.0f - t) * rz);
        }
        __syncthreads();
        if (i == iterations - 1) break;
        if (computed) temp[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed) temp_dst[index] = next[ty][tx];
}

extern "C" __global__ void thomas(const float* lower, const float* diagonal, float* upper, float* rhs, unsigned m, unsigned batch) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= batch) return;
    upper[t] /= diagonal[t];
    rhs[t] /= diagonal[t];
    for (unsigned k = 1; k < m; k++) {
        unsigned i = k * batch + t;
        float pivot = 1.0f / (diagonal[i] - lower[i] * upper[i - batch]);
        upper[i] *= pivot;
        rhs[i] = (rhs[i] - lower[i] * rhs[i - batch]) * pivot;
    }
    for (unsigned k = m - 1; k > 0; k--) {
        unsigned i = (k - 1) * batch + t;
        rhs[i] -= upper[i] * rhs[i + batch];
    }
}

extern "C" __global__ void red_black(float* u, const float* f, int width, int height, int colour, float omega) {
    int row = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int col = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + (row + colour) % 2;
    if (row < height - 1 && col < width - 1) {
        int at = row * width + col;
        float mean = 0.25f * (u[at - 1] + u[at + 1] + u[at - width] + u[at + width] - f[at]);
        u[at] += omega * (mean - u[at]);
    }
}

struct Particle {
    float x, y, z, mass;
};

__device__ int cell_of(float v, int side) {
    return min((int)v, side - 1);
}

extern "C" __global__ void sph_density(const Particle* particles, const unsigned* starts, float* density, int count, int side) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Particle own = particles[i];
    int cx = cell_of(own.x, side), cy = cell_of(own.y, side), cz = cell_of(own.z, side);
    float sum = 0.0f;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, side - 1); z++) {
        for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); y++) {
            for (int x = max(cx - 1, 0); x <= min(cx + 1, side - 1); x++) {
                int cell = (z * side + y) * side + x;
                for (unsigned j = starts[cell]; j < starts[cell + 1]; j++) {
                    float dx = own.x - particles[j].x, dy = own.y - particles[j].y, dz = own.z - particles[j].z;
                    float q = 1.0f - (dx * dx + dy * dy + dz * dz);
                    if (q > 0.0f) sum += particles[j].mass * q * q * q;
                }
            }
        }
    }
    density[i] = sum;
}

extern "C" __global__ void dwt53(const int* input, int* out, int width) {
    extern __shared__ int line[];
    const int* row = input + (size_t)blockIdx.x * width;
    int* to = out + (size_t)blockIdx.x * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) line[i] = row[i];
    __syncthreads();
    int half = width / 2;
    for (int k = threadIdx.x; k < half; k += blockDim.x) {
        int right = 2 * k + 2 < width ? line[2 * k + 2] : line[2 * k];
        line[2 * k + 1] -= (line[2 * k] + right) >> 1;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < half; k += blockDim.x) {
        int left = k > 0 ? line[2 * k - 1] : line[1];
        line[2 * k] += (left + line[2 * k + 1] + 2) >> 2;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < half; k += blockDim.x) {
        to[k] = line[2 * k];
        to[half + k] = line[2 * k + 1];
    }
}
