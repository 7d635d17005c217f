//! `x.get(a..b)` in bodies that run: a part, if it is in bounds.

use super::range::PartRange;
use super::slice::part;
use super::{IndexInteger, PartIndex, Slice, Sliceable, SliceableMut, View, to_read};

/// `get` of what has elements side by side, by a range.
pub trait GetPart: Sliceable {
    /// `x.get(range)`
    fn __get_part(&self, range: impl PartRange) -> Option<&Slice<Self::Element>> {
        let part = range.part();
        part.is_within(self.extent().1).then(|| self.__sub_slice(part.start, part.end))
    }

    /// `x.get(start..)`
    fn __get_rest(&self, start: impl IndexInteger) -> Option<&Slice<Self::Element>> {
        let part = PartIndex::new(start.to_index(), None);
        part.is_within(self.extent().1).then(|| self.__sub_slice(part.start, None))
    }
}

impl<S: Sliceable + ?Sized> GetPart for S {}

/// A part of a view lives as long as what is viewed, also behind a reference to the view.
impl<'a, T> View<'a, T> {
    #[doc(hidden)]
    pub fn __get_part(self, range: impl PartRange) -> Option<&'a Slice<T>> {
        let place = range.part();
        place.is_within(self.len()).then(|| &*part(to_read(self.extent()), place.start, place.end))
    }

    #[doc(hidden)]
    pub fn __get_rest(self, start: impl IndexInteger) -> Option<&'a Slice<T>> {
        let place = PartIndex::new(start.to_index(), None);
        place.is_within(self.len()).then(|| &*part(to_read(self.extent()), place.start, None))
    }
}

/// `get_mut` of what has elements side by side, by a range.
pub trait GetPartMut: SliceableMut {
    /// `x.get_mut(range)`
    fn __get_part_mut(&mut self, range: impl PartRange) -> Option<&mut Slice<Self::Element>> {
        let part = range.part();
        part.is_within(self.extent().1).then(|| self.__sub_slice_mut(part.start, part.end))
    }

    /// `x.get_mut(start..)`
    fn __get_rest_mut(&mut self, start: impl IndexInteger) -> Option<&mut Slice<Self::Element>> {
        let part = PartIndex::new(start.to_index(), None);
        part.is_within(self.extent().1).then(|| self.__sub_slice_mut(part.start, None))
    }
}

impl<S: SliceableMut + ?Sized> GetPartMut for S {}
