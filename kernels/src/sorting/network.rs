//! A sort in shared memory, by a network of comparisons.

use warpsmith::prelude::*;

use super::key::Word;

/// Threads of a block that sorts in shared memory.
pub const THREADS: u32 = 512;

/// Sorts words with their places, in the order of both: K. Batcher's bitonic network.
#[gpu_fn]
pub fn sort_shared<W: Word, const MOST: usize>(words: &mut [W], places: &mut [u32], t: u32) {
    let mut size = 2usize;
    while size <= MOST {
        let mut step = size / 2;
        while step > 0 {
            for pair in (t as usize..MOST / 2).step_by(THREADS as usize) {
                let a = pair / step * 2 * step + pair % step;
                let b = a + step;
                let is_up = a & size == 0;
                let is_after = words[a] > words[b] || words[a] == words[b] && places[a] > places[b];
                if is_after == is_up {
                    let (word, place) = (words[a], places[a]);
                    words[a] = words[b];
                    places[a] = places[b];
                    words[b] = word;
                    places[b] = place;
                }
            }
            sync_threads();
            step /= 2;
        }
        size *= 2;
    }
}
