//! The panic hook: a panic of a simulated thread is recorded, not printed.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::Once;

use warpsmith_ir::fault::Failure;

use super::current;
use super::machine::Machine;

static INSTALLED: Once = Once::new();

/// Puts our hook before the process's, once.
///
/// Outside simulated threads the earlier hook runs as before. A hook that the program sets later
/// replaces ours: faults then lack the place of a panic.
pub(super) fn install() {
    // A panicking thread must not touch hooks.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let earlier = take_hook();
        set_hook(Box::new(move |info| {
            if !current::with_current(|machine| machine.note_panic(info)) {
                earlier(info);
            }
        }));
    });
}

impl Machine<'_> {
    fn note_panic(&self, info: &PanicHookInfo<'_>) {
        let message = info.payload_as_str().unwrap_or("a panic without a message").to_owned();
        let (file, line) = match (self.instruction.get(), info.location()) {
            // What the interpreter calls is at the line of the call.
            (Some(instruction), _) => (instruction.at.file.to_owned(), instruction.at.line),
            (None, Some(at)) => (at.file().to_owned(), at.line()),
            (None, None) => (String::new(), 0),
        };
        *self.panic.borrow_mut() = Some((message, file, line));
    }
}

/// The failure that a panic of Rust's own indexing stands for, by its message.
pub(super) fn bounds(message: &str) -> Option<Failure<'static>> {
    let numbers = |text: &str| -> Option<[u64; 2]> {
        let mut words = text.split_whitespace().filter_map(|word| word.parse().ok());
        Some([words.next()?, words.next()?])
    };
    if let Some(rest) = message.strip_prefix("index out of bounds: the len is ") {
        let [len, index] = numbers(rest)?;
        return Some(Failure::Index { index: index as i64, len });
    }
    let ranges = ["range start index ", "range end index ", "slice index starts at "];
    let rest = ranges.iter().find_map(|prefix| message.strip_prefix(prefix))?;
    let [bound, limit] = numbers(rest)?;
    Some(Failure::Range { bound: bound as i64, limit })
}

/// The message of `assert_eq!` or `assert_ne!` without the values, which no GPU tells; any other as it is.
pub(super) fn without_values(message: String) -> String {
    match message.split_once("\n  left: ") {
        Some((said, _)) if said.starts_with("assertion `left ") => said.to_owned(),
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_library_says_of_an_index_is_understood() {
        let said = |access: fn(&[u8], usize) -> usize| {
            let index = std::hint::black_box(9);
            let payload = std::panic::catch_unwind(|| access(&[0; 4], index)).expect_err("a panic");
            let text = payload.downcast_ref::<String>().expect("with numbers").clone();
            super::bounds(&text).unwrap_or_else(|| panic!("{text}"))
        };
        let range = |bound, limit| Failure::Range { bound, limit };
        assert_eq!(said(|x, i| x[i].into()), Failure::Index { index: 9, len: 4 });
        assert_eq!(said(|x, i| x[i..].len()), range(9, 4));
        assert_eq!(said(|x, i| x[1..i].len()), range(9, 4));
        assert_eq!(said(|x, i| x[i - 6..2].len()), range(3, 2));
        assert_eq!(super::bounds("attempt to add with overflow"), None);
    }

    #[test]
    fn a_comparison_is_told_without_its_values() {
        let said = |compare: fn(u32)| {
            let payload = std::panic::catch_unwind(|| compare(std::hint::black_box(3))).expect_err("a panic");
            without_values(payload.downcast_ref::<String>().expect("with values").clone())
        };
        assert_eq!(said(|x| assert_eq!(x, 2)), "assertion `left == right` failed");
        assert_eq!(said(|x| assert_ne!(x, 3, "not three")), "assertion `left != right` failed: not three");
        assert_eq!(said(|x| panic!("a\n  left: {x}")), "a\n  left: 3");
    }
}
