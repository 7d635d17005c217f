#!/usr/bin/env python3
"""Times products of matrices beside cuBLAS, which PyTorch calls, in turns.

Call: gemm.py BINARY [squares|shapes|eight|grouped|curve|NAME|LINE...], where BINARY is the bench `gemm`, NAME one of its products, and LINE the
line of a shape in gemm/shapes.txt, from 0 on. `squares` are products of 4096 and 8192, `shapes` are those of `bf16`, `eight` are eight shapes of the
elements that have fewer or other digits, `grouped` are the layers of gemm/grouped.txt, and `curve` are squares of `bf16` of many sizes; without words
it times all but the last of these. Prints a row of a table for each, and the geometric mean of the ratios of each mode.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

import torch  # noqa: E402
from torch_timing import random, timed  # noqa: E402
from turn_taking import Server, median, take_turns  # noqa: E402

SHAPES = [
    line.split() for line in (Path(__file__).parent / "gemm/shapes.txt").read_text().splitlines() if line[0] != "#"
]
# Lines of the shapes, chosen before any kernel was tuned for these elements: Llama 8B and 70B, with few tokens and many.
EIGHT = (1, 2, 8, 10, 15, 18, 19, 25)


def ordinary(m, n, k, dtype, is_turned=True, tf32=False):
    """A function from a number of groups of launches to the milliseconds of a launch."""
    a = random(m, k, dtype=dtype)
    b = random(n, k, dtype=dtype).T if is_turned else random(k, n, dtype=dtype)
    c = torch.empty(m, n, device="cuda", dtype=dtype)

    def launch():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.matmul(a, b, out=c)

    return timed(launch)


def integers(m, n, k):
    a, b = (torch.randint(-127, 128, (of, k), device="cuda", dtype=torch.int8) for of in (m, n))
    c = torch.empty(m, n, device="cuda", dtype=torch.int32)
    return timed(lambda: torch._int_mm(a, b.t(), out=c))


def scaled(of_a, of_b):
    """Floats of eight bits with factors of these extents, which sums keep as we do."""

    def make(m, n, k):
        a, b = (random(of, k, dtype=torch.float32).to(torch.float8_e4m3fn) for of in (m, n))
        x, w = (torch.full(of(m, n, k), 0.5, device="cuda") for of in (of_a, of_b))
        if of_a is blocks_of_a:
            # The factors of a block of k of all rows lie side by side, those of b along k.
            x, w = x.t().contiguous().t(), w.t().contiguous().t()
        options = {"out_dtype": torch.bfloat16} if of_a is blocks_of_a else {"out_dtype": torch.bfloat16, "use_fast_accum": True}
        return timed(lambda: torch._scaled_mm(a, b.t(), x, w, **options))

    return make


def blocks_of_a(m, n, k):
    return m, k // 128


# The peer of each product of the bench.
PEERS = {
    "bf16_tn": lambda *of: ordinary(*of, torch.bfloat16),
    "bf16_nn": lambda *of: ordinary(*of, torch.bfloat16, is_turned=False),
    "f32_tn": lambda *of: ordinary(*of, torch.float32),
    "f32_nn": lambda *of: ordinary(*of, torch.float32, is_turned=False),
    "tf32": lambda *of: ordinary(*of, torch.float32, tf32=True),
    "s8": integers,
    "fp8": scaled(lambda *_: (), lambda *_: ()),
    "fp8_lines": scaled(lambda m, n, k: (m, 1), lambda m, n, k: (1, n)),
    "fp8_blocks": scaled(blocks_of_a, lambda m, n, k: (k // 128, n // 128)),
}
# Layers of experts, with few rows for each and with many.
LAYERS = {
    name: tuple(map(int, extents))
    for name, *extents in (
        line.split() for line in (Path(__file__).parent / "gemm/grouped.txt").read_text().splitlines() if line[0] != "#"
    )
}
ROWS = (2048, 8192, 32768)


def grouped(name, rows):
    """Groups of rows times matrices of their own, with the offsets of the bench."""
    groups, n, k = LAYERS[name]
    shares = [g * 7919 % 13 + 4 for g in range(groups)]
    ends = [sum(shares[: g + 1]) * rows // sum(shares) for g in range(groups)]
    a, b = random(rows, k), random(groups, n, k).transpose(1, 2)
    offsets = torch.tensor(ends, device="cuda", dtype=torch.int32)
    return timed(lambda: torch._grouped_mm(a, b, offs=offsets))


OTHERS = ["tf32", "s8", "fp8", "fp8_lines", "fp8_blocks"]


def peer(name, extents):
    """The peer's launches, unless PyTorch has none for these extents."""
    run = grouped(name, extents[0]) if name in LAYERS else PEERS[name](*extents)
    try:
        run(3)
    except RuntimeError as reason:
        print(f"no peer of {name}:", str(reason).splitlines()[0], file=sys.stderr)
        return {}
    return {"cublas": run}


def chosen(words):
    """The title, product, extents, and name and size in the bench, of what these words name."""
    words = words or ["squares", "shapes", "eight", "grouped"]
    for name, (_, n, k) in LAYERS.items():
        if "grouped" in words or name in words:
            for rows in ROWS:
                yield name, name, (rows, n, k), (name, rows)
    for name in PEERS:
        if "squares" in words or name in words:
            for size in (4096, 8192):
                yield name, name, (size, size, size), (name, size)
    if "curve" in words:
        for size in (256, 512, 1024, 2048, 3072, 4096, 6144, 8192):
            yield "bf16_tn", "bf16_tn", (size, size, size), ("bf16_tn", size)
    for line, (title, *extents) in enumerate(SHAPES):
        extents = tuple(map(int, extents))
        if "shapes" in words or str(line) in words:
            yield title, "bf16_tn", extents, ("shape", line)
        for name in OTHERS:
            if line in EIGHT and ("eight" in words or f"shape_{name}" in words):
                yield f"{title} {name}", name, extents, (f"shape_{name}", line)


def main():
    server = Server([sys.argv[1], "serve"])
    print(server.greeting())
    print("| product | m | n | k | launches | ours TFLOP/s | cuBLAS TFLOP/s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = {}
    for title, name, (m, n, k), (function, size) in chosen(sys.argv[2:]):
        kernels = {"ours": server.timed(function, size), **peer(name, (m, n, k))}
        for mode, times in take_turns(kernels).items():
            rate = {which: 2 * m * n * k / median(of) * 1e-9 for which, of in times.items()}
            ours, theirs = rate["ours"], rate.get("cublas", math.nan)
            ratios.setdefault((function, mode), []).append(ours / theirs)
            print(f"| {title} | {m} | {n} | {k} | {mode} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.3f} |", flush=True)
        del kernels
        torch.cuda.empty_cache()
    for (name, mode), of in ratios.items():
        known = [ratio for ratio in of if ratio == ratio]
        if known:
            print(f"{name} {mode}: {math.exp(sum(map(math.log, known)) / len(known)):.3f}")
    server.close()


main()
