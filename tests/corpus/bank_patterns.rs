//! Patterns of a warp's accesses of 64 and 128 bits to shared memory, each a launch of one warp.
//!
//! From them was found how an H200 counts wavefronts and conflicts of wide accesses: `benches/ncu.sh` measures each.

use warpsmith::metrics::Report;
use warpsmith::prelude::*;

use crate::measured::{How, done};

/// Vectors of the tile.
pub const TILE: u32 = 512;
/// Lanes of a warp.
const LANES: u32 = 32;
/// In place of a vector's number: the lane takes no part.
const ABSENT: u32 = u32::MAX;

/// Each lane loads the vector that `places` names.
#[gpu_kernel]
pub fn load_pairs(out: &mut [F32x2], places: &[u32]) {
    let mut tile = shared!([F32x2; TILE]);
    let t = thread_idx().x;
    for k in 0..TILE / LANES {
        tile[t + LANES * k] = F32x2::splat((t + LANES * k) as f32);
    }
    sync_threads();
    let place = places[t];
    if place < TILE {
        out[t] = tile[place];
    }
}

/// The same as [`load_pairs()`] with vectors of four.
#[gpu_kernel]
pub fn load_quads(out: &mut [F32x4], places: &[u32]) {
    let mut tile = shared!([F32x4; TILE]);
    let t = thread_idx().x;
    for k in 0..TILE / LANES {
        tile[t + LANES * k] = F32x4::splat((t + LANES * k) as f32);
    }
    sync_threads();
    let place = places[t];
    if place < TILE {
        out[t] = tile[place];
    }
}

/// Each lane stores the vector that `places` names, after all have been stored side by side.
#[gpu_kernel]
pub fn store_pairs(out: &mut [F32x2], places: &[u32]) {
    let mut tile = shared!([F32x2; TILE]);
    let t = thread_idx().x;
    for k in 0..TILE / LANES {
        tile[t + LANES * k] = F32x2::splat(-1.0);
    }
    sync_threads();
    let place = places[t];
    if place < TILE {
        tile[place] = F32x2::splat(t as f32);
    }
    sync_threads();
    for k in 0..TILE / LANES {
        out[t + LANES * k] = tile[t + LANES * k];
    }
}

/// The same as [`store_pairs()`] with vectors of four.
#[gpu_kernel]
pub fn store_quads(out: &mut [F32x4], places: &[u32]) {
    let mut tile = shared!([F32x4; TILE]);
    let t = thread_idx().x;
    for k in 0..TILE / LANES {
        tile[t + LANES * k] = F32x4::splat(-1.0);
    }
    sync_threads();
    let place = places[t];
    if place < TILE {
        tile[place] = F32x4::splat(t as f32);
    }
    sync_threads();
    for k in 0..TILE / LANES {
        out[t + LANES * k] = tile[t + LANES * k];
    }
}

/// The vector that each lane of a warp takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankPattern {
    /// Its name.
    pub name: String,
    places: [u32; LANES as usize],
}

/// The access to the vectors of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    LoadPairs,
    LoadQuads,
    StorePairs,
    StoreQuads,
}

impl Access {
    /// The kernel's name.
    pub fn kernel(self) -> &'static str {
        match self {
            Access::LoadPairs => load_pairs::NAME,
            Access::LoadQuads => load_quads::NAME,
            Access::StorePairs => store_pairs::NAME,
            Access::StoreQuads => store_quads::NAME,
        }
    }

    /// Returns whether it stores.
    pub fn stores(self) -> bool {
        matches!(self, Access::StorePairs | Access::StoreQuads)
    }
}

impl BankPattern {
    fn new(name: impl Into<String>, place: impl Fn(u32) -> Option<u32>) -> Self {
        let places = std::array::from_fn(|lane| place(lane as u32).unwrap_or(ABSENT));
        Self { name: name.into(), places }
    }

    /// Returns whether no two lanes take the same vector; then they may store.
    fn is_apart(&self) -> bool {
        let mut taken: Vec<u32> = self.places.iter().copied().filter(|place| *place != ABSENT).collect();
        let lanes = taken.len();
        taken.sort_unstable();
        taken.dedup();
        taken.len() == lanes
    }

    /// Launches a warp with this pattern; the report where it is counted.
    ///
    /// # Errors
    /// The errors of the launch, or a fault.
    pub fn launch(&self, access: Access, device: &Device, how: How) -> warpsmith::Result<Option<Report>> {
        let places = device.upload(&self.places)?;
        let mut pairs = device.upload(&[F32x2::splat(0.0); TILE as usize])?;
        let mut quads = device.upload(&[F32x4::splat(0.0); TILE as usize])?;
        match access {
            Access::LoadPairs => done(device, how, load_pairs(&mut pairs, &places).grid(1).block(LANES)),
            Access::LoadQuads => done(device, how, load_quads(&mut quads, &places).grid(1).block(LANES)),
            Access::StorePairs => done(device, how, store_pairs(&mut pairs, &places).grid(1).block(LANES)),
            Access::StoreQuads => done(device, how, store_quads(&mut quads, &places).grid(1).block(LANES)),
        }
    }
}

/// Every pattern with every access that it is good for; those of one kernel in the order in which a profiler is to
/// see them.
pub fn all() -> Vec<(Access, BankPattern)> {
    let patterns: Vec<BankPattern> = [strided(), shared(), mixed(), partial(), random()].concat();
    let of = |access: Access| {
        let good = patterns.iter().filter(move |pattern| !access.stores() || pattern.is_apart());
        good.map(move |pattern| (access, pattern.clone()))
    };
    [Access::LoadPairs, Access::LoadQuads, Access::StorePairs, Access::StoreQuads]
        .into_iter()
        .flat_map(of)
        .collect()
}

/// Every lane takes another vector.
fn strided() -> Vec<BankPattern> {
    let stride = |s: u32| BankPattern::new(format!("stride_{s}"), move |l| Some(l * s));
    let mut all: Vec<BankPattern> = [1, 2, 3, 4, 5, 8, 16].into_iter().map(stride).collect();
    all.push(BankPattern::new("reversed", |l| Some(31 - l)));
    all.push(BankPattern::new("halves_swapped", |l| Some(l ^ 16)));
    all.push(BankPattern::new("even_then_odd", |l| Some(l % 16 * 2 + l / 16)));
    all.push(BankPattern::new("rows_of_8", |l| Some(l % 8 * 4 + l / 8)));
    all.push(BankPattern::new("rows_of_16", |l| Some(l % 16 * 16 + l / 16)));
    all
}

/// The number of a lane without one of its bits: lanes that differ in this bit alone have the same.
fn without_bit(lane: u32, bit: u32) -> u32 {
    lane >> (bit + 1) << bit | lane & ((1 << bit) - 1)
}

/// Lanes take the same vector as others.
fn shared() -> Vec<BankPattern> {
    let mut all = vec![BankPattern::new("broadcast", |_| Some(0))];
    for bit in 0..5 {
        all.push(BankPattern::new(format!("same_as_xor_{}", 1 << bit), move |l| Some(without_bit(l, bit))));
        all.push(BankPattern::new(format!("same_as_xor_{}_apart", 1 << bit), move |l| Some(l & !(1 << bit))));
        all.push(BankPattern::new(format!("same_as_xor_{}_one_bank", 1 << bit), move |l| {
            Some(without_bit(l, bit) * 16)
        }));
    }
    for lanes in [4, 8, 16] {
        all.push(BankPattern::new(format!("same_in_{lanes}"), move |l| Some(l / lanes)));
        all.push(BankPattern::new(format!("modulo_{}", lanes / 2), move |l| Some(l % (lanes / 2))));
    }
    all.push(BankPattern::new("same_as_xor_3", |l| Some(l / 4 * 2 + (l ^ l >> 1) % 2)));
    all.push(BankPattern::new("same_as_xor_5", |l| Some(without_bit(l ^ (l >> 2 & 1), 2))));
    all
}

/// Parts of the warp with patterns of their own.
fn mixed() -> Vec<BankPattern> {
    let xor_1 = |l: u32| without_bit(l, 0);
    let xor_2 = |l: u32| without_bit(l, 1);
    vec![
        BankPattern::new("xor_1_half_then_xor_2", move |l| Some(if l < 16 { xor_1(l) } else { xor_2(l) })),
        BankPattern::new("xor_1_quarter_then_xor_2", move |l| {
            Some(if l / 8 % 2 == 0 { xor_1(l) } else { xor_2(l) })
        }),
        BankPattern::new("xor_1_half_then_apart", move |l| Some(if l < 16 { xor_1(l) } else { l })),
        BankPattern::new("apart_half_then_xor_1", move |l| Some(if l >= 16 { xor_1(l) } else { l + 16 })),
        BankPattern::new("xor_1_quarter_then_apart", move |l| {
            Some(if l / 8 % 2 == 0 { xor_1(l) } else { l + 8 })
        }),
        BankPattern::new("xor_1_but_lane_5", move |l| Some(if l == 5 { 40 } else { xor_1(l) })),
        BankPattern::new("xor_2_but_lane_21", move |l| Some(if l == 21 { 40 } else { xor_2(l) })),
        BankPattern::new("broadcast_but_lane_5", |l| Some(u32::from(l == 5))),
        BankPattern::new("broadcast_but_lane_5_one_bank", |l| Some(if l == 5 { 16 } else { 0 })),
        BankPattern::new("broadcast_in_half_then_apart", |l| Some(if l < 16 { 0 } else { l })),
        BankPattern::new("broadcast_in_quarters", |l| Some(l / 8 * 16)),
    ]
}

/// Some lanes take no part.
fn partial() -> Vec<BankPattern> {
    let of = |name: &str, there: fn(u32) -> bool, place: fn(u32) -> u32| {
        BankPattern::new(name, move |l| there(l).then(|| place(l)))
    };
    vec![
        of("even_lanes", |l| l % 2 == 0, |l| l),
        of("even_lanes_packed", |l| l % 2 == 0, |l| l / 2),
        of("odd_lanes_packed", |l| l % 2 == 1, |l| l / 2),
        of("even_lanes_one_bank", |l| l % 2 == 0, |l| l / 2 * 16),
        of("two_of_four_packed", |l| l % 4 < 2, |l| l / 4 * 2 + l % 2),
        of("every_fourth_packed", |l| l % 4 == 0, |l| l / 4),
        of("four_of_eight", |l| l % 8 < 4, |l| l),
        of("four_of_eight_packed", |l| l % 8 < 4, |l| l / 8 * 4 + l % 4),
        of("first_half", |l| l < 16, |l| l),
        of("second_half", |l| l >= 16, |l| l),
        of("first_quarter", |l| l < 8, |l| l),
        of("quarters_0_and_2", |l| l / 8 % 2 == 0, |l| l),
        of("quarters_0_and_3", |l| l / 8 % 3 == 0, |l| l),
        of("one_of_each_quarter", |l| l % 8 == 0, |l| l / 8),
        of("one_of_each_quarter_one_bank", |l| l % 8 == 0, |l| l / 8 * 16),
        of("one_of_each_half", |l| l % 16 == 3, |l| l / 16),
        of("one_of_each_half_one_bank", |l| l % 16 == 3, |l| l / 16 * 16),
        of("one_lane", |l| l == 13, |l| l),
        of("all_but_one", |l| l != 7, |l| l),
        of("xor_1_all_but_one", |l| l != 7, |l| l / 2),
        of("xor_1_first_half", |l| l < 16, |l| l / 2),
        of("broadcast_of_even_lanes", |l| l % 2 == 0, |_| 3),
    ]
}

/// Any vectors, by numbers that look random.
fn random() -> Vec<BankPattern> {
    let mut state = 0x2545_F491_u32;
    let mut next = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let mut all = Vec::new();
    for round in 0..4 {
        let mut permuted: Vec<u32> = (0..LANES).collect();
        (1..LANES).for_each(|l| permuted.swap(l as usize, next(l + 1) as usize));
        all.push(BankPattern::new(format!("permuted_{round}"), |l| Some(permuted[l as usize])));
        for below in [4, 16, 64, TILE] {
            let any: Vec<u32> = (0..LANES).map(|_| next(below)).collect();
            all.push(BankPattern::new(format!("any_of_{below}_{round}"), |l| Some(any[l as usize])));
            all.push(BankPattern::new(format!("xor_1_any_of_{below}_{round}"), |l| {
                Some(any[without_bit(l, 0) as usize])
            }));
        }
        let mask = next(u32::MAX);
        all.push(BankPattern::new(format!("some_permuted_{round}"), |l| {
            (mask >> l & 1 == 1).then(|| permuted[l as usize])
        }));
    }
    all
}
