//! Which barriers launches need: kernels of which that is known, and every barrier of the corpus.

mod corpus;
mod verdicts;
