//! Slices that a kernel is given: parameters that are slices or views of one dimension, and such views in structs.

use crate::ir::{Expr, ExprKind, FieldType, Function, StmtKind, Type, VarId, VarKind, Variable, visit};
use crate::ranges::root;

/// A slice that is a parameter, or a field of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slice {
    pub param: VarId,
    field: Option<String>,
}

impl Slice {
    fn field_type<'f>(&self, kernel: &'f Function) -> Option<&'f FieldType> {
        let Type::Struct(def) = &kernel.var(self.param).ty else { return None };
        def.fields.iter().find(|field| Some(field.name) == self.field.as_deref())
    }

    /// Its type.
    pub fn ty<'f>(&self, kernel: &'f Function) -> &'f Type {
        self.field_type(kernel).map_or(&kernel.var(self.param).ty, |field| &field.ty)
    }

    /// Bytes from the start of its argument to its address.
    pub fn offset(&self, kernel: &Function) -> usize {
        self.field_type(kernel).map_or(0, |field| field.offset)
    }

    /// Its name: a field's own.
    pub fn name(&self, kernel: &Function) -> String {
        self.field.clone().unwrap_or_else(|| kernel.var(self.param).name.clone())
    }

    /// Returns whether its elements can be written.
    pub fn is_written(&self, kernel: &Function) -> bool {
        slice_type(self.ty(kernel)) == Some(true)
    }

    /// The slice as an expression.
    pub fn place(&self, kernel: &Function) -> Expr {
        let param = Expr { kind: ExprKind::Var(self.param), ty: kernel.var(self.param).ty.clone() };
        match &self.field {
            Some(field) => {
                let kind = ExprKind::Field(param.into(), field.clone());
                Expr { kind, ty: self.ty(kernel).clone() }
            }
            None => param,
        }
    }

    /// Its length.
    pub fn length(&self, kernel: &Function) -> Expr {
        Expr { kind: ExprKind::Len(self.place(kernel).into()), ty: Type::U64 }
    }
}

/// Returns whether a type is a slice or a view of one dimension; and whether its elements can be written.
pub(super) fn slice_type(ty: &Type) -> Option<bool> {
    match ty {
        Type::Ref { to, mutable } if matches!(**to, Type::Slice(_)) => Some(*mutable),
        Type::View { mutable, rank: 1, .. } => Some(*mutable),
        _ => None,
    }
}

/// All slices that a kernel is given.
pub(super) fn all(kernel: &Function) -> Vec<Slice> {
    let of = |param: &VarId| -> Vec<Slice> {
        let fields = match &kernel.var(*param).ty {
            Type::Struct(def) => def.fields.as_slice(),
            _ => return vec![Slice { param: *param, field: None }],
        };
        fields.iter().map(|field| Slice { param: *param, field: Some(field.name.to_owned()) }).collect()
    };
    let slices = kernel.params.iter().flat_map(of);
    slices.filter(|slice| slice_type(slice.ty(kernel)).is_some()).collect()
}

/// The slice that an expression is, if it is the same one all along.
///
/// No kernel that is coarsened assigns a slice variable.
pub(super) fn slice_of(kernel: &Function, e: &Expr) -> Option<Slice> {
    let (param, field) = match &e.kind {
        ExprKind::Var(var) => (*var, None),
        ExprKind::Field(base, name) => match base.kind {
            ExprKind::Var(var) => (var, Some(name.clone())),
            _ => return None,
        },
        ExprKind::Deref(inner) | ExprKind::Ref(inner) => return slice_of(kernel, inner),
        _ => return None,
    };
    let written = slice_type(&e.ty)?;
    let is_param = kernel.var(param).kind == VarKind::Param;
    (is_param && written || is_given(kernel, param)).then_some(Slice { param, field })
}

/// Returns whether a variable is a parameter that is the same all along.
pub(super) fn is_given(kernel: &Function, var: VarId) -> bool {
    let Variable { kind, mutable, .. } = kernel.var(var);
    *kind == VarKind::Param && (!mutable || !is_changed(kernel, var))
}

/// Returns whether a parameter, or a part of it, may become another value.
fn is_changed(kernel: &Function, param: VarId) -> bool {
    let mut found = false;
    visit::stmts(&kernel.body, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::Assign { place, .. } if root(place) == Some(param));
    });
    visit::exprs(&kernel.body, &mut |e| {
        if let (ExprKind::Ref(place), Type::Ref { mutable: true, .. }) = (&e.kind, &e.ty) {
            found |= root(place) == Some(param);
        }
    });
    found
}
