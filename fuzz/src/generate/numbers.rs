//! Operators, casts and methods of integers, floats and `bool`.

use super::scope::{Expr, Gen};
use super::types::{self, Int, Ty};

impl Gen<'_> {
    /// An integer literal, edge values most often.
    pub fn int_literal(&mut self, int: Int) -> Expr {
        if self.random.chance(8) {
            let name = if self.random.chance(50) { "MAX" } else { "MIN" };
            return Expr::constant(format!("{}::{name}", int.name));
        }
        let value = self.int_value(int);
        if value < 0 {
            return Expr::constant(format!("({value}{})", int.name));
        }
        Expr::constant(match self.random.below(10) {
            0 => format!("{value:#x}{}", int.name),
            1 => format!("{value:#b}_{}", int.name),
            _ => format!("{value}{}", int.name),
        })
    }

    /// A value of the type, edge values most often.
    pub fn int_value(&mut self, int: Int) -> i128 {
        let value = match self.random.below(8) {
            0 => int.max(),
            1 => int.min(),
            2 => int.max() - self.random.below(3) as i128,
            3 => 1 << self.random.below(int.bits as usize - 1),
            4 => i128::from(self.random.next()) & int.max(),
            5 => -(self.random.below(100) as i128),
            _ => self.random.below(20) as i128,
        };
        value.clamp(int.min(), int.max())
    }

    /// An operand for the right of an operator, where a literal needs no suffix.
    fn right(&mut self, int: Int, depth: usize, left: &Expr) -> Expr {
        // Without a suffix on either side rustc would choose `i32`.
        if self.random.chance(15) && !left.constant {
            let value = self.int_value(int).max(0);
            return Expr::constant(value.to_string());
        }
        self.expr(&Ty::Int(int), depth)
    }

    /// Operators and methods that give this integer type.
    pub fn int_expr(&mut self, int: Int, depth: usize) -> Expr {
        let ty = Ty::Int(int);
        if int.name == "usize"
            && self.random.chance(20)
            && let Some(length) = self.slice_length()
        {
            return length;
        }
        if self.random.chance(4) {
            return self.constants(int);
        }
        match self.random.weighted(&[30, 14, 9, 12, 10, 18, 18, 8]) {
            0 => self.ring(int, depth),
            1 => {
                let op = *self.random.pick(&["&", "|", "^"]);
                let left = self.expr(&ty, depth);
                let right = self.right(int, depth, &left);
                Expr {
                    text: format!("({} {op} {})", left.text, right.text),
                    constant: left.constant && right.constant,
                }
            }
            2 => self.quotient(int, depth),
            3 => self.shift(int, depth),
            4 => self.int_unary(int, depth),
            5 => self.cast(int, depth),
            6 => self.int_method(int, depth),
            _ => self.read(&ty).unwrap_or_else(|| self.leaf(&ty)),
        }
    }

    /// Arithmetic on literals that does not overflow: the recorder computes it.
    fn constants(&mut self, int: Int) -> Expr {
        self.seen("arithmetic on constants");
        let (a, b) = (self.random.between(1, 63), self.random.between(2, 9));
        let t = int.name;
        let a = if int.signed && self.random.chance(60) { format!("(-{a}{t})") } else { format!("{a}{t}") };
        Expr::constant(match self.random.below(9) {
            0 => format!("({a} / {b})"),
            1 => format!("({a} % {b})"),
            2 if int.signed => format!("({b} - {a})"),
            3 if int.bits > 8 => format!("({a} * {b})"),
            4 => format!("({a} >> 2)"),
            5 => format!("({a} << 1 & {b})"),
            6 => format!("(!{a})"),
            7 => format!("(({a} < {b}) as {t})"),
            _ => format!("({a} ^ {b})"),
        })
    }

    /// `+ - *`, plain unless both sides may be constants.
    fn ring(&mut self, int: Int, depth: usize) -> Expr {
        let (op, name) = *self.random.pick(&[("+", "add"), ("-", "sub"), ("*", "mul")]);
        let left = self.expr(&Ty::Int(int), depth);
        let right = self.right(int, depth, &left);
        if (left.constant && right.constant) || self.random.chance(15) {
            return Expr::new(format!("{}.wrapping_{name}({})", parens(&left.text), right.text));
        }
        Expr::new(format!("({} {op} {})", left.text, right.text))
    }

    /// A divisor that is neither zero nor, below a signed type, minus one.
    pub fn divisor(&mut self, int: Int, depth: usize) -> String {
        let by = self.expr(&Ty::Int(int), depth).text;
        match (int.signed, self.random.below(3)) {
            (false, 0) => format!("({by} | 1)"),
            (false, 1) => format!("(({by} & 15) + 1)"),
            (false, _) => format!("{}.max(1)", parens(&by)),
            (true, 0) => format!("(({by} & 63) | 1)"),
            (true, 1) => format!("{}.max(2)", parens(&by)),
            (true, _) => format!("(-(({by} & 31) | 2))"),
        }
    }

    fn quotient(&mut self, int: Int, depth: usize) -> Expr {
        let left = self.expr(&Ty::Int(int), depth).text;
        let by = self.divisor(int, depth);
        match self.random.below(8) {
            0..3 => Expr::constant(format!("({left} / {by})")),
            3..6 => Expr::constant(format!("({left} % {by})")),
            6 => Expr::new(format!("{}.rem_euclid({by})", parens(&left))),
            _ => Expr::new(format!("{}.div_euclid({by})", parens(&left))),
        }
    }

    /// A shift; its count is taken modulo the width, as a release build does.
    fn shift(&mut self, int: Int, depth: usize) -> Expr {
        let left = self.expr(&Ty::Int(int), depth);
        let op = if self.random.chance(50) { "<<" } else { ">>" };
        let counts = types::integer(self.random);
        let count = self.expr(&Ty::Int(counts), depth.min(1));
        // A count behind a block may turn out to be a constant too, and Rust has no such shift of two constants.
        if self.random.chance(35) || left.constant {
            let text = format!("({} {op} ({} & {}))", left.text, count.text, int.bits - 1);
            return Expr { text, constant: left.constant && count.constant };
        }
        Expr::new(format!("({} {op} {})", left.text, count.text))
    }

    fn int_unary(&mut self, int: Int, depth: usize) -> Expr {
        let operand = self.expr(&Ty::Int(int), depth);
        let op = if int.signed && self.random.chance(60) { "-" } else { "!" };
        Expr { text: format!("({op}{})", operand.text), ..operand }
    }

    fn cast(&mut self, int: Int, depth: usize) -> Expr {
        if self.random.chance(5) {
            let value = self.random.below(128);
            return Expr::constant(format!("({value} as {})", int.name));
        }
        if self.random.chance(15) {
            // What the narrow type leaves out shows in the wide one.
            let narrow: Vec<Int> = types::INTS.into_iter().filter(|i| i.bits < 32).collect();
            let narrow = *self.random.pick(&narrow);
            let value = match self.random.chance(50) {
                true => self.int_unary(narrow, depth),
                false => self.ring(narrow, depth),
            };
            return Expr { text: format!("({} as {})", parens(&value.text), int.name), ..value };
        }
        let from = match self.random.below(4) {
            0 => *self.random.pick(&[&Ty::F32, &Ty::F64]),
            _ => &types::scalar(self.random),
        };
        let operand = self.expr(from, depth);
        Expr { text: format!("({} as {})", parens(&operand.text), int.name), ..operand }
    }

    fn int_method(&mut self, int: Int, depth: usize) -> Expr {
        let ty = Ty::Int(int);
        if int.name == "u32" && self.random.chance(35) {
            return self.bit_count(depth);
        }
        // `abs_diff` and `unsigned_abs` give the unsigned type of the width.
        let signed = types::INTS.into_iter().find(|i| i.signed && i.unsigned() == int);
        if let Some(signed) = signed.filter(|_| self.random.chance(15)) {
            let (x, y) = (self.expr(&Ty::Int(signed), depth).text, self.expr(&Ty::Int(signed), depth).text);
            return Expr::new(match self.random.below(2) {
                0 => format!("{}.abs_diff({y})", parens(&x)),
                _ => format!("{}.unsigned_abs()", parens(&x)),
            });
        }
        let x = parens(&self.expr(&ty, depth).text);
        if self.random.chance(20) {
            return self.reporting_method(int, &x, depth);
        }
        Expr::new(match self.random.below(18) {
            0 => format!("{x}.min({})", self.expr(&ty, depth).text),
            1 => format!("{x}.max({})", self.expr(&ty, depth).text),
            2 => {
                let (a, b) = (self.int_value(int), self.int_value(int));
                format!("{x}.clamp({}, {})", a.min(b), a.max(b))
            }
            3 => format!("{x}.rotate_left({})", self.expr(&Ty::Int(types::U32), depth).text),
            4 => format!("{x}.rotate_right({})", self.expr(&Ty::Int(types::U32), depth).text),
            5 => format!("{x}.swap_bytes()"),
            6 => format!("{x}.reverse_bits()"),
            7 => format!("{x}.wrapping_shl({})", self.expr(&Ty::Int(types::U32), depth).text),
            8 => format!("{x}.wrapping_shr({})", self.expr(&Ty::Int(types::U32), depth).text),
            9 => format!("{x}.saturating_add({})", self.expr(&ty, depth).text),
            10 => format!("{x}.saturating_sub({})", self.expr(&ty, depth).text),
            11 => format!("{x}.pow({} & 7)", self.expr(&Ty::Int(types::U32), depth.min(1)).text),
            12 => format!("{x}.wrapping_neg()"),
            13 => format!("{x}.wrapping_pow({} & 7)", self.leaf(&Ty::Int(types::U32)).text),
            14 if int.signed => format!("{x}.abs()"),
            15 if int.signed => format!("{x}.signum()"),
            14 => format!("{x}.div_ceil({})", self.divisor(int, depth)),
            15 => format!("{x}.next_multiple_of({})", self.divisor(int, depth)),
            16 if !int.signed => format!("{x}.next_power_of_two()"),
            16 => format!("{x}.wrapping_abs()"),
            _ => format!("poly({x}, {})", self.expr(&ty, depth).text),
        })
    }

    /// A method of integers that says whether its result is one, or carries.
    fn reporting_method(&mut self, int: Int, x: &str, depth: usize) -> Expr {
        self.seen("method of an integer that reports or carries");
        let y = self.expr(&Ty::Int(int), depth).text;
        let n = self.expr(&Ty::Int(types::U32), depth.min(1)).text;
        let (shift, name) = (*self.random.pick(&["shl", "shr"]), int.name);
        Expr::new(match self.random.below(6) {
            0 => format!("{x}.overflowing_{shift}({n}).0"),
            1 => format!("{x}.checked_{shift}({n}).unwrap_or({y})"),
            2 => format!("({x}.checked_ilog2().unwrap_or({n}) as {name})"),
            3 if int.signed => format!("{x}.checked_abs().unwrap_or({y})"),
            4 if int.signed => format!("{x}.saturating_add_unsigned(3)"),
            _ if int.signed => format!("{x}.checked_sub_unsigned(9).unwrap_or({y})"),
            3 => format!("{x}.carrying_add({y}, {n} > 7).0"),
            4 => format!("{x}.borrowing_sub({y}, {n} > 7).0"),
            _ => format!("{x}.carrying_mul({y}, 5).1"),
        })
    }

    fn bit_count(&mut self, depth: usize) -> Expr {
        let of = types::integer(self.random);
        let x = parens(&self.expr(&Ty::Int(of), depth).text);
        Expr::new(match self.random.below(5) {
            0 => format!("{x}.count_ones()"),
            1 => format!("{x}.count_zeros()"),
            2 => format!("{x}.leading_zeros()"),
            3 => format!("{x}.trailing_zeros()"),
            _ if of.signed => format!("(({x} & {}) | 1).ilog2()", of.max()),
            _ => format!("({x} | 1).ilog2()"),
        })
    }

    /// Operators that give a `bool`.
    pub fn bool_expr(&mut self, depth: usize) -> Expr {
        let constant = match self.random.weighted(&[45, 10, 18, 12, 15]) {
            0 => {
                let of = types::scalar(self.random);
                let (left, right) = (self.expr(&of, depth), self.expr(&of, depth));
                let op = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let constant = left.constant && right.constant;
                return Expr { text: format!("({} {op} {})", left.text, right.text), constant };
            }
            1 => format!("(!{})", self.expr(&Ty::Bool, depth).text),
            2 => {
                let op = if self.random.chance(50) { "&&" } else { "||" };
                let (left, right) = (self.expr(&Ty::Bool, depth), self.expr(&Ty::Bool, depth));
                format!("({} {op} {})", left.text, right.text)
            }
            3 => {
                let op = *self.random.pick(&["&", "|", "^"]);
                let (left, right) = (self.expr(&Ty::Bool, depth), self.expr(&Ty::Bool, depth));
                format!("({} {op} {})", left.text, right.text)
            }
            _ => return self.bool_method(depth),
        };
        Expr::constant(constant)
    }

    /// `==` of vectors, of structs and of enums without fields.
    fn compared(&mut self, depth: usize) -> Expr {
        self.seen("comparison of vectors and structs");
        let of = match self.random.below(3) {
            0 => Ty::Light,
            _ => Ty::Struct(self.random.between(types::RING, types::RING + types::VECTORS.len())),
        };
        let left = self.expr(&of, depth);
        // Of equal ones most components are the same.
        let right = match self.random.chance(50).then(|| self.read(&of)).flatten() {
            Some(same) if of != Ty::Light => {
                let Ty::Struct(id) = of else { return Expr::new("true") };
                let def = self.structs.0[id].clone();
                let (field, ty) = self.random.pick(&def.fields).clone();
                let value = self.expr(&ty, depth.min(1)).text;
                if def.fields.len() == 1 {
                    same.text
                } else {
                    format!("{} {{ {field}: {value}, ..{} }}", def.head, same.text)
                }
            }
            _ => self.expr(&of, depth).text,
        };
        let op = if self.random.chance(50) { "==" } else { "!=" };
        Expr::new(format!("({} {op} ({right}))", left.text))
    }

    fn bool_method(&mut self, depth: usize) -> Expr {
        if self.random.chance(25) {
            return self.compared(depth);
        }
        let int = types::integer(self.random);
        let float = if self.random.chance(60) { Ty::F32 } else { Ty::F64 };
        Expr::new(match self.random.below(6) {
            0 => format!("{}.is_nan()", parens(&self.expr(&float, depth).text)),
            1 => format!("{}.is_finite()", parens(&self.expr(&float, depth).text)),
            2 => {
                let x = self.real(&float, depth);
                format!(
                    "{x}.{}()",
                    self.random.pick(&["is_sign_negative", "is_sign_positive", "is_infinite"])
                )
            }
            3 if !int.signed => {
                format!(
                    "{}.is_multiple_of({})",
                    parens(&self.expr(&Ty::Int(int), depth).text),
                    self.leaf(&Ty::Int(int)).text
                )
            }
            4 if !int.signed => {
                format!("{}.is_power_of_two()", parens(&self.expr(&Ty::Int(int), depth).text))
            }
            _ if int.signed => {
                let method = *self.random.pick(&["is_negative", "is_positive"]);
                format!("{}.{method}()", parens(&self.expr(&Ty::Int(int), depth).text))
            }
            _ => format!("({} > {})", self.expr(&Ty::Int(int), depth).text, self.leaf(&Ty::Int(int)).text),
        })
    }

    /// A float that is not NaN, whose sign Rust leaves open.
    fn real(&mut self, ty: &Ty, depth: usize) -> String {
        let x = self.expr(ty, depth).text;
        format!("real{}({x})", if *ty == Ty::F32 { 32 } else { 64 })
    }

    /// A float literal, edge values often.
    pub fn float_literal(&mut self, ty: &Ty) -> Expr {
        let name = self.structs.spell(ty);
        let small = if *ty == Ty::F32 { "1e-40" } else { "4e-310" };
        let texts = [
            "0.0",
            "1.0",
            "0.5",
            "-0.0",
            "-1.5",
            "3.25",
            "1e9",
            "-7.0e-3",
            "255.5",
            "16777217.0",
            "0.1",
            small,
        ];
        if self.random.chance(15) {
            let name_of = *self.random.pick(&[
                "MAX",
                "MIN",
                "EPSILON",
                "INFINITY",
                "NEG_INFINITY",
                "NAN",
                "MIN_POSITIVE",
            ]);
            return Expr::constant(format!("{name}::{name_of}"));
        }
        let text = *self.random.pick(&texts);
        Expr::constant(if text.starts_with('-') {
            format!("({text}{name})")
        } else {
            format!("{text}{name}")
        })
    }

    /// Operators and methods that are exactly rounded.
    pub fn float_expr(&mut self, ty: &Ty, depth: usize) -> Expr {
        let name = self.structs.spell(ty);
        if *ty == Ty::F32 && self.random.chance(6) {
            let half = Ty::Half(if self.random.chance(50) { "f16" } else { "bf16" });
            return Expr::new(format!("{}.to_f32()", parens(&self.expr(&half, depth).text)));
        }
        Expr::new(match self.random.weighted(&[45, 8, 14, 22, 11]) {
            0 => {
                let op = *self.random.pick(&["+", "-", "*", "*", "/", "+", "-", "%"]);
                let (left, right) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("({} {op} {})", left.text, right.text)
            }
            1 => return Expr::constant(format!("(-{})", self.expr(ty, depth).text)),
            2 => {
                let from = loop {
                    match types::scalar(self.random) {
                        Ty::Bool => {}
                        other => break other,
                    }
                };
                let operand = self.expr(&from, depth);
                return Expr::constant(format!("({} as {name})", parens(&operand.text)));
            }
            3 => self.float_method(ty, depth),
            _ => return self.read(ty).unwrap_or_else(|| self.leaf(ty)),
        })
    }

    fn float_method(&mut self, ty: &Ty, depth: usize) -> String {
        let x = parens(&self.expr(ty, depth).text);
        match self.random.below(13) {
            0 => format!("{x}.abs().sqrt()"),
            1 => format!("{x}.mul_add({}, {})", self.expr(ty, depth).text, self.expr(ty, depth).text),
            // Which zero the minimum of both zeros is, Rust leaves open; adding one settles it.
            2 => format!("({x}.min({}) + 0.0)", self.expr(ty, depth).text),
            3 => format!("({x}.max({}) + 0.0)", self.expr(ty, depth).text),
            4 => format!(
                "{x}.{}()",
                self.random.pick(&["floor", "ceil", "trunc", "round", "round_ties_even", "fract"])
            ),
            5 => format!("{x}.clamp(-2.5, 100.0)"),
            6 => format!("{x}.copysign({})", self.real(ty, depth)),
            7 => format!("{x}.{}()", self.random.pick(&["signum", "recip", "to_degrees", "to_radians"])),
            8 => format!("poly({x}, {})", self.expr(ty, depth).text),
            // Clearing a bit of the exponent keeps it from being a NaN or infinite.
            9 if *ty == Ty::F32 => {
                format!("f32::from_bits({} & 0xff7f_ffff)", self.expr(&Ty::Int(types::U32), depth).text)
            }
            9 => format!(
                "f64::from_bits({} & 0xffef_ffff_ffff_ffff)",
                self.expr(&Ty::Int(types::U64), depth).text
            ),
            10 => format!("iterate({x}, 3, |f| f * 0.5 + {})", self.leaf(ty).text),
            _ => format!("{x}.sqrt()"),
        }
    }
}

/// In parentheses, unless it is a name, a literal or in some already.
pub fn parens(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { text.to_owned() } else { format!("({text})") }
}
