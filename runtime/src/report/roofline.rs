//! The attainable rate of work on a device, by its arithmetic intensity, and the achieved rate.

use std::fmt;
use std::time::Duration;

use super::{Ceilings, Roof, Work, plot};

/// The lower of the roofs at an intensity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// The memory's.
    Memory,
    /// The arithmetic's.
    Compute,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::Memory => "bound by memory",
            Bound::Compute => "bound by arithmetic",
        })
    }
}

/// Kernels under the ceilings of a device.
///
/// ```
/// use warpsmith::report::{Ceilings, Roofline, Work};
///
/// // One multiplication and one addition on two floats that are read.
/// let naive = Work::new(2.0, 8.0);
/// let a100 = Ceilings::known("NVIDIA A100-SXM4-40GB").expect("listed");
/// let roofline = Roofline::new(a100).add("naive product", naive, None);
/// assert_eq!(roofline.points()[0].attainable, 388.75e9); // 2 % of what the arithmetic could do
/// println!("{roofline}");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    ceilings: Ceilings,
    points: Vec<Point>,
}

/// A kernel under the ceilings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Point {
    /// The kernel.
    pub name: String,
    /// Its work.
    pub work: Work,
    /// The rate that the ceilings allow, in FLOP/s.
    pub attainable: f64,
    /// The lower roof.
    pub bound: Bound,
    /// The peak that limits its arithmetic, with the rate that it allows; `None` if none is known.
    pub roof: Option<Roof>,
    /// Its rate, in FLOP/s, if its time is known.
    pub achieved: Option<f64>,
}

impl Roofline {
    /// Ceilings without kernels.
    pub fn new(ceilings: Ceilings) -> Self {
        Self { ceilings, points: Vec::new() }
    }

    /// Adds a kernel, with the time of a launch if it is known. Its roof is [`Ceilings::roof`]: that of the tensor cores for the
    /// elements that they multiply, if they do most of its work.
    pub fn add(mut self, name: impl Into<String>, work: Work, time: Option<Duration>) -> Self {
        let by_memory = work.intensity() * self.ceilings.bandwidth;
        let roof = self.ceilings.roof(&work);
        let (attainable, bound) = match &roof {
            Some(roof) if roof.flops <= by_memory => (roof.flops, Bound::Compute),
            _ => (by_memory, Bound::Memory),
        };
        let achieved = time.filter(|time| !time.is_zero()).map(|time| work.operations() / time.as_secs_f64());
        self.points.push(Point { name: name.into(), work, attainable, bound, roof, achieved });
        self
    }

    /// The ceilings.
    pub fn ceilings(&self) -> &Ceilings {
        &self.ceilings
    }

    /// The kernels.
    pub fn points(&self) -> &[Point] {
        &self.points
    }
}

impl Point {
    /// The part of an arithmetic peak, in FLOP/s, that the ceilings allow; from 0 to 1.
    pub fn part_of(&self, peak: f64) -> f64 {
        self.attainable / peak
    }

    /// The part of the attainable rate that was achieved, if its time is known.
    pub fn fraction(&self) -> Option<f64> {
        self.achieved.map(|achieved| achieved / self.attainable)
    }
}

impl fmt::Display for Roofline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.ceilings)?;
        for (mark, point) in plot::MARKS.chars().cycle().zip(&self.points) {
            let (intensity, attainable) = (point.work.intensity(), point.attainable / 1e9);
            write!(
                f,
                "{mark} {}: {intensity:.2} FLOP/B, {}, at most {attainable:.0} GFLOP/s",
                point.name, point.bound
            )?;
            for peak in self.ceilings.peaks_of(&point.work) {
                write!(f, ", {:.2} % of {}", point.part_of(peak.flops) * 100.0, peak.name)?;
            }
            if let (Some(achieved), Some(fraction)) = (point.achieved, point.fraction()) {
                write!(f, "; achieved {:.0} GFLOP/s, {:.1} % of that", achieved / 1e9, fraction * 100.0)?;
            }
            writeln!(f)?;
        }
        f.write_str(&plot::draw(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::TensorFormat;

    fn a100() -> Ceilings {
        Ceilings::known("NVIDIA A100-SXM4-40GB").expect("listed")
    }

    #[test]
    fn the_seeds_product_can_have_two_percent_of_an_a100() {
        let product = Work::new(2.0, 2.0 * 4.0);
        assert_eq!(product.intensity(), 0.25);
        let roofline = Roofline::new(a100()).add("product", product, None);
        let point = &roofline.points()[0];
        assert_eq!((point.attainable, point.bound), (388.75e9, Bound::Memory));
        assert_eq!((point.part_of(19_500e9) * 100.0).round(), 2.0);
        assert_eq!((point.part_of(156_000e9) * 10_000.0).round(), 25.0, "0.25 % of the tensor cores");
        assert_eq!((a100().ridge().expect("a peak") * 10.0).round() / 10.0, 12.5);
        let text = roofline.to_string();
        let line = "a product: 0.25 FLOP/B, bound by memory, at most 389 GFLOP/s, 1.99 % of f32\n";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn beyond_the_ridge_arithmetic_is_the_bound() {
        let time = Some(Duration::from_secs(1));
        let roofline = Roofline::new(a100()).add("dense", Work::new(9.75e12, 1e10), time);
        let point = &roofline.points()[0];
        assert_eq!((point.attainable, point.bound), (19_500e9, Bound::Compute));
        assert_eq!(point.fraction(), Some(0.5));
        assert!(roofline.to_string().contains("achieved 9750 GFLOP/s, 50.0 % of that"), "{roofline}");
    }

    #[test]
    fn products_of_the_tensor_cores_are_under_their_own_roof() {
        // 8192³ of bf16: 2 * 8192³ operations, three matrices of 128 MiB.
        let operations = 2.0 * 8192f64.powi(3);
        let product = Work::new(0.0, 3.0 * 8192.0 * 8192.0 * 2.0).with_tensor(TensorFormat::Bf16, operations);
        let h200 = Ceilings::known("NVIDIA H200").expect("listed");
        let second = Some(Duration::from_secs(1));
        let roofline = Roofline::new(h200.clone()).add("product", product, second);
        let point = &roofline.points()[0];
        assert_eq!((point.attainable, point.bound), (989_500e9, Bound::Compute));
        assert_eq!(point.achieved, Some(operations));
        assert_eq!(point.roof.as_ref().map(|roof| roof.name.as_str()), Some("f16 and bf16 tensor cores"));
        let text = roofline.to_string();
        assert!(text.contains("at most 989500 GFLOP/s, 100.00 % of f16 and bf16 tensor cores;"), "{text}");
        // A sixteenth of a rate: 67,000 GFLOP/s of f32 beside it take as long as 989,500 of bf16.
        let roof = |flops: f64, tensor: f64| {
            let work = Work::new(flops, 1.0).with_tensor(TensorFormat::Bf16, tensor);
            h200.roof(&work).map(|roof| (roof.name, roof.flops))
        };
        let tensor = |flops| Some(("f16 and bf16 tensor cores".to_owned(), flops));
        assert_eq!(roof(33_500e9, 989_500e9), tensor(989_500e9 + 33_500e9), "beside each other");
        assert_eq!(roof(134_000e9, 989_500e9), Some(("f32".into(), (989_500e9 + 134_000e9) / 2.0)));
        // Formats take turns: a second of each.
        let both = Work::new(0.0, 1.0)
            .with_tensor(TensorFormat::F8, 1_979e12)
            .with_tensor(TensorFormat::F16, 989.5e12);
        assert_eq!(h200.roof(&both).map(|roof| roof.flops), Some((1_979e12 + 989.5e12) / 2.0));
    }

    #[test]
    fn products_without_a_listed_peak_are_bound_by_memory() {
        let work = Work::new(0.0, 1e9).with_tensor(TensorFormat::F8, 1e15);
        let roofline = Roofline::new(a100()).add("eight bits", work, None);
        assert_eq!((roofline.points()[0].bound, roofline.points()[0].roof.clone()), (Bound::Memory, None));
    }

    #[test]
    fn a_device_without_peaks_bounds_by_memory_alone() {
        let roofline = Roofline::new(Ceilings::new("bus", 1e9)).add("any", Work::new(1e6, 1.0), None);
        assert_eq!((roofline.points()[0].attainable, roofline.points()[0].bound), (1e15, Bound::Memory));
        assert_eq!(roofline.ceilings().ridge(), None);
    }
}
