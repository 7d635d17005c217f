// Numbers: what CUDA defines beside its library, which the host gives (`numeric.rs`).

static inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static inline unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
static inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
static inline float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
static inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
static inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

#define WS_LESSER(T) \
    static inline T min(T a, T b) { return b < a ? b : a; } \
    static inline T max(T a, T b) { return a < b ? b : a; }
WS_LESSER(int)
WS_LESSER(unsigned int)
WS_LESSER(long long)
WS_LESSER(unsigned long long)

// Loads and stores with a hint.
#define WS_LOAD(name) template <class T> static inline T name(const T* p) { return *p; }
#define WS_STORE(name) template <class T> static inline void name(T* p, T value) { *p = value; }
WS_LOAD(__ldg)
WS_LOAD(__ldcg)
WS_LOAD(__ldca)
WS_LOAD(__ldcs)
WS_LOAD(__ldlu)
WS_LOAD(__ldcv)
WS_STORE(__stcg)
WS_STORE(__stcs)
WS_STORE(__stwb)
WS_STORE(__stwt)
