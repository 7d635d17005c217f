#!/usr/bin/env bash
# Times the seed programs beside nvcc's, in turn three times, and ends with a table of medians, the figures, and the block
# shapes that the tuner tried.
#
#   benches/carry.sh FOLDER              # here: builds
#   benches/seeds.sh FOLDER [OUTPUT]     # on the GPU machine; about three minutes
#
# OUTPUT/ours.log and peer.log hold every run, the other logs what has no peer.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
output=${2:-/tmp/warpsmith-seeds}
mkdir -p "$output"
rm -f "$output"/*.log
export RUST_BACKTRACE=0
WARPSMITH_CACHE_DIR=$(mktemp -d)
export WARPSMITH_CACHE_DIR

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || { echo "skipped: no GPU"; exit 0; }
nvcc --version | tail -2 | head -1
failed=0

# Appends what a program prints to a log: run LOG PROGRAM ARGUMENTS
run() {
    local log=$output/$1.log
    shift
    if ! timeout 120 "$@" >>"$log" 2>&1; then
        echo "FAILED  $*"
        tail -5 "$log"
        failed=1
    fi
}

nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -o "$output/peer" "$here/seeds.cu" || failed=1
for part in reductions transposes stencils sums persistence; do
    for _ in 1 2 3; do
        run ours "$folder/seeds" "$part"
        run peer "$output/peer" "$part"
    done
done
for part in priorities litmus; do
    run "$part" "$folder/seeds" "$part"
done
run memory "$folder/memory"
run overlap "$folder/overlap"
run block_shapes "$folder/tune_block_shape"

awk -f "$here/seeds.awk" "$output/ours.log" "$output/peer.log"
grep -h '^figure' "$output"/*.log | sort -u
grep -h '^skipped' "$output"/*.log | sort -u
echo "--- sum_matrix over blocks of each shape"
cat "$output/block_shapes.log"
exit $failed
