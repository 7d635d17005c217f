//! The CUDA of every kernel of the corpus, as snapshots that people read.

use corpus::cases;
use warpsmith::codegen::{Checks, CudaSource, GpuChecks, Options, SiteKind};

fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn the_cuda_of_the_corpus_is_as_reviewed() {
    settings().bind(|| {
        for case in cases::all() {
            let source = (case.print)(&Options::default()).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            insta::assert_snapshot!(format!("cuda__{}", case.name), source.code);
        }
    });
}

#[test]
fn checked_cuda_names_the_site_of_each_check() {
    settings().bind(|| {
        let checked = Options { checks: Checks::All, line_directives: false };
        for case in cases::all().iter().filter(|c| ["saxpy", "transpose_smem_pad"].contains(&c.name)) {
            let source = (case.print)(&checked).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            insta::assert_snapshot!(format!("cuda_checked__{}", case.name), source.code);
        }
    });
}

#[test]
fn cuda_that_checks_every_access_reads_and_marks_by_pointers() {
    settings().bind(|| {
        let watched = Options { checks: Checks::Also(GpuChecks::ALL), line_directives: false };
        let chosen = ["saxpy", "transpose_smem_pad", "cluster_hist", "reduce_volatile"];
        for case in cases::all().iter().filter(|c| chosen.contains(&c.name)) {
            let source = (case.print)(&watched).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            insta::assert_snapshot!(format!("cuda_watched__{}", case.name), source.code);
        }
    });
}

#[test]
fn launches_prove_what_guards_say() {
    let mut table = String::new();
    for case in cases::all() {
        let print = |checks| {
            let options = Options { checks, line_directives: false };
            (case.print)(&options).unwrap_or_else(|e| panic!("{}: {e}", case.name))
        };
        let sites =
            |source: &CudaSource| source.sites.iter().filter(|site| site.kind == SiteKind::Bounds).count();
        let (text, launch) = (print(Checks::All), print(Checks::Lifted(u64::MAX)));
        table += &format!("{}: {} checks, {} where\n", case.name, sites(&text), sites(&launch));
        launch.conditions.iter().for_each(|condition| table += &format!("    {condition}\n"));
    }
    settings().bind(|| insta::assert_snapshot!("launch_conditions", table));
}

#[test]
fn the_ir_keeps_structure_types_and_what_is_proven() {
    use warpsmith::Kernel;
    let module = |m: warpsmith::Result<warpsmith::validate::ValidModule>| {
        m.expect("a valid kernel").module().to_string()
    };
    settings().bind(|| {
        insta::assert_snapshot!("ir__saxpy", module(corpus::vectors::saxpy::module(&())));
        insta::assert_snapshot!("ir__mat_mul_tiled", module(corpus::matmul::mat_mul_tiled::module(&())));
        insta::assert_snapshot!("ir__potpourri", module(corpus::language::potpourri::module(&())));
    });
}

#[test]
fn the_same_kernel_prints_the_same_bytes() {
    for case in cases::all() {
        let print = || (case.print)(&Options { checks: Checks::All, line_directives: true }).map(|s| s.code);
        assert_eq!(print(), print(), "{}", case.name);
    }
}

/// A line of CUDA that a tool names is the Rust line of its statement, however many lines that printed.
#[test]
fn every_line_of_a_body_has_its_rust_line() {
    for case in cases::all() {
        let options = Options { checks: Checks::All, line_directives: true };
        let code = (case.print)(&options).map(|source| source.code).unwrap_or_default();
        let mut mapped = 0;
        let body = code.lines().skip_while(|line| !line.contains("__global__")).skip(1);
        for (before, line) in body.clone().zip(body.skip(1)) {
            if line.starts_with("    ") && line.ends_with(';') && !line.trim_start().starts_with('}') {
                mapped += 1;
                assert!(
                    before.contains("#line "),
                    "{}: `{line}` stands behind `{before}`\n{code}",
                    case.name
                );
            }
        }
        assert!(mapped > 0, "{}: no statement has a line\n{code}", case.name);
    }
}
