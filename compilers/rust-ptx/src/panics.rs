//! Panics as failed assertions of CUDA C++.
//!
//! A panic calls the function behind CUDA's `assert`, which reports the condition, the line and the text of the line to the
//! GPU's driver or to the emulator. The call is right before the trap, so that it costs nothing on other paths.

use crate::ir::panics::{MARK, RANGE, UNMARKED};
use std::fmt::Write;

/// The part of a name that occurs in every line of PTX that only reports a panic.
pub const OF_PANICS: &str = "panic_";

const NAME: &str = OF_PANICS;

/// The declaration of CUDA's function for a failed assertion.
const FUNCTION: &str = "\
.extern .func __assertfail
(
	.param .b64 panic_condition,
	.param .b64 panic_file,
	.param .b32 panic_line,
	.param .b64 panic_source,
	.param .b64 panic_size
)
.noreturn;
";

/// The state while PTX is read: the place in the kernel's file, and the texts of its panics.
#[derive(Debug)]
pub struct Panics<'a> {
    file: &'a str,
    lines: Vec<&'a str>,
    /// The line of the last instructions.
    line: u32,
    /// Whether the last instructions come from core's code for subslices. rustc inlines its panic functions, which leaves no
    /// mark.
    of_a_part: bool,
    /// The condition of the last mark.
    condition: Option<&'a str>,
    /// The texts for the driver.
    texts: Vec<String>,
}

impl<'a> Panics<'a> {
    /// The panics of a kernel's file, before its PTX is read.
    pub fn new(file: &'a str, source: &'a str) -> Self {
        let lines = source.lines().collect();
        Self { file, lines, line: 0, of_a_part: false, condition: None, texts: Vec::new() }
    }

    /// Reads LLVM's `.loc` with its comment: the next instructions are of this line.
    pub fn go_to(&mut self, line: u32, comment: &str) {
        (self.line, self.of_a_part) = (line, comment.contains("core/src/slice/index.rs:"));
    }

    /// Reads a comment, which may be a mark.
    pub fn read(&mut self, comment: &'a str) {
        self.condition = comment.strip_prefix(MARK).or(self.condition);
    }

    /// Returns the call for a trap in the present line, with the condition that failed.
    pub fn call(&mut self) -> String {
        let condition = self.condition.take().filter(|&condition| condition != UNMARKED || !self.of_a_part);
        let condition = condition.unwrap_or(if self.of_a_part { RANGE } else { UNMARKED });
        let line = self.line;
        let source = usize::try_from(line).ok().and_then(|line| self.lines.get(line.checked_sub(1)?));
        let source = source.map_or("", |source| source.trim());
        let texts = [("condition", condition), ("file", self.file), ("source", source)];
        let mut call = format!("\t{{ // {NAME}\n\t.reg .b64 %{NAME}<4>;\n\t.reg .b32 %{NAME}at;\n");
        for (register, (parameter, text)) in texts.into_iter().enumerate() {
            let number = self.text(text);
            let register = format!("%{NAME}{register}");
            let _ = writeln!(call, "\tmov.b64 \t{register}, {NAME}text_{number};");
            let _ = writeln!(call, "\tcvta.global.u64 \t{register}, {register};");
            let _ =
                writeln!(call, "\t.param .b64 {NAME}{parameter};\n\tst.param.b64 \t[{NAME}{parameter}], {register};");
        }
        let _ = write!(
            call,
            "\tmov.b32 \t%{NAME}at, {line};\n\t.param .b32 {NAME}line;\n\tst.param.b32 \t[{NAME}line], %{NAME}at;\n\
             \tmov.b64 \t%{NAME}3, 1;\n\t.param .b64 {NAME}size;\n\tst.param.b64 \t[{NAME}size], %{NAME}3;\n\
             \tcall.uni \t__assertfail, ({NAME}condition, {NAME}file, {NAME}line, {NAME}source, {NAME}size);\n\t}} // {NAME}\n"
        );
        call
    }

    /// Returns the number of a text, which is added if it is new.
    fn text(&mut self, text: &str) -> usize {
        self.texts.iter().position(|known| known == text).unwrap_or_else(|| {
            self.texts.push(text.to_owned());
            self.texts.len() - 1
        })
    }

    /// Returns the declarations that the calls need, for the beginning of the file.
    pub fn declarations(&self) -> String {
        let mut declarations = String::new();
        if !self.texts.is_empty() {
            declarations.push_str(FUNCTION);
        }
        for (number, text) in self.texts.iter().enumerate() {
            let bytes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
            let count = bytes.len();
            let bytes = bytes.join(", ");
            let _ = writeln!(declarations, ".global .align 1 .b8 {NAME}text_{number}[{count}] = {{{bytes}}};");
        }
        declarations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(panics: &mut Panics<'_>, condition: &'static str, line: u32) -> String {
        panics.go_to(line, "");
        panics.condition = Some(condition);
        panics.call()
    }

    #[test]
    fn a_panic_says_what_where_and_the_text_of_the_line() {
        let mut panics = Panics::new("k.rs", "fn f() {\n    x[i]\n}\n");
        let call = call(&mut panics, "index < length", 2);
        assert!(call.contains("mov.b32 \t%panic_at, 2;"), "{call}");
        assert!(call.lines().all(|line| line.contains(OF_PANICS)), "{call}");
        assert_eq!(panics.texts, ["index < length", "k.rs", "x[i]"]);
        let declarations = panics.declarations();
        assert!(declarations.ends_with(".global .align 1 .b8 panic_text_2[5] = {120, 91, 105, 93, 0};\n"));
    }

    #[test]
    fn texts_are_there_once_and_nothing_without_a_panic() {
        let mut panics = Panics::new("k.rs", "x[i]\n");
        assert_eq!(panics.declarations(), "");
        assert_eq!(call(&mut panics, "index < length", 1), call(&mut panics, "index < length", 1));
        assert_eq!(panics.texts.len(), 3);
        assert!(call(&mut panics, "no panic", 7).contains("panic_text_4"), "no such line: no text");
    }

    #[test]
    fn a_mark_is_for_one_trap_and_a_part_of_a_slice_needs_none() {
        let mut panics = Panics::new("k.rs", "x[i..]\n");
        panics.read("// panicked: index < length");
        panics.go_to(1, "// core/src/slice/index.rs:9:1 @[ k.rs:1:1 ]");
        let marked = panics.call();
        let part = panics.call();
        assert_ne!(marked, part);
        assert_eq!(panics.texts, ["index < length", "k.rs", "x[i..]", RANGE]);
        panics.go_to(1, "// k.rs:1:1");
        panics.call();
        assert_eq!(panics.texts[4], UNMARKED);
    }
}
