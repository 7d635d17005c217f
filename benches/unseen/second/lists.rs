//! Searches, clusters, ragged rows, queues, and reductions of lists.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "lists",
    originals: include_str!("lists.cu"),
    kernels: &[
        Unseen { name: "btree_find", class: "search in nodes with arrays, i32", make: btree_find_trial },
        Unseen { name: "kmeans_assign", class: "double loop, usize", make: kmeans_assign_trial },
        Unseen {
            name: "stream_cost",
            class: "structs, dynamic shared, slice of a slice",
            make: stream_cost_trial,
        },
        Unseen { name: "ragged_gather", class: "cursor over ragged rows, u32", make: ragged_gather_trial },
        Unseen { name: "sliding_max", class: "queue in a local array, i32", make: sliding_max_trial },
        Unseen { name: "bitonic_shared", class: "sort in shared memory, u32", make: bitonic_shared_trial },
        Unseen { name: "sum_words", class: "grid-stride while, shuffles of u64", make: sum_words_trial },
        Unseen {
            name: "histogram_shared",
            class: "shared histogram of floats, i32",
            make: histogram_shared_trial,
        },
    ],
};

/// A node of a tree: its keys, and what is between them.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Node {
    keys: [i32; 16],
    children: [i32; 17],
    count: i32,
}

/// Where the keys are that are asked for.
#[gpu_kernel]
fn btree_find(nodes: &[Node], queries: &[i32], found: &mut [i32], height: i32) {
    let id = global_id();
    if id < queries.len() {
        let key = queries[id];
        let mut at = 0;
        for _level in 0..height {
            let mut k = 0;
            while k < nodes[at].count && key >= nodes[at].keys[k as usize] {
                k += 1;
            }
            at = nodes[at].children[k as usize];
        }
        let mut place = -1;
        for k in 0..nodes[at].count {
            if nodes[at].keys[k as usize] == key {
                place = nodes[at].children[k as usize];
            }
        }
        found[id] = place;
    }
}

fn btree_find_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (height, n) = ground.pick((1, 200), (4, 1 << 20));
    // Leaves hold the odd numbers; a node above has the first key of each of its children but the first.
    let leaves = 17usize.pow(height as u32);
    let empty = Node { keys: [i32::MAX; 16], children: [-1; 17], count: 0 };
    let mut levels = vec![vec![empty; leaves]];
    for (leaf, node) in levels[0].iter_mut().enumerate() {
        for k in 0..16 {
            (node.keys[k], node.children[k]) = (2 * (16 * leaf + k) as i32 + 1, (16 * leaf + k) as i32);
        }
        node.count = 16;
    }
    let mut reach = 16;
    while levels[levels.len() - 1].len() > 1 {
        let mut above = vec![Node { count: 16, ..empty }; levels[levels.len() - 1].len() / 17];
        for (i, node) in above.iter_mut().enumerate() {
            node.children = std::array::from_fn(|k| (17 * i + k) as i32);
            node.keys = std::array::from_fn(|k| 2 * (reach * (17 * i + k + 1)) as i32 + 1);
        }
        reach *= 17;
        levels.push(above);
    }
    let mut nodes: Vec<Node> = Vec::new();
    for (i, level) in levels.iter_mut().rev().enumerate() {
        let next = nodes.len() + level.len();
        if i < height as usize {
            level
                .iter_mut()
                .for_each(|node| node.children.iter_mut().for_each(|child| *child += next as i32));
        }
        nodes.append(level);
    }
    let queries = ground.ints(n, 0..32 * leaves as i32);
    let (dn, dq) = (ground.up(&nodes)?, ground.up(&queries)?);
    let want = move |id: usize| if queries[id] % 2 == 1 { queries[id] / 2 } else { -1 };
    let mut found = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        btree_find(&dn, &dq, &mut found.memory, height),
        original(&dn, &dq, &found.memory, height, n as i32),
        [found]
    )
}

/// The nearest center of each point; the features of all points lie one after the other.
#[gpu_kernel]
fn kmeans_assign(
    features: &[f32],
    centers: &[f32],
    members: &mut [i32],
    points: usize,
    clusters: usize,
    count: usize,
) {
    let id = global_id();
    if id < points {
        let mut best = 0;
        let mut least = f32::MAX;
        for c in 0..clusters {
            let mut distance = 0.0;
            for f in 0..count {
                let d = features[f * points + id] - centers[c * count + f];
                distance += d * d;
            }
            if distance < least {
                least = distance;
                best = c as i32;
            }
        }
        members[id] = best;
    }
}

fn kmeans_assign_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [points, clusters, count] = ground.pick([90, 5, 7], [1 << 18, 16, 34]);
    // Centers far from each other, and points beside them: none is between two.
    let centers: Vec<f32> =
        (0..clusters * count).map(|at| ((at / count * 37 + at % count * 11) % 101) as f32).collect();
    let owners = ground.below(points, clusters as u32);
    let near_owner = ground.floats(points * count);
    let features: Vec<f32> = (0..points * count)
        .map(|at| centers[owners[at % points] as usize * count + at / points] + 0.5 * near_owner[at])
        .collect();
    let (df, dc) = (ground.up(&features)?, ground.up(&centers)?);
    let mut members = ground.blank(points, exactly(move |id| owners[id] as i32))?;
    trial!(
        ground,
        Shape::line(points, 256),
        kmeans_assign(&df, &dc, &mut members.memory, points, clusters, count),
        original(&df, &dc, &members.memory, points as i32, clusters as i32, count as i32),
        [members]
    )
}

/// A point of a stream: its weight, its center, and how far away that is.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Point {
    weight: f32,
    assign: i32,
    cost: f32,
}

/// What it would save to open a center at `x`, by points.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn stream_cost(
    coords: &[f32],
    points: &[Point],
    center_table: &[i32],
    switches: &[u8],
    work: &mut [f32],
    num: i32,
    dim: i32,
    x: i32,
    k: i32,
) {
    let mut center = dynamic_shared::<f32>();
    let id = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let mut i = thread_idx().x as i32;
    while i < dim {
        center[i] = coords[i * num + x];
        i += block_dim().x as i32;
    }
    sync_threads();
    if id < num {
        let lower = &mut work[(id * (k + 1)) as usize..];
        let mut cost = 0.0;
        for i in 0..dim {
            let d = coords[i * num + id] - center[i];
            cost += d * d;
        }
        cost *= points[id].weight;
        let assigned = points[id].assign;
        if cost < points[id].cost && switches[id] == 0 {
            lower[k] = cost - points[id].cost;
        } else {
            lower[center_table[assigned]] += points[id].cost - cost;
        }
    }
}

fn stream_cost_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [num, dim, k] = ground.pick([90, 5, 3], [1 << 18, 32, 8]);
    let (coords, x) = (ground.floats(num * dim), num / 2);
    let numbers = ground.between(2 * num, 0.5..20.0);
    let assigned = ground.below(num, num as u32);
    let points: Vec<Point> = (0..num)
        .map(|i| Point {
            weight: numbers[2 * i],
            assign: assigned[i] as i32,
            cost: 10.0 * numbers[2 * i + 1],
        })
        .collect();
    let table: Vec<i32> = (0..num).map(|i| (i * 7 % k) as i32).collect();
    let switches: Vec<u8> = (0..num).map(|i| u8::from(i % 3 == 0)).collect();
    let (dc, dp, dt, ds) =
        (ground.up(&coords)?, ground.up(&points)?, ground.up(&table)?, ground.up(&switches)?);
    let start = ground.floats(num * (k + 1));
    let (before, all) = (start.clone(), points);
    let want = move |at: usize| {
        let (id, slot) = (at / (k + 1), at % (k + 1));
        let apart = |i: usize| f64::from(coords[i * num + id]) - f64::from(coords[i * num + x]);
        let cost = (0..dim).map(|i| apart(i) * apart(i)).sum::<f64>() * f64::from(all[id].weight);
        let saved = f64::from(all[id].cost) - cost;
        let opens = saved > 0.0 && switches[id] == 0;
        match (opens, slot) {
            (true, slot) if slot == k => -saved as f32,
            (false, slot) if slot == table[all[id].assign as usize] as usize => {
                (f64::from(before[at]) + saved) as f32
            }
            _ => before[at],
        }
    };
    let mut work = ground.from(start, near(1e-4, want))?;
    let shape = Shape::line(num, 256).shared(4 * dim);
    let [num, dim, x, k] = [num, dim, x, k].map(|n| n as i32);
    trial!(
        ground,
        shape,
        stream_cost(&dc, &dp, &dt, &ds, &mut work.memory, num, dim, x, k),
        original(&dc, &dp, &dt, &ds, &work.memory, num, dim, x, k),
        [work]
    )
}

/// The mean of the rows of a table that each bag names.
#[gpu_kernel]
fn ragged_gather(offsets: &[u32], indices: &[u32], table: &[f32], out: &mut [f32], rows: u32, width: u32) {
    let row = block_idx().x;
    if row < rows {
        let mut c = thread_idx().x;
        while c < width {
            let mut sum = 0.0;
            let mut at = offsets[row];
            let end = offsets[row + 1];
            while at < end {
                sum += table[indices[at] * width + c];
                at += 1;
            }
            out[row * width + c] = if end > offsets[row] { sum / (end - offsets[row]) as f32 } else { 0.0 };
            c += block_dim().x;
        }
    }
}

fn ragged_gather_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, words, width] = ground.pick([20, 40, 70], [1 << 16, 1 << 16, 128]);
    let mut offsets = vec![0u32];
    (0..rows).for_each(|i| offsets.push(offsets[i] + (ground.word() >> 59) as u32));
    let indices = ground.below(offsets[rows] as usize, words as u32);
    let table = ground.floats(words * width);
    let (d_o, di, dt) = (ground.up(&offsets)?, ground.up(&indices)?, ground.up(&table)?);
    let want = move |at: usize| {
        let (row, c) = (at / width, at % width);
        let bag = &indices[offsets[row] as usize..offsets[row + 1] as usize];
        let sum: f64 = bag.iter().map(|word| f64::from(table[*word as usize * width + c])).sum();
        if bag.is_empty() { 0.0 } else { (sum / bag.len() as f64) as f32 }
    };
    let mut out = ground.blank(rows * width, near(1e-5, want))?;
    let shape = Shape::blocks([rows as u32, 1, 1], [64, 1, 1]);
    let (rows, width) = (rows as u32, width as u32);
    trial!(
        ground,
        shape,
        ragged_gather(&d_o, &di, &dt, &mut out.memory, rows, width),
        original(&d_o, &di, &dt, &out.memory, rows, width),
        [out]
    )
}

const CHUNK: i32 = 64;
const WINDOW: i32 = 8;

/// The largest of each value and the seven before it, by a queue of those that may yet be it.
#[gpu_kernel]
fn sliding_max(values: &[i32], largest: &mut [i32], n: i32) {
    let start = (block_idx().x * block_dim().x + thread_idx().x) as i32 * CHUNK;
    let mut deque = [0i32; WINDOW as usize];
    let mut head = 0;
    let mut size = 0;
    let from = (start - WINDOW + 1).max(0);
    let mut i = from;
    while i < start + CHUNK && i < n {
        if size > 0 && deque[head as usize] + WINDOW <= i {
            head = (head + 1) % WINDOW;
            size -= 1;
        }
        while size > 0 && values[deque[((head + size - 1) % WINDOW) as usize]] <= values[i] {
            size -= 1;
        }
        deque[((head + size) % WINDOW) as usize] = i;
        size += 1;
        if i >= start {
            largest[i] = values[deque[head as usize]];
        }
        i += 1;
    }
}

fn sliding_max_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(1000, 1 << 24);
    let values = ground.ints(n, -1000..1000);
    let dv = ground.up(&values)?;
    let want = move |i: usize| values[i.saturating_sub(7)..=i].iter().copied().max().unwrap_or(0);
    let mut largest = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n.div_ceil(CHUNK as usize), 128),
        sliding_max(&dv, &mut largest.memory, n as i32),
        original(&dv, &largest.memory, n as i32),
        [largest]
    )
}

/// Sorts pairs of a key and a value in blocks of 1024.
#[gpu_kernel]
fn bitonic_shared(keys: &mut [u32], values: &mut [u32], length: u32, direction: u32) {
    let mut sk = shared!([u32; 1024]);
    let mut sv = shared!([u32; 1024]);
    let t = thread_idx().x;
    let first = block_idx().x * 1024 + t;
    sk[t] = keys[first];
    sv[t] = values[first];
    sk[t + 512] = keys[first + 512];
    sv[t + 512] = values[first + 512];
    let mut size = 2;
    while size <= length {
        let way = direction ^ ((t & (size / 2)) != 0) as u32;
        let mut stride = size / 2;
        while stride > 0 {
            sync_threads();
            let pos = 2 * t - (t & (stride - 1));
            if (sk[pos] > sk[pos + stride]) as u32 == way {
                let key = sk[pos];
                sk[pos] = sk[pos + stride];
                sk[pos + stride] = key;
                let value = sv[pos];
                sv[pos] = sv[pos + stride];
                sv[pos + stride] = value;
            }
            stride >>= 1;
        }
        size <<= 1;
    }
    sync_threads();
    keys[first] = sk[t];
    values[first] = sv[t];
    keys[first + 512] = sk[t + 512];
    values[first + 512] = sv[t + 512];
}

fn bitonic_shared_trial(ground: &Ground) -> Result<Trial, Failure> {
    let blocks = ground.pick(2, 1 << 13);
    // No two keys of a block are equal; sorted blocks sort again to the same.
    let pairs: Vec<(u32, u32)> = (0..1024 * blocks)
        .map(|i| ((ground.word() >> 54) as u32 * 1024 + (i % 1024) as u32, i as u32))
        .collect();
    let mut sorted = pairs.clone();
    sorted.chunks_exact_mut(1024).for_each(|block| block.sort_unstable());
    let (keys, values): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    let (wanted_keys, wanted_values): (Vec<u32>, Vec<u32>) = sorted.into_iter().unzip();
    let mut keys = ground.from(keys, exactly(move |i| wanted_keys[i]))?;
    let mut values = ground.from(values, exactly(move |i| wanted_values[i]))?;
    trial!(
        ground,
        Shape::blocks([blocks as u32, 1, 1], [512, 1, 1]),
        bitonic_shared(&mut keys.memory, &mut values.memory, 1024, 1),
        original(&keys.memory, &values.memory, 1024u32, 1u32),
        [keys, values]
    )
}

/// The sum of what each block sees, by warps.
#[gpu_kernel]
fn sum_words(values: &[usize], sums: &mut [usize]) {
    let mut warps = shared!([usize; 32]);
    let mut sum = 0usize;
    let mut i = global_id();
    while i < values.len() {
        sum += values[i];
        i += global_size();
    }
    let mut offset = 16;
    while offset > 0 {
        sum += shfl_down(sum, offset);
        offset /= 2;
    }
    let lane = thread_idx().x % 32;
    let warp = thread_idx().x / 32;
    if lane == 0 {
        warps[warp] = sum;
    }
    sync_threads();
    if warp == 0 {
        sum = if lane < block_dim().x / 32 { warps[lane] } else { 0 };
        let mut offset = 16;
        while offset > 0 {
            sum += shfl_down(sum, offset);
            offset /= 2;
        }
        if lane == 0 {
            sums[block_idx().x] = sum;
        }
    }
}

fn sum_words_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks, block) = ground.pick((1000, 2, 64), (1 << 25, 1056, 256));
    let values = ground.each(n, |word| (word >> 24) as usize);
    let dv = ground.up(&values)?;
    let (stride, each) = ((blocks * block) as usize, block as usize);
    let want = move |b: usize| {
        let starts = b * each..(b + 1) * each;
        starts.map(|start| values.iter().skip(start).step_by(stride).sum::<usize>()).sum::<usize>()
    };
    let mut sums = ground.blank(blocks as usize, exactly(want))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [block, 1, 1]),
        sum_words(&dv, &mut sums.memory),
        original(&dv, &sums.memory, n as u64),
        [sums]
    )
}

/// How many values are in each bin: those of before and these.
#[gpu_kernel]
fn histogram_shared(values: &[f32], counts: &mut [u32], low: f32, width: f32, bins: i32, n: i32) {
    let mut own = shared!([u32; 512]);
    let mut b = thread_idx().x as i32;
    while b < bins {
        own[b] = 0;
        b += block_dim().x as i32;
    }
    sync_threads();
    let mut i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    while i < n {
        let bin = ((values[i] - low) / width) as i32;
        if bin >= 0 && bin < bins {
            atomic_add(&mut own[bin], 1);
        }
        i += (block_dim().x * grid_dim().x) as i32;
    }
    sync_threads();
    let mut b = thread_idx().x as i32;
    while b < bins {
        atomic_add(&mut counts[b], own[b]);
        b += block_dim().x as i32;
    }
}

fn histogram_shared_trial(ground: &Ground) -> Result<Trial, Failure> {
    let (n, blocks, block, bins) = ground.pick((1000, 2, 64, 40), (1 << 24, 528, 256, 400));
    // Quarters and their bins are exact in floats; what is less than a bin below the first is rounded into it.
    let values: Vec<f32> =
        ground.below(n, 4 * bins as u32 + 80).iter().map(|v| *v as f32 * 0.25 - 10.0).collect();
    let dv = ground.up(&values)?;
    let mut wanted = vec![5u32; bins];
    for v in values {
        if v >= 0.0 && (v as usize) < bins {
            wanted[v as usize] += 1;
        } else if v > -1.0 && v < 0.0 {
            wanted[0] += 1;
        }
    }
    let mut counts = ground.from(vec![5; bins], exactly(move |b| wanted[b]))?;
    trial!(
        ground,
        Shape::blocks([blocks, 1, 1], [block, 1, 1]),
        histogram_shared(&dv, &mut counts.memory, 0.0, 1.0, bins as i32, n as i32),
        original(&dv, &counts.memory, 0.0f32, 1.0f32, bins as i32, n as i32),
        [counts]
    )
}
