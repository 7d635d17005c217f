//! Reductions along axes and of rows, for shapes and strides at random.

use proptest::prelude::*;
use warpsmith::prelude::*;
use warpsmith_kernels::argument::matrix;
use warpsmith_kernels::reduction::{ArgMin, Max, Reduction, Sum, reduce, reduce_rows};

use crate::devices::{Placed, devices, shuffled};
use crate::numbers::some;

/// What `along` gives for the elements of each result.
fn along<T: Copy, U>(x: &[T], [outer, n, inner]: [usize; 3], f: impl Fn(&[T]) -> U) -> Vec<U> {
    let mut results = Vec::new();
    for o in 0..outer {
        for i in 0..inner {
            let of: Vec<T> = (0..n).map(|k| x[(o * n + k) * inner + i]).collect();
            results.push(f(&of));
        }
    }
    results
}

fn reduced<R: Reduction>(
    device: &Device,
    x: &Placed<R::Element>,
    shape: [usize; 3],
    blocks: Option<u32>,
) -> Vec<R::Output> {
    let mut y = device.alloc_zeroed::<R::Output>(shape[0] * shape[2]).expect("device memory");
    let call = reduce::<R>(device, x.part(), &mut y).axis(&shape, 1);
    let call = if let Some(blocks) = blocks { call.blocks(blocks) } else { call };
    call.run().unwrap_or_else(|e| panic!("{shape:?}: {e}"));
    device.download(&y).expect("no fault")
}

fn least(x: &[i16]) -> u64 {
    let least = x.iter().min();
    least.map_or(u64::MAX, |least| x.iter().position(|x| x == least).expect("it is there") as u64)
}

#[test]
fn every_axis_of_shapes_that_take_another_path() {
    let shapes = [
        [0, 3, 5],
        [2, 0, 3],
        [3, 5, 0],
        [1, 1, 1],
        [1000, 3, 1],
        [300, 100, 1],
        [40, 1200, 1],
        [3, 20_000, 1],
        [2, 50, 3],
        [1, 3000, 8],
        [2, 64, 64],
        [3, 7, 200],
        [1, 2000, 33],
    ];
    for device in devices() {
        for (k, shape) in shapes.into_iter().enumerate() {
            for offset in [0, 3] {
                let x = some::<i16>(k as u64, shape.iter().product());
                let at = Placed::new(&device, offset, &x, i16::MIN);
                let sums = along(&x, shape, |x| x.iter().map(|x| i64::from(*x)).sum::<i64>());
                assert_eq!(
                    reduced::<Sum<i16>>(&device, &at, shape, None),
                    sums,
                    "{shape:?} from {offset} on"
                );
                assert_eq!(
                    reduced::<ArgMin<i16>>(&device, &at, shape, None),
                    along(&x, shape, least),
                    "{shape:?}"
                );
            }
        }
    }
}

#[test]
fn rows_of_a_matrix_with_a_stride_and_transposed() {
    for device in devices() {
        let (rows, cols, stride) = (70, 130, 133);
        let x = some::<f32>(4, rows * stride);
        let buffer = device.upload(&x).expect("device memory");
        let of_rows = |r: usize| (0..cols).map(|c| x[r * stride + c]).fold(f32::MIN, f32::max);
        let of_cols = |c: usize| (0..rows).map(|r| x[r * stride + c]).fold(f32::MIN, f32::max);
        let m = matrix(&buffer, rows, cols).expect("it fits").stride(stride).expect("it fits");
        let mut y = device.alloc_zeroed::<f32>(rows).expect("device memory");
        reduce_rows::<Max<f32>>(&device, m.clone(), &mut y).run().expect("it runs");
        assert_eq!(device.download(&y).expect("no fault"), (0..rows).map(of_rows).collect::<Vec<_>>());
        let mut y = device.alloc_zeroed::<f32>(cols).expect("device memory");
        reduce_rows::<Max<f32>>(&device, m.t(), &mut y).run().expect("it runs");
        assert_eq!(device.download(&y).expect("no fault"), (0..cols).map(of_cols).collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_shape_alignment_and_number_of_blocks(
        outer in 1usize..40,
        n in 0usize..300,
        inner in prop_oneof![Just(1usize), 1usize..40],
        offset in 0usize..9,
        blocks in prop_oneof![Just(None), (1u32..6).prop_map(Some)],
        seed in 0u64..1000,
    ) {
        let (device, shape) = (shuffled(seed), [outer, n, inner]);
        let x = some::<i16>(seed, outer * n * inner);
        let at = Placed::new(&device, offset, &x, i16::MIN);
        let sums = along(&x, shape, |x| x.iter().map(|x| i64::from(*x)).sum::<i64>());
        prop_assert_eq!(reduced::<Sum<i16>>(&device, &at, shape, blocks), sums);
        prop_assert_eq!(reduced::<ArgMin<i16>>(&device, &at, shape, blocks), along(&x, shape, least));
    }
}
