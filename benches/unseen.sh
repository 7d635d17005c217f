#!/usr/bin/env bash
# Times the kernels of benches/unseen, which nobody has tuned, beside their originals, and leaves the table.
#
#   benches/carry.sh FOLDER                     # here: builds
#   benches/unseen.sh FOLDER [OUTPUT] [NAME…]   # on the GPU machine; a few minutes for all, or kernels by name
#
# The originals are compiled by NVRTC in the same process, with the flags of ours: nothing but the GPU's driver and NVRTC is
# needed. OUTPUT/unseen.log holds the run, and OUTPUT/unseen.md the table with its summary, which goes into
# benches/FIGURES.md as it is: with the losers.
set -uo pipefail
folder=$1
output=${2:-/tmp/warpsmith-unseen}
shift $(($# < 2 ? $# : 2))
mkdir -p "$output"
export RUST_BACKTRACE=0
WARPSMITH_CACHE_DIR=$(mktemp -d)
export WARPSMITH_CACHE_DIR

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || { echo "skipped: no GPU"; exit 0; }
"$folder/unseen" "$@" >"$output/unseen.log" 2>&1
result=$?
grep -v '^measured' "$output/unseen.log" | grep '^FAILED\|^device\|^skipped\|measured'
sed -n '/^| kernel/,$p' "$output/unseen.log" | tee "$output/unseen.md"
exit $result
