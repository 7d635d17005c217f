// The originals of numbers.rs.

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

__device__ unsigned rotl(unsigned v, int by) {
    return v << by | v >> (32 - by);
}

__device__ void quarter(unsigned* s, int a, int b, int c, int d) {
    s[a] += s[b];
    s[d] = rotl(s[d] ^ s[a], 16);
    s[c] += s[d];
    s[b] = rotl(s[b] ^ s[c], 12);
    s[a] += s[b];
    s[d] = rotl(s[d] ^ s[a], 8);
    s[c] += s[d];
    s[b] = rotl(s[b] ^ s[c], 7);
}

extern "C" __global__ void chacha20(const unsigned* key, const unsigned* nonce, unsigned* data, int blocks, unsigned counter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks) return;
    unsigned start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int k = 0; k < 8; k++) start[4 + k] = key[k];
    start[12] = counter + i;
    for (int k = 0; k < 3; k++) start[13 + k] = nonce[k];
    unsigned s[16];
    for (int k = 0; k < 16; k++) s[k] = start[k];
    for (int round = 0; round < 10; round++) {
        quarter(s, 0, 4, 8, 12);
        quarter(s, 1, 5, 9, 13);
        quarter(s, 2, 6, 10, 14);
        quarter(s, 3, 7, 11, 15);
        quarter(s, 0, 5, 10, 15);
        quarter(s, 1, 6, 11, 12);
        quarter(s, 2, 7, 8, 13);
        quarter(s, 3, 4, 9, 14);
    }
    for (int k = 0; k < 16; k++) data[16 * i + k] ^= s[k] + start[k];
}

#define PRIME1 0x9e3779b1u
#define PRIME2 0x85ebca77u
#define PRIME3 0xc2b2ae3du
#define PRIME4 0x27d4eb2fu

extern "C" __global__ void xxhash(const unsigned* data, unsigned* hashes, int records, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= records) return;
    const unsigned* record = data + (size_t)i * words;
    unsigned acc[4] = {PRIME1 + PRIME2, PRIME2, 0, 0u - PRIME1};
    int at = 0;
    for (; at + 4 <= words; at += 4)
        for (int k = 0; k < 4; k++) acc[k] = rotl(acc[k] + record[at + k] * PRIME2, 13) * PRIME1;
    unsigned h = rotl(acc[0], 1) + rotl(acc[1], 7) + rotl(acc[2], 12) + rotl(acc[3], 18) + 4 * (unsigned)words;
    for (; at < words; at++) h = rotl(h + record[at] * PRIME3, 17) * PRIME4;
    h ^= h >> 15;
    h *= PRIME2;
    h ^= h >> 13;
    h *= PRIME3;
    hashes[i] = h ^ h >> 16;
}

extern "C" __global__ void sobol(unsigned n_vectors, const unsigned* directions, float* output) {
    __shared__ unsigned v[32];
    directions += 32 * blockIdx.y;
    output += n_vectors * blockIdx.y;
    if (threadIdx.x < 32) v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();
    unsigned i0 = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned stride = gridDim.x * blockDim.x;
    unsigned g = i0 ^ (i0 >> 1);
    unsigned x = 0;
    for (unsigned k = 0; k < __ffs(stride) - 1; k++) {
        unsigned mask = 0u - (g & 1);
        x ^= mask & v[k];
        g = g >> 1;
    }
    if (i0 < n_vectors) output[i0] = (float)x * 2.3283064e-10f;
    unsigned v_stride = v[__ffs(stride) - 2];
    unsigned v_mask = stride - 1;
    for (unsigned i = i0 + stride; i < n_vectors; i += stride) {
        x ^= v_stride ^ v[__ffs(~((i - stride) | v_mask)) - 1];
        output[i] = (float)x * 2.3283064e-10f;
    }
}

#define THREADS 128
#define ELEMENTS 4
#define STEPS (THREADS * ELEMENTS)

struct Contract {
    float s, x, vdt, pu, pd;
};

__device__ float expiry_value(float s, float x, float vdt, int i) {
    float d = s * expf(vdt * (2.0f * i - STEPS)) - x;
    return d > 0.0f ? d : 0.0f;
}

extern "C" __global__ void binomial(const Contract* contracts, float* values) {
    __shared__ float exchange[THREADS + 1];
    int tid = threadIdx.x;
    Contract contract = contracts[blockIdx.x];
    float s = contract.s, x = contract.x, vdt = contract.vdt, pu = contract.pu, pd = contract.pd;
    float call[ELEMENTS + 1];
#pragma unroll
    for (int i = 0; i < ELEMENTS; ++i) call[i] = expiry_value(s, x, vdt, tid * ELEMENTS + i);
    if (tid == 0) exchange[THREADS] = expiry_value(s, x, vdt, STEPS);
    int final_it = max(0, tid * ELEMENTS - 1);
#pragma unroll 16
    for (int i = STEPS; i > 0; --i) {
        exchange[tid] = call[0];
        __syncthreads();
        call[ELEMENTS] = exchange[tid + 1];
        __syncthreads();
        if (i > final_it) {
#pragma unroll
            for (int j = 0; j < ELEMENTS; ++j) call[j] = pu * call[j + 1] + pd * call[j];
        }
    }
    if (tid == 0) values[blockIdx.x] = call[0];
}

__device__ unsigned xorshift(unsigned* state) {
    unsigned x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

__device__ float normal(unsigned* state) {
    float a = ((xorshift(state) >> 8) + 1) * 5.9604645e-8f;
    float b = (xorshift(state) >> 8) * 5.9604645e-8f;
    return sqrtf(-2.0f * logf(a)) * cosf(6.2831855f * b);
}

extern "C" __global__ void asian(const unsigned* seeds, float* payoffs, int n, int paths, int steps, float spot, float strike,
                                 float drift, float volatility) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = seeds[i];
    float sum = 0.0f;
    for (int path = 0; path < paths; path++) {
        float price = spot, total = 0.0f;
        for (int step = 0; step < steps; step++) {
            price *= expf(drift + volatility * normal(&state));
            total += price;
        }
        sum += fmaxf(total / steps - strike, 0.0f);
    }
    payoffs[i] = sum / paths;
}

struct Node {
    float low[3];
    unsigned first;
    float high[3];
    unsigned count;
};

struct Ray {
    float origin[3], inverse[3];
};

// The distance to a box, or a negative number.
__device__ float hit(const Ray* ray, const float* low, const float* high) {
    float enter = 0.0f, leave = INFINITY;
    for (int k = 0; k < 3; k++) {
        float a = (low[k] - ray->origin[k]) * ray->inverse[k];
        float b = (high[k] - ray->origin[k]) * ray->inverse[k];
        enter = fmaxf(enter, fminf(a, b));
        leave = fminf(leave, fmaxf(a, b));
    }
    return enter <= leave ? enter : -1.0f;
}

extern "C" __global__ void bvh_rays(const Node* nodes, const Node* boxes, const Ray* rays, float* distances, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray ray = rays[i];
    float nearest = INFINITY;
    unsigned stack[32];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        Node node = nodes[stack[--top]];
        float entered = hit(&ray, node.low, node.high);
        if (entered < 0.0f || entered >= nearest) continue;
        if (node.count == 0) {
            stack[top++] = node.first;
            stack[top++] = node.first + 1;
            continue;
        }
        for (unsigned k = node.first; k < node.first + node.count; k++) {
            float t = hit(&ray, boxes[k].low, boxes[k].high);
            if (t >= 0.0f) nearest = fminf(nearest, t);
        }
    }
    distances[i] = nearest;
}
