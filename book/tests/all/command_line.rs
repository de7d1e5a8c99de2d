//! The program `book`: building, serving, the protocol of mdBook, and errors.

use crate::support::Copy;
use book::fill::Course;
use mdbook_driver::MDBook;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A server that is stopped at the end of the test.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn new() -> Self {
        let mut command = program(&["serve", "--port", "0", "--no-open"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let address = lines.filter_map(|line| Some(line.split_once("http://")?.1.split_once('/')?.0.to_owned())).next();
        Self { child, address: address.unwrap() }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        text(&answer)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One test for both, since both write to the same folder.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_book_builds_without_a_warning_and_is_served() {
    let built = run(&["build"]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    assert_eq!(text(&built.stderr), "");
    assert!(text(&built.stdout).contains("index.html"));

    let served = Served::new();
    let page = served.get("/stage01-naive.html");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("text/html; charset=utf-8"), "{page}");
    assert!(page.contains("every thread for itself"));
    assert!(served.get("/").starts_with("HTTP/1.1 200"));
    assert!(served.get("/none.html").starts_with("HTTP/1.1 404"));
    assert!(served.get("/../Cargo.toml").starts_with("HTTP/1.1 404"));

    let port = served.address.rsplit(':').next().unwrap();
    let second = run(&["serve", "--port", port, "--no-open"]);
    assert!(!second.status.success());
    assert!(text(&second.stderr).contains(&format!("port {port} is taken")), "{}", text(&second.stderr));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_check_of_the_content_says_in_one_line_what_it_looked_at() {
    let checked = run(&["check"]);
    let line = text(&checked.stdout);
    assert!(checked.status.success(), "{line}");
    // The lines before it are about kernels that are not recorded on the book's GPU.
    let mut lines = line.lines().rev();
    assert!(lines.next().is_some_and(|last| last.contains(" kernel files, ")), "{line}");
    assert!(lines.all(|notice| notice.contains("notice")), "{line}");
}

#[test]
fn help_names_the_commands() {
    let help = text(&run(&["--help"]).stdout);
    for word in ["build", "serve", "slides", "exam", "check", "--port", "--no-open", "--host"] {
        assert!(help.contains(word), "{help}");
    }
}

#[test]
fn an_exam_comes_from_its_seed_and_has_its_answers_apart() {
    let exam = |arguments: &[&str]| text(&run(&[&["exam", "--seed", "7"], arguments].concat()).stdout);
    assert_eq!(exam(&[]).matches("\n## ").count(), 10);
    assert_eq!(exam(&[]), exam(&[]));
    assert_eq!(exam(&["--answers"]).lines().filter(|line| line.contains(". **")).count(), 10);
    let json: serde_json::Value = serde_json::from_str(&exam(&["--json", "--answers"])).unwrap();
    assert!(json["questions"][9]["answer"][0]["value"].is_u64());
    let refused = run(&["exam"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("--seed"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn slides_alone_have_no_links_to_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("class");
    let written = run(&["slides", "--session", "2", path.to_str().unwrap()]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let page = std::fs::read_to_string(path.join("session-2.html")).unwrap();
    assert!(text(&written.stdout).trim_end().ends_with("session-2.html") && !page.contains("../stage02"));
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1);
    let at = ["slides", "--session", "2", "--at", "https://example.org/course", path.to_str().unwrap()];
    assert!(run(&at).status.success());
    let page = std::fs::read_to_string(path.join("session-2.html")).unwrap();
    let link = "<a href=\"https://example.org/course/exercises-2.html#21-a-tile-in-shared-memory\">In the page: ";
    assert!(page.contains(link) && page.matches("<svg class=\"qr\"").count() == 5);
    let error = text(&run(&["slides", "--at", "/course/", path.to_str().unwrap()]).stderr);
    assert!(error.contains("need a whole address: --at https://"), "{error}");
    assert!(text(&run(&["slides", "--session", "6"]).stderr).contains("6 is not in 1..=5"));
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let book = Copy::new();
    std::fs::write(book.file("target"), "a file where a folder should be").unwrap();
    let error = book.build().expect_err("a book that cannot be written");
    assert!(error.starts_with("cannot write the book to ") && error.contains("target/book"), "{error}");
}

#[test]
fn mdbooks_questions_are_answered() {
    assert!(run(&["preprocess", "supports", "html"]).status.success());
    assert!(!run(&["preprocess", "supports", "epub"]).status.success());
}

/// The protocol for the stock mdBook gives the same book as the library.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_stock_mdbook_gets_the_same_book() {
    let copy = Copy::new();
    let book = MDBook::load(copy.root()).unwrap();
    let context = PreprocessorContext::new(copy.root(), book.config.clone(), "html".into());
    let mut command = program(&["preprocess"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    serde_json::to_writer(child.stdin.take().unwrap(), &(&context, &book.book)).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let filled = serde_json::to_value(Course::default().run(&context, book.book.clone()).unwrap()).unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap(), filled);
    // mdBook's own directives, such as `{{#include …}}`, are left to it, and `asm!` has two braces for one
    let left = text(&output.stdout).replace("{{#", "").replace(r#"\"{{\""#, "");
    assert!(!left.contains("{{"));
}

#[test]
fn what_is_no_book_is_refused_with_advice() {
    let mut command = program(&["preprocess"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("cargo run -p book -- build"), "{}", text(&output.stderr));
}

#[test]
fn minutes_are_read_from_logs_and_a_bad_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.json");
    let [log, none] = [log.clone(), folder.path().join("none.zip")].map(|file| file.display().to_string());
    let seconds = r#"{"first-kernels": 90.0, "before-you-start": 30.0}"#;
    let text_of_log = format!(
        r#"{{"schema": 1, "since": "2026-01-01T00:00:00.000Z", "page_seconds": {seconds}, "exercises": {{}}}}"#
    );
    std::fs::write(&log, text_of_log).unwrap();
    let read = run(&["minutes", &log, &log]);
    let shown = text(&read.stdout);
    assert!(read.status.success() && shown.starts_with("Medians of 2 readers\n"), "{shown}{}", text(&read.stderr));
    let words: Vec<&str> = shown.split_whitespace().collect();
    // In the order of the book.
    assert!(words.ends_with(&["before-you-start", "0.5", "2", "first-kernels", "1.5", "2"]), "{shown}");
    let json: serde_json::Value = serde_json::from_slice(&run(&["minutes", "--json", &log]).stdout).unwrap();
    assert_eq!(json["pages"][1]["minutes"], 1.5);
    let failed = run(&["minutes", &log, &none]);
    assert!(!failed.status.success() && text(&failed.stderr).contains("none.zip: "), "{}", text(&failed.stderr));
}
