//! The views in a value that a kernel is handed: what memory they reach.

use std::ops::Range;

use crate::ir::Type;

/// A view in a value.
pub(super) struct Seen {
    /// The position of its address among the words of the value.
    pub word: usize,
    /// The addresses from its first element to its last.
    pub range: Range<u64>,
    pub mutable: bool,
    pub elem: Type,
}

impl Seen {
    /// Bytes from its first element to its last.
    pub fn bytes(&self) -> usize {
        (self.range.end - self.range.start) as usize
    }
}

/// The views in a value.
#[derive(Default)]
pub(super) struct Views {
    pub list: Vec<Seen>,
    /// Why the value reaches more memory than they do, if it does.
    pub further: Option<&'static str>,
}

impl Views {
    /// The views in a value of this type, given in words.
    pub fn of(ty: &Type, words: &[u64]) -> Self {
        let mut views = Self::default();
        views.look_into(ty, 0, words);
        views
    }

    fn look_into(&mut self, ty: &Type, at: usize, words: &[u64]) {
        match ty {
            Type::View { elem, rank, mutable } => {
                let word = at / 8;
                let bytes = elements(*rank, &words[word..]) * elem.size() as u64;
                let range = words[word]..words[word] + bytes;
                self.list.push(Seen { word, range, mutable: *mutable, elem: (**elem).clone() });
                if elem.holds_address() {
                    self.further = Some("its elements hold addresses");
                }
            }
            Type::Struct(def) => {
                def.fields.iter().for_each(|field| self.look_into(&field.ty, at + field.offset, words));
            }
            Type::Array(elem, n) => {
                (0..*n).for_each(|i| self.look_into(elem, at + i * elem.size(), words));
            }
            Type::Tuple(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.look_into(item, at + ty.field_offset(i).unwrap_or(0), words);
                }
            }
            ty if ty.holds_address() => {
                self.further = Some("it holds a raw pointer, or an enum with an address");
            }
            _ => {}
        }
    }
}

/// The number of elements from the first of a view to its last, by its words: address, extents, strides.
fn elements(rank: usize, words: &[u64]) -> u64 {
    if words[1..=rank].contains(&0) {
        return 0;
    }
    match rank {
        1 => words[1],
        2 => (words[1] - 1) * words[3] + words[2],
        _ => (words[1] - 1) * words[4] + (words[2] - 1) * words[5] + words[3],
    }
}
