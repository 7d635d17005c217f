use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Body {
    at: [f32; 2],
    charge: u32,
}

#[gpu_kernel]
fn moved(out: &mut [f32], bodies: &mut [Body]) {
    let mut next = 1u32;
    let mut shift = |at: &mut [f32; 2]| {
        at[0] += 1.0;
        next += 1;
    };
    shift(&mut bodies[next as usize].at);
    let Body { at: [x, y], charge } = &mut bodies[1];
    *y -= *x;
    *charge |= 4;
    match &mut bodies[0] {
        Body { charge, .. } if *charge > 4 => *charge = 5,
        Body { at: [x, _], .. } => *x = 1.0,
    }
    for Body { charge, .. } in bodies.iter_mut() {
        *charge += 1;
    }
    out[0] = bodies.iter().map(|Body { at, .. }| at[0]).sum::<f32>();
}

fn main() {}
