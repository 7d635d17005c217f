//! The offsets of the parts of a value: one rule for the types that rustc lays out as it likes.
//!
//! Scalars, vectors, arrays, pointers and views lie as in Rust, and so does a `#[repr(C)]` struct of
//! such parts. Everything else lies as C would have it:
//!
//! - a tuple, and a struct that holds a tuple or an enum without a `repr`, has its fields in order,
//!   each at the next multiple of its alignment;
//! - an enum begins with its tag, an integer of [`EnumType::tag`]; the fields of every variant begin
//!   at the next multiple of the largest alignment of any field of any variant, and lie in order as
//!   those of a tuple do. That is what `#[repr(C)]` gives an enum, so one with a `repr` lies as in Rust.
//!   An `Option` has the tag 0 for `None` and 1 for `Some`, a `Result` 0 for `Ok` and 1 for `Err`;
//! - `()`, `PhantomData` and what has no value take no bytes.
//!
//! A reference or pointer is an address of eight bytes. `&[T]` and a reference to a shared array are
//! the address of a descriptor: the address of the first element and then the extents, outermost
//! first, of eight bytes each. A reference to a texture or a surface is the address of what a launch's
//! `KernelArg::Image` holds, an address of eight bytes.

use super::{EnumType, Type};

/// Size and alignment of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueLayout {
    /// Bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Whether rustc lays the type out in the same way.
    pub as_in_rust: bool,
}

impl ValueLayout {
    /// The layout of a type of Rust which lies as in Rust.
    pub const fn of<T>() -> Self {
        Self { size: size_of::<T>(), align: align_of::<T>(), as_in_rust: true }
    }

    /// `count` of them side by side.
    pub const fn times(self, count: usize) -> Self {
        Self { size: self.size * count, ..self }
    }

    /// Fields one after another.
    pub const fn fields(fields: &[ValueLayout]) -> Self {
        let (mut align, mut i) = (1, 0);
        while i < fields.len() {
            if fields[i].align > align {
                align = fields[i].align;
            }
            i += 1;
        }
        Self { size: end(fields, fields.len()).next_multiple_of(align), align, as_in_rust: false }
    }

    /// A struct of these fields: as rustc lays it out, if it lays the fields out as the IR does.
    pub const fn structure<T>(fields: &[ValueLayout]) -> Self {
        let mut i = 0;
        while i < fields.len() {
            if !fields[i].as_in_rust {
                return ValueLayout::fields(fields);
            }
            i += 1;
        }
        ValueLayout::of::<T>()
    }

    /// Offset of field `index` of [`ValueLayout::fields`].
    pub const fn offset(fields: &[ValueLayout], index: usize) -> usize {
        end(fields, index).next_multiple_of(fields[index].align)
    }

    /// A tag, then the fields of one of several variants.
    pub const fn tagged(tag: ValueLayout, variants: &[&[ValueLayout]]) -> Self {
        let fields = widest(variants);
        let align = if fields.align > tag.align { fields.align } else { tag.align };
        let end = ValueLayout::payload(tag, variants) + fields.size;
        Self { size: end.next_multiple_of(align), align, as_in_rust: false }
    }

    /// The offsets of the fields of each variant of [`ValueLayout::tagged`].
    pub const fn payload(tag: ValueLayout, variants: &[&[ValueLayout]]) -> usize {
        tag.size.next_multiple_of(widest(variants).align)
    }
}

/// The largest size and the largest alignment of the fields of any variant.
const fn widest(variants: &[&[ValueLayout]]) -> ValueLayout {
    let (mut size, mut align, mut i) = (0, 1, 0);
    while i < variants.len() {
        let fields = ValueLayout::fields(variants[i]);
        if fields.size > size {
            size = fields.size;
        }
        if fields.align > align {
            align = fields.align;
        }
        i += 1;
    }
    ValueLayout { size, align, as_in_rust: false }
}

/// The end of the first `count` fields.
const fn end(fields: &[ValueLayout], count: usize) -> usize {
    let (mut end, mut i) = (0usize, 0);
    while i < count {
        end = end.next_multiple_of(fields[i].align) + fields[i].size;
        i += 1;
    }
    end
}

impl Type {
    /// Size and alignment of a value.
    pub fn layout(&self) -> ValueLayout {
        ValueLayout { size: self.size(), align: self.align(), as_in_rust: false }
    }

    /// Offset of an item of a tuple, or of a field of a struct, by position.
    pub fn field_offset(&self, index: usize) -> Option<usize> {
        match self {
            Type::Tuple(items) if index < items.len() => {
                Some(ValueLayout::offset(&layouts(items.iter()), index))
            }
            Type::Struct(def) => def.fields.get(index).map(|field| field.offset),
            _ => None,
        }
    }
}

fn layouts<'t>(types: impl IntoIterator<Item = &'t Type>) -> Vec<ValueLayout> {
    types.into_iter().map(Type::layout).collect()
}

impl EnumType {
    /// Size and alignment of a value, from the tag and the variants.
    pub fn layout(&self) -> ValueLayout {
        let variants = self.variant_layouts();
        ValueLayout::tagged(self.tag_layout(), &slices(&variants))
    }

    /// Offset of the tag.
    pub fn tag_offset(&self) -> usize {
        0
    }

    /// Offset of field `index` of variant `variant`, by position.
    pub fn field_offset(&self, variant: usize, index: usize) -> usize {
        let variants = self.variant_layouts();
        ValueLayout::payload(self.tag_layout(), &slices(&variants))
            + ValueLayout::offset(&variants[variant], index)
    }

    fn tag_layout(&self) -> ValueLayout {
        Type::Scalar(self.tag).layout()
    }

    fn variant_layouts(&self) -> Vec<Vec<ValueLayout>> {
        self.variants.iter().map(|v| layouts(v.fields.iter().map(|(_, ty)| ty))).collect()
    }
}

fn slices(variants: &[Vec<ValueLayout>]) -> Vec<&[ValueLayout]> {
    variants.iter().map(Vec::as_slice).collect()
}
