//! The errors of graphs.

/// The errors of a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Memory or a node of another graph.
    #[error("this {what} belongs to another graph; use one that this graph's `{method}` returned")]
    Foreign {
        /// `memory` or `node`.
        what: &'static str,
        /// The method that gives one.
        method: &'static str,
    },
    /// Memory that one launch writes and also uses in another argument.
    #[error(
        "memory {index} of the graph is written by this launch and used by it a second time; hold another buffer"
    )]
    Borrowed {
        /// The number of the memory, in the order of the calls of `hold`.
        index: usize,
    },
    /// A stream or an event in a launch of a graph.
    #[error(
        "kernel `{kernel}`: a launch of a graph has no {what} of its own; use `graph.launch_on(&stream)`"
    )]
    Own {
        /// The kernel.
        kernel: &'static str,
        /// `stream` or `event`.
        what: &'static str,
    },
}
