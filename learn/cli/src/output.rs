//! Text on standard output, wrapped at the width of the terminal.

use crossterm::terminal;
use std::io::{IsTerminal, Write, stdout};

/// Prints a text and a line break. A reader that has closed the pipe, as `head` does, is not an error.
pub fn say(text: &str) {
    let _ = writeln!(stdout(), "{}", fit(text));
}

/// Wraps a text at the width of the terminal, if standard output is one.
#[must_use]
pub fn fit(text: &str) -> String {
    width().map_or_else(|| text.to_owned(), |width| wrap(text, width))
}

/// Prints a row of a table, whose last cell is wrapped below itself at the width of the terminal.
pub fn say_row(start: &str, last: &str) {
    let row = width().map_or_else(|| format!("{start}{last}"), |width| wrap_row(start, last, width));
    let _ = writeln!(stdout(), "{}", row.trim_end());
}

/// Returns the width of the terminal, if standard output is one.
fn width() -> Option<usize> {
    let size = stdout().is_terminal().then(|| terminal::size().ok()).flatten();
    size.map(|(columns, _)| columns.into())
}

/// The least number of columns in which a cell is wrapped below itself.
const CELL_COLUMNS: usize = 20;

/// Wraps the last cell of a row below itself, or the whole row if there is too little room for that.
#[must_use]
pub fn wrap_row(start: &str, last: &str, width: usize) -> String {
    let room = width.saturating_sub(columns(start));
    if room < CELL_COLUMNS {
        return wrap(&format!("{start}{last}"), width);
    }
    let separator = format!("\n{}", " ".repeat(columns(start)));
    format!("{start}{}", wrap(last, room).replace('\n', &separator))
}

/// Breaks lines that are longer than `width` at spaces. The parts of a line have its indentation. A word that is longer
/// than a line is left whole.
#[must_use]
pub fn wrap(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| wrap_line(line, width)).collect();
    lines.join("\n")
}

fn wrap_line(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let indentation = &line[..line.len() - line.trim_start_matches(' ').len()];
    let mut wrapped = indentation.to_owned();
    let mut column = indentation.len();
    for word in line[indentation.len()..].split(' ') {
        let is_first = column == indentation.len();
        if !is_first && column + 1 + columns(word) > width {
            wrapped.truncate(wrapped.trim_end_matches(' ').len());
            wrapped.push('\n');
            wrapped.push_str(indentation);
            column = indentation.len();
        } else if !is_first {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += columns(word);
    }
    wrapped
}

/// Returns the number of characters of a text, without those of escape sequences for colors.
fn columns(text: &str) -> usize {
    let mut is_escape = false;
    let is_visible = |character: &char| match (is_escape, character) {
        (false, '\x1b') => {
            is_escape = true;
            false
        }
        (true, 'm') => {
            is_escape = false;
            false
        }
        _ => !is_escape,
    };
    text.chars().filter(is_visible).count()
}
