// The originals of layers.rs.

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

__device__ float block_sum(float v, float* partial) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffffu, v, by);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < blockDim.x / 32; k++) sum += partial[k];
    __syncthreads();
    return sum;
}

extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias, float* out, int cols) {
    __shared__ float partial[32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float* to = out + (size_t)blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += row[i];
    float mean = block_sum(sum, partial) / cols;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float d = row[i] - mean;
        squares += d * d;
    }
    float scale = rsqrtf(block_sum(squares, partial) / cols + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) to[i] = (row[i] - mean) * scale * weight[i] + bias[i];
}

extern "C" __global__ void rope(float* x, const float* cosines, const float* sines, unsigned tokens, unsigned heads, unsigned dim) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned half = dim / 2;
    if (i >= tokens * heads * half) return;
    unsigned k = i % half;
    unsigned head = i / half % heads;
    unsigned token = i / half / heads;
    unsigned low = (token * heads + head) * dim + k;
    unsigned high = low + half;
    float c = cosines[token * half + k];
    float s = sines[token * half + k];
    float a = x[low];
    float b = x[high];
    x[low] = a * c - b * s;
    x[high] = a * s + b * c;
}

extern "C" __global__ void cross_entropy(const float* logits, const unsigned* targets, float* losses, int rows, int classes) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= rows) return;
    const float* row = logits + (size_t)r * classes;
    float largest = -INFINITY;
    for (int i = lane; i < classes; i += 32) largest = fmaxf(largest, row[i]);
    for (int by = 16; by > 0; by /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, by));
    float sum = 0.0f;
    for (int i = lane; i < classes; i += 32) sum += expf(row[i] - largest);
    for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
    if (lane == 0) losses[r] = logf(sum) + largest - row[targets[r]];
}

extern "C" __global__ void depthwise(const float* x, const float* weights, float* y, int images, int channels, int height,
                                     int width, int kernel, int pad) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= images * channels * height * width) return;
    int w = index % width;
    int h = index / width % height;
    int c = index / width / height % channels;
    int image = index / width / height / channels;
    int plane = (image * channels + c) * height * width;
    float sum = 0.0f;
    for (int kh = 0; kh < kernel; kh++) {
        for (int kw = 0; kw < kernel; kw++) {
            int ih = h - pad + kh;
            int iw = w - pad + kw;
            if (ih >= 0 && ih < height && iw >= 0 && iw < width)
                sum += x[plane + ih * width + iw] * weights[(c * kernel + kh) * kernel + kw];
        }
    }
    y[index] = sum;
}

__device__ bool within(int y, int x, int height, int width) {
    return y >= 0 && y < height && x >= 0 && x < width;
}

extern "C" __global__ void grid_sample(const float* input, const float* grid, float* out, int images, int channels, int in_h,
                                       int in_w, int out_h, int out_w) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= images * out_h * out_w) return;
    int w = index % out_w;
    int h = index / out_w % out_h;
    int n = index / (out_h * out_w);
    float ix = ((grid[2 * index] + 1.0f) * in_w - 1.0f) / 2.0f;
    float iy = ((grid[2 * index + 1] + 1.0f) * in_h - 1.0f) / 2.0f;
    int x0 = (int)floorf(ix), y0 = (int)floorf(iy);
    int x1 = x0 + 1, y1 = y0 + 1;
    float nw = (x1 - ix) * (y1 - iy);
    float ne = (ix - x0) * (y1 - iy);
    float sw = (x1 - ix) * (iy - y0);
    float se = (ix - x0) * (iy - y0);
    for (int c = 0; c < channels; c++) {
        int plane = (n * channels + c) * in_h * in_w;
        float v = 0.0f;
        if (within(y0, x0, in_h, in_w)) v += input[plane + y0 * in_w + x0] * nw;
        if (within(y0, x1, in_h, in_w)) v += input[plane + y0 * in_w + x1] * ne;
        if (within(y1, x0, in_h, in_w)) v += input[plane + y1 * in_w + x0] * sw;
        if (within(y1, x1, in_h, in_w)) v += input[plane + y1 * in_w + x1] * se;
        out[((n * channels + c) * out_h + h) * out_w + w] = v;
    }
}

struct Box {
    float x1, y1, x2, y2;
};

__device__ float box_area(Box a) {
    return (a.x2 - a.x1) * (a.y2 - a.y1);
}

__device__ float overlap(Box a, Box b) {
    float width = fmaxf(fminf(a.x2, b.x2) - fmaxf(a.x1, b.x1), 0.0f);
    float height = fmaxf(fminf(a.y2, b.y2) - fmaxf(a.y1, b.y1), 0.0f);
    float shared = width * height;
    return shared / (box_area(a) + box_area(b) - shared);
}

extern "C" __global__ void nms_mask(const Box* boxes, unsigned long long* mask, unsigned n, float threshold) {
    unsigned row_start = blockIdx.y;
    unsigned col_start = blockIdx.x;
    if (row_start > col_start) return;
    unsigned row_size = min(n - row_start * 64, 64u);
    unsigned col_size = min(n - col_start * 64, 64u);
    __shared__ Box others[64];
    if (threadIdx.x < col_size) others[threadIdx.x] = boxes[64 * col_start + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < row_size) {
        unsigned cur = 64 * row_start + threadIdx.x;
        Box own = boxes[cur];
        unsigned long long bits = 0;
        unsigned start = row_start == col_start ? threadIdx.x + 1 : 0;
        for (unsigned i = start; i < col_size; i++)
            if (overlap(own, others[i]) > threshold) bits |= 1ull << i;
        unsigned col_blocks = (n + 63) / 64;
        mask[cur * col_blocks + col_start] = bits;
    }
}
