//! Compiled kernels written out for reading: `WARPSMITH_DUMP` and `WARPSMITH_DUMP_DIR`.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::cache::Key;
use crate::codegen::{CHECKS_HEADER, CHECKS_HEADER_NAME};
use crate::error::Result;
use crate::nvrtc::{self, Cubin};
pub use crate::settings::DumpForm;
use crate::settings::PipelineSettings;

impl DumpForm {
    /// The end of its file's name.
    fn extension(self) -> &'static str {
        match self {
            DumpForm::Cuda => "cu",
            DumpForm::Ptx => "ptx",
            DumpForm::Cubin => "cubin",
            DumpForm::Sass => "sass",
        }
    }
}

pub use crate::error::DumpError;

/// Writes the forms of a kernel that the settings ask for; `name` is without an extension. The header that the text may include
/// lies beside it.
///
/// A missing disassembler is reported once on stderr; any other failure is an error.
pub(crate) fn write(
    settings: &PipelineSettings,
    name: &str,
    code: &str,
    key: &Key,
    cubin: &Cubin,
) -> Result<()> {
    for form in &settings.dump {
        let path = settings.dump_dir.join(format!("{name}.{}", form.extension()));
        match form {
            DumpForm::Cuda => {
                save(&path, code.as_bytes())?;
                if code.contains(CHECKS_HEADER_NAME) {
                    save(&settings.dump_dir.join(CHECKS_HEADER_NAME), CHECKS_HEADER.as_bytes())?;
                }
            }
            DumpForm::Ptx => save(&path, nvrtc::ptx(&key.source, &key.kernel, &key.options)?.as_bytes())?,
            DumpForm::Cubin => save(&path, &cubin.image)?,
            DumpForm::Sass => match sass(&cubin.image) {
                Ok(text) => save(&path, text.as_bytes())?,
                Err(missing @ DumpError::NoDisassembler) => say_once(&missing),
                Err(error) => return Err(error.into()),
            },
        }
    }
    Ok(())
}

fn say_once(missing: &DumpError) {
    static SAID: Once = Once::new();
    SAID.call_once(|| eprintln!("warpsmith: `WARPSMITH_DUMP=sass`: {missing}"));
}

fn save(path: &Path, bytes: &[u8]) -> std::result::Result<(), DumpError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes));
    written.map_err(|error| DumpError::Write { path: path.to_owned(), reason: error.to_string() })
}

/// The machine instructions of a cubin, as text.
///
/// # Errors
/// [`DumpError::NoDisassembler`] if neither `nvdisasm` nor `cuobjdump` is on the PATH.
pub fn sass(cubin: &[u8]) -> std::result::Result<String, DumpError> {
    disassembled(cubin, &[("nvdisasm", &[]), ("cuobjdump", &["-sass"])])
}

/// The machine instructions of a cubin with line information, each behind the lines that it came from.
///
/// # Errors
/// [`DumpError::NoDisassembler`] if `nvdisasm` is not on the PATH; no other tool writes lines.
pub(crate) fn sass_with_lines(cubin: &[u8]) -> std::result::Result<String, DumpError> {
    disassembled(cubin, &[("nvdisasm", &["--print-line-info-inline"])])
}

fn disassembled(cubin: &[u8], tools: &[(&'static str, &[&str])]) -> std::result::Result<String, DumpError> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("warpsmith-{}-{count}.cubin", std::process::id()));
    save(&file, cubin)?;
    let text = tools.iter().find_map(|(tool, options)| disassemble(tool, options, &file));
    let _ = fs::remove_file(&file);
    text.unwrap_or(Err(DumpError::NoDisassembler))
}

/// The output of a tool; `None` if it is not installed.
fn disassemble(
    tool: &'static str,
    options: &[&str],
    file: &Path,
) -> Option<std::result::Result<String, DumpError>> {
    let failed = |reason| DumpError::Disassembler { tool, reason };
    match Command::new(tool).args(options).arg(file).output() {
        Ok(output) if output.status.success() => {
            Some(Ok(String::from_utf8_lossy(&output.stdout).into_owned()))
        }
        Ok(output) => Some(Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(failed(error.to_string()))),
    }
}

/// A type's name as part of a file's: `reduce_f32_256` of `crate::reduce<f32, 256>`.
pub(crate) fn file_name(type_name: &str) -> String {
    let mut name = String::new();
    for word in type_name.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')) {
        let last = word.rsplit("::").next().unwrap_or_default();
        if !last.is_empty() {
            name += if name.is_empty() { "" } else { "_" };
            name += last;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_readable() {
        assert_eq!(file_name("my_crate::math::saxpy"), "saxpy");
        assert_eq!(file_name("a::reduce<half::bfloat::bf16, 256>"), "reduce_bf16_256");
        assert_eq!(file_name("a::k<[f32; 4], (a::B, 3)>"), "k_f32_4_B_3");
    }
}
