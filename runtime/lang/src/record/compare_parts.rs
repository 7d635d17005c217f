//! Comparisons of what has parts: `==` and `!=` of tuples, arrays, `Option` and `Result`, and the order of tuples, short arrays,
//! and types whose order is that of their fields.

use super::place::is_place;
use super::{Callee, Recorder};
use crate::ir::{BinaryOp, ConstValue, EnumType, Expr, ExprKind, Type, UnaryOp};

/// Elements of arrays that are compared one by one in one expression.
const FEW: usize = 4;

/// Name of the field without bytes that tells `std::cmp::Reverse` from structs of the user's, which have no such names.
pub(crate) const REVERSE: &str = "core::cmp::Reverse";

/// The type whose order a type has in reverse, if it is a `Reverse`.
fn reversed(ty: &Type) -> Option<&Type> {
    let Type::Struct(def) = ty else { return None };
    (def.fields.last()?.name == REVERSE).then(|| &def.fields[0].ty)
}

/// Returns whether values of a type are ordered: numbers, `bool`s, and what has them in parts that order it.
pub(super) fn is_ordered(ty: &Type) -> bool {
    match ty.peeled() {
        Type::Scalar(_) | Type::Unit => true,
        Type::Tuple(items) => items.iter().all(is_ordered),
        Type::Array(elem, n) => (1..=FEW).contains(n) && is_ordered(elem),
        Type::Struct(def) if def.by_fields => def.fields.iter().all(|field| is_ordered(&field.ty)),
        Type::Enum(def) => {
            def.by_tags && def.variants.iter().flat_map(|v| &v.fields).all(|(_, ty)| is_ordered(ty))
        }
        other => reversed(other).is_some_and(is_ordered),
    }
}

/// Returns whether a type is ordered by parts: those of it that differ first, where it has any.
fn has_parts(ty: &Type) -> bool {
    match ty {
        Type::Tuple(_) | Type::Array(..) | Type::Unit => true,
        Type::Struct(def) => def.by_fields || reversed(ty).is_some(),
        Type::Enum(def) => !def.is_plain(),
        _ => false,
    }
}

/// Returns whether a type is a reference to a slice whose elements are ordered.
fn is_ordered_slice(ty: &Type) -> bool {
    matches!(ty.peeled(), Type::Slice(element) if is_ordered(element))
}

/// Number of items of a tuple, fields of a struct or elements of an array.
fn parts_of(ty: &Type) -> usize {
    match ty {
        Type::Tuple(items) => items.len(),
        Type::Array(_, n) => *n,
        Type::Struct(def) if def.by_fields => def.fields.len(),
        other => usize::from(reversed(other).is_some()),
    }
}

/// Whether a comparison holds between what has no part that differs.
fn holds_of_equals(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge)
}

/// The order of parts that are not the last ones.
fn strict(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Le => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Gt,
        op => op,
    }
}

/// How a value with parts compares: by what the `==` of each of them resolves to.
#[derive(Clone)]
pub enum Equality {
    /// The elements of an array, all alike.
    Elements(Box<Callee>),
    /// The elements of slices, of which there are as many as there are.
    Slices(Box<Callee>),
    /// The items of a tuple.
    Items(Vec<Callee>),
    /// The fields of each variant of an enum.
    Variants(Vec<Vec<Callee>>),
}

impl Recorder {
    /// `==` and `!=` by parts.
    pub(super) fn compare_by(&mut self, op: BinaryOp, equality: &Equality, left: Expr, right: Expr) -> Expr {
        if let Equality::Slices(element) = equality {
            return self.compare_slices(op, element, left, right);
        }
        let [left, right] = self.both_values(left, right);
        match equality {
            Equality::Slices(_) => Expr::never(),
            Equality::Variants(variants) => self.compare_variants(op, variants, left, right),
            Equality::Elements(callee) => {
                let n = if let Type::Array(_, n) = &left.ty { *n } else { 0 };
                let callees = vec![(**callee).clone(); n];
                self.compare_with(op, &callees, &left, &right)
            }
            Equality::Items(callees) => self.compare_with(op, callees, &left, &right),
        }
    }

    fn both_values(&mut self, left: Expr, right: Expr) -> [Expr; 2] {
        let mut operands = [self.value(left), self.value(right)];
        self.sequence(&mut operands);
        operands
    }

    /// Comparisons of tuples and arrays whose parts nothing overloads.
    pub(super) fn compare_parts(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
        match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if is_ordered_slice(&left.ty) => {
                Some(self.order_slices(op, left.clone(), right.clone()))
            }
            _ if !has_parts(&left.ty) => None,
            BinaryOp::Eq | BinaryOp::Ne => match &left.ty {
                Type::Tuple(_) | Type::Array(..) => {
                    Some(self.compare_with(op, &vec![Callee::Native; parts_of(&left.ty)], left, right))
                }
                other if reversed(other).is_some() => {
                    Some(self.compare_with(op, &[Callee::Native], left, right))
                }
                _ => None,
            },
            _ if op.is_comparison() && is_ordered(&left.ty) => Some(self.order_of(op, left, right)),
            _ => None,
        }
    }

    /// `<`, `<=`, `>` and `>=` of operands that are evaluated here, once.
    fn order_of(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Expr {
        let (left, right) = (self.comparable(left.clone()), self.comparable(right.clone()));
        self.ordered(op, &left, &right)
    }

    /// A comparison of operands that may be read more than once: it is that of the first parts that differ, or of the last ones.
    pub(super) fn ordered(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Expr {
        let [left, right] = [left, right].map(|of| self.with_parts(of.clone()));
        let parts = parts_of(&left.ty);
        match left.ty.clone() {
            Type::Enum(def) if !def.is_plain() => return self.ordered_variants(op, &def, &left, &right),
            ty if parts == 0 && has_parts(&ty) => return self.bool_(holds_of_equals(op)),
            _ if parts == 0 => return self.binary(op, left, right),
            _ => {}
        }
        let pairs: Vec<[Expr; 2]> = (0..parts).map(|i| [&left, &right].map(|of| self.nth(of, i))).collect();
        if let (Some(_), Some([a, b])) = (reversed(&left.ty), pairs.first()) {
            return self.ordered(op, b, a);
        }
        self.first_that_differ(op, &pairs)
    }

    /// A comparison of pairs of parts: that of the first pair that differs, or of the last one.
    fn first_that_differ(&mut self, op: BinaryOp, pairs: &[[Expr; 2]]) -> Expr {
        if op == BinaryOp::Eq {
            let tests = pairs.iter().map(|[a, b]| self.ordered(op, a, b)).collect();
            return self.all(tests);
        }
        let mut order: Option<Expr> = None;
        for [a, b] in pairs.iter().rev() {
            order = Some(match order {
                None => self.ordered(op, a, b),
                Some(rest) => {
                    let differs = self.ordered(strict(op), a, b);
                    let same = self.ordered(BinaryOp::Eq, a, b);
                    let rest = self.all(vec![same, rest]);
                    self.any(vec![differs, rest])
                }
            });
        }
        order.unwrap_or_else(|| Expr::bool(holds_of_equals(op)))
    }

    /// A comparison of two values of an enum with fields: that of their tags, or of the fields if both are of one variant.
    fn ordered_variants(&mut self, op: BinaryOp, def: &EnumType, left: &Expr, right: &Expr) -> Expr {
        let [own, other] = [left, right].map(|of| tag_of(def, of));
        let differs = if op == BinaryOp::Eq {
            self.bool_(false)
        } else {
            self.binary(strict(op), own.clone(), other.clone())
        };
        if self.or_begin(differs) {
            let same = self.binary(BinaryOp::Eq, own, other);
            if self.and_begin(same) {
                let fields = self.ordered_fields(op, def, left, right);
                self.if_value(fields);
            }
            let alike = self.and_end();
            self.if_value(alike);
        }
        self.or_end()
    }

    /// A comparison of two values of one variant, whose fields are read only if they are of it.
    fn ordered_fields(&mut self, op: BinaryOp, def: &EnumType, left: &Expr, right: &Expr) -> Expr {
        let mut holds = self.bool_(false);
        for variant in def.variants.iter().filter(|v| !v.fields.is_empty() || holds_of_equals(op)) {
            if self.or_begin(holds) {
                let of_it = self.is_variant(left.clone(), variant.name);
                if self.and_begin(of_it) {
                    let names = variant.fields.iter().map(|(name, _)| *name);
                    let pairs = names.map(|field| {
                        [left, right].map(|of| self.part(of.clone(), Some(variant.name), field))
                    });
                    let pairs = pairs.collect::<Vec<_>>();
                    let fields = self.first_that_differ(op, &pairs);
                    self.if_value(fields);
                }
                let so = self.and_end();
                self.if_value(so);
            }
            holds = self.or_end();
        }
        holds
    }

    /// What a reference to a value with parts refers to.
    fn with_parts(&mut self, mut of: Expr) -> Expr {
        while matches!(of.ty, Type::Ref { .. }) && has_parts(of.ty.peeled()) {
            of = self.deref(of);
        }
        of
    }

    fn compare_with(&mut self, op: BinaryOp, parts: &[Callee], left: &Expr, right: &Expr) -> Expr {
        let (left, right) = (self.comparable(left.clone()), self.comparable(right.clone()));
        if matches!(left.ty, Type::Array(..)) && parts.len() > FEW {
            return self.compare_elements(op, parts, left, right);
        }
        let mut tests = Vec::new();
        for (i, callee) in parts.iter().enumerate() {
            let (a, b) = (self.nth(&left, i), self.nth(&right, i));
            tests.push(self.operator(Some(callee.clone()), op, a, b));
        }
        if op == BinaryOp::Eq { self.all(tests) } else { self.any(tests) }
    }

    /// `==` and `!=` of long arrays: a loop.
    fn compare_elements(&mut self, op: BinaryOp, parts: &[Callee], left: Expr, right: Expr) -> Expr {
        let bounds = [0, parts.len()].map(|bound| self.constant(&bound, None));
        let [start, end] = bounds;
        let elements = self.iter_range(start, end, false);
        let callee = parts.first().cloned();
        let compare = |r: &mut Self, k: Expr| {
            let (a, b) = (r.index(left, k.clone()), r.index(right, k));
            r.operator(callee, op, a, b)
        };
        if op == BinaryOp::Eq { self.iter_all(elements, compare) } else { self.iter_any(elements, compare) }
    }

    /// `==` and `!=` of an `Option` or a `Result`: of one variant, with equal fields, which are read only then.
    fn compare_variants(&mut self, op: BinaryOp, variants: &[Vec<Callee>], left: Expr, right: Expr) -> Expr {
        let (left, right) = (self.bind_parts(left), self.bind_parts(right));
        let Type::Enum(e) = left.ty.clone() else { return Expr::never() };
        let mut equal = self.bool_(false);
        for (variant, callees) in e.variants.iter().zip(variants) {
            if self.or_begin(equal) {
                let both = [&left, &right].map(|value| self.is_variant(value.clone(), variant.name));
                let both = self.all(both.into());
                if self.and_begin(both) {
                    let mut tests = Vec::new();
                    for ((field, _), callee) in variant.fields.iter().zip(callees) {
                        let [a, b] =
                            [&left, &right].map(|value| self.part(value.clone(), Some(variant.name), field));
                        tests.push(self.operator(Some(callee.clone()), BinaryOp::Eq, a, b));
                    }
                    let fields = self.all(tests);
                    self.if_value(fields);
                }
                let same = self.and_end();
                self.if_value(same);
            }
            equal = self.or_end();
        }
        if op == BinaryOp::Ne { self.unary(UnaryOp::Not, equal) } else { equal }
    }

    /// A value that is compared part by part: each part of it can be read more than once.
    fn comparable(&mut self, value: Expr) -> Expr {
        match &value.ty {
            Type::Array(..) if is_place(&value) && self.is_stable_place(&value) => value,
            Type::Array(..) => self.bind(value),
            _ => self.bind_parts(value),
        }
    }

    /// Part `i` of a tuple or an array.
    fn nth(&mut self, of: &Expr, i: usize) -> Expr {
        if let Type::Array(..) = of.ty {
            let i = self.constant(&i, None);
            return self.index(of.clone(), i);
        }
        let name = match &of.ty {
            Type::Struct(def) => def.fields.get(i).map_or("", |field| field.name).to_owned(),
            _ => i.to_string(),
        };
        self.field(of.clone(), &name)
    }
}

/// The number of the variant of a value.
fn tag_of(def: &EnumType, of: &Expr) -> Expr {
    let ty = Type::Scalar(def.tag);
    match &of.kind {
        ExprKind::Variant(_, index, _) => Expr::constant(ConstValue::Int(def.variants[*index].tag), ty),
        _ => Expr { kind: ExprKind::Field(of.clone().into(), "tag".to_owned()), ty },
    }
}
