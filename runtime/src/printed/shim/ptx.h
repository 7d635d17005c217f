// PTX instructions. An `asm` statement becomes calls of these, with the instruction's dots as underscores, its
// orderings, scopes and state spaces of `ld`, `st`, `atom` and `fence` left out, and its operands in their order.

typedef unsigned short ws_b16;
typedef unsigned int ws_b32;
typedef unsigned long long ws_b64;
typedef bool ws_pred;
typedef unsigned short ws_u16;
typedef unsigned int ws_u32;
typedef unsigned long long ws_u64;
typedef short ws_s16;
typedef int ws_s32;
typedef long long ws_s64;
typedef float ws_f32;
typedef double ws_f64;
struct ws_b128 { unsigned long long low, high; };

// Special registers.
static inline unsigned int ws_sreg_laneid() { return ws_h_lane_id(); }
static inline unsigned int ws_sreg_dynamic_smem_size() { return ws_h_dynamic_shared_bytes(); }
static inline unsigned int ws_sreg_smid() { return 0; }
static inline unsigned int ws_sreg_warpid() { return ws_h_warp_id(); }
static inline unsigned int ws_sreg_nctaid_x() { return gridDim.x; }
static inline unsigned int ws_sreg_ctaid_x() { return blockIdx.x; }
static inline unsigned int ws_sreg_ntid_x() { return blockDim.x; }
static inline unsigned int ws_sreg_tid_x() { return threadIdx.x; }
static inline unsigned long long ws_sreg_globaltimer() { return ws_h_clock(); }
static inline unsigned int ws_sreg_clock() { return (unsigned int)ws_h_clock(); }
static inline unsigned long long ws_sreg_clock64() { return ws_h_clock(); }
static inline unsigned int ws_sreg_lanemask_eq() { return 1u << ws_h_lane_id(); }
static inline unsigned int ws_sreg_lanemask_lt() { return (1u << ws_h_lane_id()) - 1u; }
static inline unsigned int ws_sreg_lanemask_le() { return 0xffffffffu >> (31u - ws_h_lane_id()); }
static inline unsigned int ws_sreg_lanemask_ge() { return 0xffffffffu << ws_h_lane_id(); }
static inline unsigned int ws_sreg_lanemask_gt() { return 0xfffffffeu << ws_h_lane_id(); }

// Moves.
#define WS_MOVE(name) template <class D, class S> static inline void name(D& to, S from) { to = (D)from; }
WS_MOVE(ws_ptx_mov_u16)
WS_MOVE(ws_ptx_mov_u32)
WS_MOVE(ws_ptx_mov_s32)
WS_MOVE(ws_ptx_mov_u64)
WS_MOVE(ws_ptx_mov_s64)
WS_MOVE(ws_ptx_mov_f32)
WS_MOVE(ws_ptx_mov_f64)
template <class D, class S>
static inline void ws_ptx_mov_b64(D& to, S from) { to = __builtin_bit_cast(D, from); }
template <class D, class S>
static inline void ws_ptx_mov_b32(D& to, S from) { to = __builtin_bit_cast(D, from); }
static inline void ws_ptx_mov_b64(unsigned long long& to, unsigned int low, unsigned int high) {
    to = (unsigned long long)high << 32 | low;
}
static inline void ws_ptx_mov_b32(ws_b16& low, ws_b16& high, unsigned int from) {
    low = (ws_b16)from;
    high = (ws_b16)(from >> 16);
}
static inline void ws_ptx_mov_b128(ws_b128& to, unsigned long long low, unsigned long long high) { to = ws_b128{low, high}; }
static inline void ws_ptx_mov_b128(unsigned long long& low, unsigned long long& high, ws_b128 from) {
    low = from.low;
    high = from.high;
}

// Integers.
#define WS_ONE(name, T, result) static inline void name(T& r, T a) { r = (T)(result); }
#define WS_TWO(name, T, result) static inline void name(T& r, T a, T b) { r = (T)(result); }
#define WS_THREE(name, T, result) static inline void name(T& r, T a, T b, T c) { r = (T)(result); }
WS_TWO(ws_ptx_add_u32, unsigned int, a + b)
WS_TWO(ws_ptx_add_s32, int, (unsigned int)a + (unsigned int)b)
WS_TWO(ws_ptx_add_u64, unsigned long long, a + b)
WS_TWO(ws_ptx_sub_u32, unsigned int, a - b)
WS_TWO(ws_ptx_sub_s32, int, (unsigned int)a - (unsigned int)b)
WS_TWO(ws_ptx_mul_lo_u32, unsigned int, a * b)
WS_TWO(ws_ptx_mul_lo_s32, int, (unsigned int)a * (unsigned int)b)
WS_TWO(ws_ptx_mul_hi_u32, unsigned int, ((unsigned long long)a * b) >> 32)
WS_THREE(ws_ptx_mad_lo_u32, unsigned int, a * b + c)
WS_THREE(ws_ptx_mad_lo_s32, int, (unsigned int)a * (unsigned int)b + (unsigned int)c)
WS_TWO(ws_ptx_and_b32, unsigned int, a & b)
WS_TWO(ws_ptx_or_b32, unsigned int, a | b)
WS_TWO(ws_ptx_xor_b32, unsigned int, a ^ b)
WS_TWO(ws_ptx_shr_b32, unsigned int, b > 31u ? 0u : a >> b)
WS_ONE(ws_ptx_not_b32, unsigned int, ~a)
WS_ONE(ws_ptx_popc_b32, unsigned int, __builtin_popcount(a))
WS_ONE(ws_ptx_clz_b32, unsigned int, a == 0 ? 32 : __builtin_clz(a))
WS_ONE(ws_ptx_brev_b32, unsigned int, ws_h_brev(a))
WS_ONE(ws_ptx_ex2_approx_ftz_f32, float, ws_h_fast_exp2(a))
WS_TWO(ws_ptx_add_f32, float, a + b)
WS_TWO(ws_ptx_sub_f32, float, a - b)
WS_TWO(ws_ptx_mul_f32, float, a * b)
WS_THREE(ws_ptx_fma_rn_f32, float, ws_h_fma(a, b, c))

// Predicates.
#define WS_COMPARED(type, T) \
    static inline void ws_ptx_setp_eq_##type(bool& p, T a, T b) { p = a == b; } \
    static inline void ws_ptx_setp_ne_##type(bool& p, T a, T b) { p = a != b; } \
    static inline void ws_ptx_setp_lt_##type(bool& p, T a, T b) { p = a < b; } \
    static inline void ws_ptx_setp_le_##type(bool& p, T a, T b) { p = a <= b; } \
    static inline void ws_ptx_setp_gt_##type(bool& p, T a, T b) { p = a > b; } \
    static inline void ws_ptx_setp_ge_##type(bool& p, T a, T b) { p = a >= b; } \
    static inline void ws_ptx_selp_##type(T& r, T a, T b, bool p) { r = p ? a : b; }
WS_COMPARED(s32, int)
WS_COMPARED(u32, unsigned int)
WS_COMPARED(s64, long long)
WS_COMPARED(u64, unsigned long long)
WS_COMPARED(f32, float)
WS_COMPARED(f64, double)

// Fields of bits: `bfe` and `bfi` take the low eight bits of position and length; on 64 bits the caller does.
template <class T, class U>
static inline void ws_bits_taken(T& r, T x, unsigned int pos, unsigned int len, bool is_signed) {
    const unsigned int top = 8 * sizeof(T) - 1;
    pos &= 255u;
    len &= 255u;
    unsigned int last = pos + len - 1 < top ? pos + len - 1 : top;
    bool negative = is_signed && len != 0 && ((U)x >> last & 1u);
    U field = 0;
    for (unsigned int i = 0; i <= top; ++i) {
        bool bit = i < len && pos + i <= top ? (bool)((U)x >> (pos + i) & 1u) : negative;
        field |= (U)bit << i;
    }
    r = (T)field;
}
static inline void ws_ptx_bfe_u32(unsigned int& r, unsigned int x, unsigned int pos, unsigned int len) {
    ws_bits_taken<unsigned int, unsigned int>(r, x, pos, len, false);
}
static inline void ws_ptx_bfe_s32(int& r, int x, unsigned int pos, unsigned int len) {
    ws_bits_taken<int, unsigned int>(r, x, pos, len, true);
}
static inline void ws_ptx_bfe_u64(unsigned long long& r, unsigned long long x, unsigned int pos, unsigned int len) {
    ws_bits_taken<unsigned long long, unsigned long long>(r, x, pos, len, false);
}
static inline void ws_ptx_bfe_s64(long long& r, long long x, unsigned int pos, unsigned int len) {
    ws_bits_taken<long long, unsigned long long>(r, x, pos, len, true);
}
template <class T>
static inline void ws_bits_put(T& r, T field, T base, unsigned int pos, unsigned int len) {
    const unsigned int bits = 8 * sizeof(T);
    pos &= 255u;
    len &= 255u;
    r = base;
    for (unsigned int i = 0; i < len && pos + i < bits; ++i) {
        T one = (T)1 << (pos + i);
        r = (field >> i & 1) ? (T)(r | one) : (T)(r & ~one);
    }
}
static inline void ws_ptx_bfi_b32(unsigned int& r, unsigned int field, unsigned int base, unsigned int pos, unsigned int len) {
    ws_bits_put(r, field, base, pos, len);
}
static inline void ws_ptx_bfi_b64(unsigned long long& r, unsigned long long field, unsigned long long base, unsigned int pos, unsigned int len) {
    ws_bits_put(r, field, base, pos, len);
}
template <class A, class B>
static inline int ws_dot(unsigned int a, unsigned int b, int c) {
    unsigned int sum = (unsigned int)c;
    for (int i = 0; i < 4; ++i) sum += (unsigned int)((int)(A)(a >> 8 * i) * (int)(B)(b >> 8 * i));
    return (int)sum;
}
static inline void ws_ptx_dp4a_s32_u32(int& r, int a, unsigned int b, int c) { r = ws_dot<signed char, unsigned char>((unsigned int)a, b, c); }
static inline void ws_ptx_dp4a_u32_s32(int& r, unsigned int a, int b, int c) { r = ws_dot<unsigned char, signed char>(a, (unsigned int)b, c); }

// Halves and floats of eight bits, by their bits.
static inline void ws_ptx_cvt_rzi_u8_f32(unsigned int& r, float a) { r = a >= 255.0f ? 255u : __float2uint_rz(a); }
static inline void ws_ptx_cvt_f32_f16(float& r, ws_b16 a) { r = ws_h_f16_to_f32(a); }
static inline void ws_ptx_cvt_rn_f16_f32(ws_b16& r, float a) { r = ws_h_f16_of_f32(a); }
static inline void ws_ptx_cvt_rn_f16_f64(ws_b16& r, double a) { r = ws_h_f16_of_f64(a); }
static inline void ws_ptx_cvt_rn_bf16_f32(ws_b16& r, float a) { r = ws_h_bf16_of_f32(a); }
#define WS_HALF(type) \
    static inline void ws_ptx_add_##type(ws_b16& r, ws_b16 a, ws_b16 b) { r = ws_h_##type##_add(a, b); } \
    static inline void ws_ptx_sub_##type(ws_b16& r, ws_b16 a, ws_b16 b) { r = ws_h_##type##_sub(a, b); } \
    static inline void ws_ptx_mul_##type(ws_b16& r, ws_b16 a, ws_b16 b) { r = ws_h_##type##_mul(a, b); } \
    static inline void ws_ptx_add_rn_##type(ws_b16& r, ws_b16 a, ws_b16 b) { r = ws_h_##type##_add(a, b); } \
    static inline void ws_ptx_sub_rn_##type(ws_b16& r, ws_b16 a, ws_b16 b) { r = ws_h_##type##_sub(a, b); } \
    static inline void ws_ptx_mul_rn_##type(ws_b16& r, ws_b16 a, ws_b16 b) { r = ws_h_##type##_mul(a, b); } \
    static inline void ws_ptx_fma_rn_##type(ws_b16& r, ws_b16 a, ws_b16 b, ws_b16 c) { r = ws_h_##type##_fma(a, b, c); } \
    WS_PAIR(type, add) WS_PAIR(type, sub) WS_PAIR(type, mul)
#define WS_PAIR(type, op) \
    static inline void ws_ptx_##op##_##type##x2(unsigned int& r, unsigned int a, unsigned int b) { \
        r = ws_h_##type##_##op((ws_b16)a, (ws_b16)b) | (unsigned int)ws_h_##type##_##op((ws_b16)(a >> 16), (ws_b16)(b >> 16)) << 16; \
    } \
    static inline void ws_ptx_##op##_rn_##type##x2(unsigned int& r, unsigned int a, unsigned int b) { ws_ptx_##op##_##type##x2(r, a, b); }
WS_HALF(f16)
WS_HALF(bf16)
static inline void ws_ptx_cvt_rn_satfinite_e4m3x2_f32(ws_b16& r, float high, float low) {
    r = (ws_b16)(ws_h_e4m3_of_f32(high) << 8 | ws_h_e4m3_of_f32(low));
}
static inline void ws_ptx_cvt_rn_satfinite_e5m2x2_f32(ws_b16& r, float high, float low) {
    r = (ws_b16)(ws_h_e5m2_of_f32(high) << 8 | ws_h_e5m2_of_f32(low));
}
static inline void ws_ptx_cvt_rn_f16x2_e4m3x2(unsigned int& r, ws_b16 a) {
    r = ws_h_f16_of_f32(ws_h_e4m3_to_f32((unsigned char)a)) | (unsigned int)ws_h_f16_of_f32(ws_h_e4m3_to_f32((unsigned char)(a >> 8))) << 16;
}
static inline void ws_ptx_cvt_rn_f16x2_e5m2x2(unsigned int& r, ws_b16 a) {
    r = ws_h_f16_of_f32(ws_h_e5m2_to_f32((unsigned char)a)) | (unsigned int)ws_h_f16_of_f32(ws_h_e5m2_to_f32((unsigned char)(a >> 8))) << 16;
}

// Barriers, fences, copies, the end of a thread.
static inline void ws_ptx_barrier_cluster_arrive_aligned() { ws_h_cluster_arrive(); }
static inline void ws_ptx_barrier_cluster_wait_aligned() { ws_h_cluster_wait(); }
static inline void ws_ptx_barrier_sync(unsigned int number, unsigned int threads) { ws_h_named_barrier(number, threads, true); }
static inline void ws_ptx_barrier_arrive(unsigned int number, unsigned int threads) { ws_h_named_barrier(number, threads, false); }
static inline void ws_ptx_bar_sync(unsigned int number) { if (number == 0) ws_h_sync_threads(); else ws_h_named_barrier(number, 0, true); }
static inline void ws_ptx_fence() { ws_h_fence(); }
static inline void ws_ptx_fence_sc() { ws_h_fence(); }
static inline void ws_ptx_membar() { ws_h_fence(); }
static inline void ws_ptx_griddepcontrol_wait() {}
static inline void ws_ptx_griddepcontrol_launch_dependents() {}
static inline void ws_ptx_prefetch_L1(const void*) {}
static inline void ws_ptx_prefetch_L2(const void*) {}
static inline void ws_ptx_nanosleep_u32(unsigned int) { ws_h_poll(); }
static inline void ws_ptx_cp_async_cg_shared_global(unsigned int to, const void* from, int bytes) { ws_h_copy_async(to, from, (unsigned int)bytes); }
static inline void ws_ptx_cp_async_ca_shared_global(unsigned int to, const void* from, int bytes) { ws_h_copy_async(to, from, (unsigned int)bytes); }
static inline void ws_ptx_cp_async_commit_group() { ws_h_copy_async_commit(); }
static inline void ws_ptx_cp_async_wait_group(int left) { ws_h_copy_async_wait((unsigned int)left); }
[[noreturn]] static inline void ws_ptx_exit() { ws_h_exit(); __builtin_unreachable(); }
[[noreturn]] static inline void ws_ptx_trap() { ws_h_trap(); __builtin_unreachable(); }

// Memory. The operand of a register decides how many bytes are moved, as the instruction's type does.
template <class T>
static inline void ws_load(T& r, const T* p) { ws_h_poll(); r = *p; }
template <class T>
static inline void ws_store(T* p, T v) { ws_h_poll(); *p = v; }
#define WS_LOADED(type) \
    template <class T> static inline void ws_ptx_ld_##type(T& r, const T* p) { ws_load(r, p); } \
    template <class T> static inline void ws_ptx_st_##type(T* p, T v) { ws_store(p, v); }
WS_LOADED(u32)
WS_LOADED(s32)
WS_LOADED(b32)
WS_LOADED(u64)
WS_LOADED(s64)
WS_LOADED(b64)
WS_LOADED(f32)
WS_LOADED(f64)

#define WS_ATOM(name, type, T, result) \
    template <class R, class V> \
    static inline void ws_ptx_atom_##name##_##type(R& r, R* p, V value) { \
        ws_h_poll(); \
        T old = __builtin_bit_cast(T, *p), v = __builtin_bit_cast(T, value); \
        T next = (T)(result); \
        *p = __builtin_bit_cast(R, next); \
        r = __builtin_bit_cast(R, old); \
    }
// `red` is an `atom` whose old value nobody asks for.
#define WS_RED(name, type) \
    template <class R, class V> \
    static inline void ws_ptx_red_##name##_##type(R* p, V value) { \
        R old; \
        ws_ptx_atom_##name##_##type(old, p, value); \
    }
#define WS_ATOM_BITS(name, result) WS_ATOM(name, b32, unsigned int, result) WS_ATOM(name, b64, unsigned long long, result)
#define WS_ATOM_ORDER(name, result) \
    WS_ATOM(name, u32, unsigned int, result) WS_ATOM(name, s32, int, result) \
    WS_ATOM(name, u64, unsigned long long, result) WS_ATOM(name, s64, long long, result)
WS_ATOM(add, u32, unsigned int, old + v)
WS_ATOM(add, s32, int, (unsigned int)old + (unsigned int)v)
WS_ATOM(add, u64, unsigned long long, old + v)
WS_ATOM(add, f32, float, old + v)
WS_ATOM(add, f64, double, old + v)
WS_ATOM_ORDER(min, v < old ? v : old)
WS_ATOM_ORDER(max, v > old ? v : old)
WS_ATOM_BITS(exch, v)
WS_ATOM_BITS(and, old & v)
WS_ATOM_BITS(or, old | v)
WS_ATOM_BITS(xor, old ^ v)
WS_ATOM(inc, u32, unsigned int, old >= v ? 0u : old + 1u)
WS_ATOM(dec, u32, unsigned int, old == 0u || old > v ? v : old - 1u)
#define WS_RED_BITS(name) WS_RED(name, b32) WS_RED(name, b64)
#define WS_RED_ORDER(name) WS_RED(name, u32) WS_RED(name, s32) WS_RED(name, u64) WS_RED(name, s64)
WS_RED(add, u32)
WS_RED(add, s32)
WS_RED(add, u64)
WS_RED(add, f32)
WS_RED(add, f64)
WS_RED_ORDER(min)
WS_RED_ORDER(max)
WS_RED_BITS(and)
WS_RED_BITS(or)
WS_RED_BITS(xor)
WS_RED(inc, u32)
WS_RED(dec, u32)
static inline void ws_ptx_red_add_v2_f32(float* p, float a, float b) {
    ws_ptx_red_add_f32(p, a);
    ws_ptx_red_add_f32(p + 1, b);
}
static inline void ws_ptx_red_add_v4_f32(float* p, float a, float b, float c, float d) {
    ws_ptx_red_add_v2_f32(p, a, b);
    ws_ptx_red_add_v2_f32(p + 2, c, d);
}
#define WS_ATOM_CAS(type, T) \
    template <class R> \
    static inline void ws_ptx_atom_cas_##type(R& r, R* p, R expected, R v) { \
        ws_h_poll(); \
        r = *p; \
        if (__builtin_bit_cast(T, r) == __builtin_bit_cast(T, expected)) *p = v; \
    }
WS_ATOM_CAS(b32, unsigned int)
WS_ATOM_CAS(b64, unsigned long long)
template <class P>
static inline void ws_ptx_atom_cas_b128(ws_b128& r, P* p, ws_b128 expected, ws_b128 v) {
    ws_h_poll();
    __builtin_memcpy(&r, p, 16);
    if (r.low == expected.low && r.high == expected.high) __builtin_memcpy(p, &v, 16);
}
#define WS_ATOM_HALF(type) \
    template <class P> \
    static inline void ws_ptx_atom_add_noftz_##type(ws_b16& r, P* p, ws_b16 v) { \
        ws_h_poll(); \
        __builtin_memcpy(&r, p, 2); \
        ws_b16 sum = ws_h_##type##_add(r, v); \
        __builtin_memcpy(p, &sum, 2); \
    } \
    template <class P> \
    static inline void ws_ptx_atom_add_noftz_##type##x2(unsigned int& r, P* p, unsigned int v) { \
        ws_h_poll(); \
        __builtin_memcpy(&r, p, 4); \
        unsigned int sum; \
        ws_ptx_add_##type##x2(sum, r, v); \
        __builtin_memcpy(p, &sum, 4); \
    }
WS_ATOM_HALF(f16)
WS_ATOM_HALF(bf16)
