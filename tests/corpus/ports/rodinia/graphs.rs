//! Rodinia on graphs and tables: bfs, b+tree, k-means, nearest neighbours, huffman, stream clusters, strings.

use harness::noise;
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, integers, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("rodinia_bfs_expand", bfs_expand, breadth_first_search_by_levels),
        port!("rodinia_bfs_commit", bfs_commit, breadth_first_search_by_levels),
        port!("rodinia_find_k", find_k, a_b_tree_is_searched_by_a_block_a_query),
        port!("rodinia_kmeans_point", kmeans_point<4>, kmeans_assigns_points_to_the_nearest_center),
        port!("rodinia_euclid", euclid, nearest_neighbours_have_distances),
        port!("rodinia_vlc_encode", vlc_encode, huffman_codes_are_packed),
        port!("rodinia_pgain", pgain, streamcluster_gains),
        port!("rodinia_longest_match", longest_match, mummer_matches_queries),
        port!("rodinia_bucket_count", bucket_count, hybridsort_counts_buckets),
    ]
}

#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Node {
    starting: i32,
    no_of_edges: i32,
}

/// Many threads may come to a node at once: what they store there alike is volatile, or they would race.
#[gpu_kernel]
fn bfs_expand(
    nodes: &[Node],
    edges: &[i32],
    mask: &mut [bool],
    updating: &mut [u32],
    visited: &[bool],
    cost: &mut [i32],
) {
    let tid = global_id();
    if tid < nodes.len() && mask[tid] {
        mask[tid] = false;
        let Node { starting, no_of_edges } = nodes[tid];
        for i in starting..starting + no_of_edges {
            let id = edges[i as usize] as usize;
            if !visited[id] {
                let level = cost[tid] + 1;
                volatile_store(&mut cost[id], level);
                volatile_store(&mut updating[id], 1);
            }
        }
    }
}

#[gpu_kernel]
fn bfs_commit(mask: &mut [bool], updating: &mut [u32], visited: &mut [bool], over: &mut [u32]) {
    let tid = global_id();
    if tid < mask.len() && updating[tid] == 1 {
        mask[tid] = true;
        visited[tid] = true;
        volatile_store(&mut over[0], 1);
        updating[tid] = 0;
    }
}

fn breadth_first_search_by_levels(device: &Device) {
    let n = 200usize;
    let edges: Vec<i32> = integers(n * 3, n as u32, 21).iter().map(|v| *v as i32).collect();
    let nodes: Vec<Node> = (0..n as i32).map(|i| Node { starting: 3 * i, no_of_edges: i % 4 }).collect();
    let mut cost = vec![-1; n];
    let mut flags = vec![false; n];
    (cost[1], flags[1]) = (0, true);
    let (dn, de) = (up(device, &nodes), up(device, &edges));
    let (mut mask, mut visited, mut dc) = (up(device, &flags), up(device, &flags), up(device, &cost));
    let mut updating = up(device, &vec![0u32; n]);
    loop {
        let mut over = up(device, &[0u32]);
        bfs_expand(&dn, &de, &mut mask, &mut updating, &visited, &mut dc)
            .over(n)
            .block(64)
            .launch(device)
            .unwrap();
        bfs_commit(&mut mask, &mut updating, &mut visited, &mut over)
            .over(n)
            .block(64)
            .launch(device)
            .unwrap();
        if down(device, &over)[0] == 0 {
            break;
        }
    }
    let mut queue = std::collections::VecDeque::from([1usize]);
    while let Some(at) = queue.pop_front() {
        for e in 0..nodes[at].no_of_edges {
            let to = edges[(nodes[at].starting + e) as usize] as usize;
            if cost[to] < 0 {
                cost[to] = cost[at] + 1;
                queue.push_back(to);
            }
        }
    }
    assert_eq!(down(device, &dc), cost);
}

const ORDER: usize = 8;

/// A node of a b+tree.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct KNode {
    location: i32,
    indices: [i32; ORDER + 1],
    keys: [i32; ORDER + 1],
    is_leaf: bool,
}

#[gpu_kernel]
fn find_k(
    height: u32,
    nodes: &[KNode],
    records: &[i32],
    current: &mut [usize],
    keys: &[i32],
    answers: &mut [i32],
) {
    let mut next = shared!([usize; 1]);
    let thread = thread_idx().x as usize;
    let query = block_idx().x as usize;
    let key = keys[query];
    if thread == 0 {
        next[0] = current[query];
    }
    sync_threads();
    for _ in 0..height {
        let node = &nodes[current[query]];
        if node.keys[thread] <= key && key < node.keys[thread + 1] {
            next[0] = node.indices[thread] as usize;
        }
        sync_threads();
        if thread == 0 {
            current[query] = next[0];
        }
        sync_threads();
    }
    let leaf = nodes[current[query]];
    if leaf.keys[thread] == key && leaf.is_leaf {
        answers[query] = records[leaf.indices[thread] as usize];
    }
}

fn a_b_tree_is_searched_by_a_block_a_query(device: &Device) {
    // One root over eight leaves, each of eight keys, 10 apart.
    let far = i32::MAX;
    let leaf = |l: i32| {
        let mut node = KNode { location: l + 1, indices: [0; 9], keys: [far; 9], is_leaf: true };
        (0..8).for_each(|k| (node.keys[k], node.indices[k]) = ((l * 8 + k as i32) * 10, l * 8 + k as i32));
        node
    };
    let mut root = KNode { location: 0, indices: [0; 9], keys: [far; 9], is_leaf: false };
    (0..8).for_each(|k| (root.keys[k], root.indices[k]) = (k as i32 * 80, k as i32 + 1));
    let nodes: Vec<KNode> = std::iter::once(root).chain((0..8).map(leaf)).collect();
    let records: Vec<i32> = (0..64).map(|v| v * v + 7).collect();
    let keys = [0, 10, 630, 315, 320, 79, 80];
    let (dn, dr, dk) = (up(device, &nodes), up(device, &records), up(device, &keys));
    let (mut current, mut out) = (up(device, &[0usize; 7]), up(device, &[-1; 7]));
    find_k(1, &dn, &dr, &mut current, &dk, &mut out).grid(7).block(8).launch(device).expect("it runs");
    let want: Vec<i32> =
        keys.iter().map(|k| if k % 10 == 0 { (k / 10) * (k / 10) + 7 } else { -1 }).collect();
    assert_eq!(down(device, &out), want);
}

#[gpu_kernel(fmad = false)]
fn kmeans_point<const FEATURES: usize>(
    features: &[[f32; FEATURES]],
    clusters: &[[f32; FEATURES]],
    membership: &mut [i32],
    sums: &mut [f32],
    counts: &mut [u32],
) {
    let id = global_id();
    if id >= features.len() {
        return;
    }
    let point = &features[id];
    let (mut index, mut min_dist) = (-1, f32::MAX);
    for (i, center) in clusters.iter().enumerate() {
        let mut ans = 0.0;
        for (a, b) in point.iter().zip(center) {
            ans += (a - b) * (a - b);
        }
        if ans < min_dist {
            min_dist = ans;
            index = i as i32;
        }
    }
    membership[id] = index;
    atomic_add(&mut counts[index as usize], 1);
    for j in 0..FEATURES {
        atomic_add(&mut sums[index as usize * FEATURES + j], point[j]);
    }
}

fn kmeans_assigns_points_to_the_nearest_center(device: &Device) {
    let rows = |n: usize, seed| -> Vec<[f32; 4]> {
        noise(n * 4, seed).chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect()
    };
    let (points, centers) = (rows(100, 31), rows(5, 32));
    let (dp, dc) = (up(device, &points), up(device, &centers));
    let (mut member, mut sums, mut counts) =
        (up(device, &[-7; 100]), up(device, &[0.0; 20]), up(device, &[0u32; 5]));
    kmeans_point::<4>(&dp, &dc, &mut member, &mut sums, &mut counts)
        .over(100)
        .block(32)
        .launch(device)
        .unwrap();
    let (mut want, mut n, mut total) = (vec![], [0; 5], vec![0.0; 20]);
    for p in &points {
        let d = |c: &[f32; 4]| p.iter().zip(c).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let best = (0..5).min_by(|a, b| d(&centers[*a]).total_cmp(&d(&centers[*b]))).unwrap();
        want.push(best as i32);
        n[best] += 1;
        (0..4).for_each(|j| total[best * 4 + j] += p[j]);
    }
    assert_eq!((down(device, &member), down(device, &counts)), (want, n.to_vec()));
    assert_close(&down(device, &sums), &total, 1e-5);
}

#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct LatLong {
    lat: f32,
    lng: f32,
}

#[gpu_kernel(fmad = false)]
fn euclid(locations: &[LatLong], distances: &mut [f32], target: LatLong) {
    let LatLong { lat, lng } = target;
    let id = block_dim().x * (grid_dim().x * block_idx().y + block_idx().x) + thread_idx().x;
    if (id as usize) < locations.len() {
        let location = &locations[id];
        let (dx, dy) = (lat - location.lat, lng - location.lng);
        distances[id] = f32::sqrt(dx * dx + dy * dy);
    }
}

fn nearest_neighbours_have_distances(device: &Device) {
    let x: Vec<LatLong> =
        noise(100, 41).chunks(2).map(|c| LatLong { lat: c[0] * 90.0, lng: c[1] * 180.0 }).collect();
    let dx = up(device, &x);
    let mut out = up(device, &[f32::NAN; 50]);
    euclid(&dx, &mut out, LatLong { lat: 30.0, lng: -20.5 }).grid([2, 1]).block(32).launch(device).unwrap();
    let want: Vec<f32> = x.iter().map(|l| (30.0 - l.lat).hypot(-20.5 - l.lng)).collect();
    assert_close(&down(device, &out), &want, 1e-6);
}

/// Variable-length codes of symbols, packed into words from the most significant bit.
#[gpu_kernel]
fn vlc_encode(data: &[u8], codewords: &[u32], lengths: &[u32], out: &mut [u32], bits: &mut [u32]) {
    const N: usize = 64;
    let mut at = shared!([u32; N]);
    let mut words = shared!([u32; N]);
    let t = thread_idx().x as usize;
    let symbol = data[block_idx().x as usize * N + t];
    let (code, len) = (codewords[symbol as usize], lengths[symbol as usize]);
    at[t] = len;
    words[t] = 0;
    sync_threads();
    let mut step = 1;
    while step < N {
        let before = if t >= step { at[t - step] } else { 0 };
        sync_threads();
        at[t] += before;
        sync_threads();
        step <<= 1;
    }
    let start = at[t] - len;
    let (word, bit) = ((start / u32::BITS) as usize, start % u32::BITS);
    let wide = (code as u64) << (64 - len - bit);
    atomic_or(&mut words[word], (wide >> 32) as u32);
    if wide as u32 != 0 {
        atomic_or(&mut words[word + 1], wide as u32);
    }
    sync_threads();
    out[block_idx().x as usize * N + t] = words[t];
    if t == N - 1 {
        bits[block_idx().x] = at[N - 1];
    }
}

fn huffman_codes_are_packed(device: &Device) {
    let data: Vec<u8> = integers(128, 8, 51).iter().map(|v| *v as u8).collect();
    let lengths = [1u32, 3, 5, 7, 11, 13, 17, 20];
    let codes: Vec<u32> = lengths.iter().map(|l| (0x9e37_79b9 >> (32 - l)) | 1).collect();
    let (dd, dc, dl) = (up(device, &data), up(device, &codes), up(device, &lengths));
    let (mut out, mut bits) = (up(device, &[7u32; 128]), up(device, &[0u32; 2]));
    vlc_encode(&dd, &dc, &dl, &mut out, &mut bits).grid(2).block(64).launch(device).unwrap();
    for (b, chunk) in data.chunks(64).enumerate() {
        let text: String = chunk
            .iter()
            .map(|s| format!("{:0w$b}", codes[*s as usize], w = lengths[*s as usize] as usize))
            .collect();
        assert_eq!(down(device, &bits)[b] as usize, text.len());
        let got: String = down(device, &out)[b * 64..][..64].iter().map(|w| format!("{w:032b}")).collect();
        assert_eq!(got[..text.len()], text);
        assert!(got[text.len()..].chars().all(|c| c == '0'));
    }
}

/// The savings from opening a center: the gain of each point.
#[gpu_kernel(fmad = false)]
fn pgain(
    num: i32,
    dim: i32,
    x: i64,
    weights: &[f32],
    coords: &[f32],
    assigned: &[i32],
    costs: &[f32],
    lower: &mut [f32],
    switch: &mut [bool],
) {
    let mut center = dynamic_shared::<f32>();
    let tid = global_id() as i32;
    if thread_idx().x == 0 {
        for i in 0..dim {
            center[i] = coords[(i * num) as usize + x as usize];
        }
    }
    sync_threads();
    if tid >= num {
        return;
    }
    let mut cost = 0.;
    for i in 0..dim {
        let d = coords[i * num + tid] - center[i];
        cost += d * d;
    }
    cost *= weights[tid];
    let current = costs[tid];
    if cost < current {
        switch[tid] = true;
        atomic_add(&mut lower[num], 0.0);
    } else {
        let a = assigned[tid];
        atomic_add(&mut lower[a], current - cost);
    }
}

fn streamcluster_gains(device: &Device) {
    let (num, dim) = (70usize, 3usize);
    let coords = noise(num * dim, 61);
    let weights: Vec<f32> = noise(num, 62).iter().map(|v| v + 2.0).collect();
    let assigned: Vec<i32> = integers(num, 4, 63).iter().map(|v| *v as i32).collect();
    let costs: Vec<f32> = noise(num, 64).iter().map(|v| v.abs() * 3.0).collect();
    let (w, c, a, k) = (up(device, &weights), up(device, &coords), up(device, &assigned), up(device, &costs));
    let (mut lower, mut switch) = (up(device, &vec![0.0; num + 1]), up(device, &vec![false; num]));
    pgain(num as i32, dim as i32, 5, &w, &c, &a, &k, &mut lower, &mut switch)
        .grid(3)
        .block(32)
        .dynamic_shared(dim * 4)
        .launch(device)
        .unwrap();
    let (mut want, mut switched) = (vec![0.0; num + 1], vec![false; num]);
    for p in 0..num {
        let d: f32 = (0..dim).map(|i| (coords[i * num + p] - coords[i * num + 5]).powi(2)).sum();
        let cost = d * weights[p];
        if cost < costs[p] { switched[p] = true } else { want[assigned[p] as usize] += costs[p] - cost }
    }
    assert_eq!(down(device, &switch), switched);
    assert_close(&down(device, &lower), &want, 1e-5);
}

/// How long a match each query has at each place of a reference text (mummergpu without its tree).
#[gpu_kernel]
fn longest_match(reference: &[u8], queries: &[u8], query_len: usize, best: &mut [[u32; 2]]) {
    let q = global_id();
    if q >= best.len() {
        return;
    }
    let query = &queries[q * query_len..(q + 1) * query_len];
    let mut longest = [0, 0];
    'places: for at in 0..reference.len() {
        let mut len = 0;
        for (&r, &c) in reference[at..].iter().zip(query) {
            let matches = match (r, c) {
                (_, b'N') => true,
                (b'a'..=b'z', _) => r.to_ascii_uppercase() == c,
                _ => r == c,
            };
            if !matches {
                if len == 0 {
                    continue 'places;
                }
                break;
            }
            len += 1;
        }
        if len > longest[0] {
            longest = [len, at as u32];
        }
    }
    best[q] = longest;
}

fn mummer_matches_queries(device: &Device) {
    let letters = b"ACGTacgt";
    let reference: Vec<u8> = integers(120, 8, 71).iter().map(|v| letters[*v as usize]).collect();
    let queries: Vec<u8> = integers(40, 5, 72).iter().map(|v| b"ACGTN"[*v as usize]).collect();
    let (dr, dq) = (up(device, &reference), up(device, &queries));
    let mut best = up(device, &[[9u32; 2]; 4]);
    longest_match(&dr, &dq, 10, &mut best).over(4).launch(device).unwrap();
    let want: Vec<[u32; 2]> = queries
        .chunks(10)
        .map(|q| {
            let at = |p: usize| {
                reference[p..]
                    .iter()
                    .zip(q)
                    .take_while(|(r, c)| **c == b'N' || r.eq_ignore_ascii_case(c))
                    .count() as u32
            };
            (0..120).fold([0, 0], |b, p| if at(p) > b[0] { [at(p), p as u32] } else { b })
        })
        .collect();
    assert_eq!(down(device, &best), want);
}

/// Buckets by a binary search of pivots, and the histogram of a block (hybridsort).
#[gpu_kernel]
fn bucket_count(input: &[f32], pivots: &[f32], indices: &mut [u32], prefix: &mut [u32]) {
    const BUCKETS: usize = 32;
    let mut histogram = shared!([u32; BUCKETS]);
    for i in (thread_idx().x as usize..BUCKETS).step_by(block_dim().x as usize) {
        histogram[i] = 0;
    }
    sync_threads();
    for tid in (global_id()..input.len()).step_by(global_size()) {
        let elem = input[tid];
        let (mut low, mut high) = (0usize, pivots.len());
        while low < high {
            let mid = (low + high) / 2;
            if elem >= pivots[mid] { low = mid + 1 } else { high = mid }
        }
        let rank = atomic_add(&mut histogram[low], 1);
        indices[tid] = (rank << 5) | low as u32;
    }
    sync_threads();
    let base = block_idx().x as usize * BUCKETS;
    for i in (thread_idx().x as usize..BUCKETS).step_by(block_dim().x as usize) {
        prefix[base + i] = histogram[i] & 0x07FF_FFFF;
    }
}

fn hybridsort_counts_buckets(device: &Device) {
    let x = noise(300, 81);
    let pivots: Vec<f32> = (0..31).map(|i| i as f32 / 15.5 - 1.0).collect();
    let (dx, dp) = (up(device, &x), up(device, &pivots));
    let (mut indices, mut prefix) = (up(device, &[0u32; 300]), up(device, &[9u32; 64]));
    bucket_count(&dx, &dp, &mut indices, &mut prefix).grid(2).block(24).launch(device).unwrap();
    let mut counts = [0; 64];
    for (i, v) in x.iter().enumerate() {
        let bucket = pivots.partition_point(|p| v >= p);
        counts[(i / 24 % 2) * 32 + bucket] += 1;
        assert_eq!(down(device, &indices)[i] & 31, bucket as u32);
    }
    assert_eq!(down(device, &prefix), counts);
}
