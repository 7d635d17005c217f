//! Times the functions of the collection on a GPU, in bursts and sustained.
//!
//! Checks each result, then prints `ours NAME_SIZE_MODE VALUE GB/s`: bytes that have to be read and written, by the time of a prepared
//! call. Arguments are numbers of elements, default 2^28, and names. With `serve`, `kernels/benches/table.py` lets it take turns with CUB,
//! and `kernels/benches/matrices.py` with PyTorch and Triton.
//!
//! | variable | sets |
//! |---|---|
//! | `BLOCKS=1056` | the blocks that share the elements where all are reduced |
//! | `THREADS=256` | the threads that share a row |
//! | `BAND=16` `SPAN=1` | the tiles of transposes |

#[path = "../function.rs"]
mod function;

mod histograms;
mod inputs;
mod margins;
mod matrices;
mod random;
mod reductions;
mod scans;
mod selections;
mod sorts;
mod vectors;

use function::{Function, Result, time};

/// The functions of all families.
const FAMILIES: [&[Function]; 9] = [
    reductions::FUNCTIONS,
    scans::FUNCTIONS,
    matrices::FUNCTIONS,
    margins::FUNCTIONS,
    histograms::FUNCTIONS,
    selections::FUNCTIONS,
    sorts::FUNCTIONS,
    vectors::FUNCTIONS,
    random::FUNCTIONS,
];

fn main() -> Result<()> {
    let functions: Vec<&Function> = FAMILIES.into_iter().flatten().collect();
    time(&functions, |_| true, &[1 << 28])
}
