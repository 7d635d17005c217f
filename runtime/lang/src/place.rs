//! The place of memory, and the owner that orders its uses.

use std::any::Any;
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;

/// The device whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// The simulator: host memory.
    Simulator,
    /// A GPU, by ordinal.
    Gpu(usize),
}

impl std::fmt::Display for MemoryPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MemoryPlace::Simulator => f.write_str("the simulator"),
            MemoryPlace::Gpu(ordinal) => write!(f, "GPU {ordinal}"),
        }
    }
}

/// How launches on several streams are ordered with other uses of an argument's memory.
///
/// It refers to the memory's owner, which the argument's lifetime keeps borrowed. Only its maker knows the owner's type.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order(Option<Owner>);

/// The owner of an argument's memory, with a kind by which its maker knows the type.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// Address of the owner.
    pub address: NonNull<()>,
    /// The value by which its maker knows the kind of owner.
    pub kind: &'static (dyn Any + Send + Sync),
}

// SAFETY: the maker of an order promises that its owner is `Send` and `Sync`.
unsafe impl Send for Order {}
// SAFETY: as above.
unsafe impl Sync for Order {}
// An owner keeps its state behind locks.
impl RefUnwindSafe for Order {}

impl Order {
    /// For memory that no stream uses but through the launches at hand, such as the simulator's.
    pub const NONE: Self = Self(None);

    /// The order of an owner.
    ///
    /// # Safety
    /// The owner is `Send` and `Sync`, and outlives the argument.
    pub const unsafe fn new(owner: Owner) -> Self {
        Self(Some(owner))
    }

    /// The owner, if uses of the memory are ordered.
    pub fn owner(&self) -> Option<Owner> {
        self.0
    }
}
