#!/usr/bin/env python3
"""Times the collection beside CUB, in turns, and prints one table.

Call: table.py BINARY PEER [SIZE...] [NAME...], where BINARY is the bench `collection`, PEER is kernels/benches/peer/cub.cu compiled, and
SIZE is a number of elements (2^28). The columns are the function, the number of elements, how it was launched, GB/s of ours and of CUB,
the ratio, and the share of the bytes that the device's memory could move, if ROOFLINE has its GB/s (4800 for an H200).
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

from turn_taking import Server, median, take_turns  # noqa: E402

FUNCTIONS = [
    *("sum_f32", "sum_bf16", "sum_f64", "sum_i32", "max_i32", "argmax_f32", "mean_f32", "variance_f32", "dot_f32"),
    *("rows_sum_f32", "short_rows_sum_f32", "columns_sum_f32"),
    *("scan_f32", "scan_u32", "scan_i64", "exclusive_u32"),
    *(f"histogram_{bins}" for bins in (256, 2048, 16384, 65536, 1048576)),
    *(f"histogram_{bins}_{values}" for bins in (256, 2048, 65536) for values in ("equal", "zipf")),
    *("histogram_edges_256", "histogram_edges_2048", "weighted_histogram_256", "weighted_histogram_2048"),
    *("select_u32", "partition_u32", "unique_u32", "run_length_u32"),
    *("sort_u32", "sort_f32", "sort_u64", "sort_u32_equal", "sort_u32_few", "sort_pairs_u32"),
    *(f"segmented_sort_u32_{mean}" for mean in (5, 32, 200, 1000, 5000, 30000)),
    *(f"segmented_pairs_u32_{mean}" for mean in (32, 1000, 30000)),
]


def main():
    binary, peer, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    sizes = [int(word) for word in words if word.isdigit()] or [1 << 28]
    names = [word for word in words if not word.isdigit()] or FUNCTIONS
    roofline = float(os.environ.get("ROOFLINE", 4800))
    ours, cub = Server([binary, "serve"]), Server([peer])
    print(ours.greeting())
    print("| function | elements | launches | ours GB/s | CUB GB/s | ratio | of the roofline |")
    print("|---|---|---|---|---|---|---|")
    for size in sizes:
        for name in names:
            kernels = {"ours": ours.timed(name, size), "cub": cub.timed(name, size)}
            if kernels["cub"](3) is None:
                del kernels["cub"]
            for mode, times in take_turns(kernels).items():
                rate = {which: ours.work[name, size] / median(of) * 1e-6 for which, of in times.items()}
                there = f"{rate['cub']:.0f} | {rate['ours'] / rate['cub']:.3f}" if "cub" in rate else "– | –"
                print(f"| {name} | {size} | {mode} | {rate['ours']:.0f} | {there} | {rate['ours'] / roofline:.3f} |", flush=True)
    ours.close()
    cub.close()


main()
