//! Mistakes in products of a warpgroup.

use std::fmt;

/// A mistake in a product of a warpgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WgmmaProblem {
    /// The block ends within the thread's warpgroup.
    Threads {
        /// Threads of the block.
        threads: u32,
    },
    /// A thread of the warpgroup has returned.
    Returned {
        /// The thread, by its number in the warpgroup.
        thread: u32,
    },
    /// Threads of the warpgroup are at different products.
    Elsewhere {
        /// Rust file of the other one.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// The thread that is there, by its number in the warpgroup.
        thread: u32,
    },
    /// Threads of the warpgroup pass different operands to one product.
    Differs {
        /// The operand that differs.
        what: &'static str,
        /// The other thread, by its number in the warpgroup.
        thread: u32,
    },
    /// Nothing orders what the thread did to the registers before the product.
    NotFenced,
    /// A register was written while a product computed it.
    Written {
        /// The register's number.
        register: usize,
    },
    /// A register of sums is used while a product computes it.
    Touched {
        /// The register's number.
        register: usize,
        /// Whether it is written.
        writes: bool,
        /// Rust file of the product.
        file: String,
        /// Line of the product, from 1.
        line: u32,
    },
    /// The thread returns while a product computes its sums.
    NotWaitedFor,
    /// The sums are in flight with another number of columns.
    OtherShape,
    /// An operand is not in one array of the block's shared memory.
    Outside {
        /// Whether it is the left one.
        is_left: bool,
    },
    /// An operand does not begin where its swizzle's pattern begins.
    Misaligned {
        /// Whether it is the left one.
        is_left: bool,
        /// The bytes between the two.
        beyond: usize,
        /// The bytes after which the pattern begins again.
        pattern: usize,
    },
    /// A descriptor of a place outside of shared memory.
    NotShared,
}

impl fmt::Display for WgmmaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threads { threads } => write!(
                f,
                "is in a block of {threads} threads that ends within the thread's warpgroup; a warpgroup has 128 threads, and all of them make the call"
            ),
            Self::Returned { thread } => write!(
                f,
                "misses thread {thread} of its warpgroup, which has returned; all 128 threads make the call"
            ),
            Self::Elsewhere { file, line, thread } => write!(
                f,
                "is reached while thread {thread} of its warpgroup waits at {file}:{line}; all 128 threads make the same call"
            ),
            Self::Differs { what, thread } => write!(
                f,
                "differs in {what} from the call of thread {thread} of its warpgroup; all 128 threads pass the same"
            ),
            Self::NotFenced => write!(
                f,
                "computes sums whose registers the thread may have touched since it last waited; call `wgmma_fence()` before"
            ),
            Self::Written { register } => write!(
                f,
                "finds register {register} of the sums written, or the sums elsewhere, though a product was computing them; leave them alone from the product to the `wgmma_wait` of its group"
            ),
            Self::Touched { register, writes, file, line } => write!(
                f,
                "{} register {register} of sums that the product at {file}:{line} computes; wait for its group by `wgmma_wait` before",
                if *writes { "writes" } else { "reads" }
            ),
            Self::NotWaitedFor => write!(
                f,
                "still computes its sums when its thread returns; call `wgmma_commit()` and `wgmma_wait::<0>()` before"
            ),
            Self::OtherShape => write!(
                f,
                "computes a part of sums that another product is computing; only products of the same shape follow each other without `wgmma_wait`"
            ),
            Self::Outside { is_left } => write!(
                f,
                "reads the operand `{}` outside of a shared array; see that start, distances and swizzle of its descriptor fit the array",
                name(*is_left)
            ),
            Self::Misaligned { is_left, beyond, pattern } => write!(
                f,
                "reads the operand `{}` from a tile that begins {beyond} bytes beyond a multiple of {pattern}, where its swizzle's pattern begins: declare the array by `shared!(Tile<…>)` or with `align = {pattern}`, and let parts of a tile begin at multiples of 8 rows",
                name(*is_left)
            ),
            Self::NotShared => write!(
                f,
                "is given an address outside the block's shared memory; pass a place in a `shared!` array"
            ),
        }
    }
}

/// The operand's name in `wgmma`.
fn name(is_left: bool) -> &'static str {
    if is_left { "a" } else { "b" }
}
