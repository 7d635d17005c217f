//! What the simulator finds: which barriers launches need, of known kernels and of the corpus, and every fault.

mod corpus;
mod faults;
mod lanes;
mod resident;
mod verdicts;
