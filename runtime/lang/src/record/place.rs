//! Places: what denotes memory, and the moment at which its address is evaluated.
//!
//! Operands come in as the emitter holds them. Places whose address cannot change any more, or values, go out. A place is
//! read, borrowed or written only later, perhaps after statements that change its indices, pointers and slices:
//! [`Recorder::pin`] evaluates these now, and [`Recorder::keep_place`] at an earlier position. No other module decides
//! whether an operand may change.

use super::{Callee, Mark, RecordError, Recorder, fold};
use crate::ir::{Effect, Expr, ExprKind, Proof, Type};

/// When something is evaluated.
pub(super) enum Moment<'m> {
    /// After what has been recorded so far.
    Now,
    /// At an earlier position of the open block.
    At(&'m mut Mark),
}

impl Recorder {
    /// A place whose address is evaluated now: its indices, pointers and slices are what they are here.
    ///
    /// A value that is no place gets memory.
    pub fn pin(&mut self, place: Expr) -> Expr {
        self.pin_at(place, &mut Moment::Now)
    }

    /// [`Recorder::pin`] at a moment.
    pub(super) fn pin_at(&mut self, place: Expr, moment: &mut Moment<'_>) -> Expr {
        if is_copied(&place) {
            return self.hold(place, moment);
        }
        let ty = place.ty.clone();
        match place.kind {
            ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Table { .. } => place,
            ExprKind::Field(base, name) => {
                Expr { kind: ExprKind::Field(self.pin_at(*base, moment).into(), name), ty }
            }
            ExprKind::Index { base, index, at, proof } => {
                let base = self.pin_base(*base, moment);
                let index = self.hold(*index, moment);
                Expr { kind: ExprKind::Index { base: base.into(), index: index.into(), at, proof }, ty }
            }
            ExprKind::Deref(pointer) => {
                Expr { kind: ExprKind::Deref(self.hold(*pointer, moment).into()), ty }
            }
            ExprKind::Ref(inner) => Expr { kind: ExprKind::Ref(self.pin_at(*inner, moment).into()), ty },
            kind => self.hold(Expr { kind, ty }, moment),
        }
    }

    /// The base of an index, a part, a walk or a method: memory is pinned, and descriptors of memory are copied.
    pub(super) fn pin_base(&mut self, base: Expr, moment: &mut Moment<'_>) -> Expr {
        if describes_memory(&base.ty) { self.hold(base, moment) } else { self.pin_at(base, moment) }
    }

    /// The value at a moment: a temporary, unless nothing can change it.
    pub(super) fn hold(&mut self, value: Expr, moment: &mut Moment<'_>) -> Expr {
        if self.is_stable(&value) {
            return value;
        }
        match moment {
            Moment::Now => self.bind(value),
            Moment::At(mark) => self.bind_at(value, mark),
        }
    }

    /// Returns whether nothing that happens later can change what the expression computes.
    pub(super) fn is_stable(&mut self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Const(_) | ExprKind::Unit | ExprKind::Closure(_) | ExprKind::Table { .. } => true,
            ExprKind::Var(id) => {
                let frame = self.frame();
                let var = &frame.vars[id.0 as usize];
                !var.mutable || matches!(var.ty, Type::Shared { .. }) || frame.settled.contains(id)
            }
            ExprKind::Ref(place) => self.is_stable_place(place),
            ExprKind::Len(of) => matches!(of.ty, Type::Array(..)) || self.is_stable(of),
            ExprKind::Field(a, _) => self.is_stable(a),
            // An element of an array that is a value.
            ExprKind::Index { base, index, .. } if matches!(base.ty, Type::Array(..) | Type::Vector(..)) => {
                self.is_stable(base) && self.is_stable(index)
            }
            ExprKind::Builtin { op, args, .. } => {
                op.effect == Effect::Pure && args.iter().all(|a| self.is_stable(a))
            }
            _ => value.is_operator() && value.all_operands(|operand| self.is_stable(operand)),
        }
    }

    /// Returns whether the address of a place cannot change.
    pub(super) fn is_stable_place(&mut self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Table { .. } => true,
            ExprKind::Field(base, _) => self.is_stable_place(base),
            ExprKind::Deref(base) => self.is_stable(base),
            ExprKind::Index { base, index, .. } => {
                let base = if describes_memory(&base.ty) {
                    self.is_stable(base)
                } else {
                    self.is_stable_place(base)
                };
                base && self.is_stable(index)
            }
            _ => self.is_stable(place),
        }
    }

    /// `base[index]`, a place unless the base is a value.
    pub fn index(&mut self, base: Expr, index: Expr) -> Expr {
        if is_copied(&base) && !index.has_effect() {
            return read_of(self.index(uncopied(base), index));
        }
        let at = self.location();
        let base = self.place_base(base);
        // A component is read by the vector's address.
        let is_value = matches!(base.ty, Type::Vector(..)) && !is_place(&base);
        let base = if is_value { self.bind_always(base) } else { base };
        let index = self.value(index);
        // A place is printed once for each use, so neither its base nor its index has an effect.
        let effects = [&base, &index].map(|operand| operand.has_effect());
        let base = if effects != [false; 2] { self.pin_base(base, &mut Moment::Now) } else { base };
        let index = if effects[1] { self.bind(index) } else { index };
        if let Some(item) = fold::table_item(&base, &index) {
            return item;
        }
        let matrix = matches!(&base.ty, Type::View { rank, .. } if *rank > 1);
        let fits = match &operand_rank(&index.ty) {
            1 => !matrix,
            n => matches!(&base.ty, Type::View { rank, .. } if rank == n),
        };
        let Some(ty) = base.ty.element().filter(|_| fits) else {
            if base.ty != Type::Never {
                self.fail(RecordError::Index { base: base.ty.to_string(), at });
            }
            return Expr::never();
        };
        Expr { kind: ExprKind::Index { base: base.into(), index: index.into(), at, proof: Proof::Open }, ty }
    }

    /// The base of an index or a field: references to arrays, views and structs are looked through.
    pub(super) fn place_base(&mut self, base: Expr) -> Expr {
        let base = if needs_name(&base) { self.bind_always(base) } else { base };
        match &base.ty {
            Type::Ref { to, .. } if !matches!(**to, Type::Slice(_)) => {
                let ty = (**to).clone();
                let place = deref_expr(base, ty);
                self.place_base(place)
            }
            _ => base,
        }
    }

    /// `base.name`, a place unless the base is a value.
    pub fn field(&mut self, base: Expr, name: &str) -> Expr {
        if is_copied(&base) {
            return read_of(self.field(uncopied(base), name));
        }
        let base = self.place_base(base);
        let ty = match &base.ty {
            Type::Struct(s) => s.fields.iter().find(|f| f.name == name).map(|f| f.ty.clone()),
            Type::Tuple(items) => name.parse::<usize>().ok().and_then(|i| items.get(i).cloned()),
            Type::View { elem, mutable, rank } => match name {
                "ptr" => Some(Type::Ptr { to: elem.clone(), mutable: *mutable }),
                "len" if *rank == 1 => Some(Type::U64),
                "rows" | "cols" | "stride" if *rank > 1 => Some(Type::U64),
                "planes" | "plane_stride" if *rank > 2 => Some(Type::U64),
                _ => None,
            },
            Type::Vector(s, n) => {
                "xyzw".find(name).filter(|i| i < n && name.len() == 1).map(|_| Type::Scalar(*s))
            }
            _ => None,
        };
        // A field of a literal is that operand.
        if let ExprKind::Tuple(items) = &base.kind
            && let Some(item) = name.parse::<usize>().ok().and_then(|i| items.get(i))
            && items.iter().all(|e| !e.has_effect())
        {
            let item = item.clone();
            return if self.is_stable(&item) { item } else { read_of(item) };
        }
        if let ExprKind::Struct(def, items) = &base.kind
            && let Some(position) = def.fields.iter().position(|f| f.name == name)
            && (items.iter().all(fold::is_literal) || self.is_range_of_names(&base.ty, items))
            && let Some(item) = items.get(position)
        {
            return item.clone();
        }
        let Some(ty) = ty else {
            if base.ty != Type::Never {
                let at = self.location();
                self.fail(RecordError::Field { base: base.ty.to_string(), field: name.to_owned(), at });
            }
            return Expr::never();
        };
        Expr { kind: ExprKind::Field(base.into(), name.to_owned()), ty }
    }

    /// The result of an expression that is no place in Rust, where a place is written or borrowed to be written:
    /// memory of its own, or what the reference that it gives refers to.
    pub fn temporary(&mut self, value: Expr) -> Expr {
        if describes_memory(&value.ty) { self.bind(value) } else { self.bind_mutable(value) }
    }

    /// `&place`, `&mut place`; a value that is no place gets one.
    pub fn ref_(&mut self, mutable: bool, place: Expr) -> Expr {
        // A closure parameter is a reference in CUDA, and nothing has no address.
        if matches!(place.ty, Type::Closure | Type::Unit) {
            return place;
        }
        let ty = Type::reference(place.ty.clone(), mutable);
        if let (Type::Ref { to, .. }, Type::Ref { to: whole, .. }) = (&ty, &place.ty)
            && to == whole
        {
            let shared = matches!(**to, Type::Shared { .. });
            return if ty == place.ty || shared {
                place
            } else {
                self.sub_slice(false, place, None, None, false)
            };
        }
        let place = if is_place(&place) { place } else { self.bind_mutable(place) };
        if let ExprKind::Deref(inner) = place.kind {
            return Expr { kind: inner.kind, ty };
        }
        Expr { kind: ExprKind::Ref(place.into()), ty }
    }

    /// `&value`, `&mut value` of what Rust computes: a temporary of its own.
    pub fn ref_value(&mut self, mutable: bool, value: Expr) -> Expr {
        let unsized_ = value.ty.is_described() || matches!(value.ty, Type::Never | Type::Unit);
        let place = if unsized_ { value } else { self.bind_mutable(value) };
        self.ref_(mutable, place)
    }

    /// A value that Rust computes and of which a part is used. It is no place, even if it was read from one that can
    /// change.
    pub fn base_value(&mut self, value: Expr) -> Expr {
        if self.is_stable(&value) { value } else { copied(value) }
    }

    /// A value that Rust computes where a place may be used: never the variable that it was read from.
    pub fn rvalue(&mut self, value: Expr) -> Expr {
        let read = is_place(&value) && !matches!(value.ty, Type::Ref { .. } | Type::Shared { .. });
        if read && !self.is_stable(&value) { self.bind_mutable(value) } else { value }
    }

    /// `*reference`, a place.
    pub fn deref(&mut self, reference: Expr) -> Expr {
        match &reference.ty {
            Type::Ref { to, .. } | Type::Ptr { to, .. } if !to.is_described() => {
                let ty = (**to).clone();
                deref_expr(reference, ty)
            }
            // The memory behind a slice or an image has no value: its reference stands for it.
            _ => reference,
        }
    }

    /// `&*reference`, `&mut *reference`: the reference itself.
    pub fn reborrow(&mut self, mutable: bool, reference: Expr) -> Expr {
        match reference.ty {
            Type::Ref { mutable: true, .. } if !mutable => self.lent(reference),
            Type::Ref { .. } | Type::Unit => reference,
            _ => {
                let place = self.deref(reference);
                self.ref_(mutable, place)
            }
        }
    }

    /// `base[index]` where the type of `base` may overload indexing.
    pub fn index_operator(&mut self, callee: Option<Callee>, base: Expr, index: Expr) -> Expr {
        match callee {
            Some(callee @ Callee::Device(_)) => {
                let index = self.wide_index(index);
                let pointer = self.call(Some(callee), vec![base, index], Type::Unit);
                self.deref(pointer)
            }
            _ => self.index(base, index),
        }
    }

    /// An index as an overloaded operator takes it: `usize`, or a tuple of them.
    fn wide_index(&mut self, index: Expr) -> Expr {
        let index = self.value(index);
        match index.kind {
            ExprKind::Tuple(items) => {
                let items = items.into_iter().map(|item| self.wide_index(item)).collect();
                self.tuple(items)
            }
            _ => self.cast(index, Type::U64),
        }
    }
}

/// Returns whether a base is printed by a name of its own: a part of a slice, or a reference to a shared array inside a value.
fn needs_name(base: &Expr) -> bool {
    let of_shared = matches!(&base.ty, Type::Ref { to, .. } if matches!(**to, Type::Shared { .. }));
    matches!(base.kind, ExprKind::SubSlice { .. })
        || of_shared && !matches!(base.kind, ExprKind::Var(_) | ExprKind::Ref(_))
}

/// Number of indices that an index is.
fn operand_rank(ty: &Type) -> usize {
    if let Type::Tuple(items) = ty { items.len() } else { 1 }
}

/// `*reference` as a place; `*&place` is the place.
pub(super) fn deref_expr(reference: Expr, ty: Type) -> Expr {
    match reference.kind {
        ExprKind::Ref(place) => *place,
        _ => Expr { kind: ExprKind::Deref(reference.into()), ty },
    }
}

/// A copy of what a place holds now, as `STATIC.get()` and `.clone()` give it: a value, whose parts are values too. It
/// is `*&place`, which nothing else is.
pub(super) fn copied(place: Expr) -> Expr {
    if has_parts(&place.ty) { read_of(place) } else { place }
}

/// [`copied`], of a number too.
fn read_of(place: Expr) -> Expr {
    if !is_place(&place) || !(has_parts(&place.ty) || matches!(place.ty, Type::Scalar(_))) {
        return place;
    }
    let ty = place.ty.clone();
    let reference = Expr { ty: Type::reference(ty.clone(), false), kind: ExprKind::Ref(place.into()) };
    Expr { kind: ExprKind::Deref(reference.into()), ty }
}

fn is_copied(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Deref(of) if matches!(of.kind, ExprKind::Ref(_)))
}

/// The operand of a copy that happens at once.
pub(super) fn uncopied(value: Expr) -> Expr {
    match value.kind {
        ExprKind::Deref(of) if matches!(of.kind, ExprKind::Ref(_)) => deref_expr(*of, value.ty),
        _ => value,
    }
}

/// Returns whether something else than the whole of a value may be referred to.
fn has_parts(ty: &Type) -> bool {
    matches!(ty, Type::Array(..) | Type::Struct(_) | Type::Tuple(_) | Type::Enum(_) | Type::Vector(..))
}

/// Returns whether an expression denotes memory rather than a value.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        _ if is_copied(expr) => false,
        ExprKind::Var(_) | ExprKind::Deref(_) | ExprKind::Global(_) | ExprKind::Table { .. } => true,
        ExprKind::Index { base, .. } => {
            !matches!(base.ty, Type::Array(..) | Type::Vector(..)) || is_place(base)
        }
        ExprKind::Field(base, _) => is_place(base),
        _ => false,
    }
}

/// Returns whether a value is a reference, a pointer or a view: indexing it reads where its elements are.
fn describes_memory(ty: &Type) -> bool {
    matches!(ty, Type::Ref { .. } | Type::View { .. } | Type::Ptr { .. } | Type::Slice(_))
}
