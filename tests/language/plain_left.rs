//! `return` and `?` in closures, which they leave.

#![allow(clippy::needless_return, clippy::unwrap_or_default, reason = "as users write it")]

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

/// The remainder of a number, unless it is 3.
#[gpu_fn]
fn small(v: u64) -> Option<u64> {
    let rest = v % 7;
    (rest != 3).then_some(rest)
}

/// A number that is no multiple of five, or what is left of it.
#[gpu_fn]
fn odd(v: u64) -> Result<u64, u32> {
    if v % 5 == 0 { Err((v % 11) as u32) } else { Ok(v / 5) }
}

/// A number and the next one, mixed.
#[gpu_fn]
fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).rotate_left(7).wrapping_add(v >> 3)
}

plain! { left(i, x):
    options {
        let s = &x[i..i + 8];
        let pairs = s.windows(2).enumerate().filter_map(|(j, own)| Some((small(*own.first()?)?, j)));
        let h = pairs.fold(0, |h, (v, j)| mix(h, v + 8 * j as u64));
        let (v, j) = s.chunks(3).enumerate().find_map(|(j, own)| Some((small(*own.first()?)?, j))).unwrap_or((9, 9));
        let sum: u64 = s.iter().map_while(|v| Some(small(*v)? + 1)).sum();
        let flat = s.iter().flat_map(|v| Some(small(*v)? ^ 1)).fold(5, mix);
        let folded = s.iter().try_fold(1u64, |h, v| Some(mix(h, small(*v)?)));
        let walked = s.iter().try_for_each(|v| {
            small(*v)?;
            Some(())
        });
        mix(mix(h, v + j as u64), mix(sum, flat)) ^ folded.unwrap_or(6) ^ walked.is_some() as u64
    }
    results {
        let s = &x[i..i + 8];
        let sum = s.iter().try_fold(0u64, |h, v| Ok::<u64, u32>(mix(h, odd(*v)?)));
        let each: Result<(), u32> = s.iter().try_for_each(|v| {
            let v = odd(*v)?;
            if v % 4 == 1 {
                return Err(40);
            }
            odd(v)?;
            Ok(())
        });
        let mapped = s.iter().map(|v| -> Result<u64, u32> { Ok(odd(*v)? + odd(*v / 2)?) });
        let h = mapped.fold(3, |h, r| mix(h, r.unwrap_or_else(|e| e as u64)));
        h ^ sum.unwrap_or_else(|e| e as u64) ^ each.map_or_else(|e| e as u64, |()| 77)
    }
    values {
        let s = &x[i..i + 8];
        let h = s.iter().map(|v| if *v % 3 == 0 { return 7 } else { *v }).fold(1, mix);
        let kept = s.iter().filter(|v| {
            if **v < 8 {
                return true;
            }
            for k in 2..6 {
                if **v % k == 0 {
                    return k == 5;
                }
            }
            false
        });
        let mut seen = 0u64;
        s.iter().for_each(|v| {
            if *v % 2 == 0 {
                return;
            }
            seen = mix(seen, *v);
        });
        let most = s.iter().max_by_key(|v| {
            if **v > 99 {
                return **v % 99;
            }
            **v
        });
        let at = s.iter().position(|v| {
            let Some(v) = small(*v) else { return false };
            v > 2
        });
        mix(h, kept.count() as u64) ^ mix(seen, *most.unwrap_or(&4)) ^ at.unwrap_or(11) as u64
    }
    nested {
        let s = &x[i..i + 8];
        let h = (0..4usize).filter_map(|a| {
            let inner = s[a..].iter().find_map(|v| {
                let v = small(*v)?;
                if v == 5 {
                    return None;
                }
                Some(v + a as u64)
            })?;
            if inner == 1 {
                return Some(100);
            }
            let all = s[..a].iter().map(|v| Some(small(*v)? ^ inner)).fold(0, |h, v| mix(h, v.unwrap_or(8)));
            Some(mix(small(all)?, inner))
        });
        h.fold(0, mix)
    }
    named {
        let of = |v: u64| Some(small(v)? + small(v / 7)?);
        let tried = |v: u64| {
            let v = odd(v)?;
            if v > 50 {
                return Err(12u32);
            }
            Ok(v)
        };
        let mut h = 0;
        for k in i..i + 8 {
            h = mix(h, of(x[k]).unwrap_or(99));
            h = mix(h, tried(x[k]).unwrap_or_else(|e| e as u64));
        }
        h
    }
    of_options {
        let a = Some(x[i]).and_then(|v| Some(small(v)? + small(v / 3)?));
        let b = Some(x[i + 1]).map(|v| {
            if v < 9 {
                return 1;
            }
            v / 9
        });
        let c = odd(x[i + 2]).and_then(|v| Ok(odd(v)? ^ 1));
        mix(a.unwrap_or(3), b.unwrap_or(4)) ^ c.unwrap_or_else(|e| e as u64)
    }
    defaults {
        let a = small(x[i]).unwrap_or_else(u64::default);
        let b = small(x[i + 1]).ok_or_else(u32::default);
        let c = (x[i + 2] > 99).then(u64::default).is_some() as u64;
        mix(a, c) ^ b.unwrap_or_else(|e| e as u64 + 20)
    }
    captured {
        let (s, k) = (&x[i..i + 8], x[i] % 5);
        let mut it = s.iter().filter_map(move |v| Some(small(*v)?.wrapping_mul(k)));
        let first = it.next().unwrap_or(1);
        let scanned = s.iter().scan(k, |sum, v| {
            *sum += small(*v)?;
            if *sum > 12 {
                return None;
            }
            Some(*sum)
        });
        mix(scanned.fold(first, mix), it.fold(2, mix))
    }
    borrowed {
        let s = &x[i..i + 8];
        let ends = s.chunks(3).map(|own| {
            if own[0] % 2 == 0 {
                return &own[1..];
            }
            own
        });
        ends.fold(0, |h, own| own.iter().fold(h, |h, v| mix(h, *v)))
    }
}

#[test]
fn closures_are_left_as_in_rust() {
    check::<left::cases>();
}

#[gpu_fn]
fn halved(x: u32) -> Result<u32, u8> {
    if x % 2 == 0 { Ok(x / 2) } else { Err(1) }
}

/// rustc converts the error; a kernel does not.
#[gpu_kernel]
fn other_errors(x: &[u32], y: &mut [u32]) {
    let sum = x.iter().try_fold(0, |sum, v| {
        let half = halved(*v)?;
        Ok::<u32, u32>(sum + half)
    });
    y[0] = sum.unwrap_or(7);
}

/// The same with errors of the closure's type.
#[gpu_kernel]
fn mapped_errors(x: &[u32], y: &mut [u32]) {
    let sum = x.iter().try_fold(0, |sum, v| {
        let half = halved(*v).map_err(u32::from)?;
        Ok::<u32, u32>(sum + half)
    });
    y[0] = sum.unwrap_or(7);
}

#[test]
fn errors_of_another_type_are_converted_by_the_user() {
    let refused = other_errors::cuda_source().expect_err("the errors differ").to_string();
    assert!(refused.contains("errors of another type than the closure's"), "{refused}");
    assert!(refused.contains("plain_left.rs:"), "{refused}");
    let device = Device::simulator();
    for (x, wanted) in [([2u32, 4, 6], 6), ([2, 5, 6], 7)] {
        let x = device.upload(&x).expect("memory");
        let mut y = device.alloc_zeroed::<u32>(1).expect("memory");
        mapped_errors(&x, &mut y).grid(1).block(1).launch(&device).expect("it is right");
        assert_eq!(device.download(&y).expect("memory"), [wanted]);
    }
}
