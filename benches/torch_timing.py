"""Times launches of PyTorch's stream."""

import torch

from turn_taking import LAUNCHES, median


def timed(launch):
    """Returns a function from a number of groups of LAUNCHES to the milliseconds of a launch: the median of the last two thirds."""

    def run(count):
        events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        events[0].record()
        for event in events[1:]:
            for _ in range(LAUNCHES):
                launch()
            event.record()
        torch.cuda.synchronize()
        times = [a.elapsed_time(b) / LAUNCHES for a, b in zip(events, events[1:])]
        return median(times[count // 3 :])

    return run


def random(*shape, dtype=torch.bfloat16):
    """Numbers of [-1, 1): products of zeros draw less power."""
    return torch.rand(*shape, device="cuda").mul_(2).sub_(1).to(dtype)
