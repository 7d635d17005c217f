//! Finds the fastest of many ways to launch a kernel, on the user's own arguments.
//!
//! Axes of values, a closure that launches one candidate, and a device come in; an [`Outcome`] goes out: the best
//! candidate, and a table of all. A candidate that does not fit the device is skipped, with the reason.
//!
//! On a GPU, candidates are timed by events: a warm-up, then several rounds, of which the median counts. A candidate whose
//! first round is far too slow is stopped. The simulator does not time: each candidate runs once, and the first that fits
//! counts as the best.
//!
//! Results of a GPU are kept on disk, beside compiled kernels and with the same safety: a damaged or foreign
//! file is ignored. A result is found again only for the same CUDA of every candidate, the same axes, GPU,
//! driver and size, up to the next power of two.

mod keep;
mod outcome;
mod space;
mod trial;

pub use crate::error::TunerError;
pub use outcome::{Outcome, Row, Tried};
pub use space::{Axis, Candidate};
pub use trial::Trial;

use std::fmt::Debug;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::cache::{Cache, Disk};
use crate::error::{DriverError, Error, LaunchError, Result};
use crate::host::device::{Backend, Device};
use crate::nvrtc::NvrtcError;
use space::Space;
use trial::Look;

/// How long a search runs before it shows its progress.
const SILENT: Duration = Duration::from_secs(2);
/// A candidate is stopped if its first round takes this many times as long as the best median.
const HOPELESS: f64 = 2.0;

type Constraint = Box<dyn Fn(&Candidate) -> Result<bool>>;
type Told = Box<dyn Fn(&Progress<'_>)>;
/// The function that launches a candidate.
type Run<'a> = &'a mut dyn FnMut(&Candidate, &mut Trial<'_>) -> Result<()>;

/// A search for the fastest candidate of a space.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith::Tuner;
///
/// #[gpu_kernel]
/// fn scale(a: f32, x: &mut [f32], #[comptime] each: u32) {
///     let first = global_id() * each as usize;
///     for i in first..first + each as usize {
///         if i < x.len() {
///             x[i] *= a;
///         }
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let device = Device::open()?;
/// let mut x = device.upload(&[1.0f32; 10_000])?;
/// let mut tuner = Tuner::new("scale");
/// let each = tuner.axis("each", [1u32, 2, 4]);
/// let block = tuner.axis("block", [64u32, 256]);
/// let outcome = tuner.bytes(2 * 4 * 10_000).tune(&device, |candidate, trial| {
///     let each = candidate.get(each)?;
///     let threads = 10_000usize.div_ceil(each as usize);
///     trial.launch(scale(1.0, &mut x, each).over(threads).block(candidate.get(block)?))
/// })?;
/// println!("{outcome}");
/// let (each, block) = (outcome.best().get(each)?, outcome.best().get(block)?);
/// scale(2.0, &mut x, each).over(10_000usize.div_ceil(each as usize)).block(block).launch(&device)?;
/// # Ok(()) }
/// ```
pub struct Tuner {
    name: String,
    space: Space,
    constraints: Vec<(String, Constraint)>,
    bytes: Option<u64>,
    size: Option<String>,
    rounds: u32,
    repeats: bool,
    disk: Kept,
    progress: Option<Told>,
}

/// The place of results.
enum Kept {
    Process,
    In(Disk),
    Nowhere,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Candidates that are finished.
    pub done: usize,
    /// All candidates.
    pub total: usize,
    /// The last one, and its result.
    pub last: &'a Row,
    /// The best so far, and its median.
    pub best: Option<(&'a Candidate, Duration)>,
}

impl Tuner {
    /// A search with a name, which its table shows.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            space: Space::default(),
            constraints: Vec::new(),
            bytes: None,
            size: None,
            rounds: 7,
            repeats: true,
            disk: Kept::Process,
            progress: None,
        }
    }

    /// An axis of the space: block shapes, tile or cluster sizes, any `#[comptime]` value.
    ///
    /// The candidates are all combinations; the last axis changes first.
    pub fn axis<T: Clone + Debug + 'static>(
        &mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Axis<T> {
        self.space.axis(name.into(), values)
    }

    /// Restricts the search to candidates for which `holds` gives `true`. The others are skipped, with `text` as the reason.
    pub fn only(
        mut self,
        text: impl Into<String>,
        holds: impl Fn(&Candidate) -> Result<bool> + 'static,
    ) -> Self {
        self.constraints.push((text.into(), Box::new(holds)));
        self
    }

    /// Bytes that one launch reads and writes; the table then has a bandwidth.
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Items of one launch: a kept result is found for all sizes up to the next power of two.
    ///
    /// Without it, the bytes of the kernel's slices are counted.
    pub fn items(mut self, items: usize) -> Self {
        self.size = Some(keep::bucket("items", items as u64));
        self
    }

    /// A key for kept results, instead of the size.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.size = Some(format!("key {}", key.into()));
        self
    }

    /// Timed rounds of each candidate, at least 1; default: 7.
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds.max(1);
        self
    }

    /// Launches once in each round, for kernels whose memory is reset before each launch.
    ///
    /// Otherwise, a round launches a short kernel many times, which is more exact. A kernel that takes less time than its
    /// own launch, some microseconds, is still measured as the launch.
    pub fn launch_once_a_round(mut self) -> Self {
        self.repeats = false;
        self
    }

    /// Keeps results in this directory instead of beside compiled kernels.
    pub fn keep_in(mut self, disk: Disk) -> Self {
        self.disk = Kept::In(disk);
        self
    }

    /// Neither keeps a result nor looks for one.
    pub fn forget(mut self) -> Self {
        self.disk = Kept::Nowhere;
        self
    }

    /// Sets a function to call after each candidate. It replaces the progress that long searches write to a terminal.
    pub fn on_progress(mut self, progress: impl Fn(&Progress<'_>) + 'static) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Tries every candidate, or finds a kept result.
    ///
    /// `run` is called for each round, and must launch once, through the [`Trial`]. Candidates run on
    /// the real arguments, and their writes stay. Work that `run` does before it launches is not timed, so it may
    /// reset memory there; see [`Trial::runs`].
    ///
    /// # Errors
    /// [`TunerError`] if nothing fits or `run` does not launch once; a fault of the kernel; a driver error.
    ///
    /// Source: CUDA Driver API, `cuEventElapsedTime`.
    pub fn tune(
        &self,
        device: &Device,
        mut run: impl FnMut(&Candidate, &mut Trial<'_>) -> Result<()>,
    ) -> Result<Outcome> {
        let candidates = self.space.candidates()?;
        let kept = self.place(device)?;
        let key = match &kept {
            Some(_) => Some(self.key_of(device, &candidates, &mut run)?),
            None => None,
        };
        if let (Some(disk), Some(key)) = (&kept, &key)
            && let Some(rows) = disk.note(key).and_then(|text| keep::decode(&text, &candidates))
        {
            return Outcome::new(&self.name, device.name(), self.bytes, rows, true);
        }
        let rows = self.search(device, candidates, &mut run)?;
        let outcome = Outcome::new(&self.name, device.name(), self.bytes, rows, false)?;
        if let (Some(disk), Some(key)) = (&kept, &key) {
            // A directory that cannot be written keeps nothing, as for cubins; the result is as good.
            let _ = disk.keep_note(key, &keep::encode(outcome.rows()));
        }
        Ok(outcome)
    }

    /// The place of the device's results, if there is one: the simulator has none.
    fn place(&self, device: &Device) -> Result<Option<Disk>> {
        Ok(match (&self.disk, device.is_simulator()) {
            (_, true) | (Kept::Nowhere, _) => None,
            (Kept::In(disk), _) => Some(disk.clone()),
            (Kept::Process, _) => Cache::process()?.disk().cloned(),
        })
    }

    /// The key of a kept result.
    fn key_of(&self, device: &Device, candidates: &[Candidate], run: Run<'_>) -> Result<String> {
        let Backend::Gpu(gpu) = device.backend() else { return Ok(String::new()) };
        let mut look = Look::default();
        for candidate in
            candidates.iter().filter(|candidate| self.refusal(candidate).is_ok_and(|r| r.is_none()))
        {
            let looked = run(candidate, &mut Trial::look(device, &mut look));
            looked.or_else(|error| if skips(&error) { Ok(()) } else { Err(error) })?;
        }
        let size = self.size.clone().unwrap_or_else(|| keep::bucket("bytes", look.bytes));
        let labels: Vec<_> = candidates.iter().map(Candidate::to_string).collect();
        Ok(keep::key(&[&gpu.identity()?, &size, &look.sources(), &labels.join("\n")]))
    }

    /// Why a constraint refuses a candidate.
    fn refusal(&self, candidate: &Candidate) -> Result<Option<&str>> {
        for (text, holds) in &self.constraints {
            if !holds(candidate)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn search(&self, device: &Device, candidates: Vec<Candidate>, run: Run<'_>) -> Result<Vec<Row>> {
        let (started, total) = (Instant::now(), candidates.len());
        let mut rows: Vec<Row> = Vec::with_capacity(total);
        for candidate in candidates {
            let best = outcome::best(&rows).map(|(_, median)| median);
            let tried = match self.refusal(&candidate)? {
                Some(reason) => Tried::Skipped { reason: reason.to_owned() },
                None => self.try_one(device, &candidate, best, run)?,
            };
            rows.push(Row { candidate, tried });
            self.report(started, total, &rows);
        }
        Ok(rows)
    }

    fn try_one(
        &self,
        device: &Device,
        candidate: &Candidate,
        best: Option<Duration>,
        run: Run<'_>,
    ) -> Result<Tried> {
        let mut round = |launches: u32| {
            let mut trial = Trial::run(device, launches);
            run(candidate, &mut trial)?;
            trial.time(candidate)
        };
        let first = match round(1) {
            Ok(first) => first,
            Err(error) if skips(&error) => return Ok(Tried::Skipped { reason: error.to_string() }),
            Err(error) => return Err(error),
        };
        if first.is_none() {
            return Ok(Tried::Ran);
        }
        let warm = round(1)?.unwrap_or_default();
        let launches = if self.repeats { trial::launches(warm) } else { 1 };
        measure(self.rounds, best, || Ok(round(launches)?.unwrap_or_default()))
    }

    fn report(&self, started: Instant, total: usize, rows: &[Row]) {
        let Some(last) = rows.last() else { return };
        let best = outcome::best(rows);
        let progress = Progress { done: rows.len(), total, last, best };
        if let Some(told) = &self.progress {
            told(&progress);
        } else if started.elapsed() > SILENT && std::io::stderr().is_terminal() {
            eprintln!("tuning `{}`: {progress}", self.name);
        }
    }
}

/// The median of some rounds; one alone, if it shows that the candidate cannot become the best.
fn measure(
    rounds: u32,
    best: Option<Duration>,
    mut round: impl FnMut() -> Result<Duration>,
) -> Result<Tried> {
    let first = round()?;
    if rounds > 1 && best.is_some_and(|best| first.as_secs_f64() > HOPELESS * best.as_secs_f64()) {
        return Ok(Tried::Timed { median: first, rounds: 1, stopped: true });
    }
    let mut times = vec![first];
    for _ in 1..rounds {
        times.push(round()?);
    }
    Ok(Tried::Timed { median: outcome::median(times), rounds, stopped: false })
}

impl std::fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.done, self.total)?;
        match self.best {
            Some((best, median)) => write!(f, ", best so far {best} in {median:.3?}"),
            None => Ok(()),
        }
    }
}

/// Errors of the driver that say that a launch is too large.
const TOO_LARGE: [&str; 2] = ["CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "CUDA_ERROR_INVALID_CLUSTER_SIZE"];

/// Returns whether an error says that a candidate does not fit, and nothing of the others.
fn skips(error: &Error) -> bool {
    match error {
        Error::Record(_) | Error::Validate(_) | Error::Nvrtc(NvrtcError::Compile { .. }) => true,
        Error::Launch(LaunchError::Fault { .. }) => false,
        Error::Launch(LaunchError::Driver(error)) | Error::Driver(error) => {
            matches!(error, DriverError::Cuda { name, .. } if TOO_LARGE.contains(&name.as_str()))
        }
        Error::Launch(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
