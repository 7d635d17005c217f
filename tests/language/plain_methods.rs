//! Methods of `Option`, `Result`, integers and arrays, beside plain Rust.

use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

plain! { methods(i, x):
    options_joined {
        let a = if x[i] > 9 { Some(x[i]) } else { None };
        let b = x[i + 1].checked_sub(3);
        let zipped = a.zip(b).map_or(0, |(p, q)| p ^ q);
        let nested = Some(b).flatten().unwrap_or(11);
        let error = b.ok_or_else(|| x[i + 2]).unwrap_or_else(|e| e ^ 5);
        zipped ^ a.xor(b).unwrap_or(2) << 1 ^ a.and(b).unwrap_or(7) << 2 ^ nested << 3 ^ error
    }
    options_filled {
        let mut m = if x[i] > 9 { Some(x[i]) } else { None };
        let taken = m.take();
        let before = m.replace(5);
        *m.get_or_insert(9) += 1;
        let first = m;
        *m.insert(4) += 1;
        let mut late = taken;
        *late.get_or_insert_with(|| x[i] ^ 77) ^= 3;
        taken.unwrap_or(1) ^ before.is_none() as u64 ^ first.unwrap() << 4 ^ m.unwrap() << 8 ^ late.unwrap()
    }
    options_of_references {
        let (mut a, mut b) = (x[i], 5u64);
        let mut r = if x[i] % 3 == 0 { None } else { Some(&mut a) };
        if let Some(p) = r.as_mut() {
            **p ^= 9;
        }
        if let Some(p) = r.take() {
            *p = p.wrapping_add(1);
        }
        let gone = r.is_none() as u64;
        let before = r.replace(&mut b).is_none() as u64;
        if let Some(p) = &mut r {
            **p += 2;
        }
        a ^ b << 30 ^ gone << 40 ^ before << 41
    }
    results {
        let h: Result<u64, u8> = if x[i] > 9 { Ok(x[i]) } else { Err(x[i] as u8) };
        h.map_or(4, |v| v / 3) ^ h.is_ok_and(|v| v % 2 == 0) as u64 ^ (h.is_err_and(|e| e == 3) as u64) << 5
    }
    words_with_carries {
        let (sum, carry) = x[i].carrying_add(x[i + 1], x[i + 2] & 1 == 1);
        let (rest, borrow) = x[i].borrowing_sub(x[i + 1], carry);
        let (low, high) = x[i].carrying_mul(x[i + 1], sum);
        let (byte, carried) = (x[i] as u8).carrying_add(x[i + 1] as u8, borrow);
        let (short, above) = (x[i] as u16).carrying_mul(x[i + 1] as u16, u16::MAX);
        let (word, borrowed) = (x[i] as u32).borrowing_sub(x[i + 1] as u32, carried);
        let (least, most) = (x[i] as u32).carrying_mul(x[i + 1] as u32, x[i + 2] as u32);
        let mut h = sum ^ rest ^ low ^ high ^ borrowed as u64;
        for part in [byte as u64, short as u64, above as u64, word as u64, least as u64, most as u64] {
            h = h.rotate_left(7) ^ part;
        }
        h
    }
    arrays_mapped {
        let floats = [x[i], x[i + 1], x[i + 2]].map(|v| v as u32 as f32);
        let made: [u64; 5] = std::array::from_fn(|k| x[i + k] ^ k as u64);
        let mut n = 0u64;
        let counted = [3u8, 4].map(|v| {
            n += 1;
            n * 10 + v as u64
        });
        let rows: [[u16; 2]; 3] = core::array::from_fn(|r| core::array::from_fn(|c| (r * 10 + c) as u16));
        let more = rows.map(|row| row.map(|v| v + 1));
        let pairs = made.map(|v| (v % 7, v % 2 == 0));
        let some = std::array::from_fn::<_, 4, _>(|k| if k % 2 == 0 { Some(made[k]) } else { None });
        let h = floats.iter().fold(n << 40, |h, v| h.rotate_left(7) ^ v.to_bits() as u64);
        let h = made.iter().fold(h, |h, v| h.wrapping_mul(31) ^ v) ^ counted[0] << 9 ^ counted[1] << 17;
        h ^ (more[2][1] as u64) << 3 ^ pairs[3].0 ^ (pairs[4].1 as u64) << 5 ^ some[2].unwrap_or(0) ^ some[1].is_some() as u64
    }
}

#[gpu_kernel]
fn made_of_nothing<const N: usize>(out: &mut [u32]) {
    let made: [u32; N] = std::array::from_fn(|i| {
        out[0] = 7;
        i as u32
    });
    for v in made {
        out[1] += v;
    }
}

/// CUDA has none of them, and so they are refused before anything runs.
#[test]
fn arrays_without_elements_are_not_made_by_a_function() {
    let device = Device::simulator();
    let mut out = device.upload(&[0u32; 2]).expect("memory");
    let fault = made_of_nothing::<0>(&mut out).grid(1).block(1).launch(&device).expect_err("a fault");
    assert!(fault.to_string().contains("`made` has an array without elements"), "{fault}");
    assert_eq!(device.download(&out).expect("memory"), [0, 0]);
    made_of_nothing::<3>(&mut out).grid(1).block(1).launch(&device).expect("no fault");
    assert_eq!(device.download(&out).expect("memory"), [7, 3]);
}

#[test]
fn methods_of_options_integers_and_arrays_are_rusts() {
    check::<methods::cases>();
}
