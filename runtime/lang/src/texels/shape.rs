//! The forms of images, as types.

use crate::ir::ImageShape;

/// The form of an image: [`Line`], [`Plane`], [`Volume`] or [`Layers`].
pub trait Shape: 'static {
    /// Extents in texels: width, height, and depth or layers.
    type Extents: Copy;
    /// The shape in the IR.
    #[doc(hidden)]
    const SHAPE: ImageShape;
    /// Extents in every dimension; 1 in those that it has not.
    #[doc(hidden)]
    fn all(extents: Self::Extents) -> [usize; 3];
    /// The extents that it has.
    #[doc(hidden)]
    fn own(all: [usize; 3]) -> Self::Extents;
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident: $extents:ty, |$given:ident| $all:expr, |$whole:ident| $own:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl Shape for $name {
            type Extents = $extents;
            const SHAPE: ImageShape = ImageShape::$name;
            fn all($given: $extents) -> [usize; 3] {
                $all
            }
            fn own($whole: [usize; 3]) -> $extents {
                $own
            }
        }
    )+};
}

shapes! {
    /// A row of texels; its extent is the width.
    Line: usize, |width| [width, 1, 1], |all| all[0];
    /// Rows of texels; its extents are width and height.
    Plane: [usize; 2], |extents| [extents[0], extents[1], 1], |all| [all[0], all[1]];
    /// Planes of texels, between which a texture is filtered; its extents are width, height and depth.
    Volume: [usize; 3], |extents| extents, |all| all;
    /// A stack of planes of texels; its extents are width, height and layers.
    Layers: [usize; 3], |extents| extents, |all| all;
}
