#!/usr/bin/env bash
# What needs two GPUs of one host: peers, and memory synchronization domains beside NCCL.
#
#   benches/carry.sh FOLDER              # here: builds
#   benches/two_gpus.sh FOLDER           # on the GPU machine
#
# NCCL is `libnccl.so.2` on the library path, or of PyTorch's wheels.
set -uo pipefail
folder=$1
export RUST_BACKTRACE=0
# Multicast over NVLink can put the GPUs of a shared host out of service.
export NCCL_NVLS_ENABLE=0

gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)
if [ "$gpus" -lt 2 ]; then
    echo "skipped: $gpus GPU"
    exit 0
fi
nvidia-smi topo -m

find_nccl() {
    ldconfig -p | awk '$1 == "libnccl.so.2" { print $NF; exit }'
    python3 - <<'PYTHON'
import glob, site, sysconfig
for root in {sysconfig.get_paths()["purelib"], *site.getsitepackages()}:
    for found in glob.glob(root + "/nvidia/nccl/lib/libnccl.so.2"):
        print(found)
PYTHON
}
nccl=$(find_nccl 2>/dev/null | head -1)
if [ -n "$nccl" ]; then
    # The bench asks for `libnccl.so`, which the wheels do not have.
    links=$(mktemp -d)
    ln -s "$nccl" "$links/libnccl.so"
    export LD_LIBRARY_PATH="$links:$(dirname "$nccl")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    echo "NCCL: $nccl"
else
    echo "skipped: NCCL was not found"
fi
failed=0
timeout 300 "$folder/runtime" --nocapture --test-threads=1 peers || failed=1
timeout 300 "$folder/two_gpus" || failed=1
exit $failed
