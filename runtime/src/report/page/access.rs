//! How a warp accesses global memory: its lanes against the sectors that they touch.

use super::svg::{Anchor, Svg, escaped};
use super::{Page, file_name};
use crate::metrics::{Pattern, SECTOR};

const ROW: f64 = 7.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 30.0;
/// Pixels that all columns may take.
const WIDE: f64 = 800.0;

/// The most expensive request of each line that loads or stores global memory; empty if no line does.
pub(super) fn patterns(page: &Page) -> String {
    page.metrics.patterns.iter().filter(|pattern| !pattern.kind.is_shared()).map(figure).collect()
}

fn figure(pattern: &Pattern) -> String {
    let Pattern { file, line, kind, bytes, cost, ideal, lanes, .. } = pattern;
    let caption = format!(
        "{}:{line}: {} of {bytes} byte{} a lane, {} lane{}: {cost} sector{} where {ideal} would do",
        file_name(file),
        kind.name(),
        plural(u64::from(*bytes)),
        lanes.len(),
        plural(lanes.len() as u64),
        plural(*cost)
    );
    let picture = picture(pattern, &caption);
    format!(
        "<figure><figcaption>{}.</figcaption><div class=\"scroll\">{picture}</div></figure>\n",
        escaped(&caption)
    )
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A column for each sector that is touched, a row for each lane; bytes are drawn where they lie.
fn picture(pattern: &Pattern, caption: &str) -> String {
    let bytes = u64::from(pattern.bytes.max(1));
    let mut sectors: Vec<u64> =
        pattern.lanes.iter().flat_map(|(_, at)| at / SECTOR..=(at + bytes - 1) / SECTOR).collect();
    sectors.sort_unstable();
    sectors.dedup();
    let column = (WIDE / sectors.len().max(1) as f64).clamp(12.0, 64.0);
    let mut svg = Svg::new(LEFT + column * sectors.len() as f64 + 8.0, TOP + ROW * 32.0 + 8.0);
    svg.text("label", [LEFT - 6.0, 12.0], Anchor::End, "byte");
    svg.text("label", [LEFT - 6.0, TOP + 8.0], Anchor::End, "lane 0");
    svg.text("label", [LEFT - 6.0, TOP + ROW * 32.0], Anchor::End, "31");
    columns(&mut svg, &sectors, column);
    for (lane, at) in &pattern.lanes {
        let y = TOP + ROW * f64::from(*lane);
        for (i, sector) in sectors.iter().enumerate() {
            let (from, to) = ((*at).max(sector * SECTOR), (at + bytes).min((sector + 1) * SECTOR));
            if from < to {
                let place =
                    |byte: u64| LEFT + column * (i as f64 + (byte - sector * SECTOR) as f64 / SECTOR as f64);
                let size = [(place(to) - place(from)).max(2.0), ROW - 1.0];
                svg.hint(
                    "touch",
                    [place(from), y],
                    size,
                    &format!("lane {lane}: bytes {at} to {}", at + bytes - 1),
                );
            }
        }
    }
    svg.finish(caption)
}

/// The columns, with the first byte of some, and a line where sectors are left out between two.
fn columns(svg: &mut Svg, sectors: &[u64], width: f64) {
    let step = (56.0 / width).ceil() as usize;
    for (i, sector) in sectors.iter().enumerate() {
        let x = LEFT + width * i as f64;
        let class = if i % 2 == 0 { "even" } else { "odd" };
        svg.rect(class, [x, TOP - 4.0], [width, ROW * 32.0 + 6.0]);
        if i > 0 && sectors[i - 1] + 1 != *sector {
            svg.line("gap", [x, TOP - 4.0], [x, TOP + ROW * 32.0 + 2.0]);
        }
        if i % step == 0 {
            svg.text("tick", [x + 1.0, 12.0], Anchor::Start, &(sector * SECTOR).to_string());
            svg.line("grid", [x, 15.0], [x, TOP - 4.0]);
        }
    }
}
