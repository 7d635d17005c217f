//! Arguments of a launch, as kernels and their simulation know them: an address with a length, an image, a map, or bytes.
//!
//! The modules that make arguments know their memory's origin, and how launches are ordered with its other uses.

use std::ops::Range;
use std::sync::Arc;

pub use crate::boxes::TensorMapObject;
pub use crate::place::{MemoryPlace, Order, Owner};
pub use crate::texels::ImageAccess;
use crate::types::{GpuType, Slice};
pub use crate::value_bytes::ValueBytes;

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
        /// The memory that holds it.
        place: MemoryPlace,
        /// Whether the kernel may write it.
        mutable: bool,
        /// How launches on several streams are ordered with other uses of the memory.
        order: Order,
    },
    /// A texture or a surface: in CUDA a struct of its object and extents.
    Image {
        /// The image on its device.
        access: ImageAccess,
        /// Whether the kernel may write it.
        mutable: bool,
    },
    /// A tensor map: in CUDA a struct that the driver made.
    TensorMap {
        /// The image on its device.
        map: Arc<TensorMapObject>,
        /// Whether the kernel may write the matrix.
        mutable: bool,
    },
    /// A scalar or struct, by value.
    Value(ValueBytes),
}

/// Memory that an argument passes to the kernel.
#[derive(Clone, Debug)]
pub struct Brought {
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

    /// The elements of a simulated kernel's slice, for a launch by that kernel.
    pub fn of_simulated<T>(slice: &Slice<T>, mutable: bool) -> Self {
        let (ptr, len) = (slice.as_ptr() as u64, slice.len() as u64);
        let bytes = len * size_of::<T>() as u64;
        KernelArg::Slice { ptr, len, bytes, place: MemoryPlace::Simulator, mutable, order: Order::NONE }
    }

    /// The memory that it passes, if any.
    #[inline]
    pub fn memory(&self) -> Option<Brought> {
        match self {
            KernelArg::Slice { ptr, bytes, mutable, order, .. } => {
                Some(Brought { range: *ptr..*ptr + *bytes, mutable: *mutable, order: *order })
            }
            KernelArg::Image { access, mutable } => {
                let (range, order) = (access.get().range.clone(), access.get().order);
                Some(Brought { range, mutable: *mutable, order })
            }
            KernelArg::TensorMap { map, mutable } => {
                Some(Brought { range: map.range(), mutable: *mutable, order: map.order })
            }
            KernelArg::Value(_) => None,
        }
    }
}

/// The arguments of parameters `&Texture2<T>` and `&mut Surface2<T>`: a texture or surface of that form and element.
/// Parameters `&TensorMap<…>` and `&mut TensorMapMut<…>` take a map of that element, box and layout.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `{P}`",
    label = "not such an image or map",
    note = "pass `image.texture(Sampler::new())?` for a texture, `image.surface()?` for a surface, of an `Image1`, \
            `Image2`, `Image3` or `ImageLayers`; `buffer.tensor_map(rows, cols)?` or `buffer.tensor_map_mut(rows, cols)?` for a \
            map of a tensor"
)]
///
/// # Safety
/// For `'a` the argument is of an image that nothing writes but kernels of the streams that its order knows, and
/// nothing else reads or writes an image that the kernel may write.
pub unsafe trait ImageArg<'a, P> {
    /// The argument.
    fn into_arg(self) -> KernelArg;
}

/// The argument as the descriptor of a slice; empty if it is none.
///
/// # Safety
/// It was made from memory of `T`, which the launch keeps borrowed.
pub unsafe fn slice_of<T>(arg: Option<&KernelArg>) -> Slice<T> {
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
pub unsafe fn value_of<T>(arg: &KernelArg) -> T {
    match arg {
        // SAFETY: as promised, the bytes are those of a `T`.
        KernelArg::Value(bytes) => unsafe { bytes.as_ptr().cast::<T>().read_unaligned() },
        KernelArg::Slice { .. } | KernelArg::Image { .. } | KernelArg::TensorMap { .. } => {
            unreachable!("an argument made from a value")
        }
    }
}
