//! Normalisations whose results are quantised to eight bits, with a scale for each row.

use warpsmith::args::SliceMutArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::call::{Arguments, Norm, Rows, RowsOutput};
use super::function::{LayerNorm, RmsNorm, RowFunction};
use super::kernels::{Extents, outputs, weighted};
use super::lanes::{MOST_THREADS, joined};
use super::packed::{Packed, RowElement, Words, floats, plus};
use super::plan::Way;
use crate::argument::{Input, Layout, Matrix, MatrixMut, Output, one_for_each};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;

/// A number of eight bits: `i8` or [`F8E4M3`].
#[gpu_trait]
pub trait Quantum: GpuType + 'static {
    /// The largest number.
    const MOST: f32;

    /// The bits of the nearest number.
    fn nearest(value: f32) -> u8;
}

/// Quanta that one instruction stores.
#[gpu_trait]
pub trait Quanta: GpuType + 'static {
    /// Zeros.
    fn none() -> Self;
    /// The same with the bits of element `k`, which were zero.
    fn with_bits(self, k: usize, bits: u8) -> Self;
}

#[gpu_impl]
impl Quantum for i8 {
    const MOST: f32 = 127.0;

    fn nearest(value: f32) -> u8 {
        value.round_ties_even() as i8 as u8
    }
}

#[gpu_impl]
impl Quantum for F8E4M3 {
    const MOST: f32 = 448.0;

    fn nearest(value: f32) -> u8 {
        F8E4M3::from_f32(value).to_bits()
    }
}

macro_rules! quanta {
    ($($t:ident)+) => {$(
        #[gpu_impl]
        impl Quanta for $t {
            fn none() -> Self {
                0
            }
            fn with_bits(self, k: usize, bits: u8) -> Self {
                self | (bits as $t) << (8 * k as u32)
            }
        }
    )+};
}

quanta! { u8 u32 u64 }

/// The largest magnitude of a row.
struct Largest;

#[gpu_impl]
impl RowFunction for Largest {
    type Summary = f32;
    type Row = f32;

    fn nothing() -> f32 {
        0.0
    }
    fn add<const N: usize>(summary: f32, values: [f32; N]) -> f32 {
        let mut largest = summary;
        #[unroll]
        for k in 0..N {
            largest = largest.max(values[k].abs());
        }
        largest
    }
    fn join(a: f32, b: f32) -> f32 {
        a.max(b)
    }
    fn of_row(all: f32, _cols: f32, _epsilon: f32) -> f32 {
        all
    }
    fn output(row: f32, value: f32) -> f32 {
        value / row
    }
}

/// Row after row of `x` as quanta, with a block a row: `F`, weight and bias, divided by the row's scale.
///
/// A row is read three times, from the second time on from a cache: for its summary, for its scale, and for its outputs.
#[gpu_kernel(launch_bounds(MOST_THREADS), noalias)]
pub fn quantized_rows<F: RowFunction, P: Packed, Q: Quantum, B: Quanta, const N: usize>(
    x: &[P],
    residual: &mut [P],
    weight: &[P],
    bias: &[P],
    y: &mut [B],
    scales: &mut [f32],
    extents: Extents,
    epsilon: f32,
    #[comptime] lanes: u32,
    #[comptime] has_residual: bool,
    #[comptime] has_weight: bool,
    #[comptime] has_bias: bool,
) {
    let packs = extents.packs;
    let lane = thread_idx().x as usize;
    let mut row = block_idx().x as usize;
    while row < extents.rows {
        let from = &x[row * extents.x_stride..][..packs];
        let sums = &mut residual[row * extents.residual_stride..][..if has_residual { packs } else { 0 }];
        let mut summary = F::nothing();
        #[unroll(4)]
        for i in (lane..packs).step_by(lanes as usize) {
            let mut held = from[i];
            if has_residual {
                held = plus::<P, N>(held, sums[i]);
                sums[i] = held;
            }
            summary = F::add::<N>(summary, floats::<P, N>(held));
        }
        let all = F::of_row(joined::<F>(summary, lanes), (packs * N) as f32, epsilon);
        let mut largest = Largest::nothing();
        #[unroll(4)]
        for i in (lane..packs).step_by(lanes as usize) {
            // A thread wrote itself the sums that it reads again.
            let held = if has_residual { sums[i] } else { from[i] };
            let values = outputs::<F, P, N>(all, held);
            let values = weighted::<P, N>(values, weight, bias, i, has_weight, has_bias);
            largest = Largest::add::<N>(largest, values);
        }
        let largest = joined::<Largest>(largest, lanes);
        // A row of zeros has no quotient.
        let factor = if largest > 0.0 { Q::MOST / largest } else { 0.0 };
        if lane == 0 {
            scales[row] = largest / Q::MOST;
        }
        let to = &mut y[row * extents.y_stride..][..packs];
        #[unroll(4)]
        for i in (lane..packs).step_by(lanes as usize) {
            let held = if has_residual { sums[i] } else { from[i] };
            let values = outputs::<F, P, N>(all, held);
            let values = weighted::<P, N>(values, weight, bias, i, has_weight, has_bias);
            let mut quanta = B::none();
            #[unroll]
            for k in 0..N {
                quanta = quanta.with_bits(k, Q::nearest(values[k] * factor));
            }
            to[i] = quanta;
        }
        row += grid_dim().x as usize;
        if row < extents.rows {
            sync_threads();
        }
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $function:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'a, T: RowElement, Q: Quantum>(
            device: &Device,
            x: Matrix<'a, T>,
            y: MatrixMut<'a, Q>,
            scales: impl SliceMutArg<'a, f32>,
        ) -> Call<'a, Rows<'a, $function, T, Quantized<'a, Q>>> {
            Call::new(device, Rows::new(x, Quantized { y, scales: Output::new(scales) }))
        }
    )+};
}

functions! {
    /// [`rms_norm`](super::rms_norm), quantised: `y = round(norm / scale)`, where the scale of a row is its largest magnitude divided
    /// by the largest number of `Q`, 127 of `i8` and 448 of [`F8E4M3`].
    ///
    /// `x`, `y`: `[rows, cols]`, of any stride between rows; `scales`: `rows` elements. Ties round to even. The scale of a row of zeros is
    /// zero. The results for a row with a NaN or an infinity are unspecified.
    ///
    /// # Errors
    /// Those of [`rms_norm`](super::rms_norm); [`KernelError::Shape`] unless there is a scale for each row.
    rms_norm_quantized RmsNorm;

    /// [`layer_norm`](super::layer_norm), quantised as by [`rms_norm_quantized`].
    ///
    /// # Errors
    /// Those of [`rms_norm_quantized`].
    layer_norm_quantized LayerNorm;
}

/// The quantised results of rows, and the scale of each row.
pub struct Quantized<'a, Q> {
    y: MatrixMut<'a, Q>,
    scales: Output<'a, f32>,
}

impl<Q> RowsOutput for Quantized<'_, Q> {
    fn check(&self, x: Layout) -> Result<(), KernelError> {
        one_for_each("scales", self.scales.len(), x.rows, "row of `x`")?;
        self.scales.apart_from("scales", &self.y.memory().read(), "y")?;
        RowsOutput::check(&self.y, x)
    }

    fn layout(&self) -> Layout {
        self.y.layout()
    }

    fn misalignment(&self) -> Option<usize> {
        self.y.memory().misalignment()
    }

    fn apart_from<U>(&self, other: &Input<'_, U>, name: &'static str) -> Result<(), KernelError> {
        self.scales.apart_from("scales", other, name)?;
        RowsOutput::apart_from(&self.y, other, name)
    }
}

impl<'a, F: Norm, T: RowElement, Q: Quantum> Family<'a> for Rows<'a, F, T, Quantized<'a, Q>> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = format!("{}, {}, {}", short_name::<F>(), short_name::<T>(), short_name::<Q>());
        let Layout { rows, cols, .. } = self.input();
        if rows == 0 || cols == 0 {
            return Ok(Plan::nothing(types, "there are no elements"));
        }
        let Way { grid, block, why, .. } = self.shape().read_twice();
        let shared = (MOST_THREADS / 32) as usize * (size_of::<F::Summary>() + size_of::<f32>());
        let why = format!("{why}; a row is read again from a cache, for its scale and its results");
        Ok(Plan { kernel: "quantized_rows", types, tile: cols, grid, block, shared, workspace: 0, why })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let way = self.shape().read_twice();
        Ok(vec![match way.pack {
            1 => launched::<F, T, Q, u8, 1>(self.arguments(1), way, target)?,
            4 => launched::<F, Words<T>, Q, u32, 4>(self.arguments(4), way, target)?,
            _ => launched::<F, Words<T>, Q, u64, 8>(self.arguments(8), way, target)?,
        }])
    }
}

/// The launch with elements or packs.
fn launched<'a, F: RowFunction, P: Packed, Q: Quantum, B: Quanta, const N: usize>(
    arguments: Arguments<'a, P, Quantized<'a, Q>>,
    way: Way,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let Arguments { x, residual, weight, bias, y: Quantized { y, mut scales }, extents, epsilon } = arguments;
    let mut y = y.into_memory().into_values::<B>();
    let with = (residual.is_some(), weight.is_some(), bias.is_some());
    let mut residual = residual.unwrap_or_else(|| y.nothing().into_values());
    let (weight, bias) = (weight.unwrap_or_else(|| x.nothing()), bias.unwrap_or_else(|| x.nothing()));
    let Way { lanes, grid, block, .. } = way;
    Ok(step!(
        target,
        (grid, block),
        quantized_rows::<F, P, Q, B, N>(
            &x,
            &mut residual,
            &weight,
            &bias,
            &mut y,
            &mut scales,
            extents,
            epsilon,
            lanes,
            with.0,
            with.1,
            with.2
        )
    ))
}
