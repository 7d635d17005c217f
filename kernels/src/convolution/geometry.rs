//! The extents of a convolution, checked on the host.

use crate::argument::length;
use crate::error::KernelError;

/// Extents of the images, the filters and the results, and how the filters move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Images, rows, columns and channels.
    pub x: [usize; 4],
    /// Filters, rows, columns and channels.
    pub w: [usize; 4],
    /// Images, rows, columns and filters.
    pub y: [usize; 4],
    pub moves: Moves,
}

/// How filters move over an image, down and across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Pixels from the ones of one result to those of the next.
    pub stride: [usize; 2],
    /// Rows and columns of zeros on each side of an image.
    pub padding: [usize; 2],
    /// Pixels from one tap to the next.
    pub dilation: [usize; 2],
}

impl Moves {
    /// Every pixel, none beyond the image.
    pub const PLAIN: Self = Self { stride: [1; 2], padding: [0; 2], dilation: [1; 2] };
}

/// The most rows or columns of a padded image, which kernels count with 32 bits and a sign.
const MOST: usize = i32::MAX as usize;

impl Geometry {
    /// Refuses extents that do not fit together.
    pub fn check(&self) -> Result<(), KernelError> {
        let Self { x, w, y, moves } = *self;
        for (what, pair) in [("stride", moves.stride), ("dilation", moves.dilation)] {
            if pair.contains(&0) {
                return Err(refused(
                    what,
                    "at least 1, down and across",
                    format!("{pair:?}"),
                    "1 is the default",
                ));
            }
        }
        if w[1] == 0 || w[2] == 0 {
            let way_out = "a filter has at least one row and one column";
            return Err(refused("w", "at least one tap", format!("the extents {w:?}"), way_out));
        }
        if w[3] != x[3] {
            let expected = format!("the {} channels of `x`", x[3]);
            let way_out = "extents of `w` are filters, rows, columns and channels";
            return Err(refused("w", &expected, format!("{} channels", w[3]), way_out));
        }
        let results = self.results()?;
        if y != results {
            let expected = format!("{results:?}: images, rows, columns and filters of the results");
            let way_out = "a result is where all taps of a filter lie in the padded image";
            return Err(refused("y", &expected, format!("the extents {y:?}"), way_out));
        }
        Ok(())
    }

    /// The extents of the results.
    fn results(&self) -> Result<[usize; 4], KernelError> {
        let Self { x, w, moves, .. } = self;
        let along = |d: usize| {
            let padded = moves.padding[d].checked_mul(2)?.checked_add(x[1 + d]).filter(|all| *all <= MOST)?;
            let reach = self.reach(d).filter(|reach| *reach <= MOST)?;
            Some(padded.checked_sub(reach).map_or(0, |rest| rest / moves.stride[d] + 1))
        };
        match (along(0), along(1)) {
            (Some(rows), Some(cols)) => Ok([x[0], rows, cols, w[0]]),
            _ => Err(refused(
                "padding",
                &format!("a padded image and filters of up to {MOST} rows and columns"),
                format!("the value {:?}, with the dilation {:?}", moves.padding, moves.dilation),
                "pad and spread less",
            )),
        }
    }

    /// Rows or columns from the first tap of a filter to the last.
    fn reach(&self, d: usize) -> Option<usize> {
        (self.w[1 + d] - 1).checked_mul(self.moves.dilation[d])?.checked_add(1)
    }

    /// Refuses a bias of another length than there are filters.
    pub fn check_bias(&self, len: usize) -> Result<(), KernelError> {
        length("bias", len, self.w[0], "one for each filter")
    }

    /// Number of results of each filter.
    pub fn pixels(&self) -> usize {
        self.y[..3].iter().product()
    }

    /// Products of a result: the taps of all channels.
    pub fn depth(&self) -> usize {
        self.w[1..].iter().product()
    }

    /// Whether each result is a product of its own pixel.
    pub fn is_pointwise(&self) -> bool {
        self.w[1..3] == [1, 1] && Moves { dilation: [1; 2], ..self.moves } == Moves::PLAIN
    }
}

fn refused(what: &'static str, expected: &str, got: String, way_out: &'static str) -> KernelError {
    let got = if got.starts_with('[') { format!("the value {got}") } else { got };
    KernelError::Shape { what, expected: expected.to_owned(), got, way_out }
}
