//! Memory of the simulator that the host does not have.

use crate::Device;
use crate::memory::host_memory::Pinned;
use crate::simulator::host_limit;

/// The errors of every function that allocates `bytes` bytes.
fn refusals(bytes: usize) -> Vec<String> {
    let device = Device::simulator();
    let square = 1usize << (bytes.ilog2() / 2);
    let refused = [
        device.alloc_zeroed::<u8>(bytes).map(|_| ()),
        device.alloc_uninit::<u8>(bytes).map(|_| ()),
        device.alloc_zeroed::<u64>(bytes).map(|_| ()),
        device.alloc_uninit::<u64>(bytes / 2).map(|_| ()),
        device.alloc_pinned::<u8>(bytes, Pinned::default()).map(|_| ()),
        device.alloc_managed::<u8>(bytes).map(|_| ()),
        device.alloc_pitched::<u8>(bytes >> 8, 1 << 8).map(|_| ()),
        device.alloc_pitched_uninit::<u64>(bytes >> 8, 1 << 8).map(|_| ()),
        device.alloc_pitched_3d::<u8>(square, (bytes / square) >> 8, 1 << 8).map(|_| ()),
        device.alloc_pitched_3d_uninit::<u8>(square, (bytes / square) >> 8, 1 << 8).map(|_| ()),
    ];
    refused.into_iter().map(|refused| refused.expect_err("too much").to_string()).collect()
}

#[test]
fn more_than_the_host_has_is_an_error_that_names_the_size_and_the_host_limit() {
    for bytes in [1 << 44, 1 << 60, usize::MAX / 2, usize::MAX] {
        for said in refusals(bytes) {
            let named = said.contains(&format!("{} bytes", host_limit()));
            assert!(named || said.contains("more than memory can hold"), "{bytes}: {said}");
        }
    }
    let said = refusals(1 << 44);
    assert!(said[0].starts_with("the simulator cannot allocate 17592186044416 bytes"), "{}", said[0]);
}

#[test]
fn memory_that_is_freed_can_be_allocated_again() {
    let device = Device::simulator();
    // Nothing touches it: the system gives no pages.
    let most = host_limit() / 4 * 3;
    for _ in 0..3 {
        match device.alloc_zeroed::<u8>(most) {
            Ok(buffer) => assert_eq!(buffer.len(), most),
            Err(no) => println!("the system gives no {most} bytes: {no}"),
        }
    }
    let small = device.alloc_zeroed::<u8>(1 << 20).expect("a megabyte");
    assert_eq!(device.download(&small).expect("memory"), vec![0; 1 << 20]);
}
