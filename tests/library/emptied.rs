//! Options that are emptied, filled and looked into where they stand.

use warpsmith::prelude::*;

use harness::agree;

#[gpu_kernel]
fn taken_and_replaced(x: &[u64], out: &mut [u64]) {
    let mut a = [x[3], 4];
    let b = core::mem::take(&mut a);
    out[0] = b[0] * 10 + a[0] + a[1];
    let mut o = Some(x[5]);
    let p = core::mem::take(&mut o);
    out[1] = p.unwrap() + o.is_none() as u64 * 100;
    let mut cells = [[Some(1u64), None], [Some(x[2]), Some(4)]];
    out[2] = core::mem::take(&mut cells[1][0]).unwrap() + cells[1][0].is_none() as u64 * 10;
    out[3] = cells[1][1].take().map_or(0, |v| v * 2) + cells[1][1].is_none() as u64 * 10;
    out[4] = cells[0][0].replace(9).unwrap()
        + cells[0][0].unwrap() * 10
        + cells[0][1].replace(4).is_none() as u64 * 100;
    if let Some(v) = cells[0][0].as_mut() {
        *v += 3;
    }
    while let Some(v) = cells[0][1].as_mut() {
        *v -= 1;
        if *v == 1 {
            cells[0][1] = None;
        }
    }
    out[5] =
        cells[0][0].unwrap() + cells[0][1].is_none() as u64 * 100 + cells[0][0].as_ref().map_or(1, |v| *v);
    let d: [u64; 2] = Default::default();
    let e = <Option<u64>>::default();
    let f = Option::<u64>::default().unwrap_or(5);
    out[6] = d[1] + e.unwrap_or(3) + f;
    let mut i = 0usize;
    let mut q = [Some(1u64), Some(2), Some(3)];
    out[8] = q[{
        i += 1;
        i
    }]
    .take()
    .unwrap()
        + q[{
            i += 1;
            i
        }]
        .replace({
            i = 0;
            7
        })
        .unwrap()
            * 10;
    out[9] = q[0].unwrap() + q[1].is_none() as u64 * 10 + q[2].unwrap() * 100 + i as u64;
    while let Some(k) = q.iter().position(|v| v.is_some()) {
        out[10] = out[10] * 7 % 1009 + q[k].take().unwrap();
    }
}

agree! { taken_and_replaced }
