//! Types of the IR: the types of device values.

use std::sync::Arc;

use super::{ImageType, TensorMapType};

/// A scalar type. `usize` and `isize` are 64 bits, as on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bool`
    Bool,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`, `isize`
    I64,
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `u64`, `usize`
    U64,
    /// `f16` of the crate `half`
    F16,
    /// `bf16` of the crate `half`
    BF16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl Scalar {
    /// Width in bits; a `bool` has 8.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::BF16 => 16,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 64,
        }
    }

    /// Returns whether it is a float of any width.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64)
    }

    /// Returns whether it is `f16` or `bf16`.
    pub fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16)
    }

    /// Returns whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Returns whether it is an unsigned integer.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64)
    }

    /// Returns whether it is an integer of either signedness.
    pub fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Smallest and largest value of an integer type.
    pub fn int_range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        if self.is_signed() {
            Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1))
        } else if self.is_unsigned() {
            Some((0, (1i128 << bits) - 1))
        } else {
            None
        }
    }
}

/// A type of the IR.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `()`
    Unit,
    /// The type of `return`, `break`, `continue`.
    Never,
    /// A scalar.
    Scalar(Scalar),
    /// `[T; N]` in registers or inside a struct.
    Array(Arc<Type>, usize),
    /// A tuple of two or more.
    Tuple(Arc<[Type]>),
    /// Two, three or four scalars side by side: `F32x4`.
    Vector(Scalar, usize),
    /// A struct that derives `GpuType`, or one that CUDA defines.
    Struct(Arc<StructType>),
    /// An enum that derives `GpuType`, an `Option` or a `Result`.
    Enum(Arc<EnumType>),
    /// `View<T>`, `View2<T>`, `View3<T>` and their writable forms: a pointer and extents by value.
    View {
        /// Element type.
        elem: Arc<Type>,
        /// Whether elements may be written.
        mutable: bool,
        /// Number of indices: 1, 2 or 3.
        rank: usize,
    },
    /// `*const T` or `*mut T`.
    Ptr {
        /// The type that it points to.
        to: Arc<Type>,
        /// Whether it is `*mut`.
        mutable: bool,
    },
    /// `[T]`, only ever behind a [`Type::Ref`].
    Slice(Arc<Type>),
    /// A shared array or dynamic shared memory; extents are the variable's.
    Shared {
        /// Element type.
        elem: Arc<Type>,
        /// 1, 2 or 3.
        rank: usize,
    },
    /// A texture or a surface, only ever behind a [`Type::Ref`], which is a handle and extents by value.
    Image(ImageType),
    /// A tensor map, only ever behind a [`Type::Ref`], which is its address; a kernel is given it by value.
    TensorMap(Arc<TensorMapType>),
    /// `&T` or `&mut T`.
    Ref {
        /// The type that it refers to.
        to: Arc<Type>,
        /// Whether it is `&mut`.
        mutable: bool,
    },
    /// A closure parameter of a device function.
    Closure,
}

impl Type {
    /// The type as a part of a C identifier.
    pub fn suffix(&self) -> String {
        let mutability = |mutable: &bool| if *mutable { "_mut" } else { "" };
        match self {
            Type::Scalar(s) => s.to_string(),
            Type::Array(elem, n) => format!("{}x{n}", elem.suffix()),
            Type::Tuple(items) => items.iter().map(Type::suffix).collect::<Vec<_>>().join("_"),
            Type::Struct(s) => s.name.clone(),
            Type::Vector(s, n) => format!("{s}x{n}"),
            Type::Enum(e) => e.name.clone(),
            Type::View { elem, mutable, rank } => {
                format!("view{}{rank}_{}", mutability(mutable), elem.suffix())
            }
            Type::Ptr { to, mutable } => format!("ptr{}_{}", mutability(mutable), to.suffix()),
            Type::Ref { to, mutable } => format!("ref{}_{}", mutability(mutable), to.suffix()),
            Type::Image(image) => image.to_string(),
            Type::TensorMap(map) => map.suffix(),
            Type::Unit | Type::Never | Type::Slice(_) | Type::Shared { .. } | Type::Closure => "x".into(),
        }
    }

    /// `bool`
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `u32`
    pub const U32: Type = Type::Scalar(Scalar::U32);
    /// `u64` and `usize`
    pub const U64: Type = Type::Scalar(Scalar::U64);

    /// The types of the parts of a value: elements, fields.
    pub fn parts(&self) -> Vec<&Type> {
        match self {
            Type::Tuple(items) => items.iter().collect(),
            Type::Array(elem, _) => vec![elem],
            Type::Struct(def) => def.fields.iter().map(|field| &field.ty).collect(),
            Type::Enum(def) => def.variants.iter().flat_map(|v| &v.fields).map(|(_, field)| field).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns whether a value can hold the address of memory.
    pub fn holds_address(&self) -> bool {
        match self {
            Type::View { .. } | Type::Ptr { .. } | Type::Ref { .. } => true,
            Type::Slice(elem) | Type::Shared { elem, .. } => elem.holds_address(),
            Type::Array(..) | Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) => {
                self.parts().into_iter().any(Type::holds_address)
            }
            Type::Unit
            | Type::Never
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Image(_)
            | Type::TensorMap(_)
            | Type::Closure => false,
        }
    }

    /// `&to` or `&mut to`. To nothing it is nothing, for there is no memory to refer to; `&&[T]` is the slice, which
    /// has no place of its own and which nothing changes as long as it is lent.
    pub fn reference(to: Type, mutable: bool) -> Type {
        match to {
            Type::Unit => Type::Unit,
            Type::Ref { to, .. } if !mutable && matches!(*to, Type::Slice(_) | Type::Shared { .. }) => {
                Type::Ref { to, mutable: false }
            }
            to => Type::Ref { to: to.into(), mutable },
        }
    }

    /// The type of a value that has either type: where one is a `&T` and the other a `&mut T`, a `&T`.
    #[must_use]
    pub fn joined(&self, other: &Type) -> Type {
        match (self, other) {
            (Type::Never, other) => other.clone(),
            (Type::Ref { mutable: true, .. }, Type::Ref { mutable: false, .. }) => other.clone(),
            (Type::Tuple(items), Type::Tuple(others)) if items.len() == others.len() => {
                Type::Tuple(items.iter().zip(others.iter()).map(|(a, b)| a.joined(b)).collect())
            }
            _ => self.clone(),
        }
    }

    /// Returns whether a reference to it is a descriptor, whose target has no value of its own.
    pub fn is_described(&self) -> bool {
        matches!(self, Type::Slice(_) | Type::Shared { .. } | Type::Image(_) | Type::TensorMap(_))
    }

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// Returns whether it is `&[T]` or `&mut [T]`.
    pub fn is_slice(&self) -> bool {
        matches!(self, Type::Ref { to, .. } if matches!(**to, Type::Slice(_)))
    }

    /// The type with any `&` or `&mut` taken off.
    pub fn peeled(&self) -> &Type {
        match self {
            Type::Ref { to, .. } => to.peeled(),
            other => other,
        }
    }

    /// Bytes of a value in memory; zero for what has no value.
    pub fn size(&self) -> usize {
        match self {
            Type::Scalar(s) => s.bits() as usize / 8,
            Type::Array(elem, n) => elem.size() * n,
            Type::Struct(s) => s.size,
            Type::Vector(s, n) => (s.bits() as usize / 8 * n).next_multiple_of(self.align()),
            Type::Enum(e) => e.size,
            Type::View { rank: 1, .. } => 16,
            Type::View { rank: 2, .. } => 32,
            Type::View { .. } => 48,
            Type::Ref { .. } | Type::Ptr { .. } => 8,
            Type::Tuple(items) => {
                let align = items.iter().map(Type::align).max().unwrap_or(1);
                let end = items.iter().fold(0usize, |at, t| at.next_multiple_of(t.align()) + t.size());
                end.next_multiple_of(align)
            }
            Type::Unit
            | Type::Never
            | Type::Slice(_)
            | Type::Shared { .. }
            | Type::Image(_)
            | Type::TensorMap(_)
            | Type::Closure => 0,
        }
    }

    /// Alignment of a value in bytes.
    pub fn align(&self) -> usize {
        match self {
            Type::Array(elem, _) => elem.align(),
            Type::Struct(s) => s.align,
            Type::Enum(e) => e.align,
            // Three scalars are aligned as one, as CUDA's `float3`.
            Type::Vector(s, 3) => s.bits() as usize / 8,
            Type::Vector(s, n) => (s.bits() as usize / 8 * n).min(16),
            Type::View { .. } | Type::Ref { .. } | Type::Ptr { .. } => 8,
            Type::Tuple(items) => items.iter().map(Type::align).max().unwrap_or(1),
            Type::Scalar(_) => self.size(),
            Type::Unit
            | Type::Never
            | Type::Slice(_)
            | Type::Shared { .. }
            | Type::Image(_)
            | Type::TensorMap(_)
            | Type::Closure => 1,
        }
    }

    /// Type of an element, for what can be indexed once (rank 1) or sub-array (higher rank).
    pub fn element(&self) -> Option<Type> {
        match self.peeled() {
            Type::Array(elem, _) | Type::Slice(elem) | Type::View { elem, .. } => Some((**elem).clone()),
            Type::Vector(s, _) => Some(Type::Scalar(*s)),
            Type::Shared { elem, rank: 1 } => Some((**elem).clone()),
            Type::Shared { elem, rank } => Some(Type::Shared { elem: elem.clone(), rank: rank - 1 }),
            _ => None,
        }
    }
}

/// A `#[repr(C)]` struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    /// The Rust name with its generic arguments folded in (`Pair_f32`).
    pub name: String,
    /// Set when CUDA defines the type itself (`uint3`): it is not printed.
    pub cuda_name: Option<&'static str>,
    /// Fields in order.
    pub fields: Vec<FieldType>,
    /// Size in bytes, as rustc lays it out.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Whether Rust orders its values by the first fields that differ.
    pub by_fields: bool,
}

impl StructType {
    /// A struct that CUDA does not define itself, and that is not ordered by its fields.
    pub fn new(name: String, fields: Vec<FieldType>, size: usize, align: usize) -> Self {
        Self { name, cuda_name: None, fields, size, align, by_fields: false }
    }
}

/// A field of a [`StructType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldType {
    /// Its Rust name.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// Offset in bytes, as rustc lays it out.
    pub offset: usize,
}

/// An enum: a tag, and for some variants fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// The Rust name with its generic arguments folded in (`Option_f32`).
    pub name: String,
    /// The integer that holds the variant of a value.
    pub tag: Scalar,
    /// Variants in order.
    pub variants: Vec<VariantType>,
    /// Size in bytes: the tag, then the fields of the largest variant, as [`ValueLayout`](super::ValueLayout) says.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Whether CUDA lays it out as Rust does: it has a `repr`.
    pub in_memory: bool,
    /// Whether Rust orders its values by their tags, and those of one variant by their fields, if it orders them.
    pub by_tags: bool,
}

impl EnumType {
    /// An enum of these variants, laid out.
    pub fn new(name: String, tag: Scalar, variants: Vec<VariantType>, in_memory: bool) -> Self {
        let def = Self { name, tag, variants, size: 0, align: 1, in_memory, by_tags: true };
        let super::ValueLayout { size, align, .. } = def.layout();
        Self { size, align, ..def }
    }

    /// Returns whether no variant has fields: a value is its tag.
    pub fn is_plain(&self) -> bool {
        self.variants.iter().all(|v| v.fields.is_empty())
    }

    /// The variant of a name.
    pub fn variant(&self, name: &str) -> Option<&VariantType> {
        self.variants.iter().find(|v| v.name == name)
    }
}

/// A variant of an [`EnumType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariantType {
    /// Its Rust name.
    pub name: &'static str,
    /// The value of the tag.
    pub tag: i128,
    /// Names and types of its fields; `0`, `1`, … for those without names.
    pub fields: Vec<(&'static str, Type)>,
}
