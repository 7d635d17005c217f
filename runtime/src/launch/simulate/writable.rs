//! The simulator's memory that a launch may write: saved, put back, and compared.

use std::ops::Range;

use super::views::Views;
use crate::argument::KernelArg;
use crate::ir::{Function, Module, Scalar, Type};

/// Memory that a kernel may write.
pub(super) struct Writable {
    pub what: String,
    start: *mut u8,
    bytes: usize,
    /// The type of its elements.
    elem: Type,
    /// Whether it has an index in the kernel.
    indexed: bool,
}

impl Writable {
    /// Memory that begins at an address, of elements of a type.
    #[cfg(test)]
    pub fn new(what: String, start: usize, bytes: usize, elem: Type) -> Self {
        Self { what, start: std::ptr::with_exposed_provenance_mut(start), bytes, elem, indexed: true }
    }

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
                mark(&self.elem, a, b, differs);
            }
        }
        (0..differs.len()).find(|byte| differs[*byte] && counts(*byte))
    }

    /// The place of the value that holds a byte, as Rust writes it, and what shows that value of the bytes of the memory.
    pub(super) fn value_at(&self, byte: usize) -> (String, impl Fn(&[u8]) -> String) {
        let size = self.elem.size().max(1);
        let mut place = self.what.trim_matches('`').to_owned();
        if self.indexed {
            place.push_str(&format!("[{}]", byte / size));
        }
        let (start, leaf) = descend(&self.elem, byte % size, &mut place);
        let range = byte / size * size + start..byte / size * size + start + leaf.size();
        (place, move |bytes: &[u8]| shown(&leaf, &bytes[range.clone()]))
    }

    pub(super) fn restore(&self, saved: &[u8]) {
        // SAFETY: as in `saved`; the bytes are those that were there.
        unsafe { self.start.copy_from_nonoverlapping(saved.as_ptr(), self.bytes) }
    }
}

/// Marks the bytes in which two values differ.
fn mark(ty: &Type, a: &[u8], b: &[u8], differs: &mut [bool]) {
    let mut part = |at: usize, ty: &Type| {
        let bytes = at..at + ty.size();
        mark(ty, &a[bytes.clone()], &b[bytes.clone()], &mut differs[bytes]);
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

/// The value within a type that holds a byte, and where it starts; its path is added to the place.
fn descend(ty: &Type, byte: usize, place: &mut String) -> (usize, Type) {
    let mut inner = |start: usize, ty: &Type, step: String| {
        place.push_str(&step);
        let (offset, leaf) = descend(ty, byte - start, place);
        (start + offset, leaf)
    };
    let holds = |start: usize, ty: &Type| (start..start + ty.size()).contains(&byte);
    match ty {
        Type::Struct(def) => match def.fields.iter().find(|field| holds(field.offset, &field.ty)) {
            Some(field) => inner(field.offset, &field.ty, format!(".{}", field.name)),
            None => (0, ty.clone()),
        },
        Type::Tuple(items) => {
            let start = |i: usize| ty.field_offset(i).unwrap_or(0);
            match items.iter().enumerate().find(|(i, item)| holds(start(*i), item)) {
                Some((i, item)) => inner(start(i), item, format!(".{i}")),
                None => (0, ty.clone()),
            }
        }
        Type::Array(elem, _) => {
            let i = byte / elem.size().max(1);
            inner(i * elem.size(), elem, format!("[{i}]"))
        }
        Type::Vector(scalar, _) => {
            let elem = Type::Scalar(*scalar);
            let i = byte / elem.size().max(1);
            let name = ["x", "y", "z", "w"].get(i).map_or_else(|| i.to_string(), |name| (*name).to_owned());
            inner(i * elem.size(), &elem, format!(".{name}"))
        }
        _ => (0, ty.clone()),
    }
}

/// A value as Rust writes it; bytes in hexadecimal where it has no such form.
fn shown(ty: &Type, bytes: &[u8]) -> String {
    let mut word = [0; 16];
    word[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
    let low = u64::from_le_bytes(std::array::from_fn(|i| word[i]));
    match ty {
        Type::Scalar(scalar) => match scalar {
            Scalar::Bool => (low & 0xff != 0).to_string(),
            Scalar::F16 => crate::half::f16::from_bits(low as u16).to_string(),
            Scalar::BF16 => crate::half::bf16::from_bits(low as u16).to_string(),
            Scalar::F32 => f32::from_bits(low as u32).to_string(),
            Scalar::F64 => f64::from_bits(low).to_string(),
            int if int.is_signed() => {
                let unused = 64 - int.bits();
                ((low << unused) as i64 >> unused).to_string()
            }
            _ => low.to_string(),
        },
        _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
    }
}

/// Returns whether these bytes are a NaN of a type of floats.
fn is_nan(scalar: Scalar, bytes: &[u8]) -> bool {
    match (scalar, bytes) {
        (Scalar::F16, &[a, b]) => crate::half::f16::from_bits(u16::from_le_bytes([a, b])).to_f32().is_nan(),
        (Scalar::BF16, &[a, b]) => crate::half::bf16::from_bits(u16::from_le_bytes([a, b])).to_f32().is_nan(),
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
                regions.push(Writable { what: format!("`{name}`"), start, bytes, elem, indexed: true });
            }
            KernelArg::Image { access, mutable } => {
                let texels = access.get().texels.filter(|_| *mutable);
                regions.extend(texels.map(|texels| {
                    let (start, bytes) = (texels.base as *mut u8, texels.bytes());
                    Writable {
                        what: format!("`{name}`"),
                        start,
                        bytes,
                        elem: Type::Scalar(Scalar::U8),
                        indexed: true,
                    }
                }));
            }
            KernelArg::TensorMap { map, mutable } => {
                let (range, ty) = (map.range(), module.kernel.var(*id).ty.peeled());
                if let (true, Type::TensorMap(ty)) = (*mutable, ty) {
                    let (start, bytes) = (range.start as *mut u8, (range.end - range.start) as usize);
                    let elem = ty.elem.clone();
                    regions.push(Writable { what: format!("`{name}`"), start, bytes, elem, indexed: true });
                }
            }
            KernelArg::Value(value) => {
                let views = Views::of(&module.kernel.var(*id).ty, value.words()).list;
                regions.extend(views.into_iter().filter(|view| view.mutable).map(|view| {
                    let (start, bytes) = (view.range.start as *mut u8, view.bytes());
                    Writable { what: format!("`{name}`"), start, bytes, elem: view.elem, indexed: true }
                }));
            }
        }
    }
    regions.extend(module.globals().into_iter().filter(|global| !global.is_constant()).map(|global| {
        let (start, elem) = ((global.address)(), (global.ty)());
        Writable { what: format!("`{}`", global.name), start, bytes: elem.size(), elem, indexed: false }
    }));
    regions
}

/// Returns whether a kernel has addresses beside those that [`of_launch`] follows.
pub(super) fn reaches_further(kernel: &Function) -> bool {
    kernel.params.iter().any(|id| has_more_addresses(&kernel.var(*id).ty))
}

pub(super) fn has_more_addresses(ty: &Type) -> bool {
    match ty {
        Type::View { elem, .. } => elem.holds_address(),
        Type::Struct(def) => def.fields.iter().any(|field| has_more_addresses(&field.ty)),
        Type::Array(elem, _) => has_more_addresses(elem),
        Type::Tuple(items) => items.iter().any(has_more_addresses),
        Type::Ref { to, .. } => to.holds_address(),
        other => other.holds_address(),
    }
}
