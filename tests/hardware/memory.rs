//! Memory: other element types, parts, raw pointers, bits, volatile accesses, cache hints, `core::mem`.

use core::{cmp, mem};

use warpsmith::prelude::*;

use super::{everywhere, written};

/// Two halves of a word.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[gpu(AnyBits)]
#[repr(C)]
struct Halves {
    low: u16,
    high: u16,
}

#[gpu_kernel]
fn other_types(x: &[u32], bytes: &mut [u8], out: &mut [u64]) {
    let i = global_id();
    if i >= 2 || x.len() < 8 || out.len() < 14 || bytes.len() < 32 {
        return;
    }
    let quads = x.reinterpret::<U32x4>();
    let halves: &[Halves] = x.reinterpret();
    let quad = quads[i];
    let part = x[i * 4..i * 4 + 4].reinterpret::<u64>();
    let mine = &mut out[i * 7..i * 7 + 7];
    mine[0] = quad.x as u64 + ((quad.w as u64) << 32);
    mine[1] = part[0];
    mine[2] = part.len() as u64 * 1000 + quads.len() as u64 * 100 + halves.len() as u64;
    mine[3] = halves[i + 3].low as u64 * 65_536 + halves[i + 3].high as u64;
    mine[4] = bit_cast::<f32, u32>(x.reinterpret::<f32>()[i] * 2.0) as u64;
    let mut local = [0x0002_0001u32, 5];
    local[1..].reinterpret_mut::<u16>()[1] = 8;
    mine[5] = bit_cast(local);
    mine[6] = x[2..7].reinterpret::<u64>().len() as u64;
    bytes.reinterpret_mut::<u32>()[i] = x[i].swap_bytes();
}

#[test]
fn memory_is_read_and_written_as_another_type() {
    everywhere::<other_types>(&(), |device| {
        let x = [0x3f80_0001u32, 0x4049_0fdb, 3, u32::MAX, 5, 0x8000_0000, 7, 0xdead_beef];
        let input = device.upload(&x).expect("memory");
        let mut bytes = device.upload(&[0xaau8; 32]).expect("memory");
        let out =
            written(device, (14, 99), |out| other_types(&input, &mut bytes, out).over(2).launch(device));
        for i in 0..2 {
            let row = &x[i * 4..i * 4 + 4];
            let word = x[i + 3];
            let want = [
                u64::from(row[0]) | u64::from(row[3]) << 32,
                u64::from(row[0]) | u64::from(row[1]) << 32,
                2000 + 200 + 8,
                u64::from(word & 0xffff) * 65_536 + u64::from(word >> 16),
                u64::from((f32::from_bits(x[i]) * 2.0).to_bits()),
                0x0008_0005_0002_0001,
                2,
            ];
            assert_eq!(out[i * 7..i * 7 + 7], want, "on {}", device.name());
        }
        let bytes = device.download(&bytes).expect("memory");
        let want: Vec<u8> = x[..2].iter().flat_map(|v| v.to_be_bytes()).collect();
        assert_eq!((&bytes[..8], &bytes[8..]), (&want[..], &[0xaa; 24][..]));
    });
}

#[gpu_kernel]
fn misaligned(x: &[u32], out: &mut [u64]) {
    out[0] = x[1..].reinterpret::<u64>()[0];
}

#[test]
fn a_wider_type_at_an_odd_address_is_a_fault() {
    everywhere::<misaligned>(&(), |device| {
        let input = device.upload(&[1u32, 2, 3, 4]).expect("memory");
        let mut out = device.upload(&[0u64]).expect("memory");
        let outcome = misaligned(&input, &mut out).grid(1).block(1).launch(device);
        let message =
            outcome.and_then(|()| device.synchronize()).expect_err("4 is no multiple of 8").to_string();
        assert!(message.contains("memory.rs") && message.contains("align"), "{message}");
    });
}

#[gpu_fn]
fn reversed(x: &mut [i32]) {
    let n = x.len();
    for i in 0..n / 2 {
        x.swap(i, n - 1 - i);
    }
}

#[gpu_kernel]
fn parts(x: &mut [i32], middle: u32, out: &mut [i32]) {
    if global_id() > 0 {
        return;
    }
    let (left, right) = x.split_at_mut(middle);
    reversed(left);
    right[0] += left[0];
    left.fill(-1);
    right[1..].fill(7);
    mem::swap(&mut left[0], &mut right[0]);
    let mut local = [5i32; 6];
    local[2..4].fill(8);
    let (a, b) = local.split_at(3usize);
    out[0] = a.len() as i32 * 100 + b.len() as i32;
    out[1] = a[2] * 10 + b[0];
    local.swap(0, 2);
    reversed(&mut local[1..]);
    out[2] = local[0] * 1000 + local[5] * 100 + local[3];
    let mut tile = shared!([i32; 8]);
    tile.fill(3);
    let (front, back) = tile.split_at_mut(2usize);
    back[5] = 40;
    front[1] = back[0] + 1;
    out[3] = tile[1] * 1000 + tile[7] * 10 + tile[6];
    out[4] = x.is_empty() as i32 + 2 * x[3..3].is_empty() as i32;
}

#[test]
fn parts_that_do_not_overlap_are_written_apart() {
    everywhere::<parts>(&(), |device| {
        let mut memory = device.upload(&[10, 20, 30, 40, 50]).expect("memory");
        let out = written(device, (5, 77), |out| parts(&mut memory, 3, out).over(1).launch(device));
        assert_eq!(out, [303, 88, 8000 + 500 + 8, 4000 + 400 + 3, 2], "on {}", device.name());
        assert_eq!(device.download(&memory).expect("memory"), [70, -1, -1, -1, 7]);
    });
}

#[gpu_kernel]
fn split_outside(x: &mut [i32], middle: u32) {
    let (_, right) = x.split_at_mut(middle);
    right.fill(1);
}

#[test]
fn a_split_beyond_the_end_is_a_fault() {
    everywhere::<split_outside>(&(), |device| {
        let mut memory = device.upload(&[1, 2, 3]).expect("memory");
        split_outside(&mut memory, 3).grid(1).block(1).launch(device).expect("an empty part");
        let outcome = split_outside(&mut memory, 4).grid(1).block(1).launch(device);
        let message = outcome.and_then(|()| device.synchronize()).expect_err("4 is beyond 3").to_string();
        assert!(message.contains("memory.rs"), "{message}");
        assert_eq!(device.download(&memory).expect("memory"), [1, 2, 3]);
    });
}

/// The sum of `n` elements from an address on.
///
/// # Safety
/// There are that many.
#[gpu_fn]
unsafe fn sum_from(first: *const i32, n: u32) -> i32 {
    let mut sum = 0;
    for i in 0..n {
        // SAFETY: `i` is below `n`.
        sum += unsafe { *first.add(i as usize) };
    }
    sum
}

#[gpu_kernel]
fn pointers(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if x.len() < 8 || out.len() < 12 || i >= 2 {
        return;
    }
    // SAFETY: every address is within eight elements of `x` or six of `out` from `6 * i` on.
    unsafe {
        let p = x.as_ptr().add(i * 2);
        let mut q = out.as_mut_ptr().add(6 * i);
        q.write(p.read() * 10 + p.offset(1).read());
        q = q.add(2).sub(1);
        *q = sum_from(p, 4) - *p.add(3);
        *q.add(1) += 5;
        let end = q.wrapping_add(2);
        end.write(end.is_null() as i32 + bit_cast::<f32, i32>(p.cast::<f32>().read()));
        let pair = *p.cast::<I32x2>();
        *end.offset(1) = pair.x - pair.y;
        let mut local = [1, 2, 3];
        let l = local.as_mut_ptr();
        l.add(1).write(9);
        *end.add(2) = local[1] + *l.add(2);
    }
}

#[test]
fn raw_pointers_address_elements() {
    everywhere::<pointers>(&(), |device| {
        let x = [3, -7, 11, 0x7f80, i32::MIN + 9, 2, 4, 1];
        let input = device.upload(&x).expect("memory");
        let out = written(device, (12, 70), |out| pointers(&input, out).over(2).launch(device));
        for i in 0..2 {
            let p = &x[i * 2..];
            let want = [p[0] * 10 + p[1], p[0] + p[1] + p[2], 75, p[0], p[0] - p[1], 12];
            assert_eq!(out[i * 6..i * 6 + 6], want, "on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn bits(x: &[F32x2], out: &mut [u64]) {
    let i = global_id();
    if i >= x.len() || i * 4 + 4 > out.len() {
        return;
    }
    let pair: u64 = bit_cast(x[i]);
    let halves: Halves = bit_cast(x[i].y);
    out[i * 4] = pair;
    out[i * 4 + 1] = halves.high as u64;
    out[i * 4 + 2] = bit_cast::<[u16; 4], u64>([1, halves.low, 3, 4]);
    out[i * 4 + 3] = bit_cast::<_, u32>(bit_cast::<u64, F32x2>(pair.rotate_left(32)).x) as u64;
}

#[test]
fn bits_keep_their_places() {
    everywhere::<bits>(&(), |device| {
        let x = [F32x2::new(1.5, -0.0), F32x2::new(f32::NAN, f32::MIN_POSITIVE), F32x2::new(-3.25, 7e20)];
        let input = device.upload(&x).expect("memory");
        let out = written(device, (12, 9), |out| bits(&input, out).over(3).launch(device));
        for (v, got) in x.iter().zip(out.chunks(4)) {
            let (a, b) = (u64::from(v.x.to_bits()), u64::from(v.y.to_bits()));
            let want = [a | b << 32, b >> 16, 1 | (b & 0xffff) << 16 | 3 << 32 | 4 << 48, b];
            assert_eq!(got, want, "on {}", device.name());
        }
    });
}

#[gpu_kernel]
fn volatile(x: &[f32], h: &mut [f16], big: &mut [u64], out: &mut [f32]) {
    let i = global_id();
    if i >= x.len() || i >= h.len() || i >= big.len() || i >= out.len() {
        return;
    }
    let mut kept = shared!([f32; 32]);
    volatile_store(&mut kept[thread_idx().x], volatile_load(&x[i]) * 2.0);
    let more = volatile_load(&h[i]) + f16::ONE;
    volatile_store(&mut h[i], more);
    let before = volatile_load(&big[i]);
    volatile_store(&mut big[i], before << 40);
    volatile_store(&mut out[i], volatile_load(&kept[thread_idx().x]) - 1.0);
}

#[test]
fn volatile_accesses_read_and_write() {
    everywhere::<volatile>(&(), |device| {
        let x: Vec<f32> = (0..40).map(|v| v as f32 * 0.75 - 9.0).collect();
        let h: Vec<f16> = x.iter().map(|v| f16::from_f32(*v)).collect();
        let input = device.upload(&x).expect("memory");
        let mut halves = device.upload(&h).expect("memory");
        let mut big = device.upload(&(0..40u64).collect::<Vec<_>>()).expect("memory");
        let out = written(device, (40, f32::NAN), |out| {
            volatile(&input, &mut halves, &mut big, out).over(40).block(32).launch(device)
        });
        let want: Vec<f32> = x.iter().map(|v| v * 2.0 - 1.0).collect();
        assert_eq!(out, want, "on {}", device.name());
        let want: Vec<f16> = h.iter().map(|v| *v + f16::ONE).collect();
        assert_eq!(device.download(&halves).expect("memory"), want);
        assert_eq!(device.download(&big).expect("memory")[39], 39 << 40);
    });
}

/// Copies through every cache hint, one element each.
#[gpu_kernel]
fn hinted<T: CacheAccess>(x: &[T], out: &mut [T]) {
    let i = global_id() * 6;
    if i + 6 > x.len() || i + 6 > out.len() {
        return;
    }
    prefetch_l1(&x[i + 5]);
    prefetch_l2(&x[i]);
    out[i] = load_read_only(&x[i]);
    out[i + 1] = load_l2(&x[i + 1]);
    out[i + 2] = load_streaming(&x[i + 2]);
    store_l2(&mut out[i + 3], load_last_use(&x[i + 3]));
    store_streaming(&mut out[i + 4], x[i + 4]);
    store_through(&mut out[i + 5], x[i + 5]);
}

fn copies<T: CacheAccess + PartialEq + core::fmt::Debug + 'static>(fill: T, value: impl Fn(u32) -> T) {
    everywhere::<hinted<T>>(&(), |device| {
        let x: Vec<T> = (0..12).map(&value).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (12, fill), |out| hinted(&input, out).over(2).launch(device));
        assert_eq!(out, x, "on {}", device.name());
    });
}

#[test]
fn cache_hints_change_no_value() {
    copies(0u8, |i| (250u8).wrapping_add((i as u8).wrapping_mul(31)) | 1);
    copies(0i16, |i| -1000 + i as i16);
    copies(0u32, |i| u32::MAX - i);
    copies(0i64, |i| i64::MIN + 1 + i64::from(i));
    copies(f32::NAN, |i| i as f32 / 3.0);
    copies(f64::NAN, |i| i as f64 / 3.0);
    copies(f16::NAN, |i| f16::from_f32(i as f32 / 3.0));
    copies(bf16::NAN, |i| bf16::from_f32(i as f32 / 3.0));
    copies(U8x4::splat(0), |i| U8x4::new(i as u8, 1, 2, 255));
    copies(F16x4::splat(f16::NAN), |i| F16x4::splat(f16::from_f32(i as f32)));
    copies(F32x4::splat(f32::NAN), |i| F32x4::new(i as f32, -1.0, 2.5, 1e30));
    copies(F64x2::splat(f64::NAN), |i| F64x2::new(i as f64, -1e300));
}

/// A counter with a default.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Tally {
    count: u32,
    sum: f32,
}

#[gpu_impl]
impl Default for Tally {
    fn default() -> Self {
        Tally { count: 1, sum: -0.5 }
    }
}

#[gpu_kernel]
fn exchanged(x: &mut [Tally], pairs: &mut [I32x2], out: &mut [Tally]) {
    let i = global_id();
    if i >= x.len() || i >= pairs.len() || i * 3 + 3 > out.len() {
        return;
    }
    let mut mine = x[i];
    out[i * 3] = mem::replace(&mut mine, Tally { count: 9, sum: 0.25 });
    mem::swap(&mut x[i], &mut mine);
    out[i * 3 + 1] = mem::take(&mut mine);
    mine.count += mem::replace(&mut x[i].count, 77);
    out[i * 3 + 2] = mine;
    let I32x2 { x: a, y: b } = pairs[i];
    pairs[i] = I32x2::new(cmp::min(a, b), cmp::max(a, b));
}

#[test]
fn values_are_exchanged_in_place() {
    everywhere::<exchanged>(&(), |device| {
        let x = [Tally { count: 3, sum: 1.5 }, Tally { count: 0, sum: -2.0 }];
        let mut memory = device.upload(&x).expect("memory");
        let mut pairs = device.upload(&[I32x2::new(3, -4), I32x2::new(i32::MIN, i32::MAX)]).expect("memory");
        let fill = Tally { count: 99, sum: 99.0 };
        let out =
            written(device, (6, fill), |out| exchanged(&mut memory, &mut pairs, out).over(2).launch(device));
        for i in 0..2 {
            assert_eq!(out[i * 3..i * 3 + 3], [x[i], x[i], Tally { count: 10, sum: -0.5 }]);
        }
        assert_eq!(device.download(&memory).expect("memory"), [Tally { count: 77, sum: 0.25 }; 2]);
        assert_eq!(
            device.download(&pairs).expect("memory"),
            [I32x2::new(-4, 3), I32x2::new(i32::MIN, i32::MAX)]
        );
    });
}

/// Elements side by side that are moved at once.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[gpu(AnyBits)]
#[repr(C, align(16))]
struct Packet<T, const N: usize> {
    payload: [T; N],
}

#[gpu_kernel]
fn packets<T: Num, const N: usize>(x: &[T], out: &mut [T]) {
    let i = global_id();
    let mut packet = x.reinterpret::<Packet<T, N>>()[i];
    for v in packet.payload.iter_mut() {
        *v /= T::ONE + T::ONE;
    }
    out[i * N..].reinterpret_mut::<Packet<T, N>>()[0] = packet;
}

#[test]
fn generic_structs_are_read_from_other_elements() {
    macro_rules! check {
        ($t:ty, $n:literal) => {
            everywhere::<packets<$t, $n>>(&(), |device| {
                let x: Vec<$t> = (0..4 * $n).map(|v: i32| (v * 3 - 5).cast()).collect();
                let input = device.upload(&x).expect("memory");
                let out = written(device, (4 * $n, <$t as Num>::HIGHEST), |out| {
                    packets::<$t, $n>(&input, out).grid(1).block(4).launch(device)
                });
                let two = <$t as Num>::ONE + <$t as Num>::ONE;
                let want: Vec<$t> = x.iter().map(|v| *v / two).collect();
                assert_eq!(out, want, "on {}", device.name());
            });
        };
    }
    check!(f32, 4);
    check!(bf16, 8);
    check!(i8, 16);
    check!(u64, 2);
}
