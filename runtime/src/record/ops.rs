//! Operators, casts, places and literals.

use super::{RecordError, Recorder, fold};
use crate::ir::{BinaryOp, Const, Expr, ExprKind, StmtKind, StructRef, Type, UnaryOp};
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

    /// A value that rustc or the host knows.
    pub fn constant<T: Constant>(&mut self, value: &T, name: Option<&'static str>) -> Expr {
        value.to_expr(name)
    }

    /// Reads through references: an operand of type `&T` stands for the `T`.
    pub(super) fn value(&mut self, operand: Expr) -> Expr {
        match &operand.ty {
            Type::Ref { to, .. } if !matches!(**to, Type::Slice(_) | Type::Shared { .. }) => {
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
        let supported = match (op, operand.ty.scalar()) {
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
        let diverges = left.ty == Type::Never || right.ty == Type::Never;
        if !diverges && (left.ty.scalar().is_none() || right.ty.scalar().is_none()) {
            let operand = if left.ty.scalar().is_none() { &left } else { &right };
            let operand = operand.clone();
            self.unsupported_operator(op.symbol(), &operand);
        }
        let ty = if op.is_comparison() { Type::BOOL } else { left.ty.clone() };
        Expr { kind: ExprKind::Binary(op, left.into(), right.into()), ty }
    }

    fn unsupported_operator(&mut self, operator: &'static str, operand: &Expr) {
        let at = self.location();
        self.fail(RecordError::Operator { operator, operand: operand.ty.to_string(), at });
    }

    /// `a as T`
    pub fn cast(&mut self, operand: Expr, to: Type) -> Expr {
        let operand = self.value(operand);
        if operand.ty == to || operand.ty == Type::Never {
            return operand;
        }
        let (Some(from), Some(target)) = (operand.ty.scalar(), to.scalar()) else {
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
        let mut operands = [base, index];
        self.sequence(&mut operands);
        let [base, index] = operands;
        let Some(ty) = base.ty.element() else {
            if base.ty != Type::Never {
                self.fail(RecordError::Index { base: base.ty.to_string(), at });
            }
            return Expr::never();
        };
        Expr { kind: ExprKind::Index { base: base.into(), index: index.into(), at, proven: false }, ty }
    }

    /// What is indexed or has a field: references to arrays, views and structs are looked through.
    fn place_base(&mut self, base: Expr) -> Expr {
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
            _ => None,
        };
        // A field of a literal is that operand.
        if let ExprKind::Tuple(items) = &base.kind
            && let Some(item) = name.parse::<usize>().ok().and_then(|i| items.get(i))
            && items.iter().all(|e| !e.has_effect())
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
        let place = if is_place(&place) { place } else { self.bind(place) };
        let ty = Type::Ref { to: place.ty.clone().into(), mutable };
        if let ExprKind::Deref(inner) = place.kind {
            return Expr { kind: inner.kind, ty };
        }
        Expr { kind: ExprKind::Ref(place.into()), ty }
    }

    /// `*reference`, a place.
    pub fn deref(&mut self, reference: Expr) -> Expr {
        match &reference.ty {
            Type::Ref { to, .. } => {
                let ty = (**to).clone();
                deref_expr(reference, ty)
            }
            _ => reference,
        }
    }

    /// `place = value`
    pub fn assign(&mut self, place: Expr, value: Expr) -> Expr {
        self.assign_with(place, None, value)
    }

    /// `place op= value`
    pub fn assign_op(&mut self, op: BinaryOp, place: Expr, value: Expr) -> Expr {
        let value = self.value(value);
        if place.ty.scalar().is_none() && place.ty != Type::Never {
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
        let ordered = def.fields.iter().map(|f| {
            let position = names.iter().position(|n| *n == f.name);
            position.map_or_else(Expr::never, |i| std::mem::replace(&mut values[i], Expr::unit()))
        });
        let ordered = ordered.collect();
        Expr { kind: ExprKind::Struct(def, ordered), ty }
    }
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
        ExprKind::Var(_) | ExprKind::Deref(_) => true,
        ExprKind::Index { base, .. } => !matches!(base.ty, Type::Array(..)) || is_place(base),
        ExprKind::Field(base, _) => is_place(base),
        _ => false,
    }
}
