//! The times of some launches.

use std::fmt;
use std::time::Duration;

/// How long launches of one shape took on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// The device.
    pub device: String,
    /// The median.
    pub median: Duration,
    /// The shortest.
    pub shortest: Duration,
    /// The longest.
    pub longest: Duration,
    /// The number of launches.
    pub launches: usize,
}

impl Timing {
    /// The timing of some launches; zero if there are none.
    pub fn new(device: impl Into<String>, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |place: usize| times.get(place).copied().unwrap_or_default();
        let launches = times.len();
        let (shortest, median, longest) = (at(0), at(launches / 2), at(launches.saturating_sub(1)));
        Self { device: device.into(), median, shortest, longest, launches }
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        write!(f, "{:.1} µs on {}", micros(self.median), self.device)?;
        if self.launches > 1 {
            let (shortest, longest) = (micros(self.shortest), micros(self.longest));
            write!(f, ", the median of {} launches from {shortest:.1} to {longest:.1}", self.launches)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle_of_what_was_measured() {
        let times = [5, 1, 3].map(Duration::from_micros).to_vec();
        let timing = Timing::new("a GPU", times);
        assert_eq!(timing.to_string(), "3.0 µs on a GPU, the median of 3 launches from 1.0 to 5.0");
        let one = Timing::new("a GPU", vec![Duration::from_micros(2)]);
        assert_eq!(one.to_string(), "2.0 µs on a GPU");
        assert_eq!(Timing::new("a GPU", Vec::new()).median, Duration::ZERO);
    }
}
