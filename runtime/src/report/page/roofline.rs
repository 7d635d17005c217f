//! The roofline as a picture: both axes logarithmic, the roofs as lines, the kernel as a point.

use super::Page;
use super::svg::{Anchor, Svg, escaped};
use crate::report::{Peak, Work};

const SIZE: [f64; 2] = [760.0, 360.0];
/// Left, top, right and bottom of the plot.
const FRAME: [f64; 4] = [78.0, 28.0, 736.0, 312.0];

/// A range of powers of ten, drawn from one pixel to another.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// A range that has all values, and room at both ends.
    fn over(values: &[f64], [from, to]: [f64; 2]) -> Self {
        let logs = values.iter().filter(|v| v.is_finite() && **v > 0.0).map(|v| v.log10());
        let (low, high) = logs.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low > high { (-1.0, 2.0) } else { (low, high) };
        Self { low: (low - 0.4).floor(), high: (high + 0.2).ceil(), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value.log10() - self.low) / (self.high - self.low)
    }

    fn ends(&self) -> [f64; 2] {
        [10f64.powf(self.low), 10f64.powf(self.high)]
    }

    /// The powers of ten on it.
    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low as i32..=self.high as i32).map(|power| 10f64.powi(power))
    }
}

/// Returns whether the work has a place in a roofline: it computes, and moves bytes.
pub(super) fn is_drawn(work: &Work) -> bool {
    work.operations() > 0.0 && work.bytes > 0.0
}

/// The picture, and its message in words.
pub(super) fn section(page: &Page) -> String {
    let (work, ceilings) = (page.metrics.work(), &page.ceilings);
    let mut out = format!("<p>{}.</p>\n", escaped(&ceilings.to_string()));
    out.push_str(&format!("<p>{}</p>\n", escaped(&verdict(page))));
    if is_drawn(&work) {
        let label = format!("roofline of {}", ceilings.name);
        out.push_str(&format!("<figure><div class=\"scroll\">{}</div></figure>\n", picture(page, &label)));
    }
    out
}

/// The bound of the kernel, the shortest time that it can take, and the time that it took.
pub(super) fn verdict(page: &Page) -> String {
    let (work, least) = (page.metrics.work(), page.least_seconds());
    let mut text = if is_drawn(&work) {
        let point = page.roofline().points()[0].clone();
        format!(
            "{:.3} FLOP/B of distinct sectors: {}, at most {} GFLOP/s.",
            work.intensity(),
            point.bound,
            number(point.attainable / 1e9)
        )
    } else {
        "The kernel computes nothing that is counted: memory bounds it.".to_owned()
    };
    let micros = |seconds: f64| number(seconds * 1e6);
    text.push_str(&format!(" The ceilings allow this launch in {} µs or more", micros(least)));
    match &page.timing {
        Some(timing) => {
            let seconds = timing.median.as_secs_f64();
            let part = 100.0 * least / seconds.max(1e-12);
            text.push_str(&format!("; it took {} µs: {part:.1} % of what they allow.", micros(seconds)));
        }
        None => text.push_str("; no time was measured."),
    }
    text
}

fn picture(page: &Page, label: &str) -> String {
    let (work, ceilings) = (page.metrics.work(), &page.ceilings);
    let [left, top, right, bottom] = FRAME;
    let moved = work.operations() / page.metrics.total.sector_bytes().max(1) as f64;
    let drawn = ceilings.peaks_of(&work);
    let ridges = drawn.iter().map(|peak| peak.flops / ceilings.bandwidth);
    let xs: Vec<f64> = ridges.chain([work.intensity(), moved]).collect();
    let x = Axis::over(&xs, [left, right]);
    let peaks = drawn.iter().map(|peak| peak.flops);
    let by_memory = [moved * ceilings.bandwidth, work.intensity() * ceilings.bandwidth];
    let achieved = page.roofline().points()[0].achieved;
    let ys: Vec<f64> = peaks.chain(by_memory).chain(achieved).map(|flops| flops / 1e9).collect();
    let y = Axis::over(&ys, [bottom, top]);
    let mut svg = Svg::new(SIZE[0], SIZE[1]);
    axes(&mut svg, &x, &y);
    roofs(&mut svg, ceilings.bandwidth, &drawn, &x, &y);
    points(&mut svg, page, moved, &x, &y);
    svg.finish(label)
}

fn axes(svg: &mut Svg, x: &Axis, y: &Axis) {
    let [left, top, right, bottom] = FRAME;
    for value in x.decades() {
        svg.line("grid", [x.at(value), top], [x.at(value), bottom]);
        svg.text("tick", [x.at(value), bottom + 15.0], Anchor::Middle, &number(value));
    }
    for value in y.decades() {
        svg.line("grid", [left, y.at(value)], [right, y.at(value)]);
        svg.text("tick", [left - 6.0, y.at(value) + 4.0], Anchor::End, &number(value));
    }
    svg.text("label", [(left + right) / 2.0, bottom + 36.0], Anchor::Middle, "arithmetic intensity, FLOP/B");
    svg.text("label", [left - 6.0, 12.0], Anchor::End, "GFLOP/s");
}

/// The slope of the memory up to the highest peak, and each peak from the slope on.
fn roofs(svg: &mut Svg, bandwidth: f64, peaks: &[&Peak], x: &Axis, y: &Axis) {
    let [low, high] = x.ends();
    let highest = peaks.iter().map(|peak| peak.flops).fold(0.0, f64::max);
    let end = if highest > 0.0 { (highest / bandwidth).min(high) } else { high };
    let giga = |intensity: f64| intensity * bandwidth / 1e9;
    let start = low.max(y.ends()[0] / (bandwidth / 1e9));
    svg.line("roof", [x.at(start), y.at(giga(start))], [x.at(end), y.at(giga(end))]);
    let middle = 10f64.powf(start.log10() * 0.35 + end.log10() * 0.65);
    let name = format!("{} GB/s", number(bandwidth / 1e9));
    svg.text("label", [x.at(middle) - 10.0, y.at(giga(middle)) - 6.0], Anchor::End, &name);
    for peak in peaks {
        let ridge = peak.flops / bandwidth;
        let height = y.at(peak.flops / 1e9);
        svg.line("roof", [x.at(ridge), height], [x.to, height]);
        let name = format!("{} {} GFLOP/s", peak.name, number(peak.flops / 1e9));
        svg.text("label", [x.to - 4.0, height - 5.0], Anchor::End, &name);
    }
}

/// The kernel with a cache that loses nothing and with none, each at its ceiling, and as it was.
fn points(svg: &mut Svg, page: &Page, moved: f64, x: &Axis, y: &Axis) {
    let work = page.metrics.work();
    let peak = page.ceilings.roof(&work).map_or(f64::INFINITY, |roof| roof.flops);
    let roof = |intensity: f64| (intensity * page.ceilings.bandwidth).min(peak) / 1e9;
    let [_, _, _, bottom] = FRAME;
    for (class, intensity) in [("fainter", moved), ("point", work.intensity())] {
        svg.line("drop", [x.at(intensity), y.at(roof(intensity))], [x.at(intensity), bottom]);
        svg.circle(class, [x.at(intensity), y.at(roof(intensity))], 5.0);
    }
    let close = (x.at(work.intensity()) - x.at(moved)).abs() < 3.0;
    let at = [x.at(work.intensity()) + 9.0, y.at(roof(work.intensity())) + 14.0];
    svg.text("strong", at, Anchor::Start, &page.metrics.kernel);
    if !close {
        let at = [x.at(moved) + 9.0, y.at(roof(moved)) + 14.0];
        svg.text("label", at, Anchor::Start, "without caches");
    }
    if let Some(achieved) = page.roofline().points()[0].achieved {
        let at = [x.at(work.intensity()), y.at(achieved / 1e9)];
        svg.circle("achieved", at, 5.0);
        svg.text("label", [at[0] + 9.0, at[1] + 4.0], Anchor::Start, "achieved");
    }
}

/// A number with three figures or so, without zeros that say nothing.
pub(super) fn number(value: f64) -> String {
    let digits = match value.abs() {
        large if large >= 100.0 => 0,
        middle if middle >= 1.0 => 1,
        small if small >= 0.01 => 3,
        _ => 5,
    };
    let text = format!("{value:.digits$}");
    if digits == 0 {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
