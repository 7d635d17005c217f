//! The accesses that a copy of a value is, as CUDA makes them.

use crate::ir::Type;

/// A part of a value that one instruction moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub offset: u32,
    pub bytes: u32,
    pub align: u32,
}

/// Bytes that one instruction moves at most.
///
/// Source: PTX ISA, `ld`, vectors of up to 128 bits.
const WIDEST: usize = 16;

/// The parts of a value: members, vectors, and structs that are aligned to more than their members.
pub(super) fn units(ty: &Type) -> Vec<Unit> {
    let mut found = Vec::new();
    collect(ty, 0, &mut found);
    found
}

fn collect(ty: &Type, at: usize, found: &mut Vec<Unit>) {
    match ty {
        Type::Vector(scalar, 3) => {
            let bytes = scalar.bits() as usize / 8;
            chunks(at, 3 * bytes, bytes, found);
        }
        Type::Array(elem, n) => (0..*n).for_each(|i| collect(elem, at + i * elem.size(), found)),
        Type::Struct(def) => {
            let natural = def.fields.iter().map(|f| f.ty.align()).max().unwrap_or(1);
            if def.align > natural {
                return chunks(at, def.size, def.align, found);
            }
            def.fields.iter().for_each(|f| collect(&f.ty, at + f.offset, found));
        }
        Type::Tuple(items) => {
            for (i, item) in items.iter().enumerate() {
                collect(item, at + ty.field_offset(i).unwrap_or(0), found);
            }
        }
        _ => chunks(at, ty.size(), ty.align(), found),
    }
}

/// Equal pieces, as large as the alignment and the hardware allow.
fn chunks(at: usize, bytes: usize, align: usize, found: &mut Vec<Unit>) {
    let width = align.clamp(1, WIDEST);
    for offset in (0..bytes).step_by(width) {
        let bytes = width.min(bytes - offset) as u32;
        found.push(Unit { offset: (at + offset) as u32, bytes, align: width as u32 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;

    fn widths(ty: &Type) -> Vec<(u32, u32)> {
        units(ty).iter().map(|unit| (unit.offset, unit.bytes)).collect()
    }

    #[test]
    fn vectors_move_at_once_up_to_sixteen_bytes() {
        assert_eq!(widths(&Type::Vector(Scalar::F32, 4)), [(0, 16)]);
        assert_eq!(widths(&Type::Vector(Scalar::F64, 4)), [(0, 16), (16, 16)]);
        assert_eq!(widths(&Type::Vector(Scalar::F32, 3)), [(0, 4), (4, 4), (8, 4)]);
        assert_eq!(widths(&Type::Tuple([Type::U32, Type::U64].into())), [(0, 4), (8, 8)]);
    }
}
