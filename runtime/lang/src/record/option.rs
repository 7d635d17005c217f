//! Methods of `Option` and `Result` that fail at the line that calls them, or only ask.

use super::Recorder;
use crate::ir::{Expr, Type};

/// A method as the recorder does it: operands and the type of the result.
pub type Recorded = fn(&mut Recorder, Vec<Expr>, Type) -> Expr;

impl Recorder {
    /// The message of the next `expect`.
    pub fn expecting(&mut self, message: &str) {
        self.expected = Some(message.to_owned());
    }
}

/// `.is_some()` and its like.
pub fn is_variant(recorder: &mut Recorder, args: Vec<Expr>, variant: &str) -> Expr {
    let value = args.into_iter().next().unwrap_or_else(Expr::never);
    recorder.is_variant(value, variant)
}

/// `.unwrap()` and its like: the field of a variant; any other is a fault of the launch.
pub fn take(recorder: &mut Recorder, args: Vec<Expr>, variant: &str, otherwise: &str) -> Expr {
    let value = args.into_iter().next().unwrap_or_else(Expr::never);
    let value = recorder.value(value);
    let value = recorder.bind_parts(value);
    let there = recorder.is_variant(value.clone(), variant);
    let message = recorder.expected.take().unwrap_or_else(|| otherwise.to_owned());
    recorder.assert(there, &message, false);
    recorder.part(value, Some(variant), "0")
}
