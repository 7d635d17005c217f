//! Kernels that launch kernels.

use warpsmith::{Buffer, Device, Result};

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::nested::{
    gpu_recursive_reduce, gpu_recursive_reduce_nosync, gpu_recursive_reduce2, nested_hello_world,
};

macro_rules! reduction {
    ($kernel:ident, $launch:expr) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device, scale| check_reduction(device, scale, $launch),
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "nested_hello_world",
            print: print::<nested_hello_world>,
            module: module::<nested_hello_world>,
            check: check_hello,
        },
        reduction!(gpu_recursive_reduce, |data, sums, blocks, dim, device| {
            gpu_recursive_reduce(data, sums, dim).grid(blocks).block(dim).launch(device)
        }),
        reduction!(gpu_recursive_reduce_nosync, |data, sums, blocks, dim, device| {
            gpu_recursive_reduce_nosync(data, sums, dim).grid(blocks).block(dim).launch(device)
        }),
        reduction!(gpu_recursive_reduce2, |data, sums, blocks, dim, device| {
            gpu_recursive_reduce2(data, sums, dim / 2, dim).grid(blocks).block(dim / 2).launch(device)
        }),
    ]
}

/// Two blocks of eight threads, each of which nests three more.
fn check_hello(device: &Device, _: Scale) -> std::result::Result<(), String> {
    let mut greetings = device.upload(&[0u32; 5]).map_err(text)?;
    nested_hello_world(8, 0, &mut greetings).grid(2).block(8).launch(device).map_err(text)?;
    same(&device.download(&greetings).map_err(text)?, &[16, 8, 4, 2, 0])
}

/// Launches by kernels that may wait at once, unless a device is told otherwise.
const PENDING_LAUNCHES: usize = 2048;

type Launched = fn(&mut Buffer<i32>, &mut Buffer<i32>, u32, u32, &Device) -> Result<()>;

/// At real size as in the notes: 2,048 blocks of 512 threads, each of which nests eight times, 16,384 child blocks in all.
/// More of them may wait at once than the device has places for by default.
fn check_reduction(device: &Device, scale: Scale, launch: Launched) -> std::result::Result<(), String> {
    let (blocks, dim): (u32, u32) = scale.pick((9, 64), (2048, 512));
    let children = (blocks * dim.ilog2().saturating_sub(1)) as usize;
    if children > PENDING_LAUNCHES {
        device.set_pending_launches(children).map_err(text)?;
    }
    let outcome = reduced(device, (blocks, dim), launch);
    if children > PENDING_LAUNCHES {
        device.set_pending_launches(PENDING_LAUNCHES).map_err(text)?;
    }
    outcome
}

/// The sum of each block against the host's.
fn reduced(device: &Device, (blocks, dim): (u32, u32), launch: Launched) -> std::result::Result<(), String> {
    let values = Random::new("recursive_reduce").ints((blocks * dim) as usize, -1000, 1000);
    let want: Vec<i32> = values.chunks(dim as usize).map(|block| block.iter().sum()).collect();
    let mut data = device.upload(&values).map_err(text)?;
    let mut sums = device.upload(&vec![i32::MIN; blocks as usize]).map_err(text)?;
    launch(&mut data, &mut sums, blocks, dim, device).map_err(text)?;
    same(&device.download(&sums).map_err(text)?, &want)
}
