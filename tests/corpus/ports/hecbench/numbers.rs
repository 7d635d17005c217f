//! HeCBench on numbers: rays, fluids, lattices, lookups, graphs, sorting, solvers, fractals.

use harness::noise;
use warpsmith::prelude::*;

use super::solvers::Complex;
use crate::cases::Case;
use crate::ports::rodinia::physics::Float3;
use crate::ports::{assert_close, down, integers, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("hecbench_render", render, rays_meet_materials),
        port!("hecbench_lattice_boltzmann", lattice_boltzmann, a_lattice_conserves_mass),
        port!("hecbench_hook", hook, components_are_connected),
        port!("hecbench_nqueen", nqueen<8>, queens_have_solutions),
        port!("hecbench_mandelbrot_over_noise", mandelbrot_over_noise, fractals_over_noise),
    ]
}

/// The way in which a surface reflects light.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
enum Material {
    Lambertian { albedo: Float3 },
    Metal { albedo: Float3, fuzz: f32 },
    Light(f32),
}

#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Sphere {
    center: Float3,
    radius: f32,
    material: Material,
}

#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Ray {
    origin: Float3,
    direction: Float3,
}

/// The point where a ray meets a sphere.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Hit {
    t: f32,
    normal: Float3,
    material: Material,
}

#[gpu_impl]
impl Ray {
    fn at(&self, t: f32) -> Float3 {
        self.origin + t * self.direction
    }
}

#[gpu_impl]
impl Sphere {
    fn hit(&self, ray: &Ray, t_min: f32, t_max: f32) -> Option<Hit> {
        let oc = ray.origin - self.center;
        let a = ray.direction.dot(ray.direction);
        let half_b = oc.dot(ray.direction);
        let c = oc.dot(oc) - self.radius.powi(2);
        let discriminant = half_b * half_b - a * c;
        if discriminant < 0.0 {
            return None;
        }
        let root = discriminant.sqrt();
        let mut t = (-half_b - root) / a;
        if !(t_min..t_max).contains(&t) {
            t = (-half_b + root) / a;
            if !(t_min..t_max).contains(&t) {
                return None;
            }
        }
        let normal = (ray.at(t) - self.center) * (1.0 / self.radius);
        Some(Hit { t, normal, material: self.material })
    }
}

#[gpu_fn]
fn closest(world: &[Sphere], ray: &Ray) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    for sphere in world {
        let limit = best.map_or(f32::INFINITY, |hit| hit.t);
        if let Some(hit) = sphere.hit(ray, 1e-3, limit) {
            best = Some(hit);
        }
    }
    best
}

#[gpu_fn]
fn color(world: &[Sphere], mut ray: Ray) -> Float3 {
    let mut through = Float3::new(1.0, 1.0, 1.0);
    for _ in 0..8 {
        let Some(hit) = closest(world, &ray) else {
            let t = 0.5 * (ray.direction.y / ray.direction.length() + 1.0);
            let sky = (1.0 - t) * Float3::new(1.0, 1.0, 1.0) + t * Float3::new(0.5, 0.7, 1.0);
            return Float3::new(through.x * sky.x, through.y * sky.y, through.z * sky.z);
        };
        let reflected = ray.direction - 2.0 * ray.direction.dot(hit.normal) * hit.normal;
        let (albedo, direction) = match hit.material {
            Material::Lambertian { albedo } => (albedo, hit.normal),
            Material::Metal { albedo, fuzz } if reflected.dot(hit.normal) > 0.0 => {
                (albedo, reflected + fuzz * hit.normal)
            }
            Material::Metal { .. } => return Float3::default(),
            Material::Light(power) => return through * power,
        };
        through = Float3 { x: through.x * albedo.x, y: through.y * albedo.y, z: through.z * albedo.z };
        ray = Ray { origin: ray.at(hit.t), direction };
    }
    Float3::default()
}

#[gpu_kernel(fmad = false)]
fn render(world: &[Sphere], width: u32, height: u32, image: &mut [Float3]) {
    let (x, y) =
        (block_idx().x * block_dim().x + thread_idx().x, block_idx().y * block_dim().y + thread_idx().y);
    if x >= width || y >= height {
        return;
    }
    let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
    let ray = Ray { origin: Float3::default(), direction: Float3::new(-2.0 + 4.0 * u, -1.0 + 2.0 * v, -1.0) };
    image[y * width + x] = color(world, ray);
}

fn rays_meet_materials(device: &Device) {
    let sphere = |x, y, z, radius, material| Sphere { center: Float3::new(x, y, z), radius, material };
    let grey = Float3::new(0.5, 0.5, 0.5);
    let world = [
        sphere(0.0, 0.0, -1.0, 0.5, Material::Lambertian { albedo: Float3::new(0.8, 0.3, 0.3) }),
        sphere(0.0, -100.5, -1.0, 100.0, Material::Lambertian { albedo: grey }),
        sphere(1.0, 0.0, -1.0, 0.5, Material::Metal { albedo: Float3::new(0.8, 0.6, 0.2), fuzz: 0.25 }),
        sphere(-1.0, 0.0, -1.0, 0.5, Material::Light(2.0)),
    ];
    let dw = up(device, &world);
    let mut image = up(device, &vec![Float3::new(9.0, 9.0, 9.0); 40 * 20]);
    render(&dw, 40, 20, &mut image).grid([3, 2]).block([16, 16]).launch(device).unwrap();
    let got = down(device, &image);
    let pixel = |x: usize, y: usize| got[y * 40 + x];
    assert_eq!(pixel(12, 10), Float3::new(2.0, 2.0, 2.0), "the light is seen");
    // Straight ahead the red ball sends the ray back to the sky behind the camera.
    let sky = Float3::new(0.75, 0.85, 1.0);
    let c = pixel(20, 10);
    assert_close(&[c.x, c.y, c.z], &[0.8 * sky.x, 0.3 * sky.y, 0.3 * sky.z], 1e-4);
    let top = pixel(20, 19);
    let t = 0.5 * (0.9 / (0.81f32 + 1.0).sqrt() + 1.0);
    assert_close(&[top.x, top.y, top.z], &[1.0 - 0.5 * t, 1.0 - 0.3 * t, 1.0], 1e-5);
    assert!(got.iter().all(|c| c.x <= 2.0), "every pixel was written");
}

/// The nine directions of a lattice of two dimensions.
const D2Q9: [(i32, i32); 9] = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
const WEIGHTS: [f32; 9] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];

#[gpu_kernel(fmad = false)]
fn lattice_boltzmann(speeds: &[f32], obstacles: &[bool], omega: f32, nx: i32, ny: i32, next: &mut [f32]) {
    let id = global_id() as i32;
    if id >= nx * ny {
        return;
    }
    let (x, y) = (id % nx, id / nx);
    let mut f = [0.0; 9];
    for (k, &(cx, cy)) in D2Q9.iter().enumerate() {
        let from = (x - cx).rem_euclid(nx) + (y - cy).rem_euclid(ny) * nx;
        f[k] = speeds[k * (nx * ny) as usize + from as usize];
    }
    if obstacles[id] {
        let (a, b) = (f, [0, 3, 4, 1, 2, 7, 8, 5, 6]);
        for k in 0..9 {
            f[k] = a[b[k]];
        }
    } else {
        let mut density = 0.0;
        let (mut ux, mut uy) = (0.0, 0.0);
        for (v, (cx, cy)) in f.iter().zip(D2Q9) {
            density += v;
            ux += v * cx as f32;
            uy += v * cy as f32;
        }
        ux /= density;
        uy /= density;
        let square = ux * ux + uy * uy;
        for k in 0..9 {
            let u = D2Q9[k].0 as f32 * ux + D2Q9[k].1 as f32 * uy;
            let equilibrium = WEIGHTS[k] * density * (1.0 + 3.0 * u + 4.5 * u * u - 1.5 * square);
            f[k] += omega * (equilibrium - f[k]);
        }
    }
    for k in 0..9usize {
        next[k * (nx * ny) as usize + id as usize] = f[k];
    }
}

fn a_lattice_conserves_mass(device: &Device) {
    let (nx, ny) = (10usize, 6usize);
    let n = nx * ny;
    let f: Vec<f32> = noise(9 * n, 201).iter().map(|v| v * 0.05 + 0.2).collect();
    let walls: Vec<bool> = (0..n).map(|i| i % 7 == 0).collect();
    let (df, dw) = (up(device, &f), up(device, &walls));
    let mut out = up(device, &vec![f32::NAN; 9 * n]);
    lattice_boltzmann(&df, &dw, 1.2, nx as i32, ny as i32, &mut out)
        .over(n)
        .block(32)
        .launch(device)
        .unwrap();
    let got = down(device, &out);
    assert!((got.iter().sum::<f32>() - f.iter().sum::<f32>()).abs() < 1e-3);
    let come = |k: usize, i: usize| {
        let wrap = |v: usize, c: i32, n: usize| (v + n).wrapping_add_signed(-c as isize) % n;
        f[k * n + wrap(i % nx, D2Q9[k].0, nx) + wrap(i / nx, D2Q9[k].1, ny) * nx]
    };
    for i in 0..n {
        let here: Vec<f64> = (0..9).map(|k| f64::from(come(k, i))).collect();
        let back = [0, 3, 4, 1, 2, 7, 8, 5, 6];
        let d: f64 = here.iter().sum();
        let m = |axis: fn(&(i32, i32)) -> i32| {
            here.iter().zip(&D2Q9).map(|(v, c)| v * f64::from(axis(c))).sum::<f64>() / d
        };
        let (ux, uy) = (m(|c| c.0), m(|c| c.1));
        for k in 0..9 {
            let u = f64::from(D2Q9[k].0) * ux + f64::from(D2Q9[k].1) * uy;
            let e = f64::from(WEIGHTS[k]) * d * (1.0 + 3.0 * u + 4.5 * u * u - 1.5 * (ux * ux + uy * uy));
            let want = if walls[i] { here[back[k]] } else { here[k] + 1.2 * (e - here[k]) };
            assert!((f64::from(got[k * n + i]) - want).abs() < 1e-5, "{k} at {i}");
        }
    }
}

/// Labels of connected components: union-find with path halving and compare-and-swap.
///
/// Other threads change the parents meanwhile; every access to them is volatile or atomic.
#[gpu_fn]
fn find(parent: &mut [u32], mut x: u32) -> u32 {
    loop {
        let above = volatile_load(&parent[x]);
        if above == x {
            return x;
        }
        let grand = volatile_load(&parent[above]);
        volatile_store(&mut parent[x], grand);
        x = grand;
    }
}

#[gpu_kernel]
fn hook(edges: &[[u32; 2]], parent: &mut [u32]) {
    let i = global_id();
    if i >= edges.len() {
        return;
    }
    let [a, b] = edges[i];
    loop {
        let (x, y) = (find(parent, a), find(parent, b));
        if x == y {
            break;
        }
        let (low, high) = (x.min(y), x.max(y));
        if atomic_compare_exchange(&mut parent[high], high, low) == high {
            break;
        }
    }
}

fn components_are_connected(device: &Device) {
    let n = 120u32;
    let edges: Vec<[u32; 2]> = integers(160, n, 211).chunks(2).map(|e| [e[0], e[1]]).collect();
    let de = up(device, &edges);
    let mut parent = up(device, &(0..n).collect::<Vec<u32>>());
    hook(&de, &mut parent).over(edges.len()).block(32).launch(device).unwrap();
    let mut label: Vec<u32> = (0..n).collect();
    for _ in 0..n {
        for [a, b] in &edges {
            let low = label[*a as usize].min(label[*b as usize]);
            (label[*a as usize], label[*b as usize]) = (low, low);
        }
    }
    let parent = down(device, &parent);
    let root = |mut x: u32| {
        while parent[x as usize] != x {
            x = parent[x as usize];
        }
        x
    };
    assert_eq!((0..n).map(root).collect::<Vec<_>>(), label);
}

/// Solutions of n queens below a row of two, with a stack of bits.
#[gpu_kernel]
fn nqueen<const N: usize>(solutions: &mut [u32]) {
    let t = global_id() as u32;
    let (c0, c1) = (t / N as u32, t % N as u32);
    if c0 >= N as u32 || c0.abs_diff(c1) < 2 {
        return;
    }
    let mask = (1u32 << N) - 1;
    let mut stack = [(0u32, 0u32, 0u32, 0u32); N];
    let cols = 1 << c0 | 1 << c1;
    let left = ((1 << c0) << 2 | (1 << c1) << 1) & mask;
    let right = (1 << c0) >> 2 | (1 << c1) >> 1;
    let mut depth = 2usize;
    stack[depth] = (cols, left, right, !(cols | left | right) & mask);
    let mut found = 0;
    while depth >= 2 {
        let (cols, left, right, free) = stack[depth];
        if cols == mask {
            found += 1;
            depth -= 1;
            continue;
        }
        if free == 0 {
            depth -= 1;
            continue;
        }
        let bit = free & free.wrapping_neg();
        stack[depth].3 &= !bit;
        let next = (cols | bit, (left | bit) << 1 & mask, (right | bit) >> 1);
        depth += 1;
        if depth == N {
            found += 1;
            depth -= 1;
        } else {
            stack[depth] = (next.0, next.1, next.2, !(next.0 | next.1 | next.2) & mask);
        }
    }
    atomic_add(&mut solutions[0], found);
}

fn queens_have_solutions(device: &Device) {
    let mut out = up(device, &[0u32]);
    nqueen::<8>(&mut out).over(64).block(32).launch(device).unwrap();
    assert_eq!(down(device, &out), [92]);
    let mut out = up(device, &[0u32]);
    nqueen::<6>(&mut out).over(36).block(32).launch(device).unwrap();
    assert_eq!(down(device, &out), [4]);
}

/// Improved noise of Perlin.
#[gpu_fn]
fn perlin(p: &[u8], x: f32, y: f32) -> f32 {
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let lerp = |t: f32, a: f32, b: f32| a + t * (b - a);
    let grad = |hash: u8, x: f32, y: f32| match hash & 3 {
        0 => x + y,
        1 => -x + y,
        2 => x - y,
        _ => -x - y,
    };
    let (xi, yi) = (x.floor() as i32 & 255, y.floor() as i32 & 255);
    let (x, y) = (x.fract(), y.fract());
    let (u, v) = (fade(x), fade(y));
    let a = p[xi].wrapping_add(yi as u8);
    let b = p[(xi + 1) & 255].wrapping_add(yi as u8);
    let (aa, ab, ba, bb) = (p[a], p[a.wrapping_add(1)], p[b], p[b.wrapping_add(1)]);
    let low = lerp(u, grad(aa, x, y), grad(ba, x - 1.0, y));
    lerp(v, low, lerp(u, grad(ab, x, y - 1.0), grad(bb, x - 1.0, y - 1.0)))
}

#[gpu_kernel]
fn mandelbrot_over_noise(p: &[u8], width: usize, out: &mut [u16]) {
    let i = global_id();
    if i >= out.len() {
        return;
    }
    let (px, py) = ((i % width) as f32, (i / width) as f32);
    let c = Complex { re: px / 16.0 - 1.5 + 0.01 * perlin(p, px / 7.0, py / 7.0), im: py / 16.0 - 1.0 };
    let mut z = c;
    let steps = loop {
        for n in 0..100u16 {
            if z.re * z.re + z.im * z.im > 4.0 {
                break;
            }
            z = z * z + c;
            if n == 99 {
                out[i] = u16::MAX;
                return;
            }
        }
        break (z.re * z.re + z.im * z.im).min(60000.0);
    };
    out[i] = steps as u16;
}

fn fractals_over_noise(device: &Device) {
    let table: Vec<u8> = integers(256, 256, 251).iter().map(|v| *v as u8).collect();
    let dt = up(device, &table);
    let mut out = up(device, &[7u16; 32 * 32]);
    mandelbrot_over_noise(&dt, 32, &mut out).over(1024).block(64).launch(device).unwrap();
    let got = down(device, &out);
    let inside = got.iter().filter(|v| **v == u16::MAX).count();
    let all = (0..1024).filter(|i| {
        let (cr, ci) = ((i % 32) as f64 / 16.0 - 1.5, (i / 32) as f64 / 16.0 - 1.0);
        let (mut r, mut k) = (0.0, 0.0);
        (0..100).all(|_| {
            (r, k) = (r * r - k * k + cr, 2.0 * r * k + ci);
            r * r + k * k <= 4.0
        })
    });
    assert!(inside.abs_diff(all.count()) < 25 && got.iter().all(|v| *v >= 4), "{inside}");
}
