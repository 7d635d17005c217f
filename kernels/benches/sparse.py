#!/usr/bin/env python3
"""Times sparse products beside cuSPARSE's, by PyTorch, in turns, and prints one table.

Call: sparse.py BINARY [NAME...], where BINARY is the bench `sparse`. Both processes make the same five matrices, and the peer's results are
compared with products of their rows. The columns are the function, rows and non-zeros of the matrix, how it was launched, milliseconds of
both, and the peer's by ours.
"""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

from torch_timing import timed  # noqa: E402
from turn_taking import Server, median, take_turns  # noqa: E402

COLS, MASK = 64, 0xFFFFFFFF


def number(n):
    return torch.arange(n, device="cuda", dtype=torch.int64)


def mixed(i):
    h = ((i + 1) * 2654435761) & MASK
    h = ((h ^ (h >> 15)) * 2246822519) & MASK
    h = ((h ^ (h >> 13)) * 3266489917) & MASK
    return h ^ (h >> 16)


def hashed(i):
    h = (i * 2654435761) & MASK
    h = ((h ^ (h >> 15)) * 2246822519) & MASK
    return ((h ^ (h >> 13)) >> 8).to(torch.float32) / 8388608.0 - 1.0


def rows_of(lengths):
    """For each non-zero its row, its place in the row and its number; and the rows' offsets."""
    offsets = torch.zeros(len(lengths) + 1, device="cuda", dtype=torch.int64)
    offsets[1:] = lengths.cumsum(0)
    row = torch.repeat_interleave(number(len(lengths)), lengths)
    i = number(len(row))
    return row, i - offsets[row], i, offsets


def banded(n):
    row, k, _, offsets = rows_of(torch.full((n,), 16, device="cuda"))
    return offsets, (row + k + n - 8) % n


def uniform(n):
    _, k, i, offsets = rows_of(torch.full((n,), 16, device="cuda"))
    return offsets, k * (n // 16) + mixed(i) % (n // 16)


def power(n):
    x = 4294967296.0 / (mixed(number(n)).double() + 1)
    lengths = (4 * x.sqrt() * x.sqrt().sqrt()).to(torch.int64).clamp(max=n)
    _, _, i, offsets = rows_of(lengths)
    return offsets, mixed(i) % n


def block(n):
    is_dense = number(n) // 16 == n // 32
    row, k, i, offsets = rows_of(torch.where(is_dense, n, 8))
    return offsets, torch.where(is_dense[row], k, k * (n // 8) + mixed(i) % (n // 8))


def laplacian(n):
    side = int(n**0.5)
    row = number(n)
    all_of = torch.stack([row - side, row - 1, row, row + 1, row + side], 1)
    is_there = torch.stack([row >= side, row % side > 0, row >= 0, row % side < side - 1, row < n - side], 1)
    offsets = torch.zeros(n + 1, device="cuda", dtype=torch.int64)
    offsets[1:] = is_there.sum(1).cumsum(0)
    return offsets, all_of[is_there]


SHAPES = {"banded": (banded, 1 << 22), "uniform": (uniform, 1 << 21), "power": (power, 1 << 21), "block": (block, 1 << 21), "laplacian": (laplacian, 1 << 24)}
DTYPES = {"f32": torch.float32, "f64": torch.float64}


def peer(kind, dtype, shape, n):
    """cuSPARSE's product, and the number of non-zeros."""
    offsets, columns = shape(n)
    values = hashed(number(len(columns))).to(dtype)
    a = torch.sparse_csr_tensor(offsets.int(), columns.int(), values, (n, n))
    x = hashed(number(n) + 7) if kind == "spmv" else hashed(number(n * COLS) + 7).view(n, COLS)
    x = x.to(dtype)
    # A few rows by hand.
    got = a @ x
    for row in (0, n // 3, n - 1):
        of = slice(offsets[row], offsets[row + 1])
        torch.testing.assert_close(got[row], values[of] @ x[columns[of]], rtol=1e-3, atol=1e-3)
    return timed(lambda: a @ x), len(columns)


def main():
    binary, names = sys.argv[1], sys.argv[2:]
    server = Server([binary, "serve"])
    print(server.greeting())
    print("| function | rows | non-zeros | launches | ours ms | cuSPARSE ms | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name in names or [f"{kind}_{shape}" for kind in ("spmv_f32", "spmv_f64", "spmm_f32") for shape in SHAPES]:
        kind, dtype, shape = name.split("_")
        make, n = SHAPES[shape]
        n = n if kind == "spmv" else n >> 2
        run, nonzeros = peer(kind, DTYPES[dtype], make, n)
        kernels = {"ours": server.timed(name, n), "cusparse": run}
        for mode, times in take_turns(kernels).items():
            assert server.work[name, n] == 2 * nonzeros * (1 if kind == "spmv" else COLS), "another matrix"
            ours, theirs = median(times["ours"]), median(times["cusparse"])
            print(f"| {name} | {n} | {nonzeros} | {mode} | {ours:.4f} | {theirs:.4f} | {theirs / ours:.3f} |", flush=True)
        del run, kernels
        torch.cuda.empty_cache()
    server.close()


main()
