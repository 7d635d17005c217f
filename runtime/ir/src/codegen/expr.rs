//! Expressions; each arm of the dispatcher only forwards.

use super::guard::atomic_effect;
use super::precedence::{ASSIGNMENT, CONDITIONAL, PRIMARY, Text, UNARY};
use super::{Printer, Proof, Site, SiteKind, prelude};
use crate::ir::{
    ArgumentAccess, BinaryOp, Builtin, Closure, Expr, ExprKind, FnId, Form, Location, Scalar, Type, VarId,
    VarKind,
};

impl Printer<'_> {
    /// Prints an expression, whose value is read.
    pub(super) fn expr(&mut self, e: &Expr) -> Text {
        if let Some((_, name)) = self.function.evaluated.iter().find(|(known, _)| std::ptr::eq(*known, e)) {
            return Text::primary(name);
        }
        if let Some(text) = self.static_value(e) {
            return text;
        }
        self.guarded(e, ArgumentAccess::Read).unwrap_or_else(|| self.place(e))
    }

    /// Prints an expression that is not read if it is a place: its address is taken, or a part of it is accessed.
    pub(super) fn place(&mut self, e: &Expr) -> Text {
        match &e.kind {
            ExprKind::Const(c) => self.constant(c, &e.ty),
            ExprKind::Unit => Text::primary("(void)0"),
            ExprKind::Var(_) | ExprKind::Field(..) | ExprKind::Deref(_) if e.ty == Type::Unit => {
                Text::primary("(void)0")
            }
            ExprKind::Var(id) if self.is_map_by_value(*id) => Text::unary(format!("&{}", self.var(*id))),
            ExprKind::Var(id) => Text::primary(self.var(*id)),
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Exact(a) => self.exact(a),
            ExprKind::Cast(a) => match e.ty.scalar() {
                Some(to) => self.cast(a, to),
                None if matches!(a.kind, ExprKind::SubSlice { .. }) => match &e.ty {
                    Type::Ref { .. } => {
                        let ty = self.ty(&e.ty);
                        Text::cast(&ty, self.address(a))
                    }
                    _ => self.address(a),
                },
                None => {
                    let ty = self.ty(&e.ty);
                    Text::cast(&ty, self.expr(a))
                }
            },
            // A slice that is a part of a value: where its elements are.
            ExprKind::Field(..) | ExprKind::Index { .. } if super::slice::is_one_value(&e.ty) => {
                Text::primary(format!("{}.ptr", self.held_slice(e).at(PRIMARY)))
            }
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Index { base, index, at, proof } => self.index(base, index, *at, *proof),
            ExprKind::Len(of) => self.len(of),
            ExprKind::Ref(place) => self.reference(place),
            ExprKind::Deref(of) => self.pointee(of),
            ExprKind::Call { function, args, .. } => self.call(*function, args),
            ExprKind::CallClosure { closure, args } => {
                let args: Vec<String> =
                    args.iter().filter(|a| a.ty != Type::Unit).map(|a| self.plain_argument(a)).collect();
                Text::primary(format!("{}({})", self.var(*closure), args.join(", ")))
            }
            ExprKind::Builtin { op, args, at, .. } => self.builtin(op, args, &e.ty, *at),
            ExprKind::Struct(_, items) | ExprKind::Tuple(items) => self.braces(&e.ty, items, "{", "}"),
            ExprKind::ArrayList(items) => self.braces(&e.ty, items, "{{", "}}"),
            ExprKind::Vector(items) => self.vector_literal(&e.ty, items),
            ExprKind::Variant(def, index, items) => self.variant(def, *index, items),
            ExprKind::Table { .. } => self.static_text(e),
            ExprKind::Global(global) => self.global(global),
            // Only ever an initialiser or an argument, where it is two expressions.
            ExprKind::SubSlice { .. } => Text::primary(self.slice_parts(e).0),
            ExprKind::ArrayRepeat(item, n) => self.repeat(&e.ty, item, n.len),
            ExprKind::Select(c, a, b) => {
                let (c, a, b) = (self.expr(c), self.expr(a), self.expr(b));
                let cond = if c.level <= CONDITIONAL { c.at(PRIMARY) } else { c.text };
                Text {
                    text: format!("{cond} ? {} : {}", a.at(CONDITIONAL), b.at(CONDITIONAL)),
                    level: CONDITIONAL,
                }
            }
            ExprKind::Closure(closure) => self.lambda(closure),
        }
    }

    /// An expression where a comma would end it.
    pub(super) fn argument(&mut self, e: &Expr) -> String {
        self.expr(e).at(ASSIGNMENT)
    }

    /// An operand of a value with parts.
    pub(super) fn part(&mut self, e: &Expr) -> String {
        if !super::slice::is_one_value(&e.ty) {
            let text = self.expr(e);
            // Braces take no `int` for a `bool`.
            let narrowed = if is_int_in_c(e) { Text::cast("bool", text) } else { text };
            return narrowed.at(ASSIGNMENT);
        }
        match &e.kind {
            ExprKind::Field(..)
            | ExprKind::Index { .. }
            | ExprKind::Call { .. }
            | ExprKind::CallClosure { .. } => self.held_slice(e).at(ASSIGNMENT),
            _ => {
                let (ptr, len) = self.slice_parts(e);
                format!("{}{{{ptr}, {len}}}", self.part_ty(&e.ty))
            }
        }
    }

    /// `base.name`, `base->name` through a pointer.
    pub(super) fn field(&mut self, base: &Expr, name: &str) -> Text {
        let member = match &base.ty {
            Type::Vector(..) => name.to_owned(),
            ty => self.symbols.member(ty, name),
        };
        if let ExprKind::Deref(pointer) = &base.kind
            && !matches!(pointer.kind, ExprKind::Ref(_))
        {
            return Text::primary(format!("{}->{member}", self.expr(pointer).at(PRIMARY)));
        }
        Text::primary(format!("{}.{member}", self.part_of(base).at(PRIMARY)))
    }

    /// The base of a part.
    pub(super) fn part_of(&mut self, base: &Expr) -> Text {
        match self.static_value(base) {
            Some(text) => text,
            None => self.place(base),
        }
    }

    pub(super) fn index(&mut self, base: &Expr, index: &Expr, at: Location, proof: Proof) -> Text {
        if let Type::View { rank: 2.., .. } = &base.ty {
            return self.view_index(base, index, at, proof);
        }
        if let Some(text) = self.parameter_index(base, index, at, proof) {
            return text;
        }
        let subscript = match self.passed(base, index).filter(|_| self.is_checked(proof)) {
            Some(passed) => passed,
            None if self.is_checked(proof) => self.compared(base, index, at),
            None => self.argument(index),
        };
        if matches!(base.ty, Type::Vector(..)) {
            let first = self.part_of(base).at(PRIMARY);
            return Text::primary(format!("(&{first}.x)[{subscript}]"));
        }
        let base = self.indexed(base).at(PRIMARY);
        Text::primary(format!("{base}[{subscript}]"))
    }

    /// The length that an index is compared with.
    ///
    /// That of a part of a slice is worked out here: it would take a register from where the part is made.
    pub(super) fn checked_len(&mut self, base: &Expr) -> String {
        let part = match base.kind {
            ExprKind::Var(slice) => self.function.parts.get(&slice).cloned(),
            _ => None,
        };
        part.unwrap_or_else(|| self.len(base)).at(ASSIGNMENT)
    }

    /// Returns whether 32 bits are enough to compare an index with the length of a slice: a negative one is above all that fit `int`.
    pub(super) fn is_short(&self, base: &Expr, index: &Expr) -> bool {
        let is_narrow = index.ty.scalar().is_some_and(|scalar| scalar.bits() <= 32);
        matches!(base.kind, ExprKind::Var(slice) if is_narrow && self.is_short_slice(slice))
    }

    /// Returns whether the length of a slice fits `int`. That of dynamic shared memory always does.
    pub(super) fn is_short_slice(&self, slice: VarId) -> bool {
        self.function.short.contains(&slice) || self.function.var(slice).kind == VarKind::DynamicShared
    }

    /// The number of a place that can fail.
    pub(super) fn site(&mut self, kind: SiteKind, at: Location) -> usize {
        let site = Site { kind, at, kernel: self.launched };
        match self.sites.iter().position(|s| *s == site) {
            Some(index) => index,
            None => {
                self.sites.push(site);
                self.sites.len() - 1
            }
        }
    }

    /// Number of elements, as `unsigned long long`.
    pub(super) fn len(&mut self, of: &Expr) -> Text {
        match &of.ty {
            Type::Array(_, n) | Type::Vector(_, n) => Text::primary(format!("{n}ull")),
            Type::View { rank, .. } => {
                let extent = super::slice::extent_names(*rank)[0];
                Text::primary(format!("{}.{extent}", self.part_of(of).at(PRIMARY)))
            }
            Type::Shared { .. } => self.shared_len(of),
            Type::Ref { to, .. } => match (&**to, &of.kind) {
                (Type::Slice(_), ExprKind::Var(id)) => Text::primary(format!("{}_len", self.var(*id))),
                (Type::Shared { rank, .. }, ExprKind::Var(id)) => {
                    let extent = super::slice::extent_names(*rank)[0];
                    Text::primary(format!("{}_{extent}", self.var(*id)))
                }
                (_, ExprKind::Ref(place)) => self.len(place),
                (Type::View { .. }, _) => Text::primary(format!("{}->len", self.expr(of).at(PRIMARY))),
                (Type::Slice(_), ExprKind::SubSlice { .. }) => {
                    Text { text: self.slice_parts(of).1, level: ASSIGNMENT }
                }
                (_, ExprKind::Field(..) | ExprKind::Index { .. }) if super::slice::is_one_value(&of.ty) => {
                    Text::primary(format!("{}.len", self.held_slice(of).at(PRIMARY)))
                }
                _ => no_length(of),
            },
            _ => no_length(of),
        }
    }

    /// The outermost extent of a shared array, or of a row or plane of one.
    fn shared_len(&mut self, of: &Expr) -> Text {
        let mut depth = 0;
        let mut root = of;
        while let ExprKind::Index { base, .. } = &root.kind {
            depth += 1;
            root = base;
        }
        if let (ExprKind::Deref(pointer), Type::Shared { rank, .. }) = (&root.kind, &root.ty) {
            let extent =
                super::slice::extent_names(*rank).get(depth).copied().unwrap_or_else(|| no_length(of));
            return Text::primary(format!("{}_{extent}", self.expr(pointer).at(PRIMARY)));
        }
        let ExprKind::Var(id) = root.kind else { no_length(of) };
        let var = self.function.var(id).clone();
        match &var.kind {
            VarKind::Shared { extents, .. } => Text::primary(format!(
                "{}ull",
                extents.get(depth).map_or_else(|| no_length(of), |extent| extent.len)
            )),
            _ => {
                self.need(match self.needs.shadow_bytes {
                    0 => &prelude::DYNAMIC_SHARED,
                    _ => &prelude::SHADOWED_DYNAMIC_SHARED,
                });
                let elem =
                    if let Type::Shared { elem, .. } = &var.ty { (**elem).clone() } else { Type::Unit };
                let elem = self.ty(&elem);
                Text::primary(match self.shared.large_bytes {
                    0 => format!("(ws_dynamic_shared_bytes() / sizeof({elem}))"),
                    large => format!("((ws_dynamic_shared_bytes() - {large}ull) / sizeof({elem}))"),
                })
            }
        }
    }

    fn reference(&mut self, place: &Expr) -> Text {
        match (&place.ty, &place.kind) {
            (Type::Shared { .. }, _) => self.place(place),
            (_, ExprKind::Deref(pointer)) => self.expr(pointer),
            // A device global is reached through its address.
            (Type::Array(..), ExprKind::Global(global)) if !global.is_constant() => {
                let ty = self.ty(&place.ty);
                Text::cast(&format!("{ty}*"), Text::primary(self.global_name(global)))
            }
            (_, ExprKind::Global(global)) if !global.is_constant() => Text::primary(self.global_name(global)),
            _ => {
                let place = self.part_of(place).at(UNARY);
                Text::unary(format!("&{place}"))
            }
        }
    }

    /// A slice argument is a pointer and a length.
    fn slice_argument(&mut self, arg: &Expr) -> String {
        let (ptr, len) = self.slice_parts(arg);
        format!("{ptr}, {len}")
    }

    /// An argument of a device function or a closure.
    pub(super) fn plain_argument(&mut self, arg: &Expr) -> String {
        if super::slice::is_slice(&arg.ty) { self.slice_argument(arg) } else { self.argument(arg) }
    }

    fn call(&mut self, function: FnId, args: &[Expr]) -> Text {
        let name = self.symbols.functions[function.0 as usize].clone();
        let foreign = self.module.functions[function.0 as usize].foreign.is_some();
        let mut printed: Vec<String> = Vec::new();
        for arg in args.iter().filter(|arg| arg.ty != Type::Unit) {
            printed.push(if foreign { self.handed_over(arg) } else { self.plain_argument(arg) });
        }
        if self.faulting.contains(&function.0) {
            printed.push("ws_fault".into());
        }
        Text::primary(format!("{name}({})", printed.join(", ")))
    }

    /// `*p`, or `p[i]` of a raw pointer that something was added to.
    pub(super) fn pointee(&mut self, pointer: &Expr) -> Text {
        if let ExprKind::Builtin { op, args, .. } = &pointer.kind
            && let (Form::PointerSum, [first, count]) = (op.facts.form, args.as_slice())
        {
            let first = self.expr(first).at(PRIMARY);
            return Text::primary(format!("{first}[{}]", self.argument(count)));
        }
        // A copy of a place reads it.
        if let ExprKind::Ref(place) = &pointer.kind {
            return self.expr(place);
        }
        let pointer = self.expr(pointer).at(UNARY);
        Text::unary(format!("*{pointer}"))
    }

    fn builtin(&mut self, op: &'static Builtin, args: &[Expr], ret: &Type, at: Location) -> Text {
        match (op.facts.form, args) {
            (Form::PointerRead, [pointer]) => return self.guarded_pointee(pointer, ArgumentAccess::Read, at),
            (Form::PointerWrite, [pointer, value]) => {
                let place = self.guarded_pointee(pointer, ArgumentAccess::Write, at).at(UNARY);
                return Text { text: format!("{place} = {}", self.argument(value)), level: ASSIGNMENT };
            }
            _ => {}
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
        let constants = || args.iter().map(Expr::as_int).collect::<Vec<_>>();
        let cuda = match op.by_constant {
            Some(text) => text(&types, &constants()),
            None => (op.cuda)(&types, ret),
        };
        // Everything that the text names is defined before it.
        let has_hole = |i: usize| cuda.template.contains(&format!("{{{i}}}"));
        for (i, ty) in types.iter().enumerate().filter(|(_, t)| **t != Type::Closure) {
            if has_hole(i) {
                self.ty(ty);
            }
        }
        self.ty(ret);
        for piece in &cuda.prelude {
            self.need(piece);
        }
        for definition in cuda.definitions.clone() {
            self.define(definition);
        }
        if op.acts() {
            self.operations.extend(super::template::called(&cuda.template).map(str::to_owned));
        }
        let mut text = cuda.template.clone();
        if let (Form::Registers(registers), Some(roles)) = (op.facts.form, self.function.roles) {
            text = text.replace("{direction}", if registers < roles.at_start() { "dec" } else { "inc" });
        }
        super::template::fill_rank(&mut text, self.module);
        if text.contains("{ret}") {
            let name = self.ty(ret);
            text = text.replace("{ret}", &name);
        }
        let atomic = atomic_effect(op);
        let printed: Vec<Text> = args
            .iter()
            .enumerate()
            .map(|(i, a)| match has_hole(i) {
                false => Text::primary(""),
                true if super::slice::is_slice(&a.ty) => {
                    let is_written =
                        op.facts.form == Form::Call && op.facts.access(i) == ArgumentAccess::Write;
                    Text::primary(if is_written { self.handed_over(a) } else { self.slice_argument(a) })
                }
                true => self.operand_of(a, atomic.filter(|_| i == 0)),
            })
            .collect();
        let is_checked = op.facts.form == Form::ViewOffset && self.checks();
        let printed = if is_checked { self.checked_offset(args, printed, at) } else { printed };
        let printed = self.guarded_arguments(op, args, printed, at);
        super::template::fill(&mut text, printed);
        // A template in parentheses needs them only inside another expression.
        match unwrapped(&text) {
            Some(inner) => Text { text: inner.to_owned(), level: ASSIGNMENT },
            None => Text::primary(text),
        }
    }

    /// An argument; if it is a place for atomic operations, what the operation does.
    fn operand_of(&mut self, arg: &Expr, atomic: Option<ArgumentAccess>) -> Text {
        let around = std::mem::replace(&mut self.function.atomic, atomic);
        let text = self.expr(arg);
        self.function.atomic = around;
        text
    }

    /// An offset may be the length itself, one past the last element.
    fn checked_offset(&mut self, args: &[Expr], mut printed: Vec<Text>, at: Location) -> Vec<Text> {
        self.need(&prelude::CHECKS);
        let site = self.site(SiteKind::Range, at);
        if let [view, ..] = args
            && let Some(start) = printed.get_mut(1)
        {
            let len = self.len(view).at(PRIMARY);
            *start = Text::primary(format!("ws_part({}, {len}, {len}, {site}, ws_fault)", start.text));
        }
        printed
    }

    fn braces(&mut self, ty: &Type, items: &[Expr], open: &str, close: &str) -> Text {
        let name = self.ty(ty);
        let items: Vec<String> = items.iter().filter(|e| e.ty != Type::Unit).map(|e| self.part(e)).collect();
        Text::primary(format!("{name}{open}{}{close}", items.join(", ")))
    }

    fn repeat(&mut self, ty: &Type, item: &Expr, n: usize) -> Text {
        let name = self.ty(ty);
        if is_zero(item) {
            return Text::primary(format!("{name}{{}}"));
        }
        self.need(&prelude::REPEAT);
        let elem = self.part_ty(&item.ty);
        let item = self.part(item);
        Text::primary(format!("ws_repeat<{elem}, {n}>({item})"))
    }

    fn lambda(&mut self, closure: &Closure) -> Text {
        self.function.open_scope();
        let params: Vec<String> = closure.params.iter().filter_map(|p| self.given_param(*p)).collect();
        let capture = if closure.by_value { "[=]" } else { "[&]" };
        let mutable = if closure.by_value { " mutable" } else { "" };
        let ret = self.part_ty(&closure.ret);
        let outer = self.function.take_lines();
        let early = std::mem::take(&mut self.function.early);
        self.statements(&closure.body);
        self.function.early = early;
        let lines = self.function.replace_lines(outer);
        self.function.close_scope();
        let body = match lines.as_slice() {
            [one] => format!("{{ {} }}", one.trim()),
            many => {
                let indent = self.function.indent();
                let inner: String = many.iter().map(|l| format!("\n    {l}")).collect();
                format!("{{{inner}\n{indent}}}")
            }
        };
        Text::primary(format!("{capture}({}){mutable} -> {ret} {body}", params.join(", ")))
    }

    /// The C++ name of a variable.
    pub(super) fn var(&self, id: VarId) -> String {
        self.function.name(id)
    }
}

/// A length of an expression that has none; `validate` refuses it.
fn no_length(of: &Expr) -> ! {
    unreachable!("validate::lengths lets no length of a `{}` pass", of.ty)
}

/// The text inside parentheses that enclose all of it.
fn unwrapped(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0i32;
    let closes_early = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early { None } else { Some(inner) }
}

/// Returns whether an element is all zero bits.
pub(super) fn is_zero(e: &Expr) -> bool {
    match e.as_const() {
        Some(crate::ir::ConstValue::Int(0)) | Some(crate::ir::ConstValue::Bool(false)) => true,
        Some(crate::ir::ConstValue::F32(f)) => f.to_bits() == 0,
        Some(crate::ir::ConstValue::F64(f)) => f.to_bits() == 0,
        _ => false,
    }
}

/// Returns whether C computes a `bool` in `int`.
fn is_int_in_c(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, ..) => {
            e.ty == Type::Scalar(Scalar::Bool)
        }
        ExprKind::Select(_, a, b) => is_int_in_c(a) || is_int_in_c(b),
        _ => false,
    }
}
