//! The originals on the host's processor: compiled by its C++ compiler with `hosted.hpp`, which knows as much of CUDA as
//! they use. Threads of a block are coroutines; blocks run one after the other.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::process::Command;

use crate::ground::Failure;
use crate::trial::{Family, Shape};

const HEADER: &str = include_str!("hosted.hpp");

/// A loaded family.
pub struct Hosted(*mut c_void);

/// `hosted_NAME(parameters, shape)`.
type Entry = unsafe extern "C" fn(*mut *mut c_void, *const u32);

impl Hosted {
    /// Compiles a family.
    ///
    /// # Errors
    /// Messages of the compiler, or that there is none.
    pub fn new(family: &Family) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("warpsmith-unseen-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let (source, library) = (folder.join("originals.cpp"), folder.join(format!("{}.so", family.name)));
        std::fs::write(&source, text(family))?;
        let compiled = Command::new(std::env::var("CXX").unwrap_or("c++".into()))
            .args(["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-o"])
            .args([&library, &source])
            .output()?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stderr).into());
        }
        let handle = open(&library)?;
        std::fs::remove_dir_all(&folder)?;
        Ok(Self(handle))
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn launch(&self, kernel: &str, shape: Shape, parameters: &mut [*mut c_void]) -> Result<(), Failure> {
        let name = CString::new(format!("hosted_{kernel}"))?;
        // SAFETY: the library stays loaded.
        let entry = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        if entry.is_null() {
            return Err(format!("no original `{kernel}`").into());
        }
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        let extents = [gx, gy, gz, bx, by, bz, shape.shared as u32];
        // SAFETY: the macro in the header defines a function of this type; the parameters are the kernel's.
        unsafe {
            std::mem::transmute::<*mut c_void, Entry>(entry)(parameters.as_mut_ptr(), extents.as_ptr())
        };
        Ok(())
    }
}

fn open(library: &Path) -> Result<*mut c_void, Failure> {
    let path = CString::new(library.to_string_lossy().as_bytes())?;
    // SAFETY: a library that was just compiled, whose loading runs nothing.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() { Err(format!("{} does not load", library.display()).into()) } else { Ok(handle) }
}

/// The originals as C++: dynamic shared memory is a pointer there.
fn text(family: &Family) -> String {
    let line = |line: &str| match line
        .trim()
        .strip_prefix("extern __shared__ ")
        .and_then(|rest| rest.split_once("[]"))
    {
        Some((declared, _)) => {
            let (ty, name) = declared.rsplit_once(' ').unwrap_or(("", declared));
            format!("{ty}* {name} = ({ty}*)hosted::dynamic;\n")
        }
        None => format!("{line}\n"),
    };
    let kernels = family.kernels.iter().map(|kernel| format!("HOSTED({})\n", kernel.name));
    [HEADER.to_owned()].into_iter().chain(family.originals.lines().map(line)).chain(kernels).collect()
}
