//! Products of groups of rows against sums in `f64`: groups of any number of rows, aligned or not, and what lies in other groups.

use proptest::prelude::{ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::products::{GroupedElement, Relu, grouped_gemm};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed, Real};

/// Groups of these numbers of rows, between rows that belong to none.
#[derive(Clone, Debug)]
struct Case {
    rows: Vec<usize>,
    n: usize,
    k: usize,
    /// Elements between the rows of the matrices, and before the first.
    gap: usize,
    offset: usize,
    alpha: f32,
    has_bias: bool,
    is_positive: bool,
    /// The group whose rows and right operand have a NaN.
    poisoned: Option<usize>,
}

/// Rows before the first group and behind the last one.
const OUTSIDE: usize = 3;

impl Case {
    fn new(rows: &[usize], n: usize, k: usize) -> Self {
        let (gap, offset, alpha, has_bias, is_positive, poisoned) = (0, 0, 1.0, false, false, None);
        Self { rows: rows.to_vec(), n, k, gap, offset, alpha, has_bias, is_positive, poisoned }
    }

    fn place(&self, rows: usize, cols: usize) -> Place {
        Place { rows, cols, gap: self.gap, offset: self.offset }
    }

    fn offsets(&self) -> Vec<u32> {
        let starts = self.rows.iter().scan(OUTSIDE, |at, rows| {
            *at += rows;
            Some(*at as u32)
        });
        [OUTSIDE as u32].into_iter().chain(starts).collect()
    }

    fn check<T: GroupedElement + Real>(&self, device: &Device, seed: u64) {
        let Self { n, k, .. } = *self;
        let (offsets, groups) = (self.offsets(), self.rows.len());
        let all = offsets[groups] as usize + OUTSIDE;
        let mut random = Random::new(seed);
        let mut some =
            |len: usize| -> Vec<T> { (0..len).map(|_| T::of(random.unit() * 2.0 - 1.0)).collect() };
        let (mut a, mut b, bias) = (some(all * k), some(groups * n * k), some(groups * n));
        let (nan, untouched) = (T::of(f64::NAN), T::of(77.0));
        // Rows that belong to no group change nothing.
        a[..OUTSIDE * k].fill(nan);
        a[(all - OUTSIDE) * k..].fill(nan);
        if let Some(g) = self.poisoned {
            a[offsets[g] as usize * k..offsets[g + 1] as usize * k].fill(nan);
            b[g * n * k..(g + 1) * n * k].fill(nan);
        }
        let of_a = Placed::new(device, self.place(all, k), &a, nan);
        let of_b = Placed::new(device, self.place(groups * n, k), &b, nan);
        let mut of_c = Placed::new(device, self.place(all, n), &vec![untouched; all * n], untouched);
        let places = device.upload(&offsets).expect("device memory");
        let of_bias = device.upload(&bias).expect("device memory");
        let call = grouped_gemm(device, of_a.matrix(), of_b.matrix(), &places, of_c.matrix_mut());
        let call = call.alpha(self.alpha);
        let call = if self.has_bias { call.bias(&of_bias) } else { call };
        let result = if self.is_positive { call.epilogue(Relu).run() } else { call.run() };
        result.unwrap_or_else(|e| panic!("{self:?}: {e}"));
        let got = of_c.read(device, untouched);
        for (i, got) in got.iter().enumerate() {
            let (row, col) = (i / n, i % n);
            let group = offsets.windows(2).position(|of| (of[0]..of[1]).contains(&(row as u32)));
            let what = || format!("{self:?}, row {row}, column {col}");
            match group {
                None => assert_eq!(*got, untouched, "{}", what()),
                Some(g) if self.poisoned == Some(g) => assert!(k == 0 || got.exact().is_nan(), "{}", what()),
                Some(g) => {
                    let column = g * n + col;
                    let terms = (0..k).map(|j| a[row * k + j].exact() * b[column * k + j].exact());
                    let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()));
                    let bias = if self.has_bias { bias[column].exact() } else { 0.0 };
                    let mut want = f64::from(self.alpha) * sum + bias;
                    want = if self.is_positive { want.max(0.0) } else { want };
                    let bound = T::ROUNDING * want.abs() + 1e-6 * (size * f64::from(self.alpha.abs()) + 2.0);
                    let x = got.exact();
                    assert!((x - want).abs() <= bound, "{}: {x} instead of {want}", what());
                }
            }
        }
    }
}

#[test]
fn groups_of_any_numbers_of_rows() {
    for device in devices() {
        // Tiles of 64 rows, and of clusters with 256, which share a tile with up to 128.
        Case::new(&[0, 1, 70, 0, 64, 9, 0], 72, 40).check::<bf16>(&device, 1);
        Case { has_bias: true, alpha: -0.5, poisoned: Some(1), ..Case::new(&[130, 65, 100], 264, 72) }
            .check::<f16>(&device, 2);
        Case { is_positive: true, has_bias: true, ..Case::new(&[300, 129], 136, 64) }
            .check::<bf16>(&device, 3);
        // Nothing is aligned.
        Case { gap: 3, offset: 1, has_bias: true, poisoned: Some(0), ..Case::new(&[5, 131], 37, 19) }
            .check::<bf16>(&device, 4);
        // Nothing is added, there are no groups, and there are no columns.
        Case { has_bias: true, ..Case::new(&[2, 0, 3], 8, 0) }.check::<f16>(&device, 5);
        Case::new(&[], 8, 8).check::<bf16>(&device, 6);
        Case::new(&[0, 0], 8, 8).check::<bf16>(&device, 7);
    }
}

#[test]
fn a_plan_takes_the_tile_of_an_average_group() {
    let device = Device::simulator();
    let plan = |groups: usize, rows: usize, padding: usize| {
        let (n, k) = (512, 64);
        let x = device.alloc_zeroed::<bf16>(rows * k).expect("device memory");
        let w = device.alloc_zeroed::<bf16>(groups * n * k).expect("device memory");
        let offsets = device.alloc_zeroed::<u32>(groups + 1).expect("device memory");
        let mut y = device.alloc_zeroed::<bf16>(rows * (n + padding)).expect("device memory");
        let to = matrix_mut(&mut y, rows, n).expect("it fits").stride(n + padding).expect("it fits");
        let of = |x, rows| matrix(x, rows, k).expect("it fits");
        let plan = grouped_gemm(&device, of(&x, rows), of(&w, groups * n), &offsets, to).plan();
        let plan = plan.unwrap_or_else(|e| panic!("{e}"));
        (plan.kernel, plan.tile, plan.grid)
    };
    assert_eq!(plan(8, 8 * 40, 0), ("grouped_warpgroups", 64 * 256, 26));
    assert_eq!(plan(8, 8 * 41, 0), ("grouped_warpgroups", 256 * 256, 36));
    assert_eq!(plan(2, 2 * 500, 0), ("grouped_warpgroups", 256 * 256, 20));
    assert_eq!(plan(8, 8 * 40, 1), ("grouped_warps", 128 * 128, 40));
}

#[test]
fn offsets_beyond_the_rows_end_the_launch() {
    for device in devices() {
        for k in [16, 7] {
            for (offsets, text) in [
                ([0u32, 9, 5], "an offset is below the one before"),
                ([0, 2, 70], "an offset is beyond the rows"),
                ([u32::MAX, 5, u32::MAX], "an offset is below the one before"),
            ] {
                let x = device.upload(&vec![bf16::from_f32(1.0); 12 * k]).expect("device memory");
                let w = device.upload(&vec![bf16::from_f32(1.0); 16 * k]).expect("device memory");
                let mut all = device.upload(&[bf16::from_f32(9.0); 20 * 8]).expect("device memory");
                let places = device.upload(&offsets).expect("device memory");
                let c = all.slice_mut(4 * 8..16 * 8).expect("a part");
                let (a, b) = (matrix(&x, 12, k).expect("it fits"), matrix(&w, 16, k).expect("it fits"));
                let c = matrix_mut(c, 12, 8).expect("it fits");
                let result = grouped_gemm(&device, a, b, &places, c).run();
                let error =
                    result.and_then(|()| Ok::<_, KernelError>(device.synchronize()?)).expect_err("a fault");
                assert!(error.to_string().contains(text), "{offsets:?}: {error}");
                let around = device.download(&all).expect("no more faults");
                let is_left = |x: &bf16| x.to_f32() == 9.0;
                assert!(around[..4 * 8].iter().chain(&around[16 * 8..]).all(is_left), "{offsets:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn groups_of_any_shape_and_alignment(
        rows in proptest::collection::vec(prop_oneof![0..4usize, 0..90usize], 0..5),
        n in 1..150usize,
        k in 0..80usize,
        [gap, offset] in [0..9usize, 0..9usize],
        [has_bias, is_positive, is_aligned] in any::<[bool; 3]>(),
        seed in any::<u64>(),
    ) {
        let (n, k) = if is_aligned { (n.next_multiple_of(8), k.next_multiple_of(8)) } else { (n, k) };
        let (gap, offset) = if is_aligned { (gap / 8 * 8, offset / 8 * 8) } else { (gap, offset) };
        let case = Case { gap, offset, has_bias, is_positive, ..Case::new(&rows, n, k) };
        let device = harness::gpu().unwrap_or_else(|| shuffled(seed));
        case.check::<bf16>(&device, seed);
    }
}
