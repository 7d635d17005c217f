//! Loops over slices whose indices may be out of bounds. All executors fail with the same fault, at the same place, after
//! the same writes.
//!
//! The programs of the generator never fail. These do: a family of loops, chosen by comptime numbers, with random lengths
//! and ends. If one executor continues where another ends, a comparison before a loop, a version of a loop without checks,
//! or the proof of a check is wrong.

use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimChecks, SimFault};
use warpsmith::{Error, Result};

use crate::random::Random;
use crate::related::{self, related_i32, related_u64};

/// Threads of a launch.
const THREADS: u32 = 2;
/// Launches of one loop of the family.
const LAUNCHES: usize = 16;
/// The number of times that each head, index and body of the family is chosen.
const WEIGHTS: [&[usize]; 3] =
    [&[10, 2, 1, 2, 5, 7, 4, 9, 6], &[8, 5, 2, 5, 2, 1, 2, 3, 3, 3], &[6, 3, 6, 4, 2, 2, 2]];

/// A loop of the family, and its launch.
#[derive(Clone, Debug)]
pub struct FailingLaunch {
    /// Whether it is of the family of [`related`] ranges: every fourth loop is.
    related: bool,
    /// The type of the counter: `i32`, `u32`, `i64` or `u64`; of related ranges, `i32` or `u64`.
    ty: usize,
    /// Its head, its index and its body.
    form: [u32; 3],
    /// Lengths of `x`, `w`, `order` and `y`.
    lengths: [usize; 4],
    order: Vec<u32>,
    /// The ends of the range, and what is added to the counter.
    numbers: [i64; 3],
}

/// The end of a launch: the text of its fault, if any, and the memory that it wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The fault.
    pub fault: Option<String>,
    /// The bits of `y`.
    pub written: Vec<u32>,
}

macro_rules! family {
    ($($name:ident $t:ty),+) => {$(
        family! { @of $name $t, a b k order:
            0 {} { for k in a..b } {},
            1 {} { for k in a..=b } {},
            2 {} { for k in (a..b).rev() } {},
            3 {} { for k in (a..b).step_by(3) } {},
            4 {} { for k in 0..b } {},
            5 {} { for k in order[0] as $t..order[1] as $t } {},
            6 {} { for k in (order[0] as $t..=order[1] as $t).rev() } {},
            7 { let mut k = a; } { while k < b } { k += 1; },
            8 { let mut k = order[0] as $t; } { while k < order[1] as $t } { k += 1; }
        }
    )+};
    (@of $name:ident $t:ty, $a:ident $b:ident $k:ident $order:ident:
        $($head:literal { $($before:tt)* } { $($each:tt)* } { $($after:tt)* }),+) => {
        /// A loop of the family with a counter of this type.
        #[gpu_kernel(fmad = false)]
        #[allow(clippy::too_many_arguments, clippy::reversed_empty_ranges, reason = "a family of loops in one")]
        pub fn $name(
            x: &[f32],
            w: &[f32],
            $order: &[u32],
            y: &mut [f32],
            $a: $t,
            $b: $t,
            o: $t,
            #[comptime] head: u32,
            #[comptime] at: u32,
            #[comptime] body: u32,
        ) {
            let mut sum = 0.5;
            let mut moving = o;
            let mut behind = o;
            let lent = &mut behind;
            $(
                if head == $head {
                    $($before)*
                    $($each)* {
                        let value = match at {
                            0 => x[$k],
                            1 => x[$k + o],
                            2 => x[o + $k],
                            3 => x[$order[$k]],
                            4 => x[$k + moving],
                            5 => x[$k * 2],
                            6 => w[$k + 1],
                            7 => x[*lent],
                            8 => x[($order[$k] as $t).wrapping_add(o)],
                            _ => {
                                let place = $order[$k] ^ 1;
                                x[place] - w[place]
                            }
                        };
                        match body {
                            0 => sum += value,
                            1 => sum += value * w[$k],
                            2 => y[$k] = value + sum,
                            3 => y[$k + o] = value,
                            4 => {
                                if value > 9.0 {
                                    sum += x[$k];
                                }
                            }
                            5 => {
                                y[0] += value;
                                sum += w[$k + o];
                            }
                            _ => sum = sum * value + x[$k] * w[$k],
                        }
                        if at == 4 {
                            moving += 1;
                        }
                        if at == 7 {
                            *lent += 1;
                        }
                        $($after)*
                    }
                }
            )+
            if y.len() > thread_idx().x as usize {
                y[thread_idx().x] += sum;
            }
        }
    };
}

family! { of_i32 i32, of_u32 u32, of_i64 i64, of_u64 u64 }

impl FailingLaunch {
    /// Launch number `index` of a run; several in a row are of one loop.
    pub fn new(seed: u64, index: usize) -> Self {
        let mut random = Random::of(seed, [(index / LAUNCHES) as u64, 9]);
        let related = index / LAUNCHES % 4 == 3;
        let weights = if related { related::WEIGHTS } else { WEIGHTS };
        let form = weights.map(|weights| random.weighted(weights) as u32);
        let ty = if related { [0, 3][random.below(2)] } else { random.below(4) };
        let mut random = Random::of(seed, [index as u64, 10]);
        let lengths = lengths(&mut random);
        // Mostly within the shortest of them.
        let mut place = || if random.chance(10) { random.below(14) } else { random.below(5) };
        let mut order: Vec<u32> = (0..lengths[2]).map(|_| place() as u32).collect();
        // Two loops have their ends here.
        let beside = [0, 1, 1, 2][random.below(4)] + lengths[random.below(4)] as u32;
        order.get_mut(1).into_iter().for_each(|end| *end = beside.saturating_sub(1));
        let first = if random.chance(80) { random.below(3) as i64 } else { number(&mut random) };
        let offset = if random.chance(70) { random.below(4) as i64 } else { number(&mut random) };
        // An end that is a length, or one beside it.
        let end = if random.chance(15) {
            number(&mut random)
        } else {
            let beside = *random.pick(&[0, 0, 1, 1, -1]) - *random.pick(&[0, offset % 16]);
            lengths[random.below(4)] as i64 + beside
        };
        // A guard ends no loop: the ends of related ranges are small, for unsigned counters too.
        let least = if ty == 0 { -3 } else { 0 };
        let few = |n: i64| if related { n.clamp(least, 40) } else { n };
        Self { related, ty, form, lengths, order, numbers: [few(first), few(end), offset] }
    }

    /// Runs it on each executor of this machine: the twin, the interpreter, printed CUDA, and a GPU.
    ///
    /// # Errors
    /// All errors except faults of the kernel.
    pub fn endings(&self, devices: &[Device]) -> Result<Vec<Ending>> {
        devices.iter().map(|device| self.ending(device)).collect()
    }

    fn ending(&self, device: &Device) -> Result<Ending> {
        let values = |len: usize| (0..len).map(|i| 1.25 + i as f32).collect::<Vec<f32>>();
        let [x, w, _, mut y] = self.lengths.map(|len| device.upload(&values(len)));
        let (x, w, y, order) =
            (x?, w?, y.as_mut().map_err(|error| error.clone())?, device.upload(&self.order)?);
        let [head, at, body] = self.form;
        macro_rules! launched {
            ($kernel:ident $t:ty) => {{
                let [a, b, o] = self.numbers.map(|number| number as $t);
                $kernel(&x, &w, &order, &mut *y, a, b, o, head, at, body)
                    .grid(1)
                    .block(THREADS)
                    .launch(device)
            }};
        }
        let outcome = match (self.related, self.ty) {
            (false, 0) => launched!(of_i32 i32),
            (false, 1) => launched!(of_u32 u32),
            (false, 2) => launched!(of_i64 i64),
            (false, _) => launched!(of_u64 u64),
            (true, 0) => launched!(related_i32 i32),
            (true, _) => launched!(related_u64 u64),
        };
        let fault = match outcome.and_then(|()| device.synchronize()) {
            Ok(()) => None,
            Err(fault) => Some(without_line(&said(fault)?)),
        };
        let written = device.download(y)?.into_iter().map(f32::to_bits).collect();
        Ok(Ending { fault, written })
    }
}

/// Lengths of slices: mostly all the same, or one of them less.
fn lengths(random: &mut Random) -> [usize; 4] {
    let mut lengths = [random.between(1, 12); 4];
    match random.below(5) {
        0 => lengths = lengths.map(|_| random.between(0, 12)),
        1 | 2 => lengths[random.below(4)] -= 1,
        _ => {}
    }
    lengths
}

/// A number at an end of a type, below zero, or small.
fn number(random: &mut Random) -> i64 {
    let below = random.below(3) as i64;
    match random.below(7) {
        0 => i64::from(i32::MAX) - below,
        1 => i64::from(u32::MAX) - below,
        2 => i64::MAX - below,
        3 | 4 => -1 - below,
        5 => i64::from(i32::MIN) + below,
        _ => random.below(13) as i64,
    }
}

/// A text without its file and line: of code that a macro writes, the twin names the line that calls the macro.
fn without_line(text: &str) -> String {
    match (text.find(" at "), text.find(", in block")) {
        (Some(at), Some(block)) if at < block => format!("{}{}", &text[..at], &text[block..]),
        _ => text.to_owned(),
    }
}

/// The text of a fault that a kernel's own checks find; other errors stay errors.
fn said(error: Error) -> Result<String> {
    match &error {
        Error::Simulator(fault) => match &**fault {
            SimFault::Seeded { fault, .. } => Ok(fault.to_string()),
            fault @ (SimFault::OutOfBounds { .. } | SimFault::Range { .. }) => Ok(fault.to_string()),
            _ => Err(error),
        },
        Error::Launch(warpsmith::launch::LaunchError::Fault { .. }) => Ok(error.to_string()),
        _ => Err(error),
    }
}

/// The simulator with each executor that is there, and a GPU if there is one.
pub fn devices() -> Vec<Device> {
    let executors = [Executor::Twin, Executor::Interpreter, Executor::Printed];
    let there = if warpsmith::printed::compiler().is_ok() { 3 } else { 2 };
    let simulators = executors[..there].iter().map(|executor| {
        let own = Settings::default();
        let settings = Settings { executor: *executor, checks: SimChecks::NONE, overflow: false, ..own };
        Device::simulator_with(settings)
    });
    simulators.chain(Device::gpu(0).ok()).collect()
}
