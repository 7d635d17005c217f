#!/usr/bin/env python3
"""Plants the defects of mutations.toml one at a time, and says which ones the fuzzer and the tests find.

    fuzz/mutate.py                 # every defect
    fuzz/mutate.py printer order   # those whose names hold a word
    fuzz/mutate.py --check         # only whether every replacement applies

All defects are built into one executable, each behind a test of `WARPSMITH_MUTANT`, so that there is one build and not
one for each. The tree is restored when this ends, however it ends. `WARPSMITH_FUZZ_SEED`, `WARPSMITH_FUZZ_KERNELS` and
`WARPSMITH_FUZZ_VARIANTS` choose the kernels (default: seed 7, 40 kernels, 6 variants). Programs that fail without any
defect are left out; with many of them the answer means little.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 240
LIBRARIES = ["warpsmith", "warpsmith-interpreter", "warpsmith-lang", "warpsmith-ir"]
# Other tests that a defect may name, by their executables.
SUITES = ["printed", "numbers"]
KEPT = tempfile.TemporaryDirectory(prefix="warpsmith-mutants-")
SWITCH = """
/// Whether a planted defect is on: see `fuzz/mutate.py`.
#[allow(dead_code)]
pub(crate) fn mutant(name: &str) -> bool {
    static ON: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    ON.get_or_init(|| std::env::var("WARPSMITH_MUTANT").ok()).as_deref() == Some(name)
}
"""


def crate_root(file: Path) -> Path:
    """The `lib.rs` of the crate that a file belongs to."""
    for folder in file.parents:
        if (folder / "lib.rs").exists():
            return folder / "lib.rs"
    raise SystemExit(f"{file}: no lib.rs above it")


def planted(mutants: list[dict]) -> dict[Path, str]:
    """The files with every defect in them; ends where a replacement does not apply."""
    texts: dict[Path, str] = {}
    problems = []
    for mutant in mutants:
        path = ROOT / mutant["file"]
        text = texts.get(path) or (path.read_text() if path.exists() else "")
        times = text.count(mutant["from"])
        if times != 1:
            problems.append(f"{mutant['file']} holds the text of `{mutant['name']}` {times} times")
            continue
        on = f'crate::mutant("{mutant["name"].replace(chr(96), "")}")'
        texts[path] = text.replace(mutant["from"], mutant["to"].replace("MUTANT", on))
    if problems:
        raise SystemExit("\n".join(problems))
    for root in {crate_root(path) for path in texts}:
        texts[root] = texts.get(root, root.read_text()) + SWITCH
    return texts


def build(env: dict[str, str]) -> dict[str, str]:
    """Builds the fuzzer, the libraries' unit tests and the suites; their executables by name."""
    executables = {}
    libraries = [argument for library in LIBRARIES for argument in ("-p", library)]
    suites = [argument for suite in SUITES for argument in ("--test", suite)]
    for arguments in (["-p", "warpsmith-fuzz", "--test", "compare"], [*libraries, "--lib"], suites):
        command = ["cargo", "test", "-j2", "--no-run", "--message-format=json-render-diagnostics", *arguments]
        built = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
        if built.returncode != 0:
            raise SystemExit("the tree with the defects does not build; see above")
        for line in built.stdout.splitlines():
            message = json.loads(line)
            if message.get("executable"):
                # A copy: another build may replace what Cargo made.
                copy = Path(KEPT.name) / message["target"]["name"].replace("-", "_")
                shutil.copy(message["executable"], copy)
                executables[copy.name] = str(copy)
    return executables


def run(executable: str, arguments: list[str], env: dict[str, str], timeout: int = TIMEOUT) -> tuple[bool, str]:
    """Whether a test passed, and what it said; one that does not end has failed."""
    # With a group of its own, so that a compiler that it started ends with it.
    process = subprocess.Popen(
        [executable, *arguments], cwd=ROOT / "runtime", env=env, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode == 0, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False, f"---- does not end in {timeout} s"


def failing_programs(output: str) -> set[str]:
    return set(re.findall(r"^---- (\S+) ", output, re.MULTILINE))


def verdict(mutant: dict, executables: dict[str, str], env: dict[str, str]) -> tuple[str, str]:
    """Who found a defect, and how."""
    env = env | {"WARPSMITH_MUTANT": mutant["name"].replace("`", ""), "WARPSMITH_FUZZ_STOP": "1"}
    if mutant.get("sanitizers"):
        env["WARPSMITH_FUZZ_SANITIZERS"] = "1"
    passed, output = run(executables["compare"], ["executors", "--nocapture"], env)
    if not passed:
        lines = [line for line in output.splitlines() if line.startswith("---- ") or "panicked" in line]
        return "fuzzer", (lines or ["died"])[0]
    for tests in mutant.get("tests", []):
        failed, output, _ = unit_tests(tests, executables, env)
        if failed:
            named = re.findall(r"^    (\S+::\S+)$", output, re.MULTILINE)
            return "tests", ", ".join(sorted(set(named))[:3]) or "died"
    return "nobody", ""


def unit_tests(tests: str, executables: dict[str, str], env: dict[str, str]) -> tuple[bool, str, int]:
    """Runs the tests of a filter. Returns whether one fails, its message, and the number of tests."""
    count = 0
    for name in [*LIBRARIES, *SUITES]:
        passed, output = run(executables[name.replace("-", "_")], [tests, "-q"], env)
        if not passed:
            return True, output, count
        count += sum(int(n) for n in re.findall(r"^running (\d+) test", output, re.MULTILINE))
    return False, "", count


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    mutants = tomllib.loads((ROOT / "fuzz" / "mutations.toml").read_text())["mutant"]
    texts = planted(mutants)
    if "--check" in sys.argv:
        print(f"{len(mutants)} defects apply")
        return 0
    env = {"WARPSMITH_FUZZ_SEED": "7", "WARPSMITH_FUZZ_KERNELS": "40", "WARPSMITH_FUZZ_VARIANTS": "6"} | dict(os.environ)
    env |= {"WARPSMITH_FUZZ_REPORTS": "0"}
    before = {path: path.read_text() for path in texts}

    def restore(*_):
        for path, text in before.items():
            path.write_text(text)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        for path, text in texts.items():
            path.write_text(text)
        executables = build(env)
    finally:
        restore()
    # The first run compiles every text; those that a defect does not change are found in the cache.
    passed, output = run(executables["compare"], ["executors", "--nocapture"], env, 8 * TIMEOUT)
    if not passed:
        broken = failing_programs(output)
        print(f"without a defect {len(broken)} programs fail, and are left out: {' '.join(sorted(broken))}")
        if not broken:
            raise SystemExit(output[-2000:])
        env["WARPSMITH_FUZZ_EXCEPT"] = ",".join(sorted(broken))
    for tests in sorted({tests for mutant in mutants for tests in mutant.get("tests", [])}):
        failed, output, count = unit_tests(tests, executables, env)
        if failed:
            raise SystemExit(f"the unit tests `{tests}` fail without a defect:\n{output[-2000:]}")
        if count == 0:
            raise SystemExit(f"no unit test is named by `{tests}`, which finds nothing then")
    found = {"fuzzer": 0, "tests": 0, "nobody": 0}
    for mutant in mutants:
        if words and not any(word in mutant["name"] for word in words):
            continue
        started = time.time()
        who, how = verdict(mutant, executables, env)
        found[who] += 1
        state = "survived" if who == "nobody" else f"killed by {who}"
        print(f"{state:16} {time.time() - started:4.0f} s  {mutant['name']}  {how[:160]}", flush=True)
    total = sum(found.values())
    print(f"mutants: {total} planted, {found['fuzzer']} killed by the fuzzer, {found['tests']} by tests, {found['nobody']} survived")
    return 1 if found["nobody"] else 0


if __name__ == "__main__":
    sys.exit(main())
