//! Kernels of llm.c, a theme a file.

mod attention;
mod layers;
mod norm;
mod train;
