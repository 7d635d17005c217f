//! Kernels that launch kernels: order, limits, faults, and the linked code.

use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::nvrtc::{self, Arch, CompileOptions, NvrtcError};
use warpsmith::prelude::*;
use warpsmith::ptx::tensormap_prefetch;

/// `log[0]` counts the entries that follow.
#[gpu_kernel]
fn note(log: &mut [u32], entry: u32) {
    let place = atomic_add(&mut log[0], 1) + 1;
    log[place] = entry;
}

#[gpu_kernel]
fn in_three_orders(log: &mut [u32]) {
    note(&mut *log, 10).grid(1).block(1).tail().launch();
    note(&mut *log, 20).grid(1).block(1).launch();
    note(&mut *log, 21).grid(1).block(1).launch();
    note(&mut *log, 11).grid(1).block(1).tail().launch();
    note(&mut *log, 30).grid(1).block(1).fire_and_forget().launch();
    let place = atomic_add(&mut log[0], 1) + 1;
    log[place] = 1;
}

fn position(log: &[u32], entry: u32) -> usize {
    log.iter().position(|e| *e == entry).unwrap_or_else(|| panic!("no {entry} in {log:?}"))
}

#[test]
fn launches_run_in_the_order_that_they_ask_for() {
    let run = |device: &Device| {
        let mut log = device.upload(&[0u32; 8]).expect("memory");
        in_three_orders(&mut log).grid(1).block(1).launch(device).expect("the kernels run");
        device.download(&log).expect("no fault")
    };
    harness::everywhere::<in_three_orders>(&(), |device| {
        let log = run(device);
        assert_eq!(log[0], 6, "{log:?}");
        let at = |entry| position(&log[1..], entry);
        assert!(at(20) < at(21), "launches of one block are ordered: {log:?}");
        assert!(at(10) < at(11), "tail launches are ordered: {log:?}");
        for before in [1, 20, 21, 30] {
            assert!(at(before) < at(10), "a tail launch follows everything: {log:?}");
        }
    });
    assert_eq!(run(&Device::simulator())[1..7], [1, 20, 21, 30, 10, 11]);
}

/// Counts its threads by block shape.
#[gpu_kernel]
fn count(counts: &mut [u32]) {
    atomic_add(&mut counts[0], 1);
    let last = block_idx().x + 1 == grid_dim().x && block_idx().y + 1 == grid_dim().y;
    if last && thread_idx().x == 0 && thread_idx().y == 0 {
        counts[1] = grid_dim().x;
        counts[2] = grid_dim().y;
        counts[3] = block_dim().x;
        counts[4] = block_dim().y;
    }
}

#[gpu_kernel]
fn counts_of_shapes(counts: &mut [u32], n: usize, wide: u32, signed: i32) {
    let (a, rest) = counts.split_at_mut(8);
    count(a).grid(n).block([8, 2]).launch();
    let (b, rest) = rest.split_at_mut(8);
    count(b).grid([wide, 2]).block((4, 3)).launch();
    let (c, rest) = rest.split_at_mut(8);
    count(c).over(n).block(32).launch();
    let (d, e) = rest.split_at_mut(8);
    count(d).over(0).launch();
    let shape = [signed as u32, wide];
    count(e).grid(shape).block(signed).launch();
}

#[test]
fn a_nested_launch_has_the_shapes_of_a_launch() {
    harness::everywhere::<counts_of_shapes>(&(), |device| {
        let mut counts = device.upload(&[0u32; 40]).expect("memory");
        counts_of_shapes(&mut counts, 65, 5, 7).grid(1).block(1).launch(device).expect("the kernels run");
        let counts = device.download(&counts).expect("no fault");
        let want = [
            [65 * 16, 65, 1, 8, 2],
            [5 * 2 * 12, 5, 2, 4, 3],
            [3 * 32, 3, 1, 32, 1],
            [256, 1, 1, 256, 1],
            [7 * 5 * 7, 7, 5, 7, 1],
        ];
        for (got, want) in counts.chunks(8).zip(want) {
            assert_eq!(got[..5], want);
        }
    });
}

/// Writes `value` `n` times over, as many as the comptime step says.
#[gpu_kernel]
fn stepped(y: &mut [u32], value: u32, #[comptime] step: u32, #[comptime] up: bool) {
    let i = thread_idx().x as usize * step as usize;
    if i < y.len() {
        if up {
            y[i] += value;
        } else {
            y[i] = value;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, GpuType)]
#[repr(u8)]
enum Mode {
    Same = 0,
    Twice = 7,
}

#[gpu_kernel]
fn moded(y: &mut [u32], #[comptime] mode: Mode) {
    if let Mode::Twice = mode {
        y[0] *= 2;
    }
}

#[gpu_kernel]
fn launches_modes(y: &mut [u32]) {
    let (a, b) = y.split_at_mut(1);
    moded(a, Mode::Same).grid(1).block(1).launch();
    moded(b, Mode::Twice).grid(1).block(1).launch();
}

#[test]
fn an_enum_specializes_what_is_launched() {
    let code = launches_modes::cuda_source().expect("it prints");
    assert_eq!(code.matches("*= 2u").count(), 1, "{code}");
    harness::everywhere::<launches_modes>(&(), |device| {
        let mut y = device.upload(&[5u32, 6]).expect("memory");
        launches_modes(&mut y).grid(1).block(1).launch(device).expect("the kernels run");
        assert_eq!(device.download(&y).expect("no fault"), [5, 12]);
    });
}

#[gpu_kernel]
fn specializes(y: &mut [u32], #[comptime] step: u32) {
    const TWICE: u32 = 2;
    let (a, b) = y.split_at_mut(8);
    stepped(a, 5, step, false).grid(1).block(8).launch();
    stepped(b, 7, step * TWICE, true).grid(1).block(8).launch();
}

#[test]
fn comptime_arguments_specialize_what_is_launched() {
    let code = specializes::cuda_source_for(&(1,)).expect("it prints");
    assert!(code.contains("stepped<<<1u, 8u>>>(a, a_len, 5u);"), "{code}");
    assert!(code.contains("stepped_1<<<1u, 8u>>>(b, b_len, 7u);"), "{code}");
    harness::everywhere::<specializes>(&(1,), |device| {
        let mut y = device.upload(&[1u32; 16]).expect("memory");
        specializes(&mut y, 1).grid(1).block(1).launch(device).expect("the kernels run");
        let y = device.download(&y).expect("no fault");
        assert_eq!(y, [5, 5, 5, 5, 5, 5, 5, 5, 8, 1, 8, 1, 8, 1, 8, 1]);
    });
}

#[gpu_kernel]
fn ping<T: Num>(y: &mut [T], left: u32, one: T) {
    y[0] += one;
    if left > 0 {
        pong(y, left - 1, one).grid(1).block(1).launch();
    }
}

#[gpu_kernel]
fn pong<T: Num>(y: &mut [T], left: u32, one: T) {
    y[1] += one;
    if left > 0 {
        ping(y, left - 1, one).grid(1).block(1).tail().launch();
    }
}

#[test]
fn two_generic_kernels_launch_each_other() {
    let code = ping::<f32>::cuda_source().expect("it prints");
    assert_eq!(code.matches("__global__ void").count(), 3, "a declaration and two kernels:\n{code}");
    harness::everywhere::<ping<f32>>(&(), |device| {
        let mut y = device.upload(&[0.0f32; 2]).expect("memory");
        ping(&mut y, 9, 1.5).grid(1).block(1).launch(device).expect("the kernels run");
        assert_eq!(device.download(&y).expect("no fault"), [7.5, 7.5]);
    });
}

#[gpu_kernel]
fn beyond(y: &mut [u32], at: usize) {
    y[at] = 1;
}

/// The line of the index in [`beyond`].
const INDEX: u32 = line!() - 4;

#[gpu_kernel]
fn launches_beyond(y: &mut [u32], at: usize) {
    beyond(&mut y[..4], at).grid(1).block(1).launch();
}

#[test]
fn a_fault_of_a_launched_kernel_has_its_line_and_name() {
    harness::everywhere::<launches_beyond>(&(), |device| {
        let mut y = device.upload(&[0u32; 8]).expect("memory");
        let launched = launches_beyond(&mut y, 5).grid(1).block(1).launch(device);
        let fault = launched.and_then(|()| device.synchronize()).expect_err("an index beyond the part");
        let text = fault.to_string();
        assert!(text.contains(&format!("nested.rs:{INDEX}")), "{text}");
        assert!(text.contains("index 5 is out of bounds for length 4"), "{text}");
        assert!(text.contains("kernel `beyond`"), "{text}");
        // The context stays usable.
        launches_beyond(&mut y, 3).grid(1).block(1).launch(device).expect("it launches again");
        assert_eq!(device.download(&y).expect("no fault"), [0, 0, 0, 1, 0, 0, 0, 0]);
    });
}

/// Every launch has one element less than threads, which the launch of the host does not tell.
#[gpu_kernel]
fn shrinks(y: &mut [u32], left: u32) {
    let i = thread_idx().x;
    y[i] += 1;
    // The launched kernel comes after the actions of its own thread, and after those of other threads by a barrier.
    sync_threads();
    if i == 0 && left > 0 {
        shrinks(&mut y[1..], left - 1).grid(1).block(4).launch();
    }
}

#[test]
fn what_a_launch_of_the_host_proves_is_not_taken_for_a_launch_by_a_kernel() {
    assert_eq!(shrinks::launch_conditions_for(&()).expect("it is valid"), Vec::<String>::new());
    assert_ne!(reversed::launch_conditions_for(&()).expect("it is valid"), Vec::<String>::new());
    harness::everywhere::<shrinks>(&(), |device| {
        let mut y = device.upload(&[0u32; 4]).expect("memory");
        shrinks(&mut y, 0).grid(1).block(4).launch(device).expect("it launches");
        assert_eq!(device.download(&y).expect("all in bounds"), [1; 4]);
        let launched = shrinks(&mut y, 1).grid(1).block(4).launch(device);
        let fault = launched.and_then(|()| device.synchronize()).expect_err("an index beyond the part");
        assert!(fault.to_string().contains("index 3 is out of bounds for length 3"), "{fault}");
    });
}

#[gpu_kernel]
fn shaped(y: &mut [u32], grid: u32, block: u32, bytes: usize) {
    count(y).grid(grid).block(block).dynamic_shared(bytes).launch();
}

#[test]
fn a_launch_that_the_device_refuses_is_an_error_with_its_line() {
    harness::everywhere::<shaped>(&(), |device| {
        for (grid, block, bytes) in [(0, 1, 0), (1, 2048, 0), (1, 1, 100 * 1024)] {
            let mut y = device.upload(&[0u32; 8]).expect("memory");
            let launched = shaped(&mut y, grid, block, bytes).grid(1).block(1).launch(device);
            let refused = launched.and_then(|()| device.synchronize()).expect_err("no such launch");
            let text = refused.to_string();
            println!("refused: {text}");
            assert!(text.contains("nested.rs:") && text.contains("count"), "{text}");
        }
    });
}

#[gpu_kernel]
fn nest(y: &mut [u32], levels: u32) {
    y[0] += 1;
    if levels > 0 {
        nest(y, levels - 1).grid(1).block(1).launch();
    }
}

#[test]
fn the_simulator_nests_24_launches_and_no_more() {
    let device = Device::simulator();
    let mut y = device.upload(&[0u32]).expect("memory");
    nest(&mut y, 24).grid(1).block(1).launch(&device).expect("24 levels");
    assert_eq!(device.download(&y).expect("memory"), [25]);
    let refused = nest(&mut y, 25).grid(1).block(1).launch(&device).expect_err("25 levels");
    assert!(refused.to_string().contains("deeper than the limit of 24"), "{refused}");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_gpu_nests_24_launches() {
    let gpu = harness::needs_gpu();
    let mut y = gpu.upload(&[0u32]).expect("memory");
    nest(&mut y, 23).grid(1).block(1).launch(&gpu).expect("it launches");
    assert_eq!(gpu.download(&y).expect("24 kernels run"), [24]);
    nest(&mut y, 40).grid(1).block(1).launch(&gpu).expect("it launches");
    println!("41 nested kernels: {:?}", gpu.download(&y));
}

#[gpu_kernel]
fn tick(y: &mut [u32]) {
    atomic_add(&mut y[0], 1);
}

#[gpu_kernel]
fn a_launch_a_thread(y: &mut [u32]) {
    tick(y).grid(1).block(1).fire_and_forget().launch();
}

#[test]
fn launches_wait_up_to_2048_and_as_many_as_are_asked_for() {
    let device = Device::simulator();
    let mut y = device.upload(&[0u32]).expect("memory");
    let refused = a_launch_a_thread(&mut y).grid(16).block(256).launch(&device).expect_err("4096 launches");
    assert!(refused.to_string().contains("more than 2048 launches wait at once"), "{refused}");
    assert!(refused.to_string().contains("set_pending_launches"), "{refused}");
    harness::everywhere::<a_launch_a_thread>(&(), |device| {
        device.set_pending_launches(8192).expect("memory for them");
        let mut y = device.upload(&[0u32]).expect("memory");
        a_launch_a_thread(&mut y).grid(16).block(256).launch(device).expect("it launches");
        assert_eq!(device.download(&y).expect("no launch is refused"), [4096]);
        device.set_pending_launches(2048).expect("what was set at first");
    });
}

/// A launched kernel waits at barriers of its own, though its parent has none.
#[gpu_kernel]
fn reversed(y: &mut [u32]) {
    let mut kept = shared!([u32; 64]);
    let i = thread_idx().x;
    kept[i] = y[i];
    sync_threads();
    y[i] = kept[63 - i];
}

#[gpu_kernel]
fn reverses_parts(y: &mut [u32]) {
    let start = block_idx().x * 64;
    if thread_idx().x == 0 {
        reversed(&mut y[start..start + 64]).grid(1).block(64).fire_and_forget().launch();
    }
}

#[test]
fn a_launched_kernel_has_barriers_and_shared_memory_of_its_own() {
    harness::everywhere::<reverses_parts>(&(), |device| {
        let mut y = device.upload(&(0..256).collect::<Vec<u32>>()).expect("memory");
        reverses_parts(&mut y).grid(4).block(32).launch(device).expect("the kernels run");
        let want: Vec<u32> = (0..256).map(|i| i / 64 * 64 + 63 - i % 64).collect();
        assert_eq!(device.download(&y).expect("no fault"), want);
    });
}

#[gpu_kernel]
fn passes_shared(y: &mut [u32]) {
    let mut kept = shared!([u32; 8]);
    kept[0] = y[0];
    tick(&mut kept[..]).grid(1).block(1).launch();
}

#[gpu_kernel]
fn passes_local(y: &mut [u32]) {
    let mut own = [y[0]; 8];
    let part = &mut own[2..4];
    tick(part).grid(1).block(1).launch();
}

#[gpu_kernel]
fn passes_by_closure(y: &mut [u32]) {
    let mut own = [y[0]; 8];
    let launch = |x: &mut [u32]| tick(x).grid(1).block(1).launch();
    launch(&mut own[..]);
}

#[gpu_fn]
fn launches_in_a_function(y: &mut [u32]) {
    tick(y).grid(1).block(1).launch();
}

#[gpu_kernel]
fn calls_what_launches(y: &mut [u32]) {
    launches_in_a_function(y);
}

#[gpu_kernel(noalias)]
fn without_overlap(y: &mut [u32]) {
    y[0] = 1;
}

#[gpu_kernel]
fn launches_noalias(y: &mut [u32]) {
    without_overlap(y).grid(1).block(1).launch();
}

#[gpu_kernel]
fn with_a_map(x: &TensorMap<f32, 8, 32, Unswizzled>, y: &mut [f32]) {
    tensormap_prefetch(x);
    y[0] = 1.0;
}

/// The line of the launch below.
const WITH_A_MAP: u32 = line!() + 4;

#[gpu_kernel]
fn launches_with_a_map(x: &TensorMap<f32, 8, 32, Unswizzled>, y: &mut [f32]) {
    with_a_map(x, y).grid(1).block(1).launch();
}

#[gpu_kernel]
fn run_time_for_comptime(y: &mut [u32], step: u32) {
    stepped(y, 1, step, true).grid(1).block(1).launch();
}

#[gpu_kernel]
fn ever_other(y: &mut [u32], #[comptime] n: u32) {
    y[0] = n;
    ever_other(y, n + 1).grid(1).block(1).launch();
}

#[test]
fn what_cannot_be_launched_is_refused_with_its_line() {
    let said = |refused: warpsmith::Result<String>| refused.expect_err("it is refused").to_string();
    let refused = said(passes_shared::cuda_source());
    assert!(refused.contains("argument `y` of the launched kernel `tick` is shared memory"), "{refused}");
    let refused = said(passes_local::cuda_source());
    assert!(refused.contains("argument `y` of the launched kernel `tick` is a local variable"), "{refused}");
    let refused = said(passes_by_closure::cuda_source());
    assert!(refused.contains("is memory that is not seen to be a parameter's"), "{refused}");
    let refused = said(calls_what_launches::cuda_source());
    assert!(refused.contains("`launches_in_a_function` launches a kernel; only kernels launch"), "{refused}");
    let refused = said(launches_noalias::cuda_source());
    assert!(
        refused.contains("`without_overlap` cannot be launched by a kernel: it is `noalias`"),
        "{refused}"
    );
    let refused = said(launches_with_a_map::cuda_source());
    let line = WITH_A_MAP;
    assert!(refused.contains(&format!("tests/runtime/nested.rs:{line}")), "{refused}");
    assert!(
        refused.contains("`with_a_map` cannot be launched by a kernel: it takes a map of a tensor, which only a launch by the host"),
        "{refused}"
    );
    let refused = said(run_time_for_comptime::cuda_source());
    assert!(
        refused.contains("argument `step` of the launched kernel `stepped` is `#[comptime]`"),
        "{refused}"
    );
    let refused = said(ever_other::cuda_source_for(&(0,)));
    assert!(refused.contains("more than 64 kernels"), "{refused}");
    let device = Device::simulator();
    let mut y = device.upload(&[0u32; 8]).expect("memory");
    let refused = passes_local(&mut y).grid(1).block(1).launch(&device).expect_err("as on a GPU");
    assert!(refused.to_string().contains("is a local variable"), "{refused}");
    let refused = tick(&mut y).grid(1).block(1).tail().launch(&device).expect_err("not on the host");
    assert!(refused.to_string().contains("`.tail()` orders a launch in a kernel"), "{refused}");
}

/// Links by nvJitLink where it is installed, and by the driver where there is a GPU.
#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn nested_kernels_link_to_code_that_can_be_loaded() {
    harness::needs_nvrtc();
    for checks in [Checks::None, Checks::All] {
        let source =
            ping::<f32>::print(&(), &PrintOptions { checks, line_directives: true }).expect("it prints");
        assert!(source.needs.launches);
        for (major, minor, specific) in [(8, 0, false), (9, 0, false), (9, 0, true), (10, 0, false)] {
            let arch = Arch { major, minor, specific };
            let options = CompileOptions { relocatable: true, ..CompileOptions::new(arch) };
            let object = nvrtc::compile_object(&source.complete(), "ping", &options).expect("it compiles");
            match nvrtc::link(&object.image, "ping", arch) {
                Ok(image) => assert!(image.starts_with(b"\x7fELF") && image.len() > object.image.len()),
                Err(missing @ (NvrtcError::NoLinker | NvrtcError::DeviceRuntime { .. })) => {
                    println!("not linked for {arch}: {missing}");
                }
                Err(refused) => panic!("{refused}"),
            }
        }
    }
}

#[test]
fn a_kernel_that_launches_none_is_compiled_as_before() {
    let source =
        tick::print(&(), &PrintOptions { checks: Checks::All, line_directives: false }).expect("it prints");
    assert!(!source.needs.launches);
    let arch = Arch { major: 9, minor: 0, specific: false };
    let options = CompileOptions::new(arch);
    assert!(!nvrtc::flags(&options).iter().any(|flag| flag.contains("relocatable")));
}
