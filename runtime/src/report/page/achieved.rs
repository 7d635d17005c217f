//! The figures that a GPU achieved beside the predicted ones: time, rates, and how full the grid keeps the device.

use std::fmt::Write;

use super::Page;
use super::roofline::number;
use super::svg::escaped;

/// A quantity: what was predicted, what was achieved, and the part that this is.
struct Row {
    name: &'static str,
    predicted: String,
    achieved: String,
    part: f64,
}

/// The table and the waves; empty if there is neither a time nor an occupancy.
pub(super) fn section(page: &Page) -> String {
    let mut out = String::new();
    if let Some(timing) = &page.timing {
        let _ = writeln!(out, "<p>{}.</p>", escaped(&timing.to_string()));
        out.push_str(
            "<div class=\"scroll\"><table class=\"sums\">\n<tr><th></th><th class=\"number\">the ceilings allow</th>\
             <th class=\"number\">achieved</th><th class=\"number\">part</th></tr>\n",
        );
        for Row { name, predicted, achieved, part } in rows(page) {
            let _ = writeln!(
                out,
                "<tr><td>{name}</td><td class=\"number\">{predicted}</td><td class=\"number\">{achieved}</td>\
                 <td class=\"number\">{part:.1} %</td></tr>"
            );
        }
        out.push_str("</table></div>\n");
    }
    if let Some(waves) = waves(page) {
        let _ = writeln!(out, "<p>{}</p>", escaped(&waves));
    }
    out
}

/// The same as text.
pub(super) fn text(page: &Page) -> String {
    let mut out = String::new();
    if let Some(timing) = &page.timing {
        let _ = writeln!(
            out,
            "{timing}\n{:>26} {:>18} {:>12} {:>9}",
            "", "the ceilings allow", "achieved", "part"
        );
        for Row { name, predicted, achieved, part } in rows(page) {
            let _ = writeln!(out, "{name:>26} {predicted:>18} {achieved:>12} {part:>7.1} %");
        }
    }
    if let Some(waves) = waves(page) {
        let _ = writeln!(out, "{waves}");
    }
    out
}

fn rows(page: &Page) -> Vec<Row> {
    let Some(timing) = &page.timing else { return Vec::new() };
    let (work, least) = (page.metrics.work(), page.least_seconds());
    let seconds = timing.median.as_secs_f64().max(1e-12);
    let row = |name, [predicted, achieved]: [f64; 2], part: f64| Row {
        name,
        predicted: number(predicted),
        achieved: number(achieved),
        part: 100.0 * part,
    };
    let mut rows = vec![row("time, µs", [least * 1e6, seconds * 1e6], least / seconds)];
    let mut rate = |name, amount: f64, ceiling: f64| {
        if amount > 0.0 && ceiling > 0.0 {
            let rate = amount / seconds;
            rows.push(row(name, [ceiling / 1e9, rate / 1e9], rate / ceiling));
        }
    };
    rate("GB/s of distinct sectors", work.bytes, page.ceilings.bandwidth);
    rate("GFLOP/s", work.operations(), page.ceilings.roof(&work).map_or(0.0, |roof| roof.flops));
    rows
}

/// How often the grid fills the device, and what that leaves of the occupancy.
fn waves(page: &Page) -> Option<String> {
    let (_, occupancy) = page.resources.as_ref().ok()?;
    let blocks: u64 = page.shape[0].iter().map(|extent| u64::from(*extent)).product();
    let resident = u64::from(occupancy.blocks) * u64::from(page.multiprocessors);
    if resident == 0 {
        return None;
    }
    let waves = blocks as f64 / resident as f64;
    let most = 100.0 * occupancy.fraction() * waves / waves.ceil();
    let s = if blocks == 1 { "" } else { "s" };
    Some(format!(
        "The grid's {blocks} block{s} are {} waves of the {resident} that {} multiprocessors hold at once: if all blocks take \
         as long, {most:.1} % of the device's warps are active on average at most.",
        number(waves),
        page.multiprocessors
    ))
}
