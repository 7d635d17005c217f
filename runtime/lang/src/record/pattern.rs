//! The means of `match` and destructuring: parts that cannot change, and tests on them.

use std::sync::Arc;

use super::{RecordError, Recorder};
use crate::ir::{BinaryOp, ConstValue, Cost, EnumType, Expr, ExprKind, Type};

impl Recorder {
    /// The value with every part that a pattern may look at stable; tuples are bound part by part.
    ///
    /// A reference stays one: its parts are references to the parts of what it refers to.
    pub fn bind_parts(&mut self, value: Expr) -> Expr {
        match value.kind {
            ExprKind::Tuple(items) => {
                let items = items.into_iter().map(|item| self.bind_parts(item)).collect();
                Expr { kind: ExprKind::Tuple(items), ty: value.ty }
            }
            kind => {
                let value = Expr { kind, ty: value.ty };
                // A call is printed for each of its parts that is used, and a compiler need not see that all are the same.
                let computes = value.ty.scalar().is_none()
                    && matches!(&value.kind, ExprKind::Builtin { op, .. } if op.facts.cost != Cost::Moves);
                if computes { self.bind_always(value) } else { self.bind(value) }
            }
        }
    }

    /// The value that a pattern with `ref` looks into: a place whose address cannot change.
    pub fn bind_place(&mut self, place: Expr) -> Expr {
        if matches!(place.ty, Type::Ref { .. }) { self.bind(place) } else { self.pin(place) }
    }

    /// A field that a pattern names, of a struct, a tuple or a variant; below a reference a reference to it.
    pub fn part(&mut self, of: Expr, variant: Option<&str>, name: &str) -> Expr {
        match (&of.ty, variant) {
            (Type::Enum(e), Some(variant)) => self.payload(of.clone(), &e.clone(), variant, name),
            (Type::Ref { to, mutable }, _) if !to.is_described() => {
                let mutable = *mutable;
                let inner = self.deref(of);
                let part = self.part(inner, variant, name);
                self.part_of_referent(mutable, part)
            }
            _ => self.field(of, name),
        }
    }

    /// The field that a pattern names behind `..`, counted from the last as 1.
    pub fn part_from_end(&mut self, of: Expr, variant: Option<&str>, back: usize) -> Expr {
        let fields = match (of.ty.peeled(), variant) {
            (Type::Tuple(items), _) => items.len(),
            (Type::Struct(s), _) => s.fields.len(),
            (Type::Enum(e), Some(variant)) => e.variant(variant).map_or(0, |v| v.fields.len()),
            (Type::Never, _) => return of,
            _ => 0,
        };
        self.part(of, variant, &fields.saturating_sub(back).to_string())
    }

    /// An element that a pattern names; below a reference a reference to it.
    pub fn element_part(&mut self, of: Expr, index: &str) -> Expr {
        let position = self.literal(index, Type::U64);
        match &of.ty {
            Type::Ref { to, mutable } if !to.is_described() => {
                let mutable = *mutable;
                let inner = self.deref(of);
                let part = self.element_part(inner, index);
                self.part_of_referent(mutable, part)
            }
            _ => self.index(of, position),
        }
    }

    /// The element that a pattern names behind `..`, counted from the end of an array, the last as 1.
    pub fn element_part_from_end(&mut self, of: Expr, back: usize) -> Expr {
        match of.ty.peeled() {
            Type::Never => of,
            Type::Array(_, length) => {
                let index = length.saturating_sub(back).to_string();
                self.element_part(of, &index)
            }
            ty => {
                let (base, at) = (ty.to_string(), self.location());
                self.fail(RecordError::Field { base, field: "an element counted from its end".into(), at });
                Expr::never()
            }
        }
    }

    /// The elements from a position on, but for the last `behind`, for `name @ ..` in the pattern of an array: a copy, to which
    /// there is a reference where the array is behind one that may not write it.
    pub fn rest_part(&mut self, of: Expr, from: usize, behind: usize) -> Expr {
        let (elem, length) = match of.ty.peeled() {
            Type::Array(elem, length) => (elem.clone(), *length),
            _ => return Expr::never(),
        };
        let count = length.saturating_sub(from + behind);
        if matches!(of.ty, Type::Ref { mutable: true, .. }) {
            return self.rest_to_write(of, from, Type::Array(elem, count));
        }
        let items: Vec<Expr> = (from..from + count)
            .map(|i| {
                let element = self.element_part(of.clone(), &i.to_string());
                self.value(element)
            })
            .collect();
        let rest = self.array_list(items, Type::Array(elem, count));
        match of.ty {
            Type::Ref { .. } => self.ref_value(false, rest),
            _ => rest,
        }
    }

    /// The rest of an array that is borrowed to be written: the address of its first element.
    fn rest_to_write(&mut self, of: Expr, from: usize, rest: Type) -> Expr {
        if let Type::Array(_, 0) = rest {
            let what = "no elements; write `..`".to_owned();
            let at = self.location();
            self.fail(RecordError::Argument { builtin: "name @ ..", what, at });
            return Expr::never();
        }
        let first = self.element_part(of, &from.to_string());
        Expr { kind: ExprKind::Cast(first.into()), ty: Type::reference(rest, true) }
    }

    fn part_of_referent(&mut self, mutable: bool, part: Expr) -> Expr {
        // Behind `&mut &S` only shared references are left.
        let lent = matches!(part.kind, ExprKind::Ref(_)) || part.ty == Type::Never;
        if lent { part } else { self.ref_(mutable, part) }
    }

    fn payload(&mut self, of: Expr, e: &EnumType, variant: &str, name: &str) -> Expr {
        // A field of a value just built is that operand.
        if let ExprKind::Variant(_, index, items) = &of.kind
            && e.variants.get(*index).is_some_and(|v| v.name == variant)
            && let Some(position) = e.variants[*index].fields.iter().position(|(n, _)| *n == name)
        {
            return items[position].clone();
        }
        let fields = e.variant(variant).map(|v| v.fields.as_slice()).unwrap_or_default();
        match fields.iter().find(|(n, _)| *n == name) {
            Some((_, ty)) => {
                Expr { ty: ty.clone(), kind: ExprKind::Field(of.into(), format!("{variant}.{name}")) }
            }
            None => {
                let at = self.location();
                self.fail(RecordError::Field {
                    base: e.name.clone(),
                    field: format!("{variant}.{name}"),
                    at,
                });
                Expr::never()
            }
        }
    }

    /// Whether a value is of a variant; always true for a struct, which has one shape.
    pub fn is_variant(&mut self, of: Expr, variant: &str) -> Expr {
        let of = self.value(of);
        let Type::Enum(e) = of.ty.clone() else { return self.bool_(true) };
        let Some(tag) = e.variant(variant).map(|v| v.tag) else {
            let at = self.location();
            self.fail(RecordError::Field { base: e.name.clone(), field: variant.to_owned(), at });
            return Expr::never();
        };
        if e.variants.len() == 1 {
            return self.bool_(true);
        }
        if let ExprKind::Variant(_, index, _) = &of.kind {
            let same = e.variants[*index].tag == tag;
            return self.bool_(same);
        }
        if e.is_plain() {
            let wanted = Expr::constant(ConstValue::Int(tag), of.ty.clone());
            return self.binary(BinaryOp::Eq, of, wanted);
        }
        let ty = Type::Scalar(e.tag);
        let found = Expr { kind: ExprKind::Field(of.into(), "tag".to_owned()), ty: ty.clone() };
        let wanted = Expr::constant(ConstValue::Int(tag), ty);
        self.binary(BinaryOp::Eq, found, wanted)
    }

    /// Whether a value is of a variant that a pattern names without fields, or is a struct without fields.
    pub fn is_unit_variant(&mut self, of: Expr, name: &str) -> Expr {
        let shape = match of.ty.peeled() {
            Type::Enum(e) => e.variant(name).is_some(),
            Type::Struct(s) => s.fields.is_empty(),
            ty => matches!(ty, Type::Unit | Type::Never),
        };
        if !shape {
            let (at, ty) = (self.location(), of.ty.peeled().to_string());
            self.fail(RecordError::Pattern { name: name.to_owned(), ty, at });
            return Expr::never();
        }
        self.is_variant(of, name)
    }

    /// Whether a value is a constant that a pattern names: as Rust matches, part by part.
    pub fn is_constant(&mut self, of: Expr, constant: Expr) -> Expr {
        match constant.kind {
            ExprKind::Variant(e, index, items) => {
                let (name, fields) = (e.variants[index].name, e.variants[index].fields.clone());
                let mut tests = vec![self.is_variant(of.clone(), name)];
                for ((field, _), item) in fields.iter().zip(items) {
                    let part = self.part(of.clone(), Some(name), field);
                    tests.push(self.is_constant(part, item));
                }
                self.all(tests)
            }
            ExprKind::Struct(def, items) => {
                let fields = def.fields.iter().map(|field| field.name.to_owned());
                self.are_constants(&of, fields.zip(items).collect())
            }
            ExprKind::Tuple(items) => {
                let fields = (0..).map(|i: usize| i.to_string());
                self.are_constants(&of, fields.zip(items).collect())
            }
            ExprKind::ArrayList(items) => {
                let mut tests = Vec::new();
                for (i, item) in items.into_iter().enumerate() {
                    let i = self.constant(&i, None);
                    let element = self.index(of.clone(), i);
                    tests.push(self.is_constant(element, item));
                }
                self.all(tests)
            }
            ExprKind::Table { value, .. } => self.is_constant(of, (*value).clone()),
            kind => self.test(BinaryOp::Eq, of, Expr { kind, ty: constant.ty }),
        }
    }

    fn are_constants(&mut self, of: &Expr, fields: Vec<(String, Expr)>) -> Expr {
        let mut tests = Vec::new();
        for (name, item) in fields {
            let part = self.part(of.clone(), None, &name);
            tests.push(self.is_constant(part, item));
        }
        self.all(tests)
    }

    /// `Name(a, b)`, `Enum::Variant { a, b }`, `Enum::Variant`, of a witnessed type.
    pub fn construct(&mut self, ty: Type, name: &str, fields: Vec<(&'static str, Expr)>) -> Expr {
        match &ty {
            Type::Enum(e) => {
                let e = e.clone();
                self.variant(e, name, fields)
            }
            // `PhantomData` is a value without bytes.
            Type::Unit => Expr::unit(),
            Type::Vector(_, n) => {
                let n = *n;
                self.vector_literal(ty, n, fields)
            }
            _ => self.struct_(ty, fields),
        }
    }

    /// `F32x2 { x: a, y: b }`
    pub(super) fn vector_literal(&mut self, ty: Type, n: usize, fields: Vec<(&'static str, Expr)>) -> Expr {
        let (names, mut values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
        self.sequence(&mut values);
        let scalar = ty.element().unwrap_or(Type::Unit);
        let mut components = Vec::new();
        for name in &["x", "y", "z", "w"][..n.min(4)] {
            let value = names.iter().position(|n| n == name).map_or_else(Expr::never, |i| values[i].clone());
            components.push(self.coerce(value, &scalar));
        }
        Expr { kind: ExprKind::Vector(components), ty }
    }

    fn variant(&mut self, e: Arc<EnumType>, name: &str, fields: Vec<(&'static str, Expr)>) -> Expr {
        let ty = Type::Enum(e.clone());
        let Some(index) = e.variants.iter().position(|v| v.name == name) else {
            let at = self.location();
            self.fail(RecordError::Field { base: e.name.clone(), field: name.to_owned(), at });
            return Expr { kind: ExprKind::Unit, ty };
        };
        let variant = &e.variants[index];
        if e.is_plain() {
            return Expr::constant(ConstValue::Int(variant.tag), ty);
        }
        let (names, mut values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
        self.sequence(&mut values);
        let mut ordered = Vec::new();
        for (field, wanted) in &variant.fields {
            let value = names.iter().position(|n| n == field).map_or_else(Expr::never, |i| values[i].clone());
            ordered.push(self.coerce(value, wanted));
        }
        Expr { kind: ExprKind::Variant(e, index, ordered), ty }
    }

    /// One test of a pattern.
    pub fn test(&mut self, op: BinaryOp, value: Expr, constant: Expr) -> Expr {
        if let (BinaryOp::Eq, Some(wanted)) = (op, constant.as_bool()) {
            let value = self.value(value);
            return if wanted { value } else { self.unary(crate::ir::UnaryOp::Not, value) };
        }
        if holds_for_all(op, &value.ty, &constant) {
            return self.bool_(true);
        }
        self.binary(op, value, constant)
    }

    /// `(start..end).contains(item)`, where `item` is a reference.
    pub fn range_contains(
        &mut self,
        start: Option<Expr>,
        end: Option<Expr>,
        inclusive: bool,
        item: Expr,
    ) -> Expr {
        let item = self.value(item);
        let plain = matches!(item.kind, ExprKind::Var(_) | ExprKind::Const(_));
        let item = if plain { item } else { self.bind(item) };
        let mut tests = Vec::new();
        if let Some(start) = start.filter(|start| !holds_for_all(BinaryOp::Ge, &item.ty, start)) {
            tests.push(self.binary(BinaryOp::Le, start, item.clone()));
        }
        let below = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        if let Some(end) = end.filter(|end| !holds_for_all(below, &item.ty, end)) {
            tests.push(self.binary(below, item, end));
        }
        self.all(tests)
    }

    /// Whether all tests hold.
    pub fn all(&mut self, tests: Vec<Expr>) -> Expr {
        self.combine(BinaryOp::And, tests)
    }

    /// Whether any test holds.
    pub fn any(&mut self, tests: Vec<Expr>) -> Expr {
        self.combine(BinaryOp::Or, tests)
    }

    /// Joins tests, leaving out those that are known.
    fn combine(&mut self, op: BinaryOp, tests: Vec<Expr>) -> Expr {
        let neutral = op == BinaryOp::And;
        let mut joined: Option<Expr> = None;
        for test in tests {
            match test.as_bool() {
                Some(known) if known == neutral => {}
                Some(_) => return test,
                None => {
                    joined = Some(match joined {
                        None => test,
                        Some(left) => {
                            Expr { kind: ExprKind::Binary(op, left.into(), test.into()), ty: Type::BOOL }
                        }
                    });
                }
            }
        }
        joined.unwrap_or_else(|| self.bool_(neutral))
    }

    /// A literal of a pattern: of the type of what is matched, references looked through.
    pub fn pattern_literal(&mut self, text: &str, of: &Expr) -> Expr {
        match of.ty.peeled() {
            // The expression of the matched value leaves the code, so there is no value to compare.
            Type::Never => Expr::never(),
            ty => self.literal(text, ty.clone()),
        }
    }

    /// An integer literal under a cast: `255 as u8`, `3 as f32`.
    pub fn literal_as(&mut self, text: &str, to: Type) -> Expr {
        match to.scalar() {
            Some(s) if s.is_int() => self.literal(text, to),
            _ => {
                let value = self.literal(text, Type::Scalar(crate::ir::Scalar::I32));
                self.cast(value, to)
            }
        }
    }

    /// The value of a block that ends without one.
    pub fn unit_here(&mut self) -> Expr {
        if self.frame().block().dead { Expr::never() } else { Expr::unit() }
    }

    /// `true`, `false`
    pub fn bool_(&mut self, value: bool) -> Expr {
        Expr::bool(value)
    }
}

/// Returns whether each number of a type compares so with a constant, as all unsigned ones are `>= 0`. CUDA's compilers warn of
/// such a comparison.
fn holds_for_all(op: BinaryOp, ty: &Type, constant: &Expr) -> bool {
    let Some((low, high)) = ty.peeled().scalar().and_then(|scalar| scalar.int_range()) else { return false };
    match (op, constant.as_int()) {
        (BinaryOp::Ge, Some(bound)) => bound <= low,
        (BinaryOp::Le, Some(bound)) => bound >= high,
        _ => false,
    }
}
