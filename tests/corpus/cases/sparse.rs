//! The product of a sparse matrix with a vector.

use warpsmith::Device;

use super::data::{Random, close};
use super::{Case, Scale, module, print, text};
use crate::sparse::{Csr, spmv};

pub(super) fn cases() -> Vec<Case> {
    vec![Case { name: "spmv", print: print::<spmv>, module: module::<spmv>, check: check_spmv }]
}

/// A sparse matrix on the host, its rows of 0 to 127 entries in random columns.
pub struct HostCsr {
    /// The starts of each row's entries, and the end of the last row's.
    pub starts: Vec<u32>,
    /// The column of each entry.
    pub columns: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<f32>,
}

impl HostCsr {
    /// A random matrix of `rows` rows and columns.
    pub fn random(random: &mut Random, rows: usize) -> Self {
        let mut starts = vec![0u32];
        for length in random.ints(rows, 0, 128) {
            starts.push(starts[starts.len() - 1] + length as u32);
        }
        let entries = starts[rows] as usize;
        let columns = random.ints(entries, 0, rows as i32).into_iter().map(|c| c as u32).collect();
        Self { starts, columns, values: random.floats(entries) }
    }
}

fn check_spmv(device: &Device, scale: Scale) -> Result<(), String> {
    let rows = scale.pick(77, 1 << 20);
    let mut random = Random::new("spmv");
    let HostCsr { starts, columns, values } = HostCsr::random(&mut random, rows);
    let x = random.floats(rows);
    let (ds, dc) = (device.upload(&starts).map_err(text)?, device.upload(&columns).map_err(text)?);
    let (dv, dx) = (device.upload(&values).map_err(text)?, device.upload(&x).map_err(text)?);
    let mut dy = device.upload(&vec![f32::NAN; rows]).map_err(text)?;
    let matrix = Csr { starts: ds.view(), columns: dc.view(), values: dv.view() };
    spmv(matrix, &dx, &mut dy).over(rows * 32).block(256).launch(device).map_err(text)?;
    let want = |row: usize| {
        let entries = starts[row] as usize..starts[row + 1] as usize;
        entries.map(|i| f64::from(values[i]) * f64::from(x[columns[i] as usize])).sum()
    };
    close(&device.download(&dy).map_err(text)?, want, 1e-4)
}
