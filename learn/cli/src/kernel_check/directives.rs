//! Command lines in the comments of kernel files: `// coalesced: --kernel scale --grid 4 --block 256 --arg f32[1024]`.

use std::ffi::OsString;
use std::path::Path;

/// The beginning of a comment with a command line.
pub const MARK: &str = "// coalesced:";

/// A command line with its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Directive {
    /// `FILE:LINE`.
    pub place: String,
    /// The words of a command: the program, the file, those of the comment, and the options of the command line.
    pub words: Vec<OsString>,
}

/// Returns the command lines in the files that follow the program's name, each with the options after the files; `None` if the first
/// of these words is no file with such a comment.
///
/// # Errors
/// Another file cannot be read, or has no such comment.
pub fn commands(program: &OsString, rest: &[OsString]) -> Option<Result<Vec<Directive>, String>> {
    let is_option = |word: &OsString| word.to_string_lossy().starts_with('-');
    let count = rest.iter().position(is_option).unwrap_or(rest.len());
    let (files, options) = rest.split_at(count);
    let first = std::fs::read(Path::new(files.first()?)).ok()?;
    marked(&String::from_utf8_lossy(&first)).next()?;
    Some(
        files
            .iter()
            .map(|file| of_file(program, file, options))
            .collect::<Result<Vec<_>, _>>()
            .map(|all| all.into_iter().flatten().collect()),
    )
}

fn of_file(program: &OsString, file: &OsString, options: &[OsString]) -> Result<Vec<Directive>, String> {
    let name = file.to_string_lossy();
    let bytes = std::fs::read(Path::new(file)).map_err(|error| format!("cannot read {name}: {error}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let command = |(line, words): (usize, &str)| {
        let own = split(words).into_iter().map(OsString::from);
        let words = [program.clone(), file.clone()].into_iter().chain(own).chain(options.iter().cloned()).collect();
        Directive { place: format!("{name}:{line}"), words }
    };
    let all: Vec<Directive> = marked(&text).map(command).collect();
    if all.is_empty() {
        return Err(format!("{name} has no comment `{MARK} --kernel NAME --grid X --block X …`"));
    }
    Ok(all)
}

/// Returns the words of each command line, with the number of its line.
fn marked(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, line.trim_start().strip_prefix(MARK)?)))
}

/// Splits at spaces outside of quotes.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::{marked, split};

    #[test]
    fn quotes_keep_spaces() {
        assert_eq!(
            split(" --kernel 'times<float, 3>'  --arg \"i32=1\" "),
            ["--kernel", "times<float, 3>", "--arg", "i32=1"]
        );
    }

    #[test]
    fn only_comments_of_their_own_are_command_lines() {
        let text = "// coalesced: --kernel a\nint b; // coalesced: --kernel b\n\t// coalesced: --kernel c\n";
        assert_eq!(marked(text).collect::<Vec<_>>(), [(1, " --kernel a"), (3, " --kernel c")]);
    }
}
