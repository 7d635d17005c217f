//! Our occupancy is the driver's, for every kernel of the corpus.

use corpus::cases;
use corpus::vectors::fill;
use cudarc::driver::sys::CUfunction_attribute as Attribute;
use cudarc::nvrtc::Ptx;
use warpsmith::codegen::{Checks, CudaSource, PrintOptions};
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::prelude::*;
use warpsmith::report::{Multiprocessor, Occupancy, Resources};

/// Blocks of one warp, of odd sizes, and of the sizes that are used.
const BLOCKS: [u32; 14] = [1, 32, 33, 64, 96, 128, 160, 192, 256, 384, 512, 640, 768, 1024];
/// Dynamic shared memory in bytes.
const DYNAMIC: [u32; 4] = [0, 1, 5000, 40_000];

fn printed() -> impl Iterator<Item = (&'static str, CudaSource)> {
    cases::all().into_iter().map(|case| {
        let source = (case.print)(&PrintOptions { checks: Checks::None, line_directives: false });
        (case.name, source.unwrap_or_else(|error| panic!("{}: {error}", case.name)))
    })
}

fn options(source: &CudaSource, (major, minor): (u32, u32)) -> CompileOptions {
    let arch = Arch { major, minor, specific: source.needs.arch_specific };
    CompileOptions { relocatable: source.needs.launches, ..CompileOptions::new(arch) }
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn kernels_of_the_corpus_tell_their_resources() {
    harness::needs_nvrtc();
    let has_shared =
        |source: &CudaSource| source.needs.static_shared_bytes + source.needs.large_shared_bytes > 0;
    // The assembler reports the others alike.
    let reported = printed().enumerate().filter(|(i, (_, source))| has_shared(source) || i % 4 == 0);
    for (_, (name, source)) in reported {
        let options = options(&source, (9, 0));
        let resources = Resources::of(&source, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!((1..=255).contains(&resources.registers), "{name}: {resources}");
        let (fixed, padding) = (source.needs.static_shared_bytes, source.needs.shared_padding);
        let bytes = fixed + source.needs.large_shared_bytes;
        let taken = resources.static_shared as usize;
        assert!((bytes..=bytes + padding).contains(&taken), "{name}: {resources}, not {bytes} bytes");
        let (block, best) = resources.best_block().expect("9.0 is in the table");
        assert!(best.blocks > 0 && block <= resources.max_threads, "{name}: {best}");
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn the_occupancy_of_every_kernel_is_the_drivers() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let compute = device.limits().compute;
    let multiprocessor = Multiprocessor::from(device.limits());
    assert_eq!(Multiprocessor::of(compute).as_ref(), Ok(&multiprocessor), "the table is the driver's");
    gpu.context().bind_to_thread().expect("the context");
    let mut wrong = Vec::new();
    let mut compared = 0;
    // The share of CUDA's device runtime in kernels that launch kernels is known only once they are linked.
    for (name, source) in printed().filter(|(_, source)| !source.needs.launches) {
        let options = options(&source, compute);
        let resources = Resources::of(&source, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        let cubin =
            nvrtc::compile(&source.complete(), &source.kernel_name, &options).expect("compiled before");
        let module = gpu.context().load_module(Ptx::from_binary(cubin.image)).expect("loads");
        let function = module.load_function(&source.kernel_name).expect("is in the module");
        let registers = function.num_regs().expect("the driver tells");
        assert_eq!(registers as u32, resources.registers, "{name}");
        assert_eq!(function.shared_size_bytes().expect("the driver tells") as u32, resources.static_shared);
        let largest = function.get_attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        assert_eq!(largest.expect("the driver tells") as u32, resources.max_threads, "{name}");
        for dynamic in DYNAMIC.into_iter().filter(|dynamic| dynamic + resources.static_shared <= 48 << 10) {
            let resources = resources.clone().with_dynamic_shared(dynamic);
            for threads in BLOCKS.into_iter().filter(|threads| *threads <= resources.max_threads) {
                let ours = Occupancy::new(&resources, &multiprocessor, threads).expect("a block").blocks;
                let theirs =
                    function.occupancy_max_active_blocks_per_multiprocessor(threads, dynamic as usize, None);
                compared += 1;
                if theirs != Ok(ours) {
                    wrong.push(format!("{name}, {threads} threads, {dynamic} bytes: {ours}, not {theirs:?}"));
                }
            }
        }
    }
    println!("figure occupancies_compared {compared} shapes");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

extern "C" fn no_shared(_threads: i32) -> usize {
    0
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn the_best_block_is_the_drivers() {
    let device = harness::needs_gpu();
    let mut y = device.alloc_zeroed::<u32>(1024).expect("memory");
    let resources = fill(&mut y, 1).over(1024).resources(&device).expect("loads");
    let loaded = device.as_gpu().expect("a GPU").load::<fill>(&(), Checks::All).expect("loads");
    device.as_gpu().expect("a GPU").context().bind_to_thread().expect("the context");
    let (_, theirs) = loaded
        .cuda_function()
        .occupancy_max_potential_block_size(no_shared, 0, 0, None)
        .expect("the driver counts");
    assert_eq!(resources.best_block().expect("in the table").0, theirs);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn clusters_are_not_counted_on_the_simulator() {
    harness::needs_nvrtc();
    let device = Device::simulator();
    let mut y = device.alloc_zeroed::<u32>(1024).expect("memory");
    let occupancy = fill(&mut y, 1).grid(4).cluster(2).occupancy(&device).expect("fits");
    assert_eq!(occupancy.clusters, None, "{occupancy}");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn clusters_are_counted_on_a_gpu() {
    let device = harness::needs_gpu();
    if !device.limits().clusters {
        println!("skipped: {} has no clusters", device.name());
        return;
    }
    let mut y = device.alloc_zeroed::<u32>(1024).expect("memory");
    let mut last = u32::MAX;
    for size in [1, 2, 4, 8, 16] {
        let launch = fill(&mut y, 1).grid(16).cluster(size);
        let occupancy = launch.occupancy(&device).expect("fits");
        let clusters = occupancy.clusters.expect("the driver counts");
        println!("figure clusters_of_{size} {clusters} clusters");
        assert!((1..=last).contains(&clusters), "clusters of {size}: {occupancy}");
        assert!(clusters * size <= occupancy.blocks * device.limits().multiprocessors, "{occupancy}");
        last = clusters;
    }
}
