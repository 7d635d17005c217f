// The originals of codes.rs.

__device__ unsigned rotl(unsigned x, int c) { return (x << c) | (x >> (32 - c)); }
__device__ unsigned rotr(unsigned x, int c) { return (x >> c) | (x << (32 - c)); }

__constant__ unsigned md5_k[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
__constant__ int md5_s[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

extern "C" __global__ void md5(const unsigned* blocks, unsigned* digests, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count) return;
    unsigned w[16];
    for (int i = 0; i < 16; i++) w[i] = blocks[id * 16 + i];
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (int i = 0; i < 64; i++) {
        unsigned f;
        int g;
        if (i < 16) {
            f = (b & c) | (~b & d);
            g = i;
        } else if (i < 32) {
            f = (d & b) | (~d & c);
            g = (5 * i + 1) % 16;
        } else if (i < 48) {
            f = b ^ c ^ d;
            g = (3 * i + 5) % 16;
        } else {
            f = c ^ (b | ~d);
            g = 7 * i % 16;
        }
        unsigned rotated = rotl(a + f + md5_k[i] + w[g], md5_s[i / 16 * 4 + i % 4]);
        a = d;
        d = c;
        c = b;
        b += rotated;
    }
    digests[id * 4] = a + 0x67452301;
    digests[id * 4 + 1] = b + 0xefcdab89;
    digests[id * 4 + 2] = c + 0x98badcfe;
    digests[id * 4 + 3] = d + 0x10325476;
}

extern "C" __global__ void sha256(const unsigned* blocks, const unsigned* k, unsigned* digests, unsigned count) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        unsigned w[64];
        for (int t = 0; t < 16; t++) w[t] = blocks[id * 16 + t];
        for (int t = 16; t < 64; t++) {
            unsigned s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
            unsigned s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
        unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
        unsigned v[8];
        for (int i = 0; i < 8; i++) v[i] = h[i];
        for (int t = 0; t < 64; t++) {
            unsigned s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
            unsigned ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
            unsigned t1 = v[7] + s1 + ch + k[t] + w[t];
            unsigned s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
            unsigned maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            unsigned t2 = s0 + maj;
            for (int i = 7; i > 0; i--) v[i] = v[i - 1];
            v[4] += t1;
            v[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++) digests[id * 8 + i] = h[i] + v[i];
    }
}

extern "C" __global__ void aes_tables(const unsigned* blocks, const unsigned* table, const unsigned* keys, unsigned* out, int count, int rounds) {
    __shared__ unsigned t0[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) t0[i] = table[i];
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        unsigned s[4];
        for (int i = 0; i < 4; i++) s[i] = blocks[4 * id + i] ^ keys[i];
        for (int r = 1; r < rounds; r++) {
            unsigned t[4];
            for (int i = 0; i < 4; i++) {
                t[i] = t0[s[i] >> 24] ^ rotr(t0[(s[(i + 1) % 4] >> 16) & 0xff], 8) ^ rotr(t0[(s[(i + 2) % 4] >> 8) & 0xff], 16)
                       ^ rotr(t0[s[(i + 3) % 4] & 0xff], 24) ^ keys[4 * r + i];
            }
            for (int i = 0; i < 4; i++) s[i] = t[i];
        }
        for (int i = 0; i < 4; i++) out[4 * id + i] = s[i];
    }
}

extern "C" __global__ void crc64(const unsigned char* data, const int* starts, const unsigned long long* table, unsigned long long* sums, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        unsigned long long crc = ~0ull;
        for (int k = starts[id]; k < starts[id + 1]; k++) {
            crc = (crc >> 8) ^ table[(crc ^ data[k]) & 0xff];
        }
        sums[id] = ~crc;
    }
}

extern "C" __global__ void base64_decode(const unsigned char* text, const signed char* values, unsigned char* data, int* bad, int groups) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < groups) {
        int word = 0;
        bool wrong = false;
        for (int k = 0; k < 4; k++) {
            int v = values[text[4 * i + k]];
            if (v < 0) wrong = true;
            word = word << 6 | (v & 63);
        }
        if (wrong) atomicAdd(bad, 1);
        data[3 * i] = (unsigned char)(word >> 16);
        data[3 * i + 1] = (unsigned char)(word >> 8);
        data[3 * i + 2] = (unsigned char)word;
    }
}

extern "C" __global__ void dot_packed8(const unsigned* a, const unsigned* b, const float* scales, float* c, int m, int n, int words) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        int sum = 0;
        for (int k = 0; k < words; k++) {
            unsigned x = a[row * words + k], y = b[k * n + col];
            for (int s = 0; s < 32; s += 8) {
                sum += (int)(signed char)(x >> s & 0xff) * (int)(signed char)(y >> s & 0xff);
            }
        }
        c[row * n + col] = sum * scales[row];
    }
}

extern "C" __global__ void complex_multiply(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float ar = a[2 * i], ai = a[2 * i + 1];
        float br = b[2 * i], bi = b[2 * i + 1];
        c[2 * i] = ar * br - ai * bi;
        c[2 * i + 1] = ar * bi + ai * br;
    }
}
