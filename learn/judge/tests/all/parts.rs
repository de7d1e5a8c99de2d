//! Parts of the judge: numbers as text, comparisons of results, counts of instructions.

use judge::kernel_file::{Argument, Buffer};
use judge::{Counts, difference, first_line_with, group_digits, value};

#[test]
fn numbers_have_commas_between_thousands_and_two_decimals() {
    let pairs = [
        (0.0, "0"),
        (28.0, "28"),
        (1000.0, "1,000"),
        (1234567.0, "1,234,567"),
        (4.5, "4.5"),
        (3.996, "4"),
        (1.234, "1.23"),
    ];
    for (value, text) in pairs {
        assert_eq!(group_digits(value), text);
    }
}

fn buffer(text: &str) -> Buffer {
    match text.parse() {
        Ok(Argument::Buffer(buffer)) => buffer,
        other => panic!("{other:?}"),
    }
}

fn difference_of(tolerance: f64, got: &str, wanted: &str) -> Option<String> {
    let bytes = |text: &str| buffer(text).contents(1).expect("contents");
    difference("a", &buffer(wanted), tolerance, &bytes(got), &bytes(wanted))
}

#[test]
fn equal_bits_are_right_and_other_elements_are_listed() {
    assert_eq!(difference_of(0.0, "i32[2]=1,2", "i32[2]=1,2"), None);
    let text = difference_of(0.0, "i32[2]=-1,3", "i32[2]=1,2").expect("a difference");
    assert_eq!(
        text,
        "2 of the 2 elements of `a` are wrong\n  a[0] was never written, and should be 1\n  a[1] is 3, and should be 2"
    );
}

#[test]
fn the_tolerance_is_relative_and_excludes_nan() {
    assert_eq!(difference_of(1e-3, "f32[2]=1000.1,2", "f32[2]=1000,2"), None);
    assert!(difference_of(1e-5, "f32[2]=1000.1,2", "f32[2]=1000,2").is_some());
    assert!(difference_of(1e-3, "f32[2]=NaN,2", "f32[2]=1000,2").is_some());
}

const PTX: &str =
    ".reg .f64 %d;\n.loc 1 7 3\nadd.f32 %f1, %f2, %f3; // .f64\n.loc 1 9 1\n@%p1 add.f64 %d1, %d2, %d3;\n";

#[test]
fn instructions_with_a_word_are_counted_and_located() {
    assert_eq!(value("ptx .f64", None, &Counts::new(), PTX), Ok(1.0));
    assert_eq!(first_line_with(PTX, ".f64"), Some(9));
}

#[test]
fn quotients_by_zero_are_zero() {
    let counts = Counts::from([("a".to_owned(), 6), ("b".to_owned(), 4), ("c".to_owned(), 0)]);
    assert_eq!(value("a", Some("b"), &counts, ""), Ok(1.5));
    assert_eq!(value("a", Some("c"), &counts, ""), Ok(0.0));
    assert_eq!(value("d", None, &counts, ""), Err("there is no count `d`".into()));
}
