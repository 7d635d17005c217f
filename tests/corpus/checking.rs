//! Checking a kernel: a launch of one thread does what a launch of many does, an assertion that fails
//! names the element, and a line is printed.

use warpsmith::prelude::*;

/// `roots[i]` is the integer square root of `x[i]`; any grid covers all elements.
#[gpu_kernel]
pub fn integer_roots(x: &[u32], roots: &mut [u32]) {
    for i in (global_id()..x.len()).step_by(global_size()) {
        let mut root = 0;
        while (root + 1) * (root + 1) <= x[i] {
            root += 1;
        }
        assert!(root * root <= x[i], "the root is too large");
        if i == 0 {
            println!("the root of {} is {}", x[i], root);
        }
        roots[i] = root;
    }
}
