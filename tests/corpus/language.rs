//! Kernels that exercise the language: generics, traits, methods, closures, references, patterns.

use warpsmith::prelude::*;

/// A vector of two components, of any number type.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Vec2<T> {
    pub x: T,
    pub y: T,
}

#[gpu_impl]
impl<T: Num> Vec2<T> {
    /// The vector `(x, y)`.
    pub fn new(x: T, y: T) -> Self {
        Vec2 { x, y }
    }

    /// Scalar product.
    pub fn dot(self, other: Vec2<T>) -> T {
        self.x * other.x + self.y * other.y
    }

    /// Adds a multiple of another vector in place.
    pub fn add_scaled(&mut self, other: &Vec2<T>, factor: T) {
        self.x += other.x * factor;
        self.y += other.y * factor;
    }
}

/// A body with a position and a velocity.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Body {
    pub position: Vec2<f32>,
    pub velocity: Vec2<f32>,
    pub mass: f32,
}

/// Moves every body by its velocity, and stores its energy.
#[gpu_kernel]
pub fn move_bodies(bodies: &mut [Body], energy: &mut [f32], step: f32) {
    let i = global_id();
    if i >= bodies.len() {
        return;
    }
    let mut body = bodies[i];
    let v = body.velocity;
    body.position.add_scaled(&v, step);
    let half: f32;
    if body.mass > 0.0 {
        half = 0.5 * body.mass;
    } else {
        half = 0.0;
    }
    energy[i] = half * v.dot(v);
    bodies[i] = body;
}

/// A way to join two values.
#[gpu_trait]
pub trait Monoid {
    /// The neutral element.
    const IDENTITY: f32;

    /// Joins two values.
    fn join(a: f32, b: f32) -> f32;

    /// Joins a value with itself.
    fn twice(a: f32) -> f32 {
        Self::join(a, a)
    }
}

/// Addition.
pub struct Sum;

/// Maximum.
pub struct Max;

#[gpu_impl]
impl Monoid for Sum {
    const IDENTITY: f32 = 0.0;

    fn join(a: f32, b: f32) -> f32 {
        a + b
    }
}

#[gpu_impl]
impl Monoid for Max {
    const IDENTITY: f32 = f32::NEG_INFINITY;

    fn join(a: f32, b: f32) -> f32 {
        a.max(b)
    }
}

/// Folds the `BLOCK` elements of each block with `M`.
#[gpu_kernel]
pub fn fold<M: Monoid, const BLOCK: usize>(x: &[f32], out: &mut [f32]) {
    let mut tile = shared!([f32; BLOCK]);
    let t = thread_idx().x as usize;
    let i = global_id();
    tile[t] = if i < x.len() { x[i] } else { M::IDENTITY };
    sync_threads();
    let mut stride = BLOCK / 2;
    while stride > 0 {
        if t < stride {
            tile[t] = M::join(tile[t], tile[t + stride]);
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 {
        out[block_idx().x] = M::twice(tile[0]);
    }
}

/// `f` applied `n` times.
#[gpu_fn]
pub fn iterate<T: Num, F: Fn(T) -> T>(start: T, n: u32, f: F) -> T {
    let mut value = start;
    for _ in 0..n {
        value = f(value);
    }
    value
}

/// Smallest and largest of three.
#[gpu_fn]
fn min_max(a: i32, b: i32, c: i32) -> (i32, i32) {
    (a.min(b).min(c), a.max(b).max(c))
}

/// Adds to two places and says whether the sum is even.
#[gpu_fn]
fn bump(first: &mut i32, second: &mut i32, by: i32) -> bool {
    *first += by;
    *second += by;
    (*first + *second) % 2 == 0
}

/// Closures, tuples, references, shadowing, C++ keywords as names, evaluation order.
#[gpu_kernel]
pub fn potpourri(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if i >= x.len() {
        return;
    }
    let int = x[i];
    let factor = 3;
    let grown = iterate(int, 4, |v| v * factor + 1);
    let (low, high) = min_max(int, grown, 7);
    let mut class = 0;
    let mut register = [[0i32; 3]; 2];
    let even = bump(&mut class, &mut register[1][2], int);
    let int = if even { int } else { -int };
    // The call writes what the left operand has read.
    let ordered = class * 1000 + {
        class += 1;
        class
    };
    let kind = match (int, even) {
        (0, _) => 0,
        (1..=9, true) | (-9..=-1, true) => 1,
        (n, false) if n > 100 => 2,
        _ => 3,
    };
    let switch: i32 = register[1][2] + [10, 20, 30][i % 3];
    out[6 * i] = low;
    out[6 * i + 1] = high;
    out[6 * i + 2] = int;
    out[6 * i + 3] = ordered;
    out[6 * i + 4] = kind;
    out[6 * i + 5] = switch;
}

/// The values that [`potpourri()`] writes for one element.
pub fn potpourri_on_host(i: usize, x: i32) -> [i32; 6] {
    let grown = (0..4).fold(x, |v, _| v * 3 + 1);
    let even = (2 * x) % 2 == 0;
    let int = if even { x } else { -x };
    let kind = match (int, even) {
        (0, _) => 0,
        (1..=9, true) | (-9..=-1, true) => 1,
        (n, false) if n > 100 => 2,
        _ => 3,
    };
    [x.min(grown).min(7), x.max(grown).max(7), int, x * 1000 + x + 1, kind, x + [10, 20, 30][i % 3]]
}

/// Prints one line, and checks what it is given.
#[gpu_kernel]
pub fn talk(x: &[f32], out: &mut [u32]) {
    let i = global_id();
    if i < x.len() && i < out.len() {
        let v = x[i];
        assert!(v >= 0.0, "x must not be negative");
        if i == 1 {
            println!("100% of {} is {:.2}, {:x}, {}", i, v, 255u32, v > 1.0);
        }
        out[i] = v.to_bits();
    }
}

/// Steps of each number to 1: a loop whose condition has statements, a counter of eight bits.
#[gpu_kernel]
pub fn collatz(x: &[u32], steps: &mut [u8]) {
    let i = global_id();
    if i < x.len() && i < steps.len() {
        let mut v = x[i];
        let mut n: u8 = 0;
        while {
            v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
            v != 1
        } {
            n += 1;
        }
        steps[i] = n;
    }
}
