//! Mistakes with the registers that a thread gives back or takes.

use std::fmt;

/// A thread sets its registers in the wrong direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisterProblem {
    /// Registers that it has.
    pub held: u32,
    /// Registers that it asks for.
    pub wanted: u32,
}

impl fmt::Display for RegisterProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { held, wanted } = self;
        let (does, other) = match wanted > held {
            true => ("gives back", "setmaxnreg_inc"),
            false => ("takes", "setmaxnreg_dec"),
        };
        write!(f, "{does} registers until the thread has {wanted}, which has {held}; call `{other}` for that")
    }
}
