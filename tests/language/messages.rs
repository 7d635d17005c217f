//! Messages of assertions with values, which are printed where the assertion fails.

use warpsmith::prelude::*;

use super::everywhere;

#[gpu_kernel]
fn told(x: &[i32], out: &mut [i32]) {
    let n = x[0];
    assert!(n < 10, "n is {}, x[1] is {:>4}", n, x[1]);
    assert_eq!(n, 3, "n is {n}");
    assert_ne!(x[1], 5, "five");
    debug_assert!(x[2] < 5, "x[2] is {}", x[2]);
    if x[3] == 7 {
        panic!("twice seven is {}", x[3] * 2);
    }
    assert!(x[3] < 100, "{{100}}");
    out[0] = match x[4] {
        0 => n,
        other => unreachable!("no {other:#x}"),
    };
}

#[test]
fn a_message_with_values_is_the_fault_as_it_is_written() {
    let cases: [(usize, i32, &str); 7] = [
        (0, 11, "n is {}, x[1] is {:>4} at"),
        (0, 4, "assertion `left == right` failed: n is {n} at"),
        (1, 5, "assertion `left != right` failed: five at"),
        (2, 9, "x[2] is {} at"),
        (3, 7, "twice seven is {} at"),
        (3, 100, "{100} at"),
        (4, 255, "internal error: entered unreachable code: no {other:#x} at"),
    ];
    everywhere::<told>(&(), |gpu| {
        let run = |x: &[i32]| {
            let x = gpu.upload(x).expect("memory");
            let mut out = gpu.upload(&[0]).expect("memory");
            told(&x, &mut out).grid(1).block(1).launch(gpu).and_then(|()| gpu.download(&out))
        };
        assert_eq!(run(&[3, 1, 2, 3, 0]).expect("all hold"), [3]);
        for (place, value, message) in cases {
            let mut x = [3, 1, 2, 3, 0];
            x[place] = value;
            let fault = run(&x).expect_err("a fault").to_string();
            assert!(fault.starts_with(message), "{fault}");
        }
    });
    let cuda = told::cuda_source().expect("it prints");
    assert!(cuda.contains(r#"printf("n is %d, x[1] is %4d\n", n, x[1]);"#), "{cuda}");
}
