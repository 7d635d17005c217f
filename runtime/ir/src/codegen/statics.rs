//! Arrays in static memory: constants of arrays, and globals.

use super::Printer;
use super::precedence::{PRIMARY, Text, UNARY};
use crate::ir::{Expr, ExprKind, Global, Type};

/// Returns whether a place is an array in constant memory or a device global, or a row of one.
fn is_static(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Table { .. } => true,
        ExprKind::Global(_) => matches!(place.ty, Type::Array(..)),
        ExprKind::Index { base, .. } => matches!(base.ty, Type::Array(..)) && is_static(base),
        _ => false,
    }
}

/// Returns whether an array or a row of one is of a device global.
fn is_writable(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Global(global) => !global.is_constant(),
        ExprKind::Index { base, .. } => is_writable(base),
        _ => false,
    }
}

/// The qualifier of pointers to an array in static memory, or to a row of it.
fn constant_of(place: &Expr) -> &'static str {
    if is_writable(place) { "" } else { "const " }
}

impl Printer<'_> {
    /// A table or global array as the C array that it is.
    pub(super) fn static_text(&mut self, place: &Expr) -> Text {
        match &place.kind {
            ExprKind::Table { name, value } => Text::primary(self.table_name(name, value)),
            ExprKind::Global(global) => {
                let name = self.global_name(global);
                if global.is_constant() { Text::primary(name) } else { Text::primary(format!("(*{name})")) }
            }
            ExprKind::Index { base, index, at, proof } => self.index(base, index, *at, *proof),
            _ => self.place(place),
        }
    }

    /// The address of the first element of an array in static memory; nothing for any other.
    pub(super) fn static_elements(&mut self, base: &Expr, element: &Type) -> Option<String> {
        if !is_static(base) {
            return None;
        }
        // The rows of a C array are C arrays; those of a slice are values.
        let Type::Array(..) = element else { return Some(self.static_text(base).at(PRIMARY)) };
        let (row, rows) = (self.ty(element), self.static_text(base).at(UNARY));
        Some(Text::unary(format!("({}{row}*){rows}", constant_of(base))).at(PRIMARY))
    }

    /// The base of an index: an array in constant memory is a C array, not a value.
    pub(super) fn indexed(&mut self, base: &Expr) -> Text {
        if is_static(base) { self.static_text(base) } else { self.place(base) }
    }

    /// An array constant, or a row of one, as a value.
    pub(super) fn static_value(&mut self, e: &Expr) -> Option<Text> {
        if !matches!(e.ty, Type::Array(..)) || !is_static(e) {
            return None;
        }
        let ty = self.ty(&e.ty);
        let text = match &e.kind {
            ExprKind::Index { base, index, at, proof } => self.index(base, index, *at, *proof),
            _ => self.static_text(e),
        };
        Some(Text::unary(format!("*({}{ty}*)&{}", constant_of(e), text.at(UNARY))))
    }

    /// The name of an array constant, defined at its first use.
    fn table_name(&mut self, name: &'static str, value: &Expr) -> String {
        self.initializes = true;
        let items = self.initializer(value);
        self.initializes = false;
        let key = format!("{name} {:?} {items}", value.ty);
        if let Some((_, printed)) = self.tables.iter().find(|(known, _)| *known == key) {
            return printed.clone();
        }
        let printed = self.symbols.table(name);
        self.tables.push((key, printed.clone()));
        let declarator = self.declarator(&value.ty, &printed);
        // Without `const`, compilers do not replace elements by their values.
        self.define(format!("__constant__ const {declarator} = {items};\n"));
        printed
    }

    fn initializer(&mut self, value: &Expr) -> String {
        match &value.kind {
            ExprKind::ArrayList(items) => {
                let items: Vec<String> = items.iter().map(|item| self.initializer(item)).collect();
                format!("{{{}}}", items.join(", "))
            }
            _ => self.argument(value),
        }
    }

    /// A global as a place.
    pub(super) fn global(&mut self, global: &'static Global) -> Text {
        let name = self.global_name(global);
        if global.is_constant() { Text::primary(name) } else { Text::unary(format!("*{name}")) }
    }

    /// The symbol of a global, declared at its first use. A device global is the address of memory
    /// that all kernels share.
    pub(super) fn global_name(&mut self, global: &'static Global) -> String {
        if let Some((_, name)) = self.global_symbols.iter().find(|(known, _)| std::ptr::eq(*known, global)) {
            return name.clone();
        }
        let name = self.symbols.global(global);
        self.global_symbols.push((global, name.clone()));
        let (ty, extents) = ((global.ty)(), (global.extents)());
        let declared = match (global.is_constant(), &ty) {
            (true, _) => name.clone(),
            (false, Type::Array(..)) => format!("(*{name})"),
            (false, _) => format!("*{name}"),
        };
        let line = format!("__constant__ {};\n", self.spelled_declarator(&ty, &extents, &declared));
        self.define(line);
        name
    }
}
