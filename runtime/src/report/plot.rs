//! A roofline drawn with characters, both axes logarithmic.

use super::{Roofline, Work};

/// The marks of kernels, in order.
pub(super) const MARKS: &str = "abcdefghijklmnopqrstuvwxyz";

const WIDTH: usize = 64;
const HEIGHT: usize = 16;

/// A range of powers of two, drawn on a number of cells.
struct Scale {
    low: f64,
    high: f64,
    cells: usize,
}

impl Scale {
    /// A range that has all values, and room at both ends.
    fn over(values: impl Iterator<Item = f64>, cells: usize) -> Self {
        let logs = values.filter(|value| value.is_finite() && *value > 0.0).map(f64::log2);
        let (low, high) = logs.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return Self { low: -1.0, high: 1.0, cells };
        }
        Self { low: (low - 1.0).floor(), high: (high + 1.0).ceil(), cells }
    }

    /// The cell of a value; `None` outside.
    fn cell(&self, value: f64) -> Option<usize> {
        let part = (value.log2() - self.low) / (self.high - self.low);
        (0.0..=1.0).contains(&part).then(|| (part * (self.cells - 1) as f64).round() as usize)
    }

    /// The value in the middle of a cell.
    fn value(&self, cell: usize) -> f64 {
        (self.low + (self.high - self.low) * cell as f64 / (self.cells - 1) as f64).exp2()
    }
}

/// The picture: the roof as a line, each kernel as a letter where it is, or could be.
pub(super) fn draw(roofline: &Roofline) -> String {
    let (ceilings, points) = (roofline.ceilings(), roofline.points());
    // The highest roof of the kernels; a kernel without one counts with the peak without tensor cores.
    let roofs = points.iter().filter_map(|point| Some(point.roof.as_ref()?.flops));
    let plain = ceilings.roof(&Work::new(0.0, 0.0)).map(|roof| roof.flops);
    let peak = roofs.reduce(f64::max).or(plain).unwrap_or(f64::INFINITY);
    let intensities = points.iter().map(|point| point.work.intensity());
    let ridge = Some(peak / ceilings.bandwidth).filter(|ridge| ridge.is_finite());
    let x = Scale::over(intensities.chain(ridge), WIDTH);
    let roof = |intensity: f64| (intensity * ceilings.bandwidth).min(peak);
    let ends = [roof(x.value(0)), roof(x.value(WIDTH - 1))];
    let y = Scale::over(ends.into_iter().chain(points.iter().filter_map(|point| point.achieved)), HEIGHT);
    let mut cells = vec![[' '; WIDTH]; HEIGHT];
    for column in 0..WIDTH {
        let intensity = x.value(column);
        let line = if intensity * ceilings.bandwidth < peak { '╱' } else { '─' };
        put(&mut cells, Some(column), y.cell(roof(intensity)), line);
    }
    for (mark, point) in MARKS.chars().cycle().zip(points) {
        let rate = point.achieved.unwrap_or(point.attainable);
        put(&mut cells, x.cell(point.work.intensity()), y.cell(rate), mark);
    }
    framed(&cells, &x, &y)
}

fn put(cells: &mut [[char; WIDTH]], column: Option<usize>, row: Option<usize>, mark: char) {
    if let (Some(column), Some(row)) = (column, row)
        && let Some(cell) = cells.get_mut(row).and_then(|row| row.get_mut(column))
    {
        *cell = mark;
    }
}

/// The cells with their axes; the last row of cells is on top.
fn framed(cells: &[[char; WIDTH]], x: &Scale, y: &Scale) -> String {
    let mut text = String::from("   GFLOP/s\n");
    for (row, line) in cells.iter().enumerate().rev() {
        let label = if row % 5 == 0 { number(y.value(row) / 1e9) } else { String::new() };
        let line: String = line.iter().collect();
        text.push_str(format!("{label:>9} │{line}").trim_end());
        text.push('\n');
    }
    text.push_str(&format!("{:>9} └{}\n", "", "─".repeat(WIDTH)));
    let middle = number(x.value(WIDTH / 2));
    let (low, high) = (number(x.value(0)), format!("{} FLOP/B", number(x.value(WIDTH - 1))));
    text.push_str(&format!("{:>11}{low:<29}{middle:<18}{high:>17}", ""));
    text
}

/// A number with three figures or so.
fn number(value: f64) -> String {
    let digits = if value >= 100.0 {
        0
    } else if value >= 1.0 {
        1
    } else {
        3
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::report::{Ceilings, Work};

    #[test]
    fn a_kernel_at_the_roof_is_on_the_line_and_a_slow_one_below() {
        let ceilings = Ceilings::new("d", 1e12).peak("f32", 16e12);
        let second = Some(Duration::from_secs(1));
        let roofline = Roofline::new(ceilings).add("at the roof", Work::new(2e12, 1e12), second).add(
            "a tenth",
            Work::new(1.6e12, 1.6e10),
            second,
        );
        let text = draw(&roofline);
        let rows: Vec<&str> = text.lines().collect();
        let at = |mark: char| rows.iter().position(|row| row.contains(mark)).expect("drawn");
        assert!(rows[at('a')].contains("╱") || rows[at('a') - 1].contains('╱'), "{text}");
        assert!(rows[at('─')].trim_end().ends_with('─') && at('─') < at('a'), "{text}");
        assert!(at('b') >= at('a') && at('b') > at('─') + 2, "{text}");
        assert_eq!(rows.len(), HEIGHT + 3, "{text}");
    }

    #[test]
    fn a_scale_has_room_at_both_ends_and_no_cell_outside() {
        let scale = Scale::over([1.0, 4.0].into_iter(), 9);
        assert_eq!((scale.low, scale.high), (-1.0, 3.0));
        assert_eq!((scale.cell(0.5), scale.cell(1.0), scale.cell(8.0)), (Some(0), Some(2), Some(8)));
        assert_eq!((scale.cell(0.4), scale.cell(9.0), scale.cell(0.0)), (None, None, None));
        let nothing = Scale::over(std::iter::empty(), 3);
        assert_eq!(nothing.cell(1.0), Some(1));
    }
}
