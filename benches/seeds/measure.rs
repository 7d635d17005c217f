//! The median time of launches, by events around each, of kernels whose results have been compared with the host's.
//!
//! Launches are queued back to back, after some that raise the clocks of an idle GPU.

use std::time::{Duration, Instant};

use corpus::cases::Scale;
use warpsmith::Launch;
use warpsmith::prelude::*;

/// Launches of which the median is printed.
const ROUNDS: usize = 21;
/// How long launches go on before any is timed.
const WARM_UP: Duration = Duration::from_millis(30);

/// A device, the size of inputs on it, and its own stream.
pub struct Bench {
    pub device: Device,
    pub scale: Scale,
    pub stream: Stream,
}

/// The memory of a kernel that is timed.
pub trait Work {
    /// Removes the results of the kernel before.
    fn clear(&mut self, bench: &Bench) -> warpsmith::Result<()>;

    /// Puts back what a launch overwrites; queued before each launch, and not timed.
    fn restore(&mut self, _: &Bench) -> warpsmith::Result<()> {
        Ok(())
    }

    /// Says where the results of one launch differ from the host's.
    fn check(&self, bench: &Bench) -> warpsmith::Result<Result<(), String>>;
}

/// How a kernel is launched: with bounds checks or without.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    device: &'a Device,
    checked: bool,
}

impl Start<'_> {
    pub fn launch<K: Kernel>(self, launch: Launch<'_, K>) -> warpsmith::Result<()> {
        if self.checked {
            return launch.launch(self.device);
        }
        // SAFETY: `Bench::compare` has run the same launch with bounds checks, and nothing faulted.
        unsafe { launch.launch_unchecked(self.device) }
    }
}

/// The unit in which the median time of a launch is printed.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// Gigabytes per second; the number is the bytes that one launch reads and writes.
    Bandwidth(usize),
}

impl Bench {
    /// On the simulator, inputs are small.
    pub fn new(device: Device) -> Self {
        let scale = if device.is_simulator() { Scale::Small } else { Scale::Real };
        let stream = device.default_stream();
        Self { device, scale, stream }
    }

    /// Checks a kernel with bounds checks and without, then prints the times of both.
    ///
    /// # Panics
    /// If its results differ from the host's.
    pub fn compare<W: Work>(
        &self,
        name: &str,
        unit: Unit,
        work: &mut W,
        launch: impl Fn(&mut W, Start<'_>) -> warpsmith::Result<()>,
    ) -> warpsmith::Result<()> {
        let starts = [true, false].map(|checked| Start { device: &self.device, checked });
        for start in starts {
            work.clear(self)?;
            work.restore(self)?;
            launch(work, start)?;
            work.check(self)?.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        for start in starts.into_iter().rev() {
            let milliseconds = self.time(work, |work| launch(work, start))?;
            self.print(name, start.checked, unit, milliseconds);
        }
        Ok(())
    }

    fn print(&self, name: &str, checked: bool, unit: Unit, milliseconds: f64) {
        let name = if checked { format!("{name}_checked") } else { name.into() };
        match unit {
            _ if self.device.is_simulator() => println!("simulated {name}"),
            Unit::Milliseconds => println!("ours {name} {milliseconds:.5} ms"),
            Unit::Bandwidth(bytes) => println!("ours {name} {:.2} GB/s", bytes as f64 / milliseconds / 1e6),
        }
    }

    /// Prints a figure by the host's clock.
    pub fn microseconds(&self, name: &str, value: f64) {
        if self.device.is_simulator() {
            return println!("simulated {name}");
        }
        println!("figure {name} {value:.1} us");
    }

    /// Median milliseconds of a launch.
    fn time<W: Work>(
        &self,
        work: &mut W,
        launch: impl Fn(&mut W) -> warpsmith::Result<()>,
    ) -> warpsmith::Result<f64> {
        let begun = Instant::now();
        while begun.elapsed() < WARM_UP && !self.device.is_simulator() {
            work.restore(self)?;
            launch(work)?;
            self.device.synchronize()?;
        }
        let mut events = Vec::new();
        for _ in 0..self.scale.pick(1, ROUNDS) {
            work.restore(self)?;
            let start = self.stream.record()?;
            launch(work)?;
            events.push((start, self.stream.record()?));
        }
        self.device.synchronize()?;
        let times: warpsmith::Result<Vec<f64>> =
            events.iter().map(|(start, end)| Ok(start.elapsed(end)?.as_secs_f64() * 1e3)).collect();
        Ok(median(times?))
    }
}

/// The median of some numbers, of which there is one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Compares every element of a result with the host's.
pub fn same<T: PartialEq + std::fmt::Debug>(
    got: &[T],
    mut want: impl FnMut(usize) -> T,
) -> Result<(), String> {
    let wrong = got.iter().enumerate().map(|(i, got)| (i, got, want(i))).find(|(_, got, want)| *got != want);
    wrong.map_or(Ok(()), |(i, got, want)| Err(format!("element {i} is {got:?} instead of {want:?}")))
}
