#!/usr/bin/env python3
"""Times products of matrices beside cuBLAS, which PyTorch calls, in turns.

Call: gemm.py BINARY [squares|shapes|NAME|LINE...], where BINARY is the bench `gemm`, NAME one of its squares (4096 and 8192), and LINE the line of
a shape in gemm/shapes.txt, from 0 on. Prints a row of a table for each, and the geometric mean of the ratios of each mode.
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
SQUARES = ["bf16_tn", "bf16_nn", "f32_tn", "f32_nn"]


def peer(m, n, k, dtype, is_turned):
    """A function from a number of groups of launches to the milliseconds of a launch."""
    a = random(m, k, dtype=dtype)
    b = random(n, k, dtype=dtype).T if is_turned else random(k, n, dtype=dtype)
    c = torch.empty(m, n, device="cuda", dtype=dtype)
    return timed(lambda: torch.matmul(a, b, out=c))


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    server, words = Server([sys.argv[1], "serve"]), sys.argv[2:] or ["squares", "shapes"]
    print(server.greeting())
    rounds = []
    for name in SQUARES:
        if "squares" in words or name in words:
            rounds += [(name, name, size, (size, size, size)) for size in (4096, 8192)]
    for line, (name, m, n, k) in enumerate(SHAPES):
        if "shapes" in words or str(line) in words:
            rounds.append((name, "shape", line, (int(m), int(n), int(k))))
    print("| product | m | n | k | launches | ours TFLOP/s | cuBLAS TFLOP/s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = {}
    for title, name, size, (m, n, k) in rounds:
        dtype = torch.float32 if name.startswith("f32") else torch.bfloat16
        kernels = {"ours": server.timed(name, size), "cublas": peer(m, n, k, dtype, not name.endswith("nn"))}
        for mode, times in take_turns(kernels).items():
            rate = {which: 2 * m * n * k / median(of) * 1e-9 for which, of in times.items()}
            ratio = rate["ours"] / rate["cublas"]
            ratios.setdefault((name, mode), []).append(ratio)
            print(f"| {title} | {m} | {n} | {k} | {mode} | {rate['ours']:.1f} | {rate['cublas']:.1f} | {ratio:.3f} |", flush=True)
    for (name, mode), of in ratios.items():
        print(f"{name} {mode}: {math.exp(sum(map(math.log, of)) / len(of)):.3f}")
    server.close()


main()
