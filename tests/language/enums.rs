//! Enums: as integers in memory, with fields in registers and in memory, `Option` and `Result`.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A traffic light, a byte in memory.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(u8)]
enum Light {
    Red,
    Green = 4,
    Amber,
}

#[gpu_impl]
impl Light {
    /// The next light.
    fn next(self) -> Light {
        match self {
            Light::Red => Light::Green,
            Light::Green => Light::Amber,
            Light::Amber => Self::Red,
        }
    }
}

#[gpu_kernel]
fn advance(lights: &mut [Light], codes: &mut [u32]) {
    let i = global_id();
    if i < lights.len() && i < codes.len() {
        let light = lights[i];
        codes[i] = light as u32 * 10 + matches!(light, Light::Red | Light::Amber) as u32;
        lights[i] = light.next();
    }
}

#[test]
fn an_enum_without_fields_is_an_integer_in_memory() {
    everywhere::<advance>(&(), |device| {
        let lights = [Light::Red, Light::Green, Light::Amber, Light::Green];
        let mut memory = device.upload(&lights).expect("memory");
        let codes = written(device, (4, 9), |codes| advance(&mut memory, codes).over(4).launch(device));
        assert_eq!(codes, [1, 40, 51, 40]);
        let after = device.download(&memory).expect("memory");
        assert_eq!(after, [Light::Green, Light::Amber, Light::Red, Light::Amber]);
    });
}

/// Shapes with and without fields.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
enum Shape {
    Empty,
    Circle(f32),
    Rect { width: f32, height: f32 },
}

#[gpu_impl]
impl Shape {
    fn area(&self) -> f32 {
        match self {
            Shape::Empty => 0.0,
            Shape::Circle(radius) => 3.0 * radius * radius,
            Shape::Rect { width, height } if *width < 0.0 => -width * height,
            Shape::Rect { width, height } => width * height,
        }
    }

    fn grow(&mut self, by: f32) {
        match self {
            Shape::Circle(radius) => *radius += by,
            Shape::Rect { width, .. } => *width += by,
            Shape::Empty => *self = Shape::Circle(by),
        }
    }
}

#[gpu_kernel]
fn areas(shapes: &mut [Shape], out: &mut [f32]) {
    let i = global_id();
    if i < shapes.len() && i < out.len() {
        let before = shapes[i].area();
        let mut shape = shapes[i];
        shape.grow(1.0);
        shapes[i] = shape;
        out[i] = before * 100.0 + shape.area();
    }
}

#[test]
fn an_enum_with_fields_is_a_tag_and_a_union() {
    everywhere::<areas>(&(), |device| {
        let shapes = [
            Shape::Empty,
            Shape::Circle(2.0),
            Shape::Rect { width: 3.0, height: 5.0 },
            Shape::Rect { width: -3.0, height: 5.0 },
        ];
        let mut memory = device.upload(&shapes).expect("memory");
        let out = written(device, (4, f32::NAN), |out| areas(&mut memory, out).over(4).launch(device));
        assert_eq!(out, [3.0, 1227.0, 1520.0, 1510.0]);
        let after = device.download(&memory).expect("memory");
        assert!(matches!(after[0], Shape::Circle(1.0)) && matches!(after[1], Shape::Circle(3.0)));
    });
}

/// The first element above a limit, and its position.
#[gpu_fn]
fn first_above(x: &[i32], limit: i32) -> Option<(usize, i32)> {
    for i in 0..x.len() {
        if x[i] > limit {
            return Some((i, x[i]));
        }
    }
    None
}

#[gpu_fn]
fn checked_quotient(a: i32, b: i32) -> Result<i32, u32> {
    if b == 0 {
        return Err(1);
    }
    Ok(a / b)
}

#[gpu_kernel]
fn options(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if i >= x.len() || i >= out.len() {
        return;
    }
    let found = first_above(x, x[i]);
    let mut sum = if let Some((at, value)) = found { at as i32 * 100 + value } else { -1 };
    if let Some((at, _)) = found
        && at > 3
    {
        sum += 10_000;
    }
    let Some((_, greater)) = found else {
        out[i] = sum;
        return;
    };
    let mut rest = Some(greater);
    let mut steps = 0;
    while let Some(n) = rest {
        rest = if n > 1 { Some(n / 2) } else { None };
        steps += 1;
    }
    out[i] = match checked_quotient(sum, x[i]) {
        Ok(quotient) => quotient * 10 + steps,
        Err(code) => -(code as i32) - steps * 1000,
    };
}

fn options_on_host(x: &[i32], i: usize) -> i32 {
    let Some((at, value)) = x.iter().copied().enumerate().find(|(_, v)| *v > x[i]) else { return -1 };
    let sum = at as i32 * 100 + value + if at > 3 { 10_000 } else { 0 };
    let steps = 32 - (value as u32).leading_zeros() as i32;
    let steps = if value < 1 { 1 } else { steps };
    if x[i] == 0 { -1 - steps * 1000 } else { sum / x[i] * 10 + steps }
}

#[test]
fn options_and_results_live_in_registers() {
    everywhere::<options>(&(), |device| {
        let x = [3, 0, 7, 5, 90, 12, -4, 0];
        let input = device.upload(&x).expect("memory");
        let out = written(device, (x.len(), 77), |out| options(&input, out).over(x.len()).launch(device));
        let want: Vec<i32> = (0..x.len()).map(|i| options_on_host(&x, i)).collect();
        assert_eq!(out, want);
    });
}

/// Equality that Rust and the device share.
#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
enum Token {
    End,
    Number(i32),
    Pair(i32, u8),
}

#[gpu_kernel]
fn tokens(x: &[i32], out: &mut [u32]) {
    let i = global_id();
    if i < x.len() && i < out.len() {
        let token = match x[i] {
            0 => Token::End,
            n @ 1..=9 => Token::Number(n),
            n => Token::Pair(n, 2),
        };
        let wanted = [Token::End, Token::Number(4), Token::Pair(12, 2)];
        let mut found = 99;
        for k in 0..3u32 {
            if wanted[k] == token {
                found = k;
            }
        }
        out[i] = if token != Token::End { found + 10 } else { found };
    }
}

#[test]
fn equality_of_enums_compares_their_fields() {
    everywhere::<tokens>(&(), |device| {
        let input = device.upload(&[0, 4, 5, 12, 13]).expect("memory");
        let out = written(device, (5, 7), |out| tokens(&input, out).over(5).launch(device));
        assert_eq!(out, [0, 11, 109, 12, 109]);
    });
}
