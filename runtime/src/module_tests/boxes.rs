//! Tests of boxes by layouts: each byte of a tile comes from one place.

use warpsmith_lang::argument::{MemoryPlace, Order};
use warpsmith_lang::boxes::*;
use warpsmith_sim::simulator::context::BoxPiece;
use warpsmith_tiles::tile::{Layout, Swizzle32, Swizzle64, Swizzle128, Unswizzled};

/// A map of halves: the tensor's extents, with some bytes between its outer elements, and the box's.
fn of(tensor: &[u64], extents: &[usize], place: fn(usize, usize, usize) -> usize) -> TensorMapObject {
    let mut dimensions = Vec::new();
    let mut stride = 2;
    for extent in tensor.iter().rev() {
        dimensions.insert(0, Dimension { extent: *extent, stride });
        stride = (extent * stride).next_multiple_of(16) + 16;
    }
    let extents = extents.to_vec().leak();
    TensorMapObject {
        encoded: EncodedMap([0; 16]),
        tensor: Tensor { address: 1 << 20, dimensions },
        shape: BoxShape { element: BoxElement::F16, extents, span: 0, align: 128, place },
        fill: BoxFill::Zeros,
        place: MemoryPlace::Simulator,
        order: Order::NONE,
    }
}

/// The coordinates of all elements of a box, row after row.
fn coordinates(extents: &[usize]) -> Vec<Vec<usize>> {
    extents.iter().fold(vec![Vec::new()], |all, extent| {
        all.iter().flat_map(|head| (0..*extent).map(move |i| [&head[..], &[i]].concat())).collect()
    })
}

/// Each byte of the tile comes from one place: that of its element, or nowhere outside the tensor.
fn check<L: Layout>(tensor: &[u64], extents: &[usize], starts: &[&[i64]]) {
    let map = of(tensor, extents, L::place);
    let cols = extents[extents.len() - 1];
    for at in starts {
        let mut seen = vec![None; extents.iter().product()];
        for piece in map.pieces(at) {
            for i in 0..piece.bytes / 2 {
                let old = seen[piece.at / 2 + i].replace(piece.tensor.map(|start| start + 2 * i));
                assert_eq!(old, None, "two elements at one place");
            }
        }
        for (n, within) in coordinates(extents).iter().enumerate() {
            let of_tensor: Vec<i64> = at.iter().zip(within).map(|(at, i)| at + *i as i64).collect();
            let dimensions = &map.tensor.dimensions;
            let inside = of_tensor.iter().zip(dimensions).all(|(i, d)| (0..d.extent as i64).contains(i));
            let offset: i64 = of_tensor.iter().zip(dimensions).map(|(i, d)| i * d.stride as i64).sum();
            let want = inside.then(|| (1 << 20) + offset as usize);
            assert_eq!(
                seen[L::place(n / cols, n % cols, cols)],
                Some(want),
                "{within:?} of the box at {at:?}"
            );
        }
    }
}

const MATRIX: &[u64] = &[37, 53];
const STARTS: &[&[i64]] = &[&[0, 0], &[30, 40], &[-3, -5], &[36, 52], &[40, 0], &[-64, 3]];

#[test]
fn a_box_is_where_its_layout_says() {
    check::<Unswizzled>(MATRIX, &[16, 24], STARTS);
    check::<Swizzle32>(MATRIX, &[16, 16], STARTS);
    check::<Swizzle64>(MATRIX, &[16, 32], STARTS);
    check::<Swizzle128>(MATRIX, &[16, 64], STARTS);
    check::<Swizzle128>(MATRIX, &[11, 64], STARTS);
}

#[test]
fn a_box_has_as_many_dimensions_as_its_tensor() {
    check::<Unswizzled>(&[100], &[24], &[&[0], &[88], &[-8], &[200]]);
    let of_volumes: &[&[i64]] = &[&[0, 0, 0], &[-1, 3, 16], &[3, -2, 40], &[4, 0, 0], &[9, 9, 9]];
    check::<Swizzle128>(&[5, 7, 70], &[2, 5, 64], of_volumes);
    check::<Unswizzled>(&[5, 7, 70], &[3, 4, 16], of_volumes);
    check::<Swizzle64>(&[3, 2, 5, 40], &[2, 1, 3, 32], &[&[0, 0, 0, 0], &[2, 1, 4, 16], &[-1, 1, -2, -8]]);
    check::<Swizzle32>(
        &[2, 3, 2, 5, 40],
        &[2, 2, 1, 3, 16],
        &[&[0; 5], &[1, 2, 1, 4, 32], &[-1, -1, 0, 3, -8]],
    );
}

#[test]
fn the_range_of_a_map_ends_behind_the_last_element() {
    let map = of(&[3, 5, 20], &[1, 1, 8], Unswizzled::place);
    let strides: Vec<u64> = map.tensor.dimensions.iter().map(|d| d.stride).collect();
    assert_eq!(strides, [336, 64, 2]);
    assert_eq!(map.range(), 1 << 20..(1 << 20) + 2 * 336 + 4 * 64 + 20 * 2);
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
    let pieces = of(MATRIX, &[4, 24], Unswizzled::place).pieces(&[0, 8]);
    assert_eq!(pieces.len(), 4);
    assert_eq!(pieces[1], BoxPiece { at: 48, tensor: Some((1 << 20) + 128 + 16), bytes: 48 });
}
