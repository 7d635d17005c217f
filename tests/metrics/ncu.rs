//! The page `benches/ncu.md`, which was measured on a GPU, against what is predicted now.

use std::collections::HashMap;

use corpus::bank_patterns;
use corpus::measured::{self, How};
use corpus::measured_tensors;
use warpsmith::Device;
use warpsmith::metrics::{Banks, Counts};

const PAGE: &str = include_str!("../../benches/ncu.md");

/// The cells of each row of five in the tables of the page, before or after its patterns begin.
fn rows(patterns: bool) -> Vec<Vec<&'static str>> {
    let (launches, rest) = PAGE.split_once("## Patterns").expect("the page has patterns");
    let split = |line: &'static str| -> Option<Vec<&str>> {
        let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
        Some(row.split(" | ").map(|cell| cell.trim().trim_matches('`')).collect())
    };
    let part = if patterns { rest } else { launches };
    part.lines().filter_map(split).filter(|row| row.len() == 5).collect()
}

/// A figure as the page has it: `1,024`, `93.33`.
fn number(text: &str) -> f64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// Every figure of a launch by the name that the page has for it.
fn figures(counts: &Counts) -> HashMap<String, f64> {
    let mut all: HashMap<String, f64> = counts.profiler().into_iter().collect();
    all.insert("floating-point operations".to_owned(), counts.flops() as f64);
    all
}

#[test]
fn every_launch_stands_in_the_page_as_it_is_predicted() {
    let mut page: HashMap<&str, HashMap<&str, f64>> = HashMap::new();
    for row in rows(false).iter().filter(|row| row[0] != "launch") {
        page.entry(row[0]).or_default().insert(row[1], number(row[2]));
    }
    for launch in measured::all() {
        let predicted = figures(&launch.predict().expect(launch.name).total);
        let said = page.remove(launch.name).unwrap_or_else(|| panic!("{} is not in the page", launch.name));
        for (metric, value) in said {
            let now = predicted.get(metric).copied().unwrap_or(0.0);
            assert!(
                (now - value).abs() <= 0.006,
                "{}: {metric} is {now}, and the page says {value}",
                launch.name
            );
        }
    }
    assert!(page.is_empty(), "launches that are no more: {:?}", page.keys());
}

#[test]
fn every_launch_with_tensor_cores_stands_in_the_page_as_it_is_predicted() {
    let mut rows = 0;
    for launch in measured_tensors::all() {
        let predicted = figures(&launch.predict().expect(launch.name).total);
        let head = format!("| `{}` | `", launch.name);
        let figures = PAGE.lines().filter_map(|line| line.strip_prefix(&head)?.split_once("` | "));
        // The sectors of the L2 cache are no figure of `profiler()`.
        for (metric, cells) in figures.filter(|(metric, _)| !metric.starts_with("lts__")) {
            let said = cells.split(" | ").next().map(number).expect("a cell");
            let now = predicted.get(metric.trim_matches('`')).copied().unwrap_or(0.0);
            assert!(
                (now - said).abs() <= 0.006,
                "{}: {metric} is {now}, and the page says {said}",
                launch.name
            );
            rows += 1;
        }
    }
    assert!(rows > 90, "only {rows} figures");
}

#[test]
fn every_pattern_of_wide_accesses_has_the_wavefronts_and_conflicts_of_a_gpu() {
    let (page, device) = (rows(true), Device::simulator());
    let column = |name: &str| page[0].iter().position(|head| *head == name).expect("a column");
    for (access, pattern) in bank_patterns::all() {
        let total = pattern.launch(access, &device, How::Predict).expect("it runs").expect("a report").total;
        let of = |banks: &Banks| format!("{} {}", banks.wavefronts, banks.conflicts());
        let predicted = of(if access.stores() { &total.shared_stores } else { &total.shared_loads });
        let row = page.iter().find(|row| row[0] == pattern.name).expect("a row for each pattern");
        assert_eq!(predicted, row[column(access.kernel())], "{}@{}", access.kernel(), pattern.name);
    }
}

/// The rows of the table below a title, the kernel first, as the page has them.
fn section(title: &str) -> Vec<(&'static str, Vec<f64>)> {
    let (_, rest) = PAGE.split_once(&format!("## {title}\n")).unwrap_or_else(|| panic!("no section {title}"));
    let rows = rest.split("\n## ").next().unwrap_or_default().lines().filter_map(|line| {
        let row = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let (kernel, cells) = row.split_once("` | ")?;
        Some((kernel, cells.split(" | ").map(number).collect()))
    });
    rows.collect()
}

/// Branches, those that diverge, and the part of them that does not, in percent: predicted, then measured, of each.
#[track_caller]
fn check_branches(title: &str, kernels: [&str; 3]) {
    let rows = section(title);
    assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), kernels, "{title}");
    let launches = measured::branches();
    for (kernel, cells) in rows {
        let launch = launches.iter().find(|launch| launch.name == kernel).expect(kernel);
        let branches = launch.predict().expect(kernel).total.branches;
        let now = [branches.executed as f64, branches.divergent as f64, branches.efficiency()];
        for (now, page) in now.iter().zip(cells.chunks_exact(2)) {
            assert!(
                page.iter().all(|figure| (figure - now).abs() <= 0.006),
                "{kernel}: {now}, and the page {page:?}"
            );
        }
    }
}

#[test]
fn branches_that_stay_have_the_divergence_of_a_gpu() {
    check_branches(
        "Branches that stay branches",
        ["long_math_kernel1", "long_math_kernel2", "long_math_kernel3"],
    );
}

#[test]
fn branches_of_the_course_have_the_divergence_of_a_gpu_without_optimisation() {
    check_branches("Without optimisation", ["math_kernel1", "math_kernel2", "math_kernel3"]);
}
