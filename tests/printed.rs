//! Every kernel of the corpus as printed CUDA on the simulator, compared with the twin bit for bit.
//!
//! Without a C++ compiler the tests say that they were skipped; `WARPSMITH_REQUIRE_CXX=1` makes that a failure.

use corpus::cases::{self, Case, Scale};
use warpsmith::Device;
use warpsmith::printed;
use warpsmith::simulator::{Executor, Settings};

/// What does not run as printed CUDA, with words of the reason.
const REFUSED: [(&str, &str); 7] = [
    ("nested_hello_world", "a launch of a kernel by a kernel"),
    ("gpu_recursive_reduce", "a launch of a kernel by a kernel"),
    ("gpu_recursive_reduce_nosync", "a launch of a kernel by a kernel"),
    ("gpu_recursive_reduce2", "a launch of a kernel by a kernel"),
    ("rotate", "a texture"),
    ("heat_step", "a surface"),
    ("false_colours", "a texture"),
];

/// Whether there is a compiler; says so where there is none.
fn has_compiler() -> bool {
    let missing = printed::compiler().err();
    if let Some(missing) = &missing {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_CXX").is_none(), "{missing}");
        println!("skipped: {missing}");
    }
    missing.is_none()
}

#[test]
fn every_kernel_of_the_corpus_does_as_printed_cuda_what_its_twin_does() {
    if !has_compiler() {
        return;
    }
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    let wrong: Vec<String> = cases::all().iter().filter_map(|case| problem(case, &device)).collect();
    assert!(wrong.is_empty(), "{} kernels\n{}", wrong.len(), wrong.join("\n"));
}

/// What is wrong with a case, unless it is refused for the reason that is known.
fn problem(case: &Case, device: &Device) -> Option<String> {
    let outcome = (case.check)(device, Scale::Small);
    let known = REFUSED.iter().find(|(name, _)| *name == case.name);
    match (outcome, known) {
        (Ok(()), None) => None,
        (Err(e), Some((_, reason))) if e.contains(&format!("the host does not run {reason}")) => None,
        (Ok(()), Some(_)) => Some(format!("{} is listed as refused, and runs", case.name)),
        (Err(e), _) => Some(format!("{}: {e}", case.name)),
    }
}
