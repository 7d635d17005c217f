//! Operators, casts, places and literals.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Callee, RecordError, Recorder, fold};
use crate::device_type::Constant;
use crate::ir::{BinaryOp, Expr, ExprKind, Extent, Scalar, StructRef, Type, UnaryOp};

impl Recorder {
    /// An integer or float literal of a witnessed type; `text` is Rust's, without a suffix.
    pub fn literal(&mut self, text: &str, ty: Type) -> Expr {
        match fold::parse_literal(text, &ty) {
            Some(value) => Expr::constant(value, ty).spelled(fold::literal_spelling(text)),
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
                let read = super::place::deref_expr(operand, ty);
                self.value(read)
            }
            _ => super::place::uncopied(operand),
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

    /// `-a` or `!a` where the type of `a` may overload the operator.
    pub fn unary_operator(&mut self, callee: Option<Callee>, op: UnaryOp, operand: Expr) -> Expr {
        match callee {
            Some(callee @ Callee::Device(_)) => self.call(Some(callee), vec![operand], Type::Unit),
            _ => self.unary(op, operand),
        }
    }

    pub(super) fn unsupported_operator(&mut self, operator: &'static str, operand: &Expr) {
        let at = self.location();
        let fields = match operand.ty.peeled() {
            Type::Enum(e) if e.is_plain() && !e.by_tags => {
                return self.fail(RecordError::OwnOrder { operand: operand.ty.peeled().to_string(), at });
            }
            Type::Struct(s) if !s.by_fields => {
                Some(s.fields.iter().map(|field| field.name.to_owned()).collect())
            }
            Type::Enum(e) if !e.by_tags => Some(Vec::new()),
            _ => None,
        };
        self.fail(RecordError::Operator { operator, operand: operand.ty.to_string(), fields, at });
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
            return fold::computed(ExprKind::Cast(operand.into()), value, to);
        }
        Expr { kind: ExprKind::Cast(operand.into()), ty: to }
    }

    /// `(a, b)`
    pub fn tuple(&mut self, items: Vec<Expr>) -> Expr {
        let mut items: Vec<Expr> = items.into_iter().map(|item| self.moved(item)).collect();
        self.sequence(&mut items);
        let ty = Type::Tuple(items.iter().map(|e| e.ty.clone()).collect::<Vec<_>>().into());
        Expr { kind: ExprKind::Tuple(items), ty }
    }

    /// `[a, b, c]` of a witnessed type.
    pub fn array_list(&mut self, mut items: Vec<Expr>, ty: Type) -> Expr {
        self.sequence(&mut items);
        if let Type::Array(elem, _) = &ty {
            items = items.into_iter().map(|item| self.coerce(item, elem)).collect();
        }
        self.refuse_units(&ty);
        Expr { kind: ExprKind::ArrayList(items), ty }
    }

    /// C++ has no arrays of nothing.
    fn refuse_units(&mut self, array: &Type) {
        if matches!(array, Type::Array(elem, _) if **elem == Type::Unit) {
            let (what, at) = ("elements of type `()`; leave the array out".to_owned(), self.location());
            self.fail(RecordError::Argument { builtin: "[…]", what, at });
        }
    }

    /// `[a; N]` of a witnessed type; `spelled` is the `N`, if it is made of constants that have names.
    pub fn array_repeat(&mut self, item: Expr, ty: Type, spelled: Option<Expr>) -> Expr {
        let item = if item.has_effect() { self.bind(item) } else { item };
        self.refuse_units(&ty);
        let len = if let Type::Array(_, n) = &ty { *n } else { 0 };
        let extent = spelled_extent(spelled, Extent::from(len));
        Expr { kind: ExprKind::ArrayRepeat(item.into(), extent), ty }
    }

    /// The recorder of constants that belong to no kernel.
    pub fn aside<T>(make: impl FnOnce(&mut Recorder) -> T) -> T {
        make(&mut Recorder::new())
    }

    /// An extent that rustc knows, spelled by constants that have names.
    pub fn array_extent(&mut self, spelled: Expr, len: usize) -> Extent {
        spelled_extent(Some(spelled), Extent::from(len))
    }

    /// An extent of a shared array, made of constants that have names.
    ///
    /// The recorder computes it, so an overflow is an error of the kernel and does not panic.
    pub fn shared_extent(&mut self, spelled: Expr) -> Extent {
        let Some(value) = spelled.as_int() else {
            // An operation that did not fold has been refused.
            return Extent::from(1);
        };
        let Ok(len) = usize::try_from(value) else {
            let (what, at) = (format!("an extent of {value}; extents are 1 or more"), self.location());
            self.fail(RecordError::Argument { builtin: "shared!", what, at });
            return Extent::from(1);
        };
        spelled_extent(Some(spelled), Extent::from(len))
    }

    /// An extent of a shared array that the host evaluates, of whatever it is made. A panic, as of a subtraction that goes
    /// below zero for some comptime argument, is an error of the kernel.
    pub fn evaluated_extent(&mut self, evaluate: impl FnOnce() -> usize) -> Extent {
        match catch_unwind(AssertUnwindSafe(evaluate)) {
            Ok(len) => Extent::from(len),
            Err(_) => {
                let what = "an extent whose evaluation panics for these comptime arguments".to_owned();
                let at = self.location();
                self.fail(RecordError::Argument { builtin: "shared!", what, at });
                Extent::from(1)
            }
        }
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
            let value = match position {
                Some(i) => std::mem::replace(&mut values[i], Expr::unit()),
                // The field that marks `std::cmp::Reverse` holds nothing, and no body names it.
                None if field.ty == Type::Unit => Expr::unit(),
                None => Expr::never(),
            };
            ordered.push(self.coerce(value, &field.ty));
        }
        Expr { kind: ExprKind::Struct(def, ordered), ty }
    }

    /// `S { name: value, …, ..base }`: the values, then the fields that are left of the base.
    pub fn struct_update(&mut self, ty: Type, mut fields: Vec<(&'static str, Expr)>, base: Expr) -> Expr {
        if base.has_effect() {
            for (_, value) in &mut fields {
                let given = std::mem::replace(value, Expr::unit());
                *value = self.bind(given);
            }
        }
        let base = self.value(base);
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

/// An extent with its spelling, where that is of the same value.
fn spelled_extent(spelled: Option<Expr>, extent: Extent) -> Extent {
    let same = |e: &Expr| e.is_spelled() && e.as_int() == Some(extent.len as i128);
    Extent { spelled: spelled.filter(same).map(Box::new), ..extent }
}

/// The scalar that a value has one or several of.
fn components(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Vector(s, _) => Some(*s),
        other => other.scalar(),
    }
}

/// Returns whether the IR has an operator for operands of a type.
pub(super) fn has_operator(op: BinaryOp, ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Vector(..) => !matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge),
        Type::Enum(e) => {
            e.is_plain() && op.is_comparison() && (e.by_tags || matches!(op, BinaryOp::Eq | BinaryOp::Ne))
        }
        Type::Ptr { .. } => op.is_comparison(),
        _ => false,
    }
}

/// The operand of a cast to a number: a scalar, or the tag of an enum without fields.
fn cast_source(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Enum(e) if e.is_plain() => Some(e.tag),
        other => other.scalar(),
    }
}

/// Returns whether a cast is between addresses, or from an address to an integer.
fn is_address_cast(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Ref { to: what, .. }, Type::Ptr { .. }) => !what.is_described(),
        (Type::Ptr { .. }, Type::Ptr { .. }) => true,
        (Type::Ptr { .. }, Type::Scalar(s)) => s.bits() == 64 && s.is_int(),
        _ => false,
    }
}
