// The originals of searches.rs.

__device__ int common_bits(const unsigned* codes, int n, int i, int j) {
    if (j < 0 || j >= n) return -1;
    unsigned ki = codes[i], kj = codes[j];
    if (ki == kj) return 32 + __clz(i ^ j);
    return __clz(ki ^ kj);
}

extern "C" __global__ void karras_nodes(const unsigned* codes, int* first, int* last, int* split, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    int d = common_bits(codes, n, i, i + 1) > common_bits(codes, n, i, i - 1) ? 1 : -1;
    int least = common_bits(codes, n, i, i - d);
    int most = 2;
    while (common_bits(codes, n, i, i + most * d) > least) most *= 2;
    int l = 0;
    for (int t = most / 2; t >= 1; t /= 2)
        if (common_bits(codes, n, i, i + (l + t) * d) > least) l += t;
    int j = i + l * d;
    int node = common_bits(codes, n, i, j);
    int s = 0;
    int t = l;
    do {
        t = (t + 1) / 2;
        if (common_bits(codes, n, i, i + (s + t) * d) > node) s += t;
    } while (t > 1);
    first[i] = min(i, j);
    last[i] = max(i, j);
    split[i] = i + s * d + min(d, 0);
}

struct Cell {
    float centre[3];
    float mass, size;
    unsigned first, count;
};

extern "C" __global__ void barnes_hut(const Cell* cells, const float* bodies, float* pulls, int n, float theta, float softening) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float own[3] = {bodies[3 * i], bodies[3 * i + 1], bodies[3 * i + 2]};
    float pull[3] = {0.0f, 0.0f, 0.0f};
    int stack[64];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Cell& cell = cells[stack[--top]];
        float dx = cell.centre[0] - own[0], dy = cell.centre[1] - own[1], dz = cell.centre[2] - own[2];
        float square = dx * dx + dy * dy + dz * dz;
        if (cell.count == 0 || cell.size * cell.size < theta * theta * square) {
            float r = rsqrtf(square + softening);
            float strength = cell.mass * r * r * r;
            pull[0] += strength * dx;
            pull[1] += strength * dy;
            pull[2] += strength * dz;
        } else {
            for (unsigned k = 0; k < cell.count; k++) stack[top++] = cell.first + k;
        }
    }
    for (int k = 0; k < 3; k++) pulls[3 * i + k] = pull[k];
}

#define PARTS 16

extern "C" __global__ void pq_scan(const float* tables, const unsigned* lists, const unsigned* starts, const unsigned char* codes,
                                   const unsigned* places, float* distances) {
    __shared__ float table[PARTS * 256];
    int pair = blockIdx.x;
    const float* own = tables + (size_t)pair * PARTS * 256;
    for (int i = threadIdx.x; i < PARTS * 256; i += blockDim.x) table[i] = own[i];
    __syncthreads();
    unsigned list = lists[pair];
    int start = starts[list], count = starts[list + 1] - start;
    const unsigned char* first = codes + (size_t)start * PARTS;
    float* out = distances + places[pair];
    for (int v = threadIdx.x; v < count; v += blockDim.x) {
        const unsigned char* code = first + (size_t)v * PARTS;
        float sum = 0.0f;
        for (int m = 0; m < PARTS; m++) sum += table[m * 256 + code[m]];
        out[v] = sum;
    }
}

#define TILE 16

__device__ int find(const volatile int* labels, int i) {
    while (labels[i] != i) i = labels[i];
    return i;
}

__device__ void unite(int* labels, int a, int b) {
    while (true) {
        a = find(labels, a);
        b = find(labels, b);
        if (a == b) return;
        if (a < b) {
            int t = a;
            a = b;
            b = t;
        }
        int old = atomicMin(&labels[a], b);
        if (old == a) return;
        a = old;
    }
}

extern "C" __global__ void tile_components(const unsigned char* image, int* out, int width, int height) {
    __shared__ int labels[TILE * TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    int own = ty * TILE + tx;
    bool inside = x < width && y < height;
    bool light = inside && image[y * width + x] > 127;
    labels[own] = light ? own : -1;
    __syncthreads();
    if (light && tx > 0 && labels[own - 1] >= 0) unite(labels, own, own - 1);
    if (light && ty > 0 && labels[own - TILE] >= 0) unite(labels, own, own - TILE);
    __syncthreads();
    if (inside) {
        int label = -1;
        if (light) {
            int root = find(labels, own);
            label = (blockIdx.y * TILE + root / TILE) * width + blockIdx.x * TILE + root % TILE;
        }
        out[y * width + x] = label;
    }
}

struct State {
    float v[3];
};

__device__ __forceinline__ State change(const State& s, const float* r) {
    float x = s.v[0], y = s.v[1], z = s.v[2];
    return {{x * (r[0] - r[1] * y), y * (r[1] * x - r[2] - r[3] * z), z * (r[3] * y - r[2])}};
}

__device__ __forceinline__ State along(const State& y, float h, const State& k) {
    return {{y.v[0] + h * k.v[0], y.v[1] + h * k.v[1], y.v[2] + h * k.v[2]}};
}

extern "C" __global__ void rk4_food_chain(const float* rates, float* populations, int n, int steps, float h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r[4];
    for (int k = 0; k < 4; k++) r[k] = rates[4 * i + k];
    State y = {{populations[3 * i], populations[3 * i + 1], populations[3 * i + 2]}};
    for (int step = 0; step < steps; step++) {
        State k1 = change(y, r);
        State k2 = change(along(y, 0.5f * h, k1), r);
        State k3 = change(along(y, 0.5f * h, k2), r);
        State k4 = change(along(y, h, k3), r);
        for (int k = 0; k < 3; k++) y.v[k] += h / 6.0f * (k1.v[k] + 2.0f * (k2.v[k] + k3.v[k]) + k4.v[k]);
    }
    for (int k = 0; k < 3; k++) populations[3 * i + k] = y.v[k];
}
