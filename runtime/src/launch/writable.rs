//! The simulator's memory that a launch may write: saved, put back, and compared.

use std::ops::Range;

use super::views::Views;
use crate::args::KernelArg;
use crate::ir::{Function, Module, Scalar, Type};

/// Memory that a kernel may write.
pub(super) struct Writable {
    pub what: String,
    start: *mut u8,
    bytes: usize,
    /// What it is elements of.
    elem: Type,
}

impl Writable {
    /// Its addresses.
    pub fn addresses(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.bytes
    }

    pub(super) fn saved(&self) -> Vec<u8> {
        // SAFETY: memory of the launch, which its arguments borrow, or of a static.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }.to_vec()
    }

    /// The first byte that means another thing in `a` than in `b`: neither bytes between fields mean anything, nor the
    /// sign and payload of a NaN.
    pub(super) fn difference(&self, a: &[u8], b: &[u8], counts: impl Fn(usize) -> bool) -> Option<usize> {
        let mut differs = vec![false; a.len()];
        let size = self.elem.size().max(1);
        let elements = a.chunks_exact(size).zip(b.chunks_exact(size));
        for ((a, b), differs) in elements.zip(differs.chunks_exact_mut(size)) {
            if a != b {
                mark(&self.elem, (a, b), differs);
            }
        }
        (0..differs.len()).find(|byte| differs[*byte] && counts(*byte))
    }

    pub(super) fn restore(&self, saved: &[u8]) {
        // SAFETY: as in `saved`; the bytes are those that were there.
        unsafe { self.start.copy_from_nonoverlapping(saved.as_ptr(), self.bytes) }
    }
}

/// Marks the bytes in which two values differ.
fn mark(ty: &Type, (a, b): (&[u8], &[u8]), differs: &mut [bool]) {
    let mut part = |at: usize, ty: &Type| {
        let bytes = at..at + ty.size();
        mark(ty, (&a[bytes.clone()], &b[bytes.clone()]), &mut differs[bytes]);
    };
    match ty {
        Type::Struct(def) => def.fields.iter().for_each(|field| part(field.offset, &field.ty)),
        Type::Tuple(items) => {
            for (i, item) in items.iter().enumerate() {
                part(ty.field_offset(i).unwrap_or(0), item);
            }
        }
        Type::Array(elem, n) => (0..*n).for_each(|i| part(i * elem.size(), elem)),
        Type::Vector(scalar, n) => {
            let elem = Type::Scalar(*scalar);
            (0..*n).for_each(|i| part(i * elem.size(), &elem));
        }
        Type::Enum(def) => {
            let tag = Type::Scalar(def.tag);
            part(def.tag_offset(), &tag);
            let width = tag.size();
            let is = |tag: i128| tag.to_le_bytes()[..width] == a[def.tag_offset()..][..width];
            if let Some(v) = def.variants.iter().position(|variant| is(variant.tag)) {
                for (i, (_, field)) in def.variants[v].fields.iter().enumerate() {
                    part(def.field_offset(v, i), field);
                }
            }
        }
        Type::Scalar(scalar) if is_nan(*scalar, a) && is_nan(*scalar, b) => {}
        _ => a.iter().zip(b).zip(differs).for_each(|((a, b), differs)| *differs = a != b),
    }
}

/// Whether these bytes are a NaN of a type of floats.
fn is_nan(scalar: Scalar, bytes: &[u8]) -> bool {
    match (scalar, bytes) {
        (Scalar::F16, &[a, b]) => half::f16::from_le_bytes([a, b]).is_nan(),
        (Scalar::BF16, &[a, b]) => half::bf16::from_le_bytes([a, b]).is_nan(),
        (Scalar::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).is_nan(),
        (Scalar::F64, _) => bytes.try_into().is_ok_and(|bytes| f64::from_le_bytes(bytes).is_nan()),
        _ => false,
    }
}

/// The memory that a kernel's arguments and statics let it write.
pub(super) fn of_launch(module: &Module, args: &[KernelArg], names: &[&str]) -> Vec<Writable> {
    let mut regions = Vec::new();
    for ((arg, id), name) in args.iter().zip(&module.kernel.params).zip(names) {
        match arg {
            KernelArg::Slice { ptr, bytes, .. } => {
                let (start, bytes) = (*ptr as *mut u8, *bytes as usize);
                let elem = module.kernel.var(*id).ty.element().unwrap_or(Type::Unit);
                regions.push(Writable { what: format!("`{name}`"), start, bytes, elem });
            }
            KernelArg::Image { access, mutable } => {
                let texels = access.get().texels.filter(|_| *mutable);
                regions.extend(texels.map(|texels| {
                    let (start, bytes) = (texels.base as *mut u8, texels.bytes());
                    Writable { what: format!("`{name}`"), start, bytes, elem: Type::Scalar(Scalar::U8) }
                }));
            }
            KernelArg::Value(value) => {
                let views = Views::of(&module.kernel.var(*id).ty, value.words()).list;
                regions.extend(views.into_iter().filter(|view| view.mutable).map(|view| {
                    let (start, bytes) = (view.range.start as *mut u8, view.bytes());
                    Writable { what: format!("`{name}`"), start, bytes, elem: view.elem }
                }));
            }
        }
    }
    regions.extend(module.globals().into_iter().filter(|global| !global.constant).map(|global| {
        let (start, elem) = ((global.address)(), (global.ty)());
        Writable { what: format!("`{}`", global.name), start, bytes: elem.size(), elem }
    }));
    regions
}

/// Whether a kernel has addresses beside those that [`of_launch`] follows.
pub(super) fn reaches_further(kernel: &Function) -> bool {
    kernel.params.iter().any(|id| has_more_addresses(&kernel.var(*id).ty))
}

fn has_more_addresses(ty: &Type) -> bool {
    match ty {
        Type::View { elem, .. } => elem.holds_address(),
        Type::Struct(def) => def.fields.iter().any(|field| has_more_addresses(&field.ty)),
        Type::Array(elem, _) => has_more_addresses(elem),
        Type::Tuple(items) => items.iter().any(has_more_addresses),
        Type::Ref { to, .. } => to.holds_address(),
        other => other.holds_address(),
    }
}
