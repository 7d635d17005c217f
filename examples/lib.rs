//! The examples of `warpsmith`: `cargo run --example NAME`, where NAME is a file of this folder.
