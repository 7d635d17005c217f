#!/usr/bin/env bash
# Elements a second of the kernels of `simulators.rs` on a GPU: plain, and under each tool of compute-sanitizer. Kernels with
# tensor cores, the copy engine and pipelines run under memcheck, of sizes that use each stage of a pipeline more than once.
#
#   benches/carry.sh FOLDER              # here: builds, among others, `simulators` and `predictions`
#   benches/sanitizer.sh FOLDER          # on the GPU machine, with compute-sanitizer in PATH
#
# Rates are by the clock, of a launch and the wait for its end. At the small size, which the simulators are measured at,
# a launch costs more than its kernel does.
set -euo pipefail
folder=$1
rates=$(mktemp)
WARPSMITH_CACHE_DIR=$(mktemp -d)
export WARPSMITH_CACHE_DIR

compute-sanitizer --version | tail -1
"$folder/simulators" gpu plain >"$rates"
for tool in memcheck racecheck initcheck synccheck; do
    # Its report stands between the rates; a finding or a failure ends this.
    compute-sanitizer --tool $tool --error-exitcode 9 "$folder/simulators" gpu $tool >"$rates.$tool" || {
        cat "$rates.$tool"
        exit 1
    }
    grep '^rate' "$rates.$tool" >>"$rates"
done
compute-sanitizer --tool memcheck --error-exitcode 9 "$folder/predictions" run tensors
awk -f "$(dirname "$0")/rates.awk" "$rates"
