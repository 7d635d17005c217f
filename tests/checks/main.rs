//! The simulator's findings: the barriers that launches need, of known kernels and of the corpus, and every fault.

mod by_hand;
mod corpus;
mod engine;
mod faults;
mod hints;
mod lanes;
mod lines;
mod matrices;
mod resident;
mod steps;
mod verdicts;
mod worded;
