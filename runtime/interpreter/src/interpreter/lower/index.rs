//! Elements of slices, views, arrays, vectors and shared arrays.

use super::place::Place;
use super::{Lower, Result, room};
use crate::interpreter::program::{Index, Op, Slot, Width};
use crate::ir::{Expr, ExprKind, Location, Scalar, Type};

impl<'m> Lower<'m> {
    /// `base[index]`, with the bounds check of Rust.
    pub(super) fn index(&mut self, base: &'m Expr, index: &'m Expr, at: Location) -> Result<Place> {
        let Some(elem) = base.ty.element() else {
            return self.unsupported(format!("an index of a `{}`", base.ty));
        };
        match base.ty.peeled() {
            Type::Slice(_) => {
                let slice = self.slice_reference(base)?;
                self.slice_element(slice, index, &elem, at)
            }
            Type::View { rank: 1, .. } => {
                let place = self.place(base)?;
                let extent = self.load(&place, &base.ty);
                self.extent_element(extent, index, &elem, at)
            }
            Type::View { rank, .. } => self.view_element(base, index, *rank, &elem, at),
            Type::Shared { rank: 1, .. } => {
                if let Some(place) = self.cell(base, index, &elem, at)? {
                    return Ok(place);
                }
                let extent = self.value(base)?;
                self.extent_element(extent, index, &elem, at)
            }
            Type::Shared { elem, rank } => self.row(base, index, elem, *rank, at),
            Type::Array(_, n) | Type::Vector(_, n) => self.array_element(base, index, *n, &elem, at),
            _ => self.unsupported(format!("an index of a `{}`", base.ty)),
        }
    }

    /// The slot of a reference to a slice; `*reference` stands for it too.
    pub(super) fn slice_reference(&mut self, base: &'m Expr) -> Result<Slot> {
        match (&base.kind, &base.ty) {
            (ExprKind::Deref(inner), Type::Slice(_)) => self.slice_reference(inner),
            (_, Type::Ref { to, .. }) if matches!(**to, Type::Ref { .. }) => {
                let pointer = self.value(base)?;
                let slot = self.reserve(8, 8);
                self.push(Op::Load { to: slot, pointer, offset: 0, bytes: 8 });
                Ok(slot)
            }
            _ => self.value(base),
        }
    }

    fn slice_element(&mut self, slice: Slot, index: &'m Expr, elem: &Type, at: Location) -> Result<Place> {
        let index = self.subscript(index)?;
        let (to, site) = (self.reserve(8, 8), self.site_at(at));
        self.push(Op::ElementOf { to, slice, index, bytes: elem.size() as u32, site });
        Ok(Place::Memory { pointer: to, offset: 0, constant: false })
    }

    /// An element of what has its address and length in the frame.
    fn extent_element(&mut self, extent: Slot, index: &'m Expr, elem: &Type, at: Location) -> Result<Place> {
        let index = self.subscript(index)?;
        let (to, site) = (self.reserve(8, 8), self.site_at(at));
        self.push(Op::Element { to, extent, index, bytes: elem.size() as u32, site });
        Ok(Place::Memory { pointer: to, offset: 0, constant: false })
    }

    /// `base[row][col]` of a shared matrix at once, if `col` cannot fault before `row` is checked.
    fn cell(&mut self, row: &'m Expr, col: &'m Expr, elem: &Type, at: Location) -> Result<Option<Place>> {
        let ExprKind::Index { base, index, at: outer, .. } = &row.kind else { return Ok(None) };
        if !matches!(base.ty.peeled(), Type::Shared { rank: 2, .. })
            || !is_plain(col)
            || outer.line != at.line
        {
            return Ok(None);
        }
        let shared = self.value(base)?;
        let indices = [self.subscript(index)?, self.subscript(col)?];
        let (to, site) = (self.reserve(8, 8), self.site_at(at));
        self.push(Op::Cell { to, shared, indices, bytes: elem.size() as u32, site });
        Ok(Some(Place::Memory { pointer: to, offset: 0, constant: false }))
    }

    fn view_element(
        &mut self,
        base: &'m Expr,
        index: &'m Expr,
        rank: usize,
        elem: &Type,
        at: Location,
    ) -> Result<Place> {
        let place = self.place(base)?;
        let view = self.load(&place, &base.ty);
        let mut indices = [Index { slot: 0, width: Width::Word }; 3];
        match (&index.kind, &index.ty) {
            (ExprKind::Tuple(items), _) => {
                for (i, item) in items.iter().take(3).enumerate() {
                    indices[i] = self.subscript(item)?;
                }
            }
            (_, Type::Tuple(items)) => {
                let slot = self.value(index)?;
                for (i, item) in items.iter().take(3).enumerate() {
                    let offset = index.ty.field_offset(i).unwrap_or(0);
                    indices[i] = Index { slot: slot + offset as Slot, width: width(item) };
                }
            }
            _ => return self.unsupported("an index of a matrix that is no tuple"),
        }
        let (to, site) = (self.reserve(8, 8), self.site_at(at));
        self.push(Op::ViewElement { to, view, rank: rank as u32, indices, bytes: elem.size() as u32, site });
        Ok(Place::Memory { pointer: to, offset: 0, constant: false })
    }

    /// A row of a shared matrix, or a plane of a shared volume: a descriptor.
    fn row(
        &mut self,
        base: &'m Expr,
        index: &'m Expr,
        elem: &Type,
        rank: usize,
        at: Location,
    ) -> Result<Place> {
        let shared = self.value(base)?;
        let index = self.subscript(index)?;
        let (to, site) = (self.reserve(8 * rank, 8), self.site_at(at));
        self.push(Op::Row { to, shared, rank: rank as u32, index, bytes: elem.size() as u32, site });
        Ok(Place::Frame(to))
    }

    fn array_element(
        &mut self,
        base: &'m Expr,
        index: &'m Expr,
        len: usize,
        elem: &Type,
        at: Location,
    ) -> Result<Place> {
        let place = self.array(base)?;
        if let Some(i) = index.as_int().and_then(|i| usize::try_from(i).ok()).filter(|i| *i < len) {
            return Ok(place.part(i * elem.size()));
        }
        let index = self.subscript(index)?;
        let pointer = self.reserve(8, 8);
        self.address(&place, pointer);
        let (to, site) = (self.reserve(8, 8), self.site_at(at));
        self.push(Op::ElementIn { to, pointer, len: len as u32, index, bytes: elem.size() as u32, site });
        let constant = matches!(place, Place::Memory { constant: true, .. });
        Ok(Place::Memory { pointer: to, offset: 0, constant })
    }

    /// An array or vector, by a reference too.
    pub(super) fn array(&mut self, base: &'m Expr) -> Result<Place> {
        match base.ty {
            Type::Ref { .. } => {
                let pointer = self.value(base)?;
                Ok(Place::Memory { pointer, offset: 0, constant: false })
            }
            _ => self.place(base),
        }
    }

    /// An index of any integer type.
    pub(super) fn subscript(&mut self, index: &'m Expr) -> Result<Index> {
        let outer = std::mem::replace(&mut self.in_index, true);
        let slot = self.value(index);
        self.in_index = outer;
        Ok(Index { slot: slot?, width: width(&index.ty) })
    }

    /// Number of elements, a `u64`.
    pub(super) fn len(&mut self, of: &'m Expr) -> Result<Slot> {
        let of = match &of.kind {
            ExprKind::Ref(place) => place,
            _ => of,
        };
        match (&of.ty, of.ty.peeled()) {
            (_, Type::Array(_, n) | Type::Vector(_, n)) => Ok(self.constant(&(*n as u64).to_ne_bytes(), 8)),
            (_, Type::Slice(_)) => {
                let slice = self.slice_reference(of)?;
                let extent = self.reserve(16, 8);
                self.push(Op::Extent { to: extent, slice });
                Ok(extent + 8)
            }
            (Type::Ref { .. }, Type::View { .. } | Type::Shared { .. }) => {
                let pointer = self.value(of)?;
                let to = self.reserve(8, 8);
                self.push(Op::Load { to, pointer, offset: 8, bytes: 8 });
                Ok(to)
            }
            (_, Type::View { .. } | Type::Shared { .. }) => {
                let place = self.place(of)?;
                Ok(self.load(&place.part(8), &Type::U64))
            }
            _ => self.unsupported(format!("the length of a `{}`", of.ty)),
        }
    }

    /// Address and length, in the frame, of what has elements side by side.
    pub(super) fn extent(&mut self, base: &'m Expr) -> Result<Slot> {
        match base.ty.peeled() {
            Type::Slice(_) => {
                let slice = self.slice_reference(base)?;
                let to = self.reserve(16, 8);
                self.push(Op::Extent { to, slice });
                Ok(to)
            }
            Type::Array(_, n) => {
                let (n, place, to) = (*n as u64, self.array(base)?, self.reserve(16, 8));
                self.address(&place, to);
                let len = self.constant(&n.to_ne_bytes(), 8);
                self.copy(to + 8, len, 8);
                Ok(to)
            }
            Type::View { rank: 1, .. } | Type::Shared { rank: 1, .. } => {
                let ty = base.ty.peeled();
                let place = match base.ty {
                    Type::Ref { .. } => {
                        Place::Memory { pointer: self.value(base)?, offset: 0, constant: false }
                    }
                    _ => self.place(base)?,
                };
                let (from, to) = (self.load(&place, ty), self.reserve(16, 8));
                self.copy(to, from, room(ty).0);
                Ok(to)
            }
            _ => self.unsupported(format!("a part of a `{}`", base.ty)),
        }
    }
}

/// How an index of a type is read.
pub(super) fn width(ty: &Type) -> Width {
    match ty.scalar() {
        Some(Scalar::I8) => Width::I8,
        Some(Scalar::I16) => Width::I16,
        Some(Scalar::I32) => Width::I32,
        Some(Scalar::U8) => Width::U8,
        Some(Scalar::U16) => Width::U16,
        Some(Scalar::U32) => Width::U32,
        _ => Width::Word,
    }
}

/// Returns whether an expression is a constant, a variable or a field of one.
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Var(_) => true,
        ExprKind::Field(base, _) => is_plain(base),
        _ => false,
    }
}
