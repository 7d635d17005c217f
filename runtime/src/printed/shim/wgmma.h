// Products of a warpgroup, by the function that the twin calls. Instructions have as many operands as sums: they are taken
// as a list.

struct ws_Operand {
    void* place;
    unsigned long long value;
    ws_Operand(float& sum) : place(&sum), value(0) {}
    ws_Operand(int& sum) : place(&sum), value(0) {}
    ws_Operand(const int& constant) : place(0), value((unsigned long long)constant) {}
    ws_Operand(const unsigned int& bits) : place(0), value(bits) {}
    ws_Operand(const unsigned long long& descriptor) : place(0), value(descriptor) {}
    ws_Operand(const bool& keep) : place(0), value(keep) {}
};

// Behind `sums` sums stand the left operand, a descriptor or four registers, the right one, the predicate and `flags` constants,
// one less if the left operand is in registers and rows can be turned.
static inline void ws_wgmma(unsigned int element, unsigned int sums, unsigned int flags, const ws_Operand* all, unsigned int count) {
    const ws_Operand* left = all + sums;
    bool in_registers = count - sums > 3 + flags;
    const ws_Operand* right = left + (in_registers ? 4 : 1);
    unsigned int registers[4] = {0, 0, 0, 0};
    for (int i = 0; in_registers && i < 4; ++i) registers[i] = (unsigned int)left[i].value;
    unsigned int turned_a = flags == 4 && !in_registers ? (unsigned int)right[4].value : 0;
    unsigned int turned_b = flags == 4 ? (unsigned int)right[in_registers ? 4 : 5].value : 0;
    ws_h_wgmma(element, sums, all[0].place, in_registers ? registers : 0, left->value, right->value,
        (unsigned int)right[1].value | turned_a << 1 | turned_b << 2);
}

#define WS_WGMMA(n, depth, types, element, flags) \
    template <class... A> static inline void ws_ptx_wgmma_mma_async_sync_aligned_m64n##n##k##depth##_##types(A&&... operands) { \
        const ws_Operand all[] = {ws_Operand(static_cast<A&&>(operands))...}; \
        ws_wgmma(element, n / 2, flags, all, sizeof...(A)); \
    }
#define WS_WGMMA_COLUMNS(k, types, element, flags) \
    WS_WGMMA(8, k, types, element, flags) WS_WGMMA(16, k, types, element, flags) WS_WGMMA(24, k, types, element, flags) WS_WGMMA(32, k, types, element, flags) \
    WS_WGMMA(40, k, types, element, flags) WS_WGMMA(48, k, types, element, flags) WS_WGMMA(56, k, types, element, flags) WS_WGMMA(64, k, types, element, flags) \
    WS_WGMMA(72, k, types, element, flags) WS_WGMMA(80, k, types, element, flags) WS_WGMMA(88, k, types, element, flags) WS_WGMMA(96, k, types, element, flags) \
    WS_WGMMA(104, k, types, element, flags) WS_WGMMA(112, k, types, element, flags) WS_WGMMA(120, k, types, element, flags) WS_WGMMA(128, k, types, element, flags) \
    WS_WGMMA(136, k, types, element, flags) WS_WGMMA(144, k, types, element, flags) WS_WGMMA(152, k, types, element, flags) WS_WGMMA(160, k, types, element, flags) \
    WS_WGMMA(168, k, types, element, flags) WS_WGMMA(176, k, types, element, flags) WS_WGMMA(184, k, types, element, flags) WS_WGMMA(192, k, types, element, flags) \
    WS_WGMMA(200, k, types, element, flags) WS_WGMMA(208, k, types, element, flags) WS_WGMMA(216, k, types, element, flags) WS_WGMMA(224, k, types, element, flags) \
    WS_WGMMA(232, k, types, element, flags) WS_WGMMA(240, k, types, element, flags) WS_WGMMA(248, k, types, element, flags) WS_WGMMA(256, k, types, element, flags)
WS_WGMMA_COLUMNS(16, f32_f16_f16, 0, 4)
WS_WGMMA_COLUMNS(16, f32_bf16_bf16, 1, 4)
WS_WGMMA_COLUMNS(8, f32_tf32_tf32, 2, 2)
WS_WGMMA_COLUMNS(32, f32_e4m3_e4m3, 3, 2)
WS_WGMMA_COLUMNS(32, f32_e5m2_e5m2, 4, 2)
WS_WGMMA_COLUMNS(32, s32_s8_s8, 5, 0)
WS_WGMMA_COLUMNS(32, s32_u8_u8, 6, 0)

static inline void ws_ptx_wgmma_fence_sync_aligned() { ws_h_wgmma_fence(); }
static inline void ws_ptx_wgmma_commit_group_sync_aligned() { ws_h_wgmma_commit(); }
static inline void ws_ptx_wgmma_wait_group_sync_aligned(int left) { ws_h_wgmma_wait((unsigned int)left); }
static inline void ws_ptx_setmaxnreg_dec_sync_aligned_u32(int) {}
static inline void ws_ptx_setmaxnreg_inc_sync_aligned_u32(int) {}
