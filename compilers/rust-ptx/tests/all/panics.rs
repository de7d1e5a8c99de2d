//! The reports of panics: the line, its text, and the condition that failed.

use crate::{compile, compile_as, kernel};

/// Returns the texts in the PTX of a kernel with this body: conditions, files and lines.
fn texts(body: &str) -> Option<Vec<String>> {
    let ptx = compile(&kernel(body), 75)?.unwrap_or_else(|error| panic!("{error}"));
    let text = |line: &str| {
        let bytes = line.strip_prefix(".global .align 1 .b8 panic_text_")?.split_once('{')?.1.trim_end_matches("};");
        let bytes: Vec<u8> = bytes.split(", ").map(|byte| byte.parse().expect("a byte")).collect();
        Some(String::from_utf8(bytes).expect("a text").trim_end_matches('\0').to_owned())
    };
    Some(ptx.lines().filter_map(text).collect())
}

#[test]
fn each_panic_reports_the_condition_that_failed() {
    let cases = [
        ("let x = unsafe { core::slice::from_raw_parts(words, 9) };\n*words.add(9) = x[n as usize];", "index < length"),
        ("let x = unsafe { Global::new(words, 9) };\nx.set(n as usize, 1);", "index < length"),
        ("let x = unsafe { Global::new(words, 9) };\nx.set(0, 7 / n);", "divisor is not 0"),
        (
            "let x = unsafe { core::slice::from_raw_parts(words, 9) };\n*words.add(9) = x[n as usize..].len() as u32;",
            "range within the slice",
        ),
        (
            "let x = unsafe { core::slice::from_raw_parts(words, 9) };\n*words.add(9) = *x.get(n as usize).unwrap();",
            "a value to unwrap",
        ),
        ("let x = unsafe { Global::new(words, 9) };\nassert!(n > 3, \"too few\"); x.set(0, n);", "no panic"),
    ];
    for (body, condition) in cases {
        let Some(texts) = texts(body) else { return };
        let second = body.lines().nth(1).expect("a second line");
        assert_eq!(texts, [condition, "kernels/probe.rs", second], "{body}");
    }
}

#[test]
fn panics_of_different_lines_are_not_merged() {
    let body = "let x = unsafe { core::slice::from_raw_parts(words, 9) };\nlet a = x[n as usize];\nlet b = x[f as usize];\n\
        *words.add(9) = a + b;";
    let Some(mut texts) = texts(body) else { return };
    texts.sort();
    assert_eq!(texts, ["index < length", "kernels/probe.rs", "let a = x[n as usize];", "let b = x[f as usize];"]);
}

/// The file is in a folder below the current one, which rustc removes from paths.
#[test]
fn a_file_with_an_absolute_path_has_a_line_table() {
    let file = std::env::current_dir().expect("a folder").join("kernels/probe.rs").display().to_string();
    let Some(ptx) = compile_as(&file, &kernel("*words = n;"), 75) else { return };
    let ptx = ptx.unwrap_or_else(|error| panic!("{error}"));
    assert!(ptx.contains("\t.loc\t1 5 ") && ptx.contains(&format!(".file\t1 \"{file}\"")), "{ptx}");
}
