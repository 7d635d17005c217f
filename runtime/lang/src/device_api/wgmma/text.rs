//! The CUDA of products of a warpgroup: PTX in assembly.

use crate::codegen::ARRAY;
use crate::device_api::mbarrier::SHARED_ADDRESS;
use crate::ir::{CudaText, Prelude};

/// The PTX instruction of one shape and type.
pub(super) struct Instruction {
    pub element: [&'static str; 2],
    pub bytes: usize,
    pub sums: usize,
    pub turned: [bool; 2],
    pub in_registers: bool,
}

impl Instruction {
    /// `m64n256k16.f32.bf16.bf16`
    fn words(&self) -> String {
        let ([sum, element], n, k) = (self.element, 2 * self.sums, 32 / self.bytes);
        format!("m64n{n}k{k}.{sum}.{element}.{element}")
    }

    /// The text after the predicate: the signs of both operands, and whether each is turned.
    fn flags(&self) -> String {
        let [a, b] = self.turned.map(u8::from);
        match (self.element[0], self.bytes, self.in_registers) {
            ("s32", ..) => String::new(),
            (_, 2, false) => format!(", 1, 1, {a}, {b}"),
            (_, 2, true) => format!(", 1, 1, {b}"),
            _ => ", 1, 1".to_owned(),
        }
    }

    /// A function of the sums, both operands and whether to keep.
    pub fn text(&self) -> CudaText {
        let turned: String = ["_a_turned", "_b_turned"]
            .iter()
            .zip(self.turned)
            .filter(|(_, is)| *is)
            .map(|(name, _)| *name)
            .collect();
        let registers = if self.in_registers { "rs_" } else { "" };
        let words = self.words();
        let name = format!("ws_wgmma_{registers}{}{turned}", words.replace('.', "_"));
        let (ty, bound) = if self.element[0] == "s32" { ("int", 'r') } else { ("float", 'f') };
        let (n, groups) = (self.sums, self.sums / 4);
        let list =
            |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(", ");
        let (sums, bound_sums) = (
            list(n, &|i| format!("%{i}")),
            list(n, &|i| format!("\"+{bound}\"(d->at[{}].at[{}])", i / 4, i % 4)),
        );
        let (a, a_ty, bound_a, next) = match self.in_registers {
            true => (
                format!("{{{}}}", list(4, &|i| format!("%{}", n + i))),
                "ws_Array<unsigned int, 4>",
                list(4, &|i| format!("\"r\"(a.at[{i}])")),
                n + 4,
            ),
            false => (format!("%{n}"), "unsigned long long", "\"l\"(a)".to_owned(), n + 1),
        };
        let (b, keep, flags) = (next, next + 1, self.flags());
        let definition = format!(
            "__device__ __forceinline__ void {name}(ws_Array<ws_Array<{ty}, 4>, {groups}>* d, {a_ty} a, unsigned long long b, bool keep) {{
    asm volatile(\"{{\\n\\t.reg .pred p;\\n\\tsetp.ne.s32 p, %{keep}, 0;\\n\\twgmma.mma_async.sync.aligned.{words} {{{sums}}}, {a}, %{b}, p{flags};\\n\\t}}\" : {bound_sums} : {bound_a}, \"l\"(b), \"r\"((int)keep));
}}
"
        );
        let template = format!("{name}({{0}}, {{1}}, {{2}}, {{3}})");
        CudaText { template, prelude: vec![&ARRAY], definitions: vec![definition] }
    }
}

pub(super) static WARPGROUP_ID: Prelude = Prelude {
    name: "ws_warpgroup_id",
    code: "__device__ __forceinline__ unsigned int ws_warpgroup_id(unsigned int rank) {
    return __shfl_sync(0xffffffffu, rank / 128u, 0);
}
",
    needs: &[],
};

/// In assembly, where `start` has 32 bits for good: the compiler would compute all of the address in 64 bits to shift and mask it.
pub(super) static DESCRIPTOR: Prelude = Prelude {
    name: "ws_matrix_descriptor",
    code: "__device__ __forceinline__ unsigned long long ws_matrix_descriptor(const void* place, unsigned int leading, unsigned int stride, unsigned int swizzle) {
    unsigned int low = (leading >> 4 & 0x3fffu) << 16, high = (stride >> 4 & 0x3fffu) | swizzle << 30;
    unsigned long long descriptor;
    asm(\"{\\n\\t.reg .b32 start;\\n\\tshr.b32 start, %1, 4;\\n\\tand.b32 start, start, 0x3fff;\\n\\tor.b32 start, start, %2;\\n\\tmov.b64 %0, {start, %3};\\n\\t}\" : \"=l\"(descriptor) : \"r\"(ws_shared_address(place)), \"r\"(low), \"r\"(high));
    return descriptor;
}
",
    needs: &[&SHARED_ADDRESS],
};

pub(super) static FENCE: Prelude = Prelude {
    name: "ws_wgmma_fence",
    code: "__device__ __forceinline__ void ws_wgmma_fence() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }\n",
    needs: &[],
};

pub(super) static PIN: Prelude = Prelude {
    name: "ws_wgmma_pin",
    code: "__device__ __forceinline__ void ws_pin(float& x) { asm volatile(\"\" : \"+f\"(x)); }
__device__ __forceinline__ void ws_pin(int& x) { asm volatile(\"\" : \"+r\"(x)); }

template <class T, unsigned long long N>
__device__ __forceinline__ void ws_wgmma_pin(ws_Array<ws_Array<T, 4ull>, N>* sums) {
    #pragma unroll
    for (unsigned int i = 0; i < 4 * N; ++i) ws_pin(sums->at[i / 4].at[i % 4]);
}
",
    needs: &[&ARRAY],
};

pub(super) static COMMIT: Prelude = Prelude {
    name: "ws_wgmma_commit",
    code: "__device__ __forceinline__ void ws_wgmma_commit() { asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\"); }\n",
    needs: &[],
};

pub(super) static WAIT: Prelude = Prelude {
    name: "ws_wgmma_wait",
    code: "template <int N>
__device__ __forceinline__ void ws_wgmma_wait() { asm volatile(\"wgmma.wait_group.sync.aligned %0;\" :: \"n\"(N) : \"memory\"); }
",
    needs: &[],
};
