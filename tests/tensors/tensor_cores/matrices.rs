//! Matrices between shared memory and registers: `ldmatrix` and `stmatrix`.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::{needs, random};
use crate::everywhere;

macro_rules! loads {
    ($($kernel:ident $load:ident $matrices:literal;)+) => {$(
        #[gpu_kernel]
        fn $kernel(x: &[u16], places: &[u32], out: &mut [[u32; $matrices]]) {
            let mut tile = shared!([u16; 512], align = 16);
            let t = thread_idx().x as usize;
            for i in 0..16 {
                tile[t * 16 + i] = x[t * 16 + i];
            }
            sync_warp();
            out[t] = $load(&tile[places[t] * 8]);
        }
    )+};
}

loads! {
    loads_one ldmatrix_x1 1;
    loads_two ldmatrix_x2 2;
    loads_four ldmatrix_x4 4;
    loads_one_transposed ldmatrix_x1_trans 1;
    loads_two_transposed ldmatrix_x2_trans 2;
    loads_four_transposed ldmatrix_x4_trans 4;
}

macro_rules! stores {
    ($($kernel:ident $store:ident $matrices:literal;)+) => {$(
        #[gpu_kernel]
        fn $kernel(value: &[[u32; $matrices]], places: &[u32], out: &mut [u16]) {
            let mut tile = shared!([u16; 512], align = 16);
            let t = thread_idx().x as usize;
            for i in 0..16 {
                tile[t * 16 + i] = out[t * 16 + i];
            }
            sync_warp();
            $store(&mut tile[places[t] * 8], value[t]);
            sync_warp();
            for i in 0..16 {
                out[t * 16 + i] = tile[t * 16 + i];
            }
        }
    )+};
}

stores! {
    stores_one stmatrix_x1 1;
    stores_two stmatrix_x2 2;
    stores_four stmatrix_x4 4;
    stores_one_transposed stmatrix_x1_trans 1;
    stores_two_transposed stmatrix_x2_trans 2;
    stores_four_transposed stmatrix_x4_trans 4;
}

/// Each lane's row among 64 of eight elements, no two the same.
fn places(seed: u32) -> Vec<u32> {
    let mut next = random(seed);
    let mut rows: Vec<u32> = (0..64).collect();
    (0..64).for_each(|i| rows.swap(i, next() as usize % 64));
    rows[..32].to_vec()
}

/// Row and column of half `h` of a lane's register.
fn element(lane: usize, h: usize, transposed: bool) -> (usize, usize) {
    let (row, col) = (lane / 4, lane % 4 * 2 + h);
    if transposed { (col, row) } else { (row, col) }
}

macro_rules! check_matrices {
    ($device:ident, $matrices:literal, $load:ident, $store:ident, $transposed:literal) => {{
        let (places, mut next) = (places($matrices + 7), random($matrices));
        let x: Vec<u16> = (0..512).map(|_| next() as u16).collect();
        let row = |matrix: usize, row: usize| places[matrix * 8 + row] as usize * 8;
        let (shared, rows) = ($device.upload(&x).expect("memory"), $device.upload(&places).expect("memory"));
        let mut out = $device.upload(&[[0u32; $matrices]; 32]).expect("memory");
        $load(&shared, &rows, &mut out).grid(1).block(32).launch($device).expect("a launch");
        let loaded = $device.download(&out).expect("no fault");
        for (lane, registers) in loaded.iter().enumerate() {
            for (matrix, register) in registers.iter().enumerate() {
                for h in 0..2 {
                    let (r, c) = element(lane, h, $transposed);
                    let want = x[row(matrix, r) + c];
                    assert_eq!((register >> (16 * h)) as u16, want, "lane {lane}, matrix {matrix}");
                }
            }
        }
        let mut back = $device.upload(&[7u16; 512]).expect("memory");
        $store(&out, &rows, &mut back).grid(1).block(32).launch($device).expect("a launch");
        let stored = $device.download(&back).expect("no fault");
        let used = &places[..8 * $matrices];
        for (i, value) in stored.iter().enumerate() {
            let want = if used.contains(&(i as u32 / 8)) { x[i] } else { 7 };
            assert_eq!(*value, want, "element {i}");
        }
    }};
}

#[test]
fn matrices_go_to_registers_and_back() {
    everywhere::<loads_four>(&(), |device| check_matrices!(device, 4, loads_four, stores_four, false));
    everywhere::<loads_two>(&(), |device| check_matrices!(device, 2, loads_two, stores_two, false));
    everywhere::<loads_one>(&(), |device| check_matrices!(device, 1, loads_one, stores_one, false));
    everywhere::<stores_four_transposed>(&(), |device| {
        check_matrices!(device, 4, loads_four_transposed, stores_four_transposed, true);
    });
    everywhere::<stores_two_transposed>(&(), |device| {
        check_matrices!(device, 2, loads_two_transposed, stores_two_transposed, true);
    });
    everywhere::<stores_one_transposed>(&(), |device| {
        check_matrices!(device, 1, loads_one_transposed, stores_one_transposed, true);
    });
}

/// Older GPUs are refused by what the source says it needs, before NVRTC is asked.
#[test]
fn what_a_load_or_store_needs_is_known() {
    assert_eq!(needs::<loads_four>(), (7, 5));
    assert_eq!(needs::<stores_one_transposed>(), (9, 0));
}
