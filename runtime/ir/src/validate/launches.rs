//! Launches of kernels by kernels: what they may pass, and which kernels can be launched.
//!
//! A launched kernel may run after the launching block has ended. Every slice and view that it is given must therefore come
//! from a parameter of the launching kernel or from a static.

use std::collections::HashSet;

use super::ValidateError;
use crate::ir::{
    Effect, Expr, ExprKind, Function, KernelAttributes, Location, Module, NestedLaunch, StmtKind, SyncScope,
    Type, VarId, VarKind, visit,
};

const SHARED: &str = "shared memory";
const LOCAL: &str = "a local variable";
const UNKNOWN: &str = "memory that is not seen to be a parameter's";

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
    for function in &module.functions {
        if let Some((_, at)) = launches(function).first() {
            return Err(ValidateError::LaunchInFunction { function: function.name.clone(), at: *at });
        }
    }
    for (kernel, _) in module.kernels() {
        for (launch, at) in launches(kernel) {
            let Some((target, attributes)) = module.kernels().nth(launch.kernel.0 as usize) else { continue };
            launchable(module, target, attributes, at)?;
            arguments(kernel, launch, target, at)?;
        }
    }
    Ok(())
}

/// The launches of a function and where they stand.
fn launches(function: &Function) -> Vec<(&NestedLaunch, Location)> {
    let mut found = Vec::new();
    visit::stmts(&function.body, &mut |stmt| {
        if let StmtKind::Launch(launch) = &stmt.kind {
            found.push((&**launch, stmt.at));
        }
    });
    found
}

/// Refuses the kernels that CUDA, or the lack of checks on the device, keeps from being launched there.
fn launchable(
    module: &Module,
    kernel: &Function,
    attributes: &KernelAttributes,
    at: Location,
) -> Result<(), ValidateError> {
    let why = if attributes.noalias {
        "it is `noalias`, and nothing checks on the device that its slices do not overlap; take `noalias` away"
    } else if attributes.cluster.is_some() {
        "it fixes a cluster; launch it from the host"
    } else if attributes.fmad != module.attributes.fmad {
        "its `fmad` is not the launching kernel's, and one module is compiled with one; give both the same"
    } else if takes_map(kernel) {
        "it takes a map of a tensor, which only a launch by the host can pass; pass the tensor as a slice, or launch it from the host"
    } else if meets_grid(module, kernel) {
        "it calls `grid_sync`, which needs a cooperative launch; launch it from the host"
    } else {
        return Ok(());
    };
    Err(ValidateError::NotLaunchable { kernel: kernel.name.clone(), why, at })
}

/// Returns whether a parameter is a tensor map.
fn takes_map(kernel: &Function) -> bool {
    kernel.params.iter().any(|param| matches!(kernel.var(*param).ty.peeled(), Type::TensorMap(_)))
}

/// Returns whether a kernel, or a function that it calls, waits for the whole grid.
fn meets_grid(module: &Module, kernel: &Function) -> bool {
    let mut meets = false;
    let mut seen = HashSet::new();
    let mut open = vec![kernel];
    while let Some(function) = open.pop() {
        visit::exprs(&function.body, &mut |e| match &e.kind {
            ExprKind::Builtin { op, .. } => meets |= op.effect == Effect::Sync(SyncScope::Grid),
            ExprKind::Call { function, .. } if seen.insert(function.0) => {
                open.extend(module.functions.get(function.0 as usize));
            }
            _ => {}
        });
    }
    meets
}

/// Refuses memory that ends with the block or the thread.
fn arguments(
    kernel: &Function,
    launch: &NestedLaunch,
    target: &Function,
    at: Location,
) -> Result<(), ValidateError> {
    for (arg, param) in launch.args.iter().zip(&target.params) {
        if let (true, Some(memory)) = (holds_memory(&arg.ty), ends(kernel, arg)) {
            let (kernel, argument) = (target.name.clone(), target.var(*param).name.clone());
            return Err(ValidateError::LaunchedMemory { kernel, argument, memory, at });
        }
    }
    Ok(())
}

/// Returns whether a value of the type leads to memory that safe code may use.
fn holds_memory(ty: &Type) -> bool {
    match ty {
        Type::Ref { to, .. } => !to.is_described() || matches!(**to, Type::Slice(_) | Type::Shared { .. }),
        Type::View { .. } | Type::Slice(_) | Type::Shared { .. } | Type::Closure => true,
        Type::Array(elem, _) => holds_memory(elem),
        Type::Tuple(items) => items.iter().any(holds_memory),
        Type::Struct(def) => def.fields.iter().any(|field| holds_memory(&field.ty)),
        Type::Enum(def) => {
            def.variants.iter().any(|variant| variant.fields.iter().any(|(_, ty)| holds_memory(ty)))
        }
        Type::Unit
        | Type::Never
        | Type::Scalar(_)
        | Type::Vector(..)
        | Type::Ptr { .. }
        | Type::Image(_)
        | Type::TensorMap(_) => false,
    }
}

/// The reason why a value's memory does not outlive the launching kernel, if there is one.
fn ends(kernel: &Function, e: &Expr) -> Option<&'static str> {
    match &e.kind {
        ExprKind::Var(id) => variable_ends(kernel, *id),
        ExprKind::SubSlice { base, .. }
        | ExprKind::Ref(base)
        | ExprKind::Deref(base)
        | ExprKind::Cast(base)
        | ExprKind::Field(base, _)
        | ExprKind::Index { base, .. } => ends(kernel, base),
        ExprKind::Global(_) | ExprKind::Table { .. } => None,
        // A closure may give what it has captured.
        ExprKind::Closure(_) | ExprKind::CallClosure { .. } => Some(UNKNOWN),
        // Memory comes of the operands that hold some.
        _ => {
            let operands = e.operands().into_iter();
            let mut memory = operands.filter(|operand| holds_memory(&operand.ty)).peekable();
            if memory.peek().is_none() {
                Some(UNKNOWN)
            } else {
                memory.find_map(|operand| ends(kernel, operand))
            }
        }
    }
}

fn variable_ends(kernel: &Function, id: VarId) -> Option<&'static str> {
    let var = kernel.var(id);
    match &var.kind {
        // A closure's argument may be any memory.
        VarKind::Param if var.mutable || !kernel.params.contains(&id) => Some(UNKNOWN),
        VarKind::Param => None,
        VarKind::Shared { .. } | VarKind::DynamicShared => Some(SHARED),
        VarKind::Local if !holds_memory(&var.ty) => Some(LOCAL),
        VarKind::Local if var.mutable => Some(UNKNOWN),
        VarKind::Field { .. } => Some(UNKNOWN),
        VarKind::Local => initial(kernel, id).map_or(Some(UNKNOWN), |init| ends(kernel, init)),
    }
}

/// The initial value of an immutable variable.
fn initial(kernel: &Function, id: VarId) -> Option<&Expr> {
    let mut found = None;
    visit::stmts(&kernel.body, &mut |stmt| {
        if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
            && *var == id
        {
            found = Some(init);
        }
    });
    found
}
