//! The environment variables `WARPSMITH_*` and their values, read in one place.
//!
//! Text comes in; typed values go out, or a [`SettingError`] that lists the valid values. Does nothing with
//! the values.

use std::path::PathBuf;
use std::sync::OnceLock;

pub use warpsmith_env::SettingError;
use warpsmith_env::{Lookup, all_or_list, choice, list, variable};

use crate::codegen::GpuChecks;
use crate::nvrtc::DebugInfo;

/// A form of a compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpForm {
    /// CUDA C++.
    Cuda,
    /// PTX, which NVRTC prints anew.
    Ptx,
    /// The ELF image that the driver loads.
    Cubin,
    /// Machine instructions, by `nvdisasm` or `cuobjdump`.
    Sass,
}

impl DumpForm {
    /// All of them.
    pub const ALL: [DumpForm; 4] = [DumpForm::Cuda, DumpForm::Ptx, DumpForm::Cubin, DumpForm::Sass];

    /// Its name in `WARPSMITH_DUMP`.
    pub fn name(self) -> &'static str {
        match self {
            DumpForm::Cuda => "cuda",
            DumpForm::Ptx => "ptx",
            DumpForm::Cubin => "cubin",
            DumpForm::Sass => "sass",
        }
    }
}

/// The device that `Device::open` opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first GPU, or the simulator where there is none.
    Any,
    /// A GPU and nothing else.
    Gpu,
    /// The simulator.
    Simulator,
}

/// How kernels are compiled, from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineSettings {
    /// Forms of each compiled kernel that are written to `dump_dir`.
    pub dump: Vec<DumpForm>,
    /// The directory of dumps.
    pub dump_dir: PathBuf,
    /// The information for profilers and debuggers in cubins.
    pub debug_info: DebugInfo,
    /// The checks on a GPU besides bounds, for launches that set none.
    pub gpu_checks: GpuChecks,
}

impl PipelineSettings {
    /// The settings of this process, read at the first call.
    ///
    /// # Errors
    /// The first variable with an invalid value.
    pub fn process() -> Result<&'static Self, SettingError> {
        static SETTINGS: OnceLock<Result<PipelineSettings, SettingError>> = OnceLock::new();
        SETTINGS.get_or_init(|| PipelineSettings::read(&variable)).as_ref().map_err(Clone::clone)
    }

    fn read(get: Lookup<'_>) -> Result<Self, SettingError> {
        let debug = [("none", DebugInfo::None), ("lines", DebugInfo::Lines), ("full", DebugInfo::Full)];
        let forms = DumpForm::ALL.map(|form| (form.name(), form));
        Ok(Self {
            dump: list(get, "WARPSMITH_DUMP", "lists of cuda, ptx, cubin, sass", &forms)?,
            dump_dir: get("WARPSMITH_DUMP_DIR").map_or_else(|| "warpsmith-dump".into(), PathBuf::from),
            debug_info: choice(get, "WARPSMITH_DEBUGINFO", "none, lines, full", &debug)?.unwrap_or_default(),
            gpu_checks: gpu_checks(get)?,
        })
    }
}

/// The simulated launches that write a page about themselves, and the directory of the pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pages {
    /// The directory.
    pub directory: PathBuf,
    /// The kernels; empty for all.
    kernels: Vec<String>,
}

impl Pages {
    /// `WARPSMITH_REPORT` and `WARPSMITH_REPORT_KERNELS` of this process, read at the first call; `None` without
    /// `WARPSMITH_REPORT`.
    pub fn process() -> Option<&'static Self> {
        static PAGES: OnceLock<Option<Pages>> = OnceLock::new();
        PAGES.get_or_init(|| Pages::read(&variable)).as_ref()
    }

    fn read(get: Lookup<'_>) -> Option<Self> {
        let directory = get("WARPSMITH_REPORT")?.into();
        let kernels = get("WARPSMITH_REPORT_KERNELS").unwrap_or_default();
        let kernels = kernels.split(',').map(str::trim).filter(|name| !name.is_empty());
        Some(Self { directory, kernels: kernels.map(str::to_owned).collect() })
    }

    /// Returns whether a kernel's launches are among them.
    pub fn include(&self, kernel: &str) -> bool {
        self.kernels.is_empty() || self.kernels.iter().any(|name| name == kernel)
    }
}

/// `WARPSMITH_DEVICE`.
///
/// # Errors
/// A value that is neither `gpu` nor `sim`.
pub fn device() -> Result<DeviceChoice, SettingError> {
    let choices = [("gpu", DeviceChoice::Gpu), ("sim", DeviceChoice::Simulator)];
    Ok(choice(&variable, "WARPSMITH_DEVICE", "gpu, sim", &choices)?.unwrap_or(DeviceChoice::Any))
}

/// `WARPSMITH_GPU_CHECKS`.
fn gpu_checks(get: Lookup<'_>) -> Result<GpuChecks, SettingError> {
    let one = GpuChecks::NONE;
    let known = [
        ("alignment", GpuChecks { alignment: true, ..one }),
        ("initialisation", GpuChecks { initialisation: true, ..one }),
    ];
    let allowed = "all, off, or a list of alignment, initialisation";
    let read =
        all_or_list(get, "WARPSMITH_GPU_CHECKS", allowed, [one, GpuChecks::ALL], &known, |a, b| GpuChecks {
            alignment: a.alignment | b.alignment,
            initialisation: a.initialisation | b.initialisation,
        });
    Ok(read?.unwrap_or(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<PipelineSettings, SettingError> {
        PipelineSettings::read(&|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn lists_and_words_are_read() {
        let dump = read(&[("WARPSMITH_DUMP", "cuda, sass"), ("WARPSMITH_DUMP_DIR", "d")]).expect("allowed");
        assert_eq!((dump.dump, dump.dump_dir), (vec![DumpForm::Cuda, DumpForm::Sass], "d".into()));
        let debug = |text| read(&[("WARPSMITH_DEBUGINFO", text)]).map(|settings| settings.debug_info);
        assert_eq!([debug("lines"), debug("full")], [Ok(DebugInfo::Lines), Ok(DebugInfo::Full)]);
    }

    #[test]
    fn pages_go_to_a_directory_for_the_kernels_that_are_named() {
        let variables = [("WARPSMITH_REPORT", "pages"), ("WARPSMITH_REPORT_KERNELS", "saxpy, reduce,")];
        let read = |variables: &[(&str, &str)]| {
            Pages::read(&|name| variables.iter().find(|of| of.0 == name).map(|of| of.1.to_owned()))
        };
        let pages = read(&variables).expect("they are wanted");
        assert_eq!(pages.directory, PathBuf::from("pages"));
        assert_eq!(["saxpy", "reduce", "gemm"].map(|name| pages.include(name)), [true, true, false]);
        assert!(read(&variables[..1]).is_some_and(|all| all.include("gemm")));
        assert_eq!(read(&variables[1..]), None);
    }

    #[test]
    fn checks_on_a_gpu_are_off_unless_they_are_said() {
        let read = |text| read(&[("WARPSMITH_GPU_CHECKS", text)]).map(|settings| settings.gpu_checks);
        assert_eq!([read("off"), read("all")], [Ok(GpuChecks::NONE), Ok(GpuChecks::ALL)]);
        assert_eq!(read("alignment"), Ok(GpuChecks { alignment: true, ..GpuChecks::NONE }));
        assert_eq!(read("initialisation, alignment"), Ok(GpuChecks::ALL));
        assert!(read("races").is_err_and(|refused| refused.name == "WARPSMITH_GPU_CHECKS"));
    }

    #[test]
    fn a_value_that_means_nothing_is_refused_by_name() {
        let wrong = [("WARPSMITH_DUMP", "cuda,elf"), ("WARPSMITH_DEBUGINFO", "true")];
        for (name, value) in wrong {
            let refused = read(&[(name, value)]).expect_err(name);
            assert_eq!((refused.name, refused.value.as_str()), (name, value));
            assert!(
                refused
                    .to_string()
                    .starts_with(&format!("`{name}={value}` is not understood; valid values: "))
            );
        }
        assert_eq!(read(&[("WARPSMITH_NOTHING", "x")]), read(&[]));
    }
}
