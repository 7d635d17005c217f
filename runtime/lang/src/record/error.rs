//! The errors of recording.

use crate::ir::Location;

/// A construct that type-checks in Rust but has no meaning in the kernel language.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A device function calls itself.
    #[error("{}:{}: recursion is not supported in a kernel: `{function}` calls itself; use a loop", at.file, at.line)]
    Recursion {
        /// The function.
        function: String,
        /// The call.
        at: Location,
    },
    /// An operator on a type that has it in Rust only.
    #[error("{}:{}: the operator `{operator}` is not known on `{operand}` in a kernel; {}", at.file, at.line, instead_of(operator, fields.as_deref()))]
    Operator {
        /// The operator.
        operator: &'static str,
        /// The operand's type.
        operand: String,
        /// The fields of a type of the user's that is not known to be ordered by them.
        fields: Option<Vec<String>>,
        /// Where.
        at: Location,
    },
    /// A comparison of an enum whose order a user has written.
    #[error("{}:{}: `{operand}` has an order of its own, and a kernel would compare the numbers of its variants; write a `#[gpu_fn]` that gives a number for each variant, and compare these", at.file, at.line)]
    OwnOrder {
        /// Its type.
        operand: String,
        /// Where.
        at: Location,
    },
    /// A cast between types that CUDA cannot cast between.
    #[error("{}:{}: a cast from `{from}` to `{to}` is not supported in a kernel", at.file, at.line)]
    Cast {
        /// Source type.
        from: String,
        /// Target type.
        to: String,
        /// Where.
        at: Location,
    },
    /// An index into something that cannot be indexed.
    #[error("{}:{}: an overloaded index of `{base}` needs `#[gpu_impl]` above its `impl`, and a name or a call for the value: bind it by `let` first", at.file, at.line)]
    Index {
        /// Its type.
        base: String,
        /// Where.
        at: Location,
    },
    /// A loop over something that has no elements.
    #[error("{}:{}: loops and iterators walk ranges, slices, arrays and `View`s in a kernel, and no `{of}`; take an `Option` apart by `if let`", at.file, at.line)]
    Iterator {
        /// Its type.
        of: String,
        /// Where.
        at: Location,
    },
    /// An adapter that counts what others leave out.
    #[error("{}:{}: `{adapter}` counts items in a kernel, and the adapters before it leave some out; put `{adapter}` before them, or write the loop and count", at.file, at.line)]
    Order {
        /// Its name.
        adapter: &'static str,
        /// Where.
        at: Location,
    },
    /// An adapter that would advance an iterator in a variable by more items than it gives.
    #[error("{}:{}: behind `by_ref` or `&mut`, `{adapter}` takes items that it does not give, which a kernel does not support; put `{adapter}` where the iterator is made, or call `next` in a loop", at.file, at.line)]
    Advance {
        /// Its name.
        adapter: &'static str,
        /// Where.
        at: Location,
    },
    /// A method of an iterator in a variable whose items depend on closures, or on earlier items.
    #[error("{}:{}: `{method}` of an iterator in a variable needs items that no closure makes and that no `take` or `take_while` ends, in a kernel; call `map` and its like on the items, or loop", at.file, at.line)]
    Kept {
        /// Its name.
        method: &'static str,
        /// Where.
        at: Location,
    },
    /// A range of something that has no elements side by side.
    #[error("{}:{}: a value of type `{base}` cannot be sliced in a kernel; slices, arrays, `View`s and one-dimensional shared arrays can", at.file, at.line)]
    Slice {
        /// Its type.
        base: String,
        /// Where.
        at: Location,
    },
    /// A shared array of another length, or of one that is not known, where a function takes an array.
    #[error("{}:{}: a shared array, or a row of one, is taken as `{array}` where it is declared, with this length; take a slice: `&[{elem}]`", at.file, at.line)]
    SharedArray {
        /// The array's type.
        array: String,
        /// The type of its elements.
        elem: String,
        /// Where.
        at: Location,
    },
    /// A slice as the result of a function with a body in CUDA or PTX.
    #[error("{}:{}: the body of `{function}` is not Rust, so it cannot return a slice; return a `View`, or the range", at.file, at.line)]
    SliceResult {
        /// The function.
        function: String,
        /// Where.
        at: Location,
    },
    /// A reference to a shared array of several dimensions as the result of a function or a closure.
    #[error("{}:{}: `{function}` cannot return a reference to a shared array of several dimensions in a kernel; return a row, or its index", at.file, at.line)]
    SharedResult {
        /// The function, or `closure`.
        function: String,
        /// Where.
        at: Location,
    },
    /// A reference to a temporary as the result of a function or a closure.
    #[error(
        "{}:{}: `{function}` returns a reference to a temporary, which CUDA does not keep alive; return the value, or a reference to a \
         `const` array", at.file, at.line
    )]
    Temporary {
        /// The function, or `closure`.
        function: String,
        /// Where.
        at: Location,
    },
    /// A variable through which a slice could be made another.
    #[error("{}:{}: `{name}` is a `&mut &[T]`, through which the slice could be replaced; a kernel does not support that: return the new slice in a tuple, or a range", at.file, at.line)]
    SlicePlace {
        /// The variable.
        name: String,
        /// The function that it is in.
        at: Location,
    },
    /// An array of shared memory where another one is assigned.
    #[error("{}:{}: a shared array stays in its memory; to exchange two, take references to them: `let (mut from, mut to) = (&mut a, &mut b);`", at.file, at.line)]
    SharedPlace {
        /// The assignment.
        at: Location,
    },
    /// A tuple, struct, enum or array with a shared array, or with a reference to one of several dimensions.
    #[error("{}:{}: `{name}` holds a shared array, or a reference to one of several dimensions; give it a variable of its own", at.file, at.line)]
    SharedPart {
        /// The variable.
        name: String,
        /// The function that it is in.
        at: Location,
    },
    /// A field that the type does not have.
    #[error("{}:{}: a value of type `{base}` has no field `{field}` in a kernel", at.file, at.line)]
    Field {
        /// The type.
        base: String,
        /// The field.
        field: String,
        /// Where.
        at: Location,
    },
    /// A function that kernels cannot call, of the name of one that they can.
    #[error("{}:{}: kernels cannot call `{function}`; write `#[gpu_fn]` above it", at.file, at.line)]
    NoDeviceFunction {
        /// Its path.
        function: &'static str,
        /// The call.
        at: Location,
    },
    /// A name in camel case that is no variant of what it is matched with.
    #[error(
        "{}:{}: `{name}` in a pattern is not a variant of `{ty}`; in a kernel, write the name of a matched constant in capitals", at.file, at.line
    )]
    Pattern {
        /// The name.
        name: String,
        /// The type that is matched.
        ty: String,
        /// Where.
        at: Location,
    },
    /// An integer constant that overflows, divides by zero or shifts past its width.
    #[error("{}:{}: this constant arithmetic overflows or divides by zero: `{expression}`", at.file, at.line)]
    ConstantOverflow {
        /// The arithmetic.
        expression: String,
        /// Where.
        at: Location,
    },
    /// A `step_by` of zero.
    #[error("{}:{}: `step_by` needs a step above zero", at.file, at.line)]
    ZeroStep {
        /// Where.
        at: Location,
    },
    /// A builtin reached an argument it cannot take.
    #[error("{}:{}: `{builtin}` cannot take {what}", at.file, at.line)]
    Argument {
        /// The builtin.
        builtin: &'static str,
        /// The given value.
        what: String,
        /// Where.
        at: Location,
    },
    /// A comptime argument of a launched kernel that is not known when the launching one is compiled.
    #[error(
        "{}:{}: argument `{argument}` of the launched kernel `{kernel}` is `#[comptime]`: it must be an integer, a `bool` or an enum with a `repr` that is \
         known when the launching kernel is compiled: a literal, a constant, or a value of its own comptime parameters", at.file, at.line
    )]
    LaunchedComptime {
        /// The kernel that is launched.
        kernel: &'static str,
        /// Its parameter.
        argument: &'static str,
        /// The launch.
        at: Location,
    },
    /// A kernel that launches ever other specializations.
    #[error(
        "{}:{}: more than {limit} kernels would be compiled into one, `{kernel}` the last: its comptime values change at every \
         launch; pass what changes as a run-time argument", at.file, at.line
    )]
    ManyKernels {
        /// The kernel that is launched.
        kernel: &'static str,
        /// The greatest number of kernels.
        limit: usize,
        /// The launch.
        at: Location,
    },
    /// The macro and the library disagree; a bug of warpsmith.
    #[error("{}:{}: warpsmith recorded an inconsistent kernel ({what}); this is a bug in warpsmith, please report it with the kernel", at.file, at.line)]
    Internal {
        /// The inconsistent item.
        what: &'static str,
        /// Where.
        at: Location,
    },
}

/// What to write for an operator that a type lacks in kernels.
fn instead_of(operator: &str, fields: Option<&[String]>) -> String {
    let [strict, others @ ..] = operator.as_bytes() else { return String::new() };
    if !matches!(strict, b'<' | b'>') || others.len() > 1 || operator == "<<" || operator == ">>" {
        return "write `#[gpu_impl]` above the `impl` of its operator trait".to_owned();
    }
    let strict = char::from(*strict);
    let derived = "if its order is the derived one, write `#[gpu(PartialOrd)]` on the type instead of deriving `PartialOrd`";
    let [x, y] = match fields {
        None => ["0", "1"],
        Some([]) => return derived.to_owned(),
        Some([only]) => return format!("{derived}; or compare its field: `a.{only} {operator} b.{only}`"),
        Some([first, second, ..]) => [first.as_str(), second.as_str()],
    };
    let parts =
        format!("compare its parts: `a.{x} {strict} b.{x} || (a.{x} == b.{x} && a.{y} {operator} b.{y})`");
    if fields.is_some() { format!("{derived}; or {parts}") } else { parts }
}
