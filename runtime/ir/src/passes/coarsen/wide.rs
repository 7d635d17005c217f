//! The expressions of a coarsened kernel beyond the language: the number of its own thread, and accesses of several
//! elements.

use crate::ir::{Builtin, CudaText, Effect, Facts, Name, Position, Prelude, Type, Variance};

/// The number of the thread in the coarsened grid.
pub(super) static THREAD: Builtin = Builtin {
    variance: Variance::PerThread,
    facts: Facts::at(Position::GlobalId),
    ..Builtin::pure(Name::new("coarsened_thread"), |_, _| {
        CudaText::new("((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x)")
    })
};

/// Several elements from an address on.
pub(super) static LOAD: Builtin = Builtin {
    by_reference: true,
    facts: Facts::READS,
    ..Builtin::pure(Name::new("coarsened_load"), |_, ret| {
        let count = if let Type::Array(_, count) = ret { *count } else { 1 };
        CudaText::with(format!("ws_wide_load<{count}>({{0}})"), &WIDE)
    })
};

/// Several elements to an address.
pub(super) static STORE: Builtin = Builtin {
    by_reference: true,
    effect: Effect::Writes,
    facts: Facts::WRITES,
    ..Builtin::pure(Name::new("coarsened_store"), |_, _| CudaText::with("ws_wide_store({0}, {1})", &WIDE))
};

/// Returns whether a builtin is one that only a coarsened kernel has.
pub(super) fn is_own(op: &Builtin) -> bool {
    [&THREAD, &LOAD, &STORE].into_iter().any(|own| op.is(own))
}

/// Consecutive elements, in accesses of at most 16 bytes.
static WIDE: Prelude = Prelude {
    name: "ws_wide_access",
    code: "template <class T, unsigned long long N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) ws_Wide {
    ws_Array<T, N> elements;
};

template <unsigned long long N, class T>
__device__ __forceinline__ ws_Array<T, N> ws_wide_load(const T* from) {
    ws_Wide<T, N> wide = *(const ws_Wide<T, N>*)from;
    return wide.elements;
}

template <class T, unsigned long long N>
__device__ __forceinline__ void ws_wide_store(T* to, const ws_Array<T, N>& elements) {
    *(ws_Wide<T, N>*)to = ws_Wide<T, N>{elements};
}
",
    // The type of the elements is printed before it: an array.
    needs: &[],
};
