//! Which keys a query sees, and how scores are scaled: settings that every attention of all queries has.

use super::backward::AttentionBackward;
use super::call::{Attention, check_scale};
use super::heads::Places;
use super::shape::{ALL, Shape};
use super::varlen_call::VarlenAttention;
use crate::call::Call;
use crate::error::KernelError;
use crate::products::TensorCoreElement;

/// The scale of scores, and the keys around a query's own that it sees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    scale: Option<f32>,
    left: Option<usize>,
    right: Option<usize>,
}

impl Settings {
    /// Without the keys behind each query.
    pub fn causal(self) -> Self {
        Self { right: Some(0), ..self }
    }

    /// Without keys more than `left` before a query's own, and those more than `right` behind it.
    pub fn window(self, left: usize, right: usize) -> Self {
        Self { left: Some(left), right: Some(right), ..self }
    }

    /// With scores that are multiplied by `scale`.
    pub fn scale(self, scale: f32) -> Self {
        Self { scale: Some(scale), ..self }
    }

    /// The factor of the scores of vectors of `size` elements.
    pub fn scale_of(self, size: usize) -> f32 {
        self.scale.unwrap_or_else(|| 1.0 / (size as f32).sqrt())
    }

    /// Refuses factors that change the order of scores, and more tokens than kernels count.
    pub fn check(self, q: Places, k: Places) -> Result<(), KernelError> {
        check_scale(self.scale)?;
        for (what, tokens) in [("q", q.tokens), ("k", k.tokens)] {
            if tokens >= ALL as usize {
                return Err(KernelError::Shape {
                    what,
                    expected: format!("fewer than {ALL} tokens"),
                    got: format!("{tokens} tokens"),
                    way_out: "attend to parts, and join them by their logarithms of sums",
                });
            }
        }
        Ok(())
    }

    /// The extents as the kernels have them; blocks work on `near` heads at the same time.
    pub fn shape(self, q: Places, k: Places, near: usize) -> Shape {
        let bound = |keys: Option<usize>| keys.map_or(ALL, |keys| keys.min(ALL as usize) as i32);
        Shape {
            sequences: q.sequences as u32,
            heads: q.heads as u32,
            sharing: (q.heads / k.heads.max(1)) as u32,
            queries: q.tokens as i32,
            keys: k.tokens as i32,
            left: bound(self.left),
            right: bound(self.right),
            near: near as u32,
        }
    }
}

/// The methods of calls that have settings.
macro_rules! with_settings {
    ($($name:ident)+) => {$(
        impl<'a, T: TensorCoreElement> Call<'a, $name<'a, T>> {
            /// Leaves out the keys behind each query.
            pub fn causal(self) -> Self {
                self.map(|of| of.with(Settings::causal))
            }

            /// Masks keys more than `left` positions before a query's own, and more than `right` after it.
            pub fn window(self, left: usize, right: usize) -> Self {
                self.map(|of| of.with(|settings| settings.window(left, right)))
            }

            /// Multiplies the scores by `scale`, a positive number. Default: `1 / sqrt(size)`.
            pub fn scale(self, scale: f32) -> Self {
                self.map(|of| of.with(|settings| settings.scale(scale)))
            }
        }
    )+};
}

with_settings! { Attention AttentionBackward VarlenAttention }
