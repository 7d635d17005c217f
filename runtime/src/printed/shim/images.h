// Textures and surfaces. An object is the address of the host's image; a texel comes as four numbers, or by its address.

template <class T> struct ws_Texel;
#define WS_TEXEL1(T) \
    template <> struct ws_Texel<T> { static T of(const double* c) { return (T)c[0]; } };
#define WS_TEXEL2(T, C) \
    template <> struct ws_Texel<T> { static T of(const double* c) { return T{(C)c[0], (C)c[1]}; } };
#define WS_TEXEL4(T, C) \
    template <> struct ws_Texel<T> { static T of(const double* c) { return T{(C)c[0], (C)c[1], (C)c[2], (C)c[3]}; } };
#define WS_TEXELS(name, C) WS_TEXEL1(C) WS_TEXEL2(name##2, C) WS_TEXEL4(name##4, C)
WS_TEXELS(char, signed char)
WS_TEXELS(uchar, unsigned char)
WS_TEXELS(short, short)
WS_TEXELS(ushort, unsigned short)
WS_TEXELS(int, int)
WS_TEXELS(uint, unsigned int)
WS_TEXELS(float, float)

template <class T>
static inline T tex2D(cudaTextureObject_t image, float x, float y) {
    double c[4];
    ws_h_sample(image, x, y, 0.0f, 0u, c);
    return ws_Texel<T>::of(c);
}
template <class T>
static inline T tex3D(cudaTextureObject_t image, float x, float y, float z) {
    double c[4];
    ws_h_sample(image, x, y, z, 0u, c);
    return ws_Texel<T>::of(c);
}
template <class T>
static inline T tex2DLayered(cudaTextureObject_t image, float x, float y, unsigned int layer) {
    double c[4];
    ws_h_sample(image, x, y, 0.0f, layer, c);
    return ws_Texel<T>::of(c);
}

#define WS_FETCHED(letter, L) \
    static inline void ws_fetched(L& r, L& g, L& b, L& a, unsigned long long image, int x, int y, int z) { \
        double c[4]; \
        ws_h_fetch(image, x, y, z, c); \
        r = (L)c[0], g = (L)c[1], b = (L)c[2], a = (L)c[3]; \
    } \
    static inline void ws_ptx_tex_2d_v4_##letter##_s32(L& r, L& g, L& b, L& a, unsigned long long image, int x, int y) { \
        ws_fetched(r, g, b, a, image, x, y, 0); \
    } \
    static inline void ws_ptx_tex_3d_v4_##letter##_s32(L& r, L& g, L& b, L& a, unsigned long long image, int x, int y, int z, int) { \
        ws_fetched(r, g, b, a, image, x, y, z); \
    } \
    static inline void ws_ptx_tex_a2d_v4_##letter##_s32(L& r, L& g, L& b, L& a, unsigned long long image, int layer, int x, int y, int) { \
        ws_fetched(r, g, b, a, image, x, y, layer); \
    }
WS_FETCHED(f32, float)
WS_FETCHED(s32, int)
WS_FETCHED(u32, unsigned int)

template <class T>
static inline T ws_texel_read(cudaSurfaceObject_t image, int bytes, int y, int z) {
    T value = {};
    if (const void* at = ws_h_texel(image, bytes, y, z)) __builtin_memcpy(&value, at, sizeof(T));
    return value;
}
template <class T>
static inline void ws_texel_write(T value, cudaSurfaceObject_t image, int bytes, int y, int z) {
    if (void* at = ws_h_texel(image, bytes, y, z)) __builtin_memcpy(at, &value, sizeof(T));
}
template <class T> static inline T surf2Dread(cudaSurfaceObject_t s, int x, int y, cudaSurfaceBoundaryMode) { return ws_texel_read<T>(s, x, y, 0); }
template <class T> static inline T surf3Dread(cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode) { return ws_texel_read<T>(s, x, y, z); }
template <class T> static inline T surf2DLayeredread(cudaSurfaceObject_t s, int x, int y, int layer, cudaSurfaceBoundaryMode) { return ws_texel_read<T>(s, x, y, layer); }
template <class T> static inline void surf2Dwrite(T v, cudaSurfaceObject_t s, int x, int y, cudaSurfaceBoundaryMode) { ws_texel_write(v, s, x, y, 0); }
template <class T> static inline void surf3Dwrite(T v, cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode) { ws_texel_write(v, s, x, y, z); }
template <class T> static inline void surf2DLayeredwrite(T v, cudaSurfaceObject_t s, int x, int y, int layer, cudaSurfaceBoundaryMode) { ws_texel_write(v, s, x, y, layer); }
