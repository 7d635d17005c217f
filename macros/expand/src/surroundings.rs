//! The surroundings of a kernel: an attribute sees its own function alone, so this module reads the file.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use proc_macro2::{Ident, Span};
use syn::{Attribute, ImplItemFn, ItemFn, TraitItemFn};

use crate::rustc_span;
use crate::visitor::{Below, Visit};
use syn::visit;

thread_local! {
    /// For each file the kernels that stand in an `impl` or a `trait` of it alone.
    static FILES: RefCell<HashMap<PathBuf, HashSet<String>>> = RefCell::default();
}

/// Returns whether a kernel of this name stands in an `impl` or a `trait`; `false` where the file does not say.
/// A function at the margin, whose `keyword` is the first token behind its attributes, stands in none.
pub fn in_an_impl(name: &Ident, keyword: Span) -> bool {
    if rustc_span::column(keyword) == 1 {
        return false;
    }
    let Some(file) = rustc_span::file(name.span()) else { return false };
    FILES.with_borrow_mut(|files| {
        let kernels = files.entry(file).or_insert_with_key(|file| {
            std::fs::read_to_string(file).map(|text| kernels_in_impls(&text)).unwrap_or_default()
        });
        kernels.contains(&name.to_string())
    })
}

fn kernels_in_impls(text: &str) -> HashSet<String> {
    let mut kernels = Kernels::default();
    // A kernel in an `impl` or a `trait` is rare: most files are not parsed.
    if (text.contains("impl") || text.contains("trait"))
        && let Ok(file) = syn::parse_file(text)
    {
        kernels.visit_file(&file);
    }
    kernels.inside.difference(&kernels.outside).cloned().collect()
}

#[derive(Default)]
struct Kernels {
    inside: HashSet<String>,
    outside: HashSet<String>,
}

fn is_kernel(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "gpu_kernel"))
}

impl<'a> Visit<'a> for Kernels {
    fn this(&mut self) -> &mut dyn Visit<'a> {
        self
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        if is_kernel(&item.attrs) {
            self.outside.insert(item.sig.ident.to_string());
        }
        visit::visit_item_fn(&mut Below(self), item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        if is_kernel(&item.attrs) {
            self.inside.insert(item.sig.ident.to_string());
        }
        visit::visit_impl_item_fn(&mut Below(self), item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if is_kernel(&item.attrs) {
            self.inside.insert(item.sig.ident.to_string());
        }
        visit::visit_trait_item_fn(&mut Below(self), item);
    }
}
