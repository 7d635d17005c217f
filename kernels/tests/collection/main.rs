//! Every function of the collection against references on the host: on the simulator with all checks, and on a GPU if there is one.
//!
//! `CORPUS_SCALE=real` takes inputs of real size on a GPU.

mod attention;
mod bilaterals;
mod bundles;
mod concatenations;
mod conv2d;
mod convolutions;
mod counted;
mod cuda;
mod devices;
mod errors;
mod gradients;
mod grouped;
mod grouped_shares;
mod histograms;
mod indexed;
mod margins;
mod matrices;
mod movement;
mod narrow_products;
mod numbers;
mod pages;
mod products;
mod quantized;
mod random;
mod reductions;
mod resizes;
mod rotary;
mod rows;
mod scans;
mod scans_by_key;
mod segmented_sorts;
mod selections;
mod shapes;
mod sorting;
mod sparse;
mod spectra;
mod stencils;
mod top_k;
mod varlen;
mod vectors;
mod weighted_histograms;
