//! A page of a real kernel, with accesses by hand.

use std::time::Duration;

use super::{Page, Parts, banks, roofline};
use crate::codegen::{Checks, PrintOptions};
use crate::metrics::Metrics;
use crate::prelude::*;
use crate::report::{Ceilings, Entry, Multiprocessor, Occupancy, Resources, Samples, Timing};
use crate::simulator::{
    Access, AccessKind, Branch, Instruction, Line, Observer, Operation, SimLaunch, Space, Thread,
};

const SIDE: usize = 32;

/// A scaled transpose through a tile whose columns share a bank.
#[gpu_kernel]
fn turned(scale: f32, x: &[f32], y: &mut [f32]) {
    let mut tile = shared!([[f32; SIDE]; SIDE]);
    let (row, col) = (thread_idx().y as usize, thread_idx().x as usize);
    if row * SIDE + col < x.len() && x.len() <= y.len() {
        tile[row][col] = scale * x[row * SIDE + col];
    }
    sync_threads();
    y[row * SIDE + col] = tile[col][row];
}

/// The line of the test's source that has this text first.
fn line_of(text: &str) -> Line {
    let at = include_str!("tests.rs").lines().position(|line| line.trim_start().starts_with(text));
    Line { file: file!(), line: at.expect("it is there") as u32 + 1, column: 9 }
}

/// The metrics that the interpreter would give for one block of 32 by 32 threads.
fn metrics() -> crate::metrics::Report {
    let metrics = Metrics::new();
    metrics.on_launch(&SimLaunch::new("turned", [1; 3], [32, 32, 1]));
    let [condition, fill, out] = ["if row", "tile[row][col] =", "y[row"].map(line_of);
    for linear in 0..1024u32 {
        let (row, col) = (linear as usize / SIDE, linear as usize % SIDE);
        let by =
            Thread { block_idx: [0; 3], block: 0, rank: 0, thread_idx: [col as u32, row as u32, 0], linear };
        let instruction = |at, site| Instruction { at, site, instance: 0 };
        metrics.on_branch(&by, &Branch { taken: true, by: instruction(condition, 1) });
        let shared = Space::Shared { rank: 0 };
        let accesses = [
            ((1 << 20) + 4 * linear as usize, Space::Global, AccessKind::Read, fill),
            ((1 << 16) + 4 * (row * SIDE + col), shared, AccessKind::Write, fill),
            ((1 << 16) + 4 * (col * SIDE + row), shared, AccessKind::Read, out),
            ((1 << 21) + 4 * linear as usize, Space::Global, AccessKind::Write, out),
        ];
        for (site, (address, space, kind, at)) in accesses.into_iter().enumerate() {
            let by_instruction = instruction(at, 2 + site as u32);
            let access = Access { address, bytes: 4, align: 4, space, kind, by: by_instruction };
            metrics.on_access(&by, &access).expect("no fault");
        }
        metrics.on_work(&by, Operation::FloatMul(32), &instruction(fill, 9));
        metrics.on_thread_end(&by);
    }
    metrics.report()
}

fn page(resources: Result<(Resources, Occupancy), String>) -> Page {
    let module = turned::module(&()).expect("it is valid");
    let options = PrintOptions { checks: Checks::None, line_directives: true };
    let cuda = turned::print(&(), &options).expect("it prints").code;
    let (grid, block, multiprocessors) = ([1; 3], [32, 32, 1], 132);
    let (metrics, module) = (metrics(), module.module());
    Page::new(Parts { metrics, module, cuda: &cuda, grid, block, multiprocessors, resources })
}

fn without_resources() -> Page {
    page(Err("there is no NVRTC".into()))
}

#[test]
fn rust_stands_beside_the_cuda_that_it_became() {
    let html = without_resources().html();
    let row = html.lines().find(|line| line.contains("scale * x[row")).expect("the line is there");
    assert!(row.contains("tile[row][col] = scale * x[row * SIDE + col];"), "{row}");
    assert!(row.contains("<td class=\"cuda\">        tile[row][col] = scale * x["), "{row}");
    let condition = html.lines().find(|line| line.contains("if row * SIDE")).expect("the line is there");
    assert!(condition.contains("<td class=\"cuda\">    if (row * SIDE"), "{condition}");
    // Of warps: a load, a store and a multiplication; 4 sectors a load; 1 wavefront a store.
    for figure in [">96<", ">128<", ">32<"] {
        assert!(row.contains(figure), "{figure}: {row}");
    }
    let output = html.lines().find(|line| line.contains("tile[col][row]")).expect("the line is there");
    assert!(output.contains(">1,024<"), "wavefronts: {output}");
    assert!(html.contains("extern &quot;C&quot; __global__ void turned("), "{html}");
}

/// A page with all that a GPU can add, times and samples.
fn measured() -> Page {
    let csv = [line_of("tile[row][col] ="), line_of("y[row")].iter().zip([30, 90]).fold(
        String::from(
            "\"File Path\",\"/there/runtime/src/report/page/tests.rs\"\n\"Function Name\",\"turned\"\n\
             \"Line No\",\"Source\",\"Address\",\"Source\",\"# Samples\",\"stall_long_sb\"\n",
        ),
        |csv, (at, samples)| csv + &format!("\"{}\",\"\",\"-\",\"-\",\"{samples}\",\"20\"\n", at.line),
    );
    let samples = Samples::of_csv(&csv, "turned").expect("it is such a CSV");
    let ceilings = Ceilings::new("slow", 8.192e9).peak("f32", 1.024e9);
    let timing = Timing::new("slow", [4, 3, 9].map(Duration::from_micros).to_vec());
    without_resources().with_timing(ceilings, timing).with_samples(samples)
}

#[test]
fn samples_of_a_gpu_are_a_heat_of_their_own_with_the_reasons() {
    let html = measured().html();
    let row = html.lines().find(|line| line.contains("tile[col][row]")).expect("the line is there");
    assert!(row.contains("title=\"90 samples: long_sb 20\">90<"), "{row}");
    assert!(row.contains("rgba(var(--heat), 0.46)"), "three quarters of the samples: {row}");
    assert!(!without_resources().html().contains("samples"));
    let text = measured().to_string();
    let output = text.lines().find(|line| line.contains("tile[col][row];")).expect("the line is there");
    let figures: Vec<&str> = output.split_whitespace().take(4).collect();
    assert_eq!(figures, ["64", "128", "1024", "90"], "{text}");
}

#[test]
fn what_was_achieved_stands_beside_what_was_predicted() {
    let page = measured();
    let (html, text) = (page.html(), page.to_string());
    assert!(
        html.contains("timed on slow")
            && text.contains("4.0 µs on slow, the median of 3 launches from 3.0 to 9.0")
    );
    // 8 KiB and 1024 multiplications in 4 µs; the ceilings allow them in 1 µs.
    for [name, allowed, achieved, part] in [
        ["time, µs", "1", "4", "25.0 %"],
        ["GB/s of distinct sectors", "8.2", "2", "25.0 %"],
        ["GFLOP/s", "1", "0.256", "25.0 %"],
    ] {
        let cells =
            [allowed, achieved, part].map(|cell| format!("<td class=\"number\">{cell}</td>")).concat();
        assert!(html.contains(&format!("<tr><td>{name}</td>{cells}</tr>")), "{name}: {html}");
        let row = text.lines().find(|line| line.trim_start().starts_with(name)).expect("the row");
        assert!(row.ends_with(part), "{row}");
    }
}

#[test]
fn the_file_stands_alone() {
    well_formed(&without_resources().html());
    well_formed(&measured().html());
    let path = "pages/turned-1-32x32.html".into();
    let entry = Entry { path, kernel: "turned<\"a\">".into(), summary: "a & b".into() };
    let index = super::index::page(&[entry]);
    well_formed(&index);
    assert!(
        index.contains("<a href=\"turned-1-32x32.html\"><code>turned&lt;&quot;a&quot;&gt;</code></a>"),
        "{index}"
    );
}

/// The page names nothing outside the file, and every element that is opened is closed, in order.
#[track_caller]
fn well_formed(html: &str) {
    for outside in ["http://", "https://", "<script", "<link", "<img", "url(", "@import"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("prefers-color-scheme: dark"));
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap_or_else(|| panic!("`<{tag}` has no end"));
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or("");
        let alone = tag.ends_with('/') || ["!DOCTYPE", "meta"].contains(&name);
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{html}"),
            None if !alone => open.push(name),
            None => assert_eq!(tag.matches('"').count() % 2, 0, "{tag}"),
        }
    }
    assert!(open.is_empty(), "{open:?} are open at the end");
}

#[test]
fn a_bank_map_names_its_array_and_shows_each_lane_of_a_conflict() {
    let page = without_resources();
    let maps = banks::maps(&page);
    assert_eq!(maps.matches("<h3><code>tile</code></h3>").count(), 1, "{maps}");
    assert!(
        maps.contains("shared load of 4 bytes a lane, 32 lanes: 32 wavefronts where 1 would do"),
        "{maps}"
    );
    assert!(
        maps.contains("shared store of 4 bytes a lane, 32 lanes: 1 wavefront where 1 would do"),
        "{maps}"
    );
    assert_eq!(maps.matches("class=\"clash\"").count(), 31, "of 32 words of one bank the first is free");
}

#[test]
fn the_ceilings_bound_the_time() {
    let page = without_resources();
    // 4 KiB read and 4 KiB written, at 4.8 TB/s; 1024 multiplications.
    assert_eq!(page.least_time(), Duration::from_secs_f64(8192.0 / 4.8e12));
    assert_eq!(page.metrics().work().intensity(), 0.125);
    let ceilings = Ceilings::new("slow", 8.192e9).peak("f32", 1e12);
    let timed = page.with_time(ceilings, Duration::from_micros(4));
    let verdict = roofline::verdict(&timed);
    assert!(verdict.contains("in 1 µs or more; it took 4 µs: 25.0 % of what they allow"), "{verdict}");
    assert!(timed.html().contains(">achieved<"));
}

#[test]
fn what_is_not_known_is_left_out_with_a_sentence() {
    let sentence = "Registers and occupancy are left out: there is no NVRTC.";
    let page = without_resources();
    assert!(page.html().contains(sentence) && page.to_string().contains(sentence));
}

#[test]
fn the_text_has_the_source_with_its_figures() {
    let text = without_resources().to_string();
    let output = text.lines().find(|line| line.contains("tile[col][row];")).expect("the line is there");
    let figures: Vec<&str> = output.split_whitespace().take(3).collect();
    assert_eq!(figures, ["64", "128", "1024"], "{text}");
}

#[test]
fn a_page_with_all_its_parts_is_written() {
    let source =
        turned::print(&(), &PrintOptions { checks: Checks::All, line_directives: false }).expect("it prints");
    let arch = "sm_90".parse().expect("an architecture");
    let options = crate::nvrtc::CompileOptions::new(arch);
    let resources = Resources::of(&source, &options);
    let resources = resources.and_then(|resources| {
        let occupancy = Occupancy::new(&resources, &Multiprocessor::of((9, 0))?, [32, 32])?;
        Ok((resources, occupancy))
    });
    let known = resources.is_ok();
    let page = page(resources.map_err(|error| error.to_string()));
    let directory = std::env::temp_dir().join(format!("warpsmith-report-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join("turned.html");
    page.write(&path).expect("it is written");
    let written = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(written, page.html());
    assert_eq!(written.contains("what limits the resident blocks"), known);
    std::fs::remove_dir_all(&directory).expect("it was there");
    let refused = page.write(directory.join("turned.html")).expect_err("no such directory").to_string();
    assert!(refused.contains("turned.html") && refused.contains("a directory that exists"), "{refused}");
}
