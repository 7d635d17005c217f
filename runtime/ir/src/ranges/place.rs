//! Places: which part of a kernel's parameters an expression is, and how many elements it has.
//!
//! A function that is analysed for one call sees through its parameters to the caller's arguments.

use super::known::{Known, strip};
use super::range::{Range, integer, joined};
use super::scope::{Caller, FunctionScope};
use crate::ir::{
    BinaryOp, Condition, Expr, ExprKind, Extent, Parameter, Quantity, Scalar, Type, VarId, VarKind,
};
use crate::limits::ELEMENTS;

/// The number of expressions that are analysed for one extent.
const EXTENT_FUEL: usize = 20;

/// The length of something, and the conditions of a launch that it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Length {
    pub count: Quantity,
    pub needs: Vec<Condition>,
}

impl Length {
    fn of(count: Quantity) -> Self {
        Self { count, needs: Vec::new() }
    }
}

/// A part of a kernel's parameter that no one changes.
pub(crate) struct Place {
    position: usize,
    offset: usize,
    name: String,
}

impl Place {
    /// The integer that it is.
    pub fn integer(self, scalar: Scalar) -> Quantity {
        let Place { position, offset, name } = self;
        Quantity::Param(Parameter { position, offset, scalar, name: name.into() })
    }

    /// A part of it.
    fn at(self, offset: usize, name: &str) -> Self {
        Place { offset: self.offset + offset, name: format!("{}.{name}", self.name), ..self }
    }

    /// An element of it, as of an array.
    fn element(self, at: usize, size: usize) -> Self {
        Place { offset: self.offset + at * size, name: format!("{}[{at}]", self.name), ..self }
    }

    /// An extent or a stride of it, as of a view.
    fn of_view(self, rank: usize, name: &str) -> Option<Self> {
        Some(self.at(view_offset(rank, name)?, &format!("{name}()")))
    }
}

/// The extents of a view, outermost first.
pub(crate) fn axes(rank: usize) -> &'static [&'static str] {
    [&["len"][..], &["rows", "cols"], &["planes", "rows", "cols"]][rank.clamp(1, 3) - 1]
}

/// The offset of a view's field of that name, in bytes: the pointer comes first.
fn view_offset(rank: usize, name: &str) -> Option<usize> {
    let strides: &[&str] = [&[][..], &["stride"], &["plane_stride", "stride"]][rank.clamp(1, 3) - 1];
    axes(rank).iter().chain(strides).position(|field| *field == name).map(|at| 8 * (at + 1))
}

impl FunctionScope<'_> {
    /// The part of a kernel's parameters that an expression is.
    pub fn parameter(&self, e: &Expr) -> Option<Place> {
        match &e.kind {
            ExprKind::Var(var) => self.parameter_of(*var),
            ExprKind::Deref(inner) => self.parameter(inner),
            // A mutable borrow may write.
            ExprKind::Ref(place) if matches!(e.ty, Type::Ref { mutable: false, .. }) => self.parameter(place),
            ExprKind::Field(base, name) => {
                let whole = self.parameter(base)?;
                match base.ty.peeled() {
                    Type::Struct(def) => {
                        Some(whole.at(def.fields.iter().find(|field| field.name == name)?.offset, name))
                    }
                    Type::View { rank, .. } => whole.of_view(*rank, name),
                    _ => None,
                }
            }
            ExprKind::Index { base, index, .. } => {
                let Type::Array(element, len) = base.ty.peeled() else { return None };
                let at = usize::try_from(self.look(index).as_int()?).ok().filter(|at| at < len)?;
                Some(self.parameter(base)?.element(at, element.size()))
            }
            _ => None,
        }
    }

    fn parameter_of(&self, var: VarId) -> Option<Place> {
        if self.is_mutable(var) {
            return None;
        }
        if let Some(definition) = self.definitions.get(&var) {
            return self.parameter(definition);
        }
        let position = self.params.iter().position(|param| *param == var)?;
        match self.caller {
            Some(Caller { scope, args, .. }) => scope.parameter(args.get(position)?),
            None if self.is_kernel => Some(Place { position, offset: 0, name: self.name(var).to_owned() }),
            None => None,
        }
    }

    /// The range of a field or an element that is an integer of a kernel's parameter.
    pub fn part(&self, e: &Expr) -> Option<Range> {
        let scalar = integer(e)?;
        Some(Range::exactly(self.parameter(e)?.integer(scalar)))
    }

    /// The range of an extent of a view.
    pub fn view_part(&self, base: &Expr, name: &str) -> Option<Range> {
        match base.ty.peeled() {
            Type::View { rank, .. } if axes(*rank).contains(&name) => {
                Some(Range::exactly(self.axis_extent(base, name)?))
            }
            _ => None,
        }
    }

    /// The length of a view along an axis.
    pub fn axis_extent(&self, view: &Expr, name: &str) -> Option<Quantity> {
        if let Some(inner) = through(view) {
            return self.axis_extent(inner, name);
        }
        if let Some(Passed { scope, arg, .. }) = self.passed(view) {
            return scope.axis_extent(arg, name);
        }
        if let (Some(place), Type::View { rank, .. }) = (self.parameter(view), view.ty.peeled()) {
            return Some(place.of_view(*rank, name)?.integer(Scalar::U64));
        }
        let field = Expr { kind: ExprKind::Field(view.clone().into(), name.to_owned()), ty: Type::U64 };
        self.is_stable(view).then(|| self.unknown(&field, ELEMENTS))
    }

    /// The length of a slice, a view, an array or a vector, in terms of values that stay the same.
    pub fn length(&self, of: &Expr) -> Option<Length> {
        let unknown = || self.is_stable(of).then(|| Length::of(self.unknown(of, ELEMENTS)));
        self.extent(of).or_else(unknown)
    }

    /// The length of something, where that is more than a name for it.
    pub fn extent(&self, of: &Expr) -> Option<Length> {
        if let Type::Array(_, n) | Type::Vector(_, n) = of.ty.peeled() {
            return Some(Length::of(Quantity::Const(*n as i128)));
        }
        if let Some(shared) = self.shared(of) {
            return shared.extents.first().map(|n| Length::of(Quantity::Const(*n as i128)));
        }
        if let Some(elem) = self.dynamic(of) {
            return Some(Length::of(Quantity::SharedBytes.quotient(elem as i128)));
        }
        if let ExprKind::SubSlice { base, start, end, .. } = &of.kind {
            return self.part_extent(base, start.as_deref(), end.as_deref(), &of.ty);
        }
        if let Some(inner) = through(of) {
            return self.extent(inner);
        }
        if let Some(Passed { scope, arg, .. }) = self.passed(of) {
            return scope.extent(arg);
        }
        if let ExprKind::Var(var) = of.kind
            && let Some(extent) = self.extents.get(&var)
        {
            return Some(extent.clone());
        }
        match (self.parameter(of)?, of.ty.peeled()) {
            (place, Type::Slice(_)) if place.offset == 0 => {
                Some(Length::of(Quantity::Len(place.position, place.name.into())))
            }
            (place, Type::View { rank: 1, .. }) => {
                Some(Length::of(place.of_view(1, "len")?.integer(Scalar::U64)))
            }
            _ => None,
        }
    }

    /// Of the length of a part of a slice, the length of the slice: the part was found in bounds, or the thread has left.
    pub fn whole_length(&self, length: &Expr) -> Option<Expr> {
        let ExprKind::Len(part) = &length.kind else { return None };
        let ExprKind::Var(var) = part.kind else { return None };
        let ExprKind::SubSlice { base, .. } = &self.definitions.get(&var)?.kind else { return None };
        let is_same = base.ty.element()?.size() <= part.ty.element()?.size();
        (is_same && base.ty.is_slice())
            .then(|| Expr { kind: ExprKind::Len(base.clone()), ty: length.ty.clone() })
    }

    /// Bytes of an element of the block's dynamic shared memory, if it is that.
    fn dynamic(&self, of: &Expr) -> Option<usize> {
        let ExprKind::Var(var) = of.kind else { return None };
        let is_dynamic = *self.kind(var) == VarKind::DynamicShared;
        is_dynamic.then(|| of.ty.element().map(|elem| elem.size().max(1)))?
    }

    /// The extent of a part of a slice; of a whole one that may be seen as another type.
    fn part_extent(
        &self,
        base: &Expr,
        start: Option<&Expr>,
        end: Option<&Expr>,
        ty: &Type,
    ) -> Option<Length> {
        match (start, end) {
            (None, None) => {
                let (whole, from, to) = (self.extent(base)?, base.ty.element()?.size(), ty.element()?.size());
                if from == to || to == 0 {
                    return (from == to).then_some(whole);
                }
                let bytes = whole.count.product(Quantity::Const(from as i128));
                Some(Length { count: bytes.quotient(to as i128), ..whole })
            }
            // The range was found in bounds, or the thread has left: no sum has wrapped.
            (None, Some(end)) => self.exact_extent(end),
            (Some(start), Some(end)) => match (start.as_int(), end.as_int()) {
                (Some(start), Some(end)) => (start <= end).then(|| Length::of(Quantity::Const(end - start))),
                _ => self.exact_distance(start, end).or_else(|| self.row_extent(start, end)),
            },
            (Some(start), None) => {
                let (whole, start) = (self.extent(base)?, self.exact_extent(start)?);
                let needs = joined(&whole.needs, &start.needs);
                Some(Length { count: whole.count.sum(start.count.negated()), needs })
            }
        }
    }

    /// A number of elements that the host knows.
    pub(super) fn exact_extent(&self, e: &Expr) -> Option<Length> {
        let (count, needs) = self.within(e, &Known::default(), &mut EXTENT_FUEL.clone()).value()?;
        Some(Length { count, needs })
    }

    /// The operands of operations in each other of one type: what wraps, wraps alike.
    fn operands_in<'e>(&'e self, e: &'e Expr, op: BinaryOp) -> Vec<&'e Expr> {
        let ExprKind::Binary(own, a, b) = &self.look(e).kind else { return vec![e] };
        let within = |part: &'e Expr| match self.modulus(part) == self.modulus(e) {
            true => self.operands_in(part, op),
            false => vec![part],
        };
        if *own == op { [within(a), within(b)].concat() } else { vec![e] }
    }

    /// The type whose arithmetic gives a value.
    pub fn modulus(&self, e: &Expr) -> Option<Scalar> {
        integer(self.look(e))
    }

    /// The number that was added to the start of a range to get its end.
    pub fn distance<'e>(&'e self, start: &Expr, end: &'e Expr) -> Option<&'e Expr> {
        let ExprKind::Binary(BinaryOp::Add, a, b) = &self.look(end).kind else { return None };
        if self.alike(a, start) { Some(b) } else { self.alike(b, start).then_some(&**a) }
    }

    /// The factors of `n`, where `start` is `row * n` and `end` is `(row + 1) * n`.
    pub fn row_length<'e>(&'e self, start: &'e Expr, end: &'e Expr) -> Option<Vec<&'e Expr>> {
        let modulus = self.modulus(end);
        if self.modulus(start) != modulus {
            return None;
        }
        let [from, to] = [start, end].map(|e| self.operands_in(e, BinaryOp::Mul));
        let follows = |next: &Expr, e: &Expr| match &self.look(next).kind {
            ExprKind::Binary(BinaryOp::Add, before, by) => {
                by.as_int() == Some(1) && self.modulus(next) == modulus && self.alike(before, e)
            }
            _ => false,
        };
        let without = |of: &[&'e Expr], at: usize| [&of[..at], &of[at + 1..]].concat();
        let pairs = (0..from.len()).flat_map(|i| (0..to.len()).map(move |j| (i, j)));
        let rest = |(i, j): (usize, usize)| {
            let (rest, mut others) = (without(&from, i), without(&to, j));
            let is_it = rest.len() == others.len() && follows(to[j], from[i]);
            let all = is_it && rest.iter().all(|e| take(&mut others, |own| self.alike(own, e)));
            all.then_some(rest).filter(|rest| !rest.is_empty())
        };
        pairs.into_iter().find_map(rest)
    }

    /// The greatest value of sums and products that do not wrap, and what it rests on.
    pub fn exact_high(&self, e: &Expr, known: &Known) -> (Quantity, Vec<Condition>) {
        let e = self.look(e);
        if let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), a, b) = &e.kind {
            let ((a, of_a), (b, of_b)) = (self.exact_high(a, known), self.exact_high(b, known));
            let whole = if *op == BinaryOp::Add { a.sum(b) } else { a.product(b) };
            return (whole, joined(&of_a, &of_b));
        }
        let Range { high, needs, .. } = self.range(e, known);
        (high, needs)
    }

    /// The length of a row. Both ends may have wrapped; their distance has not.
    fn row_extent(&self, start: &Expr, end: &Expr) -> Option<Length> {
        let one = Length::of(Quantity::Const(1));
        let Length { count, needs } =
            self.row_length(start, end)?.into_iter().try_fold(one, |Length { count, needs }, e| {
                let factor = self.exact_extent(e)?;
                Some(Length { count: count.product(factor.count), needs: joined(&needs, &factor.needs) })
            })?;
        let (_, most) = self.modulus(start)?.int_range()?;
        let fits = self.ensure(count.clone(), Quantity::Const(most + 1))?;
        Some(Length { count, needs: joined(&needs, &fits) })
    }

    /// The conditions under which a number in a range is less than the length of `base`, or with `or_same` no more than it.
    ///
    /// `at` is the number itself, where it has a name in this scope.
    pub fn inside(
        &self,
        base: &Expr,
        at: Option<&Expr>,
        index: Range,
        or_same: bool,
        known: &Known,
    ) -> Option<Vec<Condition>> {
        if let Some(inner) = through(base) {
            return self.inside(inner, at, index, or_same, known);
        }
        if let Some(Passed { scope, arg, known }) = self.passed(base) {
            let at = at.and_then(|at| Some(self.passed(strip(at))?.arg));
            return scope.inside(arg, at, index, or_same, known);
        }
        if let ExprKind::SubSlice { base, start: Some(start), end: None, .. } = &base.kind {
            // The start is in bounds, or the thread has left: the sum is that of an element of the whole.
            // For a butterfly, the sum is looked at as a whole: the ranges of its two parts say less.
            let across = at.and_then(|at| self.butterfly_of(start, at, known));
            let start = self.range(start, known);
            let plain = Range {
                needs: joined(&index.needs, &start.needs),
                high: index.high.sum(start.high),
                ..index
            };
            let sum = across.map_or(plain.clone(), |across| Range {
                high: across.high,
                needs: across.needs,
                ..plain
            });
            return self.inside(base, None, sum, or_same, known);
        }
        let known_extent = self.length(base).and_then(|Length { count, needs }| {
            let past = count.plus(or_same.into());
            Some(joined(&self.ensure(index.high.clone(), past)?, &needs))
        });
        match (known_extent, &base.kind) {
            (Some(needs), _) => Some(joined(&needs, &index.needs)),
            (None, ExprKind::Var(var)) => self.inside(self.definitions.get(var)?, at, index, or_same, known),
            (None, ExprKind::SubSlice { start, end: Some(end), .. }) => {
                self.inside_part(start.as_deref(), end, at?, or_same, known)
            }
            _ => None,
        }
    }

    /// The address of a whole slice parameter modulo a number of bytes.
    pub fn misalignment(&self, of: &Expr, bytes: usize) -> Option<Quantity> {
        if let Some(inner) = through(of) {
            return self.misalignment(inner, bytes);
        }
        let place = self.parameter(of).filter(|place| place.offset == 0)?;
        let is_slice = matches!(of.ty.peeled(), Type::Slice(_));
        is_slice.then_some(Quantity::Misalignment(place.position, bytes as u32, place.name.into()))
    }

    /// The address that something is a multiple of, where its declaration says it.
    pub fn alignment(&self, of: &Expr) -> Option<usize> {
        let shared = self.shared(of)?;
        if shared.depth == 0 {
            return Some(shared.align);
        }
        let bytes = shared.extents.iter().product::<usize>() * shared.element;
        Some(shared.align.min(1 << bytes.max(1).trailing_zeros()))
    }

    /// A shared array, or a row or plane of one.
    fn shared(&self, of: &Expr) -> Option<Shared> {
        if let Some(inner) = through(of) {
            return self.shared(inner);
        }
        if let Some(Passed { scope, arg, .. }) = self.passed(of) {
            return scope.shared(arg);
        }
        match &of.kind {
            ExprKind::Index { base, .. } if matches!(base.ty.peeled(), Type::Shared { .. }) => {
                let mut row = self.shared(base)?;
                row.depth += 1;
                (row.extents.len() > 1).then(|| row.extents.remove(0))?;
                Some(row)
            }
            ExprKind::Var(var) => {
                let VarKind::Shared { extents, align } = self.kind(*var) else { return None };
                let Type::Shared { elem, .. } = &of.ty else { return None };
                let align = align.map_or(elem.align(), |align| align as usize);
                Some(Shared { extents: Extent::lens(extents), depth: 0, align, element: elem.size() })
            }
            _ => None,
        }
    }

    /// The caller's argument for a parameter, with the caller and what is known there.
    pub(super) fn argument(&self, e: &Expr) -> Option<(&Expr, &FunctionScope<'_>, &Known)> {
        self.passed(e).map(|Passed { scope, arg, known }| (arg, scope, known))
    }

    /// The caller's argument for a parameter.
    fn passed(&self, e: &Expr) -> Option<Passed<'_>> {
        let (ExprKind::Var(var), Some(Caller { scope, known, args })) = (&e.kind, self.caller) else {
            return None;
        };
        let position = self.params.iter().position(|param| param == var)?;
        let arg = args.get(position).filter(|_| !self.is_mutable(*var))?;
        Some(Passed { scope, arg, known })
    }
}

/// An argument, where it was passed.
struct Passed<'a> {
    scope: &'a FunctionScope<'a>,
    arg: &'a Expr,
    known: &'a Known,
}

/// A shared array, or a row or plane of one.
struct Shared {
    /// Extents that are left, outermost first.
    extents: Vec<usize>,
    /// Indices that were given.
    depth: usize,
    /// Alignment of the whole, in bytes.
    align: usize,
    /// Bytes of an element.
    element: usize,
}

/// Takes the first of some out; whether there was one.
fn take<T>(all: &mut Vec<T>, is_it: impl Fn(&T) -> bool) -> bool {
    let at = all.iter().position(is_it);
    at.is_some_and(|at| {
        all.remove(at);
        true
    })
}

/// The referent of a reference.
fn through(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Ref(inner) | ExprKind::Deref(inner) => Some(inner),
        _ => None,
    }
}
