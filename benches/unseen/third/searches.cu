// The originals of searches.rs.

extern "C" __global__ void nqueens(const unsigned* columns, const unsigned* falling, const unsigned* rising, unsigned* counts,
                                   int n, int rows, int total) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= total) return;
    unsigned cols[16], lefts[16], rights[16], open[16];
    unsigned all = (1u << n) - 1;
    cols[0] = columns[id];
    lefts[0] = falling[id];
    rights[0] = rising[id];
    open[0] = all & ~(cols[0] | lefts[0] | rights[0]);
    unsigned found = 0;
    int depth = 0;
    while (depth >= 0) {
        unsigned bits = open[depth];
        if (bits == 0) {
            depth--;
            continue;
        }
        unsigned bit = bits & (0u - bits);
        open[depth] = bits ^ bit;
        if (depth + 1 == rows) {
            found++;
        } else {
            cols[depth + 1] = cols[depth] | bit;
            lefts[depth + 1] = (lefts[depth] | bit) << 1;
            rights[depth + 1] = (rights[depth] | bit) >> 1;
            depth++;
            open[depth] = all & ~(cols[depth] | lefts[depth] | rights[depth]);
        }
    }
    counts[id] = found;
}

struct Place {
    float x, y;
};

extern "C" __global__ void kd_nearest(const Place* tree, const Place* queries, float* nearest, unsigned nodes, unsigned count) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count) return;
    float x = queries[id].x, y = queries[id].y;
    unsigned stack[24];
    unsigned top = 1;
    stack[0] = 0;
    float best = 1e30f;
    while (top > 0) {
        top--;
        unsigned at = stack[top];
        unsigned depth = 31 - __clz(at + 1);
        while (at < nodes) {
            Place place = tree[at];
            float dx = x - place.x, dy = y - place.y;
            best = fminf(best, dx * dx + dy * dy);
            float side = depth % 2 == 0 ? dx : dy;
            unsigned near = 2 * at + 1, far = 2 * at + 2;
            if (side > 0.0f) {
                near = 2 * at + 2;
                far = 2 * at + 1;
            }
            if (side * side < best && far < nodes) {
                stack[top] = far;
                top++;
            }
            at = near;
            depth++;
        }
    }
    nearest[id] = best;
}

extern "C" __global__ void lz_decode(const unsigned char* packed, const unsigned* from, unsigned char* plain, const unsigned* to,
                                     int packets) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= packets) return;
    unsigned in = from[id], end = from[id + 1];
    unsigned out = to[id];
    while (in < end) {
        unsigned token = packed[in];
        in++;
        unsigned literals = token >> 4;
        for (unsigned i = 0; i < literals; i++) plain[out + i] = packed[in + i];
        in += literals;
        out += literals;
        if (in >= end) break;
        unsigned back = packed[in] | packed[in + 1] << 8;
        in += 2;
        unsigned length = (token & 15) + 4;
        for (unsigned i = 0; i < length; i++) plain[out + i] = plain[out + i - back];
        out += length;
    }
}

extern "C" __global__ void csr_stream(const unsigned* blocks, const unsigned* rows, const unsigned* cols, const float* values,
                                      const float* x, float* y) {
    __shared__ float products[512];
    unsigned first = blocks[blockIdx.x], last = blocks[blockIdx.x + 1];
    unsigned start = rows[first], count = rows[last] - start;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) products[i] = values[start + i] * x[cols[start + i]];
    __syncthreads();
    for (unsigned row = first + threadIdx.x; row < last; row += blockDim.x) {
        float sum = 0.0f;
        for (unsigned i = rows[row] - start; i < rows[row + 1] - start; i++) sum += products[i];
        y[row] = sum;
    }
}

extern "C" __global__ void dfa_lines(const unsigned char* text, const unsigned* lines, const unsigned char* table,
                                     unsigned* states, unsigned count) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        unsigned state = 0;
        for (unsigned at = lines[id]; at < lines[id + 1]; at++) state = table[state * 256 + text[at]];
        states[id] = state;
    }
}
