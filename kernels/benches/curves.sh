#!/usr/bin/env bash
# Times functions of the collection beside their peers over sizes, on a GPU machine as collection.sh, and leaves the tables in one file.
#
#   kernels/benches/curves.sh FOLDER TABLES
#
# `plots.py TABLES FOLDER` draws them, on any machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
tables=$2
export TURNS=${TURNS:-3} REST=${REST:-0.05}
peer=$(mktemp -d)/cub
nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$peer" "$here/peer/cub.cu"
powers() { for log in $(seq "$1" "$2" "$3"); do echo $((1 << log)); done; }
# shellcheck disable=SC2046
{
    python3 "$here/table.py" "$folder/kernels_bench" "$peer" $(powers 14 2 28) \
        sum_f32 scan_u32 select_u32 histogram_2048 sort_u32 run_length_u32
    python3 "$here/matrices.py" "$folder/kernels_bench" $(powers 18 2 28) softmax_f32 transpose_f32 gemv_f32
    python3 "$here/spectra.py" "$folder/kernels_spectra" $(powers 4 1 20) fft rfft
    python3 "$here/gemm.py" "$folder/kernels_gemm" curve
    python3 "$here/attention.py" "$folder/kernels_attention" $(powers 9 1 14) full_128 causal_128 back_causal_128
} | tee "$tables"
