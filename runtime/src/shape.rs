//! The shape of a launch: extents in up to three dimensions.

use crate::ir::CoarsenNeeds;

/// Extents `[x, y, z]`; from a number, a pair or a triple, the rest 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3(pub [u32; 3], pub(crate) Option<i128>);

impl Dim3 {
    /// A number as the first extent. One that is no extent is kept for the error of the launch.
    fn line(n: i128) -> Self {
        match u32::try_from(n) {
            Ok(x) => Dim3([x, 1, 1], None),
            Err(_) => Dim3([if n < 0 { 0 } else { u32::MAX }, 1, 1], Some(n)),
        }
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3([x, 1, 1], None)
    }
}

impl From<i32> for Dim3 {
    fn from(x: i32) -> Self {
        Dim3::line(i128::from(x))
    }
}

impl From<usize> for Dim3 {
    fn from(x: usize) -> Self {
        Dim3::line(x as i128)
    }
}

impl From<[u32; 2]> for Dim3 {
    fn from([x, y]: [u32; 2]) -> Self {
        Dim3([x, y, 1], None)
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from(extents: [u32; 3]) -> Self {
        Dim3(extents, None)
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Dim3([x, y, 1], None)
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3([x, y, z], None)
    }
}

/// The shape of a launch, resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaunchShape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: Option<[u32; 3]>,
    pub dynamic_shared: u32,
}

impl LaunchShape {
    /// The shape that starts the threads of the kernel, and the number of threads that the launch asked for: a block of
    /// a coarsened kernel does the work of several.
    pub fn to_start(self, coarsened: Option<&CoarsenNeeds>) -> (LaunchShape, u64) {
        let threads = u64::from(self.grid[0]) * u64::from(self.block[0]);
        let factor = coarsened.map_or(1, |needs| needs.factor);
        let [x, y, z] = self.grid;
        (LaunchShape { grid: [x.div_ceil(factor), y, z], ..self }, threads)
    }
}

/// Run-time arguments of one launch at most.
pub(crate) const MAX_ARGUMENTS: usize = 256;
