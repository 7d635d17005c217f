//! CUDA text as a C++ compiler of the host takes it: what no macro of the shim can do is done to the tokens here.
//!
//! - `asm` statements become calls of the shim's instructions (`asm.rs`);
//! - `__shared__` arrays become references to the block's memory, which a static of C++ could not be: blocks of a
//!   cluster and of a cooperative launch are there at once;
//! - kernels lose `extern "C"`, and many texts fit one compilation;
//! - launches by kernels, `kernel<<<…>>>(…)`, become calls of the shim;
//! - accesses to `volatile` places let other threads run, as a loop may wait for one of them;
//! - the barrier of the grid, which reads a workspace that the driver sets up, is the machine's;
//! - a check that fails records it before other threads run, as the twin's and the interpreter's do.
//!
//! Everything else is the text that NVRTC is given, at the same lines.

use std::collections::BTreeSet;

use super::Refused;
use super::asm;

/// How the prelude finds out whether a thread is the first whose check fails.
const IS_FIRST: &str = "atomicCAS(&fault->state, 0u, 1u)";

/// A text, rewritten; calls of these functions of its prelude tell the machine their line, where faults then stand, and so do calls
/// of the functions of the library.
pub(super) fn for_host(
    cuda: &str,
    operations: &BTreeSet<String>,
    library: &BTreeSet<&str>,
) -> Result<String, Refused> {
    let mut out = rewritten(cuda, Some(operations), library)?;
    // Other texts of the compilation define them again.
    operations.iter().for_each(|name| out.push_str(&format!("\n#undef {name}")));
    Ok(out)
}

/// Part of a text, rewritten.
fn part(cuda: &str) -> Result<String, Refused> {
    rewritten(cuda, None, &BTreeSet::new())
}

fn rewritten(
    cuda: &str,
    operations: Option<&BTreeSet<String>>,
    library: &BTreeSet<&str>,
) -> Result<String, Refused> {
    let out = String::with_capacity(cuda.len() + cuda.len() / 4);
    let mut rewriter = Rewriter { text: cuda, at: 0, out, operations, library };
    rewriter.run()?;
    Ok(rewriter.out)
}

struct Rewriter<'t> {
    text: &'t str,
    at: usize,
    out: String,
    /// Functions whose calls tell their line from the first line of Rust on; none once that was met.
    operations: Option<&'t BTreeSet<String>>,
    /// The functions of the library.
    library: &'t BTreeSet<&'t str>,
}

impl<'t> Rewriter<'t> {
    fn run(&mut self) -> Result<(), Refused> {
        while let Some(c) = self.rest().chars().next() {
            if c == '"' {
                let end = string_end(self.rest());
                self.keep(end);
            } else if self.rest().starts_with("//") || self.at_directive() {
                let end = self.rest().find('\n').unwrap_or(self.rest().len());
                if self.rest().starts_with("#line") {
                    self.place();
                }
                self.keep(end);
            } else if c.is_ascii_alphabetic() || c == '_' {
                let end = word_end(self.rest());
                self.word(&self.rest()[..end])?;
            } else if self.rest().starts_with("<<<") {
                self.launch()?;
            } else {
                self.keep(c.len_utf8());
            }
        }
        Ok(())
    }

    /// Makes calls of the operations, which the prelude has defined, tell the line that they are at.
    fn place(&mut self) {
        for name in self.operations.take().into_iter().flatten() {
            let call = format!("(ws_h_at(__FILE__, __LINE__), {name}(__VA_ARGS__))");
            self.out.push_str(&format!("#define {name}(...) {call}\n"));
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn keep(&mut self, bytes: usize) {
        self.out.push_str(&self.rest()[..bytes]);
        self.at += bytes;
    }

    /// Returns whether a preprocessor's line begins here.
    fn at_directive(&self) -> bool {
        self.rest().starts_with('#')
            && self.text[..self.at]
                .lines()
                .next_back()
                .is_none_or(|line| self.text[..self.at].ends_with('\n') || line.trim().is_empty())
    }

    fn word(&mut self, word: &'t str) -> Result<(), Refused> {
        match word {
            "asm" => return self.instructions(),
            "__shared__" => self.shared(),
            "extern" => self.external(),
            "ws_grid_sync" if self.rest().starts_with("ws_grid_sync() {") => {
                let open = self.rest().find('{').unwrap_or_default();
                let body = enclosed(&self.rest()[open..]);
                self.at += open + body;
                self.out.push_str("ws_grid_sync() { ws_grid_barrier(); }");
            }
            "atomicCAS" if self.operations.is_some() && self.rest().starts_with(IS_FIRST) => {
                self.at += IS_FIRST.len();
                self.out.push_str("ws_first_fault(&fault->state)");
            }
            "volatile" if self.out.ends_with('(') => return self.polled(),
            _ => {
                let before = self.text[..self.at].lines().next_back().unwrap_or_default();
                self.keep(word.len());
                let is_head = before.starts_with("__device__") && !before.contains('(');
                if is_head && self.rest().starts_with('(') && self.library.contains(word) {
                    self.head()?;
                }
            }
        }
        Ok(())
    }

    /// The parameters and the brace of a function of the library, which tells the line that calls it: in another of these
    /// functions, the line is known already.
    fn head(&mut self) -> Result<(), Refused> {
        let end = enclosed(self.rest());
        let given = part(&self.rest()[1..end - 1])?;
        let comma = if given.trim().is_empty() { "" } else { ", " };
        self.out.push_str(&format!("({given}{comma}WS_AT)"));
        self.at += end;
        let open = self.rest().find('{').unwrap_or_default();
        self.keep(open + 1);
        self.out.push_str(" ws_h_at(ws_file, ws_line);");
        Ok(())
    }

    /// `asm [volatile] (…)`
    fn instructions(&mut self) -> Result<(), Refused> {
        let Some(open) = self.rest().find('(') else {
            self.keep("asm".len());
            return Ok(());
        };
        let end = open + enclosed(&self.rest()[open..]);
        let statement = &self.rest()[open + 1..end - 1];
        let calls = asm::calls(statement, &part)?;
        self.out.push_str(&calls);
        self.at += end;
        Ok(())
    }

    /// `__shared__ [__align__(n)] T name[n][m];`
    fn shared(&mut self) {
        let end = self.rest().find(';').unwrap_or(self.rest().len());
        let declaration = Declaration::parse(&self.rest()["__shared__".len()..end]);
        let Declaration { align, ty, name, extents } = declaration;
        self.out.push_str(&format!(
            "static char ws_m_{name}; typedef {ty} ws_t_{name}{extents}; \
             ws_t_{name}& {name} = ws_shared<ws_t_{name}>(&ws_m_{name}, {align})"
        ));
        self.at += end;
    }

    /// `extern "C" __global__ …` and `extern __shared__ [__align__(n)] T name[];`
    fn external(&mut self) {
        let behind = self.rest()["extern".len()..].trim_start();
        if let Some(kernel) = behind.strip_prefix("\"C\"").map(str::trim_start)
            && kernel.starts_with("__global__")
        {
            self.at = self.text.len() - kernel.len();
        } else if let Some(dynamic) = behind.strip_prefix("__shared__") {
            let end = dynamic.find(';').unwrap_or(dynamic.len());
            let Declaration { ty, name, .. } = Declaration::parse(&dynamic[..end]);
            self.out.push_str(&format!("{ty}* const {name} = ({ty}*)ws_h_dynamic_shared()"));
            self.at = self.text.len() - dynamic.len() + end;
        } else {
            self.keep("extern".len());
        }
    }

    /// `kernel<<<grid, block, bytes, stream>>>(arguments)`, after the name.
    fn launch(&mut self) -> Result<(), Refused> {
        let rest = self.rest();
        let Some(close) = rest.find(">>>").filter(|close| rest[close + 3..].starts_with('(')) else {
            self.keep(3);
            return Ok(());
        };
        let arguments = enclosed(&rest[close + 3..]);
        let (shape, given) = (part(&rest[3..close])?, part(&rest[close + 4..close + 2 + arguments])?);
        let name = self.out.split_off(self.out.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1));
        let comma = if given.trim().is_empty() { "" } else { ", " };
        self.out.push_str(&format!(
            "ws_launch<&{name}>(__builtin_FILE(), __builtin_LINE(), \"{name}\", ws_Shape({shape}){comma}{given})"
        ));
        self.at += close + 3 + arguments;
        Ok(())
    }

    /// `(volatile T*)p`, after its first parenthesis.
    fn polled(&mut self) -> Result<(), Refused> {
        let inside = self.rest();
        let Some(close) = inside.find(')') else {
            self.keep(inside.len());
            return Ok(());
        };
        let operand = operand_end(&inside[close + 1..]);
        if operand == 0 {
            self.keep("volatile".len());
            return Ok(());
        }
        let place = part(&inside[close + 1..close + 1 + operand])?;
        self.out.pop();
        self.out.push_str(&format!("ws_polled(({}){place})", &inside[..close]));
        self.at += close + 1 + operand;
        Ok(())
    }
}

/// A declaration of shared memory, without the word for that.
struct Declaration<'t> {
    align: &'t str,
    ty: &'t str,
    name: &'t str,
    extents: &'t str,
}

impl<'t> Declaration<'t> {
    fn parse(text: &'t str) -> Self {
        let (mut align, mut text) = ("1", text.trim());
        if let Some(rest) = text.strip_prefix("__align__(") {
            let end = rest.find(')').unwrap_or(rest.len());
            (align, text) = (&rest[..end], rest[(end + 1).min(rest.len())..].trim());
        }
        let (head, extents) = text.split_at(text.find('[').unwrap_or(text.len()));
        let head = head.trim_end();
        let start = head.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
        Self { align, ty: head[..start].trim(), name: &head[start..], extents }
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Bytes of the word that a text begins with.
pub(super) fn word_end(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}

/// Bytes of the string literal that a text begins with.
pub(super) fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Bytes of the operand of a cast that a text begins with: `(p)`, or a name with indices and fields, such as `&x[i].at`.
fn operand_end(text: &str) -> usize {
    let mut at = text.len() - text.trim_start_matches(['&', '*']).len();
    at += word_end(&text[at..]);
    loop {
        let rest = &text[at..];
        at += match rest.as_bytes() {
            [b'(' | b'[', ..] => enclosed(rest),
            [b'.', ..] => 1 + word_end(&rest[1..]),
            [b'-', b'>', ..] => 2 + word_end(&rest[2..]),
            _ => return at,
        };
    }
}

/// Bytes up to the bracket that closes the one that a text begins with, and that one.
pub(super) fn enclosed(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' => {
                at += string_end(&text[at..]);
                continue;
            }
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += c.len_utf8();
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(cuda: &str) -> String {
        for_host(cuda, &BTreeSet::new(), &BTreeSet::new()).expect("nothing is refused")
    }

    #[test]
    fn calls_of_operations_tell_their_line_behind_the_prelude() {
        let cuda = "int ws_act(int x) { return ws_act(x); }\n#line 7 \"k.rs\"\nws_act(1);\n#line 8 \"k.rs\"\nws_act(2);\n";
        let operations = BTreeSet::from(["ws_act".to_owned()]);
        let text = for_host(cuda, &operations, &BTreeSet::new()).expect("nothing is refused");
        let define = "#define ws_act(...) (ws_h_at(__FILE__, __LINE__), ws_act(__VA_ARGS__))\n";
        let (prelude, rest) = cuda.split_once("#line 7").expect("a line");
        assert_eq!(text, format!("{prelude}{define}#line 7{rest}\n#undef ws_act"));
    }

    #[test]
    fn functions_of_the_library_tell_the_line_that_calls_them() {
        let cuda = "__device__ int at(int x) {\n    return at(x);\n}\n\n__device__ int mine() {\n    return at(1);\n}\n";
        let text = for_host(cuda, &BTreeSet::new(), &BTreeSet::from(["at"])).expect("nothing is refused");
        let told = "__device__ int at(int x, WS_AT) { ws_h_at(ws_file, ws_line);";
        assert_eq!(text, cuda.replace("__device__ int at(int x) {", told));
        let text = for_host(cuda, &BTreeSet::new(), &BTreeSet::from(["mine"])).expect("nothing is refused");
        assert!(text.contains("__device__ int mine(WS_AT) { ws_h_at(ws_file, ws_line);\n"), "{text}");
    }

    #[test]
    fn shared_arrays_are_references_to_memory_of_the_block() {
        let text = rewritten("    __shared__ __align__(16) ws_Array<float, 2> tile[2][33];\n");
        assert!(text.contains("typedef ws_Array<float, 2> ws_t_tile[2][33];"), "{text}");
        assert!(text.contains("ws_t_tile& tile = ws_shared<ws_t_tile>(&ws_m_tile, 16);"), "{text}");
        let text = rewritten("    extern __shared__ __align__(16) int smem[];\n");
        assert_eq!(text, "    int* const smem = (int*)ws_h_dynamic_shared();\n");
    }

    #[test]
    fn instructions_are_calls_with_their_operands_in_order() {
        let text = rewritten(
            "asm volatile(\"atom.acq_rel.gpu.add.u32 %0, [%1], %2;\" : \"=r\"(r) : \"l\"(p), \"r\"(0 - v) : \"memory\");",
        );
        assert_eq!(text, "ws_ptx_atom_add_u32((r), (p), (0 - v));");
        let text = rewritten("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));");
        assert_eq!(text, "ws_ptx_mov_u32((lane), ws_sreg_laneid());");
        let text = rewritten(
            "asm(\"add\" ws_rn \".f16 %0, %1, %2;\" : \"=h\"(r.bits) : \"h\"(a.bits), \"h\"(b.bits));",
        );
        assert_eq!(text, "ws_ptx_add_f16((r.bits), (a.bits), (b.bits));");
        let text = rewritten("asm(\"and.b32 %0, %1, 0x3fff;\" : \"=r\"(low) : \"r\"(word));");
        assert_eq!(text, "ws_ptx_and_b32((low), (word), 0x3fff);");
        assert_eq!(rewritten("asm(\"\" : \"+r\"(value));"), "(void)0;");
    }

    #[test]
    fn registers_and_several_instructions_are_a_block() {
        let text = rewritten(
            "asm(\"{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low; }\" : \"=f\"(x) : \"r\"(halves));",
        );
        assert_eq!(
            text,
            "({ ws_b16 ws_r_low, ws_r_high; ws_ptx_mov_b32(ws_r_low, ws_r_high, (halves)); ws_ptx_cvt_f32_f16((x), ws_r_low); });"
        );
    }

    #[test]
    fn strings_comments_and_other_words_stay() {
        for text in [
            "printf(\"asm(%d) __shared__\\\" <<<\", x);",
            "// asm(\"x\")\nint asmb = 1;",
            "#line 3 \"asm.rs\"\n",
        ] {
            assert_eq!(rewritten(text), text);
        }
        assert_eq!(rewritten("extern \"C\" __global__ void k() {}"), "__global__ void k() {}");
    }

    #[test]
    fn accesses_to_volatile_places_let_others_run() {
        let text = rewritten("while ((*(volatile const unsigned int*)(&f[0])) == 0u) {}");
        assert_eq!(text, "while ((*ws_polled((volatile const unsigned int*)(&f[0]))) == 0u) {}");
        let text = rewritten("while (*(volatile const int*)&f[at(i) + 1].lock->state[0] == 0) {}");
        assert_eq!(text, "while (*ws_polled((volatile const int*)&f[at(i) + 1].lock->state[0]) == 0) {}");
        assert_eq!(
            rewritten("int r = *(volatile const int*)p + 1;"),
            "int r = *ws_polled((volatile const int*)p) + 1;"
        );
        assert_eq!(rewritten("(*(volatile int*)(p) = 3);"), "(*ws_polled((volatile int*)(p)) = 3);");
    }

    #[test]
    fn a_fault_is_recorded_before_others_run() {
        let prelude =
            crate::codegen::complete("#include \"warpsmith_checks.h\"\nws_at(i, len, 0, ws_fault);\n");
        let text = rewritten(&prelude);
        assert!(text.contains("if (ws_first_fault(&fault->state) == 0u) {"), "{text}");
        let own = format!("#line 1 \"k.rs\"\n{IS_FIRST};\n");
        assert_eq!(rewritten(&own), own);
    }

    #[test]
    fn launches_are_calls_with_shape_and_arguments() {
        let text = rewritten("    child<<<1u, n / 2u, 0, cudaStreamTailLaunch>>>(f(a, b), n);\n");
        assert!(
            text.contains("\"child\", ws_Shape(1u, n / 2u, 0, cudaStreamTailLaunch), f(a, b), n);"),
            "{text}"
        );
        assert!(text.trim_start().starts_with("ws_launch<&child>("), "{text}");
    }

    #[test]
    fn predicates_are_conditions_and_branches_are_refused_by_name() {
        let text = rewritten(
            "asm(\"{ .reg .pred %%p; setp.lt.f32 %%p, %1, 0f3F000000; @!%%p mov.u32 %0, 3; }\" : \"+r\"(r) : \"f\"(x));",
        );
        assert!(text.contains("ws_ptx_setp_lt_f32(ws_r_p, (x), __uint_as_float(0x3f000000u))"), "{text}");
        assert!(text.contains("if (!ws_r_p) ws_ptx_mov_u32((r), 3)"), "{text}");
        let refused = part("asm(\"{ .reg .pred p; @p bra done; }\");").expect_err("no branches");
        assert!(refused.to_string().contains("`bra done`"), "{refused}");
    }
}
