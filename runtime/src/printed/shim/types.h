// CUDA's words and types, as a C++ compiler of the host takes them.

#define __device__
#define __global__ static
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __CUDA_ARCH__ 900
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#define __builtin_assume(condition) ws_assume(condition)

#define WS_VECTOR1(name, type) struct name##1 { type x; };
#define WS_VECTOR2(name, type, bytes) struct __align__(bytes) name##2 { type x, y; };
#define WS_VECTOR3(name, type) struct name##3 { type x, y, z; };
#define WS_VECTOR4(name, type, bytes) struct __align__(bytes) name##4 { type x, y, z, w; };
#define WS_VECTORS(name, type, two, four) \
    WS_VECTOR1(name, type) WS_VECTOR2(name, type, two) WS_VECTOR3(name, type) WS_VECTOR4(name, type, four)

WS_VECTORS(char, signed char, 2, 4)
WS_VECTORS(uchar, unsigned char, 2, 4)
WS_VECTORS(short, short, 4, 8)
WS_VECTORS(ushort, unsigned short, 4, 8)
WS_VECTORS(int, int, 8, 16)
WS_VECTORS(uint, unsigned int, 8, 16)
WS_VECTORS(float, float, 8, 16)
WS_VECTOR1(longlong, long long)
WS_VECTOR2(longlong, long long, 16)
WS_VECTOR3(longlong, long long)
WS_VECTOR1(ulonglong, unsigned long long)
WS_VECTOR2(ulonglong, unsigned long long, 16)
WS_VECTOR3(ulonglong, unsigned long long)
WS_VECTOR1(double, double)
WS_VECTOR2(double, double, 16)
WS_VECTOR3(double, double)

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaError_t { cudaSuccess = 0 };
enum cudaStream_t { cudaStreamDefault = 0, cudaStreamFireAndForget = 1, cudaStreamTailLaunch = 2 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0 };
