//! What `chunks`, `chunks_exact` and `windows` give.

/// The parts that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartShape {
    /// `chunks(n)`: one behind the other, the last with what is left.
    Chunks,
    /// `chunks_exact(n)`: one behind the other, none with fewer elements.
    ExactChunks,
    /// `windows(n)`: one that begins at each element with `n - 1` more behind it.
    Windows,
}
