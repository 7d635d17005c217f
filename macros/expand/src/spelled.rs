//! The decisions that the macro makes by the spelling of a name, all of them.
//!
//! A macro sees tokens and no definitions, so a name is all that it has where it must choose before rustc knows more: what
//! to borrow, what a pattern binds, and which error to give. Rust's naming convention is the rule there. The witness is typed
//! by what a name is, so what a builtin does is decided by its facts afterwards. `tests/facts.rs` compares the lists of
//! builtins with the registry.

use syn::{BinOp, Expr, Ident, Lit, Pat, PatLit, PatSlice, parse_quote_spanned};

/// Types of scalars.
pub const PRIMITIVES: [&str; 15] = [
    "bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f16", "bf16", "f32",
    "f64",
];

/// Builtins without arguments that give a number; no user overloads its operators.
const NUMBERS: &[&str] = &[
    "block_size",
    "cluster_block_rank",
    "cluster_size",
    "cluster_thread_rank",
    "cluster_threads",
    "global_id",
    "global_size",
    "grid_block_rank",
    "grid_blocks",
    "grid_thread_rank",
    "grid_threads",
    "lane_id",
    "lanemask_eq",
    "lanemask_ge",
    "lanemask_gt",
    "lanemask_le",
    "lanemask_lt",
    "thread_rank",
    "warp_id",
    "warp_size",
];

/// Builtins that access the place that is their first argument.
const PLACES: &[&str] = &[
    "atomic",
    "atomic_add",
    "atomic_and",
    "atomic_block",
    "atomic_cluster",
    "atomic_compare_exchange",
    "atomic_dec",
    "atomic_exchange",
    "atomic_inc",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_system",
    "atomic_xor",
    "bulk_load",
    "bulk_send",
    "bulk_store",
    "copy_async",
    "ldmatrix_x1",
    "ldmatrix_x1_trans",
    "ldmatrix_x2",
    "ldmatrix_x2_trans",
    "ldmatrix_x4",
    "ldmatrix_x4_trans",
    "load_l2",
    "load_last_use",
    "load_read_only",
    "load_streaming",
    "map_shared_rank",
    "stmatrix_x1",
    "stmatrix_x1_trans",
    "stmatrix_x2",
    "stmatrix_x2_trans",
    "stmatrix_x4",
    "stmatrix_x4_trans",
    "store_l2",
    "store_streaming",
    "store_through",
    "volatile_load",
    "volatile_store",
    "wgmma",
    "wgmma_pin",
    "wgmma_rs",
];

/// Methods of slices, and of similar types, that write their receiver; others that do end in `_mut`.
const WRITERS: [&str; 5] = ["fill", "swap", "reverse", "copy_from_slice", "as_mut_ptr"];

/// Returns whether a call of this name without arguments is a number. Should one of the user's own have such a name, its
/// operators are refused.
pub fn gives_number(name: &Ident) -> bool {
    NUMBERS.iter().any(|known| name == known)
}

/// Returns whether a function of this name accesses its first argument; a copy of a static there is a mistake.
pub fn accesses_place(name: &Ident) -> bool {
    PLACES.iter().any(|known| name == known)
}

/// Returns whether a method of slices takes its receiver to be written.
pub fn writes_receiver(method: &Ident) -> bool {
    method.to_string().ends_with("_mut") || WRITERS.iter().any(|known| method == known)
}

/// Returns whether a name is that of a type, a variant or a constant by Rust's naming convention.
pub fn starts_uppercase(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase())
}

/// Returns whether a name in a pattern is a constant or a variant by Rust's naming convention.
pub fn is_constant(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Returns whether a name is a type's or variant's by Rust's naming convention, and not a constant's.
pub fn is_variant(name: &str) -> bool {
    is_constant(name) && name.contains(|c: char| c.is_ascii_lowercase())
}

/// `b"text"` as a pattern of its bytes.
pub fn of_bytes(PatLit { lit, .. }: &PatLit) -> Option<PatSlice> {
    let Lit::ByteStr(text) = lit else { return None };
    let span = text.span();
    let bytes = text.value().into_iter().map(|byte| syn::LitByte::new(byte, span));
    match parse_quote_spanned!(span=> [#(#bytes),*]) {
        Pat::Slice(bytes) => Some(bytes),
        _ => None,
    }
}

/// Returns whether an expression is certainly a `char`.
pub fn is_char(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(e) => is_char(&e.expr),
        Expr::Cast(e) => matches!(&*e.ty, syn::Type::Path(ty) if ty.path.is_ident("char")),
        Expr::Call(e) => match &*e.func {
            Expr::Path(of) => {
                of.path.segments.first().is_some_and(|first| first.ident == "char")
                    && of.path.segments.len() == 2
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether an operator compares its operands.
pub fn compares(op: &BinOp) -> bool {
    matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_))
}
