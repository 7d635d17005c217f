// Barriers in shared memory that count arrivals and bytes, and the copy engine. An address in the shared memory of another
// block of the cluster is that in the own one with the rank, plus one, in the highest eight bits.

static inline void ws_ptx_mapa_shared_cluster_u32(unsigned int& r, unsigned int place, unsigned int rank) {
    r = (place & 0xffffffu) | (rank + 1u) << 24;
}
static inline void ws_ptx_mbarrier_init_shared_cta_b64(unsigned int barrier, unsigned int count) { ws_h_mbarrier_init(barrier, count); }
static inline void ws_ptx_mbarrier_inval_shared_cta_b64(unsigned int barrier) { ws_h_mbarrier_inval(barrier); }
static inline void ws_ptx_mbarrier_arrive_shared_cta_b64(unsigned int barrier) { ws_h_mbarrier_arrive(barrier, 1, 0); }
static inline void ws_ptx_mbarrier_arrive_shared_cta_b64(unsigned int barrier, unsigned int count) { ws_h_mbarrier_arrive(barrier, count, 0); }
static inline void ws_ptx_mbarrier_arrive_shared_cta_b64(unsigned long long& state, unsigned int barrier) {
    state = ws_h_mbarrier_arrive(barrier, 1, 0);
}
static inline void ws_ptx_mbarrier_arrive_shared_cluster_b64(unsigned int barrier) { ws_h_mbarrier_arrive_at(barrier, false); }
static inline void ws_ptx_mbarrier_arrive_release_cluster_shared_cluster_b64(unsigned int barrier) { ws_h_mbarrier_arrive_at(barrier, true); }
static inline void ws_ptx_mbarrier_arrive_expect_tx_shared_cta_b64(unsigned int barrier, unsigned int bytes) { ws_h_mbarrier_arrive(barrier, 1, bytes); }
static inline void ws_ptx_mbarrier_expect_tx_relaxed_cta_shared_cta_b64(unsigned int barrier, unsigned int bytes) { ws_h_mbarrier_expect(barrier, bytes); }
static inline void ws_ptx_mbarrier_test_wait_parity_shared_cta_b64(bool& done, unsigned int barrier, unsigned int parity) {
    done = ws_h_mbarrier_look(barrier, parity, true, false);
}
static inline void ws_ptx_mbarrier_test_wait_shared_cta_b64(bool& done, unsigned int barrier, unsigned long long state) {
    done = ws_h_mbarrier_look(barrier, (unsigned int)state, false, false);
}
static inline void ws_ptx_mbarrier_try_wait_parity_shared_cta_b64(bool& done, unsigned int barrier, unsigned int parity) {
    done = ws_h_mbarrier_look(barrier, parity, true, true);
}
static inline void ws_ptx_mbarrier_try_wait_parity_acquire_cluster_shared_cta_b64(bool& done, unsigned int barrier, unsigned int parity) {
    done = ws_h_mbarrier_look(barrier, parity, true, true);
}
static inline void ws_ptx_mbarrier_try_wait_shared_cta_b64(bool& done, unsigned int barrier, unsigned long long state) {
    done = ws_h_mbarrier_look(barrier, (unsigned int)state, false, true);
}
static inline void ws_ptx_fence_mbarrier_init() { ws_h_fence(); }
static inline void ws_ptx_fence_proxy_async_shared() { ws_h_fence(); }
static inline void ws_ptx_fence_proxy_async() { ws_h_fence(); }
static inline void ws_ptx_cp_async_mbarrier_arrive_noinc_shared_cta_b64(unsigned int barrier) { ws_h_cp_async_mbarrier_arrive(barrier); }
static inline void ws_ptx_elect_sync(bool& elected, unsigned int) { elected = ws_h_elect_one(); }

static inline void ws_ptx_cp_async_bulk_shared_cluster_global_mbarrier_complete_tx_bytes(unsigned int to, const void* from, unsigned int bytes, unsigned int barrier) {
    ws_h_bulk_load(to, from, bytes, barrier);
}
static inline void ws_ptx_cp_async_bulk_global_shared_cta_bulk_group(void* to, unsigned int from, unsigned int bytes) {
    ws_h_bulk_store(to, from, bytes);
}
static inline void ws_ptx_cp_async_bulk_shared_cluster_shared_cta_mbarrier_complete_tx_bytes(unsigned int to, unsigned int from, unsigned int bytes, unsigned int barrier) {
    ws_h_bulk_send(to, from, bytes, barrier);
}
static inline void ws_ptx_cp_async_bulk_commit_group() { ws_h_bulk_commit(); }
static inline void ws_ptx_cp_async_bulk_wait_group(int left) { ws_h_bulk_wait((unsigned int)left, false); }
static inline void ws_ptx_cp_async_bulk_wait_group_read(int left) { ws_h_bulk_wait((unsigned int)left, true); }

// Copies of boxes, of tensors of each rank; a map's first word is the address of the host's.
#define WS_REDUCE_BOX(rank, operation, number) \
    static inline void ws_ptx_cp_reduce_async_bulk_tensor_##rank##d_global_shared_cta_##operation##_bulk_group(const void* map, WS_LIST_##rank(WS_PARAMETER, int, x), unsigned int from) { \
        const int at[] = {WS_LIST_##rank(WS_LISTED, int, x)}; \
        ws_h_tma_reduce(map, at, from, number); \
    }
#define WS_BOXES(rank) \
    static inline void ws_ptx_cp_async_bulk_tensor_##rank##d_shared_cluster_global_mbarrier_complete_tx_bytes(unsigned int to, const void* map, WS_LIST_##rank(WS_PARAMETER, int, x), unsigned int barrier) { \
        const int at[] = {WS_LIST_##rank(WS_LISTED, int, x)}; \
        ws_h_tma_load(to, map, at, barrier); \
    } \
    static inline void ws_ptx_cp_async_bulk_tensor_##rank##d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster(unsigned int to, const void* map, WS_LIST_##rank(WS_PARAMETER, int, x), unsigned int barrier, unsigned short blocks) { \
        const int at[] = {WS_LIST_##rank(WS_LISTED, int, x)}; \
        ws_h_tma_load_multicast(to, map, at, barrier, blocks); \
    } \
    static inline void ws_ptx_cp_async_bulk_tensor_##rank##d_shared_cluster_global_mbarrier_complete_tx_bytes_L2_cache_hint(unsigned int to, const void* map, WS_LIST_##rank(WS_PARAMETER, int, x), unsigned int barrier, unsigned long long) { \
        const int at[] = {WS_LIST_##rank(WS_LISTED, int, x)}; \
        ws_h_tma_load(to, map, at, barrier); \
    } \
    static inline void ws_ptx_cp_async_bulk_tensor_##rank##d_shared_cluster_global_mbarrier_complete_tx_bytes_multicast_cluster_L2_cache_hint(unsigned int to, const void* map, WS_LIST_##rank(WS_PARAMETER, int, x), unsigned int barrier, unsigned short blocks, unsigned long long) { \
        const int at[] = {WS_LIST_##rank(WS_LISTED, int, x)}; \
        ws_h_tma_load_multicast(to, map, at, barrier, blocks); \
    } \
    static inline void ws_ptx_cp_async_bulk_tensor_##rank##d_global_shared_cta_bulk_group(const void* map, WS_LIST_##rank(WS_PARAMETER, int, x), unsigned int from) { \
        const int at[] = {WS_LIST_##rank(WS_LISTED, int, x)}; \
        ws_h_tma_store(map, at, from); \
    } \
    WS_REDUCE_BOX(rank, add, 0) \
    WS_REDUCE_BOX(rank, min, 1) \
    WS_REDUCE_BOX(rank, max, 2) \
    WS_REDUCE_BOX(rank, and, 3) \
    WS_REDUCE_BOX(rank, or, 4) \
    WS_REDUCE_BOX(rank, xor, 5)
WS_BOXES(1)
WS_BOXES(2)
WS_BOXES(3)
WS_BOXES(4)
WS_BOXES(5)
static inline void ws_ptx_prefetch_tensormap(const void*) {}
