#!/usr/bin/env bash
# Many random kernels: on this machine's CPU, or on a machine with a GPU that needs no Rust.
#
#   fuzz/run.sh cpu SECONDS [SEED] [KERNELS]        # builds here, and compares twin, interpreter and printed CUDA
#   fuzz/run.sh carry FOLDER [SEED] [KERNELS]       # builds here, in release, stripped, into FOLDER
#   fuzz/run.sh gpu FOLDER SECONDS [PROCESSES]      # there: compares the twin with the GPU
#
# A kernel is a CUDA text that no other variant of its program has: `compared` counts them. Every process takes its part
# of the programs, and begins anew after some thousand variants, which frees what a process keeps of each kernel.
# WARPSMITH_FUZZ_* (src/settings.rs) reach the processes; WARPSMITH_FUZZ_SANITIZERS=1 runs the printed text under the
# sanitizers, which takes many times as long.
set -euo pipefail
cd "$(dirname "$0")/.."

built() { # profile
    cargo test "$@" -p warpsmith-fuzz --test compare --no-run --message-format=json | python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable"):
        print(message["executable"])'
}

# Runs processes for some seconds, each round with other variants; ends with the sums of their last lines.
rounds() { # executable seconds processes variants
    local executable=$1 seconds=$2 processes=$3 variants=$4
    local logs end round=0
    logs=$(mktemp -d)
    end=$(($(date +%s) + seconds))
    while [ "$(date +%s)" -lt "$end" ]; do
        for part in $(seq 0 $((processes - 1))); do
            WARPSMITH_FUZZ_SHARD=$part/$processes WARPSMITH_FUZZ_FIRST=$((round * variants)) \
                WARPSMITH_FUZZ_VARIANTS=$variants WARPSMITH_FUZZ_SECONDS=$((end - $(date +%s) + 1)) \
                "$executable" executors --nocapture >"$logs/$round.$part" 2>&1 &
        done
        wait
        round=$((round + 1))
    done
    grep -h '^---- ' "$logs"/* || true
    grep -L '^fuzz: kernels' "$logs"/* | sed 's/^/died: /' || true
    grep -h '^fuzz: kernels' "$logs"/* | tr -d '(),' | awk '
        { if ($3 > kernels) kernels = $3; variants += $5; compared += $7; a += $9; b += $11; c += $13; d += $15; s += $17 }
        END { printf "fuzz: variants %d compared %d (twin-interpreter %d, printed %d, gpu %d) differing %d skipped %d\n", variants, compared, a, b, c, d, s }'
    echo "fuzz: logs in $logs"
}

case ${1:-} in
cpu)
    export WARPSMITH_FUZZ_SEED=${3:-1} WARPSMITH_FUZZ_KERNELS=${4:-60} WARPSMITH_CACHE_SIZE=${WARPSMITH_CACHE_SIZE:-256M}
    rounds "$(built)" "$2" "$(nproc)" 40
    ;;
carry)
    export WARPSMITH_FUZZ_SEED=${3:-1} WARPSMITH_FUZZ_KERNELS=${4:-200}
    mkdir -p "$2"
    cp "$(built --release)" "$2/fuzz"
    strip "$2/fuzz"
    cp "$0" "$2/run.sh" 2>/dev/null || cp fuzz/run.sh "$2/run.sh"
    ls -l "$2"
    ;;
gpu)
    WARPSMITH_CACHE_DIR=$(mktemp -d)
    export WARPSMITH_CACHE_DIR WARPSMITH_CACHE_SIZE=1M
    # Small kernels: what NVRTC takes for one is what limits their number.
    export WARPSMITH_FUZZ_RUNNERS=${WARPSMITH_FUZZ_RUNNERS:-gpu} WARPSMITH_FUZZ_DENSITY=${WARPSMITH_FUZZ_DENSITY:-8}
    rounds "$2/fuzz" "$3" "${4:-$(nproc)}" "${VARIANTS:-200}"
    ;;
*)
    sed -n '2,12p' "$0"
    exit 2
    ;;
esac
