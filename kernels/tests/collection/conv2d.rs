//! Convolutions of images with channels against sums in `f64`.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{tensor4, tensor4_mut};
use warpsmith_kernels::convolution::patches::{Patches, conv2d_patches};
use warpsmith_kernels::convolution::{ConvolvedElement, conv2d};
use warpsmith_kernels::products::{Epilogue, Relu, Unchanged};

use crate::devices::{Placed, Random, devices, shuffled};
use crate::matrices::Real;

/// What a test computes, and where its elements lie.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// Images, rows, columns and channels.
    x: [usize; 4],
    /// Filters, their rows and columns.
    w: [usize; 3],
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
    has_bias: bool,
    /// Elements before the first of each argument.
    offset: usize,
    tile: Option<[usize; 4]>,
}

const CASE: Case = Case {
    x: [2, 5, 6, 8],
    w: [8, 3, 3],
    stride: [1; 2],
    padding: [1; 2],
    dilation: [1; 2],
    has_bias: false,
    offset: 0,
    tile: None,
};

impl Case {
    /// Extents of the results.
    fn y(&self) -> [usize; 4] {
        let along = |d: usize| {
            let reach = (self.w[1 + d] - 1) * self.dilation[d] + 1;
            let padded = self.x[1 + d] + 2 * self.padding[d];
            padded.checked_sub(reach).map_or(0, |rest| rest / self.stride[d] + 1)
        };
        [self.x[0], along(0), along(1), self.w[0]]
    }

    /// The products of a result, as elements of `x` and `w`.
    fn products(&self, [image, row, col, filter]: [usize; 4]) -> Vec<[usize; 2]> {
        let (Case { x: [_, rows, cols, channels], w: [_, down, across], .. }, mut found) =
            (*self, Vec::new());
        for r in 0..down {
            for s in 0..across {
                let y = (row * self.stride[0] + r * self.dilation[0]).checked_sub(self.padding[0]);
                let x = (col * self.stride[1] + s * self.dilation[1]).checked_sub(self.padding[1]);
                if let (Some(y), Some(x)) = (y.filter(|y| *y < rows), x.filter(|x| *x < cols)) {
                    let (pixel, tap) = ((image * rows + y) * cols + x, (filter * down + r) * across + s);
                    found.extend((0..channels).map(|c| [pixel * channels + c, tap * channels + c]));
                }
            }
        }
        found
    }

    /// The number of a result by its position, for each position.
    fn positions(&self) -> impl Iterator<Item = [usize; 4]> {
        let [images, rows, cols, filters] = self.y();
        (0..images * rows * cols * filters).map(move |i| {
            [i / filters / cols / rows, i / filters / cols % rows, i / filters % cols, i % filters]
        })
    }
}

/// Runs a convolution of these elements; `y` begins as `marker`, and what surrounds it stays so.
fn run<T: ConvolvedElement + Real, E: Epilogue>(
    device: &Device,
    case: Case,
    [x, w, bias]: [&[T]; 3],
    marker: T,
    epilogue: E,
) -> Vec<T> {
    let Case { offset, .. } = case;
    let [x, w, bias] = [x, w, bias].map(|elements| Placed::new(device, offset, elements, T::of(55.0)));
    let count: usize = case.y().iter().product();
    let mut y = Placed::new(device, offset, &vec![marker; count + 8], marker);
    {
        let [filters, rows, cols] = case.w;
        let (x, w) = (tensor4(x.part(), case.x), tensor4(w.part(), [filters, rows, cols, case.x[3]]));
        let y = tensor4_mut(y.part_mut(), case.y());
        let call = conv2d(device, x.expect("it fits"), w.expect("it fits"), y.expect("it fits"))
            .stride(case.stride)
            .padding(case.padding)
            .dilation(case.dilation)
            .epilogue(epilogue);
        let call = if case.has_bias { call.bias(bias.part()) } else { call };
        let call = if let Some(tile) = case.tile { call.tile(tile) } else { call };
        call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    }
    let mut got = y.read(device);
    assert!(got.split_off(count).iter().all(|x| *x == marker), "{case:?} wrote behind the results");
    got
}

/// Random elements of the arguments.
fn elements<T: Real>(case: Case, seed: u64) -> [Vec<T>; 3] {
    let mut random = Random::new(seed);
    let [filters, rows, cols] = case.w;
    let lengths = [case.x.iter().product(), filters * rows * cols * case.x[3], filters];
    lengths.map(|len: usize| (0..len).map(|_| T::of(random.unit())).collect())
}

fn check<T: ConvolvedElement + Real>(device: &Device, case: Case, seed: u64) {
    check_finished::<T, _>(device, case, seed, Unchanged, |x, _| x);
}

/// Compares with sums on the host, finished by the same function of a sum and the number of its pixel.
fn check_finished<T: ConvolvedElement + Real, E: Epilogue>(
    device: &Device,
    case: Case,
    seed: u64,
    epilogue: E,
    finish: fn(f64, usize) -> f64,
) {
    let [x, w, bias] = elements::<T>(case, seed);
    let got = run(device, case, [&x, &w, &bias], T::of(99.0), epilogue);
    for (i, at) in case.positions().enumerate() {
        let products = case.products(at);
        let each = || products.iter().map(|[a, b]| x[*a].exact() * w[*b].exact());
        let own = if case.has_bias { bias[at[3]].exact() } else { 0.0 };
        let (sum, size) = (each().sum::<f64>() + own, each().map(f64::abs).sum::<f64>() + own.abs());
        let (want, got) = (finish(sum, i / case.w[0]), got[i].exact());
        let bound = 2.0 * T::ROUNDING * want.abs() + 1e-5 * size + 1e-6;
        assert!((got - want).abs() <= bound, "{case:?} result {at:?}: {got} instead of {want}");
    }
}

fn has_warpgroups(device: &Device) -> bool {
    device.limits().compute == (9, 0)
}

/// A tile of each kind.
const TILES: [[usize; 4]; 7] = [
    [8, 4, 8, 128],
    [8, 4, 8, 64],
    [8, 2, 8, 128],
    [8, 2, 8, 64],
    [1, 32, 8, 128],
    [1, 16, 8, 128],
    [1, 16, 8, 64],
];

#[test]
fn convolutions_by_every_tile() {
    for device in devices().into_iter().filter(has_warpgroups) {
        for (i, tile) in TILES.into_iter().enumerate() {
            let case = Case { has_bias: i % 2 == 0, tile: Some(tile), ..CASE };
            // More than one tile along each extent, ragged; on the simulator, of every third tile alone.
            let filters = if i < 2 { tile[3] + 8 } else { 8 };
            let is_small = device.is_simulator() && i % 3 != 0;
            let (x, taps) = if is_small { ([2, 3, 9, 16], 2) } else { ([9, 5, 9, 16], 3) };
            check::<bf16>(&device, Case { x, w: [filters, taps, taps], ..case }, i as u64);
        }
        // More than one step of channels.
        for tile in [TILES[0], TILES[2], TILES[5]] {
            let case = Case { x: [2, 3, 4, 136], w: [8, 3, 3], tile: Some(tile), ..CASE };
            check::<f16>(&device, case, 20);
        }
    }
}

#[test]
fn convolutions_by_every_way_at_the_edges() {
    for device in devices() {
        check::<bf16>(&device, CASE, 1);
        check::<f16>(&device, Case { x: [3, 4, 5, 16], has_bias: true, ..CASE }, 2);
        // Filters of one tap, of one row, of one column, and of more than the taps of a box.
        check::<bf16>(&device, Case { w: [16, 1, 1], padding: [0; 2], ..CASE }, 3);
        check::<bf16>(&device, Case { w: [8, 1, 3], padding: [0, 1], ..CASE }, 4);
        check::<bf16>(&device, Case { w: [8, 3, 1], padding: [2, 0], ..CASE }, 5);
        check::<bf16>(&device, Case { w: [8, 5, 4], padding: [2, 3], ..CASE }, 6);
        check::<f16>(&device, Case { dilation: [2, 3], padding: [2, 3], ..CASE }, 7);
        // Odd extents and addresses.
        check::<bf16>(&device, Case { x: [1, 7, 7, 3], w: [5, 3, 3], has_bias: true, ..CASE }, 8);
        check::<f16>(&device, Case { offset: 1, ..CASE }, 9);
        check::<bf16>(&device, Case { stride: [3, 2], ..CASE }, 10);
        check::<bf16>(
            &device,
            Case { x: [1, 9, 10, 3], w: [8, 7, 7], stride: [2, 2], padding: [3; 2], ..CASE },
            11,
        );
        check::<f32>(&device, Case { has_bias: true, ..CASE }, 12);
        check::<f32>(&device, Case { x: [1, 6, 5, 3], w: [5, 2, 3], stride: [1, 2], ..CASE }, 13);
    }
}

/// Boxes of images of every other row and column, of both parities, where filters begin before the image and behind its first pixel.
#[test]
fn filters_move_by_two_pixels() {
    for device in devices().into_iter().filter(has_warpgroups) {
        let case = Case { x: [3, 6, 7, 16], stride: [2, 2], ..CASE };
        for (i, tile) in [TILES[0], TILES[2], TILES[4], TILES[5], TILES[6]].into_iter().enumerate() {
            check::<bf16>(&device, Case { tile: Some(tile), has_bias: i == 0, ..case }, 30);
        }
        for (i, padding) in [[0, 0], [2, 3], [0, 1]].into_iter().enumerate() {
            let tile = Some(TILES[[2, 5, 6][i]]);
            check::<f16>(&device, Case { x: [2, 7, 8, 8], padding, tile, ..case }, 40);
        }
        check::<bf16>(&device, Case { stride: [2, 1], ..case }, 50);
        check::<bf16>(&device, Case { stride: [1, 2], ..case }, 51);
        // Filters of one tap, of an even number of them, and taps that lie apart.
        check::<bf16>(&device, Case { w: [8, 1, 1], padding: [0; 2], ..case }, 52);
        check::<f16>(&device, Case { w: [8, 2, 4], padding: [0, 1], ..case }, 53);
        check::<f16>(&device, Case { dilation: [1, 2], padding: [1, 2], ..case }, 54);
        check::<bf16>(&device, Case { dilation: [3, 3], padding: [3, 2], x: [1, 9, 8, 8], ..case }, 55);
        // Fewer pixels than filters move by.
        check::<bf16>(&device, Case { x: [2, 1, 5, 8], w: [8, 1, 3], padding: [0, 1], ..case }, 56);
    }
}

#[test]
fn convolutions_of_nothing() {
    for device in devices() {
        check::<bf16>(&device, Case { x: [0, 5, 6, 8], ..CASE }, 1);
        check::<f32>(&device, Case { w: [0, 3, 3], ..CASE }, 2);
        // Without channels, results are the bias.
        check::<bf16>(&device, Case { x: [1, 2, 2, 0], has_bias: true, ..CASE }, 3);
        // Filters larger than the image have no results; images of padding alone have.
        check::<bf16>(&device, Case { x: [1, 2, 2, 8], padding: [0; 2], ..CASE }, 4);
        check::<bf16>(&device, Case { x: [1, 1, 0, 8], padding: [2; 2], ..CASE }, 5);
    }
}

/// Half of an element, and more by the number of its pixel.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct ByPixel {
    factor: f32,
}

#[gpu_impl]
impl Epilogue for ByPixel {
    fn apply(self, x: f32, row: usize, _col: usize) -> f32 {
        self.factor * x + row as f32
    }
}

#[test]
fn results_are_finished_with_the_number_of_their_pixel() {
    let finish = |x: f64, pixel: usize| 0.5 * x + pixel as f64;
    let by_pixel = ByPixel { factor: 0.5 };
    let case = Case { x: [3, 3, 9, 8], has_bias: true, ..CASE };
    for device in devices() {
        for tile in [0, 2, 4, 5].map(|i| Some(TILES[i])).into_iter().filter(|_| has_warpgroups(&device)) {
            check_finished::<f16, _>(&device, Case { tile, ..case }, 1, by_pixel, finish);
        }
        check_finished::<f16, _>(&device, Case { w: [8, 1, 1], ..case }, 2, by_pixel, finish);
        check_finished::<f32, _>(&device, Case { stride: [2, 1], ..case }, 3, by_pixel, finish);
        check_finished::<bf16, _>(&device, CASE, 4, Relu, |x, _| x.max(0.0));
    }
}

#[test]
fn nan_and_infinities_reach_the_results_that_see_them() {
    let device = Device::simulator();
    // By boxes of images side by side, of one image, of single taps, and by patches.
    let boxes = Case { x: [2, 6, 9, 8], ..CASE };
    let cases = [
        Case { tile: Some(TILES[2]), ..boxes },
        Case { tile: Some(TILES[5]), ..boxes },
        Case { dilation: [2, 2], padding: [2; 2], ..boxes },
        Case { stride: [2, 2], ..boxes },
    ];
    for case in cases {
        for special in [f64::NAN, f64::INFINITY] {
            let [mut x, w, bias] = elements::<bf16>(case, 1);
            let at = ((6 + 2) * 9 + 3) * 8 + 5;
            x[at] = bf16::of(special);
            let got = run(&device, case, [&x, &w, &bias], bf16::of(99.0), Unchanged);
            for (got, at_result) in got.iter().zip(case.positions()) {
                let sees = case.products(at_result).iter().any(|[a, _]| *a == at);
                assert_eq!(got.exact().is_finite(), !sees, "{case:?} result {at_result:?}: {got:?}");
            }
        }
    }
}

#[track_caller]
fn refused(case: Case, y: [usize; 4], bias: usize, text: &str) {
    let device = Device::simulator();
    let memory = |len: usize| device.upload(&vec![bf16::ZERO; len]).expect("device memory");
    let [filters, rows, cols] = case.w;
    let (x, w, bias) = (memory(case.x.iter().product()), memory(4096), memory(bias));
    let mut to = memory(y.iter().product());
    let (x, w) = (tensor4(&x, case.x), tensor4(&w, [filters, rows, cols, 8]));
    let y = tensor4_mut(&mut to, y).expect("it fits");
    let call = conv2d(&device, x.expect("it fits"), w.expect("it fits"), y)
        .stride(case.stride)
        .padding(case.padding)
        .dilation(case.dilation)
        .bias(&bias);
    let call = if let Some(tile) = case.tile { call.tile(tile) } else { call };
    assert_eq!(call.plan().expect_err("refused").to_string(), text);
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let y = CASE.y();
    refused(
        CASE,
        [2, 5, 5, 8],
        8,
        "`y` has the extents [2, 5, 5, 8], but needs [2, 5, 6, 8]: images, rows, columns and filters of the results; \
         a result is where all taps of a filter lie in the padded image",
    );
    refused(
        Case { x: [2, 5, 6, 4], ..CASE },
        y,
        8,
        "`w` has 8 channels, but needs the 4 channels of `x`; extents of `w` are filters, rows, columns and channels",
    );
    refused(
        Case { w: [8, 0, 3], ..CASE },
        y,
        8,
        "`w` has the extents [8, 0, 3, 8], but needs at least one tap; a filter has at least one row and one column",
    );
    refused(
        Case { stride: [1, 0], ..CASE },
        y,
        8,
        "`stride` has the value [1, 0], but needs at least 1, down and across; 1 is the default",
    );
    refused(
        Case { padding: [usize::MAX / 2, 1], ..CASE },
        y,
        8,
        "`padding` has the value [9223372036854775807, 1], with the dilation [1, 1], \
         but needs a padded image and filters of up to 2147483647 rows and columns; pad and spread less",
    );
    refused(
        CASE,
        y,
        7,
        "`bias` has 7 elements, but needs 8, one for each filter; pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`",
    );
    refused(
        Case { tile: Some([2, 2, 2, 2]), dilation: [2, 2], padding: [2, 2], ..CASE },
        y,
        8,
        "`tile` has the value [2, 2, 2, 2], but needs one of [1, 16, 8, 128]; leave it out, and the plan chooses one",
    );
    refused(
        Case { tile: Some(TILES[0]), stride: [3, 3], ..CASE },
        [2, 2, 2, 8],
        8,
        "`tile` has the value [8, 4, 8, 128] for another one, as filters move by more than two pixels, \
         but needs a convolution by warpgroups; leave it out",
    );
    let device = Device::simulator();
    let x = device.upload(&[0.0f32; 8]).expect("device memory");
    assert_eq!(
        tensor4(&x, [1, 2, 3, 4]).expect_err("refused").to_string(),
        "`tensor` has 8 elements, but needs 24, for the extents [1, 2, 3, 4]; pass more memory, or smaller extents"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn convolutions_of_any_shape(
        (images, rows, cols) in (0usize..10, 1usize..11, 1usize..19),
        channels in prop_oneof![(1usize..10).prop_map(|units| units * 8), 0usize..12],
        filters in prop_oneof![(1usize..10).prop_map(|units| units * 8), 0usize..12],
        taps in prop_oneof![Just([3usize, 3]), [1usize..6, 1usize..6]],
        stride in prop_oneof![Just([1usize; 2]), [1usize..4, 1usize..4]],
        padding in [0usize..4, 0usize..4],
        dilation in prop_oneof![Just([1usize; 2]), [1usize..4, 1usize..4]],
        offset in prop_oneof![Just(0usize), 0usize..9],
        (has_bias, kind) in (any::<bool>(), 0usize..4),
        seed in 0u64..1000,
    ) {
        let (x, w) = ([images, rows, cols, channels], [filters, taps[0], taps[1]]);
        let case = Case { x, w, stride, padding, dilation, has_bias, offset, tile: None };
        match kind {
            0 => check::<f32>(&shuffled(seed), case, seed),
            1 => check::<f16>(&shuffled(seed), case, seed),
            _ => check::<bf16>(&shuffled(seed), case, seed),
        }
    }
}

/// Patches by numbers of 64 bits, which no image that fits here needs, are those by numbers of 32.
#[test]
fn patches_are_the_same_by_longer_numbers() {
    fn of<I: Copy>(number: impl Fn(u8) -> I) -> Patches<I> {
        let all = |numbers: [u8; 2]| numbers.map(&number);
        Patches {
            image: [7, 5, 3].map(&number),
            filter: all([3, 18]),
            extents: all([4, 5]),
            stride: all([2, 1]),
            padding: all([1, 2]),
            dilation: all([1, 2]),
            count: number(40),
            packs: number(3),
        }
    }
    let device = Device::simulator();
    let x = device.upload(&(0..210u16).collect::<Vec<_>>()).expect("memory");
    let [mut short, mut long] = [(); 2].map(|()| device.upload(&vec![9u16; 40 * 24]).expect("memory"));
    let by_short = conv2d_patches::<u16, 8, u32>(&x, &mut short, of(u32::from), 7);
    by_short.grid(1).block(32).launch(&device).expect("no fault");
    let by_long = conv2d_patches::<u16, 8, u64>(&x, &mut long, of(u64::from), 7);
    by_long.grid(1).block(32).launch(&device).expect("no fault");
    let all = device.download(&short).expect("memory");
    assert_eq!(all, device.download(&long).expect("memory"));
    // The first tap is above the first image; the first pixel of the second row of taps is beside it.
    assert_eq!(all[..24], [[7; 9].as_slice(), &[7, 7, 7, 0, 1, 2, 6, 7, 8], &[7; 6]].concat());
}
