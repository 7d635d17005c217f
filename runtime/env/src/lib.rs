//! How the environment variables of `warpsmith` are read.
//!
//! Text comes in, from the process or from a test; a typed value goes out, or a [`SettingError`] that names the variable and
//! lists the valid values. An empty variable counts as not set.
//!
//! This crate is independent of any particular variable: each part of `warpsmith` defines its own, and its valid values.

#![deny(missing_docs)]

use std::env;
use std::fmt;
use std::ops::RangeInclusive;

/// An environment variable with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The variable.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The allowed values.
    pub allowed: &'static str,
}

impl std::error::Error for SettingError {}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, allowed } = self;
        write!(f, "`{name}={value}` is not understood; valid values: {allowed}")
    }
}

/// A source of variables: the environment, or a test's.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// An environment variable; an empty one counts as not set.
pub fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

/// One of several words.
///
/// # Errors
/// Any other word.
pub fn choice<T: Copy>(
    get: Lookup<'_>,
    name: &'static str,
    allowed: &'static str,
    choices: &[(&str, T)],
) -> Result<Option<T>, SettingError> {
    let Some(value) = get(name) else { return Ok(None) };
    match choices.iter().find(|(text, _)| *text == value.trim()) {
        Some((_, meaning)) => Ok(Some(*meaning)),
        None => Err(SettingError { name, value, allowed }),
    }
}

/// A number in a range.
///
/// # Errors
/// A text that is no number, or a number beyond the range.
pub fn number(
    get: Lookup<'_>,
    name: &'static str,
    allowed: &'static str,
    range: RangeInclusive<u64>,
) -> Result<Option<u64>, SettingError> {
    let Some(value) = get(name) else { return Ok(None) };
    match value.trim().parse() {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        _ => Err(SettingError { name, value, allowed }),
    }
}

/// Words between commas.
///
/// # Errors
/// A list with any other word.
pub fn list<T: Copy>(
    get: Lookup<'_>,
    name: &'static str,
    allowed: &'static str,
    choices: &[(&str, T)],
) -> Result<Vec<T>, SettingError> {
    let Some(value) = get(name) else { return Ok(Vec::new()) };
    let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
    let known = |item| choices.iter().find(|(text, _)| *text == item).map(|(_, meaning)| *meaning);
    items.map(known).collect::<Option<_>>().ok_or(SettingError { name, value, allowed })
}

/// `all`, `off`, or a list of words, whose meanings are joined from `off` on.
///
/// # Errors
/// A list with any other word.
pub fn all_or_list<T: Copy>(
    get: Lookup<'_>,
    name: &'static str,
    allowed: &'static str,
    [off, all]: [T; 2],
    choices: &[(&str, T)],
    join: impl Fn(T, T) -> T,
) -> Result<Option<T>, SettingError> {
    match get(name).as_deref().map(str::trim) {
        None => Ok(None),
        Some("all") => Ok(Some(all)),
        Some("off") => Ok(Some(off)),
        Some(_) => Ok(Some(list(get, name, allowed, choices)?.into_iter().fold(off, join))),
    }
}

/// A number of bytes, with a binary suffix `K`, `M` or `G`.
///
/// # Errors
/// A text that is no such number, or a number too large for 64 bits.
pub fn bytes(get: Lookup<'_>, name: &'static str) -> Result<Option<u64>, SettingError> {
    let Some(value) = get(name) else { return Ok(None) };
    let text = value.trim();
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];
    let unit = units.iter().find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, *unit)));
    let (digits, unit) = unit.unwrap_or((text, 1u64));
    let parsed = digits.trim().parse::<u64>().ok().and_then(|count| count.checked_mul(unit));
    match parsed {
        Some(bytes) => Ok(Some(bytes)),
        None => {
            Err(SettingError { name, value, allowed: "numbers of bytes, with K, M or G after it if wanted" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_must_be_in_range() {
        let check = |value: &str| {
            let get: Lookup<'_> = &|_| Some(value.to_owned());
            number(get, "STACK", "a number", 16..=64).ok().flatten()
        };
        assert_eq!([" 32 ", "64", "15", "-1", "1e1"].map(check), [Some(32), Some(64), None, None, None]);
    }

    #[test]
    fn bytes_have_units() {
        let size = |value: &str| bytes(&|_| Some(value.to_owned()), "SIZE").ok().flatten();
        let read = ["7", "2K", " 3 M", "0", "-1", "many", "99999999999G"].map(size);
        assert_eq!(read, [Some(7), Some(2048), Some(3 << 20), Some(0), None, None, None]);
    }

    #[test]
    fn a_list_may_be_all_or_off() {
        let choices = [("a", 1), ("b", 2)];
        let read = |value: Option<&str>| {
            let get: Lookup<'_> = &|_| value.map(str::to_owned);
            all_or_list(get, "SET", "a, b", [0, 3], &choices, |x, y| x | y)
        };
        assert_eq!(
            [read(None), read(Some("all")), read(Some(" off "))],
            [Ok(None), Ok(Some(3)), Ok(Some(0))]
        );
        assert_eq!([read(Some("b")), read(Some("b, a"))], [Ok(Some(2)), Ok(Some(3))]);
        let refused = read(Some("a,all")).expect_err("no word");
        assert_eq!(refused.to_string(), "`SET=a,all` is not understood; valid values: a, b");
    }
}
