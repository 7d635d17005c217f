//! The ranges of what arrays and constant tables hold.

use super::known::Known;
use super::range::{Range, integer};
use super::scope::FunctionScope;
use crate::ir::{Expr, ExprKind};

impl FunctionScope<'_> {
    /// The range of an array's elements, or of a field of them: the names of fields in each other, the last one first.
    fn hull_of(&self, value: &Expr, fields: &[&str], known: &Known, fuel: &mut usize) -> Option<Range> {
        match (&value.kind, fields) {
            (ExprKind::ArrayList(items), _) => {
                let ranges: Option<Vec<Range>> =
                    items.iter().map(|item| self.hull_of(item, fields, known, fuel)).collect();
                ranges?.into_iter().reduce(|a, b| a.hull(&b))
            }
            (ExprKind::ArrayRepeat(item, _), _) => self.hull_of(item, fields, known, fuel),
            (ExprKind::Tuple(parts), [rest @ .., field]) => {
                self.hull_of(parts.get(field.parse::<usize>().ok()?)?, rest, known, fuel)
            }
            (ExprKind::Struct(def, parts), [rest @ .., field]) => {
                let at = def.fields.iter().position(|own| own.name == *field)?;
                self.hull_of(parts.get(at)?, rest, known, fuel)
            }
            (_, [_, ..]) => None,
            // Tables are long.
            _ => match value.as_int() {
                Some(n) => Some(Range::numbers(n, n)),
                None => integer(value).map(|_| self.within(value, known, fuel)),
            },
        }
    }

    /// The range of the elements of a list, or of a part of one.
    pub(super) fn elements_of(&self, base: &Expr, known: &Known, fuel: &mut usize) -> Option<Range> {
        if let Some(list) = self.list_of(base) {
            return self.hull_of(list, &[], known, fuel);
        }
        let (arg, scope, known) = self.argument(base)?;
        scope.elements_of(arg, known, fuel)
    }

    /// The range of a field of the elements of a list.
    pub(super) fn fields_of(&self, e: &Expr, known: &Known, fuel: &mut usize) -> Option<Range> {
        let (mut fields, mut base) = (Vec::new(), e);
        while let ExprKind::Field(of, name) = &base.kind {
            fields.push(name.as_str());
            base = of;
        }
        self.hull_of(self.list_of(base)?, &fields, known, fuel)
    }

    /// The elements of a constant table, or of an array that is made of a list, of which a value is all or a part.
    pub(super) fn list_of<'e>(&'e self, base: &'e Expr) -> Option<&'e Expr> {
        match &base.kind {
            ExprKind::Table { value, .. } => Some(value),
            ExprKind::ArrayList(_) | ExprKind::ArrayRepeat(..) => Some(base),
            ExprKind::Var(var) => self.list_of(self.definitions.get(var)?),
            ExprKind::Index { base, .. } | ExprKind::Ref(base) | ExprKind::Deref(base) => self.list_of(base),
            _ => None,
        }
    }
}
