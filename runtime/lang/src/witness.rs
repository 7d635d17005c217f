//! Probes: reading the types that rustc inferred off a closure that is never called.
//!
//! A witness closure declares one probe for each binding, literal and call, uses it beside the
//! user's tokens, and returns all of them. Its return type therefore spells every inferred type;
//! [`types_of`] turns that into values. Nothing of the closure is ever executed.

use core::marker::PhantomData;

use crate::device_type::DeviceType;
use crate::ir;
use crate::record::{Callee, Recorder};

macro_rules! marker {
    ($($name:ident)+) => {$(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}
    )+};
}

/// Witnesses the type of a binding or an rvalue, with lifetimes erased.
pub struct Probe<E>(PhantomData<fn() -> E>);

// A `move` closure of a witness takes copies of the probes that it names.
marker! { Probe FnProbe FunctionItem ConstBlock }

/// Witnesses which instance of a device function is called.
pub struct FnProbe<M>(PhantomData<fn() -> M>);

/// Witnesses the type of a binding or an rvalue.
pub fn see<T: DeviceType<Erased = E>, E>(_probe: &Probe<E>, _value: &T) {}

/// Ties a call to the marker of its function: both see the type of one function item.
pub struct FunctionItem<F>(PhantomData<fn() -> F>);

impl<F> FunctionItem<F> {
    /// A function that is still to be named.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        FunctionItem(PhantomData)
    }

    /// Names the function, which is then called.
    pub fn is(&self, function: F) -> F {
        function
    }

    /// The function again.
    pub fn get(&self) -> F {
        never_called()
    }
}

/// Ties the type that rustc infers for a `const { … }` in the witness to the one in the emitter.
pub struct ConstBlock<T>(PhantomData<fn() -> T>);

impl<T> ConstBlock<T> {
    /// A block whose type is still to be found.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        ConstBlock(PhantomData)
    }

    /// The value.
    pub fn is(&self, value: T) -> T {
        value
    }
}

/// Ties the type of a binding to that of its value.
pub fn same<E>(_binding: &Probe<E>, _value: &Probe<E>) {}

/// Ties the types of two names of one function.
pub fn same_item<F>(_named: &F, _known: &F) {}

/// A body whose types rustc has checked, as a value of type `P`.
///
/// Never `Send`: that is how [`guard`] tells it from what stands behind `impl HasTypes<P>` where the body has mistakes.
pub struct Typed<P>(P, PhantomData<*const ()>);

/// The return type of a function that holds a body: `impl HasTypes<P>`, which hides the type itself.
pub trait HasTypes<P> {
    /// The body.
    fn body(self) -> P;
}

impl<P> HasTypes<P> for Typed<P> {
    fn body(self) -> P {
        self.0
    }
}

/// Gives `body` a type.
pub fn typed<P>(body: P) -> Typed<P> {
    Typed(body, PhantomData)
}

/// The result of a function that holds a body, with an argument that is still to be found.
pub struct Guard<F, X>(PhantomData<fn(X) -> F>);

/// Asks whether the body has mistakes, by `guard.outcome().sound()`, and then [`Guard::asked`].
///
/// One function learns of another's mistakes in one way: the type behind `impl Trait` is an error, and rustc looks
/// there to see whether it is `Send`, which an error is. Then `outcome` gives a value of any type, and a method of
/// such a value is an error too, without a message, since the mistake has had one. Whatever is [`Sound::hold`]ed by
/// that is of an unknown type, and rustc says nothing about what is done with it. As long as `X` is not known, rustc
/// looks from where it is asked; otherwise it would remember the answer alone, and not that there was an error.
pub fn guard<F, X>(_holds_body: fn(PhantomData<X>) -> F) -> Guard<F, X> {
    Guard(PhantomData)
}

impl<F, X> Guard<F, X> {
    /// Ends the question.
    pub fn asked(&self, _argument: PhantomData<X>) {}
}

/// Found first: of a body with mistakes.
pub trait MistakenBody {
    /// Nobody knows.
    fn outcome<R>(&self) -> R {
        never_called()
    }
}

impl<F: Send, X> MistakenBody for Guard<F, X> {}

/// Found next: of any body.
pub trait SoundBody {
    /// The body has no mistakes.
    fn outcome(&self) -> Sound {
        Sound
    }
}

impl<F, X> SoundBody for &Guard<F, X> {}

/// Holds what a witness says, where the twin has no mistakes.
#[derive(Clone, Copy, Debug)]
pub struct Sound;

impl Sound {
    /// Itself.
    pub fn sound(self) -> Self {
        self
    }

    /// `value`.
    pub fn hold<T>(&self, value: T) -> T {
        value
    }
}

/// Takes the values of the user's `return`s; their type is checked and inferred.
pub struct Returns<R>(PhantomData<fn(R)>);

impl<R> Returns<R> {
    /// For a function that returns `R`.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Returns(PhantomData)
    }

    /// `return value`
    pub fn give(&self, _value: R) -> ! {
        never_called()
    }

    /// The value of the body.
    pub fn end(&self, _value: R) {}
}

/// A value of any type, for the type checker alone.
pub fn never_called<T>() -> T {
    unreachable!("a witness closure is never called")
}

/// Ends what is reachable of a witness: rustc type-checks the rest, and does not borrow-check it.
pub fn unreached() -> ! {
    never_called()
}

/// The stand-in for the device side of a function that has none.
pub struct HostFunction<F>(PhantomData<fn() -> F>);

/// A function with a device side, called by the name of the type `N`.
#[diagnostic::on_unimplemented(
    message = "`{N}` has no device side, so a kernel cannot call it",
    label = "write `#[gpu_fn]` above `fn {N}`"
)]
pub trait DeviceFunction<N>: Sized {
    /// Asks for the device side of what `_probe` found.
    fn device_function(_probe: &FnProbe<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<N, M: DeviceFn> DeviceFunction<N> for M {}

/// The items that record, in an `impl` of a `#[gpu_trait]`, which imports this by its name.
#[doc(hidden)]
#[macro_export]
macro_rules! gpu_trait_items {
    ($($items:tt)*) => { $($items)* };
}

/// Nothing, in an `impl` of any other trait.
#[doc(hidden)]
#[macro_export]
macro_rules! no_gpu_trait_items {
    ($($items:tt)*) => {};
}

/// A function with a device side, called by a path.
#[diagnostic::on_unimplemented(
    message = "this function has no device side, so a kernel cannot call it",
    label = "write `#[gpu_fn]` above this function"
)]
pub trait DeviceFunctionOfPath: Sized {
    /// Asks for the device side of what `_probe` found.
    fn device_function(_probe: &FnProbe<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<M: DeviceFn> DeviceFunctionOfPath for M {}

/// Whether the function `F` is the one whose device side is `M`: a function without one may have the name of a builtin.
pub struct Same<F, M>(PhantomData<fn() -> (F, M)>);

/// Asks whether the called function is the one of `_side`.
pub fn same_function<F, M>(_called: &FunctionItem<F>, _side: &FnProbe<M>, _probe: &FnProbe<Same<F, M>>) {}

impl<F, M> DeviceFn for Same<F, M> {
    fn callee() -> Callee {
        match is_same(core::any::type_name::<F>(), core::any::type_name::<M>()) {
            true => Callee::Native,
            false => Callee::Recorded(another::<F>),
        }
    }
}

/// Returns whether the names of a called function and of a device side belong together.
fn is_same(f: &str, m: &str) -> bool {
    let [f, m] = [f, m].map(|name| name.split('<').next().unwrap_or(name));
    // Both are declared beside each other under one name, or ours stands for one of Rust's library.
    f == m || (f.starts_with("core::") && f.rsplit("::").next() == m.rsplit("::").next())
}

/// A function of the user's own that has the name of one of Rust's.
pub(crate) fn another<F>(recorder: &mut Recorder, args: Vec<ir::Expr>, ty: ir::Type) -> ir::Expr {
    refused(recorder, args, ty, without_generics(core::any::type_name::<F>()))
}

/// The path of a function without the generic arguments at its end, which name closures by internal names.
fn without_generics(name: &'static str) -> &'static str {
    match name.split_once('<') {
        Some((path, _)) if !path.is_empty() => path,
        _ => name,
    }
}

fn refused(recorder: &mut Recorder, _: Vec<ir::Expr>, _: ir::Type, name: &'static str) -> ir::Expr {
    recorder.no_device_function(name);
    ir::Expr::never()
}

/// Stand-ins for the device side of functions, by their generic parameters: `t` a type, `c` a constant.
pub mod missing {
    use super::{FnProbe, HostFunction};
    use core::marker::PhantomData;

    macro_rules! stand_ins {
        ($($module:ident <$($t:ident)* $(, $c:ident)*>)+) => {$(
            #[allow(missing_docs, non_camel_case_types, unused_imports)]
            pub mod $module {
                use super::*;
                pub struct __device_side<$($t,)* $(const $c: usize),*> {
                    _types: PhantomData<fn() -> ($($t,)*)>,
                }
                pub fn __device_side<$($t,)* $(const $c: usize),*>() {}
                impl<$($t,)* $(const $c: usize),*> __device_side<$($t,)* $($c),*> {
                    pub fn called_in_a_kernel<F>(_: F, _: &FnProbe<HostFunction<F>>) {}
                }
            }
        )+};
    }

    /// The stand-in for the macro of a `#[gpu_trait]`.
    pub mod items {
        pub use crate::no_gpu_trait_items as __device_side;
    }

    stand_ins! { plain<> plaint<A> plainc<, A> plaintt<A B> plaintc<A, B> plaincc<, A, B> }
}

/// The trait that no kernel has: no kernel calls a kernel.
#[diagnostic::on_unimplemented(
    message = "`{K}` is a kernel, and a kernel cannot call a kernel",
    label = "a kernel",
    note = "launch it in one expression: `{K}(…).grid(…).block(…).launch()`, or make it a `#[gpu_fn]`, which kernels call"
)]
pub trait CalledFromKernels<K> {}

/// The finding of a probe.
#[derive(Clone)]
pub enum Witnessed {
    /// The type of a binding or rvalue.
    Type(ir::Type),
    /// The function that a call resolves to.
    Callee(Callee),
}

/// A device function, as the marker type of one of its instances.
pub trait DeviceFn {
    /// How to call it.
    fn callee() -> Callee;
}

/// A tree of probes.
pub trait Probes {
    /// Appends what the leaves found, in order.
    fn collect(into: &mut Vec<Witnessed>);
}

impl<E: DeviceType> Probes for Probe<E> {
    fn collect(into: &mut Vec<Witnessed>) {
        into.push(Witnessed::Type(E::ty()));
    }
}

impl<M: Resolved> Probes for FnProbe<M> {
    fn collect(into: &mut Vec<Witnessed>) {
        into.extend(M::callee().map(Witnessed::Callee));
    }
}

/// The finding of a function probe: a device function, or a stand-in that [`DeviceFunction`] describes.
#[diagnostic::on_unimplemented(
    message = "a call in this kernel has arguments or a receiver whose types kernels do not take there",
    label = "another error says which"
)]
pub trait Resolved {
    /// How to call it.
    fn callee() -> Option<Callee>;
}

#[diagnostic::do_not_recommend]
impl<M: DeviceFn> Resolved for M {
    fn callee() -> Option<Callee> {
        Some(<M as DeviceFn>::callee())
    }
}

#[diagnostic::do_not_recommend]
impl<F> Resolved for HostFunction<F> {
    fn callee() -> Option<Callee> {
        None
    }
}

impl Probes for () {
    fn collect(_into: &mut Vec<Witnessed>) {}
}

macro_rules! trees {
    ($(($($t:ident),+))+) => {$(
        impl<$($t: Probes),+> Probes for ($($t,)+) {
            fn collect(into: &mut Vec<Witnessed>) {
                $($t::collect(into);)+
            }
        }
    )+};
}

trees! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
}

/// The types that a witness closure's return type spells.
pub struct Types(Vec<Witnessed>);

/// Reads the types off a witness closure without calling it.
pub fn types_of<R: Probes, F: FnOnce() -> R>(_witness: F) -> Types {
    Types::collected(R::collect)
}

impl Types {
    fn collected(collect: fn(&mut Vec<Witnessed>)) -> Self {
        let mut found = Vec::new();
        collect(&mut found);
        Self(found)
    }

    /// The type that probe `index` witnessed.
    pub fn ty(&self, index: usize) -> ir::Type {
        match self.0.get(index) {
            Some(Witnessed::Type(ty)) => ty.clone(),
            _ => ir::Type::Never,
        }
    }

    /// The function that probe `index` witnessed.
    pub fn callee(&self, index: usize) -> Option<Callee> {
        match self.0.get(index) {
            Some(Witnessed::Callee(callee)) => Some(callee.clone()),
            _ => None,
        }
    }
}
