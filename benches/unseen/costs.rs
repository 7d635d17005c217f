//! Which checks are left, and what they cost in machine code and text, without a GPU: registers, instructions and bytes of each kernel as
//! a launch compiles it.

use std::cell::Cell;
use std::path::Path;

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground};
use crate::trial::{Ask, Explained, Family, Unseen};
use crate::wanted;

/// Prints a table of all kernels, by launches of the small sizes; their CUDA and their proofs go into a folder, if there is one.
pub fn run(families: &[&Family], names: &[&str], texts: Option<&Path>) -> Result<bool, Failure> {
    let device = Device::simulator();
    texts.map_or(Ok(()), std::fs::create_dir_all)?;
    println!(
        "| kernel | indices checked | registers, unchecked | checked | instructions, unchecked | checked | text, bytes | checked |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for kernel in families.iter().flat_map(|family| wanted(family, names)) {
        let Explained { texts: [unchecked, own], explanation } = explained(kernel, &device)?;
        if let Some(folder) = texts {
            let parts = [("unchecked.cu", &unchecked), ("cu", &own), ("txt", &explanation.proven())];
            for (extension, text) in parts {
                std::fs::write(folder.join(format!("{}.{extension}", kernel.name)), text)?;
            }
        }
        let (checked, checks) = (explanation.checked().count(), explanation.cost()?);
        let both = [&checks.unchecked, &checks.checked];
        let registers = both.map(|of| of.registers.to_string()).join(" | ");
        let instructions = both.map(|of| of.instructions.unwrap_or(0).to_string()).join(" | ");
        let bytes = [unchecked.len(), own.len()];
        let text = format!("{} | {:.2}", bytes[0], bytes[1] as f64 / bytes[0] as f64);
        println!("| {} | {checked} | {registers} | {instructions} | {text} |", kernel.name);
    }
    Ok(true)
}

/// Prints each kernel that has checks left, with their number.
pub fn list(families: &[&Family], names: &[&str]) -> Result<bool, Failure> {
    let device = Device::simulator();
    for family in families {
        for kernel in wanted(family, names) {
            let checked = explained(kernel, &device)?.explanation.checked().count();
            if checked > 0 {
                println!("{} {checked}", kernel.name);
            }
        }
    }
    Ok(true)
}

/// Facts about a launch.
pub fn of<K: Kernel>(launch: &Launch<'_, K>) -> Result<Explained, Failure> {
    let texts = [launch.cuda_source_unchecked()?, launch.cuda_source()?];
    Ok(Explained { texts, explanation: launch.explain()? })
}

fn explained(kernel: &Unseen, device: &Device) -> Result<Explained, Failure> {
    let mut trial = (kernel.make)(&Ground::new(device, kernel.name))?;
    let explained = Cell::new(None);
    trial(Ask::Explain(&explained))?;
    Ok(explained.into_inner().ok_or("a trial without a launch")?)
}
