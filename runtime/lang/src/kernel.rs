//! The trait that `#[gpu_kernel]` implements, and a kernel behind it, whatever its type.

use std::any::{Any, TypeId};
use std::hash::{Hash, Hasher};

use crate::argument::KernelArg;
use crate::ir::{Expr, KernelAttributes, KernelId, Location, Module};
use crate::record::{self, Callee, Definition, KernelCallee, RecordError, Recorder};

/// A kernel as the attribute declares it: its names, its attributes, and the functions that record and run its body.
///
/// `warpsmith::Kernel`, which every kernel implements, has the methods for users, such as reading its CUDA.
pub trait KernelDefinition: 'static + Sized {
    /// Its Rust name, which is also the name of the `__global__` function.
    const NAME: &'static str;
    /// Names of the run-time parameters, in order.
    const PARAMS: &'static [&'static str];
    /// The `#[comptime]` parameters as a tuple.
    type Comptime: Clone + Eq + Hash + Send + Sync + 'static;
    /// The run-time arguments of one launch: an array as long as [`PARAMS`](KernelDefinition::PARAMS), held in place.
    #[doc(hidden)]
    type Args: AsRef<[KernelArg]> + Clone + Send + Sync + 'static;

    /// The settings of its attribute.
    const ATTRIBUTES: KernelAttributes;
    /// The location of its definition.
    const AT: Location;
    /// Names of the `#[comptime]` parameters, at their places among all parameters.
    #[doc(hidden)]
    const COMPTIME: &'static [Option<&'static str>];

    /// Records the body into the function that is open.
    #[doc(hidden)]
    fn emit(comptime: &Self::Comptime, recorder: &mut Recorder);

    /// The comptime values, from constants of the kernel language.
    #[doc(hidden)]
    fn comptime_of(given: &[Expr]) -> Option<Self::Comptime>;

    /// Runs the twin as one simulated thread.
    #[doc(hidden)]
    fn run_thread(comptime: &Self::Comptime, args: &[KernelArg]);
}

/// A kernel for comptime values.
pub struct Specialized<K: KernelDefinition>(pub K::Comptime);

// Not derived, since the kernel's own type need not be `Clone`.
impl<K: KernelDefinition> Clone for Specialized<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// A [`Specialized`] kernel, whatever its type.
///
/// Launching is thousands of instructions of host code. Behind this trait they are compiled once, in the library, and not again for
/// every kernel of a program.
pub trait AnyKernel: Any + Send + Sync {
    /// [`KernelDefinition::NAME`].
    fn name(&self) -> &'static str;
    /// [`KernelDefinition::PARAMS`].
    fn params(&self) -> &'static [&'static str];
    /// [`KernelDefinition::ATTRIBUTES`].
    fn attributes(&self) -> KernelAttributes;
    /// [`KernelDefinition::AT`].
    fn at(&self) -> Location;
    /// The path of its type.
    fn type_name(&self) -> &'static str;
    /// [`KernelDefinition::emit`].
    fn emit(&self, recorder: &mut Recorder);
    /// [`KernelDefinition::run_thread`].
    fn run_thread(&self, args: &[KernelArg]);
    /// Hashes its type and its comptime values.
    fn hash(&self, state: &mut dyn Hasher);
    /// Returns whether another is the same kernel for the same comptime values.
    fn is(&self, other: &dyn Any) -> bool;
    /// A copy of it.
    fn boxed(&self) -> Box<dyn AnyKernel>;
}

impl<K: KernelDefinition> AnyKernel for Specialized<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn params(&self) -> &'static [&'static str] {
        K::PARAMS
    }

    fn attributes(&self) -> KernelAttributes {
        K::ATTRIBUTES
    }

    fn at(&self) -> Location {
        K::AT
    }

    fn type_name(&self) -> &'static str {
        std::any::type_name::<K>()
    }

    fn emit(&self, recorder: &mut Recorder) {
        K::emit(&self.0, recorder);
    }

    fn run_thread(&self, args: &[KernelArg]) {
        K::run_thread(&self.0, args);
    }

    fn hash(&self, mut state: &mut dyn Hasher) {
        (TypeId::of::<K>(), &self.0).hash(&mut state);
    }

    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| other.0 == self.0)
    }

    fn boxed(&self) -> Box<dyn AnyKernel> {
        Box::new(self.clone())
    }
}

/// Hands a kernel to a recorder.
fn defined<R>(kernel: &dyn AnyKernel, with: impl FnOnce(Definition<'_>) -> R) -> R {
    with(Definition {
        name: kernel.name(),
        attributes: kernel.attributes(),
        at: kernel.at(),
        comptime: kernel.boxed(),
        same: &|known| kernel.is(known),
        emit: &|recorder| kernel.emit(recorder),
    })
}

/// Records a kernel and every kernel that it launches.
///
/// # Errors
/// The first construct whose types the kernel language does not support, with its Rust line.
pub fn record(kernel: &dyn AnyKernel) -> Result<Module, RecordError> {
    defined(kernel, record::record)
}

/// The callee of a kernel's name in a kernel.
pub fn callee<K: KernelDefinition>() -> Callee {
    let instance = |recorder: &mut Recorder, given: &[Expr]| -> Option<KernelId> {
        let kernel = Specialized::<K>(K::comptime_of(given)?);
        defined(&kernel, |definition| recorder.kernel(definition))
    };
    Callee::Kernel(KernelCallee::new(K::NAME, K::COMPTIME, instance))
}
