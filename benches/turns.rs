//! Times kernels in turns, in bursts and sustained, and serves a kernel that another process times in turns with its own.
//!
//! A burst is a few launches after a rest, at the highest clock. Sustained launches have no rest, so the limit of power
//! lowers the clock; each kernel's turn takes some 60 ms. This module knows no kernels: it takes closures that launch them.

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use cudarc::driver::sys::CUevent_flags;
use warpsmith::Device;

/// A result of a launch, of whatever library the kernel is.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Launches between two events.
const LAUNCHES: usize = 5;
/// The number of turns, and the rest before a burst.
const TURNS: usize = 15;
const REST: Duration = Duration::from_millis(300);
/// Milliseconds of a turn without a rest.
const TURN: f32 = 60.0;

/// Launches a kernel in this number of groups of launches. Returns the milliseconds of a launch in each group.
pub type Run<'a> = Box<dyn FnMut(usize) -> Result<Vec<f32>> + 'a>;

/// A unit of rates.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "each bench has its own")]
pub enum Unit {
    /// 10¹² operations a second.
    Teraflops,
    /// 10⁹ bytes a second.
    Gigabytes,
}

/// A kernel with its inputs.
pub struct Timed<'a> {
    /// Its name in the output.
    pub name: String,
    /// Operations or bytes of a launch.
    pub work: f64,
    /// The unit of its rate.
    pub unit: Unit,
    /// Launches it.
    pub run: Run<'a>,
}

/// Prints `ours NAME_MODE VALUE UNIT` for each kernel: the median of bursts, and that of launches without a rest.
///
/// # Errors
/// Those of the launches.
pub fn take_turns(kernels: &mut [Timed]) -> Result<()> {
    let mut bursts = vec![Vec::new(); kernels.len()];
    let mut sustained = bursts.clone();
    for _ in 0..TURNS {
        for (kernel, times) in kernels.iter_mut().zip(&mut bursts) {
            std::thread::sleep(REST);
            // The first launches wake the clock.
            times.extend((kernel.run)(3)?.pop());
        }
    }
    for turn in 0..2 * TURNS {
        for ((kernel, times), burst) in kernels.iter_mut().zip(&mut sustained).zip(&bursts) {
            let count = (TURN / (median(burst.clone()) * LAUNCHES as f32)).max(3.0) as usize;
            let of_turn = (kernel.run)(count)?;
            // The first turns heat the device.
            if turn >= TURNS / 2 {
                times.push(median(of_turn[count / 3..].to_vec()));
            }
        }
    }
    for (mode, all) in [("burst", bursts), ("sustained", sustained)] {
        for (kernel, times) in kernels.iter().zip(all) {
            let (unit, by) = match kernel.unit {
                Unit::Teraflops => ("TFLOP/s", 1e-9),
                Unit::Gigabytes => ("GB/s", 1e-6),
            };
            let rate = kernel.work / f64::from(median(times)) * by;
            println!("ours {}_{mode} {rate:.1} {unit}", kernel.name);
        }
    }
    Ok(())
}

/// Answers lines `NAME SIZE GROUPS` of the input. Each answer is the milliseconds of a launch: the median of the last two
/// thirds of `GROUPS` groups of launches. An error is answered with `error TEXT`. Returns at the first other line.
///
/// # Errors
/// Those of the output.
pub fn serve(mut run: impl FnMut(&str, usize, usize) -> Result<Vec<f32>>) -> Result<()> {
    for line in std::io::stdin().lines().map_while(std::result::Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, size, count] = words.as_slice() else { break };
        let (Ok(size), Ok(count)) = (size.parse(), count.parse::<usize>()) else { break };
        let mut output = std::io::stdout();
        match run(name, size, count) {
            Ok(times) => writeln!(output, "{}", median(times[count / 3..].to_vec()))?,
            Err(error) => writeln!(output, "error {}", error.to_string().replace('\n', " "))?,
        }
        output.flush()?;
    }
    Ok(())
}

/// Launches `count` groups of [`LAUNCHES`] without a pause. Returns the milliseconds of a launch in each group.
///
/// # Errors
/// Those of the launches.
pub fn samples<E: Error + 'static>(
    device: &Device,
    count: usize,
    launch: &mut impl FnMut() -> std::result::Result<(), E>,
) -> Result<Vec<f32>> {
    let gpu = device.as_gpu().ok_or("only launches on a GPU are timed")?;
    let record = || gpu.stream().record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
    let mut events = vec![record()?];
    for _ in 0..count {
        for _ in 0..LAUNCHES {
            launch()?;
        }
        events.push(record()?);
    }
    device.synchronize()?;
    let between = events.iter().zip(&events[1..]);
    between.map(|(from, to)| Ok(from.elapsed_ms(to)? / LAUNCHES as f32)).collect()
}

fn median(mut times: Vec<f32>) -> f32 {
    times.sort_by(f32::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f32::NAN)
}
