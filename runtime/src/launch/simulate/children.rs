//! The rules of executors for launches by kernels.

use crate::interpreter::{AskedShape, Rules};
use crate::launch::nested::within_launches;
use crate::launch::{AskedExtents, GridExtent, check, shape_of};
use crate::simulator::Settings;

/// The limits of a launch on the simulator.
pub(super) fn rules(settings: &Settings) -> Rules {
    Rules { steps: settings.step_budget, child_shape: nested_shape }
}

/// The grid and the dynamic shared memory of a launch that an executor makes for a kernel; otherwise its mistake, in a
/// GPU's words.
fn nested_shape(asked: &AskedShape<'_>) -> Result<([u32; 3], usize), String> {
    let AskedShape { kernel, attributes, block, dynamic_shared, .. } = *asked;
    let grid = asked.grid.map_or(GridExtent::Items([asked.items, 1, 1]), GridExtent::Blocks);
    let asked_extents = AskedExtents { grid, block, cluster: None, dynamic_shared: dynamic_shared as usize };
    let shape = shape_of(kernel, asked_extents).map_err(|e| e.to_string())?;
    check::simulated_shape(kernel, &shape, attributes).map_err(|refused| refused.to_string())?;
    let bytes = within_launches(&shape)?;
    Ok((shape.grid, bytes))
}
