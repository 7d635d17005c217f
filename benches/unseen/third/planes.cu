// The originals of planes.rs.

extern "C" __global__ void align_diagonal(const unsigned char* a, const unsigned char* b, const int* before, const int* last,
                                          int* next, int* best, int k, int rows, int cols) {
    int low = max(0, k - rows + 1), high = min(k, cols - 1);
    int j = low + blockIdx.x * blockDim.x + threadIdx.x;
    if (j > high) return;
    int i = k - j;
    int score = a[i] == b[j] ? 3 : -2;
    int corner = i > 0 && j > 0 ? before[j - 1] : 0;
    int left = j > 0 ? last[j - 1] : 0;
    int up = i > 0 ? last[j] : 0;
    int h = max(max(0, corner + score), max(left - 1, up - 1));
    next[j] = h;
    if (h > best[j]) best[j] = h;
}

__device__ float tap(const unsigned char* image, int width, int height, int x, int y) {
    return x >= 0 && x < width && y >= 0 && y < height ? (float)image[y * width + x] : 0.0f;
}

extern "C" __global__ void warp_affine(const unsigned char* image, float* out, int width, int height, float xx, float xy,
                                       float x0, float yx, float yy, float y0) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sx = xx * x + xy * y + x0;
    float sy = yx * x + yy * y + y0;
    float fx = floorf(sx), fy = floorf(sy);
    int ix = (int)fx, iy = (int)fy;
    float wx = sx - fx, wy = sy - fy;
    float top = tap(image, width, height, ix, iy) * (1.0f - wx) + tap(image, width, height, ix + 1, iy) * wx;
    float bottom = tap(image, width, height, ix, iy + 1) * (1.0f - wx) + tap(image, width, height, ix + 1, iy + 1) * wx;
    out[y * width + x] = top * (1.0f - wy) + bottom * wy;
}

extern "C" __global__ void sharpen_tile(const float* image, float* out, int width, int height) {
    __shared__ float tile[18][34];
    int tx = threadIdx.x, ty = threadIdx.y;
    int left = blockIdx.x * 32, top = blockIdx.y * 16;
    for (int r = ty; r < 18; r += 16) {
        for (int c = tx; c < 34; c += 32) {
            int x = min(max(left + c - 1, 0), width - 1);
            int y = min(max(top + r - 1, 0), height - 1);
            tile[r][c] = image[y * width + x];
        }
    }
    __syncthreads();
    int x = left + tx, y = top + ty;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) sum += tile[ty + r][tx + c];
        }
        out[y * width + x] = 2.0f * tile[ty + 1][tx + 1] - sum / 9.0f;
    }
}
