//! The CUDA of textures and surfaces; their Rust meaning is in [`crate::image`].

use core::marker::PhantomData;

use super::text::type_name;
use crate::codegen::images;
use crate::ir::{
    Builtin, CudaText, Effect, Facts, ImageShape, ImageType, Meaning, Name, Prelude, Scalar, Type, Variance,
};
use crate::meaning::{Arguments, give};
use crate::record::Callee;
use crate::types::DeviceType;
use crate::witness::DeviceFn;

/// Marker of the method that gives an extent of an image, by its place in [`EXTENTS`].
#[doc(hidden)]
pub struct ImageExtent<A, const FIELD: usize>(PhantomData<fn() -> A>);

const EXTENTS: [&str; 4] = ["width", "height", "depth", "layers"];

impl<A: Extents, const FIELD: usize> DeviceFn for ImageExtent<A, FIELD> {
    fn callee() -> Callee {
        unsafe fn meaning<A: Extents, const FIELD: usize>(args: *const *const u8, ret: *mut u8) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
            unsafe { give(Arguments::new(args).take::<&A>().extent(FIELD), ret) };
        }
        let builtin = &EXTENT[FIELD];
        Callee::Builtin(builtin, Some(Meaning(meaning::<A, FIELD>)))
    }
}

/// The builtin that gives an extent.
const fn extent<const FIELD: usize>() -> Builtin {
    fn text<const FIELD: usize>(_args: &[Type], _ret: &Type) -> CudaText {
        CudaText::new(format!("{{0}}.{}", EXTENTS[FIELD]))
    }
    Builtin { facts: Facts::MOVES, ..Builtin::pure(Name::new(EXTENTS[FIELD]), text::<FIELD>) }
}

/// The builtins that give extents.
pub(crate) static EXTENT: &[Builtin] = &[extent::<0>(), extent::<1>(), extent::<2>(), extent::<3>()];

/// Images that have extents.
#[doc(hidden)]
pub trait Extents: DeviceType {
    /// The extent of that name, by its place in [`EXTENTS`].
    fn extent(&self, field: usize) -> u32;
}

macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident, $rust:literal, $text:ident $(, $key:ident: $value:expr)*;)+) => {
    $(
        $(#[$doc])*
        ///
        /// `A` is the image, `I` the indices.
        #[doc(hidden)]
        pub struct $name<A, I>(PhantomData<fn(I) -> A>);

        impl<A, I> $name<A, I> {
            #[allow(missing_docs)]
            pub(crate) fn builtin() -> &'static Builtin {
                &ACCESSES[Number::$name as usize]
            }
        }
    )+

        enum Number { $($name),+ }

        /// The builtins that read and write images.
        pub(crate) static ACCESSES: &[Builtin] = &[$(
            Builtin { $($key: $value,)* ..Builtin::pure(Name::new($rust), $text) }
        ),+];
    };
}

markers! {
    /// Marker of `sample`: no kernel writes a texture that it samples.
    Sample, "sample", sample_text, facts: Facts::MOVES;
    /// Marker of `fetch`.
    Fetch, "fetch", fetch_text, facts: Facts::MOVES;
    /// Marker of a surface's `read`.
    Load, "read", read_text, facts: Facts::MOVES, effect: Effect::Writes, variance: Variance::PerThread;
    /// Marker of a surface's `write`.
    Store, "write", write_text, facts: Facts::MOVES, effect: Effect::Writes;
}

/// The callee of a method of an image whose other arguments are these.
macro_rules! method {
    ($marker:ident [$($generics:tt)*] $of:ty, $image:ty; ($($arg:ident: $ty:ty),*) $method:ident) => {
        impl<$($generics)*> crate::witness::DeviceFn for crate::device_api::texture::$marker<$of, ($($ty,)*)> {
            fn callee() -> crate::record::Callee {
                unsafe fn meaning<$($generics)*>(args: *const *const u8, ret: *mut u8) {
                    // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
                    unsafe {
                        let mut args = crate::meaning::Arguments::new(args);
                        let image: $image = args.take();
                        $(let $arg: $ty = args.take();)*
                        crate::meaning::give(image.$method($($arg),*), ret);
                    }
                }
                let meaning = crate::ir::Meaning(method!(@named meaning [$($generics)*]));
                let builtin = crate::device_api::texture::$marker::<$of, ($($ty,)*)>::builtin();
                crate::record::Callee::Builtin(builtin, Some(meaning))
            }
        }
    };
    (@named $meaning:ident [$($t:ident: $bound:path),*]) => {
        $meaning::<$($t),*>
    };
}

pub(crate) use method;

/// The image that a method is called on.
fn image(args: &[Type]) -> ImageType {
    match args.first().map(Type::peeled) {
        Some(Type::Image(image)) => *image,
        _ => ImageType { surface: false, shape: ImageShape::Plane },
    }
}

/// CUDA's word for the form: `2D` of `tex2D`. A line is a plane of one row, as texture units fetch no texels of others.
fn dimensions(shape: ImageShape) -> &'static str {
    match shape {
        ImageShape::Line | ImageShape::Plane => "2D",
        ImageShape::Volume => "3D",
        ImageShape::Layers => "2DLayered",
    }
}

fn sample_text(args: &[Type], ret: &Type) -> CudaText {
    let shape = image(args).shape;
    let (dimensions, ty) = (dimensions(shape), type_name(ret));
    let mut coordinates: String = (1..args.len()).map(|i| format!(", {{{i}}}")).collect();
    if shape == ImageShape::Line {
        coordinates.push_str(", 0.5f");
    }
    CudaText::new(format!("tex{dimensions}<{ty}>({{0}}.object{coordinates})"))
}

/// CUDA has a function for integer coordinates of linear memory alone, so this is PTX.
fn fetch_text(args: &[Type], ret: &Type) -> CudaText {
    let (image, value) = (image(args), type_name(ret));
    let (letter, lanes, constraint) = match scalar(ret) {
        s if s.is_float() => ("f32", "float", "f"),
        s if s.is_signed() => ("s32", "int", "r"),
        _ => ("u32", "unsigned int", "r"),
    };
    let (ptx, coordinates) = match image.shape {
        ImageShape::Line | ImageShape::Plane => ("2d", "%5, %6"),
        ImageShape::Volume => ("3d", "%5, %6, %7, %7"),
        ImageShape::Layers => ("a2d", "%7, %5, %6, %6"),
    };
    let indices = &["x", "y", "z"][..image.shape.extents().len()];
    let parameters: String = indices.iter().map(|i| format!(", long long {i}")).collect();
    let inside = indices
        .iter()
        .zip(image.shape.extents())
        .map(|(i, extent)| format!("(unsigned long long){i} < image.{extent}"));
    let inside = inside.collect::<Vec<_>>().join(" && ");
    let mut inputs: String = indices.iter().map(|i| format!(", \"r\"((int){i})")).collect();
    if image.shape == ImageShape::Line {
        inputs.push_str(", \"r\"(0)");
    }
    let outputs = ["a", "b", "c", "d"].map(|lane| format!("\"={constraint}\"({lane})")).join(", ");
    let result = components(ret);
    let name = format!("ws_fetch{}_{}", image.shape.suffix(), suffix(ret));
    let definition = format!(
        "__device__ __forceinline__ {value} {name}(const ws_{image}& image{parameters}) {{
    {lanes} a = 0, b = 0, c = 0, d = 0;
    if ({inside}) {{
        asm(\"tex.{ptx}.v4.{letter}.s32 {{%0, %1, %2, %3}}, [%4, {{{coordinates}}}];\" : {outputs} : \"l\"(image.object){inputs});
    }}
    return {result};
}}
"
    );
    let holes: Vec<String> = (0..args.len()).map(|i| format!("{{{i}}}")).collect();
    let mut text = CudaText::new(format!("{name}({})", holes.join(", ")));
    text.definitions.push(definition);
    text
}

/// The lanes `a`, `b`, `c` and `d` as a value.
fn components(ty: &Type) -> String {
    let component = type_name(&Type::Scalar(scalar(ty)));
    match ty {
        Type::Vector(_, n) => {
            let lanes = ["a", "b", "c", "d"].iter().take(*n).map(|lane| format!("({component}){lane}"));
            format!("{}{{{}}}", type_name(ty), lanes.collect::<Vec<_>>().join(", "))
        }
        _ => format!("({component})a"),
    }
}

/// The scalar that a value is, or has as components.
fn scalar(ty: &Type) -> Scalar {
    match ty.peeled() {
        Type::Scalar(s) | Type::Vector(s, _) => *s,
        _ => Scalar::U32,
    }
}

/// A type as the end of a name.
fn suffix(ty: &Type) -> String {
    match ty.peeled() {
        Type::Vector(s, n) => format!("{s}x{n}"),
        other => scalar(other).to_string(),
    }
}

/// CUDA's type that a texel is moved as: halves by their bits.
fn moved(ty: &Type) -> String {
    let bits = |s: Scalar| if s.is_half() { Scalar::U16 } else { s };
    match ty.peeled() {
        Type::Vector(s, n) => type_name(&Type::Vector(bits(*s), *n)),
        other => type_name(&Type::Scalar(bits(scalar(other)))),
    }
}

fn read_text(args: &[Type], ret: &Type) -> CudaText {
    let holes: Vec<String> = (0..args.len()).map(|i| format!("{{{i}}}")).collect();
    let call = format!("ws_read<{{ret}}, {}>({})", moved(ret), holes.join(", "));
    CudaText::with(call, access(image(args).shape)[0])
}

fn write_text(args: &[Type], _ret: &Type) -> CudaText {
    let holes: Vec<String> = (0..args.len()).map(|i| format!("{{{i}}}")).collect();
    let value = args.last().map(moved).unwrap_or_default();
    CudaText::with(format!("ws_write<{value}>({})", holes.join(", ")), access(image(args).shape)[1])
}

/// The preludes that read and write a surface.
fn access(shape: ImageShape) -> [&'static Prelude; 2] {
    match shape {
        ImageShape::Line => [&READ1, &WRITE1],
        ImageShape::Plane => [&READ2, &WRITE2],
        ImageShape::Volume => [&READ3, &WRITE3],
        ImageShape::Layers => [&READ_LAYERS, &WRITE_LAYERS],
    }
}

/// Indices of any width are compared with the extents, a negative one as larger than any; what is inside fits
/// CUDA's `int`.
macro_rules! surfaces {
    ($($read:ident $write:ident $form:literal $struct:ident $parameters:literal $inside:literal $cuda:literal $at:literal;)+) => {$(
        static $read: Prelude = Prelude {
            name: concat!("ws_read", $form),
            code: concat!(
                "template <class T, class M>\n__device__ __forceinline__ T ws_read(const ws_Surface", $form,
                "& image, ", $parameters, ") {\n    if (", $inside, ") {\n        return __builtin_bit_cast(T, ",
                $cuda, "read<M>(image.object, ", $at, ", cudaBoundaryModeZero));\n    }\n    return T{};\n}\n",
            ),
            needs: &[&images::$struct],
        };
        static $write: Prelude = Prelude {
            name: concat!("ws_write", $form),
            code: concat!(
                "template <class M, class T>\n__device__ __forceinline__ void ws_write(const ws_Surface", $form,
                "& image, ", $parameters, ", T value) {\n    if (", $inside, ") {\n        ", $cuda,
                "write(__builtin_bit_cast(M, value), image.object, ", $at, ", cudaBoundaryModeZero);\n    }\n}\n",
            ),
            needs: &[&images::$struct],
        };
    )+};
}

surfaces! {
    READ1 WRITE1 "1" SURFACE1 "long long x" "(unsigned long long)x < image.width" "surf2D"
        "(int)x * (int)sizeof(M), 0";
    READ2 WRITE2 "2" SURFACE2 "long long x, long long y"
        "(unsigned long long)x < image.width && (unsigned long long)y < image.height" "surf2D" "(int)x * (int)sizeof(M), (int)y";
    READ3 WRITE3 "3" SURFACE3 "long long x, long long y, long long z"
        "(unsigned long long)x < image.width && (unsigned long long)y < image.height && (unsigned long long)z < image.depth" "surf3D"
        "(int)x * (int)sizeof(M), (int)y, (int)z";
    READ_LAYERS WRITE_LAYERS "Layers" SURFACE_LAYERS
        "long long x, long long y, long long layer"
        "(unsigned long long)x < image.width && (unsigned long long)y < image.height && (unsigned long long)layer < image.layers" "surf2DLayered"
        "(int)x * (int)sizeof(M), (int)y, (int)layer";
}
