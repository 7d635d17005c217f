// The originals of local.rs.

extern "C" __global__ void median3x3(const unsigned char* image, unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        unsigned char window[9];
        int n = 0;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int row = min(max(y + dy, 0), height - 1);
                int col = min(max(x + dx, 0), width - 1);
                window[n++] = image[row * width + col];
            }
        }
        for (int i = 1; i < 9; i++) {
            unsigned char value = window[i];
            int at = i;
            while (at > 0 && window[at - 1] > value) {
                window[at] = window[at - 1];
                at--;
            }
            window[at] = value;
        }
        out[y * width + x] = window[4];
    }
}

extern "C" __global__ void lorenz96(const float* __restrict__ start, float* __restrict__ end, int n, int steps, float dt) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        float x[8], half[8];
        for (int k = 0; k < 8; k++) x[k] = start[k * n + id];
        for (int step = 0; step < steps; step++) {
            for (int k = 0; k < 8; k++) {
                float d = (x[(k + 1) % 8] - x[(k + 6) % 8]) * x[(k + 7) % 8] - x[k] + 8.0f;
                half[k] = x[k] + 0.5f * dt * d;
            }
            for (int k = 0; k < 8; k++) {
                float d = (half[(k + 1) % 8] - half[(k + 6) % 8]) * half[(k + 7) % 8] - half[k] + 8.0f;
                x[k] += dt * d;
            }
        }
        for (int k = 0; k < 8; k++) end[k * n + id] = x[k];
    }
}

extern "C" __global__ void edit_distance(const unsigned char* left, const unsigned char* right, unsigned* distances, unsigned pairs) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < pairs) {
        unsigned row[33];
        for (unsigned j = 0; j <= 32; j++) row[j] = j;
        for (unsigned i = 1; i <= 32; i++) {
            unsigned diagonal = row[0];
            row[0] = i;
            for (unsigned j = 1; j <= 32; j++) {
                unsigned above = row[j];
                bool same = left[id * 32 + i - 1] == right[id * 32 + j - 1];
                unsigned replaced = same ? diagonal : diagonal + 1;
                row[j] = min(min(replaced, above + 1), row[j - 1] + 1);
                diagonal = above;
            }
        }
        distances[id] = row[32];
    }
}

__constant__ int network[19][2] = {
    {0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
    {0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6},
};

extern "C" __global__ void sort8(const int* __restrict__ keys, int* __restrict__ sorted, int runs) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < runs) {
        int run[8];
        for (int k = 0; k < 8; k++) run[k] = keys[id * 8 + k];
        for (int p = 0; p < 19; p++) {
            int low = network[p][0], high = network[p][1];
            if (run[low] > run[high]) {
                int kept = run[low];
                run[low] = run[high];
                run[high] = kept;
            }
        }
        for (int k = 0; k < 8; k++) sorted[id * 8 + k] = run[k];
    }
}

extern "C" __global__ void dct8x8(const float* image, float* coefficients, const float* table, int width, int height) {
    int bx = blockIdx.x * blockDim.x + threadIdx.x;
    int by = blockIdx.y * blockDim.y + threadIdx.y;
    if (bx * 8 < width && by * 8 < height) {
        float rows[8][8];
        for (int y = 0; y < 8; y++) {
            for (int u = 0; u < 8; u++) {
                float sum = 0.0f;
                for (int x = 0; x < 8; x++) sum += image[(by * 8 + y) * width + bx * 8 + x] * table[u * 8 + x];
                rows[y][u] = sum;
            }
        }
        for (int v = 0; v < 8; v++) {
            for (int u = 0; u < 8; u++) {
                float sum = 0.0f;
                for (int y = 0; y < 8; y++) sum += rows[y][u] * table[v * 8 + y];
                coefficients[(by * 8 + v) * width + bx * 8 + u] = sum;
            }
        }
    }
}

extern "C" __global__ void nearest4(const float (*queries)[3], const float (*points)[3], unsigned (*nearest)[4], int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float query[3] = {queries[i][0], queries[i][1], queries[i][2]};
        float distances[4];
        unsigned indices[4];
        for (int k = 0; k < 4; k++) {
            distances[k] = 3.402823466e38f;
            indices[k] = 0;
        }
        for (int p = 0; p < count; p++) {
            float distance = 0.0f;
            for (int d = 0; d < 3; d++) {
                float off = points[p][d] - query[d];
                distance += off * off;
            }
            if (distance < distances[3]) {
                int at = 3;
                while (at > 0 && distances[at - 1] > distance) {
                    distances[at] = distances[at - 1];
                    indices[at] = indices[at - 1];
                    at--;
                }
                distances[at] = distance;
                indices[at] = p;
            }
        }
        for (int k = 0; k < 4; k++) nearest[i][k] = indices[k];
    }
}
