//! Wrapping of text.

use learn::output::wrap;

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
