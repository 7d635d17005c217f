//! Positions of threads: indices and extents of the grid, the block and the warp.

use super::text::{fixed, with};
use crate::ir::{CudaText, Facts, FieldType, Position, Prelude, StructType, Type, Variance};
use crate::simulator::context;
use crate::types::{DeviceType, GpuType};

/// A three-dimensional index or extent, CUDA's `uint3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Index3 {
    /// Fastest varying.
    pub x: u32,
    /// Second.
    pub y: u32,
    /// Slowest varying.
    pub z: u32,
}

impl From<[u32; 3]> for Index3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self { x, y, z }
    }
}

impl DeviceType for Index3 {
    type Erased = Self;
    fn ty() -> Type {
        let field = |name, offset| FieldType { name, ty: Type::U32, offset };
        let fields = vec![field("x", 0), field("y", 4), field("z", 8)];
        let def = StructType { cuda_name: Some("uint3"), ..StructType::new("Index3".into(), fields, 12, 4) };
        Type::Struct(def.into())
    }
}

// SAFETY: three `u32`s, as CUDA's `uint3`.
unsafe impl GpuType for Index3 {}

builtin! {
    /// Index of the calling thread in its block.
    pub fn thread_idx() -> Index3 { cuda: fixed("threadIdx"), variance: Variance::PerThread, facts: Facts::at(Position::ThreadIndex) } {
        context::thread_idx().into()
    }

    /// Index of the calling thread's block in the grid.
    pub fn block_idx() -> Index3 { cuda: fixed("blockIdx"), variance: Variance::PerBlock, facts: Facts::at(Position::BlockIndex) } {
        context::block_idx().into()
    }

    /// Threads in a block, in each dimension.
    pub fn block_dim() -> Index3 { cuda: fixed("blockDim"), facts: Facts::at(Position::BlockExtent) } {
        context::block_dim().into()
    }

    /// Blocks in the grid, in each dimension.
    pub fn grid_dim() -> Index3 { cuda: fixed("gridDim"), facts: Facts::at(Position::GridExtent) } {
        context::grid_dim().into()
    }

    /// Index of the calling thread among all threads of a one-dimensional grid.
    ///
    /// `block_idx().x * block_dim().x + thread_idx().x`, in 64 bits.
    pub fn global_id() -> usize {
        cuda: fixed("((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x)"), variance: Variance::PerThread, facts: Facts::at(Position::GlobalId)
    } {
        context::block_idx()[0] as usize * context::block_dim()[0] as usize + context::thread_idx()[0] as usize
    }

    /// Number of threads of a one-dimensional grid: `grid_dim().x * block_dim().x`, in 64 bits.
    pub fn global_size() -> usize { cuda: fixed("((unsigned long long)gridDim.x * blockDim.x)"), facts: Facts::at(Position::GlobalSize) } {
        context::grid_dim()[0] as usize * context::block_dim()[0] as usize
    }

    /// Index of the calling thread in its block, `x` fastest.
    pub fn thread_rank() -> u32 {
        cuda: fixed("{rank}"),
        variance: Variance::PerThread, facts: Facts::at(Position::ThreadRank)
    } {
        let ([x, y, z], [width, height, _]) = (context::thread_idx(), context::block_dim());
        x + width * (y + height * z)
    }

    /// Threads in the block.
    pub fn block_size() -> u32 { cuda: fixed("(blockDim.x * blockDim.y * blockDim.z)"), facts: Facts::at(Position::BlockSize) } {
        context::block_dim().iter().product()
    }

    /// Number of the calling thread's block among all blocks of the grid, `x` fastest.
    pub fn grid_block_rank() -> usize {
        cuda: with("ws_grid_block_rank()", &GRID_BLOCK_RANK), variance: Variance::PerBlock, facts: Facts::at(Position::GridBlockRank)
    } {
        let ([x, y, z], [width, height, _]) = (context::block_idx(), context::grid_dim());
        x as usize + width as usize * (y as usize + height as usize * z as usize)
    }

    /// Blocks of the grid, in all dimensions together.
    pub fn grid_blocks() -> usize { cuda: fixed("((unsigned long long)gridDim.x * gridDim.y * gridDim.z)"), facts: Facts::at(Position::GridBlocks) } {
        context::grid_dim().iter().map(|blocks| *blocks as usize).product()
    }

    /// Number of the calling thread among all threads of the grid: block after block, `x` fastest.
    ///
    /// Cooperative groups call it `grid.thread_rank()`. In a one-dimensional grid it is [`global_id`].
    pub fn grid_thread_rank() -> usize {
        cuda: with("ws_grid_thread_rank()", &GRID_THREAD_RANK), variance: Variance::PerThread, facts: Facts::at(Position::GridThreadRank)
    } {
        grid_block_rank() * block_size() as usize + thread_rank() as usize
    }

    /// Threads of the grid, in all dimensions together.
    pub fn grid_threads() -> usize { cuda: with("ws_grid_threads()", &GRID_THREADS), facts: Facts::at(Position::GridThreads) } {
        grid_blocks() * block_size() as usize
    }

    /// Threads in a warp: 32 on every device so far.
    pub fn warp_size() -> u32 { cuda: fixed("32u"), facts: Facts::at(Position::WarpSize) } {
        32
    }

    /// Index of the calling thread in its warp, from 0 to 31.
    pub fn lane_id() -> u32 {
        cuda: |_: &[Type], _: &Type| CudaText::with("ws_lane_id()", &LANE_ID),
        variance: Variance::PerThread, facts: Facts::at(Position::LaneId)
    } {
        context::lane_id()
    }

    /// The bit of the calling thread's lane. Source: PTX ISA, `%lanemask_eq`.
    pub fn lanemask_eq() -> u32 {
        cuda: with("ws_lanemask_eq()", &LANE_MASKS), variance: Variance::PerThread, facts: Facts::at(Position::LaneMask)
    } {
        1 << context::lane_id()
    }

    /// The bits of the lanes before the calling thread's. Source: PTX ISA, `%lanemask_lt`.
    pub fn lanemask_lt() -> u32 {
        cuda: with("ws_lanemask_lt()", &LANE_MASKS), variance: Variance::PerThread, facts: Facts::at(Position::LaneMask)
    } {
        (1 << context::lane_id()) - 1
    }

    /// The bits of the lanes up to the calling thread's. Source: PTX ISA, `%lanemask_le`.
    pub fn lanemask_le() -> u32 {
        cuda: with("ws_lanemask_le()", &LANE_MASKS), variance: Variance::PerThread, facts: Facts::at(Position::LaneMask)
    } {
        lanemask_lt() | lanemask_eq()
    }

    /// The bits of the lanes after the calling thread's. Source: PTX ISA, `%lanemask_gt`.
    pub fn lanemask_gt() -> u32 {
        cuda: with("ws_lanemask_gt()", &LANE_MASKS), variance: Variance::PerThread, facts: Facts::at(Position::LaneMask)
    } {
        !lanemask_le()
    }

    /// The bits of the lanes from the calling thread's on. Source: PTX ISA, `%lanemask_ge`.
    pub fn lanemask_ge() -> u32 {
        cuda: with("ws_lanemask_ge()", &LANE_MASKS), variance: Variance::PerThread, facts: Facts::at(Position::LaneMask)
    } {
        !lanemask_lt()
    }

    /// Index of the calling thread's warp in its block.
    ///
    /// A block is divided into warps in the order of linear thread indices, `x` fastest.
    pub fn warp_id() -> u32 {
        cuda: fixed("({rank} / 32u)"),
        variance: Variance::PerWarp, facts: Facts::at(Position::WarpId)
    } {
        context::warp_id()
    }
}

static GRID_BLOCK_RANK: Prelude = Prelude {
    name: "ws_grid_block_rank",
    code: "\
__device__ __forceinline__ unsigned long long ws_grid_block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
}
",
    needs: &[],
};

static GRID_THREAD_RANK: Prelude = Prelude {
    name: "ws_grid_thread_rank",
    code: "\
__device__ __forceinline__ unsigned long long ws_grid_thread_rank() {
    unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return ws_grid_block_rank() * (blockDim.x * blockDim.y * blockDim.z) + thread;
}
",
    needs: &[&GRID_BLOCK_RANK],
};

static GRID_THREADS: Prelude = Prelude {
    name: "ws_grid_threads",
    code: "\
__device__ __forceinline__ unsigned long long ws_grid_threads() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
}
",
    needs: &[],
};

static LANE_ID: Prelude = Prelude {
    name: "ws_lane_id",
    code: "__device__ __forceinline__ unsigned int ws_lane_id() {\n    unsigned int lane;\n    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n    return lane;\n}\n",
    needs: &[],
};

static LANE_MASKS: Prelude = Prelude {
    name: "ws_lanemask",
    code: "__device__ __forceinline__ unsigned int ws_lanemask_eq() {\n    unsigned int mask;\n    asm(\"mov.u32 %0, %%lanemask_eq;\" : \"=r\"(mask));\n    return mask;\n}\n__device__ __forceinline__ unsigned int ws_lanemask_lt() {\n    unsigned int mask;\n    asm(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(mask));\n    return mask;\n}\n__device__ __forceinline__ unsigned int ws_lanemask_le() {\n    unsigned int mask;\n    asm(\"mov.u32 %0, %%lanemask_le;\" : \"=r\"(mask));\n    return mask;\n}\n__device__ __forceinline__ unsigned int ws_lanemask_gt() {\n    unsigned int mask;\n    asm(\"mov.u32 %0, %%lanemask_gt;\" : \"=r\"(mask));\n    return mask;\n}\n__device__ __forceinline__ unsigned int ws_lanemask_ge() {\n    unsigned int mask;\n    asm(\"mov.u32 %0, %%lanemask_ge;\" : \"=r\"(mask));\n    return mask;\n}\n",
    needs: &[],
};
