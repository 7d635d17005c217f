//! Bytes: sequences, characters, fields, numbers and matches in them, and numbers of few bits.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "texts",
    originals: include_str!("texts.cu"),
    kernels: &[
        Unseen {
            name: "minimizers",
            class: "windows, options, least of pairs, usize",
            make: minimizers_trial,
        },
        Unseen { name: "utf8_count", class: "matches on parts of slices, usize", make: utf8_count_trial },
        Unseen { name: "csv_fields", class: "scan of lines with quotes, u32", make: csv_fields_trial },
        Unseen {
            name: "parse_decimals",
            class: "bytes one by one, options, usize",
            make: parse_decimals_trial,
        },
        Unseen { name: "lz_matches", class: "local hash table, match lengths, u32", make: lz_matches_trial },
        Unseen { name: "unpack_bits", class: "numbers across words, u32", make: unpack_bits_trial },
    ],
};

/// Two bits for a base.
#[gpu_fn]
fn base_code(base: u8) -> Option<u64> {
    match base {
        b'A' => Some(0),
        b'C' => Some(1),
        b'G' => Some(2),
        b'T' => Some(3),
        _ => None,
    }
}

/// A number for some bases and for what pairs with them, if all of them are known.
#[gpu_fn]
fn canonical_hash(bases: &[u8]) -> Option<u64> {
    let (mut forward, mut backward) = (0, 0);
    for (i, base) in bases.iter().enumerate() {
        let code = base_code(*base)?;
        forward = forward << 2 | code;
        backward |= (3 - code) << (2 * i);
    }
    let mut key = forward.min(backward);
    key = (key ^ key >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    key = (key ^ key >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    Some(key ^ key >> 33)
}

/// The place of the least hash among the sequences of `k` bases in each window.
#[gpu_kernel]
fn minimizers(sequence: &[u8], places: &mut [u32], k: usize, window: usize) {
    let i = global_id();
    if i >= places.len() {
        return;
    }
    let bases = &sequence[i..i + window + k - 1];
    let hashes =
        bases.windows(k).enumerate().filter_map(|(j, own)| canonical_hash(own).map(|hash| (hash, j)));
    places[i] = hashes.min().map_or(u32::MAX, |(_, j)| (i + j) as u32);
}

fn minimizers_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, k, window] = ground.pick([200, 5, 4], [1 << 20, 15, 10]);
    let sequence = ground.each(n, |word| b"ACGTACGTACGTACGTACGTACGTACGTACGN"[(word >> 59) as usize]);
    let ds = ground.up(&sequence)?;
    let hash = move |bases: &[u8]| {
        let code = |b: &u8| b"ACGT".iter().position(|base| base == b).map(|code| code as u64);
        let codes = bases.iter().map(code).collect::<Option<Vec<u64>>>()?;
        let forward = codes.iter().fold(0, |key, code| key * 4 + code);
        let backward = codes.iter().rev().fold(0, |key, code| key * 4 + 3 - code);
        let mixed = |key: u64, by: u64| (key ^ (key >> 33)).wrapping_mul(by);
        let key = mixed(mixed(forward.min(backward), 0xff51_afd7_ed55_8ccd), 0xc4ce_b9fe_1a85_ec53);
        Some(key ^ (key >> 33))
    };
    let want = move |i: usize| {
        let known = (i..i + window).filter_map(|at| Some((hash(&sequence[at..at + k])?, at)));
        known.min().map_or(u32::MAX, |(_, at)| at as u32)
    };
    let count = n - k - window + 2;
    let mut places = ground.blank(count, exactly(want))?;
    let [a, b, c] = [count, k, window].map(|n| n as i32);
    trial!(
        ground,
        Shape::line(count, 128),
        minimizers(&ds, &mut places.memory, k, window),
        original(&ds, &places.memory, a, b, c),
        [places]
    )
}

#[gpu_fn]
fn is_tail(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// How many bytes the first character has, if it is one.
#[gpu_fn]
fn first_char(text: &[u8]) -> Option<usize> {
    match text {
        [0x00..=0x7f, ..] => Some(1),
        [0xc2..=0xdf, b, ..] if is_tail(*b) => Some(2),
        [0xe0, 0xa0..=0xbf, c, ..] if is_tail(*c) => Some(3),
        [0xed, 0x80..=0x9f, c, ..] if is_tail(*c) => Some(3),
        [0xe1..=0xec | 0xee..=0xef, b, c, ..] if is_tail(*b) && is_tail(*c) => Some(3),
        [0xf0, 0x90..=0xbf, c, d, ..] if is_tail(*c) && is_tail(*d) => Some(4),
        [0xf1..=0xf3, b, c, d, ..] if is_tail(*b) && is_tail(*c) && is_tail(*d) => Some(4),
        [0xf4, 0x80..=0x8f, c, d, ..] if is_tail(*c) && is_tail(*d) => Some(4),
        _ => None,
    }
}

/// How many characters each text has; -1 if it is not UTF-8.
#[gpu_kernel]
fn utf8_count(text: &[u8], offsets: &[u32], counts: &mut [i32]) {
    let i = global_id();
    let Some(count) = counts.get_mut(i) else {
        return;
    };
    let mut rest = &text[offsets[i] as usize..offsets[i + 1] as usize];
    let mut chars = 0;
    while !rest.is_empty() {
        let Some(len) = first_char(rest) else {
            chars = -1;
            break;
        };
        chars += 1;
        rest = &rest[len..];
    }
    *count = chars;
}

/// Texts behind each other, and where they start.
fn joined(texts: &[Vec<u8>]) -> (Vec<u8>, Vec<u32>) {
    let mut starts = vec![0];
    starts.extend(texts.iter().scan(0, |sum, text| {
        *sum += text.len() as u32;
        Some(*sum)
    }));
    (texts.concat(), starts)
}

fn utf8_count_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(150, 1 << 18);
    let text = |_| {
        let mut bytes = Vec::new();
        for _ in 0..8 + ground.word() % 32 {
            let word = ground.word();
            let limit = [0x80, 0x80, 0x800, 0x11_0000][(word >> 62) as usize];
            let one = char::from_u32((word % limit) as u32).unwrap_or('?');
            bytes.extend(one.to_string().bytes());
        }
        if ground.word() % 4 == 0 {
            let at = ground.word() as usize % bytes.len();
            bytes[at] = ground.word() as u8;
        }
        bytes
    };
    let texts: Vec<Vec<u8>> = (0..n).map(text).collect();
    let (all, starts) = joined(&texts);
    let (da, ds) = (ground.up(&all)?, ground.up(&starts)?);
    let want = move |i: usize| std::str::from_utf8(&texts[i]).map_or(-1, |s| s.chars().count() as i32);
    let mut counts = ground.blank(n, exactly(want))?;
    trial!(
        ground,
        Shape::line(n, 128),
        utf8_count(&da, &ds, &mut counts.memory),
        original(&da, &ds, &counts.memory, n as i32),
        [counts]
    )
}

/// Where the fields of each line start, and how many there are; commas between quotes are part of a field.
#[gpu_kernel]
fn csv_fields(text: &[u8], starts: &[u32], fields: &mut [u32], counts: &mut [u32], lines: u32, columns: u32) {
    let line = block_idx().x * block_dim().x + thread_idx().x;
    if line >= lines {
        return;
    }
    let end = starts[line + 1];
    let mut pos = starts[line];
    let mut field = 0;
    let mut quoted = false;
    fields[line * columns] = pos;
    while pos < end {
        let c = text[pos];
        if c == b'\n' {
            break;
        }
        pos += 1;
        if c == b'"' {
            quoted = !quoted;
        } else if c == b',' && !quoted {
            field += 1;
            if field == columns {
                break;
            }
            fields[line * columns + field] = pos;
        }
    }
    counts[line] = if field < columns { field + 1 } else { columns };
}

fn csv_fields_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [n, columns] = ground.pick([70, 5], [1 << 17, 12]);
    let line = |_| {
        let letter = || b"abcdef,\"012345 .;"[(ground.word() % 17) as usize];
        let mut bytes: Vec<u8> = (0..20 + ground.word() % 80).map(|_| letter()).collect();
        bytes.push(b'\n');
        bytes
    };
    let rows: Vec<Vec<u8>> = (0..n).map(line).collect();
    let (all, starts) = joined(&rows);
    let (da, ds) = (ground.up(&all)?, ground.up(&starts)?);
    let cut = std::rc::Rc::new(move |r: usize| {
        let quotes = |end: usize| rows[r][..end].iter().filter(|b| **b == b'"').count();
        let commas = (0..rows[r].len()).filter(|k| rows[r][*k] == b',' && quotes(*k) % 2 == 0);
        let firsts = std::iter::once(0).chain(commas.map(|k| k + 1));
        firsts.take(columns).map(|k| starts[r] + k as u32).collect::<Vec<u32>>()
    });
    let also = cut.clone();
    let want = move |at: usize| also(at / columns).get(at % columns).copied().unwrap_or(0);
    let mut fields = ground.from(vec![0u32; n * columns], exactly(want))?;
    let mut counts = ground.blank(n, exactly(move |r: usize| cut(r).len() as u32))?;
    let shape = Shape::line(n, 128);
    let [n, columns] = [n, columns].map(|n| n as u32);
    trial!(
        ground,
        shape,
        csv_fields(&da, &ds, &mut fields.memory, &mut counts.memory, n, columns),
        original(&da, &ds, &fields.memory, &counts.memory, n, columns),
        [fields, counts]
    )
}

/// A number with a point and an exponent, if it is one.
#[gpu_fn]
fn parse(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mut bytes = digits.iter().copied().peekable();
    let (mut mantissa, mut count, mut exponent) = (0u64, 0, 0i32);
    while let Some(digit) = bytes.next_if(|b| b.is_ascii_digit()) {
        mantissa = mantissa * 10 + u64::from(digit - b'0');
        count += 1;
    }
    if bytes.next_if(|b| *b == b'.').is_some() {
        while let Some(digit) = bytes.next_if(|b| b.is_ascii_digit()) {
            mantissa = mantissa * 10 + u64::from(digit - b'0');
            count += 1;
            exponent -= 1;
        }
    }
    if count == 0 {
        return None;
    }
    if bytes.next_if(|b| matches!(b, b'e' | b'E')).is_some() {
        let sign = if bytes.next_if(|b| *b == b'-').is_some() { -1 } else { 1 };
        let mut power = 0;
        while let Some(digit) = bytes.next_if(|b| b.is_ascii_digit()) {
            power = power * 10 + i32::from(digit - b'0');
        }
        exponent += sign * power;
    }
    if bytes.next().is_some() {
        return None;
    }
    let scale = 10f64.powi(exponent.abs());
    let value = if exponent < 0 { mantissa as f64 / scale } else { mantissa as f64 * scale };
    Some(if negative { -value } else { value })
}

/// The numbers that texts stand for; infinity for others.
#[gpu_kernel]
fn parse_decimals(text: &[u8], offsets: &[u32], values: &mut [f64]) {
    let i = global_id();
    if i < values.len() {
        let (start, end) = (offsets[i] as usize, offsets[i + 1] as usize);
        values[i] = parse(&text[start..end]).unwrap_or(f64::INFINITY);
    }
}

fn parse_decimals_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(150, 1 << 20);
    let text = |_| {
        let word = ground.word();
        let digits = ((word >> 32) % [100, 1_000_000, 4_000_000_000][(word % 3) as usize]) as f64;
        let value = if word >> 8 & 1 == 1 { -digits } else { digits } / 1000.0;
        match word >> 10 & 15 {
            0..4 => format!("{value:.2e}"),
            4..14 => format!("{value}"),
            14 => format!("{value}x"),
            _ => "-.".into(),
        }
        .into_bytes()
    };
    let texts: Vec<Vec<u8>> = (0..n).map(text).collect();
    let (all, starts) = joined(&texts);
    let (da, ds) = (ground.up(&all)?, ground.up(&starts)?);
    let of = move |i: usize| std::str::from_utf8(&texts[i]).ok().and_then(|s| s.parse::<f64>().ok());
    let mut values = ground.blank(n, near(1e-14, move |i: usize| of(i).unwrap_or(f64::INFINITY)))?;
    trial!(
        ground,
        Shape::line(n, 128),
        parse_decimals(&da, &ds, &mut values.memory),
        original(&da, &ds, &values.memory, n as i32),
        [values]
    )
}

const CHUNK: u32 = 256;

/// Four bytes as a number.
#[gpu_fn]
fn word_at(data: &[u8], at: u32) -> u32 {
    data[at] as u32 | (data[at + 1] as u32) << 8 | (data[at + 2] as u32) << 16 | (data[at + 3] as u32) << 24
}

/// Where bytes of a chunk repeat earlier ones of it: place, distance and length of each such run; a thread has a chunk.
#[gpu_kernel]
fn lz_matches(data: &[u8], matches: &mut [u32], counts: &mut [u32], chunks: u32) {
    let chunk = block_idx().x * block_dim().x + thread_idx().x;
    if chunk >= chunks {
        return;
    }
    let start = chunk * CHUNK;
    let end = start + CHUNK;
    let mut table = [0u16; 64];
    let mut count = 0;
    let mut pos = start;
    while pos + 4 <= end {
        let word = word_at(data, pos);
        let hash = word.wrapping_mul(2654435761) >> 26;
        let candidate = table[hash] as u32;
        table[hash] = (pos - start + 1) as u16;
        let mut len = 0;
        if candidate > 0 {
            let from = start + candidate - 1;
            while pos + len < end && data[from + len] == data[pos + len] {
                len += 1;
            }
        }
        if len >= 4 {
            let distance = pos - (start + candidate - 1);
            matches[chunk * (CHUNK / 4) + count] = (pos - start) << 20 | distance << 10 | len;
            count += 1;
            pos += len;
        } else {
            pos += 1;
        }
    }
    counts[chunk] = count;
}

fn lz_matches_trial(ground: &Ground) -> Result<Trial, Failure> {
    let chunks = ground.pick(40, 1 << 16);
    let (size, places) = (CHUNK as usize, CHUNK as usize / 4);
    let words = [&b"the "[..], b"kernel ", b"of ", b"a ", b"matrix ", b"is ", b"read\n", b"by "];
    let mut data = Vec::new();
    while data.len() < chunks * size {
        let word = ground.word();
        data.extend_from_slice(words[(word >> 61) as usize]);
        data.push(b"abcdefghijklmnop"[(word >> 57 & 15) as usize]);
    }
    data.truncate(chunks * size);
    let dd = ground.up(&data)?;
    let find = std::rc::Rc::new(move |chunk: usize| {
        let own = &data[chunk * size..][..size];
        let (mut last, mut found, mut pos) = ([None; 64], Vec::new(), 0);
        while pos + 4 <= size {
            let bytes = [own[pos], own[pos + 1], own[pos + 2], own[pos + 3]];
            let hash = u32::from_le_bytes(bytes).wrapping_mul(2_654_435_761) >> 26;
            let before = last[hash as usize].replace(pos);
            let common =
                |from: usize| own[from..].iter().zip(&own[pos..]).take_while(|(a, b)| a == b).count();
            match before.map(|from| (from, common(from))) {
                Some((from, len)) if len >= 4 => {
                    found.push((pos << 20 | (pos - from) << 10 | len) as u32);
                    pos += len;
                }
                _ => pos += 1,
            }
        }
        found
    });
    let also = find.clone();
    let want = move |at: usize| also(at / places).get(at % places).copied().unwrap_or(0);
    let mut matches = ground.from(vec![0u32; chunks * places], exactly(want))?;
    let mut counts = ground.blank(chunks, exactly(move |c: usize| find(c).len() as u32))?;
    let n = chunks as u32;
    trial!(
        ground,
        Shape::line(chunks, 128),
        lz_matches(&dd, &mut matches.memory, &mut counts.memory, n),
        original(&dd, &matches.memory, &counts.memory, n),
        [matches, counts]
    )
}

/// Numbers from frames of 128: a reference, a count of bits, and that many bits of each number above the reference.
#[gpu_kernel]
fn unpack_bits(data: &[u32], starts: &[u32], out: &mut [u32]) {
    let frame = block_idx().x;
    let t = thread_idx().x;
    let start = starts[frame];
    let reference = data[start];
    let width = data[start + 1];
    let bit = width * t;
    let word = start + 2 + bit / 32;
    let pair = (data[word + 1] as u64) << 32 | data[word] as u64;
    let mask = (1u64 << width) - 1;
    out[frame * 128 + t] = reference + (pair >> (bit % 32) & mask) as u32;
}

fn unpack_bits_trial(ground: &Ground) -> Result<Trial, Failure> {
    let frames = ground.pick(20, 1 << 17);
    let (mut data, mut starts, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..frames {
        starts.push(data.len() as u32);
        let (reference, width) = ((ground.word() >> 40) as u32, (ground.word() % 31) as u32);
        let own = ground.each(128, |word| (word & ((1 << width) - 1)) as u32);
        let mut bits = vec![0u32; 4 * width as usize];
        for (i, v) in own.iter().enumerate() {
            for k in 0..width {
                let at = i * width as usize + k as usize;
                bits[at / 32] |= (v >> k & 1) << (at % 32);
            }
        }
        data.extend([reference, width]);
        data.extend(bits);
        values.extend(own.iter().map(|v| reference + v));
    }
    // The last number of the last frame is read with the word behind it.
    data.extend([0, 0]);
    let (dd, ds) = (ground.up(&data)?, ground.up(&starts)?);
    let mut out = ground.blank(128 * frames, exactly(move |i: usize| values[i]))?;
    let shape = Shape::blocks([frames as u32, 1, 1], [128, 1, 1]);
    trial!(ground, shape, unpack_bits(&dd, &ds, &mut out.memory), original(&dd, &ds, &out.memory), [out])
}
