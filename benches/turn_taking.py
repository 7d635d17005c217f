"""Kernels that take turns: bursts after a rest, and launches without a rest. Knows no kernel.

`TURNS=3 REST=0.05` in the environment make a quick look of it.
"""

import os
import subprocess
import sys
import time

LAUNCHES, TURN = 5, 60.0
TURNS, REST = int(os.environ.get("TURNS", 15)), float(os.environ.get("REST", 0.3))


class Failed(Exception):
    """A kernel that could not be made or launched, with the process' reason."""


def median(times):
    return sorted(times)[len(times) // 2]


class Server:
    """A process that answers each line `NAME SIZE GROUPS` with milliseconds; it keeps its device while others work."""

    def __init__(self, command):
        # Operations or bytes of a launch, by name and size, of processes that print `work NUMBER` before they answer.
        self.work = {}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def greeting(self):
        """The first line, which names the device."""
        return self.process.stdout.readline().strip()

    def timed(self, name, size):
        """A function from a number of groups of LAUNCHES to milliseconds a launch; `None` from it if there is no such kernel."""

        def run(count):
            self.process.stdin.write(f"{name} {size} {count}\n")
            self.process.stdin.flush()
            # Inputs say their seed, and calls their plan.
            for line in self.process.stdout:
                if line[0].isdigit():
                    return float(line)
                word, _, rest = line.strip().partition(" ")
                if word == "none":
                    return None
                if word == "error":
                    raise Failed(f"{name} {size}: {rest}")
                if word == "work":
                    self.work[name, size] = float(rest)
            sys.exit(f"the process of {name} is gone")

        return run

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(kernels):
    """Milliseconds of a launch of each kernel, in bursts and sustained; nothing if one of them fails, which is printed."""
    bursts, sustained = ({name: [] for name in kernels} for _ in range(2))
    try:
        for run in kernels.values():
            run(3)
    except Failed as reason:
        print(reason, file=sys.stderr)
        return {}
    for _ in range(TURNS):
        for name, run in kernels.items():
            time.sleep(REST)
            # The first launches wake the clock.
            bursts[name].append(run(3))
    for turn in range(2 * TURNS):
        for name, run in kernels.items():
            count = max(3, int(TURN / (median(bursts[name]) * LAUNCHES)))
            once = run(count)
            # The first turns heat the device.
            if turn >= TURNS // 2:
                sustained[name].append(once)
    return {"burst": bursts, "sustained": sustained}
