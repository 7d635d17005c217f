//! Times convolutions on a GPU: in bursts and sustained, or, with `serve`, in turns with cuDNN (`kernels/benches/convolutions.py`).
//!
//! The name is `layer`, with the line of a layer in `layers.txt`, from 0 on. Some elements of each result are checked. It prints
//! `ours layer_LINE_MODE VALUE TFLOP/s`. `TILE=8x4x8x128` sets the tile: images, rows, columns and filters.

#[path = "../filled.rs"]
mod filled;
#[path = "../function.rs"]
mod function;

use filled::{element, filled};
use function::Work::Operations;
use function::{Function, Result, Run, check, kept, launches, setting, time};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{tensor4, tensor4_mut};
use warpsmith_kernels::convolution::conv2d;

const LAYERS: &str = include_str!("layers.txt");

/// A layer, whose images are padded by half of a filter.
#[derive(Clone, Copy)]
struct Layer {
    /// Images, rows, columns and channels.
    x: [usize; 4],
    /// Filters, rows, columns and channels.
    w: [usize; 4],
    stride: usize,
}

fn main() -> Result<()> {
    let every: Vec<usize> = (0..LAYERS.lines().filter(|line| !line.starts_with('#')).count()).collect();
    time(&[&Function::new("layer", Operations(operations), convolution)], |_| true, &every)
}

/// The layer of a line of the list.
fn layer(line: usize) -> Result<Layer> {
    let found = LAYERS.lines().filter(|line| !line.starts_with('#')).nth(line);
    let numbers = found.into_iter().flat_map(|line| line.split(' ').filter_map(|word| word.parse().ok()));
    let [images, rows, cols, channels, filters, taps, stride] =
        <[usize; 7]>::try_from(numbers.collect::<Vec<_>>())
            .map_err(|_| format!("line {line} of layers.txt has no seven numbers"))?;
    Ok(Layer { x: [images, rows, cols, channels], w: [filters, taps, taps, channels], stride })
}

impl Layer {
    fn padding(self) -> usize {
        self.w[1] / 2
    }

    /// Images, rows, columns and filters of the results.
    fn y(self) -> [usize; 4] {
        let along = |extent: usize| (extent + 2 * self.padding() - self.w[1]) / self.stride + 1;
        [self.x[0], along(self.x[1]), along(self.x[2]), self.w[0]]
    }
}

fn operations(line: usize) -> f64 {
    let of = |layer: Layer| 2.0 * layer.y().iter().chain(&layer.w[1..]).map(|n| *n as f64).product::<f64>();
    layer(line).map_or(f64::NAN, of)
}

/// The first numbers of the filters.
const FILTERS: usize = 1 << 31;

/// Compares an element of the results with the host's sum.
fn compare(layer: Layer, got: bf16, at: usize) -> Result<()> {
    let Layer { x: [_, rows, cols, channels], w: [_, taps, ..], stride } = layer;
    let [_, down, across, filters] = layer.y();
    let (pixel, filter) = (at / filters, at % filters);
    let (image, row, col) = (pixel / across / down, pixel / across % down, pixel % across);
    let (mut want, mut size) = (0.0, 0.0);
    for (r, s) in (0..taps).flat_map(|r| (0..taps).map(move |s| (r, s))) {
        let (y, x) = (row * stride + r, col * stride + s);
        let inside = |at: usize, extent: usize| at.checked_sub(layer.padding()).filter(|at| *at < extent);
        let (Some(y), Some(x)) = (inside(y, rows), inside(x, cols)) else { continue };
        for c in 0..channels {
            let pixel = element(((image * rows + y) * cols + x) * channels + c, 0);
            let tap = element(((filter * taps + r) * taps + s) * channels + c, FILTERS);
            let product = f64::from(pixel.to_f32()) * f64::from(tap.to_f32());
            (want, size) = (want + product, size + product.abs());
        }
    }
    let got = f64::from(got.to_f32());
    let is_right = (got - want).abs() <= 0.01 * want.abs() + 1e-5 * size + 1e-3;
    check(is_right, || format!("filter {filter} of pixel {pixel}: {got} instead of {want}"))
}

/// A tile of the environment.
fn tile() -> Option<[usize; 4]> {
    let numbers =
        setting::<String>("TILE")?.split('x').map(|word| word.parse().ok()).collect::<Option<Vec<_>>>();
    numbers?.try_into().ok()
}

fn convolution(device: &Device, line: usize) -> Result<Run<'static>> {
    let layer = layer(line)?;
    let (x, w) =
        (filled(device, layer.x.iter().product(), 0)?, filled(device, layer.w.iter().product(), FILTERS)?);
    let y: *mut Buffer<bf16> = kept(device.alloc_zeroed::<bf16>(layer.y().iter().product())?);
    let call = || -> Result<_> {
        // SAFETY: the buffer is never freed, and each call ends before the next use of it.
        let to = tensor4_mut(unsafe { &mut *y }, layer.y())?;
        let call = conv2d(device, tensor4(x, layer.x)?, tensor4(w, layer.w)?, to)
            .stride([layer.stride; 2])
            .padding([layer.padding(); 2]);
        Ok(if let Some(tile) = tile() { call.tile(tile) } else { call })
    };
    call()?.run()?;
    // SAFETY: as above.
    let all = device.download(unsafe { &*y })?;
    for i in 0..100 {
        let at = i * 15_485_863 % all.len();
        compare(layer, all[at], at)?;
    }
    launches(device, call()?)
}
