//! Extents in up to three dimensions.

/// Extents `[x, y, z]`; from a number, a pair or a triple, the rest 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3(pub [u32; 3]);

/// A count as an extent; what does not fit is beyond every limit and is refused as such.
fn extent(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3([x, 1, 1])
    }
}

impl From<i32> for Dim3 {
    fn from(x: i32) -> Self {
        Dim3([u32::try_from(x).unwrap_or(0), 1, 1])
    }
}

impl From<usize> for Dim3 {
    fn from(x: usize) -> Self {
        Dim3([extent(x), 1, 1])
    }
}

impl From<[u32; 2]> for Dim3 {
    fn from([x, y]: [u32; 2]) -> Self {
        Dim3([x, y, 1])
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from(extents: [u32; 3]) -> Self {
        Dim3(extents)
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Dim3([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3([x, y, z])
    }
}
