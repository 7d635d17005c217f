//! Copies on the read-only path, offset reads and writes, and pairs of floats in three layouts.

use warpsmith::prelude::{F32x2, GpuType};
use warpsmith::{Buffer, Device};

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::access::{
    Float2, array_of_cuda_float2, array_of_structure, copy, copy_ldg, copy_restrict, read_offset,
    read_offset_unroll4, structure_of_array, write_offset,
};

/// The offset that the course measures: 44 bytes, no multiple of a sector.
const OFFSET: usize = 11;

macro_rules! copied {
    ($kernel:ident) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device, scale| {
                let input =
                    Random::new("copy").ints(scale.pick(1 << 12, 1 << 28), i32::MIN / 2, i32::MAX / 2);
                let data = device.upload(&input).map_err(text)?;
                let out = written(device, (input.len(), i32::MIN), |out| {
                    $kernel(out, &data).over(input.len()).block(256).launch(device)
                })?;
                same(&out, &input)
            },
        }
    };
}

/// A kernel that adds `a` and `b` at indices that lie `OFFSET` apart.
macro_rules! offset {
    ($kernel:ident, $per_thread:literal, |$n:ident, $i:ident| $read_write:expr) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device, scale| {
                check_offset(
                    device,
                    scale,
                    |a, b, c, n| {
                        let threads = n.div_ceil($per_thread);
                        $kernel(a, b, c, n as u32, OFFSET as u32).over(threads).block(256).launch(device)
                    },
                    |$n, $i| $read_write,
                )
            },
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        copied!(copy),
        copied!(copy_ldg),
        copied!(copy_restrict),
        offset!(write_offset, 1, |n, i| (i + OFFSET < n).then_some((i, i + OFFSET))),
        offset!(read_offset, 1, |n, i| (i + OFFSET < n).then_some((i + OFFSET, i))),
        offset!(read_offset_unroll4, 4, |n, i| {
            // The last of the four that the thread adds is inside, so all are.
            let last = i / 1024 * 1024 + i % 256 + 3 * 256;
            (last + OFFSET < n).then_some((i + OFFSET, i))
        }),
        Case {
            name: "array_of_structure",
            print: print::<array_of_structure>,
            module: module::<array_of_structure>,
            check: |device, scale| {
                let pairs = pairs(scale, |x, y| Float2 { x, y });
                let data = device.upload(&pairs).map_err(text)?;
                let fill = Float2 { x: f32::NAN, y: f32::NAN };
                let out = written(device, (pairs.len(), fill), |out| {
                    array_of_structure(&data, out, pairs.len() as u32).over(pairs.len()).launch(device)
                })?;
                let want = pairs.iter().map(|p| Float2 { x: p.x + 0.0001, y: p.y + 0.0002 });
                same(&out, &want.collect::<Vec<_>>())
            },
        },
        Case {
            name: "array_of_cuda_float2",
            print: print::<array_of_cuda_float2>,
            module: module::<array_of_cuda_float2>,
            check: |device, scale| {
                let pairs = pairs(scale, F32x2::new);
                let data = device.upload(&pairs).map_err(text)?;
                let out = written(device, (pairs.len(), F32x2::splat(f32::NAN)), |out| {
                    array_of_cuda_float2(&data, out, pairs.len() as u32).over(pairs.len()).launch(device)
                })?;
                let want = pairs.iter().map(|p| F32x2::new(p.x + 0.0001, p.y + 0.0002));
                same(&out, &want.collect::<Vec<_>>())
            },
        },
        Case {
            name: "structure_of_array",
            print: print::<structure_of_array>,
            module: module::<structure_of_array>,
            check: check_arrays,
        },
    ]
}

/// The buffer after a kernel has written it.
fn written<T: GpuType>(
    device: &Device,
    (len, fill): (usize, T),
    launch: impl FnOnce(&mut Buffer<T>) -> warpsmith::Result<()>,
) -> Result<Vec<T>, String> {
    let mut out = device.upload(&vec![fill; len]).map_err(text)?;
    launch(&mut out).map_err(text)?;
    device.download(&out).map_err(text)
}

type Floats = Buffer<f32>;

/// `read_write` gives the index that element `i` is added at and the one that it is stored at.
fn check_offset(
    device: &Device,
    scale: Scale,
    launch: impl Fn(&Floats, &Floats, &mut Floats, usize) -> warpsmith::Result<()>,
    read_write: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> Result<(), String> {
    let n = scale.pick(4096, 1 << 27);
    let mut random = Random::new("offset");
    let (a, b) = (random.floats(n), random.floats(n));
    let (da, db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let out = written(device, (n, -7.0), |c| launch(&da, &db, c, n))?;
    let mut want = vec![-7.0; n];
    for (read, write) in (0..n).filter_map(|i| read_write(n, i)) {
        want[write] = a[read] + b[read];
    }
    same(&out, &want)
}

fn pairs<P>(scale: Scale, pair: fn(f32, f32) -> P) -> Vec<P> {
    let n = scale.pick(1003, 1 << 24);
    Random::new("pairs").floats(2 * n).chunks(2).map(|c| pair(c[0], c[1])).collect()
}

fn check_arrays(device: &Device, scale: Scale) -> Result<(), String> {
    let pairs = pairs(scale, |x, y| [x, y]);
    let n = pairs.len();
    let [x, y] = [0, 1].map(|c| pairs.iter().map(|p| p[c]).collect::<Vec<f32>>());
    let (dx, dy) = (device.upload(&x).map_err(text)?, device.upload(&y).map_err(text)?);
    let mut res_y = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    let res_x = written(device, (n, f32::NAN), |res_x| {
        structure_of_array(&dx, &dy, res_x, &mut res_y, n as u32).over(n).launch(device)
    })?;
    same(&res_x, &x.iter().map(|v| v + 0.0001).collect::<Vec<_>>())?;
    same(&device.download(&res_y).map_err(text)?, &y.iter().map(|v| v + 0.0002).collect::<Vec<_>>())
}
