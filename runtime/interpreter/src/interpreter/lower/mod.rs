//! From a [`ValidModule`] to a [`Program`].
//!
//! Each function is lowered once. A function that takes closures is lowered once for each call, in the place of the call,
//! with the closures' bodies in it. A kernel that cannot be lowered gives [`Unsupported`], never another meaning.

mod aggregate;
mod call;
mod closure;
mod condition;
mod constant;
mod control;
mod events;
mod expr;
mod index;
mod nested;
mod operator;
mod place;
mod slice;
mod stmt;
mod synchronisation;

use std::collections::HashMap;

use super::program::{Entry, Op, Param, Program, Site, Slot};
use super::{LowerOptions, ValueChecks};
use crate::ir::{Expr, Function, InstanceId, Instances, Location, LoopId, Module, Type, VarId, is_in};
use crate::simulator::{Line, Synchronisation};
use crate::validate::ValidModule;

/// Code that the interpreter cannot run, and its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at {}:{}", at.file, at.line)]
pub struct Unsupported {
    /// The kind of code.
    pub what: String,
    /// The location of the code.
    pub at: Location,
}

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// A place in the code that jumps name before it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Label(u32);

/// The home of a variable.
#[derive(Clone)]
enum Binding<'m> {
    Slot(Slot),
    Closure(closure::Bound<'m>),
}

/// The variables of one function, or of one call of an inlined one.
#[derive(Clone)]
struct Scope<'m> {
    function: &'m Function,
    /// The instance of the function, which has shared arrays of its own.
    instance: InstanceId,
    vars: HashMap<VarId, Binding<'m>>,
}

/// The target of `return`.
#[derive(Clone, Copy)]
enum Exit {
    Kernel,
    Function { result: Slot, link: Slot },
    Inlined { result: Slot, end: Label },
}

/// An open loop.
struct OpenLoop {
    id: LoopId,
    next: Label,
    end: Label,
}

/// A function that is called.
#[derive(Clone)]
struct LoweredFunction {
    entry: Label,
    params: Vec<Slot>,
    result: Slot,
    link: Slot,
}

/// Lowers one module.
struct Lower<'m> {
    module: &'m Module,
    options: LowerOptions,
    program: Program,
    labels: Vec<Option<u32>>,
    functions: Vec<Option<LoweredFunction>>,
    scopes: Vec<Scope<'m>>,
    instances: Instances,
    /// The shared arrays of instances, by their numbers in the program.
    shared: HashMap<(InstanceId, VarId), u32>,
    /// The scope that names are looked up in.
    scope: usize,
    exits: Vec<Exit>,
    loops: Vec<OpenLoop>,
    /// The first free byte of the frame, and how low it may fall.
    top: usize,
    floor: usize,
    known: HashMap<(Vec<u8>, usize), Slot>,
    /// The expressions at which threads order each other, if that is watched.
    synchronisations: HashMap<*const Expr, Synchronisation>,
    /// Whether registers may be in use by a product while the thread goes on.
    in_flight: bool,
    /// Whether the lowered expression is part of an index.
    in_index: bool,
    at: Location,
    /// The user's line whose call of the library's code stands here, if one does.
    called_from: Option<Location>,
}

/// Lowers a module for a launch that is watched and checked as told.
pub(super) fn lower(valid: &ValidModule, options: LowerOptions) -> Result<Program> {
    let module = valid.module();
    let mut lower = Lower::new(module, options);
    for (index, function) in module.functions.iter().enumerate() {
        if !takes_closures(function) {
            let lowered = lower.function(function)?;
            lower.functions[index] = Some(lowered);
        }
    }
    for (kernel, _) in module.kernels() {
        lower.kernel(kernel)?;
    }
    Ok(lower.finish())
}

fn takes_closures(function: &Function) -> bool {
    function.params.iter().any(|id| function.var(*id).ty == Type::Closure)
}

impl<'m> Lower<'m> {
    fn new(module: &'m Module, options: LowerOptions) -> Self {
        Self {
            module,
            options,
            program: Program { locals: options.watch.locals, sources: options.library, ..Program::default() },
            labels: Vec::new(),
            functions: vec![None; module.functions.len()],
            scopes: Vec::new(),
            instances: Instances::default(),
            shared: HashMap::new(),
            scope: 0,
            exits: Vec::new(),
            loops: Vec::new(),
            top: 0,
            floor: 0,
            known: HashMap::new(),
            synchronisations: synchronisation::found(module, options),
            in_flight: events::has_products_in_flight(module),
            in_index: false,
            at: module.kernel.at,
            called_from: None,
        }
    }

    fn finish(mut self) -> Program {
        for op in &mut self.program.code {
            if let Op::Jump { to }
            | Op::JumpIf { to, .. }
            | Op::JumpUnless { to, .. }
            | Op::JumpBy { to, .. }
            | Op::Begin { to, .. }
            | Op::Again { to, .. }
            | Op::Synchronise { to, .. }
            | Op::Call { to, .. } = op
            {
                *to = self.labels[*to as usize].unwrap_or(0);
            }
        }
        self.program.constants.reverse();
        self.program
    }

    /// A kernel: its parameters are where a launch puts its arguments.
    fn kernel(&mut self, function: &'m Function) -> Result<()> {
        self.open_function(function);
        let params = function.params.iter().map(|id| self.param(function, *id)).collect();
        let pc = self.pc();
        self.program.entries.push(Entry { pc, params });
        self.exits.push(Exit::Kernel);
        self.block(&function.body)?;
        self.exits.pop();
        self.push(Op::End);
        Ok(())
    }

    fn param(&mut self, function: &Function, id: VarId) -> Param {
        let ty = &function.var(id).ty;
        let slot = self.bind(id, ty);
        Param { slot, bytes: ty.size() }
    }

    /// A function that calls jump to.
    fn function(&mut self, function: &'m Function) -> Result<LoweredFunction> {
        self.open_function(function);
        let params = function.params.iter().map(|id| self.bind(*id, &function.var(*id).ty)).collect();
        let result = self.slot(&function.ret);
        let link = self.reserve(24, 8);
        let entry = self.label();
        self.here(entry);
        let lowered = LoweredFunction { entry, params, result, link };
        if function.foreign.is_some() {
            self.foreign(function, &lowered)?;
        } else {
            self.exits.push(Exit::Function { result, link });
            self.block(&function.body)?;
            self.exits.pop();
        }
        self.push(Op::Return { link });
        Ok(lowered)
    }

    /// A function's variables lie behind those of all others, so calls need not move them.
    fn open_function(&mut self, function: &'m Function) {
        self.at = function.at;
        self.top = self.program.frame;
        self.floor = self.top;
        self.open_scope(function, HashMap::new());
    }

    /// Opens a function whose closures, if it takes some, are among its variables.
    fn open_scope(&mut self, function: &'m Function, vars: HashMap<VarId, Binding<'m>>) {
        let closures = function.params.iter().filter_map(|param| match vars.get(param) {
            Some(Binding::Closure(bound)) => Some(self.closure_type(*bound)),
            _ => None,
        });
        let closures = closures.collect();
        let instance = self.instances.of(function, closures);
        self.scopes.push(Scope { function, instance, vars });
        self.scope = self.scopes.len() - 1;
    }

    /// Reserves bytes of the frame, at least one.
    fn reserve(&mut self, bytes: usize, align: usize) -> Slot {
        let at = self.top.next_multiple_of(align.clamp(1, 16));
        self.top = at + bytes.max(1);
        self.program.frame = self.program.frame.max(self.top);
        at as Slot
    }

    /// Reserves room for a value.
    fn slot(&mut self, ty: &Type) -> Slot {
        let (bytes, align) = room(ty);
        self.reserve(bytes, align)
    }

    /// A variable of the scope gets room of its own.
    fn bind(&mut self, id: VarId, ty: &Type) -> Slot {
        let slot = self.slot(ty);
        self.scopes[self.scope].vars.insert(id, Binding::Slot(slot));
        slot
    }

    /// Gives back what was reserved since `mark`, but for what must outlive its statement.
    fn release(&mut self, mark: usize) {
        self.top = mark.max(self.floor);
    }

    /// Keeps what is reserved so far for as long as the function runs.
    fn pin(&mut self) {
        self.floor = self.top;
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    fn here(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.pc());
    }

    fn pc(&self) -> u32 {
        self.program.code.len() as u32
    }

    fn push(&mut self, op: Op) {
        self.program.code.push(op);
    }

    fn jump(&mut self, label: Label) {
        self.push(Op::Jump { to: label.0 });
    }

    /// Copies a value within the frame.
    fn copy(&mut self, to: Slot, from: Slot, bytes: usize) {
        if to != from && bytes > 0 {
            self.push(Op::Copy { to, from, bytes: bytes as u32 });
        }
    }

    /// Whether a line is the library's, not the user's.
    fn is_library(&self, at: Location) -> bool {
        is_in(self.options.library, at.file)
    }

    /// A new number for what stands at the current line.
    fn site(&mut self) -> Site {
        let at = self.at;
        self.site_at(at)
    }

    fn site_at(&mut self, at: Location) -> Site {
        // Code that replaces a call has the line of the call, like the code of the called function; see `RunningThread::instruction`.
        let at = self.called_from.filter(|_| self.is_library(at)).unwrap_or(at);
        self.program.sites.push(Line { file: at.file, line: at.line, column: 0 });
        self.program.library.push(self.is_library(at));
        self.program.sites.len() as Site - 1
    }

    fn checks(&self) -> ValueChecks {
        self.options.checks
    }

    /// Returns whether instances of functions are recorded.
    fn watched(&self) -> bool {
        self.options.watch.instances
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Unsupported { what: what.into(), at: self.at })
    }
}

/// Bytes and alignment of a value in the frame; a shared array is its descriptor.
fn room(ty: &Type) -> (usize, usize) {
    match ty {
        Type::Shared { rank, .. } => (8 + 8 * rank, 8),
        ty => (ty.size(), ty.align()),
    }
}
