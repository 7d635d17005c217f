//! Images on the simulator, and the words that a GPU's kernel is given.

use super::*;
use crate::argument::KernelArg;
use crate::device_api::texture::{Fetch, ImageExtent, Load, Sample, Store};
use crate::ir::ImageShape;
use crate::memory::args::ImageArg;
use crate::record::Callee;
use crate::witness::DeviceFn;

fn line(texels: &[f32]) -> Image1<f32> {
    Image1::upload(&Device::simulator(), texels.len(), texels).expect("an image")
}

#[test]
fn weights_have_eight_bits_of_fraction() {
    let image = line(&[0.0, 256.0]);
    let texture = image.texture::<f32>(Sampler::new().linear()).expect("a texture");
    for (fraction, steps) in [(0.0, 0.0), (0.25, 64.0), (0.501, 128.0), (0.503, 129.0), (0.9999, 256.0)] {
        assert_eq!(texture.sample(0.5 + fraction), steps, "{fraction}");
    }
}

#[test]
fn address_modes_repeat_mirror_and_end_the_image() {
    let image = line(&[1.0, 2.0, 3.0]);
    let read = |mode: AddressMode, texel: i32| {
        let sampler = Sampler::new().normalized().address(mode).border([9.0; 4]);
        let texture = image.texture::<f32>(sampler).expect("a texture");
        texture.sample((texel as f32 + 0.5) / 3.0)
    };
    let around = |mode| (-4..8).map(|texel| read(mode, texel)).collect::<Vec<_>>();
    assert_eq!(around(AddressMode::Clamp), [1., 1., 1., 1., 1., 2., 3., 3., 3., 3., 3., 3.]);
    assert_eq!(around(AddressMode::Wrap), [3., 1., 2., 3., 1., 2., 3., 1., 2., 3., 1., 2.]);
    assert_eq!(around(AddressMode::Mirror), [3., 3., 2., 1., 1., 2., 3., 3., 2., 1., 1., 2.]);
    assert_eq!(around(AddressMode::Border), [9., 9., 9., 9., 1., 2., 3., 9., 9., 9., 9., 9.]);
}

#[test]
fn no_coordinate_is_too_far() {
    let image = line(&[1.0, 2.0, 3.0]);
    for linear in [false, true] {
        for normalized in [false, true] {
            for mode in [AddressMode::Clamp, AddressMode::Border, AddressMode::Wrap, AddressMode::Mirror] {
                if !normalized && matches!(mode, AddressMode::Wrap | AddressMode::Mirror) {
                    continue;
                }
                let sampler = Sampler::new().address(mode);
                let sampler = if linear { sampler.linear() } else { sampler };
                let sampler = if normalized { sampler.normalized() } else { sampler };
                let texture = image.texture::<f32>(sampler).expect("a texture");
                for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -0.0] {
                    assert!((0.0..=3.0).contains(&texture.sample(x)), "{sampler:?} at {x}");
                }
            }
        }
    }
}

#[test]
fn the_object_of_a_sampler_is_made_once() {
    let image = line(&[1.0, 2.0]);
    let access = |sampler| image.inner.access(Some(sampler), false).expect("a texture") as *const ImageObject;
    let first = access(Sampler::new());
    let others: Vec<_> = (0..40).map(|i| access(Sampler::new().border([i as f32, 0.5, 0.0, 0.0]))).collect();
    assert_eq!(access(Sampler::new()), first);
    assert_eq!(access(Sampler::new().border([7.0, 0.5, 0.0, 0.0])), others[7]);
    assert!(!others.contains(&first));
    assert_ne!(
        image.inner.access(Some(Sampler::new()), true).expect("a texture") as *const ImageObject,
        first
    );
}

/// The printed struct has the object, then the extents as `unsigned int`s.
#[test]
fn words_are_laid_out_as_the_struct() {
    let words = ImageObject::words(0x1122_3344_5566_7788, [5, 6, 7]);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let number = |at: usize| u32::from_ne_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
    assert_eq!([number(8), number(12), number(16)], [5, 6, 7]);
    let sizes = [ImageShape::Line, ImageShape::Plane, ImageShape::Volume, ImageShape::Layers]
        .map(|shape| crate::ir::ImageType { surface: false, shape }.size());
    assert_eq!(sizes, [16, 16, 24, 24]);
}

#[test]
fn the_host_has_no_texels_of_a_gpu() {
    let access = ImageObject {
        words: [0; 3],
        extents: [1; 3],
        texels: None,
        sampler: None,
        normalizes: false,
        range: 0..1,
        place: MemoryPlace::Gpu(0),
        order: Order::NONE,
    };
    let panicked = std::panic::catch_unwind(|| access.here().extents).expect_err("there are none");
    let message = panicked.downcast_ref::<String>().expect("a message");
    assert!(message.contains("GPU 0") && message.contains("to_vec"), "{message}");
}

/// Calls a builtin as an interpreter does: every argument by its address, a reference as the address of what
/// the launch's argument holds.
fn interpreted<M: DeviceFn, R: crate::types::DeviceType>(image: &KernelArg, rest: &[Vec<u8>]) -> R {
    let (KernelArg::Image { access, .. }, Callee::Builtin(_, Some(meaning))) = (image, M::callee()) else {
        panic!("no image, or no meaning");
    };
    let descriptor = std::ptr::from_ref(access);
    let first = std::ptr::from_ref(&descriptor).cast::<u8>();
    let args: Vec<*const u8> = std::iter::once(first).chain(rest.iter().map(|arg| arg.as_ptr())).collect();
    let mut ret = vec![0; R::LAYOUT.size];
    // SAFETY: the arguments that the builtin takes, and memory for its result.
    unsafe {
        (meaning.0)(args.as_ptr(), ret.as_mut_ptr());
        R::from_ir(ret.as_ptr())
    }
}

#[test]
fn methods_are_called_with_what_a_launch_is_given() {
    let bytes = |x: f32| x.to_ne_bytes().to_vec();
    let index = |i: i32| i.to_ne_bytes().to_vec();
    let mut image = Image2::upload(&Device::simulator(), [2, 1], &[1.0f32, 2.0]).expect("an image");
    let texture = image.texture::<f32>(Sampler::new().linear()).expect("a texture").into_arg();
    type T = Texture2<'static, f32>;
    assert_eq!(interpreted::<Sample<T, (f32, f32)>, f32>(&texture, &[bytes(1.0), bytes(0.5)]), 1.5);
    assert_eq!(interpreted::<Fetch<T, (i32, u8)>, f32>(&texture, &[index(1), vec![0]]), 2.0);
    assert_eq!(interpreted::<Fetch<T, (i32, u8)>, f32>(&texture, &[index(-1), vec![0]]), 0.0);
    assert_eq!(interpreted::<ImageExtent<T, 0>, u32>(&texture, &[]), 2);
    let surface = image.surface().expect("a surface").into_arg();
    type S = Surface2<'static, f32>;
    interpreted::<Store<S, (i32, u8, f32)>, ()>(&surface, &[index(1), vec![0], bytes(7.0)]);
    assert_eq!(interpreted::<Load<S, (i32, u8)>, f32>(&surface, &[index(1), vec![0]]), 7.0);
    assert_eq!(image.to_vec().expect("texels"), [1.0, 7.0]);
}
