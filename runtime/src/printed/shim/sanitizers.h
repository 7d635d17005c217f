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

// Every step of the text: a thread that makes too many of them will not end.
#define WS_UNWATCHED __attribute__((no_sanitize_address))
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
