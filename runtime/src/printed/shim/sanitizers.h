// What the compiler's sanitizers call, instead of their own library: each finding is a fault of the launch, at the
// line that the text maps to Rust.

struct ws_Source { const char* file; unsigned int line, column; };

#define WS_UNDEFINED(handler, what, ...) \
    extern "C" __attribute__((weak, visibility("hidden"))) void __ubsan_handle_##handler(ws_Source* at __VA_ARGS__) { \
        ws_h_undefined(what, at->file ? at->file : "", at->line); \
    }
#define WS_VALUE , unsigned long
#define WS_VALUES , unsigned long, unsigned long

extern "C" __attribute__((weak, visibility("hidden"))) void __ubsan_handle_divrem_overflow(ws_Source* at, unsigned long, unsigned long divisor) {
    ws_h_undefined(divisor == 0 ? "a division by zero" : "a division that overflows", at->file ? at->file : "", at->line);
}
WS_UNDEFINED(add_overflow, "an addition of signed integers that overflows", WS_VALUES)
WS_UNDEFINED(sub_overflow, "a subtraction of signed integers that overflows", WS_VALUES)
WS_UNDEFINED(mul_overflow, "a multiplication of signed integers that overflows", WS_VALUES)
WS_UNDEFINED(negate_overflow, "a negation that overflows", WS_VALUE)
WS_UNDEFINED(shift_out_of_bounds, "a shift past the width, or of a negative value", WS_VALUES)
WS_UNDEFINED(out_of_bounds, "an index beyond its array", WS_VALUE)
WS_UNDEFINED(load_invalid_value, "a value that its type does not have", WS_VALUE)
WS_UNDEFINED(type_mismatch_v1, "a null or misaligned pointer", WS_VALUE)
WS_UNDEFINED(pointer_overflow, "a pointer beyond the address space", WS_VALUES)
WS_UNDEFINED(vla_bound_not_positive, "an array of no length", WS_VALUE)
WS_UNDEFINED(float_cast_overflow, "a conversion of a float that its integer cannot hold", WS_VALUE)
WS_UNDEFINED(invalid_builtin, "a builtin of a value that it has no result for")
WS_UNDEFINED(builtin_unreachable, "a place that is never reached")
WS_UNDEFINED(missing_return, "a function that ends without its value")
WS_UNDEFINED(nonnull_arg, "a null argument")

// Accesses: what is neither on the thread's stack nor the text's own is looked up by the host.
extern "C" {
extern __attribute__((visibility("hidden"))) char __ehdr_start[];
extern __attribute__((visibility("hidden"))) char _end[];
}
#define WS_UNWATCHED __attribute__((no_sanitize_address))
WS_UNWATCHED static inline void ws_accessed(unsigned long at, unsigned long bytes, bool write) {
    unsigned long above = at - (unsigned long)__builtin_frame_address(0);
    bool own = at >= (unsigned long)__ehdr_start && at + bytes <= (unsigned long)_end;
    if (above > 0xffff && !own) ws_h_accessed(at, bytes, write);
}
#define WS_ACCESS(size) \
    extern "C" __attribute__((weak, visibility("hidden"))) WS_UNWATCHED void __asan_load##size##_noabort(unsigned long at) { ws_accessed(at, size, false); } \
    extern "C" __attribute__((weak, visibility("hidden"))) WS_UNWATCHED void __asan_store##size##_noabort(unsigned long at) { ws_accessed(at, size, true); }
WS_ACCESS(1)
WS_ACCESS(2)
WS_ACCESS(4)
WS_ACCESS(8)
WS_ACCESS(16)
extern "C" __attribute__((weak, visibility("hidden"))) WS_UNWATCHED void __asan_loadN_noabort(unsigned long at, unsigned long bytes) { ws_accessed(at, bytes, false); }
extern "C" __attribute__((weak, visibility("hidden"))) WS_UNWATCHED void __asan_storeN_noabort(unsigned long at, unsigned long bytes) { ws_accessed(at, bytes, true); }
extern "C" __attribute__((weak, visibility("hidden"))) WS_UNWATCHED void __asan_handle_no_return() {}

// Every step of the text: a thread that makes too many of them will not end.
#if __has_attribute(no_sanitize_coverage)
#define WS_UNCOUNTED __attribute__((no_sanitize_coverage))
#else
#define WS_UNCOUNTED __attribute__((no_sanitize("coverage")))
#endif
extern "C" __attribute__((weak, visibility("hidden"))) WS_UNWATCHED WS_UNCOUNTED void __sanitizer_cov_trace_pc() {
    if (__builtin_expect(--ws_left == 0, 0)) {
        ws_left = ws_budget;
        ((void (*)())ws_host[WS_ENDLESS])();
    }
}
