//! Products of matrices: any extents, strides, orders and epilogues, against sums in `f64`.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::products::gemm;

use crate::devices::shuffled;

/// Elements of products, by their values in `f64`.
trait Element: warpsmith_kernels::products::ProductElement {
    /// The nearest element.
    fn of(x: f64) -> Self;
    /// The value.
    fn value(self) -> f64;
    /// The relative error of rounding to an element.
    const ROUNDING: f64;
}

macro_rules! elements {
    ($($t:ty: $of:expr, $value:expr, $bits:literal;)+) => {$(
        impl Element for $t {
            fn of(x: f64) -> Self {
                $of(x)
            }
            fn value(self) -> f64 {
                $value(self)
            }
            const ROUNDING: f64 = 1.0 / (1u64 << $bits) as f64;
        }
    )+};
}

elements! {
    f32: |x| x as f32, f64::from, 24;
    bf16: bf16::from_f64, bf16::to_f64, 8;
    f16: f16::from_f64, f16::to_f64, 11;
}

/// Random numbers of [-1, 1), by the multiplication of Lehmer, as elements.
fn some<T: Element>(seed: u64, len: usize) -> Vec<T> {
    let mut state = u128::from(seed) * 2 + 1;
    let mut next = || {
        state = state.wrapping_mul(0xda94_2042_e4dd_58b5) & u128::from(u64::MAX);
        ((state >> 40) as f64) / f64::from(1 << 23) - 1.0
    };
    for _ in 0..3 {
        next();
    }
    (0..len).map(|_| T::of(next())).collect()
}

/// A GPU if there is one, or a simulator.
fn device(seed: u64) -> Device {
    harness::gpu().unwrap_or_else(|| shuffled(seed))
}

/// A matrix in memory: where it begins, and the elements that a row has beside its own.
#[derive(Clone, Copy, Debug)]
struct Laid {
    offset: usize,
    padding: usize,
    is_turned: bool,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    extents: [usize; 3],
    laid: [Laid; 3],
    alpha: f32,
    beta: f32,
    has_bias: bool,
    has_residual: bool,
    tile: Option<[usize; 2]>,
}

impl Laid {
    const DENSE: Laid = Laid { offset: 0, padding: 0, is_turned: false };
    const TURNED: Laid = Laid { is_turned: true, ..Self::DENSE };

    /// Extents as they lie in memory, and the elements from one line to the next.
    fn lines(self, rows: usize, cols: usize) -> (usize, usize, usize) {
        let (lines, along) = if self.is_turned { (cols, rows) } else { (rows, cols) };
        (lines, along, along + self.padding)
    }

    fn len(self, rows: usize, cols: usize) -> usize {
        let (lines, _, stride) = self.lines(rows, cols);
        self.offset + lines * stride
    }

    fn at(self, rows: usize, cols: usize, r: usize, c: usize) -> usize {
        let stride = self.lines(rows, cols).2;
        self.offset + if self.is_turned { c * stride + r } else { r * stride + c }
    }
}

macro_rules! placed {
    ($make:ident, $part:expr, $laid:expr, $rows:expr, $cols:expr) => {{
        let (lines, along, stride) = $laid.lines($rows, $cols);
        let matrix = $make($part, lines, along).unwrap().stride(stride).unwrap();
        if $laid.is_turned { matrix.t() } else { matrix }
    }};
}

fn check<T: Element>(device: &Device, case: Case) {
    let Case { extents: [m, n, k], laid: [at_a, at_b, at_c], alpha, beta, .. } = case;
    let a = some::<T>(1, at_a.len(m, k));
    let b = some::<T>(2, at_b.len(k, n));
    // What is not read may be anything.
    let before: Vec<T> = some::<T>(3, at_c.len(m, n))
        .into_iter()
        .map(|x| if beta == 0.0 { T::of(f64::NAN) } else { x })
        .collect();
    let (bias, residual) = (some::<T>(4, n), some::<T>(5, m * n));
    let [in_a, in_b, of_bias, of_residual] = [&a, &b, &bias, &residual].map(|x| device.upload(x).unwrap());
    let mut in_c = device.upload(&before).unwrap();
    let call = gemm(
        device,
        placed!(matrix, in_a.slice(at_a.offset..).unwrap(), at_a, m, k),
        placed!(matrix, in_b.slice(at_b.offset..).unwrap(), at_b, k, n),
        placed!(matrix_mut, in_c.slice_mut(at_c.offset..).unwrap(), at_c, m, n),
    );
    let call = call.alpha(alpha).beta(beta);
    let call = if case.has_bias { call.bias(&of_bias) } else { call };
    let call = if case.has_residual { call.residual(matrix(&of_residual, m, n).unwrap()) } else { call };
    let call = if let Some([rows, cols]) = case.tile { call.tile(rows, cols) } else { call };
    call.run().unwrap_or_else(|error| panic!("{case:?}: {error}"));
    let got = device.download(&in_c).unwrap();
    let mut is_of_c = vec![false; got.len()];
    for r in 0..m {
        for c in 0..n {
            let term = |i: usize| a[at_a.at(m, k, r, i)].value() * b[at_b.at(k, n, i, c)].value();
            let (sum, size) =
                (0..k).map(term).fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()));
            let mut want = f64::from(alpha) * sum;
            let at = at_c.at(m, n, r, c);
            is_of_c[at] = true;
            if beta != 0.0 {
                want += f64::from(beta) * before[at].value();
            }
            want += if case.has_bias { bias[c].value() } else { 0.0 };
            want += if case.has_residual { residual[r * n + c].value() } else { 0.0 };
            let bound = T::ROUNDING * want.abs() + 1e-6 * (size * f64::from(alpha.abs()) + 2.0);
            let got = got[at].value();
            assert!((got - want).abs() <= bound, "{case:?} at ({r}, {c}): {got} instead of {want}");
        }
    }
    for (i, was) in before.iter().enumerate().filter(|(i, _)| !is_of_c[*i]) {
        assert_eq!(got[i].value().to_bits(), was.value().to_bits(), "{case:?}: element {i} is not of `c`");
    }
}

const PLAIN: Case = Case {
    extents: [70, 65, 19],
    laid: [Laid::DENSE; 3],
    alpha: 1.0,
    beta: 0.0,
    has_bias: false,
    has_residual: false,
    tile: None,
};

#[test]
fn every_order_of_operands() {
    for is_turned in 0..8 {
        let laid = [1, 2, 4].map(|bit| if is_turned & bit == 0 { Laid::DENSE } else { Laid::TURNED });
        for extents in [[70, 65, 19], [68, 64, 24]] {
            check::<f32>(&device(1), Case { laid, extents, ..PLAIN });
        }
    }
}

#[test]
fn every_tile_on_cuda_cores() {
    for tile in [[64, 64], [128, 128], [256, 128]] {
        check::<f32>(&device(1), Case { extents: [260, 130, 33], tile: Some(tile), ..PLAIN });
    }
}

#[test]
fn empty_extents() {
    for extents in [[0, 5, 3], [5, 0, 3], [5, 3, 0]] {
        check::<f32>(&device(1), Case { extents, has_bias: true, ..PLAIN });
    }
}

fn laid() -> impl Strategy<Value = Laid> {
    (0usize..5, 0usize..9, any::<bool>()).prop_map(|(offset, padding, is_turned)| Laid {
        offset,
        padding,
        is_turned,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_extents_strides_and_settings(
        extents in [1usize..90, 1usize..90, 0usize..50],
        laid in [laid(), laid(), laid()],
        alpha in prop_oneof![Just(1.0f32), -2.0f32..2.0],
        beta in prop_oneof![Just(0.0f32), -2.0f32..2.0],
        has_bias in any::<bool>(),
        has_residual in any::<bool>(),
        seed in 0u64..100,
    ) {
        let case = Case { extents, laid, alpha, beta, has_bias, has_residual, tile: None };
        check::<f32>(&device(seed), case);
    }
}

#[test]
fn halves_on_tensor_cores_in_every_order() {
    for is_turned in 0..8 {
        let laid = [1, 2, 4].map(|bit| if is_turned & bit == 0 { Laid::DENSE } else { Laid::TURNED });
        check::<bf16>(&device(2), Case { laid, extents: [136, 40, 72], ..PLAIN });
        check::<f16>(&device(2), Case { laid, extents: [33, 130, 35], ..PLAIN });
    }
}

#[test]
fn every_tile_of_warpgroups() {
    let panels = [[256, 256], [256, 128]];
    let others = [
        [256, 224],
        [256, 192],
        [256, 144],
        [256, 112],
        [64, 64],
        [64, 160],
        [64, 224],
        [128, 48],
        [128, 224],
    ];
    let of = |tiles: &[[usize; 2]], is_turned: bool| {
        for (i, tile) in tiles.iter().enumerate() {
            let laid = [Laid::DENSE, Laid { is_turned, ..Laid::DENSE }, Laid::DENSE];
            // Tiles of few rows are for products of few rows; others get a second row of tiles.
            let rows = if tile[0] == 256 { 264 } else { tile[0] - 7 };
            let case = Case { extents: [rows, 136, 72], laid, tile: Some(*tile), ..PLAIN };
            if i % 2 == 0 {
                check::<bf16>(&device(1), case);
            } else {
                check::<f16>(&device(1), Case { alpha: 0.5, has_bias: true, has_residual: true, ..case });
            }
        }
    };
    of(&panels, false);
    of(&panels, true);
    of(&others, true);
}

/// The stores of a tile are not yet read by the copy engine when its block begins the next tile.
#[test]
fn blocks_have_several_tiles_of_an_odd_number_of_parts() {
    let laid = [Laid::DENSE, Laid::TURNED, Laid::DENSE];
    check::<bf16>(&device(1), Case { extents: [65, 133 * 48, 8], laid, tile: Some([128, 48]), ..PLAIN });
}

#[test]
fn two_blocks_share_a_tile() {
    let laid = [Laid::DENSE, Laid::TURNED, Laid::DENSE];
    check::<bf16>(&device(1), Case { extents: [60, 136, 200], laid, ..PLAIN });
    // One of them has nothing to add.
    let case = Case { extents: [100, 72, 40], laid, alpha: 0.5, has_bias: true, has_residual: true, ..PLAIN };
    check::<f16>(&device(2), case);
}

#[test]
fn blocks_share_the_sums_of_few_rows() {
    // Every fourth element of `c` is behind its row, which begins anywhere.
    let at_c = Laid { offset: 3, padding: 5, is_turned: false };
    for rows in [16, 32, 64, 128] {
        let laid = [Laid::DENSE, Laid::TURNED, at_c];
        // One block has several tiles, and several blocks have parts of one.
        for k in [72, 840] {
            let case = Case { extents: [rows - 3, 136, k], laid, tile: Some([rows, 128]), ..PLAIN };
            check::<bf16>(&device(1), case);
        }
        let case = Case { extents: [rows, 130, 200], laid, alpha: 0.5, beta: -2.0, has_bias: true, ..PLAIN };
        check::<f16>(&device(2), Case { has_residual: true, ..case });
    }
}

#[test]
fn blocks_share_more_tiles_than_there_are_multiprocessors() {
    // No number of blocks divides the steps.
    let laid = [Laid::DENSE, Laid::TURNED, Laid::DENSE];
    check::<bf16>(&device(1), Case { extents: [3, 133 * 128, 136], laid, ..PLAIN });
}

#[test]
fn blocks_of_a_cluster_share_a_tile() {
    let laid = [Laid::DENSE, Laid::TURNED, Laid::DENSE];
    check::<f16>(&device(1), Case { extents: [3, 48 * 128, 264], laid, has_bias: true, ..PLAIN });
}

#[test]
fn a_plan_names_the_kernel_and_why() {
    let device = Device::simulator();
    let plan = |[m, n, k]: [usize; 3], padding: usize, is_turned: bool| {
        let x = device.alloc_zeroed::<bf16>(m * k).unwrap();
        let w = device.alloc_zeroed::<bf16>(n * k).unwrap();
        let mut y = device.alloc_zeroed::<bf16>(m * (n + padding)).unwrap();
        let w = if is_turned { matrix(&w, n, k).unwrap().t() } else { matrix(&w, k, n).unwrap() };
        let y = matrix_mut(&mut y, m, n).unwrap().stride(n + padding).unwrap();
        let plan = gemm(&device, matrix(&x, m, k).unwrap(), w, y).plan().unwrap();
        (plan.kernel, plan.grid, plan.why)
    };
    let cases = [
        ([16, 6144, 4096], 0, true, "gemm_stream_k", "few rows"),
        ([16, 6144, 4096], 0, false, "gemm_warpgroups", "the copy engine loads and stores"),
        ([64, 8192, 512], 0, true, "gemm_warpgroups", "tiles of 64 × 64"),
        ([64, 10240, 512], 0, true, "gemm_warpgroups", "tiles of 64 × 160"),
        ([128, 4096, 512], 0, true, "gemm_split", "tiles of 128 × 64"),
        ([128, 6144, 512], 0, true, "gemm_warpgroups", "tiles of 128 × 48"),
        ([512, 3584, 512], 0, true, "gemm_warpgroups", "tiles of 256 × 112"),
        ([512, 4608, 512], 0, true, "gemm_warpgroups", "tiles of 256 × 144"),
        ([4096, 3584, 64], 0, true, "gemm_warpgroups", "tiles of 256 × 224"),
        ([12608, 3072, 64], 0, true, "gemm_warpgroups", "tiles of 256 × 192"),
        ([512, 512, 512], 0, true, "gemm_warpgroups", "the copy engine loads and stores"),
        ([512, 512, 512], 1, true, "gemm_stream_k", "not all rows of `c` begin at multiples of 16 bytes"),
        ([512, 512, 511], 0, true, "gemm_warps", "not all rows of the operands begin"),
    ];
    for (extents, padding, is_turned, kernel, why) in cases {
        let (named, _, reason) = plan(extents, padding, is_turned);
        assert_eq!(named, kernel, "{extents:?}: {reason}");
        assert!(reason.contains(why), "{extents:?}: {reason}");
    }
    // 48 tiles of 128 columns, and two blocks for each; more tiles than multiprocessors.
    assert_eq!(plan([16, 6144, 4096], 0, true).1, 96);
    assert_eq!(plan([16, 28672, 512], 0, true).1, device.limits().multiprocessors);
}

fn batch_of<T: Element>() {
    let ([m, n, k], count, strides) = ([33, 20, 18], 3, [33 * 18, 0, 33 * 20 + 4]);
    let device = device(4);
    let (a, b) = (some::<T>(1, count * strides[0]), some::<T>(2, k * n));
    let (in_a, in_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
    let mut c = device.upload(&vec![T::of(9.0); count * strides[2]]).unwrap();
    let call = gemm(
        &device,
        matrix(&in_a, m, k).unwrap(),
        matrix(&in_b, k, n).unwrap(),
        matrix_mut(&mut c, m, n).unwrap(),
    );
    call.batched(count, strides).run().unwrap();
    for (i, got) in device.download(&c).unwrap().into_iter().enumerate() {
        let (product, at) = (i / strides[2], i % strides[2]);
        let term = |e: usize| a[product * strides[0] + at / n * k + e].value() * b[e * n + at % n].value();
        let want = if at < m * n { (0..k).map(term).sum() } else { 9.0 };
        assert!(
            (got.value() - want).abs() <= T::ROUNDING * want.abs() + 1e-5,
            "{i}: {got:?}",
            got = got.value()
        );
    }
}

#[test]
fn products_of_a_batch_lie_apart_and_may_share_an_operand() {
    batch_of::<f32>();
    batch_of::<bf16>();
}

#[test]
fn matrices_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 12]).unwrap();
    let mut c = device.alloc_zeroed::<f32>(9).unwrap();
    let mut text = |rows: usize, batch: usize| {
        let b = matrix(&x, rows, 3).unwrap();
        let call = gemm(&device, matrix(&x, 3, 4).unwrap(), b, matrix_mut(&mut c, 3, 3).unwrap());
        call.batched(batch, [0, 0, 9]).run().unwrap_err().to_string()
    };
    assert_eq!(
        text(3, 1),
        "`b` has 3 rows and 3 columns, but needs 4 rows and 3 columns, as many rows as `a` has columns: they are summed over together; \
         `.t()` transposes a matrix for free"
    );
    assert_eq!(
        text(4, 2),
        "`c` has 9 elements, but needs 18, for 2 matrices 9 elements apart; pass more memory, or fewer matrices"
    );
}
