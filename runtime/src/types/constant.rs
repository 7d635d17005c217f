//! Values that rustc or the host knows when a kernel is recorded.

use super::Device;
use crate::ir::{Expr, ExprKind};

/// A device type whose values can stand in CUDA source as constants.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` cannot be used in a GPU kernel",
    label = "not a device constant"
)]
pub trait Constant: Device {
    /// The constant as an expression, with its Rust name if it has one worth keeping.
    fn to_expr(&self, name: Option<&'static str>) -> Expr;
}

impl<T: Constant, const N: usize> Constant for [T; N] {
    fn to_expr(&self, _name: Option<&'static str>) -> Expr {
        Expr { kind: ExprKind::ArrayList(self.iter().map(|v| v.to_expr(None)).collect()), ty: Self::ty() }
    }
}

macro_rules! tuples {
    ($(($($t:ident $n:tt),+))+) => {$(
        impl<$($t: Constant),+> Constant for ($($t,)+) {
            fn to_expr(&self, _name: Option<&'static str>) -> Expr {
                Expr { kind: ExprKind::Tuple(vec![$(self.$n.to_expr(None)),+]), ty: Self::ty() }
            }
        }
    )+};
}

tuples! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }
