//! Two, three or four scalars, with the layout and alignment of CUDA's vector types.
//!
//! A load or store of an 8- or 16-byte vector is one instruction.

use super::Parts;
use super::operators::{self, Native};
use super::{Constant, DeviceType, GpuType};
use crate::ir::{Expr, ExprKind, Type};
use crate::record::Callee;
use crate::witness::{DeviceFn, FnProbe, never_called};

/// A vector of two, three or four scalars.
pub trait Vector: GpuType + Constant + Default + PartialEq {
    /// The type of a component.
    type Scalar: GpuType;
    /// Its components in an array.
    type Array: GpuType;
    /// Number of components.
    const LEN: usize;
    /// A vector whose components are equal.
    fn splat(value: Self::Scalar) -> Self;
}

/// Marker of `Vector::new`.
#[doc(hidden)]
pub struct NewMarker;

impl DeviceFn for NewMarker {
    fn callee() -> Callee {
        Callee::Vector
    }
}

/// Marker of `Vector::splat`.
#[doc(hidden)]
pub struct SplatMarker;

impl DeviceFn for SplatMarker {
    fn callee() -> Callee {
        Callee::Splat
    }
}

/// The smaller of two; if one is NaN, the other, as with `f32::min`.
fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if b < a || !is_number(&a) { b } else { a }
}

/// The larger of two; if one is NaN, the other.
fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if b > a || !is_number(&a) { b } else { a }
}

fn is_number<T: PartialOrd>(a: &T) -> bool {
    a.partial_cmp(a).is_some()
}

/// One component-wise operator of a vector with a vector, with a scalar, and of a scalar with it.
macro_rules! operator {
    ($name:ident $scalar:ty, $components:tt; $($trait:ident $method:ident $assign:ident $assign_method:ident)+) => {
        $(operator! { @one $name $scalar, $components; $trait $method $assign $assign_method })+
    };
    (@one $name:ident $scalar:ty, [$($c:ident)+]; $trait:ident $method:ident $assign:ident $assign_method:ident) => {
        impl core::ops::$trait for $name {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $method(self, other: Self) -> Self {
                Self { $($c: self.$c.$method(other.$c)),+ }
            }
        }

        impl core::ops::$trait<$scalar> for $name {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $method(self, other: $scalar) -> Self {
                Self { $($c: self.$c.$method(other)),+ }
            }
        }

        impl core::ops::$trait<$name> for $scalar {
            type Output = $name;
            #[inline]
            #[track_caller]
            fn $method(self, other: $name) -> $name {
                $name { $($c: self.$method(other.$c)),+ }
            }
        }

        impl core::ops::$assign for $name {
            #[inline]
            #[track_caller]
            fn $assign_method(&mut self, other: Self) {
                *self = core::ops::$trait::$method(*self, other);
            }
        }

        impl core::ops::$assign<$scalar> for $name {
            #[inline]
            #[track_caller]
            fn $assign_method(&mut self, other: $scalar) {
                *self = core::ops::$trait::$method(*self, other);
            }
        }

        impl operators::$trait for $name {
            type Marker = Native;
        }

        impl operators::$trait<$scalar> for $name {
            type Marker = Native;
        }

        impl operators::$trait<$name> for $scalar {
            type Marker = Native;
        }

        impl operators::$assign for $name {
            type Marker = Native;
        }

        impl operators::$assign<$scalar> for $name {
            type Marker = Native;
        }
    };
}

macro_rules! negation {
    ($name:ident, [$($c:ident)+]) => {
        impl core::ops::Neg for $name {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn neg(self) -> Self {
                Self { $($c: -self.$c),+ }
            }
        }

        impl operators::Neg for $name {
            type Marker = Native;
        }
    };
}

macro_rules! bitwise {
    ($name:ident $scalar:ty, $components:tt) => {
        operator! { $name $scalar, $components;
            BitAnd bitand BitAndAssign bitand_assign
            BitOr bitor BitOrAssign bitor_assign
            BitXor bitxor BitXorAssign bitxor_assign
        }
    };
}

macro_rules! vector {
    ($name:ident $scalar:ident $ir:ident $len:literal $align:literal [$($c:ident $i:literal)+] $($kind:ident)*) => {
        #[doc = concat!("`", stringify!($len), "` values of type `", stringify!($scalar), "`, aligned to ", stringify!($align), " bytes.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C, align($align))]
        #[allow(missing_docs, reason = "components")]
        pub struct $name {
            $(pub $c: $scalar),+
        }

        impl $name {
            /// A vector of these components.
            #[inline]
            #[allow(clippy::too_many_arguments)]
            pub const fn new($($c: $scalar),+) -> Self {
                Self { $($c),+ }
            }

            /// A vector whose components are equal.
            #[inline]
            pub const fn splat(value: $scalar) -> Self {
                Self { $($c: value),+ }
            }

            /// The components in order.
            #[inline]
            pub const fn to_array(self) -> [$scalar; $len] {
                [$(self.$c),+]
            }

            /// A vector of the components of an array.
            #[inline]
            pub const fn from_array(array: [$scalar; $len]) -> Self {
                Self { $($c: array[$i]),+ }
            }

            /// The smaller of each pair of components.
            #[inline]
            pub fn min(self, other: Self) -> Self {
                Self { $($c: lesser(self.$c, other.$c)),+ }
            }

            /// The larger of each pair of components.
            #[inline]
            pub fn max(self, other: Self) -> Self {
                Self { $($c: greater(self.$c, other.$c)),+ }
            }

            #[doc(hidden)]
            pub fn splat_in_kernels(value: $scalar, _probe: &FnProbe<SplatMarker>) -> Self {
                let _ = value;
                never_called()
            }

            #[doc(hidden)]
            #[allow(clippy::too_many_arguments)]
            pub fn new_in_kernels($($c: $scalar,)+ _probe: &FnProbe<NewMarker>) -> Self {
                $(let _ = $c;)+
                never_called()
            }
        }

        impl DeviceType for $name {
            type Erased = Self;
            fn ty() -> Type {
                Type::Vector(crate::ir::Scalar::$ir, $len)
            }
        }

        // SAFETY: `repr(C)`, of plain scalars, aligned as CUDA's type.
        unsafe impl GpuType for $name {}
        // SAFETY: components side by side, each of any bits.
        unsafe impl super::AnyBits for $name {}

        impl Constant for $name {
            fn to_expr(&self, _name: Option<&'static str>) -> Expr {
                Expr { kind: ExprKind::Vector(vec![$(self.$c.to_expr(None)),+]), ty: Self::ty() }
            }
        }

        impl Vector for $name {
            type Scalar = $scalar;
            type Array = [$scalar; $len];
            const LEN: usize = $len;
            fn splat(value: $scalar) -> Self {
                Self::splat(value)
            }
        }

        impl core::ops::Index<usize> for $name {
            type Output = $scalar;
            #[inline]
            #[track_caller]
            fn index(&self, index: usize) -> &$scalar {
                match index {
                    $($i => &self.$c,)+
                    _ => crate::simulator::context::fault_bounds(index as i64, $len),
                }
            }
        }

        impl core::ops::IndexMut<usize> for $name {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: usize) -> &mut $scalar {
                match index {
                    $($i => &mut self.$c,)+
                    _ => crate::simulator::context::fault_bounds(index as i64, $len),
                }
            }
        }

        impl operators::PartialEq for $name {
            type Marker = Native;
        }

        impl operators::Default for $name {
            type Marker = operators::ZeroMarker<$name>;
        }

        operator! { $name $scalar, [$($c)+];
            Add add AddAssign add_assign
            Sub sub SubAssign sub_assign
            Mul mul MulAssign mul_assign
            Div div DivAssign div_assign
        }
        kinds! { ($($kind)*) $name $scalar, [$($c)+] }
    };
}

/// The methods that only vectors of some scalars have.
macro_rules! kinds {
    (() $name:ident $scalar:ty, $components:tt) => {};
    (($kind:ident $($rest:ident)*) $name:ident $scalar:ty, $components:tt) => {
        $kind! { $name $scalar, $components }
        kinds! { ($($rest)*) $name $scalar, $components }
    };
}

/// Sums of products, of vectors of floats.
macro_rules! float {
    ($name:ident $scalar:ty, [$first:ident $($c:ident)+]) => {
        impl $name {
            /// The sum of the components, from the first on.
            #[inline]
            pub fn sum(self) -> $scalar {
                self.$first $(+ self.$c)+
            }

            /// The sum of the products of the components, from the first on.
            #[inline]
            pub fn dot(self, other: Self) -> $scalar {
                self.$first * other.$first $(+ self.$c * other.$c)+
            }
        }
    };
}

/// Lengths, of vectors of `f32` and `f64`.
macro_rules! length {
    ($name:ident $scalar:ty, $components:tt) => {
        impl $name {
            /// The square root of the sum of squares.
            #[inline]
            pub fn length(self) -> $scalar {
                self.dot(self).sqrt()
            }

            /// The vector of length one in the same direction.
            #[inline]
            pub fn normalize(self) -> Self {
                self / self.length()
            }
        }
    };
}

macro_rules! signed {
    ($name:ident $scalar:ty, $components:tt) => {
        negation! { $name, $components }
    };
}

macro_rules! integer {
    ($name:ident $scalar:ty, $components:tt) => {
        bitwise! { $name $scalar, $components }
    };
}

macro_rules! vectors {
    ($($two:ident $three:ident $four:ident $scalar:ident $ir:ident $a2:literal $a3:literal $a4:literal $($kind:ident)*;)+) => {$(
        vector! { $two $scalar $ir 2 $a2 [x 0 y 1] $($kind)* }
        vector! { $three $scalar $ir 3 $a3 [x 0 y 1 z 2] $($kind)* }
        vector! { $four $scalar $ir 4 $a4 [x 0 y 1 z 2 w 3] $($kind)* }
    )+};
}

use crate::half::{bf16, f16};

vectors! {
    I8x2 I8x3 I8x4 i8 I8 2 1 4 integer signed;
    U8x2 U8x3 U8x4 u8 U8 2 1 4 integer;
    I16x2 I16x3 I16x4 i16 I16 4 2 8 integer signed;
    U16x2 U16x3 U16x4 u16 U16 4 2 8 integer;
    I32x2 I32x3 I32x4 i32 I32 8 4 16 integer signed;
    U32x2 U32x3 U32x4 u32 U32 8 4 16 integer;
    I64x2 I64x3 I64x4 i64 I64 16 8 16 integer signed;
    U64x2 U64x3 U64x4 u64 U64 16 8 16 integer;
    F16x2 F16x3 F16x4 f16 F16 4 2 8 signed float;
    BF16x2 BF16x3 BF16x4 bf16 BF16 4 2 8 signed float;
    F32x2 F32x3 F32x4 f32 F32 8 4 16 signed float length;
    F64x2 F64x3 F64x4 f64 F64 16 8 16 signed float length;
}

macro_rules! swizzles {
    ($($two:ident $three:ident $four:ident $scalar:ty;)+) => {$(
        impl $three {
            /// The first two components.
            #[inline]
            pub const fn xy(self) -> $two {
                $two { x: self.x, y: self.y }
            }

            /// These components and a fourth.
            #[inline]
            pub const fn extend(self, w: $scalar) -> $four {
                $four { x: self.x, y: self.y, z: self.z, w }
            }
        }

        impl $four {
            /// The first two components.
            #[inline]
            pub const fn xy(self) -> $two {
                $two { x: self.x, y: self.y }
            }

            /// The last two components.
            #[inline]
            pub const fn zw(self) -> $two {
                $two { x: self.z, y: self.w }
            }

            /// The first three components.
            #[inline]
            pub const fn xyz(self) -> $three {
                $three { x: self.x, y: self.y, z: self.z }
            }
        }

        impl Parts for $two {
            type Two = Self;
            type Three = Self;
            type Four = Self;
        }

        impl Parts for $three {
            type Two = $two;
            type Three = Self;
            type Four = $four;
        }

        impl Parts for $four {
            type Two = $two;
            type Three = $three;
            type Four = Self;
        }
    )+};
}

swizzles! {
    I8x2 I8x3 I8x4 i8; U8x2 U8x3 U8x4 u8; I16x2 I16x3 I16x4 i16; U16x2 U16x3 U16x4 u16;
    I32x2 I32x3 I32x4 i32; U32x2 U32x3 U32x4 u32; I64x2 I64x3 I64x4 i64; U64x2 U64x3 U64x4 u64;
    F16x2 F16x3 F16x4 f16; BF16x2 BF16x3 BF16x4 bf16; F32x2 F32x3 F32x4 f32; F64x2 F64x3 F64x4 f64;
}
