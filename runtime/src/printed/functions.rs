//! All functions of the host that a compiled text calls: their order, their table and their declarations in C++.

use std::fmt::Write;

use super::host::HostFunction;
use super::{boxes, bulk, images, machine, numeric, tensor_cores, wgmma};

/// All functions; a compiled text depends on their places in this order.
pub(super) fn functions() -> impl Iterator<Item = &'static HostFunction> {
    machine::FUNCTIONS
        .iter()
        .chain(boxes::FUNCTIONS)
        .chain(bulk::FUNCTIONS)
        .chain(images::FUNCTIONS)
        .chain(tensor_cores::FUNCTIONS)
        .chain(wgmma::FUNCTIONS)
        .chain(numeric::FUNCTIONS)
}

/// Addresses of all functions, in the order of [`functions`].
pub(super) fn table() -> Vec<*const ()> {
    functions().map(|function| function.address).collect()
}

/// C++ that calls the functions which `wanted` names, through the table that the host fills in.
pub(super) fn declarations(wanted: impl Fn(&str) -> bool) -> String {
    let mut text = String::from(
        "#line 1 \"warpsmith-printed\"\nextern \"C\" { __attribute__((visibility(\"default\"))) const void* const* ws_host; }\n",
    );
    let endless = functions().position(|function| function.name == "ws_h_endless").unwrap_or_default();
    let _ = writeln!(text, "#define WS_ENDLESS {endless}");
    for (place, function) in functions().enumerate().filter(|(_, function)| wanted(function.name)) {
        let HostFunction { name, ret, params, .. } = function;
        let types = params.join(", ");
        let named: Vec<String> = params.iter().enumerate().map(|(i, ty)| format!("{ty} a{i}")).collect();
        let names: Vec<String> = (0..params.len()).map(|i| format!("a{i}")).collect();
        let _ = writeln!(
            text,
            "__attribute__((no_sanitize_address)) static inline {ret} {name}({}) {{ return (({ret} (*)({types}))ws_host[{place}])({}); }}",
            named.join(", "),
            names.join(", ")
        );
    }
    text
}
