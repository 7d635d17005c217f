//! Names of architectures; linking by the driver, where there is a GPU, and without what it needs.

use cudarc::driver::{CudaContext, sys};

use super::{Arch, CompileOptions, NvrtcError, compile_object, driver_link, link, version};

const SOURCE: &str = "extern \"C\" __global__ void child(int* y) { y[0] = 1; }
extern \"C\" __global__ void parent(int* y) { child<<<1, 1>>>(y); }
";

fn object(arch: Arch) -> Option<Vec<u8>> {
    version().ok()?;
    let options = CompileOptions { relocatable: true, ..CompileOptions::new(arch) };
    Some(compile_object(SOURCE, "parent", &options).expect("it compiles").image)
}

#[test]
fn the_driver_links_where_there_is_a_gpu() {
    // SAFETY: it only looks for the library.
    let Some(context) = unsafe { sys::is_culib_present() }.then(|| CudaContext::new(0).ok()).flatten() else {
        return println!("skipped: there is no GPU");
    };
    let (major, minor) = context.compute_capability().expect("a compute capability");
    let arch = Arch { major: major as u32, minor: minor as u32, specific: false };
    let (Some(object), Ok(runtime)) = (object(arch), link::device_runtime()) else {
        return println!("skipped: NVRTC or the device runtime is missing");
    };
    context.bind_to_thread().expect("a context");
    let image = driver_link::link(&object, runtime, "parent", arch).expect("it links");
    assert!(image.starts_with(b"\x7fELF") && image.len() > object.len());
}

#[test]
fn a_thread_without_a_context_cannot_link_by_the_driver() {
    let arch = Arch { major: 9, minor: 0, specific: false };
    let refused = driver_link::link(b"no object", b"no library", "parent", arch);
    assert_eq!(refused, Err(NvrtcError::NoLinker));
}

#[test]
fn what_is_no_object_is_refused_in_the_words_of_the_linker() {
    let arch = Arch { major: 9, minor: 0, specific: false };
    match link::link(b"no object", "parent", arch) {
        Err(NvrtcError::Link { kernel, linker, .. }) => {
            assert_eq!((&*kernel, linker), ("parent", "nvJitLink"))
        }
        Err(NvrtcError::NoLinker | NvrtcError::DeviceRuntime { .. }) => println!("skipped: nothing can link"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_device_runtime_is_named_with_the_way_out() {
    let refused = link::read_runtime(Some("/nowhere/libcudadevrt.a".into())).expect_err("there is none");
    let text = refused.to_string();
    for part in ["/nowhere/libcudadevrt.a", "WARPSMITH_CUDADEVRT", "pip install nvidia-cuda-runtime"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn architectures_are_read_as_they_are_written() {
    for text in ["sm_75", "sm_80", "sm_90a", "sm_100", "sm_120a"] {
        assert_eq!(text.parse::<Arch>().expect(text).to_string(), text);
    }
    for text in ["", "sm_", "90", "sm_9", "sm_90b", "sm_+90", "compute_90", "sm_99999999999"] {
        let refused = text.parse::<Arch>().expect_err(text).to_string();
        assert!(refused.starts_with(&format!("`{text}` is not an architecture")), "{refused}");
    }
}
