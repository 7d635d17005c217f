#!/usr/bin/env bash
# Elements a second on one core: the simulator by each executor and with its checks, beside numba's simulator on the same
# kernels. Needs no GPU. `sanitizer.sh` has compute-sanitizer's on one.
#
#   benches/simulators.sh                # writes target/simulators.txt too
#
# Rates are by processor time, but other programs still take their share of the caches: the machine should be quiet.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
rates=$target/simulators.txt
venv=$target/numba
core=(taskset -c 0)

cargo bench --no-run --bench simulators
"${core[@]}" cargo bench --quiet --bench simulators -- cpu | tee "$rates"
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
# The simulator asks for the version of the CUDA runtime, though it needs none.
"$venv/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1 numba-cuda==0.30.4 nvidia-cuda-runtime
NUMBA_ENABLE_CUDASIM=1 "${core[@]}" "$venv/bin/python" benches/simulators.py | tee -a "$rates"
awk -f benches/rates.awk "$rates"
