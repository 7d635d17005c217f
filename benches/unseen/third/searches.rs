//! Searches with stacks, decoders, ragged rows and automata.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "searches",
    originals: include_str!("searches.cu"),
    kernels: &[
        Unseen { name: "nqueens", class: "backtracking, stacks in local arrays, i32", make: nqueens_trial },
        Unseen { name: "kd_nearest", class: "search in a tree, local stack, u32", make: kd_nearest_trial },
        Unseen { name: "lz_decode", class: "decoder, cursors over bytes, u32", make: lz_decode_trial },
        Unseen { name: "csr_stream", class: "sparse rows by blocks, shared, u32", make: csr_stream_trial },
        Unseen { name: "dfa_lines", class: "automaton by bytes, ragged rows, u32", make: dfa_lines_trial },
    ],
};

/// How many ways there are to place the queens of the last rows, by where those of the first rows attack.
#[gpu_kernel]
fn nqueens(
    columns: &[u32],
    falling: &[u32],
    rising: &[u32],
    counts: &mut [u32],
    n: i32,
    rows: i32,
    total: i32,
) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id >= total {
        return;
    }
    let mut cols = [0u32; 16];
    let mut lefts = [0u32; 16];
    let mut rights = [0u32; 16];
    let mut open = [0u32; 16];
    let all = (1u32 << n) - 1;
    cols[0] = columns[id];
    lefts[0] = falling[id];
    rights[0] = rising[id];
    open[0] = all & !(cols[0] | lefts[0] | rights[0]);
    let mut found = 0;
    let mut depth = 0i32;
    while depth >= 0 {
        let d = depth as usize;
        let bits = open[d];
        if bits == 0 {
            depth -= 1;
            continue;
        }
        let bit = bits & bits.wrapping_neg();
        open[d] = bits ^ bit;
        if depth + 1 == rows {
            found += 1;
        } else {
            cols[d + 1] = cols[d] | bit;
            lefts[d + 1] = (lefts[d] | bit) << 1;
            rights[d + 1] = (rights[d] | bit) >> 1;
            depth += 1;
            open[d + 1] = all & !(cols[d + 1] | lefts[d + 1] | rights[d + 1]);
        }
    }
    counts[id] = found;
}

/// The attacked columns, and those attacked along both diagonals, after each way to fill the first rows.
fn placed(n: u32, rows: u32, taken: [u32; 3], all: &mut Vec<[u32; 3]>) {
    if rows == 0 {
        return all.push(taken);
    }
    for bit in (0..n).map(|column| 1 << column) {
        let [cols, left, right] = taken;
        if (cols | left | right) & bit == 0 {
            placed(n, rows - 1, [cols | bit, (left | bit) << 1, (right | bit) >> 1], all);
        }
    }
}

fn nqueens_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, first) = ground.pick((6, 2), (13, 4));
    let mut starts = Vec::new();
    placed(n, first, [0; 3], &mut starts);
    let [columns, falling, rising] = [0, 1, 2].map(|i| starts.iter().map(|of| of[i]).collect::<Vec<_>>());
    let (dc, df, dr) = (ground.up(&columns)?, ground.up(&falling)?, ground.up(&rising)?);
    let total = starts.len();
    let want = move |id: usize| {
        let mut all = Vec::new();
        placed(n, n - first, starts[id], &mut all);
        all.len() as u32
    };
    let mut counts = ground.blank(total, exactly(want))?;
    let [n, rows, count] = [n as i32, (n - first) as i32, total as i32];
    trial!(
        ground,
        Shape::line(total, 128),
        nqueens(&dc, &df, &dr, &mut counts.memory, n, rows, count),
        original(&dc, &df, &dr, &counts.memory, n, rows, count),
        [counts]
    )
}

/// A point of the plane.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Place {
    x: f32,
    y: f32,
}

/// The square of the distance from each query to the nearest point of a k-d tree, whose node `i` has children `2 i + 1` and
/// `2 i + 2`.
#[gpu_kernel]
fn kd_nearest(tree: &[Place], queries: &[Place], nearest: &mut [f32], nodes: u32, count: u32) {
    let id = block_idx().x * block_dim().x + thread_idx().x;
    if id >= count {
        return;
    }
    let x = queries[id].x;
    let y = queries[id].y;
    let mut stack = [0u32; 24];
    let mut top = 1;
    let mut best = 1e30f32;
    while top > 0 {
        top -= 1;
        let mut at = stack[top];
        let mut depth = 31 - (at + 1).leading_zeros();
        while at < nodes {
            let place = tree[at];
            let dx = x - place.x;
            let dy = y - place.y;
            best = best.min(dx * dx + dy * dy);
            let side = if depth % 2 == 0 { dx } else { dy };
            let mut near = 2 * at + 1;
            let mut far = 2 * at + 2;
            if side > 0.0 {
                near = 2 * at + 2;
                far = 2 * at + 1;
            }
            if side * side < best && far < nodes {
                stack[top] = far;
                top += 1;
            }
            at = near;
            depth += 1;
        }
    }
    nearest[id] = best;
}

/// Puts points into the subtree of a node: the middle one along its axis, the lower ones left, the others right.
fn plant(points: &mut [Place], at: usize, axis: usize, tree: &mut [Place]) {
    if points.is_empty() {
        return;
    }
    let along = |p: &Place| if axis == 0 { p.x } else { p.y };
    points.sort_by(|a, b| along(a).total_cmp(&along(b)));
    let middle = points.len() / 2;
    tree[at] = points[middle];
    let (low, high) = points.split_at_mut(middle);
    plant(low, 2 * at + 1, 1 - axis, tree);
    plant(&mut high[1..], 2 * at + 2, 1 - axis, tree);
}

fn kd_nearest_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [levels, count] = ground.pick([5, 70], [16, 1 << 18]);
    let nodes = (1usize << levels) - 1;
    let places = |n: usize| -> Vec<Place> {
        ground.between(2 * n, 0.0..1.0).chunks_exact(2).map(|p| Place { x: p[0], y: p[1] }).collect()
    };
    let (mut points, queries) = (places(nodes), places(count));
    let mut tree = vec![Place { x: 0.0, y: 0.0 }; nodes];
    plant(&mut points, 0, 0, &mut tree);
    let (dt, dq) = (ground.up(&tree)?, ground.up(&queries)?);
    let want = move |id: usize| {
        let apart = |p: &Place| {
            let of = |a: f32, b: f32| f64::from(a) - f64::from(b);
            of(p.x, queries[id].x).powi(2) + of(p.y, queries[id].y).powi(2)
        };
        points.iter().map(apart).fold(f64::MAX, f64::min) as f32
    };
    let mut nearest = ground.blank(count, near(1e-6, want))?;
    let [nodes, queries] = [nodes as u32, count as u32];
    trial!(
        ground,
        Shape::line(count, 256),
        kd_nearest(&dt, &dq, &mut nearest.memory, nodes, queries),
        original(&dt, &dq, &nearest.memory, nodes, queries),
        [nearest]
    )
}

/// Decodes packets: a token's high half says how many literals follow, its low half how much, and four more, is repeated of what
/// came as far back as two bytes say.
#[gpu_kernel]
fn lz_decode(packed: &[u8], from: &[u32], plain: &mut [u8], to: &[u32], packets: i32) {
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if id >= packets {
        return;
    }
    let mut at = from[id];
    let end = from[id + 1];
    let mut out = to[id];
    while at < end {
        let token = packed[at] as u32;
        at += 1;
        let literals = token >> 4;
        for i in 0..literals {
            plain[out + i] = packed[at + i];
        }
        at += literals;
        out += literals;
        if at >= end {
            break;
        }
        let back = packed[at] as u32 | (packed[at + 1] as u32) << 8;
        at += 2;
        let length = (token & 15) + 4;
        for i in 0..length {
            plain[out + i] = plain[out + i - back];
        }
        out += length;
    }
}

fn lz_decode_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [packets, tokens] = ground.pick([20, 4], [1 << 15, 24]);
    let (mut packed, mut plain) = (Vec::new(), Vec::new());
    let (mut from, mut to) = (vec![0u32], vec![0u32]);
    for _ in 0..packets {
        let start = plain.len();
        for token in 0..tokens {
            let word = ground.word() >> 16;
            let literals = (word % 15 + 1) as usize;
            let length = (word >> 8) as usize % 16;
            packed.push((literals << 4 | length) as u8);
            let fresh = ground.bytes(literals);
            packed.extend_from_slice(&fresh);
            plain.extend_from_slice(&fresh);
            if token + 1 < tokens {
                let back = (word >> 16) as usize % (plain.len() - start) + 1;
                packed.extend_from_slice(&(back as u16).to_le_bytes());
                (0..length + 4).for_each(|_| plain.push(plain[plain.len() - back]));
            }
        }
        from.push(packed.len() as u32);
        to.push(plain.len() as u32);
    }
    let (dp, df, dt) = (ground.up(&packed)?, ground.up(&from)?, ground.up(&to)?);
    let mut out = ground.blank(plain.len(), exactly(move |at| plain[at]))?;
    trial!(
        ground,
        Shape::line(packets, 128),
        lz_decode(&dp, &df, &mut out.memory, &dt, packets as i32),
        original(&dp, &df, &out.memory, &dt, packets as i32),
        [out]
    )
}

/// A sparse matrix times a vector: each block does the rows of which all products fit into its memory.
#[gpu_kernel]
fn csr_stream(blocks: &[u32], rows: &[u32], cols: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let mut products = shared!([f32; 512]);
    let first = blocks[block_idx().x];
    let last = blocks[block_idx().x + 1];
    let start = rows[first];
    let count = rows[last] - start;
    let mut i = thread_idx().x;
    while i < count {
        products[i] = values[start + i] * x[cols[start + i]];
        i += block_dim().x;
    }
    sync_threads();
    let mut row = first + thread_idx().x;
    while row < last {
        let mut sum = 0.0;
        for i in rows[row] - start..rows[row + 1] - start {
            sum += products[i];
        }
        y[row] = sum;
        row += block_dim().x;
    }
}

fn csr_stream_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, longest] = ground.pick([300, 12], [1 << 19, 16]);
    let mut rows = vec![0u32];
    (0..n).for_each(|i| rows.push(rows[i] + ((ground.word() >> 40) % (longest as u64 + 1)) as u32));
    let mut blocks = vec![0u32];
    for row in 0..n {
        let first = blocks[blocks.len() - 1] as usize;
        if rows[row + 1] - rows[first] > 512 {
            blocks.push(row as u32);
        }
    }
    blocks.push(n as u32);
    let entries = rows[n] as usize;
    let (cols, values) = (ground.below(entries, n as u32), ground.floats(entries));
    let x = ground.floats(n);
    let (db, dr, dc) = (ground.up(&blocks)?, ground.up(&rows)?, ground.up(&cols)?);
    let (dv, dx) = (ground.up(&values)?, ground.up(&x)?);
    let want = move |row: usize| {
        let own = rows[row] as usize..rows[row + 1] as usize;
        own.map(|at| f64::from(values[at]) * f64::from(x[cols[at] as usize])).sum::<f64>() as f32
    };
    let mut y = ground.blank(n, near(1e-5, want))?;
    trial!(
        ground,
        Shape::blocks([blocks.len() as u32 - 1, 1, 1], [128, 1, 1]),
        csr_stream(&db, &dr, &dc, &dv, &dx, &mut y.memory),
        original(&db, &dr, &dc, &dv, &dx, &y.memory),
        [y]
    )
}

/// The state that an automaton ends a line in.
#[gpu_kernel]
fn dfa_lines(text: &[u8], lines: &[u32], table: &[u8], states: &mut [u32], count: u32) {
    let id = block_idx().x * block_dim().x + thread_idx().x;
    if id < count {
        let mut state = 0;
        let mut at = lines[id];
        while at < lines[id + 1] {
            state = table[state * 256 + text[at] as u32] as u32;
            at += 1;
        }
        states[id] = state;
    }
}

fn dfa_lines_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (count, longest) = ground.pick((60, 20), (1 << 17, 96));
    let states = 12;
    let mut lines = vec![0u32];
    (0..count).for_each(|i| lines.push(lines[i] + ((ground.word() >> 40) % longest) as u32));
    let text = ground.bytes(lines[count] as usize);
    let table: Vec<u8> = ground.below(256 * states, states as u32).iter().map(|state| *state as u8).collect();
    let (dt, dl, da) = (ground.up(&text)?, ground.up(&lines)?, ground.up(&table)?);
    let want = move |id: usize| {
        let line = &text[lines[id] as usize..lines[id + 1] as usize];
        line.iter().fold(0, |state: u32, byte| table[state as usize * 256 + *byte as usize].into())
    };
    let mut ends = ground.blank(count, exactly(want))?;
    trial!(
        ground,
        Shape::line(count, 128),
        dfa_lines(&dt, &dl, &da, &mut ends.memory, count as u32),
        original(&dt, &dl, &da, &ends.memory, count as u32),
        [ends]
    )
}
