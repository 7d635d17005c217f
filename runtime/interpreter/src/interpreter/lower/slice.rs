//! Parts of slices, and memory read as elements of another type.

use super::{Lower, Result};
use crate::interpreter::program::{Op, Reinterpretation, Slot};
use crate::ir::{Expr, ExprKind, Type};

impl<'m> Lower<'m> {
    /// `&base[start..end]`: a reference to a descriptor.
    pub(super) fn part(&mut self, e: &'m Expr, to: Slot) -> Result<()> {
        let extent = self.part_extent(e)?;
        self.push(Op::Keep { to, extent });
        Ok(())
    }

    /// Address and length of `&base[start..end]`, in the frame.
    pub(super) fn part_extent(&mut self, e: &'m Expr) -> Result<Slot> {
        let ExprKind::SubSlice { base, start, end, at, .. } = &e.kind else { return self.extent(e) };
        let extent = self.extent(base)?;
        let (old, new) = (base.ty.element(), e.ty.element());
        let (Some(old), Some(new)) = (old, new) else {
            return self.unsupported(format!("a part of a `{}`", base.ty));
        };
        if start.is_some() || end.is_some() {
            let start = start.as_ref().map(|e| self.subscript(e)).transpose()?;
            let end = end.as_ref().map(|e| self.subscript(e)).transpose()?;
            let site = self.site_at(*at);
            self.push(Op::Part { extent, start, end, bytes: old.size() as u32, site });
        }
        if old != new {
            let site = self.site_at(*at);
            self.reinterpreted(extent, &old, &new, site);
        }
        Ok(extent)
    }

    fn reinterpreted(&mut self, extent: Slot, old: &Type, new: &Type, site: u32) {
        let table = self.program.reinterpretations.len() as u32;
        self.program.reinterpretations.push(Reinterpretation {
            from: old.size(),
            to: new.size().max(1),
            align: new.align(),
            name: new.to_string(),
        });
        self.push(Op::Reinterpret { extent, table, site });
    }
}
