//! Vectors of other lengths, for methods that give a part of a vector. The prelude has all of [`vector`](super::vector), and not this.

use super::vector::Vector;

/// Vectors of other lengths with the same scalar, where there are methods for them.
pub trait Parts: Vector {
    /// Two components.
    type Two;
    /// Three.
    type Three;
    /// Four.
    type Four;
}
