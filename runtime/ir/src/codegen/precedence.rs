//! C's precedence, in one table.

use crate::ir::BinaryOp;

/// How tightly an expression binds; larger binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(u8);

/// A name, literal, call, subscript or parenthesised expression.
pub(super) const PRIMARY: Level = Level(16);
/// A prefix operator or cast.
pub(super) const UNARY: Level = Level(14);
/// The level of an expression between `<<<` and `>>>` without parentheses.
pub(super) const BETWEEN_ANGLES: Level = Level(12);
/// `?:`
pub(super) const CONDITIONAL: Level = Level(3);
/// The level of an argument or an initialiser.
pub(super) const ASSIGNMENT: Level = Level(2);

/// C's symbol and precedence of an operator.
pub(super) fn operator(op: BinaryOp) -> (&'static str, Level) {
    match op {
        BinaryOp::Mul => ("*", Level(13)),
        BinaryOp::Div => ("/", Level(13)),
        BinaryOp::Rem => ("%", Level(13)),
        BinaryOp::Add => ("+", Level(12)),
        BinaryOp::Sub => ("-", Level(12)),
        BinaryOp::Shl => ("<<", Level(11)),
        BinaryOp::Shr => (">>", Level(11)),
        BinaryOp::Lt => ("<", Level(10)),
        BinaryOp::Le => ("<=", Level(10)),
        BinaryOp::Gt => (">", Level(10)),
        BinaryOp::Ge => (">=", Level(10)),
        BinaryOp::Eq => ("==", Level(9)),
        BinaryOp::Ne => ("!=", Level(9)),
        BinaryOp::BitAnd => ("&", Level(8)),
        BinaryOp::BitXor => ("^", Level(7)),
        BinaryOp::BitOr => ("|", Level(6)),
        BinaryOp::And => ("&&", Level(5)),
        BinaryOp::Or => ("||", Level(4)),
    }
}

/// A printed expression and how tightly it binds.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub text: String,
    pub level: Level,
}

impl Text {
    pub fn primary(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: PRIMARY }
    }

    pub fn unary(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: UNARY }
    }

    /// The text, in parentheses if it binds less tightly than `level`.
    pub fn at(self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text }
    }

    /// `left op right`, left-associative; shifts, bit operators and `&&` in `||` keep parentheses
    /// around other operators, as readers expect.
    pub fn binary(op: BinaryOp, left: Text, right: Text) -> Self {
        let (symbol, level) = operator(op);
        let bits = matches!(
            op,
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr
        );
        let mixed = |text: &Text| op == BinaryOp::Or && text.level == operator(BinaryOp::And).1;
        let apart = |text: &Text| (bits && text.level != level) || mixed(text);
        let left = if apart(&left) { left.at(UNARY) } else { left.at(level) };
        let right = if bits || apart(&right) { right.at(UNARY) } else { right.at(Level(level.0 + 1)) };
        Self { text: format!("{left} {symbol} {right}"), level }
    }

    /// `(type)operand`
    pub fn cast(ty: &str, operand: Text) -> Self {
        Self::unary(format!("({ty}){}", operand.at(UNARY)))
    }
}
