//! Wrapping of text, and advice on errors.

use learn::advice::add_advice;
use learn::output::{wrap, wrap_row};

#[test]
fn long_lines_break_at_spaces_and_keep_their_indentation() {
    assert_eq!(wrap("add one pair\n  of all elements", 9), "add one\npair\n  of all\n  elements");
    assert_eq!(wrap("short\n\nlines", 9), "short\n\nlines");
}

#[test]
fn long_words_stay_whole() {
    assert_eq!(wrap("see /a/very/long/path now", 9), "see\n/a/very/long/path\nnow");
}

#[test]
fn colors_take_no_columns() {
    assert_eq!(wrap("\x1b[31mabc def\x1b[0m ghi", 11), "\x1b[31mabc def\x1b[0m ghi");
    assert_eq!(wrap("\x1b[31mabc def\x1b[0m ghi", 10), "\x1b[31mabc def\x1b[0m\nghi");
}

#[test]
fn the_last_cell_of_a_row_is_wrapped_below_itself() {
    let row = "mine  3/30  results: 12, 13; missing: 14, 15, 16, 17";
    assert_eq!(
        wrap_row("mine  3/30  ", &row[12..], 36),
        "mine  3/30  results: 12, 13;\n            missing: 14, 15, 16, 17"
    );
    assert_eq!(wrap_row("mine  3/30  ", &row[12..], 30), wrap(row, 30), "too little room");
}

#[test]
fn advice_follows_the_errors_that_it_is_about() {
    let text = add_advice("error[E0608]: cannot index into a value of type `Global<f32>`\n --> 12_guard.rs:14:9\n");
    let advice =
        "an array that threads write has no `[i]`: `out.get(i)` reads an element, and `out.set(i, value)` writes it";
    assert!(text.ends_with(&format!("12_guard.rs:14:9\nadvice: {advice}")), "{text}");
    assert_eq!(add_advice("error: expected `;`"), "error: expected `;`");
}
