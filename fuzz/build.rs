//! Writes the kernels of this build: `WARPSMITH_FUZZ_SEED` and `WARPSMITH_FUZZ_KERNELS` choose them.

#[path = "src/generate/mod.rs"]
mod generate;
#[path = "src/random.rs"]
mod random;

use std::{env, fs, path::Path};

fn main() {
    for file in ["build.rs", "src/generate", "src/random.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    let (seed, kernels) = (number("WARPSMITH_FUZZ_SEED", 1), number("WARPSMITH_FUZZ_KERNELS", 24));
    println!("cargo::rerun-if-env-changed=WARPSMITH_FUZZ_WITHOUT");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let file = Path::new(&out).join("programs.rs");
    fs::write(&file, generate::module(seed, kernels as usize)).expect("OUT_DIR can be written");
    println!("cargo::rustc-env=WARPSMITH_FUZZ_BUILT_SEED={seed}");
}

/// The variable as a number, or what holds without it.
fn number(name: &str, default: u64) -> u64 {
    println!("cargo::rerun-if-env-changed={name}");
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} must be a number, not `{text}`")),
        Err(_) => default,
    }
}
