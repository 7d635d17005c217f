//! `#[gpu(…)]` on a type: the traits that its derive is asked for.

use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput};

use crate::errors::Errors;

/// The message of another word in `#[gpu(…)]`.
const KNOWN: &str = "`#[gpu(…)]` knows `PartialEq`, `Eq`, `PartialOrd`, `Ord` and `AnyBits`";

/// What `#[gpu(…)]` asks for.
#[derive(Default)]
pub struct Wanted {
    /// `PartialEq`
    pub equality: bool,
    /// `AnyBits`
    pub any_bits: bool,
    /// `Eq`
    pub eq: bool,
    /// `PartialOrd`
    pub partial_order: bool,
    /// `Ord`
    pub order: bool,
}

impl Wanted {
    /// Reads the attributes, and refuses those that say something else.
    pub fn of(item: &DeriveInput, errors: &mut Errors) -> Self {
        let mut wanted = Self::default();
        for attr in item.attrs.iter().filter(|a| a.path().is_ident("gpu")) {
            let parse = Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
            let Ok(paths) = attr.parse_args_with(parse) else {
                errors.at(attr, KNOWN);
                continue;
            };
            for path in paths {
                match path.get_ident().map(ToString::to_string).as_deref() {
                    Some("PartialEq") => wanted.equality = true,
                    Some("AnyBits") => wanted.any_bits = true,
                    Some("Eq") => wanted.eq = true,
                    Some("PartialOrd") => wanted.partial_order = true,
                    Some("Ord") => wanted.order = true,
                    _ => errors.at(&path, KNOWN),
                }
            }
        }
        if wanted.order && !wanted.partial_order {
            errors.at(
                &item.ident,
                "`#[gpu(Ord)]` needs `PartialOrd` beside it: `#[gpu(PartialEq, Eq, PartialOrd, Ord)]`",
            );
        }
        if wanted.any_bits && !matches!(item.data, Data::Struct(_)) {
            errors.at(
                &item.ident,
                "`#[gpu(AnyBits)]` is for structs: not all bits are a value of another type",
            );
        }
        wanted
    }
}
