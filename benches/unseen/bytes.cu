// The originals of bytes.rs.

extern "C" __global__ void crc32(const unsigned char* data, const unsigned* table, unsigned* sums, unsigned length, unsigned count) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        unsigned crc = 0xffffffffu;
        for (unsigned k = 0; k < length; k++) {
            unsigned char byte = data[id * length + k];
            crc = (crc >> 8) ^ table[(crc ^ byte) & 0xff];
        }
        sums[id] = ~crc;
    }
}

extern "C" __global__ void tone_curve(const unsigned char* image, const unsigned char* curve, unsigned char* out, unsigned n) {
    __shared__ unsigned char own[256];
    own[threadIdx.x] = curve[threadIdx.x];
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = own[image[i]];
}

__constant__ unsigned char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

extern "C" __global__ void base64(const unsigned char* data, unsigned char* text, unsigned triples) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < triples) {
        unsigned a = data[3 * i];
        unsigned b = data[3 * i + 1];
        unsigned c = data[3 * i + 2];
        unsigned word = a << 16 | b << 8 | c;
        text[4 * i] = alphabet[word >> 18];
        text[4 * i + 1] = alphabet[word >> 12 & 63];
        text[4 * i + 2] = alphabet[word >> 6 & 63];
        text[4 * i + 3] = alphabet[word & 63];
    }
}

extern "C" __global__ void fnv1a(const unsigned char* __restrict__ text, const unsigned* __restrict__ starts,
                                 unsigned long long* __restrict__ hashes, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        unsigned long long hash = 0xcbf29ce484222325ull;
        const unsigned char* end = text + starts[i + 1];
        for (const unsigned char* at = text + starts[i]; at < end; at++) {
            hash ^= *at;
            hash *= 0x100000001b3ull;
        }
        hashes[i] = hash;
    }
}

__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

extern "C" __global__ void mix32(const unsigned* keys, unsigned* hashes, unsigned seed, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) hashes[i] = mixed(keys[i] ^ seed);
}

extern "C" __global__ void count_bits(const unsigned char* bytes, unsigned* counts, unsigned n) {
    const unsigned* words = (const unsigned*)bytes;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[i] = __popc(words[2 * i]) + __popc(words[2 * i + 1]);
}

extern "C" __global__ void varint(const unsigned char* code, const unsigned* starts, unsigned* sums, unsigned rows) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        unsigned at = starts[row];
        unsigned end = starts[row + 1];
        unsigned sum = 0;
        while (at < end) {
            unsigned value = 0;
            int shift = 0;
            unsigned char byte;
            do {
                byte = code[at++];
                value |= (unsigned)(byte & 0x7f) << shift;
                shift += 7;
            } while (byte >= 128);
            sum += value;
        }
        sums[row] = sum;
    }
}

extern "C" __global__ void run_lengths(const unsigned char* values, const unsigned* starts, unsigned char* text, unsigned runs) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < runs) {
        unsigned char value = values[i];
        unsigned end = starts[i + 1];
        for (unsigned at = starts[i]; at < end; at++) text[at] = value;
    }
}

struct Block4 {
    float scale;
    unsigned char codes[16];
};

extern "C" __global__ void dequantize4(const Block4* __restrict__ blocks, float* __restrict__ weights, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float scale = blocks[i].scale;
        for (int k = 0; k < 16; k++) {
            unsigned char code = blocks[i].codes[k];
            weights[32 * i + k] = scale * ((code & 15) - 8.0f);
            weights[32 * i + k + 16] = scale * ((code >> 4) - 8.0f);
        }
    }
}

struct Block8 {
    float scale;
    signed char codes[32];
};

extern "C" __global__ void quantize8(const float* __restrict__ weights, Block8* __restrict__ blocks, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float largest = 0.0f;
        for (int k = 0; k < 32; k++) largest = fmaxf(largest, fabsf(weights[32 * i + k]));
        float scale = largest / 127.0f;
        float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
        blocks[i].scale = scale;
        for (int k = 0; k < 32; k++) blocks[i].codes[k] = (signed char)roundf(weights[32 * i + k] * inverse);
    }
}

extern "C" __global__ void dot_blocks8(const Block8* __restrict__ matrix, const Block8* __restrict__ vector, float* __restrict__ out,
                                       int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int b = 0; b < width; b++) {
            const Block8* block = &matrix[row * width + b];
            int dot = 0;
            for (int k = 0; k < 32; k++) dot += block->codes[k] * vector[b].codes[k];
            sum += block->scale * vector[b].scale * dot;
        }
        out[row] = sum;
    }
}
