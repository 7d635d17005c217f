//! Pages about real launches.

use corpus::transpose::transpose_smem;
use warpsmith::prelude::*;

#[test]
fn a_page_of_a_launch_has_its_source_and_its_figures() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let input = device.upload(&vec![1.0f32; 64 * 64])?;
    let mut out = device.upload(&vec![0.0f32; 64 * 64])?;
    let page = transpose_smem(&mut out, &input, 64, 64).grid([2, 2]).block([32, 8]).report(&device)?;
    let html = page.html();
    if let Some(path) = std::env::var_os("WARPSMITH_REPORT") {
        page.write(path)?;
    }
    let line =
        html.lines().find(|line| line.contains("tile[thread_idx().x][thread_idx().y + j]")).expect("source");
    // 4 blocks of 8 warps that load 4 times, 32 wavefronts each.
    assert!(line.contains(">4,096<") && line.contains(">512<"), "{line}");
    assert!(html.contains("<h3><code>tile</code></h3>"), "the array by its name");
    assert!(html.contains("__syncthreads();"));
    let text = page.to_string();
    assert!(text.contains("pad the rows by one element"), "{text}");
    Ok(())
}

#[test]
fn a_gpu_is_not_watched() -> warpsmith::Result<()> {
    let Some(gpu) = harness::gpu() else { return Ok(()) };
    let input = gpu.upload(&vec![1.0f32; 64 * 64])?;
    let mut out = gpu.upload(&vec![0.0f32; 64 * 64])?;
    let refused = transpose_smem(&mut out, &input, 64, 64).grid([2, 2]).block([32, 8]).metrics(&gpu);
    assert!(refused.is_err_and(|error| error.to_string().contains("Device::simulator()")));
    Ok(())
}
