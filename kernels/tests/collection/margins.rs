//! Arrays with margins, against the host.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::images::Border;
use warpsmith_kernels::movement::pad;

use crate::devices::{Placed, devices, shuffled};
use crate::movement::{Bits, elements};
use crate::stencils::standing_for;

const BORDERS: [Border; 5] = [Border::Zero, Border::Clamp, Border::Wrap, Border::Mirror, Border::Reflect];

/// The padded array, element by element.
fn padded<T: Copy>(x: &[T], extents: &[usize], margins: &[[usize; 2]], border: Border, value: T) -> Vec<T> {
    let of_y: Vec<usize> = extents.iter().zip(margins).map(|(n, [a, b])| n + a + b).collect();
    let place = |number: usize| {
        let (mut rest, mut place, mut stride) = (number, 0, 1);
        for k in (0..extents.len()).rev() {
            let i = (rest % of_y[k]) as isize - margins[k][0] as isize;
            rest /= of_y[k];
            place += standing_for(i, extents[k], border)? * stride;
            stride *= extents[k];
        }
        Some(place)
    };
    (0..of_y.iter().product()).map(|i| place(i).map_or(value, |place| x[place])).collect()
}

#[track_caller]
fn check<T: Bits + 'static>(
    device: &Device,
    extents: &[usize],
    margins: &[[usize; 2]],
    border: Border,
    offsets: [usize; 2],
    value: Option<T>,
) {
    let x = elements::<T>(extents.len() as u64, extents.iter().product());
    let want = padded(&x, extents, margins, border, value.unwrap_or(T::of(0)));
    let placed = Placed::new(device, offsets[0], &x, T::of(3));
    let mut y = Placed::new(device, offsets[1], &vec![T::of(9); want.len()], T::of(9));
    let call = pad(device, placed.part(), extents, margins, y.part_mut());
    let call = if let Some(value) = value { call.value(value) } else { call.border(border) };
    let plan = call.plan().expect("it fits");
    call.run().unwrap_or_else(|e| panic!("{plan}: {e}"));
    assert_eq!(y.read(device), want, "{extents:?} {margins:?} {border:?}: {plan}");
}

fn at_every_border<T: Bits + 'static>(device: &Device, extents: &[usize], margins: &[[usize; 2]]) {
    for border in BORDERS {
        check::<T>(device, extents, margins, border, [0, 0], None);
        check::<T>(device, extents, margins, border, [1, 0], None);
    }
    check::<T>(device, extents, margins, Border::Zero, [0, 1], Some(T::of(77)));
}

#[test]
fn elements_of_every_size_at_every_border() {
    for device in devices() {
        at_every_border::<u8>(&device, &[3, 32], &[[1, 2], [16, 16]]);
        at_every_border::<u8>(&device, &[2, 5, 3], &[[0, 0], [7, 2], [0, 0]]);
        at_every_border::<u16>(&device, &[4, 20], &[[0, 3], [3, 1]]);
        at_every_border::<f32>(&device, &[2, 3, 8], &[[1, 0], [0, 0], [4, 4]]);
        at_every_border::<u64>(&device, &[9], &[[20, 31]]);
        at_every_border::<U32x3>(&device, &[2, 3], &[[1, 1], [2, 0]]);
        at_every_border::<F64x2>(&device, &[1, 3], &[[2, 1], [4, 0]]);
        at_every_border::<u32>(&device, &[], &[]);
        at_every_border::<u32>(
            &device,
            &[1, 2, 1, 2, 1, 2],
            &[[1, 1], [0, 1], [1, 0], [0, 0], [2, 2], [1, 1]],
        );
        // Only margins.
        check::<u32>(&device, &[0, 3], &[[1, 1], [1, 0]], Border::Zero, [0, 0], Some(5));
        check::<u32>(&device, &[0], &[[1, 0]], Border::Zero, [0, 0], None);
        check::<u32>(&device, &[0, 3], &[[0, 0], [1, 0]], Border::Wrap, [0, 0], None);
    }
}

#[test]
fn mistakes_are_explained() {
    let device = Device::simulator();
    let x = device.upload(&[1u8; 12]).unwrap();
    let mut y = device.alloc_zeroed::<u8>(20).unwrap();
    let text = |result: Result<(), KernelError>| result.unwrap_err().to_string();
    assert_eq!(
        text(pad(&device, &x, &[3, 4], &[[1, 1]], &mut y).run()),
        "`margins` has 1 pairs, but needs 2, one for each axis; an axis without margins has `[0, 0]`"
    );
    assert_eq!(
        text(pad(&device, &x, &[3, 4], &[[1, 1], [0, 1]], &mut y).run()),
        "`y` has 20 elements, but needs 25, for the extents [3, 4] and margins [[1, 1], [0, 1]]; \
         pass a part of that length, or other extents"
    );
    assert_eq!(
        text(pad(&device, &x, &[3, 4], &[[1, 1], [0, 0]], &mut y).border(Border::Untouched).run()),
        "`border` has the value `Untouched`, but needs another border; copy the array to a part of `y` with `movement::copy`"
    );
    assert_eq!(
        text(
            pad(&device, x.slice(..0).unwrap(), &[0, 4], &[[2, 3], [0, 0]], &mut y)
                .border(Border::Clamp)
                .run()
        ),
        "`x` has no element, but needs at least one, to fill the margins; fill them with a value, by `.value(v)`"
    );
    assert!(pad(&device, &x, &[usize::MAX, 2], &[[1, 0], [0, 0]], &mut y).plan().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arrays_with_any_margins(
        axes in proptest::collection::vec(
            (1usize..8, prop_oneof![Just([0, 0]), (0usize..5, 0usize..5).prop_map(|(a, b)| [a, b])]),
            1..5,
        ),
        by in prop_oneof![Just(1usize), Just(16), 1usize..20],
        offsets in prop_oneof![Just([0, 0]), (0usize..5, 0usize..5).prop_map(|(a, b)| [a, b])],
        border in 0usize..5,
        (is_word, in_packs) in any::<(bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let (mut extents, mut margins): (Vec<usize>, Vec<[usize; 2]>) = axes.into_iter().unzip();
        if let (Some(extent), Some(margin)) = (extents.last_mut(), margins.last_mut()) {
            *extent *= by;
            if in_packs {
                *margin = margin.map(|n| n * 16);
            }
        }
        if is_word {
            check::<u32>(&shuffled(seed), &extents, &margins, BORDERS[border], offsets, None);
        } else {
            check::<u8>(&shuffled(seed), &extents, &margins, BORDERS[border], offsets, None);
        }
    }
}
