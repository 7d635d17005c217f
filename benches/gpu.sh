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

status=0
run() {
    local name=$1
    shift
    if timeout 300 "$@" >"$output/$name.log" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        grep -vE 'CORPUS_SEED' "$output/$name.log" | tail -40
        status=1
    fi
}

run tests_small "$folder/gpu" --nocapture --test-threads=1
run runtime "$folder/runtime" --nocapture --test-threads=1
run operators "$folder/operators" --nocapture --test-threads=1
run language "$folder/language" --nocapture --test-threads=1
run numbers "$folder/numbers" --nocapture --test-threads=1
run ports "$folder/ports" --nocapture --test-threads=1
run simulator "$folder/simulator" --nocapture --test-threads=1
for tool in memcheck initcheck racecheck synccheck; do
    run $tool compute-sanitizer --tool $tool --error-exitcode 9 "$folder/gpu" --test-threads=1 every_kernel
done
run memcheck_language compute-sanitizer --tool memcheck --error-exitcode 9 "$folder/language" --test-threads=1
run tests_real env CORPUS_SCALE=real "$folder/gpu" --nocapture --test-threads=1 every_kernel
run kernels "$folder/kernels"
run start "$folder/start"
run peer "$peer"

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
exit $status
