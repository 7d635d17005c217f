//! `warpsmith report`: runs cargo with simulated launches that each write a page about themselves, and lists the pages.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use warpsmith::report::{Directory, Entry};

const HELP: &str = "\
Pages about kernels: the costs of each line, its memory accesses, bank conflicts, roofline and occupancy.

    warpsmith report [OPTIONS] [--] CARGO-ARGUMENTS

runs `cargo CARGO-ARGUMENTS` (such as `test`, `run --example name`, `nextest run`) on the simulator. Each launch of each
kernel writes a page there, one for each kernel, specialization and shape.

    --kernel NAME   pages for this kernel alone; can be given several times
    --dir DIR       the folder of the pages (default: `target/warpsmith-report`); pages of earlier runs are removed
    --text          prints the pages as text too
    --open          opens the index, or the only page, in a browser

The variable `WARPSMITH_REPORT=DIR` does the same for a program that runs without this command.
";

/// The options of the command line.
#[derive(Debug, Default, PartialEq)]
struct Options {
    kernels: Vec<String>,
    directory: Option<PathBuf>,
    text: bool,
    open: bool,
    cargo: Vec<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match command(&arguments) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("warpsmith: {message}");
            ExitCode::from(2)
        }
    }
}

fn command(arguments: &[String]) -> Result<ExitCode, String> {
    match arguments.first().map(String::as_str) {
        Some("report") => report(&parse(&arguments[1..])?),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        Some(other) => Err(format!("`{other}` is not a command; the only one is `warpsmith report`")),
    }
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = |what: &str| {
            rest.next().cloned().ok_or_else(|| format!("`{argument}` wants {what}, as `{argument} {what}`"))
        };
        match argument.as_str() {
            "--kernel" => options.kernels.push(value("NAME")?),
            "--dir" => options.directory = Some(value("DIR")?.into()),
            "--text" => options.text = true,
            "--open" => options.open = true,
            "--" => options.cargo.extend(rest.by_ref().cloned()),
            other if other.starts_with('-') => {
                return Err(format!(
                    "`{other}` is no option of `report`, which has --kernel, --dir, --text, --open; cargo's stand behind \
                     its command, as in `warpsmith report test --release`"
                ));
            }
            first => {
                options.cargo.push(first.to_owned());
                options.cargo.extend(rest.by_ref().cloned());
            }
        }
    }
    if options.cargo.is_empty() {
        return Err(
            "say what cargo shall run: `warpsmith report test`, `warpsmith report run --example name`".into(),
        );
    }
    Ok(options)
}

fn report(options: &Options) -> Result<ExitCode, String> {
    let directory = options.directory.clone().unwrap_or_else(|| "target/warpsmith-report".into());
    let directory = std::path::absolute(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let directory = Directory::new(directory);
    directory.clear().map_err(|error| error.to_string())?;
    let status = run(options, directory.path())?;
    let entries = directory.entries();
    if entries.is_empty() {
        return Err(nothing(options, status));
    }
    show(options, &directory, &entries)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { code(status) })
}

/// Runs cargo, on the simulator unless the environment names another device.
fn run(options: &Options, directory: &Path) -> Result<ExitStatus, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(&options.cargo).env("WARPSMITH_REPORT", directory);
    if env::var_os("WARPSMITH_DEVICE").is_none() {
        command.env("WARPSMITH_DEVICE", "sim");
    }
    if !options.kernels.is_empty() {
        command.env("WARPSMITH_REPORT_KERNELS", options.kernels.join(","));
    }
    command.status().map_err(|error| format!("`{}` does not start: {error}", cargo.display()))
}

/// Why there are no pages.
fn nothing(options: &Options, status: ExitStatus) -> String {
    let cargo = options.cargo.join(" ");
    if !status.success() {
        return format!("`cargo {cargo}` failed before any launch ended; see above");
    }
    let of = match options.kernels.as_slice() {
        [] => "no kernel".to_owned(),
        kernels => format!("no kernel `{}`", kernels.join("`, `")),
    };
    format!(
        "`cargo {cargo}` launched {of} on the simulator; pages are of launches on `Device::simulator()`, or with `.report(…)`"
    )
}

fn show(options: &Options, directory: &Directory, entries: &[Entry]) -> Result<(), String> {
    for Entry { path, .. } in entries.iter().filter(|_| options.text) {
        let text = path.with_extension("txt");
        let text = std::fs::read_to_string(&text).map_err(|e| format!("{}: {e}", text.display()))?;
        println!("\n{text}");
    }
    println!();
    for Entry { path, kernel, summary, .. } in entries {
        println!("{kernel}: {summary}\n    {}", path.display());
    }
    let s = if entries.len() == 1 { "" } else { "s" };
    println!("index of {} page{s}: {}", entries.len(), directory.index().display());
    match entries {
        [only] if options.open => open(&only.path),
        _ if options.open => open(&directory.index()),
        _ => Ok(()),
    }
}

/// Opens a file with the system's program for it.
fn open(path: &Path) -> Result<(), String> {
    let program = match env::consts::OS {
        "windows" => "explorer",
        "macos" => "open",
        _ => "xdg-open",
    };
    let started = Command::new(program).arg(path).spawn();
    started
        .map(drop)
        .map_err(|error| format!("`{program}` does not start: {error}; open {} in a browser", path.display()))
}

/// The code that cargo ended with.
fn code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
