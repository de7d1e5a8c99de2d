//! The text of a source file without comments, strings and directives, so that braces and words can be counted.

use super::directives::{header_of, keep_one_branch};
use std::ops::Range;

/// A text with a space for each byte of a comment, a literal or a preprocessor directive.
pub struct Blanked {
    /// The text. Line breaks stay, so that places are those of the original.
    pub text: String,
    /// The places of the directives, without the line breaks at their ends.
    pub directives: Vec<Range<usize>>,
}

/// Returns a text without comments, literals and directives.
pub fn blank(text: &str) -> Blanked {
    let bytes = text.as_bytes();
    let mut blank = Blank { bytes, out: bytes.to_vec(), directives: Vec::new(), at: 0 };
    blank.run();
    keep_one_branch(text, &blank.directives, &mut blank.out);
    // Only whole characters are replaced, each byte of them by a space.
    Blanked { text: String::from_utf8(blank.out).unwrap_or_default(), directives: blank.directives }
}

struct Blank<'a> {
    bytes: &'a [u8],
    out: Vec<u8>,
    directives: Vec<Range<usize>>,
    at: usize,
}

impl Blank<'_> {
    fn run(&mut self) {
        let mut is_line_start = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            let end = match byte {
                b'#' if is_line_start => {
                    let end = self.directive();
                    self.directives.push(self.at..end);
                    end
                }
                b'/' if self.rest().starts_with(b"//") => self.line(),
                b'/' if self.rest().starts_with(b"/*") => self.past(self.at + 2, b"*/"),
                b'R' if self.rest().starts_with(b"R\"") && !self.is_in_word() => self.raw_string(),
                b'"' => self.end_of_quoted(b'"'),
                // 1'000'000 has no literals of characters.
                b'\'' if !self.is_in_word() => self.end_of_quoted(b'\''),
                _ => {
                    is_line_start = byte == b'\n' || is_line_start && byte.is_ascii_whitespace();
                    self.at += 1;
                    continue;
                }
            };
            self.erase(end);
        }
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn is_in_word(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// Replaces everything up to `end`, and goes on there.
    fn erase(&mut self, end: usize) {
        for byte in &mut self.out[self.at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        self.at = end;
    }

    /// Returns the place behind the next `mark`, or the end of the text.
    fn past(&self, from: usize, mark: &[u8]) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let found = rest.windows(mark.len()).position(|window| window == mark);
        found.map_or(self.bytes.len(), |found| from + found + mark.len())
    }

    /// Returns the end of the line, without its line break.
    fn line(&self) -> usize {
        self.past(self.at, b"\n").min(self.bytes.len()).saturating_sub(1).max(self.at + 1)
    }

    /// Returns the end of a directive, which goes on after a line that ends with a backslash.
    fn directive(&self) -> usize {
        let mut end = self.at;
        loop {
            let line = self.past(end, b"\n");
            let text = self.bytes[end..line].trim_ascii_end();
            end = line;
            if !text.ends_with(b"\\") || line == self.bytes.len() {
                return if self.bytes[..end].ends_with(b"\n") { end - 1 } else { end };
            }
        }
    }

    fn end_of_quoted(&self, mark: u8) -> usize {
        let mut at = self.at + 1;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' => return at,
                _ if byte == mark => return at + 1,
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    fn raw_string(&self) -> usize {
        let start = self.at + 2;
        let open = self.past(start, b"(");
        let delimiter = self.bytes.get(start..open.saturating_sub(1)).unwrap_or_default();
        self.past(open, &[b")", delimiter, b"\""].concat())
    }
}

/// Returns the headers that a text includes, and whether each is in quotes.
pub fn headers(text: &str) -> Vec<(String, bool)> {
    let directives = blank(text).directives.into_iter();
    directives.filter_map(|place| header_of(&text[place])).map(|(header, quoted)| (header.to_owned(), quoted)).collect()
}

#[cfg(test)]
mod tests {
    use super::blank;

    #[test]
    fn comments_literals_and_directives_are_spaces() {
        let of = |text: &str| blank(text).text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(of("int a; // {\nint b; /* { \n } */ int c;"), "int a; int b; int c;");
        assert_eq!(of("f(\"{\\\"\", '{', '\\'', 1'000)"), "f( , , , 1'000)");
        assert_eq!(of("#define A {\\\n {\nint a;\n  # if 1 {\nint b;"), "int a; int b;");
        assert_eq!(of("auto s = R\"x({)\" {)x\";"), "auto s = ;");
        assert_eq!(of("/* never closed {"), "");
    }

    #[test]
    fn places_stay() {
        for text in ["a // ä\nb", "\"x\ny", "#define x\n", "#", "'", "R\"", "// a", "/*\n\n*/ x"] {
            let code = blank(text).text;
            assert_eq!(code.len(), text.len(), "{text}");
            assert_eq!(code.matches('\n').count(), text.matches('\n').count(), "{text}");
        }
    }

    #[test]
    fn a_function_with_two_heads_has_one() {
        let text = "#ifdef A\nint f(int a) {\n#elif B\nint f(long b) {\n#else\nint f() {\n#endif\n}\n#if C\nint c;\n#else\nint d;\n#endif\n\
            #if E\nnamespace e {\n#endif\n";
        let blank = blank(text).text;
        assert_eq!(
            blank.split_whitespace().collect::<Vec<_>>().join(" "),
            "int f(int a) { } int c; int d; namespace e {"
        );
        assert_eq!(blank.len(), text.len());
    }
}
