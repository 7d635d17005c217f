//! Methods of ranges that are values; `for` and the adapters of iterators take them as they take `a..b`.

use core::marker::PhantomData;
use core::ops::{Range, RangeInclusive};

use crate::ir::{Expr, Type};
use crate::record::{Callee, Recorder};
use crate::witness::{DeviceFn, FnProbe, never_called};

macro_rules! markers {
    ($($marker:ident $function:ident;)+) => {$(
        #[doc(hidden)]
        pub struct $marker(PhantomData<()>);

        impl DeviceFn for $marker {
            fn callee() -> Callee {
                Callee::Recorded($function)
            }
        }
    )+};
}

markers! {
    Contains contains;
    IsEmpty is_empty;
    RangeLen len;
    Whole whole;
    Start start;
    End end;
}

/// Methods of `Range` and `RangeInclusive`.
pub trait RangeMethods<T: PartialOrd>: Sized {
    #[doc(hidden)]
    fn contains_in_kernels(&self, _item: &T, _probe: &FnProbe<Contains>) -> bool {
        never_called()
    }
    #[doc(hidden)]
    fn is_empty_in_kernels(&self, _probe: &FnProbe<IsEmpty>) -> bool {
        never_called()
    }
    #[doc(hidden)]
    fn len_in_kernels(&self, _probe: &FnProbe<RangeLen>) -> usize
    where
        Self: ExactSizeIterator,
    {
        never_called()
    }
    #[doc(hidden)]
    fn clone_in_kernels(&self, _probe: &FnProbe<Whole>) -> Self
    where
        T: Clone,
    {
        never_called()
    }
}

impl<T: PartialOrd> RangeMethods<T> for Range<T> {}
impl<T: PartialOrd> RangeMethods<T> for RangeInclusive<T> {}

/// Methods of `RangeInclusive`.
pub trait InclusiveMethods<T> {
    #[doc(hidden)]
    fn start_in_kernels(&self, _probe: &FnProbe<Start>) -> &T {
        never_called()
    }
    #[doc(hidden)]
    fn end_in_kernels(&self, _probe: &FnProbe<End>) -> &T {
        never_called()
    }
}

impl<T> InclusiveMethods<T> for RangeInclusive<T> {}

fn contains(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    let [range, item] = args.as_slice() else { return Expr::never() };
    match recorder.bounds(range) {
        Some(([start, end], inclusive)) => {
            recorder.range_contains(Some(start), Some(end), inclusive, item.clone())
        }
        None => Expr::never(),
    }
}

fn is_empty(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    args.first().map_or_else(Expr::never, |range| recorder.range_is_empty(range))
}

fn len(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    args.first().map_or_else(Expr::never, |range| recorder.range_len(range))
}

fn whole(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    args.into_iter().next().map_or_else(Expr::never, |range| recorder.read(range))
}

fn start(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    bound(recorder, &args, "start")
}

fn end(recorder: &mut Recorder, args: Vec<Expr>, _: Type) -> Expr {
    bound(recorder, &args, "end")
}

/// A bound as a name that stands for its place, which reads look through as they do through references.
fn bound(recorder: &mut Recorder, args: &[Expr], name: &str) -> Expr {
    let Some(range) = args.first() else { return Expr::never() };
    let value = recorder.read(range.clone());
    recorder.field(value, name)
}
