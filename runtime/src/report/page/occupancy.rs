//! Occupancy as a picture: the warps that are resident, and the blocks that each resource would allow.

use super::Page;
use super::svg::{Anchor, Svg, escaped};
use crate::report::{Limiter, Occupancy};

const LEFT: f64 = 150.0;
const WIDE: f64 = 520.0;
const ROW: f64 = 24.0;

/// The picture, the figures and what would lift them; or why they are not known.
pub(super) fn section(page: &Page) -> String {
    match &page.resources {
        Ok((resources, occupancy)) => format!(
            "<figure><div class=\"scroll\">{}</div></figure>\n<pre>{}\n{}</pre>\n",
            picture(occupancy),
            escaped(&occupancy.to_string()),
            escaped(&resources.to_string())
        ),
        Err(why) => format!("<p>{}</p>\n", escaped(&unknown(why))),
    }
}

/// The text if the resources are not known.
pub(super) fn unknown(why: &str) -> String {
    format!("Registers and occupancy are left out: {why}.")
}

fn picture(occupancy: &Occupancy) -> String {
    let allowed = &occupancy.allowed;
    let rows = [
        (Limiter::Blocks, allowed.blocks),
        (Limiter::Threads, allowed.threads),
        (Limiter::Registers, allowed.registers),
        (Limiter::Shared, allowed.shared),
    ];
    // A resource that allows more than a multiprocessor ever holds fills its row.
    let most = f64::from(allowed.blocks.max(1));
    let mut svg = Svg::new(LEFT + WIDE + 90.0, 44.0 + ROW * 4.0 + 10.0);
    warps(&mut svg, occupancy);
    let limiters = occupancy.limiters();
    for (i, (limiter, blocks)) in rows.iter().enumerate() {
        let y = 44.0 + ROW * i as f64;
        svg.text("label", [LEFT - 8.0, y + 15.0], Anchor::End, &limiter.to_string());
        let (width, text) = match *blocks {
            u32::MAX => (WIDE, "takes none".to_owned()),
            blocks => (
                WIDE * (f64::from(blocks) / most).min(1.0),
                format!("{blocks} block{}", if blocks == 1 { "" } else { "s" }),
            ),
        };
        let class = match (limiters.contains(limiter), *blocks) {
            (true, _) => "limit",
            (false, u32::MAX) => "idle",
            (false, _) => "free",
        };
        svg.rect(class, [LEFT, y + 4.0], [width.max(1.0), ROW - 9.0]);
        svg.text("label", [LEFT + width + 6.0, y + 15.0], Anchor::Start, &text);
    }
    svg.finish("what limits the resident blocks")
}

/// A cell for each warp that a multiprocessor can hold.
fn warps(svg: &mut Svg, occupancy: &Occupancy) {
    svg.text("label", [LEFT - 8.0, 22.0], Anchor::End, "resident warps");
    let all = occupancy.max_warps().max(1);
    let cell = WIDE / f64::from(all);
    for warp in 0..all {
        let class = if warp < occupancy.warps() { "touch" } else { "idle" };
        svg.rect(class, [LEFT + cell * f64::from(warp), 10.0], [(cell - 1.0).max(0.5), 16.0]);
    }
    let text = format!("{} of {all}", occupancy.warps());
    svg.text("label", [LEFT + WIDE + 6.0, 22.0], Anchor::Start, &text);
}
