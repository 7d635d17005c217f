//! Functions of matrices against references on the host, on the simulator with all checks.

mod data;
mod movement;
mod rows;
