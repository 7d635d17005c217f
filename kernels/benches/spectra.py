#!/usr/bin/env python3
"""Times Fourier transforms beside cuFFT's, by PyTorch, in turns, and prints one table.

Call: spectra.py BINARY [LENGTH...] [NAME...], where BINARY is the bench `spectra`, with the names. The columns are the function, the length of
the rows, how it was launched, GB/s of both, counting each element's bytes read and written once, and the ratio.
"""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

from torch_timing import timed  # noqa: E402
from turn_taking import Server, median, take_turns  # noqa: E402

ELEMENTS = 1 << 27
FUNCTIONS = {
    "fft": (torch.fft.fft, ELEMENTS),
    "ifft": (torch.fft.ifft, ELEMENTS),
    "rfft": (torch.fft.rfft, ELEMENTS),
    "irfft": (torch.fft.irfft, ELEMENTS),
    "fft_one": (torch.fft.fft, 1),
}


def main():
    binary, words = sys.argv[1], sys.argv[2:]
    lengths = [int(word) for word in words if word.isdigit()] or [1 << log for log in range(4, 21)]
    names = [word for word in words if not word.isdigit()] or ["fft"]
    server = Server([binary, "serve"])
    print(server.greeting())
    print("| function | length | launches | ours GB/s | cuFFT GB/s | ratio |")
    print("|---|---|---|---|---|---|")
    for name in names:
        transform, elements = FUNCTIONS[name]
        for n in lengths:
            columns = n // 2 + 1 if name == "irfft" else n
            dtype = torch.float32 if name == "rfft" else torch.complex64
            x = torch.randn(max(1, elements // n), columns, device="cuda", dtype=dtype)
            kernels = {"ours": server.timed(name, n), "cufft": timed(lambda: transform(x))}
            for mode, times in take_turns(kernels).items():
                rate = {which: server.work[name, n] / median(of) * 1e-6 for which, of in times.items()}
                ours, theirs = rate["ours"], rate["cufft"]
                print(f"| {name} | {n} | {mode} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.3f} |", flush=True)
            del x, kernels
    server.close()


main()
