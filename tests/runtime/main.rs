//! Everything around a launch: attributes, streams, memory, caches, faults.
//!
//! What a simulator can show runs there; what only a GPU can show is ignored where there is none.

mod ahead;
mod allocations;
mod attributes;
mod cache;
mod checked;
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
