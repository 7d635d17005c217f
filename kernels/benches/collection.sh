#!/usr/bin/env bash
# Tests and times the collection on a GPU machine, which needs nvcc with CUB's headers and PyTorch, and no Rust.
#
#   benches/carry.sh FOLDER                    # on your machine: builds the tests and benches, stripped, into FOLDER
#   kernels/benches/collection.sh FOLDER       # on the GPU's
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
peer=$(mktemp -d)/cub
# Snapshots stay where the sources are.
"$folder/kernels_tests" --test-threads=1 --skip snapshots
CORPUS_SCALE=real "$folder/kernels_tests" --test-threads=1 reductions scans
nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$peer" "$here/peer/cub.cu"
python3 "$here/table.py" "$folder/kernels_bench" "$peer" "$@"
# The rows and movements have peers in PyTorch and Triton.
if python3 -c "import torch, triton" 2>/dev/null; then
    python3 "$here/matrices.py" "$folder/kernels_bench"
fi
python3 "$here/gemm.py" "$folder/kernels_gemm"
python3 "$here/attention.py" "$folder/kernels_attention"
python3 "$here/convolutions.py" "$folder/kernels_convolutions"
python3 "$here/sparse.py" "$folder/kernels_sparse"
python3 "$here/spectra.py" "$folder/kernels_spectra"
nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$peer-images" "$here/peer/images.cu"
python3 "$here/images.py" "$folder/kernels_images" "$peer-images"
