//! The trait that `#[gpu_kernel]` implements.

use std::any::Any;
use std::hash::Hash;

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

    /// The comptime values, from constants of the device language.
    #[doc(hidden)]
    fn comptime_of(given: &[Expr]) -> Option<Self::Comptime>;

    /// Runs the twin as one simulated thread.
    #[doc(hidden)]
    fn run_thread(comptime: &Self::Comptime, args: &[KernelArg]);
}

/// The comptime values of a kernel, as a type that tells kernels apart.
struct Specialized<K: KernelDefinition>(K::Comptime);

/// Hands a kernel for comptime values to a recorder.
fn defined<K: KernelDefinition, R>(comptime: &K::Comptime, with: impl FnOnce(Definition<'_>) -> R) -> R {
    let same =
        |known: &dyn Any| known.downcast_ref::<Specialized<K>>().is_some_and(|known| known.0 == *comptime);
    with(Definition {
        name: K::NAME,
        attributes: K::ATTRIBUTES,
        at: K::AT,
        comptime: Box::new(Specialized::<K>(comptime.clone())),
        same: &same,
        emit: &|recorder| K::emit(comptime, recorder),
    })
}

/// Records a kernel and every kernel that it launches.
///
/// # Errors
/// The first construct whose types the device language does not support, with its Rust line.
pub fn record<K: KernelDefinition>(comptime: &K::Comptime) -> Result<Module, RecordError> {
    defined::<K, _>(comptime, record::record)
}

/// The callee of a kernel's name in a kernel.
pub fn callee<K: KernelDefinition>() -> Callee {
    let instance = |recorder: &mut Recorder, given: &[Expr]| -> Option<KernelId> {
        let comptime = K::comptime_of(given)?;
        defined::<K, _>(&comptime, |definition| recorder.kernel(definition))
    };
    Callee::Kernel(KernelCallee::new(K::NAME, K::COMPTIME, instance))
}
