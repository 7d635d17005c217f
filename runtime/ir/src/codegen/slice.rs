//! Values that are a pointer with extents beside it: slices, views of higher rank, and shared arrays as parameters.

use super::precedence::{ASSIGNMENT, PRIMARY, Text, UNARY, operator};
use super::{Printer, Proof, SiteKind, prelude};
use crate::ir::{BinaryOp, Expr, ExprKind, Extent, Location, Type, VarId, VarKind};

/// Returns whether a value prints as a pointer and a length.
pub(super) fn is_slice(ty: &Type) -> bool {
    matches!(ty, Type::Ref { to, .. } if matches!(**to, Type::Slice(_) | Type::Shared { .. }))
}

/// Returns whether a slice is one value where it is a part of another: a pointer and one length.
pub(super) fn is_one_value(ty: &Type) -> bool {
    is_slice(ty) && rank(ty) == 1
}

/// Returns whether a function or a closure gives a value.
fn is_given(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Call { .. } | ExprKind::CallClosure { .. })
}

/// Names of the extents that a shared array passes to a function, after the pointer.
pub(super) fn extent_names(rank: usize) -> &'static [&'static str] {
    match rank {
        2 => &["rows", "cols"],
        3 => &["planes", "rows", "cols"],
        _ => &["len"],
    }
}

/// Number of extents beside the pointer of a slice or a shared array.
fn rank(ty: &Type) -> usize {
    match ty {
        Type::Ref { to, .. } => match **to {
            Type::Shared { rank, .. } => rank,
            _ => 1,
        },
        _ => 1,
    }
}

/// The extents of [`Printer::slice_parts`]; a single one may be any expression.
fn split_extents(extents: &str, count: usize) -> Vec<&str> {
    if count == 1 { vec![extents] } else { extents.split(", ").collect() }
}

/// Returns whether a place is a row or a plane of a shared array that a function took.
fn is_part_of_parameter(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Index { base, .. } => {
            matches!(base.ty, Type::Shared { .. })
                && (matches!(base.kind, ExprKind::Deref(_)) || is_part_of_parameter(base))
        }
        _ => false,
    }
}

/// Returns whether a text is one name, number or member, which needs no parentheses.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// The element type of what a slice is taken of.
fn element_of(ty: &Type) -> Option<Type> {
    match ty {
        Type::Ref { to, .. } => to.element(),
        other => other.element(),
    }
}

impl Printer<'_> {
    /// `let name = &x[a..b];`
    pub(super) fn let_slice(&mut self, var: VarId, init: Option<&Expr>) {
        let parts = init.map(|e| self.slice_once(e));
        let ty = self.function.var(var).ty.clone();
        let (printed, name) = (self.ty(&ty), self.function.declare_slice(var));
        self.function.lengths.insert(format!("{name}_len"));
        if let (Some(init), Some((_, len))) = (init, &parts) {
            self.note_part(var, init, len);
        }
        let extents = extent_names(rank(&ty));
        match parts {
            Some((ptr, lengths)) => {
                self.function.push(&format!("{printed} {name} = {ptr};"));
                for (extent, length) in extents.iter().zip(split_extents(&lengths, extents.len())) {
                    self.function.push(&format!("unsigned long long {name}_{extent} = {length};"));
                }
            }
            None => {
                self.function.push(&format!("{printed} {name};"));
                for extent in extents {
                    self.function.push(&format!("unsigned long long {name}_{extent};"));
                }
            }
        }
    }

    /// The parts of a slice; what a function or a closure gives is one value, which gets a name.
    fn slice_once(&mut self, e: &Expr) -> (String, String) {
        if !is_given(e) {
            return self.slice_parts(e);
        }
        let (ty, value) = (self.part_ty(&e.ty), self.part(e));
        let name = self.function.reserve_unwanted("t");
        self.function.push(&format!("const {ty} {name} = {value};"));
        (format!("{name}.ptr"), format!("{name}.len"))
    }

    /// Notes the length of a part of a slice that stays what it is, and whether it fits `int`.
    fn note_part(&mut self, var: VarId, init: &Expr, len: &str) {
        let ExprKind::SubSlice { base, start, end, .. } = &init.kind else { return };
        let ExprKind::Var(whole) = base.kind else { return };
        let is_name = |bound: &Expr| matches!(bound.kind, ExprKind::Var(_) | ExprKind::Const(_));
        let stays = |slice: VarId| {
            let slice = self.function.var(slice);
            !slice.mutable || slice.kind == VarKind::DynamicShared
        };
        let mut bounds = [start, end].into_iter().flatten();
        let is_kept =
            stays(var) && stays(whole) && bounds.all(|bound| is_name(bound) && self.is_fixed(bound));
        if !is_kept || element_of(&base.ty) != init.ty.element() {
            return;
        }
        if self.is_short_slice(whole) {
            self.function.short.insert(var);
        }
        if start.is_some() {
            self.function.parts.insert(var, Text { text: len.to_owned(), level: operator(BinaryOp::Sub).1 });
        }
    }

    /// `name = &x[a..b];`
    pub(super) fn assign_slice(&mut self, place: &Expr, value: &Expr) {
        if matches!(place.kind, ExprKind::Field(..) | ExprKind::Index { .. }) && is_one_value(&place.ty) {
            let (place, value) = (self.held_slice(place).text, self.part(value));
            return self.function.push(&format!("{place} = {value};"));
        }
        let name = self.expr(place).text;
        let (ptr, len) = self.slice_parts(value);
        if ptr != name {
            self.function.push(&format!("{name} = {ptr};"));
        }
        let extents = extent_names(rank(&place.ty));
        for (extent, length) in extents.iter().zip(split_extents(&len, extents.len())) {
            self.function.push(&format!("{name}_{extent} = {length};"));
        }
    }

    /// The pointer and the extents of a slice, separated by commas.
    pub(super) fn slice_parts(&mut self, e: &Expr) -> (String, String) {
        match &e.kind {
            ExprKind::SubSlice { base, start, end, at, proof } => {
                let (ptr, len) = self.sub_slice(base, start.as_deref(), end.as_deref(), *at, *proof);
                self.reinterpreted(base, &e.ty, ptr, len, *at, *proof)
            }
            ExprKind::Ref(place) => self.elements(place),
            ExprKind::Var(id) => {
                let name = self.var(*id);
                let extents: Vec<String> =
                    extent_names(rank(&e.ty)).iter().map(|extent| format!("{name}_{extent}")).collect();
                (name, extents.join(", "))
            }
            _ => (self.argument(e), self.len(e).at(ASSIGNMENT)),
        }
    }

    /// A slice that is a part of another value.
    pub(super) fn held_slice(&mut self, e: &Expr) -> Text {
        match &e.kind {
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Index { base, index, at, proof } => self.index(base, index, *at, *proof),
            _ => self.expr(e),
        }
    }

    /// The address of the first element of a slice.
    pub(super) fn address(&mut self, slice: &Expr) -> Text {
        let (pointer, _) = self.slice_parts(slice);
        if pointer.contains(' ') { Text::primary(format!("({pointer})")) } else { Text::primary(pointer) }
    }

    /// The parts of a slice as those of the element type that is wanted.
    fn reinterpreted(
        &mut self,
        base: &Expr,
        ty: &Type,
        ptr: String,
        len: String,
        at: Location,
        proof: Proof,
    ) -> (String, String) {
        let Type::Ref { to, mutable } = ty else { return (ptr, len) };
        let (Some(from), Some(elem)) = (element_of(&base.ty), to.element()) else { return (ptr, len) };
        if from == elem {
            return (ptr, len);
        }
        let name = self.ty(&elem);
        let constant = if *mutable { "" } else { "const " };
        let (old, new) = (from.size(), elem.size().max(1));
        let len = if is_word(&len) { len } else { format!("({len})") };
        let len = match (old % new, new % old.max(1)) {
            (0, _) if old == new => len,
            (0, _) => format!("{len} * {}", old / new),
            (_, 0) => format!("{len} / {}", new / old),
            _ => format!("{len} * {old} / {new}"),
        };
        let ptr = if self.is_checked(proof) && elem.align() > from.align() {
            self.need(&prelude::CHECKS);
            let site = self.site(SiteKind::Aligned, at);
            format!("ws_aligned({ptr}, {}, {site}, ws_fault)", elem.align())
        } else if ptr.contains(' ') {
            format!("({ptr})")
        } else {
            ptr
        };
        (format!("({constant}{name}*){ptr}"), len)
    }

    /// Address of the first element, and the extents, of what has elements side by side.
    fn elements(&mut self, base: &Expr) -> (String, String) {
        match &base.ty {
            Type::View { .. } => {
                let view = self.part_of(base).at(PRIMARY);
                (format!("{view}.ptr"), format!("{view}.len"))
            }
            Type::Array(inner, n) => {
                let first = match self.static_elements(base, inner) {
                    Some(first) => first,
                    None => format!("{}.at", self.place(base).at(PRIMARY)),
                };
                (first, format!("{n}ull"))
            }
            Type::Shared { rank, .. } => {
                if let ExprKind::Deref(of) = &base.kind {
                    return self.slice_parts(of);
                }
                let mut extents = Vec::new();
                let mut place = base.clone();
                for _ in 0..*rank {
                    extents.push(self.len(&place).at(ASSIGNMENT));
                    let inner = place.ty.element().unwrap_or(Type::Unit);
                    let zero = Expr { kind: ExprKind::Unit, ty: Type::U64 };
                    let kind = ExprKind::Index {
                        base: place.into(),
                        index: zero.into(),
                        at: Location { file: "", line: 0 },
                        proof: Proof::Text,
                    };
                    place = Expr { kind, ty: inner };
                }
                // A part of what a function took is an address already.
                let zeros = "[0]".repeat(if is_part_of_parameter(base) { 0 } else { rank - 1 });
                (format!("{}{zeros}", self.place(base).at(PRIMARY)), extents.join(", "))
            }
            _ => self.slice_parts(base),
        }
    }

    fn sub_slice(
        &mut self,
        base: &Expr,
        start: Option<&Expr>,
        end: Option<&Expr>,
        at: Location,
        proof: Proof,
    ) -> (String, String) {
        let (ptr, whole) = self.elements(base);
        let whole = if is_word(&whole) { whole } else { format!("({whole})") };
        let end_text = end.map(|e| self.expr(e).at(UNARY)).unwrap_or_else(|| whole.clone());
        let len = match start {
            Some(start) => format!("{end_text} - {}", self.expr(start).at(UNARY)),
            None => end_text.clone(),
        };
        let len = match end {
            Some(end) if end.ty == Type::U64 && end.as_int().is_none() => len,
            Some(_) if is_word(&len) => format!("(unsigned long long){len}"),
            Some(_) => format!("(unsigned long long)({len})"),
            None => len,
        };
        let first = start.map(|e| self.expr(e).at(UNARY));
        let exact = start.is_none() && end.is_none();
        let ptr = match first {
            _ if self.is_checked(proof) && !exact => {
                self.need(&prelude::CHECKS);
                let site = self.site(SiteKind::Range, at);
                let first = first.unwrap_or_else(|| "0ull".into());
                format!("{ptr} + ws_part({first}, {end_text}, {whole}, {site}, ws_fault)")
            }
            Some(first) => format!("{ptr} + {first}"),
            None => ptr,
        };
        (ptr, len)
    }

    /// `v.ptr[r * v.stride + c]` of a view of rank 2 or 3.
    pub(super) fn view_index(&mut self, base: &Expr, index: &Expr, at: Location, proof: Proof) -> Text {
        let view = self.part_of(base).at(PRIMARY);
        let Type::View { rank, .. } = base.ty else { return Text::primary(view) };
        let parts = match &index.kind {
            ExprKind::Tuple(items) => items.clone(),
            _ => (0..rank)
                .map(|i| {
                    let ty = if let Type::Tuple(items) = &index.ty { items[i].clone() } else { Type::U64 };
                    Expr { kind: ExprKind::Field(index.clone().into(), i.to_string()), ty }
                })
                .collect(),
        };
        let extents = extent_names(rank);
        let mut subscripts = Vec::new();
        for (part, extent) in parts.iter().zip(extents) {
            subscripts.push(self.checked(part, &format!("{view}.{extent}"), at, proof));
        }
        let strides: &[&str] = if rank == 2 { &["stride"] } else { &["plane_stride", "stride"] };
        let mut terms = Vec::new();
        for (i, subscript) in subscripts.into_iter().enumerate() {
            terms.push(match strides.get(i) {
                Some(stride) => format!("{} * {view}.{stride}", subscript.at(UNARY)),
                None => subscript.at(UNARY),
            });
        }
        Text::primary(format!("{view}.ptr[{}]", terms.join(" + ")))
    }

    /// An index, compared with its extent where checks are on and nothing proves it.
    fn checked(&mut self, index: &Expr, extent: &str, at: Location, proof: Proof) -> Text {
        if !self.is_checked(proof) {
            return self.expr(index);
        }
        self.need(&prelude::CHECKS);
        let (site, index) = (self.site(SiteKind::Bounds, at), self.argument(index));
        Text::primary(format!("ws_at({index}, {extent}, {site}, ws_fault)"))
    }

    /// An element or row of a shared array that is a parameter, or a part of one; `None` for any other place.
    pub(super) fn parameter_index(
        &mut self,
        base: &Expr,
        index: &Expr,
        at: Location,
        proof: Proof,
    ) -> Option<Text> {
        let mut indices = vec![(index, at, proof)];
        let mut root = base;
        while let ExprKind::Index { base, index, at, proof } = &root.kind {
            indices.push((index, *at, *proof));
            root = base;
        }
        let ExprKind::Deref(pointer) = &root.kind else { return None };
        let Type::Shared { rank, .. } = root.ty else { return None };
        let name = self.expr(pointer).at(PRIMARY);
        if rank < 2 {
            let subscript = self.checked(index, &format!("{name}_len"), at, proof).at(ASSIGNMENT);
            return Some(Text::primary(format!("{name}[{subscript}]")));
        }
        let extents = extent_names(rank);
        let mut offset = String::new();
        for (depth, (index, at, proof)) in indices.iter().rev().enumerate() {
            let subscript = self.checked(index, &format!("{name}_{}", extents[depth]), *at, *proof).at(UNARY);
            offset = if depth == 0 {
                subscript
            } else {
                let sum = if depth > 1 { format!("({offset})") } else { offset };
                format!("{sum} * {name}_{} + {subscript}", extents[depth])
            };
        }
        let rest: Vec<String> =
            extents[indices.len()..].iter().map(|extent| format!("{name}_{extent}")).collect();
        Some(if rest.is_empty() {
            Text::primary(format!("{name}[{offset}]"))
        } else {
            Text::primary(format!("({name} + ({offset}) * {})", rest.join(" * ")))
        })
    }

    /// `T name[n][m]`
    pub(super) fn declarator(&mut self, ty: &Type, name: &str) -> String {
        self.spelled_declarator(ty, &[], name)
    }

    /// `T name[N][M]`; extents that are not given are printed as numbers.
    pub(super) fn spelled_declarator(&mut self, ty: &Type, spelled: &[Extent], name: &str) -> String {
        let (mut elem, mut extents, mut spelled) = (ty.clone(), String::new(), spelled.iter());
        while let Type::Array(inner, n) = elem {
            let extent = spelled.next().cloned().unwrap_or(Extent::from(n));
            extents.push_str(&format!("[{}]", self.extent(&extent)));
            elem = (*inner).clone();
        }
        format!("{} {name}{extents}", self.part_ty(&elem))
    }
}
