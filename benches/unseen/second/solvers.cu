// The originals of solvers.rs.

#define TILE 16
extern "C" __global__ void lud_internal(float* m, int dim, int offset) {
    __shared__ float rows[TILE][TILE];
    __shared__ float cols[TILE][TILE];
    int global_row = offset + (blockIdx.y + 1) * TILE;
    int global_col = offset + (blockIdx.x + 1) * TILE;
    rows[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * dim + global_col + threadIdx.x];
    cols[threadIdx.y][threadIdx.x] = m[(global_row + threadIdx.y) * dim + offset + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < TILE; i++) sum += cols[threadIdx.y][i] * rows[i][threadIdx.x];
    m[(global_row + threadIdx.y) * dim + global_col + threadIdx.x] -= sum;
}

extern "C" __global__ void gauss_eliminate(const float* m, float* a, float* b, int size, int t) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - t) return;
    if (y >= size - t) return;
    a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
    if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
}

struct System {
    double a[36];
    double b[6];
};

extern "C" __global__ void lu_batched(System* systems, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        System s = systems[id];
        for (int k = 0; k < 6; k++) {
            for (int i = k + 1; i < 6; i++) {
                double factor = s.a[i * 6 + k] / s.a[k * 6 + k];
                s.a[i * 6 + k] = factor;
                for (int j = k + 1; j < 6; j++) s.a[i * 6 + j] -= factor * s.a[k * 6 + j];
                s.b[i] -= factor * s.b[k];
            }
        }
        for (int i = 5; i >= 0; i--) {
            for (int j = i + 1; j < 6; j++) s.b[i] -= s.a[i * 6 + j] * s.b[j];
            s.b[i] /= s.a[i * 6 + i];
        }
        systems[id] = s;
    }
}

extern "C" __global__ void cell_model(const float* initial, const float* params, float* finals, int cells, int steps, float dt) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < cells) {
        float y[8], k1[8], k2[8], mid[8];
        for (int i = 0; i < 8; i++) y[i] = initial[i * cells + id];
        for (int step = 0; step < steps; step++) {
            for (int i = 0; i < 8; i++) {
                int left = (i + 7) % 8;
                k1[i] = params[i] * (1.0f - y[i]) - y[left] * y[i] / (1.0f + y[left]);
            }
            for (int i = 0; i < 8; i++) mid[i] = y[i] + 0.5f * dt * k1[i];
            for (int i = 0; i < 8; i++) {
                int left = (i + 7) % 8;
                k2[i] = params[i] * (1.0f - mid[i]) - mid[left] * mid[i] / (1.0f + mid[left]);
            }
            for (int i = 0; i < 8; i++) y[i] += dt * k2[i];
        }
        for (int i = 0; i < 8; i++) finals[i * cells + id] = y[i];
    }
}

#define PER_BOX 64
struct Box {
    int offset;
    int count;
    int neighbours[27];
};

extern "C" __global__ void lavamd(const Box* boxes, const float4* places, const float* charges, float4* forces, float alpha) {
    __shared__ float4 own[PER_BOX];
    __shared__ float4 others[PER_BOX];
    __shared__ float other_charges[PER_BOX];
    int t = threadIdx.x;
    Box box = boxes[blockIdx.x];
    own[t] = places[box.offset + t];
    __syncthreads();
    float4 force = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < box.count; k++) {
        int from = boxes[box.neighbours[k]].offset;
        others[t] = places[from + t];
        other_charges[t] = charges[from + t];
        __syncthreads();
        for (int j = 0; j < PER_BOX; j++) {
            float r2 = own[t].w + others[j].w - (own[t].x * others[j].x + own[t].y * others[j].y + own[t].z * others[j].z);
            float u2 = 2.0f * alpha * alpha * r2;
            float vij = expf(-u2);
            float fs = 2.0f * vij;
            float dx = own[t].x - others[j].x;
            float dy = own[t].y - others[j].y;
            float dz = own[t].z - others[j].z;
            force.w += other_charges[j] * vij;
            force.x += other_charges[j] * fs * dx;
            force.y += other_charges[j] * fs * dy;
            force.z += other_charges[j] * fs * dz;
        }
        __syncthreads();
    }
    forces[box.offset + t] = force;
}

extern "C" __global__ void resample(const float* xs, const float* ys, const float* cdf, const float* u, float* out_x, float* out_y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int index = -1;
        for (int x = 0; x < n; x++) {
            if (cdf[x] >= u[i]) {
                index = x;
                break;
            }
        }
        if (index == -1) index = n - 1;
        out_x[i] = xs[index];
        out_y[i] = ys[index];
    }
}

extern "C" __global__ void needle(const int* reference, int* matrix, int cols, int penalty, int diagonal, int last) {
    __shared__ int temp[TILE + 1][TILE + 1];
    __shared__ int ref[TILE][TILE];
    int t = threadIdx.x;
    int bx = blockIdx.x + (diagonal > last ? diagonal - last : 0);
    int by = diagonal - bx;
    int corner = cols * TILE * by + TILE * bx;
    for (int i = 0; i < TILE; i++) ref[i][t] = reference[corner + cols * (i + 1) + t + 1];
    if (t == 0) temp[0][0] = matrix[corner];
    temp[t + 1][0] = matrix[corner + cols * (t + 1)];
    temp[0][t + 1] = matrix[corner + t + 1];
    __syncthreads();
    for (int m = 0; m < TILE; m++) {
        if (t <= m) {
            int x = t + 1;
            int y = m - t + 1;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (t <= m) {
            int x = t + TILE - m;
            int y = TILE - t;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE; i++) matrix[corner + cols * (i + 1) + t + 1] = temp[i + 1][t + 1];
}
