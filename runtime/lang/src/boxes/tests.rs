//! Tests of boxes by layouts: each byte of a tile comes from one place.

use super::*;
use crate::tile::{Layout, Swizzle32, Swizzle64, Swizzle128, Unswizzled};

fn of(rows: usize, cols: usize, place: fn(usize, usize, usize) -> usize) -> TensorMapObject {
    TensorMapObject {
        encoded: EncodedMap([0; 16]),
        matrix: Matrix { address: 1 << 20, rows: 37, cols: 53, stride: 112 },
        shape: BoxShape { element: BoxElement::F16, rows, cols, span: 0, align: 128, place },
        fill: BoxFill::Zeros,
        place: MemoryPlace::Simulator,
        order: Order::NONE,
    }
}

/// Each byte of the tile comes from one place: that of its element, or nowhere outside of the matrix.
fn check<L: Layout>(rows: usize, cols: usize) {
    let map = of(rows, cols, L::place);
    for at in [[0, 0], [30, 40], [-3, -5], [36, 52], [40, 0], [-64, 3]] {
        let mut seen = vec![None; rows * cols];
        for piece in map.pieces(at) {
            for i in 0..piece.bytes / 2 {
                let old = seen[piece.at / 2 + i].replace(piece.matrix.map(|start| start + 2 * i));
                assert_eq!(old, None, "two elements at one place");
            }
        }
        for (r, c) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
            let (row, col) = (at[0] + r as i64, at[1] + c as i64);
            let inside = (0..37).contains(&row) && (0..53).contains(&col);
            let want = inside.then(|| (1 << 20) + row as usize * 112 + col as usize * 2);
            assert_eq!(seen[L::place(r, c, cols)], Some(want), "({r}, {c}) of the box at {at:?}");
        }
    }
}

#[test]
fn a_box_is_where_its_layout_says() {
    check::<Unswizzled>(16, 24);
    check::<Swizzle32>(16, 16);
    check::<Swizzle64>(16, 32);
    check::<Swizzle128>(16, 64);
    check::<Swizzle128>(11, 64);
}

#[test]
fn units_of_a_row_are_combined_with_its_number() {
    for (r, unit) in (0..16).flat_map(|r| (0..8).map(move |unit| (r, unit))) {
        assert_eq!(<Swizzle128>::place(r, unit * 8, 64), r * 64 + (unit ^ (r & 7)) * 8);
        if unit < 4 {
            assert_eq!(<Swizzle64>::place(r, unit * 8, 32), r * 32 + (unit ^ ((r / 2) & 3)) * 8);
        }
        if unit < 2 {
            assert_eq!(<Swizzle32>::place(r, unit * 8, 16), r * 16 + (unit ^ ((r / 4) & 1)) * 8);
        }
    }
}

#[test]
fn a_row_inside_is_one_piece() {
    let pieces = of(4, 24, Unswizzled::place).pieces([0, 8]);
    assert_eq!(pieces.len(), 4);
    assert_eq!(pieces[1], BoxPiece { at: 48, matrix: Some((1 << 20) + 112 + 16), bytes: 48 });
}
