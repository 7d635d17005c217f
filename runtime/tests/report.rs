//! The command `warpsmith report`, from its arguments to the pages. In cargo's place it runs this very test program, whose
//! ignored tests launch kernels.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use warpsmith::prelude::*;
use warpsmith::report::Directory;

/// Doubles every `stride`-th element.
#[gpu_kernel]
fn doubled(x: &mut [f32], #[comptime] stride: u32) {
    let i = global_id() * stride as usize;
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[gpu_kernel]
fn cleared(x: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] = 0.0;
    }
}

#[test]
#[ignore = "the command runs it"]
fn launches() {
    launch_all().unwrap_or_else(|error| panic!("{error}"));
}

fn launch_all() -> warpsmith::Result<()> {
    let device = Device::open()?;
    assert!(device.is_simulator(), "the command asks for the simulator");
    let mut x = device.upload(&[1.0f32; 256])?;
    for _ in 0..3 {
        doubled(&mut x, 1).over(256).block(64).launch(&device)?;
    }
    let prepared = doubled(&mut x, 2).over(128).block(64).prepare(&device)?;
    prepared.launch(doubled(&mut x, 2))?;
    assert_eq!(device.download(&x)?[..2], [16.0, 8.0]);
    cleared(&mut x).over(256).block(128).launch(&device)
}

#[test]
#[ignore = "the command runs it"]
fn fails() {
    launches();
    panic!("after the launches");
}

/// A directory that is there for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("warpsmith-{name}-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `warpsmith report` with these options and an ignored test in the place of cargo's.
fn report(options: &[&str], test: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpsmith"))
        .arg("report")
        .args(options)
        .args(["--", "--exact", test, "--ignored"])
        .env("CARGO", std::env::current_exe().expect("a program"))
        .env_remove("WARPSMITH_DEVICE")
        .output()
        .expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn kernels(directory: &Path) -> Vec<String> {
    Directory::new(directory).entries().into_iter().map(|entry| entry.kernel).collect()
}

#[test]
fn each_specialization_has_a_page_that_the_index_links() {
    let folder = Folder::new("pages");
    let directory = folder.0.to_str().expect("a path");
    let output = report(&["--dir", directory], "launches");
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{printed}{errors}");
    assert_eq!(kernels(&folder.0), ["cleared", "doubled", "doubled"], "{printed}{errors}");
    let expected = "2 blocks of 64 threads, loads 50.0 % used, stores 50.0 % used";
    assert!(printed.contains(expected) && printed.contains("index of 3 pages"), "{printed}");
    let index = std::fs::read_to_string(folder.0.join("index.html")).expect("an index");
    for entry in Directory::new(&folder.0).entries() {
        let name = entry.path.file_name().expect("a name").to_str().expect("text").to_owned();
        assert!(index.contains(&format!("<a href=\"{name}\">")), "{index}");
        let page = std::fs::read_to_string(&entry.path).expect("a page");
        assert!(page.contains("x[i] ") && page.contains("tests/report.rs"), "{page}");
        assert!(entry.path.with_extension("txt").exists());
    }
}

#[test]
fn a_kernel_that_is_named_has_the_only_page_and_its_text() {
    let folder = Folder::new("named");
    let directory = folder.0.to_str().expect("a path");
    report(&["--dir", directory], "launches");
    let foreign = folder.0.join("mine.html");
    std::fs::write(&foreign, "<html>").expect("it is written");
    let output = report(&["--dir", directory, "--kernel", "cleared", "--text"], "launches");
    let printed = text(&output.stdout);
    assert_eq!(kernels(&folder.0), ["cleared"], "pages of earlier runs are gone: {printed}");
    assert!(printed.contains("x[i] = 0.0;") && printed.contains("kernel `cleared`: 1 launch"), "{printed}");
    assert!(foreign.exists(), "what is no page is left alone");
    let output = report(&["--dir", directory, "--kernel", "cleard"], "launches");
    let errors = text(&output.stderr);
    assert!(errors.contains("launched no kernel `cleard` on the simulator"), "{errors}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_program_that_fails_later_has_its_pages_and_its_code() {
    let folder = Folder::new("fails");
    let output = report(&["--dir", folder.0.to_str().expect("a path")], "fails");
    assert_eq!(output.status.code(), Some(101), "{}", text(&output.stderr));
    assert_eq!(kernels(&folder.0).len(), 3);
}

#[test]
fn arguments_that_mean_nothing_are_refused_with_those_that_do() {
    let run = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_warpsmith")).args(arguments).output().expect("it starts");
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for (arguments, expected) in [
        (&["profile"][..], "`warpsmith report`"),
        (&["report"], "say what cargo shall run"),
        (&["report", "--dir"], "`--dir` wants DIR"),
        (&["report", "--release", "test"], "--kernel, --dir, --text, --open"),
    ] {
        let (code, said) = run(arguments);
        assert_eq!((code, said.contains(expected)), (Some(2), true), "{said}");
    }
    let (code, help) = run(&["--help"]);
    assert!(code == Some(0) && help.contains("warpsmith report [OPTIONS]"), "{help}");
}

#[test]
fn a_directory_that_cannot_be_is_an_error_of_the_launch() {
    let file = Folder::new("file");
    std::fs::write(&file.0, "a file").expect("it is written");
    let output = Command::new(std::env::current_exe().expect("a program"))
        .args(["--exact", "launches", "--ignored"])
        .envs([("WARPSMITH_REPORT", file.0.to_str().expect("a path")), ("WARPSMITH_DEVICE", "sim")])
        .output()
        .expect("it starts");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(!output.status.success() && said.contains("the report cannot be written to"), "{said}");
    std::fs::remove_file(&file.0).expect("it is there");
}
