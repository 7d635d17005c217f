"""Kernels that take turns: bursts after a rest, and launches without a rest. Knows no kernel."""

import subprocess
import sys
import time

LAUNCHES, TURNS, REST, TURN = 5, 15, 0.3, 60.0


def median(times):
    return sorted(times)[len(times) // 2]


class Server:
    """A process that answers each line `NAME SIZE GROUPS` with milliseconds; it keeps its device while others work."""

    def __init__(self, command):
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
                if line.strip() == "none":
                    return None
            sys.exit(f"the process of {name} is gone")

        return run

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(kernels):
    """Milliseconds of a launch of each kernel, in bursts and sustained."""
    bursts, sustained = ({name: [] for name in kernels} for _ in range(2))
    for run in kernels.values():
        run(3)
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
