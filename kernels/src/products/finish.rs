//! The last step of a product: sums become elements of `c`.

use warpsmith::prelude::*;

use super::Epilogue;

/// What sums are scaled by, and where `c`, the bias and the residual lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, GpuType)]
#[repr(C)]
pub struct Finish {
    /// Factor of the sums.
    pub alpha: f32,
    /// Factor of the elements that `c` has before; if zero, nothing reads them.
    pub beta: f32,
    /// Elements from one row of `c` to the next.
    pub c_stride: usize,
    /// Elements of the residual from one row to the next, and from one column to the next.
    pub residual_strides: [usize; 2],
    /// Elements from one residual of a batch to the next.
    pub residual_batch: usize,
    /// Whether the caller's matrices are the transposed ones of these.
    pub is_turned: bool,
    /// Whether there is a bias.
    pub has_bias: bool,
    /// Whether there is a residual.
    pub has_residual: bool,
}

#[gpu_impl]
impl Finish {
    /// The same, with what a kernel knows when it is compiled. Finishing a sum then tests none of these at run time.
    pub fn knowing(self, has_bias: bool, has_residual: bool, adds: bool) -> Finish {
        let beta = if adds { self.beta } else { 0.0 };
        Finish { beta, has_bias, has_residual, ..self }
    }
}

/// The memory that finishing a product reads, with how, where its product begins.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Finisher<'a, T, E> {
    how: Finish,
    bias: View<'a, T>,
    residual: View<'a, T>,
    epilogue: E,
}

#[gpu_impl]
impl<'a, T: Num + GpuType, E: Epilogue> Finisher<'a, T, E> {
    /// The finisher of a batch's product.
    pub fn new(
        how: Finish,
        bias: &'a [T],
        residual: &'a [T],
        epilogue: E,
        product: usize,
    ) -> Finisher<'a, T, E> {
        let start = if how.has_residual { product * how.residual_batch } else { 0 };
        let bias = unsafe { View::from_raw_parts(bias.as_ptr(), bias.len()) };
        let residual = unsafe { View::from_raw_parts(residual.as_ptr().add(start), residual.len() - start) };
        Finisher { how, bias, residual, epilogue }
    }

    /// The same for sums that are multiplied by `x` first.
    pub fn times(self, x: f32) -> Finisher<'a, T, E> {
        let mut times = self;
        times.how.alpha *= x;
        times
    }

    /// The number of the element at (`row`, `col`) in `c`.
    pub fn place(self, row: usize, col: usize) -> usize {
        row * self.how.c_stride + col
    }

    /// Whether the elements that `c` has before are added.
    pub fn adds(self) -> bool {
        self.how.beta != 0.0
    }

    /// The element of `c` at (`row`, `col`) for its sum, and for the element that is there.
    ///
    /// A call's arguments fit together, so bias and residual have all of these elements. Checks of their indices, beside each sum, would
    /// take the registers of sums.
    pub fn element(self, sum: f32, old: f32, row: usize, col: usize) -> T {
        let how = self.how;
        let mut x = how.alpha * sum;
        if how.beta != 0.0 {
            x += how.beta * old;
        }
        let (r, c) = if how.is_turned { (col, row) } else { (row, col) };
        if how.has_bias {
            x += unsafe { *self.bias.as_ptr().wrapping_add(c) }.cast::<f32>();
        }
        x = self.epilogue.apply(x, r, c);
        if how.has_residual {
            let [down, along] = how.residual_strides;
            x += unsafe { *self.residual.as_ptr().wrapping_add(r * down + c * along) }.cast::<f32>();
        }
        x.cast::<T>()
    }
}

#[gpu_impl]
impl<T: Num + GpuType, E: Epilogue> Finisher<'_, T, E> {
    /// The element for the sum at (`row`, `col`) of `m` × `n`, as a float. `beta` is zero. A sum outside, of which there is no element, is
    /// finished as one of the last row or column.
    pub fn inside(self, sum: f32, row: usize, col: usize, m: usize, n: usize) -> f32 {
        self.element(sum, 0.0, row.min(m - 1), col.min(n - 1)).cast::<f32>()
    }

    /// The same, with the element of `c`, which begins at `c`.
    pub fn in_place(self, sum: f32, row: usize, col: usize, c: *const T, m: usize, n: usize) -> f32 {
        let mut old = 0.0;
        if self.how.beta != 0.0 && row < m && col < n {
            old = unsafe { *c.wrapping_add(row * self.how.c_stride + col) }.cast::<f32>();
        }
        if row < m && col < n { self.element(sum, old, row, col).cast::<f32>() } else { 0.0 }
    }
}

#[gpu_impl]
impl<E: Epilogue> Finisher<'_, f32, E> {
    /// Stores the elements of a row from (`row`, `col`) on, the first `count` of four. The address of the first is `to`; if `is_wide`,
    /// it is a multiple of 16 bytes.
    pub fn store_four(
        self,
        sums: [f32; 4],
        row: usize,
        col: usize,
        count: usize,
        to: *mut f32,
        is_wide: bool,
    ) {
        let place = to as *mut F32x4;
        let mut old = [0.0f32; 4];
        if self.how.beta != 0.0 {
            #[unroll]
            for j in 0..4usize {
                if j < count {
                    old[j] = unsafe { *to.wrapping_add(j) };
                }
            }
        }
        let mut new = [0.0f32; 4];
        #[unroll]
        for j in 0..4usize {
            if j < count {
                new[j] = self.element(sums[j], old[j], row, col + j);
            }
        }
        if is_wide && count >= 4 {
            unsafe { *place = F32x4::new(new[0], new[1], new[2], new[3]) }
        } else {
            #[unroll]
            for j in 0..4usize {
                if j < count {
                    unsafe { *to.wrapping_add(j) = new[j] }
                }
            }
        }
    }
}
