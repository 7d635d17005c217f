//! The panic hook: a panic of a simulated thread is recorded, not printed.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::Once;

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

/// The index and the length of a panic of an array's own, as Rust's library words it.
pub(super) fn bounds(message: &str) -> Option<(i64, usize)> {
    let numbers = |text: &str| -> Option<[usize; 2]> {
        let mut words = text.split_whitespace().filter_map(|word| word.parse().ok());
        Some([words.next()?, words.next()?])
    };
    if let Some(rest) = message.strip_prefix("index out of bounds: the len is ") {
        let [len, index] = numbers(rest)?;
        return Some((index as i64, len));
    }
    let ranges = ["range start index ", "range end index ", "slice index starts at "];
    let rest = ranges.iter().find_map(|prefix| message.strip_prefix(prefix))?;
    let [index, len] = numbers(rest)?;
    Some((index as i64, len))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_the_library_says_of_an_index_is_understood() {
        let said = |access: fn(&[u8], usize) -> usize| {
            let index = std::hint::black_box(9);
            let payload = std::panic::catch_unwind(|| access(&[0; 4], index)).expect_err("a panic");
            let text = payload.downcast_ref::<String>().expect("with numbers").clone();
            super::bounds(&text).unwrap_or_else(|| panic!("{text}"))
        };
        assert_eq!(said(|x, i| x[i].into()), (9, 4));
        assert_eq!(said(|x, i| x[i..].len()), (9, 4));
        assert_eq!(said(|x, i| x[1..i].len()), (9, 4));
        assert_eq!(said(|x, i| x[i - 6..2].len()), (3, 2));
        assert_eq!(super::bounds("attempt to add with overflow"), None);
    }
}
