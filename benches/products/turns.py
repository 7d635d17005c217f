#!/usr/bin/env python3
"""Times our products of matrices beside those of cuBLAS, by torch.matmul, in turns: bursts after a rest, and without a rest.

Call: turns.py BINARY [SIZE...] [PART-OF-NAME...], where BINARY is the bench `products`. Prints `NAME_SIZE_MODE VALUE TFLOP/s
RATIO`, the ratio to the better of cuBLAS with `b` as [n, k] (`cublas_tn`) and as [k, n] (`cublas_nn`). Both processes keep
their device; one works at a time.
"""

import subprocess
import sys
import time

import torch

LAUNCHES, TURNS, REST, TURN = 10, 15, 0.3, 60.0
KERNELS = """gemm_sm90 soon soon_serp soon_pdl late late_serp late_patches late_along late_pdl late_l2 late_serp_l2_pdl late_132
late_boxes64 nn_soon nn_late nn_late_serp nn_late_patches nn_late_pdl nn_late_l2""".split()


def samples(count, launch):
    """Milliseconds of a launch in each of `count` groups of LAUNCHES, which follow each other."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    events[0].record()
    for event in events[1:]:
        for _ in range(LAUNCHES):
            launch()
        event.record()
    torch.cuda.synchronize()
    return [a.elapsed_time(b) / LAUNCHES for a, b in zip(events, events[1:])]


def median(times):
    return sorted(times)[len(times) // 2]


def peers(size):
    """cuBLAS's products of one size: each gives milliseconds of a launch in the later two thirds of groups."""
    a, b = (torch.rand(size, size, device="cuda").mul_(2).sub_(1).bfloat16() for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=torch.bfloat16)
    of = lambda launch: lambda count: median(samples(count, launch)[count // 3 :])
    return {
        "cublas_tn": of(lambda: torch.matmul(a, b.T, out=c)),
        "cublas_nn": of(lambda: torch.matmul(a, b, out=c)),
    }


def ours(process, name, size):
    """One of our kernels, in the other process."""

    def run(count):
        process.stdin.write(f"{name} {size} {count}\n")
        process.stdin.flush()
        return float(process.stdout.readline())

    return run


def main():
    binary, words = sys.argv[1], sys.argv[2:]
    sizes = [int(word) for word in words if word.isdigit()] or [4096, 8192]
    parts = [word for word in words if not word.isdigit()]
    process = subprocess.Popen([binary, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(process.stdout.readline().strip())
    for size in sizes:
        all_of = peers(size)
        for name in KERNELS:
            if not parts or any(part in name for part in parts):
                all_of[name] = ours(process, name, size)
        bursts, sustained = ({name: [] for name in all_of} for _ in range(2))
        for run in all_of.values():
            run(3)
        for _ in range(TURNS):
            for name, run in all_of.items():
                time.sleep(REST)
                # The first launches wake the clock.
                bursts[name].append(run(2))
        for turn in range(2 * TURNS):
            for name, run in all_of.items():
                count = max(3, int(TURN / (median(bursts[name]) * LAUNCHES)))
                once = run(count)
                # The first turns heat the device.
                if turn >= TURNS // 2:
                    sustained[name].append(once)
        for mode, times in [("burst", bursts), ("sustained", sustained)]:
            rate = {name: 2 * size**3 / median(of) * 1e-9 for name, of in times.items()}
            best = max(rate["cublas_tn"], rate["cublas_nn"])
            for name, of in rate.items():
                print(f"{name}_{size}_{mode} {of:.1f} TFLOP/s {of / best:.3f}", flush=True)
    process.stdin.close()
    process.wait()


main()
