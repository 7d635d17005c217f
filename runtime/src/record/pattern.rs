//! What `match` and destructuring need: parts that cannot change, and tests on them.

use super::Recorder;
use crate::ir::{BinaryOp, Const, ConstValue, Expr, ExprKind, Type};

impl Recorder {
    /// The value with every part that a pattern may look at stable; tuples are bound part by part.
    pub fn bind_parts(&mut self, value: Expr) -> Expr {
        match value.kind {
            ExprKind::Tuple(items) => {
                let items = items.into_iter().map(|item| self.bind_parts(item)).collect();
                Expr { kind: ExprKind::Tuple(items), ty: value.ty }
            }
            kind => {
                let value = Expr { kind, ty: value.ty };
                self.bind(value)
            }
        }
    }

    /// One test of a pattern.
    pub fn test(&mut self, op: BinaryOp, value: Expr, constant: Expr) -> Expr {
        self.binary(op, value, constant)
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
        Expr { kind: ExprKind::Const(Const { value: ConstValue::Bool(value), name: None }), ty: Type::BOOL }
    }
}
