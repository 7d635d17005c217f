//! Arrays that are put side by side, against the host.

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::array;
use warpsmith_kernels::movement::concat;

use crate::devices::{Placed, devices, shuffled};
use crate::movement::{Bits, elements};

/// Puts arrays side by side whose extents are `others`, except `along` of each along an axis.
#[track_caller]
fn check<T: Bits>(device: &Device, others: &[usize], axis: usize, along: &[usize], offset: usize, seed: u64) {
    let rows: usize = others[..axis].iter().product();
    let inner: usize = others[axis + 1..].iter().product();
    let parts: Vec<Vec<T>> =
        along.iter().zip(seed..).map(|(n, seed)| elements::<T>(seed, rows * n * inner)).collect();
    let mut want = Vec::new();
    for row in 0..rows {
        for (part, n) in parts.iter().zip(along) {
            want.extend_from_slice(&part[row * n * inner..][..n * inner]);
        }
    }
    let placed: Vec<Placed<T>> =
        parts.iter().enumerate().map(|(k, x)| Placed::new(device, offset * k % 5, x, T::of(3))).collect();
    let mut y = Placed::new(device, offset, &vec![T::of(9); want.len()], T::of(9));
    let arrays = placed.iter().zip(along).map(|(part, n)| {
        let mut extents = others.to_vec();
        extents[axis] = *n;
        array(part.part(), &extents).expect("it fits")
    });
    let call = concat(device, arrays, axis, y.part_mut());
    let plan = call.plan().expect("it fits");
    call.run().unwrap_or_else(|e| panic!("{plan}: {e}"));
    assert_eq!(y.read(device), want, "{others:?} {axis} {along:?}: {plan}");
}

#[test]
fn elements_of_every_size_along_every_axis() {
    for device in devices() {
        for axis in 0..3 {
            check::<u8>(&device, &[3, 5, 32], axis, &[16, 48, 0, 7], 0, 1);
            check::<u16>(&device, &[4, 3, 8], axis, &[8, 16], 0, 2);
            check::<f32>(&device, &[2, 6, 9], axis, &[5], 1, 3);
            check::<u64>(&device, &[2, 3, 4], axis, &[1, 1, 2, 3, 5], 0, 4);
            check::<U32x3>(&device, &[2, 3, 4], axis, &[3, 4], 1, 5);
            // More parts than a launch has, some without elements.
            check::<u16>(&device, &[3, 2, 8], axis, &[8, 0, 8, 16, 8, 8, 8, 8, 0, 24, 8, 40], 0, 8);
            check::<u32>(&device, &[2, 3, 5], axis, &[1, 2, 3, 4, 5, 6, 7, 8, 300], 0, 9);
        }
        check::<u32>(&device, &[1], 0, &[0, 0], 0, 6);
        check::<u32>(&device, &[0, 4], 1, &[3, 2], 0, 7);
    }
}

#[test]
fn mistakes_are_explained() {
    let device = Device::simulator();
    let x = device.upload(&[1u8; 12]).unwrap();
    let mut y = device.alloc_zeroed::<u8>(20).unwrap();
    let text = |result: Result<(), KernelError>| result.unwrap_err().to_string();
    assert_eq!(
        text(concat(&device, [], 0, &mut y).run()),
        "`parts` has no array, but needs at least one; pass arrays that `array` makes"
    );
    let part = |extents: &[usize]| array(&x, extents).unwrap();
    assert_eq!(
        text(concat(&device, [part(&[3, 4])], 2, &mut y).run()),
        "`axis` has the value 2, but needs a value below 2, the number of extents; axes are counted from zero"
    );
    assert_eq!(
        text(concat(&device, [part(&[3, 4]), part(&[2, 2])], 1, &mut y).run()),
        "`parts` has the extents [2, 2] of part 1, but needs those of part 0, [3, 4], except along axis 1; \
         pass arrays that differ along one axis alone"
    );
    assert_eq!(
        text(concat(&device, [part(&[3, 4]), part(&[3, 2])], 1, &mut y).run()),
        "`y` has 20 elements, but needs 18, the elements of all parts; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
    assert!(array(&x, &[3, 5]).is_err());
    // Without elements, extents may have any product.
    for (extents, axis) in [([0, usize::MAX, 2], 1), ([usize::MAX, 2, 0], 2), ([usize::MAX, 2, 0], 0)] {
        let y = y.slice_mut(..0).unwrap();
        concat(&device, [part(&extents), part(&extents)], axis, y).run().expect("there is nothing to copy");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_parts(
        others in proptest::collection::vec(0usize..9, 1..5),
        axis in 0usize..5,
        along in proptest::collection::vec(prop_oneof![0usize..9, 0usize..100, Just(16usize)], 1..6),
        offset in prop_oneof![Just(0usize), 0usize..5],
        is_word in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let axis = axis % others.len();
        if is_word {
            check::<u32>(&shuffled(seed), &others, axis, &along, offset, seed);
        } else {
            check::<u8>(&shuffled(seed), &others, axis, &along, offset, seed);
        }
    }
}
