//! Axes, and the candidates that they span.

use std::any::Any;
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::TunerError;
use crate::error::Result;

/// An axis of a search, by which a candidate's value is found.
pub struct Axis<T> {
    space: u64,
    index: usize,
    _values: PhantomData<fn() -> T>,
}

impl<T> Clone for Axis<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Axis<T> {}

impl<T> Debug for Axis<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Axis({})", self.index)
    }
}

/// One value of one axis, and its text.
#[derive(Clone)]
struct Value {
    axis: Rc<str>,
    value: Rc<dyn Any>,
    text: Rc<str>,
}

/// All axes of a search.
pub(super) struct Space {
    id: u64,
    axes: Vec<(Rc<str>, Vec<Value>)>,
}

impl Default for Space {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), axes: Vec::new() }
    }
}

impl Space {
    pub fn axis<T: Clone + Debug + 'static>(
        &mut self,
        name: String,
        values: impl IntoIterator<Item = T>,
    ) -> Axis<T> {
        let axis: Rc<str> = line(&name).into();
        let value = |value: T| {
            let text = line(&format!("{value:?}")).into();
            Value { axis: axis.clone(), value: Rc::new(value), text }
        };
        let values = values.into_iter().map(value).collect();
        self.axes.push((axis.clone(), values));
        Axis { space: self.id, index: self.axes.len() - 1, _values: PhantomData }
    }

    /// All combinations; the last axis changes first.
    pub fn candidates(&self) -> std::result::Result<Vec<Candidate>, TunerError> {
        let mut candidates = vec![Candidate { space: self.id, values: Vec::new() }];
        for (axis, values) in &self.axes {
            if values.is_empty() {
                return Err(TunerError::Empty { axis: axis.to_string() });
            }
            candidates = candidates
                .into_iter()
                .flat_map(|candidate| values.iter().map(move |value| candidate.with(value.clone())))
                .collect();
        }
        Ok(candidates)
    }
}

/// A text on one line, as tables and kept results need it.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// One combination of values.
#[derive(Clone)]
pub struct Candidate {
    space: u64,
    values: Vec<Value>,
}

impl Candidate {
    /// Its value on an axis.
    ///
    /// # Errors
    /// [`TunerError::Axis`] for an axis of another search.
    pub fn get<T: Clone + 'static>(&self, axis: Axis<T>) -> Result<T> {
        let own = self.values.get(axis.index).filter(|_| self.space == axis.space);
        let value = own.and_then(|value| value.value.downcast_ref::<T>());
        Ok(value.cloned().ok_or_else(|| TunerError::Axis { axis: format!("number {}", axis.index + 1) })?)
    }

    fn with(&self, value: Value) -> Self {
        let mut values = self.values.clone();
        values.push(value);
        Self { space: self.space, values }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<_> =
            self.values.iter().map(|value| format!("{} {}", value.axis, value.text)).collect();
        f.pad(&texts.join(", "))
    }
}

impl Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Candidate({self})")
    }
}
