//! The texels of images, and the values that textures read of them.

use crate::half::f16;

use crate::types::vector::*;
use crate::types::{AnyBits, DeviceType, GpuType};

/// How the components of a texel are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `f16`
    F16,
    /// `f32`
    F32,
}

/// How a texel is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Each component.
    pub channel: Channel,
    /// The number of components: 1, 2 or 4.
    pub channels: usize,
}

impl Channel {
    /// Bytes of a component.
    pub fn bytes(self) -> usize {
        match self {
            Channel::U8 | Channel::I8 => 1,
            Channel::U16 | Channel::I16 | Channel::F16 => 2,
            Channel::U32 | Channel::I32 | Channel::F32 => 4,
        }
    }

    /// The component at an address, as it is.
    ///
    /// # Safety
    /// The address has that many bytes.
    unsafe fn load(self, at: *const u8) -> f64 {
        // SAFETY: as promised; the reads need no alignment.
        unsafe {
            match self {
                Channel::U8 => at.read().into(),
                Channel::I8 => at.cast::<i8>().read().into(),
                Channel::U16 => at.cast::<u16>().read_unaligned().into(),
                Channel::I16 => at.cast::<i16>().read_unaligned().into(),
                Channel::U32 => at.cast::<u32>().read_unaligned().into(),
                Channel::I32 => at.cast::<i32>().read_unaligned().into(),
                Channel::F16 => at.cast::<f16>().read_unaligned().to_f64(),
                Channel::F32 => at.cast::<f32>().read_unaligned().into(),
            }
        }
    }

    /// The divisor of a component that is read normalized; the minimum of signed ones is -1.
    fn largest(self) -> f64 {
        match self {
            Channel::U8 => 255.0,
            Channel::I8 => 127.0,
            Channel::U16 => 65_535.0,
            Channel::I16 => 32_767.0,
            _ => 1.0,
        }
    }
}

impl Format {
    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        self.channel.bytes() * self.channels
    }

    /// The components of the texel at an address; those that it has not are zero.
    ///
    /// # Safety
    /// The address is of a texel of this format.
    pub(super) unsafe fn load(self, at: *const u8, normalizes: bool) -> [f64; 4] {
        let mut components = [0.0; 4];
        for (i, component) in components.iter_mut().take(self.channels).enumerate() {
            // SAFETY: each component is within the texel.
            let value = unsafe { self.channel.load(at.add(i * self.channel.bytes())) };
            *component = if normalizes { (value / self.channel.largest()).max(-1.0) } else { value };
        }
        components
    }
}

/// The types of an image's texels: 8-, 16- and 32-bit integers, `f16`, `f32`, and vectors of two and four of them.
#[diagnostic::on_unimplemented(
    message = "an image cannot hold `{Self}`",
    label = "not a texel",
    note = "texels are i8, u8, i16, u16, i32, u32, f16, f32, and vectors of two or four of them, such as `F32x4`"
)]
pub trait Texel: AnyBits + DeviceType<Erased = Self> + 'static {
    /// How it is stored.
    const FORMAT: Format;
    /// Its Rust name.
    const NAME: &'static str;
}

/// The types that a texture can read: texels except halves, which are read as `f32`.
#[diagnostic::on_unimplemented(
    message = "a texture cannot read `{Self}`",
    label = "not read by textures",
    note = "textures read i8, u8, i16, u16, i32, u32, f32, and vectors of two or four of them; texels of `f16` are read as `f32`"
)]
pub trait TextureValue: GpuType + DeviceType<Erased = Self> + 'static {
    /// Its Rust name.
    const NAME: &'static str;
    /// Whether it is a float; a texture interpolates between floats.
    const FLOAT: bool;
    /// The value of components, rounded to their type.
    #[doc(hidden)]
    fn from_components(components: [f64; 4]) -> Self;
}

/// The types as which texels of an image can be read: themselves; 8- and 16-bit integers as normalized floats; halves as
/// floats.
#[diagnostic::on_unimplemented(
    message = "a texture cannot read texels of `{Self}` as `{R}`",
    label = "stored as `{Self}`",
    note = "texels are read as they are; 8- and 16-bit integers also as normalized `f32`, and `f16` as `f32`, with as many components"
)]
pub trait ReadAs<R: TextureValue>: Texel {
    /// Whether integers become floats from 0 to 1, or from -1 to 1.
    const NORMALIZES: bool;
}

macro_rules! texels {
    ($($channel:ident $one:ty, $two:ty, $four:ty;)+) => {$(
        texels! { @texel $channel 1 $one }
        texels! { @texel $channel 2 $two }
        texels! { @texel $channel 4 $four }
    )+};
    (@texel $channel:ident $n:literal $t:ty) => {
        impl Texel for $t {
            const FORMAT: Format = Format { channel: Channel::$channel, channels: $n };
            const NAME: &'static str = stringify!($t);
        }
    };
}

texels! {
    U8 u8, U8x2, U8x4;
    I8 i8, I8x2, I8x4;
    U16 u16, U16x2, U16x4;
    I16 i16, I16x2, I16x4;
    U32 u32, U32x2, U32x4;
    I32 i32, I32x2, I32x4;
    F16 f16, F16x2, F16x4;
    F32 f32, F32x2, F32x4;
}

macro_rules! values {
    ($($float:literal $component:ty, $one:ty, $two:ty, $four:ty;)+) => {$(
        values! { @value $float $one, |c| c[0] as $component }
        values! { @value $float $two, |c| <$two>::new(c[0] as $component, c[1] as $component) }
        values! { @value $float $four,
            |c| <$four>::new(c[0] as $component, c[1] as $component, c[2] as $component, c[3] as $component) }
    )+};
    (@value $float:literal $t:ty, |$c:ident| $make:expr) => {
        impl TextureValue for $t {
            const NAME: &'static str = stringify!($t);
            const FLOAT: bool = $float;
            fn from_components($c: [f64; 4]) -> Self {
                $make
            }
        }

        impl ReadAs<$t> for $t {
            const NORMALIZES: bool = false;
        }
    };
}

values! {
    false u8, u8, U8x2, U8x4;
    false i8, i8, I8x2, I8x4;
    false u16, u16, U16x2, U16x4;
    false i16, i16, I16x2, I16x4;
    false u32, u32, U32x2, U32x4;
    false i32, i32, I32x2, I32x4;
    true f32, f32, F32x2, F32x4;
}

macro_rules! floats {
    ($normalizes:literal: $($one:ty, $two:ty, $four:ty;)+) => {$(
        impl ReadAs<f32> for $one {
            const NORMALIZES: bool = $normalizes;
        }

        impl ReadAs<F32x2> for $two {
            const NORMALIZES: bool = $normalizes;
        }

        impl ReadAs<F32x4> for $four {
            const NORMALIZES: bool = $normalizes;
        }
    )+};
}

floats! { true: u8, U8x2, U8x4; i8, I8x2, I8x4; u16, U16x2, U16x4; i16, I16x2, I16x4; }
floats! { false: f16, F16x2, F16x4; }
