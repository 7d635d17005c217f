//! The CUDA of copies of boxes of tensors; their Rust meaning is in `warpsmith-tiles`.
//!
//! PTX has the innermost coordinate first, Rust the outermost.

use super::mbarrier::SHARED_ADDRESS;
use crate::codegen::tensor_map::TENSOR_MAP;
use crate::ir::{Builtin, CudaText, Effect, Facts, Form, Name, Prelude, Type};

/// The facts of builtins that give the copy engine work.
const STARTS: Facts = Facts { rendezvous: true, ..Facts::MOVES };

macro_rules! copies {
    ($($name:ident $builtin:literal $form:ident $text:ident($($given:expr),*);)+) => {
        /// The number of a copy in [`ALL`].
        #[derive(Clone, Copy)]
        pub enum Number { $($name),+ }

        /// The builtins, by their numbers.
        pub static ALL: &[Builtin] = &[$({
            fn text(args: &[Type], _: &Type) -> CudaText {
                $text(concat!("ws_", $builtin), args $(, $given)*)
            }
            Builtin {
                effect: Effect::Writes,
                by_reference: true,
                facts: STARTS.is(Form::$form),
                min_compute: (9, 0),
                ..Builtin::pure(Name::new($builtin), text)
            }
        }),+];
    };
}

copies! {
    Load "tma_load" BoxLoad load("", &[]);
    LoadMulticast "tma_load_multicast" BoxLoadToBlocks load(".multicast::cluster", &[BLOCKS]);
    LoadHint "tma_load_hint" BoxLoad load(".L2::cache_hint", &[POLICY]);
    LoadMulticastHint "tma_load_multicast_hint" BoxLoadToBlocks load(".multicast::cluster.L2::cache_hint", &[BLOCKS, POLICY]);
    Store "tma_store" Call store("cp.async", "");
    ReduceAdd "tma_reduce_add" Call store("cp.reduce.async", ".add");
    ReduceMin "tma_reduce_min" Call store("cp.reduce.async", ".min");
    ReduceMax "tma_reduce_max" Call store("cp.reduce.async", ".max");
    ReduceAnd "tma_reduce_and" Call store("cp.reduce.async", ".and");
    ReduceOr "tma_reduce_or" Call store("cp.reduce.async", ".or");
    ReduceXor "tma_reduce_xor" Call store("cp.reduce.async", ".xor");
    Prefetch "tensormap_prefetch" Call prefetch();
}

/// An operand of a copy behind the barrier: its parameter in CUDA, and how the instruction takes it.
struct Operand {
    parameter: &'static str,
    taken: &'static str,
}

const BLOCKS: Operand = Operand { parameter: "unsigned short blocks", taken: "\"h\"(blocks)" };
const POLICY: Operand = Operand { parameter: "const P& policy", taken: "\"l\"(policy.bits)" };

/// The coordinates of a copy: as many as its tensor has dimensions.
struct Coordinates {
    rank: usize,
}

impl Coordinates {
    /// Of the only array among the arguments.
    fn of(args: &[Type]) -> Self {
        let rank = args.iter().find_map(|ty| if let Type::Array(_, rank) = ty { Some(*rank) } else { None });
        Self { rank: rank.unwrap_or(2) }
    }

    /// The name of the function that copies a tensor of this rank.
    fn name(&self, name: &str) -> String {
        if self.rank == 2 { name.to_owned() } else { format!("{name}_{}d", self.rank) }
    }

    /// The operands from number `first` on, and how the instruction takes them.
    fn listed(&self, first: usize) -> (String, String) {
        let operands: Vec<String> = (first..first + self.rank).map(|i| format!("%{i}")).collect();
        let taken: Vec<String> = (0..self.rank).rev().map(|i| format!("\"r\"((int)at[{i}])")).collect();
        (operands.join(", "), taken.join(", "))
    }
}

/// A function of the tile, the map, the coordinates, the barrier and what else the instruction takes.
fn load(name: &str, args: &[Type], qualifiers: &str, operands: &[Operand]) -> CudaText {
    let at = Coordinates::of(args);
    let (name, rank, (listed, taken)) = (at.name(name), at.rank, at.listed(2));
    let types =
        if operands.iter().any(|operand| operand.parameter == POLICY.parameter) { ", class P" } else { "" };
    let (mut parameters, mut numbers, mut given) = (String::new(), String::new(), String::new());
    for (i, Operand { parameter, taken }) in operands.iter().enumerate() {
        parameters += &format!(", {parameter}");
        numbers += &format!(", %{}", rank + 3 + i);
        given += &format!(", {taken}");
    }
    let definition = format!(
        "template <class T, class A{types}>
__device__ __forceinline__ void {name}(const T& tile, const ws_TensorMap* map, const A& at, const void* barrier{parameters}) {{
    asm volatile(\"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes{qualifiers} [%0], [%1, {{{listed}}}], [%{}]{numbers};\" :: \"r\"(ws_shared_address(tile.elements)), \"l\"(map), {taken}, \"r\"(ws_shared_address(barrier)){given} : \"memory\");
}}
",
        rank + 2
    );
    let holes: String =
        (0..args.len()).map(|i| if i == 0 { "{0}".to_owned() } else { format!(", {{{i}}}") }).collect();
    defined(&name, &holes, definition)
}

/// A function of the map, the coordinates and the tile.
fn store(name: &str, args: &[Type], instruction: &str, operation: &str) -> CudaText {
    let at = Coordinates::of(args);
    let (name, rank, (listed, taken)) = (at.name(name), at.rank, at.listed(1));
    let definition = format!(
        "template <class A, class T>
__device__ __forceinline__ void {name}(const ws_TensorMap* map, const A& at, const T& tile) {{
    asm volatile(\"{instruction}.bulk.tensor.{rank}d.global.shared::cta{operation}.bulk_group [%0, {{{listed}}}], [%{}];\" :: \"l\"(map), {taken}, \"r\"(ws_shared_address(tile.elements)) : \"memory\");
}}
",
        rank + 1
    );
    defined(&name, "{0}, {1}, {2}", definition)
}

fn defined(name: &str, holes: &str, definition: String) -> CudaText {
    let template = format!("{name}({holes})");
    CudaText { template, prelude: vec![&SHARED_ADDRESS, &TENSOR_MAP], definitions: vec![definition] }
}

fn prefetch(name: &str, _: &[Type]) -> CudaText {
    CudaText::with(format!("{name}({{0}})"), &PREFETCH)
}

static PREFETCH: Prelude = Prelude {
    name: "ws_tensormap_prefetch",
    code: "__device__ __forceinline__ void ws_tensormap_prefetch(const ws_TensorMap* map) { asm volatile(\"prefetch.tensormap [%0];\" :: \"l\"(map) : \"memory\"); }\n",
    needs: &[&TENSOR_MAP],
};
