//! Images of another size.

mod call;
mod points;
mod rows;

pub use call::{Resize, resize};
pub use points::{Interpolation, Scale};
pub use rows::{Scaling, resize_rows};
