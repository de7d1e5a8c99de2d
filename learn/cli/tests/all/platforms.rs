//! The formats of platforms that `cargo learn grade --format` writes, held against their schemas.

use crate::handing_in::{first, open, solved};
use crate::program::{has_compiler, learn};
use crate::schemas::{CLASSROOM, Element, GRADESCOPE, JUNIT, parse_xml, schema, wrong, wrong_xml};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Makes the folders of Ann, who solved the first exercise, of Tom & Co., who did not, and of Eve, who handed in nothing.
fn class() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = first("error <\"&\u{1b}[2J\u{ffff}>;");
    for (name, files) in
        [("Ann", vec![solved()]), ("Tom & <Co.>", vec![open()]), ("Eve", vec![]), ("Kim", vec![broken])]
    {
        fs::create_dir(folder.path().join(name)).expect("a folder");
        for text in files {
            fs::write(folder.path().join(name).join("11_map.cu"), text).expect("a file");
        }
    }
    folder
}

/// Grades the class, and returns what is said.
fn grade(folder: &Path, options: &str) -> String {
    let mut command = crate::program::command(folder);
    command.args(["grade", "Ann", "Tom & <Co.>", "Eve", "Kim", "--only", "11,12", "--seed", "5"]);
    command.args(options.split(' '));
    crate::program::said_by(command).1
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).expect("the file")).expect("JSON")
}

#[test]
fn gradescope_gets_a_results_json_per_learner() {
    if !has_compiler() {
        return;
    }
    let folder = class();
    let said = grade(folder.path(), "--format gradescope --output results --points=11=2");
    let schema = schema(GRADESCOPE);
    let mut files: Vec<_> = fs::read_dir(folder.path().join("results")).expect(&said).flatten().collect();
    files.sort_by_key(|file| file.file_name());
    let names: Vec<String> = files.iter().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["Ann.json", "Eve.json", "Kim.json", "Tom _ _Co._.json"]);
    for file in &files {
        let value = read(&file.path());
        assert_eq!(wrong(&value, "results", &schema), [""; 0], "{value:#}");
    }
    let ann = read(&files[0].path());
    assert_eq!((ann["tests"][0]["score"].as_f64(), ann["tests"][0]["max_score"].as_f64()), (Some(2.0), Some(2.0)));
    assert_eq!(ann["tests"][0]["status"], "passed");
    assert_eq!((ann["tests"][1]["score"].as_f64(), &ann["tests"][1]["status"]), (Some(0.0), &"failed".into()));
    let tom = read(&files[3].path());
    let output = tom["tests"][0]["output"].as_str().expect("a text");
    assert!(output.starts_with("results: 1,") && !output.contains(&*folder.path().to_string_lossy()), "{output}");
    assert!(
        read(&files[1].path())["tests"][0]["output"].as_str().expect("a text").starts_with("contains no exercises")
    );
    // As a platform runs it: for one submission, to one file.
    let (status, said) = learn(folder.path(), "grade Ann --only 11 --format gradescope --output out/results.json");
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(wrong(&read(&folder.path().join("out/results.json")), "results", &schema), [""; 0]);
    let said = grade(folder.path(), "--format gradescope --output results.json");
    assert!(said.contains("--output: gradescope has a file per learner, and there are 4: name a folder"), "{said}");
}

#[test]
fn classroom_gets_what_its_reporter_reads() {
    if !has_compiler() {
        return;
    }
    let folder = class();
    let said = grade(folder.path(), "--format classroom --output results --points=11=2");
    for (name, status, sum) in [("Ann", "fail", 2.0), ("Eve", "fail", 0.0), ("Tom _ _Co._", "fail", 0.0)] {
        let value = read(&folder.path().join(format!("results/{name}.json")));
        assert_eq!(wrong(&value, "results", &schema(CLASSROOM)), [""; 0], "{value:#}{said}");
        let scores = value["tests"].as_array().expect("tests").iter().filter_map(|test| test["score"].as_f64());
        assert_eq!((value["status"].as_str(), scores.sum::<f64>()), (Some(status), sum), "{value:#}");
        assert_eq!(value["max_score"].as_f64(), Some(3.0));
    }
    let (_, said) = learn(folder.path(), "grade Ann --only 11 --format classroom --output one.json");
    assert_eq!(read(&folder.path().join("one.json"))["status"], "pass", "{said}");
}

#[test]
fn junit_has_a_suite_per_learner() {
    if !has_compiler() {
        return;
    }
    let folder = class();
    let said = grade(folder.path(), "--format junit --output grades.xml");
    let text = fs::read_to_string(folder.path().join("grades.xml")).expect(&said);
    let root = parse_xml(&text).expect(&text);
    assert_eq!(wrong_xml(&root, &schema(JUNIT)), [""; 0], "{text}");
    let counts = |element: &Element| ["tests", "failures"].map(|name| element.attributes[name].clone());
    assert_eq!((root.name.as_str(), counts(&root)), ("testsuites", ["8".into(), "7".into()]), "{text}");
    let of = |name: &str| root.children.iter().find(|one| one.attributes["name"] == name).expect("a suite");
    assert_eq!(counts(of("Ann")), ["2", "1"].map(str::to_owned));
    let tom = &of("Tom & <Co.>").children[0].children[0];
    assert_eq!((tom.name.as_str(), tom.attributes["type"].as_str()), ("failure", "results"));
    assert!(tom.text.starts_with("results: 1,"), "{tom:?}");
    assert_eq!(of("Eve").children[1].children[0].attributes["type"], "missing");
    assert!(of("Kim").children[0].children[0].text.contains("error <\"&"), "the compiler's log is quoted: {text}");
    for suite in &root.children {
        let failed = suite.children.iter().filter(|case| !case.children.is_empty()).count();
        assert_eq!(suite.attributes["failures"], failed.to_string());
    }
}

#[test]
fn a_format_needs_a_place() {
    let folder = tempfile::tempdir().expect("a folder");
    for options in ["--format junit", "--output x.xml", "--format tap --output x"] {
        let (status, said) = learn(folder.path(), &format!("grade ann {options}"));
        assert!(status == Some(2) && said.contains("--"), "{said}");
    }
    let (status, said) = learn(folder.path(), "grade . --format junit --output .");
    assert!(status == Some(2) && said.contains("--output: . is a folder, and junit is one file"), "{said}");
}
