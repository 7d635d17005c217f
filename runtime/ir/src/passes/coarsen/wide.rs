//! The expressions of a coarsened kernel beyond the language: the number of its own thread, and accesses of several
//! elements.

use crate::ir::{Builtin, CudaText, Effect, Facts, Name, Position, Prelude, Scalar, Type, Variance};

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

/// The same for elements that are put into words, which others are made of.
pub(super) static LOAD_WORDS: Builtin = Builtin {
    by_reference: true,
    facts: Facts::READS,
    ..Builtin::pure(Name::new("coarsened_load_words"), |types, ret| match ret {
        Type::Array(_, count) if is_words(ret) => {
            CudaText::with(format!("ws_words_load<{count}>({{0}})"), &WORDS)
        }
        _ => (LOAD.cuda)(types, ret),
    })
};

/// Several elements to an address.
pub(super) static STORE: Builtin = Builtin {
    by_reference: true,
    effect: Effect::Writes,
    facts: Facts::WRITES,
    ..Builtin::pure(Name::new("coarsened_store"), |types, _| match types.get(1).is_some_and(is_words) {
        true => CudaText::with("ws_words_store({0}, {1})", &WORDS),
        false => CudaText::with("ws_wide_store({0}, {1})", &WIDE),
    })
};

/// Returns whether a builtin is one that only a coarsened kernel has.
pub(super) fn is_own(op: &Builtin) -> bool {
    [&THREAD, &LOAD, &LOAD_WORDS, &STORE].into_iter().any(|own| op.is(own))
}

/// Whether elements are integers of less than 32 bits that fill words.
pub(super) fn is_words(array: &Type) -> bool {
    let Type::Array(elem, count) = array else { return false };
    let is_short = matches!(**elem, Type::Scalar(Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16));
    is_short && elem.size() * count % 4 == 0
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

/// The same of integers of less than 32 bits: they are taken out of words, and put into words, by hand.
///
/// From an array in memory, the compiler loads each into a register of 16 bits, whose arithmetic takes more instructions.
/// Two shifts take the first one out of its word; otherwise it would be such a register, too.
static WORDS: Prelude = Prelude {
    name: "ws_words_access",
    code: "template <unsigned long long N, class T>
__device__ __forceinline__ ws_Array<T, N> ws_words_load(const T* from) {
    constexpr unsigned int bits = 8 * sizeof(T), each = 32 / bits, rest = 32 - bits;
    ws_Wide<unsigned int, N / each> words = *(const ws_Wide<unsigned int, N / each>*)from;
    ws_Array<T, N> elements;
    #pragma unroll
    for (unsigned int i = 0; i < N; ++i) {
        unsigned int word = words.elements[i / each];
        elements[i] = (T)(i % each == 0 ? __funnelshift_l(0u, word, rest) >> rest : word >> i % each * bits);
    }
    return elements;
}

template <class T, unsigned long long N>
__device__ __forceinline__ void ws_words_store(T* to, const ws_Array<T, N>& elements) {
    constexpr unsigned int bits = 8 * sizeof(T), each = 32 / bits, mask = (1u << bits) - 1;
    ws_Wide<unsigned int, N / each> words{};
    #pragma unroll
    for (unsigned int i = 0; i < N; ++i) words.elements[i / each] |= ((unsigned int)elements[i] & mask) << i % each * bits;
    *(ws_Wide<unsigned int, N / each>*)to = words;
}
",
    needs: &[&WIDE],
};
