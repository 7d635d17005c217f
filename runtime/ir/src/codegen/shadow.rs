//! CUDA definitions of the shadow, which knows for each byte of memory whether something was written to it.

use super::prelude::CHECKS;
use crate::ir::Prelude;

/// Bytes of a block's shared memory that hold a bit for each byte of the rest: enough for 228 KiB.
pub(super) const SHADOW_BYTES: usize = 29_184;

/// The bits of shared memory come after all other data. The position of a byte is counted from there, because in a cluster
/// the bits of an address above the 24th depend on the block. The bits begin at a word, however many bytes the kernel
/// itself has. The last word may be beyond the end, and is not used.
pub(super) static SHADOW: Prelude = Prelude {
    name: "ws_shadow",
    code: "__device__ __forceinline__ unsigned int* ws_shadow() {
    extern __shared__ __align__(1024) unsigned char ws_dynamic[];
    unsigned int bytes;
    asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(bytes));
    return (unsigned int*)(ws_dynamic + (bytes - 29181u) / 4u * 4u);
}

__device__ void ws_shadow_begin() {
    unsigned int* shadow = ws_shadow();
    unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (unsigned int i = thread; i < 7295u; i += blockDim.x * blockDim.y * blockDim.z) shadow[i] = 0u;
    __syncthreads();
}

__device__ __noinline__ unsigned int* ws_shadow_of(const void* p, unsigned int* offset) {
    unsigned int* shadow = 0;
    if (__isShared(p)) shadow = ws_shadow();
#if __CUDA_ARCH__ >= 900
    unsigned int other;
    asm(\"{\\n\\t.reg .pred q;\\n\\tisspacep.shared::cluster q, %1;\\n\\tselp.u32 %0, 1, 0, q;\\n\\t}\" : \"=r\"(other) : \"l\"(p));
    if (shadow == 0 && other) {
        unsigned int rank;
        asm(\"getctarank.u64 %0, %1;\" : \"=r\"(rank) : \"l\"(p));
        shadow = (unsigned int*)__cluster_map_shared_rank(ws_shadow(), rank);
    }
#endif
    *offset = 233440u - ((unsigned int)((const char*)shadow - (const char*)p) & 0xffffffu);
    return shadow;
}
",
    needs: &[],
};

/// [`SHADOW`] for a kernel without shared memory.
pub(super) static NO_SHADOW: Prelude = Prelude {
    name: "ws_shadow",
    code: "__device__ __forceinline__ unsigned int* ws_shadow_of(const void*, unsigned int*) { return 0; }
",
    needs: &[],
};

/// The shadows of global memory: a byte for each byte of the allocations of a table, which the host keeps.
pub(super) static SHADOWS: Prelude = Prelude {
    name: "ws_shadows",
    code: "struct ws_Shadow {
    unsigned long long start, end, shadow;
};

__constant__ ws_Shadow* ws_shadows;

__device__ __noinline__ volatile unsigned char* ws_shadow_at(const void* p) {
    unsigned long long at = (unsigned long long)p;
    for (volatile ws_Shadow* entry = ws_shadows; entry->start != 0; ++entry) {
        unsigned long long end = entry->end, start = entry->start;
        if (at < end && at >= start) return (volatile unsigned char*)(entry->shadow + (at - start));
    }
    return 0;
}
",
    needs: &[],
};

/// No block accesses the shared memory of another before that has begun.
pub(super) static SHADOW_CLUSTER: Prelude = Prelude {
    name: "ws_shadow_cluster",
    code: "__device__ __forceinline__ void ws_shadow_cluster() {
    asm volatile(\"barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;\" ::: \"memory\");
}
",
    needs: &[],
};

/// Marks memory as written.
pub(super) static WRITTEN: Prelude = Prelude {
    name: "ws_written",
    code: "__device__ __noinline__ void ws_mark(const void* p, unsigned long long bytes) {
    if (__isGlobal(p)) {
        volatile unsigned char* written = ws_shadow_at(p);
        for (unsigned long long i = 0; written != 0 && i < bytes; ++i) written[i] = 1;
        return;
    }
    unsigned int offset = 0;
    unsigned int* shadow = ws_shadow_of(p, &offset);
    if (shadow == 0) return;
    for (unsigned long long at = offset, end = at + bytes; at < end;) {
        unsigned int first = (unsigned int)(at % 32);
        unsigned int count = end - at < 32 - first ? (unsigned int)(end - at) : 32 - first;
        unsigned int mask = (count == 32 ? 0xffffffffu : (1u << count) - 1u) << first;
        if ((~((volatile unsigned int*)shadow)[at / 32] & mask) != 0) atomicOr(&shadow[at / 32], mask);
        at += count;
    }
}

template <class T>
__device__ __forceinline__ T* ws_written(T* p, unsigned long long count) {
    ws_mark((const void*)p, sizeof(T) * count);
    return p;
}
",
    needs: &[&SHADOWS],
};

/// Checks that memory has been written.
///
/// A function of its own, which is not inlined, finds the kind of memory. Inlined, NVRTC 13.0 loses the cast of the address
/// of a struct of one byte, and gives up.
pub(super) static READABLE: Prelude = Prelude {
    name: "ws_readable",
    code: "__device__ __noinline__ unsigned int ws_first_unwritten(const void* p, unsigned int bytes) {
    if (__isGlobal(p)) {
        volatile unsigned char* written = ws_shadow_at(p);
        for (unsigned int i = 0; written != 0 && i < bytes; ++i) {
            if (written[i] == 0) return i;
        }
        return bytes;
    }
    unsigned int offset = 0;
    unsigned int* shadow = ws_shadow_of(p, &offset);
    for (unsigned int i = 0; shadow != 0 && i < bytes; ++i) {
        unsigned int at = offset + i;
        if ((((volatile unsigned int*)shadow)[at / 32] >> at % 32 & 1u) == 0) return i;
    }
    return bytes;
}

__device__ __noinline__ unsigned long long ws_memory_of(const void* p) { return __isGlobal(p) ? 1ull << 32 : 0ull; }

template <class T>
__device__ __forceinline__ T* ws_readable(T* p, unsigned int site, ws_Fault* fault) {
    unsigned int first = ws_first_unwritten((const void*)p, sizeof(T));
    if (first != sizeof(T)) ws_fail(fault, site, first + ws_memory_of((const void*)p), sizeof(T));
    return p;
}
",
    needs: &[&CHECKS, &SHADOWS],
};

/// Whether a lane's row of matrices is one that the warp takes.
static ROW_LANES: Prelude = Prelude {
    name: "ws_is_row",
    code: "__device__ __forceinline__ bool ws_is_row(unsigned int lanes) {
    unsigned int lane;
    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));
    return lane < lanes;
}
",
    needs: &[],
};

/// A row of matrices must be aligned.
pub(super) static ALIGNED_ROW: Prelude = Prelude {
    name: "ws_aligned_row",
    code: "template <class T>
__device__ __forceinline__ T* ws_aligned_row(T* p, unsigned int lanes, unsigned int site, ws_Fault* fault) {
    if (ws_is_row(lanes)) ws_aligned(p, 16, site, fault);
    return p;
}
",
    needs: &[&CHECKS, &ROW_LANES],
};

/// Marks a row of matrices as written.
pub(super) static WRITTEN_ROW: Prelude = Prelude {
    name: "ws_written_row",
    code: "template <class T>
__device__ __forceinline__ T* ws_written_row(T* p, unsigned int lanes) {
    if (ws_is_row(lanes)) ws_mark((const void*)p, 16);
    return p;
}
",
    needs: &[&WRITTEN, &ROW_LANES],
};

/// Checks that a row of matrices has been written.
pub(super) static READABLE_ROW: Prelude = Prelude {
    name: "ws_readable_row",
    code: "template <class T>
__device__ __forceinline__ T* ws_readable_row(T* p, unsigned int lanes, unsigned int site, ws_Fault* fault) {
    unsigned int first = ws_is_row(lanes) ? ws_first_unwritten((const void*)p, 16) : 16;
    if (first != 16) ws_fail(fault, site, first + ws_memory_of((const void*)p), 16);
    return p;
}
",
    needs: &[&READABLE, &ROW_LANES],
};

/// Marks a tile as written that the copy engine loads.
pub(super) static LOADED: Prelude = Prelude {
    name: "ws_loaded",
    code: "template <class T>
__device__ __forceinline__ const T& ws_loaded(const T& tile, unsigned long long bytes) {
    ws_mark((const void*)tile.elements, bytes);
    return tile;
}
",
    needs: &[&WRITTEN],
};

/// The same for all blocks of the cluster: which of them the copy reaches is known at run time only.
pub(super) static LOADED_TO_BLOCKS: Prelude = Prelude {
    name: "ws_loaded_to_blocks",
    code: "template <class T>
__device__ __forceinline__ const T& ws_loaded_to_blocks(const T& tile, unsigned long long bytes) {
    for (unsigned int block = 0; block < __clusterSizeInBlocks(); ++block) {
        ws_mark(__cluster_map_shared_rank((void*)tile.elements, block), bytes);
    }
    return tile;
}
",
    needs: &[&WRITTEN],
};
