// Option prices, the Mandelbrot set, and the bitonic sort of 1024 keys a block.
#pragma once

__device__ float normal_below(float d) {
    float k = __fdividef(1, 1 + 0.2316419f * fabsf(d));
    float above = 0.39894228f * __expf(-0.5f * d * d) *
                  (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - above : above;
}

__global__ void black_scholes(const float* __restrict__ price, const float* __restrict__ strike,
                              const float* __restrict__ years, float* __restrict__ call, float* __restrict__ put,
                              float riskless, float volatility, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrtf(t);
    float d1 = __fdividef(__logf(__fdividef(s, x)) + (riskless + 0.5f * volatility * volatility) * t, spread);
    float below_1 = normal_below(d1), below_2 = normal_below(d1 - spread);
    float discounted = x * __expf(-riskless * t);
    call[i] = s * below_1 - discounted * below_2;
    put[i] = discounted * (1 - below_2) - s * (1 - below_1);
}

__device__ unsigned escape_time(float re, float im, unsigned limit) {
    float x = 0, y = 0;
    for (unsigned step = 0; step < limit; ++step) {
        if (x * x + y * y > 4) return step;
        float next = x * x - y * y + re;
        y = x * y + y * x + im;
        x = next;
    }
    return limit;
}

__global__ void mandelbrot(unsigned* times, unsigned width, unsigned height, float2 corner, float pitch, unsigned limit) {
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < width && row < height)
        times[row * width + col] = escape_time(corner.x + col * pitch, corner.y + row * pitch, limit);
}

__global__ void bitonic_sort(const unsigned* __restrict__ keys, unsigned* __restrict__ sorted) {
    __shared__ unsigned tile[1024];
    unsigned t = threadIdx.x;
    keys += blockIdx.x * 1024;
    sorted += blockIdx.x * 1024;
    tile[t] = keys[t];
    tile[t + 512] = keys[t + 512];
    for (unsigned size = 2; size <= 1024; size *= 2) {
        bool ascending = (t & (size / 2)) == 0;
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned low = 2 * t - (t & (stride - 1));
            unsigned a = tile[low], b = tile[low + stride];
            if ((a > b) == ascending) {
                tile[low] = b;
                tile[low + stride] = a;
            }
        }
    }
    __syncthreads();
    sorted[t] = tile[t];
    sorted[t + 512] = tile[t + 512];
}
