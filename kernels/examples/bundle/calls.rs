//! The calls whose kernels go into the bundle. Nothing runs for that, so only types, sizes and alignment matter.

use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::{matrix, matrix_mut, tensor4, tensor4_mut};
use warpsmith_kernels::attention::{attention, heads, heads_mut, paged_attention};
use warpsmith_kernels::convolution::conv2d;
use warpsmith_kernels::fft::{Complex32, fft};
use warpsmith_kernels::histogram::histogram;
use warpsmith_kernels::images::{Interpolation, convolve, resize};
use warpsmith_kernels::movement::{permute, transpose};
use warpsmith_kernels::products::gemv::Q4_0;
use warpsmith_kernels::products::{Gelu, Relu, Scales, gemm, gemv, gemv_quantized};
use warpsmith_kernels::random::fill_normal;
use warpsmith_kernels::reduction::{ArgMax, OwnSum, Sum, reduce, reduce_rows};
use warpsmith_kernels::rows::{rms_norm, softmax};
use warpsmith_kernels::scan::exclusive_scan;
use warpsmith_kernels::selection::select;
use warpsmith_kernels::sorting::{sort, sort_pairs, top_k};
use warpsmith_kernels::sparse::{csr, spmv};

type Done = Result<(), KernelError>;

/// A call with a name to choose it by.
pub struct Call {
    pub name: &'static str,
    /// Makes the call on a device.
    pub run: fn(&Device) -> Done,
}

/// Tokens, and the size of a layer.
const TOKENS: usize = 4096;
const SIZE: usize = 4096;
/// Elements of a long slice.
const MANY: usize = 1 << 24;

pub const CALLS: &[Call] = &[
    Call { name: "reduce f32 sum", run: sum },
    Call { name: "reduce_rows f32 arg_max", run: arg_max },
    Call { name: "exclusive_scan u32", run: scan },
    Call { name: "select f32", run: selection },
    Call { name: "sort u32", run: sorted },
    Call { name: "sort_pairs f32 u32", run: sorted_pairs },
    Call { name: "top_k f32", run: best },
    Call { name: "softmax f32", run: softmax_of::<f32> },
    Call { name: "softmax bf16", run: softmax_of::<bf16> },
    Call { name: "rms_norm bf16", run: norm },
    Call { name: "transpose f32", run: transposed },
    Call { name: "permute bf16", run: permuted },
    Call { name: "gemm f32", run: product },
    Call { name: "gemm bf16", run: layer::<TOKENS> },
    Call { name: "gemm bf16 16 rows", run: layer::<16> },
    Call { name: "gemm e4m3", run: narrow_layer },
    Call { name: "gemv bf16", run: vector },
    Call { name: "gemv_quantized q4_0", run: quantized_vector },
    Call { name: "spmv f32", run: sparse_vector },
    Call { name: "attention bf16", run: attended },
    Call { name: "paged_attention bf16", run: decoded },
    Call { name: "conv2d bf16", run: convolved },
    Call { name: "fft 4096", run: spectrum },
    Call { name: "histogram u8", run: counted },
    Call { name: "convolve u8", run: blurred },
    Call { name: "resize u8", run: resized },
    Call { name: "fill_normal f32", run: random },
];

fn sum(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_zeroed::<f32>(MANY)?, device.alloc_zeroed(1)?);
    reduce::<Sum<f32>>(device, &x, &mut y).run()
}

fn arg_max(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_zeroed::<f32>(TOKENS * SIZE)?, device.alloc_zeroed(TOKENS)?);
    reduce_rows::<ArgMax<f32>>(device, matrix(&x, TOKENS, SIZE)?, &mut y).run()
}

fn scan(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_zeroed::<u32>(MANY)?, device.alloc_zeroed(MANY)?);
    exclusive_scan::<OwnSum<u32>>(device, &x, &mut y).run()
}

fn selection(device: &Device) -> Done {
    let (x, flags) = (device.alloc_zeroed::<f32>(MANY)?, device.alloc_zeroed::<u8>(MANY)?);
    let (mut y, mut count) = (device.alloc_zeroed(MANY)?, device.alloc_zeroed(1)?);
    select(device, &x, &flags, &mut y, &mut count).run()
}

fn sorted(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_zeroed::<u32>(MANY)?, device.alloc_zeroed(MANY)?);
    sort(device, &x, &mut y).run()
}

fn sorted_pairs(device: &Device) -> Done {
    let (x, values) = (device.alloc_zeroed::<f32>(MANY)?, device.alloc_zeroed::<u32>(MANY)?);
    let (mut y, mut order) = (device.alloc_zeroed(MANY)?, device.alloc_zeroed(MANY)?);
    sort_pairs(device, &x, &values, &mut y, &mut order).run()
}

fn best(device: &Device) -> Done {
    let (rows, k) = (64, 50);
    let x = device.alloc_zeroed::<f32>(rows * MANY / 64)?;
    let (mut y, mut columns) = (device.alloc_zeroed(rows * k)?, device.alloc_zeroed(rows * k)?);
    let x = matrix(&x, rows, MANY / 64)?;
    top_k(device, x, matrix_mut(&mut y, rows, k)?, matrix_mut(&mut columns, rows, k)?).run()
}

fn softmax_of<T: warpsmith_kernels::rows::RowElement>(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_uninit::<T>(TOKENS * SIZE)?, device.alloc_uninit(TOKENS * SIZE)?);
    softmax(device, matrix(&x, TOKENS, SIZE)?, matrix_mut(&mut y, TOKENS, SIZE)?).run()
}

fn norm(device: &Device) -> Done {
    let (x, w) = (device.alloc_zeroed::<bf16>(TOKENS * SIZE)?, device.alloc_zeroed(SIZE)?);
    let mut y = device.alloc_zeroed(TOKENS * SIZE)?;
    rms_norm(device, matrix(&x, TOKENS, SIZE)?, matrix_mut(&mut y, TOKENS, SIZE)?).weight(&w).run()
}

fn transposed(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_zeroed::<f32>(TOKENS * SIZE)?, device.alloc_zeroed(TOKENS * SIZE)?);
    transpose(device, matrix(&x, TOKENS, SIZE)?, matrix_mut(&mut y, SIZE, TOKENS)?).run()
}

fn permuted(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_zeroed::<bf16>(TOKENS * SIZE)?, device.alloc_zeroed(TOKENS * SIZE)?);
    permute(device, &x, &[4, TOKENS / 4, 32, SIZE / 32], &[0, 2, 1, 3], &mut y).run()
}

fn product(device: &Device) -> Done {
    let (a, b) = (device.alloc_zeroed::<f32>(SIZE * SIZE)?, device.alloc_zeroed(SIZE * SIZE)?);
    let mut c = device.alloc_zeroed(SIZE * SIZE)?;
    gemm(device, matrix(&a, SIZE, SIZE)?, matrix(&b, SIZE, SIZE)?, matrix_mut(&mut c, SIZE, SIZE)?).run()
}

/// The layer of a network: `y = gelu(x * wᵀ + bias)`.
fn layer<const ROWS: usize>(device: &Device) -> Done {
    let (x, w) = (device.alloc_zeroed::<bf16>(ROWS * SIZE)?, device.alloc_zeroed(SIZE * SIZE)?);
    let (bias, mut y) = (device.alloc_zeroed(SIZE)?, device.alloc_zeroed::<bf16>(ROWS * SIZE)?);
    gemm(device, matrix(&x, ROWS, SIZE)?, matrix(&w, SIZE, SIZE)?.t(), matrix_mut(&mut y, ROWS, SIZE)?)
        .bias(&bias)
        .epilogue(Gelu)
        .run()
}

fn narrow_layer(device: &Device) -> Done {
    let (x, w) = (device.alloc_zeroed::<F8E4M3>(TOKENS * SIZE)?, device.alloc_zeroed(SIZE * SIZE)?);
    let (of_x, of_w) = (device.alloc_zeroed(TOKENS)?, device.alloc_zeroed(SIZE)?);
    let mut y = device.alloc_zeroed::<bf16>(TOKENS * SIZE)?;
    let (a, b) = (matrix(&x, TOKENS, SIZE)?, matrix(&w, SIZE, SIZE)?.t());
    gemm(device, a, b, matrix_mut(&mut y, TOKENS, SIZE)?).scales(Scales::of_lines(&of_x, &of_w)).run()
}

fn vector(device: &Device) -> Done {
    let (a, x) = (device.alloc_zeroed::<bf16>(SIZE * SIZE)?, device.alloc_zeroed(SIZE)?);
    let mut y = device.alloc_zeroed(SIZE)?;
    gemv(device, matrix(&a, SIZE, SIZE)?, &x, &mut y).run()
}

fn quantized_vector(device: &Device) -> Done {
    let (blocks, x) = (device.alloc_zeroed::<Q4_0>(SIZE * SIZE / 32)?, device.alloc_zeroed(SIZE)?);
    let mut y = device.alloc_zeroed(SIZE)?;
    gemv_quantized(device, matrix(&blocks, SIZE, SIZE / 32)?, &x, &mut y).run()
}

/// Its kernels check the offsets, so they are those of a matrix.
fn sparse_vector(device: &Device) -> Done {
    let offsets: Vec<u32> = (0..=SIZE).map(|row| (row * (MANY / SIZE)) as u32).collect();
    let (offsets, columns) = (device.upload(&offsets)?, device.alloc_zeroed::<u32>(MANY)?);
    let (values, x) = (device.alloc_zeroed::<f32>(MANY)?, device.alloc_zeroed(SIZE)?);
    let mut y = device.alloc_zeroed(SIZE)?;
    spmv(device, csr(SIZE, SIZE, &offsets, &columns, &values)?, &x, &mut y).run()
}

/// Eight heads of keys for 32 of queries.
fn attended(device: &Device) -> Done {
    let (extents, of_keys) = ([1, 32, TOKENS, 128], [1, 8, TOKENS, 128]);
    let (q, mut o) = (device.alloc_zeroed::<bf16>(TOKENS * SIZE)?, device.alloc_zeroed(TOKENS * SIZE)?);
    let (k, v) = (device.alloc_zeroed(TOKENS * SIZE / 4)?, device.alloc_zeroed(TOKENS * SIZE / 4)?);
    let (q, k, v) = (heads(&q, extents)?, heads(&k, of_keys)?, heads(&v, of_keys)?);
    attention(device, q, k, v, heads_mut(&mut o, extents)?).causal().run()
}

/// The last tokens of 16 sequences, with up to 256 pages of 16 tokens each.
fn decoded(device: &Device) -> Done {
    let (sequences, pages) = (16, 256);
    let (extents, of_pages) = ([sequences, 32, 1, 128], [sequences * pages, 8, 16, 128]);
    let (q, mut o) = (device.alloc_zeroed::<bf16>(sequences * SIZE)?, device.alloc_zeroed(sequences * SIZE)?);
    let elements = of_pages.iter().product();
    let (k, v) = (device.alloc_zeroed(elements)?, device.alloc_zeroed(elements)?);
    let (table, lengths) = (device.alloc_zeroed::<u32>(sequences * pages)?, device.alloc_zeroed(sequences)?);
    paged_attention(
        device,
        heads(&q, extents)?,
        heads(&k, of_pages)?.by_token(),
        heads(&v, of_pages)?.by_token(),
        matrix(&table, sequences, pages)?,
        &lengths,
        heads_mut(&mut o, extents)?,
    )
    .run()
}

fn convolved(device: &Device) -> Done {
    let (images, filters) = ([16, 56, 56, 64], [64, 3, 3, 64]);
    let (x, w) = (device.alloc_zeroed::<bf16>(images.iter().product())?, device.alloc_zeroed(64 * 9 * 64)?);
    let (bias, mut y) = (device.alloc_zeroed(64)?, device.alloc_zeroed(images.iter().product())?);
    conv2d(device, tensor4(&x, images)?, tensor4(&w, filters)?, tensor4_mut(&mut y, images)?)
        .padding([1, 1])
        .bias(&bias)
        .epilogue(Relu)
        .run()
}

fn spectrum(device: &Device) -> Done {
    let (x, mut y) = (device.alloc_zeroed::<Complex32>(MANY)?, device.alloc_zeroed(MANY)?);
    let rows = MANY / 4096;
    fft(device, matrix(&x, rows, 4096)?, matrix_mut(&mut y, rows, 4096)?).run()
}

fn counted(device: &Device) -> Done {
    let (x, mut bins) = (device.alloc_zeroed::<u8>(MANY)?, device.alloc_zeroed::<u32>(256)?);
    histogram(device, &x, &mut bins).run()
}

/// A picture of 1920 × 1080 pixels of three channels.
fn blurred(device: &Device) -> Done {
    let (rows, cols) = (1080, 1920 * 3);
    let (x, mut y) = (device.alloc_zeroed::<u8>(rows * cols)?, device.alloc_zeroed(rows * cols)?);
    let weights = [0.0625, 0.25, 0.375, 0.25, 0.0625];
    convolve(device, &weights, &weights, matrix(&x, rows, cols)?, matrix_mut(&mut y, rows, cols)?)
        .channels(3)
        .run()
}

fn resized(device: &Device) -> Done {
    let (rows, cols) = (1080, 1920 * 3);
    let (x, mut y) = (device.alloc_zeroed::<u8>(rows * cols)?, device.alloc_zeroed(rows * cols / 4)?);
    let to = matrix_mut(&mut y, rows / 2, cols / 2)?;
    resize(device, Interpolation::Bilinear, matrix(&x, rows, cols)?, to).channels(3).run()
}

fn random(device: &Device) -> Done {
    fill_normal(device, &mut device.alloc_zeroed(MANY)?, 7).run()
}
