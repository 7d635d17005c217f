//! Calls that are refused, by their texts.

use warpsmith::args::{KernelArg, SliceArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut, tensor4, tensor4_mut};
use warpsmith_kernels::attention::{
    Attention, attention, attention_backward, heads, heads_mut, packed, packed_mut, paged_attention,
    varlen_attention,
};
use warpsmith_kernels::convolution::conv2d;
use warpsmith_kernels::images::{Interpolation, Taps, bilateral, convolve, resize, stencil2d};
use warpsmith_kernels::movement::{permute, transpose};
use warpsmith_kernels::reduction::{Sum, dot, reduce};
use warpsmith_kernels::rows::{cross_entropy, rms_norm, softmax};
use warpsmith_kernels::{Call, Family, KernelError, Plan, Step, Target};

#[track_caller]
fn refused<T>(result: Result<T, KernelError>, text: &str) {
    match result {
        Err(error) => assert_eq!(error.to_string(), text),
        Ok(_) => panic!("not refused: {text}"),
    }
}

#[test]
fn lengths_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 12]).expect("memory");
    let z = device.upload(&[1.0f32; 11]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(2).expect("memory");
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).run(),
        "`y` has 2 elements, but needs 1, one for each result; pass a buffer of that length, or a part: `y.slice_mut(..n)?`",
    );
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).axis(&[3, 5], 0).plan(),
        "`x` has 12 elements, but needs as many as the extents [3, 5] make up; \
         pass the extents of the array, or a part of the memory",
    );
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).axis(&[3, 4], 2).prepare(),
        "`axis` has the value 2, but needs to be below 2, the number of extents; axes are counted from zero",
    );
    refused(
        reduce::<Sum<f32>>(&device, &x, &mut y).axis(&[usize::MAX, 2], 0).plan(),
        "`x` has 12 elements, but needs as many as the extents [18446744073709551615, 2] make up; \
         pass the extents of the array, or a part of the memory",
    );
    refused(
        dot(&device, &x, &z, y.slice_mut(..1).expect("a part")).run(),
        "`z` has 11 elements, but needs 12, as many as `x`; pass parts of equal length",
    );
    refused(
        matrix(&x, 4, 4),
        "`matrix` has 12 elements, but needs 16, for 4 rows and 4 columns; pass more memory, or smaller extents",
    );
    refused(
        matrix(&x, 3, 4).expect("it fits").stride(3),
        "`stride` has 3 elements, but needs at least the 4 elements of a row; rows must not overlap",
    );
}

#[test]
fn images_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 12]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(12).expect("memory");
    let from = || matrix(&x, 3, 4).expect("it fits");
    let taps = Taps::star(1.0, &[]);
    refused(
        stencil2d(&device, &taps, from(), matrix_mut(&mut y, 4, 3).expect("it fits")).run(),
        "`y` has 4 rows and 3 columns, but needs the 3 rows and 4 columns of `x`; pass matrices of the same extents",
    );
    refused(
        stencil2d(&device, &taps, from(), matrix_mut(&mut y, 3, 4).expect("it fits")).images(2).run(),
        "`images` has the value 2, but needs a number that divides the 3 rows of `x`; \
         all of them have the same number of rows",
    );
    refused(
        convolve(&device, &[1.0], &[1.0; 2], from(), matrix_mut(&mut y, 3, 4).expect("it fits")).run(),
        "`across` has 2 weights, but needs an odd number, that of the result's own place in the middle; \
         add a zero at one end",
    );
    let mut filter = |radius, range, text| {
        let to = matrix_mut(&mut y, 3, 4).expect("it fits");
        refused(bilateral(&device, radius, 1.0, range, from(), to).plan(), text);
    };
    filter(
        1,
        0.0,
        "`range` has the value 0, but needs a number above zero; a great one makes all weights alike",
    );
    filter(
        5000,
        1.0,
        "`radius` has the value 5000, but needs at most 4096 pixels; filter a smaller image, from `resize`",
    );
    let no_rows = matrix(&x, 0, 4).expect("it fits");
    refused(
        resize(&device, Interpolation::Nearest, no_rows, matrix_mut(&mut y, 3, 4).expect("it fits")).plan(),
        "`x` has 0 rows and 4 columns, but needs a pixel at least; no image can be made of none",
    );
    refused(
        resize(&device, Interpolation::Nearest, from(), matrix_mut(&mut y, 3, 4).expect("it fits"))
            .channels(0)
            .plan(),
        "`channels` has the value 0, but needs a number that divides the 4 columns of `x`; \
         the samples of a pixel lie side by side",
    );
}

#[test]
fn a_plan_says_what_and_why() {
    let device = Device::simulator();
    let x = device.upload(&vec![1.0f32; 100_000]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(1).expect("memory");
    let plan = reduce::<Sum<f32>>(&device, &x, &mut y).plan().expect("it fits");
    assert_eq!(
        plan.to_string(),
        "reduce_rows<Sum<f32>>: 7 blocks of 256 threads, 14286 elements a block, 36 bytes of shared memory, \
         32 bytes of workspace; 7 blocks share a row, and the last joins their results"
    );
}

#[test]
fn matrices_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 12]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(12).expect("memory");
    let mut three = device.alloc_zeroed::<f32>(3).expect("memory");
    let of = |rows, cols| matrix(&x, rows, cols).expect("it fits");
    refused(
        softmax(&device, of(3, 4), matrix_mut(&mut y, 4, 3).expect("it fits")).run(),
        "`y` has 4 rows and 3 columns, but needs the 3 rows and 4 columns of `x`; pass matrices of the same extents",
    );
    refused(
        softmax(&device, of(3, 4).t(), matrix_mut(&mut y, 4, 3).expect("it fits")).run(),
        "`x` has 4 elements from one column to the next, but needs rows whose elements lie side by side; \
         transpose it into a matrix of its own first, with `movement::transpose`",
    );
    refused(
        rms_norm(&device, of(3, 4), matrix_mut(&mut y, 3, 4).expect("it fits")).weight(&three).run(),
        "`weight` has 3 elements, but needs 4, one for each column of `x`; pass a part of that length: `.slice(..n)?`",
    );
    refused(
        cross_entropy(&device, of(3, 4), &device.upload(&[1u32; 4]).expect("memory"), &mut three).run(),
        "`targets` has 4 elements, but needs 3, one for each row of `x`; pass a part of that length: `.slice(..n)?`",
    );
    refused(
        transpose(&device, of(3, 4), matrix_mut(&mut y, 3, 4).expect("it fits")).run(),
        "`y` has 3 rows and 4 columns, but needs 4 rows and 3 columns; \
         a copy has the extents of `x`, a transpose those of `x.t()`",
    );
    refused(
        permute(&device, &x, &[3, 4], &[0, 0], &mut y).run(),
        "`axes` has the value [0, 0], but needs each axis of [3, 4] once, of at most 6; \
         axes are counted from zero; join axes that stay side by side",
    );
    refused(
        permute(&device, &x, &[3, 5], &[1, 0], &mut y).run(),
        "`x` has 12 elements, but needs as many as the extents make up; \
         pass the extents of the array, or a part of the memory",
    );
}

/// A setting of a call.
type Change = for<'a> fn(Call<'a, Attention<'a, bf16>>) -> Call<'a, Attention<'a, bf16>>;

#[test]
fn heads_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[bf16::ZERO; 320]).expect("memory");
    let mut y = device.alloc_zeroed::<bf16>(320).expect("memory");
    let mut lse = device.alloc_zeroed::<f32>(8).expect("memory");
    let of = |extents| heads(&x, extents).expect("it fits");
    refused(
        heads(&x, [2, 3, 4, 16]),
        "`heads` has 320 elements, but needs 384, for all sequences, heads and tokens; pass more memory, or smaller extents",
    );
    refused(
        of([2, 2, 4, 16]).strides([128, 64, 8]),
        "`strides` has a distance of 8 elements, but needs at least 16, the elements that lie within one distance; \
         vectors must not overlap",
    );
    let mut check = |[q, k, v]: [[usize; 4]; 3], change: Change, text| {
        let to = heads_mut(&mut y, q).expect("it fits");
        refused(change(attention(&device, of(q), of(k), of(v), to)).plan(), text);
    };
    let (q, k) = ([1, 4, 3, 16], [1, 2, 5, 16]);
    check(
        [q, k, [1, 2, 4, 16]],
        |call| call,
        "`v` has the extents [1, 2, 4, 16], but needs [1, 2, 5, 16], those of `k`; \
         extents are sequences, heads, tokens and elements of a vector",
    );
    check(
        [q, [1, 3, 5, 16], [1, 3, 5, 16]],
        |call| call,
        "`k` has 3 heads, but needs a number of heads that divides the 4 of `q`; \
         as many heads of queries share each head of keys",
    );
    check(
        [[1, 4, 3, 12], [1, 2, 5, 12], [1, 2, 5, 12]],
        |call| call,
        "`q` has vectors of 12 elements, but needs a multiple of 8 up to 256; \
         copy shorter vectors to longer ones that end with zeros",
    );
    check(
        [q, k, k],
        |call| call.scale(0.0),
        "`scale` has the value 0, but needs a positive number; negate the queries instead",
    );
    let call = attention(&device, of(q), of(k), of(k), heads_mut(&mut y, q).expect("it fits"));
    refused(
        call.lse(&mut lse).run(),
        "`lse` has 8 elements, but needs 12, one for each query of each head; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`",
    );
    let behind = heads(x.slice(1..).expect("a part"), k).expect("it fits");
    refused(
        attention(&device, of(q), behind, of(k), heads_mut(&mut y, q).expect("it fits")).run(),
        "`k` has strides of [160, 80, 16] elements, and 7 elements before the first multiple, but needs all vectors to begin at \
         multiples of 16 bytes; copy it to memory of its own, with `movement::copy`",
    );
    let words = device.upload(&[0u32; 3]).expect("memory");
    refused(
        paged_attention(
            &device,
            of([3, 2, 1, 16]),
            of([2, 2, 5, 16]),
            of([2, 2, 5, 16]),
            matrix(&words, 1, 3).expect("it fits"),
            &words,
            heads_mut(&mut y, [3, 2, 1, 16]).expect("it fits"),
        )
        .run(),
        "`table` has 1 rows, but needs 3, one for each sequence; a row has the numbers of the pages of a sequence",
    );
}

#[test]
fn sequences_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[bf16::ZERO; 96]).expect("memory");
    let mut y = device.upload(&[bf16::ZERO; 96]).expect("memory");
    let words = device.upload(&[0u32; 4]).expect("memory");
    let mut check = |extents: [usize; 4], [of_q, of_k]: [usize; 2], text: &str| {
        let of = || heads(&x, extents).expect("it fits");
        let (of_q, of_k) = (words.slice(..of_q).expect("a part"), words.slice(..of_k).expect("a part"));
        let to = heads_mut(&mut y, extents).expect("it fits");
        refused(varlen_attention(&device, of(), of(), of(), of_q, of_k, to).plan(), text);
    };
    check(
        [2, 1, 3, 16],
        [3, 3],
        "`q` has 2 sequences, but needs one, with the tokens of all; \
         make it with `packed`, whose extents are tokens, heads and elements of a vector",
    );
    let prefix = "an offset is the number of tokens of all sequences before; the last offset is the number of all tokens";
    check(
        [1, 1, 6, 16],
        [0, 3],
        &format!("`offsets_q` has 0 elements, but needs 1, one more than sequences; {prefix}"),
    );
    check(
        [1, 1, 6, 16],
        [3, 4],
        &format!("`offsets_k` has 4 elements, but needs 3, one more than sequences; {prefix}"),
    );
    let of = || packed(&x, [3, 2, 16]).expect("it fits");
    let mut few = device.upload(&[0.0f32; 5]).expect("memory");
    let to = packed_mut(&mut y, [3, 2, 16]).expect("it fits");
    refused(
        varlen_attention(&device, of(), of(), of(), &words, &words, to).lse(&mut few).run(),
        "`lse` has 5 elements, but needs 6, one for each query of each head; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`",
    );
}

#[test]
fn gradients_that_do_not_fit_are_named() {
    let device = Device::simulator();
    let x = device.upload(&[bf16::ZERO; 272]).expect("memory");
    let lse = device.alloc_zeroed::<f32>(2).expect("memory");
    let mut results = [0; 3].map(|_| device.alloc_zeroed::<bf16>(272).expect("memory"));
    let mut check = |of_q: [usize; 4], of_o, of_dk, text| {
        let of = |extents| heads(&x, extents).expect("it fits");
        let [dq, dk, dv] = &mut results;
        let to = [(dq, of_q), (dk, of_dk), (dv, of_q)].map(|(x, of)| heads_mut(x, of).expect("it fits"));
        let inputs = [of(of_q), of(of_q), of(of_q)];
        refused(attention_backward(&device, inputs, of(of_q), &lse, of(of_o), to).plan(), text);
    };
    let q = [1, 1, 2, 16];
    check(
        q,
        [1, 1, 3, 16],
        q,
        "`of_o` has the extents [1, 1, 3, 16], but needs [1, 1, 2, 16], those of `q`; \
         extents are sequences, heads, tokens and elements of a vector",
    );
    check(
        q,
        q,
        [1, 2, 1, 16],
        "`dk` has the extents [1, 2, 1, 16], but needs [1, 1, 2, 16], those of `k`; \
         extents are sequences, heads, tokens and elements of a vector",
    );
    let wide = [1, 1, 2, 136];
    check(
        wide,
        wide,
        wide,
        "`q` has vectors of 136 elements, but needs a multiple of 8 up to 128; `gemm` and `softmax` take scores of wider vectors",
    );
    let longer = [1, 2, 2, 16];
    check(
        longer,
        longer,
        longer,
        "`lse` has 2 elements, but needs 4, one for each query of each head; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`",
    );
}

#[test]
fn plans_of_matrices_say_what_and_why() {
    let device = Device::simulator();
    let x = device.upload(&vec![1.0f32; 4 * 8192]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(4 * 8192).expect("memory");
    let mut plan = |rows, cols| {
        let y = matrix_mut(&mut y, rows, cols).expect("it fits");
        softmax(&device, matrix(&x, rows, cols).expect("it fits"), y).plan().expect("it fits").to_string()
    };
    assert_eq!(
        plan(4, 8192),
        "rows_in_registers<Softmax, f32>: 4 blocks of 512 threads, 8192 elements a block, 256 bytes of shared memory, \
         0 bytes of workspace; loads of 16 bytes; 512 threads have a row in registers, in up to 4 accesses each"
    );
    assert_eq!(
        plan(100, 33),
        "rows_in_registers<Softmax, f32>: 2 blocks of 256 threads, 2112 elements a block, 0 bytes of shared memory, \
         0 bytes of workspace; loads of one element, as a row is no multiple of 16 bytes; \
         4 threads have a row in registers, in up to 9 accesses each"
    );
    let plan = transpose(
        &device,
        matrix(&x, 256, 128).expect("it fits"),
        matrix_mut(&mut y, 128, 256).expect("it fits"),
    );
    assert_eq!(
        plan.plan().expect("it fits").to_string(),
        "transpose_packs<f32>: 2 blocks of 256 threads, 16384 elements a block, 65536 bytes of shared memory, \
         0 bytes of workspace; the fastest axis of x is another one than that of y; accesses of 16 bytes"
    );
}

/// Memory that is an argument although something else has it.
struct Shared(KernelArg);

// SAFETY: the call is refused before anything runs.
unsafe impl<'a> SliceArg<'a, f32> for Shared {
    fn into_arg(self) -> KernelArg {
        self.0
    }
}

#[test]
fn memory_that_is_read_and_written_is_refused() {
    let device = Device::simulator();
    let mut x = device.upload(&[1.0f32; 12]).expect("memory");
    let again = || Shared(SliceArg::<f32>::into_arg(&x));
    let (whole, filters) = (again(), again());
    refused(
        reduce::<Sum<f32>>(&device, whole, x.slice_mut(3..4).expect("a part")).run(),
        "`y` and `x` overlap in device memory; pass parts that have no element in common",
    );
    let z = device.upload(&[1.0f32; 4]).expect("memory");
    let (images, filters) = (tensor4(&z, [1, 2, 2, 1]), tensor4(filters, [1, 2, 2, 1]));
    let y = tensor4_mut(x.slice_mut(3..4).expect("a part"), [1, 1, 1, 1]);
    refused(
        conv2d(&device, images.expect("it fits"), filters.expect("it fits"), y.expect("it fits")).run(),
        "`y` and `w` overlap in device memory; pass parts that have no element in common",
    );
}

/// A family whose kernels need a device that nobody has yet.
struct Future;

impl<'a> Family<'a> for Future {
    const NEEDS: (u32, u32) = (99, 0);

    fn plan(&self, _limits: &Limits) -> Result<Plan, KernelError> {
        let mut plan = Plan::nothing(String::new(), "a test");
        plan.kernel = "future";
        Ok(plan)
    }

    fn steps(self, _plan: &Plan, _target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        Ok(Vec::new())
    }
}

#[test]
fn a_device_that_is_too_old_is_refused() {
    refused(
        Call::new(&Device::simulator(), Future).prepare(),
        "future needs compute capability 99.0, and the device has 9.0",
    );
}
