//! Quantities as Rust spells them.

use std::fmt;

use super::quantity::Quantity;

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |axis: &usize| ["x", "y", "z"][*axis];
        match self {
            Quantity::Const(n) => write!(f, "{n}"),
            Quantity::Param(parameter) => f.write_str(&parameter.name),
            Quantity::Len(_, name) => write!(f, "{name}.len()"),
            Quantity::BlockDim(a) => write!(f, "block.{}", axis(a)),
            Quantity::GridDim(a) => write!(f, "grid.{}", axis(a)),
            Quantity::SharedBytes => f.write_str("dynamic_shared"),
            Quantity::Misalignment(_, bytes, name) => write!(f, "{name}.as_ptr() % {bytes}"),
            Quantity::Unknown(id, _) => write!(f, "?{id}"),
            Quantity::Offset(a, c) if *c < 0 => write!(f, "{a} - {}", -c),
            Quantity::Offset(a, c) => write!(f, "{a} + {c}"),
            Quantity::Sum(ab) => match ab.as_ref() {
                [Quantity::Negated(a), b] | [b, Quantity::Negated(a)] => write!(f, "{b} - {}", Factor(a)),
                [a, b] => write!(f, "{a} + {b}"),
            },
            Quantity::Negated(a) => write!(f, "-{}", Factor(a)),
            Quantity::Power(a) => write!(f, "2^{}", Divisor(a)),
            Quantity::Ones(a) => write!(f, "({a} + 1).next_power_of_two() - 1"),
            Quantity::Ratio(ab) => write!(f, "{} / {}", Factor(&ab[0]), Divisor(&ab[1])),
            Quantity::Product(ab) => write!(f, "{} * {}", Factor(&ab[0]), Factor(&ab[1])),
            Quantity::Quotient(a, c) => write!(f, "{} / {c}", Factor(a)),
            Quantity::Least(ab) => write!(f, "min({}, {})", ab[0], ab[1]),
            Quantity::Greatest(ab) => write!(f, "max({}, {})", ab[0], ab[1]),
        }
    }
}

/// A quantity behind `/`, where a product is one operand.
struct Divisor<'a>(&'a Quantity);

impl fmt::Display for Divisor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Quantity::Product(_) => write!(f, "({})", self.0),
            other => write!(f, "{}", Factor(other)),
        }
    }
}

/// A quantity as an operand of a product.
struct Factor<'a>(&'a Quantity);

impl fmt::Display for Factor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Quantity::Sum(_) | Quantity::Offset(..) | Quantity::Quotient(..) | Quantity::Ratio(_) => {
                write!(f, "({})", self.0)
            }
            Quantity::Negated(_) | Quantity::Ones(_) => write!(f, "({})", self.0),
            plain => write!(f, "{plain}"),
        }
    }
}
