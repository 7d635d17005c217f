#!/usr/bin/env bash
# Runs every GPU test and bench from a folder of carried binaries, and ends with a short table.
#
#   benches/carry.sh FOLDER              # here: builds the tests and benches, stripped, into FOLDER
#   benches/gpu.sh FOLDER [OUTPUT]       # on the GPU machine
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
output=${2:-/tmp/warpsmith-gpu}
mkdir -p "$output"
export RUST_BACKTRACE=0

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
peer=$output/peer
nvcc -O3 -gencode=arch=compute_90a,code=sm_90a -o "$peer" "$here/peer.cu" || echo "peer.cu did not build"

run() {
    local name=$1
    shift
    if timeout "${LIMIT:-300}" "$@" >"$output/$name.log" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        grep -E 'panicked|FAILED|assertion|left:|right:|ERROR|Invalid|error' -A2 "$output/$name.log" | grep -v CORPUS_SEED | tail -40
        touch "$output/failed"
    fi
}
rm -f "$output/failed"
WARPSMITH_CACHE_DIR=$(mktemp -d)
export WARPSMITH_CACHE_DIR

# What is right or wrong, at once.
run tests_small "$folder/gpu" --nocapture --test-threads=1 &
for test in operators language evaluation library hardware tensors numbers simulator; do
    run $test "$folder/$test" --nocapture --test-threads=1 &
done
wait
run runtime "$folder/runtime" --nocapture --test-threads=1 --skip soak
run soak env WARPSMITH_SOAK=1000000 "$folder/runtime" --nocapture --test-threads=1 soak
# All but memcheck know nothing of kernels that launch kernels, and it takes a launch that the device
# refuses for a wrong write of the kernel that launches.
run memcheck compute-sanitizer --tool memcheck --error-exitcode 9 "$folder/gpu" --test-threads=1 every_kernel &
for tool in initcheck racecheck synccheck; do
    run $tool env CORPUS_SKIP=nested,recursive compute-sanitizer --tool $tool --error-exitcode 9 "$folder/gpu" --test-threads=1 every_kernel &
done
for test in language evaluation library hardware tensors; do
    run memcheck_$test compute-sanitizer --tool memcheck --error-exitcode 9 "$folder/$test" --test-threads=1 &
done
run memcheck_runtime compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 9 "$folder/runtime" --test-threads=1 \
    --skip soak --skip lost --skip overlap --skip allocations --skip programmatic --skip nested &
wait
run tests_real env CORPUS_SCALE=real "$folder/gpu" --nocapture --test-threads=1 every_kernel

# What is timed, one after the other.
run kernels "$folder/kernels"
run start "$folder/start"
run images "$folder/images"
run peer "$peer"
LIMIT=600 run seeds "$here/seeds.sh" "$folder" "$output/seeds"
run two_gpus "$here/two_gpus.sh" "$folder"
run ncu "$here/ncu.sh" "$folder" "$output/ncu"
run sanitizer "$here/sanitizer.sh" "$folder"

grep -h 'right\|instead\|skipped' "$output/tests_real.log" | sort | uniq -c | sort -rn | head -60
echo "--- what ours(unit) nvcc(unit) ratio"
awk '
    $1 == "ours" { ours[$2] = $3; unit[$2] = $4; order[++n] = $2 }
    $1 == "peer" { peer[$2] = $3 }
    END {
        for (i = 1; i <= n; i++) {
            k = order[i]
            base = k
            sub(/_(checked|prepared|cudarc)$/, "", base)
            if (base in peer) printf "%-28s %10.4f %10.4f %s  %.3f\n", k, ours[k], peer[base], unit[k], ours[k] / peer[base]
            else printf "%-28s %10.4f %10s %s\n", k, ours[k], "-", unit[k]
        }
    }
' "$output/kernels.log" "$output/start.log" "$output/peer.log"
grep -h "^figure" "$output"/*.log | sort | uniq
echo "--- the seeds"
sed -n '/^| /,$p' "$output/seeds.log" | grep -v '^figure'
[ ! -e "$output/failed" ]
