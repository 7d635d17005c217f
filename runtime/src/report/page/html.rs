//! The page as HTML: heading, sums, source with heat, and the pictures.

use std::fmt::Write;

use super::listing::{ListedFunction, SourceLine};
use super::svg::escaped;
use super::{Page, access, achieved, banks, file_name, head, occupancy, roofline};
use crate::metrics::{Counts, Report, TensorFormat};

pub(super) fn page(page: &Page) -> String {
    let kernel = &page.metrics.kernel;
    let mut out = head::write(kernel, &page.summary());
    let _ = writeln!(
        out,
        "<h1><code>{}</code></h1>\n<p class=\"faint\">{}</p>",
        escaped(kernel),
        escaped(&page.shape_text())
    );
    section(&mut out, "What it costs", &sums(&page.metrics));
    section(&mut out, "What would help", &advice(&page.metrics));
    section(&mut out, "Rust and the CUDA that it became", &source(page));
    section(&mut out, "Checks and loops", &checks(page));
    section(&mut out, "A warp's accesses of global memory", &access::patterns(page));
    section(&mut out, "Banks of shared memory", &banks::maps(page));
    section(&mut out, "Achieved against predicted", &achieved::section(page));
    section(&mut out, "Roofline", &roofline::section(page));
    section(&mut out, "Occupancy", &occupancy::section(page));
    out.push_str("</body>\n</html>\n");
    out
}

impl Page {
    /// Its costs, in one line.
    fn summary(&self) -> String {
        let [grid, block] = self.shape.map(extents);
        let total = &self.metrics.total;
        let s = if self.shape[0] == [1; 3] { "" } else { "s" };
        let mut text = format!("{grid} block{s} of {block} threads");
        for (what, of) in [("loads", &total.loads), ("stores", &total.stores)] {
            if of.requests > 0 {
                let _ = write!(text, ", {what} {:.1} % used", of.efficiency());
            }
        }
        let bulk = total.bulk_loads.bytes + total.bulk_stores.bytes + total.bulk_reductions.bytes;
        if bulk > 0 {
            let _ = write!(text, ", {} bytes by the copy engine", grouped(bulk));
        }
        if total.wavefronts() > 0 {
            let _ = write!(text, ", {} wavefronts of bank conflicts", grouped(total.conflicts()));
        }
        if total.branches.divergent > 0 {
            let _ = write!(text, ", {:.1} % of branches uniform", total.branches.efficiency());
        }
        let _ = write!(text, ", {} µs or more", roofline::number(self.least_seconds() * 1e6));
        match &self.timing {
            Some(timing) => text + &format!("; took {timing}"),
            None => text,
        }
    }

    /// The shape of the launch, in words.
    pub(super) fn shape_text(&self) -> String {
        let [grid, block] = self.shape;
        let launches = match self.metrics.launches {
            1 => String::new(),
            n => format!(", {n} launches with those by kernels"),
        };
        let s = if grid == [1; 3] { "" } else { "s" };
        let (grid, block) = (extents(grid), extents(block));
        let timed =
            self.timing.as_ref().map_or(String::new(), |timing| format!(", timed on {}", timing.device));
        format!("A grid of {grid} block{s} of {block} threads{launches}, counted on the simulator{timed}")
    }
}

/// Extents in words, as far as they are more than one.
fn extents([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} × {y}"),
        _ => format!("{x} × {y} × {z}"),
    }
}

/// A heading and its content; nothing if the content is empty.
fn section(out: &mut String, heading: &str, content: &str) {
    if !content.is_empty() {
        let _ = write!(out, "<section>\n<h2>{heading}</h2>\n{content}</section>\n");
    }
}

/// The sums of the launch, with the names that the profiler has for them.
fn sums(metrics: &Report) -> String {
    let mut out = String::new();
    if metrics.forced > 0 {
        let _ = writeln!(
            out,
            "<p>{} requests were counted before all lanes had come: figures are upper bounds.</p>",
            metrics.forced
        );
    }
    out.push_str("<table class=\"sums\">\n");
    for (name, value) in main_figures(metrics) {
        let _ = writeln!(out, "<tr><td>{name}</td><td class=\"number\">{value}</td></tr>");
    }
    out.push_str(
        "</table>\n<details><summary>By the names of Nsight Compute</summary>\n<table class=\"sums\">\n",
    );
    for (name, value) in metrics.total.profiler() {
        let value = if value.fract() == 0.0 { grouped(value as u64) } else { format!("{value:.2}") };
        let _ = writeln!(out, "<tr><td><code>{name}</code></td><td class=\"number\">{value}</td></tr>");
    }
    out.push_str("</table>\n</details>\n");
    out
}

fn main_figures(metrics: &Report) -> Vec<(&'static str, String)> {
    let total = &metrics.total;
    let mut all = Vec::new();
    let traffic = [
        ("global loads: sectors, used", &total.loads),
        ("global stores: sectors, used", &total.stores),
        ("asynchronous copies: sectors, used", &total.copies),
    ];
    for (name, of) in traffic.into_iter().filter(|(_, of)| of.requests > 0) {
        all.push((name, format!("{}, {:.1} %", grouped(of.sectors), of.efficiency())));
    }
    let bulk = [
        ("copy engine, loads: copies, bytes, sectors", &total.bulk_loads),
        ("copy engine, stores: copies, bytes, sectors", &total.bulk_stores),
        ("copy engine, reductions: copies, bytes, sectors", &total.bulk_reductions),
        ("copy engine, to other blocks: copies, bytes, sectors", &total.bulk_sends),
    ];
    for (name, of) in bulk.into_iter().filter(|(_, of)| of.requests > 0) {
        all.push((name, [of.requests, of.bytes, of.sectors].map(grouped).join(", ")));
    }
    let banks = [
        ("shared loads: wavefronts, of conflicts", &total.shared_loads),
        ("shared stores: wavefronts, of conflicts", &total.shared_stores),
        ("shared copies: wavefronts, of conflicts", &total.shared_copies),
        ("loads of matrices: wavefronts, of conflicts", &total.matrix_loads),
        ("stores of matrices: wavefronts, of conflicts", &total.matrix_stores),
    ];
    for (name, of) in banks.into_iter().filter(|(_, of)| of.requests > 0) {
        all.push((name, format!("{}, {}", grouped(of.wavefronts), grouped(of.conflicts()))));
    }
    let atomics = [
        ("global atomics: requests, turns", &total.atomics),
        ("shared atomics: requests, turns", &total.shared_atomics),
    ];
    for (name, of) in atomics.into_iter().filter(|(_, of)| of.requests > 0) {
        all.push((name, format!("{}, {}", grouped(of.requests), grouped(of.turns))));
    }
    if total.waits.executed > 0 {
        let waits = [total.waits.executed, total.waits.delayed];
        all.push(("waits for phases of barriers, delayed", waits.map(grouped).join(", ")));
    }
    let branches = &total.branches;
    all.push((
        "branches, uniform",
        format!("{}, {:.1} %", grouped(branches.executed), branches.efficiency()),
    ));
    all.push(("active lanes of 32", format!("{:.1}", total.active_lanes())));
    all.push(("FLOPs", grouped(total.flops())));
    for format in TensorFormat::ALL {
        let operations = total.tensor_operations_of(format);
        if operations > 0 {
            all.push(("operations of tensor cores", format!("{} on {}", grouped(operations), format.name())));
        }
    }
    let distinct = metrics.footprint_read + metrics.footprint_written;
    all.push((
        "bytes of distinct sectors, of all",
        format!("{}, {}", grouped(distinct), grouped(total.sector_bytes())),
    ));
    all
}

/// `1024` as `1,024`.
pub(super) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn advice(metrics: &Report) -> String {
    let mut out = String::new();
    for row in &metrics.rows {
        for advice in row.advice() {
            let _ = writeln!(
                out,
                "<li><code>{}:{}</code>: {}. {}.</li>",
                escaped(file_name(row.file)),
                row.line,
                marked(&advice.what),
                marked(&capital(advice.help))
            );
        }
    }
    if out.is_empty() {
        "<p>No request moves more than it need, and no branch diverges.</p>\n".into()
    } else {
        format!("<ul>\n{out}</ul>\n")
    }
}

/// A text in which what stands between backticks is code.
fn marked(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(i, part): (usize, &str)| match i % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    };
    parts.map(part).collect()
}

/// A sentence begins with a capital letter.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// The reason why each index is checked or not, the form of each loop, and the cost of the checks.
fn checks(page: &Page) -> String {
    format!("<pre>{}</pre>\n", escaped(page.explanation.to_string().trim_end()))
}

fn source(page: &Page) -> String {
    let mut out = String::from(
        "<p class=\"faint\">Instructions are those of warps. The stronger the colour, the larger the line's part of the launch.",
    );
    if page.samples.is_some() {
        out.push_str(" Samples are of warps on a GPU, by Nsight Compute: where its time goes.");
    }
    out.push_str("</p>\n");
    page.listing.functions.iter().for_each(|part| function(&mut out, page, part));
    if !page.listing.prelude.is_empty() {
        let prelude = escaped(&page.listing.prelude.join("\n"));
        let _ = writeln!(
            out,
            "<details><summary>CUDA of no line: types, constants, helpers</summary><pre>{prelude}</pre></details>"
        );
    }
    out
}

fn function(out: &mut String, page: &Page, part: &ListedFunction) {
    let samples = if page.samples.is_some() { "<th class=\"number\">samples</th>" } else { "" };
    let _ = write!(
        out,
        "<h3><code>{}</code> <span class=\"faint\">{}</span></h3>\n<div class=\"scroll\"><table class=\"source\">\n\
         <tr><th></th><th>Rust</th><th class=\"number\">instr.</th><th class=\"number\">sectors</th>\
         <th class=\"number\">wavefr.</th>{samples}<th>CUDA</th></tr>\n",
        escaped(&part.name),
        escaped(part.file)
    );
    if part.lines.iter().all(|line| line.rust.is_none()) {
        let _ = writeln!(out, "<caption>{} cannot be read from here.</caption>", escaped(part.file));
    }
    part.lines.iter().for_each(|line| source_line(out, page, part.file, line));
    out.push_str("</table></div>\n");
}

fn source_line(out: &mut String, page: &Page, file: &str, line: &SourceLine) {
    let counts = page.metrics.row(file, line.number).map(|row| &row.counts);
    let total = &page.metrics.total;
    let _ = write!(
        out,
        "<tr><td class=\"number at\">{}</td><td class=\"rust\">{}</td>",
        line.number,
        escaped(line.rust.as_deref().unwrap_or(""))
    );
    let instructions = |counts: &Counts| counts.instructions().warps;
    heat(out, counts.map(instructions), instructions(total), "");
    heat(out, counts.map(Counts::sectors), total.sectors(), "");
    heat(out, counts.map(Counts::wavefronts), total.wavefronts(), "");
    if let Some(samples) = &page.samples {
        let of = samples.at(file, line.number);
        let hint = of.map_or(String::new(), |of| format!(" title=\"{}\"", escaped(&of.to_string())));
        heat(out, of.map(|of| of.samples), samples.total(), &hint);
    }
    let _ = writeln!(out, "<td class=\"cuda\">{}</td></tr>", escaped(&line.cuda.join("\n")));
}

/// A cell whose colour is the part that a line has of the whole; `hint` is an attribute more.
fn heat(out: &mut String, value: Option<u64>, whole: u64, hint: &str) {
    match value.filter(|value| *value > 0) {
        Some(value) => {
            // The darkest still lets the figure be read.
            let alpha = 0.08 + 0.5 * value as f64 / whole.max(1) as f64;
            let _ = write!(
                out,
                "<td class=\"number\" style=\"background-color: rgba(var(--heat), {alpha:.2})\"{hint}>{}</td>",
                grouped(value)
            );
        }
        None => out.push_str("<td></td>"),
    }
}
