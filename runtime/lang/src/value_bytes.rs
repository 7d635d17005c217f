//! The bytes of one scalar or struct argument.
//!
//! This module is independent of kernels. Small values are stored inline. A large value's memory is reused for the thread's
//! next large value, so launching the same kernel again allocates nothing.

use std::cell::RefCell;

/// Words of a value that is held in place.
const INLINE: usize = 5;
/// Memory of large values that a thread keeps at most.
const SPARE: usize = 64;

thread_local! {
    /// Memory of large values that were dropped on this thread.
    static SPARES: RefCell<Vec<Box<[u64]>>> = const { RefCell::new(Vec::new()) };
}

/// The bytes of a value.
#[derive(Clone, Debug)]
pub struct ValueBytes(Words);

#[derive(Clone, Debug)]
enum Words {
    Inline([u64; INLINE]),
    Large(Large),
}

/// Words that go back to their thread's spares.
#[derive(Debug)]
struct Large(Box<[u64]>);

impl ValueBytes {
    /// The bytes of a value.
    pub fn of<T: Copy>(value: T) -> Self {
        let len = size_of::<T>().div_ceil(8);
        let mut words =
            if len <= INLINE { Words::Inline([0; INLINE]) } else { Words::Large(Large::new(len)) };
        let target = match &mut words {
            Words::Inline(words) => words.as_mut_ptr(),
            Words::Large(large) => large.0.as_mut_ptr(),
        };
        // SAFETY: the words hold at least the size of `T`, and writing needs no alignment.
        unsafe { target.cast::<T>().write_unaligned(value) };
        Self(words)
    }

    /// Address of the first byte, aligned to eight.
    pub fn as_ptr(&self) -> *const u8 {
        self.words().as_ptr().cast()
    }

    /// All of them, in words.
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Words::Inline(words) => words,
            Words::Large(large) => &large.0,
        }
    }

    /// All of them, in words, to be changed.
    pub fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.0 {
            Words::Inline(words) => words,
            Words::Large(large) => &mut large.0,
        }
    }
}

impl Large {
    /// Returns this number of words; a spare of this thread if one has that length.
    fn new(len: usize) -> Self {
        let spare = SPARES.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            let at = spares.iter().position(|words| words.len() == len)?;
            Some(spares.swap_remove(at))
        });
        Self(spare.ok().flatten().unwrap_or_else(|| vec![0; len].into_boxed_slice()))
    }
}

impl Clone for Large {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.0.len());
        copy.0.copy_from_slice(&self.0);
        copy
    }
}

impl Drop for Large {
    fn drop(&mut self) {
        let words = std::mem::take(&mut self.0);
        // A thread that ends has no spares any more; the words are freed then.
        let _ = SPARES.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if spares.len() < SPARE {
                spares.push(words);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_large_value_is_used_again() {
        let first = ValueBytes::of([7u64; 20]);
        let address = first.as_ptr();
        drop(first);
        let second = ValueBytes::of([9u64; 20]);
        assert_eq!(second.as_ptr(), address);
        // SAFETY: the bytes are those of such an array.
        assert_eq!(unsafe { second.as_ptr().cast::<[u64; 20]>().read_unaligned() }, [9; 20]);
        assert_ne!(second.clone().as_ptr(), address);
    }
}
