#!/usr/bin/env bash
# What `#[gpu_kernel]` costs rustc: `cargo check` of a kernel of 500 lines, and of the same function plain.
#
#   benches/compile_time.sh [blocks] [runs]
#
# A block is 50 lines of a kernel; default: 10. Prints user and wall seconds, the least of the runs, of checking one crate
# that depends on `warpsmith`, whose own build is not counted.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
blocks=${1:-10}
runs=${2:-5}
work=${CARGO_TARGET_DIR:-$root/target}/compile_time
mkdir -p "$work/src"

# Fifty lines of everyday device code: arithmetic, indices, branches, loops, shared memory, calls, methods.
block() {
    sed "s/@/$1/g" <<'BLOCK'
    let row@ = i / width;
    let col@ = i % width;
    let inside@ = row@ < height && col@ < width;
    let mut sum@ = 0.0;
    let mut best@ = x[i];
    if inside@ {
        for k in 0..8 {
            sum@ += weights[k] * 0.5;
            best@ = best@.max(weights[k]);
        }
    }
    tile[lane] = sum@ * scale + best@;
    sync_threads();
    let mut step@ = 128;
    while step@ > 0 {
        if lane < step@ {
            tile[lane] += tile[lane + step@];
        }
        sync_threads();
        step@ /= 2;
    }
    let total@ = tile[0];
    let mean@ = total@ / width as f32;
    let spread@ = (best@ - mean@).abs().sqrt();
    let weight@ = smooth(spread@, scale) + 1.0;
    let mut hash@ = (i as u32).wrapping_mul(2654435761);
    hash@ ^= hash@ >> 13;
    hash@ = (hash@ & 0xffff) + (hash@ | 1);
    let bucket@ = hash@ as usize % height;
    let level@ = match hash@ % 4 {
        0 => mean@,
        1 => spread@ + 2.0,
        2 => -spread@,
        _ => 0.0,
    };
    if level@ > 1.0 && bucket@ != row@ {
        y[i] = level@ * x[i] + weight@;
    } else if level@ < -1.0 {
        y[i] -= x[bucket@] / weight@;
    } else {
        y[i] = clamped(level@, -1.0, 1.0);
    }
    let mut local@ = [0.0; 4];
    for j in 0..4 {
        local@[j] = x[i + j] * y[i] - mean@;
    }
    let (low@, high@) = (local@[0].min(local@[1]), local@[2].max(local@[3]));
    if col@ + 1 < width && !(low@ > high@) {
        y[i + 1] += (low@ + high@) * 0.25 - smooth(low@, high@);
    }
BLOCK
}

function_body() {
    cat <<'HEAD'
    let i = global_id();
    let lane = thread_idx().x as usize;
    let mut tile = shared!([f32; 256]);
HEAD
    for n in $(seq "$blocks"); do block "$n"; done
}

# `with_attributes`: a kernel; without: functions of Rust, whose shared memory is an array.
crate() {
    local kernel="" function="" shared="macro_rules! shared { ([\$t:ty; \$n:expr]) => { [<\$t>::default(); \$n] } }"
    if [ "$1" = with_attributes ]; then kernel="#[gpu_kernel]" function="#[gpu_fn]" shared=""; fi
    cat <<CRATE
#![allow(clippy::all)]
use warpsmith::prelude::*;
$shared
$function
pub fn smooth(value: f32, scale: f32) -> f32 { value * scale / (1.0 + value.abs()) }
$function
pub fn clamped(value: f32, low: f32, high: f32) -> f32 { value.max(low).min(high) }
$kernel
pub fn measured(scale: f32, width: usize, height: usize, weights: &[f32], x: &[f32], y: &mut [f32]) {
$(function_body)
}
CRATE
}

cat >"$work/Cargo.toml" <<TOML
[package]
name = "compile_time"
edition = "2024"
[dependencies]
warpsmith = { path = "$root/runtime" }
[workspace]
TOML
cp "$root/Cargo.lock" "$work/Cargo.lock"

# The least user and wall seconds of a few checks.
measure() {
    crate "$1" >"$work/src/lib.rs"
    CARGO_TARGET_DIR="$work/target" cargo check -q --manifest-path "$work/Cargo.toml"
    local TIMEFORMAT='%U %R'
    for run in $(seq "$runs"); do
        # An edit of the body, so that rustc checks all of it again.
        crate "$1" | sed "s/let i = global_id();/let i = global_id() + $run;/" >"$work/src/lib.rs"
        { time CARGO_TARGET_DIR="$work/target" cargo check -q --offline --manifest-path "$work/Cargo.toml"; } 2>&1
    done | awk 'NR == 1 || $1 < user { user = $1 } NR == 1 || $2 < wall { wall = $2 } END { print user, wall }'
}

plain=$(measure without)
kernel=$(measure with_attributes)
echo "lines of the function: $(function_body | wc -l)"
echo "$plain $kernel" | awk '{
    printf "%-12s %8s %8s\n", "", "user s", "wall s"
    printf "%-12s %8.2f %8.2f\n", "plain", $1, $2
    printf "%-12s %8.2f %8.2f\n", "gpu_kernel", $3, $4
    printf "%-12s %8.2f %8.2f\n", "difference", $3 - $1, $4 - $2
}'
