//! Textures: what kernels read of images, in every form, format and way to sample.
//!
//! The references are written from the formulas of the CUDA C++ Programming Guide, without the rounding of
//! weights; a device may be off by that rounding, 1/256 of what the texels of a sample span in each dimension.

use warpsmith::image::{ReadAs, TextureValue};
use warpsmith::prelude::*;

use super::{compiles, devices, everywhere, noise, written};

#[gpu_kernel]
fn sampled1(image: &Texture1<f32>, at: &[F32x4], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i].x);
    }
}

#[gpu_kernel]
fn sampled2(image: &Texture2<f32>, at: &[F32x4], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i].x, at[i].y);
    }
}

#[gpu_kernel]
fn sampled3(image: &Texture3<f32>, at: &[F32x4], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i].x, at[i].y, at[i].z);
    }
}

/// The layer is one too many now and then.
#[gpu_kernel]
fn sampled_layers(image: &TextureLayers<f32>, at: &[F32x4], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i].x, at[i].y, at[i].z as u32);
    }
}

/// The texels of a test image, and what a sample of them is.
struct Reference {
    texels: Vec<f32>,
    extents: [usize; 3],
    /// Dimensions that are sampled; the third coordinate of layers chooses one.
    rank: usize,
}

impl Reference {
    fn new(extents: [usize; 3], rank: usize) -> Self {
        Self { texels: noise(extents.iter().product(), 7), extents, rank }
    }

    /// The texel at an index of one dimension by the address mode; `None` is the border.
    fn index(mode: AddressMode, i: i64, n: usize) -> Option<usize> {
        let n = n as i64;
        let inside = match mode {
            AddressMode::Clamp => i.max(0).min(n - 1),
            AddressMode::Wrap => ((i % n) + n) % n,
            AddressMode::Mirror => {
                let (turns, rest) = (i.div_euclid(n), i.rem_euclid(n));
                if turns % 2 == 0 { rest } else { n - 1 - rest }
            }
            AddressMode::Border if i < 0 || i >= n => return None,
            AddressMode::Border => i,
        };
        Some(inside as usize)
    }

    fn texel(&self, modes: [AddressMode; 3], border: f32, at: [i64; 3]) -> f64 {
        let mut inside = [0; 3];
        for axis in 0..3 {
            let mode = if axis < self.rank { modes[axis] } else { AddressMode::Clamp };
            match Self::index(mode, at[axis], self.extents[axis]) {
                Some(i) => inside[axis] = i,
                None => return border.into(),
            }
        }
        let [x, y, z] = inside;
        self.texels[(z * self.extents[1] + y) * self.extents[0] + x].into()
    }

    /// The sample at texel coordinates, and the error that a device may make.
    fn sample(&self, way: &Way, at: [f64; 3]) -> (f64, f64) {
        let mut low = at.map(|x| x.floor() as i64);
        let mut fractions = [0.0; 3];
        if way.linear {
            for axis in 0..self.rank {
                low[axis] = (at[axis] - 0.5).floor() as i64;
                fractions[axis] = at[axis] - 0.5 - low[axis] as f64;
            }
        }
        let (mut sum, mut least, mut most) = (0.0, f64::MAX, f64::MIN);
        for corner in 0..8 {
            let mut weight = 1.0;
            let mut index = low;
            for axis in 0..3 {
                let upper = corner >> axis & 1 == 1;
                weight *= if upper { fractions[axis] } else { 1.0 - fractions[axis] };
                index[axis] += i64::from(upper);
            }
            // A weight of almost nothing may round to one of a step.
            let texel = self.texel(way.modes, way.border, index);
            sum += weight * texel;
            (least, most) = (least.min(texel), most.max(texel));
        }
        (sum, if way.linear { self.rank as f64 * (most - least) / 256.0 + 1e-5 } else { 0.0 })
    }
}

/// One way to sample.
#[derive(Clone, Copy, Debug)]
struct Way {
    linear: bool,
    normalized: bool,
    modes: [AddressMode; 3],
    border: f32,
}

impl Way {
    fn all() -> Vec<Self> {
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        let texels = [[Clamp; 3], [Border; 3], [Clamp, Border, Clamp]];
        let normalized = [[Wrap; 3], [Mirror; 3], [Clamp; 3], [Border; 3], [Wrap, Mirror, Border]];
        let mut ways = Vec::new();
        for linear in [false, true] {
            ways.extend(texels.map(|modes| Way { linear, normalized: false, modes, border: 0.25 }));
            ways.extend(normalized.map(|modes| Way { linear, normalized: true, modes, border: -0.5 }));
        }
        ways
    }

    fn sampler(&self) -> Sampler {
        let sampler = Sampler::new().address_each(self.modes).border([self.border, 0.0, 0.0, 0.0]);
        let sampler = if self.normalized { sampler.normalized() } else { sampler };
        if self.linear { sampler.linear() } else { sampler }
    }
}

/// Places in and around an image, in texels: never close to where one texel ends and the next begins.
fn places(extents: [usize; 3], layered: bool) -> Vec<[f64; 3]> {
    let place = |i: usize, axis: usize| {
        let n = extents[axis] as f64;
        let step = noise(600, axis as u32 + 1)[i];
        let texel = (f64::from(step) * 1.5 * n + 0.5 * n).floor();
        texel + [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0][(i + axis) % 8] / 16.0
    };
    let layer = |i: usize| (i % (extents[2] + 2)) as f64;
    (0..600).map(|i| [place(i, 0), place(i, 1), if layered { layer(i) } else { place(i, 2) }]).collect()
}

/// Compares a form on every device with the reference, in every way.
fn check(
    extents: [usize; 3],
    (rank, layered): (usize, bool),
    run: impl Fn(&Device, &[f32], Sampler, &Buffer<F32x4>, &mut Buffer<f32>),
) {
    let reference = Reference::new(extents, rank);
    for way in Way::all() {
        let places = places(extents, layered);
        let scale = |at: [f64; 3]| {
            let sampled = |axis: usize| way.normalized && axis < rank;
            let at = [0, 1, 2].map(|i| if sampled(i) { at[i] / extents[i] as f64 } else { at[i] } as f32);
            F32x4::new(at[0], at[1], at[2], 0.0)
        };
        for device in devices() {
            let at = device.upload(&places.iter().map(|at| scale(*at)).collect::<Vec<_>>()).expect("memory");
            let mut out = device.upload(&vec![f32::NAN; places.len()]).expect("memory");
            run(&device, &reference.texels, way.sampler(), &at, &mut out);
            for (got, at) in device.download(&out).expect("memory").iter().zip(&places) {
                let (want, off) = reference.sample(&way, *at);
                let difference = (f64::from(*got) - want).abs();
                assert!(
                    difference <= off,
                    "{way:?} at {at:?} on {}: {got} instead of {want}, {off} allowed",
                    device.name()
                );
            }
        }
    }
}

#[test]
fn every_form_is_sampled_as_the_guide_says() {
    compiles::<sampled1>(&());
    compiles::<sampled2>(&());
    compiles::<sampled3>(&());
    compiles::<sampled_layers>(&());
    check([13, 1, 1], (1, false), |device, texels, sampler, at, out| {
        let image = Image1::upload(device, 13, texels).expect("an image");
        let texture = image.texture(sampler).expect("a texture");
        sampled1(texture, at, out).over(at.len()).launch(device).expect("a kernel");
    });
    check([13, 9, 1], (2, false), |device, texels, sampler, at, out| {
        let image = Image2::upload(device, [13, 9], texels).expect("an image");
        let texture = image.texture(sampler).expect("a texture");
        sampled2(texture, at, out).over(at.len()).launch(device).expect("a kernel");
    });
    check([6, 5, 7], (3, false), |device, texels, sampler, at, out| {
        let image = Image3::upload(device, [6, 5, 7], texels).expect("an image");
        let texture = image.texture(sampler).expect("a texture");
        sampled3(texture, at, out).over(at.len()).launch(device).expect("a kernel");
    });
    check([6, 5, 3], (2, true), |device, texels, sampler, at, out| {
        let image = ImageLayers::upload(device, [6, 5, 3], texels).expect("an image");
        let texture = image.texture(sampler).expect("a texture");
        sampled_layers(texture, at, out).over(at.len()).launch(device).expect("a kernel");
    });
}

/// Every texel of an image and of what is around it.
#[gpu_kernel]
fn fetched<T: TextureValue>(image: &Texture2<T>, out: &mut [T]) {
    let (x, y) = (thread_idx().x as i32 - 1, thread_idx().y as i32 - 1);
    let at = (thread_idx().y * block_dim().x + thread_idx().x) as usize;
    if at < out.len() {
        out[at] = image.fetch(x, y);
    }
}

/// The same texels through the sampler.
#[gpu_kernel]
fn pointed<T: TextureValue>(image: &Texture2<T>, out: &mut [T]) {
    let (x, y) = (thread_idx().x as f32 - 0.5, thread_idx().y as f32 - 0.5);
    let at = (thread_idx().y * block_dim().x + thread_idx().x) as usize;
    if at < out.len() {
        out[at] = image.sample(x, y);
    }
}

/// Reads an image of 4 by 3 texels with a border of one, in both ways.
fn read<S: ReadAs<R>, R: TextureValue + PartialEq + std::fmt::Debug>(
    device: &Device,
    texels: &[S],
    sampler: Sampler,
    zero: R,
) -> Vec<R> {
    let image = Image2::upload(device, [4, 3], texels).expect("an image");
    let texture = image.texture::<R>(sampler).expect("a texture");
    let fetched =
        written(device, (30, zero), |out| fetched(texture, out).grid(1).block([6, 5]).launch(device));
    if sampler == Sampler::new().address(AddressMode::Border) {
        let pointed =
            written(device, (30, zero), |out| pointed(texture, out).grid(1).block([6, 5]).launch(device));
        assert_eq!(pointed, fetched, "{} as {}", S::NAME, R::NAME);
    }
    fetched
}

/// The texels that are read: 12 of the image, and the zeros around them.
fn bordered<T: Copy>(texels: &[T], zero: T) -> Vec<T> {
    let inside = |x: usize, y: usize| (1..5).contains(&x) && (1..4).contains(&y);
    (0..30)
        .map(|i| (i % 6, i / 6))
        .map(|(x, y)| if inside(x, y) { texels[(y - 1) * 4 + x - 1] } else { zero })
        .collect()
}

macro_rules! formats {
    ($($t:ty: $texel:expr;)+) => {$(
        compiles::<fetched<$t>>(&());
        compiles::<pointed<$t>>(&());
        let texels: Vec<$t> = (0..12u32).map($texel).collect();
        let zero = <$t>::default();
        for device in devices() {
            for sampler in [
                Sampler::new().address(AddressMode::Border),
                Sampler::new().normalized().address(AddressMode::Mirror),
            ] {
                let got = read::<$t, $t>(&device, &texels, sampler, zero);
                assert_eq!(got, bordered(&texels, zero), "{} on {}", stringify!($t), device.name());
            }
        }
    )+};
}

/// Numbers of all sizes and both signs, by their bits.
pub(super) fn bits(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_769) ^ [0, u32::MAX, 0x8000_0000, 0x7f][i as usize % 4]
}

#[test]
fn every_format_is_read_as_it_is_stored() {
    formats! {
        u8: |i| bits(i) as u8;
        i8: |i| bits(i) as i8;
        u16: |i| bits(i) as u16;
        i16: |i| bits(i) as i16;
        u32: |i| bits(i);
        i32: |i| bits(i) as i32;
        f32: |i| i as f32 * 1e30 - 3.0;
        U8x2: |i| U8x2::new(bits(i) as u8, i as u8);
        I8x4: |i| I8x4::new(bits(i) as i8, i as i8, -1, -128);
        U16x2: |i| U16x2::new(bits(i) as u16, i as u16);
        I16x4: |i| I16x4::new(bits(i) as i16, i as i16, -1, -32768);
        U32x2: |i| U32x2::new(bits(i), i);
        I32x4: |i| I32x4::new(bits(i) as i32, i as i32, -1, i32::MIN);
        F32x2: |i| F32x2::new(i as f32, -0.5);
        F32x4: |i| F32x4::new(i as f32, -0.5, 1e-30, 7.0);
    }
}

/// Reads texels as floats, and compares with what they stand for.
fn as_floats<S: ReadAs<f32>>(texels: &[S], want: impl Fn(&S) -> f64) {
    for device in devices() {
        let got = read::<S, f32>(&device, texels, Sampler::new(), f32::NAN);
        let want: Vec<f64> = texels.iter().map(&want).collect();
        for (got, want) in got.iter().zip(bordered(&want, 0.0)) {
            let difference = (f64::from(*got) - want).abs();
            assert!(difference < 1e-6, "{} on {}: {got} for {want}", S::NAME, device.name());
        }
    }
}

#[test]
fn small_integers_and_halves_are_read_as_floats() {
    let texels = |at: [i32; 4]| (0..12).map(move |i| at[i % 4] + (i / 4) as i32);
    let u8s: Vec<u8> = texels([0, 253, 127, 64]).map(|v| v as u8).collect();
    as_floats(&u8s, |v| f64::from(*v) / 255.0);
    let i8s: Vec<i8> = texels([-128, 125, -3, 64]).map(|v| v as i8).collect();
    as_floats(&i8s, |v| (f64::from(*v) / 127.0).max(-1.0));
    let u16s: Vec<u16> = texels([0, 65_533, 32_767, 64]).map(|v| v as u16).collect();
    as_floats(&u16s, |v| f64::from(*v) / 65_535.0);
    let i16s: Vec<i16> = texels([-32_768, 32_765, -3, 64]).map(|v| v as i16).collect();
    as_floats(&i16s, |v| (f64::from(*v) / 32_767.0).max(-1.0));
    let halves: Vec<f16> = texels([-3, 60, 1000, 0]).map(|v| f16::from_f32(v as f32 / 8.0)).collect();
    as_floats(&halves, |v| v.to_f64());
}

/// Bytes between which the texture interpolates.
#[test]
fn normalized_bytes_are_filtered() {
    let texels: Vec<u8> = (0..16).map(|i| (i * 37 % 256) as u8).collect();
    for device in devices() {
        let image = Image2::upload(&device, [4, 4], &texels).expect("an image");
        let texture = image.texture::<f32>(Sampler::new().linear()).expect("a texture");
        let at: Vec<F32x4> = (0..64)
            .map(|i| F32x4::new((i % 8) as f32 * 0.45 + 0.3, (i / 8) as f32 * 0.45 + 0.3, 0.0, 0.0))
            .collect();
        let places = device.upload(&at).expect("memory");
        let got =
            written(&device, (64, f32::NAN), |out| sampled2(texture, &places, out).over(64).launch(&device));
        let texels = texels.iter().map(|v| f32::from(*v) / 255.0).collect();
        let reference = Reference { texels, extents: [4, 4, 1], rank: 2 };
        let way = Way { linear: true, normalized: false, modes: [AddressMode::Clamp; 3], border: 0.0 };
        for (got, at) in got.iter().zip(at) {
            let (want, off) = reference.sample(&way, [at.x.into(), at.y.into(), 0.0]);
            // Bytes are interpolated in fixed point, of at least as many bits as the weights.
            let off = off + 1.0 / 256.0;
            assert!((f64::from(*got) - want).abs() <= off, "{at:?} on {}: {got} for {want}", device.name());
        }
    }
}

/// One of two textures, by name and by reference.
#[gpu_fn]
fn chosen(first: &Texture2<f32>, second: &Texture2<f32>, odd: bool, x: f32) -> f32 {
    let image = if odd { second } else { first };
    image.sample(x, 0.5)
}

#[gpu_kernel]
fn extents(
    line: &Texture1<f32>,
    planes: &TextureLayers<f32>,
    volume: &Texture3<f32>,
    a: &Texture2<f32>,
    b: &Texture2<f32>,
    out: &mut [f32],
) {
    let copy = planes;
    if global_id() == 0 {
        out[0] = line.width() as f32;
        out[1] = (copy.width() * 10000 + copy.height() * 100 + copy.layers()) as f32;
        out[2] = (volume.width() * 10000 + volume.height() * 100 + volume.depth()) as f32;
        out[3] = line.fetch(1u8) + planes.fetch(1, 0, 1u64) + volume.fetch(0, 1usize, 1);
        for i in 0..4u32 {
            out[4] = out[4] * 10.0 + chosen(a, b, i % 2 == 1, 0.5 + (i / 2) as f32);
        }
        out[5] = line.fetch(-1i64) + planes.fetch(0, 0, 2) + volume.fetch(2, 0, 0);
    }
}

#[test]
fn textures_have_extents_and_are_handed_on() {
    everywhere::<extents>(&(), |device| {
        let line = Image1::upload(device, 3, &[1.0f32, 2.0, 3.0]).expect("an image");
        let planes: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let layers = ImageLayers::upload(device, [2, 3, 2], &planes).expect("an image");
        let volume = Image3::upload(device, [2, 3, 2], &planes).expect("an image");
        let a = Image2::upload(device, [2, 1], &[1.0f32, 3.0]).expect("an image");
        let b = Image2::upload(device, [2, 1], &[2.0f32, 4.0]).expect("an image");
        let point = Sampler::new();
        let (a, b) = (a.texture(point).expect("a texture"), b.texture(point).expect("a texture"));
        let (line, layers) = (line.texture(point).expect("one"), layers.texture(point).expect("one"));
        let volume = volume.texture(point).expect("a texture");
        let out = written(device, (6, 0.0f32), |out| {
            extents(line, layers, volume, a, b, out).grid(1).block(32).launch(device)
        });
        assert_eq!(out, [3.0, 20302.0, 20302.0, 2.0 + 7.0 + 8.0, 1234.0, 0.0], "on {}", device.name());
    });
}
