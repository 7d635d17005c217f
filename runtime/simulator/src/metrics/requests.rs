//! The costs of one request of a warp: sectors of global memory, wavefronts of shared memory, lanes that meet at an
//! address.

use super::address::Addresses;
use super::pattern::PatternKind;
use super::{BANKS, SECTOR, WORD};

/// A small sorted set.
fn distinct(mut items: Vec<u64>) -> Vec<u64> {
    items.sort_unstable();
    items.dedup();
    items
}

/// The sectors that a request touches, as their numbers.
pub(super) fn sectors(addresses: &Addresses, bytes: u32) -> Vec<u64> {
    let last = u64::from(bytes.max(1)) - 1;
    distinct(addresses.lanes().flat_map(|(_, at)| at / SECTOR..=(at + last) / SECTOR).collect())
}

/// Bytes that lie under the accesses, each counted once.
pub(super) fn distinct_bytes(addresses: &Addresses, bytes: u32) -> u64 {
    let bytes = u64::from(bytes);
    let starts = distinct(addresses.lanes().map(|(_, at)| at).collect());
    let mut end = 0;
    starts
        .into_iter()
        .map(|at| {
            let fresh = (at + bytes).saturating_sub(end.max(at));
            end = end.max(at + bytes);
            fresh
        })
        .sum()
}

/// The wavefronts of a shared request.
///
/// In what goes at once (see [`phases`]), each bank gives one word in a wavefront, to every lane that asks for that word.
///
/// Source: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later.
pub(super) fn wavefronts(addresses: &Addresses, bytes: u32, kind: PatternKind) -> u64 {
    phases(addresses, bytes, kind).iter().map(|phase| depth(&words(addresses, bytes, *phase))).sum()
}

/// The lanes that go at once, as masks; those without an active lane are left out.
///
/// Up to 32 bits a lane all lanes do; of 64 bits each half of the warp, of 128 bits each quarter. What a load returns may
/// be packed: if the whole warp loads in pairs (see [`is_paired`]), twice as many lanes go at once. That is how an H200
/// counts each pattern of `benches/ncu.md`. Rows of matrices go by eight, whatever they are.
///
/// Source: NVIDIA Developer Forums, "Unexpected shared memory bank conflict", of compute capability 7.x.
pub(super) fn phases(addresses: &Addresses, bytes: u32, kind: PatternKind) -> Vec<u32> {
    let packed = bytes > WORD as u32 && kind == PatternKind::SharedLoad && is_paired(addresses);
    let at_once: u32 = match bytes {
        0..=4 => 32,
        5..=8 => 16 << u32::from(packed),
        _ => 8 << u32::from(packed),
    };
    let group = |first: u32| (u32::MAX >> (32 - at_once)) << first & addresses.mask;
    (0..32).step_by(at_once as usize).map(group).filter(|lanes| *lanes != 0).collect()
}

/// Whether every active lane has the address of its neighbour (lane xor 1), or every one that of the
/// lane two further on (lane xor 2), as far as those are active.
fn is_paired(addresses: &Addresses) -> bool {
    let of: Vec<(u32, u64)> = addresses.lanes().collect();
    let with = |apart: u32| {
        of.iter().all(|(lane, at)| {
            of.iter().find(|(other, _)| *other == lane ^ apart).is_none_or(|(_, other)| other == at)
        })
    };
    with(1) || with(2)
}

/// The words that some lanes touch, each once.
fn words(addresses: &Addresses, bytes: u32, lanes: u32) -> Vec<u64> {
    let last = u64::from(bytes.max(1)) - 1;
    let active = addresses.lanes().filter(|(lane, _)| lanes >> lane & 1 == 1);
    distinct(active.flat_map(|(_, at)| at / WORD..=(at + last) / WORD).collect())
}

/// The most words in one bank.
fn depth(words: &[u64]) -> u64 {
    let mut banks = [0u64; BANKS];
    words.iter().for_each(|word| banks[(word % BANKS as u64) as usize] += 1);
    banks.into_iter().max().unwrap_or(0)
}

/// The wavefronts of a shared request if no two words share a bank: one for the lanes that go at once.
///
/// An H200 counts the wavefronts beyond these as conflicts.
pub(super) fn ideal_wavefronts(addresses: &Addresses, bytes: u32, kind: PatternKind) -> u64 {
    phases(addresses, bytes, kind).len() as u64
}

/// How many words of each bank a request takes.
pub(super) fn banks(addresses: &Addresses, bytes: u32) -> [u64; BANKS] {
    let mut banks = [0u64; BANKS];
    let words = words(addresses, bytes, addresses.mask);
    words.iter().for_each(|word| banks[(word % BANKS as u64) as usize] += 1);
    banks
}

/// The sectors that an atomic request touches: lanes of one address take turns, and each turn touches its own anew.
///
/// An H200 counts in the same way: 32 lanes on one address touch 32 sectors, 32 lanes on 8 addresses of one sector touch 4.
pub(super) fn sectors_in_turns(addresses: &Addresses, bytes: u32) -> u64 {
    let mut turns: Vec<Vec<u64>> = Vec::new();
    let mut all: Vec<u64> = addresses.lanes().map(|(_, at)| at).collect();
    all.sort_unstable();
    for same in all.chunk_by(|a, b| a == b) {
        turns.resize_with(turns.len().max(same.len()), Vec::new);
        for (turn, at) in turns.iter_mut().zip(same) {
            turn.extend([at / SECTOR, (at + u64::from(bytes.max(1)) - 1) / SECTOR]);
        }
    }
    turns.into_iter().map(|turn| distinct(turn).len() as u64).sum()
}

/// The most lanes that have one address.
pub(super) fn contention(addresses: &Addresses) -> u64 {
    let mut all: Vec<u64> = addresses.lanes().map(|(_, at)| at).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).map(|same| same.len() as u64).max().unwrap_or(0)
}
