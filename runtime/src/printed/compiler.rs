//! The host's C++ compiler: which one there is, and how it is called.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::{Refused, Sanitizers};
use crate::nvrtc::Version;

/// The compilers that are searched on the path, in this order.
const NAMES: [&str; 3] = ["c++", "clang++", "g++"];

/// The flags of every text.
///
/// The flags keep floats uncontracted, as in rustc. Without `-frounding-math`, g++ 12 makes `-x` of `0.0f - x` where `x` comes
/// from an integer, which is -0.0 for 0. Overflow does not wrap, because the undefined-behaviour sanitizer must
/// see it. Reinterpreted memory may alias, since a Rust view of bytes as another type is no mistake of the text. A fault
/// unwinds through the text by its tables alone: a handler of C++, which a literal with a call in it would get, needs a
/// library.
const FLAGS: &str = "-std=c++17 -O1 -g0 -pipe -x c++ -fPIC -shared -nostdlib -fno-builtin -ffp-contract=off -frounding-math \
    -fno-strict-aliasing -fsanitize-coverage=trace-pc -fno-exceptions -fasynchronous-unwind-tables \
    -fvisibility=hidden -fno-stack-protector -w";

/// The compiler's flags. They always look for a division by zero, or of the minimum by -1, which would end the process. The
/// compiler looks for the latter with every overflow of signed integers; a right text has none.
fn sanitizer_flags(sanitizers: Sanitizers, clang: bool) -> String {
    let checks = match (sanitizers.undefined, sanitizers.address) {
        (false, false) => "integer-divide-by-zero,signed-integer-overflow",
        (true, false) => "undefined",
        (false, true) => "integer-divide-by-zero,signed-integer-overflow,kernel-address",
        (true, true) => "undefined,kernel-address",
    };
    // Every access is a call of the shim's, and none looks into memory that only the compiler's library maps.
    let accesses = match (sanitizers.address, clang) {
        (false, _) => "",
        (true, true) => {
            " -mllvm -asan-instrumentation-with-call-threshold=0 -mllvm -asan-stack=0 -mllvm -asan-globals=0"
        }
        (true, false) => {
            " --param=asan-instrumentation-with-call-threshold=0 --param=asan-stack=0 --param=asan-globals=0"
        }
    };
    format!("-fsanitize={checks}{accesses}")
}

/// A compiler that was found.
#[derive(Debug)]
pub(super) struct Compiler {
    path: PathBuf,
    /// The version that it reports.
    pub version: Version,
}

impl Compiler {
    /// The compiler of this process.
    pub fn process() -> Result<&'static Self, Refused> {
        static FOUND: OnceLock<Result<Compiler, Refused>> = OnceLock::new();
        FOUND.get_or_init(Self::find).as_ref().map_err(Clone::clone)
    }

    fn find() -> Result<Self, Refused> {
        if let Some(named) = env::var_os("WARPSMITH_CXX").filter(|named| !named.is_empty()) {
            let path = PathBuf::from(named);
            return Self::at(&path).ok_or_else(|| {
                Refused::NoCompiler(format!("`WARPSMITH_CXX={}` does not run", path.display()))
            });
        }
        NAMES.iter().find_map(|name| Self::at(Path::new(name))).ok_or_else(|| {
            Refused::NoCompiler("there is no `c++`, `clang++` or `g++` on the path".to_owned())
        })
    }

    fn at(path: &Path) -> Option<Self> {
        let output = Command::new(path).arg("--version").stdin(Stdio::null()).output().ok()?;
        let says = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
        let version = Version { major: 0, minor: 0, build: says };
        output.status.success().then(|| Self { path: path.to_owned(), version })
    }

    /// Everything besides the text that decides the compiler's output.
    pub fn identity(&self, sanitizers: Sanitizers) -> String {
        format!("{} {FLAGS} {}", self.version, self.sanitize(sanitizers))
    }

    fn sanitize(&self, sanitizers: Sanitizers) -> String {
        sanitizer_flags(sanitizers, self.version.build.contains("clang"))
    }

    /// Compiles a file to a shared library; returns the compiler's message if it does not compile.
    pub fn compile(&self, from: &Path, to: &Path, sanitizers: Sanitizers) -> Result<(), Refused> {
        let mut command = Command::new(&self.path);
        command.args(FLAGS.split_whitespace()).args(self.sanitize(sanitizers).split_whitespace());
        let output = command.arg(from).arg("-o").arg(to).stdin(Stdio::null()).output();
        let output = output.map_err(|e| Refused::NoCompiler(format!("`{}`: {e}", self.path.display())))?;
        if output.status.success() {
            return Ok(());
        }
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(refused(&log).unwrap_or(Refused::NotCompiled(shortened(&log))))
    }
}

/// A message that says that an instruction of PTX is not the shim's.
fn refused(log: &str) -> Option<Refused> {
    let line = log.lines().find(|line| line.contains("ws_ptx_") && line.contains("not declared"))?;
    let name = &line[line.find("ws_ptx_")? + "ws_ptx_".len()..];
    let name = &name[..super::text::word_end(name)];
    Some(Refused::Instruction(name.replace('_', ".")))
}

/// The errors of a log.
fn shortened(log: &str) -> String {
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("error")).take(3).collect();
    if errors.is_empty() { log.chars().take(400).collect() } else { errors.join("; ") }
}
