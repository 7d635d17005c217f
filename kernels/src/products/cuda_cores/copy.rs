//! Copies of an operand to a ring of stages in shared memory: element `e` of a line lies at `[e][line]` of a stage. Lines are rows of `a`,
//! or columns of `b`.
//!
//! Where all elements of all stages exist, each thread's copies are a few instructions that stand between products. Others are copied
//! with a check of each element.

// Device code: `is_multiple_of` would be a call.
#![allow(clippy::manual_is_multiple_of)]

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::kernel::THREADS;

/// Elements of a line in a stage.
pub const DEPTH: usize = 16;
/// Unused elements between the rows of a stage: stores to columns of it hit different banks.
pub const PAD: usize = 4;
/// Elements of a line that neighbouring threads copy, where they lie side by side: 32 bytes.
const ALONG: usize = 8;
/// [`THREADS`] as elements are counted.
const ALL: usize = THREADS as usize;

/// The lines of one operand that a block reads.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Lines {
    /// The first line.
    pub first: usize,
    /// The number of lines of the operand.
    pub count: usize,
    /// Elements from one line to the next, or, if lines lie side by side, along a line.
    pub stride: usize,
    /// Elements of a line.
    pub depth: usize,
}

#[gpu_impl]
impl Lines {
    /// Whether every element of all stages of `DEPTH` elements of `WIDTH` lines exists.
    pub fn fill<const WIDTH: usize>(self) -> bool {
        self.first + WIDTH <= self.count && self.depth % DEPTH == 0 && self.depth > 0
    }
}

/// An operand on its way to stages of `DEPTH` elements of `WIDTH` lines.
///
/// `BESIDE`: the elements of a line lie `stride` apart, and lines side by side; `WIDE`: in groups of four that begin at multiples of
/// 16 bytes.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Feed<'a, const WIDTH: usize, const BESIDE: bool, const WIDE: bool> {
    /// Where the operand begins.
    from: *const f32,
    /// The first element that the calling thread copies in the next step.
    next: *const f32,
    lines: Lines,
    /// The ring.
    stages: *mut f32,
    memory: PhantomData<&'a f32>,
}

#[gpu_impl]
impl<'a, const WIDTH: usize, const BESIDE: bool, const WIDE: bool> Feed<'a, WIDTH, BESIDE, WIDE> {
    /// An operand that begins at `from`.
    pub fn new(from: *const f32, lines: Lines, stages: *mut f32) -> Feed<'a, WIDTH, BESIDE, WIDE> {
        let [line, e] = Self::mine();
        let (line, stride) = (lines.first + line, lines.stride);
        let next = from.wrapping_add(if BESIDE { e * stride + line } else { line * stride + e });
        Feed { from, next, lines, stages, memory: PhantomData }
    }

    /// The line and the element of it that the calling thread copies first.
    fn mine() -> [usize; 2] {
        let t = thread_idx().x as usize;
        if BESIDE && WIDE {
            [t % (WIDTH / 4) * 4, t / (WIDTH / 4)]
        } else if BESIDE {
            [t % WIDTH, t / WIDTH]
        } else {
            [t / ALONG, t % ALONG]
        }
    }

    /// Copies of each thread in a step.
    fn copies() -> usize {
        WIDTH * DEPTH / ALL / if BESIDE && WIDE { 4 } else { 1 }
    }

    /// Starts part `part` of `parts` of the calling thread's copies of a step to a stage, all of whose elements exist.
    pub fn copy(self, stage: usize, part: usize, parts: usize) {
        let [line, e] = Self::mine();
        let row = WIDTH + PAD;
        let to = self.stages.wrapping_add(e * row + line + stage * DEPTH * row);
        #[unroll]
        for i in 0..Self::copies() {
            if i * parts / Self::copies() == part {
                if BESIDE && WIDE {
                    let rows = i * (ALL / (WIDTH / 4));
                    let place = to.wrapping_add(rows * row) as *mut F32x4;
                    let source = self.next.wrapping_add(rows * self.lines.stride) as *const F32x4;
                    unsafe { copy_async(&mut *place, &*source) }
                } else if BESIDE {
                    let rows = i * (ALL / WIDTH);
                    let (place, source) =
                        (to.wrapping_add(rows * row), self.next.wrapping_add(rows * self.lines.stride));
                    unsafe { copy_async(&mut *place, &*source) }
                } else {
                    let (lines, e) = (i / (DEPTH / ALONG) * (ALL / ALONG), i % (DEPTH / ALONG) * ALONG);
                    let place = to.wrapping_add(e * row + lines);
                    let source = self.next.wrapping_add(lines * self.lines.stride + e);
                    unsafe { copy_async(&mut *place, &*source) }
                }
            }
        }
    }

    /// Goes to the next step.
    pub fn advance(&mut self) {
        self.next = self.next.wrapping_add(if BESIDE { DEPTH * self.lines.stride } else { DEPTH });
    }

    /// Starts all copies of a step to a stage in which some lines or elements may not exist; those become zeros.
    pub fn copy_ragged(self, stage: usize, step: usize) {
        let Lines { first, count, stride, depth } = self.lines;
        let row = WIDTH + PAD;
        for i in (thread_idx().x as usize..WIDTH * DEPTH).step_by(ALL) {
            let (line, e) = if BESIDE { (i % WIDTH, i / WIDTH) } else { (i / DEPTH, i % DEPTH) };
            let place = self.stages.wrapping_add((stage * DEPTH + e) * row + line);
            let (line, e) = (first + line, step * DEPTH + e);
            let source = self.from.wrapping_add(if BESIDE { e * stride + line } else { line * stride + e });
            unsafe {
                if line < count && e < depth {
                    copy_async(&mut *place, &*source);
                } else {
                    *place = 0.0;
                }
            }
        }
    }
}
