//! Sparse products: rows of any lengths, types and alignments, against sums in `f64`.

use proptest::prelude::{Just, ProptestConfig, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::number::Number;
use warpsmith_kernels::sparse::{Csr, Index, Start, csr, csr_tiles, spmm, spmv};

use crate::devices::{Placed, Random, devices, shuffled};
use crate::numbers::{Tested, close, some};

/// A matrix on the host.
#[derive(Clone, Debug)]
struct Host<T> {
    cols: usize,
    offsets: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Tested> Host<T> {
    /// A matrix whose rows have these lengths, with random columns.
    fn new(lengths: &[usize], cols: usize, seed: u64) -> Self {
        let mut offsets = vec![0];
        for length in lengths {
            offsets.push(offsets[offsets.len() - 1] + *length as u32);
        }
        let nonzeros = lengths.iter().sum();
        let mut random = Random::new(seed + 9);
        let columns = (0..nonzeros).map(|_| random.below(cols) as u32).collect();
        Self { cols, offsets, columns, values: some::<T>(seed, nonzeros) }
    }

    fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The exact product of a row and a vector, and the sum of its products' sizes.
    fn row_times(&self, row: usize, x: impl Fn(usize) -> f64) -> (f64, f64) {
        let products = (self.offsets[row]..self.offsets[row + 1])
            .map(|i| self.values[i as usize].exact() * x(self.columns[i as usize] as usize));
        products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()))
    }
}

/// A type of offsets and columns that numbers of tests fit.
trait Fits: Index + TryFrom<u32> {
    fn of(number: u32) -> Self {
        Self::try_from(number).ok().expect("a small number")
    }
}

impl<I: Index + TryFrom<u32>> Fits for I {}

/// A matrix in device memory, `offset` elements behind aligned addresses.
struct OnDevice<T, I, C> {
    rows: usize,
    cols: usize,
    offsets: Placed<I>,
    columns: Placed<C>,
    values: Placed<T>,
}

impl<T: Tested, I: Fits, C: Fits> OnDevice<T, I, C> {
    fn new(device: &Device, host: &Host<T>, offset: usize) -> Self {
        let offsets: Vec<I> = host.offsets.iter().map(|&at| I::of(at)).collect();
        let columns: Vec<C> = host.columns.iter().map(|&at| C::of(at)).collect();
        Self {
            rows: host.rows(),
            cols: host.cols,
            offsets: Placed::new(device, offset, &offsets, I::of(7)),
            columns: Placed::new(device, offset, &columns, C::of(i32::MAX as u32)),
            values: Placed::new(device, offset, &host.values, T::MOST),
        }
    }

    fn csr(&self) -> Csr<'_, T, I::Unsigned, C::Unsigned> {
        csr(self.rows, self.cols, self.offsets.part(), self.columns.part(), self.values.part())
            .expect("lengths that agree")
    }
}

/// How a product is checked.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// Elements before the first of every argument.
    offset: usize,
    beta: i8,
    seed: u64,
}

/// Compares `2 * a * x + beta * y` with the reference. Elements are exact to `rounding`, and sums to `of_sum`.
fn check_vector<T: Tested + Number<Total: From<i8>>, I: Fits, C: Fits>(
    device: &Device,
    host: &Host<T>,
    case: Case,
    [rounding, of_sum]: [f64; 2],
) {
    let (x, before) = (some::<T>(case.seed + 1, host.cols), some::<T>(case.seed + 2, host.rows()));
    let a = OnDevice::<T, I, C>::new(device, host, case.offset);
    let xs = Placed::new(device, case.offset, &x, T::MOST);
    let mut ys = Placed::new(device, case.offset, &before, T::MOST);
    let call = spmv(device, a.csr(), xs.part(), ys.part_mut()).alpha(T::Total::from(2));
    let call = if case.beta == 0 { call } else { call.beta(T::Total::from(case.beta)) };
    call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    for (r, y) in ys.read(device).into_iter().enumerate() {
        let (sum, size) = host.row_times(r, |c| x[c].exact());
        let want = 2.0 * sum + f64::from(case.beta) * before[r].exact();
        close(y.exact(), want, rounding, of_sum / rounding * size, &format!("{case:?}, row {r}"));
    }
}

/// The same for a dense matrix of `n` columns, with `gap` elements between its rows.
fn check_matrix<T: Tested + Number<Total: From<i8>>, I: Fits, C: Fits>(
    device: &Device,
    host: &Host<T>,
    [n, gap]: [usize; 2],
    case: Case,
    [rounding, of_sum]: [f64; 2],
) {
    let stride = n + gap;
    let (b, before) =
        (some::<T>(case.seed + 1, host.cols * stride), some::<T>(case.seed + 2, host.rows() * stride));
    let a = OnDevice::<T, I, C>::new(device, host, case.offset);
    let bs = Placed::new(device, case.offset, &b, T::MOST);
    let mut cs = Placed::new(device, case.offset, &before, T::MOST);
    let dense = matrix(bs.part(), host.cols, n).and_then(|b| b.stride(stride)).expect("it fits");
    let output = matrix_mut(cs.part_mut(), host.rows(), n).and_then(|c| c.stride(stride)).expect("it fits");
    let call = spmm(device, a.csr(), dense, output).alpha(T::Total::from(2));
    let call = if case.beta == 0 { call } else { call.beta(T::Total::from(case.beta)) };
    call.run().unwrap_or_else(|e| panic!("{case:?}, {n}: {e}"));
    for (i, c) in cs.read(device).into_iter().enumerate() {
        let (row, col) = (i / stride, i % stride);
        if col >= n {
            assert_eq!(c.exact(), before[i].exact(), "the gap behind row {row}");
            continue;
        }
        let (sum, size) = host.row_times(row, |k| b[k * stride + col].exact());
        let want = 2.0 * sum + f64::from(case.beta) * before[i].exact();
        close(c.exact(), want, rounding, of_sum / rounding * size, &format!("{case:?}, ({row}, {col})"));
    }
}

const F32: [f64; 2] = [1e-6, 1e-6];
const F64: [f64; 2] = [1e-14, 1e-14];
const F16: [f64; 2] = [1.0 / 1024.0, 1e-6];
const BF16: [f64; 2] = [1.0 / 128.0, 1e-6];

/// Lengths of rows: regular, with empty rows, with one row of almost everything, and with few long ones.
fn shapes() -> Vec<Vec<usize>> {
    vec![
        vec![0],
        vec![1],
        vec![5; 700],
        vec![0; 5000],
        // Rows that tiles share, and rows that they do not.
        vec![9000],
        vec![250; 20],
        (0..40).map(|r| if r == 20 { 7000 } else { r % 3 }).collect(),
        (0..3000).map(|r| usize::from(r % 100 == 7) * 65).collect(),
        (0..600).map(|r| 1500 / (r * 7 % 600 + 1)).collect(),
    ]
}

#[test]
fn sparse_rows_of_every_shape_are_multiplied() {
    for device in devices() {
        for (seed, lengths) in shapes().iter().enumerate() {
            let (seed, case) = (seed as u64, Case { offset: 0, beta: 0, seed: seed as u64 });
            check_vector::<f32, u32, u32>(&device, &Host::new(lengths, 100, seed), case, F32);
            check_matrix::<f32, u32, u32>(&device, &Host::new(lengths, 10, seed), [2, 0], case, F32);
        }
        let (lengths, case) = (&shapes()[8], Case { offset: 1, beta: 3, seed: 0 });
        check_vector::<f64, i64, i32>(&device, &Host::new(lengths, 100, 0), case, F64);
        check_matrix::<bf16, u32, u32>(&device, &Host::new(&lengths[..50], 100, 0), [72, 8], case, BF16);
        check_vector::<f16, u32, u32>(&device, &Host::new(&lengths[..50], 100, 0), case, F16);
        let aligned = Case { offset: 0, ..case };
        check_matrix::<f64, i64, i64>(&device, &Host::new(&lengths[..50], 100, 0), [6, 2], aligned, F64);
    }
}

#[test]
fn sparse_integers_are_multiplied() {
    // [ 1 0 -2 ]
    // [ 0 3  0 ]
    let (offsets, columns) = ([0u32, 2, 3], [0u32, 2, 1]);
    for device in devices() {
        let (offsets, columns) =
            (device.upload(&offsets).expect("memory"), device.upload(&columns).expect("memory"));
        let (values, x) = (
            device.upload(&[1i32, -2, 3]).expect("memory"),
            device.upload(&[1i32, 10, 100]).expect("memory"),
        );
        let mut y = device.alloc_zeroed::<i32>(2).expect("memory");
        let a = csr(2, 3, &offsets, &columns, &values).expect("lengths that agree");
        spmv(&device, a, &x, &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(device.download(&y).expect("no fault"), [-199, 30]);
        // A lane has 16 columns.
        let values = device.upload(&[1i8, -2, 3]).expect("memory");
        let b: Vec<i8> = (0..3 * 32).map(|i| (i % 32) as i8 + [1, 10, 20][i / 32]).collect();
        let (b, mut c) =
            (device.upload(&b).expect("memory"), device.alloc_zeroed::<i8>(2 * 32).expect("memory"));
        let a = csr(2, 3, &offsets, &columns, &values).expect("lengths that agree");
        let (b, to) = (matrix(&b, 3, 32).expect("it fits"), matrix_mut(&mut c, 2, 32).expect("it fits"));
        spmm(&device, a, b, to).run().unwrap_or_else(|e| panic!("{e}"));
        let want = (0..64i32).map(|i| if i < 32 { -39 - i } else { (3 * (i - 22)) as i8 as i32 });
        let got = device.download(&c).expect("no fault");
        assert_eq!(got.iter().map(|c| i32::from(*c)).collect::<Vec<_>>(), want.collect::<Vec<_>>());
    }
}

#[test]
fn a_sparse_matrix_without_elements_gives_zeros() {
    for device in devices() {
        let none = Host::<f32>::new(&[0; 3], 0, 0);
        let a = OnDevice::<f32, u32, u32>::new(&device, &none, 0);
        let x = device.alloc_zeroed::<f32>(0).expect("memory");
        let mut y = device.upload(&[f32::NAN; 3]).expect("memory");
        spmv(&device, a.csr(), &x, &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(device.download(&y).expect("no fault"), [0.0; 3]);
        let c = matrix_mut(&mut y, 3, 0).expect("it fits");
        let plan = spmm(&device, a.csr(), matrix(&x, 0, 0).expect("it fits"), c).plan().expect("a plan");
        assert_eq!(plan.kernel, "nothing");
    }
}

#[test]
fn sparse_matrices_that_do_not_fit_are_refused() {
    let device = Device::simulator();
    let host = Host::<f32>::new(&[2, 1], 3, 0);
    let a = OnDevice::<f32, u32, u32>::new(&device, &host, 0);
    let x = device.upload(&[1.0f32; 4]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(4).expect("memory");
    let text = |error: KernelError| error.to_string();
    let pass = "pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`";
    let wrong = csr::<f32, u32, u32>(3, 3, a.offsets.part(), a.columns.part(), a.values.part());
    assert_eq!(
        text(wrong.expect_err("refused")),
        format!("`offsets` has 3 elements, but needs 4, one more than there are rows; {pass}")
    );
    let wrong = csr::<f32, u32, u32>(2, 3, a.offsets.part(), a.columns.part(), &x);
    assert_eq!(
        text(wrong.expect_err("refused")),
        format!("`columns` has 3 elements, but needs 4, one for each of the `values`; {pass}")
    );
    assert_eq!(
        text(spmv(&device, a.csr(), &x, &mut y).run().expect_err("refused")),
        format!("`x` has 4 elements, but needs 3, the columns of `a`; {pass}")
    );
    let (b, c) = (matrix(&x, 2, 2).expect("it fits"), matrix_mut(&mut y, 2, 2).expect("it fits"));
    assert_eq!(
        text(spmm(&device, a.csr(), b, c).run().expect_err("refused")),
        "`b` has 2 rows and 2 columns, but needs 3 rows and 2 columns, one row for each column of `a`; \
         pass matrices whose extents agree"
    );
}

/// Blocks have memory for no more, also where offsets fall: each tile begins behind a row that ends too early here.
#[test]
fn tiles_have_few_nonzeros_whatever_the_offsets_are() {
    let (device, offsets) = (Device::simulator(), [0u32, 3, 290, 5, 10, 290, 295, 300, 554]);
    let (tile, spared, nonzeros) = (281, 256, 554);
    let before = device.upload(&offsets).expect("memory");
    let mut starts = device.upload(&[Start { row: 0, nonzero: 0 }; 3]).expect("memory");
    csr_tiles::<u32>(&before, nonzeros, tile, spared, &mut starts, false)
        .grid(1)
        .block(256)
        .launch(&device)
        .expect("no fault");
    let starts = device.download(&starts).expect("no fault");
    for (start, next) in starts.iter().zip(&starts[1..]) {
        assert!(next.nonzero.saturating_sub(start.nonzero) <= tile + spared, "{starts:?}");
        assert!(start.row <= next.row && start.nonzero <= next.nonzero, "{starts:?}");
    }
}

#[test]
fn invalid_offsets_and_columns_are_faults() {
    let device = Device::simulator();
    let fault = |change: fn(&mut Host<f32>)| {
        let mut host = Host::<f32>::new(&[2, 3, 1], 3, 0);
        change(&mut host);
        let a = OnDevice::<f32, u32, u32>::new(&device, &host, 0);
        let x = device.upload(&[1.0f32; 3]).expect("memory");
        let mut y = device.alloc_zeroed::<f32>(3).expect("memory");
        let of_vector = spmv(&device, a.csr(), &x, &mut y).run().expect_err("a fault").to_string();
        let mut c = device.alloc_zeroed::<f32>(3).expect("memory");
        let (b, c) = (matrix(&x, 3, 1).expect("it fits"), matrix_mut(&mut c, 3, 1).expect("it fits"));
        let of_matrix = spmm(&device, a.csr(), b, c).run().expect_err("a fault").to_string();
        [of_vector, of_matrix]
    };
    let all_say = |faults: [String; 2], texts: [&str; 2]| {
        for (fault, text) in faults.iter().zip(texts) {
            assert!(fault.contains(text), "{fault}");
        }
    };
    let falling = "the offsets of a sparse matrix never fall";
    all_say(fault(|a| a.offsets[1] = 6), [falling; 2]);
    let ends = "the offsets of a sparse matrix go from 0 to its number of non-zeros";
    all_say(fault(|a| a.offsets[3] = 5), [ends; 2]);
    all_say(fault(|a| a.columns[4] = 3), ["a non-zero in a column that it does not have"; 2]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sparse_matrix_is_multiplied(
        rows in 1usize..400,
        most in prop_oneof![1usize..4, 1usize..40, Just(2000)],
        cols in 1usize..300,
        wide in [1usize..40, 0usize..5],
        offset in prop_oneof![Just(0usize), 0usize..4],
        beta in -1i8..2,
        seed in 0u64..1000,
    ) {
        let (device, case) = (shuffled(seed), Case { offset, beta, seed });
        let mut random = Random::new(seed);
        // Long rows are rare.
        let mut length = || {
            let rarely = 40 * most / (1 + random.below(60 * most));
            random.below(most.min(1 + rarely))
        };
        let lengths: Vec<usize> = (0..rows).map(|_| length()).collect();
        check_vector::<f32, u32, u32>(&device, &Host::new(&lengths, cols, seed), case, F32);
        check_vector::<f64, i64, i64>(&device, &Host::new(&lengths, cols, seed), case, F64);
        let few = &lengths[..rows.min(60)];
        check_matrix::<f32, u32, u32>(&device, &Host::new(few, cols, seed), wide, case, F32);
        check_matrix::<bf16, u32, u32>(&device, &Host::new(few, cols, seed), [8 * wide[0], 8 * wide[1]], case, BF16);
    }
}
