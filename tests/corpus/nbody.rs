//! All-pairs gravitation through shared tiles of bodies.

use warpsmith::prelude::*;

/// Threads of a block, and bodies of a shared tile.
pub const BODY_TILE: u32 = 256;
/// The square of the softening length, which keeps close encounters finite.
pub const SOFTENING: f32 = 1e-2;

/// The state of a system; `w` of a position is the body's mass.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Bodies<'a> {
    pub positions: View<'a, F32x4>,
    pub velocities: ViewMut<'a, F32x4>,
}

/// The acceleration of a body at `here` by the body at `there`.
#[gpu_fn]
fn attraction(here: F32x4, there: F32x4) -> F32x3 {
    let to = there.xyz() - here.xyz();
    let inverse = rsqrt(to.dot(to) + SOFTENING);
    to * (there.w * inverse * inverse * inverse)
}

/// Moves every body by one step: velocities in place, positions into `moved`.
///
/// The number of bodies is a multiple of [`BODY_TILE`], which is the block.
#[gpu_kernel]
pub fn nbody(mut bodies: Bodies<'_>, moved: &mut [F32x4], count: u32, step: f32) {
    let mut tile = shared!([F32x4; BODY_TILE]);
    let t = thread_idx().x;
    let i = block_idx().x * BODY_TILE + t;
    let here = bodies.positions[i];
    let mut acceleration = F32x3::splat(0.0);
    for first in (0..count).step_by(BODY_TILE as usize) {
        tile[t] = bodies.positions[first + t];
        sync_threads();
        #[unroll(32)]
        for k in 0..BODY_TILE {
            acceleration += attraction(here, tile[k]);
        }
        sync_threads();
    }
    let velocity = bodies.velocities[i].xyz() + acceleration * step;
    bodies.velocities[i] = velocity.extend(0.0);
    moved[i] = (here.xyz() + velocity * step).extend(here.w);
}
