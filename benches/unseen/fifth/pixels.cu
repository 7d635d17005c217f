// The originals of pixels.rs.

extern "C" __global__ void demosaic(const unsigned char* raw, unsigned char* rgb, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int at = y * width + x;
    int here = raw[at];
    int row = raw[at - 1] + raw[at + 1];
    int column = raw[at - width] + raw[at + width];
    int corners = raw[at - width - 1] + raw[at - width + 1] + raw[at + width - 1] + raw[at + width + 1];
    int r, g, b;
    if (y % 2 == 0) {
        if (x % 2 == 0) {
            r = here;
            g = (row + column) / 4;
            b = corners / 4;
        } else {
            r = row / 2;
            g = here;
            b = column / 2;
        }
    } else {
        if (x % 2 == 0) {
            r = column / 2;
            g = here;
            b = row / 2;
        } else {
            r = corners / 4;
            g = (row + column) / 4;
            b = here;
        }
    }
    rgb[3 * at] = r;
    rgb[3 * at + 1] = g;
    rgb[3 * at + 2] = b;
}

__device__ float magnitude_at(const float* magnitude, int x, int y, int width, int height) {
    if (x < 0 || y < 0 || x >= width || y >= height) return 0.0f;
    return magnitude[y * width + x];
}

extern "C" __global__ void canny_thin(const float* magnitude, const unsigned char* angle, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float here = magnitude[y * width + x];
    float before, after;
    switch (angle[y * width + x]) {
        case 0:
            before = magnitude_at(magnitude, x - 1, y, width, height);
            after = magnitude_at(magnitude, x + 1, y, width, height);
            break;
        case 45:
            before = magnitude_at(magnitude, x + 1, y - 1, width, height);
            after = magnitude_at(magnitude, x - 1, y + 1, width, height);
            break;
        case 90:
            before = magnitude_at(magnitude, x, y - 1, width, height);
            after = magnitude_at(magnitude, x, y + 1, width, height);
            break;
        default:
            before = magnitude_at(magnitude, x - 1, y - 1, width, height);
            after = magnitude_at(magnitude, x + 1, y + 1, width, height);
    }
    out[y * width + x] = here > before && here >= after ? here : 0.0f;
}

__device__ unsigned clamped(int v) {
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

extern "C" __global__ void nv12_rgba(const unsigned char* luma, const unsigned char* chroma, unsigned* rgba, unsigned width,
                                     unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned pair = y / 2 * width + (x & ~1u);
    int c = 298 * ((int)luma[y * width + x] - 16);
    int u = (int)chroma[pair] - 128;
    int v = (int)chroma[pair + 1] - 128;
    unsigned r = clamped((c + 409 * v + 128) >> 8);
    unsigned g = clamped((c - 100 * u - 208 * v + 128) >> 8);
    unsigned b = clamped((c + 516 * u + 128) >> 8);
    rgba[y * width + x] = 255u << 24 | b << 16 | g << 8 | r;
}

extern "C" __global__ void erode(const unsigned char* in, unsigned char* out, int width, int height, int radius) {
    extern __shared__ unsigned char tile[];
    int tile_width = blockDim.x + 2 * radius;
    int tile_height = blockDim.y + 2 * radius;
    int left = (int)(blockIdx.x * blockDim.x) - radius;
    int top = (int)(blockIdx.y * blockDim.y) - radius;
    for (int j = threadIdx.y; j < tile_height; j += blockDim.y) {
        for (int i = threadIdx.x; i < tile_width; i += blockDim.x) {
            int x = min(max(left + i, 0), width - 1);
            int y = min(max(top + j, 0), height - 1);
            tile[j * tile_width + i] = in[y * width + x];
        }
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int least = 255;
    for (int j = 0; j <= 2 * radius; j++)
        for (int i = 0; i <= 2 * radius; i++)
            least = min(least, (int)tile[(threadIdx.y + j) * tile_width + threadIdx.x + i]);
    out[y * width + x] = least;
}

extern "C" __global__ void distance_columns(const unsigned char* mask, int* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    int far = width + height;
    int distance = far;
    for (int y = 0; y < height; y++) {
        distance = mask[y * width + x] ? 0 : min(distance + 1, far);
        out[y * width + x] = distance;
    }
    for (int y = height - 1; y >= 0; y--) {
        distance = min(distance + 1, out[y * width + x]);
        out[y * width + x] = distance;
    }
}

extern "C" __global__ void motion_search(const unsigned char* current, const unsigned char* reference, unsigned* best,
                                         unsigned width, unsigned stride) {
    __shared__ unsigned char own[64];
    __shared__ unsigned keys[256];
    unsigned t = threadIdx.y * 16 + threadIdx.x;
    unsigned x = blockIdx.x * 8, y = blockIdx.y * 8;
    if (t < 64) own[t] = current[(y + t / 8) * width + x + t % 8];
    __syncthreads();
    unsigned sad = 0;
    for (unsigned j = 0; j < 8; j++) {
        for (unsigned i = 0; i < 8; i++) {
            int a = own[j * 8 + i];
            int b = reference[(y + threadIdx.y + j) * stride + x + threadIdx.x + i];
            sad += abs(a - b);
        }
    }
    keys[t] = sad << 8 | t;
    __syncthreads();
    for (unsigned s = 128; s > 0; s >>= 1) {
        if (t < s) keys[t] = min(keys[t], keys[t + s]);
        __syncthreads();
    }
    if (t == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = keys[0];
}
