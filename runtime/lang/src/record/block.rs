//! The function being recorded: its variables, its open blocks, its statements.

use super::Recorder;
use super::control::is_one_slice;
use crate::ir::{
    Block, Effect, Expr, ExprKind, Extent, Function, Location, LoopId, Meaning, Stmt, StmtKind, Type, VarId,
    VarKind, Variable,
};

/// The emitter's value of a user's name: a variable, or an expression that never changes. The recorder has it; an emitter holds its
/// number, which needs no dropping.
#[derive(Clone, Copy, Debug)]
pub struct Local(u32);

/// A position between two statements of the open block.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub(super) depth: usize,
    pub(super) stmts: usize,
}

/// One function while it is recorded.
pub(super) struct Frame {
    pub name: String,
    pub ret: Type,
    pub at: Location,
    pub line: Location,
    /// The line of the call, if checks are reported there.
    pub caller: Option<Location>,
    pub vars: Vec<Variable>,
    pub params: Vec<VarId>,
    pub blocks: Vec<OpenBlock>,
    pub choices: Vec<super::control::Choice>,
    pub loops: Vec<super::loops::OpenLoop>,
    /// Open closures: the loops around each, and its parameters so far.
    pub closures: Vec<(Vec<super::loops::OpenLoop>, Vec<VarId>)>,
    pub loop_count: u32,
    pub effect: Effect,
    pub foreign: Option<&'static str>,
    pub meaning: Option<Meaning>,
    /// `#[inline(always)]`, `#[inline(never)]`
    pub inline: Option<bool>,
    /// The temporary that the last value-giving `if` or `loop` filled; a `let` of just it takes it over.
    pub fresh: Option<VarId>,
    /// Variables that were filled step by step and do not change any more.
    pub settled: Vec<VarId>,
    /// Counters of loops over iterators, which the first name of a pattern that is just them takes over.
    pub unnamed: Vec<VarId>,
    /// Closures whose state a copy of them does not share.
    pub copied: Vec<VarId>,
}

/// A block that statements are added to.
#[derive(Default)]
pub(super) struct OpenBlock {
    pub stmts: Vec<Stmt>,
    /// Control never arrives at its end; further statements are dropped.
    pub dead: bool,
}

impl Frame {
    pub fn new(name: &str, ret: Type, at: Location) -> Self {
        Self {
            name: name.to_owned(),
            ret,
            at,
            line: at,
            vars: Vec::new(),
            params: Vec::new(),
            blocks: vec![OpenBlock::default()],
            choices: Vec::new(),
            loops: Vec::new(),
            closures: Vec::new(),
            loop_count: 0,
            effect: Effect::Pure,
            foreign: None,
            meaning: None,
            inline: None,
            caller: None,
            fresh: None,
            settled: Vec::new(),
            unnamed: Vec::new(),
            copied: Vec::new(),
        }
    }

    pub fn finish(mut self) -> Function {
        let body = self.blocks.pop().unwrap_or_default();
        Function {
            name: self.name,
            params: self.params,
            ret: self.ret,
            vars: self.vars,
            body: Block { stmts: body.stmts },
            foreign: self.foreign,
            inline: self.inline,
            meaning: self.meaning,
            effect: self.effect,
            at: self.at,
        }
    }

    pub fn new_var(&mut self, name: &str, ty: Type, mutable: bool, kind: VarKind) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(Variable { name: name.to_owned(), ty, mutable, kind });
        id
    }

    pub fn open(&mut self) {
        self.blocks.push(OpenBlock::default());
    }

    /// Closes the innermost block; the outermost stays.
    pub fn close(&mut self) -> OpenBlock {
        if self.blocks.len() > 1 { self.blocks.pop().unwrap_or_default() } else { OpenBlock::default() }
    }

    pub fn block(&mut self) -> &mut OpenBlock {
        if self.blocks.is_empty() {
            self.blocks.push(OpenBlock::default());
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    pub fn new_loop(&mut self) -> LoopId {
        self.loop_count += 1;
        LoopId(self.loop_count - 1)
    }

    /// Remembers the strongest effect of the function.
    pub fn add_effect(&mut self, effect: Effect) {
        self.effect = match (self.effect, effect) {
            (Effect::Sync(a), Effect::Sync(b)) => Effect::Sync(a.max(b)),
            (Effect::Sync(a), _) | (_, Effect::Sync(a)) => Effect::Sync(a),
            (Effect::Writes, _) | (_, Effect::Writes) => Effect::Writes,
            (Effect::Pure, Effect::Pure) => Effect::Pure,
        };
    }
}

impl Recorder {
    /// Sets the Rust line of what is recorded next.
    pub fn at(&mut self, file: &'static str, line: u32) {
        self.frame().line = Location { file, line };
    }

    pub(super) fn location(&mut self) -> Location {
        self.frame().line
    }

    /// Adds a statement, unless control cannot arrive here.
    pub(super) fn push(&mut self, kind: StmtKind) {
        let frame = self.frame();
        let at = frame.line;
        let block = frame.block();
        if !block.dead {
            block.stmts.push(Stmt { kind, at });
        }
    }

    /// Declares a parameter of the function being recorded.
    pub fn param(&mut self, name: &str, mutable: bool, ty: Type) -> Local {
        let ty = kept(ty);
        let frame = self.frame();
        let id = frame.new_var(name, ty.clone(), mutable, VarKind::Param);
        frame.params.push(id);
        self.name(Expr { kind: ExprKind::Var(id), ty })
    }

    /// `#[inline(always)]` or `#[inline(never)]` of the function being recorded.
    pub fn inlined(&mut self, always: bool) {
        self.frame().inline = Some(always);
    }

    /// Sets the result type of the function being recorded.
    pub fn returns(&mut self, ty: Type) {
        let ty = kept(ty);
        let function = self.frame().name.clone();
        self.check_result(function, &ty);
        self.frame().ret = ty;
    }

    /// The body of the function being recorded, in CUDA C++, and the Rust body beside it.
    pub fn foreign_body(&mut self, text: &'static str, ret: Type, pure: bool, meaning: Option<Meaning>) {
        if is_one_slice(&ret) {
            let (function, at) = (self.frame().name.clone(), self.location());
            self.fail(super::RecordError::SliceResult { function, at });
        }
        self.returns(ret);
        let frame = self.frame();
        frame.foreign = Some(text);
        frame.meaning = meaning;
        if !pure {
            frame.add_effect(Effect::Writes);
        }
    }

    /// `let name: ty = init;`
    pub fn let_(&mut self, name: &str, mutable: bool, ty: Type, init: Expr) -> Local {
        let fresh = self.frame().fresh.take();
        if !mutable && matches!(ty, Type::Shared { .. }) && is_declared(self.frame(), &init) {
            return self.name(init);
        }
        let ty = kept(ty);
        let init = self.coerce(init, &ty);
        if !mutable
            && super::range::inclusive_range(&ty).is_some()
            && matches!(init.kind, ExprKind::Struct(..))
        {
            let range = self.named_range(name, init);
            return self.name(range);
        }
        if let (ExprKind::Var(id), Some(temporary)) = (&init.kind, fresh)
            && *id == temporary
        {
            let frame = self.frame();
            name.clone_into(&mut frame.vars[temporary.0 as usize].name);
            if mutable {
                frame.settled.retain(|var| *var != temporary);
            }
            return self.name(init);
        }
        if !mutable && self.name_temporary(&init, name) {
            return self.name(init);
        }
        let id = self.frame().new_var(name, ty.clone(), mutable, VarKind::Local);
        self.push(StmtKind::Let { var: id, init: Some(init) });
        self.name(Expr { kind: ExprKind::Var(id), ty })
    }

    /// Gives the user's name to a temporary that has none and never changes; whether it is one.
    fn name_temporary(&mut self, value: &Expr, name: &str) -> bool {
        let ExprKind::Var(id) = value.kind else { return false };
        let var = &mut self.frame().vars[id.0 as usize];
        let nameless = var.name.is_empty() && !var.mutable && var.kind == VarKind::Local;
        if nameless {
            name.clone_into(&mut var.name);
        }
        nameless
    }

    /// `let name: ty;`
    pub fn let_late(&mut self, name: &str, ty: Type) -> Local {
        let ty = kept(ty);
        let id = self.frame().new_var(name, ty.clone(), true, VarKind::Local);
        self.push(StmtKind::Let { var: id, init: None });
        self.name(Expr { kind: ExprKind::Var(id), ty })
    }

    /// `let name = shared!([[T; extents[1]]; extents[0]]);`
    pub fn shared(&mut self, name: &str, ty: Type, extents: Vec<Extent>, align: Option<u32>) -> Local {
        let kind = VarKind::Shared { extents, align };
        let id = self.frame().new_var(name, ty.clone(), true, kind);
        self.push(StmtKind::Shared(id));
        self.name(Expr { kind: ExprKind::Var(id), ty })
    }

    /// `let name = dynamic_shared::<T>();`
    pub fn dynamic_shared(&mut self, name: &str, ty: Type) -> Local {
        let id = self.frame().new_var(name, ty.clone(), true, VarKind::DynamicShared);
        self.push(StmtKind::DynamicShared(id));
        self.name(Expr { kind: ExprKind::Var(id), ty })
    }

    /// A name of a pattern: a copy of its part of a value, or the reference to its part of what is referred to.
    ///
    /// A reference whose address cannot change needs no variable; nor does a value that cannot change, unless it is
    /// to have one of its `own`, as the names of a `let` have.
    pub fn bind_name(&mut self, name: &str, mutable: bool, own: bool, part: Expr) -> Local {
        let is_reference = matches!(part.kind, ExprKind::Ref(_));
        if mutable || !self.is_stable(&part) || (own && !is_reference) {
            let ty = part.ty.clone();
            return self.let_(name, mutable, ty, part);
        }
        self.name(part)
    }

    /// A name of the pattern of a loop: its counter takes the name, a reference whose address cannot change stands for
    /// itself, and what is computed of the counter gets a variable.
    pub fn bind_item(&mut self, name: &str, mutable: bool, part: Expr) -> Local {
        let as_it_is = match part.kind {
            ExprKind::Var(_) | ExprKind::Ref(_) => !mutable && self.is_stable(&part),
            _ => false,
        };
        if !as_it_is {
            let ty = part.ty.clone();
            return self.let_(name, mutable, ty, part);
        }
        self.name_counter(&part, name);
        self.name(part)
    }

    /// Gives the user's name to the counter of a loop that the recorder named.
    fn name_counter(&mut self, part: &Expr, name: &str) {
        let ExprKind::Var(id) = part.kind else { return };
        let frame = self.frame();
        if let Some(at) = frame.unnamed.iter().position(|counter| *counter == id) {
            frame.unnamed.swap_remove(at);
            name.clone_into(&mut frame.vars[id.0 as usize].name);
        }
    }

    /// A name of a pattern with `ref`: a reference to its part.
    pub fn bind_ref(&mut self, mutable: bool, part: Expr) -> Local {
        // Below a reference each part is one already.
        let reference = if matches!(part.kind, ExprKind::Ref(_)) { part } else { self.ref_(mutable, part) };
        let bound = self.bind(reference);
        self.name(bound)
    }

    /// The copy of a variable that a `move` closure keeps: its value where the closure is written.
    pub fn capture(&mut self, name: &str, local: &Local) -> Local {
        let value = self.local(local);
        if self.is_stable(&value) || value.ty == Type::Closure {
            return self.name(value);
        }
        let ty = value.ty.clone();
        self.let_(name, true, ty, value)
    }

    /// A copy of the value behind a reference, by the pattern `&name`.
    pub fn let_copy(&mut self, name: &str, mutable: bool, reference: Expr) -> Local {
        let value = self.value(reference);
        let ty = value.ty.clone();
        self.let_(name, mutable, ty, value)
    }

    /// A binding by `&name`: the value behind a reference.
    pub fn read(&mut self, reference: Expr) -> Expr {
        self.value(reference)
    }

    /// `let name = |…| …;`
    pub fn let_closure(&mut self, name: &str, closure: Expr) -> Local {
        let has_state = matches!(&closure.kind, ExprKind::Closure(closure) if closure.by_value);
        let local = self.closure_variable(name, closure);
        self.copied_each_time(has_state, local)
    }

    /// A closure's name as an argument by value: a `move` closure is copied with what it has captured.
    pub fn closure_copy(&mut self, local: &Local) -> Expr {
        let closure = self.local(local);
        let copied = matches!(&closure.kind, ExprKind::Var(id) if self.frame().copied.contains(id));
        if !copied {
            return closure;
        }
        let copy = self.closure_variable("", closure);
        self.local(&copy)
    }

    fn closure_variable(&mut self, name: &str, init: Expr) -> Local {
        let id = self.frame().new_var(name, Type::Closure, false, VarKind::Local);
        self.push(StmtKind::Let { var: id, init: Some(init) });
        self.name(Expr { kind: ExprKind::Var(id), ty: Type::Closure })
    }

    /// A name as an expression.
    pub fn local(&mut self, local: &Local) -> Expr {
        self.locals.get(local.0 as usize).cloned().unwrap_or_else(Expr::never)
    }

    /// The value of a name from now on.
    pub(super) fn name(&mut self, value: Expr) -> Local {
        self.locals.push(value);
        Local(self.locals.len() as u32 - 1)
    }

    /// A closure parameter; `copied` if its bounds let it be given on more than once, each time with its own state.
    pub fn closure_param(&mut self, name: &str, copied: bool) -> Local {
        let local = self.param(name, false, Type::Closure);
        self.copied_each_time(copied, local)
    }

    /// Notes whether each copy of a closure has its own state.
    fn copied_each_time(&mut self, copied: bool, closure: Local) -> Local {
        if let (true, ExprKind::Var(id)) = (copied, self.local(&closure).kind) {
            self.frame().copied.push(id);
        }
        closure
    }

    /// An expression statement.
    pub fn statement(&mut self, value: Expr) {
        self.frame().fresh = None;
        if value.has_effect() {
            self.push(StmtKind::Expr(value));
        }
    }

    /// Opens a scope that is a statement.
    pub fn scope_begin(&mut self) {
        self.frame().open();
    }

    /// Closes a scope that is a statement.
    pub fn scope_end(&mut self) {
        let frame = self.frame();
        let closed = frame.close();
        if !closed.stmts.is_empty() {
            self.push(StmtKind::Block(Block { stmts: closed.stmts }));
        }
        if closed.dead {
            self.frame().block().dead = true;
        }
    }
}

/// The type of a variable for values of a type. A shared array stays where it was declared, so a variable that takes one over
/// refers to it.
pub(super) fn kept(ty: Type) -> Type {
    match ty {
        Type::Shared { .. } => Type::reference(ty, true),
        Type::Tuple(items) => Type::Tuple(items.iter().cloned().map(kept).collect()),
        ty => ty,
    }
}

/// Returns whether an expression is the name of a shared array.
fn is_declared(frame: &Frame, value: &Expr) -> bool {
    let ExprKind::Var(id) = value.kind else { return false };
    matches!(frame.vars[id.0 as usize].kind, VarKind::Shared { .. } | VarKind::DynamicShared)
}
