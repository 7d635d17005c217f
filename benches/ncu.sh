#!/usr/bin/env bash
# Predicted metrics beside those that Nsight Compute measures, launch by launch, as `benches/ncu.md` has them.
#
#   benches/carry.sh FOLDER              # here: builds, among others, `predictions`
#   benches/ncu.sh FOLDER [OUTPUT]       # on the GPU machine; `ncu` must be allowed to read the counters
#
# Writes OUTPUT/ncu.md, and what it was made of, beside it. Metrics that this version of ncu or this GPU does not have
# are named and left out. Fails where a figure differs and nothing explains it.
set -euo pipefail
folder=$1
output=${2:-/tmp/warpsmith-ncu}
ncu=${NCU:-ncu}
mkdir -p "$output"
export RUST_BACKTRACE=0
WARPSMITH_CACHE_DIR=$(mktemp -d)
export WARPSMITH_CACHE_DIR

# Counts METRICS of all launches of `predictions run WORDS`: ncu_csv METRICS WORDS ARGUMENTS OF NCU
ncu_csv() {
    # shellcheck disable=SC2086 # no word or many
    "$ncu" --csv --print-units base --clock-control none --target-processes all --metrics "$1" "${@:3}" \
        "$folder/predictions" run $2
}

# As ncu_csv, without the metrics that ncu does not have: counted METRICS WORDS, METRICS one a line.
counted() {
    if ncu_csv "$(paste -sd, <<<"$1")" "$2" 2>"$output/ncu.err"; then
        return
    fi
    local known=() metric
    for metric in $1; do
        if ncu_csv "$metric" "$2" --launch-count 1 >"$output/one.csv" 2>&1; then
            known+=("$metric")
        else
            echo "ncu has no $metric: $(grep -m1 -E 'ERROR|error' "$output/one.csv" || echo 'it says nothing')" >&2
        fi
    done
    [ ${#known[@]} -gt 0 ] || { cat "$output/ncu.err" "$output/one.csv" >&2; exit 1; }
    ncu_csv "$(IFS=,; echo "${known[*]}")" "$2"
}

echo "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1 | sed 's/, / with driver /')," \
    "$("$ncu" --version | grep -o 'Version [0-9.]*' | sed 's/V/ncu v/')" >"$output/device.txt"
"$folder/predictions" predict >"$output/predicted.txt"
"$folder/predictions" predict patterns >"$output/patterns.txt"
"$folder/predictions" predict branches >"$output/branches.txt"
"$folder/predictions" predict tensors >"$output/tensors.txt"
# Compiles every kernel, so that ncu waits for none.
"$folder/predictions" run
"$folder/predictions" run patterns
"$folder/predictions" run branches
"$folder/predictions" run tensors
WARPSMITH_DEBUGINFO=full "$folder/predictions" run branches

all=$(awk '$1 == "predicted" { print $4 }' "$output/predicted.txt" | sort -u)
# An atomic whose result is not used is a reduction there, and a compiler may execute other operations than were written.
for what in requests sectors; do
    all+=$'\n'l1tex__t_${what}_pipe_lsu_mem_global_op_red.sum
done
for operation in fadd fmul ffma dadd dmul dfma; do
    all+=$'\n'smsp__sass_thread_inst_executed_op_${operation}_pred_on.sum
done
counted "$(sort -u <<<"$all")" "" >"$output/ncu.csv"
counted "$(awk '{ print $4 }' "$output/patterns.txt" | sort -u)" patterns >"$output/patterns.csv"
# The names of the copy engine differ from one version of ncu to the next: those that this one has are kept.
"$ncu" --query-metrics --chips gh100 2>/dev/null | grep -iE 'tma|utma|bulk|stsm|ops_path_tensor' >"$output/names.txt" || true
counted "$(awk '{ print $4 }' "$output/tensors.txt" | sort -u)" tensors >"$output/tensors.csv"
# Branches once more by themselves: as `launch` compiles them, and without optimisation, which leaves every condition a
# branch. The source page tells branches on a condition from jumps, which the metrics count together.
branches=$(awk '{ print $4 }' "$output/branches.txt" | sort -u)
counted "$branches" branches >"$output/branches.csv"
WARPSMITH_DEBUGINFO=full counted "$branches" branches >"$output/unoptimised.csv"
WARPSMITH_DEBUGINFO=full "$ncu" --csv --print-units base --clock-control none --target-processes all \
    --section SourceCounters --page source --print-source sass "$folder/predictions" run branches \
    >"$output/unoptimised_source.csv"
python3 "$(dirname "$0")/ncu_table.py" "$output" >"$output/ncu.md" || failed=$?
sed -n '/^## Metric by metric/,/^## What differs/p; /^## Tensor cores/,/^## Branches/p; /^## Branches that stay/,$p' "$output/ncu.md"
exit "${failed:-0}"
