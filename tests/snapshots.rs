//! The CUDA of every kernel of the corpus, as snapshots that people read.

use corpus::cases;
use warpsmith::codegen::{Checks, CudaSource, GpuChecks, PrintOptions, SiteKind};

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
            let source =
                (case.print)(&PrintOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            insta::assert_snapshot!(format!("cuda__{}", case.name), source.code);
        }
    });
}

/// The numbers that stand behind `before` in a text: `512` of `tid < 512u`.
fn numbers(text: &str, before: &str) -> Vec<u32> {
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok());
    text.split(before).skip(1).filter_map(number).collect()
}

#[test]
fn a_reduction_specialized_by_its_block_size_has_the_steps_of_that_size_alone() {
    use corpus::reduction::reduce_complete_unroll;
    use warpsmith::Kernel;
    for block in [64, 128, 256, 512, 1024] {
        let name = format!("reduce_complete_unroll@block_{block}");
        assert!(cases::all().iter().any(|case| case.name == name), "{name} is run");
        let code = reduce_complete_unroll::cuda_source_for(&(block,)).expect("a valid kernel");
        let (helpers, body) = code.split_once("extern \"C\" __global__").expect("a kernel");
        // Each step adds the upper half, from half of the block down to two warps' worth.
        let live: Vec<u32> = [512, 256, 128, 64].into_iter().filter(|step| 2 * step <= block).collect();
        assert_eq!(numbers(body, "tid + "), live, "blocks of {block} add\n{body}");
        assert_eq!(
            numbers(body, "tid < "),
            [live.as_slice(), &[32]].concat(),
            "blocks of {block} ask\n{body}"
        );
        // Beside the steps: the end of the input, the last warp, the first thread. One barrier before each step, one behind all.
        assert_eq!(body.matches("if (").count(), live.len() + 3, "{body}");
        assert_eq!(body.matches("__syncthreads()").count(), live.len() + 1, "{body}");
        let (_, last_warp) = helpers.split_once("void fold_last_warp").expect("the last warp's function");
        assert_eq!(numbers(last_warp, "tid + "), [32, 16, 8, 4, 2, 1], "{last_warp}");
        for word in [">=", "else", "while", "for (", "blockDim"] {
            assert!(!body.contains(word), "blocks of {block} have `{word}`:\n{body}");
        }
        assert!(!last_warp.contains("while") && !last_warp.contains("if ("), "{last_warp}");
    }
}

/// Kernels whose name says that the last warp is unrolled, and those that the notes write so.
#[test]
fn the_last_warp_is_unrolled_where_the_name_says_so() {
    let unrolled = |name: &str| {
        ["reduce_unroll_warps8", "reduce_complete_unroll", "reduce_gmem", "reduce_smem"]
            .iter()
            .any(|part| name.starts_with(part))
    };
    let mut seen = 0;
    for case in cases::all().iter().filter(|case| unrolled(case.name)) {
        let code =
            (case.print)(&PrintOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", case.name)).code;
        let folds = ["void fold_last_warp(", "void fold_warp("];
        let steps = if let Some((_, warp)) = folds.iter().find_map(|fold| code.split_once(fold)) {
            let warp = warp.split("\n}").next().unwrap_or_default();
            assert!(!warp.contains("while") && !warp.contains("for ("), "{}: a loop\n{warp}", case.name);
            numbers(warp, "tid + ")
        } else {
            numbers(&code, "local_sum, ")
        };
        assert!(steps.ends_with(&[16, 8, 4, 2, 1]), "{}: {steps:?}\n{code}", case.name);
        seen += 1;
    }
    assert_eq!(seen, 11);
}

#[test]
fn checked_cuda_names_the_site_of_each_check() {
    settings().bind(|| {
        let checked = PrintOptions { checks: Checks::All, line_directives: false };
        for case in cases::all().iter().filter(|c| ["saxpy", "transpose_smem_pad"].contains(&c.name)) {
            let source = (case.print)(&checked).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            insta::assert_snapshot!(format!("cuda_checked__{}", case.name), source.code);
        }
    });
}

#[test]
fn cuda_that_checks_every_access_reads_and_marks_by_pointers() {
    settings().bind(|| {
        let watched = PrintOptions { checks: Checks::Also(GpuChecks::ALL), line_directives: false };
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
            let options = PrintOptions { checks, line_directives: false };
            (case.print)(&options).unwrap_or_else(|e| panic!("{}: {e}", case.name))
        };
        let is_check = |kind: &SiteKind| matches!(kind, SiteKind::Bounds | SiteKind::Range);
        let sites = |source: &CudaSource| source.sites.iter().filter(|site| is_check(&site.kind)).count();
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
        let print =
            || (case.print)(&PrintOptions { checks: Checks::All, line_directives: true }).map(|s| s.code);
        assert_eq!(print(), print(), "{}", case.name);
    }
}

/// A line of CUDA that a tool names is the Rust line of its statement, however many lines that printed.
#[test]
fn every_line_of_a_body_has_its_rust_line() {
    for case in cases::all() {
        let options = PrintOptions { checks: Checks::All, line_directives: true };
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
