//! The CUDA of copies of boxes of tensors; their Rust meaning is in [`crate::tensor_map`].
//!
//! PTX has the innermost coordinate first, Rust the row.

use super::mbarrier::SHARED_ADDRESS;
use super::text::with;
use crate::codegen::tensor_map::TENSOR_MAP;
use crate::ir::{Builtin, CudaText, Effect, Facts, Name, Prelude, Type};

/// The facts of builtins that give the copy engine work.
const STARTS: Facts = Facts { rendezvous: true, ..Facts::MOVES };

macro_rules! copies {
    ($($name:ident $builtin:literal $text:literal $prelude:ident;)+) => {
        /// The number of a copy in [`ALL`].
        #[derive(Clone, Copy)]
        pub(crate) enum Number { $($name),+ }

        /// The builtins, by their numbers.
        pub(crate) static ALL: &[Builtin] = &[$({
            fn text(args: &[Type], ret: &Type) -> CudaText {
                with($text, &$prelude)(args, ret)
            }
            Builtin {
                effect: Effect::Writes,
                by_reference: true,
                facts: STARTS,
                min_compute: (9, 0),
                ..Builtin::pure(Name::new($builtin), text)
            }
        }),+];
    };
}

copies! {
    Load "tma_load" "ws_tma_load({0}, {1}, {2}, {3})" LOAD;
    LoadMulticast "tma_load_multicast" "ws_tma_load_multicast({0}, {1}, {2}, {3}, {4})" LOAD_MULTICAST;
    Store "tma_store" "ws_tma_store({0}, {1}, {2})" STORE;
    ReduceAdd "tma_reduce_add" "ws_tma_reduce_add({0}, {1}, {2})" REDUCE_ADD;
    ReduceMin "tma_reduce_min" "ws_tma_reduce_min({0}, {1}, {2})" REDUCE_MIN;
    ReduceMax "tma_reduce_max" "ws_tma_reduce_max({0}, {1}, {2})" REDUCE_MAX;
    ReduceAnd "tma_reduce_and" "ws_tma_reduce_and({0}, {1}, {2})" REDUCE_AND;
    ReduceOr "tma_reduce_or" "ws_tma_reduce_or({0}, {1}, {2})" REDUCE_OR;
    ReduceXor "tma_reduce_xor" "ws_tma_reduce_xor({0}, {1}, {2})" REDUCE_XOR;
    Prefetch "tensormap_prefetch" "ws_tensormap_prefetch({0})" PREFETCH;
}

static LOAD: Prelude = Prelude {
    name: "ws_tma_load",
    code: "template <class T, class A>
__device__ __forceinline__ void ws_tma_load(const T& tile, const ws_TensorMap* map, const A& at, const void* barrier) {
    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];\" :: \"r\"(ws_shared_address(tile.elements)), \"l\"(map), \"r\"((int)at[1]), \"r\"((int)at[0]), \"r\"(ws_shared_address(barrier)) : \"memory\");
}
",
    needs: &[&SHARED_ADDRESS, &TENSOR_MAP],
};

static LOAD_MULTICAST: Prelude = Prelude {
    name: "ws_tma_load_multicast",
    code: "template <class T, class A>
__device__ __forceinline__ void ws_tma_load_multicast(const T& tile, const ws_TensorMap* map, const A& at, const void* barrier, unsigned short blocks) {
    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;\" :: \"r\"(ws_shared_address(tile.elements)), \"l\"(map), \"r\"((int)at[1]), \"r\"((int)at[0]), \"r\"(ws_shared_address(barrier)), \"h\"(blocks) : \"memory\");
}
",
    needs: &[&SHARED_ADDRESS, &TENSOR_MAP],
};

macro_rules! stores {
    ($($prelude:ident $name:literal $instruction:literal;)+) => {$(
        static $prelude: Prelude = Prelude {
            name: $name,
            code: concat!(
                "template <class A, class T>\n__device__ __forceinline__ void ", $name,
                "(const ws_TensorMap* map, const A& at, const T& tile) {\n    asm volatile(\"", $instruction,
                ".bulk_group [%0, {%1, %2}], [%3];\" :: \"l\"(map), \"r\"((int)at[1]), \"r\"((int)at[0]), \"r\"(ws_shared_address(tile.elements)) : \"memory\");\n}\n",
            ),
            needs: &[&SHARED_ADDRESS, &TENSOR_MAP],
        };
    )+};
}

stores! {
    STORE "ws_tma_store" "cp.async.bulk.tensor.2d.global.shared::cta";
    REDUCE_ADD "ws_tma_reduce_add" "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add";
    REDUCE_MIN "ws_tma_reduce_min" "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min";
    REDUCE_MAX "ws_tma_reduce_max" "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max";
    REDUCE_AND "ws_tma_reduce_and" "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and";
    REDUCE_OR "ws_tma_reduce_or" "cp.reduce.async.bulk.tensor.2d.global.shared::cta.or";
    REDUCE_XOR "ws_tma_reduce_xor" "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor";
}

static PREFETCH: Prelude = Prelude {
    name: "ws_tensormap_prefetch",
    code: "__device__ __forceinline__ void ws_tensormap_prefetch(const ws_TensorMap* map) { asm volatile(\"prefetch.tensormap [%0];\" :: \"l\"(map) : \"memory\"); }\n",
    needs: &[&TENSOR_MAP],
};
