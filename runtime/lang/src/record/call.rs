//! Calls: builtins, device functions and closures.

use super::block::kept;
use super::escape::given_params;
use super::{Local, Receiver, RecordError, Recorder};
use crate::ir::{
    AssertFailure, BinaryOp, Builtin, Effect, Expr, ExprKind, FnId, FormatPiece, Location, Meaning, Ordered,
    Orders, Proof, StmtKind, Type, VarKind,
};

/// The target that a call resolves to.
#[derive(Clone)]
pub enum Callee {
    /// A builtin of the kernel language.
    Builtin(&'static Builtin, Option<Meaning>),
    /// An operator that the type does not overload.
    Native,
    /// A method of the operands of a compound assignment: a trait implements it, so Rust evaluates the place first.
    Overloaded,
    /// `.len()`
    Len,
    /// A conversion that the IR knows as a cast to the type of the result.
    Cast,
    /// `STATIC.get()`, `.clone()`: a copy of the operand.
    Copied,
    /// `Vector::new(…)`
    Vector,
    /// `Vector::splat(…)`
    Splat,
    /// `.reinterpret::<U>()`
    Reinterpret,
    /// `.split_at(middle)`
    SplitAt,
    /// `.chunks(n)` and its like, whether the parts may be written.
    Parts(super::PartShape, bool),
    /// `.get_mut()` of a device static: a reference to it.
    Place,
    /// `.is_empty()`
    IsEmpty,
    /// `.as_ptr()`
    Pointer,
    /// A device function whose first parameter is a slice; the receiver may be any memory.
    OfSlice(DeviceCallee),
    /// A function by which the recorder itself uses the operands.
    Recorded(super::option::Recorded),
    /// `==` of what has parts.
    Equality(super::Equality),
    /// A constant of the type: `T::default()`.
    Constant(fn() -> Expr),
    /// A `#[gpu_fn]` or `#[gpu_impl]` function.
    Device(DeviceCallee),
    /// A kernel, which is launched.
    Kernel(super::KernelCallee),
}

/// An instance of a `#[gpu_fn]` or `#[gpu_impl]` function.
#[derive(Clone)]
pub struct DeviceCallee {
    /// Its path with generic arguments.
    pub key: &'static str,
    /// Its Rust name.
    pub name: &'static str,
    /// The location of its definition.
    pub at: Location,
    /// Its emitter.
    pub record: fn(&mut Recorder),
}

/// A key that tells one instance of a function from all others. Paths are not enough: items inside blocks have none.
pub(super) type Instance = (&'static str, &'static str, Location);

impl DeviceCallee {
    fn instance(&self) -> Instance {
        (self.key, self.name, self.at)
    }
}

impl Recorder {
    /// `callee(args…)`, whose result has the witnessed type `ty`.
    pub fn call(&mut self, callee: Option<Callee>, args: Vec<Expr>, ty: Type) -> Expr {
        let at = self.location();
        match callee {
            Some(Callee::Builtin(op, meaning)) => self.call_builtin(op, meaning, args, ty),
            Some(Callee::Len) => self.call_len(args, ty),
            Some(Callee::Cast) => {
                let operand = args.into_iter().next().unwrap_or_else(Expr::never);
                self.cast(operand, ty)
            }
            Some(Callee::Copied) => {
                let operand = args.into_iter().next().unwrap_or_else(Expr::never);
                super::place::copied(self.value(operand))
            }
            Some(Callee::Vector) => {
                let mut args: Vec<Expr> = args.into_iter().map(|a| self.value(a)).collect();
                self.sequence(&mut args);
                Expr { kind: ExprKind::Vector(args), ty }
            }
            Some(Callee::Splat) => {
                let value = args.into_iter().next().unwrap_or_else(Expr::never);
                let value = self.simple(value);
                let n = if let Type::Vector(_, n) = &ty { *n } else { 0 };
                Expr { kind: ExprKind::Vector(vec![value; n]), ty }
            }
            Some(Callee::Reinterpret) => self.reinterpret(args, ty),
            Some(Callee::SplitAt) => self.split_at(args, &ty),
            Some(Callee::Place) => {
                let place = args.into_iter().next().unwrap_or_else(Expr::never);
                self.ref_(true, place)
            }
            Some(Callee::IsEmpty) => {
                let length = self.call_len(args, Type::U64);
                let zero = self.constant(&0usize, None);
                self.binary(crate::ir::BinaryOp::Eq, length, zero)
            }
            Some(Callee::Pointer) => self.pointer(args, ty),
            Some(Callee::OfSlice(device)) => {
                let mut args = args;
                if let Some(first) = args.first_mut() {
                    let base = std::mem::replace(first, Expr::unit());
                    *first = self.sub_slice(true, base, None, None, false);
                }
                let args = args.into_iter().flat_map(|arg| self.with_bounds(arg)).collect();
                let args = self.of_parameters(&device, args);
                self.call_device(&device, args)
            }
            Some(Callee::Constant(value)) => value(),
            Some(Callee::Recorded(record)) => record(self, args, ty),
            Some(Callee::Device(device)) => self.call_device(&device, args),
            Some(
                Callee::Native
                | Callee::Overloaded
                | Callee::Equality(_)
                | Callee::Kernel(_)
                | Callee::Parts(..),
            )
            | None => {
                self.fail(RecordError::Internal { what: "a call without a callee", at });
                Expr::never()
            }
        }
    }

    /// How a device function takes its first parameter.
    pub(super) fn receiver_of(&mut self, device: &DeviceCallee) -> Receiver {
        let Some(id) = self.instance(device) else { return Receiver::Value };
        let function = &self.functions[id.0 as usize];
        match function.params.first().map(|param| &function.var(*param).ty) {
            Some(Type::Ref { mutable: true, .. }) => Receiver::Mutable,
            Some(Type::Ref { .. }) => Receiver::Shared,
            _ => Receiver::Value,
        }
    }

    fn call_builtin(
        &mut self,
        op: &'static Builtin,
        meaning: Option<Meaning>,
        args: Vec<Expr>,
        ty: Type,
    ) -> Expr {
        let at = self.location();
        let mut args: Vec<Expr> = match op.by_reference {
            true => args.into_iter().map(|a| self.once_referred(a)).collect(),
            false => args.into_iter().map(|a| self.value(a)).collect(),
        };
        if op.by_reference {
            self.sequence_after_place(&mut args)
        } else {
            self.sequence(&mut args)
        }
        if let Orders::By(orderings) = op.facts.orders {
            self.check_orderings(op, orderings, &args);
        }
        self.frame().add_effect(op.effect);
        let ty = if op.diverges { Type::Never } else { ty };
        Expr { kind: ExprKind::Builtin { op, meaning, args, at }, ty }
    }

    /// A reference to a reference as Rust coerces it where a reference is asked for.
    fn once_referred(&mut self, mut arg: Expr) -> Expr {
        while let Type::Ref { to, .. } = &arg.ty
            && matches!(**to, Type::Ref { .. })
            && !to.is_described()
        {
            arg = self.deref(arg);
        }
        arg
    }

    /// An ordering is a constant, and one that the operation can have.
    fn check_orderings(&mut self, op: &Builtin, orderings: &[(usize, Ordered)], args: &[Expr]) {
        let (at, builtin) = (self.location(), op.name.shown());
        for (position, ordered) in orderings {
            let Some(arg) = args.get(*position) else { continue };
            let Type::Enum(e) = &arg.ty else { continue };
            let Some(tag) = arg.as_int() else {
                let what = "an ordering that is not a constant of the kernel".to_owned();
                return self.fail(RecordError::Argument { builtin, what, at });
            };
            let name = e.variants.iter().find(|v| v.tag == tag).map_or("?", |v| v.name);
            if !ordered.allows(name) {
                let what = format!("the ordering `{name}`");
                self.fail(RecordError::Argument { builtin, what, at });
            }
        }
    }

    fn call_len(&mut self, args: Vec<Expr>, ty: Type) -> Expr {
        let Some(of) = args.into_iter().next() else { return Expr::never() };
        let of = match of.kind {
            ExprKind::Ref(place) => *place,
            _ => of,
        };
        if let Type::Array(_, n) = of.ty.peeled() {
            let n = *n;
            return self.constant(&n, None);
        }
        // A part is checked once, where it is made.
        let of = if matches!(of.kind, ExprKind::SubSlice { .. }) { self.bind_always(of) } else { of };
        Expr { kind: ExprKind::Len(of.into()), ty }
    }

    /// Arguments that may be of any integer type, as indices, as the types that a function takes.
    fn of_parameters(&mut self, device: &DeviceCallee, args: Vec<Expr>) -> Vec<Expr> {
        let typed = args.into_iter().enumerate().map(|(at, arg)| match self.parameter(device, at) {
            Some(ty @ Type::Scalar(_)) if ty != arg.ty && arg.ty.scalar().is_some() => self.cast(arg, ty),
            _ => arg,
        });
        typed.collect()
    }

    fn call_device(&mut self, device: &DeviceCallee, args: Vec<Expr>) -> Expr {
        let Some(function) = self.instance(device) else { return Expr::never() };
        let callee = &self.functions[function.0 as usize];
        let (effect, ty) = (callee.effect, callee.ret.clone());
        let params: Vec<Type> = callee.params.iter().map(|p| callee.var(*p).ty.clone()).collect();
        let mut args: Vec<Expr> = args.into_iter().zip(&params).map(|(a, p)| self.adjust(a, p)).collect();
        self.sequence(&mut args);
        for arg in &args {
            self.note_closure_effects(arg);
        }
        self.frame().add_effect(effect);
        self.given(Expr { kind: ExprKind::Call { function, args, effect }, ty })
    }

    /// A function given by its name, as a closure that calls it.
    pub fn function_value(&mut self, callee: Option<Callee>) -> Expr {
        let at = self.location();
        let Some(Callee::Device(device)) = callee else {
            let what = "a builtin by its name; write a closure that calls it".to_owned();
            self.fail(RecordError::Argument { builtin: "a function", what, at });
            return Expr::never();
        };
        let Some(id) = self.instance(&device) else { return Expr::never() };
        let function = &self.functions[id.0 as usize];
        let ret = function.ret.clone();
        let params: Vec<(String, Type)> = function
            .params
            .iter()
            .map(|p| (function.var(*p).name.clone(), function.var(*p).ty.clone()))
            .collect();
        self.closure_begin();
        let locals: Vec<_> =
            params.into_iter().map(|(name, ty)| self.closure_arg(&name, false, ty)).collect();
        let args = locals.iter().map(|l| self.local(l)).collect();
        let value = self.call_device(&device, args);
        self.closure_end(false, ret, value)
    }

    /// The function of an instance, recorded at its first call.
    fn instance(&mut self, device: &DeviceCallee) -> Option<FnId> {
        let key = device.instance();
        let line = self.line_of_call();
        let caller = |recorder: &Self| recorder.at_callers.contains(&key).then_some(line);
        if let Some(id) = self.instances.get(&(key, caller(self))) {
            return Some(*id);
        }
        if self.in_progress.contains(&key) {
            let at = self.location();
            self.fail(RecordError::Recursion { function: device.name.to_owned(), at });
            return None;
        }
        self.in_progress.push(key);
        let function = self.function(device.name, Type::Unit, device.at, device.record);
        self.in_progress.pop();
        let id = FnId(self.functions.len() as u32);
        self.gives.push(given_params(&function, &self.gives));
        self.functions.push(function);
        let caller = caller(self);
        if caller.is_some() {
            self.checked_at_callers.insert(id);
        }
        self.instances.insert((key, caller), id);
        Some(id)
    }

    /// The type of a parameter of a device function.
    pub(super) fn parameter(&mut self, device: &DeviceCallee, at: usize) -> Option<Type> {
        let id = self.instance(device)?;
        let function = &self.functions[id.0 as usize];
        function.params.get(at).map(|param| function.var(*param).ty.clone())
    }

    /// Rust's auto-ref and auto-deref of a receiver, and reads of references given by value.
    fn adjust(&mut self, arg: Expr, param: &Type) -> Expr {
        match (param, &arg.ty) {
            _ if is_array_for_slice(&arg.ty, param) || is_shared_for_array(&arg.ty, param) => {
                self.lend(arg, param.clone())
            }
            // A method of `&self` on a `&&T`: the receiver is read once for each extra reference.
            (Type::Ref { to, .. }, Type::Ref { to: inner, .. }) => {
                if matches!(**inner, Type::Ref { .. }) && !matches!(**to, Type::Ref { .. }) {
                    let inner = self.deref(arg);
                    self.adjust(inner, param)
                } else if matches!(**to, Type::Ref { .. }) && !matches!(**inner, Type::Ref { .. }) {
                    // A name that stands for a reference to what it refers to.
                    self.ref_(false, arg)
                } else {
                    arg
                }
            }
            (Type::Closure, _) => arg,
            (Type::Ref { mutable, .. }, _) => self.ref_(*mutable, arg),
            (_, Type::Ref { .. }) => self.value(arg),
            _ => arg,
        }
    }

    /// A reference as the type that a function takes: of an array where that is a slice, all elements.
    pub fn lend(&mut self, reference: Expr, ty: Type) -> Expr {
        match &ty {
            Type::Ref { mutable, .. } if is_array_for_slice(&reference.ty, &ty) => {
                self.sub_slice(*mutable, reference, None, None, false)
            }
            Type::Ref { to, .. } if is_shared_for_array(&reference.ty, &ty) => {
                let to = (**to).clone();
                self.shared_as_array(reference, &to, ty)
            }
            _ => reference,
        }
    }

    /// A shared array or a row of one as the array that a function takes.
    fn shared_as_array(&mut self, shared: Expr, array: &Type, ty: Type) -> Expr {
        let at = self.location();
        let Type::Array(elem, n) = array else { return shared };
        if self.shared_length(&shared) != Some(*n) || shared.ty.element().as_ref() != Some(&**elem) {
            self.fail(RecordError::SharedArray { array: array.to_string(), elem: elem.to_string(), at });
            return Expr::never();
        }
        let whole = self.sub_slice(true, shared, None, None, false);
        Expr { kind: ExprKind::Cast(whole.into()), ty }
    }

    /// The number of elements of a shared array that this function declares, or of a row of one.
    fn shared_length(&mut self, of: &Expr) -> Option<usize> {
        let (mut place, mut depth) = (of, 0);
        loop {
            place = match &place.kind {
                ExprKind::Ref(inner) => inner,
                ExprKind::Index { base, .. } => {
                    depth += 1;
                    base
                }
                ExprKind::Var(var) => {
                    let VarKind::Shared { extents, .. } = &self.frame().vars[var.0 as usize].kind else {
                        return None;
                    };
                    return extents
                        .get(depth)
                        .filter(|_| extents.len() == depth + 1)
                        .map(|extent| extent.len);
                }
                _ => return None,
            }
        }
    }

    /// A closure's effects become those of the function it is given in.
    fn note_closure_effects(&mut self, arg: &Expr) {
        if arg.ty == Type::Closure {
            self.frame().add_effect(Effect::Writes);
        }
    }

    /// `f(args…)` for a closure parameter `f`.
    pub fn call_closure(&mut self, closure: &Local, args: Vec<Expr>, ty: Type) -> Expr {
        let mut args: Vec<Expr> = args.into_iter().map(|arg| self.moved(arg)).collect();
        self.sequence(&mut args);
        self.frame().add_effect(Effect::Writes);
        match self.local(closure).kind {
            ExprKind::Var(closure) => {
                self.given(Expr { kind: ExprKind::CallClosure { closure, args }, ty: kept(ty) })
            }
            _ => {
                let at = self.location();
                self.fail(RecordError::Internal { what: "a call of what is not a closure parameter", at });
                Expr { kind: ExprKind::Unit, ty }
            }
        }
    }

    /// A write to memory that the caller can see makes the function one with an effect.
    pub(super) fn note_write(&mut self, place: &Expr) {
        if !place.is_in_variable() {
            self.frame().add_effect(Effect::Writes);
        }
    }

    /// `assert!(cond, message)`, `debug_assert!(cond, message)`
    pub fn assert(&mut self, cond: Expr, message: &str, debug: bool) -> Expr {
        if cond.as_bool() != Some(true) {
            self.frame().add_effect(Effect::Writes);
            let failure = AssertFailure::Message(message.to_owned());
            self.push(StmtKind::Assert { cond, failure, debug, proof: Proof::Open });
        }
        Expr::unit()
    }

    /// A check that an index is below a length, or that the end of a range is not beyond a limit. Its fault tells both.
    pub(crate) fn check_bound(&mut self, failure: AssertFailure, bound: Expr, limit: Expr) -> Expr {
        let [bound, limit] = [bound, limit].map(|e| self.value(e)).map(|e| self.bind(e));
        let op = if failure == AssertFailure::Index { BinaryOp::Lt } else { BinaryOp::Le };
        self.frame().add_effect(Effect::Writes);
        // It is not folded: the fault reads the operands.
        let cond = Expr { kind: ExprKind::Binary(op, bound.into(), limit.into()), ty: Type::BOOL };
        self.push(StmtKind::Assert { cond, failure, debug: true, proof: Proof::Open });
        Expr::unit()
    }

    /// The condition of an assertion with values in its message, which are told where it fails.
    pub fn told(&mut self, cond: Expr, tell: impl FnOnce(&mut Recorder) -> Expr) -> Expr {
        if cond.as_bool() == Some(true) {
            return cond;
        }
        let cond = self.bind(cond);
        let fails = self.opposite(cond.clone());
        self.when(fails, tell);
        cond
    }

    /// `println!(…)`
    pub fn print(&mut self, pieces: Vec<FormatPiece>, args: Vec<Expr>) -> Expr {
        let mut args: Vec<Expr> = args.into_iter().map(|a| self.value(a)).collect();
        self.sequence(&mut args);
        let at = self.location();
        if let Some(bad) = args.iter().find(|a| a.ty.scalar().is_none()) {
            let what = format!("a value of type `{}`; print its fields", bad.ty);
            self.fail(RecordError::Argument { builtin: "println!", what, at });
        }
        let specs =
            pieces.iter().filter_map(|p| if let FormatPiece::Arg(spec) = p { Some(spec) } else { None });
        for (spec, arg) in specs.zip(&args) {
            let float = arg.ty.scalar().is_some_and(crate::ir::Scalar::is_float);
            if matches!(spec.letter, 'e' | 'E') && !float {
                let what = "`{:e}` of an integer; convert it to a float".to_owned();
                self.fail(RecordError::Argument { builtin: "println!", what, at });
            }
            // The sign is text before the digits, and C pads the digits alone.
            let wide = arg.ty.scalar().is_some_and(|s| s.is_unsigned() && s.bits() == 64);
            let padded = spec.width.is_some() && !spec.zeros && spec.left != Some(true);
            if spec.plus && padded && (wide || matches!(spec.letter, 'x' | 'X' | 'o')) {
                let what = "`+` and a width for a `u64` or in another base; pad with zeros, or leave out one"
                    .to_owned();
                self.fail(RecordError::Argument { builtin: "println!", what, at });
            }
        }
        self.frame().add_effect(Effect::Writes);
        self.push(StmtKind::Print { pieces, args });
        Expr::unit()
    }
}

/// Returns whether an array is asked for where a shared array of one dimension, or a row of one, is given.
fn is_shared_for_array(given: &Type, asked: &Type) -> bool {
    match (given, asked) {
        (Type::Ref { to: given, .. }, Type::Ref { to: asked, .. }) => {
            matches!((&**given, &**asked), (Type::Shared { rank: 1, .. }, Type::Array(..)))
        }
        (Type::Shared { rank: 1, .. }, Type::Ref { to: asked, .. }) => matches!(**asked, Type::Array(..)),
        _ => false,
    }
}

/// Returns whether a reference to an array is given for a slice.
fn is_array_for_slice(given: &Type, asked: &Type) -> bool {
    match (given, asked) {
        (Type::Ref { to: given, .. }, Type::Ref { to: asked, .. }) => {
            matches!((&**given, &**asked), (Type::Array(..), Type::Slice(_)))
        }
        _ => false,
    }
}
