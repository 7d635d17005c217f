//! Recording: what an emitter calls, statement by statement, to build the IR.
//!
//! Calls that `#[gpu_kernel]` and `#[gpu_fn]` write come in, with the types that the witness found. A
//! [`Module`](crate::ir::Module) goes out. The recorder folds constants as it goes, so it never records a branch that is
//! known not to be taken. It knows no CUDA.
//!
//! Recording is infallible call by call: the first mistake is kept, later calls go on with a
//! placeholder, and [`record()`] returns the mistake.
//!
//! Emitters are most of the code of a kernel. Where an emitter calls something while it holds a value that needs dropping, rustc writes
//! code for an unwinding call. What an emitter holds for long, as the user's names, is therefore a number.

mod adapters;
mod advanced;
mod assign;
mod at_caller;
mod block;
mod call;
mod compare;
mod compare_parts;
mod control;
mod convert;
mod count;
mod decided;
mod ends;
mod error;
mod escape;
mod exchange;
mod flat;
mod fold;
mod item;
mod iter;
mod kept;
mod launch;
mod lazy;
mod loops;
mod ops;
pub(crate) mod option;
mod order;
mod part_shape;
mod parts;
mod pattern;
mod place;
mod range;
mod reduce;
mod slice;
#[cfg(test)]
mod tests;
mod tried;

pub use block::{Local, Mark};
pub use call::{Callee, DeviceCallee};
pub use compare_parts::Equality;
pub(crate) use compare_parts::REVERSE;
pub use error::RecordError;
pub use item::{Inner, Opened};
pub use iter::Iter;
pub use kept::Kept;
pub use launch::{ConstOf, Definition, KernelCallee, NoConst, PlainConst, record};
pub use loops::RangeShape;
pub(crate) use loops::ZERO_STEP;
pub use order::Receiver;
pub use part_shape::PartShape;
pub(crate) use parts::NO_ELEMENTS;
pub(crate) use range::{HALF_OPEN, INCLUSIVE};

use std::collections::{HashMap, HashSet};

use crate::ir::{Expr, FnId, Function, Location, LoopId, Type};

use block::Frame;
use escape::{Body, keep_temporaries};

/// Builds one module.
pub struct Recorder {
    functions: Vec<Function>,
    /// Of each function the parameters that it may give back.
    gives: Vec<Vec<bool>>,
    /// The kernel itself, and those that are launched.
    kernels: Vec<launch::Instance>,
    /// By the line of the call too, for the functions whose checks report it.
    instances: HashMap<(call::Instance, Option<Location>), FnId>,
    at_callers: HashSet<call::Instance>,
    /// Those of `functions` that are of these instances.
    checked_at_callers: HashSet<FnId>,
    in_progress: Vec<call::Instance>,
    frames: Vec<Frame>,
    /// The values of the names that emitters hold.
    locals: Vec<Expr>,
    /// What ends the items that are being recorded, where that is not the end of their loop.
    ends: Vec<ends::End>,
    /// How many items each `take` around the item that is being recorded still gives, and the loop that it ends.
    limits: Vec<(Expr, Option<LoopId>)>,
    /// The message of an `expect` that is being recorded.
    expected: Option<String>,
    error: Option<RecordError>,
}

impl Recorder {
    fn new() -> Self {
        Self {
            functions: Vec::new(),
            gives: Vec::new(),
            kernels: Vec::new(),
            instances: HashMap::new(),
            at_callers: HashSet::new(),
            checked_at_callers: HashSet::new(),
            in_progress: Vec::new(),
            frames: Vec::new(),
            locals: Vec::new(),
            ends: Vec::new(),
            limits: Vec::new(),
            expected: None,
            error: None,
        }
    }

    /// The function being recorded.
    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new("", Type::Unit, Location { file: "", line: 0 }));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Keeps the first mistake, where control can arrive.
    fn fail(&mut self, error: RecordError) {
        if !self.frames.last_mut().is_some_and(|frame| frame.block().dead) {
            self.error.get_or_insert(error);
        }
    }

    /// Records what `body` emits as one function.
    fn function(&mut self, name: &str, ret: Type, at: Location, body: impl FnOnce(&mut Self)) -> Function {
        self.frames.push(Frame::new(name, ret, at));
        body(self);
        let frame = self.frames.pop().unwrap_or_else(|| Frame::new(name, Type::Unit, at));
        let caller = frame.caller;
        let mut function = frame.finish();
        self.check_at_caller(&mut function, caller);
        let kept = keep_temporaries(Body {
            name,
            params: &function.params,
            block: &mut function.body,
            vars: &mut function.vars,
            at,
            gives: &self.gives,
        });
        if let Err(error) = kept {
            self.fail(error);
        }
        if let Some(var) = function.vars.iter().find(|var| changes_slices(&var.ty)) {
            self.fail(RecordError::SlicePlace { name: var.name.clone(), at });
        }
        if let Some(var) = function.vars.iter().find(|var| var.ty.parts().into_iter().any(holds_shared)) {
            self.fail(RecordError::SharedPart { name: var.name.clone(), at });
        }
        function
    }
}

/// Returns whether a value is or holds a shared array, or a reference to one of several dimensions. Only a variable has extents.
fn holds_shared(ty: &Type) -> bool {
    let is_shared = match ty {
        Type::Shared { .. } => true,
        Type::Ref { to, .. } => matches!(**to, Type::Shared { rank, .. } if rank > 1),
        _ => false,
    };
    is_shared || ty.parts().into_iter().any(holds_shared)
}

/// Returns whether one slice can become another through a value. A slice in a variable is a pointer and a length apart, so no
/// single address holds both.
fn changes_slices(ty: &Type) -> bool {
    match ty {
        Type::Ref { to, mutable } => {
            let of_slice = to.is_slice();
            (*mutable && of_slice) || changes_slices(to)
        }
        Type::Tuple(items) => items.iter().any(changes_slices),
        Type::Array(elem, _) => changes_slices(elem),
        Type::Enum(e) => e.variants.iter().flat_map(|v| &v.fields).any(|(_, field)| changes_slices(field)),
        _ => false,
    }
}
