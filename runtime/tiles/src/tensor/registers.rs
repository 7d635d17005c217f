//! Registers whose number depends on a number of columns. Stable Rust cannot write such a number as the length of an array.
//!
//! The IR has an array of exactly this length; the type on the host has room for the largest number.

use core::mem::size_of;
use core::ops::{Index, IndexMut};

use crate::device_api::number::Num;
use crate::device_api::wgmma::{WgmmaElement, WgmmaRegisters, WgmmaSums};
use crate::ir::{Expr, ExprKind, Extent, Type, ValueLayout};
use crate::types::{Constant, DeviceType};

/// Groups of registers of one thread: one of `V` for each `PER` of `N` columns, at most 32.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Registers<V, const N: usize, const PER: usize>([V; 32]);

impl<V: Constant + Copy, const N: usize, const PER: usize> Registers<V, N, PER> {
    /// Groups that all have this value.
    const fn filled(value: V) -> Self {
        Self([value; 32])
    }
}

impl<D: Num, const N: usize> Registers<[D; 4], N, 8> {
    /// Sums that are zero.
    pub const ZERO: Self = Self::filled([D::ZERO; 4]);
}

impl<const N: usize> Registers<[u32; 4], N, 16> {
    /// An operand of zeros.
    pub const NONE: Self = Self::filled([0; 4]);
}

impl<V, const N: usize, const PER: usize> Registers<V, N, PER> {
    /// Number of groups.
    pub const GROUPS: usize = {
        assert!(
            N % PER == 0 && N > 0 && N / PER <= 32,
            "the sums of a warpgroup have a multiple of 8 columns, from 8 to 256: `Accumulator<f32, 128>`; an operand in registers \
             has a multiple of 16"
        );
        N / PER
    };
}

impl<V: DeviceType, const N: usize, const PER: usize> DeviceType for Registers<V, N, PER> {
    type Erased = Registers<V::Erased, N, PER>;

    fn ty() -> Type {
        Type::Array(V::ty().into(), Self::GROUPS)
    }

    const LAYOUT: ValueLayout =
        ValueLayout { size: V::LAYOUT.size * Self::GROUPS, align: V::LAYOUT.align, as_in_rust: false };

    unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: groups side by side; those past the last one are copies of it, and nothing reads them.
        Self(core::array::from_fn(|i| unsafe {
            V::from_ir(at.add(i.min(Self::GROUPS - 1) * V::LAYOUT.size))
        }))
    }

    unsafe fn to_ir(self, at: *mut u8) {
        for (i, group) in self.0.into_iter().take(Self::GROUPS).enumerate() {
            // SAFETY: as in `from_ir`.
            unsafe { group.to_ir(at.add(i * V::LAYOUT.size)) };
        }
    }
}

impl<V: Constant + Copy, const N: usize, const PER: usize> Constant for Registers<V, N, PER> {
    fn to_expr(&self, _name: Option<&'static str>) -> Expr {
        let groups = Extent::from(Self::GROUPS);
        Expr { kind: ExprKind::ArrayRepeat(self.0[0].to_expr(None).into(), groups), ty: Self::ty() }
    }
}

impl<T: WgmmaElement, const N: usize> WgmmaSums<T> for Registers<[T::Sum; 4], N, 8> {
    const GROUPS: usize = Self::GROUPS;
}

impl<D: Num, const N: usize> WgmmaRegisters for Registers<[D; 4], N, 8> {}

impl<V, const N: usize, const PER: usize> Index<usize> for Registers<V, N, PER> {
    type Output = V;

    #[inline]
    #[track_caller]
    fn index(&self, group: usize) -> &V {
        &self.0[..Self::GROUPS][group]
    }
}

impl<V, const N: usize, const PER: usize> IndexMut<usize> for Registers<V, N, PER> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, group: usize) -> &mut V {
        &mut self.0[..Self::GROUPS][group]
    }
}

const _: () = assert!(size_of::<Registers<[f32; 4], 256, 8>>() == 512);
