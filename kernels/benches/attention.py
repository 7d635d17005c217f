#!/usr/bin/env python3
"""Times attention beside cuDNN's and FlashAttention, which PyTorch calls, in turns.

Call: attention.py BINARY [TOKENS...] [NAME...], where BINARY is the bench `attention`, which has the names. Prints a row of a table for
each, with TFLOP/s, or GB/s of keys and values in pages; the peers of these have the keys of a sequence side by side.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))

import torch  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402
from torch_timing import random, timed  # noqa: E402
from turn_taking import Server, median, take_turns  # noqa: E402

TOKENS, HEADS = 16384, 16
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


def peers(q, k, v, causal):
    """PyTorch's kernels that take these shapes."""

    def by(backend):
        def launch():
            with sdpa_kernel(backend):
                torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1]
                )

        return launch

    found = {}
    for name, backend in BACKENDS.items():
        try:
            by(backend)()
            found[name] = timed(by(backend))
        except RuntimeError as reason:
            print(f"no {name}:", str(reason).splitlines()[0], file=sys.stderr)
    return found


def peers_backward(q, k, v, causal):
    """The same for the gradients of all inputs."""
    found = {}
    for name, backend in BACKENDS.items():
        inputs = [x.clone().requires_grad_() for x in (q, k, v)]
        try:
            with sdpa_kernel(backend):
                o = torch.nn.functional.scaled_dot_product_attention(
                    *inputs, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1]
                )
            of_o = random(*o.shape)

            def launch(o=o, inputs=inputs, of_o=of_o):
                torch.autograd.grad(o, inputs, of_o, retain_graph=True)

            launch()
            found[name] = timed(launch)
        except RuntimeError as reason:
            print(f"no {name}:", str(reason).splitlines()[0], file=sys.stderr)
    return found


def forward(size, causal, sharing, of=peers):
    def make(tokens):
        shape = (TOKENS // tokens, HEADS, tokens, size)
        of_keys = (TOKENS // tokens, HEADS // sharing, tokens, size)
        return of(random(*shape), random(*of_keys), random(*of_keys), causal)

    return make


def backward(size, causal, sharing):
    return forward(size, causal, sharing, peers_backward)


PARTS = [64, 9, 37, 3, 50, 21, 1, 44]


def offsets(longest):
    """The same as of `varlen.rs`: sequences of many lengths."""
    ends = [0]
    while ends[-1] < TOKENS:
        i = len(ends) - 1
        length = max(min(longest * PARTS[i % 8] // 64 + i * 37 % 61, longest), 1)
        ends.append(min(ends[-1] + length, TOKENS))
    return ends


def varlen(size, causal, sharing):
    """FlashAttention for sequences of many lengths."""

    def make(longest):
        ends = offsets(longest)
        longest = max(b - a for a, b in zip(ends, ends[1:]))
        ends = torch.tensor(ends, dtype=torch.int32, device="cuda")
        q, k, v = (random(TOKENS, heads, size) for heads in (HEADS, HEADS // sharing, HEADS // sharing))

        def launch():
            torch.ops.aten._flash_attention_forward(
                q, k, v, ends, ends, longest, longest, 0.0, causal, False
            )

        launch()
        return {"flash": timed(launch)}

    return make


def paged(size):
    def make(tokens):
        return peers(random(64, 32, 1, size), random(64, 8, tokens, size), random(64, 8, tokens, size), False)

    return make


FUNCTIONS = {
    "full_128": forward(128, False, 1),
    "causal_128": forward(128, True, 1),
    "shared_128": forward(128, True, 4),
    "full_64": forward(64, False, 1),
    "causal_64": forward(64, True, 1),
    "full_256": forward(256, False, 1),
    "causal_256": forward(256, True, 1),
    "back_full_128": backward(128, False, 1),
    "back_causal_128": backward(128, True, 1),
    "back_shared_128": backward(128, True, 4),
    "back_full_64": backward(64, False, 1),
    "back_causal_64": backward(64, True, 1),
    "varlen_full_128": varlen(128, False, 1),
    "varlen_causal_128": varlen(128, True, 1),
    "varlen_shared_128": varlen(128, True, 4),
    "varlen_full_64": varlen(64, False, 1),
    "varlen_causal_64": varlen(64, True, 1),
    "paged_128": paged(128),
    "paged_64": paged(64),
}


def main():
    binary, words = sys.argv[1], sys.argv[2:]
    sizes = [int(word) for word in words if word.isdigit()]
    names = [word for word in words if not word.isdigit()] or list(FUNCTIONS)
    server = Server([binary, "serve"])
    print(server.greeting())
    print("| function | tokens | launches | ours | peer | its rate | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        unit = 1e-6 if name.startswith("paged") else 1e-9
        for size in sizes or [4096, 16384]:
            kernels = {"ours": server.timed(name, size), **FUNCTIONS[name](size)}
            for mode, times in take_turns(kernels).items():
                rate = {which: server.work[name, size] / median(of) * unit for which, of in times.items()}
                for peer in list(rate)[1:] or ["ours"]:
                    of = f"{rate[peer]:.1f} | {rate['ours'] / rate[peer]:.3f}"
                    print(f"| {name} | {size} | {mode} | {rate['ours']:.1f} | {peer} | {of} |", flush=True)
            del kernels
            torch.cuda.empty_cache()
    server.close()


main()
