//! Methods of what has elements side by side: parts, other element types, addresses.

use super::compared::{Contains, EndsWith, StartsWith, first_and_rest, last_and_rest};
use super::option::Copied;
use crate::ir::{BinaryOp, Expr, Type};
use crate::record::{Callee, Recorder};
use crate::types::operators::PartialEq;
use crate::types::{
    AnyBits, DeviceType, IndexInteger, Row, Shared, Slice, Sliceable, SliceableMut, View, ViewMut,
};
use crate::witness::{DeviceFn, FnProbe, never_called};

macro_rules! marker {
    ($($name:ident => $callee:expr;)+) => {$(
        #[doc(hidden)]
        pub struct $name;

        impl DeviceFn for $name {
            fn callee() -> Callee {
                $callee
            }
        }
    )+};
}

marker! {
    ReinterpretMarker => Callee::Reinterpret;
    SplitMarker => Callee::SplitAt;
    IsEmptyMarker => Callee::IsEmpty;
    PointerMarker => Callee::Pointer;
}

/// Slice methods that kernels may call.
pub trait SliceMethods: Sliceable {
    #[doc(hidden)]
    fn reinterpret_in_kernels<U: AnyBits>(&self, _probe: &FnProbe<ReinterpretMarker>) -> &Slice<U> {
        never_called()
    }
    #[doc(hidden)]
    fn split_at_in_kernels<I: IndexInteger>(
        &self,
        _middle: I,
        _probe: &FnProbe<SplitMarker>,
    ) -> (&Slice<Self::Element>, &Slice<Self::Element>) {
        never_called()
    }
    #[doc(hidden)]
    fn is_empty_in_kernels(&self, _probe: &FnProbe<IsEmptyMarker>) -> bool {
        never_called()
    }
    #[doc(hidden)]
    fn get_in_kernels<I: IndexInteger>(
        &self,
        _i: I,
        _probe: &FnProbe<<element<Self::Element> as Instance>::Marker>,
    ) -> Option<&Self::Element>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn first_in_kernels(
        &self,
        _probe: &FnProbe<<first_element<Self::Element> as Instance>::Marker>,
    ) -> Option<&Self::Element>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn last_in_kernels(
        &self,
        _probe: &FnProbe<<last_element<Self::Element> as Instance>::Marker>,
    ) -> Option<&Self::Element>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn split_first_in_kernels(
        &self,
        _probe: &FnProbe<<first_and_rest<Self::Element> as Instance>::Marker>,
    ) -> Option<(&Self::Element, &Slice<Self::Element>)>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn split_last_in_kernels(
        &self,
        _probe: &FnProbe<<last_and_rest<Self::Element> as Instance>::Marker>,
    ) -> Option<(&Self::Element, &Slice<Self::Element>)>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn contains_in_kernels(&self, _value: &Self::Element, _probe: &FnProbe<Contains<Self::Element>>) -> bool
    where
        Self::Element: PartialEq,
    {
        never_called()
    }
    #[doc(hidden)]
    fn starts_with_in_kernels<S: Sliceable<Element = Self::Element> + ?Sized>(
        &self,
        _prefix: &S,
        _probe: &FnProbe<StartsWith<Self::Element>>,
    ) -> bool
    where
        Self::Element: PartialEq,
    {
        never_called()
    }
    #[doc(hidden)]
    fn ends_with_in_kernels<S: Sliceable<Element = Self::Element> + ?Sized>(
        &self,
        _suffix: &S,
        _probe: &FnProbe<EndsWith<Self::Element>>,
    ) -> bool
    where
        Self::Element: PartialEq,
    {
        never_called()
    }
    #[doc(hidden)]
    fn as_ptr_in_kernels(&self, _probe: &FnProbe<PointerMarker>) -> *const Self::Element {
        never_called()
    }
}

impl<S: Sliceable + ?Sized> SliceMethods for S {}

/// Methods of slices that may be written.
pub trait SliceMutMethods: SliceableMut {
    #[doc(hidden)]
    fn reinterpret_mut_in_kernels<U: AnyBits>(
        &mut self,
        _probe: &FnProbe<ReinterpretMarker>,
    ) -> &mut Slice<U> {
        never_called()
    }
    #[doc(hidden)]
    #[allow(clippy::type_complexity)]
    fn split_at_mut_in_kernels<I: IndexInteger>(
        &mut self,
        _middle: I,
        _probe: &FnProbe<SplitMarker>,
    ) -> (&mut Slice<Self::Element>, &mut Slice<Self::Element>) {
        never_called()
    }
    #[doc(hidden)]
    fn as_mut_ptr_in_kernels(&mut self, _probe: &FnProbe<PointerMarker>) -> *mut Self::Element {
        never_called()
    }
    #[doc(hidden)]
    fn get_mut_in_kernels<I: IndexInteger>(
        &mut self,
        _i: I,
        _probe: &FnProbe<<element_mut<Self::Element> as Instance>::Marker>,
    ) -> Option<&mut Self::Element>
    where
        Self::Element: DeviceType,
    {
        never_called()
    }
    #[doc(hidden)]
    fn fill_in_kernels(
        &mut self,
        _value: Self::Element,
        _probe: &FnProbe<<fill_slice<Self::Element> as Instance>::Marker>,
    ) where
        Self::Element: Copied,
    {
        never_called()
    }
    #[doc(hidden)]
    fn reverse_in_kernels(&mut self, _probe: &FnProbe<<reverse_elements<Self::Element> as Instance>::Marker>)
    where
        Self::Element: Copied,
    {
        never_called()
    }
    #[doc(hidden)]
    fn swap_in_kernels<I: IndexInteger, J: IndexInteger>(
        &mut self,
        _i: I,
        _j: J,
        _probe: &FnProbe<SwapMarker<Self::Element>>,
    ) where
        Self::Element: Copied,
    {
        never_called()
    }
    #[doc(hidden)]
    fn copy_from_slice_in_kernels<S: Sliceable<Element = Self::Element> + ?Sized>(
        &mut self,
        _from: &S,
        _probe: &FnProbe<CopyMarker<Self::Element>>,
    ) where
        Self::Element: Copied,
    {
        never_called()
    }
}

impl<S: SliceableMut + ?Sized> SliceMutMethods for S {}

/// A function that stands for a method.
#[doc(hidden)]
pub trait Instance {
    /// Its marker.
    type Marker: DeviceFn;
}

macro_rules! instance {
    ($($name:ident: $bound:path;)+) => {$(
        impl<T: $bound> Instance for $name<T> {
            type Marker = Elements<$name<T>>;
        }
    )+};
}

instance! {
    fill_slice: Copied;
    reverse_elements: Copied;
    copy_elements: Copied;
    element: DeviceType;
    element_mut: DeviceType;
    first_element: DeviceType;
    last_element: DeviceType;
    first_and_rest: DeviceType;
    last_and_rest: DeviceType;
}

/// A function whose first argument is a slice, called with whatever has elements side by side.
#[doc(hidden)]
pub struct Elements<F>(core::marker::PhantomData<fn() -> F>);

impl<F: DeviceFn> DeviceFn for Elements<F> {
    fn callee() -> Callee {
        match F::callee() {
            Callee::Device(device) => Callee::OfSlice(device),
            other => other,
        }
    }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn fill_slice<T: Copied>(x: &mut [T], value: T) {
    for place in x.iter_mut() {
        *place = value;
    }
}

/// Both arguments of `copy_from_slice` may be whatever has elements side by side.
#[doc(hidden)]
pub struct CopyMarker<T>(core::marker::PhantomData<fn() -> T>);

impl<T: Copied> DeviceFn for CopyMarker<T> {
    fn callee() -> Callee {
        fn record<T: Copied>(recorder: &mut Recorder, args: Vec<Expr>, ty: Type) -> Expr {
            let mut args = args.into_iter();
            let (Some(to), Some(from)) = (args.next(), args.next()) else { return Expr::never() };
            let to = recorder.sub_slice(true, to, None, None, false);
            let from = recorder.sub_slice(false, from, None, None, false);
            let (to, from) = (recorder.bind(to), recorder.bind(from));
            let lengths = [&to, &from].map(|x| recorder.call(Some(Callee::Len), vec![x.clone()], Type::U64));
            let [a, b] = lengths;
            let equal = recorder.binary(BinaryOp::Eq, a, b);
            recorder.assert(equal, "copy_from_slice: the lengths differ", true);
            recorder.call(Some(<copy_elements<T> as Instance>::Marker::callee()), vec![to, from], ty)
        }
        Callee::Recorded(record::<T>)
    }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, clippy::manual_memcpy, reason = "its emitter is called")]
pub fn copy_elements<T: Copied>(to: &mut [T], from: &[T]) {
    for i in 0..to.len() {
        to[i] = from[i];
    }
}

/// `x.swap(i, j)` stands where it is called: an index that is out of bounds is a fault of that line.
#[doc(hidden)]
pub struct SwapMarker<T>(core::marker::PhantomData<fn() -> T>);

impl<T: Copied> DeviceFn for SwapMarker<T> {
    fn callee() -> Callee {
        fn record(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
            let Ok([x, i, j]) = <[Expr; 3]>::try_from(args) else { return Expr::never() };
            recorder.exchange_elements(x, i, j)
        }
        Callee::Recorded(record)
    }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn reverse_elements<T: Copied>(x: &mut [T]) {
    let len = x.len();
    for i in 0..len / 2 {
        x.swap(i, len - 1 - i);
    }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn element<T: DeviceType>(x: &[T], i: usize) -> Option<&T> {
    if i < x.len() { Some(&x[i]) } else { None }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn element_mut<T: DeviceType>(x: &mut [T], i: usize) -> Option<&mut T> {
    if i < x.len() { Some(&mut x[i]) } else { None }
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, clippy::get_first, reason = "it defines the method")]
pub fn first_element<T: DeviceType>(x: &[T]) -> Option<&T> {
    x.get(0)
}

/// The function behind a method of slices.
#[doc(hidden)]
#[warpsmith_macros::gpu_fn]
#[allow(dead_code, reason = "its emitter is called")]
pub fn last_element<T: DeviceType>(x: &[T]) -> Option<&T> {
    x.get(x.len().wrapping_sub(1))
}

macro_rules! host {
    ($($name:ident $(<$l:lifetime>)?),+) => {$(
        impl<$($l,)? T> $name<$($l,)? T> {
            /// The same memory as elements of another type, as many as fit; its start must be aligned for them.
            #[track_caller]
            pub fn reinterpret<U: AnyBits>(&self) -> &Slice<U> {
                crate::types::reinterpreted(crate::types::to_read(self.extent()))
            }

            /// The elements before an index, and those from it on.
            #[track_caller]
            pub fn split_at(&self, middle: impl IndexInteger) -> (&Slice<T>, &Slice<T>) {
                let middle = middle.to_index();
                (self.__sub_slice(0, Some(middle)), self.__sub_slice(middle, None))
            }

            /// The element at an index, if there is one.
            pub fn get(&self, i: impl IndexInteger) -> Option<&T> {
                let ((ptr, len), i) = (self.extent(), i.to_index());
                // SAFETY: the index is within the elements.
                (i < len).then(|| unsafe { &*ptr.add(i) })
            }

            /// The first element, if there is one.
            pub fn first(&self) -> Option<&T> {
                self.get(0)
            }

            /// The last element, if there is one.
            pub fn last(&self) -> Option<&T> {
                self.get(self.extent().1.wrapping_sub(1))
            }

            /// Address of the first element.
            pub fn as_ptr(&self) -> *const T {
                self.extent().0
            }
        }
    )+};
}

host! { Slice, Shared, Row, View<'a>, ViewMut<'a> }

macro_rules! host_mut {
    ($($name:ident $(<$l:lifetime>)?),+) => {$(
        impl<$($l,)? T> $name<$($l,)? T> {
            /// The same memory as elements of another type, to be written.
            #[track_caller]
            pub fn reinterpret_mut<U: AnyBits>(&mut self) -> &mut Slice<U>
            where
                T: AnyBits,
            {
                const { T::FILLED };
                crate::types::reinterpreted(self.extent_mut())
            }

            /// The elements before an index, and those from it on, to be written.
            #[track_caller]
            pub fn split_at_mut(&mut self, middle: impl IndexInteger) -> (&mut Slice<T>, &mut Slice<T>) {
                crate::types::split(self.extent_mut(), middle.to_index())
            }

            /// The element at an index, if there is one, to be written.
            pub fn get_mut(&mut self, i: impl IndexInteger) -> Option<&mut T> {
                let ((ptr, len), i) = (self.extent_mut(), i.to_index());
                // SAFETY: the index is within the elements, and `self` is borrowed.
                (i < len).then(|| unsafe { &mut *ptr.add(i) })
            }

            /// Address of the first element, to be written.
            pub fn as_mut_ptr(&mut self) -> *mut T {
                self.extent_mut().0
            }

            /// Stores a value in every element.
            pub fn fill(&mut self, value: T)
            where
                T: Copy,
            {
                let (ptr, len) = self.extent_mut();
                // SAFETY: the elements are this many, and no reference to them is alive.
                (0..len).for_each(|i| unsafe { ptr.add(i).write(value) });
            }

            /// Stores the elements of another slice, which has as many.
            #[track_caller]
            pub fn copy_from_slice(&mut self, from: &(impl Sliceable<Element = T> + ?Sized))
            where
                T: Copy,
            {
                let ((to, len), (from, count)) = (self.extent_mut(), from.extent());
                assert!(len == count, "copy_from_slice: the lengths differ");
                // SAFETY: both have this many elements, and no reference to them is alive.
                unsafe { core::ptr::copy(from, to, len) };
            }

            /// Exchanges the first element with the last, the second with the last but one, and so on.
            pub fn reverse(&mut self)
            where
                T: Copy,
            {
                let len = self.extent_mut().1;
                (0..len / 2).for_each(|i| self.swap(i, len - 1 - i));
            }

            /// Exchanges two elements.
            #[track_caller]
            pub fn swap(&mut self, i: impl IndexInteger, j: impl IndexInteger)
            where
                T: Copy,
            {
                let (i, j) = (i.to_index(), j.to_index());
                let kept = self[i];
                self[i] = self[j];
                self[j] = kept;
            }
        }
    )+};
}

host_mut! { Slice, Shared, Row, ViewMut<'a> }
