//! Operators, casts, places and literals.

use super::{Callee, RecordError, Recorder, fold};
use crate::ir::{BinaryOp, Const, Expr, ExprKind, Proof, Scalar, StmtKind, StructRef, Type, UnaryOp};
use crate::types::Constant;

impl Recorder {
    /// An integer or float literal of a witnessed type; `text` is Rust's, without a suffix.
    pub fn literal(&mut self, text: &str, ty: Type) -> Expr {
        match fold::parse_literal(text, &ty) {
            Some(value) => Expr { kind: ExprKind::Const(Const { value, name: None }), ty },
            None => {
                let at = self.location();
                self.fail(RecordError::Internal { what: "a literal without a scalar type", at });
                Expr { kind: ExprKind::Unit, ty }
            }
        }
    }

    /// A literal beside an operand, of the type of the operand's scalars.
    pub fn literal_like(&mut self, text: &str, operand: &Expr) -> Expr {
        let scalar = components(operand.ty.peeled()).unwrap_or(Scalar::I32);
        self.literal(text, Type::Scalar(scalar))
    }

    /// A literal to the right of an operand: of the type that an overloaded operator takes there, or as
    /// [`Recorder::literal_like`].
    pub fn literal_for(&mut self, callee: Option<Callee>, text: &str, operand: &Expr) -> Expr {
        if let Some(Callee::Device(device)) = callee
            && let Some(scalar) = self.parameter(&device, 1).and_then(|ty| ty.peeled().scalar())
        {
            return self.literal(text, Type::Scalar(scalar));
        }
        self.literal_like(text, operand)
    }

    /// A value that rustc or the host knows.
    pub fn constant<T: Constant>(&mut self, value: &T, name: Option<&'static str>) -> Expr {
        value.to_expr(name)
    }

    /// Reads through references: an operand of type `&T` stands for the `T`.
    pub(super) fn value(&mut self, operand: Expr) -> Expr {
        match &operand.ty {
            Type::Ref { to, .. } if !to.is_described() => {
                let ty = (**to).clone();
                let read = deref_expr(operand, ty);
                self.value(read)
            }
            _ => operand,
        }
    }

    /// `-a`, `!a`
    pub fn unary(&mut self, op: UnaryOp, operand: Expr) -> Expr {
        let operand = self.value(operand);
        if let Some(folded) = fold::unary(op, &operand) {
            return folded;
        }
        if let (UnaryOp::Not, ExprKind::Unary(UnaryOp::Not, inner)) = (op, &operand.kind) {
            return (**inner).clone();
        }
        let supported = match (op, components(&operand.ty)) {
            (UnaryOp::Neg, Some(s)) => s.is_float() || s.is_signed(),
            (UnaryOp::Not, Some(s)) => !s.is_float(),
            (_, None) => false,
        };
        if !supported && operand.ty != Type::Never {
            let operator = if op == UnaryOp::Neg { "-" } else { "!" };
            self.unsupported_operator(operator, &operand);
        }
        let ty = operand.ty.clone();
        Expr { kind: ExprKind::Unary(op, operand.into()), ty }
    }

    /// `a op b` for every operator but `&&` and `||`.
    pub fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let mut operands = [self.value(left), self.value(right)];
        self.sequence(&mut operands);
        let [left, right] = operands;
        match fold::binary(op, &left, &right) {
            fold::Folded::Value(value) => return value,
            fold::Folded::Overflow => {
                let at = self.location();
                let expression = fold::describe(op, &left, &right);
                self.fail(RecordError::ConstantOverflow { expression, at });
            }
            fold::Folded::No => {}
        }
        if let Some(parts) = self.compare_parts(op, &left, &right) {
            return parts;
        }
        let diverges = left.ty == Type::Never || right.ty == Type::Never;
        if let Some(operand) = [&left, &right].into_iter().find(|e| !has_operator(op, &e.ty))
            && !diverges
        {
            let operand = operand.clone();
            self.unsupported_operator(op.symbol(), &operand);
        }
        let vector = [&left, &right].into_iter().find(|e| matches!(e.ty, Type::Vector(..)));
        let ty =
            if op.is_comparison() { Type::BOOL } else { vector.map_or(left.ty.clone(), |v| v.ty.clone()) };
        Expr { kind: ExprKind::Binary(op, left.into(), right.into()), ty }
    }

    /// `a op b` where the type of `a` may overload the operator: `callee` is what it resolves to.
    pub fn operator(&mut self, callee: Option<Callee>, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        match callee {
            Some(callee @ Callee::Device(_)) => {
                let result = self.call(Some(callee), vec![left, right], Type::BOOL);
                if op == BinaryOp::Ne { self.unary(UnaryOp::Not, result) } else { result }
            }
            Some(Callee::Equality(equality)) => self.compare_by(op, &equality, left, right),
            _ => self.binary(op, left, right),
        }
    }

    /// `place op= value` where the type of the place may overload the operator.
    pub fn assign_operator(
        &mut self,
        callee: Option<Callee>,
        op: BinaryOp,
        place: Expr,
        value: Expr,
    ) -> Expr {
        match callee {
            Some(callee @ Callee::Device(_)) => {
                let place = self.ref_(true, place);
                self.call(Some(callee), vec![place, value], Type::Unit)
            }
            _ => self.assign_op(op, place, value),
        }
    }

    /// `-a` or `!a` where the type of `a` may overload the operator.
    pub fn unary_operator(&mut self, callee: Option<Callee>, op: UnaryOp, operand: Expr) -> Expr {
        match callee {
            Some(callee @ Callee::Device(_)) => self.call(Some(callee), vec![operand], Type::Unit),
            _ => self.unary(op, operand),
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

    fn unsupported_operator(&mut self, operator: &'static str, operand: &Expr) {
        let at = self.location();
        self.fail(RecordError::Operator { operator, operand: operand.ty.to_string(), at });
    }

    /// `a as T`
    pub fn cast(&mut self, operand: Expr, to: Type) -> Expr {
        let operand = if matches!(to, Type::Ptr { .. }) { operand } else { self.value(operand) };
        if operand.ty == to || operand.ty == Type::Never {
            return operand;
        }
        if is_address_cast(&operand.ty, &to) {
            return Expr { kind: ExprKind::Cast(operand.into()), ty: to };
        }
        let (Some(from), Some(target)) = (cast_source(&operand.ty), to.scalar()) else {
            let at = self.location();
            self.fail(RecordError::Cast { from: operand.ty.to_string(), to: to.to_string(), at });
            return Expr { kind: ExprKind::Unit, ty: to };
        };
        if let Some(value) = operand.as_const().map(|value| fold::cast(value, from, target)) {
            return Expr { kind: ExprKind::Const(Const { value, name: None }), ty: to };
        }
        Expr { kind: ExprKind::Cast(operand.into()), ty: to }
    }

    /// `base[index]`, a place.
    pub fn index(&mut self, base: Expr, index: Expr) -> Expr {
        let at = self.location();
        let base = self.place_base(base);
        let index = self.value(index);
        // A place is printed once for each use, so its index has no effect.
        let index = if index.has_effect() { self.bind(index) } else { index };
        // So is a base that is computed: a call that gives a view.
        let base = if base.has_effect() { self.bind(base) } else { base };
        let mut operands = [base, index];
        self.sequence(&mut operands);
        let [base, index] = operands;
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

    /// What is indexed or has a field: references to arrays, views and structs are looked through.
    pub(super) fn place_base(&mut self, base: Expr) -> Expr {
        let base = if matches!(base.kind, ExprKind::SubSlice { .. }) { self.bind_always(base) } else { base };
        match &base.ty {
            Type::Ref { to, .. } if !matches!(**to, Type::Slice(_)) => {
                let ty = (**to).clone();
                let place = deref_expr(base, ty);
                self.place_base(place)
            }
            _ => base,
        }
    }

    /// `base.name`, a place.
    pub fn field(&mut self, base: Expr, name: &str) -> Expr {
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
            return item.clone();
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

    /// `&place`, `&mut place`; a value that is no place gets one.
    pub fn ref_(&mut self, mutable: bool, place: Expr) -> Expr {
        if place.ty == Type::Closure {
            return place; // a closure parameter is a reference in CUDA
        }
        let place = if is_place(&place) { place } else { self.bind_mutable(place) };
        let ty = Type::Ref { to: place.ty.clone().into(), mutable };
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

    /// What Rust computes, where a place may be asked for: never the variable that it was read from.
    pub fn rvalue(&mut self, value: Expr) -> Expr {
        let read = is_place(&value) && !matches!(value.ty, Type::Ref { .. } | Type::Shared { .. });
        if read && !self.is_stable(&value) { self.bind_mutable(value) } else { value }
    }

    /// `*reference`, a place.
    pub fn deref(&mut self, reference: Expr) -> Expr {
        match &reference.ty {
            Type::Ref { to, .. } | Type::Ptr { to, .. } => {
                let ty = (**to).clone();
                deref_expr(reference, ty)
            }
            // A slice, or a name of a pattern that stands for its place.
            _ => reference,
        }
    }

    /// `place = value`
    pub fn assign(&mut self, place: Expr, value: Expr) -> Expr {
        let value = self.coerce(value, &place.ty.clone());
        self.assign_with(place, None, value)
    }

    /// `(a, b) = value`: the parts of the value are read before the first place is written.
    pub fn assign_parts(&mut self, places: Vec<Option<Expr>>, value: Expr) -> Expr {
        let mut parts = Vec::new();
        if let ExprKind::Tuple(items) = value.kind {
            for (item, place) in items.into_iter().zip(&places) {
                parts.push(if place.is_some() { self.bind(item) } else { item });
            }
        } else {
            let value = self.bind_parts(value);
            parts = (0..places.len()).map(|i| self.field(value.clone(), &i.to_string())).collect();
        }
        for (part, place) in parts.into_iter().zip(places) {
            match place {
                Some(place) => self.assign(place, part),
                None => {
                    self.statement(part);
                    Expr::unit()
                }
            };
        }
        Expr::unit()
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

    /// A value where `ty` is expected: names that stand for places become references and back.
    pub(super) fn coerce(&mut self, value: Expr, ty: &Type) -> Expr {
        match (ty, &value.ty) {
            (Type::Ref { .. } | Type::Never | Type::Unit, Type::Ref { .. } | Type::Never | Type::Unit) => {
                value
            }
            (Type::Ref { mutable, .. }, other) if other != ty => self.ref_(*mutable, value),
            (other, Type::Ref { .. }) if !matches!(other, Type::Ref { .. }) => self.value(value),
            _ => value,
        }
    }

    /// `place op= value`
    pub fn assign_op(&mut self, op: BinaryOp, place: Expr, value: Expr) -> Expr {
        let value = self.value(value);
        if !has_operator(op, &place.ty) && place.ty != Type::Never {
            self.unsupported_operator(op.symbol(), &place);
        }
        self.assign_with(place, Some(op), value)
    }

    fn assign_with(&mut self, place: Expr, op: Option<BinaryOp>, value: Expr) -> Expr {
        self.frame().fresh = None;
        if matches!(value.ty, Type::Never | Type::Unit) {
            self.statement(value);
            return Expr::unit();
        }
        self.note_write(&place);
        let value = if place.has_effect() { self.bind(value) } else { value };
        self.push(StmtKind::Assign { place, op, value });
        Expr::unit()
    }

    /// `(a, b)`
    pub fn tuple(&mut self, mut items: Vec<Expr>) -> Expr {
        self.sequence(&mut items);
        let ty = Type::Tuple(items.iter().map(|e| e.ty.clone()).collect::<Vec<_>>().into());
        Expr { kind: ExprKind::Tuple(items), ty }
    }

    /// `[a, b, c]` of a witnessed type.
    pub fn array_list(&mut self, mut items: Vec<Expr>, ty: Type) -> Expr {
        self.sequence(&mut items);
        Expr { kind: ExprKind::ArrayList(items), ty }
    }

    /// `[a; N]` of a witnessed type.
    pub fn array_repeat(&mut self, item: Expr, ty: Type) -> Expr {
        let item = if item.has_effect() { self.bind(item) } else { item };
        let n = if let Type::Array(_, n) = &ty { *n } else { 0 };
        Expr { kind: ExprKind::ArrayRepeat(item.into(), n), ty }
    }

    /// `S { name: value, … }`, fields in the order they were written.
    pub fn struct_(&mut self, ty: Type, fields: Vec<(&'static str, Expr)>) -> Expr {
        let (names, mut values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
        self.sequence(&mut values);
        let Type::Struct(def) = &ty else {
            let at = self.location();
            self.fail(RecordError::Internal { what: "a struct literal of another type", at });
            return Expr::never();
        };
        let def: StructRef = def.clone();
        let mut ordered = Vec::new();
        for field in &def.fields {
            let position = names.iter().position(|n| *n == field.name);
            let value =
                position.map_or_else(Expr::never, |i| std::mem::replace(&mut values[i], Expr::unit()));
            ordered.push(self.coerce(value, &field.ty));
        }
        Expr { kind: ExprKind::Struct(def, ordered), ty }
    }

    /// `S { name: value, …, ..base }`
    pub fn struct_update(&mut self, ty: Type, mut fields: Vec<(&'static str, Expr)>, base: Expr) -> Expr {
        let base = self.bind(base);
        let names: Vec<&'static str> = match &ty {
            Type::Struct(def) => def.fields.iter().map(|field| field.name).collect(),
            Type::Vector(_, n) => ["x", "y", "z", "w"].into_iter().take(*n).collect(),
            _ => Vec::new(),
        };
        for name in names {
            if fields.iter().all(|(given, _)| *given != name) {
                let kept = self.field(base.clone(), name);
                fields.push((name, kept));
            }
        }
        self.construct(ty, "", fields)
    }
}

/// The scalar that a value has one or several of.
fn components(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Vector(s, _) => Some(*s),
        other => other.scalar(),
    }
}

/// Whether the IR has an operator for operands of a type.
fn has_operator(op: BinaryOp, ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Vector(..) => !matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge),
        Type::Enum(e) => e.is_plain() && op.is_comparison(),
        Type::Ptr { .. } => op.is_comparison(),
        _ => false,
    }
}

/// What a cast to a number reads: a scalar, or the tag of an enum without fields.
fn cast_source(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Enum(e) if e.is_plain() => Some(e.tag),
        other => other.scalar(),
    }
}

/// Whether a cast is between addresses, or from an address to an integer.
fn is_address_cast(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Ref { to: what, .. }, Type::Ptr { .. }) => !what.is_described(),
        (Type::Ptr { .. }, Type::Ptr { .. }) => true,
        (Type::Ptr { .. }, Type::Scalar(s)) => s.bits() == 64 && s.is_int(),
        _ => false,
    }
}

/// Number of indices that an index is.
fn operand_rank(ty: &Type) -> usize {
    if let Type::Tuple(items) = ty { items.len() } else { 1 }
}

/// `*reference` as a place; `*&place` is the place.
fn deref_expr(reference: Expr, ty: Type) -> Expr {
    match reference.kind {
        ExprKind::Ref(place) => *place,
        _ => Expr { kind: ExprKind::Deref(reference.into()), ty },
    }
}

/// Whether an expression denotes memory rather than a value.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Deref(_) | ExprKind::Global(_) | ExprKind::Table { .. } => true,
        ExprKind::Index { base, .. } => {
            !matches!(base.ty, Type::Array(..) | Type::Vector(..)) || is_place(base)
        }
        ExprKind::Field(base, _) => is_place(base),
        _ => false,
    }
}
