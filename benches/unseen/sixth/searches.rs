//! Trees over points, distances by tables, connected pixels, and systems that are stepped through time.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "searches",
    originals: include_str!("searches.cu"),
    kernels: &[
        Unseen { name: "karras_nodes", class: "searches by common bits, i32", make: karras_nodes_trial },
        Unseen { name: "barnes_hut", class: "tree with a stack, methods, usize", make: barnes_hut_trial },
        Unseen {
            name: "pq_scan",
            class: "table in shared, zipped chunks of bytes, usize",
            make: pq_scan_trial,
        },
        Unseen {
            name: "tile_components",
            class: "union-find in shared by atomics, i32",
            make: tile_components_trial,
        },
        Unseen {
            name: "rk4_food_chain",
            class: "closures over arrays, generic, usize",
            make: rk4_food_chain_trial,
        },
    ],
};

/// How many leading bits two codes have in common; of equal codes, their places.
#[gpu_fn]
fn common_bits(codes: &[u32], n: i32, i: i32, j: i32) -> i32 {
    if j < 0 || j >= n {
        return -1;
    }
    let ki = codes[i];
    let kj = codes[j];
    if ki == kj {
        return 32 + clz(i ^ j) as i32;
    }
    clz(ki ^ kj) as i32
}

/// The inner nodes of a binary tree over sorted codes: the first and the last leaf of each, and the last of its left half.
#[gpu_kernel]
fn karras_nodes(codes: &[u32], first: &mut [i32], last: &mut [i32], split: &mut [i32], n: i32) {
    let i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if i >= n - 1 {
        return;
    }
    let d = if common_bits(codes, n, i, i + 1) > common_bits(codes, n, i, i - 1) { 1 } else { -1 };
    let least = common_bits(codes, n, i, i - d);
    let mut most = 2;
    while common_bits(codes, n, i, i + most * d) > least {
        most *= 2;
    }
    let mut l = 0;
    let mut t = most / 2;
    while t >= 1 {
        if common_bits(codes, n, i, i + (l + t) * d) > least {
            l += t;
        }
        t /= 2;
    }
    let j = i + l * d;
    let node = common_bits(codes, n, i, j);
    let mut s = 0;
    let mut t = l;
    loop {
        t = (t + 1) / 2;
        if common_bits(codes, n, i, i + (s + t) * d) > node {
            s += t;
        }
        if t <= 1 {
            break;
        }
    }
    first[i] = i.min(j);
    last[i] = i.max(j);
    split[i] = i + s * d + d.min(0);
}

fn karras_nodes_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, limit] = ground.pick([100, 200], [1 << 20, 1 << 30]);
    let mut codes = ground.below(n, limit as u32);
    codes.sort_unstable();
    let dc = ground.up(&codes)?;
    // From the root down: of the halves of a node, the left one has the node of its last leaf, the right one that of its first.
    let key = |i: usize| u64::from(codes[i]) << 32 | i as u64;
    let mut nodes = vec![(0, 0, 0); n - 1];
    let mut open = vec![(0, 0, n - 1)];
    while let Some((node, first, last)) = open.pop() {
        let bit = 63 - (key(first) ^ key(last)).leading_zeros();
        let (mut low, mut high) = (first, last);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if key(middle) >> bit & 1 == 0 { low = middle } else { high = middle }
        }
        nodes[node] = (first as i32, last as i32, low as i32);
        open.extend((low > first).then_some((low, first, low)));
        open.extend((low + 1 < last).then_some((low + 1, low + 1, last)));
    }
    let nodes = std::rc::Rc::new(nodes);
    let (a, b) = (nodes.clone(), nodes.clone());
    let mut first = ground.blank(n - 1, exactly(move |i: usize| a[i].0))?;
    let mut last = ground.blank(n - 1, exactly(move |i: usize| b[i].1))?;
    let mut split = ground.blank(n - 1, exactly(move |i: usize| nodes[i].2))?;
    let shape = Shape::line(n - 1, 256);
    let n = n as i32;
    trial!(
        ground,
        shape,
        karras_nodes(&dc, &mut first.memory, &mut last.memory, &mut split.memory, n),
        original(&dc, &first.memory, &last.memory, &split.memory, n),
        [first, last, split]
    )
}

/// A cube of an octree with the mass in it, and the cubes in that, which follow each other.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Cell {
    centre: [f32; 3],
    mass: f32,
    size: f32,
    first: u32,
    count: u32,
}

#[gpu_impl]
impl Cell {
    fn towards(&self, from: &[f32; 3]) -> [f32; 3] {
        std::array::from_fn(|k| self.centre[k] - from[k])
    }

    /// Whether it is seen as one body at a distance, whose square is given.
    fn is_far(&self, square: f32, theta: f32) -> bool {
        self.count == 0 || self.size * self.size < theta * theta * square
    }
}

/// The pull of all bodies on each, by an octree.
#[gpu_kernel]
fn barnes_hut(cells: &[Cell], bodies: &[[f32; 3]], pulls: &mut [[f32; 3]], theta: f32, softening: f32) {
    let i = global_id();
    if i >= pulls.len() {
        return;
    }
    let own = bodies[i];
    let mut pull = [0.0f32; 3];
    let mut stack = [0usize; 64];
    let mut top = 1;
    while top > 0 {
        top -= 1;
        let cell = &cells[stack[top]];
        let d = cell.towards(&own);
        let square = d.iter().map(|v| v * v).sum::<f32>();
        if cell.is_far(square, theta) {
            let r = rsqrt(square + softening);
            let strength = cell.mass * r * r * r;
            for (sum, v) in pull.iter_mut().zip(d) {
                *sum += strength * v;
            }
        } else {
            for child in cell.first..cell.first + cell.count {
                stack[top] = child as usize;
                top += 1;
            }
        }
    }
    pulls[i] = pull;
}

/// Fills a cell, and those below it.
fn grow(cells: &mut Vec<Cell>, at: usize, bodies: &[[f32; 3]], corner: [f32; 3], size: f32, depth: usize) {
    let n = bodies.len() as f32;
    let centre = std::array::from_fn(|k| bodies.iter().map(|b| f64::from(b[k])).sum::<f64>() as f32 / n);
    let mass = n / 1024.0;
    cells[at] = Cell { centre, mass, size, first: 0, count: 0 };
    if bodies.len() == 1 || depth == 8 {
        return;
    }
    let half = size / 2.0;
    let octant = |b: &[f32; 3]| (0..3).map(|k| usize::from(b[k] >= corner[k] + half) << k).sum::<usize>();
    let part = |o: usize| bodies.iter().copied().filter(|b| octant(b) == o).collect::<Vec<_>>();
    let parts: Vec<(usize, Vec<[f32; 3]>)> =
        (0..8).map(|o| (o, part(o))).filter(|p| !p.1.is_empty()).collect();
    let first = cells.len();
    (cells[at].first, cells[at].count) = (first as u32, parts.len() as u32);
    cells.extend(std::iter::repeat_n(cells[at], parts.len()));
    for (k, (o, part)) in parts.iter().enumerate() {
        let corner = std::array::from_fn(|k| corner[k] + (o >> k & 1) as f32 * half);
        grow(cells, first + k, part, corner, half, depth + 1);
    }
}

/// The pull of a cell on a body.
fn pull_of(cells: &[Cell], at: usize, own: [f64; 3], theta: f64, softening: f64) -> [f64; 3] {
    let cell = &cells[at];
    let d: [f64; 3] = std::array::from_fn(|k| f64::from(cell.centre[k]) - own[k]);
    let square: f64 = d.iter().map(|v| v * v).sum();
    if cell.count == 0 || f64::from(cell.size).powi(2) < theta * theta * square {
        return d.map(|v| v * f64::from(cell.mass) * (square + softening).powf(-1.5));
    }
    let below =
        (cell.first..cell.first + cell.count).map(|c| pull_of(cells, c as usize, own, theta, softening));
    below.fold([0.0; 3], |sum, one| std::array::from_fn(|k| sum[k] + one[k]))
}

fn barnes_hut_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(150, 1 << 15);
    let body = |_| {
        let v = ground.between(3, 0.0..1.0);
        [v[0], v[1], v[2]]
    };
    let mut bodies: Vec<[f32; 3]> = (0..n).map(body).collect();
    // Bodies that are near each other go through the tree alike.
    let cube = |b: &[f32; 3]| b.map(|v| (v * 16.0) as u32);
    bodies.sort_by_key(cube);
    let mut cells = vec![Cell { centre: [0.0; 3], mass: 0.0, size: 0.0, first: 0, count: 0 }];
    grow(&mut cells, 0, &bodies, [0.0; 3], 1.0, 0);
    let (dc, db) = (ground.up(&cells)?, ground.up(&bodies)?);
    let (theta, softening) = (0.5f32, 0.01f32);
    let want = move |i: usize| {
        pull_of(&cells, 0, bodies[i].map(f64::from), theta.into(), softening.into()).map(|v| v as f32)
    };
    let mut pulls = ground.blank(n, near(1e-2, want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        barnes_hut(&dc, &db, &mut pulls.memory, theta, softening),
        original(&dc, &db, &pulls.memory, n as i32, theta, softening),
        [pulls]
    )
}

/// Bytes of a code, each of which names one of 256 entries of a table.
const PARTS: usize = 16;

/// Distances of a query to the codes of a list, by tables of the query; a block has a query and a list.
#[gpu_kernel]
fn pq_scan(
    tables: &[f32],
    lists: &[u32],
    starts: &[u32],
    codes: &[u8],
    places: &[u32],
    distances: &mut [f32],
) {
    let mut table = shared!([f32; PARTS * 256]);
    let pair = block_idx().x as usize;
    let t = thread_idx().x as usize;
    let threads = block_dim().x as usize;
    for (i, v) in tables[pair * table.len()..][..table.len()].iter().enumerate().skip(t).step_by(threads) {
        table[i] = *v;
    }
    sync_threads();
    let list = lists[pair] as usize;
    let (start, end) = (starts[list] as usize, starts[list + 1] as usize);
    let own = codes[start * PARTS..end * PARTS].chunks_exact(PARTS);
    let out = &mut distances[places[pair] as usize..];
    for (distance, code) in out.iter_mut().zip(own).skip(t).step_by(threads) {
        *distance = code.iter().zip(table.chunks_exact(256)).map(|(c, row)| row[*c as usize]).sum();
    }
}

fn pq_scan_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [pairs, count, shortest]: [usize; 3] = ground.pick([3, 2, 40], [1024, 64, 4096]);
    let sums = |lengths: Vec<usize>| {
        let mut sums = vec![0];
        sums.extend(lengths.iter().scan(0, |sum, n| {
            *sum += *n;
            Some(*sum as u32)
        }));
        sums
    };
    let starts = sums(ground.each(count, |word| shortest + (word % shortest as u64) as usize));
    let codes = ground.bytes(starts[count] as usize * PARTS);
    let lists = ground.below(pairs, count as u32);
    let length = |list: &u32| (starts[*list as usize + 1] - starts[*list as usize]) as usize;
    let places = sums(lists.iter().map(length).collect());
    let tables = ground.between(pairs * PARTS * 256, 0.0..1.0);
    let (dt, dl, ds) = (ground.up(&tables)?, ground.up(&lists)?, ground.up(&starts)?);
    let (dc, dp) = (ground.up(&codes)?, ground.up(&places)?);
    let total = places[pairs] as usize;
    let want = move |at: usize| {
        let pair = places.partition_point(|p| *p as usize <= at) - 1;
        let code = starts[lists[pair] as usize] as usize + at - places[pair] as usize;
        let entry = |m: usize| tables[(pair * PARTS + m) * 256 + usize::from(codes[code * PARTS + m])];
        (0..PARTS).map(|m| f64::from(entry(m))).sum::<f64>() as f32
    };
    let mut distances = ground.blank(total, near(1e-5, want))?;
    let shape = Shape::blocks([pairs as u32, 1, 1], [256, 1, 1]);
    trial!(
        ground,
        shape,
        pq_scan(&dt, &dl, &ds, &dc, &dp, &mut distances.memory),
        original(&dt, &dl, &ds, &dc, &dp, &distances.memory),
        [distances]
    )
}

/// A label that others may lower.
#[gpu_fn]
fn label_of(labels: &mut [i32], i: i32) -> i32 {
    atomic(&mut labels[i]).load(Ordering::Relaxed)
}

/// The label at the end of a chain of labels.
#[gpu_fn]
fn find(labels: &mut [i32], mut i: i32) -> i32 {
    loop {
        let next = label_of(labels, i);
        if next == i {
            return i;
        }
        i = next;
    }
}

/// Gives two pixels the same label at the end of their chains.
#[gpu_fn]
fn unite(labels: &mut [i32], mut a: i32, mut b: i32) {
    loop {
        a = find(labels, a);
        b = find(labels, b);
        if a == b {
            return;
        }
        if a < b {
            std::mem::swap(&mut a, &mut b);
        }
        let old = atomic_min(&mut labels[a], b);
        if old == a {
            return;
        }
        a = old;
    }
}

const TILE: i32 = 16;

/// The first pixel of each connected part of a tile, or -1 where the image is dark.
#[gpu_kernel]
fn tile_components(image: &[u8], out: &mut [i32], width: i32, height: i32) {
    let mut labels = shared!([i32; (TILE * TILE) as usize]);
    let tx = thread_idx().x as i32;
    let ty = thread_idx().y as i32;
    let x = block_idx().x as i32 * TILE + tx;
    let y = block_idx().y as i32 * TILE + ty;
    let own = ty * TILE + tx;
    let inside = x < width && y < height;
    let light = inside && image[y * width + x] > 127;
    labels[own] = if light { own } else { -1 };
    sync_threads();
    if light && tx > 0 && label_of(&mut labels, own - 1) >= 0 {
        unite(&mut labels, own, own - 1);
    }
    if light && ty > 0 && label_of(&mut labels, own - TILE) >= 0 {
        unite(&mut labels, own, own - TILE);
    }
    sync_threads();
    if inside {
        let mut label = -1;
        if light {
            let root = find(&mut labels, own);
            let root_x = block_idx().x as i32 * TILE + root % TILE;
            let root_y = block_idx().y as i32 * TILE + root / TILE;
            label = root_y * width + root_x;
        }
        out[y * width + x] = label;
    }
}

fn tile_components_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([40, 35], [4096, 4096]);
    let image = ground.bytes(width * height);
    let di = ground.up(&image)?;
    let want = move |at: usize| {
        let (x, y) = (at % width, at / width);
        if image[at] <= 127 {
            return -1;
        }
        let near = |a: usize, b: usize| a / TILE as usize == b / TILE as usize;
        let (mut seen, mut open) = (vec![at], vec![(x, y)]);
        while let Some((u, v)) = open.pop() {
            let around = [(u.wrapping_sub(1), v), (u + 1, v), (u, v.wrapping_sub(1)), (u, v + 1)];
            for (p, q) in around.into_iter().filter(|(p, q)| *p < width && *q < height) {
                let next = q * width + p;
                if near(p, x) && near(q, y) && image[next] > 127 && !seen.contains(&next) {
                    seen.push(next);
                    open.push((p, q));
                }
            }
        }
        seen.into_iter().min().map_or(-1, |first| first as i32)
    };
    let mut out = ground.blank(width * height, exactly(want))?;
    let shape = Shape::plane([width, height], [TILE as u32; 2]);
    let [width, height] = [width, height].map(|n| n as i32);
    trial!(
        ground,
        shape,
        tile_components(&di, &mut out.memory, width, height),
        original(&di, &out.memory, width, height),
        [out]
    )
}

/// A step of the classical method of Runge and Kutta.
#[gpu_fn]
fn rk4<T: Float, const N: usize>(y: &[T; N], h: T, f: impl Fn(&[T; N]) -> [T; N]) -> [T; N] {
    let half = h * 0.5.cast::<T>();
    let k1 = f(y);
    let k2 = f(&std::array::from_fn(|i| y[i] + half * k1[i]));
    let k3 = f(&std::array::from_fn(|i| y[i] + half * k2[i]));
    let k4 = f(&std::array::from_fn(|i| y[i] + h * k3[i]));
    let sixth = h / 6.0.cast::<T>();
    std::array::from_fn(|i| y[i] + sixth * (k1[i] + (k2[i] + k3[i]) * 2.0.cast::<T>() + k4[i]))
}

/// Prey, hunters, and hunters of those, from a start on; rates are of each system.
#[gpu_kernel]
fn rk4_food_chain(rates: &[[f32; 4]], populations: &mut [[f32; 3]], steps: usize, h: f32) {
    let i = global_id();
    if let (Some(rates), Some(population)) = (rates.get(i), populations.get_mut(i)) {
        let [growth, hunt, death, top] = *rates;
        let change = |&[x, y, z]: &[f32; 3]| {
            [x * (growth - hunt * y), y * (hunt * x - death - top * z), z * (top * y - death)]
        };
        let mut state = *population;
        for _ in 0..steps {
            state = rk4(&state, h, change);
        }
        *population = state;
    }
}

fn rk4_food_chain_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, steps] = ground.pick([90, 12], [1 << 19, 128]);
    let rates: Vec<[f32; 4]> = (0..n)
        .map(|_| {
            let v = ground.between(4, 0.5..1.5);
            [v[0], v[1], v[2], v[3]]
        })
        .collect();
    let start: Vec<[f32; 3]> = (0..n)
        .map(|_| {
            let v = ground.between(3, 0.2..2.0);
            [v[0], v[1], v[2]]
        })
        .collect();
    let dr = ground.up(&rates)?;
    let before = start.clone();
    let want = move |i: usize| {
        let [growth, hunt, death, top] = rates[i].map(f64::from);
        let change = |[x, y, z]: [f64; 3]| {
            [x * (growth - hunt * y), y * (hunt * x - death - top * z), z * (top * y - death)]
        };
        let mut y = before[i].map(f64::from);
        for _ in 0..steps {
            let along = |k: [f64; 3], by: f64| std::array::from_fn(|i| y[i] + by * k[i]);
            let h = f64::from(0.01f32);
            let k1 = change(y);
            let k2 = change(along(k1, h / 2.0));
            let k3 = change(along(k2, h / 2.0));
            let k4 = change(along(k3, h));
            y = along(std::array::from_fn(|i| k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]), h / 6.0);
        }
        y.map(|v| v as f32)
    };
    let mut populations = ground.from(start, near(1e-4, want))?;
    trial!(
        ground,
        Shape::line(n, 256),
        rk4_food_chain(&dr, &mut populations.memory, steps, 0.01),
        original(&dr, &populations.memory, n as i32, steps as i32, 0.01f32),
        [populations]
    )
}
