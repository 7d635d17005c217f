//! The errors of a search.

/// Why a search has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TunerError {
    /// An axis without values.
    #[error("axis `{axis}` has no values, so there is no candidate; give it at least one")]
    Empty {
        /// The axis.
        axis: String,
    },
    /// An axis of another search.
    #[error("axis `{axis}` is not of this search; use the axes that this `Tuner` gave")]
    Axis {
        /// The axis.
        axis: String,
    },
    /// A closure that does not launch exactly once.
    #[error("candidate {candidate}: the closure launched {launches} times; call `trial.launch(…)` once")]
    Launches {
        /// The candidate.
        candidate: String,
        /// How often it launched.
        launches: u32,
    },
    /// No candidate fits.
    #[error("search `{name}`: none of {count} candidates fits the device; the first, {candidate}: {reason}")]
    NoneFits {
        /// The search.
        name: String,
        /// The number of candidates.
        count: usize,
        /// The first.
        candidate: String,
        /// Why it does not fit.
        reason: String,
    },
}
