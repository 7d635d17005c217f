// The originals of maps.rs.

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

extern "C" __global__ void add_i32(const int* a, const int* b, int* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void triad(double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c, double scalar, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) a[i] = b[i] + scalar * c[i];
}

#ifdef UNSEEN_HOST
__device__ unsigned short bf16_of(float value) {
    unsigned bits = __float_as_uint(value);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
#else
__device__ __forceinline__ unsigned short bf16_of(float value) {
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
#endif

__device__ __forceinline__ float float_of(unsigned short bits) {
    return __uint_as_float((unsigned)bits << 16);
}

extern "C" __global__ void scale_bf16(const unsigned short* x, unsigned short* y, float factor, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = bf16_of(float_of(x[i]) * factor);
}

extern "C" __global__ void brighten(const unsigned char* input, unsigned char* output, int by, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = input[i] + by;
        output[i] = v > 255 ? 255 : v < 0 ? 0 : v;
    }
}

extern "C" __global__ void gray(const unsigned char* rgb, unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int at = y * width + x;
        float r = rgb[3 * at];
        float g = rgb[3 * at + 1];
        float b = rgb[3 * at + 2];
        out[at] = (unsigned char)(0.25f * r + 0.625f * g + 0.125f * b);
    }
}

extern "C" __global__ void widen(const unsigned char* input, float* output, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i] / 255.0f;
}

extern "C" __global__ void gelu(const float* __restrict__ x, float* __restrict__ y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float v = x[i];
        float cube = 0.044715f * v * v * v;
        y[i] = 0.5f * v * (1.0f + tanhf(0.7978846f * (v + cube)));
    }
}

struct Contract {
    float forward, strike, years, volatility;
};

extern "C" __global__ void option_price(const Contract* contracts, float rate, float2* prices, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Contract c = contracts[i];
        float spread = c.volatility * sqrtf(c.years);
        float d1 = (logf(c.forward / c.strike) + 0.5f * c.volatility * c.volatility * c.years) / spread;
        float d2 = d1 - spread;
        float discount = expf(-rate * c.years);
        float call = discount * (c.forward * normcdff(d1) - c.strike * normcdff(d2));
        float put = discount * (c.strike * normcdff(-d2) - c.forward * normcdff(-d1));
        prices[i] = make_float2(call, put);
    }
}

extern "C" __global__ void julia(int* out, int width, int height, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    double x = 3.0 * px / width - 1.5;
    double y = 2.0 * py / height - 1.0;
    int steps = 0;
    while (steps < limit && x * x + y * y < 4.0) {
        double next = x * x - y * y - 0.8;
        y = 2.0 * x * y + 0.156;
        x = next;
        steps++;
    }
    out[py * width + px] = steps;
}

extern "C" __global__ void drift(const float* x, const float* y, const float* vx, const float* vy, float* nx, float* ny, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float px = x[i] + vx[i] * dt;
        float py = y[i] + vy[i] * dt;
        nx[i] = px > 1.0f ? 2.0f - px : px;
        ny[i] = py < -1.0f ? -2.0f - py : py;
    }
}

extern "C" __global__ void gather(const float* x, const unsigned* indices, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[indices[i]];
}
