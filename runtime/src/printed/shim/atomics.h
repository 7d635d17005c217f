// Atomic operations. One OS thread runs all threads of a launch, and gives way before an operation and never within
// one. CUDA's overloads, and no others.

#define WS_UPDATE(name, T, result) \
    static inline T name(T* p, T v, WS_AT) { \
        WS_HERE; \
        ws_h_poll(); \
        T old = *p; \
        *p = (T)(result); \
        return old; \
    }
#define WS_SCOPES(name, T, result) \
    WS_UPDATE(name, T, result) WS_UPDATE(name##_block, T, result) WS_UPDATE(name##_system, T, result)
#define WS_INTEGERS(name, result) \
    WS_SCOPES(name, int, result) WS_SCOPES(name, unsigned int, result) WS_SCOPES(name, unsigned long long, result)
#define WS_ALL_INTEGERS(name, result) WS_INTEGERS(name, result) WS_SCOPES(name, long long, result)

WS_SCOPES(atomicAdd, int, (unsigned int)old + (unsigned int)v)
WS_SCOPES(atomicAdd, unsigned int, old + v)
WS_SCOPES(atomicAdd, unsigned long long, old + v)
WS_SCOPES(atomicAdd, float, old + v)
WS_SCOPES(atomicAdd, double, old + v)
WS_SCOPES(atomicSub, int, (unsigned int)old - (unsigned int)v)
WS_SCOPES(atomicSub, unsigned int, old - v)
WS_ALL_INTEGERS(atomicMin, v < old ? v : old)
WS_ALL_INTEGERS(atomicMax, v > old ? v : old)
WS_INTEGERS(atomicAnd, old & v)
WS_INTEGERS(atomicOr, old | v)
WS_INTEGERS(atomicXor, old ^ v)
WS_INTEGERS(atomicExch, v)
WS_SCOPES(atomicExch, float, v)
WS_SCOPES(atomicInc, unsigned int, old >= v ? 0u : old + 1u)
WS_SCOPES(atomicDec, unsigned int, old == 0u || old > v ? v : old - 1u)

#define WS_CAS(name, T) \
    static inline T name(T* p, T expected, T v, WS_AT) { \
        WS_HERE; \
        ws_h_poll(); \
        T old = *p; \
        if (old == expected) *p = v; \
        return old; \
    }
#define WS_CAS_SCOPES(T) WS_CAS(atomicCAS, T) WS_CAS(atomicCAS_block, T) WS_CAS(atomicCAS_system, T)
WS_CAS_SCOPES(int)
WS_CAS_SCOPES(unsigned int)
WS_CAS_SCOPES(unsigned long long)
WS_CAS_SCOPES(unsigned short)
