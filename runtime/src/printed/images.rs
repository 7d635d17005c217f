//! Textures and surfaces of a compiled text: addressing and filtering as the twin has them.

use std::ffi::c_void;
use std::ptr;

use super::host::host_functions;
use crate::memory::image::ImageObject;

/// The image behind an object, which is its address.
fn image<'a>(object: u64) -> &'a ImageObject {
    // SAFETY: the launch gave the address, and keeps the image borrowed.
    unsafe { &*ptr::with_exposed_provenance::<ImageObject>(object as usize) }
}

fn give(components: [f64; 4], to: *mut f64) {
    // SAFETY: the shim gives room for four numbers.
    unsafe { to.cast::<[f64; 4]>().write(components) }
}

host_functions! { FUNCTIONS:
    "ws_h_sample"(object: u64, x: f32, y: f32, z: f32, layer: u32, to: *mut f64) = {
        let access = image(object);
        give(access.here().sample(&access.sampler.unwrap_or_default(), [x, y, z], layer), to);
    };
    "ws_h_fetch"(object: u64, x: i32, y: i32, z: i32, to: *mut f64) = {
        give(image(object).here().fetch([x, y, z].map(|i| i as usize)), to);
    };
    "ws_h_texel"(object: u64, bytes: i32, y: i32, z: i32) -> *mut c_void = {
        let texels = image(object).here();
        let x = bytes as usize / texels.format.bytes();
        texels.at([x, y as usize, z as usize]).unwrap_or(ptr::null_mut()).cast()
    };
}
