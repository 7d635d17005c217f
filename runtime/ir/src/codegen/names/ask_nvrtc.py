#!/usr/bin/env python3
"""Asks NVRTC which names it knows, and writes `reserved.txt` beside this file.

    python3 runtime/ir/src/codegen/names/ask_nvrtc.py <folder of libnvrtc.so>...

The candidates are all identifiers in the bytes of libnvrtc and libnvrtc-builtins, which hold NVRTC's
headers as text and its tables of keywords and intrinsics. Each candidate is compiled in the positions
that printed code has for names; the table lists those that NVRTC refuses or has declared already.
Several folders give the union of several versions, beside what the table lists already.

Names that begin with `__`, or with `_` and a capital, are not listed: the printer renames all of them.
"""
import ctypes
import ctypes.util
import glob
import os
import re
import sys

ARCHITECTURES = ["sm_75", "sm_90", "sm_100"]
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reserved.txt")
HEADER = """\
# Names that NVRTC knows. Written by ask_nvrtc.py: do not edit.
# word: keywords and macros, which no position of a text may have.
# global: names of the global scope, which only members may have.
"""


def identifiers(path, shortest=1):
    if path and not os.path.exists(path):
        path = next(iter(glob.glob(f"/lib*/{path}") + glob.glob(f"/lib/*/{path}")), None)
    if path is None:
        return set()
    with open(path, "rb") as file:
        found = re.findall(rb"[A-Za-z_][A-Za-z0-9_]*", file.read())
    return {name.decode() for name in found if len(name) >= shortest}


class Nvrtc:
    def __init__(self, folder):
        os.environ["LD_LIBRARY_PATH"] = folder
        self.builtins = next(iter(sorted(glob.glob(folder + "/libnvrtc-builtins.so*"))))
        self.library = next(p for p in sorted(glob.glob(folder + "/libnvrtc.so*")) if ".alt" not in p)
        ctypes.CDLL(self.builtins, ctypes.RTLD_GLOBAL)
        self.nvrtc = ctypes.CDLL(self.library)

    def candidates(self):
        """Identifiers of both libraries, and of the system's libc and libm, after which CUDA names functions.

        Symbol tables hold names without a gap, and libdevice's names have a prefix: each part of an
        identifier of the smaller library is a candidate too, and each with C's suffixes.
        """
        found = identifiers(self.library) | identifiers(self.builtins)
        for name in ("c", "m"):
            found |= identifiers(ctypes.util.find_library(name))
        found |= {part for name in found for part in re.split(r"_+", name)}
        found |= {name.split("__nv_")[-1].lstrip("_") for name in found}
        found |= {name + suffix for name in found if len(name) < 20 for suffix in ("f", "l")}
        found |= {
            name[start:end]
            for name in identifiers(self.builtins, shortest=24)
            for start in range(len(name))
            for end in range(start + 3, min(start + 16, len(name)) + 1)
        }
        return sorted(n for n in found if re.match(r"_?[a-z]|[A-Z]", n) and len(n) < 64)

    def lines_with_errors(self, lines, arch):
        """The numbers of lines that are refused, and whether NVRTC stopped before it saw all."""
        text = "\n".join(lines)
        program = ctypes.c_void_p()
        self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"p.cu", 0, None, None)
        options = (ctypes.c_char_p * 1)(f"-arch={arch}".encode())
        result = self.nvrtc.nvrtcCompileProgram(program, 1, options)
        size = ctypes.c_size_t()
        self.nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.nvrtc.nvrtcGetProgramLog(program, buffer)
        self.nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        log = buffer.value.decode(errors="replace")
        refused = {int(n) for n in re.findall(r"^p\.cu\((\d+)\): (?:catastrophic )?error", log, re.M)}
        if result != 0 and not refused:
            sys.exit(f"NVRTC refused a probe without a line:\n{log[:2000]}")
        return refused, "Error limit reached" in log or "catastrophic" in log

    def refused(self, names, line, arch, before="namespace ws_q { using ::ws_absent; }", after=""):
        """The names whose line NVRTC refuses; each name has a line of its own.

        The first line is wrong: NVRTC then looks at the rest without generating code.
        """
        bad = set()
        stack = [names[i : i + 2000] for i in range(0, len(names), 2000)]
        while stack:
            part = stack.pop()
            lines = [before] + [line.replace("NAME", name) for name in part] + [after]
            at, stopped = self.lines_with_errors(lines, arch)
            found = {part[n - 2] for n in at if 2 <= n < len(part) + 2}
            bad.update(found)
            if stopped:
                # NVRTC saw no line behind the last that it refused.
                stack.append(part[max(1, max(at) - 1) :])
        return bad


def ask(folder):
    nvrtc = Nvrtc(folder)
    words, declared = set(), set()
    candidates = nvrtc.candidates()
    print(f"{len(candidates)} candidates")
    # What no architecture declares is only asked for as a word and as what linkage may collide with.
    plain = sorted(identifiers(nvrtc.library) | identifiers(nvrtc.builtins))
    plain = [n for n in plain if re.match(r"_?[a-z]|[A-Z]", n) and len(n) < 64]
    for arch in ARCHITECTURES:
        macros = macro_names(nvrtc, plain, arch)
        local = "__device__ void ws_NAME_f() { int NAME = 1; NAME += 1; }"
        keywords = nvrtc.refused([n for n in plain if n not in macros], local, arch)
        # A keyword may spoil the line behind its own.
        keywords = {n for n in keywords if nvrtc.refused([n], local, arch)}
        words.update(macros | keywords)
        names = [n for n in candidates if n not in words]
        absent = nvrtc.refused(names, "using ::NAME;", arch, "namespace ws_q { using ::ws_absent;", "}")
        found = {n for n in names if n not in absent}
        declared.update(found)
        names = [n for n in plain if n in absent]
        for line in (
            'extern "C" __global__ void ws_NAME_k(int* ws_o) { extern __shared__ int NAME[]; ws_o[0] = NAME[0]; }',
            'extern "C" __global__ void NAME(int* ws_o) { ws_o[0] = 1; }',
            "__device__ short NAME(const float* ws_a, short ws_b) { return ws_b; }",
            "struct NAME { int ws_a; };",
        ):
            declared.update(nvrtc.refused(names, line, arch))
        print(f"{arch}: {len(words)} words, {len(declared)} names")
    return words, declared - words


def macro_names(nvrtc, names, arch):
    found = set()
    for start in range(0, len(names), 2000):
        part = names[start : start + 2000]
        lines = []
        for name in part:
            lines += [f"#ifdef {name}", "using ::ws_absent;", "#endif"]
        while True:
            at, stopped = nvrtc.lines_with_errors(lines, arch)
            for n in at:
                found.add(part[(n - 1) // 3])
                lines[n - 1] = ""
            if not stopped:
                break
    return found


def main():
    words, declared = set(), set()
    if os.path.exists(TABLE):
        for line in open(TABLE):
            kind, _, names = line.partition(": ")
            {"word": words, "global": declared}.get(kind, set()).update(names.split())
    for folder in sys.argv[1:]:
        more_words, more_declared = ask(folder)
        words |= more_words
        declared |= more_declared
    with open(TABLE, "w") as file:
        file.write(HEADER)
        for kind, names in (("word", words), ("global", declared - words)):
            file.writelines(f"{kind}: {name}\n" for name in sorted(names))


main()
