//! The instances of device functions that a kernel has, and the shared memory that these declare.
//!
//! A function that takes closures is compiled once for each combination of closures that it is called with, as rustc
//! does it, and as C++ does it with the template that is printed. Each instance has shared arrays of its own. Every
//! place that writes a closure makes a new type, once in each instance of the function around it; a name of the closure
//! is of the same type. Validation, the printer and the interpreter take what an instance is from here.

use std::collections::HashMap;

use super::{
    Closure, Expr, ExprKind, Extent, FnId, Function, Module, StmtKind, Type, VarId, VarKind, Variable, visit,
};

/// Instances of a kernel. No kernel that a compiler could be given comes near it.
const MOST_INSTANCES: usize = 1 << 16;

/// The alignment of dynamic shared memory, in bytes.
const DYNAMIC_ALIGN: usize = 16;

/// An instance of a function, or of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceId(u32);

/// The type of a closure: where it is written, and in which instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClosureType {
    written: *const (),
    within: InstanceId,
}

impl ClosureType {
    /// The type of a closure that stands in the body of an instance.
    pub fn new(closure: &Closure, within: InstanceId) -> Self {
        Self { written: std::ptr::from_ref(closure).cast(), within }
    }
}

/// Instances, each known by its function and the types of its closures.
#[derive(Debug, Default)]
pub struct Instances {
    known: HashMap<(*const Function, Vec<ClosureType>), InstanceId>,
}

impl Instances {
    /// The instance of a function that is called with these closures, which stand in the order of its parameters.
    pub fn of(&mut self, function: &Function, closures: Vec<ClosureType>) -> InstanceId {
        let next = InstanceId(self.known.len() as u32);
        *self.known.entry((std::ptr::from_ref(function), closures)).or_insert(next)
    }
}

/// A kernel has more instances of functions than is sensible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyInstances {
    /// As many as are allowed.
    pub limit: usize,
}

/// Static shared memory of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StaticShared {
    /// Bytes of the arrays.
    pub bytes: usize,
    /// Most bytes that the compiler leaves free to align them, in whichever order it lays them out.
    pub padding: usize,
}

impl Module {
    /// The static shared memory of a block of a kernel: the arrays of all instances that it reaches.
    ///
    /// # Errors
    /// [`TooManyInstances`], if functions pass closures on in more ways than a compiler could follow.
    pub fn static_shared(&self, kernel: &Function) -> Result<StaticShared, TooManyInstances> {
        let mut arrays = Vec::new();
        let mut is_dynamic = false;
        self.each_instance(kernel, &mut |function| {
            arrays.extend(function.vars.iter().filter_map(SharedRoom::of));
            is_dynamic |= function.vars.iter().any(|var| var.kind == VarKind::DynamicShared);
        })?;
        if is_dynamic {
            arrays.push(SharedRoom { bytes: 0, align: DYNAMIC_ALIGN });
        }
        let bytes = arrays.iter().fold(0, |sum: usize, array| sum.saturating_add(array.bytes));
        // Every array ends at a multiple of what divides all sizes, and the first needs no padding.
        let granule = 1 << arrays.iter().map(|array| array.bytes.trailing_zeros().min(30)).min().unwrap_or(0);
        let gaps = arrays.iter().map(|array| array.align.saturating_sub(granule));
        let first = gaps.clone().min().unwrap_or(0);
        Ok(StaticShared { bytes, padding: gaps.sum::<usize>() - first })
    }

    /// Calls `visit` once for each instance that a kernel reaches, with its function; the kernel comes first.
    fn each_instance<'m>(
        &'m self,
        kernel: &'m Function,
        visit: &mut dyn FnMut(&'m Function),
    ) -> Result<(), TooManyInstances> {
        let mut instances = Instances::default();
        let mut open = vec![(kernel, Vec::new())];
        while let Some((function, closures)) = open.pop() {
            let before = instances.known.len();
            let id = instances.of(function, closures.clone());
            if instances.known.len() == before {
                continue;
            }
            if before == MOST_INSTANCES {
                return Err(TooManyInstances { limit: MOST_INSTANCES });
            }
            visit(function);
            open.extend(self.calls(function, Body::new(id, function, closures)));
        }
        Ok(())
    }

    /// The functions that an instance calls, each with the types of the closures that it is given.
    fn calls<'m>(&'m self, function: &'m Function, mut body: Body) -> Vec<(&'m Function, Vec<ClosureType>)> {
        let mut calls = Vec::new();
        visit::stmts(&function.body, &mut |stmt| {
            for operand in visit::operands(stmt) {
                visit::expr(operand, &mut |e| {
                    if let ExprKind::Call { function: FnId(id), args, .. } = &e.kind {
                        let closures = args.iter().filter(|arg| arg.ty == Type::Closure);
                        calls.push((
                            &self.functions[*id as usize],
                            closures.map(|arg| body.ty(arg)).collect(),
                        ));
                    }
                });
            }
            if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
                && init.ty == Type::Closure
            {
                body.named.insert(*var, body.ty(init));
            }
        });
        calls
    }
}

/// The body of an instance while it is walked.
struct Body {
    id: InstanceId,
    /// The types of the closures that have names.
    named: HashMap<VarId, ClosureType>,
}

impl Body {
    fn new(id: InstanceId, function: &Function, closures: Vec<ClosureType>) -> Self {
        let params = function.params.iter().copied().filter(|id| function.var(*id).ty == Type::Closure);
        Self { id, named: params.zip(closures).collect() }
    }

    fn ty(&self, e: &Expr) -> ClosureType {
        match &e.kind {
            ExprKind::Closure(closure) => ClosureType::new(closure, self.id),
            ExprKind::Ref(of) | ExprKind::Deref(of) => self.ty(of),
            ExprKind::Var(var) if self.named.contains_key(var) => self.named[var],
            // A closure that is computed is one of its own.
            _ => ClosureType { written: std::ptr::from_ref(e).cast(), within: self.id },
        }
    }
}

/// What a shared array takes of a block's memory.
struct SharedRoom {
    bytes: usize,
    align: usize,
}

impl SharedRoom {
    fn of(var: &Variable) -> Option<Self> {
        let (VarKind::Shared { extents, align }, Type::Shared { elem, .. }) = (&var.kind, &var.ty) else {
            return None;
        };
        let align = align.map_or(1, |bytes| bytes as usize).max(elem.align());
        Some(Self { bytes: Extent::elements(extents).saturating_mul(elem.size()), align })
    }
}

#[cfg(test)]
mod tests;
