//! A kernel with its memory: three versions of it that are launched alike.

use std::cell::Cell;

use warpsmith::args::{KernelArg, SliceArg};
use warpsmith::launch::Explanation;
use warpsmith::prelude::*;

use crate::ground::{Failure, Ground};
use crate::original::Original;

/// Facts about a launch that need no GPU.
pub struct Explained {
    /// The CUDA C++ that it compiles: unchecked, checked.
    pub texts: [String; 2],
    /// Why each index is checked or not.
    pub explanation: Explanation,
}

/// Kernels of one kind, and the file of their originals.
pub struct Family {
    /// The name of the file, for messages.
    pub name: &'static str,
    /// CUDA C++: an `extern "C"` kernel for each of ours, under its name.
    pub originals: &'static str,
    pub kernels: &'static [Unseen],
}

/// A kernel that nobody has tuned.
pub struct Unseen {
    pub name: &'static str,
    pub class: &'static str,
    pub make: fn(&Ground) -> Result<Trial, Failure>,
}

/// Which of a kernel's versions is launched.
#[derive(Clone, Copy)]
pub enum Version<'a> {
    Original(&'a Original),
    Unchecked,
    Checked,
}

/// What is asked of a trial.
#[derive(Clone, Copy)]
pub enum Ask<'a> {
    /// Compiles ours, with bounds checks and without.
    Prepare,
    /// Compiles ours by NVRTC, without a GPU, where it is installed.
    Compile,
    /// Why the launch has its checks, without a GPU.
    Explain(&'a Cell<Option<Explained>>),
    /// Puts the outputs back to what they were.
    Restore,
    Launch(Version<'a>),
    /// Compares the outputs with the reference.
    Check(Version<'a>),
}

/// A kernel with its arguments.
pub type Trial = Box<dyn FnMut(Ask<'_>) -> Result<(), Failure>>;

/// Extents of a launch, the same for all versions.
#[derive(Clone, Copy)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: usize,
}

impl Shape {
    /// A thread for each of `n` items.
    pub fn line(n: usize, block: u32) -> Self {
        Self::blocks([n.div_ceil(block as usize) as u32, 1, 1], [block, 1, 1])
    }

    /// A thread for each of `width` × `height` items.
    pub fn plane([width, height]: [usize; 2], [x, y]: [u32; 2]) -> Self {
        let grid = [width.div_ceil(x as usize) as u32, height.div_ceil(y as usize) as u32, 1];
        Self::blocks(grid, [x, y, 1])
    }

    pub fn blocks(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self { grid, block, shared: 0 }
    }

    /// Dynamic shared memory in bytes.
    pub fn shared(self, shared: usize) -> Self {
        Self { shared, ..self }
    }
}

/// The bits of an argument of an original: an address or a number, from the lowest byte on.
pub struct Given(pub u64);

/// What an original takes.
pub trait Passed {
    fn given(self) -> Given;
}

impl<T: GpuType> Passed for &Buffer<T> {
    fn given(self) -> Given {
        match self.into_arg() {
            KernelArg::Slice { ptr, .. } => Given(ptr),
            other => unreachable!("a buffer is a slice, and not {other:?}"),
        }
    }
}

macro_rules! passed {
    ($($number:ty: $bits:expr),*) => {$(
        impl Passed for $number {
            fn given(self) -> Given {
                let bits: fn($number) -> u64 = $bits;
                Given(bits(self))
            }
        }
    )*};
}

passed!(
    i32: |v| u64::from(v as u32),
    u32: u64::from,
    i64: |v| v as u64,
    u64: |v| v,
    f32: |v| u64::from(v.to_bits()),
    f64: f64::to_bits
);

/// A trial of a kernel: `trial!(ground, shape, kernel(arguments), original(arguments), [outputs])`.
macro_rules! trial {
    ($ground:expr, $shape:expr, $kernel:ident($($arg:expr),* $(,)?), original($($given:expr),* $(,)?), [$($out:ident),*]) => {{
        let (device, shape): (warpsmith::Device, $crate::trial::Shape) = ($ground.device.clone(), $shape);
        let mut prepared = None;
        let trial = move |ask: $crate::trial::Ask<'_>| -> Result<(), $crate::ground::Failure> {
            use $crate::trial::{Ask, Passed, Version};
            match ask {
                Ask::Prepare => {
                    let launch = $kernel($($arg),*).grid(shape.grid).block(shape.block);
                    let checked = launch.dynamic_shared(shape.shared).prepare(&device)?;
                    let launch = $kernel($($arg),*).grid(shape.grid).block(shape.block);
                    // SAFETY: the simulator has run the kernel, and a GPU runs it checked before it is timed.
                    let unchecked = unsafe { launch.dynamic_shared(shape.shared).prepare_unchecked(&device)? };
                    prepared = Some([unchecked, checked]);
                }
                Ask::Compile => $crate::original::compile_ours::<$kernel>()?,
                Ask::Explain(explained) => {
                    let launch = $kernel($($arg),*).grid(shape.grid).block(shape.block);
                    let launch = launch.dynamic_shared(shape.shared);
                    explained.set(Some($crate::costs::of(&launch)?));
                }
                Ask::Restore => { $($out.restore(&device)?;)* }
                Ask::Launch(Version::Original(original)) => {
                    original.launch(stringify!($kernel), shape, &mut [$(Passed::given($given)),*])?;
                }
                Ask::Launch(ours) => {
                    let [unchecked, checked] = prepared.as_ref().ok_or("a launch before it is prepared")?;
                    let version = if matches!(ours, Version::Checked) { checked } else { unchecked };
                    version.launch($kernel($($arg),*))?;
                }
                Ask::Check(version) => {
                    let original = matches!(version, Version::Original(_));
                    $($out.check(&device, original)?;)*
                }
            }
            Ok(())
        };
        Ok(Box::new(trial))
    }};
}

pub(crate) use trial;
