//! Methods of `Option` and `Result`, written in the device language itself.
//!
//! The twin calls those of Rust's library; these are what a kernel's witness and emitter see.

#![allow(clippy::style, clippy::complexity, reason = "these are the bodies that the lints would call")]

use warpsmith_macros::{gpu_impl, gpu_trait};

use crate::types::Device;

/// Methods of `Option` that kernels may call.
#[gpu_trait]
#[allow(missing_docs, reason = "they are those of Rust's library")]
pub trait OptionMethods<T: Copy + Device> {
    fn is_some(&self) -> bool;
    fn is_none(&self) -> bool;
    fn unwrap(self) -> T;
    fn unwrap_or(self, default: T) -> T;
    fn unwrap_or_else<F: FnOnce() -> T>(self, default: F) -> T;
    fn map<U: Copy + Device, F: FnOnce(T) -> U>(self, change: F) -> Option<U>;
    fn map_or<U: Copy + Device, F: FnOnce(T) -> U>(self, default: U, change: F) -> U;
    fn and_then<U: Copy + Device, F: FnOnce(T) -> Option<U>>(self, next: F) -> Option<U>;
    fn is_some_and<F: FnOnce(T) -> bool>(self, test: F) -> bool;
    fn or(self, other: Option<T>) -> Option<T>;
    fn ok_or<E: Copy + Device>(self, error: E) -> Result<T, E>;
}

#[gpu_impl]
impl<T: Copy + Device> OptionMethods<T> for Option<T> {
    fn is_some(&self) -> bool {
        matches!(self, Some(_))
    }

    fn is_none(&self) -> bool {
        matches!(self, None)
    }

    fn unwrap(self) -> T {
        match self {
            Some(value) => value,
            None => panic!("called `Option::unwrap()` on a `None` value"),
        }
    }

    fn unwrap_or(self, default: T) -> T {
        match self {
            Some(value) => value,
            None => default,
        }
    }

    fn unwrap_or_else<F: FnOnce() -> T>(self, default: F) -> T {
        match self {
            Some(value) => value,
            None => default(),
        }
    }

    fn map<U: Copy + Device, F: FnOnce(T) -> U>(self, change: F) -> Option<U> {
        match self {
            Some(value) => Some(change(value)),
            None => None,
        }
    }

    fn map_or<U: Copy + Device, F: FnOnce(T) -> U>(self, default: U, change: F) -> U {
        match self {
            Some(value) => change(value),
            None => default,
        }
    }

    fn and_then<U: Copy + Device, F: FnOnce(T) -> Option<U>>(self, next: F) -> Option<U> {
        match self {
            Some(value) => next(value),
            None => None,
        }
    }

    fn is_some_and<F: FnOnce(T) -> bool>(self, test: F) -> bool {
        match self {
            Some(value) => test(value),
            None => false,
        }
    }

    fn or(self, other: Option<T>) -> Option<T> {
        match self {
            Some(_) => self,
            None => other,
        }
    }

    fn ok_or<E: Copy + Device>(self, error: E) -> Result<T, E> {
        match self {
            Some(value) => Ok(value),
            None => Err(error),
        }
    }
}

/// Methods of `Result` that kernels may call.
#[gpu_trait]
#[allow(missing_docs, reason = "they are those of Rust's library")]
pub trait ResultMethods<T: Copy + Device, E: Copy + Device> {
    fn is_ok(&self) -> bool;
    fn is_err(&self) -> bool;
    fn ok(self) -> Option<T>;
    fn err(self) -> Option<E>;
    fn unwrap(self) -> T;
    fn unwrap_or(self, default: T) -> T;
    fn unwrap_or_else<F: FnOnce(E) -> T>(self, default: F) -> T;
    fn map<U: Copy + Device, F: FnOnce(T) -> U>(self, change: F) -> Result<U, E>;
    fn map_err<U: Copy + Device, F: FnOnce(E) -> U>(self, change: F) -> Result<T, U>;
    fn and_then<U: Copy + Device, F: FnOnce(T) -> Result<U, E>>(self, next: F) -> Result<U, E>;
}

#[gpu_impl]
impl<T: Copy + Device, E: Copy + Device> ResultMethods<T, E> for Result<T, E> {
    fn is_ok(&self) -> bool {
        matches!(self, Ok(_))
    }

    fn is_err(&self) -> bool {
        matches!(self, Err(_))
    }

    fn ok(self) -> Option<T> {
        match self {
            Ok(value) => Some(value),
            Err(_) => None,
        }
    }

    fn err(self) -> Option<E> {
        match self {
            Ok(_) => None,
            Err(error) => Some(error),
        }
    }

    fn unwrap(self) -> T {
        match self {
            Ok(value) => value,
            Err(_) => panic!("called `Result::unwrap()` on an `Err` value"),
        }
    }

    fn unwrap_or(self, default: T) -> T {
        match self {
            Ok(value) => value,
            Err(_) => default,
        }
    }

    fn unwrap_or_else<F: FnOnce(E) -> T>(self, default: F) -> T {
        match self {
            Ok(value) => value,
            Err(error) => default(error),
        }
    }

    fn map<U: Copy + Device, F: FnOnce(T) -> U>(self, change: F) -> Result<U, E> {
        match self {
            Ok(value) => Ok(change(value)),
            Err(error) => Err(error),
        }
    }

    fn map_err<U: Copy + Device, F: FnOnce(E) -> U>(self, change: F) -> Result<T, U> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(change(error)),
        }
    }

    fn and_then<U: Copy + Device, F: FnOnce(T) -> Result<U, E>>(self, next: F) -> Result<U, E> {
        match self {
            Ok(value) => next(value),
            Err(error) => Err(error),
        }
    }
}
