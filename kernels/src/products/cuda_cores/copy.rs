//! Copies of operands to stages of shared memory: `stage[e][line]` is element `e` of a line. Lines are rows of `a`, or columns of `b`.
//!
//! A stage inside of the matrix is copied from a pointer that goes along. Others are copied with a check of each element.

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

/// The line and the element of it that the calling thread copies first.
#[gpu_fn]
pub fn mine<const WIDTH: usize, const BESIDE: bool, const WIDE: bool>() -> [usize; 2] {
    let t = thread_idx().x as usize;
    if BESIDE && WIDE {
        [t % (WIDTH / 4) * 4, t / (WIDTH / 4)]
    } else if BESIDE {
        [t % WIDTH, t / WIDTH]
    } else {
        [t / ALONG, t % ALONG]
    }
}

/// The address of an element of a line, counted from the block's first line.
#[gpu_fn]
pub fn address<const BESIDE: bool>(from: *const f32, lines: Lines, line: usize, e: usize) -> *const f32 {
    let line = lines.first + line;
    from.wrapping_add(if BESIDE { e * lines.stride + line } else { line * lines.stride + e })
}

/// Starts copies of `DEPTH` elements of each of `WIDTH` lines, all of which exist, and returns the pointer for the next stage.
///
/// `from` is the address of the calling thread's first element, [`mine`], and `to` its place in the stage.
/// `BESIDE`: the elements of a line lie `stride` apart, and lines side by side; `WIDE`: in groups of four that begin at multiples of
/// 16 bytes.
#[gpu_fn]
pub fn copy_whole<const WIDTH: usize, const BESIDE: bool, const WIDE: bool>(
    to: *mut f32,
    from: *const f32,
    stride: usize,
) -> *const f32 {
    let row = WIDTH + PAD;
    let mut next = from;
    if BESIDE {
        let rows = if WIDE { ALL / (WIDTH / 4) } else { ALL / WIDTH };
        #[unroll]
        for pass in 0..DEPTH / rows {
            let place = to.wrapping_add(pass * rows * row);
            if WIDE {
                let (place, source) = (place as *mut F32x4, next as *const F32x4);
                unsafe { copy_async(&mut *place, &*source) }
            } else {
                unsafe { copy_async(&mut *place, &*next) }
            }
            next = next.wrapping_add(rows * stride);
        }
        next
    } else {
        #[unroll]
        for pass in 0..WIDTH * ALONG / ALL {
            #[unroll]
            for part in 0..DEPTH / ALONG {
                let place = to.wrapping_add(part * ALONG * row + pass * (ALL / ALONG));
                let source = next.wrapping_add(part * ALONG);
                unsafe { copy_async(&mut *place, &*source) }
            }
            next = next.wrapping_add(ALL / ALONG * stride);
        }
        from.wrapping_add(DEPTH)
    }
}

/// The same where lines end in the stage, or where there are fewer: elements that do not exist become zeros.
///
/// `stage` and `from` are the beginnings of the stage and of the operand, and `start` is the first element of the lines.
#[gpu_fn]
pub fn copy_ragged<const WIDTH: usize, const BESIDE: bool>(
    stage: *mut f32,
    from: *const f32,
    lines: Lines,
    start: usize,
) {
    let row = WIDTH + PAD;
    for i in (thread_idx().x as usize..WIDTH * DEPTH).step_by(ALL) {
        let (line, e) = if BESIDE { (i % WIDTH, i / WIDTH) } else { (i / DEPTH, i % DEPTH) };
        let place = stage.wrapping_add(e * row + line);
        let source = address::<BESIDE>(from, lines, line, start + e);
        unsafe {
            if lines.first + line < lines.count && start + e < lines.depth {
                copy_async(&mut *place, &*source);
            } else {
                *place = 0.0;
            }
        }
    }
}
