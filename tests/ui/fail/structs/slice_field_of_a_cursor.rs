use warpsmith::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

#[gpu_fn]
fn next(cursor: Cursor<'_>) -> usize {
    cursor.at + 1
}

fn main() {}
