// Accesses: what is neither on the thread's stack nor the text's own is looked up by the host.
extern "C" {
extern __attribute__((visibility("hidden"))) char __ehdr_start[];
extern __attribute__((visibility("hidden"))) char _end[];
}
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
