//! Names that newcomers bring from CUDA C++ and from Rust's host library, and what a kernel writes instead.
//!
//! Knows names alone. A name that the body declares is asked for by the caller first.

use syn::{ItemFn, PathArguments, Type, parse_quote_spanned};

use crate::errors::Errors;
use crate::visitor::{BelowMut, VisitMut};
use syn::visit_mut;

/// Functions of CUDA C++.
const FUNCTIONS: &[(&str, &str)] = &[
    ("__syncthreads", "`sync_threads()`"),
    ("__syncthreads_count", "`sync_threads_count(predicate)`"),
    ("__syncthreads_and", "`sync_threads_and(predicate)`"),
    ("__syncthreads_or", "`sync_threads_or(predicate)`"),
    ("__syncwarp", "`sync_warp()`"),
    ("__threadfence", "`fence_device()`"),
    ("__threadfence_block", "`fence_block()`"),
    ("__threadfence_system", "`fence_system()`"),
    ("__shfl_sync", "`shfl(value, source)`"),
    ("__shfl_up_sync", "`shfl_up(value, delta)`"),
    ("__shfl_down_sync", "`shfl_down(value, delta)`"),
    ("__shfl_xor_sync", "`shfl_xor(value, lane_mask)`"),
    ("__ballot_sync", "`ballot(predicate)`"),
    ("__any_sync", "`any(predicate)`"),
    ("__all_sync", "`all(predicate)`"),
    ("__activemask", "`active_mask()`"),
    ("__popc", "`value.count_ones()`"),
    ("__clz", "`value.leading_zeros()`"),
    ("__ldg", "`load_read_only(&place)`"),
    ("__nanosleep", "`nanosleep(nanoseconds)`"),
    ("atomicAdd", "`atomic_add(&mut place, value)`"),
    ("atomicSub", "`atomic_sub(&mut place, value)`"),
    ("atomicMin", "`atomic_min(&mut place, value)`"),
    ("atomicMax", "`atomic_max(&mut place, value)`"),
    ("atomicAnd", "`atomic_and(&mut place, value)`"),
    ("atomicOr", "`atomic_or(&mut place, value)`"),
    ("atomicXor", "`atomic_xor(&mut place, value)`"),
    ("atomicExch", "`atomic_exchange(&mut place, value)`"),
    ("atomicCAS", "`atomic_compare_exchange(&mut place, expected, value)`"),
    ("sqrtf", "`value.sqrt()`"),
    ("expf", "`value.exp()`"),
    ("fabsf", "`value.abs()`"),
    ("fmaxf", "`a.max(b)`"),
    ("fminf", "`a.min(b)`"),
    ("printf", "`println!(\"{}\", value)`"),
    ("sizeof", "a constant: `const SIZE: usize = size_of::<T>();`"),
    ("malloc", "an array, `shared!`, or a `Buffer` that the host makes"),
    ("free", "nothing: memory belongs to the host's `Buffer`"),
    ("threadIdx", "`thread_idx()`"),
    ("blockIdx", "`block_idx()`"),
    ("blockDim", "`block_dim()`"),
    ("gridDim", "`grid_dim()`"),
    ("syncthreads", "`sync_threads()`"),
    ("syncwarp", "`sync_warp()`"),
    ("__popcll", "`value.count_ones()`"),
    ("__clzll", "`value.leading_zeros()`"),
    ("__ffs", "`ffs(value)`"),
    ("__ffsll", "`ffs(value)`"),
    ("__brev", "`value.reverse_bits()`"),
    ("__brevll", "`value.reverse_bits()`"),
    ("__umulhi", "`mul_hi(a, b)`"),
    ("__mulhi", "`mul_hi(a, b)`"),
    ("__umul64hi", "`mul_hi(a, b)`"),
    ("__mul64hi", "`mul_hi(a, b)`"),
    ("__mul24", "`mul24(a, b)`"),
    ("__umul24", "`umul24(a, b)`"),
    ("__byte_perm", "`byte_perm(a, b, selector)`"),
    ("__funnelshift_l", "`funnel_shift_l(low, high, shift)`"),
    ("__funnelshift_r", "`funnel_shift_r(low, high, shift)`"),
    ("__dp4a", "`dp4a_s32(a, b, c)` or `dp4a_u32(a, b, c)`"),
    ("__ldcs", "`load_streaming(&place)`"),
    ("__ldcg", "`load_l2(&place)`"),
    ("__ldlu", "`load_last_use(&place)`"),
    ("__stcs", "`store_streaming(&mut place, value)`"),
    ("__stcg", "`store_l2(&mut place, value)`"),
    ("__stwt", "`store_through(&mut place, value)`"),
    ("__expf", "`fast_exp(value)`"),
    ("__exp10f", "`fast_exp10(value)`"),
    ("__logf", "`fast_log(value)`"),
    ("__log2f", "`fast_log2(value)`"),
    ("__log10f", "`fast_log10(value)`"),
    ("__sinf", "`fast_sin(value)`"),
    ("__cosf", "`fast_cos(value)`"),
    ("__tanf", "`fast_tan(value)`"),
    ("__powf", "`fast_pow(base, exponent)`"),
    ("__fdividef", "`fast_div(a, b)`"),
    ("__saturatef", "`saturate(value)`"),
    ("__fmaf_rn", "`a.mul_add(b, c)`"),
    ("fmaf", "`a.mul_add(b, c)`"),
    ("rsqrtf", "`rsqrt(value)`"),
    ("sinf", "`value.sin()`"),
    ("cosf", "`value.cos()`"),
    ("tanhf", "`value.tanh()`"),
    ("logf", "`value.ln()`"),
    ("powf", "`base.powf(exponent)`"),
    ("floorf", "`value.floor()`"),
    ("ceilf", "`value.ceil()`"),
    ("fabs", "`value.abs()`"),
    ("__float2int_rn", "`value.round_ties_even() as i32`"),
    ("__float2int_rz", "`value as i32`"),
    ("__int2float_rn", "`value as f32`"),
    ("__float_as_int", "`value.to_bits() as i32`"),
    ("__float_as_uint", "`value.to_bits()`"),
    ("__int_as_float", "`f32::from_bits(value as u32)`"),
    ("__uint_as_float", "`f32::from_bits(value)`"),
    ("__half2float", "`value.to_f32()`"),
    ("__float2half", "`f16::from_f32(value)`"),
    ("__shfl", "`shfl(value, source)`"),
    ("__shfl_down", "`shfl_down(value, delta)`"),
    ("__shfl_up", "`shfl_up(value, delta)`"),
    ("__shfl_xor", "`shfl_xor(value, lane_mask)`"),
    ("__ballot", "`ballot(predicate)`"),
    ("__any", "`any(predicate)`"),
    ("__all", "`all(predicate)`"),
    ("__match_any_sync", "`match_any(value)`"),
    ("__reduce_add_sync", "`reduce_add_sync(mask, value)`"),
    ("atomicInc", "`atomic_inc(&mut place, limit)`"),
    ("atomicDec", "`atomic_dec(&mut place, limit)`"),
    ("make_float2", "`F32x2::new(x, y)`"),
    ("make_float3", "`[x, y, z]`, an array"),
    ("make_float4", "`F32x4::new(x, y, z, w)`"),
    ("make_int2", "`I32x2::new(x, y)`"),
    ("make_int4", "`I32x4::new(x, y, z, w)`"),
    ("make_uint2", "`U32x2::new(x, y)`"),
    ("make_uint4", "`U32x4::new(x, y, z, w)`"),
    ("clock64", "`clock()`"),
    ("memset", "`slice.fill(value)`"),
    ("memcpy", "`target.copy_from_slice(&source)`"),
    ("__trap", "`trap()`"),
    ("__assume", "`assume(condition)`"),
    ("__builtin_assume", "`assume(condition)`"),
    ("tex2D", "`image.sample(u, v)` of a `&Texture2<f32>`"),
];

/// Variables of CUDA C++, and builtins of ours that are functions.
const VALUES: [(&str, &str); 10] = [
    ("threadIdx", "`thread_idx()`"),
    ("blockIdx", "`block_idx()`"),
    ("blockDim", "`block_dim()`"),
    ("gridDim", "`grid_dim()`"),
    ("warpSize", "`warp_size()`"),
    ("thread_idx", "`thread_idx()`"),
    ("block_idx", "`block_idx()`"),
    ("block_dim", "`block_dim()`"),
    ("grid_dim", "`grid_dim()`"),
    ("global_id", "`global_id()`"),
];

/// Types of C.
const TYPES: &[(&str, &str)] = &[
    ("float", "f32"),
    ("double", "f64"),
    ("int", "i32"),
    ("uint", "u32"),
    ("unsigned", "u32"),
    ("long", "i64"),
    ("short", "i16"),
    ("size_t", "usize"),
    ("__half", "f16"),
    ("uint32_t", "u32"),
    ("uint64_t", "u64"),
    ("uint8_t", "u8"),
    ("int32_t", "i32"),
    ("int64_t", "i64"),
];

/// Types of Rust's library that live on the host.
const HOST_TYPES: &[&str] = &[
    "Vec",
    "String",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "VecDeque",
    "Rc",
    "Arc",
    "RefCell",
    "Mutex",
    "RwLock",
    "Box",
    "str",
    "char",
    "Instant",
    "SystemTime",
    "Cell",
    "i128",
    "u128",
    "AtomicBool",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
    "PathBuf",
    "File",
];

/// Names that are as likely to be the user's own types: a cell of a grid, a bounding box.
const AMBIGUOUS: [&str; 5] = ["Box", "Cell", "File", "Instant", "SystemTime"];

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, ours)| *ours)
}

/// Why a function of this name is not called in a kernel.
pub fn function(name: &str) -> Option<String> {
    // No name of the user's own begins so.
    let own = match name.starts_with("__") {
        true => String::new(),
        false => format!("; a function of your own of this name is called by its path: `self::{name}`"),
    };
    find(FUNCTIONS, name).map(|ours| format!("`{name}` is CUDA C++; in a kernel write {ours}{own}"))
}

/// What kernels have in the place of a `char`.
pub const CHAR: &str = "a kernel has no `char`; use the byte: `b - b'0'`, `b.is_ascii_digit()`, or `match b { b'0'..=b'9' => b - b'0', b'a'..=b'f' => b - b'a' + 10, _ => … }`";

/// Why a value of this name is not read in a kernel.
pub fn value(name: &str) -> Option<String> {
    let ours = find(&VALUES, name)?;
    Some(if name.contains('_') {
        format!("`{name}` is a function; write {ours}")
    } else {
        format!("`{name}` is CUDA C++; in a kernel write {ours}")
    })
}

const WHOLE_CHUNKS: &str = "write `0..x.len() / n` and take `&x[i * n..][..n]`";
const FIRST_ARRAY: &str =
    "take the slice `&x[..n]`, or a copy of its elements: `let a: [T; N] = x[..N].try_into().unwrap();`";
const LAST_ARRAY: &str = "take the slice `&x[x.len() - n..]`, or a copy of its elements by `try_into`";
const IN_ORDER: &str = "write `(1..x.len()).all(|i| x[i - 1] <= x[i])` with the keys of both";
const WINDOWS: &str = "write `n..=x.len()` and take `&x[i - n..i]`";
const CHECKED_SPLIT: &str = "compare the index with `x.len()`, and write `split_at` or `split_at_mut`";
const FLATTENED: &str =
    "write one loop inside of another, or `x[i / N][i % N]` with the index `i` of an element";
const IN_PLACE: &str = "write the byte: `*b = b.to_ascii_uppercase();`, in a loop `for b in x.iter_mut()`";
const IN_ASCII: &str = "a kernel has no `Vec`; compare by `eq_ignore_ascii_case`, or write the bytes of another slice: `*to = b.to_ascii_lowercase();`";
const SORTED: &str = "write the loop: of an array that one thread has, an insertion sort; of a slice that many threads share, a bitonic sort";

/// Methods of slices and vectors of Rust's library that a kernel's slices lack.
const SLICE_METHODS: &[(&str, &str)] = &[
    ("push", "a slice has a fixed length; write to an index, and count by `atomic_add`"),
    ("pop", "a slice has a fixed length; read an index, and count by `atomic_sub`"),
    ("insert", "a slice has a fixed length; write to an index"),
    ("extend_from_slice", "a slice has a fixed length; copy with `copy_from_slice`"),
    ("resize", "a slice has a fixed length; allocate on the host"),
    ("clear", "a slice has a fixed length; overwrite it with `fill`"),
    ("sort", SORTED),
    ("sort_by", SORTED),
    ("sort_by_key", SORTED),
    ("sort_unstable", SORTED),
    ("sort_unstable_by", SORTED),
    ("sort_unstable_by_key", SORTED),
    ("rchunks", "write `(0..x.len()).step_by(n)` and take `&x[x.len() - (i + n).min(x.len())..x.len() - i]`"),
    ("as_chunks", WHOLE_CHUNKS),
    ("array_windows", WINDOWS),
    ("first_chunk", FIRST_ARRAY),
    ("split_first_chunk", FIRST_ARRAY),
    ("last_chunk", LAST_ARRAY),
    ("split_last_chunk", LAST_ARRAY),
    ("split", "write the loop, and take `&x[start..i]` where the element `x[i]` separates"),
    (
        "chunk_by",
        "write the loop, and take `&x[start..i]` where `x[i - 1]` and `x[i]` belong to different parts",
    ),
    ("swap_with_slice", "write the loop with `core::mem::swap(&mut x[i], &mut y[i])`"),
    (
        "copy_within",
        "write the loop: upwards where the target begins before the source, and downwards where it begins after it",
    ),
    ("rotate_left", "write the loop into another slice"),
    ("rotate_right", "write the loop into another slice"),
    ("is_sorted_by", IN_ORDER),
    ("is_sorted_by_key", IN_ORDER),
    ("strip_prefix", "write `if x.starts_with(&prefix)`, and take `&x[prefix.len()..]`"),
    ("strip_suffix", "write `if x.ends_with(&suffix)`, and take `&x[..x.len() - suffix.len()]`"),
    ("fill_with", "write the loop: `for v in x.iter_mut() { *v = …; }`"),
    ("split_at_checked", CHECKED_SPLIT),
    ("split_at_mut_checked", CHECKED_SPLIT),
    ("get_disjoint_mut", "use the elements one after another, or split the slice by `split_at_mut`"),
    ("as_flattened", FLATTENED),
    ("as_flattened_mut", FLATTENED),
    ("make_ascii_uppercase", IN_PLACE),
    ("make_ascii_lowercase", IN_PLACE),
    ("to_ascii_uppercase", IN_ASCII),
    ("to_ascii_lowercase", IN_ASCII),
    ("get_unchecked", "write `x[i]`; `launch_unchecked` leaves the checks out"),
    ("get_unchecked_mut", "write `&mut x[i]`; `launch_unchecked` leaves the checks out"),
    ("to_vec", "a kernel has no `Vec`; use an array, or `copy_from_slice` into another slice"),
    ("concat", "a kernel has no `Vec`; write to the parts of another slice"),
    ("join", "a kernel has no `Vec`; write to the parts of another slice"),
];

const ORDERED: &str = "compare by `<`, `==` and `>`";
const WALKED: &str = "an iterator in a variable is made of a slice: `let parts = x[..].chunks(n);`; or walk it by `for`, or end it in `sum` or its like";
const MATCHED: &str = "take the value apart by `match` or `if let`";

/// Methods of Rust's library that kernels lack, and what to write for them.
const STD_METHODS: &[(&str, &str)] = &[
    ("chunks", WALKED),
    ("chunks_exact", WALKED),
    ("chunks_exact_mut", WALKED),
    ("chunks_mut", WALKED),
    ("windows", WALKED),
    ("cmp", ORDERED),
    ("partial_cmp", ORDERED),
    ("total_cmp", ORDERED),
    ("as_deref", MATCHED),
    ("as_deref_mut", MATCHED),
    ("inspect", MATCHED),
    ("transpose", MATCHED),
    ("unwrap_unchecked", "write `unwrap()`"),
    ("classify", "ask `is_nan()`, `is_infinite()`, `is_subnormal()`, or compare with 0.0"),
    ("widening_mul", "write `a.wrapping_mul(b)` for the low half, and `mul_hi(a, b)` for the high one"),
    ("each_ref", "borrow the elements one by one"),
    ("each_mut", "borrow the elements one by one"),
    ("as_slice", "take a slice of all: `&x[..]`"),
    ("as_mut_slice", "take a slice of all: `&mut x[..]`"),
];

/// What to write for a method of Rust's library.
pub fn std_method(name: &str) -> Option<&'static str> {
    let of_slices = || find(SLICE_METHODS, name);
    find(STD_METHODS, name).or_else(of_slices)
}

/// Adapters of iterators of Rust's library that those of a kernel lack.
const ADAPTERS: &[(&str, &str)] = &[
    ("cycle", "take the remainder of an index: `x[i % x.len()]`"),
    ("remainder", "take `&x[x.len() / n * n..]`"),
    ("by_ref", "name the iterator first: `let mut it = x.iter();`"),
];

/// Functions of Rust's library that kernels lack, and what to write for them.
const STD_FUNCTIONS: &[(&str, &str)] = &[
    ("mem::transmute", "write `value.to_bits()`, `f32::from_bits(bits)` or `bit_cast::<From, To>(value)`"),
    ("mem::zeroed", "write the value: `0`, or `T::default()`"),
    ("mem::size_of_val", "write `size_of::<T>()`, of the elements of a slice times `x.len()`"),
    ("mem::drop", "leave it out: what a kernel holds needs no drop"),
    ("num::Saturating", "write `a.saturating_add(b)` and its like"),
    ("iter::zip", "write `a.iter().zip(b)`"),
    ("iter::repeat", "write the loop"),
    ("iter::from_fn", "write the loop"),
    ("iter::successors", "write the loop"),
    ("ptr::read", "write `pointer.read()`"),
    ("ptr::write", "write `pointer.write(value)`"),
    ("sync::atomic::fence", "write `fence_block()`, `fence_device()` or `fence_system()`"),
    ("process::exit", "write `return;`, or `panic!(\"why\")`"),
    ("slice::from_raw_parts", "write `View::from_raw_parts(pointer, len)`"),
];

/// Why a function of Rust's library is not called in a kernel: one by its path, which begins with `std`, `core` or `alloc`.
pub fn std_function(path: &[String]) -> String {
    let (name, inner) = (path.join("::"), path.get(1..).unwrap_or_default().join("::"));
    let ours = find(STD_FUNCTIONS, &inner)
        .unwrap_or("a kernel calls methods of numbers, builtins of `warpsmith` and `#[gpu_fn]`s");
    format!("`{name}` runs on the host; {ours}")
}

/// The end of a path and what to write instead, if a function of Rust's library that kernels lack has such a path where its
/// module is imported.
pub fn imported_std_function(path: &[String]) -> Option<(String, &'static str)> {
    let name = path.get(path.len().checked_sub(2)?..)?.join("::");
    let ours = find(STD_FUNCTIONS, &name)?;
    Some((name, ours))
}

/// Why an iterator has no such adapter in a kernel, or is none.
pub fn adapter(name: &str) -> Option<String> {
    let ours = find(ADAPTERS, name).map(|ours| format!("an iterator in a kernel has no `{name}`; {ours}"));
    ours.or_else(|| slice_method(name))
}

/// Why a slice has no such method in a kernel.
pub fn slice_method(name: &str) -> Option<String> {
    find(SLICE_METHODS, name).map(|ours| format!("a kernel's slices have no `{name}`; {ours}"))
}

/// The reason why a type cannot stand in a kernel, if its name alone shows it.
pub fn host_type(ty: &Type) -> Option<String> {
    match ty {
        Type::TraitObject(_) => Some(
            "a trait object does not exist on a GPU; make the kernel generic: `fn kernel<T: Trait>`"
                .to_owned(),
        ),
        Type::FnPtr(_) => {
            Some("a function pointer does not exist on a GPU; pass a closure to a `#[gpu_fn]`".to_owned())
        }
        Type::Reference(reference) => host_type(&reference.elem),
        Type::Array(array) => host_type(&array.elem),
        Type::Slice(slice) => host_type(&slice.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            // A struct of the user's may be called `Box`; one with a parameter is taken for the library's.
            let generic = matches!(last.arguments, PathArguments::AngleBracketed(_));
            if (name == "Option" || name == "Result")
                && let PathArguments::AngleBracketed(list) = &last.arguments
            {
                return list.args.iter().find_map(|argument| match argument {
                    syn::GenericArgument::Type(ty) => host_type(ty),
                    _ => None,
                });
            }
            if !HOST_TYPES.contains(&name.as_str()) || (AMBIGUOUS.contains(&name.as_str()) && !generic) {
                return None;
            }
            Some(match name.as_str() {
                _ if is_wide(&name) => wide(&name),
                "Vec" => "`Vec` lives on the host; a kernel takes `&[T]` or `&mut [T]`, and a struct an array or a `View`".to_owned(),
                "str" | "String" => format!("`{name}` does not exist on a GPU; pass bytes: `&[u8]`"),
                _ if name.starts_with("Atomic") => format!("`{name}` cannot be used in a kernel, whose atomics are operations on plain numbers: take a `&mut [T]`, and write `atomic(&mut x[i]).fetch_add(1, Ordering::Relaxed)` or `atomic_add(&mut x[i], 1)`"),
                "char" => "`char` does not exist on a GPU; use `u32` or `u8`".to_owned(),
                _ => format!("`{name}` lives on the host and cannot be used in a kernel"),
            })
        }
        _ => None,
    }
}

/// Returns whether a name is that of an integer that kernels lack.
pub fn is_wide(name: &str) -> bool {
    name == "i128" || name == "u128"
}

/// Why an integer of more than 64 bits is not used in a kernel.
pub fn wide(name: &str) -> String {
    format!(
        "`{name}` cannot be used in a kernel, whose integers have up to 64 bits; the high half of a product is `mul_hi(a, b)`, and `a.carrying_add(b, carry)` adds word by word"
    )
}

/// Why an associated function of a type of this name is not called in a kernel.
pub fn host_function(owner: &str, function: &str) -> Option<String> {
    if (owner == "Instant" || owner == "SystemTime") && function == "now" {
        return Some(format!(
            "`{owner}::{function}` reads the host's clock; in a kernel write `global_timer()` for nanoseconds, `clock()` for cycles"
        ));
    }
    if is_wide(owner) {
        return Some(wide(owner));
    }
    if AMBIGUOUS.contains(&owner) || owner == "str" || owner == "char" || !HOST_TYPES.contains(&owner) {
        return None;
    }
    Some(format!(
        "`{owner}::{function}` needs the host's memory; in a kernel use an array, `shared!` or a `Buffer` that the host makes"
    ))
}

/// Reports types of C, and goes on with the Rust types that they mean.
pub fn replace_types(item: &mut ItemFn, errors: &mut Errors) {
    Replace { errors }.visit_item_fn_mut(item);
}

struct Replace<'e> {
    errors: &'e mut Errors,
}

impl VisitMut for Replace<'_> {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(&mut BelowMut(self), ty);
        let Type::Path(path) = &*ty else { return };
        let Some(name) = path.path.get_ident() else { return };
        if let Some(ours) = find(TYPES, &name.to_string()) {
            self.errors.at(name, format!("`{name}` is C; in Rust it is `{ours}`"));
            let ident = syn::Ident::new(ours, name.span());
            *ty = parse_quote_spanned!(name.span()=> #ident);
        }
    }
}
