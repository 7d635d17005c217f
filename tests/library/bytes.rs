//! Memory seen as elements of another type.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A texel of a file.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
#[gpu(AnyBits, PartialEq)]
struct Texel {
    red: u8,
    green: u8,
    depth: u16,
    weight: f32,
}

#[gpu_kernel]
fn unpacked(bytes: &[u8], out: &mut [f32]) {
    let texels = bytes.reinterpret::<Texel>();
    let i = global_id();
    if i >= texels.len() {
        return;
    }
    let t = texels[i];
    let same = t == texels[0];
    out[i] = t.weight * (t.red as f32 - t.green as f32) + t.depth as f32 + same as u32 as f32;
}

#[test]
fn bytes_of_a_file_are_structs() {
    everywhere::<unpacked>(&(), |device| {
        let texels: Vec<(u8, u8, u16, f32)> =
            (0..50).map(|i| (i * 5, 250 - i, i as u16 * 1000, i as f32 * 0.5)).collect();
        let bytes: Vec<u8> = texels
            .iter()
            .flat_map(|(r, g, d, w)| {
                [vec![*r, *g], d.to_le_bytes().to_vec(), w.to_le_bytes().to_vec()].concat()
            })
            .collect();
        let input = device.upload(&bytes).expect("memory");
        let out = written(device, (50, f32::NAN), |out| unpacked(&input, out).over(50).launch(device));
        for (i, (t, got)) in texels.iter().zip(out).enumerate() {
            let same = u32::from(*t == texels[0]) as f32;
            let want = t.3 * (f32::from(t.0) - f32::from(t.1)) + f32::from(t.2) + same;
            assert_eq!(got, want, "texel {i} on {}", device.name());
        }
    });
}
