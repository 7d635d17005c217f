#!/usr/bin/env python3
"""Times cuBLAS, by torch.matmul, as products.rs times our kernels: the same shapes, inputs that look alike, bursts and sustained.

Prints `peer NAME_SIZE_MODE VALUE TFLOP/s`. Arguments are sizes.
"""

import sys
import time

import torch

LAUNCHES, BURSTS, REST, SUSTAINED = 10, 15, 0.3, 2000.0


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


def main():
    print("device", torch.cuda.get_device_name())
    for size in [int(word) for word in sys.argv[1:]] or [4096, 8192]:
        a, b = (torch.rand(size, size, device="cuda").mul_(2).sub_(1).bfloat16() for _ in range(2))
        c = torch.empty(size, size, device="cuda", dtype=torch.bfloat16)

        def launch():
            torch.matmul(a, b.T, out=c)

        def report(mode, ms):
            print(f"peer cublas_{size}_{mode} {2 * size**3 / ms * 1e-9:.1f} TFLOP/s")

        bursts = []
        for _ in range(BURSTS):
            time.sleep(REST)
            bursts.append(samples(2, launch)[-1])
        burst = median(bursts)
        report("burst", burst)
        count = max(2, int(SUSTAINED / (burst * LAUNCHES)))
        report("sustained", median(samples(count, launch)[count // 2 :]))


main()
