//! Values of several parts.

use std::sync::Arc;

use super::{Lower, Result};
use crate::interpreter::program::Slot;
use crate::ir::{EnumType, Expr, Type};

impl<'m> Lower<'m> {
    /// The fields of a struct or tuple.
    pub(super) fn fields(&mut self, ty: &Type, items: &'m [Expr], to: Slot) -> Result<()> {
        for (i, item) in items.iter().enumerate() {
            let offset = ty.field_offset(i).unwrap_or(0);
            self.value_to(item, to + offset as Slot)?;
        }
        Ok(())
    }

    /// Elements side by side.
    pub(super) fn elements(&mut self, items: &'m [Expr], to: Slot) -> Result<()> {
        let mut at = to;
        for item in items {
            self.value_to(item, at)?;
            at += item.ty.size() as Slot;
        }
        Ok(())
    }

    /// `[a; N]`: what is filled is doubled until it is all.
    pub(super) fn repeat(&mut self, item: &'m Expr, n: usize, to: Slot) -> Result<()> {
        let (one, total) = (item.ty.size(), item.ty.size() * n);
        if total == 0 {
            return Ok(());
        }
        self.value_to(item, to)?;
        let mut filled = one;
        while filled < total {
            let more = filled.min(total - filled);
            self.copy(to + filled as Slot, to, more);
            filled += more;
        }
        Ok(())
    }

    /// A value of a variant: its tag and its fields.
    pub(super) fn variant(
        &mut self,
        def: &Arc<EnumType>,
        index: usize,
        items: &'m [Expr],
        to: Slot,
    ) -> Result<()> {
        let Some(variant) = def.variants.get(index) else {
            return self.unsupported("a variant that its enum does not have");
        };
        let size = def.tag.bits() as usize / 8;
        let tag = self.constant(&variant.tag.to_le_bytes()[..size], size);
        self.copy(to + def.tag_offset() as Slot, tag, size);
        for (i, item) in items.iter().enumerate() {
            self.value_to(item, to + def.field_offset(index, i) as Slot)?;
        }
        Ok(())
    }
}
