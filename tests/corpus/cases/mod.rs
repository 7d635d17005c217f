//! Every kernel of the corpus with inputs, a launch and a host reference.

mod access;
mod attention;
mod coarsening;
mod data;
mod execution;
mod fields;
mod gemm;
mod groups;
mod histogram;
mod language;
mod matrices;
mod memory_spaces;
mod nested;
mod ordering;
mod pitched;
mod pointwise;
mod reductions;
mod rows;
mod scans;
mod shared_layout;
mod shuffles;
mod sparse;
mod tensor_cores;
mod textures;
mod transposes;
mod vectors;

pub use data::Random;
pub use sparse::HostCsr;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use warpsmith::codegen::{CudaSource, PrintOptions};
use warpsmith::validate::ValidModule;
use warpsmith::{Device, Kernel};

/// How large the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// For the simulator: thousands of elements, ragged where the kernel allows it.
    Small,
    /// For a GPU: up to 2^28 elements, matrices up to 16384².
    Real,
}

impl Scale {
    /// One of two sizes.
    pub fn pick<T>(self, small: T, real: T) -> T {
        match self {
            Scale::Small => small,
            Scale::Real => real,
        }
    }
}

/// One kernel, or one specialization of one.
#[derive(Clone)]
pub struct Case {
    /// Name of its snapshot: `saxpy`, `reduce_complete_unroll@block_256`.
    pub name: &'static str,
    /// Its CUDA.
    pub print: fn(&PrintOptions) -> warpsmith::Result<CudaSource>,
    /// Its IR.
    pub module: fn() -> warpsmith::Result<ValidModule>,
    /// Runs it on a device and compares with the host; the error says what differs.
    pub check: fn(&Device, Scale) -> Result<(), String>,
}

/// Runs every case on small inputs, on a device for each core: cases may use the same statics.
///
/// # Panics
/// If one gives another result than its reference, or a fault.
pub fn check_all(device: impl Fn() -> Device + Sync) {
    check(&all(), device);
}

/// As [`check_all`], some cases.
///
/// # Panics
/// As there.
pub fn check(cases: &[Case], device: impl Fn() -> Device + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        let (device, mut failures) = (device(), Vec::new());
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let failure = (case.check)(&device, Scale::Small).err();
            failures.extend(failure.map(|failure| format!("{}: {failure}", case.name)));
        }
        failures
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a case that panics has said why"))
            .collect()
    });
    assert!(failures.is_empty(), "{} kernels\n{}", failures.len(), failures.join("\n"));
}

/// Every case.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    // The longest first: cores that share them end together.
    cases.extend(tensor_cores::cases());
    cases.extend(attention::cases());
    cases.extend(vectors::cases());
    cases.extend(coarsening::cases());
    cases.extend(matrices::cases());
    cases.extend(reductions::cases());
    cases.extend(shuffles::cases());
    cases.extend(histogram::cases());
    cases.extend(language::cases());
    cases.extend(gemm::cases());
    cases.extend(rows::cases());
    cases.extend(scans::cases());
    cases.extend(fields::cases());
    cases.extend(sparse::cases());
    cases.extend(pointwise::cases());
    cases.extend(transposes::cases());
    cases.extend(access::cases());
    cases.extend(memory_spaces::cases());
    cases.extend(pitched::cases());
    cases.extend(shared_layout::cases());
    cases.extend(execution::cases());
    cases.extend(groups::cases());
    cases.extend(ordering::cases());
    cases.extend(nested::cases());
    cases.extend(textures::cases());
    cases.extend(crate::ports::cases());
    cases
}

/// Prints a kernel without comptime parameters.
fn print<K: Kernel<Comptime = ()>>(options: &PrintOptions) -> warpsmith::Result<CudaSource> {
    K::print(&(), options)
}

fn module<K: Kernel<Comptime = ()>>() -> warpsmith::Result<ValidModule> {
    K::module(&())
}

/// The error of a launch or copy, as text.
fn text(error: warpsmith::Error) -> String {
    error.to_string()
}
