//! Code as a generator writes it: hundreds of arms, branches, terms and calls, which rustc takes in a plain function.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// Kernels with a link of a chain for each number, and the same as functions of the host. Each chain has a kernel of its own: rustc
/// takes three times as long for all of them in one, and four times as long for twice as many links.
macro_rules! long_chains {
    ($first:literal $($i:literal)*) => {
        #[gpu_kernel]
        fn deep_choices(out: &mut [u64]) {
            let i = global_id();
            if i < out.len() {
                let v = i as u64;
                let arm = match v { $($i => $i * 7 % 1000,)* _ => 1 };
                let branch = if v == $first { $first * 3 } $(else if v == $i { $i * 3 })* else { 1 };
                out[i] = arm + branch;
            }
        }

        fn expected_choices(v: u64) -> u64 {
            let arm = match v { $($i => $i * 7 % 1000,)* _ => 1 };
            let branch = if v == $first { $first * 3 } $(else if v == $i { $i * 3 })* else { 1 };
            arm + branch
        }

        #[gpu_kernel]
        fn deep_sum(x: &[u64], out: &mut [u64]) {
            let i = global_id();
            if i < out.len() {
                let v = i as u64;
                out[i] = v $(+ x[$i % 16] * $i)*;
            }
        }

        fn expected_sum(x: &[u64], v: u64) -> u64 {
            v $(+ x[$i % 16] * $i)*
        }

        #[gpu_kernel]
        fn deep_calls(out: &mut [u64]) {
            let i = global_id();
            if i < out.len() {
                let v = i as u64;
                out[i] = v$(.rotate_left(3).wrapping_add($i))*;
            }
        }

        fn expected_calls(v: u64) -> u64 {
            v$(.rotate_left(3).wrapping_add($i))*
        }
    };
}

long_chains! {
    2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21
    22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41
    42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61
    62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81
    82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101
    102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121
    122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141
    142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161
    162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181
    182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201
    202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221
    222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241
}

#[test]
fn long_choices_are_taken() {
    everywhere::<deep_choices>(&(), |device| {
        let out = written(device, (700, 0), |out| deep_choices(out).over(700).launch(device));
        let want: Vec<u64> = (0..700).map(expected_choices).collect();
        assert_eq!(out, want, "on {}", device.name());
    });
}

#[test]
fn long_sums_are_taken() {
    let x: Vec<u64> = (100..116).collect();
    everywhere::<deep_sum>(&(), |device| {
        let input = device.upload(&x).expect("memory");
        let out = written(device, (700, 0), |out| deep_sum(&input, out).over(700).launch(device));
        let want: Vec<u64> = (0..700).map(|v| expected_sum(&x, v)).collect();
        assert_eq!(out, want, "on {}", device.name());
    });
}

#[test]
fn long_chains_of_calls_are_taken() {
    everywhere::<deep_calls>(&(), |device| {
        let out = written(device, (700, 0), |out| deep_calls(out).over(700).launch(device));
        let want: Vec<u64> = (0..700).map(expected_calls).collect();
        assert_eq!(out, want, "on {}", device.name());
    });
}
