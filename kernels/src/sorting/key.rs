//! Keys as words whose order is that of the keys, and the values that go with them.

use warpsmith::prelude::*;

/// Bits of a digit.
pub const DIGIT_BITS: u32 = 8;
/// Digits of different value.
pub const RADIX: usize = 1 << DIGIT_BITS;

/// A word of digits.
#[gpu_trait]
pub trait Word: Num + Ord + 'static {
    /// The word behind all others.
    const LAST: Self;

    /// The digit that begins at bit `shift`.
    fn digit(self, shift: u32) -> u32;
    /// The 32 bits that bit `shift` is one of.
    fn half(self, shift: u32) -> u32;
    /// The word in the opposite order.
    fn reversed(self) -> Self;
    /// Whether the bits from `shift` on are those of another word. `shift` is at least 1, and may be the number of bits.
    fn agrees(self, other: Self, shift: u32) -> bool;
    /// Whether the word comes before another one, or is equal and in an earlier place.
    fn is_before(self, place: u32, other: Self, other_place: u32) -> bool;
    /// The lesser of two words, and the greater.
    fn in_order(self, other: Self) -> (Self, Self);
    /// The word with a digit from bit `shift` on, whose bits are zero there.
    fn with_digit(self, shift: u32, digit: u32) -> Self;
}

/// A key to sort by: `u32`, `i32`, `f32`, `u64`, `i64` or `f64`. Floats are in the order of `total_cmp`.
#[gpu_trait]
pub trait Key: GpuType + 'static {
    /// A word as wide as the key.
    type Word: Word;
    /// Digits of a key, an even number.
    const DIGITS: usize;

    /// The word that stands in the order of words where the key stands in that of keys.
    fn word(self) -> Self::Word;
    /// The key of a word.
    fn of_word(word: Self::Word) -> Self;
}

/// A value that goes with a key: a number of four or eight bytes.
#[gpu_trait]
pub trait Value: Num + 'static {}

macro_rules! words {
    ($(
        $t:ident:
            |$word:ident, $shift:ident| $half:expr,
            |$own:ident, $place:ident, $other:ident, $other_place:ident| $before:expr;
    )+) => {$(
        #[gpu_impl]
        impl Word for $t {
            const LAST: Self = $t::MAX;

            fn digit(self, shift: u32) -> u32 {
                (self >> shift) as u32 % RADIX as u32
            }
            fn half(self, shift: u32) -> u32 {
                let ($word, $shift) = (self, shift);
                $half
            }
            fn reversed(self) -> Self {
                !self
            }
            fn agrees(self, other: Self, shift: u32) -> bool {
                (self ^ other) >> (shift - 1) >> 1 == 0
            }
            fn is_before(self, place: u32, other: Self, other_place: u32) -> bool {
                let ($own, $place, $other, $other_place) = (self, place, other, other_place);
                $before
            }
            fn in_order(self, other: Self) -> (Self, Self) {
                (self.min(other), self.max(other))
            }
            fn with_digit(self, shift: u32, digit: u32) -> Self {
                self | (digit as $t) << shift
            }
        }
    )+};
}

// Word and place of 32 bits each are one number.
words! {
    u32:
        |word, _shift| word,
        |word, place, other, other_place| {
            ((word as u64) << 32 | place as u64) < ((other as u64) << 32 | other_place as u64)
        };
    u64:
        |word, shift| if shift < 32 { word as u32 } else { (word >> 32) as u32 },
        |word, place, other, other_place| word < other || word == other && place < other_place;
}

macro_rules! keys {
    ($($t:ident $word:ident $digits:literal: |$key:ident| $of_key:expr, |$ordered:ident| $of_word:expr;)+) => {$(
        #[gpu_impl]
        impl Key for $t {
            type Word = $word;
            const DIGITS: usize = $digits;

            fn word(self) -> $word {
                let $key = self;
                $of_key
            }
            fn of_word(word: $word) -> Self {
                let $ordered = word;
                $of_word
            }
        }

        #[gpu_impl]
        impl Value for $t {}
    )+};
}

// The sign bit of an integer is turned over. Of a negative float, all bits are.
keys! {
    u32 u32 4: |key| key, |word| word;
    i32 u32 4: |key| key as u32 ^ 1 << 31, |word| (word ^ 1 << 31) as i32;
    f32 u32 4:
        |key| key.to_bits() ^ ((key.to_bits() as i32 >> 31) as u32 | 1 << 31),
        |word| f32::from_bits(word ^ ((!word as i32 >> 31) as u32 | 1 << 31));
    u64 u64 8: |key| key, |word| word;
    i64 u64 8: |key| key as u64 ^ 1 << 63, |word| (word ^ 1 << 63) as i64;
    f64 u64 8:
        |key| key.to_bits() ^ ((key.to_bits() as i64 >> 63) as u64 | 1 << 63),
        |word| f64::from_bits(word ^ ((!word as i64 >> 63) as u64 | 1 << 63));
}

/// The word to sort by: that of the key, or the opposite one.
#[gpu_fn]
pub fn word_of<K: Key>(key: K, descending: bool) -> K::Word {
    if descending { key.word().reversed() } else { key.word() }
}

/// The key of such a word.
#[gpu_fn]
pub fn key_of<K: Key>(word: K::Word, descending: bool) -> K {
    if descending { K::of_word(word.reversed()) } else { K::of_word(word) }
}
