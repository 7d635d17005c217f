#!/usr/bin/env python3
"""Times functions of rows and movements beside PyTorch's, Triton's and cuBLAS', in turns, and prints one table.

Call: matrices.py BINARY [SIZE...] [NAME...], where BINARY is the bench `collection` and SIZE is a number of elements (2^27 of rows of 8192,
2^28 of square matrices). The peers are kernels written in Triton, PyTorch's own, those that torch.compile writes, `cublasSgeam`, and a
copy from device to device. Each result is compared with PyTorch's in `f32` first. The columns are the function, the peer, the number of
elements, how it was launched, GB/s of both, and the ratio.
"""

import ctypes
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

from torch_timing import random, timed  # noqa: E402
from turn_taking import Server, median, take_turns  # noqa: E402

COLS = 8192


@triton.jit
def softmax_rows(y, x, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < cols
    values = tl.load(x + row * cols + at, mask=inside, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * cols + at, (powers / tl.sum(powers, axis=0)).to(y.dtype.element_ty), mask=inside)


@triton.jit
def rms_norm_rows(y, x, weight, cols, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < cols
    values = tl.load(x + row * cols + at, mask=inside, other=0.0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(values * values, axis=0) / cols + epsilon)
    weights = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * cols + at, (values * factor * weights).to(y.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm_rows(y, x, weight, cols, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < cols
    values = tl.load(x + row * cols + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / cols
    distance = tl.where(inside, values - mean, 0.0)
    factor = tl.rsqrt(tl.sum(distance * distance, axis=0) / cols + epsilon)
    weights = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * cols + at, (distance * factor * weights).to(y.dtype.element_ty), mask=inside)


def checked(launch, want, y):
    """The launch, if it gives what is wanted."""
    launch()
    torch.testing.assert_close(y, want, rtol=2e-2, atol=2e-2)
    return timed(launch)


def compiled(function):
    """A function compiled by torch.compile, or `None` if that fails."""
    fast = torch.compile(function, dynamic=False)
    try:
        fast()
        return timed(fast)
    except Exception as reason:  # It needs a C compiler.
        print("no torch.compile:", str(reason).splitlines()[0], file=sys.stderr)
        return None


def rows(kernel, reference, dtype, has_weight):
    """A Triton kernel with the best number of warps, PyTorch's function, and that compiled."""

    def make(size):
        x = random(size // COLS, COLS, dtype=dtype)
        y, weight = torch.empty_like(x), torch.ones(COLS, device="cuda", dtype=dtype)
        more = (weight, COLS, 1e-5) if has_weight else (COLS,)

        def by(warps):
            return lambda: kernel[(size // COLS,)](y, x, *more, BLOCK=COLS, num_warps=warps)

        warps = min((4, 8, 16, 32), key=lambda warps: timed(by(warps))(9))
        whole = lambda: reference(x, weight)  # noqa: E731
        peers = {"triton": checked(by(warps), whole(), y), "torch": timed(whole), "compiled": compiled(whole)}
        return {name: run for name, run in peers.items() if run}

    return make


def cublas():
    library = ctypes.CDLL(next(name for name in open("/proc/self/maps").read().split() if "libcublas.so" in name))
    handle = ctypes.c_void_p()
    assert library.cublasCreate_v2(ctypes.byref(handle)) == 0
    return library, handle


def square(dtype):
    """cublasSgeam of `f32`, PyTorch's transposing copy, and a copy from device to device."""

    def make(size):
        m = int(size**0.5)
        if dtype.is_floating_point:
            x = torch.rand(m, m, device="cuda", dtype=dtype)
        else:
            x = torch.randint(0, 100, (m, m), device="cuda", dtype=dtype)
        y = torch.empty_like(x)
        peers = {"torch": checked(lambda: y.copy_(x.t()), x.t(), y), "copy": timed(lambda: y.copy_(x))}
        if dtype == torch.float32:
            torch.matmul(x[:16, :16], x[:16, :16])  # loads cuBLAS
            library, handle = cublas()
            assert library.cublasSetStream_v2(handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)) == 0
            one, zero = ctypes.c_float(1), ctypes.c_float(0)
            at = lambda t: ctypes.c_void_p(t.data_ptr())  # noqa: E731

            def geam():
                library.cublasSgeam(
                    handle, 1, 0, m, m, ctypes.byref(one), at(x), m, ctypes.byref(zero), at(y), m, at(y), m
                )

            peers["geam"] = checked(geam, x.t(), y)
        return peers

    return make


def copies():
    def make(size):
        x = torch.rand(size, device="cuda")
        y = torch.empty_like(x)
        return {"copy": timed(lambda: y.copy_(x))}

    return make


def permuted(shape, axes, dtype):
    def make(size):
        x = torch.rand(*shape(size), device="cuda").to(dtype)
        y = torch.empty_like(x.permute(*axes), memory_format=torch.contiguous_format)
        return {"torch": timed(lambda: y.copy_(x.permute(*axes)))}

    return make


def soft(x, _):
    return F.softmax(x, dim=-1)


def log_soft(x, _):
    return F.log_softmax(x, dim=-1)


def rms(x, weight):
    return F.rms_norm(x, (COLS,), weight, 1e-5)


def layer(x, weight):
    return F.layer_norm(x, (COLS,), weight, None, 1e-5)


def only_torch(reference, dtype):
    def make(size):
        x = random(size // COLS, COLS, dtype=dtype)
        whole = lambda: reference(x, None)  # noqa: E731
        peers = {"torch": timed(whole), "compiled": compiled(whole)}
        return {name: run for name, run in peers.items() if run}

    return make


def top_k():
    def make(size):
        x = random(size >> 15, 1 << 15, dtype=torch.float32)
        return {"torch": timed(lambda: torch.topk(x, 64))}

    return make


def product(dtype, is_turned=False):
    """cuBLAS' product of a square matrix and a vector, by PyTorch, and a copy of half of the matrix' bytes, which moves as many."""

    def make(size):
        m = int(size**0.5)
        a, x = random(m, m, dtype=dtype), random(m, dtype=dtype)
        a = a.t() if is_turned else a
        y = torch.empty_like(x)
        half, to = torch.empty(2, size // 2, device="cuda", dtype=dtype)
        return {"cublas": timed(lambda: torch.mv(a, x, out=y)), "copy": timed(lambda: to.copy_(half))}

    return make


def joined(count, axis):
    """PyTorch's concatenation of matrices of 4096 columns, and a copy of as many bytes."""

    def make(size):
        parts = [torch.rand(size // count // 4096, 4096, device="cuda") for _ in range(count)]
        y = torch.cat(parts, axis)
        to = torch.empty_like(y)
        return {"torch": timed(lambda: torch.cat(parts, axis, out=y)), "copy": timed(lambda: to.copy_(y))}

    return make


def padded(margin, mode):
    """PyTorch's padding of planes of 512 × 512."""

    def make(size):
        x = torch.rand(size >> 18, 1, 512, 512, device="cuda")
        return {"torch": timed(lambda: F.pad(x, (margin,) * 4, mode=mode))}

    return make


def weighted(bins):
    """PyTorch's sums of weights in bins."""

    def make(size):
        x = torch.randint(0, bins, (size,), device="cuda", dtype=torch.int32)
        weights = torch.rand(size, device="cuda")
        return {"torch": timed(lambda: torch.bincount(x, weights, bins))}

    return make


def filled(fill):
    """PyTorch's fill with random numbers, by cuRAND's Philox."""

    def make(size):
        y = torch.empty(size, device="cuda")
        return {"torch": timed(lambda: fill(y))}

    return make


ROWS, SQUARE, VECTORS = 1 << 27, 1 << 28, 1 << 26

# The default number of elements, and a function that makes the peers.
FUNCTIONS = {
    "softmax_f32": (ROWS, rows(softmax_rows, soft, torch.float32, False)),
    "softmax_bf16": (ROWS, rows(softmax_rows, soft, torch.bfloat16, False)),
    "log_softmax_f32": (ROWS, only_torch(log_soft, torch.float32)),
    "rms_norm_f32": (ROWS, rows(rms_norm_rows, rms, torch.float32, True)),
    "rms_norm_bf16": (ROWS, rows(rms_norm_rows, rms, torch.bfloat16, True)),
    "layer_norm_bf16": (ROWS, rows(layer_norm_rows, layer, torch.bfloat16, True)),
    "top_k_f32": (ROWS, top_k()),
    "transpose_u8": (SQUARE, square(torch.uint8)),
    "transpose_u16": (SQUARE, square(torch.float16)),
    "transpose_f32": (SQUARE, square(torch.float32)),
    "transpose_f64": (SQUARE, square(torch.float64)),
    "copy_f32": (SQUARE, copies()),
    "heads_bf16": (SQUARE, permuted(lambda n: (16, 2048, n >> 22, 128), (0, 2, 1, 3), torch.bfloat16)),
    "gemv_f32": (VECTORS, product(torch.float32)),
    "gemv_f16": (VECTORS, product(torch.float16)),
    "gemv_bf16": (VECTORS, product(torch.bfloat16)),
    "gemv_f64": (VECTORS, product(torch.float64)),
    "gemv_t_f32": (VECTORS, product(torch.float32, True)),
    "gemv_t_bf16": (VECTORS, product(torch.bfloat16, True)),
    "uniform_f32": (SQUARE, filled(torch.Tensor.uniform_)),
    "normal_f32": (SQUARE, filled(torch.Tensor.normal_)),
    "concat_f32": (SQUARE, joined(2, 1)),
    "concat_rows_f32": (SQUARE, joined(8, 0)),
    "pad_f32": (SQUARE, padded(1, "constant")),
    "pad_reflect_f32": (SQUARE, padded(4, "reflect")),
    "weighted_histogram_256": (SQUARE, weighted(256)),
    "weighted_histogram_2048": (SQUARE, weighted(2048)),
    "batched_transpose_f32": (SQUARE, permuted(lambda n: (n >> 20, 1024, 1024), (0, 2, 1), torch.float32)),
}


def main():
    binary, words = sys.argv[1], sys.argv[2:]
    sizes = [int(word) for word in words if word.isdigit()]
    names = [word for word in words if not word.isdigit()] or list(FUNCTIONS)
    server = Server([binary, "serve"])
    print(server.greeting())
    print("| function | elements | launches | ours GB/s | peer | GB/s | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        usual, make = FUNCTIONS[name]
        for size in sizes or [usual]:
            kernels = {"ours": server.timed(name, size), **make(size)}
            for mode, times in take_turns(kernels).items():
                rate = {which: server.work[name, size] / median(of) * 1e-6 for which, of in times.items()}
                for peer in list(rate)[1:]:
                    of = f"{rate[peer]:.0f} | {rate['ours'] / rate[peer]:.3f}"
                    print(f"| {name} | {size} | {mode} | {rate['ours']:.0f} | {peer} | {of} |", flush=True)
            del kernels
            torch.cuda.empty_cache()
    server.close()


main()
