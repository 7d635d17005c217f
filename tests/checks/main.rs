//! What the simulator finds: which barriers launches need, of known kernels and of the corpus, and every fault.

mod by_hand;
mod corpus;
mod engine;
mod faults;
mod hints;
mod lanes;
mod matrices;
mod resident;
mod verdicts;
mod worded;
