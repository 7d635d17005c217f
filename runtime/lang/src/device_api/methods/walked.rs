//! Iterators over parts of slices in the witness, which alone finds these methods: an iterator is no value of a kernel.

use crate::record::{Callee, PartShape};
use crate::types::{Chunks, ChunksMut, IndexInteger, Sliceable, SliceableMut};
use crate::witness::{DeviceFn, FnProbe, never_called};

macro_rules! walked {
    ($($(#[$doc:meta])* $trait:ident: $of:ident, $parts:ident, $receiver:ty, $mutable:literal {
        $($method:ident => $marker:ident: $shape:ident;)+
    })+) => {$(
        $(#[$doc])*
        #[doc(hidden)]
        pub trait $trait: $of {
            $(
                #[doc(hidden)]
                fn $method<I: IndexInteger>(self: $receiver, _n: I, _probe: &FnProbe<$marker>) -> $parts<'_, Self::Element> {
                    never_called()
                }
            )+
        }

        impl<S: $of + ?Sized> $trait for S {}

        $(
            #[doc(hidden)]
            pub struct $marker;

            impl DeviceFn for $marker {
                fn callee() -> Callee {
                    Callee::Parts(PartShape::$shape, $mutable)
                }
            }
        )+
    )+};
}

walked! {
    /// Parts that are read.
    WalkedParts: Sliceable, Chunks, &Self, false {
        chunks_in_kernel_loops => WalkedChunks: Chunks;
        chunks_exact_in_kernel_loops => WalkedExactChunks: ExactChunks;
        windows_in_kernel_loops => WalkedWindows: Windows;
    }
    /// Parts that are written.
    WalkedPartsMut: SliceableMut, ChunksMut, &mut Self, true {
        chunks_mut_in_kernel_loops => WalkedChunksMut: Chunks;
        chunks_exact_mut_in_kernel_loops => WalkedExactChunksMut: ExactChunks;
    }
}
