// The originals of signals.rs.

extern "C" __global__ void conv2d(const float* image, const float* filter, float* out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int side = 2 * radius + 1;
        float sum = 0.0f;
        for (int dy = -radius; dy <= radius; dy++) {
            for (int dx = -radius; dx <= radius; dx++) {
                int px = x + dx, py = y + dy;
                if (px >= 0 && px < width && py >= 0 && py < height)
                    sum += image[py * width + px] * filter[(dy + radius) * side + dx + radius];
            }
        }
        out[y * width + x] = sum;
    }
}

extern "C" __global__ void fir(const float* __restrict__ signal, const float* __restrict__ taps, float* __restrict__ out, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = count - 1; k >= 0; k--)
            if (i >= k) sum += taps[k] * signal[i - k];
        out[i] = sum;
    }
}

extern "C" __global__ void biquad(const double* signal, double* out, double c0, double c1, double c2, double c3, double c4,
                                  int channels, int steps) {
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel < channels) {
        double x1 = 0.0, x2 = 0.0, y1 = 0.0, y2 = 0.0;
        for (int t = 0; t < steps; t++) {
            double x = signal[t * channels + channel];
            double y = c0 * x + c1 * x1 + c2 * x2 - c3 * y1 - c4 * y2;
            x2 = x1;
            x1 = x;
            y2 = y1;
            y1 = y;
            out[t * channels + channel] = y;
        }
    }
}

extern "C" __global__ void fft_stage(const float2* from, float2* to, unsigned span, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned half = n / 2;
    if (i < half) {
        unsigned k = i % span;
        float angle = -3.14159265f * k / span;
        float w = cosf(angle), v = sinf(angle);
        float2 a = from[i];
        float2 b = from[i + half];
        float2 turned = make_float2(b.x * w - b.y * v, b.x * v + b.y * w);
        unsigned at = (i - k) * 2 + k;
        to[at] = make_float2(a.x + turned.x, a.y + turned.y);
        to[at + span] = make_float2(a.x - turned.x, a.y - turned.y);
    }
}

extern "C" __global__ void max_pool(const float* input, float* output, int channels, int height, int width) {
    int out_height = (height - 3) / 2 + 1, out_width = (width - 3) / 2 + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.z;
    if (x < out_width && y < out_height && c < channels) {
        float largest = -3.402823466e38f;
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) largest = fmaxf(largest, input[(c * height + 2 * y + dy) * width + 2 * x + dx]);
        output[(c * out_height + y) * out_width + x] = largest;
    }
}

extern "C" __global__ void im2col(const float* image, float* columns, unsigned channels, unsigned height, unsigned width, unsigned k) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned out_width = width - k + 1;
    unsigned out_height = height - k + 1;
    if (i < channels * k * k * out_height * out_width) {
        unsigned x = i % out_width;
        unsigned y = i / out_width % out_height;
        unsigned tap = i / (out_width * out_height);
        unsigned dx = tap % k;
        unsigned dy = tap / k % k;
        unsigned c = tap / (k * k);
        columns[i] = image[(c * height + y + dy) * width + x + dx];
    }
}

extern "C" __global__ void resize(const unsigned char* image, unsigned char* out, int width, int height, int new_width, int new_height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < new_width && y < new_height) {
        float sx = (float)x * (width - 1) / (new_width - 1);
        float sy = (float)y * (height - 1) / (new_height - 1);
        int x0 = (int)sx, y0 = (int)sy;
        int x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1);
        float fx = sx - x0, fy = sy - y0;
        float upper = image[y0 * width + x0] * (1.0f - fx) + image[y0 * width + x1] * fx;
        float lower = image[y1 * width + x0] * (1.0f - fx) + image[y1 * width + x1] * fx;
        out[y * new_width + x] = (unsigned char)(upper * (1.0f - fy) + lower * fy + 0.5f);
    }
}

extern "C" __global__ void horner(const double* __restrict__ x, const double* __restrict__ coefficients, double* __restrict__ y, int n, int degree) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double value = 0.0;
        for (int k = degree - 1; k >= 0; k--) value = value * x[i] + coefficients[k];
        y[i] = value;
    }
}
