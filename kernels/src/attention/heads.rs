//! Queries, keys, values and results in device memory: vectors for the tokens of heads of sequences.

use warpsmith::args::{SliceArg, SliceMutArg};

use crate::argument::{Input, Output};
use crate::error::KernelError;

/// Elements of 16 bytes: vectors begin at multiples of them.
pub(super) const UNIT: usize = 8;

/// The extents and strides of heads: element `e` of token `t` of head `h` of sequence `s` is element
/// `s * strides[0] + h * strides[1] + t * strides[2] + e` of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Number of sequences.
    pub sequences: usize,
    /// Heads of a sequence.
    pub heads: usize,
    /// Tokens of a head.
    pub tokens: usize,
    /// Elements of the vector of a token.
    pub size: usize,
    /// Elements from one sequence, head and token to the next.
    pub strides: [usize; 3],
}

/// Heads that a call reads, for `'a`; [`heads`] makes it.
#[derive(Clone, Debug)]
pub struct Heads<'a, T> {
    memory: Input<'a, T>,
    places: Places,
}

/// Heads that a call writes, for `'a`; [`heads_mut`] makes it.
#[derive(Debug)]
pub struct HeadsMut<'a, T> {
    memory: Output<'a, T>,
    places: Places,
}

/// The first elements of `memory` as a contiguous `[sequences, heads, tokens, size]`.
///
/// # Errors
/// [`KernelError::Shape`] if there are fewer elements.
pub fn heads<'a, T>(memory: impl SliceArg<'a, T>, extents: [usize; 4]) -> Result<Heads<'a, T>, KernelError> {
    let memory = Input::new(memory);
    let places = Places::dense(extents)?.within(memory.len())?;
    Ok(Heads { memory, places })
}

/// The same to write.
///
/// # Errors
/// Those of [`heads`].
pub fn heads_mut<'a, T>(
    memory: impl SliceMutArg<'a, T>,
    extents: [usize; 4],
) -> Result<HeadsMut<'a, T>, KernelError> {
    let memory = Output::new(memory);
    let places = Places::dense(extents)?.within(memory.len())?;
    Ok(HeadsMut { memory, places })
}

/// The first elements of `memory` as `[tokens, heads, size]`: the tokens of all sequences packed one after another,
/// as [`varlen_attention`](super::varlen_attention) takes them, and the heads of a token adjacent. Its extents are
/// `[1, heads, tokens, size]`.
///
/// # Errors
/// [`KernelError::Shape`] if there are fewer elements.
pub fn packed<'a, T>(
    memory: impl SliceArg<'a, T>,
    [tokens, of_token, size]: [usize; 3],
) -> Result<Heads<'a, T>, KernelError> {
    Ok(heads(memory, [1, of_token, tokens, size])?.by_token())
}

/// The same to write.
///
/// # Errors
/// Those of [`packed`].
pub fn packed_mut<'a, T>(
    memory: impl SliceMutArg<'a, T>,
    [tokens, of_token, size]: [usize; 3],
) -> Result<HeadsMut<'a, T>, KernelError> {
    Ok(heads_mut(memory, [1, of_token, tokens, size])?.by_token())
}

macro_rules! in_memory {
    ($($name:ident of $memory:ident;)+) => {$(
        impl<'a, T> $name<'a, T> {
            /// The same memory as `[sequences, tokens, heads, size]`: the heads of a token are adjacent.
            pub fn by_token(self) -> Self {
                Self { places: self.places.by_token(), ..self }
            }

            /// The same memory with these elements from one sequence, one head and one token to the next.
            ///
            /// # Errors
            /// [`KernelError::Shape`] if vectors would overlap, or reach beyond the memory.
            pub fn strides(self, strides: [usize; 3]) -> Result<Self, KernelError> {
                let places = Places { strides, ..self.places }.apart()?.within(self.memory.len())?;
                Ok(Self { places, ..self })
            }

            /// Extents and strides.
            pub fn places(&self) -> Places {
                self.places
            }

            pub(super) fn memory(&self) -> &$memory<'a, T> {
                &self.memory
            }

            pub(super) fn into_memory(self) -> $memory<'a, T> {
                self.memory
            }
        }
    )+};
}

in_memory! {
    Heads of Input;
    HeadsMut of Output;
}

impl Places {
    /// Sequence after sequence, head after head, token after token.
    fn dense([sequences, heads, tokens, size]: [usize; 4]) -> Result<Self, KernelError> {
        let of_head = tokens.checked_mul(size);
        let of_sequence = of_head.and_then(|elements| elements.checked_mul(heads));
        let (Some(of_head), Some(of_sequence)) = (of_head, of_sequence) else {
            return Err(beyond(format!("{sequences} × {heads} × {tokens} × {size}"), 0));
        };
        Ok(Self { sequences, heads, tokens, size, strides: [of_sequence, of_head, size] })
    }

    /// The heads of each token side by side.
    fn by_token(self) -> Self {
        let Self { heads, tokens, size, .. } = self;
        Self { strides: [heads * tokens * size, size, heads * size], ..self }
    }

    /// Whether there are no elements.
    pub fn is_empty(self) -> bool {
        self.extents().contains(&0)
    }

    /// Sequences, heads, tokens and elements of a vector.
    pub fn extents(self) -> [usize; 4] {
        [self.sequences, self.heads, self.tokens, self.size]
    }

    /// Extents and strides of sequences, heads and tokens.
    fn dimensions(self) -> [(usize, usize); 3] {
        let [a, b, c] = self.strides;
        [(self.sequences, a), (self.heads, b), (self.tokens, c)]
    }

    /// The places, if `len` elements hold them.
    fn within(self, len: usize) -> Result<Self, KernelError> {
        let end = self.dimensions().into_iter().try_fold(self.size, |end, (extent, stride)| {
            end.checked_add(extent.saturating_sub(1).checked_mul(stride)?)
        });
        match end {
            Some(end) if self.is_empty() || end <= len => Ok(self),
            Some(end) => Err(beyond(end.to_string(), len)),
            None => Err(beyond("more than there can be".to_owned(), len)),
        }
    }

    /// The places, if no two vectors share an element.
    fn apart(self) -> Result<Self, KernelError> {
        let mut dimensions: Vec<_> =
            self.dimensions().into_iter().filter(|(extent, _)| *extent > 1).collect();
        dimensions.sort_by_key(|(_, stride)| *stride);
        let mut needed = self.size;
        for (extent, stride) in dimensions {
            if stride < needed {
                return Err(KernelError::Shape {
                    what: "strides",
                    expected: format!("at least {needed}, the elements that lie within one distance"),
                    got: format!("a distance of {stride} elements"),
                    way_out: "vectors must not overlap",
                });
            }
            needed = stride.saturating_mul(extent);
        }
        Ok(self)
    }

    /// Strides for the copy engine: those that nothing uses are valid too.
    pub(super) fn mapped(self) -> [usize; 4] {
        let spare = self.size.next_multiple_of(UNIT);
        let [a, b, c] = self.dimensions().map(|(extent, stride)| if extent > 1 { stride } else { spare });
        [a, b, c, 1]
    }

    /// Refuses vectors that do not all begin at multiples of 16 bytes, if there are any.
    pub(super) fn in_units(self, what: &'static str, misalignment: Option<usize>) -> Result<(), KernelError> {
        let strides = self.mapped();
        let fits = strides[..3].iter().all(|stride| stride.is_multiple_of(UNIT)) && misalignment == Some(0);
        if fits || self.is_empty() {
            return Ok(());
        }
        Err(KernelError::Shape {
            what,
            expected: "all vectors to begin at multiples of 16 bytes".to_owned(),
            got: format!(
                "strides of {:?} elements, and {} elements before the first multiple",
                self.strides,
                misalignment.map_or("uneven".to_owned(), |elements| elements.to_string())
            ),
            way_out: "copy it to memory of its own, with `movement::copy`",
        })
    }
}

fn beyond(expected: String, len: usize) -> KernelError {
    KernelError::Shape {
        what: "heads",
        expected: format!("{expected}, for all sequences, heads and tokens"),
        got: format!("{len} elements"),
        way_out: "pass more memory, or smaller extents",
    }
}
