//! Calls of device functions, builtins and bodies in CUDA, and their output.

use std::collections::HashMap;

use super::{Binding, Exit, Lower, LoweredFunction, Result, room};
use crate::interpreter::print::Print;
use crate::interpreter::program::{Op, Slot};
use crate::ir::{ArgumentAccess, Builtin, Expr, FnId, Form, FormatPiece, Function, Location, Meaning, Type};
use crate::macro_support::device_body_only;

/// Operations before no further call stands where it is made.
const MOST_CODE: usize = 1 << 20;

/// Returns whether a value of a type is, or begins with, an address that is followed.
fn is_address(ty: &Type) -> bool {
    matches!(ty, Type::Ref { .. } | Type::Ptr { .. } | Type::View { .. })
}

impl<'m> Lower<'m> {
    /// `function(args…)`
    pub(super) fn call(&mut self, id: FnId, args: &'m [Expr], ty: &Type, to: Slot) -> Result<()> {
        let Some(lowered) = self.functions[id.0 as usize].clone() else {
            return self.inlined(&self.module.functions[id.0 as usize], args, to);
        };
        let function = &self.module.functions[id.0 as usize];
        let params = function.params.iter().map(|param| &function.var(*param).ty);
        let fits =
            |(param, arg): (&Type, &Expr)| arg.ty == Type::Never || is_address(param) == is_address(&arg.ty);
        let fits = params.zip(args).all(fits);
        if !fits || function.params.len() != args.len() {
            return self
                .unsupported(format!("a call of `{}` with other arguments than it takes", function.name));
        }
        let mut values = Vec::new();
        for arg in args {
            values.push(self.value(arg)?);
        }
        for ((param, value), arg) in lowered.params.iter().zip(values).zip(args) {
            self.copy(*param, value, room(&arg.ty).0);
        }
        let site = self.site();
        self.push(Op::Call { to: lowered.entry.0, link: lowered.link, site });
        self.copy(to, lowered.result, room(ty).0);
        Ok(())
    }

    /// A call of a function that takes closures: its body stands here.
    fn inlined(&mut self, function: &'m Function, args: &'m [Expr], to: Slot) -> Result<()> {
        if function.foreign.is_some() {
            return self.unsupported("a body in CUDA that takes a closure");
        }
        // Functions that pass closures on stand in each other, twice as many in each where they call twice.
        if self.program.code.len() > MOST_CODE {
            return self
                .unsupported(format!("calls with closures that are more than {MOST_CODE} operations"));
        }
        let mut bindings = HashMap::new();
        for (param, arg) in function.params.iter().zip(args) {
            let ty = &function.var(*param).ty;
            bindings.insert(
                *param,
                match ty {
                    Type::Closure => Binding::Closure(self.closure_of(arg)?),
                    _ => {
                        let (value, slot) = (self.value(arg)?, self.slot(ty));
                        self.copy(slot, value, room(ty).0);
                        Binding::Slot(slot)
                    }
                },
            );
        }
        let (outer, at, called_from) = (self.scope, self.at, self.called_from);
        if !self.is_library(at) {
            self.called_from = Some(at);
        }
        self.open_scope(function, bindings);
        let (end, kept) = (self.label(), self.enter());
        self.exits.push(Exit::Inlined { result: to, end });
        self.block(&function.body)?;
        self.exits.pop();
        self.here(end);
        self.exit(kept);
        (self.scope, self.at, self.called_from) = (outer, at, called_from);
        Ok(())
    }

    /// The Rust meaning of a function whose body on the device is CUDA.
    pub(super) fn foreign(&mut self, function: &Function, lowered: &LoweredFunction) -> Result<()> {
        let Some(meaning) = function.meaning else {
            // A fault of the thread that comes here: a kernel may have a way past it.
            self.fail(&device_body_only(&function.name));
            return Ok(());
        };
        let site = self.site();
        self.meaning(meaning, &lowered.params, lowered.result, site);
        Ok(())
    }

    fn meaning(&mut self, meaning: Meaning, values: &[Slot], ret: Slot, site: u32) {
        let args = self.program.args.len() as u32;
        self.program.args.extend(values);
        self.push(Op::Builtin { meaning, args, count: values.len() as u32, ret, site });
    }

    /// A call of a builtin.
    pub(super) fn builtin(
        &mut self,
        e: &'m Expr,
        op: &'static Builtin,
        meaning: Option<Meaning>,
        args: &'m [Expr],
        at: Location,
        to: Slot,
    ) -> Result<()> {
        // A meaning follows its addresses: a number in the place of one must not get there.
        let follows =
            |(i, arg): (usize, &Expr)| op.facts.access(i) != ArgumentAccess::None && !is_address(&arg.ty);
        if args.iter().enumerate().any(follows) {
            return self.unsupported(format!("`{}` of a value that is no place", op.name));
        }
        let mut values = Vec::new();
        for arg in args {
            values.push(self.value(arg)?);
        }
        if self.native(op, args, &values, &e.ty, to) {
            return Ok(());
        }
        let Some(meaning) = meaning else {
            return self
                .unsupported(format!("the builtin `{}`, whose Rust the interpreter cannot call", op.name));
        };
        self.work_of_builtin(op.facts.cost, &e.ty);
        let site = self.site_at(at);
        self.synchronising(e, site, |lower| lower.meaning(meaning, &values, to, site));
        Ok(())
    }

    /// Plain accesses by a raw pointer, which observers see as those of references.
    fn native(&mut self, op: &Builtin, args: &'m [Expr], values: &[Slot], ty: &Type, to: Slot) -> bool {
        let Some(Type::Ptr { to: elem, .. }) = args.first().map(|e| &e.ty) else { return false };
        let place = super::place::Place::Memory { pointer: values[0], offset: 0, constant: false };
        match (op.facts.form, values) {
            (Form::PointerRead, [_]) if **elem == *ty => {
                let value = self.load(&place, elem);
                self.copy(to, value, elem.size());
                true
            }
            (Form::PointerWrite, [_, value]) => {
                self.store(&place, *value, elem, elem.size());
                true
            }
            _ => false,
        }
    }

    /// `println!(…)`
    pub(super) fn print(&mut self, pieces: &[FormatPiece], args: &'m [Expr]) -> Result<()> {
        let mut values = Vec::new();
        for arg in args {
            let Some(scalar) = arg.ty.scalar() else {
                return self.unsupported(format!("printing a `{}`", arg.ty));
            };
            values.push((self.value(arg)?, scalar));
        }
        let table = self.program.prints.len() as u32;
        self.program.prints.push(Print { pieces: pieces.to_vec(), args: values });
        self.push(Op::Print { table });
        Ok(())
    }

    /// Ends the launch here with a panic.
    pub(super) fn fail(&mut self, message: &str) {
        let site = self.site();
        self.program.messages.push(message.to_owned());
        self.push(Op::Fail { message: self.program.messages.len() as u32 - 1, site });
    }
}
