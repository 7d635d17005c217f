//! What checks cost in machine code and text, without a GPU: registers, instructions and bytes of each kernel as a launch compiles it.

use std::cell::Cell;
use std::path::Path;

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground};
use crate::trial::{Ask, Cost, Family, Unseen};
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
        let Cost { texts: [unchecked, own], proofs, checks, checked } = cost(kernel, &device)?;
        if let Some(folder) = texts {
            let parts = [("unchecked.cu", &unchecked), ("cu", &own), ("txt", &proofs)];
            for (extension, text) in parts {
                std::fs::write(folder.join(format!("{}.{extension}", kernel.name)), text)?;
            }
        }
        let both = [&checks.unchecked, &checks.checked];
        let registers = both.map(|of| of.registers.to_string()).join(" | ");
        let instructions = both.map(|of| of.instructions.unwrap_or(0).to_string()).join(" | ");
        let bytes = [unchecked.len(), own.len()];
        let text = format!("{} | {:.2}", bytes[0], bytes[1] as f64 / bytes[0] as f64);
        println!("| {} | {checked} | {registers} | {instructions} | {text} |", kernel.name);
    }
    Ok(true)
}

/// Measures of a launch.
pub fn of<K: Kernel>(launch: &Launch<'_, K>) -> Result<Cost, Failure> {
    let explanation = launch.explain()?;
    let checks = explanation.cost()?.clone();
    let (proofs, checked) = (explanation.proven(), explanation.checked().count());
    let texts = [launch.cuda_source_unchecked()?, launch.cuda_source()?];
    Ok(Cost { texts, proofs, checks, checked })
}

fn cost(kernel: &Unseen, device: &Device) -> Result<Cost, Failure> {
    let mut trial = (kernel.make)(&Ground::new(device, kernel.name))?;
    let cost = Cell::new(None);
    trial(Ask::Cost(&cost))?;
    Ok(cost.into_inner().ok_or("a trial without a launch")?)
}
