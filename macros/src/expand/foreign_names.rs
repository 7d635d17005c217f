//! Names that newcomers bring from CUDA C++ and from Rust's host library, and what a kernel writes instead.
//!
//! Knows names alone. A name that the body declares is asked for by the caller first.

use syn::visit_mut::{self, VisitMut};
use syn::{ItemFn, PathArguments, Type, parse_quote_spanned};

use crate::errors::Errors;

/// Functions of CUDA C++.
const FUNCTIONS: [(&str, &str); 40] = [
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
const TYPES: [(&str, &str); 8] = [
    ("float", "f32"),
    ("double", "f64"),
    ("int", "i32"),
    ("uint", "u32"),
    ("unsigned", "u32"),
    ("long", "i64"),
    ("short", "i16"),
    ("size_t", "usize"),
];

/// Types of Rust's library that live on the host.
const HOST_TYPES: [&str; 15] = [
    "Vec", "String", "HashMap", "HashSet", "BTreeMap", "VecDeque", "Rc", "Arc", "RefCell", "Mutex", "RwLock",
    "Box", "str", "char", "Instant",
];

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, ours)| *ours)
}

/// Why a function of this name is not called in a kernel.
pub fn function(name: &str) -> Option<String> {
    find(&FUNCTIONS, name).map(|ours| format!("`{name}` is CUDA C++; in a kernel write {ours}"))
}

/// Why a value of this name is not read in a kernel.
pub fn value(name: &str) -> Option<String> {
    let ours = find(&VALUES, name)?;
    Some(if name.contains('_') {
        format!("`{name}` is a function; write {ours}")
    } else {
        format!("`{name}` is CUDA C++; in a kernel write {ours}")
    })
}

/// Why a type cannot stand in a kernel, if its name alone says so.
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
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            // A struct of the user's may be called `Box`; one with a parameter is the library's.
            let generic = matches!(last.arguments, PathArguments::AngleBracketed(_));
            if !HOST_TYPES.contains(&name.as_str()) || (name == "Box" && !generic) {
                return None;
            }
            Some(match name.as_str() {
                "Vec" => "`Vec` lives on the host; a kernel takes `&[T]` or `&mut [T]`, and a struct an array or a `View`".to_owned(),
                "str" | "String" => format!("`{name}` does not exist on a GPU; pass bytes: `&[u8]`"),
                "char" => "`char` does not exist on a GPU; use `u32` or `u8`".to_owned(),
                _ => format!("`{name}` lives on the host and cannot be used in a kernel"),
            })
        }
        _ => None,
    }
}

/// Why an associated function of a type of this name is not called in a kernel.
pub fn host_function(owner: &str, function: &str) -> Option<String> {
    if owner == "Box" || owner == "str" || owner == "char" || !HOST_TYPES.contains(&owner) {
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
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        let Type::Path(path) = &*ty else { return };
        let Some(name) = path.path.get_ident() else { return };
        if let Some(ours) = find(&TYPES, &name.to_string()) {
            self.errors.at(name, format!("`{name}` is C; in Rust it is `{ours}`"));
            let ident = syn::Ident::new(ours, name.span());
            *ty = parse_quote_spanned!(name.span()=> #ident);
        }
    }
}
