//! Everything around a launch: attributes, streams, memory, caches, faults.
//!
//! A test runs on the simulator if it can; tests that need a GPU are ignored where there is none.

mod ahead;
mod allocations;
mod attributes;
mod bundled;
mod cache;
mod checked;
mod checked_tiles;
mod explained;
mod graphs;
mod images;
mod limits;
mod lost;
mod memory;
mod nested;
mod occupancy;
mod peers;
mod places;
mod prepared;
mod resources;
mod roofline;
mod soak;
mod streams;
mod tuner;
mod unwritten;
mod volumes;
