//! Images on a device: what is refused, copies and the order of their uses.

use corpus::textures::rotate;
use harness::{cycles, devices, everywhere, noise};
use warpsmith::Error;
use warpsmith::image::ImageError;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;

fn image_error<T>(result: warpsmith::Result<T>) -> ImageError {
    match result.map(|_| ()) {
        Err(Error::Image(error)) => error,
        other => panic!("not refused as an image: {other:?}"),
    }
}

#[test]
fn what_no_device_has_is_refused_with_the_way_out() {
    for device in devices() {
        let limits = &device.limits().images;
        let [width, height] = limits.texture2;
        let refused = image_error(Image2::<u8>::zeroed(&device, [width + 1, 1])).to_string();
        assert!(refused.contains(&format!("the width of a Texture2 is {}", width + 1)), "{refused}");
        let refused = image_error(Image2::<u8>::zeroed(&device, [1, height + 1])).to_string();
        assert!(refused.contains(&format!("with more than {height}")), "{refused}");
        let layers = limits.texture_layers[2] + 1;
        let refused = image_error(ImageLayers::<u8>::zeroed(&device, [1, 1, layers])).to_string();
        assert!(refused.contains("the layers of a TextureLayers"), "{refused}");
        let refused = image_error(Image3::<u8>::zeroed(&device, [1, 0, 1])).to_string();
        assert_eq!(refused, "the height of an image is 0; it must be at least 1");
        let refused = image_error(Image2::upload(&device, [4, 3], &[0u8; 11])).to_string();
        assert_eq!(refused, "the image has 12 texels (4 by 3), the slice 11; they must be equal");
        let mut image = Image2::upload(&device, [4, 3], &[0u8; 12]).expect("an image");
        let short = device.upload(&[0u8; 5]).expect("memory");
        let refused = image_error(image.copy_from(&short)).to_string();
        assert!(refused.contains("the buffer 5"), "{refused}");
    }
}

#[test]
fn samplers_that_a_texture_cannot_have_are_refused() {
    for device in devices() {
        let bytes = Image2::upload(&device, [2, 1], &[1i8, 2]).expect("an image");
        let words = Image1::upload(&device, 2, &[1u32, 2]).expect("an image");
        let linear = Sampler::new().linear();
        let refused = image_error(bytes.texture::<i8>(linear)).to_string();
        assert!(refused.contains("`i8` is not filtered linearly") && refused.contains("texture::<f32>"));
        bytes.texture::<f32>(linear).expect("floats are filtered");
        assert!(matches!(image_error(words.texture::<u32>(linear)), ImageError::Filter { read: "u32" }));
        for mode in [AddressMode::Wrap, AddressMode::Mirror] {
            let refused = image_error(bytes.texture::<i8>(Sampler::new().address(mode)));
            assert!(matches!(refused, ImageError::Address { mode: told } if told == mode), "{refused}");
            bytes
                .texture::<i8>(Sampler::new().address(mode).normalized())
                .expect("of normalized coordinates");
            // A mode that the image has no dimension for.
            let third = Sampler::new().address_each([AddressMode::Clamp, AddressMode::Clamp, mode]);
            bytes.texture::<i8>(third).expect("two dimensions");
        }
        let bordered = Sampler::new().address(AddressMode::Border);
        let coloured = bordered.border([0.5, 0.0, 0.0, 0.0]);
        assert!(matches!(image_error(words.texture::<u32>(coloured)), ImageError::Border { .. }));
        words.texture::<u32>(bordered).expect("a border of zeros");
        bytes.texture::<f32>(bordered.border([-1.0, 1.0, 0.0, 0.0])).expect("signed bytes have it");
        let refused = image_error(bytes.texture::<f32>(bordered.border([1.5, 0.0, 0.0, 0.0]))).to_string();
        assert!(refused.contains("1.5") && refused.contains("-1 to 1"), "{refused}");
    }
}

#[test]
fn a_line_longer_than_surfaces_is_a_texture_only() {
    for device in devices() {
        let limits = &device.limits().images;
        let (most, texture) = (limits.surface1, limits.texture1);
        let mut short = Image1::<u8>::zeroed(&device, most).expect("an image");
        short.surface().expect("a surface");
        if texture > most {
            let mut long = Image1::<u8>::zeroed(&device, most + 1).expect("an image");
            long.texture::<u8>(Sampler::new()).expect("a texture");
            let refused = image_error(long.surface()).to_string();
            assert!(refused.contains(&format!("the width of a Surface1 is {}", most + 1)), "{refused}");
        }
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn images_of_another_device_are_refused() {
    let gpu = harness::needs_gpu();
    let sim = Device::simulator();
    let pixels = [0.0f32; 4];
    let (there, here) = (
        Image2::upload(&gpu, [2, 2], &pixels).expect("an image"),
        Image2::upload(&sim, [2, 2], &pixels).expect("an image"),
    );
    for (image, device) in [(&there, &sim), (&here, &gpu)] {
        let mut out = device.upload(&pixels).expect("memory");
        let texture = image.texture(Sampler::new()).expect("a texture");
        let refused = rotate(texture, F32x2::new(1.0, 0.0), &mut out).over(4).launch(device);
        let refused = refused.expect_err("an image of another device");
        assert!(
            matches!(refused, Error::Launch(LaunchError::Argument { argument: "image", .. })),
            "{refused}"
        );
    }
    let mut image = there;
    let refused = image_error(image.copy_from(&sim.upload(&pixels).expect("memory")));
    assert!(matches!(refused, ImageError::OtherDevice { .. }), "{refused}");
}

#[test]
fn texels_go_through_buffers_and_the_host() {
    fn round<T: warpsmith::image::Texel + PartialEq + std::fmt::Debug, D: warpsmith::image::Shape>(
        device: &Device,
        extents: D::Extents,
        texels: &[T],
    ) {
        let from = device.upload(texels).expect("memory");
        let mut image = warpsmith::image::Image::<T, D>::zeroed(device, extents).expect("an image");
        image.copy_from(&from).expect("a copy");
        let mut to = device.alloc_zeroed(texels.len()).expect("memory");
        image.copy_to(&mut to).expect("a copy");
        assert_eq!(device.download(&to).expect("memory"), texels, "on {}", device.name());
        let reversed: Vec<T> = texels.iter().rev().copied().collect();
        image.write(&reversed).expect("texels");
        assert_eq!(image.to_vec().expect("texels"), reversed, "on {}", device.name());
    }
    use warpsmith::image::{Layers, Line, Plane, Volume};
    let bytes: Vec<u8> = (0..210).map(|i| i as u8).collect();
    let vectors: Vec<F32x4> = (0..210).map(|i| F32x4::splat(i as f32)).collect();
    for device in devices() {
        round::<u8, Line>(&device, 210, &bytes);
        round::<u8, Plane>(&device, [21, 10], &bytes);
        round::<u8, Volume>(&device, [7, 6, 5], &bytes);
        round::<F32x4, Volume>(&device, [7, 6, 5], &vectors);
        round::<F32x4, Layers>(&device, [6, 7, 5], &vectors);
    }
}

/// Adds to every texel, after `cycles` cycles.
#[gpu_kernel]
fn late_add(image: &mut Surface2<u32>, add: u32, cycles: u64) {
    let i = global_id();
    let start = clock();
    while clock() - start < cycles {}
    let (x, y) = (i as u32 % image.width(), i as u32 / image.width());
    let value = image.read(x, y);
    image.write(x, y, value + add);
}

/// Copies every texel, after `cycles` cycles.
#[gpu_kernel]
fn late_copy(image: &Texture2<u32>, out: &mut [u32], cycles: u64) {
    let i = global_id();
    let start = clock();
    while clock() - start < cycles {}
    if i < out.len() {
        out[i] = image.fetch(i as u32 % image.width(), i as u32 / image.width());
    }
}

const EXTENTS: [usize; 2] = [64, 32];
const N: usize = EXTENTS[0] * EXTENTS[1];

#[test]
fn writers_and_samplers_on_two_streams_are_in_order() {
    everywhere::<late_add>(&(), |device| {
        let (left, right) = (device.stream().expect("a stream"), device.stream().expect("a stream"));
        let mut image = Image2::upload(device, EXTENTS, &[0u32; N]).expect("an image");
        let mut out = device.upload(&[0u32; N]).expect("memory");
        for round in 1..=10 {
            let surface = image.surface().expect("a surface");
            late_add(surface, 1, cycles(device)).over(N).on(&left).launch(device).expect("left");
            let texture = image.texture(Sampler::new()).expect("a texture");
            late_copy(texture, &mut out, cycles(device)).over(N).on(&right).launch(device).expect("right");
            if round == 5 {
                assert_eq!(image.to_vec().expect("texels"), vec![5; N], "on {}", device.name());
            }
        }
        // The sampler of before is waited for by who writes next, the host too.
        late_add(image.surface().expect("a surface"), 90, 0).over(N).on(&left).launch(device).expect("left");
        assert_eq!(device.download(&out).expect("memory"), vec![10; N], "on {}", device.name());
        late_copy(image.texture(Sampler::new()).expect("a texture"), &mut out, cycles(device))
            .over(N)
            .on(&right)
            .launch(device)
            .expect("right");
        image.write(&[7; N]).expect("texels");
        assert_eq!(device.download(&out).expect("memory"), vec![100; N], "on {}", device.name());
        assert_eq!(image.to_vec().expect("texels"), vec![7; N], "on {}", device.name());
    });
}

#[test]
fn an_image_may_be_dropped_while_kernels_use_it() {
    everywhere::<late_copy>(&(), |device| {
        let stream = device.stream().expect("a stream");
        for round in 0..20u32 {
            let image = Image2::upload(device, EXTENTS, &[round; N]).expect("an image");
            let mut out = device.upload(&[u32::MAX; N]).expect("memory");
            let texture = image.texture(Sampler::new()).expect("a texture");
            late_copy(texture, &mut out, cycles(device)).over(N).on(&stream).launch(device).expect("queued");
            drop(image);
            let other = Image2::upload(device, EXTENTS, &[1_000_000; N]).expect("an image");
            assert_eq!(device.download(&out).expect("memory"), vec![round; N], "on {}", device.name());
            drop(other);
        }
    });
}

#[test]
fn a_prepared_launch_takes_other_textures() {
    everywhere::<late_copy>(&(), |device| {
        let images: Vec<Image2<u32>> =
            (0..8).map(|i| Image2::upload(device, EXTENTS, &[i; N]).expect("an image")).collect();
        let mut out = device.upload(&[u32::MAX; N]).expect("memory");
        let texture = |i: usize| images[i].texture(Sampler::new()).expect("a texture");
        let prepared = late_copy(texture(0), &mut out, 0).over(N).prepare(device).expect("a right launch");
        for i in [3, 1, 7] {
            prepared.launch(late_copy(texture(i), &mut out, 0)).expect("prepared");
            assert_eq!(device.download(&out).expect("memory"), vec![i as u32; N], "on {}", device.name());
        }
    });
}

#[test]
fn a_graph_owns_images_and_ends_them_after_its_launches() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let image = Image2::upload(&device, EXTENTS, &[1u32; N]).expect("an image");
        let image = graph.hold_image(image).expect("the same device");
        let sums = graph.hold(device.upload(&[0u32; N]).expect("memory")).expect("the same device");
        graph.add(|m| Ok(late_add(m.surface(image)?, 2, 0).over(N))).expect("a right launch");
        graph
            .add(
                |m| Ok(late_copy(m.texture(image, Sampler::new())?, m.write(sums)?, cycles(&device)).over(N)),
            )
            .expect("a right launch");
        for round in 1..=3 {
            graph.launch().expect("it runs");
            assert_eq!(graph.image(image).expect("its own").to_vec().expect("texels"), [1 + 2 * round; N]);
        }
        graph.launch().expect("it runs");
        let sums = graph.into_buffer(sums).expect("its own");
        assert_eq!(device.download(&sums).expect("memory"), [9; N], "on {}", device.name());
    }
}

/// Launches a kernel that samples what it is given itself.
#[gpu_kernel]
fn hand_on(image: &Texture2<u32>, out: &mut [u32]) {
    if global_id() == 0 {
        late_copy(image, out, 0).grid(N as u32 / 256).block(256).launch();
    }
}

#[test]
fn a_launched_kernel_samples_what_it_is_handed() {
    everywhere::<hand_on>(&(), |device| {
        let texels: Vec<u32> = (0..N as u32).collect();
        let image = Image2::upload(device, EXTENTS, &texels).expect("an image");
        let mut out = device.upload(&[0u32; N]).expect("memory");
        let texture = image.texture(Sampler::new()).expect("a texture");
        hand_on(texture, &mut out).grid(1).block(32).launch(device).expect("a kernel");
        assert_eq!(device.download(&out).expect("memory"), texels, "on {}", device.name());
    });
}

/// m[r][c] = 100 r + c
#[gpu_kernel]
fn numbered(mut m: ViewMut2<'_, f32>) {
    let i = global_id();
    let (r, c) = (i / m.cols(), i % m.cols());
    if r < m.rows() {
        m[(r, c)] = 100.0 * r as f32 + c as f32;
    }
}

#[gpu_kernel]
fn sampled(image: &Texture2<f32>, step: f32, out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample((i % 32) as f32 * step - 2.0, (i / 32) as f32 * step - 2.0);
    }
}

#[test]
fn padded_rows_are_sampled_where_they_lie() {
    everywhere::<sampled>(&(), |device| {
        let (rows, cols) = (17usize, 13usize);
        let mut rows_in_place = device.alloc_pitched::<f32>(rows, cols).expect("memory");
        numbered(rows_in_place.view2_mut()).over(rows * cols).launch(device).expect("a kernel");
        let texels: Vec<f32> = (0..rows * cols).map(|i| (100 * (i / cols) + i % cols) as f32).collect();
        let image = Image2::upload(device, [cols, rows], &texels).expect("an image");
        let moved = rows_in_place;
        for sampler in [
            Sampler::new(),
            Sampler::new().linear(),
            Sampler::new().linear().address(AddressMode::Border).border([5.0, 0.0, 0.0, 0.0]),
        ] {
            let stream = device.stream().expect("a stream");
            let mut out = [0, 1].map(|_| device.upload(&[f32::NAN; 1024]).expect("memory"));
            let [of_rows, of_image] = &mut out;
            let texture = moved.texture(sampler).expect("a texture");
            sampled(texture, 0.65, of_rows).over(1024).on(&stream).launch(device).expect("a kernel");
            let texture = image.texture(sampler).expect("a texture");
            sampled(texture, 0.65, of_image).over(1024).launch(device).expect("a kernel");
            let [of_rows, of_image] = out.map(|out| device.download(&out).expect("memory"));
            assert_eq!(of_rows, of_image, "{sampler:?} on {}", device.name());
            assert!(of_rows.contains(&texels[texels.len() - 1]) || sampler != Sampler::new());
        }
        let mut rows_in_place = moved;
        rows_in_place.write(&vec![3.0; rows * cols]).expect("texels");
        let mut out = device.upload(&[f32::NAN; 1024]).expect("memory");
        let texture = rows_in_place.texture(Sampler::new()).expect("a texture");
        sampled(texture, 0.65, &mut out).over(1024).launch(device).expect("a kernel");
        drop(rows_in_place);
        assert_eq!(device.download(&out).expect("memory"), vec![3.0; 1024], "on {}", device.name());
    });
}

#[test]
fn rows_that_no_texture_has_are_refused() {
    for device in devices() {
        let empty = device.alloc_pitched::<f32>(0, 4).expect("memory");
        assert!(matches!(
            image_error(empty.texture::<f32>(Sampler::new())),
            ImageError::Empty { axis: "height" }
        ));
        let [_, most, _] = device.limits().images.pitched2;
        let high = device.alloc_pitched::<u8>(most + 1, 1).expect("memory");
        let refused = image_error(high.texture::<u8>(Sampler::new())).to_string();
        assert!(refused.contains("linear memory") && refused.contains("`Image2`"), "{refused}");
        let repeated = Sampler::new().address(AddressMode::Wrap);
        let one = device.alloc_pitched::<f32>(1, 1).expect("memory");
        assert!(matches!(image_error(one.texture::<f32>(repeated)), ImageError::Address { .. }));
    }
}

#[test]
fn one_image_has_many_samplers_and_many_threads() {
    for device in devices() {
        let pixels = noise(N, 3);
        let image = Image2::upload(&device, EXTENTS, &pixels).expect("an image");
        let turn = F32x2::new(1.0, 0.0);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (device, image, pixels) = (&device, &image, &pixels);
                scope.spawn(move || {
                    let stream = device.stream().expect("a stream");
                    let mut out = device.upload(&[0.0f32; N]).expect("memory");
                    for round in 0..if device.is_simulator() { 4 } else { 100 } {
                        let border = [round as f32, thread as f32, 0.0, 0.0];
                        let sampler = Sampler::new().border(border).linear();
                        let texture = image.texture(sampler).expect("a texture");
                        let launch = rotate(texture, turn, &mut out).over_2d(EXTENTS).block([16, 16]);
                        launch.on(&stream).launch(device).expect("a kernel");
                        // Turned by nothing, each sample is in the middle of its texel.
                        assert_eq!(device.download(&out).expect("memory"), *pixels, "on {}", device.name());
                    }
                });
            }
        });
    }
}

/// Compares the texture unit's values between texels with the simulator's.
#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_gpu_samples_as_the_simulator_does() {
    let gpu = harness::needs_gpu();
    let extents @ [width, height] = [257, 129];
    let pixels = noise(width * height, 11);
    let mut apart = 0.0f32;
    for angle in 0..24 {
        let turn = F32x2::new((angle as f32 * 0.26).cos(), (angle as f32 * 0.26).sin());
        let turned = [Device::simulator(), gpu.clone()].map(|device| {
            let image = Image2::upload(&device, extents, &pixels).expect("an image");
            let sampler = Sampler::new().linear().address(AddressMode::Border);
            let texture = image.texture(sampler).expect("a texture");
            let mut out = device.upload(&vec![f32::NAN; width * height]).expect("memory");
            rotate(texture, turn, &mut out)
                .over_2d(extents)
                .block([16, 16])
                .launch(&device)
                .expect("a kernel");
            device.download(&out).expect("memory")
        });
        let both = turned[0].iter().zip(&turned[1]);
        apart = both.map(|(a, b)| (a - b).abs()).fold(apart, f32::max);
    }
    println!("figure texture_linear_apart {apart} of_a_range_of_2");
    // A step of the weights in each dimension, and coordinates whose last bit is another.
    assert!(apart <= 2.0 * 2.0 / 256.0 + 1e-3, "{apart}");
}
