//! Values that rustc or the host knows when a kernel is recorded.

use super::{DeviceType, GpuType};
use crate::ir::{Expr, ExprKind};

/// A device type whose values can stand in CUDA source as constants.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` cannot be used in a GPU kernel",
    label = "not a device constant",
    note = "a function is passed as a closure that calls it: `|a, b| Name::function(a, b)`",
    note = "a generic type, or an associated one, needs the bound: `type Value: GpuType + Constant`",
    note = "a slice is an array with a length as a constant: `const TABLE: &[u32; 3] = &[1, 2, 3];`, and slices of several lengths are one array of all elements beside one of their starts: `&ALL[START[i]..START[i + 1]]`"
)]
pub trait Constant: DeviceType {
    /// The constant as an expression, with its Rust name if it has one worth keeping.
    fn to_expr(&self, name: Option<&'static str>) -> Expr;
}

impl<T: Constant, const N: usize> Constant for [T; N] {
    fn to_expr(&self, name: Option<&'static str>) -> Expr {
        let items: Vec<Expr> = self.iter().map(|v| v.to_expr(None)).collect();
        let is_table = items.iter().all(is_static);
        let list = Expr { kind: ExprKind::ArrayList(items), ty: Self::ty() };
        match name.filter(|_| is_table) {
            Some(name) => Expr { ty: Self::ty(), kind: ExprKind::Table { name, value: list.into() } },
            None => list,
        }
    }
}

/// Returns whether C++ can initialise constant memory with a value: neither with an address, nor with a variant of a union.
fn is_static(value: &Expr) -> bool {
    let plain = !matches!(value.kind, ExprKind::Ref(_) | ExprKind::Variant(..));
    plain && value.all_operands(is_static)
}

impl<T: Constant + GpuType, const N: usize> Constant for &'static [T; N] {
    fn to_expr(&self, name: Option<&'static str>) -> Expr {
        let table = (**self).to_expr(Some(name.unwrap_or("table")));
        Expr { ty: Self::ty(), kind: ExprKind::Ref(table.into()) }
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

tuples! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

impl Constant for () {
    fn to_expr(&self, _name: Option<&'static str>) -> Expr {
        Expr::unit()
    }
}

impl<T: ?Sized> Constant for core::marker::PhantomData<T> {
    fn to_expr(&self, _name: Option<&'static str>) -> Expr {
        Expr::unit()
    }
}
