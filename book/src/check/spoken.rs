//! What people read in a file of code: comments and text in quotation marks, with everything else blanked out, so that
//! places in it are places in the file.

/// In place of code: a phrase does not go on beyond it.
pub const CODE: char = '\u{1}';

/// Comments and strings of Rust, CUDA C++ or JavaScript.
pub fn of_code(text: &str) -> String {
    let mut spoken = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, kind) = piece(rest, spoken.len(), text);
        let piece = &rest[..length.max(first.len_utf8())];
        match kind {
            Kind::Code => blank(&mut spoken, piece),
            Kind::Comment => comment(&mut spoken, piece),
            Kind::Text { quotes } => quoted(&mut spoken, piece, quotes),
        }
        rest = &rest[piece.len()..];
    }
    spoken
}

/// The code of a file, with comments and strings blanked out.
pub fn code_alone(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, kind) = piece(rest, code.len(), text);
        let piece = &rest[..length.max(first.len_utf8())];
        match kind {
            Kind::Code => code.push_str(piece),
            Kind::Comment | Kind::Text { .. } => code.extend(std::iter::repeat_n(' ', piece.len())),
        }
        rest = &rest[piece.len()..];
    }
    code
}

enum Kind {
    Code,
    Comment,
    /// With the number of bytes before and after what is quoted.
    Text {
        quotes: (usize, usize),
    },
}

/// The length of what `rest` begins with, and what it is.
fn piece(rest: &str, place: usize, text: &str) -> (usize, Kind) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Kind::Comment);
    }
    if rest.starts_with("/*") {
        return (rest.find("*/").map_or(rest.len(), |end| end + 2), Kind::Comment);
    }
    if let Some(string) = rest.strip_prefix('"') {
        let end = end_of_string(string).map_or(rest.len(), |end| end + 2);
        return (end, Kind::Text { quotes: (1, 1) });
    }
    // '"' and '\'' are characters, and 'a is a lifetime
    if let Some(quoted) = rest.strip_prefix('\'') {
        let after = if quoted.starts_with('\\') { 3 } else { 1 + quoted.chars().next().map_or(0, char::len_utf8) };
        let is_character = rest.get(after..).is_some_and(|rest| rest.starts_with('\''));
        return (if is_character { after + 1 } else { 1 }, Kind::Code);
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if rest.starts_with('r') && !text[..place].ends_with(is_word) {
        let hashes = rest[1..].len() - rest[1..].trim_start_matches('#').len();
        if rest[1 + hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = 2 + hashes;
            let end = rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len());
            return (end, Kind::Text { quotes: (open, close.len()) });
        }
    }
    (1, Kind::Code)
}

/// Where a string ends whose opening quotation mark has been read.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// A byte of code is a byte of its sign, and a line's end stays one.
fn blank(spoken: &mut String, piece: &str) {
    spoken.extend(piece.bytes().map(|byte| if byte == b' ' || byte == b'\n' { char::from(byte) } else { CODE }));
}

/// Its slashes are blanks, so that a phrase goes on in the next line; `code` in it is code.
fn comment(spoken: &mut String, piece: &str) {
    let words = piece.trim_start_matches(['/', '!', '*']);
    spoken.extend(std::iter::repeat_n(' ', piece.len() - words.len()));
    let words = words.strip_suffix("*/").unwrap_or(words);
    for (index, part) in words.split('`').enumerate() {
        if index > 0 {
            spoken.push(CODE);
        }
        match index % 2 {
            0 => spoken.push_str(part),
            _ => blank(spoken, part),
        }
    }
    blank(spoken, if piece.ends_with("*/") { "*/" } else { "" });
}

/// A line's end that is escaped is a blank, other escapes are code.
fn quoted(spoken: &mut String, piece: &str, (open, close): (usize, usize)) {
    blank(spoken, &piece[..open.min(piece.len())]);
    let words = piece.get(open..piece.len().saturating_sub(close)).unwrap_or_default();
    let mut characters = words.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some('\n')) => spoken.push(' '),
            ('\\', Some(&escaped)) if open == 1 => {
                characters.next();
                spoken.extend(std::iter::repeat_n(CODE, 1 + escaped.len_utf8()));
            }
            _ => spoken.push(c),
        }
    }
    spoken.extend(std::iter::repeat_n(CODE, piece.len() - open.min(piece.len()) - words.len()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let spoken = of_code(text);
        assert_eq!(spoken.len(), text.len(), "{spoken}");
        spoken.split([CODE, '\n']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn comments_and_strings_are_read_and_code_is_not() {
        assert_eq!(words("let a = 1; // one `two` three\nlet b = \"four\";"), ["one", "three", "four"]);
        assert_eq!(words("/// doc\nfn f<'a>(c: char) { c == '\"' /* in */ }"), ["doc", "in"]);
        assert_eq!(words("r\"raw\" + r#\"a \"b\" c\"# + b\"bytes\""), ["raw", "a \"b\" c", "bytes"]);
        assert_eq!(words("\"a \\\"quoted\\\" word\\n\""), ["a", "quoted", "word"]);
        assert_eq!(words("// µ\nlet µ = \"€\";"), ["µ", "€"]);
    }

    #[test]
    fn a_string_goes_on_in_the_next_line() {
        assert_eq!(of_code("\"one \\\n two\"").trim_matches(CODE), "one  \n two");
    }
}
