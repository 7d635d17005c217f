"""Joins predicted metrics with those of `ncu --csv`, by kernel and by which launch of it: a Markdown table.

    ncu_table.py PREDICTED NCU_CSV

`PREDICTED` has lines `predicted NAME KERNEL METRIC VALUE`; the CSV has a row for each launch and metric. Ends with
how many figures are equal, metric by metric.
"""

import collections
import csv
import sys

ATOMIC = "op_atom"
REDUCTION = "op_red"


def number(text):
    """`1,024` and `12.5` as numbers; None of what is none, such as `n/a`."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def predicted(path):
    """Launches in order: name, kernel, {metric: value}."""
    launches = []
    for line in open(path):
        if not line.startswith("predicted "):
            continue
        _, name, kernel, metric, value = line.split()
        if not launches or launches[-1][0] != name:
            launches.append((name, kernel, {}))
        launches[-1][2][metric] = float(value)
    return launches


def measured(path):
    """{kernel: [{metric: value} of each launch, in order]}."""
    lines = open(path, newline="").read().splitlines()
    # ncu and the program may write before the table.
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        sys.exit(f"{path} has no table of ncu; it begins with:\n" + "\n".join(lines[:20]))
    rows = csv.DictReader(line for line in lines[start:] if line.startswith('"'))
    of_launch = collections.OrderedDict()
    for row in rows:
        kernel = row["Kernel Name"].split("(")[0].split()[-1]
        metrics = of_launch.setdefault(int(row["ID"]), (kernel, {}))[1]
        metrics[row["Metric Name"]] = number(row["Metric Value"])
    launches = collections.defaultdict(list)
    for kernel, metrics in of_launch.values():
        launches[kernel].append(metrics)
    return launches


def found(metrics, name):
    """A metric; of atomics both those with a result and those without."""
    value = metrics.get(name)
    if ATOMIC in name:
        value = (value or 0) + (metrics.get(name.replace(ATOMIC, REDUCTION)) or 0)
    return value


def text(value):
    return "–" if value is None else f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def main():
    launches, real = predicted(sys.argv[1]), measured(sys.argv[2])
    seen, score = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    print("| launch | metric | predicted | ncu | |\n|---|---|---|---|---|")
    for name, kernel, metrics in launches:
        turn = seen[kernel]
        seen[kernel] += 1
        if turn >= len(real[kernel]):
            sys.exit(f"ncu saw {len(real[kernel])} launches of {kernel}, and {name} is one more")
        for metric, value in metrics.items():
            other = found(real[kernel][turn], metric)
            if other is None:
                continue
            equal = abs(value - other) <= 0.005 * max(1.0, abs(other)) if value != int(value) else value == other
            score[metric][0] += equal
            score[metric][1] += 1
            if value or other:
                print(f"| {name} | `{metric}` | {text(value)} | {text(other)} | {'=' if equal else '≠'} |")
    print("\n| metric | equal | launches |\n|---|---|---|")
    for metric, (equal, all_of_them) in sorted(score.items()):
        print(f"| `{metric}` | {equal} | {all_of_them} |")


main()
