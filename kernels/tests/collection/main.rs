//! Every function of the collection against references on the host: on the simulator with all checks, and on a GPU if there is one.
//!
//! `CORPUS_SCALE=real` takes inputs of real size on a GPU.

mod cuda;
mod devices;
mod errors;
mod histograms;
mod matrices;
mod movement;
mod numbers;
mod products;
mod random;
mod reductions;
mod rows;
mod scans;
mod scans_by_key;
mod selections;
mod shapes;
mod vectors;
