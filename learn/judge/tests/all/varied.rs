//! Cards with sizes: the case that learners see, and the cases of `grade`.

use judge::set::Exercise;
use std::path::Path;

/// A card with one case, whose fields are these lines.
fn card(case: &str) -> String {
    format!(
        "title = \"T\"\nstage = \"s\"\nkind = \"wrong\"\nkernel = \"k\"\ntask = \"t\"\nhints = [\"a\", \"b\", \"c\"]\n\
         skeleton = {{ cuda = \"results: \", rust = \"results: \" }}\n[[case]]\n{case}\n"
    )
}

fn exercise(case: &str) -> Result<Exercise, String> {
    Exercise::parse(Path::new("set/11_x"), &card(case)).map_err(|error| error.to_string())
}

const CASE: &str = r#"
name = "{n} numbers in {n / 128} blocks"
sizes = { n = { usual = 1000, least = 2000, most = 3000 } }
buffers = { data = "f32[{2 * n}]=random", sums = "f32[{4 * (n / 128) + 1}]" }
launch = [{ grid = ["{n / 128}"], block = [128], arguments = ["data", "sums", "i32={n}"] }]
results = { sums = 0.0 }
"#;

#[test]
fn expressions_have_values_at_the_usual_sizes() {
    let exercise = exercise(CASE).expect("a card");
    let case = &exercise.card.cases[0];
    assert_eq!(case.name, "1,000 numbers in 8 blocks");
    assert_eq!((case.buffers["data"].0.count, case.buffers["sums"].0.count), (2000, 33));
    assert_eq!((&case.launches[0].grid[..], case.launches[0].arguments[2].as_str()), (&[8][..], "i32=1000"));
}

#[test]
fn the_cases_of_grade_have_other_sizes_and_other_random_numbers() {
    let varied = |seed| exercise(CASE).expect("a card").varied(seed).expect("other cases").card.cases;
    let cases = varied(1);
    let again = varied(1);
    let others = varied(2);
    assert_eq!(cases.len(), 3);
    assert!(cases[1].name.ends_with(" blocks, with other inputs"), "{}", cases[1].name);
    for (case, again) in cases.iter().zip(&again) {
        assert_eq!((&case.name, case.contents("data")), (&again.name, again.contents("data")));
    }
    assert!(cases[1].name != cases[2].name && cases[1].name != others[1].name);
    for case in &cases[1..] {
        let count = case.buffers["data"].0.count;
        assert!((4000..=6000).contains(&count), "{count}");
        assert_eq!(case.launches[0].arguments[2], format!("i32={}", count / 2));
        let begin = |bytes: Option<Vec<u8>>| bytes.expect("random numbers")[..16].to_vec();
        assert_ne!(begin(case.contents("data")), begin(cases[0].contents("data")));
    }
}

#[test]
fn a_case_without_sizes_has_other_random_numbers() {
    let case =
        CASE.replace("sizes", "# sizes").replace("{n / 128}", "8").replace("{n}", "1000").replace("{2 * n}", "9");
    let case = case.replace("{4 * (n / 128) + 1}", "1").replace("[\"8\"]", "[8]");
    let cases = exercise(&case).expect("a card").varied(1).expect("other cases").card.cases;
    let contents: Vec<_> = cases.iter().map(|case| case.contents("data")).collect();
    assert!(contents[0] != contents[1] && contents[1] != contents[2] && contents[0] != contents[2]);
}

#[test]
fn errors_name_what_is_wrong_in_a_case() {
    for (from, to, reason) in [
        ("{2 * n}", "{2 * m}", "`{2 * m}`: `m` is neither a number nor one of the case's sizes"),
        ("{2 * n}", "{n / 0}", "`{n / 0}`: division by 0"),
        ("{2 * n}", "{2 * (n}", "`{2 * (n}`: `)` is missing"),
        ("{2 * n}", "{n - 1}", "`- 1` is left over; operators are + * /"),
        ("{2 * n}", "{n * 99999999999999999}", "the value is too large"),
        ("{2 * n}", "{n", "has no `}`"),
        ("least = 2000", "least = 3000", "the least size is 3000, and must be less than the largest, 3000"),
        ("least", "smallest", "unknown field `smallest`"),
        ("results", "result", "`result`"),
        ("f32[{2", "f33[{2", "`f33` is not a type"),
    ] {
        let error = exercise(&CASE.replacen(from, to, 1)).expect_err(to);
        assert!(error.contains(reason) && error.contains("card.toml"), "{to}: {error}");
    }
}
