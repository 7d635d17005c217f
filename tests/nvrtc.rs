//! Every kernel of the corpus through NVRTC for three architectures, checked and unchecked.
//!
//! Without NVRTC the test says that it was skipped; `WARPSMITH_REQUIRE_NVRTC=1` makes that a failure.

use corpus::cases;
use warpsmith::codegen::{Checks, Options};
use warpsmith::nvrtc::{self, Arch, CompileOptions, DebugInfo, NvrtcError};

#[test]
fn every_kernel_compiles_without_a_warning() {
    if let Err(missing) = nvrtc::version() {
        assert!(std::env::var_os("WARPSMITH_REQUIRE_NVRTC").is_none(), "{missing}");
        assert_eq!(missing, NvrtcError::Missing);
        println!("skipped: {missing}");
        return;
    }
    let arches = [
        Arch { major: 8, minor: 0, specific: false },
        Arch { major: 9, minor: 0, specific: true },
        Arch { major: 10, minor: 0, specific: false },
    ];
    let mut failures = Vec::new();
    for case in cases::all() {
        let mut seen = Vec::new();
        for checks in [Checks::None, Checks::All, Checks::Lifted(u64::MAX)] {
            let source = (case.print)(&Options { checks, line_directives: checks != Checks::None })
                .unwrap_or_else(|e| panic!("{}: {e}", case.name));
            if seen.contains(&source.code) {
                continue;
            }
            seen.push(source.code.clone());
            // What a launch lifts is a part of what is checked: one architecture is enough for it.
            let once = checks == Checks::Lifted(u64::MAX);
            let fits = |a: &Arch| (a.major, a.minor) >= source.needs.min_compute && (a.specific || !once);
            for arch in arches.into_iter().filter(fits) {
                let relocatable = source.needs.launches;
                let options = CompileOptions { arch, fmad: true, debug_info: DebugInfo::None, relocatable };
                match nvrtc::compile_object(&source.code, case.name, &options) {
                    Ok(cubin) if cubin.log.is_empty() => {}
                    Ok(cubin) => failures.push(format!("{} for {arch}: {}", case.name, cubin.log)),
                    Err(error) => failures.push(error.to_string()),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
