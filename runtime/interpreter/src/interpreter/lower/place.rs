//! Places: what can be read, written and pointed to.

use super::{Binding, Lower, Result, room};
use crate::interpreter::program::{Op, Slot};
use crate::ir::{Expr, ExprKind, Global, Type, VarId};
use crate::simulator::AccessKind;

/// The location of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In the frame.
    Frame(Slot),
    /// At an address that the frame holds, plus a constant.
    Memory { pointer: Slot, offset: u32, constant: bool },
}

impl Place {
    /// The part that begins this number of bytes further on.
    pub(super) fn part(self, bytes: usize) -> Self {
        match self {
            Place::Frame(slot) => Place::Frame(slot + bytes as Slot),
            Place::Memory { pointer, offset, constant } => {
                Place::Memory { pointer, offset: offset + bytes as u32, constant }
            }
        }
    }
}

impl<'m> Lower<'m> {
    /// The place that an expression denotes; a value that is no place gets one.
    pub(super) fn place(&mut self, e: &'m Expr) -> Result<Place> {
        match &e.kind {
            ExprKind::Var(id) => self.variable(*id),
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Index { base, index, at, .. } => self.index(base, index, *at),
            ExprKind::Deref(of) => self.pointee(of, &e.ty),
            ExprKind::Global(global) => Ok(self.global(global)),
            ExprKind::Table { value, .. } => self.table(value),
            _ => Ok(Place::Frame(self.value(e)?)),
        }
    }

    fn variable(&mut self, id: VarId) -> Result<Place> {
        match self.scopes[self.scope].vars.get(&id) {
            Some(Binding::Slot(slot)) => Ok(Place::Frame(*slot)),
            Some(Binding::Closure(_)) => self.unsupported("a closure as a value"),
            None => self.unsupported("a variable that is not in scope"),
        }
    }

    fn field(&mut self, base: &'m Expr, name: &str) -> Result<Place> {
        let place = self.place(base)?;
        match field_offset(&base.ty, name) {
            Some(offset) => Ok(place.part(offset)),
            None => self.unsupported(format!("the field `{name}` of a `{}`", base.ty)),
        }
    }

    /// The place that a reference refers to; a shared array behind a reference is its descriptor.
    fn pointee(&mut self, reference: &'m Expr, ty: &Type) -> Result<Place> {
        let pointer = self.value(reference)?;
        if let Type::Shared { .. } = ty {
            let (bytes, align) = room(ty);
            let to = self.reserve(bytes, align);
            self.push(Op::Load { to, pointer, offset: 0, bytes: bytes as u32 });
            return Ok(Place::Frame(to));
        }
        Ok(Place::Memory { pointer, offset: 0, constant: false })
    }

    fn global(&mut self, global: &'static Global) -> Place {
        let known = self.program.globals.iter().find(|(_, known)| std::ptr::eq(*known, global));
        let pointer = match known {
            Some((slot, _)) => *slot,
            None => {
                let slot = self.fresh_constant(&[0; 8], 8);
                self.program.globals.push((slot, global));
                slot
            }
        };
        Place::Memory { pointer, offset: 0, constant: global.is_constant() }
    }

    /// The value at a place, where it is or read from memory.
    pub(super) fn load(&mut self, place: &Place, ty: &Type) -> Slot {
        match *place {
            Place::Frame(slot) => {
                self.local(slot, ty, false);
                slot
            }
            Place::Memory { pointer, offset, .. } => {
                let (bytes, align) = room(ty);
                let to = self.reserve(bytes, align);
                self.access(place, ty, AccessKind::Read);
                if bytes > 0 {
                    self.push(Op::Load { to, pointer, offset, bytes: bytes as u32 });
                }
                to
            }
        }
    }

    /// Writes a value of the frame to a place.
    pub(super) fn store(&mut self, place: &Place, from: Slot, ty: &Type, bytes: usize) {
        match *place {
            Place::Frame(to) => {
                self.copy(to, from, bytes);
                self.local(to, ty, true);
            }
            Place::Memory { pointer, offset, .. } if bytes > 0 => {
                self.access(place, ty, AccessKind::Write);
                self.push(Op::Store { pointer, offset, from, bytes: bytes as u32 });
            }
            Place::Memory { .. } => {}
        }
    }

    /// The address of a place.
    pub(super) fn address(&mut self, place: &Place, to: Slot) {
        match *place {
            Place::Frame(of) => self.push(Op::AddressOf { to, of }),
            Place::Memory { pointer, offset, .. } => self.push(Op::Offset { to, pointer, bytes: offset }),
        }
    }

    /// `&place`
    pub(super) fn reference(&mut self, of: &'m Expr, to: Slot) -> Result<()> {
        let place = self.place(of)?;
        if let (Type::Shared { .. }, Place::Frame(_)) = (&of.ty, place)
            && !matches!(of.kind, ExprKind::Var(_))
        {
            // The descriptor of a row has no variable that it would live as long as.
            self.pin();
        }
        self.address(&place, to);
        Ok(())
    }
}

/// The place at which a field begins.
fn field_offset(ty: &Type, name: &str) -> Option<usize> {
    match ty {
        Type::Struct(def) => def.fields.iter().find(|f| f.name == name).map(|f| f.offset),
        Type::Tuple(_) => ty.field_offset(name.parse().ok()?),
        Type::Vector(s, n) => {
            "xyzw".find(name).filter(|i| i < n && name.len() == 1).map(|i| i * s.bits() as usize / 8)
        }
        Type::View { rank, .. } => {
            let names: &[&str] = match rank {
                1 => &["ptr", "len"],
                2 => &["ptr", "rows", "cols", "stride"],
                _ => &["ptr", "planes", "rows", "cols", "plane_stride", "stride"],
            };
            names.iter().position(|known| *known == name).map(|i| 8 * i)
        }
        Type::Enum(def) if name == "tag" => Some(def.tag_offset()),
        Type::Enum(def) => {
            let (variant, field) = name.split_once('.')?;
            let v = def.variants.iter().position(|v| v.name == variant)?;
            let f = def.variants[v].fields.iter().position(|(known, _)| *known == field)?;
            Some(def.field_offset(v, f))
        }
        _ => None,
    }
}
