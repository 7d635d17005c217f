//! Rotary embedding: pairs of elements of each head, rotated by angles that depend on the token.

use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::packed::{Packed, RowElement, Words};
use crate::argument::{Input, Layout, Matrix, MatrixMut, one_for_each, same_extents, side_by_side};
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::pack::PACK_BYTES;

/// Threads of a block.
const THREADS: u32 = 256;

/// Heads of tokens. Lengths are in elements or packs, whichever an instruction loads.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Heads {
    /// Number of tokens.
    pub tokens: usize,
    /// Heads of a token.
    pub heads: usize,
    /// Half of the length of a head.
    pub half: usize,
    /// From one token of the input to the next.
    pub x_stride: usize,
    /// From one token of the output to the next.
    pub y_stride: usize,
}

/// Rotates the pairs of elements `k` and `k + half` of each head, or `2k` and `2k + 1` if they are `interleaved`.
///
/// `cos` and `sin` have the angles of a position side by side, one for each pair. The position of a token is its number, or that of
/// the list. Tokens whose position has no angles are not rotated. `x` and `y` may be the same memory: a thread reads the elements that it
/// writes, and no others.
#[gpu_kernel(launch_bounds(THREADS))]
pub fn rotary_heads<P: Packed, A: Packed, const N: usize, const M: usize>(
    x: &[P],
    y: &mut [P],
    cos: &[A],
    sin: &[A],
    positions: &[u32],
    heads: Heads,
    #[comptime] interleaved: bool,
    #[comptime] has_positions: bool,
) {
    let of_token = heads.heads * heads.half;
    for i in (global_id()..heads.tokens * of_token).step_by(global_size()) {
        let (token, k) = (i / of_token, i % heads.half);
        let head = i % of_token / heads.half * 2 * heads.half;
        let position = if has_positions { positions[token] as usize } else { token };
        let angles = (position * heads.half + k) * N;
        let has_angles = angles + N <= cos.len() * M;
        let step = if interleaved { 1 } else { heads.half };
        let first = head + if interleaved { 2 * k } else { k };
        let (from, to) = (token * heads.x_stride + first, token * heads.y_stride + first);
        let (a, b) = (x[from], x[from + step]);
        let (mut c, mut d) = (a, b);
        #[unroll]
        for j in 0..N {
            let mut cosine = 1.0;
            let mut sine = 0.0;
            if has_angles {
                cosine = cos[(angles + j) / M].get(j % M);
                sine = sin[(angles + j) / M].get(j % M);
            }
            if interleaved {
                // Pack `a` has the first half of the pairs.
                let of_a = 2 * j < N;
                let at = 2 * j % N;
                let (u, v) = if N == 1 {
                    (a.get(0), b.get(0))
                } else if of_a {
                    (a.get(at), a.get(at + 1))
                } else {
                    (b.get(at), b.get(at + 1))
                };
                let (p, q) = (u * cosine - v * sine, v * cosine + u * sine);
                if N == 1 {
                    c = c.with(0, p);
                    d = d.with(0, q);
                } else if of_a {
                    c = c.with(at, p).with(at + 1, q);
                } else {
                    d = d.with(at, p).with(at + 1, q);
                }
            } else {
                let (u, v) = (a.get(j), b.get(j));
                c = c.with(j, u * cosine - v * sine);
                d = d.with(j, v * cosine + u * sine);
            }
        }
        y[to] = c;
        y[to + step] = d;
    }
}

/// Rotary embedding: `(a, b)` becomes `(a cos - b sin, b cos + a sin)` for the pairs of each head, computed in `f32`.
///
/// `x`, `y`: `[tokens, heads * width]`, of any stride between tokens; `cos`, `sin`: `[positions, width / 2]`, row after row, with an angle
/// for each pair. A pair is the elements `k` and `k + width / 2` of a head; with [`interleaved`](Call::interleaved), `2k` and `2k + 1`. The
/// position of a token is its index, unless [`positions`](Call::positions) sets others.
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if lengths and extents do not fit or a matrix is transposed,
/// [`KernelError::Overlap`] if `y` shares memory with another argument.
pub fn rotary<'a, T: RowElement>(
    device: &Device,
    x: Matrix<'a, T>,
    heads: usize,
    cos: impl SliceArg<'a, f32>,
    sin: impl SliceArg<'a, f32>,
    y: MatrixMut<'a, T>,
) -> Call<'a, Rotary<'a, T>> {
    let (layout, memory) = (x.layout(), x.into_memory());
    Call::new(device, Rotary::new(memory, layout, heads, [Input::new(cos), Input::new(sin)], y, false))
}

/// Replaces `y` by its rotary embedding, as [`rotary`] computes it.
///
/// # Errors
/// Those of [`rotary`].
pub fn rotary_in_place<'a, T: RowElement>(
    device: &Device,
    y: MatrixMut<'a, T>,
    heads: usize,
    cos: impl SliceArg<'a, f32>,
    sin: impl SliceArg<'a, f32>,
) -> Call<'a, Rotary<'a, T>> {
    let (layout, memory) = (y.layout(), y.memory().read());
    Call::new(device, Rotary::new(memory, layout, heads, [Input::new(cos), Input::new(sin)], y, true))
}

/// A rotary embedding with its arguments.
pub struct Rotary<'a, T> {
    x: Input<'a, T>,
    layout: Layout,
    heads: usize,
    cos: Input<'a, f32>,
    sin: Input<'a, f32>,
    y: MatrixMut<'a, T>,
    positions: Option<Input<'a, u32>>,
    is_interleaved: bool,
    in_place: bool,
}

impl<'a, T: RowElement> Call<'a, Rotary<'a, T>> {
    /// Takes neighbouring elements as pairs.
    pub fn interleaved(self) -> Self {
        self.map(|rotary| Rotary { is_interleaved: true, ..rotary })
    }

    /// Sets the position of each token: a row of `cos` and `sin`. Tokens whose position is not a valid row are not rotated.
    pub fn positions(self, positions: impl SliceArg<'a, u32>) -> Self {
        self.map(|rotary| Rotary { positions: Some(Input::new(positions)), ..rotary })
    }
}

impl<'a, T: RowElement> Rotary<'a, T> {
    fn new(
        x: Input<'a, T>,
        layout: Layout,
        heads: usize,
        [cos, sin]: [Input<'a, f32>; 2],
        y: MatrixMut<'a, T>,
        in_place: bool,
    ) -> Self {
        Self { x, layout, heads, cos, sin, y, positions: None, is_interleaved: false, in_place }
    }

    /// Half of the length of a head.
    fn half(&self) -> usize {
        self.layout.cols / self.heads.max(1) / 2
    }

    fn check(&self) -> Result<(), KernelError> {
        let Layout { rows, cols, .. } = self.layout;
        side_by_side("x", self.layout)?;
        same_extents("y", self.y.layout(), self.layout)?;
        if self.half() * 2 * self.heads != cols {
            return Err(KernelError::Shape {
                what: "x",
                expected: format!(
                    "a multiple of {} columns, two for each of the heads",
                    self.heads.saturating_mul(2)
                ),
                got: format!("{cols} columns"),
                way_out: "pass the number of heads, and heads of an even length",
            });
        }
        let whole = self.half().max(1);
        let least = if self.positions.is_some() { 0 } else { rows * self.half() };
        for (what, table) in [("cos", &self.cos), ("sin", &self.sin)] {
            if table.len() < least || !table.len().is_multiple_of(whole) || table.len() != self.cos.len() {
                return Err(KernelError::Shape {
                    what,
                    expected: format!("{} for each position, and a position for each token", self.half()),
                    got: format!("{} elements", table.len()),
                    way_out: "pass tables of the same extents, or `.positions(…)` of the tokens",
                });
            }
        }
        let y = self.y.memory();
        if !self.in_place {
            y.apart_from("y", &self.x, "x")?;
        }
        y.apart_from("y", &self.cos, "cos")?;
        y.apart_from("y", &self.sin, "sin")?;
        let Some(positions) = &self.positions else { return Ok(()) };
        one_for_each("positions", positions.len(), rows, "row of `x`")?;
        y.apart_from("y", positions, "positions")
    }

    /// Elements of an access.
    fn pack(&self) -> usize {
        let pack = PACK_BYTES / size_of::<T>();
        let begins = [
            self.x.misalignment(),
            self.y.memory().misalignment(),
            self.cos.misalignment(),
            self.sin.misalignment(),
        ];
        let lengths = [self.half(), self.layout.row_stride, self.y.layout().row_stride];
        let fits = begins.into_iter().all(|begin| begin == Some(0))
            && lengths.into_iter().all(|length| length.is_multiple_of(pack));
        if fits { pack } else { 1 }
    }
}

impl<'a, T: RowElement> Family<'a> for Rotary<'a, T> {
    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let Layout { rows, cols, .. } = self.layout;
        if rows == 0 || cols == 0 {
            return Ok(Plan::nothing(short_name::<T>(), "there are no elements"));
        }
        let pack = self.pack();
        let accesses = (rows * cols / 2).div_ceil(pack);
        Ok(Plan {
            kernel: "rotary_heads",
            types: short_name::<T>(),
            tile: THREADS as usize * 2 * pack,
            grid: accesses.div_ceil(THREADS as usize).min(MOST_BLOCKS) as u32,
            block: THREADS,
            shared: 0,
            workspace: 0,
            why: match pack {
                1 => "accesses of one element, as half a head, a stride or an address is no multiple of 16 bytes".to_owned(),
                _ => format!("accesses of {PACK_BYTES} bytes"),
            },
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![match self.pack() {
            1 => launched::<T, T, f32, 1, 1>(self, plan, target)?,
            4 => launched::<T, Words<T>, Words<f32>, 4, 4>(self, plan, target)?,
            _ => launched::<T, Words<T>, Words<f32>, 8, 4>(self, plan, target)?,
        }])
    }
}

/// The launch with elements or packs.
fn launched<'a, T: RowElement, P: Packed, A: Packed, const N: usize, const M: usize>(
    rotary: Rotary<'a, T>,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let heads = Heads {
        tokens: rotary.layout.rows,
        heads: rotary.heads,
        half: rotary.half() / N,
        x_stride: rotary.layout.row_stride / N,
        y_stride: rotary.y.layout().row_stride / N,
    };
    let Rotary { x, cos, sin, y, positions, is_interleaved, .. } = rotary;
    let (x, mut y) = (x.values::<P>(), y.into_memory().into_values::<P>());
    let (cos, sin) = (cos.values::<A>(), sin.values::<A>());
    let has_positions = positions.is_some();
    let positions = positions.unwrap_or_else(|| x.nothing().values());
    Ok(step!(
        target,
        (plan.grid, THREADS),
        rotary_heads::<P, A, N, M>(&x, &mut y, &cos, &sin, &positions, heads, is_interleaved, has_positions)
    ))
}
