//! Slices of device memory.

use std::marker::PhantomData;
use std::ops::Range;

use warpsmith::args::{KernelArg, SliceArg, SliceMutArg};
use warpsmith::prelude::{Buffer, GpuType};

use crate::error::KernelError;
use crate::pack::{PACK_BYTES, Pack};

/// Device memory that a call reads, for `'a`.
#[derive(Clone, Debug)]
pub struct Input<'a, T> {
    arg: KernelArg,
    _elements: PhantomData<&'a T>,
}

/// Device memory that a call writes, for `'a`.
#[derive(Debug)]
pub struct Output<'a, T> {
    arg: KernelArg,
    _elements: PhantomData<&'a mut T>,
}

/// The elements of a slice in aligned packs, as far as they fill some.
#[derive(Clone, Debug)]
pub struct Packs<'a, T, const N: usize> {
    /// Elements before the first pack.
    pub head: usize,
    /// The packs.
    pub packs: Input<'a, Pack<T, N>>,
}

macro_rules! memory {
    ($($name:ident)+) => {$(
        impl<T> $name<'_, T> {
            /// Number of elements.
            pub fn len(&self) -> usize {
                extent(&self.arg).1
            }

            /// Returns whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Elements before the first one that begins at a multiple of 16 bytes; `None` if none does.
            pub fn misalignment(&self) -> Option<usize> {
                misalignment::<T>(extent(&self.arg).0)
            }

            /// None of the elements, for a kernel whose argument is not there.
            pub fn nothing(&self) -> Self {
                Self { arg: part::<T>(&self.arg, 0, 0, 0), _elements: PhantomData }
            }
        }
    )+};
}

memory! { Input Output }

impl<'a, T> Input<'a, T> {
    /// Memory that nothing else writes for `'a`.
    pub fn new(memory: impl SliceArg<'a, T>) -> Self {
        Self { arg: memory.into_arg(), _elements: PhantomData }
    }

    /// The elements in packs; none where `N` of them do not fill a pack, or where none begins at a multiple of 16 bytes.
    pub fn packs<const N: usize>(&self) -> Packs<'a, T, N> {
        let fits = size_of::<T>() * N == PACK_BYTES;
        let head = self.misalignment().filter(|head| fits && *head <= self.len());
        let (head, packs) = head.map_or((0, 0), |head| (head, (self.len() - head) / N));
        let arg = part::<T>(&self.arg, head, packs * N, packs);
        Packs { head, packs: Input { arg, _elements: PhantomData } }
    }

    /// The elements from number `from` on; none if there are fewer.
    pub(crate) fn behind(&self, from: usize) -> Self {
        let len = self.len().saturating_sub(from);
        Self { arg: part::<T>(&self.arg, from, len, len), _elements: PhantomData }
    }

    /// The memory as values of another type, as many as fit. It is aligned for them.
    pub(crate) fn values<U>(&self) -> Input<'a, U> {
        Input { arg: whole::<T, U>(&self.arg), _elements: PhantomData }
    }

    /// The elements from number `from` on in words of four bytes, as many as fit; `None` unless elements are bytes, and
    /// number `from` lies at a multiple of four bytes.
    pub(crate) fn words_of_bytes(&self, from: usize) -> Option<Input<'a, u32>> {
        let (address, len) = extent(&self.arg);
        let fits = size_of::<T>() == 1 && from <= len && (address + from as u64).is_multiple_of(4);
        let words = len.saturating_sub(from) / 4;
        fits.then(|| Input { arg: part::<T>(&self.arg, from, words * 4, words), _elements: PhantomData })
    }
}

impl<'a, T> Output<'a, T> {
    /// Memory that nothing else reads or writes for `'a`.
    pub fn new(memory: impl SliceMutArg<'a, T>) -> Self {
        Self { arg: memory.into_arg(), _elements: PhantomData }
    }

    /// Its elements in packs, as [`Input::packs`] has them, with the elements before the first pack.
    pub fn packs<const N: usize>(&mut self) -> (usize, Output<'a, Pack<T, N>>) {
        let Packs { head, packs } = self.read().packs::<N>();
        (head, Output { arg: accessed(packs.arg, true), _elements: PhantomData })
    }

    /// Refuses memory that another argument also has.
    ///
    /// # Errors
    /// [`KernelError::Overlap`] with the names of both.
    pub fn apart_from<U>(
        &self,
        written: &'static str,
        other: &Input<'_, U>,
        name: &'static str,
    ) -> Result<(), KernelError> {
        let (a, b) = (bytes(&self.arg), bytes(&other.arg));
        let overlap = a.start < b.end && b.start < a.end;
        if overlap { Err(KernelError::Overlap { written, other: name }) } else { Ok(()) }
    }

    /// The memory as [`Input::values`] has it.
    pub(crate) fn into_values<U>(self) -> Output<'a, U> {
        Output { arg: whole::<T, U>(&self.arg), _elements: PhantomData }
    }

    /// The same memory for another of the call's launches, which follow each other on one stream.
    pub(crate) fn again(&mut self) -> Self {
        Self { arg: self.arg.clone(), _elements: PhantomData }
    }

    /// The same memory for the plan of another call, which launches nothing.
    pub(crate) fn planned(&self) -> Self {
        Self { arg: self.arg.clone(), _elements: PhantomData }
    }

    /// The same memory as an input, for a call that works in place.
    pub fn read(&self) -> Input<'a, T> {
        Input { arg: accessed(self.arg.clone(), false), _elements: PhantomData }
    }
}

impl<'a, T: GpuType> Input<'a, T> {
    /// Memory that one of a call's steps owns, for the other steps.
    ///
    /// # Safety
    /// The step owns the buffer in a box, which stays where it is and lives as long as the call.
    pub(crate) unsafe fn of_step(buffer: &Buffer<T>) -> Self {
        Self { arg: SliceArg::into_arg(buffer), _elements: PhantomData }
    }
}

impl<'a, T: GpuType> Output<'a, T> {
    /// Memory that one of a call's steps owns, for another step to write.
    ///
    /// # Safety
    /// As for [`Input::of_step`].
    pub(crate) unsafe fn of_step(buffer: &mut Buffer<T>) -> Self {
        Self { arg: SliceMutArg::into_arg(buffer), _elements: PhantomData }
    }
}

/// The same slice for a kernel that writes it, or one that only reads it.
fn accessed(arg: KernelArg, is_written: bool) -> KernelArg {
    match arg {
        KernelArg::Slice { ptr, len, bytes, place, order, .. } => {
            KernelArg::Slice { ptr, len, bytes, place, order, mutable: is_written }
        }
        other => other,
    }
}

/// Address of the first element, and number of elements.
fn extent(arg: &KernelArg) -> (u64, usize) {
    match arg {
        KernelArg::Slice { ptr, len, .. } => (*ptr, *len as usize),
        _ => (0, 0),
    }
}

/// The addresses of a slice.
fn bytes(arg: &KernelArg) -> Range<u64> {
    arg.memory().map_or(0..0, |memory| memory.range)
}

/// Elements from an address to the next multiple of 16 bytes; `None` if none begins there.
fn misalignment<T>(address: u64) -> Option<usize> {
    let behind = (address % PACK_BYTES as u64) as usize;
    let gap = (PACK_BYTES - behind) % PACK_BYTES;
    let size = size_of::<T>().max(1);
    gap.is_multiple_of(size).then_some(gap / size)
}

/// The `elements` elements of `T` from number `from` on, as `values` values of another type.
fn part<T>(arg: &KernelArg, from: usize, elements: usize, values: usize) -> KernelArg {
    match arg {
        &KernelArg::Slice { ptr, place, mutable, order, .. } => KernelArg::Slice {
            ptr: ptr + (from * size_of::<T>()) as u64,
            len: values as u64,
            bytes: (elements * size_of::<T>()) as u64,
            place,
            mutable,
            order,
        },
        other => other.clone(),
    }
}

/// The elements of `T` as values of `U`, as many as fit.
fn whole<T, U>(arg: &KernelArg) -> KernelArg {
    let (size, value) = (size_of::<T>().max(1), size_of::<U>().max(1));
    let values = extent(arg).1 * size / value;
    part::<T>(arg, 0, values * value / size, values)
}

// SAFETY: the memory that `new` was given for `'a`, or a part of it.
unsafe impl<'b, T> SliceArg<'b, T> for &'b Input<'_, T> {
    fn into_arg(self) -> KernelArg {
        self.arg.clone()
    }
}

// SAFETY: as above, and borrowed mutably.
unsafe impl<'b, T> SliceMutArg<'b, T> for &'b mut Output<'_, T> {
    fn into_arg(self) -> KernelArg {
        self.arg.clone()
    }
}

// SAFETY: the memory that `new` was given for `'a`, or a part of it.
unsafe impl<'a, T> SliceArg<'a, T> for Input<'a, T> {
    fn into_arg(self) -> KernelArg {
        self.arg
    }
}

// SAFETY: as above, and no longer there for another use.
unsafe impl<'a, T> SliceMutArg<'a, T> for Output<'a, T> {
    fn into_arg(self) -> KernelArg {
        self.arg
    }
}
