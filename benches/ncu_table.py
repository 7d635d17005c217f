"""Puts predicted metrics beside those of `ncu --csv`, launch by launch, as a page in Markdown.

    ncu_table.py FOLDER

FOLDER has what `ncu.sh` writes there: `predicted.txt` with lines `group TITLE` and `predicted NAME KERNEL METRIC VALUE`,
`ncu.csv` with a row for each launch and metric, the same of the patterns of shared memory as `patterns.txt` and
`patterns.csv`, of kernels with tensor cores and the copy engine as `tensors.txt` and `tensors.csv`, of branches as `branches.txt`, `branches.csv` and, compiled without optimisation, `unoptimised.csv`, with
the source page of those as `unoptimised_source.csv`, and `device.txt`. Fails if a figure differs and nothing here says why.
"""

import collections
import csv
import os
import re
import sys

WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"
SHARED = "smsp__inst_executed_op_shared_"
L2 = "lts__t_sectors_srcunit_tex_op_"
BRANCHES = "smsp__sass_branch_targets.sum"
DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum"
UNIFORM = "smsp__sass_average_branch_targets_threads_uniform.pct"
OPERATION = "smsp__sass_thread_inst_executed_op_"
FLOPS = "floating-point operations"
# What the source page calls the instructions of warps.
INSTRUCTIONS = ("instructions executed", "inst executed", "inst_executed")
ACTIVE = "smsp__thread_inst_executed_per_inst_executed.ratio"

PREDICATED = (
    "Branches that the compiler removed",
    "A branch is counted where Rust has a condition. The compiler unrolls a loop whose count it knows. It turns the body of a "
    "short `if` into predicated instructions, which leaves no branch. Without a branch nothing diverges, and lanes whose "
    "predicate is false execute the instruction too.",
)
CONTRACTED = (
    "Operations that the compiler contracted",
    "A product whose only use is a sum becomes one fused operation, unless `#[gpu_kernel(fmad = false)]` forbids it. "
    "The sum of operations, with a fused one counted twice, is the same.",
)
FOLDED = (
    "Operations that the compiler computed",
    "What a kernel does with constants is known when it is compiled, and is not executed.",
)
JUMPED = (
    "Jumps that Rust does not spell",
    "The side of an `if` that stands first ends with a jump over the other, which a GPU counts as a branch. Those that "
    "diverge are the same.",
)
AVERAGED = (
    "Averages over more instructions",
    "Active lanes are averaged over all instructions of the machine; the simulator averages over those that the Rust code "
    "spells. Where all lanes are there, both are 32; where some are not, it matters how many instructions they miss.",
)
EXPANDED = (
    "Functions of several operations",
    "A reciprocal square root, an exponential or a quotient is one function in Rust, and some multiplications and additions on a "
    "GPU.",
)
SIGNS = (
    "Maxima and signs",
    "The simulator counts the larger of two floats and a change of sign as additions. A GPU has counters for neither: it finds the "
    "larger on the same units, and changes signs in the instruction that uses the number.",
)
# Kernels that do that more often than anything that the compiler removes.
OF_SIGNS = ("attention",)
REMOVED = (
    "Loads that the compiler removed",
    "What a thread has loaded or stored before is still in a register.",
)
SHARED_BANKS = (
    "Banks that others use",
    "The copy engine and the tensor cores use the banks too. A thread's access that waits for them counts as a conflict; without "
    "these, the wavefronts are the same.",
)
CACHED = (
    "Sectors that another request brought",
    "The simulator counts what is asked for. Sectors that are in the L1 cache, or that two SMs ask for at once, are not asked of the "
    "L2 cache again.",
)
UNALIGNED = (
    "Rows of a box that begin within a granule",
    "The copy engine asks for more than 32 bytes at once. Where the rows of a box are not aligned to that, some sectors are "
    "asked for twice, or not needed.",
)
UNEXPLAINED = ("Differences without an explanation", "None is expected here.")
REASONS = (
    PREDICATED, JUMPED, AVERAGED, CONTRACTED, FOLDED, EXPANDED, SIGNS, REMOVED, SHARED_BANKS, CACHED, UNALIGNED, UNEXPLAINED,
)


class Launch:
    """A launch as it was predicted: its group, name, kernel and figures."""

    def __init__(self, group, name, kernel):
        self.group, self.name, self.kernel, self.metrics = group, name, kernel, {}


def number(text):
    """`1,024` and `12.5` as numbers; None of what is none, such as `n/a`."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def predicted(path):
    """Launches in order."""
    launches, group = [], ""
    for line in open(path):
        word, _, rest = line.strip().partition(" ")
        if word == "group":
            group = rest
        elif word == "predicted":
            name, kernel, metric, value = rest.split()
            if not launches or launches[-1].name != name:
                launches.append(Launch(group, name, kernel))
            launches[-1].metrics[metric] = float(value)
    return launches


def measured(path):
    """{kernel: [{metric: value} of each launch, in order]}."""
    lines = open(path, newline="").read().splitlines()
    # ncu and the program may write before the table.
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        sys.exit(f"{path} has no table of ncu; it begins with:\n" + "\n".join(lines[:20]))
    of_launch = collections.OrderedDict()
    for row in csv.DictReader(line for line in lines[start:] if line.startswith('"')):
        kernel = row["Kernel Name"].split("(")[0].split()[-1]
        metrics = of_launch.setdefault(int(row["ID"]), (kernel, {}))[1]
        metrics[row["Metric Name"]] = number(row["Metric Value"])
    launches = collections.defaultdict(list)
    for kernel, metrics in of_launch.values():
        launches[kernel].append(metrics)
    return launches


def joined(launches, real):
    """Each launch with what was measured of it."""
    turns, pairs = collections.Counter(), []
    for launch in launches:
        turn = turns[launch.kernel]
        turns[launch.kernel] += 1
        if turn >= len(real[launch.kernel]):
            sys.exit(f"ncu saw {turn} launches of {launch.kernel}, and {launch.name} is one more")
        pairs.append((launch, real[launch.kernel][turn]))
    return pairs


def found(metrics, name):
    """A metric; of atomics both those with a result and those without, which are reductions there."""
    value = metrics.get(name)
    if "op_atom" in name and "global" in name:
        value = (value or 0.0) + (metrics.get(name.replace("op_atom", "op_red")) or 0.0)
    return value


def operations(metrics):
    """Floating-point operations by the counters of instructions."""
    weight = lambda name: 2 if "fma_" in name else 1
    return float(sum(weight(name) * (value or 0) for name, value in metrics.items() if name.startswith(OPERATION)))


def rows(launch, real):
    """(metric, predicted, measured) of a launch, those of operations completed by what ncu alone counts."""
    names = dict.fromkeys(launch.metrics)
    if any(name.startswith(OPERATION) for name in names):
        names.update(dict.fromkeys(name for name, value in real.items() if name.startswith(OPERATION) and value))
    for name in names:
        value, other = launch.metrics.get(name, 0.0), found(real, name)
        # The share of branches has no meaning where none is left, and ncu says 0.
        if other is None or name == UNIFORM and not real.get(BRANCHES):
            continue
        # Conflicts of no access are none, and nothing to be proud of.
        if value or other or launch.metrics.get(name.replace(CONFLICTS, WAVEFRONTS)):
            yield name, value, other
    if any(name.startswith(OPERATION) for name in names):
        yield FLOPS, operations(launch.metrics), operations(real)


def equal(value, other):
    """Counts are equal or not; of others ncu has two digits after the point."""
    return value == other if value.is_integer() and other.is_integer() else abs(value - other) <= 0.006


def why(launch, real, metric):
    """What explains that a figure differs."""
    if "branch" in metric:
        if real.get(BRANCHES, 0) < launch.metrics.get(BRANCHES, 0):
            return PREDICATED
        return JUMPED if real.get(DIVERGENT) == launch.metrics.get(DIVERGENT) else UNEXPLAINED
    if "mem_shared" in metric or "op_shared" in metric:
        return why_shared(launch.metrics, real, metric)
    if metric.startswith(L2):
        return CACHED if real[metric] < launch.metrics[metric] else UNALIGNED
    if metric == ACTIVE:
        return AVERAGED if launch.metrics[ACTIVE] < 32 else UNEXPLAINED
    if metric.startswith(OPERATION) or metric == FLOPS:
        ours, theirs = operations(launch.metrics), operations(real)
        if launch.kernel in OF_SIGNS:
            return SIGNS
        return CONTRACTED if ours == theirs else FOLDED if theirs < ours else EXPANDED
    return UNEXPLAINED


def why_shared(ours, theirs, metric):
    """What explains that a figure of shared memory differs."""
    op = re.search(r"op_(?:shared_)?(ld|st)", metric).group(1)
    instructions, wavefronts, conflicts = (name + op + ".sum" for name in (SHARED, WAVEFRONTS, CONFLICTS))
    if theirs[instructions] < ours[instructions]:
        return REMOVED
    bare = lambda of: of[wavefronts] - of[conflicts]
    return SHARED_BANKS if bare(ours) == bare(theirs) else UNEXPLAINED


def text(value):
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def ratio(value, other):
    """The predicted one for each measured one."""
    if equal(value, other):
        return "1"
    return f"{value / other:.3g}" if other else "–"


def table(head, lines):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def named(metric):
    return metric if metric == FLOPS else f"`{metric}`"


def figure(launch, metric, value, other):
    return [f"`{launch.name}`", named(metric), text(value), text(other), ratio(value, other)]


HEAD = ["launch", "metric", "predicted", "measured", "ratio"]


def summary(pairs):
    score = collections.OrderedDict()
    for launch, real in pairs:
        for metric, value, other in rows(launch, real):
            of = score.setdefault(metric, [0, 0])
            of[0] += equal(value, other)
            of[1] += 1
    print("## Metric by metric\n")
    table(["metric", "equal", "of launches"], ([named(m), str(e), str(n)] for m, (e, n) in sorted(score.items())))


def differences(pairs):
    """Prints what differs by what explains it; whether nothing explains some of it."""
    groups = collections.OrderedDict((group, []) for group in REASONS)
    for launch, real in pairs:
        for metric, value, other in rows(launch, real):
            if not equal(value, other):
                groups[why(launch, real, metric)].append(figure(launch, metric, value, other))
    print("## What differs, and why\n")
    for (title, text_of_it), lines in groups.items():
        if lines:
            print(f"### {title}\n\n{text_of_it}\n")
            table(HEAD, lines)
    return bool(groups[UNEXPLAINED])


def everything(pairs):
    groups = collections.OrderedDict()
    for launch, real in pairs:
        lines = groups.setdefault(launch.group, [])
        lines += [figure(launch, m, v, o) for m, v, o in rows(launch, real)]
    for group, lines in groups.items():
        print(f"## {group}\n")
        table(HEAD, lines)


def tensors(pairs):
    """Prints launches with tensor cores and the copy engine; whether nothing explains that some figure differs."""
    lines, reasons = [], set()
    for launch, real in pairs:
        for metric, value, other in rows(launch, real):
            reason = None if equal(value, other) else why(launch, real, metric)
            reasons.add(reason)
            lines.append(figure(launch, metric, value, other) + [reason[0] if reason else ""])
    equals = sum(not line[-1] for line in lines)
    print(
        "## Tensor cores and the copy engine\n\n"
        "Launches of `tests/corpus/measured_tensors.rs`. The sectors of the L2 cache are those that threads and the copy engine "
        f"ask for together. Of {len(lines)} figures {equals} are equal. What explains the others is in the last column:\n"
    )
    for reason in REASONS:
        if reason in reasons:
            print(f"- {reason[0]}: {reason[1]}")
    print()
    table(HEAD + ["why"], lines)
    return UNEXPLAINED in reasons


def patterns(pairs):
    """Prints wavefronts and conflicts of each pattern; whether some differ."""
    accesses = list(dict.fromkeys(launch.kernel for launch, _ in pairs))
    cells, wrong = collections.OrderedDict(), 0
    for launch, real in pairs:
        op = "ld" if launch.kernel.startswith("load") else "st"
        ours = [launch.metrics.get(f"{prefix}{op}.sum") for prefix in (WAVEFRONTS, CONFLICTS)]
        theirs = [real.get(f"{prefix}{op}.sum") for prefix in (WAVEFRONTS, CONFLICTS)]
        cell = " ".join(text(value) for value in theirs if value is not None)
        if ours != theirs:
            wrong += 1
            cell += f" (predicted {' '.join(text(value) for value in ours)})"
        cells.setdefault(launch.name.split("@")[1], {})[launch.kernel] = cell
    print(
        "## Patterns of 64 and 128 bits in shared memory\n\n"
        f"Wavefronts and bank conflicts as measured; of {len(pairs)} launches of one warp {len(pairs) - wrong} are as predicted. "
        "What lanes take part, and which vector each takes, stands in `tests/corpus/bank_patterns.rs`. Those of stores "
        "include the 16 stores by which the tile is filled.\n"
    )
    table(["pattern"] + accesses, ([f"`{name}`"] + [of.get(a, "") for a in accesses] for name, of in cells.items()))
    return wrong


def jumps(path):
    """{kernel: [branches on a condition, jumps without one]} that warps executed, by the source page of `ncu --csv`."""
    executed, kernel, columns = {}, None, None
    for row in csv.reader(open(path, newline="")):
        if row and row[0] in ("Kernel Name", "Function Name"):
            kernel, columns = row[1].split("(")[0].split()[-1], None
        elif "Source" in row:
            count = [at for at, name in enumerate(row) if name.lower().lstrip("# ") in INSTRUCTIONS]
            columns = (len(row) - 1 - row[::-1].index("Source"), count[0]) if count else None
        elif kernel and columns and len(row) > max(columns):
            branch = re.match(r"(@!?\w+\s+)?BRA\b", row[columns[0]].strip())
            if branch:
                executed.setdefault(kernel, [0, 0])[not branch.group(1)] += number(row[columns[1]]) or 0
    return executed


def branch_figures(metrics):
    return [metrics.get(metric) for metric in (BRANCHES, DIVERGENT, UNIFORM)]


def alternating(ours, theirs):
    """Cells: predicted, measured, predicted, measured, and so on."""
    cell = lambda value: "–" if value is None else text(value)
    return [cell(value) for pair in zip(ours, theirs) for value in pair]


def same(ours, theirs):
    return all(theirs_ is not None and equal(ours_, theirs_) for ours_, theirs_ in zip(ours, theirs))


def verdict(differs):
    return "Some figures differ." if differs else "All figures are equal."


def surviving(pairs):
    """Prints the branches that an optimising compiler leaves; whether some differ."""
    lines = [(launch.name, branch_figures(launch.metrics), branch_figures(real)) for launch, real in pairs]
    differs = not all(same(ours, theirs) for _, ours, theirs in lines)
    print(
        "## Branches that stay branches\n\n"
        "The conditions of the course's three kernels with a loop behind each, compiled as `launch` does: too long for "
        f"predicates. {verdict(differs)}\n"
    )
    table(
        ["kernel", "branches", "measured", "divergent", "measured", "uniform %", "measured"],
        ([f"`{name}`"] + alternating(ours, theirs) for name, ours, theirs in lines),
    )
    return differs


def unoptimised(pairs, executed):
    """Prints the course's own branches where nothing is optimised; whether some differ."""
    lines = []
    for launch, real in pairs:
        conditions, without = executed.get(launch.kernel, [None, None])
        _, divergent, with_jumps = branch_figures(real)
        efficiency = 100 - 100 * divergent / conditions if conditions and divergent is not None else None
        lines.append((launch.name, branch_figures(launch.metrics), [conditions, divergent, efficiency], [without, with_jumps]))
    differs = not all(same(ours, theirs) for _, ours, theirs, _ in lines)
    print(
        "## Without optimisation\n\n"
        "The course's own three kernels. Optimised, their bodies are predicates, and no branch is left. Compiled with "
        "`WARPSMITH_DEBUGINFO=full`, which is NVRTC's `--device-debug`, each condition of Rust is a branch. Debug code also "
        "has jumps, which enter and leave the sides of an `if`: they have no condition, cannot diverge, and Rust does not "
        "spell them. The source page of Nsight Compute tells the two apart, and the measured figures are those of branches "
        f"on a condition. {verdict(differs)} The last column is Nsight Compute's own "
        f"`{UNIFORM}`: it counts a jump as a branch whose lanes all went one way, and so is higher.\n"
    )
    head = ["kernel", "branches", "measured", "divergent", "measured", "uniform %", "measured", "jumps", "uniform % with jumps"]
    cell = lambda value: "–" if value is None else text(value)
    table(head, ([f"`{name}`"] + alternating(ours, theirs) + [cell(v) for v in more] for name, ours, theirs, more in lines))
    return differs


def main():
    folder = sys.argv[1]
    of = lambda name: os.path.join(folder, name)
    pairs = joined(predicted(of("predicted.txt")), measured(of("ncu.csv")))
    kernels = len({launch.kernel for launch, _ in pairs})
    device = open(of("device.txt")).read().strip()
    print(
        f"# What the simulator predicts, and what Nsight Compute measures\n\n"
        f"{len(pairs)} launches of {kernels} kernels: `.metrics(…)` on the simulator beside `ncu` on {device}. Written by "
        "`benches/ncu.sh`; the launches are in `tests/corpus/measured.rs`. The ratio is predicted to measured.\n"
    )
    summary(pairs)
    unexplained = differences(pairs)
    everything(pairs)
    if os.path.exists(of("patterns.csv")):
        unexplained |= bool(patterns(joined(predicted(of("patterns.txt")), measured(of("patterns.csv")))))
    if os.path.exists(of("tensors.csv")):
        unexplained |= tensors(joined(predicted(of("tensors.txt")), measured(of("tensors.csv"))))
    if os.path.exists(of("branches.csv")):
        long = lambda pairs: [pair for pair in pairs if pair[0].name.startswith("long_")]
        short = lambda pairs: [pair for pair in pairs if not pair[0].name.startswith("long_")]
        launches = predicted(of("branches.txt"))
        unexplained |= surviving(long(joined(launches, measured(of("branches.csv")))))
        executed = jumps(of("unoptimised_source.csv"))
        unexplained |= unoptimised(short(joined(launches, measured(of("unoptimised.csv")))), executed)
    sys.exit("some figures differ, and nothing says why" if unexplained else 0)


main()
