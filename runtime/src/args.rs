//! Arguments of a launch: what a kernel's parameters take on the host, and how they reach it.

use std::ops::Range;

use crate::buffer::Buffer;
use crate::driver::Order;
pub use crate::image::ImageAccess;
use crate::types::{GpuType, Slice};
pub use crate::value_bytes::ValueBytes;

/// Where memory lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The simulator: host memory.
    Simulator,
    /// A GPU, by ordinal.
    Gpu(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Simulator => f.write_str("the simulator"),
            Place::Gpu(ordinal) => write!(f, "GPU {ordinal}"),
        }
    }
}

/// One run-time argument of a launch.
#[derive(Clone, Debug)]
pub enum KernelArg {
    /// A slice: in CUDA a pointer and a length.
    Slice {
        /// Address of the first element.
        ptr: u64,
        /// Number of elements.
        len: u64,
        /// Bytes of all elements.
        bytes: u64,
        /// Where the memory is.
        place: Place,
        /// Whether the kernel may write it.
        mutable: bool,
        /// How launches on several streams are ordered with other uses of the memory.
        order: Order,
    },
    /// A texture or a surface: in CUDA a struct of its object and extents.
    Image {
        /// What it is on its device.
        access: ImageAccess,
        /// Whether the kernel may write it.
        mutable: bool,
    },
    /// A scalar or struct, by value.
    Value(ValueBytes),
}

/// Memory that an argument brings.
#[derive(Clone, Debug)]
pub(crate) struct Brought {
    /// Its addresses; an image's are counted from zero, and its own.
    pub range: Range<u64>,
    /// Whether the kernel may write it.
    pub mutable: bool,
    /// How launches on several streams are ordered with other uses.
    pub order: Order,
}

impl KernelArg {
    /// A scalar or struct.
    pub fn value<T: GpuType>(value: T) -> Self {
        KernelArg::Value(ValueBytes::of(value))
    }

    /// The memory that it brings, if it brings any.
    #[inline]
    pub(crate) fn memory(&self) -> Option<Brought> {
        match self {
            KernelArg::Slice { ptr, bytes, mutable, order, .. } => {
                Some(Brought { range: *ptr..*ptr + *bytes, mutable: *mutable, order: *order })
            }
            KernelArg::Image { access, mutable } => {
                let (range, order) = (access.get().range.clone(), access.get().order);
                Some(Brought { range, mutable: *mutable, order })
            }
            KernelArg::Value(_) => None,
        }
    }
}

/// What a parameter `&[T]` takes: `&Buffer<T>`, `&CudaSlice<T>`, `&CudaView<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `&[{T}]`",
    label = "not device memory of `{T}`",
    note = "pass `&Buffer<{T}>` (from `device.upload`), or cudarc's `&CudaSlice<{T}>` or `&CudaView<{T}>`",
    note = "a kernel passes parts of its own slices to a kernel that it launches; shared memory and locals end with their block"
)]
///
/// # Safety
/// For `'a` the argument addresses initialised memory of `T` that nothing writes but kernels of
/// the streams that its `order` knows, and what `order` refers to is alive.
pub unsafe trait SliceArg<'a, T> {
    /// The argument.
    fn into_arg(self) -> KernelArg;
}

/// What a parameter `&mut [T]` takes: `&mut Buffer<T>`, `&mut CudaSlice<T>`, `&mut CudaViewMut<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `&mut [{T}]`",
    label = "not writable device memory of `{T}`",
    note = "pass `&mut Buffer<{T}>` (from `device.upload`), or cudarc's `&mut CudaSlice<{T}>` or `&mut CudaViewMut<{T}>`",
    note = "a kernel passes parts of its own slices to a kernel that it launches; shared memory and locals end with their block"
)]
///
/// # Safety
/// As [`SliceArg`]; and for `'a` nothing else reads or writes the memory.
pub unsafe trait SliceMutArg<'a, T> {
    /// The argument.
    fn into_arg(self) -> KernelArg;
}

/// What a parameter `&Texture2<T>` or `&mut Surface2<T>` takes: a texture or surface of that form and element.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `{P}`",
    label = "not such an image",
    note = "pass `image.texture(Sampler::new())?` for a texture, `image.surface()?` for a surface, of an `Image1`, \
            `Image2`, `Image3` or `ImageLayers`"
)]
///
/// # Safety
/// For `'a` the argument is of an image that nothing writes but kernels of the streams that its order knows, and
/// nothing else reads or writes an image that the kernel may write.
pub unsafe trait ImageArg<'a, P> {
    /// The argument.
    fn into_arg(self) -> KernelArg;
}

// SAFETY: the buffer's own memory and usage, borrowed for the lifetime.
unsafe impl<'a, T: GpuType> SliceArg<'a, T> for &'a Buffer<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(false)
    }
}

// SAFETY: the buffer's own memory and usage, borrowed for the lifetime.
unsafe impl<'a, T: GpuType> SliceArg<'a, T> for &'a mut Buffer<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(false)
    }
}

// SAFETY: the buffer's own memory and usage, borrowed for the lifetime.
unsafe impl<'a, T: GpuType> SliceMutArg<'a, T> for &'a mut Buffer<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(true)
    }
}

// What a simulated kernel passes to a kernel that it launches.
// SAFETY: memory of the launching kernel, which outlives the launch.
unsafe impl<'a, T> SliceArg<'a, T> for &'a Slice<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(false)
    }
}

// SAFETY: never gives an argument.
#[diagnostic::do_not_recommend]
unsafe impl<'a, T> SliceArg<'a, T> for &'a mut Slice<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(false)
    }
}

// SAFETY: never gives an argument.
#[diagnostic::do_not_recommend]
unsafe impl<'a, T> SliceMutArg<'a, T> for &'a mut Slice<T> {
    fn into_arg(self) -> KernelArg {
        self.arg(true)
    }
}

/// The argument as the descriptor of a slice; empty if it is none.
///
/// # Safety
/// It was made from memory of `T`, which the launch keeps borrowed.
pub(crate) unsafe fn slice_of<T>(arg: Option<&KernelArg>) -> Slice<T> {
    let (ptr, len) = match arg {
        Some(KernelArg::Slice { ptr, len, .. }) => (*ptr as *mut T, *len as usize),
        _ => (std::ptr::NonNull::dangling().as_ptr(), 0),
    };
    // SAFETY: as promised by the caller.
    unsafe { Slice::from_raw_parts(ptr, len) }
}

/// The argument as a value.
///
/// # Safety
/// It was made by [`KernelArg::value`] from a `T`.
pub(crate) unsafe fn value_of<T>(arg: &KernelArg) -> T {
    match arg {
        // SAFETY: as promised, the bytes are those of a `T`.
        KernelArg::Value(bytes) => unsafe { bytes.as_ptr().cast::<T>().read_unaligned() },
        KernelArg::Slice { .. } | KernelArg::Image { .. } => unreachable!("an argument made from a value"),
    }
}
