// Matrices in registers of a warp: `ldmatrix`, `stmatrix` and `mma.sync`, by the functions that the twin calls.

#define WS_MATRICES(words, transposed) \
    static inline void ws_ptx_ldmatrix_sync_aligned_m8n8_x1##words(unsigned int& r0, unsigned int row) { ws_h_ldmatrix_x1(&r0, row, transposed); } \
    static inline void ws_ptx_ldmatrix_sync_aligned_m8n8_x2##words(unsigned int& r0, unsigned int& r1, unsigned int row) { \
        unsigned int r[2]; \
        ws_h_ldmatrix_x2(r, row, transposed); \
        r0 = r[0]; r1 = r[1]; \
    } \
    static inline void ws_ptx_ldmatrix_sync_aligned_m8n8_x4##words(unsigned int& r0, unsigned int& r1, unsigned int& r2, unsigned int& r3, unsigned int row) { \
        unsigned int r[4]; \
        ws_h_ldmatrix_x4(r, row, transposed); \
        r0 = r[0]; r1 = r[1]; r2 = r[2]; r3 = r[3]; \
    } \
    static inline void ws_ptx_stmatrix_sync_aligned_m8n8_x1##words(unsigned int row, unsigned int r0) { ws_h_stmatrix_x1(row, &r0, transposed); } \
    static inline void ws_ptx_stmatrix_sync_aligned_m8n8_x2##words(unsigned int row, unsigned int r0, unsigned int r1) { \
        const unsigned int r[] = {r0, r1}; \
        ws_h_stmatrix_x2(row, r, transposed); \
    } \
    static inline void ws_ptx_stmatrix_sync_aligned_m8n8_x4##words(unsigned int row, unsigned int r0, unsigned int r1, unsigned int r2, unsigned int r3) { \
        const unsigned int r[] = {r0, r1, r2, r3}; \
        ws_h_stmatrix_x4(row, r, transposed); \
    }
WS_MATRICES(_shared_b16, false)
WS_MATRICES(_trans_shared_b16, true)

#define WS_MMA_1_1_2(name, host, R, C) \
    static inline void ws_ptx_mma_sync_aligned_##name(C& d0, C& d1, R a0, R b0, C c0, C c1) { \
        const R a[] = {a0}, b[] = {b0}; \
        C c[] = {c0, c1}; \
        ws_h_##host(a, b, c); \
        d0 = c[0]; d1 = c[1]; \
    }
WS_MMA_1_1_2(m8n8k4_row_col_f64_f64_f64_f64, mma_m8n8k4_f64, double, double)
#define WS_MMA_2_1_2(name, host, R, C) \
    static inline void ws_ptx_mma_sync_aligned_##name(C& d0, C& d1, R a0, R a1, R b0, C c0, C c1) { \
        const R a[] = {a0, a1}, b[] = {b0}; \
        C c[] = {c0, c1}; \
        ws_h_##host(a, b, c); \
        d0 = c[0]; d1 = c[1]; \
    }
WS_MMA_2_1_2(m16n8k8_row_col_f16_f16_f16_f16, mma_m16n8k8_f16_f16, unsigned int, unsigned int)
#define WS_MMA_2_1_4(name, host, R, C) \
    static inline void ws_ptx_mma_sync_aligned_##name(C& d0, C& d1, C& d2, C& d3, R a0, R a1, R b0, C c0, C c1, C c2, C c3) { \
        const R a[] = {a0, a1}, b[] = {b0}; \
        C c[] = {c0, c1, c2, c3}; \
        ws_h_##host(a, b, c); \
        d0 = c[0]; d1 = c[1]; d2 = c[2]; d3 = c[3]; \
    }
WS_MMA_2_1_4(m16n8k8_row_col_f32_f16_f16_f32, mma_m16n8k8_f32_f16, unsigned int, float)
WS_MMA_2_1_4(m16n8k8_row_col_f32_bf16_bf16_f32, mma_m16n8k8_f32_bf16, unsigned int, float)
WS_MMA_2_1_4(m16n8k4_row_col_f32_tf32_tf32_f32, mma_m16n8k4_f32_tf32, unsigned int, float)
WS_MMA_2_1_4(m16n8k4_row_col_f64_f64_f64_f64, mma_m16n8k4_f64, double, double)
WS_MMA_2_1_4(m16n8k16_row_col_s32_s8_s8_s32, mma_m16n8k16_s32_s8_s8, unsigned int, int)
WS_MMA_2_1_4(m16n8k16_row_col_satfinite_s32_s8_s8_s32, mma_m16n8k16_s32_s8_s8_satfinite, unsigned int, int)
WS_MMA_2_1_4(m16n8k16_row_col_s32_s8_u8_s32, mma_m16n8k16_s32_s8_u8, unsigned int, int)
WS_MMA_2_1_4(m16n8k16_row_col_satfinite_s32_s8_u8_s32, mma_m16n8k16_s32_s8_u8_satfinite, unsigned int, int)
WS_MMA_2_1_4(m16n8k16_row_col_s32_u8_s8_s32, mma_m16n8k16_s32_u8_s8, unsigned int, int)
WS_MMA_2_1_4(m16n8k16_row_col_satfinite_s32_u8_s8_s32, mma_m16n8k16_s32_u8_s8_satfinite, unsigned int, int)
WS_MMA_2_1_4(m16n8k16_row_col_s32_u8_u8_s32, mma_m16n8k16_s32_u8_u8, unsigned int, int)
WS_MMA_2_1_4(m16n8k16_row_col_satfinite_s32_u8_u8_s32, mma_m16n8k16_s32_u8_u8_satfinite, unsigned int, int)
#define WS_MMA_4_2_2(name, host, R, C) \
    static inline void ws_ptx_mma_sync_aligned_##name(C& d0, C& d1, R a0, R a1, R a2, R a3, R b0, R b1, C c0, C c1) { \
        const R a[] = {a0, a1, a2, a3}, b[] = {b0, b1}; \
        C c[] = {c0, c1}; \
        ws_h_##host(a, b, c); \
        d0 = c[0]; d1 = c[1]; \
    }
WS_MMA_4_2_2(m16n8k16_row_col_f16_f16_f16_f16, mma_m16n8k16_f16_f16, unsigned int, unsigned int)
#define WS_MMA_4_2_4(name, host, R, C) \
    static inline void ws_ptx_mma_sync_aligned_##name(C& d0, C& d1, C& d2, C& d3, R a0, R a1, R a2, R a3, R b0, R b1, C c0, C c1, C c2, C c3) { \
        const R a[] = {a0, a1, a2, a3}, b[] = {b0, b1}; \
        C c[] = {c0, c1, c2, c3}; \
        ws_h_##host(a, b, c); \
        d0 = c[0]; d1 = c[1]; d2 = c[2]; d3 = c[3]; \
    }
WS_MMA_4_2_4(m16n8k16_row_col_f32_f16_f16_f32, mma_m16n8k16_f32_f16, unsigned int, float)
WS_MMA_4_2_4(m16n8k16_row_col_f32_bf16_bf16_f32, mma_m16n8k16_f32_bf16, unsigned int, float)
WS_MMA_4_2_4(m16n8k8_row_col_f32_tf32_tf32_f32, mma_m16n8k8_f32_tf32, unsigned int, float)
WS_MMA_4_2_4(m16n8k8_row_col_f64_f64_f64_f64, mma_m16n8k8_f64, double, double)
WS_MMA_4_2_4(m16n8k32_row_col_s32_s8_s8_s32, mma_m16n8k32_s32_s8_s8, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_satfinite_s32_s8_s8_s32, mma_m16n8k32_s32_s8_s8_satfinite, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_s32_s8_u8_s32, mma_m16n8k32_s32_s8_u8, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_satfinite_s32_s8_u8_s32, mma_m16n8k32_s32_s8_u8_satfinite, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_s32_u8_s8_s32, mma_m16n8k32_s32_u8_s8, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_satfinite_s32_u8_s8_s32, mma_m16n8k32_s32_u8_s8_satfinite, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_s32_u8_u8_s32, mma_m16n8k32_s32_u8_u8, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_satfinite_s32_u8_u8_s32, mma_m16n8k32_s32_u8_u8_satfinite, unsigned int, int)
WS_MMA_4_2_4(m16n8k32_row_col_f32_e4m3_e4m3_f32, mma_m16n8k32_f32_e4m3_e4m3, unsigned int, float)
WS_MMA_4_2_4(m16n8k32_row_col_f32_e4m3_e5m2_f32, mma_m16n8k32_f32_e4m3_e5m2, unsigned int, float)
WS_MMA_4_2_4(m16n8k32_row_col_f32_e5m2_e4m3_f32, mma_m16n8k32_f32_e5m2_e4m3, unsigned int, float)
WS_MMA_4_2_4(m16n8k32_row_col_f32_e5m2_e5m2_f32, mma_m16n8k32_f32_e5m2_e5m2, unsigned int, float)
#define WS_MMA_8_4_4(name, host, R, C) \
    static inline void ws_ptx_mma_sync_aligned_##name(C& d0, C& d1, C& d2, C& d3, R a0, R a1, R a2, R a3, R a4, R a5, R a6, R a7, R b0, R b1, R b2, R b3, C c0, C c1, C c2, C c3) { \
        const R a[] = {a0, a1, a2, a3, a4, a5, a6, a7}, b[] = {b0, b1, b2, b3}; \
        C c[] = {c0, c1, c2, c3}; \
        ws_h_##host(a, b, c); \
        d0 = c[0]; d1 = c[1]; d2 = c[2]; d3 = c[3]; \
    }
WS_MMA_8_4_4(m16n8k16_row_col_f64_f64_f64_f64, mma_m16n8k16_f64, double, double)
