//! The items that the expansions of the macros name; not for users.

use crate::argument::KernelArg;
use crate::ir::{
    ConstValue, EnumType, Expr, ExprKind, FieldType, FormatPiece, Roles, Scalar, StructType, Type,
    VariantType,
};
use crate::types::Slice;

pub use crate::argument::ImageArg;
pub use crate::device_api::array::imported as array_from_fn;
pub use crate::device_api::methods;
pub use crate::device_api::methods::{SearchArrays, TextArrays};
pub use crate::device_api::shared::shared_alloc;
pub use crate::device_type::{Field, NoField};
pub use crate::gpu_trait_items;
pub use crate::half::Nearest;
pub use crate::ir::ValueLayout;
pub use crate::meaning::{Arguments, Meaning, give};
pub use crate::record::{Callee, ConstOf, DeviceCallee, Inner, NoConst, PlainConst, RangeShape, Recorder};
pub use crate::simulator::context::print;
pub use crate::simulator::declared::{hides, reads, writes};
pub use crate::types::lend;
pub use crate::types::operators::{self, constant_default, default_of, operand, operands, order};
pub use crate::types::{
    ArrayMethods, ArrayParts, DeviceType, GetPart, GetPartMut, GpuType, IndexInteger, IndexOfAnyType,
    IndexOfUsize, IndexType, PartIndex, Sliceable, SliceableMut, no_variant, tie, tied, tied_bounds,
    to_index2, to_index3,
};
pub use crate::witness::{
    CalledFromKernels, ConstBlock, DeviceFn, DeviceFunction, DeviceFunctionOfPath, FnProbe, FunctionItem,
    HasTypes, HostFunction, MistakenBody, Returns, SoundBody, Types, guard, missing, never_called, same,
    same_function, same_item, see, typed, types_of, unreached,
};

// With these an item with conditions is expanded, once rustc has decided one.
pub use warpsmith_macros::{gpu_fn, gpu_impl, gpu_kernel, gpu_trait};

/// The macros of the standard library that bodies may call. A glob import of them makes a name ambiguous that a macro of the
/// user's own has.
pub mod known_macros {
    warpsmith_macros::known_macros!();
}

/// A descriptor that lives as long as the thread may name it.
pub fn kept<'a, T>(descriptor: T) -> &'a mut T {
    crate::simulator::context::keep(descriptor)
}

/// The same value, of which LLVM knows nothing: rustc's promises about the parameter that it comes from do not hold for it.
#[inline(always)]
pub fn reread<T>(value: T) -> T {
    let value = core::mem::ManuallyDrop::new(value);
    // SAFETY: the value is read once, and never dropped where it was.
    unsafe { core::ptr::read_volatile(&raw const *value) }
}

/// `base[index]` to be written. A method borrows its receiver after the index is evaluated.
pub trait AtMut<I>: core::ops::IndexMut<I> {
    /// The element.
    #[inline(always)]
    #[track_caller]
    fn __at_mut(&mut self, index: I) -> &mut Self::Output {
        &mut self[index]
    }
}

impl<T: core::ops::IndexMut<I> + ?Sized, I> AtMut<I> for T {}

/// The argument of `step_by`. Rust's own assertion says where it stands in the library, and not where it was called.
#[inline(always)]
#[track_caller]
pub fn step(n: usize) -> usize {
    assert!(n != 0, "{}", crate::record::ZERO_STEP);
    n
}

/// A number of `#[gpu_kernel(…)]` that is no literal; one that is not from 1 to `limit` does not compile.
pub const fn attribute_number(n: i128, limit: u32, rule: &'static str) -> u32 {
    assert!(1 <= n && n <= limit as i128, "{}", rule);
    n as u32
}

/// The extents of a cluster, each from 1 to 16; more than 16 blocks do not compile.
pub const fn cluster_extents(extents: [u32; 3]) -> [u32; 3] {
    let [x, y, z] = extents;
    assert!(x * y * z <= 16, "a cluster has one to three extents from 1 to 16, at most 16 blocks in all");
    extents
}

/// The registers of each warpgroup of a block; more than a multiprocessor has do not compile.
pub const fn roles(registers: &[u32]) -> Roles {
    assert!(!registers.is_empty() && registers.len() <= 8, "a block has 1 to 8 warpgroups");
    let (mut all, mut sum, mut i) = ([0; 8], 0, 0);
    while i < registers.len() {
        let n = registers[i];
        assert!(
            n.is_multiple_of(8) && n >= 24 && n <= 256,
            "the registers of a warpgroup's threads are a multiple of 8 from 24 to 256"
        );
        all[i] = n;
        sum += n;
        i += 1;
    }
    let at_start = 65_536 / (128 * registers.len() as u32) / 8 * 8;
    let most = if at_start < 256 { at_start } else { 256 } * registers.len() as u32;
    assert!(sum <= most, "the warpgroups of `warpgroups(…)` have more registers than a block gets");
    Roles { registers: all, warpgroups: registers.len() as u32 }
}

/// The bytes of plain data.
pub fn bytes_of<T: GpuType>(value: &T) -> Vec<u8> {
    initial_bytes(value)
}

/// The first bytes of a static; `global::type_in_memory` asks for their type.
pub fn initial_bytes<T>(value: &T) -> Vec<u8> {
    // SAFETY: plain data may be read as bytes; padding is copied and never interpreted. A static of another type does not
    // compile.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) }.to_vec()
}

/// The stand-in on the simulator for a function without a Rust body. In a thread of the twin the panic becomes a fault of the
/// launch; the interpreter refuses such a kernel before it runs.
#[track_caller]
pub fn not_simulable(name: &str) -> ! {
    panic!("{}", device_body_only(name))
}

/// The message about such a function at its call in a kernel.
pub fn device_body_only(name: &str) -> String {
    format!(
        "`{name}` has a device body only and cannot be simulated; give it a Rust body beside its attribute"
    )
}

/// A list; shorter to check than what `vec!` expands to.
pub fn list<T, const N: usize>(items: [T; N]) -> Vec<T> {
    Vec::from(items)
}

/// A piece of text in a format string.
pub fn text(text: &str) -> FormatPiece {
    FormatPiece::Text(text.to_owned())
}

/// The type of a derived struct.
pub fn struct_type(
    name: &str,
    arguments: &[String],
    fields: Vec<FieldType>,
    size: usize,
    align: usize,
    by_fields: bool,
) -> Type {
    let mut name = name.to_owned();
    for argument in arguments {
        name.push('_');
        name.push_str(argument);
    }
    Type::Struct(StructType { by_fields, ..StructType::new(name, fields, size, align) }.into())
}

/// The type of a derived enum. Without a `repr` rustc chooses the tag; in registers the tag is an `int`.
pub fn enum_type(
    name: &str,
    arguments: &[String],
    tag: Scalar,
    variants: Vec<VariantType>,
    in_memory: bool,
) -> Type {
    let name = [&[name.to_owned()], arguments].concat().join("_");
    Type::Enum(EnumType::new(name, tag, variants, in_memory).into())
}

/// A constant of a derived enum.
pub fn enum_constant(ty: Type, index: usize, tag: i128, fields: Vec<Expr>) -> Expr {
    let Type::Enum(def) = &ty else { return Expr::never() };
    if def.is_plain() {
        return Expr::constant(ConstValue::Int(tag), ty);
    }
    Expr { kind: ExprKind::Variant(def.clone(), index, fields), ty }
}

/// A constant of a derived struct.
pub fn struct_constant(ty: Type, fields: Vec<Expr>) -> Expr {
    match &ty {
        Type::Struct(def) => Expr { kind: ExprKind::Struct(def.clone(), fields), ty },
        _ => Expr::never(),
    }
}

/// The last name of a type that only marks another, as a part of a C++ name.
pub fn marker_suffix<T: ?Sized>() -> String {
    let name = std::any::type_name::<T>();
    let (head, arguments) = name.split_once('<').unwrap_or((name, ""));
    let last = head.rsplit("::").next().unwrap_or(head);
    let kept = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("{last}_{arguments}").chars().map(kept).collect::<String>().trim_end_matches('_').to_owned()
}

/// Argument `index` as the descriptor of a slice.
///
/// # Safety
/// The argument was made from a slice of `T`.
pub unsafe fn slice_arg<T>(args: &[KernelArg], index: usize) -> Slice<T> {
    // SAFETY: as promised, and a launch keeps its buffers borrowed.
    unsafe { crate::argument::slice_of(args.get(index)) }
}

/// Argument `index` as a texture or a surface.
///
/// # Safety
/// The argument was made from such a one.
pub unsafe fn image_arg<I: crate::image::ImageParam>(args: &[KernelArg], index: usize) -> I {
    // SAFETY: as promised, and a launch keeps its images borrowed.
    unsafe { I::from_arg(&args[index]) }
}

/// Argument `index` as a value.
///
/// # Safety
/// The argument was made from a `T`.
pub unsafe fn value_arg<T>(args: &[KernelArg], index: usize) -> T {
    // SAFETY: as promised.
    unsafe { crate::argument::value_of(&args[index]) }
}

/// The functions behind the methods of types that are ordered by parts.
pub mod ordered {
    pub use crate::device_api::methods::order::partial_order;
    pub use crate::device_api::methods::ordered::{clamped, larger, smaller};
}
