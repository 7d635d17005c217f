//! Tiles: every layout, width and element, at every kind of edge, loaded at once and behind the threads' backs.

use warpsmith::prelude::*;
use warpsmith::simulator::{Settings, SimChecks};
use warpsmith::types::{AnyBits, InShared};

use super::everywhere;

/// Each block copies its tile of `x`, moved by (`down`, `right`), to `y`, with `fill` for what is outside.
#[gpu_kernel]
fn through_tile<T: Num + AnyBits, const ROWS: usize, const COLS: usize, L: Layout, const ASYNC: bool>(
    x: View2<T>,
    y: ViewMut2<T>,
    down: i32,
    right: i32,
    fill: T,
) {
    let tile = shared!(Tile<T, ROWS, COLS, L>);
    let (row, col) = (block_idx().y * ROWS as u32, block_idx().x * COLS as u32);
    let (from_row, from_col) = (row as i32 + down, col as i32 + right);
    if ASYNC {
        tile.load_async(x, from_row, from_col, fill);
        copy_async_commit();
        copy_async_wait::<0>();
    } else {
        tile.load(x, from_row, from_col, fill);
    }
    sync_threads();
    tile.store(y, row, col);
}

/// Runs a tile of one type over matrices of many shapes.
fn moves<T: Num + AnyBits, const ROWS: usize, const COLS: usize, L: Layout, const ASYNC: bool>()
where
    through_tile<T, ROWS, COLS, L, ASYNC>: Kernel<Comptime = ()>,
{
    everywhere::<through_tile<T, ROWS, COLS, L, ASYNC>>(&(), |device| {
        for (rows, cols) in
            [(ROWS, COLS), (2 * ROWS, 3 * COLS), (ROWS + 1, COLS + 3), (1, 1), (2 * ROWS - 1, COLS + 4)]
        {
            for (down, right) in [(0, 0), (-1, -2), (3, 4), (0, COLS as i32), (-(ROWS as i32), 0)] {
                let number = |i: usize| u32::try_from(i % 120 + 1).unwrap_or(0).cast::<T>();
                let x: Vec<T> = (0..rows * cols).map(number).collect();
                let input = device.upload(&x).expect("memory");
                let mut out = device.upload(&vec![T::ZERO; rows * cols]).expect("memory");
                let grid = [cols.div_ceil(COLS) as u32, rows.div_ceil(ROWS) as u32];
                let (from, to) = (input.view2(rows, cols).unwrap(), out.view2_mut(rows, cols).unwrap());
                let launch = through_tile::<T, ROWS, COLS, L, ASYNC>(from, to, down, right, number(120));
                launch.grid(grid).block([16, 3]).launch(device).expect("a launch");
                for (i, got) in device.download(&out).expect("no fault").into_iter().enumerate() {
                    let (r, c) = ((i / cols) as i32 + down, (i % cols) as i32 + right);
                    let inside = r >= 0 && c >= 0 && r < rows as i32 && c < cols as i32;
                    let want = if inside { x[r as usize * cols + c as usize] } else { number(120) };
                    assert!(
                        got == want,
                        "{rows}×{cols} moved by ({down}, {right}): {got:?} is not {want:?} at {i} on {}",
                        device.name()
                    );
                }
            }
        }
    });
}

#[test]
fn tiles_of_every_width_and_layout_move_what_is_inside_and_fill_the_rest() {
    moves::<f32, 8, 32, RowMajor, false>();
    moves::<f32, 8, 32, RowMajor, true>();
    moves::<f32, 32, 32, Padded, false>();
    moves::<f32, 32, 32, Padded, true>();
    moves::<f32, 16, 16, Padded<4>, true>();
    moves::<f32, 16, 64, Swizzled, false>();
    moves::<f32, 16, 64, Swizzled<4>, true>();
    moves::<f64, 5, 6, RowMajor, true>();
    moves::<f64, 5, 7, Padded, false>();
    moves::<u8, 4, 64, RowMajor, false>();
    moves::<u8, 4, 64, RowMajor, true>();
    moves::<i16, 4, 9, RowMajor, true>();
    moves::<f16, 8, 16, Swizzled<8>, true>();
}

#[gpu_kernel]
fn whole_vectors(x: View2<F32x4>, y: ViewMut2<F32x4>) {
    let tile = shared!(Tile<F32x4, 4, 8>);
    tile.load_async(x, 0, 0, F32x4::splat(7.0));
    copy_async_commit();
    copy_async_wait::<0>();
    sync_threads();
    tile.store(y, 0, 0);
}

#[test]
fn elements_may_be_vectors() {
    everywhere::<whole_vectors>(&(), |device| {
        let x: Vec<F32x4> = (0..18).map(|i| F32x4::new(i as f32, 1.0, 2.0, 3.0)).collect();
        let input = device.upload(&x).expect("memory");
        let mut out = device.upload(&[F32x4::splat(-1.0); 32]).expect("memory");
        let (from, to) = (input.view2(3, 6).unwrap(), out.view2_mut(4, 8).unwrap());
        whole_vectors(from, to).grid(1).block(32).launch(device).expect("a launch");
        for (i, got) in device.download(&out).expect("no fault").into_iter().enumerate() {
            let inside = i / 8 < 3 && i % 8 < 6;
            let want = if inside { x[i / 8 * 6 + i % 8] } else { F32x4::splat(7.0) };
            assert_eq!(got, want, "at {i} on {}", device.name());
        }
    });
}

/// Products of 64 × 64 tiles, the next tiles on their way while one is used.
#[gpu_kernel(launch_bounds(256))]
fn pipelined_product(a: View2<f32>, b: View2<f32>, c: ViewMut2<f32>) {
    let ring_a = shared!(Stages<f32, 32, 16, 3, Padded<4>>);
    let ring_b = shared!(Stages<f32, 16, 32, 3>);
    let mut c = c;
    let (row, col) = (block_idx().y * 32, block_idx().x * 32);
    let steps = a.cols().div_ceil(16);
    for k in 0..2 {
        ring_a.tile(k).load_async(a, row, k * 16, 0.0);
        ring_b.load_async(k, b, k * 16, col, 0.0);
    }
    let (r, n) = ((thread_idx().x / 32) as usize, (thread_idx().x % 32) as usize);
    let mut sums = [0.0f32; 4];
    for k in 0..steps {
        copy_async_wait::<1>();
        sync_threads();
        ring_a.tile(k + 2).load_async(a, row, (k + 2) * 16, 0.0);
        ring_b.load_async(k + 2, b, (k + 2) * 16, col, 0.0);
        let (ta, tb) = (ring_a.tile(k), ring_b.tile(k));
        for i in 0..16usize {
            #[unroll]
            for j in 0..4 {
                sums[j] += ta[(r + j * 8, i)] * tb[(i, n)];
            }
        }
    }
    for j in 0..4 {
        let (at_row, at_col) = (row as usize + r + j * 8, col as usize + n);
        if at_row < c.rows() && at_col < c.cols() {
            c[(at_row, at_col)] = sums[j];
        }
    }
}

#[test]
fn stages_run_ahead_of_their_use() {
    let (m, n, k) = (70, 45, 61);
    let a: Vec<f32> = (0..m * k).map(|i| (i % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 5) as f32 - 2.0).collect();
    everywhere::<pipelined_product>(&(), |device| {
        let (x, y) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let mut z = device.upload(&vec![f32::NAN; m * n]).expect("memory");
        let grid = [n.div_ceil(32) as u32, m.div_ceil(32) as u32];
        let views = (x.view2(m, k).unwrap(), y.view2(k, n).unwrap(), z.view2_mut(m, n).unwrap());
        pipelined_product(views.0, views.1, views.2).grid(grid).block(256).launch(device).expect("a launch");
        for (i, got) in device.download(&z).expect("no fault").into_iter().enumerate() {
            let want: f32 = (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum();
            assert_eq!(got, want, "at {i} on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn too_early(x: &[f32], y: &mut [f32]) {
    let mut place = shared!([f32; 32]);
    let t = thread_idx().x;
    place[t] = 1.0;
    copy_async(&mut place[t], &x[t]);
    copy_async_commit();
    y[t] = place[t];
    copy_async_wait::<0>();
    y[t + 32] = place[t];
}

#[test]
fn the_simulator_shows_what_a_read_before_the_wait_may_see() {
    let device = Device::simulator_with(Settings::default());
    let x = device.upload(&[5.0f32; 32]).expect("memory");
    let mut y = device.upload(&[0.0f32; 64]).expect("memory");
    let race = too_early(&x, &mut y).grid(1).block(32).launch(&device).expect_err("a race").to_string();
    assert!(race.contains("writes (asynchronous copy)"), "{race}");
    let device = Device::simulator_with(Settings { checks: SimChecks::NONE, ..Settings::default() });
    too_early(&x, &mut y).grid(1).block(32).launch(&device).expect("a launch");
    let y = device.download(&y).expect("no fault");
    assert_eq!((y[0], y[32]), (1.0, 5.0));
}

#[gpu_kernel]
fn past_the_tile(y: &mut [f32], at: u32) {
    let mut tile = shared!(Tile<f32, 4, 8, Padded>);
    tile[(thread_idx().x, at)] = 1.0;
    y[0] = tile[(0, 0)];
}

#[test]
fn an_index_past_a_tile_is_a_fault_even_where_padding_lies() {
    everywhere::<past_the_tile>(&(), |device| {
        let mut y = device.upload(&[0.0f32]).expect("memory");
        let outcome =
            past_the_tile(&mut y, 8).grid(1).block(4).launch(device).and_then(|()| device.synchronize());
        let text = outcome.expect_err("column 8 of 8").to_string();
        assert!(text.contains("is out of bounds for length"), "{text}");
    });
}

#[test]
fn a_tile_takes_the_memory_that_its_layout_says() {
    assert_eq!(<Tile<f32, 8, 32> as InShared>::LEN, 256);
    assert_eq!(<Tile<f32, 8, 32, Padded<4>> as InShared>::LEN, 8 * 36);
    assert_eq!(<Stages<f32, 3, 3, 2> as InShared>::LEN, 24);
    let source = through_tile::<f32, 8, 32, RowMajor, true>::print(&(), &Default::default()).expect("prints");
    assert!(source.code.contains("__shared__ __align__(16) float tile_memory[256];"), "{}", source.code);
}
