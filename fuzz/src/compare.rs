//! Runs one program on every executor there is, and says where the results part.

use std::fmt;

use warpsmith::codegen::{Checks, CudaSource, PrintOptions, complete};
use warpsmith::driver::DriverError;
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::printed::{self, Sanitizers};
use warpsmith::simulator::{Executor, Settings, SimChecks};
use warpsmith::{Device, Error};

use crate::inputs::{self, Comptime, THREADS};
use crate::programs::{Memory, Program};
use crate::support::Body;

/// Bytes of a simulated thread's stack: without optimisation a twin needs more than the default.
const STACK: usize = 1 << 20;

/// The executors of a program, in the order in which they are compared with the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runner {
    /// The Rust code.
    Twin,
    /// The IR.
    Interpreter,
    /// The CUDA text, as the host's C++ compiler takes it.
    Printed,
    /// The CUDA text on a GPU.
    Gpu,
}

impl fmt::Display for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Runner::Twin => "the twin",
            Runner::Interpreter => "the interpreter",
            Runner::Printed => "the printed CUDA",
            Runner::Gpu => "the GPU",
        })
    }
}

/// The executors of a run, each with the inputs in its memory.
pub struct Bench {
    sides: Vec<Side>,
    sanitizers: Sanitizers,
    compiles: bool,
    skipped: Vec<String>,
}

/// One executor, and the memory that launches on it use.
struct Side {
    runner: Runner,
    device: Device,
    memory: Memory,
    seed: u64,
}

/// Why a program failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The recorder or the validator refused it, though it only uses what is supported.
    Refused(String),
    /// NVRTC does not take the CUDA, on a machine without a GPU.
    NotCompiled(String),
    /// An executor ended with a fault, or could not begin.
    Ends(Runner, String),
    /// An executor computed something else than the twin.
    Differs {
        /// Which.
        runner: Runner,
        /// What: the hash of a thread, a word of a buffer.
        place: String,
        /// It in Rust.
        twin: u64,
        /// It there.
        other: u64,
    },
}

impl Failure {
    /// The executor that is to blame, where it is one.
    pub fn runner(&self) -> Option<Runner> {
        match self {
            Failure::Refused(_) | Failure::NotCompiled(_) => None,
            Failure::Ends(runner, _) | Failure::Differs { runner, .. } => Some(*runner),
        }
    }

    /// Returns whether two failures are of one kind. One of them then represents both.
    pub fn is_like(&self, other: &Failure) -> bool {
        let kind = std::mem::discriminant(self) == std::mem::discriminant(other);
        kind && self.runner() == other.runner()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(error) => write!(f, "refused: {error}"),
            Failure::NotCompiled(error) => write!(f, "NVRTC refuses the CUDA: {error}"),
            Failure::Ends(runner, error) => write!(f, "{runner} failed: {error}"),
            Failure::Differs { runner, place, twin, other } => {
                write!(f, "{place} is {twin:#018x} by the twin and {other:#018x} by {runner}")
            }
        }
    }
}

impl Bench {
    /// The simulator's executors, and a GPU or at least NVRTC where there is one.
    ///
    /// # Errors
    /// A GPU that is there and does not work.
    pub fn open(seed: u64, sanitizers: Sanitizers, only: Option<&[Runner]>) -> warpsmith::Result<Self> {
        let mut bench = Self { sides: Vec::new(), sanitizers, compiles: false, skipped: Vec::new() };
        let wanted = |runner| only.is_none_or(|only| only.contains(&runner));
        let mut simulated = vec![(Runner::Twin, Executor::Twin)];
        if wanted(Runner::Interpreter) {
            simulated.push((Runner::Interpreter, Executor::Interpreter));
        }
        match printed::compiler() {
            Ok(_) if wanted(Runner::Printed) => simulated.push((Runner::Printed, Executor::Printed)),
            Ok(_) => {}
            Err(missing) => bench.skipped.push(format!("printed ({missing})")),
        }
        for (runner, executor) in simulated {
            let settings = settings(executor, sanitizers)?;
            bench.sides.push(Side::new(runner, Device::simulator_with(settings), seed)?);
        }
        match Device::gpu(0) {
            Ok(device) if wanted(Runner::Gpu) => bench.sides.push(Side::new(Runner::Gpu, device, seed)?),
            Ok(_) => {}
            Err(Error::Driver(DriverError::Missing | DriverError::NoDevice { .. })) => {
                bench.compiles = wanted(Runner::Gpu) && nvrtc::version().is_ok();
                bench
                    .skipped
                    .push(if bench.compiles { "GPU, but for NVRTC" } else { "GPU and NVRTC" }.to_owned());
            }
            Err(error) => return Err(error),
        }
        Ok(bench)
    }

    /// The parts of a comparison on this machine.
    pub fn describe(&self) -> String {
        let runners: Vec<_> = self.sides.iter().map(|side| side.runner.to_string()).collect();
        format!("{}; skipped: {}", runners.join(", "), self.skipped.join(", "))
    }

    /// The executors of programs, the twin first.
    pub fn runners(&self) -> Vec<Runner> {
        self.sides.iter().map(|side| side.runner).collect()
    }

    /// Prints the program as a launch of it compiles it.
    ///
    /// # Errors
    /// [`Failure::Refused`]
    pub fn text(&self, program: &Program, comptime: &Comptime) -> Result<CudaSource, Failure> {
        let print = |checks, line_directives| {
            let options = PrintOptions { checks, line_directives };
            (program.print)(comptime, &options).map_err(|e| Failure::Refused(e.to_string()))
        };
        let all = print(Checks::All, true)?;
        // Launches fulfil every condition, and so have the checks that are left then.
        match all.conditions.len() {
            0 => Ok(all),
            n => print(Checks::Lifted(u64::MAX >> 64usize.saturating_sub(n)), true),
        }
    }

    /// Compiles texts for the host in one call of its compiler: one by one they take many times as long.
    pub fn compile_ahead(&self, texts: &[CudaSource]) {
        if self.sides.iter().any(|side| side.runner == Runner::Printed) {
            // What does not compile is reported by its launch.
            let _ = printed::compile_ahead(texts, self.sanitizers);
        }
    }

    /// Runs the program on every executor; how many were compared with the twin.
    ///
    /// # Errors
    /// The first [`Failure`].
    pub fn compare(&mut self, program: &Program, comptime: &Comptime) -> Result<Vec<Runner>, Failure> {
        self.compare_with(program, comptime, None)
    }

    /// As [`Bench::compare`], with one executor alone.
    ///
    /// # Errors
    /// The first [`Failure`].
    pub fn compare_with(
        &mut self,
        program: &Program,
        comptime: &Comptime,
        only: Option<Runner>,
    ) -> Result<Vec<Runner>, Failure> {
        let Some((twin, others)) = self.sides.split_first_mut() else { return Ok(Vec::new()) };
        let words = twin.run(program, comptime)?;
        let mut compared = Vec::new();
        for side in others.iter_mut().filter(|side| only.is_none_or(|only| side.runner == only)) {
            let own = side.run(program, comptime)?;
            if let Some(i) = (0..words.len()).find(|i| words[*i] != own[*i]) {
                let (twin, other) = (words[i], own[i]);
                return Err(Failure::Differs { runner: side.runner, place: place(i), twin, other });
            }
            compared.push(side.runner);
        }
        if self.compiles && only.is_none() {
            compile(program, comptime)?;
        }
        Ok(compared)
    }
}

/// The meaning of a word of a run's results.
fn place(word: usize) -> String {
    let (ys, bs) = (THREADS, 9 * THREADS);
    let counts = bs + 16 * THREADS;
    match word {
        w if w < ys => format!("the hash of thread {w}"),
        w if w < bs => format!("`ys[{}]`, of thread {}", w - ys, (w - ys) / 8),
        w if w < counts => {
            let fields = ["at[0]", "at[1]", "n", "q", "d[0]", "d[1]", "d[2]", "d[3]"];
            format!("`bs[{}].{}`, of thread {}", (w - bs) / 8, fields[(w - bs) % 8], (w - bs) / 16)
        }
        w => format!("`counts[{}]`", w - counts),
    }
}

impl Side {
    fn new(runner: Runner, device: Device, seed: u64) -> warpsmith::Result<Self> {
        let memory = Memory {
            xs: device.upload(&inputs::integers(seed))?,
            fs: device.upload(&inputs::floats(seed))?,
            ys: device.alloc_zeroed(8 * THREADS)?,
            bs: device.alloc_zeroed(2 * THREADS)?,
            counts: device.alloc_zeroed(inputs::COUNTS.len())?,
            out: device.alloc_zeroed(THREADS)?,
        };
        Ok(Self { runner, device, memory, seed })
    }

    fn run(&mut self, program: &Program, comptime: &Comptime) -> Result<Vec<u64>, Failure> {
        let runner = self.runner;
        self.words(program, comptime).map_err(|error| match error {
            Error::Record(_) | Error::Validate(_) => Failure::Refused(error.to_string()),
            error => Failure::Ends(runner, error.to_string()),
        })
    }

    /// All that a launch wrote, as words.
    fn words(&mut self, program: &Program, comptime: &Comptime) -> warpsmith::Result<Vec<u64>> {
        let Side { device, memory, seed, .. } = self;
        device.write(&mut memory.ys, &inputs::words(*seed))?;
        device.write(&mut memory.bs, &inputs::bodies(*seed))?;
        device.write(&mut memory.counts, &inputs::COUNTS)?;
        device.write(&mut memory.out, &[0; THREADS])?;
        (program.launch)(device, comptime, memory)?;
        let mut words = device.download(&memory.out)?;
        words.extend(device.download(&memory.ys)?);
        words.extend(device.download(&memory.bs)?.iter().flat_map(words_of));
        words.extend(device.download(&memory.counts)?.into_iter().map(u64::from));
        Ok(words)
    }
}

/// A struct as words; one pattern for every NaN, whose bits Rust leaves open.
fn words_of(body: &Body) -> [u64; 8] {
    let Body { at: [a, b], n, q, d } = *body;
    let [a, b] = [a, b].map(|x| if x.is_nan() { 0x7fc0_0000 } else { u64::from(x.to_bits()) });
    let q = (q.x as u32 as u64) << 32 | q.y as u32 as u64;
    [a, b, n.into(), q, d[0], d[1], d[2], d[3]]
}

/// Without observers; integers wrap, as in the twin of this build.
fn settings(executor: Executor, sanitizers: Sanitizers) -> warpsmith::Result<Settings> {
    let own = Settings::from_env()?;
    let stack_bytes = own.stack_bytes.max(STACK);
    let checks = SimChecks::NONE;
    Ok(Settings { stack_bytes, executor, checks, sanitizers, overflow: false, ..own })
}

/// The CUDA with every check, to read.
///
/// # Errors
/// [`Failure::Refused`]
pub fn checked(program: &Program, comptime: &Comptime) -> Result<String, Failure> {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let source = (program.print)(comptime, &options).map_err(|e| Failure::Refused(e.to_string()))?;
    Ok(source.code)
}

/// Compiles for compute capability 9.0, as for the GPU that kernels are compared on.
fn compile(program: &Program, comptime: &Comptime) -> Result<(), Failure> {
    let source = checked(program, comptime)?;
    let arch = Arch { major: 9, minor: 0, specific: true };
    let options = CompileOptions { fmad: false, ..CompileOptions::new(arch) };
    match nvrtc::compile(&complete(&source), program.function(), &options) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::NotCompiled(error.to_string())),
    }
}
