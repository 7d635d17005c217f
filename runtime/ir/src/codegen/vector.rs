//! Vectors: CUDA's names for them, and the operators that CUDA does not define.

use super::Printer;
use super::precedence::{ASSIGNMENT, Text};
use super::types::scalar as c_name;
use crate::ir::{BinaryOp, Expr, Scalar, Type, UnaryOp};

/// Names of the first `n` components.
pub(super) fn components(n: usize) -> impl Iterator<Item = char> {
    "xyzw".chars().take(n)
}

/// CUDA's own type, where it has one that no toolkit deprecates.
pub(super) fn builtin_name(s: Scalar, n: usize) -> Option<String> {
    let stem = match s {
        Scalar::I8 => "char",
        Scalar::U8 => "uchar",
        Scalar::I16 => "short",
        Scalar::U16 => "ushort",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::I64 => "longlong",
        Scalar::U64 => "ulonglong",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::Bool | Scalar::F16 | Scalar::BF16 => return None,
    };
    (s.bits() < 64 || n < 4).then(|| format!("{stem}{n}"))
}

/// The name of a type that CUDA lacks.
pub(super) fn own_name(s: Scalar, n: usize) -> String {
    let stem = match s {
        Scalar::F16 => "f16",
        Scalar::BF16 => "bf16",
        Scalar::F64 => "double",
        Scalar::U64 => "ulonglong",
        Scalar::I64 => "longlong",
        other => unreachable!("`builtin_name` has a name for vectors of `{other}`, or no such vectors exist"),
    };
    format!("ws_{stem}x{n}")
}

/// One side of an operator on vectors.
fn side(ty: &Type, name: &str, component: char) -> String {
    if matches!(ty, Type::Vector(..)) { format!("{name}.{component}") } else { name.to_owned() }
}

impl Printer<'_> {
    /// `a op b` where one side is a vector.
    pub(super) fn vector_binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Text {
        let vector = if matches!(left.ty, Type::Vector(..)) { &left.ty } else { &right.ty };
        let Type::Vector(s, n) = *vector else { return Text::primary("") };
        self.define_operator(op, &left.ty.clone(), &right.ty.clone(), s, n);
        if op == BinaryOp::Rem || op.is_comparison() {
            let name = if op == BinaryOp::Rem { "ws_rem" } else { "ws_equal" };
            let (a, b) = (self.argument(left), self.argument(right));
            let not = if op == BinaryOp::Ne { "!" } else { "" };
            return Text::unary(format!("{not}{name}({a}, {b})"));
        }
        Text::binary(op, self.expr(left), self.expr(right))
    }

    fn define_operator(&mut self, op: BinaryOp, left: &Type, right: &Type, s: Scalar, n: usize) {
        let (a, b) = (self.ty(left), self.ty(right));
        if op.is_comparison() {
            let tests: Vec<String> = components(n).map(|c| format!("a.{c} == b.{c}")).collect();
            return self.define(format!(
                "__device__ __forceinline__ bool ws_equal({a} a, {b} b) {{\n    return {};\n}}\n",
                tests.join(" && ")
            ));
        }
        let ret = self.ty(&Type::Vector(s, n));
        let symbol = super::precedence::operator(op).0;
        let packed = packed(op).filter(|_| n == 2 && s.is_half());
        let name = if op == BinaryOp::Rem { "ws_rem".to_owned() } else { format!("operator{symbol}") };
        let body = match packed {
            Some(instruction) if left == right => self.packed_body(packed_name(instruction, s), s),
            _ => {
                let parts: Vec<String> = components(n)
                    .map(|c| component(op, s, &side(left, "a", c), &side(right, "b", c)))
                    .collect();
                format!("    return {ret}{{{}}};\n", parts.join(", "))
            }
        };
        self.define(format!("__device__ __forceinline__ {ret} {name}({a} a, {b} b) {{\n{body}}}\n"));
    }

    /// Both halves of a pair by one instruction.
    fn packed_body(&mut self, instruction: String, s: Scalar) -> String {
        let ty = own_name(s, 2);
        self.need(&super::half_precision::PAIR);
        format!(
            "    unsigned int r;\n    asm(\"{instruction} %0, %1, %2;\" : \"=r\"(r) : \"r\"(ws_pair(a)), \"r\"(ws_pair(b)));\n    \
             return ws_unpair<{ty}>(r);\n"
        )
    }

    /// `-v`, `!v`
    pub(super) fn vector_unary(&mut self, op: UnaryOp, operand: &Expr, s: Scalar, n: usize) -> Text {
        let ty = self.ty(&operand.ty);
        let symbol = if op == UnaryOp::Neg { "-" } else { "~" };
        if (op, s) == (UnaryOp::Neg, Scalar::I16) {
            self.need(&super::prelude::SHORT);
        }
        let parts: Vec<String> = components(n)
            .map(|c| match (op, s.is_float()) {
                (UnaryOp::Neg, true) => format!("-a.{c}"),
                (UnaryOp::Neg, _) if s == Scalar::I16 => format!("ws_short(0u - (unsigned int)a.{c})"),
                (UnaryOp::Neg, false) => format!("({})(0u - ({})a.{c})", c_name(s), wide(s)),
                (UnaryOp::Not, _) => format!("({})~a.{c}", c_name(s)),
            })
            .collect();
        self.define(format!(
            "__device__ __forceinline__ {ty} operator{symbol}({ty} a) {{\n    return {ty}{{{}}};\n}}\n",
            parts.join(", ")
        ));
        let text = self.expr(operand).at(super::precedence::PRIMARY);
        Text::unary(format!("{symbol}{text}"))
    }

    /// `float4{a, b, c, d}`
    pub(super) fn vector_literal(&mut self, ty: &Type, items: &[Expr]) -> Text {
        let name = self.ty(ty);
        let items: Vec<String> = items.iter().map(|e| self.expr(e).at(ASSIGNMENT)).collect();
        Text::primary(format!("{name}{{{}}}", items.join(", ")))
    }
}

fn wide(s: Scalar) -> &'static str {
    if s.bits() == 64 { "unsigned long long" } else { "unsigned int" }
}

/// The PTX of an operator on a pair of halves; `None` where there is no such instruction.
fn packed(op: BinaryOp) -> Option<&'static str> {
    match op {
        BinaryOp::Add => Some("add"),
        BinaryOp::Sub => Some("sub"),
        BinaryOp::Mul => Some("mul"),
        _ => None,
    }
}

fn packed_name(op: &str, s: Scalar) -> String {
    let ty = if s == Scalar::F16 { "f16x2" } else { "bf16x2" };
    format!("{}\" ws_rn \".{ty}", op)
}

/// One component of the result, with Rust's meaning for integers.
fn component(op: BinaryOp, s: Scalar, a: &str, b: &str) -> String {
    let symbol = super::precedence::operator(op).0;
    if s.is_float() {
        return match (op, s) {
            (BinaryOp::Rem, Scalar::F32) => format!("fmodf({a}, {b})"),
            (BinaryOp::Rem, Scalar::F64) => format!("fmod({a}, {b})"),
            _ => format!("{a} {symbol} {b}"),
        };
    }
    let own = c_name(s);
    let count = format!("({b} & {})", s.bits() - 1);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => format!("({own})(({}){a} {symbol} {b})", wide(s)),
        BinaryOp::Shl => format!("({own})(({}){a} << {count})", wide(s)),
        BinaryOp::Shr => format!("({own})({a} >> {count})"),
        _ => format!("({own})({a} {symbol} {b})"),
    }
}
