//! The instances of device functions that a kernel has, and the shared memory that these declare.
//!
//! A function that takes closures is compiled once for each combination of closures that it is called with, as rustc
//! does it, and as C++ does it with the template that is printed. Each instance has shared arrays of its own. Every
//! place that writes a closure makes a new type, once in each instance of the function around it; a name of the closure
//! is of the same type. Validation, the printer and the interpreter take what an instance is from here.

use std::collections::HashMap;

use crate::limits::STATIC_SHARED;

use super::{
    Closure, Expr, ExprKind, Extent, FnId, Function, Module, StmtKind, Type, VarId, VarKind, Variable, visit,
};

/// Instances of a kernel. No kernel that a compiler could be given comes near it.
const MOST_INSTANCES: usize = 1 << 16;

/// The alignment of dynamic shared memory, in bytes.
const DYNAMIC_ALIGN: usize = 16;

/// The alignment of dynamic shared memory in which arrays lie, in bytes: that of the largest swizzle.
const LARGE_ALIGN: usize = 1024;

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
    /// The allowed number.
    pub limit: usize,
}

/// The shared memory that a kernel declares, and where it lies in a block's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredShared {
    /// Bytes of the static arrays.
    pub bytes: usize,
    /// Most bytes that the compiler leaves free to align them, in whichever order it lays them out.
    pub padding: usize,
    /// The beginnings of arrays that exceed static memory: bytes from the beginning of dynamic memory.
    pub large: HashMap<ArrayId, usize>,
    /// Bytes of these together: the launch's own dynamic memory lies behind them.
    pub large_bytes: usize,
}

/// A shared array of a function that has one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayId {
    function: *const Function,
    var: VarId,
}

impl ArrayId {
    /// The array that a function declares by this variable.
    pub fn new(function: &Function, var: VarId) -> Self {
        Self { function: std::ptr::from_ref(function), var }
    }
}

impl Module {
    /// The shared memory that a kernel declares: the arrays of all instances that it reaches.
    ///
    /// If static memory does not hold them, those whose function has one instance lie in dynamic memory. A module whose
    /// kernels launch each other has static memory alone: a launch by a kernel cannot ask for more.
    ///
    /// # Errors
    /// [`TooManyInstances`], if functions pass closures on in more ways than a compiler could follow.
    pub fn declared_shared(&self, kernel: &Function) -> Result<DeclaredShared, TooManyInstances> {
        let mut arrays: Vec<(ArrayId, SharedRoom)> = Vec::new();
        let mut is_dynamic = false;
        self.each_instance(kernel, &mut |function| {
            let vars = function.vars.iter().zip((0..).map(VarId));
            arrays.extend(
                vars.filter_map(|(var, id)| Some((ArrayId::new(function, id), SharedRoom::of(var)?))),
            );
            is_dynamic |= function.vars.iter().any(|var| var.kind == VarKind::DynamicShared);
        })?;
        let bytes = arrays.iter().fold(0, |sum: usize, (_, array)| sum.saturating_add(array.bytes));
        if bytes > STATIC_SHARED && self.kernels().count() == 1 {
            return Ok(beyond_static(arrays));
        }
        let dynamic = is_dynamic.then_some(SharedRoom { bytes: 0, align: DYNAMIC_ALIGN });
        let rooms: Vec<SharedRoom> = arrays.into_iter().map(|(_, room)| room).chain(dynamic).collect();
        Ok(DeclaredShared { bytes, padding: padding(&rooms), ..DeclaredShared::default() })
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

/// Most bytes between arrays that a compiler lays out in whichever order.
fn padding(arrays: &[SharedRoom]) -> usize {
    // Every array ends at a multiple of what divides all sizes, and the first needs no padding.
    let granule = 1 << arrays.iter().map(|array| array.bytes.trailing_zeros().min(30)).min().unwrap_or(0);
    let gaps = arrays.iter().map(|array| array.align.saturating_sub(granule));
    let first = gaps.clone().min().unwrap_or(0);
    gaps.sum::<usize>() - first
}

/// Places the arrays that exceed static memory in dynamic memory, the most aligned ones first, which leaves no gaps.
fn beyond_static(mut arrays: Vec<(ArrayId, SharedRoom)>) -> DeclaredShared {
    let counts = arrays.iter().fold(HashMap::new(), |mut counts: HashMap<ArrayId, u32>, (id, _)| {
        *counts.entry(*id).or_default() += 1;
        counts
    });
    let (mut single, shared): (Vec<_>, Vec<_>) = arrays.drain(..).partition(|(id, _)| counts[id] == 1);
    single.sort_by_key(|(_, room)| std::cmp::Reverse(room.align));
    let mut declared = DeclaredShared::default();
    for (id, room) in single {
        let at = declared.large_bytes.next_multiple_of(room.align.max(DYNAMIC_ALIGN));
        declared.large.insert(id, at);
        declared.large_bytes = at.saturating_add(room.bytes);
    }
    declared.large_bytes = declared.large_bytes.checked_next_multiple_of(DYNAMIC_ALIGN).unwrap_or(usize::MAX);
    let mut fixed: Vec<SharedRoom> = shared.into_iter().map(|(_, room)| room).collect();
    declared.bytes = fixed.iter().fold(0, |sum: usize, array| sum.saturating_add(array.bytes));
    fixed.push(SharedRoom { bytes: 0, align: LARGE_ALIGN });
    declared.padding = padding(&fixed);
    declared
}

/// The part of a block's memory that a shared array takes.
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
