"""How many elements a second numba's CUDA simulator processes in the kernels of `simulators.rs`, at the same sizes.

Prints `rate KERNEL numba VALUE`, in millions of elements for each second of processor time, of all threads that the
simulator starts. Run by `simulators.sh`, with NUMBA_ENABLE_CUDASIM=1.
"""

import time

import numpy
from numba import cuda, float32

LENGTH = 1 << 16
SIDE = 128


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def product(a, b, out, n):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * 16 + ty, cuda.blockIdx.x * 16 + tx
    total = numpy.float32(0.0)
    for tile in range(n // 16):
        left[ty, tx] = a[row * n + tile * 16 + tx]
        right[ty, tx] = b[(tile * 16 + ty) * n + col]
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    out[row * n + col] = total


@cuda.jit
def reduce(x, out):
    kept = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    kept[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    stride = 128
    while stride > 0:
        if t < stride:
            kept[t] += kept[t + stride]
        cuda.syncthreads()
        stride //= 2
    if t == 0:
        out[cuda.blockIdx.x] = kept[0]


@cuda.jit
def histogram(keys, bins):
    i = cuda.grid(1)
    if i < keys.size:
        cuda.atomic.add(bins, keys[i], 1)


def rate(kernel, elements, launch):
    """One launch is enough: it takes many seconds."""
    start = time.process_time()
    launch()
    print(f"rate {kernel} numba {elements / (time.process_time() - start) / 1e6:.4f}", flush=True)


def main():
    x = numpy.full(LENGTH, 3, numpy.float32)
    y = numpy.full(LENGTH, 1, numpy.float32)
    rate("saxpy", LENGTH, lambda: saxpy[LENGTH // 256, 256](2.0, x, y))
    assert (y == 7).all()

    a = numpy.full(SIDE * SIDE, 2, numpy.float32)
    b = numpy.full(SIDE * SIDE, 0.5, numpy.float32)
    out = numpy.zeros(SIDE * SIDE, numpy.float32)
    grid, block = (SIDE // 16, SIDE // 16), (16, 16)
    rate("product", SIDE**3, lambda: product[grid, block](a, b, out, SIDE))
    assert (out == SIDE).all()

    ones = numpy.ones(LENGTH, numpy.float32)
    sums = numpy.zeros(LENGTH // 256, numpy.float32)
    rate("reduction", LENGTH, lambda: reduce[LENGTH // 256, 256](ones, sums))
    assert (sums == 256).all()

    keys = ((numpy.arange(LENGTH, dtype=numpy.uint64) * 2_654_435_769 % (1 << 32)) >> 24).astype(numpy.uint32)
    bins = numpy.zeros(256, numpy.uint32)
    rate("histogram", LENGTH, lambda: histogram[LENGTH // 256, 256](keys, bins))
    assert (bins == numpy.bincount(keys, minlength=256)).all()


main()
