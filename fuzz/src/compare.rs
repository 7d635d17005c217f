//! Runs one program twice, and says where the results part.

use std::fmt;

use warpsmith::codegen::{Checks, Options};
use warpsmith::driver::DriverError;
use warpsmith::nvrtc::{self, Arch, CompileOptions, DebugInfo};
use warpsmith::simulator::{Executor, Settings, SimChecks};
use warpsmith::{Device, Error};

use crate::inputs::{self, Comptime, THREADS};
use crate::programs::{Memory, Program};
use crate::shrink::shrink;
use crate::support::Body;

/// Bytes of a simulated thread's stack: without optimisation a twin needs more than the default.
const STACK: usize = 1 << 20;

/// The devices of a run, with the inputs in their memory.
pub struct Bench {
    simulator: Side,
    gpu: Option<Side>,
    compiles: bool,
}

/// One device, and the memory that launches on it use.
struct Side {
    device: Device,
    memory: Memory,
    seed: u64,
}

/// Why a program failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The compiler refused it, though it only uses what is supported.
    Refused(String),
    /// The twin panicked or hung, or the interpreter differs; then the generator is wrong, or the simulator.
    Twin(String),
    /// NVRTC or the GPU failed.
    Gpu(String),
    /// A thread computed something else on the GPU.
    Differs {
        /// The first such thread of the launch.
        thread: usize,
        /// Its hash in Rust.
        twin: u64,
        /// Its hash on the GPU.
        gpu: u64,
    },
}

impl Failure {
    /// Whether two failures are of one kind, so that one may stand for the other.
    fn is_like(&self, other: &Failure) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(error) => write!(f, "refused: {error}"),
            Failure::Twin(error) => write!(f, "the twin failed: {error}"),
            Failure::Gpu(error) => write!(f, "the CUDA failed: {error}"),
            Failure::Differs { thread, twin, gpu } => {
                write!(f, "thread {thread} gives {twin:#018x} in Rust and {gpu:#018x} on the GPU")
            }
        }
    }
}

impl Bench {
    /// The simulator, and a GPU or at least NVRTC where there is one.
    ///
    /// # Errors
    /// A GPU that is there and does not work.
    pub fn open(seed: u64) -> warpsmith::Result<Self> {
        let gpu = match Device::gpu(0) {
            Ok(device) => Some(Side::new(device, seed)?),
            Err(Error::Driver(DriverError::Missing | DriverError::NoDevice { .. })) => None,
            Err(error) => return Err(error),
        };
        let simulator = Side::new(Device::simulator_with(settings()?), seed)?;
        Ok(Self { simulator, gpu, compiles: nvrtc::version().is_ok() })
    }

    /// What a comparison on this machine consists of.
    pub fn describe(&self) -> String {
        match (&self.gpu, self.compiles) {
            (Some(gpu), _) => format!("twin, interpreter and {}", gpu.device.name()),
            (None, true) => "twin and interpreter, and NVRTC without a GPU".to_owned(),
            (None, false) => "skipped NVRTC and GPU, for both are missing; twin and interpreter".to_owned(),
        }
    }

    /// Runs the program on every device there is.
    ///
    /// # Errors
    /// The [`Failure`].
    pub fn compare(&mut self, program: &Program, comptime: &Comptime) -> Result<(), Failure> {
        let twin = self.simulator.run(program, comptime).map_err(|e| Failure::Twin(e.to_string()))?;
        match &mut self.gpu {
            Some(gpu) => {
                let out = gpu.run(program, comptime).map_err(|e| Failure::Gpu(e.to_string()))?;
                match (0..THREADS).find(|i| twin[*i] != out[*i]) {
                    Some(thread) => Err(Failure::Differs { thread, twin: twin[thread], gpu: out[thread] }),
                    None => Ok(()),
                }
            }
            None if self.compiles => compile(program, comptime),
            None => Ok(()),
        }
    }

    /// The failure with as few statements as show it, as a report to read.
    pub fn report(&mut self, program: &Program, comptime: &Comptime, failure: &Failure) -> String {
        let (a, b, pick, mask, cut) = *comptime;
        let mut last = failure.clone();
        let small = shrink(mask, |mask| {
            match checked(program, &(a, b, pick, mask, cut))
                .and_then(|_| self.compare(program, &(a, b, pick, mask, cut)))
            {
                Err(found) if found.is_like(failure) => {
                    last = found;
                    true
                }
                _ => false,
            }
        });
        let comptime = (a, b, pick, small, cut);
        let cuda = checked(program, &comptime).unwrap_or_else(|refused| refused.to_string());
        format!(
            "---- {} of seed {}: {last}\n(a, b, pick, mask, cut) = {comptime:?}, mask {small:#x} of {mask:#x}\n\n{}\n{cuda}",
            program.name,
            crate::SEED,
            program.source(),
        )
    }
}

impl Side {
    fn new(device: Device, seed: u64) -> warpsmith::Result<Self> {
        let memory = Memory {
            xs: device.upload(&inputs::integers(seed))?,
            fs: device.upload(&inputs::floats(seed))?,
            ys: device.alloc_zeroed(8 * THREADS)?,
            bs: device.alloc_zeroed(2 * THREADS)?,
            counts: device.alloc_zeroed(inputs::COUNTS.len())?,
            out: device.alloc_zeroed(THREADS)?,
        };
        Ok(Self { device, memory, seed })
    }

    /// All that a launch wrote, as words.
    fn run(&mut self, program: &Program, comptime: &Comptime) -> warpsmith::Result<Vec<u64>> {
        let Side { device, memory, seed } = self;
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

/// The twin and the interpreter, which must agree; integers wrap, as in the twin of this build.
fn settings() -> warpsmith::Result<Settings> {
    let own = Settings::from_env()?;
    let stack_bytes = own.stack_bytes.max(STACK);
    let (executor, checks) = (Executor::Both, SimChecks::NONE);
    Ok(Settings { stack_bytes, executor, checks, overflow: false, ..own })
}

/// The CUDA that a launch compiles.
///
/// # Errors
/// [`Failure::Refused`]
pub fn checked(program: &Program, comptime: &Comptime) -> Result<String, Failure> {
    let options = Options { checks: Checks::All, line_directives: false };
    let source = (program.print)(comptime, &options).map_err(|e| Failure::Refused(e.to_string()))?;
    Ok(source.code)
}

/// Compiles for compute capability 9.0, as for the GPU that kernels are compared on.
fn compile(program: &Program, comptime: &Comptime) -> Result<(), Failure> {
    let source = checked(program, comptime)?;
    let arch = Arch { major: 9, minor: 0, specific: true };
    let options = CompileOptions { arch, fmad: false, debug_info: DebugInfo::None, relocatable: false };
    match nvrtc::compile(&source, program.function(), &options) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::Gpu(error.to_string())),
    }
}
