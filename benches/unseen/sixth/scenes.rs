//! Scenes: features from grids that are hashed, colours from spherical harmonics, and splats.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "scenes",
    originals: include_str!("scenes.cu"),
    kernels: &[
        Unseen {
            name: "hash_grid",
            class: "hashed gather on levels, local arrays, u32",
            make: hash_grid_trial,
        },
        Unseen {
            name: "sh_colours",
            class: "map of structs with operators, zips, usize",
            make: sh_colours_trial,
        },
        Unseen { name: "splat_tiles", class: "batches in shared, early exit, i32", make: splat_tiles_trial },
    ],
};

/// Where a corner of a level's grid is kept: at its own place, or where its hash says.
#[gpu_fn]
fn grid_index(hashmap_size: u32, resolution: u32, corner: &[u32; 3]) -> u32 {
    let mut stride = 1;
    let mut index = 0;
    let mut dim = 0;
    while dim < 3 && stride <= hashmap_size {
        index += corner[dim] * stride;
        stride *= resolution;
        dim += 1;
    }
    if hashmap_size < stride {
        index = corner[0] ^ corner[1].wrapping_mul(2654435761) ^ corner[2].wrapping_mul(805459861);
    }
    index % hashmap_size
}

/// The features of points on each level, between the eight corners around each.
#[gpu_kernel]
fn hash_grid(
    grid: &[F32x2],
    offsets: &[u32],
    scales: &[f32],
    positions: &[f32],
    encoded: &mut [F32x2],
    num_elements: u32,
) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i >= num_elements {
        return;
    }
    let level = block_idx().y;
    let first = offsets[level];
    let hashmap_size = offsets[level + 1] - first;
    let scale = scales[level];
    let resolution = scale.ceil() as u32 + 1;
    let mut pos = [0.0f32; 3];
    let mut pos_grid = [0u32; 3];
    for dim in 0..3 {
        pos[dim] = positions[i * 3 + dim as u32] * scale + 0.5;
        let tmp = pos[dim].floor();
        pos_grid[dim] = tmp as u32;
        pos[dim] -= tmp;
    }
    let mut result = F32x2::splat(0.0);
    for idx in 0..8 {
        let mut weight = 1.0;
        let mut corner = [0u32; 3];
        for dim in 0..3 {
            if (idx & (1 << dim)) == 0 {
                weight *= 1.0 - pos[dim];
                corner[dim] = pos_grid[dim];
            } else {
                weight *= pos[dim];
                corner[dim] = pos_grid[dim] + 1;
            }
        }
        let value = grid[first + grid_index(hashmap_size, resolution, &corner)];
        result.x += weight * value.x;
        result.y += weight * value.y;
    }
    encoded[level * num_elements + i] = result;
}

fn hash_grid_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, levels, table] = ground.pick([50, 4, 1 << 9], [1 << 18, 16, 1 << 19]);
    let growth = ground.pick(2.0f32, 1.38);
    let scales: Vec<f32> = (0..levels).map(|l| 4.0 * growth.powi(l as i32) - 1.0).collect();
    let size = |scale: f32| ((scale.ceil() as usize + 1).pow(3)).next_multiple_of(8).min(table);
    let mut offsets = vec![0u32];
    offsets.extend(scales.iter().scan(0, |sum, scale| {
        *sum += size(*scale) as u32;
        Some(*sum)
    }));
    let numbers = ground.floats(2 * offsets[levels] as usize);
    let grid: Vec<F32x2> = numbers.chunks(2).map(|pair| F32x2::new(pair[0], pair[1])).collect();
    let positions = ground.between(3 * n, 0.0..1.0);
    let (dg, doff, ds, dp) =
        (ground.up(&grid)?, ground.up(&offsets)?, ground.up(&scales)?, ground.up(&positions)?);
    let want = move |at: usize| {
        let (level, i) = (at / n, at % n);
        let (scale, first) = (f64::from(scales[level]), offsets[level]);
        let kept = u64::from(offsets[level + 1] - first);
        let side = scale.ceil() as u64 + 1;
        let (mut x, mut y) = (0.0, 0.0);
        for corner in 0..8 {
            let (mut weight, mut place) = (1.0, [0u64; 3]);
            for dim in 0..3 {
                let p = f64::from(positions[3 * i + dim]) * scale + 0.5;
                let up = corner >> dim & 1;
                place[dim] = p as u64 + up;
                weight *= if up == 1 { p.fract() } else { 1.0 - p.fract() };
            }
            let hashed = place[0] ^ (place[1] * 2_654_435_761) ^ (place[2] * 805_459_861);
            let own = place[0] + side * (place[1] + side * place[2]);
            let index = if side.pow(3) > kept { u64::from(hashed as u32) } else { own };
            let value = grid[(u64::from(first) + index % kept) as usize];
            x += weight * f64::from(value.x);
            y += weight * f64::from(value.y);
        }
        F32x2::new(x as f32, y as f32)
    };
    let mut encoded = ground.blank(levels * n, near(2e-3, want))?;
    let shape = Shape::blocks([n.div_ceil(256) as u32, levels as u32, 1], [256, 1, 1]);
    trial!(
        ground,
        shape,
        hash_grid(&dg, &doff, &ds, &dp, &mut encoded.memory, n as u32),
        original(&dg, &doff, &ds, &dp, &encoded.memory, n as u32),
        [encoded]
    )
}

/// A place, a direction or a colour.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[gpu_impl]
impl std::ops::Add for Vec3 {
    type Output = Vec3;

    fn add(self, other: Vec3) -> Vec3 {
        Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[gpu_impl]
impl std::ops::Sub for Vec3 {
    type Output = Vec3;

    fn sub(self, other: Vec3) -> Vec3 {
        Vec3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

#[gpu_impl]
impl std::ops::Mul<f32> for Vec3 {
    type Output = Vec3;

    fn mul(self, by: f32) -> Vec3 {
        Vec3 { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

#[gpu_impl]
impl Vec3 {
    const HALF: Vec3 = Vec3 { x: 0.5, y: 0.5, z: 0.5 };

    fn dot(self, other: Vec3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn normalized(self) -> Vec3 {
        self * (1.0 / self.dot(self).sqrt())
    }

    fn map(self, f: impl Fn(f32) -> f32) -> [f32; 3] {
        [f(self.x), f(self.y), f(self.z)]
    }

    /// The spherical harmonics of a direction, up to the third degree.
    fn harmonics(self) -> [f32; 16] {
        let Vec3 { x, y, z } = self;
        let (xx, yy, zz) = (x * x, y * y, z * z);
        let (xy, yz, xz) = (x * y, y * z, x * z);
        [
            0.282_094_8,
            -0.488_602_5 * y,
            0.488_602_5 * z,
            -0.488_602_5 * x,
            1.092_548_4 * xy,
            -1.092_548_4 * yz,
            0.315_391_57 * (2.0 * zz - xx - yy),
            -1.092_548_4 * xz,
            0.546_274_2 * (xx - yy),
            -0.590_043_6 * y * (3.0 * xx - yy),
            2.890_611_4 * xy * z,
            -0.457_045_8 * y * (4.0 * zz - xx - yy),
            0.373_176_34 * z * (2.0 * zz - 3.0 * xx - 3.0 * yy),
            -0.457_045_8 * x * (4.0 * zz - xx - yy),
            1.445_305_7 * z * (xx - yy),
            -0.590_043_6 * x * (xx - 3.0 * yy),
        ]
    }
}

/// What colour splats have from an eye.
#[gpu_kernel]
fn sh_colours(centres: &[Vec3], coefficients: &[Vec3], eye: Vec3, colours: &mut [[f32; 3]]) {
    let i = global_id();
    let Some(centre) = centres.get(i) else {
        return;
    };
    let basis = (*centre - eye).normalized().harmonics();
    let own = &coefficients[16 * i..][..16];
    let colour = own.iter().zip(basis).fold(Vec3::HALF, |sum, (c, b)| sum + *c * b);
    colours[i] = colour.map(|v| v.max(0.0));
}

fn sh_colours_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(90, 1 << 20);
    let three = |_| {
        let v = ground.floats(3);
        Vec3 { x: v[0], y: v[1], z: v[2] }
    };
    let centres: Vec<Vec3> = (0..n).map(three).collect();
    let coefficients: Vec<Vec3> = (0..16 * n).map(three).collect();
    let eye = Vec3 { x: 2.0, y: -1.5, z: 0.25 };
    let (dce, dco) = (ground.up(&centres)?, ground.up(&coefficients)?);
    let want = move |i: usize| {
        let at = centres[i];
        let [x, y, z] = [at.x - eye.x, at.y - eye.y, at.z - eye.z].map(f64::from);
        let length = (x * x + y * y + z * z).sqrt();
        let (x, y, z) = (x / length, y / length, z / length);
        let pi = std::f64::consts::PI;
        let root = |v: f64| (v / pi).sqrt();
        let basis = [
            root(1.0) / 2.0,
            -root(0.75) * y,
            root(0.75) * z,
            -root(0.75) * x,
            root(15.0) / 2.0 * x * y,
            -root(15.0) / 2.0 * y * z,
            root(5.0) / 4.0 * (3.0 * z * z - 1.0),
            -root(15.0) / 2.0 * x * z,
            root(15.0) / 4.0 * (x * x - y * y),
            -root(17.5) / 4.0 * y * (3.0 * x * x - y * y),
            root(105.0) / 2.0 * x * y * z,
            -root(10.5) / 4.0 * y * (5.0 * z * z - 1.0),
            root(7.0) / 4.0 * z * (5.0 * z * z - 3.0),
            -root(10.5) / 4.0 * x * (5.0 * z * z - 1.0),
            root(105.0) / 4.0 * z * (x * x - y * y),
            -root(17.5) / 4.0 * x * (x * x - 3.0 * y * y),
        ];
        let pick: [fn(&Vec3) -> f32; 3] = [|v| v.x, |v| v.y, |v| v.z];
        pick.map(|of| {
            let own = coefficients[16 * i..][..16].iter().map(of);
            let sum: f64 = own.zip(basis).map(|(c, b)| f64::from(c) * b).sum();
            (0.5 + sum).max(0.0) as f32
        })
    };
    let mut colours = ground.blank(n, near(1e-4, want))?;
    let [x, y, z] = [eye.x, eye.y, eye.z];
    trial!(
        ground,
        Shape::line(n, 256),
        sh_colours(&dce, &dco, eye, &mut colours.memory),
        original(&dce, &dco, x, y, z, &colours.memory, n as i32),
        [colours]
    )
}

/// Colours of splats over a background, the nearest first; a block has a tile of 16 by 16 pixels.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn splat_tiles(
    ranges: &[U32x2],
    point_list: &[u32],
    points_xy: &[F32x2],
    features: &[f32],
    conic_opacity: &[F32x4],
    final_t: &mut [f32],
    out_color: &mut [f32],
    w: i32,
    h: i32,
    background: F32x4,
) {
    let mut collected_id = shared!([i32; 256]);
    let mut collected_xy = shared!([F32x2; 256]);
    let mut collected_conic = shared!([F32x4; 256]);
    let horizontal_blocks = (w + 15) / 16;
    let pix_x = (block_idx().x * 16 + thread_idx().x) as i32;
    let pix_y = (block_idx().y * 16 + thread_idx().y) as i32;
    let pix_id = w * pix_y + pix_x;
    let rank = (thread_idx().y * 16 + thread_idx().x) as i32;
    let inside = pix_x < w && pix_y < h;
    let mut done = !inside;
    let range = ranges[block_idx().y as i32 * horizontal_blocks + block_idx().x as i32];
    let rounds = (range.y - range.x).div_ceil(256) as i32;
    let mut to_do = (range.y - range.x) as i32;
    let mut t = 1.0f32;
    let mut c = [0.0f32; 3];
    for i in 0..rounds {
        if sync_threads_count(done) == 256 {
            break;
        }
        let progress = i * 256 + rank;
        if range.x as i32 + progress < range.y as i32 {
            let coll_id = point_list[range.x as i32 + progress] as i32;
            collected_id[rank] = coll_id;
            collected_xy[rank] = points_xy[coll_id];
            collected_conic[rank] = conic_opacity[coll_id];
        }
        sync_threads();
        for j in 0..to_do.min(256) {
            if done {
                break;
            }
            let xy = collected_xy[j];
            let dx = xy.x - pix_x as f32;
            let dy = xy.y - pix_y as f32;
            let con_o = collected_conic[j];
            let power = -0.5 * (con_o.x * dx * dx + con_o.z * dy * dy) - con_o.y * dx * dy;
            if power > 0.0 {
                continue;
            }
            let alpha = (con_o.w * power.exp()).min(0.99);
            if alpha < 1.0 / 255.0 {
                continue;
            }
            let test_t = t * (1.0 - alpha);
            if test_t < 0.0001 {
                done = true;
                continue;
            }
            for ch in 0..3 {
                c[ch] += features[collected_id[j] * 3 + ch as i32] * alpha * t;
            }
            t = test_t;
        }
        to_do -= 256;
    }
    if inside {
        final_t[pix_id] = t;
        for ch in 0..3 {
            out_color[ch as i32 * h * w + pix_id] = c[ch] + t * background[ch];
        }
    }
}

fn splat_tiles_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height, count]: [usize; 3] = ground.pick([40, 35, 120], [1024, 768, 1 << 16]);
    let tiles = [width.div_ceil(16), height.div_ceil(16)];
    let (xs, ys) = (ground.between(count, 0.0..width as f32), ground.between(count, 0.0..height as f32));
    let points: Vec<F32x2> = xs.iter().zip(&ys).map(|(x, y)| F32x2::new(*x, *y)).collect();
    let features = ground.between(3 * count, 0.0..1.0);
    let conic = |_| {
        let v = ground.between(4, 0.0..1.0);
        F32x4::new(0.02 + 0.1 * v[0], 0.02 * v[1] - 0.01, 0.02 + 0.1 * v[2], 0.1 + 0.9 * v[3])
    };
    let conics: Vec<F32x4> = (0..count).map(conic).collect();
    // A splat is in the list of each tile that its circle's square touches; those in front have low numbers.
    let mut lists = vec![Vec::new(); tiles[0] * tiles[1]];
    for (i, p) in points.iter().enumerate() {
        let span =
            |v: f32, n: usize| ((v - 20.0).max(0.0) as usize / 16)..(((v + 20.0) as usize / 16 + 1).min(n));
        for (x, y) in span(p.y, tiles[1]).flat_map(|y| span(p.x, tiles[0]).map(move |x| (x, y))) {
            lists[y * tiles[0] + x].push(i as u32);
        }
    }
    let list: Vec<u32> = lists.concat();
    let mut end = 0;
    let range = |own: &Vec<u32>| {
        let start = end;
        end += own.len() as u32;
        U32x2::new(start, end)
    };
    let ranges: Vec<U32x2> = lists.iter().map(range).collect();
    let (dr, dl, dp) = (ground.up(&ranges)?, ground.up(&list)?, ground.up(&points)?);
    let (df, dc) = (ground.up(&features)?, ground.up(&conics)?);
    let background = [0.25f32, 0.5, 0.75];
    let mix = std::rc::Rc::new(move |x: usize, y: usize| {
        let (mut t, mut colour) = (1.0f64, [0.0f64; 3]);
        for i in lists[y / 16 * tiles[0] + x / 16].iter().map(|i| *i as usize) {
            let (dx, dy) = (f64::from(points[i].x) - x as f64, f64::from(points[i].y) - y as f64);
            let [a, b, c, opacity] = conics[i].to_array().map(f64::from);
            let power = -0.5 * (a * dx * dx + c * dy * dy) - b * dx * dy;
            let alpha = (opacity * power.exp()).min(0.99);
            if power > 0.0 || alpha < 1.0 / 255.0 {
                continue;
            }
            if t * (1.0 - alpha) < 0.0001 {
                break;
            }
            for (sum, v) in colour.iter_mut().zip(&features[3 * i..]) {
                *sum += f64::from(*v) * alpha * t;
            }
            t *= 1.0 - alpha;
        }
        (t, colour)
    });
    let also = mix.clone();
    // A splat at the edge of what counts may count or not.
    let seen = move |at: usize| also(at % width, at / width).0 as f32;
    let shown = move |at: usize| {
        let (t, colour) = mix(at % width, at / width % height);
        let ch = at / width / height;
        (colour[ch] + t * f64::from(background[ch])) as f32
    };
    let mut t = ground.blank(width * height, near(1e-2, seen))?;
    let mut colours = ground.blank(3 * width * height, near(1e-2, shown))?;
    let [r, g, b] = background;
    let shape = Shape::plane([width, height], [16, 16]);
    let [w, h] = [width, height].map(|n| n as i32);
    trial!(
        ground,
        shape,
        splat_tiles(
            &dr,
            &dl,
            &dp,
            &df,
            &dc,
            &mut t.memory,
            &mut colours.memory,
            w,
            h,
            F32x4::new(r, g, b, 0.0)
        ),
        original(&dr, &dl, &dp, &df, &dc, &t.memory, &colours.memory, w, h, r, g, b),
        [t, colours]
    )
}
