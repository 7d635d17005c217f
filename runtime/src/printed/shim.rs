//! The shim: C++ that stands before the texts of a compilation, and gives CUDA's names their meaning on the host.
//!
//! In come the texts and the sanitizers; out comes the C++ that they need. Most texts need little of the shim, and a compiler
//! takes several times longer for all of it than for a text.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::Sanitizers;
use super::functions;
use super::text::{is_word, word_end};

/// A part of the shim.
struct Part {
    text: &'static str,
    wanted: Wanted,
}

/// The compilations that a part stands in.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Always,
    /// Where a text names one of its functions.
    Named,
    /// With the sanitizer of undefined behaviour.
    Undefined,
    /// With the sanitizer of accesses.
    Accesses,
}

macro_rules! parts {
    ($($file:literal $wanted:ident,)+) => {
        [$(Part { text: include_str!(concat!("shim/", $file)), wanted: Wanted::$wanted }),+]
    };
}

/// The parts, in the order in which they need each other.
static PARTS: [Part; 13] = parts![
    "types.h" Always,
    "machine.h" Always,
    "numbers.h" Always,
    "atomics.h" Named,
    "ptx.h" Named,
    "lists.h" Always,
    "bulk.h" Named,
    "tensor_cores.h" Named,
    "wgmma.h" Named,
    "images.h" Named,
    "sanitizers.h" Always,
    "undefined.h" Undefined,
    "accesses.h" Accesses,
];

/// The beginnings of names that only parts for some texts have.
const NAMED: [&str; 4] = ["ws_", "atomic", "tex", "surf"];

/// The beginning of the names of the host's functions.
const HOST: &str = "ws_h_";

/// The shim of a compilation.
pub(super) fn shim<'t>(texts: impl Iterator<Item = &'t str>, sanitizers: Sanitizers) -> String {
    let mut words = HashSet::new();
    texts.for_each(|text| collect_words(text, &mut words));
    let named: Vec<&str> = words.iter().copied().filter(|word| has_prefix(word, &NAMED)).collect();
    let wanted = |(part, handles): &(&Part, &Vec<&str>)| match part.wanted {
        Wanted::Always => true,
        Wanted::Named => named.iter().any(|name| has_prefix(name, handles)),
        Wanted::Undefined => sanitizers.undefined,
        Wanted::Accesses => sanitizers.address,
    };
    let parts: Vec<&str> = PARTS.iter().zip(handles()).filter(wanted).map(|(part, _)| part.text).collect();
    parts.iter().for_each(|part| collect_words(part, &mut words));
    let host: Vec<&str> = words.iter().copied().filter(|word| word.starts_with(HOST)).collect();
    // Macros put names of the host's functions together.
    let called = |name: &str| words.contains(name) || has_prefix(name, &host);
    functions::declarations(called) + &parts.concat()
}

/// Every word of the shim.
#[cfg(test)]
pub(super) fn words() -> HashSet<&'static str> {
    let mut words = HashSet::new();
    PARTS.iter().for_each(|part| collect_words(part.text, &mut words));
    words
}

/// All of the shim, and all functions of the host.
pub(super) fn all() -> String {
    let parts: String = PARTS.iter().map(|part| part.text).collect();
    functions::declarations(|_| true) + &parts
}

/// The names by which a text asks for each part, or their beginnings, where macros put them together.
fn handles() -> &'static [Vec<&'static str>; PARTS.len()] {
    static HANDLES: OnceLock<[Vec<&str>; PARTS.len()]> = OnceLock::new();
    HANDLES.get_or_init(|| {
        let mut always = HashSet::new();
        let in_all = PARTS.iter().filter(|part| part.wanted == Wanted::Always);
        in_all.for_each(|part| collect_words(part.text, &mut always));
        PARTS.each_ref().map(|part| {
            let mut words = HashSet::new();
            collect_words(part.text, &mut words);
            let own = words.difference(&always).copied();
            own.filter(|word| has_prefix(word, &NAMED) && !word.starts_with(HOST)).collect()
        })
    })
}

fn has_prefix(word: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| word.starts_with(prefix))
}

fn collect_words<'t>(text: &'t str, words: &mut HashSet<&'t str>) {
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = word_end(&rest[start..]);
        words.insert(&rest[start..start + end]);
        rest = &rest[start + end..];
    }
}
