//! The costs of a kernel and the ceilings of a device: resources, occupancy, roofline.
//!
//! The compiler's or the driver's figures of a kernel come in, and those of a device; numbers go out, which also
//! print as text. Launches nothing except the two kernels of [`Ceilings::measure`].

mod ceilings;
mod directory;
mod page;
mod plot;
mod roofline;
mod samples;
mod timing;

pub use crate::error::ReportError;
pub use crate::metrics::Work;
pub use crate::resources::{Allowed, BoundsEffect, Limiter, Multiprocessor, Occupancy, Resources, Spills};
pub use ceilings::{Ceilings, Peak, Roof};
pub use directory::{Directory, Entry};
pub use page::Page;
pub(crate) use page::Parts;
pub use roofline::{Bound, Point, Roofline};
pub use samples::{Sampled, Samples};
pub use timing::Timing;
