//! The IR as text: for people, snapshots and error messages. One statement a line, every operator
//! in parentheses, types after names.

use std::fmt::{Display, Formatter, Result, Write};

use super::{
    AssertFailure, BinaryOp, Block, Const, ConstValue, Expr, ExprKind, Extent, Function, Module, Proof,
    RangeLoop, Scalar, Spelling, Stmt, StmtKind, Type, UnaryOp, VarId, VarKind,
};

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::BF16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        })
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Type::Unit => f.write_str("()"),
            Type::Never => f.write_str("!"),
            Type::Scalar(s) => s.fmt(f),
            Type::Array(elem, n) => write!(f, "[{elem}; {n}]"),
            Type::Tuple(items) => write!(f, "({})", list(items.iter())),
            Type::Struct(s) => f.write_str(&s.name),
            Type::Vector(s, n) => write!(f, "{}x{n}", s.to_string().to_uppercase()),
            Type::Enum(e) => f.write_str(&e.name),
            Type::View { elem, mutable, rank } => {
                let rank = if *rank == 1 { String::new() } else { rank.to_string() };
                write!(f, "View{}{rank}<{elem}>", if *mutable { "Mut" } else { "" })
            }
            Type::Ptr { to, mutable: false } => write!(f, "*const {to}"),
            Type::Ptr { to, mutable: true } => write!(f, "*mut {to}"),
            Type::Slice(elem) => write!(f, "[{elem}]"),
            Type::Shared { elem, rank } => write!(f, "shared array of rank {rank} of {elem}"),
            Type::Image(image) => image.fmt(f),
            Type::TensorMap(map) => map.fmt(f),
            Type::Ref { to, mutable: false } => write!(f, "&{to}"),
            Type::Ref { to, mutable: true } => write!(f, "&mut {to}"),
            Type::Closure => f.write_str("closure"),
        }
    }
}

impl BinaryOp {
    /// Rust's symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

impl Display for Const {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Spelling::Name(name) = self.spelling {
            write!(f, "{name}=")?;
        }
        match self.value {
            ConstValue::Bool(b) => b.fmt(f),
            ConstValue::Int(i) => i.fmt(f),
            ConstValue::F32(v) => write!(f, "{v:?}"),
            ConstValue::F64(v) => write!(f, "{v:?}"),
        }
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for function in &self.functions {
            writeln!(f, "{}", Printer { module: self, function, what: "fn" })?;
        }
        for kernel in &self.launched {
            writeln!(f, "{}", Printer { module: self, function: &kernel.function, what: "kernel" })?;
        }
        write!(f, "{}", Printer { module: self, function: &self.kernel, what: "kernel" })
    }
}

/// Items with commas between them.
fn list<T: Display>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// One function of a module.
struct Printer<'m> {
    module: &'m Module,
    function: &'m Function,
    what: &'static str,
}

impl Display for Printer<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let params =
            self.function.params.iter().map(|p| format!("{}: {}", self.var(*p), self.function.var(*p).ty));
        writeln!(f, "{} {}({}) -> {}", self.what, self.function.name, list(params), self.function.ret)?;
        let mut out = String::new();
        self.block(&mut out, &self.function.body, 1)?;
        f.write_str(&out)
    }
}

impl Printer<'_> {
    /// A variable by name and number, which shows shadowing.
    fn var(&self, id: VarId) -> String {
        let name = &self.function.var(id).name;
        format!("{}%{}", if name.is_empty() { "t" } else { name }, id.0)
    }

    fn block(&self, out: &mut String, block: &Block, depth: usize) -> Result {
        block.stmts.iter().try_for_each(|stmt| self.stmt(out, stmt, depth))
    }

    fn nested(&self, out: &mut String, head: &str, block: &Block, depth: usize) -> Result {
        writeln!(out, "{:1$}{head}", "", depth * 2)?;
        self.block(out, block, depth + 1)
    }

    fn stmt(&self, out: &mut String, stmt: &Stmt, depth: usize) -> Result {
        let line = match &stmt.kind {
            StmtKind::Let { var, init } => {
                let init = init.as_ref().map(|e| format!(" = {}", self.expr(e))).unwrap_or_default();
                format!("let {}: {}{init}", self.var(*var), self.function.var(*var).ty)
            }
            StmtKind::Shared(var) => {
                let variable = self.function.var(*var);
                let extents = match &variable.kind {
                    VarKind::Shared { extents, .. } => Extent::lens(extents),
                    _ => Vec::new(),
                };
                format!("shared {}: {}, extents {extents:?}", self.var(*var), variable.ty)
            }
            StmtKind::DynamicShared(var) => {
                format!("dynamic shared {}: {}", self.var(*var), self.function.var(*var).ty)
            }
            StmtKind::Assign { place, op, value } => {
                format!("{} {}= {}", self.expr(place), op.map_or("", BinaryOp::symbol), self.expr(value))
            }
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::If { cond, then, otherwise } => {
                self.nested(out, &format!("if {}", self.expr(cond)), then, depth)?;
                return if otherwise.stmts.is_empty() {
                    Ok(())
                } else {
                    self.nested(out, "else", otherwise, depth)
                };
            }
            StmtKind::While { id, cond, body, .. } => {
                return self.nested(out, &format!("while@{} {}", id.0, self.expr(cond)), body, depth);
            }
            StmtKind::For { id, range, body } => {
                return self.nested(out, &format!("for@{} {}", id.0, self.range(range)), body, depth);
            }
            StmtKind::Block(body) => return self.nested(out, "block", body, depth),
            StmtKind::Break(id) => format!("break@{}", id.0),
            StmtKind::Continue(id) => format!("continue@{}", id.0),
            StmtKind::Return(None) => "return".to_owned(),
            StmtKind::Return(Some(e)) => format!("return {}", self.expr(e)),
            StmtKind::Assert { cond, failure, debug, proof } => {
                let name = match (debug, proof) {
                    (true, Proof::Text) => "proven assert",
                    (true, _) => "debug assert",
                    (false, _) => "assert",
                };
                let told = match failure {
                    AssertFailure::Message(message) => format!(", {message:?}"),
                    AssertFailure::Index | AssertFailure::Range => String::new(),
                };
                format!("{name} {}{told}", self.expr(cond))
            }
            StmtKind::Print { args, .. } => format!("print {}", self.exprs(args)),
            StmtKind::Launch(launch) => {
                let kernel = self.module.kernels().nth(launch.kernel.0 as usize);
                let (name, operands) = (kernel.map_or("?", |(f, _)| &f.name), launch.operands());
                format!(
                    "launch {name} {:?} {}",
                    launch.order,
                    list(operands.into_iter().map(|e| self.expr(e)))
                )
            }
        };
        writeln!(out, "{:1$}{line}", "", depth * 2)
    }

    fn range(&self, range: &RangeLoop) -> String {
        let dots = if range.inclusive { "..=" } else { ".." };
        let step = range.step.as_ref().map(|s| format!(" step {}", self.expr(s))).unwrap_or_default();
        let reversed = if range.reversed { " reversed" } else { "" };
        format!(
            "{} in {}{dots}{}{step}{reversed}",
            self.var(range.var),
            self.expr(&range.start),
            self.expr(&range.end)
        )
    }

    fn exprs(&self, items: &[Expr]) -> String {
        list(items.iter().map(|e| self.expr(e)))
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(c) => format!("{c}_{}", e.ty),
            ExprKind::Unit => "()".into(),
            ExprKind::Var(id) => self.var(*id),
            ExprKind::Unary(UnaryOp::Neg, a) => format!("(-{})", self.expr(a)),
            ExprKind::Unary(UnaryOp::Not, a) => format!("(!{})", self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.expr(a), op.symbol(), self.expr(b)),
            ExprKind::Exact(a) => format!("exact {}", self.expr(a)),
            ExprKind::Cast(a) => format!("({} as {})", self.expr(a), e.ty),
            ExprKind::Field(a, name) => format!("{}.{name}", self.expr(a)),
            ExprKind::Index { base, index, proof, .. } => {
                format!(
                    "{}[{}]{}",
                    self.expr(base),
                    self.expr(index),
                    if *proof == Proof::Text { "" } else { "?" }
                )
            }
            ExprKind::Len(a) => format!("len({})", self.expr(a)),
            ExprKind::Ref(a) => format!("&{}", self.expr(a)),
            ExprKind::Deref(a) => format!("(*{})", self.expr(a)),
            ExprKind::Call { function, args, .. } => {
                format!("{}({})", self.module.functions[function.0 as usize].name, self.exprs(args))
            }
            ExprKind::CallClosure { closure, args } => {
                format!("{}({})", self.var(*closure), self.exprs(args))
            }
            ExprKind::Builtin { op, args, .. } => format!("{}({})", op.name, self.exprs(args)),
            ExprKind::Struct(def, items) => format!("{} {{ {} }}", def.name, self.exprs(items)),
            ExprKind::Tuple(items) => format!("({})", self.exprs(items)),
            ExprKind::Vector(items) => format!("{}({})", e.ty, self.exprs(items)),
            ExprKind::Variant(def, index, items) => {
                format!("{}::{}({})", def.name, def.variants[*index].name, self.exprs(items))
            }
            ExprKind::Table { name, .. } => format!("table {name}"),
            ExprKind::Global(global) => format!("global {}", global.name),
            ExprKind::SubSlice { base, start, end, .. } => {
                let part = |e: &Option<Box<Expr>>| e.as_ref().map(|e| self.expr(e)).unwrap_or_default();
                format!("{}[{}..{}]", self.expr(base), part(start), part(end))
            }
            ExprKind::ArrayList(items) => format!("[{}]", self.exprs(items)),
            ExprKind::ArrayRepeat(item, n) => format!("[{}; {}]", self.expr(item), n.len),
            ExprKind::Select(c, a, b) => {
                format!("(if {} then {} else {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Closure(closure) => {
                let mut body = String::new();
                // Writing to a string cannot fail.
                let _ = self.block(&mut body, &closure.body, 0);
                let params = list(closure.params.iter().map(|p| self.var(*p)));
                format!("|{params}| {{ {} }}", body.trim().replace('\n', "; "))
            }
        }
    }
}
