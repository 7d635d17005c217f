//! The CUDA of the main kernels: as snapshots, compiled by NVRTC where there is one, and run by every executor of the simulator.

use warpsmith::codegen::{Checks, CudaSource, PrintOptions};
use warpsmith::nvrtc::Arch;
use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::attention::backward::kernel::attention_backward;
use warpsmith_kernels::attention::backward::rows::{attention_join, attention_means};
use warpsmith_kernels::attention::forward::{attention_by_three, attention_by_two};
use warpsmith_kernels::attention::pages::attention_to_pages;
use warpsmith_kernels::attention::varlen::{varlen_by_three, varlen_by_two};
use warpsmith_kernels::convolution::patches::conv2d_patches;
use warpsmith_kernels::convolution::warpgroups::{self as convolution, conv2d_warpgroups};
use warpsmith_kernels::fft::{
    fft_short_rows, fft_tile, irfft_rows, irfft_split_columns, rfft_join_rows, rfft_rows, rfft_short_rows,
};
use warpsmith_kernels::histogram::kernels::histogram_by_blocks;
use warpsmith_kernels::histogram::sums::sums_by_blocks;
use warpsmith_kernels::images::{
    Border, Interpolation, bilateral_tiles, convolve_rows, resize_rows, stencil_planes, stencil_rows,
};
use warpsmith_kernels::movement::{
    concat_rows, copy_rows, named_rows, pad_packs, transpose, transpose_bytes, transpose_elements,
    transpose_packs,
};
use warpsmith_kernels::products::cuda_cores::gemm_cuda_cores;
use warpsmith_kernels::products::gemv::{
    Q4_0, gemv_columns, gemv_quantized_digits, gemv_quantized_rows, gemv_rows,
};
use warpsmith_kernels::products::scales::{BY_BLOCK, BY_LINE, UNSCALED};
use warpsmith_kernels::products::tensor_cores::grouped::{grouped_warpgroups, grouped_warps};
use warpsmith_kernels::products::tensor_cores::split::gemm_split;
use warpsmith_kernels::products::tensor_cores::stream_k::{gemm_stream_k, stages};
use warpsmith_kernels::products::tensor_cores::warpgroups::{Beside, Lines, gemm_warpgroups};
use warpsmith_kernels::products::tensor_cores::warps::{Across, Along, gemm_warps, rings};
use warpsmith_kernels::products::{Gelu, Silu, Unchanged};
use warpsmith_kernels::reduction::{
    ArgMax, OwnSum, Reduction, Sum, Variance, columns_kernel, dot_kernel, reduce, rows_kernel,
    short_rows_kernel,
};
use warpsmith_kernels::rows::{
    LayerNorm, RmsNorm, Softmax, Words, cross_entropy_rows, quantized_rows, rotary_heads, rows_in_registers,
    rows_twice, softmax,
};
use warpsmith_kernels::scan::{inclusive_scan, scan_kernel};
use warpsmith_kernels::selection::{Flagged, encode_kernel, select_kernel};
use warpsmith_kernels::sorting::{digit_counts, merge_segments, radix_pass, sort, sort_segments, top_rows};
use warpsmith_kernels::sparse::{csr_times_matrix, csr_times_vector, join_cut_rows};

/// The GPU of the figures.
const HOPPER: Arch = Arch { major: 9, minor: 0, specific: true };

/// The product of warpgroups whose clusters have tiles of 256 × `COLS`.
type Below<T, E, O, const COLS: usize, const PART: usize> =
    gemm_warpgroups<T, T, E, O, Swizzle128, 8, 64, 128, COLS, COLS, 64, PART, 4, 2>;

/// The convolution whose boxes have the pixels of 8 images side by side, `BOX` for 128 or 256 results of 128 filters.
type OfImages<T, E, const TALL: bool, const ROWS: usize, const BOX: usize, const STAGES: usize> =
    conv2d_warpgroups<T, E, Swizzle128, true, TALL, ROWS, 10, 8, BOX, 128, 64, 64, 2, STAGES>;

/// Stages of filters of such a convolution.
const fn taps(pixels: usize) -> usize {
    convolution::stages(pixels, 2, 128, 64)
}

/// That of 8-bit elements.
type OfBytes<T, C, L, const OUT: usize, const COLS: usize, const PART: usize> =
    gemm_warpgroups<T, C, Unchanged, Lines<T>, L, 16, 128, 128, COLS, COLS, OUT, PART, 4, 2>;

/// The product of warps of halves.
type ByWarps<T, E, A, B> = gemm_warps<T, T, E, A, B, 32, { rings(2) }>;

/// The product of groups in tiles of 256 rows.
type Grouped<T, E> = grouped_warpgroups<T, E, 128, 256, 256, 128, 128, 4, 2>;

/// The product of halves whose blocks share tiles of `ROWS`.
type Shared<T, E, const ROWS: usize, const STAGES: usize> = gemm_stream_k<T, T, E, 8, 64, ROWS, STAGES>;

/// Compares the CUDA of a kernel with its snapshot; compiles it with all checks of bounds. The corpus is compiled with fewer, and with more.
fn prints<K: Kernel>(name: &str, comptime: K::Comptime) {
    compare::<K>(name, &comptime);
    harness::compiles_for(name, &checked::<K>(name, &comptime).code, &[HOPPER]);
}

/// The CUDA of a kernel with all checks of bounds.
fn checked<K: Kernel>(name: &str, comptime: &K::Comptime) -> CudaSource {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    K::print(comptime, &options).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn compare<K: Kernel>(name: &str, comptime: &K::Comptime) {
    let cuda = K::cuda_source_for(comptime).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, cuda));
}

/// The same for a kernel of warpgroups, with checks of bounds alone: others take more registers than the thread that copies has.
fn prints_for_warpgroups<K: Kernel>(name: &str, comptime: K::Comptime) {
    compare::<K>(name, &comptime);
    keeps_sums_in_registers::<K>(name, &comptime);
}

/// Compiles a kernel of warpgroups, which must spill nothing, with checks: they need the most registers.
fn keeps_sums_in_registers<K: Kernel>(name: &str, comptime: &K::Comptime) {
    harness::spills_nothing(name, &checked::<K>(name, comptime).code, HOPPER);
}

#[test]
fn the_main_kernels_print_what_the_snapshots_show() {
    prints::<rows_kernel<Sum<f32>, 4>>("reduce_rows@sum_f32", ());
    prints::<rows_kernel<Sum<bf16>, 8>>("reduce_rows@sum_bf16", ());
    prints::<rows_kernel<ArgMax<f32>, 4>>("reduce_rows@arg_max_f32", ());
    prints::<rows_kernel<Variance<f32>, 4>>("reduce_rows@variance_f32", ());
    prints::<short_rows_kernel<Sum<f32>, 4>>("reduce_short_rows@8_lanes", (8,));
    prints::<columns_kernel<Sum<f32>, 4>>("reduce_columns@sum_f32", ());
    prints::<dot_kernel<f32, 4>>("dot@f32", ());
    prints::<scan_kernel<OwnSum<u32>, 4, 8>>("scan@inclusive_u32", (true, false));
    prints::<rows_in_registers<Softmax, Words<f32>, 4, 8>>(
        "rows_in_registers@softmax_f32",
        (256, 8, true, false, false, false),
    );
    prints::<rows_in_registers<RmsNorm, Words<bf16>, 8, 8>>(
        "rows_in_registers@rms_norm_bf16",
        (128, 8, true, true, true, false),
    );
    prints::<rows_twice<LayerNorm, f16, 1>>("rows_twice@layer_norm_f16", (1024, false, true, true));
    prints::<cross_entropy_rows<Words<bf16>, 8>>("cross_entropy_rows@bf16", (1024, true));
    prints::<transpose_packs<u32, 4>>("transpose_packs@4_bytes", (1, false));
    prints::<transpose_elements<u16, 64, 2>>("transpose_elements@2_bytes", (true,));
    prints::<copy_rows<u64>>("copy_rows@8_bytes", (256, true, false));
    prints::<concat_rows<U32x4>>("concat_rows@16_bytes", (256,));
    prints::<scan_kernel<Sum<i64>, 2, 7>>("scan@exclusive_i64", (true, true));
    prints::<select_kernel<Flagged<u32, bool>, 4, 8>>("select@partition_u32", (true, false, true));
    prints::<encode_kernel<u32, 4, 4>>("encode@u32", ());
}

#[test]
fn products_and_histograms_print_what_the_snapshots_show() {
    prints::<gemm_cuda_cores<Unchanged, false, true, true, 64, 64, 1, 1, 4>>("gemm_cuda_cores@64", ());
    prints::<ByWarps<f16, Silu, Across<f16>, Along<f16, 32, 8>>>(
        "gemm_warps@f16_silu",
        (UNSCALED, true, false, false),
    );
    prints_for_warpgroups::<Below<bf16, Unchanged, Lines<bf16>, 256, 128>>(
        "gemm_warpgroups@bf16",
        (true, false, false, UNSCALED, false),
    );
    prints_for_warpgroups::<Grouped<bf16, Unchanged>>("grouped_warpgroups@bf16", (true, false));
    prints_for_warpgroups::<attention_by_two<bf16, 128, 128, 2>>("attention_by_two@128", ());
    prints_for_warpgroups::<varlen_by_two<bf16, 128, 128, 2>>("varlen_by_two@128", ());
    prints_for_warpgroups::<attention_backward<bf16, 128, 64>>("attention_backward@128", ());
    prints::<attention_means<bf16>>("attention_means@bf16", ());
    prints::<attention_join<bf16, 128, 64>>("attention_join@128", ());
    prints_for_warpgroups::<attention_to_pages<bf16, 128, 16, 16, 2>>("attention_to_pages@128", ());
    prints_for_warpgroups::<Shared<bf16, Unchanged, 16, { stages(16) }>>(
        "gemm_stream_k@16",
        (true, UNSCALED),
    );
    prints_for_warpgroups::<OfImages<bf16, Unchanged, true, 6, 480, { taps(480) }>>(
        "conv2d_warpgroups@256",
        (true, false),
    );
    prints::<conv2d_patches<U32x4, 1, u32>>("conv2d_patches@16_bytes", ());
    prints::<conv2d_patches<u16, 8, u32>>("conv2d_patches@2_bytes", ());
    prints::<gemv_rows<bf16, 8, 4>>("gemv_rows@bf16", (128,));
    prints::<gemv_columns<f32, 4>>("gemv_columns@f32", ());
    prints::<gemv_quantized_rows<Q4_0, 4, true>>("gemv_quantized_rows@q4_0", (64,));
    prints::<gemv_quantized_digits<Q4_0, 32, 2, 36>>("gemv_quantized_digits@q4_0", ());
    prints::<histogram_by_blocks<u8, 16, false>>("histogram_by_blocks@u8", ());
    prints::<histogram_by_blocks<i32, 4, true>>("histogram_by_blocks@packed", ());
    prints::<sums_by_blocks<f32, u32>>("sums_by_blocks@edges", (true, false, false));
}

#[test]
fn sparse_products_and_spectra_print_what_the_snapshots_show() {
    prints::<csr_times_vector<f32, u32, u32, 4, 4>>("csr_times_vector@f32", (true, true));
    prints::<csr_times_matrix<f32, u32, u32, 4>>("csr_times_matrix@f32", (16, true));
    prints::<fft_short_rows>("fft_short_rows@64", (6, true));
    prints::<fft_tile<16>>("fft_tile@4096", (12, false, false, false, false, false));
    prints::<fft_tile<32>>("fft_tile@16384", (14, false, false, false, false, false));
    prints::<rfft_short_rows>("rfft_short_rows@16", (3,));
    prints::<rfft_rows<16>>("rfft_rows@64", (5,));
    prints::<rfft_rows<16>>("rfft_rows@4096", (11,));
    prints::<irfft_rows<16>>("irfft_rows@64", (5,));
    prints::<rfft_join_rows>("rfft_join_rows@128", (7,));
    prints::<irfft_split_columns>("irfft_split_columns@128", (7,));
    prints::<join_cut_rows<f32, u32>>("join_cut_rows@f32", (true,));
}

#[test]
fn sorts_and_rows_by_number_print_what_the_snapshots_show() {
    prints::<digit_counts<u32, 4, 4>>("digit_counts@u32", (false,));
    prints::<radix_pass<u32, u32, 384, 23, 3>>("radix_pass@u32", (false, false, true, false));
    prints::<radix_pass<u32, u32, 384, 23, 3>>("radix_pass@u32_first", (false, false, false, false));
    prints::<radix_pass<f64, u32, 384, 12, 2>>("radix_pass@f64_u32_descending", (true, true, true, true));
    prints::<top_rows<f32, 128>>("top_rows@f32", (true,));
    prints::<transpose_bytes>("transpose_bytes", (false,));
    prints::<named_rows<u64>>("named_rows@gather", (32, false));
    prints::<pad_packs<u32, 4>>("pad_packs@reflect", (128, Border::Reflect, false));
    prints::<sort_segments<f32, u32>>("sort_segments@f32_u32", (true, false));
    prints::<merge_segments<f32, u32>>("merge_segments@f32_u32", (true, false));
    prints::<quantized_rows<RmsNorm, Words<bf16>, F8E4M3, u64, 8>>(
        "quantized_rows@bf16",
        (256, true, true, false),
    );
    prints::<rotary_heads<Words<f16>, Words<f32>, 8, 4>>("rotary_heads@f16", (true, true));
}

#[test]
fn stencils_and_images_print_what_the_snapshots_show() {
    // Nine neighbours of a plane, and a star of radius 4 in three dimensions.
    let plane = (30..50).step_by(9).flat_map(|row| row..row + 3).fold(0, |all, cell| all | 1u64 << cell);
    prints::<stencil_rows<f32, 4, 3>>("stencil_rows@box", (1, plane, 0, Border::Clamp, true));
    prints::<stencil_planes<f32, 4, 3>>("stencil_planes@star", (4, 0x7bf_dfff, 0, Border::Zero, true, true));
    prints::<convolve_rows<u8, 4, 9>>("convolve_rows@u8", (2, 2, 3, 544, 16, Border::Mirror, true));
    prints::<bilateral_tiles<u8>>("bilateral_tiles@u8", (2, 3, 32, 132, Border::Wrap, true));
    prints::<resize_rows<f16, 4, 2>>("resize_rows@f16", (Interpolation::Bilinear, true));
}

/// Asserts that the CUDA of a kernel runs on all GPUs of a compute capability.
fn runs_on<K: Kernel>(least: (u32, u32), comptime: K::Comptime) {
    let source = checked::<K>(K::NAME, &comptime);
    assert!(source.needs.min_compute <= least, "{} needs {:?}", K::NAME, source.needs.min_compute);
}

#[test]
fn kernels_need_no_more_than_what_they_are_chosen_for() {
    runs_on::<rows_kernel<Sum<f32>, 4>>((7, 0), ());
    runs_on::<scan_kernel<OwnSum<u32>, 4, 8>>((7, 0), (true, false));
    runs_on::<select_kernel<Flagged<u32, bool>, 4, 8>>((7, 0), (true, false, true));
    runs_on::<radix_pass<u32, u32, 384, 23, 3>>((7, 0), (false, false, true, false));
    runs_on::<top_rows<f32, 128>>((7, 0), (true,));
    runs_on::<histogram_by_blocks<i32, 4, true>>((7, 0), ());
    runs_on::<sums_by_blocks<f64, f64>>((7, 0), (true, true, true));
    runs_on::<pad_packs<u8, 16>>((7, 0), (64, Border::Zero, true));
    runs_on::<sort_segments<u32, u32>>((7, 0), (false, true));
    runs_on::<merge_segments<u32, u32>>((7, 0), (false, true));
    runs_on::<stencil_planes<f32, 4, 3>>((7, 0), (1, 1 << 4, 0, Border::Clamp, true, true));
    runs_on::<gemv_rows<f32, 4, 4>>((7, 0), (128,));
    runs_on::<gemv_columns<f32, 4>>((7, 0), ());
    runs_on::<gemv_quantized_rows<Q4_0, 4, true>>((7, 0), (64,));
    runs_on::<csr_times_vector<f32, u32, u32, 4, 4>>((7, 0), (true, false));
    runs_on::<fft_short_rows>((7, 0), (6, true));
    runs_on::<fft_tile<32>>((7, 0), (13, false, false, false, true, true));
    runs_on::<gemm_cuda_cores<Unchanged, false, true, true, 64, 64, 1, 1, 4>>((8, 0), ());
    runs_on::<ByWarps<f16, Silu, Across<f16>, Along<f16, 32, 8>>>((8, 0), (UNSCALED, false, false, false));
    runs_on::<conv2d_patches<u16, 8, u64>>((8, 0), ());
    runs_on::<attention_to_pages<bf16, 128, 16, 16, 2>>((8, 0), ());
    runs_on::<grouped_warps<bf16, Gelu, Along<bf16, 32, 8>, 32, { rings(2) }>>((8, 0), (true,));
    runs_on::<Grouped<bf16, Unchanged>>((9, 0), (true, false));
    runs_on::<gemv_quantized_digits<Q4_0, 32, 2, 36>>((9, 0), ());
    runs_on::<Shared<bf16, Unchanged, 16, { stages(16) }>>((9, 0), (true, UNSCALED));
    runs_on::<attention_by_two<bf16, 128, 128, 2>>((9, 0), ());
}

#[test]
fn sums_of_warpgroups_stay_in_registers() {
    let finished = (false, true, true, UNSCALED, false);
    keeps_sums_in_registers::<Below<bf16, Gelu, Lines<bf16>, 256, 128>>("gelu", &finished);
    keeps_sums_in_registers::<Below<f16, Gelu, Beside<f16>, 128, 64>>("gelu_128", &finished);
    keeps_sums_in_registers::<OfBytes<F8E4M3, bf16, Swizzle128, 64, 256, 128>>(
        "scaled",
        &(false, true, true, BY_LINE, false),
    );
    keeps_sums_in_registers::<OfBytes<F8E4M3, bf16, Swizzle128, 64, 256, 128>>(
        "blocks",
        &(false, true, true, BY_BLOCK, false),
    );
    keeps_sums_in_registers::<OfBytes<i8, i32, Swizzle128<4>, 32, 256, 128>>(
        "s8",
        &(true, false, false, UNSCALED, false),
    );
    keeps_sums_in_registers::<gemm_split<bf16, bf16, Gelu, 128, 64, 64, 9>>("split", &(UNSCALED, true));
    keeps_sums_in_registers::<Grouped<f16, Gelu>>("grouped", &(false, true));
    keeps_sums_in_registers::<grouped_warpgroups<bf16, Silu, 64, 256, 128, 128, 256, 4, 1>>(
        "grouped_64",
        &(false, true),
    );
    keeps_sums_in_registers::<OfImages<f16, Gelu, false, 4, 320, { taps(320) }>>(
        "conv2d_128",
        &(false, true),
    );
    keeps_sums_in_registers::<attention_by_three<f16, 64, 128, 2>>("attention_64", &());
    keeps_sums_in_registers::<attention_by_two<f16, 256, 80, 1>>("attention_256", &());
    keeps_sums_in_registers::<varlen_by_three<f16, 64, 128, 2>>("varlen_64", &());
    keeps_sums_in_registers::<attention_backward<f16, 64, 128>>("attention_backward_64", &());
    keeps_sums_in_registers::<attention_to_pages<f16, 256, 32, 16, 2>>("pages_256", &());
    keeps_sums_in_registers::<Shared<f16, Gelu, 64, { stages(64) }>>("stream_64", &(true, UNSCALED));
    keeps_sums_in_registers::<Shared<bf16, Gelu, 128, { stages(128) }>>("stream_128", &(true, UNSCALED));
}

fn reduced<R: Reduction>(device: &Device, x: &[R::Element], shape: [usize; 3]) -> Vec<R::Output> {
    let x = device.upload(x).expect("device memory");
    let mut y = device.alloc_zeroed::<R::Output>(shape[0] * shape[2]).expect("device memory");
    reduce::<R>(device, &x, &mut y).axis(&shape, 1).blocks(2).run().unwrap_or_else(|e| panic!("{e}"));
    device.download(&y).expect("no fault")
}

#[test]
fn twin_interpreter_and_printed_cuda_agree() {
    let x: Vec<i32> = (0..6000i32).map(|i| (i * 7919) % 1000).collect();
    let total: i64 = x.iter().map(|x| i64::from(*x)).sum();
    for device in harness::devices() {
        assert_eq!(reduced::<Sum<i32>>(&device, &x, [1, 6000, 1]), [total]);
        let at = x.iter().position(|v| v == x.iter().max().expect("some")).expect("there") as u64;
        assert_eq!(reduced::<ArgMax<i32>>(&device, &x, [1, 6000, 1]), [at]);
        let of_columns = |c: usize| x.iter().skip(c).step_by(20).map(|x| i64::from(*x)).sum::<i64>();
        assert_eq!(
            reduced::<Sum<i32>>(&device, &x, [1, 300, 20]),
            (0..20).map(of_columns).collect::<Vec<_>>()
        );
        let x: Vec<u32> = x.iter().map(|x| *x as u32).collect();
        let buffer = device.upload(&x).expect("device memory");
        let mut y = device.alloc_zeroed::<u32>(6000).expect("device memory");
        inclusive_scan::<OwnSum<u32>>(&device, &buffer, &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        let y = device.download(&y).expect("no fault");
        assert!(y.iter().zip(0..).all(|(y, i)| *y == x[..=i].iter().sum::<u32>()));
        let keys: Vec<i32> = (0..3000).map(|i| (i * 7919) % 1000 - 500).collect();
        let buffer = device.upload(&keys).expect("device memory");
        let mut y = device.alloc_zeroed::<i32>(3000).expect("device memory");
        sort(&device, &buffer, &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        assert!(device.download(&y).expect("no fault").is_sorted());
        let x: Vec<f32> = (0..640).map(|i| (i % 17) as f32).collect();
        let buffer = device.upload(&x).expect("device memory");
        let mut y = device.alloc_zeroed::<f32>(640).expect("device memory");
        let of = |rows| matrix(&buffer, rows, 640 / rows).expect("it fits");
        let to = matrix_mut(&mut y, 2, 320).expect("it fits");
        softmax(&device, of(2), to).run().unwrap_or_else(|e| panic!("{e}"));
        let sum: f32 = device.download(&y).expect("no fault").iter().sum();
        assert!((sum - 2.0).abs() < 1e-5, "{sum}");
        let to = matrix_mut(&mut y, 32, 20).expect("it fits");
        transpose(&device, of(20), to).run().unwrap_or_else(|e| panic!("{e}"));
        let y = device.download(&y).expect("no fault");
        assert!(y.iter().enumerate().all(|(i, y)| *y == x[i % 20 * 32 + i / 20]));
    }
}
