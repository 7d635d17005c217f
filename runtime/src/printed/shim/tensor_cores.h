// Matrices in registers of a warp: `ldmatrix`, `stmatrix` and `mma.sync`, by the functions that the twin calls.

#define WS_MATRIX(n, words, transposed) \
    static inline void ws_ptx_ldmatrix_sync_aligned_m8n8_x##n##words(WS_LIST_##n(WS_REFERENCE, unsigned int, r), unsigned int row) { \
        unsigned int r[n]; \
        ws_h_ldmatrix_x##n(r, row, transposed); \
        WS_LIST_##n(WS_TAKE, r, r); \
    } \
    static inline void ws_ptx_stmatrix_sync_aligned_m8n8_x##n##words(unsigned int row, WS_LIST_##n(WS_PARAMETER, unsigned int, r)) { \
        const unsigned int r[] = {WS_LIST_##n(WS_LISTED, unsigned int, r)}; \
        ws_h_stmatrix_x##n(row, r, transposed); \
    }
WS_MATRIX(1, _shared_b16, false)
WS_MATRIX(2, _shared_b16, false)
WS_MATRIX(4, _shared_b16, false)
WS_MATRIX(1, _trans_shared_b16, true)
WS_MATRIX(2, _trans_shared_b16, true)
WS_MATRIX(4, _trans_shared_b16, true)

// A product: registers of `a` and `b`, of type `R`, and of the sums, of type `C`.
#define WS_MMA(na, nb, nc, words, host, R, C) \
    static inline void ws_ptx_mma_sync_aligned_##words(WS_LIST_##nc(WS_REFERENCE, C, d), WS_LIST_##na(WS_PARAMETER, R, a), WS_LIST_##nb(WS_PARAMETER, R, b), WS_LIST_##nc(WS_PARAMETER, C, c)) { \
        const R a[] = {WS_LIST_##na(WS_LISTED, R, a)}, b[] = {WS_LIST_##nb(WS_LISTED, R, b)}; \
        C c[] = {WS_LIST_##nc(WS_LISTED, C, c)}; \
        ws_h_##host(a, b, c); \
        WS_LIST_##nc(WS_TAKE, c, d); \
    }
WS_MMA(1, 1, 2, m8n8k4_row_col_f64_f64_f64_f64, mma_m8n8k4_f64, double, double)
WS_MMA(2, 1, 2, m16n8k8_row_col_f16_f16_f16_f16, mma_m16n8k8_f16_f16, unsigned int, unsigned int)
WS_MMA(2, 1, 4, m16n8k8_row_col_f32_f16_f16_f32, mma_m16n8k8_f32_f16, unsigned int, float)
WS_MMA(2, 1, 4, m16n8k8_row_col_f32_bf16_bf16_f32, mma_m16n8k8_f32_bf16, unsigned int, float)
WS_MMA(2, 1, 4, m16n8k4_row_col_f32_tf32_tf32_f32, mma_m16n8k4_f32_tf32, unsigned int, float)
WS_MMA(2, 1, 4, m16n8k4_row_col_f64_f64_f64_f64, mma_m16n8k4_f64, double, double)
WS_MMA(2, 1, 4, m16n8k16_row_col_s32_s8_s8_s32, mma_m16n8k16_s32_s8_s8, unsigned int, int)
WS_MMA(2, 1, 4, m16n8k16_row_col_satfinite_s32_s8_s8_s32, mma_m16n8k16_s32_s8_s8_satfinite, unsigned int, int)
WS_MMA(2, 1, 4, m16n8k16_row_col_s32_s8_u8_s32, mma_m16n8k16_s32_s8_u8, unsigned int, int)
WS_MMA(2, 1, 4, m16n8k16_row_col_satfinite_s32_s8_u8_s32, mma_m16n8k16_s32_s8_u8_satfinite, unsigned int, int)
WS_MMA(2, 1, 4, m16n8k16_row_col_s32_u8_s8_s32, mma_m16n8k16_s32_u8_s8, unsigned int, int)
WS_MMA(2, 1, 4, m16n8k16_row_col_satfinite_s32_u8_s8_s32, mma_m16n8k16_s32_u8_s8_satfinite, unsigned int, int)
WS_MMA(2, 1, 4, m16n8k16_row_col_s32_u8_u8_s32, mma_m16n8k16_s32_u8_u8, unsigned int, int)
WS_MMA(2, 1, 4, m16n8k16_row_col_satfinite_s32_u8_u8_s32, mma_m16n8k16_s32_u8_u8_satfinite, unsigned int, int)
WS_MMA(4, 2, 2, m16n8k16_row_col_f16_f16_f16_f16, mma_m16n8k16_f16_f16, unsigned int, unsigned int)
WS_MMA(4, 2, 4, m16n8k16_row_col_f32_f16_f16_f32, mma_m16n8k16_f32_f16, unsigned int, float)
WS_MMA(4, 2, 4, m16n8k16_row_col_f32_bf16_bf16_f32, mma_m16n8k16_f32_bf16, unsigned int, float)
WS_MMA(4, 2, 4, m16n8k8_row_col_f32_tf32_tf32_f32, mma_m16n8k8_f32_tf32, unsigned int, float)
WS_MMA(4, 2, 4, m16n8k8_row_col_f64_f64_f64_f64, mma_m16n8k8_f64, double, double)
WS_MMA(4, 2, 4, m16n8k32_row_col_s32_s8_s8_s32, mma_m16n8k32_s32_s8_s8, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_satfinite_s32_s8_s8_s32, mma_m16n8k32_s32_s8_s8_satfinite, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_s32_s8_u8_s32, mma_m16n8k32_s32_s8_u8, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_satfinite_s32_s8_u8_s32, mma_m16n8k32_s32_s8_u8_satfinite, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_s32_u8_s8_s32, mma_m16n8k32_s32_u8_s8, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_satfinite_s32_u8_s8_s32, mma_m16n8k32_s32_u8_s8_satfinite, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_s32_u8_u8_s32, mma_m16n8k32_s32_u8_u8, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_satfinite_s32_u8_u8_s32, mma_m16n8k32_s32_u8_u8_satfinite, unsigned int, int)
WS_MMA(4, 2, 4, m16n8k32_row_col_f32_e4m3_e4m3_f32, mma_m16n8k32_f32_e4m3_e4m3, unsigned int, float)
WS_MMA(4, 2, 4, m16n8k32_row_col_f32_e4m3_e5m2_f32, mma_m16n8k32_f32_e4m3_e5m2, unsigned int, float)
WS_MMA(4, 2, 4, m16n8k32_row_col_f32_e5m2_e4m3_f32, mma_m16n8k32_f32_e5m2_e4m3, unsigned int, float)
WS_MMA(4, 2, 4, m16n8k32_row_col_f32_e5m2_e5m2_f32, mma_m16n8k32_f32_e5m2_e5m2, unsigned int, float)
WS_MMA(8, 4, 4, m16n8k16_row_col_f64_f64_f64_f64, mma_m16n8k16_f64, double, double)
