//! Printed CUDA on the simulator: every kernel of the corpus, compared with the twin bit for bit, and faults.
//!
//! Without a C++ compiler the tests are ignored.

use corpus::cases::{self, Case};
use harness::needs_cxx;
use warpsmith::Device;
use warpsmith::printed::{self, Sanitizers};
use warpsmith::simulator::{Executor, Settings, SimChecks};

mod affine;
mod along;
mod batches;
mod counting;
mod cursors;
mod differences;
mod early;
mod far;
mod faults;
mod lanes;
mod nested;
mod ordered;
mod references;
mod stacks;
mod tried;

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn every_kernel_of_the_corpus_does_as_printed_cuda_what_its_twin_does() {
    needs_cxx();
    compile_ahead(&[true, false], Sanitizers::NONE);
    // `simulator.rs` runs them with checks.
    let settings = || Settings { executor: Executor::All, checks: SimChecks::NONE, ..Settings::default() };
    cases::check_all(|| Device::simulator_with(settings()));
}

/// Compiles what most launches will run, checked, unchecked or both, many texts at a time.
fn compile_ahead(checked: &[bool], sanitizers: Sanitizers) {
    let start = std::time::Instant::now();
    let texts = |case: &Case| {
        let module = (case.module)().unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let texts = checked.iter().map(|checked| printed::launch_texts(&module, *checked));
        texts.collect::<Result<Vec<_>, _>>().unwrap_or_else(|e| panic!("{}: {e}", case.name)).concat()
    };
    let texts: Vec<_> = cases::all().iter().flat_map(texts).collect();
    printed::compile_ahead(&texts, sanitizers).expect("a compiler");
    println!("{} texts in {:?}", texts.len(), start.elapsed());
}

/// The texts do nothing that C++ leaves undefined, and access nothing but their arguments and shared memory.
#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn sanitizers_find_nothing_in_the_corpus() {
    needs_cxx();
    let sanitizers = Sanitizers::ALL;
    compile_ahead(&[true], sanitizers);
    cases::check_all(|| {
        Device::simulator_with(Settings { executor: Executor::Printed, sanitizers, ..Settings::default() })
    });
}

/// The first line of a fault.
fn first_line(fault: impl std::fmt::Display) -> String {
    fault.to_string().lines().next().unwrap_or_default().to_owned()
}

/// The fault of a launch, which all executors report alike.
fn fault_of_all<T: std::fmt::Debug>(run: impl Fn(Executor) -> Result<T, String>) -> String {
    let faults = [Executor::Twin, Executor::Interpreter, Executor::Printed].map(|executor| {
        let fault = run(executor).expect_err("a fault");
        first_line(fault)
    });
    assert_eq!([&faults[0], &faults[0]], [&faults[1], &faults[2]]);
    faults[0].clone()
}

/// Random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
}
