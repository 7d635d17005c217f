//! Expressions in the words of the Rust that they were made of, for people who read why an index is checked.
//!
//! Knows names of variables and functions, and no types but those of casts. Temporaries have no name of the user's, and
//! are spelled as what they hold.

use crate::ir::{BinaryOp, Const, ConstValue, Expr, ExprKind, Function, Spelling, UnaryOp, VarId, VarKind};
use crate::ranges::is_len;
use std::collections::HashMap;

/// The words for expressions of one function.
pub(super) struct Wording<'a> {
    pub functions: &'a [Function],
    pub names: Vec<String>,
    /// The values of unnamed variables.
    pub held: HashMap<VarId, Expr>,
}

impl Wording<'_> {
    /// Spells the variables of fields as fields of what unnamed variables hold, and those of lengths as lengths.
    pub fn spell_field_vars(&mut self, function: &Function) {
        for (at, var) in function.vars.iter().enumerate() {
            let VarKind::Field { of, path } = &var.kind else { continue };
            let own = function.var(*of);
            let whole = Expr { kind: ExprKind::Var(*of), ty: own.ty.clone() };
            let field = |base: Expr, name: &String| {
                let ty = var.ty.clone();
                Expr { kind: ExprKind::Field(base.into(), name.clone()), ty }
            };
            let spelled = match is_len(var, &function.vars) {
                true => Expr { kind: ExprKind::Len(whole.into()), ty: var.ty.clone() },
                false if own.name.is_empty() => path.iter().fold(whole, field),
                false => continue,
            };
            self.names[at].clear();
            self.held.insert(VarId(at as u32), spelled);
        }
    }

    /// An expression, with parentheses where Rust needs them.
    pub fn of(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(constant) => spelled(constant),
            ExprKind::Unit => "()".into(),
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Unary(UnaryOp::Neg, a) => format!("-{}", self.operand(a)),
            ExprKind::Unary(UnaryOp::Not, a) => format!("!{}", self.operand(a)),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Exact(a) => self.of(a),
            ExprKind::Cast(a) => format!("{} as {}", self.operand(a), named(&e.ty.to_string())),
            ExprKind::Field(a, name) if matches!(name.as_str(), "Some.0" | "Ok.0") => self.taken(a),
            ExprKind::Field(a, name) => format!("{}.{name}", self.operand(a)),
            ExprKind::Index { base, index, .. } => format!("{}[{}]", self.operand(base), self.of(index)),
            ExprKind::Len(a) => format!("{}.len()", self.operand(a)),
            // Rust borrows and follows references by itself wherever an index stands.
            ExprKind::Ref(a) | ExprKind::Deref(a) => self.of(a),
            ExprKind::Call { function, args, .. } => {
                let name = self.functions.get(function.0 as usize).map_or("?", |function| &function.name);
                format!("{name}({})", self.list(args))
            }
            ExprKind::CallClosure { closure, args } => format!("{}({})", self.var(*closure), self.list(args)),
            ExprKind::Builtin { op, args, .. } => format!("{}({})", op.name, self.list(args)),
            ExprKind::Struct(def, _) => format!("{} {{ … }}", def.name),
            ExprKind::Tuple(items) => format!("({})", self.list(items)),
            ExprKind::Vector(items) => format!("{}({})", e.ty, self.list(items)),
            ExprKind::Variant(def, index, items) => match def.variants[*index].name {
                "None" => "None".to_owned(),
                name @ ("Some" | "Ok" | "Err") => format!("{name}({})", self.list(items)),
                name => format!("{}::{name}", def.name),
            },
            ExprKind::Table { name, .. } => (*name).to_owned(),
            ExprKind::Global(global) => global.name.to_string(),
            ExprKind::SubSlice { base, start: None, end: None, .. } => self.of(base),
            ExprKind::SubSlice { base, start, end, .. } => {
                let part = |e: &Option<Box<Expr>>| e.as_ref().map(|e| self.operand(e)).unwrap_or_default();
                format!("{}[{}..{}]", self.operand(base), part(start), part(end))
            }
            ExprKind::ArrayList(_) | ExprKind::ArrayRepeat(..) => "[…]".into(),
            ExprKind::Select(cond, a, b) => {
                format!("if {} {{ {} }} else {{ {} }}", self.of(cond), self.of(a), self.of(b))
            }
            ExprKind::Closure(_) => "|…|".into(),
        }
    }

    fn var(&self, var: VarId) -> String {
        match (self.names.get(var.0 as usize), self.held.get(&var)) {
            (Some(name), _) if !name.is_empty() => name.clone(),
            (_, Some(held)) => self.operand(held),
            _ => "…".into(),
        }
    }

    /// What an `Option` or a `Result` holds. The result of a search begins as `None` and has no name.
    fn taken(&self, of: &Expr) -> String {
        match self.operand(of).as_str() {
            "None" => "…".to_owned(),
            of => format!("{of}.unwrap()"),
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let is_chain = |e: &Expr| match &e.kind {
            ExprKind::Binary(inner, ..) => binds(*inner) > binds(op) || *inner == op && op == BinaryOp::Add,
            _ => false,
        };
        let left = if is_chain(a) { self.of(a) } else { self.operand(a) };
        let tighter = matches!(&b.kind, ExprKind::Binary(inner, ..) if binds(*inner) > binds(op));
        let right = if tighter { self.of(b) } else { self.operand(b) };
        format!("{left} {} {right}", op.symbol())
    }

    /// An expression where another one continues it.
    fn operand(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Binary(..) | ExprKind::Cast(_) | ExprKind::Select(..) | ExprKind::Unary(..) => {
                format!("({})", self.of(e))
            }
            ExprKind::Ref(a) | ExprKind::Deref(a) => self.operand(a),
            _ => self.of(e),
        }
    }

    fn list(&self, items: &[Expr]) -> String {
        items.iter().map(|e| self.of(e)).collect::<Vec<_>>().join(", ")
    }
}

/// How tightly an operator binds, as in Rust.
fn binds(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 7,
        BinaryOp::Add | BinaryOp::Sub => 6,
        BinaryOp::Shl | BinaryOp::Shr => 5,
        BinaryOp::BitAnd => 4,
        BinaryOp::BitXor => 3,
        BinaryOp::BitOr => 2,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 1,
        BinaryOp::And | BinaryOp::Or => 0,
    }
}

/// An index is written with `usize`, and with `u64` only if the author wrote that.
fn named(ty: &str) -> &str {
    if ty == "u64" { "usize" } else { ty }
}

fn spelled(constant: &Const) -> String {
    match (&constant.spelling, constant.value) {
        (Spelling::Name(name), _) => (*name).to_owned(),
        (_, ConstValue::Bool(value)) => value.to_string(),
        (_, ConstValue::Int(value)) => value.to_string(),
        (_, ConstValue::F32(value)) => format!("{value:?}"),
        (_, ConstValue::F64(value)) => format!("{value:?}"),
    }
}
