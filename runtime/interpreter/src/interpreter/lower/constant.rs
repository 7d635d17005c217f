//! Constants below the frame, and tables of them.

use super::place::Place;
use super::{Lower, Result};
use crate::half::Nearest as _;
use crate::interpreter::program::Slot;
use crate::ir::{ConstValue, Expr, ExprKind, Scalar, Type};

impl<'m> Lower<'m> {
    /// The slot of constant bytes, aligned as asked; equal ones share it.
    pub(super) fn constant(&mut self, bytes: &[u8], align: usize) -> Slot {
        if let Some(slot) = self.known.get(&(bytes.to_vec(), align)) {
            return *slot;
        }
        let slot = self.fresh_constant(bytes, align);
        self.known.insert((bytes.to_vec(), align), slot);
        slot
    }

    /// A slot of its own for constant bytes.
    pub(super) fn fresh_constant(&mut self, bytes: &[u8], align: usize) -> Slot {
        let constants = &mut self.program.constants;
        // They grow downwards from the base, so they are kept in reverse.
        let end = (constants.len() + bytes.len()).next_multiple_of(align.clamp(1, 16));
        constants.resize(end - bytes.len(), 0);
        constants.extend(bytes.iter().rev());
        -(end as Slot)
    }

    pub(super) fn literal(&mut self, value: ConstValue, ty: &Type) -> Result<Slot> {
        match bytes_of(value, ty) {
            Some(bytes) => Ok(self.constant(&bytes, ty.align())),
            None => self.unsupported(format!("a constant of type `{ty}`")),
        }
    }

    /// An array constant, in memory that lives as long as the program.
    pub(super) fn table(&mut self, value: &Expr) -> Result<Place> {
        let mut bytes = vec![0; value.ty.size()];
        if write(value, &mut bytes).is_none() {
            return self.unsupported("a table whose elements are no constants");
        }
        let mut words = vec![0u128; bytes.len().div_ceil(16)].into_boxed_slice();
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(16)) {
            let mut padded = [0; 16];
            padded[..chunk.len()].copy_from_slice(chunk);
            *word = u128::from_ne_bytes(padded);
        }
        let known = self.program.tables.iter().find(|table| ***table == *words);
        let address = match known {
            Some(table) => table.as_ptr() as u64,
            None => {
                self.program.tables.push(words);
                self.program.tables.last().map_or(0, |table| table.as_ptr() as u64)
            }
        };
        let pointer = self.constant(&address.to_ne_bytes(), 8);
        Ok(Place::Memory { pointer, offset: 0, constant: true })
    }
}

/// The bytes of a scalar, or of an enum without fields.
fn bytes_of(value: ConstValue, ty: &Type) -> Option<Vec<u8>> {
    let scalar = match ty {
        Type::Scalar(scalar) => *scalar,
        Type::Enum(def) => def.tag,
        Type::Ptr { .. } => Scalar::U64,
        _ => return None,
    };
    let wide = match value {
        ConstValue::F32(f) => f64::from(f),
        ConstValue::F64(f) => f,
        ConstValue::Int(i) => i as f64,
        ConstValue::Bool(_) => 0.0,
    };
    Some(match (scalar, value) {
        (Scalar::F32, ConstValue::F32(f)) => f.to_ne_bytes().to_vec(),
        (Scalar::F32, _) => (wide as f32).to_ne_bytes().to_vec(),
        (Scalar::F64, ConstValue::F64(f)) => f.to_ne_bytes().to_vec(),
        (Scalar::F64, _) => wide.to_ne_bytes().to_vec(),
        (Scalar::F16, ConstValue::F32(f)) => crate::half::f16::from_f32(f).to_bits().to_ne_bytes().to_vec(),
        (Scalar::F16, _) => crate::half::f16::nearest(wide).to_bits().to_ne_bytes().to_vec(),
        (Scalar::BF16, ConstValue::F32(f)) => crate::half::bf16::from_f32(f).to_bits().to_ne_bytes().to_vec(),
        (Scalar::BF16, _) => crate::half::bf16::nearest(wide).to_bits().to_ne_bytes().to_vec(),
        (_, ConstValue::Bool(b)) => vec![u8::from(b)],
        (scalar, ConstValue::Int(i)) => i.to_le_bytes()[..scalar.bits() as usize / 8].to_vec(),
        _ => return None,
    })
}

/// Writes a constant expression; nothing if it is none.
fn write(e: &Expr, to: &mut [u8]) -> Option<()> {
    match &e.kind {
        ExprKind::Const(c) => {
            let bytes = bytes_of(c.value, &e.ty)?;
            to.get_mut(..bytes.len())?.copy_from_slice(&bytes);
        }
        ExprKind::Unit => {}
        ExprKind::Struct(_, items) | ExprKind::Tuple(items) => {
            for (i, item) in items.iter().enumerate() {
                write(item, to.get_mut(e.ty.field_offset(i)?..)?)?;
            }
        }
        ExprKind::ArrayList(items) | ExprKind::Vector(items) => {
            for (i, item) in items.iter().enumerate() {
                write(item, to.get_mut(i * item.ty.size()..)?)?;
            }
        }
        ExprKind::ArrayRepeat(item, n) => {
            for i in 0..n.len {
                write(item, to.get_mut(i * item.ty.size()..)?)?;
            }
        }
        ExprKind::Variant(def, index, items) => {
            let size = def.tag.bits() as usize / 8;
            let tag = def.variants.get(*index)?.tag.to_le_bytes();
            to.get_mut(def.tag_offset()..)?.get_mut(..size)?.copy_from_slice(&tag[..size]);
            for (i, item) in items.iter().enumerate() {
                write(item, to.get_mut(def.field_offset(*index, i)..)?)?;
            }
        }
        ExprKind::Table { value, .. } => write(value, to)?,
        _ => return None,
    }
    Some(())
}
