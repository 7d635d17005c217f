#!/usr/bin/env bash
# Many random kernels: on this machine's CPU, or on a machine with a GPU that needs no Rust.
#
#   fuzz/run.sh cpu SECONDS [SEED] [KERNELS]        # builds here, and compares twin, interpreter and printed CUDA
#   fuzz/run.sh carry FOLDER [SEED] [KERNELS]       # builds here, stripped, into FOLDER, which may hold several seeds
#   fuzz/run.sh gpu FOLDER SECONDS [PROCESSES]      # there: compares the twin with the GPUs
#
# A kernel is a CUDA text that no other variant of its program has: `compared` counts them. Every process takes its part
# of the programs, and begins anew after some thousand variants, which frees what a process keeps of each kernel.
# VARIANTS is how many, and FIRST the first, so that a later run tries others.
# WARPSMITH_FUZZ_* (src/settings.rs) reach the processes; WARPSMITH_FUZZ_SANITIZERS=1 runs the printed text under the
# sanitizers, which takes many times as long; WARPSMITH_FUZZ_RUNNERS=interpreter,printed has the other machine's CPU
# compare.
set -euo pipefail
folder=$(realpath -m "${2:-.}")
cd "$(dirname "$0")/.."

built() { # profile
    cargo test "$@" -p warpsmith-fuzz --test compare --no-run --message-format=json-render-diagnostics | python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable"):
        print(message["executable"])'
}

# One process after another until the time is over, each with other variants of its part of the programs.
worker() { # executable seconds part parts variants logs
    local end round=0 log left
    end=$(($(date +%s) + $2))
    while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
        log=$6/$(basename "$1").$3.$round
        # A kernel that hangs must not take the run with it.
        WARPSMITH_FUZZ_SHARD=$3/$4 WARPSMITH_FUZZ_FIRST=$((${FIRST:-0} + round * $5)) WARPSMITH_FUZZ_VARIANTS=$5 \
            WARPSMITH_FUZZ_SECONDS=$left WARPSMITH_FUZZ_LAST=$log.last \
            timeout --kill-after=5 $((left + 20)) "$1" executors --nocapture >"$log" 2>&1 || true
        if ! grep -q '^fuzz: kernels' "$log"; then break; fi
        rm -f "$log.last"
        round=$((round + 1))
    done
}

# Runs a worker for each process and each executable, whose parts they share; ends with the sums of their last lines.
workers() { # logs seconds processes variants executable...
    local logs=$1 seconds=$2 processes=$3 variants=$4 gpus part
    shift 4
    # Compilers allocate much and free it: glibc must not give it back to the kernel after each text.
    export MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=67108864 MALLOC_ARENA_MAX=1
    gpus=$({ nvidia-smi --list-gpus 2>/dev/null || true; } | wc -l)
    mkdir -p "$logs"
    for part in $(seq 0 $((processes - 1))); do
        # The executables take turns; those that have one share its programs.
        local executable=${*:$((part % $# + 1)):1} parts=$(((processes + $# - 1 - part % $#) / $#))
        (
            if [ "$gpus" -gt 1 ]; then export CUDA_VISIBLE_DEVICES=$((part / $# % gpus)); fi
            worker "$executable" "$seconds" $((part / $#)) "$parts" "$variants" "$logs"
        ) &
    done
    wait
    grep -h '^---- ' "$logs"/* || true
    grep -L '^fuzz: kernels' "$logs"/*.[0-9]* | grep -v last$ | sed 's/^/died: /' || true
    grep -h '^fuzz: kernels' "$logs"/* | tr -d '(),' | awk '
        { variants += $5; compared += $7; a += $9; b += $11; c += $13; d += $15; s += $17 }
        END { printf "fuzz: variants %d compared %d (twin-interpreter %d, printed %d, gpu %d) differing %d skipped %d\n", variants, compared, a, b, c, d, s }'
    echo "fuzz: logs in $logs"
}

case ${1:-} in
cpu)
    export WARPSMITH_FUZZ_SEED=${3:-1} WARPSMITH_FUZZ_KERNELS=${4:-60} WARPSMITH_CACHE_SIZE=${WARPSMITH_CACHE_SIZE:-256M}
    workers "$(mktemp -d)" "$2" "$(nproc)" 40 "$(built)"
    ;;
carry)
    export WARPSMITH_FUZZ_SEED=${3:-1} WARPSMITH_FUZZ_KERNELS=${4:-200}
    mkdir -p "$folder"
    cp "$(built)" "$folder/fuzz-$WARPSMITH_FUZZ_SEED"
    strip "$folder/fuzz-$WARPSMITH_FUZZ_SEED"
    cp fuzz/run.sh "$folder"
    ls -l "$folder"
    ;;
gpu)
    WARPSMITH_CACHE_DIR=$(mktemp -d)
    export WARPSMITH_CACHE_DIR WARPSMITH_CACHE_SIZE=256M
    # Small kernels: what a compiler takes for one is what limits their number.
    export WARPSMITH_FUZZ_RUNNERS=${WARPSMITH_FUZZ_RUNNERS:-gpu} WARPSMITH_FUZZ_DENSITY=${WARPSMITH_FUZZ_DENSITY:-8}
    # No text comes twice, so keeping cubins would only fill a disk.
    if [ "$WARPSMITH_FUZZ_RUNNERS" = gpu ]; then export WARPSMITH_CACHE=off; fi
    workers "${OUT:-$(mktemp -d)}/${WARPSMITH_FUZZ_RUNNERS//,/-}" "$3" "${4:-$(nproc)}" "${VARIANTS:-200}" "$folder"/fuzz-*
    ;;
*)
    sed -n '2,13p' "$0"
    exit 2
    ;;
esac
