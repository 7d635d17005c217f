//! The pattern of a line's requests: the most expensive one, and the banks that they use.

use super::BANKS;
use super::address::Addresses;
use super::requests;
use super::warp::{Class, Key};

/// The memory that a pattern is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PatternKind {
    /// Loads of global memory.
    Load,
    /// Stores to global memory.
    Store,
    /// Loads of shared memory.
    SharedLoad,
    /// Stores to shared memory.
    SharedStore,
    /// Loads of matrices from shared memory, by `ldmatrix`.
    MatrixLoad,
    /// Stores of matrices to shared memory, by `stmatrix`.
    MatrixStore,
}

impl PatternKind {
    /// The kind of a request; `None` of what has no pattern.
    pub(super) fn of(class: Class) -> Option<Self> {
        Some(match class {
            Class::Load | Class::Copy => PatternKind::Load,
            Class::Store => PatternKind::Store,
            Class::SharedLoad => PatternKind::SharedLoad,
            Class::SharedStore | Class::SharedCopy => PatternKind::SharedStore,
            Class::MatrixLoad => PatternKind::MatrixLoad,
            Class::MatrixStore => PatternKind::MatrixStore,
            _ => return None,
        })
    }

    /// Whether it is of shared memory.
    pub fn is_shared(self) -> bool {
        !matches!(self, PatternKind::Load | PatternKind::Store)
    }

    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            PatternKind::Load => "global load",
            PatternKind::Store => "global store",
            PatternKind::SharedLoad => "shared load",
            PatternKind::SharedStore => "shared store",
            PatternKind::MatrixLoad => "matrix load",
            PatternKind::MatrixStore => "matrix store",
        }
    }
}

/// The most expensive request of a line; the first one if there are several.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pattern {
    /// The path as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Whose memory, and which way.
    pub kind: PatternKind,
    /// Bytes of a lane.
    pub bytes: u32,
    /// Active lanes, each with its first byte, counted from the last multiple of 128 bytes at or before
    /// the lowest.
    pub lanes: Vec<(u32, u64)>,
    /// The lanes that go at once, as masks: of shared memory halves or quarters of the warp where accesses are
    /// wide, else all.
    pub phases: Vec<u32>,
    /// Sectors, or wavefronts of shared memory.
    pub cost: u64,
    /// The fewest that the same bytes could need.
    pub ideal: u64,
}

/// The cost of a request, in sectors or wavefronts.
pub(super) struct Cost {
    pub paid: u64,
    /// The fewest that the same bytes could need.
    pub ideal: u64,
}

impl Pattern {
    pub(super) fn new(key: &Key, kind: PatternKind, addresses: &Addresses, cost: Cost) -> Self {
        let lowest = addresses.lanes().map(|(_, at)| at).min().unwrap_or(0) / 128 * 128;
        let lanes = addresses.lanes().map(|(lane, at)| (lane, at - lowest)).collect();
        let (file, line) = (key.by.at.file, key.by.at.line);
        let phases = if kind.is_shared() {
            requests::phases(addresses, key.bytes, kind)
        } else {
            vec![addresses.mask]
        };
        Self { file, line, kind, bytes: key.bytes, lanes, phases, cost: cost.paid, ideal: cost.ideal }
    }

    /// For each bank, which of some lanes take a word of it, with the word's number; each lane and word once.
    pub fn words_of_banks(&self, lanes: u32) -> [Vec<(u32, u64)>; BANKS] {
        let mut banks = [const { Vec::new() }; BANKS];
        for (lane, at) in self.lanes.iter().filter(|(lane, _)| lanes >> lane & 1 == 1) {
            for word in at / super::WORD..=(at + u64::from(self.bytes) - 1) / super::WORD {
                banks[(word % BANKS as u64) as usize].push((*lane, word));
            }
        }
        banks
    }
}

/// How the requests of a line to shared memory share the banks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BankMap {
    /// The path as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Whether it loads or stores.
    pub kind: PatternKind,
    /// Words taken of each bank, over all requests; lanes that share a word take it once.
    pub words: [u64; BANKS],
}

impl BankMap {
    pub(super) fn new(key: &Key, kind: PatternKind) -> Self {
        Self { file: key.by.at.file, line: key.by.at.line, kind, words: [0; BANKS] }
    }

    pub(super) fn add(&mut self, addresses: &Addresses, bytes: u32) {
        let of = requests::banks(addresses, bytes);
        self.words.iter_mut().zip(of).for_each(|(sum, words)| *sum += words);
    }
}
