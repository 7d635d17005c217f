//! The environment variables `WARPSMITH_*`: what they may be, read in one place.
//!
//! What comes in is text; what goes out is typed, or a [`SettingError`] that names what is allowed.
//! Does nothing with the values.

use std::env;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::codegen::GpuChecks;
use crate::dump::Form;
use crate::nvrtc::DebugInfo;
use crate::printed::Sanitizers;
use crate::simulator::{Executor, SimChecks};

/// Bytes of the disk cache unless set: 1 GiB.
const CACHE_BYTES: u64 = 1 << 30;

/// An environment variable whose value means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}={value}` is not understood; allowed are {allowed}")]
pub struct SettingError {
    /// The variable.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// What it may be.
    pub allowed: &'static str,
}

/// Which device `Device::open` opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first GPU, or the simulator where there is none.
    Any,
    /// A GPU and nothing else.
    Gpu,
    /// The simulator.
    Simulator,
}

/// How kernels are compiled, as the environment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Directory of the disk cache; `None` if it is switched off or there is no place for it.
    pub cache_dir: Option<PathBuf>,
    /// Bytes that the disk cache may hold.
    pub cache_bytes: u64,
    /// Forms of each compiled kernel that are written to `dump_dir`.
    pub dump: Vec<Form>,
    /// Where dumps go.
    pub dump_dir: PathBuf,
    /// What cubins tell profilers and debuggers.
    pub debug_info: DebugInfo,
    /// Whether each look-up of a cubin is reported on stderr.
    pub log_cache: bool,
    /// What launches check on a GPU besides bounds, unless they say so themselves.
    pub gpu_checks: GpuChecks,
}

/// A source of variables: the environment, or a test's.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Settings {
    /// The settings of this process, read at the first call.
    ///
    /// # Errors
    /// The first variable whose value is not allowed.
    pub fn process() -> Result<&'static Self, SettingError> {
        static SETTINGS: OnceLock<Result<Settings, SettingError>> = OnceLock::new();
        SETTINGS.get_or_init(|| Settings::read(&variable)).as_ref().map_err(Clone::clone)
    }

    fn read(get: Lookup<'_>) -> Result<Self, SettingError> {
        let cache = choice(get, "WARPSMITH_CACHE", "on, off", &[("on", true), ("off", false)])?;
        let debug = [("none", DebugInfo::None), ("lines", DebugInfo::Lines), ("full", DebugInfo::Full)];
        let forms = Form::ALL.map(|form| (form.name(), form));
        Ok(Self {
            cache_dir: if cache.unwrap_or(true) { cache_dir(get) } else { None },
            cache_bytes: bytes(get, "WARPSMITH_CACHE_SIZE")?.unwrap_or(CACHE_BYTES),
            dump: list(get, "WARPSMITH_DUMP", "lists of cuda, ptx, cubin, sass", &forms)?,
            dump_dir: get("WARPSMITH_DUMP_DIR").map_or_else(|| "warpsmith-dump".into(), PathBuf::from),
            debug_info: choice(get, "WARPSMITH_DEBUGINFO", "none, lines, full", &debug)?.unwrap_or_default(),
            log_cache: !list(get, "WARPSMITH_LOG", "cache", &[("cache", ())])?.is_empty(),
            gpu_checks: gpu_checks(get)?,
        })
    }
}

/// Which simulated launches write a page about themselves, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pages {
    /// Where.
    pub directory: PathBuf,
    /// Of which kernels; of all if there are none.
    kernels: Vec<String>,
}

impl Pages {
    /// `WARPSMITH_REPORT` and `WARPSMITH_REPORT_KERNELS` of this process, read at the first call; `None` if no page is
    /// wanted.
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

    /// Whether a kernel's launches are among them.
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

/// `WARPSMITH_SIM`.
///
/// # Errors
/// A value that is none of `twin`, `interpreter`, `both`, `printed`, `all`.
pub(crate) fn simulator_executor() -> Result<Option<Executor>, SettingError> {
    let choices = [
        ("twin", Executor::Twin),
        ("interpreter", Executor::Interpreter),
        ("both", Executor::Both),
        ("printed", Executor::Printed),
        ("all", Executor::All),
    ];
    choice(&variable, "WARPSMITH_SIM", "twin, interpreter, both, printed, all", &choices)
}

/// `WARPSMITH_SIM_SANITIZERS`.
///
/// # Errors
/// A list of anything else.
pub(crate) fn simulator_sanitizers() -> Result<Option<Sanitizers>, SettingError> {
    const NAME: &str = "WARPSMITH_SIM_SANITIZERS";
    const ALLOWED: &str = "all, off, or a list of address, undefined";
    let one = Sanitizers::NONE;
    match variable(NAME).as_deref().map(str::trim) {
        None => return Ok(None),
        Some("all") => return Ok(Some(Sanitizers::ALL)),
        Some("off") => return Ok(Some(Sanitizers::NONE)),
        Some(_) => {}
    }
    let known = [
        ("address", Sanitizers { address: true, ..one }),
        ("undefined", Sanitizers { undefined: true, ..one }),
    ];
    let chosen = list(&variable, NAME, ALLOWED, &known)?;
    Ok(Some(chosen.into_iter().fold(one, |all, one| Sanitizers {
        address: all.address | one.address,
        undefined: all.undefined | one.undefined,
    })))
}

/// `WARPSMITH_SIM_STACK`, in KiB.
///
/// # Errors
/// A value that is no such number.
pub(crate) fn simulator_stack() -> Result<Option<u64>, SettingError> {
    number(&variable, "WARPSMITH_SIM_STACK", "a number of KiB from 16 to 1048576", 16..=1 << 20)
}

/// `WARPSMITH_SIM_SEED`.
///
/// # Errors
/// A value that is no number of 64 bits.
pub(crate) fn simulator_seed() -> Result<Option<u64>, SettingError> {
    number(&variable, "WARPSMITH_SIM_SEED", "a number of 64 bits", 0..=u64::MAX)
}

/// `WARPSMITH_SIM_CHECKS`.
///
/// # Errors
/// A list of anything else.
pub(crate) fn simulator_checks() -> Result<Option<SimChecks>, SettingError> {
    checks(&variable)
}

fn checks(get: Lookup<'_>) -> Result<Option<SimChecks>, SettingError> {
    const NAME: &str = "WARPSMITH_SIM_CHECKS";
    const ALLOWED: &str = "all, off, or a list of races, initialisation, alignment";
    match get(NAME).as_deref().map(str::trim) {
        None => return Ok(None),
        Some("all") => return Ok(Some(SimChecks::ALL)),
        Some("off") => return Ok(Some(SimChecks::NONE)),
        Some(_) => {}
    }
    let one = SimChecks::NONE;
    let known = [
        ("races", SimChecks { races: true, ..one }),
        ("initialisation", SimChecks { initialisation: true, ..one }),
        ("alignment", SimChecks { alignment: true, ..one }),
    ];
    let chosen = list(get, NAME, ALLOWED, &known)?;
    Ok(Some(chosen.into_iter().fold(SimChecks::NONE, |all, one| SimChecks {
        races: all.races | one.races,
        initialisation: all.initialisation | one.initialisation,
        alignment: all.alignment | one.alignment,
    })))
}

/// `WARPSMITH_GPU_CHECKS`.
fn gpu_checks(get: Lookup<'_>) -> Result<GpuChecks, SettingError> {
    const NAME: &str = "WARPSMITH_GPU_CHECKS";
    match get(NAME).as_deref().map(str::trim) {
        None | Some("off") => return Ok(GpuChecks::NONE),
        Some("all") => return Ok(GpuChecks::ALL),
        Some(_) => {}
    }
    let one = GpuChecks::NONE;
    let known = [
        ("alignment", GpuChecks { alignment: true, ..one }),
        ("initialisation", GpuChecks { initialisation: true, ..one }),
    ];
    let chosen = list(get, NAME, "all, off, or a list of alignment, initialisation", &known)?;
    Ok(chosen.into_iter().fold(GpuChecks::NONE, |all, one| GpuChecks {
        alignment: all.alignment | one.alignment,
        initialisation: all.initialisation | one.initialisation,
    }))
}

/// A variable of the environment; an empty one is not set.
fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

/// The directory of the cache: `WARPSMITH_CACHE_DIR`, or a folder of the user's own cache.
fn cache_dir(get: Lookup<'_>) -> Option<PathBuf> {
    if let Some(own) = get("WARPSMITH_CACHE_DIR") {
        return Some(own.into());
    }
    // The XDG specification has relative paths ignored.
    let absolute = |name| get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    };
    user.map(|user| user.join("warpsmith"))
}

fn choice<T: Copy>(
    get: Lookup<'_>,
    name: &'static str,
    allowed: &'static str,
    choices: &[(&str, T)],
) -> Result<Option<T>, SettingError> {
    let Some(value) = get(name) else { return Ok(None) };
    match choices.iter().find(|(text, _)| *text == value.trim()) {
        Some((_, meaning)) => Ok(Some(*meaning)),
        None => Err(SettingError { name, value, allowed }),
    }
}

fn number(
    get: Lookup<'_>,
    name: &'static str,
    allowed: &'static str,
    range: RangeInclusive<u64>,
) -> Result<Option<u64>, SettingError> {
    let Some(value) = get(name) else { return Ok(None) };
    match value.trim().parse() {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        _ => Err(SettingError { name, value, allowed }),
    }
}

/// Items between commas.
fn list<T: Copy>(
    get: Lookup<'_>,
    name: &'static str,
    allowed: &'static str,
    choices: &[(&str, T)],
) -> Result<Vec<T>, SettingError> {
    let Some(value) = get(name) else { return Ok(Vec::new()) };
    let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
    let known = |item| choices.iter().find(|(text, _)| *text == item).map(|(_, meaning)| *meaning);
    items.map(known).collect::<Option<_>>().ok_or(SettingError { name, value, allowed })
}

/// A number of bytes, with a binary suffix `K`, `M` or `G`.
fn bytes(get: Lookup<'_>, name: &'static str) -> Result<Option<u64>, SettingError> {
    let Some(value) = get(name) else { return Ok(None) };
    let text = value.trim();
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];
    let unit = units.iter().find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, *unit)));
    let (digits, unit) = unit.unwrap_or((text, 1u64));
    let parsed = digits.trim().parse::<u64>().ok().and_then(|count| count.checked_mul(unit));
    match parsed {
        Some(bytes) => Ok(Some(bytes)),
        None => {
            Err(SettingError { name, value, allowed: "numbers of bytes, with K, M or G after it if wanted" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingError> {
        Settings::read(&|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_cache_is_in_the_first_directory_that_is_named() {
        let dir = |variables| read(variables).expect("allowed").cache_dir;
        assert_eq!(dir(&[]), None);
        assert_eq!(dir(&[("HOME", "/h")]), Some("/h/.cache/warpsmith".into()));
        assert_eq!(dir(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), Some("/x/warpsmith".into()));
        assert_eq!(dir(&[("HOME", "/h"), ("XDG_CACHE_HOME", "x")]), Some("/h/.cache/warpsmith".into()));
        assert_eq!(dir(&[("XDG_CACHE_HOME", "/x"), ("WARPSMITH_CACHE_DIR", "own")]), Some("own".into()));
        assert_eq!(dir(&[("HOME", "/h"), ("WARPSMITH_CACHE", "off")]), None);
    }

    #[test]
    fn sizes_and_lists_are_read() {
        let size = |text| read(&[("WARPSMITH_CACHE_SIZE", text)]).map(|settings| settings.cache_bytes);
        assert_eq!([size("7"), size("2K"), size(" 3 M"), size("0")], [Ok(7), Ok(2048), Ok(3 << 20), Ok(0)]);
        let dump = read(&[("WARPSMITH_DUMP", "cuda, sass"), ("WARPSMITH_DUMP_DIR", "d")]).expect("allowed");
        assert_eq!((dump.dump, dump.dump_dir), (vec![Form::Cuda, Form::Sass], "d".into()));
        let debug = |text| read(&[("WARPSMITH_DEBUGINFO", text)]).map(|settings| settings.debug_info);
        assert_eq!([debug("lines"), debug("full")], [Ok(DebugInfo::Lines), Ok(DebugInfo::Full)]);
        assert!(read(&[("WARPSMITH_LOG", "cache")]).expect("allowed").log_cache);
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
    fn a_number_must_be_in_range() {
        let check = |value: &str| {
            let get: Lookup<'_> = &|_| Some(value.to_owned());
            number(get, "WARPSMITH_SIM_STACK", "a number", 16..=64).ok().flatten()
        };
        assert_eq!([" 32 ", "64", "15", "-1", "1e1"].map(check), [Some(32), Some(64), None, None, None]);
    }

    #[test]
    fn checks_are_a_list_or_all_or_none() {
        let read = |text: &str| checks(&|_| Some(text.to_owned())).ok().flatten();
        assert_eq!([read("all"), read(" off ")], [Some(SimChecks::ALL), Some(SimChecks::NONE)]);
        let two = SimChecks { races: false, ..SimChecks::ALL };
        assert_eq!(read("alignment, initialisation"), Some(two));
        assert_eq!([read("race"), read("races,all")], [None, None]);
        assert_eq!(checks(&|_| None), Ok(None));
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
        let wrong = [
            ("WARPSMITH_CACHE", "no"),
            ("WARPSMITH_CACHE_SIZE", "many"),
            ("WARPSMITH_CACHE_SIZE", "-1"),
            ("WARPSMITH_CACHE_SIZE", "99999999999G"),
            ("WARPSMITH_DUMP", "cuda,elf"),
            ("WARPSMITH_DEBUGINFO", "true"),
            ("WARPSMITH_LOG", "all"),
        ];
        for (name, value) in wrong {
            let refused = read(&[(name, value)]).expect_err(name);
            assert_eq!((refused.name, refused.value.as_str()), (name, value));
            assert!(
                refused.to_string().starts_with(&format!("`{name}={value}` is not understood; allowed are "))
            );
        }
        assert_eq!(read(&[("WARPSMITH_NOTHING", "x")]), read(&[]));
    }
}
