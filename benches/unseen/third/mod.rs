//! The third set: frozen after the first two had been looked at, and before anybody had looked at what it compiles to.

pub mod planes;
pub mod searches;
