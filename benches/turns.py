#!/usr/bin/env python3
"""Times our kernels and those that PyTorch calls in turns: bursts after a rest, and launches without a rest.

Call: turns.py products|attention BINARY [SIZE...] [NAME...], where BINARY is the bench of that name: products of SIZE x SIZE
(4096, 8192), or sequences of SIZE tokens (4096, 16384). Prints `NAME_SIZE_MODE VALUE TFLOP/s RATIO...`, with the ratio to each
of PyTorch's kernels. For products these are cuBLAS with `b` as [n, k] (`cublas_tn`) and as [k, n] (`cublas_nn`), for attention
cuDNN and FlashAttention. Both processes keep the device open, and work one at a time.
"""

import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from torch_timing import random, timed
from turn_taking import Server, median, take_turns

TOKENS, HEADS = 16384, 16


def products(size):
    """The work of each round, PyTorch's kernels and the names of ours."""
    a, b = random(size, size), random(size, size)
    c = torch.empty_like(a)
    peers = {
        "cublas_tn": timed(lambda: torch.matmul(a, b.T, out=c)),
        "cublas_nn": timed(lambda: torch.matmul(a, b, out=c)),
    }
    yield 2 * size**3, peers, ["gemm_sm90", "gemm_sm90_nn", "gemm_sm80"]


def attention(tokens):
    for d in 128, 64:
        q, k, v = (random(TOKENS // tokens, HEADS, tokens, d) for _ in range(3))
        for causal in False, True:

            def by(backend):
                def launch():
                    with sdpa_kernel(backend):
                        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

                return timed(launch)

            peers = {"cudnn": by(SDPBackend.CUDNN_ATTENTION), "flash": by(SDPBackend.FLASH_ATTENTION)}
            name = f"d{d}_{'causal' if causal else 'full'}"
            work = 4 * TOKENS * HEADS * tokens * d / (2 if causal else 1)
            yield work, {name + "_" + peer: run for peer, run in peers.items()}, [name]


ROUNDS = {"products": (products, [4096, 8192]), "attention": (attention, [4096, 16384])}


def main():
    (rounds, all_sizes), binary, words = ROUNDS[sys.argv[1]], sys.argv[2], sys.argv[3:]
    sizes = [int(word) for word in words if word.isdigit()] or all_sizes
    names = [word for word in words if not word.isdigit()]
    server = Server([binary, "serve"])
    print(server.greeting())
    for size in sizes:
        for work, peers, known in rounds(size):
            chosen = [name for name in known if not names or name in names]
            if not chosen:
                continue
            kernels = {**peers, **{name: server.timed(name, size) for name in chosen}}
            for mode, times in take_turns(kernels).items():
                rate = {name: work / median(of) * 1e-9 for name, of in times.items()}
                for name, of in rate.items():
                    ratios = " ".join(f"{of / rate[peer]:.3f}" for peer in peers)
                    print(f"{name}_{size}_{mode} {of:.1f} TFLOP/s {ratios}", flush=True)
    server.close()


main()
