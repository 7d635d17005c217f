//! The conditions by which elements are selected.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use crate::reduction::Truth;

/// A condition on elements, for [`select_if`](super::select_if) and [`partition_if`](super::partition_if).
///
/// It is passed to the kernel by value, with its fields.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::selection::{Predicate, select_if};
///
/// /// Elements above a limit.
/// #[derive(Clone, Copy, GpuType)]
/// #[repr(C)]
/// struct Above {
///     limit: f32,
/// }
///
/// #[gpu_impl]
/// impl Predicate for Above {
///     type Element = f32;
///
///     fn holds(self, element: f32, _index: usize) -> bool {
///         element > self.limit
///     }
/// }
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// let x = gpu.upload(&[0.5f32, 3.0, f32::NAN, 2.0])?;
/// let (mut y, mut count) = (gpu.alloc_zeroed::<f32>(4)?, gpu.alloc_zeroed::<u64>(1)?);
/// select_if(&gpu, &x, Above { limit: 1.0 }, &mut y, &mut count).run()?;
/// assert_eq!(gpu.download(&count)?, [2]);
/// assert_eq!(gpu.download(&y)?[..2], [3.0, 2.0]);
/// # Ok(()) }
/// ```
#[gpu_trait]
pub trait Predicate: GpuType + 'static {
    /// The type of the elements.
    type Element: GpuType;

    /// Returns whether element number `index` is selected.
    fn holds(self, element: Self::Element, index: usize) -> bool;
}

/// The way in which a kernel decides whether it takes an element.
#[gpu_trait]
pub trait Selector: 'static {
    /// The type of the elements.
    type Element: GpuType;
    /// The type of the elements' flags.
    type Flag: Truth;
    /// A value that the decision depends on.
    type Setting: GpuType;
    /// Whether elements have flags.
    const FLAGGED: bool;
    /// Whether the decision depends on the element before. The first element, which has none, is then taken.
    const COMPARES: bool;

    /// Returns whether `element` is taken, which is number `i`. `before` is the element before it, if the selector compares them, and
    /// `flag` is whether its flag is true, if it has one.
    fn takes(
        element: Self::Element,
        before: Self::Element,
        i: usize,
        flag: bool,
        setting: Self::Setting,
    ) -> bool;
}

/// Takes elements with a true flag.
pub struct Flagged<T, F>(PhantomData<(T, F)>);

/// Takes elements that meet a predicate.
pub struct Matching<P>(PhantomData<P>);

/// Takes the first of each run of equal elements. NaN equals nothing.
pub struct Distinct<T>(PhantomData<T>);

#[gpu_impl]
impl<T: GpuType + 'static, F: Truth> Selector for Flagged<T, F> {
    type Element = T;
    type Flag = F;
    type Setting = u32;
    const FLAGGED: bool = true;
    const COMPARES: bool = false;

    fn takes(_element: T, _before: T, _i: usize, flag: bool, _setting: u32) -> bool {
        flag
    }
}

#[gpu_impl]
impl<P: Predicate> Selector for Matching<P> {
    type Element = P::Element;
    type Flag = bool;
    type Setting = P;
    const FLAGGED: bool = false;
    const COMPARES: bool = false;

    fn takes(element: P::Element, _before: P::Element, i: usize, _flag: bool, setting: P) -> bool {
        setting.holds(element, i)
    }
}

#[gpu_impl]
impl<T: GpuType + PartialEq + 'static> Selector for Distinct<T> {
    type Element = T;
    type Flag = bool;
    type Setting = u32;
    const FLAGGED: bool = false;
    const COMPARES: bool = true;

    fn takes(element: T, before: T, _i: usize, _flag: bool, _setting: u32) -> bool {
        element != before
    }
}
