//! Steps over graphs, searches, merges, and recurrences along wavefronts.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "graphs",
    originals: include_str!("graphs.cu"),
    kernels: &[
        Unseen { name: "relax_edges", class: "graph step, atomics", make: relax_edges_trial },
        Unseen { name: "pagerank", class: "graph step, u32", make: pagerank_trial },
        Unseen { name: "labels", class: "graph step, i32", make: labels_trial },
        Unseen { name: "floyd_step", class: "graph step, row * n + k, i32", make: floyd_step_trial },
        Unseen { name: "triangles", class: "two cursors over slices", make: triangles_trial },
        Unseen { name: "merge_runs", class: "two cursors over slices", make: merge_runs_trial },
        Unseen { name: "lower_bound", class: "binary search, usize", make: lower_bound_trial },
        Unseen { name: "viterbi_step", class: "recurrence, u32", make: viterbi_step_trial },
        Unseen { name: "knapsack_row", class: "recurrence, i32", make: knapsack_row_trial },
        Unseen { name: "bitonic_step", class: "sorting network in memory, u32", make: bitonic_step_trial },
    ],
};

/// A graph: where the edges of each node start, and where they lead.
fn graph(ground: &Ground, nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32];
    (0..nodes).for_each(|i| starts.push(starts[i] + (ground.word() >> 60) as u32));
    let targets = ground.below(starts[nodes] as usize, nodes as u32);
    (starts, targets)
}

/// One round of Bellman's and Ford's, an edge a thread.
#[gpu_kernel]
fn relax_edges(from: &[u32], to: &[u32], weights: &[u32], before: &[u32], distances: &mut [u32]) {
    let e = global_id();
    if e < from.len() {
        let start = before[from[e]];
        if start != u32::MAX {
            let through = start + weights[e];
            if through < before[to[e]] {
                atomic_min(&mut distances[to[e]], through);
            }
        }
    }
}

fn relax_edges_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nodes, edges] = ground.pick([50, 300], [1 << 18, 1 << 22]);
    let (from, to) = (ground.below(edges, nodes as u32), ground.below(edges, nodes as u32));
    let weights = ground.below(edges, 100);
    let before: Vec<u32> =
        ground.each(nodes, |word| if word & 3 == 0 { u32::MAX } else { (word >> 50) as u32 });
    let mut wanted = before.clone();
    for ((from, to), weight) in from.iter().zip(&to).zip(&weights) {
        let through = before[*from as usize].saturating_add(*weight);
        wanted[*to as usize] = wanted[*to as usize].min(through);
    }
    let (df, dt, dw, db) = (ground.up(&from)?, ground.up(&to)?, ground.up(&weights)?, ground.up(&before)?);
    let mut distances = ground.from(before, exactly(move |i| wanted[i]))?;
    trial!(
        ground,
        Shape::line(edges, 256),
        relax_edges(&df, &dt, &dw, &db, &mut distances.memory),
        original(&df, &dt, &dw, &db, &distances.memory, edges as i32),
        [distances]
    )
}

#[gpu_kernel]
fn pagerank(starts: &[u32], sources: &[u32], degrees: &[u32], ranks: &[f32], next: &mut [f32], n: u32) {
    let node = block_idx().x * block_dim().x + thread_idx().x;
    if node < n {
        let mut sum = 0.0;
        let mut e = starts[node];
        while e < starts[node + 1] {
            let source = sources[e];
            sum += ranks[source] / degrees[source] as f32;
            e += 1;
        }
        next[node] = 0.15 / n as f32 + 0.85 * sum;
    }
}

fn pagerank_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(90, 1 << 19);
    let (starts, sources) = graph(ground, n);
    let degrees = ground.each(n, |word| 1 + (word >> 60) as u32);
    let ranks = ground.between(n, 0.0..1.0);
    let (ds, dt, dd, dr) =
        (ground.up(&starts)?, ground.up(&sources)?, ground.up(&degrees)?, ground.up(&ranks)?);
    let want = move |node: usize| {
        let sources = &sources[starts[node] as usize..starts[node + 1] as usize];
        let term = |s: &u32| f64::from(ranks[*s as usize]) / f64::from(degrees[*s as usize]);
        (0.15 / n as f64 + 0.85 * sources.iter().map(term).sum::<f64>()) as f32
    };
    let mut next = ground.blank(n, near(1e-5, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        pagerank(&ds, &dt, &dd, &dr, &mut next.memory, n as u32),
        original(&ds, &dt, &dd, &dr, &next.memory, n as u32),
        [next]
    )
}

/// The least label around each node.
#[gpu_kernel]
fn labels(starts: &[u32], targets: &[u32], before: &[i32], after: &mut [i32], n: i32) {
    let node = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if node < n {
        let mut label = before[node];
        for e in starts[node]..starts[node + 1] {
            let other = before[targets[e]];
            if other < label {
                label = other;
            }
        }
        after[node] = label;
    }
}

fn labels_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(90, 1 << 19);
    let (starts, targets) = graph(ground, n);
    let before = ground.ints(n, 0..1_000_000);
    let (ds, dt, db) = (ground.up(&starts)?, ground.up(&targets)?, ground.up(&before)?);
    let want = move |node: usize| {
        let around = &targets[starts[node] as usize..starts[node + 1] as usize];
        around.iter().map(|t| before[*t as usize]).chain([before[node]]).min().unwrap_or(0)
    };
    let mut after = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        labels(&ds, &dt, &db, &mut after.memory, n as i32),
        original(&ds, &dt, &db, &after.memory, n as i32),
        [after]
    )
}

/// All paths by way of one node.
#[gpu_kernel]
fn floyd_step(from: &[i32], to: &mut [i32], n: i32, k: i32) {
    let j = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let i = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if i < n && j < n {
        let through = from[i * n + k] + from[k * n + j];
        let direct = from[i * n + j];
        to[i * n + j] = if through < direct { through } else { direct };
    }
}

fn floyd_step_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(37, 4096);
    let (from, k) = (ground.ints(n * n, 1..10_000), n / 2);
    let df = ground.up(&from)?;
    let want = move |at: usize| from[at].min(from[at / n * n + k] + from[k * n + at % n]);
    let mut to = ground.blank(n * n, exactly(want))?;
    trial!(
        ground,
        Shape::plane([n, n], [32, 8]),
        floyd_step(&df, &mut to.memory, n as i32, k as i32),
        original(&df, &to.memory, n as i32, k as i32),
        [to]
    )
}

/// Neighbours that the ends of each edge share; the neighbours of a node are sorted.
#[gpu_kernel]
fn triangles(starts: &[u32], targets: &[u32], edges: &[[u32; 2]], counts: &mut [u32]) {
    let id = global_id();
    if id < edges.len() {
        let [a, b] = edges[id];
        let left = &targets[starts[a]..starts[a + 1]];
        let right = &targets[starts[b]..starts[b + 1]];
        let mut i = 0;
        let mut j = 0;
        let mut shared = 0;
        while i < left.len() && j < right.len() {
            if left[i] == right[j] {
                shared += 1;
                i += 1;
                j += 1;
            } else if left[i] < right[j] {
                i += 1;
            } else {
                j += 1;
            }
        }
        counts[id] = shared;
    }
}

fn triangles_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [nodes, edges] = ground.pick([30, 100], [1 << 14, 1 << 20]);
    // Each node has neighbours among the fifty after it.
    let (mut starts, mut targets) = (vec![0u32], Vec::new());
    for node in 0..nodes as u32 {
        let near = ground.word();
        targets.extend((0..50).filter(|k| near >> k & 1 == 1).map(|k| node + k));
        starts.push(targets.len() as u32);
    }
    let pairs: Vec<[u32; 2]> = ground.each(edges, |word| {
        let a = (word >> 32) as u32 % (nodes as u32 - 20);
        [a, a + word as u32 % 20]
    });
    let (ds, dt, dp) = (ground.up(&starts)?, ground.up(&targets)?, ground.up(&pairs)?);
    let want = move |id: usize| {
        let around = |node: u32| &targets[starts[node as usize] as usize..starts[node as usize + 1] as usize];
        around(pairs[id][0]).iter().filter(|t| around(pairs[id][1]).contains(t)).count() as u32
    };
    let mut counts = ground.blank(edges, exactly(want))?;
    trial!(
        ground,
        Shape::line(edges, 128),
        triangles(&ds, &dt, &dp, &mut counts.memory),
        original(&ds, &dt, &dp, &counts.memory, edges as i32),
        [counts]
    )
}

/// Merges pairs of sorted runs, a thread a pair.
#[gpu_kernel]
fn merge_runs(input: &[i32], output: &mut [i32], run: usize) {
    let id = global_id();
    let base = id * 2 * run;
    if base + 2 * run <= input.len() {
        let left = &input[base..base + run];
        let right = &input[base + run..base + 2 * run];
        let (mut i, mut j) = (0, 0);
        for at in base..base + 2 * run {
            if j == run || (i < run && left[i] <= right[j]) {
                output[at] = left[i];
                i += 1;
            } else {
                output[at] = right[j];
                j += 1;
            }
        }
    }
}

fn merge_runs_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (pairs, run) = ground.pick((40, 5), (1 << 18, 16));
    let mut input = ground.ints(pairs * 2 * run, -1000..1000);
    input.chunks_exact_mut(run).for_each(<[i32]>::sort_unstable);
    let di = ground.up(&input)?;
    let mut wanted = input;
    wanted.chunks_exact_mut(2 * run).for_each(<[i32]>::sort_unstable);
    let mut output = ground.blank(wanted.len(), exactly(move |i| wanted[i]))?;
    trial!(
        ground,
        Shape::line(pairs, 128),
        merge_runs(&di, &mut output.memory, run),
        original(&di, &output.memory, pairs as i32, run as i32),
        [output]
    )
}

/// How many of the sorted keys are less than each query.
#[gpu_kernel]
fn lower_bound(keys: &[u32], queries: &[u32], places: &mut [u32]) {
    let i = global_id();
    if i < queries.len() {
        let mut low = 0;
        let mut high = keys.len();
        while low < high {
            let middle = (low + high) / 2;
            if keys[middle] < queries[i] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        places[i] = low as u32;
    }
}

fn lower_bound_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, queries] = ground.pick([77, 200], [1 << 20, 1 << 21]);
    let mut keys = ground.below(n, 1 << 24);
    keys.sort_unstable();
    let queries = ground.below(queries, 1 << 24);
    let (dk, dq) = (ground.up(&keys)?, ground.up(&queries)?);
    let count = queries.len();
    let want = move |i: usize| keys.partition_point(|key| *key < queries[i]) as u32;
    let mut places = ground.blank(count, exactly(want))?;
    trial!(
        ground,
        Shape::line(count, 256),
        lower_bound(&dk, &dq, &mut places.memory),
        original(&dk, &dq, &places.memory, n as u32, count as u32),
        [places]
    )
}

/// The best way to each state, of a step from all states before.
#[gpu_kernel]
fn viterbi_step(scores: &[f32], moves: &[f32], next: &mut [f32], from: &mut [u32], states: u32) {
    let state = block_idx().x * block_dim().x + thread_idx().x;
    if state < states {
        let mut best = scores[0] + moves[state];
        let mut came = 0;
        for s in 1..states {
            let score = scores[s] + moves[s * states + state];
            if score > best {
                best = score;
                came = s;
            }
        }
        next[state] = best;
        from[state] = came;
    }
}

fn viterbi_step_trial(ground: &Ground) -> Result<Trial, Failure> {
    let states = ground.pick(70, 4096);
    let (scores, moves) = (ground.floats(states), ground.floats(states * states));
    let (ds, dm) = (ground.up(&scores)?, ground.up(&moves)?);
    let best = move |state: usize| {
        let score = |s: usize| scores[s] + moves[s * states + state];
        (1..states).fold((score(0), 0), |best, s| if score(s) > best.0 { (score(s), s as u32) } else { best })
    };
    let best: Vec<(f32, u32)> = (0..states).map(best).collect();
    let came: Vec<u32> = best.iter().map(|best| best.1).collect();
    let mut next = ground.blank(states, exactly(move |state| best[state].0))?;
    let mut from = ground.blank(states, exactly(move |state| came[state]))?;
    trial!(
        ground,
        Shape::line(states, 32),
        viterbi_step(&ds, &dm, &mut next.memory, &mut from.memory, states as u32),
        original(&ds, &dm, &next.memory, &from.memory, states as u32),
        [next, from]
    )
}

/// The worth of knapsacks of all sizes with one thing more.
#[gpu_kernel]
fn knapsack_row(before: &[i32], after: &mut [i32], weight: i32, value: i32, capacity: i32) {
    let w = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if w <= capacity {
        let without = before[w];
        after[w] = if w >= weight && before[w - weight] + value > without {
            before[w - weight] + value
        } else {
            without
        };
    }
}

fn knapsack_row_trial(ground: &Ground) -> Result<Trial, Failure> {
    let capacity = ground.pick(300, 1 << 25);
    let (before, weight, value) = (ground.ints(capacity + 1, 0..1000), 37, 250);
    let db = ground.up(&before)?;
    let want = move |w: usize| {
        let with = w.checked_sub(37).map_or(0, |rest| before[rest] + value);
        before[w].max(with)
    };
    let mut after = ground.blank(capacity + 1, exactly(want))?;
    trial!(
        ground,
        Shape::line(capacity + 1, 256),
        knapsack_row(&db, &mut after.memory, weight, value, capacity as i32),
        original(&db, &after.memory, weight, value, capacity as i32),
        [after]
    )
}

/// One step of a bitonic sort of a whole buffer.
#[gpu_kernel]
fn bitonic_step(keys: &mut [u32], j: u32, k: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let other = i ^ j;
    if other > i && other < keys.len() as u32 {
        let upward = i & k == 0;
        if (keys[i] > keys[other]) == upward {
            let kept = keys[i];
            keys[i] = keys[other];
            keys[other] = kept;
        }
    }
}

fn bitonic_step_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(512, 1 << 25);
    let (j, k) = ground.pick((16, 64), (1 << 12, 1 << 16));
    let keys = ground.below(n, u32::MAX);
    let start = keys.clone();
    let want = move |i: usize| {
        let (a, b) = (keys[i], keys[i ^ j as usize]);
        // The lower place of a pair has the lesser key where the sort goes upward.
        let lesser = (i & j as usize == 0) == (i & k as usize == 0);
        if lesser { a.min(b) } else { a.max(b) }
    };
    let mut out = ground.from(start, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        bitonic_step(&mut out.memory, j, k),
        original(&out.memory, j, k, n as u32),
        [out]
    )
}
