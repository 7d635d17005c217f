#!/usr/bin/env bash
# Builds the GPU tests and benches and copies them, stripped, into FOLDER, which `gpu.sh` reads.
#
#   benches/carry.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
mkdir -p "$folder"
# For a machine that has what this one may lack.
export WARPSMITH_TESTS_FOR=${WARPSMITH_TESTS_FOR:-gpu,nvrtc}
tests=(gpu runtime operators language evaluation library hardware tensors numbers simulator coarsening)

names=()
for test in "${tests[@]}"; do
    names+=(--test "$test")
done
{
    cargo test --release --no-run --message-format=json "${names[@]}"
    cargo bench --no-run --message-format=json
    cargo build --release --message-format=json --example overlap --example tune_block_shape
    cargo build --release --message-format=json -p two-gpus
} | python3 -c '
import json, shutil, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable") and built["target"]["name"] in sys.argv[2:]:
        shutil.copy(built["executable"], sys.argv[1] + "/" + built["target"]["name"])
' "$folder" "${tests[@]}" kernels coarsened seeds start memory images two_gpus predictions products attention random_products simulators unseen overlap tune_block_shape
# The collection's have the names of others.
{
    cargo test --release --no-run --message-format=json -p warpsmith-kernels --test collection
    cargo bench --no-run --message-format=json -p warpsmith-kernels --bench collection --bench gemm --bench attention --bench sparse --bench spectra --bench images --bench convolutions
} | python3 -c '
import json, shutil, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable"):
        kind = {"test": "tests"}.get(built["target"]["kind"][0], built["target"]["kind"][0])
        name = kind if built["target"]["name"] == "collection" else built["target"]["name"]
        shutil.copy(built["executable"], sys.argv[1] + "/kernels_" + name)
' "$folder"
strip "$folder"/*
ls -l "$folder"
