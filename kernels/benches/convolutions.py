#!/usr/bin/env python3
"""Times convolutions beside cuDNN, which PyTorch calls, in turns.

Call: convolutions.py BINARY [NAME|LINE|TILE...], where BINARY is the bench `convolutions`, NAME or LINE a layer of convolutions/layers.txt, from
0 on, and TILE a tile as `8x4x8x128`, which is timed beside the one that the plan chooses. PyTorch's layers are in channels_last, and cuDNN
chooses the fastest of its kernels by timing them. Prints a row of a table for each layer, and the geometric mean of the ratios of each mode.
"""

import math
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

import torch  # noqa: E402
from torch_timing import random, timed  # noqa: E402
from turn_taking import Failed, Server, median, take_turns  # noqa: E402

LAYERS = [
    line.split()
    for line in (Path(__file__).parent / "convolutions/layers.txt").read_text().splitlines()
    if line[0] != "#"
]
torch.backends.cudnn.benchmark = True


def peer(images, rows, cols, channels, filters, taps, stride):
    """A function from a number of groups of launches to the milliseconds of a launch."""
    x = random(images, channels, rows, cols).to(memory_format=torch.channels_last)
    w = random(filters, channels, taps, taps).to(memory_format=torch.channels_last)

    def launch():
        torch.nn.functional.conv2d(x, w, stride=stride, padding=taps // 2)

    with torch.no_grad():
        launch()
    return timed(launch)


def main():
    binary, words = sys.argv[1], sys.argv[2:]
    tiles = [word for word in words if "x" in word and word[0].isdigit()]
    asked = [word for word in words if word not in tiles]
    servers = {"ours": Server([binary, "serve"])}
    for tile in tiles:
        os.environ["TILE"] = tile
        servers[tile] = Server([binary, "serve"])
    greetings = [server.greeting() for server in servers.values()]
    print(greetings[0])
    print("| layer | images | launches | tile | ours TFLOP/s | cuDNN TFLOP/s | ratio |")
    print("|---|---|---|---|---|---|---|")
    ratios = {}
    for line, (name, *numbers) in enumerate(LAYERS):
        if asked and name not in asked and str(line) not in asked:
            continue
        kernels = {"cudnn": peer(*map(int, numbers))}
        for tile, server in servers.items():
            run = server.timed("layer", line)
            try:
                run(3)
                kernels[tile] = run
            except Failed as reason:
                print(reason, file=sys.stderr)
        if len(kernels) == 1:
            continue
        work = [server.work["layer", line] for server in servers.values() if ("layer", line) in server.work]
        for mode, times in take_turns(kernels).items():
            rate = {which: work[0] / median(of) * 1e-9 for which, of in times.items()}
            for tile in list(rate)[1:]:
                ratio = rate[tile] / rate["cudnn"]
                ratios.setdefault((tile, mode), []).append(ratio)
                shown = f"{rate[tile]:.1f} | {rate['cudnn']:.1f} | {ratio:.3f}"
                which = "planned" if tile == "ours" else tile
                print(f"| {name} | {numbers[0]} | {mode} | {which} | {shown} |", flush=True)
        del kernels
        torch.cuda.empty_cache()
    for (tile, mode), of in ratios.items():
        print(f"{tile} {mode}: {math.exp(sum(map(math.log, of)) / len(of)):.3f}")
    for server in servers.values():
        server.close()


main()
