#!/usr/bin/env python3
"""Times stencils and functions of images beside CUDA by hand and PyTorch, in turns, and prints one table.

Call: images.py BINARY PEER [SIZE...] [NAME...], where BINARY is the bench `images`, PEER is kernels/benches/peer/images.cu compiled, and SIZE is
a number of samples (2^28). The columns are the function, the peer, the number of samples, how it was launched, GB/s of both, counting each
matrix' bytes once, and the ratio.
"""

import sys
from pathlib import Path

import torch
from torch.nn.functional import interpolate

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

from torch_timing import timed  # noqa: E402
from turn_taking import Server, median, take_turns  # noqa: E402

BY_HAND = [
    *(f"{shape}_{radius}" for shape in ("star", "box", "planes_star") for radius in (1, 2, 4)),
    "planes_box_1",
    *(f"{name}_{radius}" for name in ("convolve", "convolve_u8") for radius in (1, 2, 4, 8)),
    "bilateral_2",
    "bilateral_4",
    "bilateral_u8_4",
    "bilateral_rgb_4",
]
RESIZES = {
    "nearest_up": ("nearest-exact", 2.0, torch.float32),
    "bilinear_up": ("bilinear", 2.0, torch.float32),
    "bicubic_up": ("bicubic", 2.0, torch.float32),
    "bilinear_down": ("bilinear", 0.75, torch.float32),
    "bicubic_down": ("bicubic", 0.75, torch.float32),
    "bilinear_u8_up": ("bilinear", 2.0, torch.uint8),
    "bilinear_f16_up": ("bilinear", 2.0, torch.float16),
}


def resized(name, size):
    """PyTorch's function, or `None` if it does not have it for these samples."""
    mode, by, dtype = RESIZES[name]
    side = int(size**0.5)
    x = (torch.rand(1, 1, side, side, device="cuda") * 255).to(dtype)
    how = {} if mode == "nearest-exact" else {"align_corners": False}

    def launch():
        return interpolate(x, size=(int(side * by),) * 2, mode=mode, **how)

    try:
        launch()
    except (RuntimeError, NotImplementedError) as reason:
        print(f"no {name} in PyTorch: {str(reason).splitlines()[0]}", file=sys.stderr)
        return None
    return timed(launch)


def main():
    binary, peer, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    sizes = [int(word) for word in words if word.isdigit()] or [1 << 28]
    names = [word for word in words if not word.isdigit()] or [*BY_HAND, *RESIZES]
    ours, by_hand = Server([binary, "serve"]), Server([peer])
    print(ours.greeting())
    print("| function | peer | samples | launches | ours GB/s | peer GB/s | ratio |")
    print("|---|---|---|---|---|---|---|")
    for size in sizes:
        for name in names:
            which = "PyTorch" if name in RESIZES else "by hand"
            other = resized(name, size) if name in RESIZES else by_hand.timed(name, size)
            kernels = {"ours": ours.timed(name, size), "peer": other}
            for mode, times in take_turns({key: run for key, run in kernels.items() if run}).items():
                rate = {key: ours.work[name, size] / median(of) * 1e-6 for key, of in times.items()}
                there = f"{rate['peer']:.0f} | {rate['ours'] / rate['peer']:.3f}" if "peer" in rate else "– | –"
                print(f"| {name} | {which} | {size} | {mode} | {rate['ours']:.0f} | {there} |", flush=True)
            del kernels, other
            torch.cuda.empty_cache()
    ours.close()
    by_hand.close()


main()
