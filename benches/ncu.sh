#!/usr/bin/env bash
# Predicted metrics beside those that Nsight Compute measures, launch by launch, in one table.
#
#   benches/carry.sh FOLDER              # here: builds, among others, `predictions`
#   benches/ncu.sh FOLDER [OUTPUT]       # on the GPU machine; `ncu` must be allowed to read the counters
#
# Writes OUTPUT/predicted.txt, OUTPUT/ncu.csv and OUTPUT/table.md. Metrics that this version of ncu or this GPU does
# not have are named and left out.
set -euo pipefail
folder=$1
output=${2:-/tmp/warpsmith-ncu}
ncu=${NCU:-ncu}
mkdir -p "$output"
export RUST_BACKTRACE=0
WARPSMITH_CACHE_DIR=$(mktemp -d)
export WARPSMITH_CACHE_DIR

"$folder/predictions" predict >"$output/predicted.txt"
"$folder/predictions" run # compiles every kernel, so that ncu waits for none

all=$(cut -d' ' -f4 "$output/predicted.txt" | sort -u)
# An atomic whose result is not used is a reduction there.
all+=$'\nl1tex__t_requests_pipe_lsu_mem_global_op_red.sum\nl1tex__t_sectors_pipe_lsu_mem_global_op_red.sum'
profile() {
    "$ncu" --csv --print-units base --target-processes all --metrics "$1" "${@:2}" "$folder/predictions" run
}
if ! profile "$(paste -sd, <<<"$all")" >"$output/ncu.csv" 2>"$output/ncu.err"; then
    known=()
    for metric in $all; do
        if profile "$metric" --launch-count 1 >"$output/one.csv" 2>&1; then
            known+=("$metric")
        else
            echo "ncu has no $metric: $(grep -m1 -E 'ERROR|error' "$output/one.csv" || echo 'it says nothing')"
        fi
    done
    [ ${#known[@]} -gt 0 ] || { cat "$output/ncu.err" "$output/one.csv"; exit 1; }
    profile "$(IFS=,; echo "${known[*]}")" >"$output/ncu.csv"
fi
python3 "$(dirname "$0")/ncu_table.py" "$output/predicted.txt" "$output/ncu.csv" | tee "$output/table.md"
