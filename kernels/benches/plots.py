#!/usr/bin/env python3
"""Draws the tables of curves.sh: the speed of functions and of their peers over the size.

Call: plots.py TABLES FOLDER. Writes an SVG for each of PICTURES to FOLDER. Needs matplotlib, and no GPU. A point is a median of launches back
to back, which the tables call sustained.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

OURS, PEER, GRID, INK = "#c2410c", "#475569", "#e2e8f0", "#0f172a"
# Of each panel: the function, its title, the axis, the name of the peer in the table, where it has several, and as it is shown.
STREAMS = [
    ("sum_f32", "Sum, f32", "elements", None, "CUB"),
    ("scan_u32", "Inclusive scan, u32", "elements", None, "CUB"),
    ("select_u32", "Selection of half, u32", "elements", None, "CUB"),
    ("histogram_2048", "Histogram, 2048 bins", "elements", None, "CUB"),
    ("sort_u32", "Sort of keys, u32", "elements", None, "CUB"),
    ("run_length_u32", "Run-length encoding, u32", "elements", None, "CUB"),
]
ROWS = [
    ("softmax_f32", "Softmax, rows of 8192, f32", "elements", "triton", "Triton"),
    ("transpose_f32", "Transpose, square, f32", "elements", "geam", "cuBLAS"),
    ("gemv_f32", "Square matrix times vector, f32", "elements", "cublas", "cuBLAS"),
    ("fft", "Complex transforms, $2^{27}$ elements", "elements of a row", None, "cuFFT"),
    ("rfft", "Real transforms, $2^{27}$ elements", "elements of a row", None, "cuFFT"),
]
PRODUCTS = [
    ("bf16_tn", "Product of squares, bf16", "rows", None, "cuBLAS"),
    ("full_128", "Attention, 128 elements a head", "tokens of a sequence", "cudnn", "cuDNN"),
    ("causal_128", "Causal attention", "tokens of a sequence", "cudnn", "cuDNN"),
    ("back_causal_128", "Gradients of causal attention", "tokens of a sequence", "cudnn", "cuDNN"),
]
PICTURES = {"speed_streams": (STREAMS, "GB/s"), "speed_rows": (ROWS, "GB/s"), "speed_products": (PRODUCTS, "TFLOP/s")}


def rows(tables):
    """The function, the size, the rate of ours, the peer and its rate, of each sustained row."""
    head = []
    for line in tables.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or set(cells[0]) <= {"-"}:
            continue
        if "launches" in cells:
            head = cells
            continue
        row = dict(zip(head, cells))
        if row["launches"] != "sustained":
            continue
        name, size = cells[0], int(cells[1])
        at = next(i for i, title in enumerate(head) if title.startswith("ours"))
        peer, rate = (row["peer"], cells[at + 2]) if "peer" in head else (None, cells[at + 1])
        yield name, size, float(cells[at]), peer, float(rate) if rate not in ("–", "nan") else None


def draw(path, panels, unit, found):
    across = 3 if len(panels) != 4 else 2
    down = -(-len(panels) // across)
    figure, all_axes = plt.subplots(down, across, figsize=(3.7 * across, 2.75 * down), squeeze=False)
    places = [axes for row in all_axes for axes in row]
    for axes in places[len(panels) :]:
        axes.set_axis_off()
    for axes, (name, title, sizes, peer, shown) in zip(places, panels):
        own = sorted((size, ours, rate) for of, size, ours, by, rate in found if of == name and by == peer)
        if not own:
            sys.exit(f"{name} has no rows with the peer {peer}")
        axes.plot([size for size, _, _ in own], [ours for _, ours, _ in own], color=OURS, marker="o", ms=3, label="warpsmith")
        theirs = [(size, rate) for size, _, rate in own if rate is not None]
        axes.plot(*zip(*theirs), color=PEER, marker="s", ms=3, ls="--", label=shown)
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.set_title(title, fontsize=10, color=INK)
        axes.set_xlabel(sizes, fontsize=8)
        axes.set_ylabel(unit, fontsize=8)
        axes.tick_params(labelsize=8)
        axes.grid(color=GRID)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize=8, frameon=False, loc="best")
    figure.tight_layout()
    # Without a date, the same tables give the same file.
    figure.savefig(path, metadata={"Date": None})


def main():
    tables, folder = sys.argv[1:]
    matplotlib.rcParams.update({"svg.hashsalt": "warpsmith", "svg.fonttype": "path", "figure.facecolor": "white"})
    found = list(rows(Path(tables).read_text()))
    for name, (panels, unit) in PICTURES.items():
        draw(Path(folder) / f"{name}.svg", panels, unit, found)


main()
