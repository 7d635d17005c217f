//! `conv2d`: the call, and which kernel takes it.

use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::choice::{Choice, are_counted, choose};
use super::geometry::{Geometry, Moves};
use super::launch::ConvolvedElement;
use super::patches_call;
use super::warpgroups::THREADS;
use crate::argument::{Input, Matrix, Output, Tensor4, Tensor4Mut, matrix, matrix_mut};
use crate::call::{Call, Family, Plan, Step, Target, short_name};
use crate::error::KernelError;
use crate::products::{Epilogue, Gemm, Unchanged};

/// `y[i, p, q, f] = Σ x[i, p * stride + r * dilation - padding, …, c] * w[f, r, s, c]` over all taps `r`, `s` and channels `c`, summed in
/// `f32`: the convolution of neural networks, which does not turn the filters around.
///
/// `x`: `[images, height, width, channels]`; `w`: `[filters, rows, columns, channels]`; `y`: `[images, out height, out width, filters]`, in
/// PyTorch's terms `channels_last`. Pixels outside of an image are zeros. Elements are `bf16`, `f16` or `f32`.
///
/// | setting | does |
/// |---|---|
/// | [`stride([down, across])`](Call::stride) | moves filters by as many pixels from one result to the next; default: 1 |
/// | [`padding([down, across])`](Call::padding) | surrounds images with as many rows and columns of zeros; default: 0 |
/// | [`dilation([down, across])`](Call::dilation) | moves the taps of a filter apart; default: 1 |
/// | [`bias(&v)`](Call::bias) | adds an element to the sums of each filter |
/// | [`epilogue(f)`](Call::epilogue) | applies a function to each element, whose row is the number of its pixel, and whose column is its filter |
///
/// On compute capability 9.0, warpgroups multiply floats of 16 bits where they lie, if the filters move by one or two pixels, channels
/// and filters are multiples of 8, and memory begins at multiples of 16 bytes. Filters of one tap, moved by single pixels, are a product of
/// matrices, [`gemm`](crate::products::gemm()). All other convolutions copy the pixels of each result side by side, to memory that
/// [`plan`](Call::plan) reports, and multiply these. A NaN or an infinity reaches the results whose filters see it, and no others.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::{tensor4, tensor4_mut};
/// use warpsmith_kernels::convolution::conv2d;
/// use warpsmith_kernels::products::Relu;
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // An image of 3 × 3 pixels of one channel, and a filter that adds up 3 × 3 pixels.
/// let x = gpu.upload(&[1.0f32; 9])?;
/// let (w, bias) = (gpu.upload(&[1.0f32; 9])?, gpu.upload(&[-5.0f32])?);
/// let mut y = gpu.alloc_zeroed::<f32>(9)?;
/// let (images, filters) = (tensor4(&x, [1, 3, 3, 1])?, tensor4(&w, [1, 3, 3, 1])?);
/// let call = conv2d(&gpu, images, filters, tensor4_mut(&mut y, [1, 3, 3, 1])?);
/// call.padding([1, 1]).bias(&bias).epilogue(Relu).run()?;
/// assert_eq!(gpu.download(&y)?, [0.0, 1.0, 0.0, 1.0, 4.0, 1.0, 0.0, 1.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the extents do not fit together; [`KernelError::Overlap`] if `y` shares memory with
/// another argument; [`KernelError::Device`] below compute capability 8.0.
pub fn conv2d<'a, T: ConvolvedElement>(
    device: &Device,
    x: Tensor4<'a, T>,
    w: Tensor4<'a, T>,
    y: Tensor4Mut<'a, T>,
) -> Call<'a, Conv2d<'a, T, Unchanged>> {
    Call::new(device, Conv2d { x, w, y, bias: None, epilogue: Unchanged, moves: Moves::PLAIN, tile: None })
}

/// A convolution with its arguments.
pub struct Conv2d<'a, T, E> {
    pub(super) x: Tensor4<'a, T>,
    pub(super) w: Tensor4<'a, T>,
    pub(super) y: Tensor4Mut<'a, T>,
    pub(super) bias: Option<Input<'a, T>>,
    pub(super) epilogue: E,
    moves: Moves,
    tile: Option<[usize; 4]>,
}

impl<'a, T: ConvolvedElement, E: Epilogue> Call<'a, Conv2d<'a, T, E>> {
    /// Pixels from the ones of a result to those of the next, down and across. Default: 1.
    pub fn stride(self, stride: [usize; 2]) -> Self {
        self.map(|of| Conv2d { moves: Moves { stride, ..of.moves }, ..of })
    }

    /// Rows above and below each image, and columns before and behind it, that are zeros. Default: 0.
    pub fn padding(self, padding: [usize; 2]) -> Self {
        self.map(|of| Conv2d { moves: Moves { padding, ..of.moves }, ..of })
    }

    /// Pixels from one tap of a filter to the next, down and across. Default: 1.
    pub fn dilation(self, dilation: [usize; 2]) -> Self {
        self.map(|of| Conv2d { moves: Moves { dilation, ..of.moves }, ..of })
    }

    /// Adds an element of `bias` to the sums of each filter.
    pub fn bias(self, bias: impl SliceArg<'a, T>) -> Self {
        self.map(|of| Conv2d { bias: Some(Input::new(bias)), ..of })
    }

    /// Applies a function to each element: [`Relu`](struct@crate::products::Relu), or one of your own.
    pub fn epilogue<F: Epilogue>(self, epilogue: F) -> Call<'a, Conv2d<'a, T, F>> {
        self.replace(|Conv2d { x, w, y, bias, moves, tile, .. }| Conv2d {
            x,
            w,
            y,
            bias,
            epilogue,
            moves,
            tile,
        })
    }

    /// Images, rows and columns of results, and filters, that a block computes: one of the tiles that [`plan`](Call::plan) knows.
    /// Default: the one that keeps the device busiest.
    pub fn tile(self, tile: [usize; 4]) -> Self {
        self.map(|of| Conv2d { tile: Some(tile), ..of })
    }
}

/// Pixels by which filters move at most that warpgroups multiply where they lie: each of the images of every other row and column is an
/// argument of its own.
const MOST_STRIDE: usize = 2;

/// How a convolution is computed.
enum Way {
    /// As a product of the pixels as they lie.
    Product,
    /// By warpgroups, with this tile, these blocks, and why.
    Boxes(Choice, u32, String),
    /// As a product of patches, and why.
    Patches(&'static str),
}

impl<'a, T: ConvolvedElement, E: Epilogue> Conv2d<'a, T, E> {
    pub(super) fn geometry(&self) -> Geometry {
        Geometry { x: self.x.extents(), w: self.w.extents(), y: self.y.extents(), moves: self.moves }
    }

    fn check(&self) -> Result<Geometry, KernelError> {
        let of = self.geometry();
        of.check()?;
        let y = self.y.memory();
        y.apart_from("y", self.x.memory(), "x")?;
        y.apart_from("y", self.w.memory(), "w")?;
        if let Some(bias) = &self.bias {
            of.check_bias(bias.len())?;
            y.apart_from("y", bias, "bias")?;
        }
        Ok(of)
    }

    fn way(&self, of: &Geometry, limits: &Limits) -> Result<Way, KernelError> {
        let refused = self.not_by_boxes(of, limits);
        match (refused, self.tile) {
            (Some(why), Some(tile)) => Err(KernelError::Shape {
                what: "tile",
                expected: "a convolution by warpgroups".to_owned(),
                got: format!("the value {tile:?} for another one, as {why}"),
                way_out: "leave it out",
            }),
            (_, None) if of.is_pointwise() || of.depth() == 0 => Ok(Way::Product),
            (Some(why), None) => Ok(Way::Patches(why)),
            (None, tile) => choose(of, tile, limits).map(|(choice, grid, why)| Way::Boxes(choice, grid, why)),
        }
    }

    /// Why warpgroups do not multiply pixels where they lie.
    fn not_by_boxes(&self, of: &Geometry, limits: &Limits) -> Option<&'static str> {
        let memory =
            [self.x.memory().misalignment(), self.w.memory().misalignment(), self.y.memory().misalignment()];
        if !T::IS_HALF {
            Some("elements are not floats of 16 bits")
        } else if limits.compute != (9, 0) {
            Some("only warpgroups of compute capability 9.0 are used")
        } else if of.moves.stride.iter().any(|pixels| *pixels > MOST_STRIDE) {
            Some("filters move by more than two pixels")
        } else if of.moves.stride.iter().zip(&of.x[1..3]).any(|(pixels, extent)| extent < pixels) {
            Some("filters move by more pixels than there are")
        } else if !of.x[3].is_multiple_of(8) || !of.w[0].is_multiple_of(8) {
            Some("channels or filters are no multiples of 8")
        } else if memory != [Some(0); 3] {
            Some("memory does not begin at multiples of 16 bytes")
        } else if of.depth() == 0 || of.x.contains(&0) {
            Some("there are no pixels or channels")
        } else if !are_counted(of) {
            Some("32 bits do not count its tiles")
        } else {
            None
        }
    }

    /// The product of the rows of `a` and the filters in rows of `w`, which is written to `y`.
    pub(super) fn product(
        a: Matrix<'a, T>,
        w: Matrix<'a, T>,
        y: Output<'a, T>,
        bias: Option<Input<'a, T>>,
        epilogue: E,
    ) -> Result<Gemm<'a, T, T, E>, KernelError> {
        let (rows, filters) = (a.layout().rows, w.layout().rows);
        Ok(Gemm::of(a, w.t(), matrix_mut(y, rows, filters)?, bias, epilogue))
    }

    /// The product of the pixels as they lie.
    fn of_pixels(self) -> Result<Gemm<'a, T, T, E>, KernelError> {
        let of = self.geometry();
        let Self { x, w, y, bias, epilogue, .. } = self;
        let (a, w) = (
            matrix(x.into_memory(), of.pixels(), of.depth())?,
            matrix(w.into_memory(), of.w[0], of.depth())?,
        );
        Self::product(a, w, y.into_memory(), bias, epilogue)
    }

    /// The same call for a plan.
    fn planned(&self) -> Self {
        let Self { x, w, y, bias, epilogue, moves, tile } = self;
        Self {
            x: x.clone(),
            w: w.clone(),
            y: y.planned(),
            bias: bias.clone(),
            epilogue: *epilogue,
            moves: *moves,
            tile: *tile,
        }
    }
}

impl<'a, T: ConvolvedElement, E: Epilogue> Family<'a> for Conv2d<'a, T, E> {
    const NEEDS: (u32, u32) = (8, 0);

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        let of = self.check()?;
        let types = format!("{}, {}", short_name::<T>(), short_name::<E>());
        if of.y.contains(&0) {
            return Ok(Plan::nothing(types, "there are no results"));
        }
        match self.way(&of, limits)? {
            Way::Product => self.planned().of_pixels()?.plan(limits),
            Way::Boxes(choice, grid, why) => Ok(Plan {
                kernel: "conv2d_warpgroups",
                types,
                tile: choice.elements(),
                grid,
                block: THREADS,
                shared: choice.shared(),
                workspace: 0,
                why,
            }),
            Way::Patches(why) => Ok(patches_call::plan::<T>(&of, types, why, limits)),
        }
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        let (of, limits) = (self.geometry(), target.device.limits());
        match self.way(&of, limits)? {
            Way::Product => self.of_pixels()?.steps(plan, target),
            Way::Boxes(choice, ..) => Ok(vec![T::step(self, choice, plan, target)?]),
            Way::Patches(_) => patches_call::steps(self, plan, target),
        }
    }
}
