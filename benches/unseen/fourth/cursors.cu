// The originals of cursors.rs.

extern "C" __global__ void ring_average(const float* x, float* y, unsigned series, unsigned n, unsigned window) {
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= series) return;
    float ring[32] = {};
    unsigned head = 0;
    float sum = 0.0f;
    for (unsigned i = 0; i < n; i++) {
        float v = x[i * series + s];
        sum += v - ring[head];
        ring[head] = v;
        if (++head == window) head = 0;
        y[i * series + s] = sum / window;
    }
}

extern "C" __global__ void recursive_gauss(const float* x, float* y, int w, int h, float a0, float a1, float b1, float b2) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= w) return;
    int at = col;
    float xp = 0.0f, yp = 0.0f, yb = 0.0f;
    for (int i = 0; i < h; i++) {
        float xc = x[at];
        float yc = a0 * xc + a1 * xp - b1 * yp - b2 * yb;
        y[at] = yc;
        at += w;
        xp = xc;
        yb = yp;
        yp = yc;
    }
    at -= w;
    float xn = 0.0f, yn = 0.0f, ya = 0.0f;
    for (int i = h - 1; i >= 0; i--) {
        float xc = x[at];
        float yc = a1 * xn - b1 * yn - b2 * ya;
        xn = xc;
        ya = yn;
        yn = yc;
        y[at] += yc;
        at -= w;
    }
}

extern "C" __global__ void rle_expand(const unsigned* starts, const unsigned char* values, unsigned char* out, unsigned runs,
                                      unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned low = 0, high = runs;
    while (low + 1 < high) {
        unsigned mid = (low + high) / 2;
        if (starts[mid] <= i) low = mid;
        else high = mid;
    }
    out[i] = values[low];
}

extern "C" __global__ void huffman(const unsigned* bits, const unsigned* starts, const unsigned char* symbols,
                                   const unsigned char* lengths, unsigned char* out, unsigned chunks, unsigned per) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= chunks) return;
    unsigned at = starts[i];
    for (unsigned k = 0; k < per; k++) {
        unsigned word = at / 32, bit = at % 32;
        unsigned long long window = ((unsigned long long)bits[word + 1] << 32 | bits[word]) >> bit;
        unsigned code = window & 0xff;
        out[i * per + k] = symbols[code];
        at += lengths[code];
    }
}

__device__ unsigned mixed(unsigned h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

extern "C" __global__ void hash_lookup(const unsigned* keys, unsigned* out, const unsigned* table_keys,
                                       const unsigned* table_values, unsigned n, unsigned capacity) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i];
    unsigned slot = mixed(key) % capacity;
    while (table_keys[slot] != 0xffffffffu) {
        if (table_keys[slot] == key) {
            out[i] = table_values[slot];
            return;
        }
        if (++slot == capacity) slot = 0;
    }
    out[i] = 0xffffffffu;
}

extern "C" __global__ void banded(const unsigned char* a, const unsigned char* b, int* scores, int* rows, unsigned n, unsigned m,
                                  unsigned band, unsigned pairs) {
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    unsigned width = 2 * band + 1;
    for (unsigned j = 0; j < width; j++) rows[j * pairs + p] = 0;
    int best = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned low = i > band ? i - band : 0, high = min(i + band + 1, m);
        int left = 0;
        for (unsigned j = low; j < high; j++) {
            unsigned slot = j + band - i;
            int diag = rows[slot * pairs + p];
            int up = slot + 1 < width ? rows[(slot + 1) * pairs + p] : 0;
            int same = a[i * pairs + p] == b[j * pairs + p] ? 2 : -1;
            int s = max(max(diag + same, up - 1), max(left - 1, 0));
            rows[slot * pairs + p] = s;
            left = s;
            best = max(best, s);
        }
    }
    scores[p] = best;
}
