//! The tokens of a source file: its text without comments, documentation, formatting and tests.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::iter::Peekable;

/// Returns the tokens of a Rust file, one per line, without documentation and unit tests.
///
/// # Errors
/// Returns an error if the text is not valid Rust.
pub fn read_tokens(text: &str) -> Result<String> {
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
    let mut program = String::new();
    write(tokens, &mut program);
    Ok(program)
}

fn write(tokens: TokenStream, program: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => match attribute(&mut tokens) {
                Some((_, words)) if words.starts_with("doc =") => {}
                Some((_, words)) if words == "cfg (test)" => pass_over_item(&mut tokens),
                Some((mark, words)) => *program += &format!("#{mark}[{words}]\n"),
                None => *program += "#\n",
            },
            TokenTree::Punct(mark) => {
                program.push(mark.as_char());
                // The spacing distinguishes `>>` from `> >`.
                program.push_str(if mark.spacing() == Spacing::Joint { " " } else { "\n" });
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(\n", ")\n"),
                    Delimiter::Brace => ("{\n", "}\n"),
                    Delimiter::Bracket => ("[\n", "]\n"),
                    Delimiter::None => ("", ""),
                };
                *program += open;
                write(group.stream(), program);
                *program += close;
            }
            word => *program += &format!("{word}\n"),
        }
    }
}

/// Parses what follows a `#`: an optional `!`, and an attribute in brackets; none if it is not an attribute.
fn attribute(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> Option<(&'static str, String)> {
    let is_mark = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!');
    let mark = if tokens.next_if(is_mark).is_some() { "!" } else { "" };
    let is_words =
        |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
    match tokens.next_if(is_words)? {
        TokenTree::Group(words) => Some((mark, words.stream().to_string())),
        _ => None,
    }
}

/// Skips an item, up to its body in braces or its semicolon.
fn pass_over_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    for token in tokens {
        let is_end = match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(mark) => mark.as_char() == ';',
            _ => false,
        };
        if is_end {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "fn f(a: u32) -> Vec<Vec<u32>> { g!(a >> 1, \"// no comment\") }";

    #[test]
    fn comments_documentation_formatting_and_tests_do_not_count() {
        let dressed = "//! The file.\n\n/// Says /* what */ it does.\n#[doc = \"more\"]\nfn f(a: u32) // why\n    \
            -> Vec<Vec<u32>> {\n    /* how /* nested */ */ g!(a >> 1, \"// no comment\")\n}\n\
            #[cfg(test)]\nmod tests {\n use super::*;\n #[test]\n fn t() { f(3); }\n}\n#[cfg(test)]\nuse std::fs;\n";
        assert_eq!(read_tokens(dressed).expect("Rust"), read_tokens(PLAIN).expect("Rust"));
    }

    #[test]
    fn everything_else_counts() {
        let changes =
            [("u32", "u64"), ("1", "2"), ("no comment", "other text"), (">> 1", "> > 1"), ("fn f", "#[cold] fn f")];
        let plain = read_tokens(PLAIN).expect("Rust");
        for (from, to) in changes {
            let changed = PLAIN.replacen(from, to, 1);
            assert_ne!(read_tokens(&changed).expect("Rust"), plain, "{changed}");
        }
        let two =
            ["#[cfg(test)] fn a() {} fn b() {}", "#[cfg(feature = \"x\")] fn a() {} fn b() {}", "fn a() {} fn b() {}"];
        let two = two.map(|text| read_tokens(text).expect("Rust"));
        assert!(two[0] != two[1] && two[1] != two[2] && two[0] != two[2]);
        assert!(read_tokens("fn f( {").is_err());
    }
}
