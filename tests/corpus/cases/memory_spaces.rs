//! Device and managed statics, volatile shared memory, arrays of a thread.

use warpsmith::Device;

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::memory_spaces::{
    DEV_DATA, MANAGED, WARP_PAIR, add_to_managed, check_global_variable, count_digits, reduce_volatile,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "check_global_variable",
            print: print::<check_global_variable>,
            module: module::<check_global_variable>,
            check: check_static,
        },
        Case {
            name: "add_to_managed",
            print: print::<add_to_managed>,
            module: module::<add_to_managed>,
            check: check_managed,
        },
        Case {
            name: "reduce_volatile",
            print: print::<reduce_volatile>,
            module: module::<reduce_volatile>,
            check: check_volatile,
        },
        Case {
            name: "count_digits",
            print: print::<count_digits>,
            module: module::<count_digits>,
            check: check_digits,
        },
    ]
}

/// The same at every scale: one thread, twice.
#[allow(clippy::approx_constant, reason = "the value of the course")]
fn check_static(device: &Device, _scale: Scale) -> Result<(), String> {
    let value = 3.14f32;
    DEV_DATA.write(device, value).map_err(text)?;
    for want in [value + 2.0, value + 2.0 + 2.0] {
        check_global_variable().grid(1).block(1).launch(device).map_err(text)?;
        same(&[DEV_DATA.read(device).map_err(text)?], &[want])?;
    }
    Ok(())
}

/// The host sets the values and reads them where the kernel adds to them.
fn check_managed(device: &Device, scale: Scale) -> Result<(), String> {
    let blocks = scale.pick(10, 1000);
    let host = MANAGED.host_ptr(device).map_err(text)?;
    // SAFETY: no kernel runs.
    unsafe { *host = [1, 2, 3, 4] };
    add_to_managed().grid(blocks).block(32).launch(device).map_err(text)?;
    let host = MANAGED.host_ptr(device).map_err(text)?;
    same(&[host as u64], &[MANAGED.address(device).map_err(text)?])?;
    let sum = blocks * (blocks + 1) / 2;
    // SAFETY: no kernel runs: `host_ptr` has waited.
    same(unsafe { &*host }, &[1, 2, 3, 4].map(|value| value + sum))
}

fn check_volatile(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(37, 1 << 20) * WARP_PAIR as usize;
    let x = Random::new("reduce_volatile").ints(n, -1000, 1000);
    let want: Vec<i32> = x.chunks(WARP_PAIR as usize).map(|c| c.iter().sum()).collect();
    let input = device.upload(&x).map_err(text)?;
    let mut sums = device.upload(&vec![i32::MIN; want.len()]).map_err(text)?;
    reduce_volatile(&input, &mut sums).grid(want.len()).block(32).launch(device).map_err(text)?;
    same(&device.download(&sums).map_err(text)?, &want)
}

fn check_digits(device: &Device, scale: Scale) -> Result<(), String> {
    let x = Random::new("count_digits").words(scale.pick(1003, 1 << 24));
    let most = |v: &u32| {
        let digits = if *v == 0 { String::new() } else { v.to_string() };
        ('0'..='9').map(|digit| digits.matches(digit).count() as u32).max().unwrap_or(0)
    };
    let want: Vec<u32> = x.iter().map(most).collect();
    let input = device.upload(&x).map_err(text)?;
    let mut out = device.upload(&vec![u32::MAX; x.len()]).map_err(text)?;
    count_digits(&input, &mut out).over(x.len()).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &want)
}
