//! The language reference: the language of kernels, its meaning in Rust, and the CUDA that it prints.
//!
//! A kernel is a Rust function and means what Rust says; each chapter lists what of Rust a kernel may
//! use, and the device functions beside it. Every example is a test of this documentation: [`run`]
//! runs it on the simulator, compares the CUDA that it prints with the block that follows it, and
//! compiles that with NVRTC where NVRTC is installed. In such a block `// …` stands for lines left out.
//!
//! Code that no chapter lists is refused by name, with a way out; [`refused`] shows the messages.

use std::marker::PhantomData;

use crate::codegen::{Checks, CudaSource, PrintOptions, complete};
use crate::memory::args::SliceMutArg;
use crate::nvrtc::{self, Arch, CompileOptions};
use crate::types::GpuType;
use crate::{Device, Kernel, KernelArg, Launch};

macro_rules! chapters {
    ($($name:ident)+) => {
        $(
            #[doc = include_str!(concat!(stringify!($name), ".md"))]
            pub mod $name {}
        )+

        /// The text of every chapter.
        #[doc(hidden)]
        pub const CHAPTERS: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!(stringify!($name), ".md")))),+];
    };
}

chapters! { types expressions control functions launches memory textures threads nested atomics numbers tiles bulk tensor_copies tensor_cores pipelines output checks costs tools attributes escape refused }

/// The memory that an example writes: an argument for a kernel's `&mut [T]`.
pub struct Out<T> {
    arg: KernelArg,
    _elements: PhantomData<T>,
}

#[diagnostic::do_not_recommend]
// SAFETY: memory of an example, made for one launch.
unsafe impl<T: GpuType> SliceMutArg<'_, T> for Out<T> {
    fn into_arg(self) -> KernelArg {
        self.arg
    }
}

/// The contents of `out` after an example has run on the simulator.
///
/// # Panics
/// If the launch fails, or the CUDA differs from what the reference shows for this kernel.
pub fn run<'a, T: GpuType, K: Kernel, const N: usize>(
    out: [T; N],
    kernel: impl FnOnce(Out<T>) -> Launch<'a, K>,
) -> Vec<T> {
    run_on(&Device::simulator(), out, kernel)
}

/// The same on a simulator that the example has set up.
///
/// # Panics
/// Like [`run`].
pub fn run_on<'a, T: GpuType, K: Kernel, const N: usize>(
    device: &Device,
    out: [T; N],
    kernel: impl FnOnce(Out<T>) -> Launch<'a, K>,
) -> Vec<T> {
    let (launched, written) = simulate(device, out, kernel, compare);
    launched.unwrap_or_else(|error| panic!("{error}"));
    written
}

/// How the simulator says that an example is wrong.
///
/// # Panics
/// If the kernel runs without a fault.
pub fn fault<'a, T: GpuType, K: Kernel, const N: usize>(
    out: [T; N],
    kernel: impl FnOnce(Out<T>) -> Launch<'a, K>,
) -> String {
    simulate(&Device::simulator(), out, kernel, |_| ()).0.expect_err("the example is wrong").to_string()
}

/// Launches an example on memory of its own, which is kept, as anyone may keep the launch.
fn simulate<'a, T: GpuType, K: Kernel, const N: usize>(
    device: &Device,
    out: [T; N],
    kernel: impl FnOnce(Out<T>) -> Launch<'a, K>,
    look: impl FnOnce(&Launch<'a, K>),
) -> (crate::Result<()>, Vec<T>) {
    let memory = Box::leak(Box::new(device.upload(&out).expect("host memory")));
    let launch = kernel(Out { arg: SliceMutArg::into_arg(&mut *memory), _elements: PhantomData });
    look(&launch);
    (launch.launch(device), device.download(memory).expect("host memory"))
}

/// Compares the CUDA of a kernel with the block that the chapters show under its name.
fn compare<K: Kernel>(launch: &Launch<'_, K>) {
    let source = |checks| {
        let options = PrintOptions { checks, line_directives: false };
        launch.print(&options).unwrap_or_else(|error| panic!("{error}"))
    };
    compare_text(K::NAME, [source(Checks::None), source(Checks::All)]);
}

/// Compares the CUDA that a kernel prints without and with checks, and compiles both where NVRTC is there.
fn compare_text(name: &str, [readable, checked]: [CudaSource; 2]) {
    let CudaSource { code: readable, needs, .. } = readable;
    let fence = format!("\n```cuda {name}\n");
    let shown: Vec<&str> = CHAPTERS
        .iter()
        .flat_map(|(_, text)| text.split(fence.as_str()).skip(1))
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let [shown] = shown.as_slice() else {
        panic!("{} blocks of CUDA are for `{name}`, which prints\n{readable}", shown.len());
    };
    assert!(!shown.trim().is_empty() && contains(&readable, shown), "`{name}` prints\n{readable}");
    if nvrtc::version().is_ok() {
        let arch = Arch { major: 9, minor: 0, specific: true };
        let options = CompileOptions { relocatable: needs.launches, ..CompileOptions::new(arch) };
        for code in [&readable, &checked.code] {
            nvrtc::compile_object(&complete(code), name, &options)
                .unwrap_or_else(|error| panic!("{error}\n{code}"));
        }
    }
}

/// Returns whether the lines of `part` stand in `whole` in their order; `// …` matches any number of lines.
fn contains(whole: &str, part: &str) -> bool {
    let whole: Vec<&str> = whole.lines().map(str::trim).collect();
    let part: Vec<&str> = part.lines().map(str::trim).collect();
    let mut from = 0;
    part.split(|line| *line == "// …").filter(|group| !group.is_empty()).all(|group| {
        let at = whole[from..].windows(group.len()).position(|lines| lines == group);
        from += at.map_or(0, |at| at + group.len());
        at.is_some()
    })
}
