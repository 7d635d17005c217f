//! How a tile learns how many keys of a digit the tiles before it have: from words that every tile publishes.
//!
//! A tile has a word for each digit. It publishes its own number first, and the number up to its end when it knows that. A word holds
//! the number and what it stands for, so no fence has to order the two.
//!
//! Each pass leaves words that stand for numbers up to the ends of tiles. In the next pass another state does so, and these words
//! are nothing yet: no pass has to clear them.

use warpsmith::prelude::*;

use super::Pass;
use super::key::RADIX;

/// Bits of a number in a word.
const NUMBER_BITS: u32 = 30;
/// The most keys of a launch: their number fits a word.
pub const MOST_KEYS: usize = (1 << NUMBER_BITS) - 1;
/// The state of a tile's own number. States 0 and 1 are those of numbers up to its end, in passes by turns.
pub const OWN: u32 = 2;

/// The index of a tile's word for a digit.
#[gpu_fn]
pub fn word_place(pass: Pass, tile: u32, digit: u32) -> usize {
    (pass.first_tile + tile as usize) * RADIX + digit as usize
}

/// Publishes a tile's own number, or the number up to its end, in a word that says which.
#[gpu_fn]
pub fn publish(word: &mut u32, state: u32, number: u32) {
    atomic(word).store(state << NUMBER_BITS | number, Ordering::Relaxed);
}

/// The number of a digit in all tiles of the launch before one.
#[gpu_fn]
pub fn before_tile(words: &mut [u32], pass: Pass, tile: u32, digit: u32) -> u32 {
    let mut sum = 0u32;
    let mut at = tile;
    while at > 0 {
        at -= 1;
        let place = word_place(pass, at, digit);
        assume(place < words.len());
        let mut word = atomic(&mut words[place]).load(Ordering::Relaxed);
        while word >> NUMBER_BITS != OWN && word >> NUMBER_BITS != pass.through {
            word = atomic(&mut words[place]).load(Ordering::Relaxed);
        }
        sum += word % (1 << NUMBER_BITS);
        if word >> NUMBER_BITS == pass.through {
            return sum;
        }
    }
    sum
}
