//! Option prices and the Mandelbrot set.

use warpsmith::Device;

use super::data::{Random, close};
use super::{Case, Scale, module, print, text};
use crate::pointwise::{Complex, Market, black_scholes, escape_time, mandelbrot};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "black_scholes",
            print: print::<black_scholes>,
            module: module::<black_scholes>,
            check: check_black_scholes,
        },
        Case {
            name: "mandelbrot",
            print: print::<mandelbrot>,
            module: module::<mandelbrot>,
            check: check_mandelbrot,
        },
    ]
}

/// The normal distribution by the same polynomial, in `f64`.
fn normal_below(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let series = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_53];
    let above = 0.398_942_280_4 * (-0.5 * d * d).exp() * series.iter().fold(0.0, |sum, c| (sum + c) * k);
    if d > 0.0 { 1.0 - above } else { above }
}

/// Prices of a call and a put.
fn prices([s, x, t]: [f64; 3], market: Market) -> [f64; 2] {
    let (riskless, volatility) = (f64::from(market.riskless), f64::from(market.volatility));
    let spread = volatility * t.sqrt();
    let d1 = ((s / x).ln() + (riskless + 0.5 * volatility * volatility) * t) / spread;
    let (below_1, below_2) = (normal_below(d1), normal_below(d1 - spread));
    let discounted = x * (-riskless * t).exp();
    [s * below_1 - discounted * below_2, discounted * (1.0 - below_2) - s * (1.0 - below_1)]
}

fn check_black_scholes(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(1003, 1 << 26);
    let mut random = Random::new("black_scholes");
    let mut between = |low: f32, high: f32| -> Vec<f32> {
        random.floats(n).iter().map(|v| low + (high - low) * 0.5 * (v + 1.0)).collect()
    };
    let (s, x, t) = (between(5.0, 30.0), between(1.0, 100.0), between(0.25, 10.0));
    let market = Market { riskless: 0.02, volatility: 0.3 };
    let (ds, dx) = (device.upload(&s).map_err(text)?, device.upload(&x).map_err(text)?);
    let dt = device.upload(&t).map_err(text)?;
    let mut call = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    let mut put = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    black_scholes(&ds, &dx, &dt, &mut call, &mut put, market)
        .over(n)
        .block(256)
        .launch(device)
        .map_err(text)?;
    let want = |i: usize| prices([s[i], x[i], t[i]].map(f64::from), market);
    close(&device.download(&call).map_err(text)?, |i| want(i)[0], 1e-3)?;
    close(&device.download(&put).map_err(text)?, |i| want(i)[1], 1e-3)
}

/// At the rim of the set a rounding changes the time, so a few points may differ.
fn check_mandelbrot(device: &Device, scale: Scale) -> Result<(), String> {
    let (width, height, limit) = scale.pick((61, 45, 100), (8192, 8192, 1000));
    let (corner, pitch) = (Complex { re: -2.0, im: -1.25 }, 2.5 / width as f32);
    let mut times = device.upload(&vec![u32::MAX; width * height]).map_err(text)?;
    mandelbrot(&mut times, width as u32, height as u32, corner, pitch, limit)
        .over_2d([width, height])
        .block([32, 8])
        .launch(device)
        .map_err(text)?;
    let got = device.download(&times).map_err(text)?;
    let stride = (width * height / 100_003).max(1);
    let want = |i: usize| {
        let (col, row) = ((i % width) as f32, (i / width) as f32);
        escape_time(Complex { re: corner.re + col * pitch, im: corner.im + row * pitch }, limit)
    };
    let wrong: Vec<usize> = (0..got.len()).step_by(stride).filter(|i| got[*i] != want(*i)).collect();
    match wrong[..] {
        [i, ..] if wrong.len() * stride * 50 > got.len() || got.iter().any(|t| *t > limit) => {
            Err(format!("{} points differ; point {i} has {} instead of {}", wrong.len(), got[i], want(i)))
        }
        _ => Ok(()),
    }
}
