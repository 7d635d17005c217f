//! Tensors that have no map, and boxes that a kernel must not store: who refuses them, and in which words.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor_map::TensorOptions;

fn refusal<T: std::fmt::Debug>(map: warpsmith::Result<T>) -> String {
    map.expect_err("no map").to_string()
}

#[test]
fn limits_of_tensors_are_checked_on_the_host() {
    let device = Device::simulator();
    let x = device.upload(&[0.0f32; 1024]).expect("memory");
    let map = |extents: [usize; 3], strides: [usize; 3]| {
        let map = x.tensor(extents).strides(strides).map::<2, 4, 8, Unswizzled>();
        map.map(drop).map_err(|refused| refused.to_string())
    };
    assert_eq!(map([4, 16, 16], [256, 16, 1]), Ok(()));
    let refused = |extents, strides, words: &str| {
        let said = map(extents, strides).expect_err("a limit");
        assert!(said.contains(words), "{said}");
    };
    refused([0, 16, 16], [256, 16, 1], "0 planes; it has 1 to 4294967296");
    refused([4, 0, 16], [256, 16, 1], "0 rows; it has 1 to 4294967296");
    refused([1 << 33, 1, 1], [4, 4, 1], "8589934592 planes; it has 1 to 4294967296");
    refused(
        [5, 16, 16],
        [256, 16, 1],
        "5 by 16 by 16 elements needs more memory than the 1024 elements there are; map fewer planes",
    );
    refused(
        [1 << 32, 2, 2],
        [usize::MAX, 4, 1],
        "elements needs more memory than the 1024 elements there are",
    );
    refused([4, 2, 16], [250, 16, 1], "planes of the tensor are 1000 bytes apart (16 columns of `f32`)");
    refused([4, 2, 16], [256, 0, 1], "rows of the tensor are 0 bytes apart");
    refused([1, 1, 16], [1 << 38, 16, 1], "planes of the tensor are 1099511627776 bytes apart");
    refused([4, 2, 16], [256, 16, 2], "last dimension are 2 apart");
    let said = refusal(x.slice(1..).expect("a part").tensor([1, 2, 8]).map::<1, 1, 8, Unswizzled>());
    assert!(said.contains("begins 4 bytes beyond a multiple of 16"), "{said}");
    let said = refusal(x.tensor([4, 1, 1025]).map::<1, 1, 8, Unswizzled>());
    assert!(said.contains("4 by 1 by 1025 elements"), "{said}");
    let said = refusal(x.tensor([2000]).map::<8, Unswizzled>());
    assert!(
        said.contains("2000 elements needs more memory than the 1024 elements there are; map fewer columns"),
        "{said}"
    );
    let said = refusal(x.tensor([8, 0, 4, 4]).map::<1, 1, 1, 4, Unswizzled>());
    assert!(said.contains("have 0 planes"), "{said}");
    let said = refusal(x.tensor([2, 0, 2, 4, 4]).map::<1, 1, 1, 1, 4, Unswizzled>());
    assert!(said.contains("have 0 volumes"), "{said}");
    let options = TensorOptions::new().fill_nan();
    let y = device.upload(&[0u32; 64]).expect("memory");
    let said = refusal(y.tensor([64]).options(options).map::<8, Unswizzled>());
    assert!(said.contains("`u32` cannot fill with NaN"), "{said}");
}

/// A volume's box, stored where an argument says.
#[gpu_kernel]
fn stored(map: &mut TensorMapMut3<u32, 2, 2, 8, Unswizzled>, at: [i32; 3]) {
    let mut tile = shared!(Tile<u32, 4, 8, Unswizzled>);
    let t = thread_idx().x as usize;
    tile[(t / 8, t % 8)] = 1;
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        tma_store(map, at, tile);
        bulk_commit();
        bulk_wait::<0>();
    }
}

/// An H200 stops with an illegal instruction.
#[test]
fn a_box_of_planes_that_is_stored_before_the_tensor_is_a_fault() {
    let device = Device::simulator();
    let mut x = device.upload(&[0u32; 4 * 4 * 8]).expect("memory");
    let mut run = |at: [i32; 3]| {
        let map = x.tensor_mut([4, 4, 8]).map().expect("a map");
        stored(map, at).grid(1).block(32).launch(&device).map_err(|e| e.to_string())
    };
    assert_eq!([run([3, 3, 4]), run([0, 0, 0]), run([9, 0, 0])], [Ok(()), Ok(()), Ok(())]);
    for (at, words) in [
        ([-1, 0, 0], "stores a box that begins at [-1, 0, 0] of the tensor"),
        ([0, -2, 0], "stores a box that begins at [0, -2, 0] of the tensor"),
        ([0, 0, -4], "stores a box that begins at [0, 0, -4] of the tensor"),
        ([0, 0, 3], "takes a box that begins 12 bytes from the first column"),
    ] {
        let said = run(at).expect_err("a fault");
        assert!(said.contains(words), "{said}");
    }
}
