// The kernels of main.rs, with wide accesses by hand.

#define FIRST(elements) ((elements) * (blockIdx.x * blockDim.x + threadIdx.x))

__device__ __forceinline__ float4 fma4(float a, float4 x, float4 y) {
    return make_float4(a * x.x + y.x, a * x.y + y.y, a * x.z + y.z, a * x.w + y.w);
}

extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned n) {
    unsigned i = FIRST(4);
    if (i + 4 <= n) {
        *(float4*)(y + i) = fma4(a, *(const float4*)(x + i), *(const float4*)(y + i));
    } else {
        for (; i < n; ++i) y[i] = a * x[i] + y[i];
    }
}

extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = FIRST(4);
    if (i + 4 <= n) {
        float4 u = *(const float4*)(a + i), v = *(const float4*)(b + i);
        *(float4*)(c + i) = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    } else {
        for (; i < n; ++i) c[i] = a[i] + b[i];
    }
}

extern "C" __global__ void copy(const float* x, float* y, unsigned n) {
    unsigned i = FIRST(4);
    if (i + 4 <= n) {
        *(float4*)(y + i) = *(const float4*)(x + i);
    } else {
        for (; i < n; ++i) y[i] = x[i];
    }
}

extern "C" __global__ void widen(const unsigned char* x, float* y, unsigned n) {
    unsigned i = FIRST(4);
    if (i + 4 <= n) {
        uchar4 u = *(const uchar4*)(x + i);
        *(float4*)(y + i) = make_float4(u.x, u.y, u.z, u.w);
    } else {
        for (; i < n; ++i) y[i] = x[i];
    }
}

__device__ __forceinline__ unsigned short bf16_of(float value) {
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ __forceinline__ unsigned bf16x2_of(float low, float high) {
    unsigned bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
}

__device__ __forceinline__ float float_of(unsigned bits) {
    return __uint_as_float(bits << 16);
}

extern "C" __global__ void narrow(const float* x, unsigned short* y, unsigned n) {
    unsigned i = FIRST(4);
    if (i + 4 <= n) {
        float4 u = *(const float4*)(x + i);
        *(uint2*)(y + i) = make_uint2(bf16x2_of(u.x, u.y), bf16x2_of(u.z, u.w));
    } else {
        for (; i < n; ++i) y[i] = bf16_of(x[i]);
    }
}

__device__ __forceinline__ unsigned mixed(unsigned v) {
    return ((v ^ 0x5a) * 3 + (v >> 4)) & 0xff;
}

__device__ __forceinline__ unsigned mixed4(unsigned v) {
    return mixed(v & 0xff) | mixed(v >> 8 & 0xff) << 8 | mixed(v >> 16 & 0xff) << 16 | mixed(v >> 24) << 24;
}

extern "C" __global__ void bytes(const unsigned char* x, unsigned char* y, unsigned n) {
    unsigned i = FIRST(16);
    if (i + 16 <= n) {
        uint4 u = *(const uint4*)(x + i);
        *(uint4*)(y + i) = make_uint4(mixed4(u.x), mixed4(u.y), mixed4(u.z), mixed4(u.w));
    } else {
        for (; i < n; ++i) y[i] = (unsigned char)mixed(x[i]);
    }
}

__device__ __forceinline__ unsigned scaled2(float a, unsigned v) {
    return bf16x2_of(a * float_of(v & 0xffff), a * float_of(v >> 16));
}

extern "C" __global__ void scale_bf16(float a, const unsigned short* x, unsigned short* y, unsigned n) {
    unsigned i = FIRST(8);
    if (i + 8 <= n) {
        uint4 u = *(const uint4*)(x + i);
        *(uint4*)(y + i) = make_uint4(scaled2(a, u.x), scaled2(a, u.y), scaled2(a, u.z), scaled2(a, u.w));
    } else {
        for (; i < n; ++i) y[i] = bf16_of(a * float_of(x[i]));
    }
}

extern "C" __global__ void drift(float dt, float* x, float* y, float* z, const float* vx, const float* vy, const float* vz, unsigned n) {
    unsigned i = FIRST(4);
    if (i + 4 <= n) {
        *(float4*)(x + i) = fma4(dt, *(const float4*)(vx + i), *(const float4*)(x + i));
        *(float4*)(y + i) = fma4(dt, *(const float4*)(vy + i), *(const float4*)(y + i));
        *(float4*)(z + i) = fma4(dt, *(const float4*)(vz + i), *(const float4*)(z + i));
    } else {
        for (; i < n; ++i) {
            x[i] += dt * vx[i];
            y[i] += dt * vy[i];
            z[i] += dt * vz[i];
        }
    }
}
