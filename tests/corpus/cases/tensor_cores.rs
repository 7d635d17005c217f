//! Products by the tensor cores.

use warpsmith::Device;
use warpsmith::prelude::*;
use warpsmith::tensor::TensorElement;

use super::data::Random;
use super::{Case, Scale, module, print, text};
use crate::hopper;
use crate::hopper::gemm_sm90;
use crate::tensor_core_product as product;
use crate::tensor_core_product::tensor_core_product;
use crate::tensor_cores::{THREADS, TILE, gemm_sm80};

pub(super) fn cases() -> Vec<Case> {
    macro_rules! gemm {
        ($name:literal, $t:ty) => {
            Case {
                name: $name,
                print: print::<gemm_sm80<$t>>,
                module: module::<gemm_sm80<$t>>,
                check: check_gemm::<$t>,
            }
        };
    }
    macro_rules! sm90 {
        ($name:literal, $turned:literal) => {
            Case {
                name: $name,
                print: print::<gemm_sm90<$turned>>,
                module: module::<gemm_sm90<$turned>>,
                check: check_sm90::<$turned>,
            }
        };
    }
    vec![
        gemm!("gemm_sm80@f16", f16),
        gemm!("gemm_sm80@bf16", bf16),
        sm90!("gemm_sm90", false),
        sm90!("gemm_sm90@nn", true),
        Case {
            name: "tensor_core_product",
            print: print::<tensor_core_product>,
            module: module::<tensor_core_product>,
            check: check_product,
        },
    ]
}

/// More steps than stages, and matrices that end within a tile.
fn check_product(device: &Device, scale: Scale) -> Result<(), String> {
    let [m, k, n] = scale.pick([100, 328, 72], [4096, 4096, 4096]);
    let side = product::TILE;
    let mut random = Random::new("tensor_core_product");
    let mut matrix =
        |len: usize| -> Vec<bf16> { random.floats(len).into_iter().map(bf16::from_f32).collect() };
    let (a, b) = (matrix(m * k), matrix(k * n));
    let (da, db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let mut dc = device.upload(&vec![f32::NAN; m * n]).map_err(text)?;
    let (x, y) = (da.tensor_map(m, k).map_err(text)?, db.tensor_map(k, n).map_err(text)?);
    let out = dc.view2_mut(m, n).ok_or("rows and columns")?;
    tensor_core_product(&x, &y, out, k.div_ceil(side) as u32)
        .grid([n.div_ceil(side) as u32, m.div_ceil(side) as u32])
        .block(product::THREADS)
        .launch(device)
        .map_err(text)?;
    let turned: Vec<bf16> = (0..k * n).map(|i| b[i % k * n + i / k]).collect();
    let got: Vec<f32> = device.download(&dc).map_err(text)?;
    compare(&a, &turned, &got, [m, k, n], scale.pick(1, 4099))
}

/// Compares every element on small matrices, and some of each row on large ones.
fn check_gemm<T: TensorElement<Sum = f32> + Num>(device: &Device, scale: Scale) -> Result<(), String>
where
    gemm_sm80<T>: warpsmith::Kernel<Comptime = ()>,
{
    let [m, k, n] = scale.pick([150, 80, 136], [4096, 4096, 4096]);
    let mut random = Random::new("gemm_sm80");
    let mut matrix =
        |len: usize| -> Vec<T> { random.floats(len).into_iter().map(|x| x.cast::<T>()).collect() };
    let (a, b) = (matrix(m * k), matrix(n * k));
    let (da, db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let mut dc = device.upload(&vec![T::ZERO; m * n]).map_err(text)?;
    let of = |x: &warpsmith::Buffer<T>, rows, cols| x.view2(rows, cols).is_some();
    assert!(of(&da, m, k) && of(&db, n, k));
    gemm_sm80::<T>(da.view2(m, k).unwrap(), db.view2(n, k).unwrap(), dc.view2_mut(m, n).unwrap())
        .grid([n.div_ceil(TILE) as u32, m.div_ceil(TILE) as u32])
        .block(THREADS)
        .launch(device)
        .map_err(text)?;
    compare(&a, &b, &device.download(&dc).map_err(text)?, [m, k, n], scale.pick(1, 4099))
}

/// The same as [`check_gemm`] for a ring that is used more than once, by three clusters, one with one more tile.
fn check_sm90<const TURNED: bool>(device: &Device, scale: Scale) -> Result<(), String> {
    let [m, k, n] = scale.pick([264, 328, 264], [4096, 4096, 4096]);
    let mut random = Random::new("gemm_sm90");
    let mut matrix =
        |len: usize| -> Vec<bf16> { random.floats(len).into_iter().map(bf16::from_f32).collect() };
    let (a, b) = (matrix(m * k), matrix(n * k));
    let turned: Vec<bf16> = (0..k * n).map(|i| b[i % n * k + i / n]).collect();
    let da = device.upload(&a).map_err(text)?;
    let db = device.upload(if TURNED { &turned } else { &b }).map_err(text)?;
    let mut dc = device.upload(&vec![bf16::ZERO; m * n]).map_err(text)?;
    let [steps, down, across] =
        [k.div_ceil(hopper::DEPTH), m.div_ceil(hopper::ROWS), n.div_ceil(hopper::COLS)].map(|x| x as u32);
    let [rows, cols] = if TURNED { [k, n] } else { [n, k] };
    let (x, y) = (da.tensor_map(m, k).map_err(text)?, db.tensor_map(rows, cols).map_err(text)?);
    gemm_sm90::<TURNED>(&x, &y, &mut dc.tensor_map_mut(m, n).map_err(text)?, steps, down, across)
        .grid(scale.pick(6, hopper::BLOCKS))
        .block(hopper::THREADS)
        .launch(device)
        .map_err(text)?;
    compare(&a, &b, &device.download(&dc).map_err(text)?, [m, k, n], scale.pick(5, 4099))
}

/// Compares every `apart`-th element with the sum of its products.
fn compare<T: Num, O: Num>(
    a: &[T],
    b: &[T],
    got: &[O],
    [m, k, n]: [usize; 3],
    apart: usize,
) -> Result<(), String> {
    let exact = |x: &[T]| -> Vec<f64> { x.iter().map(|x| f64::from(x.cast::<f32>())).collect() };
    let (a, b) = (exact(a), exact(b));
    for at in (0..m * n).step_by(apart) {
        let (row, col) = (at / n, at % n);
        let (mut sum, mut size) = (0.0, 0.0);
        for (x, y) in a[row * k..(row + 1) * k].iter().zip(&b[col * k..(col + 1) * k]) {
            let product = x * y;
            sum += product;
            size += product.abs();
        }
        // Sums in `f32`, and one rounding to the element; `bf16` has eight bits.
        let off = size * k as f64 * f64::from(f32::EPSILON) + sum.abs() / 200.0;
        let got = f64::from(got[at].cast::<f32>());
        let near = (got - sum).abs() <= off;
        if !near {
            return Err(format!("c[{row}][{col}] is {got}, not {sum}"));
        }
    }
    Ok(())
}
