//! The formats of cards, launch lines and marked regions.

use judge::set::{LaunchLine, Medal, Part, Score, outside, without_expectation};
use std::collections::BTreeMap;

#[test]
fn parts_are_half_open_ranges_of_elements() {
    assert_eq!("atoms[4..8]".parse(), Ok(Part { buffer: "atoms".into(), elements: 4..8 }));
    for text in ["atoms", "atoms[4]", "atoms[a..b]", "atoms[1..2"] {
        assert_eq!(text.parse::<Part>(), Err(format!("`{text}` is not a part of a buffer, such as atoms[0..64]")));
    }
}

#[test]
fn medals_need_low_counts() {
    let score = Score { count: "branches".into(), per: None, medals: [30.0, 20.0, 10.0] };
    assert_eq!(score.medal(31.0), None);
    assert_eq!(
        [30.0, 20.0, 10.0].map(|value| score.medal(value)),
        [Medal::Bronze, Medal::Silver, Medal::Gold].map(Some)
    );
}

#[test]
fn launch_lines_are_evaluated() {
    let none = BTreeMap::new();
    let line = LaunchLine::parse("x\n  // launch <<<8, 2 * 64, 4 * 128 * sizeof(float)>>> on the host\n", &none);
    assert_eq!(line, Ok(LaunchLine { grid: 8, block: 128, shared: 2048 }));
    assert_eq!(LaunchLine::parse("// launch <<<8, 128>>>", &none), Ok(LaunchLine { grid: 8, block: 128, shared: 0 }));
    let sizes = BTreeMap::from([("n".into(), 1000)]);
    let line = LaunchLine::parse("// launch <<<16 * (n / 512), 128, n * size_of::<f32>()>>>", &sizes);
    assert_eq!(line, Ok(LaunchLine { grid: 32, block: 128, shared: 4000 }));
}

#[test]
fn malformed_launch_lines_are_quoted() {
    assert!(LaunchLine::parse("", &BTreeMap::new()).unwrap_err().starts_with("the line `// launch <<<grid"));
    for line in
        ["// launch <<<8, n, 0>>>", "// launch <<<8>>>", "// launch <<<-1, 1>>>", "// launch <<<65536 * 65536, 1>>>"]
    {
        assert!(
            LaunchLine::parse(line, &BTreeMap::new()).unwrap_err().starts_with(&format!("line 1: `{line}`")),
            "{line}"
        );
    }
}

#[test]
fn marked_regions_are_left_out() {
    assert_eq!(outside("a\n// >>> your code\nb\n// <<<\nc\n"), Some(vec!["a", "// >>> your code", "// <<<", "c"]));
    assert_eq!(outside("a\n// >>> your code\nb\n"), None, "without an end");
    assert_eq!(outside("a\n// <<<\n"), None, "without a beginning");
    assert_eq!(outside("a\n"), None, "without a region");
}

#[test]
fn the_first_line_of_a_wrong_answer_is_the_expected_failure() {
    assert_eq!(without_expectation("// must fail with runs: trap\ncode\n"), Some(("runs: trap", "code\n")));
    assert_eq!(without_expectation("code\n"), None);
}
