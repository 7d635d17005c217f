//! Messages of rustc about a file in the form that is kept, without parts that differ between machines and checkouts.
//!
//! rustc runs by itself on each file, beside the libraries that cargo built for this test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

/// The library `warpsmith` as cargo built it for this test.
fn library() -> PathBuf {
    let release =
        std::env::current_exe().is_ok_and(|exe| exe.components().any(|c| c.as_os_str() == "release"));
    let mut cargo = Command::new(env!("CARGO"));
    match env!("LIBRARIES_OF_THE_BUILD") {
        "" => cargo.env_remove("LD_LIBRARY_PATH"),
        libraries => cargo.env("LD_LIBRARY_PATH", libraries),
    };
    let built = cargo
        .args(["test", "--test", "ui", "--no-run", "--message-format=json", "--quiet"])
        .args(release.then_some("--release"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    let artifacts = String::from_utf8_lossy(&built.stdout);
    let library = artifacts.split('"').find(|part| part.contains("libwarpsmith-") && part.ends_with(".rlib"));
    PathBuf::from(library.expect("the library in what cargo built"))
}

/// The compiler itself: through rustup, each of five hundred runs would take half as long again.
fn compiler() -> PathBuf {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = Command::new(&rustc).args(["--print", "sysroot"]).output().expect("rustc");
    let own = Path::new(String::from_utf8_lossy(&told.stdout).trim()).join("bin/rustc");
    if own.exists() { own } else { rustc.into() }
}

/// The messages of rustc about each file, in the order of the files.
pub fn messages(files: &[PathBuf]) -> Vec<String> {
    let (compiler, library) = (compiler(), library());
    let said = Mutex::new(vec![String::new(); files.len()]);
    let next = Mutex::new(0..files.len());
    let work = || {
        while let Some(index) = { next.lock().expect("the queue").next() } {
            let output = check(&compiler, &files[index], &library, index);
            let text = normalized(&String::from_utf8_lossy(&output.stderr), &files[index]);
            said.lock().expect("the results")[index] = text;
        }
    };
    let cores = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    said.into_inner().expect("the results")
}

fn check(compiler: &Path, file: &Path, library: &Path, index: usize) -> Output {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ui{index}.rmeta"));
    let libraries = library.parent().expect("a folder of libraries");
    let output = Command::new(compiler)
        .args(["--edition=2024", "--crate-type=bin", "--crate-name=mistake", "--emit=metadata", "-o"])
        .arg(&out)
        .args(["--diagnostic-width=140", "-Adead_code", "--extern"])
        .arg(format!("warpsmith={}", library.display()))
        .arg("-L")
        .arg(format!("dependency={}", libraries.display()))
        .arg(file)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // rustc's advice names cargo where cargo runs it.
        .env("CARGO_CRATE_NAME", "mistake")
        .output();
    _ = fs::remove_file(&out);
    output.expect("rustc")
}

/// Each message without the source and lines of other files, which change without it, and without counts.
fn normalized(said: &str, file: &Path) -> String {
    let mut messages: Vec<Vec<String>> = Vec::new();
    for line in said.lines() {
        if messages.is_empty() || line.starts_with("error") || line.starts_with("warning") {
            messages.push(Vec::new());
        }
        messages.last_mut().expect("a message").push(elsewhere(line));
    }
    let summary = |line: &str| {
        ["error: aborting", "warning: "].iter().any(|s| line.starts_with(s))
            && line.contains("emitted") | line.contains("aborting")
    };
    messages.retain(|message| !summary(&message[0]));
    let messages = messages.iter().map(|message| one(message, &file.display().to_string()));
    messages.map(|message| message.trim_end().to_owned()).collect::<Vec<_>>().join("\n\n") + "\n"
}

/// A line without the places of this machine.
fn elsewhere(line: &str) -> String {
    let mut line = line.replace(concat!(env!("CARGO_MANIFEST_DIR"), "/"), "");
    for (root, name) in [("/library/", "$RUST/"), ("/registry/src/", "$CARGO/")] {
        if let (Some(at), Some(start)) = (line.find(root), line.find('/')) {
            line.replace_range(start..at + root.len(), name);
        }
    }
    match (line.find("and "), line.find(" others")) {
        (Some(at), Some(end)) if line.get(at + 4..end).is_some_and(|n| n.parse::<usize>().is_ok()) => {
            line[..at].to_owned() + "and $N others"
        }
        _ => line,
    }
}

/// A message whose margin is as wide as the file's own line numbers.
fn one(message: &[String], file: &str) -> String {
    let number =
        |line: &str| line.split(" |").next().filter(|n| n.trim().parse::<usize>().is_ok()).map(str::len);
    let arrow = |line: &str| ["--> ", "::: "].iter().any(|arrow| line.trim_start().starts_with(arrow));
    let (mut kept, mut foreign) = (Vec::new(), false);
    for line in message.iter().take_while(|line| !line.starts_with("For more information")) {
        let margin = line.starts_with("...") || line.trim_start().starts_with('|') || number(line).is_some();
        if arrow(line) {
            foreign = !line.contains(file);
            let path = line.split(".rs:").next().unwrap_or(line);
            kept.push(if foreign { format!("{path}.rs") } else { line.clone() });
        } else if !margin || !foreign {
            foreign &= margin;
            kept.push(line.clone());
        }
    }
    let old = kept.iter().find(|line| arrow(line)).map_or(0, |line| line.len() - line.trim_start().len());
    let width =
        |line: &String| number(line).map(|_| line.split(" |").next().unwrap_or_default().trim().len());
    let surplus = old.saturating_sub(kept.iter().filter_map(width).max().unwrap_or(old));
    let spaces = " ".repeat(surplus);
    let narrow = |line: &String| line.strip_prefix(&spaces).unwrap_or(line).to_owned();
    kept.iter().map(narrow).collect::<Vec<_>>().join("\n")
}
