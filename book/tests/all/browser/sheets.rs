//! The sheets of a class, on a screen and on paper.

use super::site::{reader, site};
use std::fs;

const SHEETS: [&str; 6] = [
    "sheets/session-1.html",
    "sheets/session-2.html",
    "sheets/session-3.html",
    "sheets/session-4.html",
    "sheets/session-5.html",
    "sheets/test.html",
];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn sheets_are_printed_on_few_pages_of_a4() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for name in SHEETS {
        page.open(&site.on_disk(name));
        let printed = page.print();
        let most = if name.ends_with("test.html") { 1 } else { 3 };
        assert!(printed.len() <= most && printed.iter().all(|size| size.starts_with("59")), "{name}: {printed:?}");
        assert!(page.evaluate::<bool>("document.documentElement.scrollWidth <= innerWidth"), "{name}");
        assert_eq!(page.problems(), [""; 0]);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn questions_and_answers_are_on_different_pages() {
    let read = |name: &str| fs::read_to_string(site().folder().join(name)).unwrap();
    let instructor = read("sheets/instructor.html");
    for name in SHEETS {
        let sheet = read(name);
        let asked = sheet.matches("<li>\n<p>").count();
        assert!((3..=14).contains(&asked), "{name}: {asked} questions");
        assert!(!sheet.contains("class=\"answer\"") && !sheet.contains("class=\"say\""), "{name} has answers");
    }
    assert_eq!(instructor.matches("<section>").count(), SHEETS.len());
    assert!(instructor.contains("The wrong prediction to hope for is 104.") && instructor.contains("Little’s law"));
    let test = read("sheets/test.html");
    assert!(test.contains("A memory delivers 10 GB/s.") && !test.contains("6.4 ms") && !test.contains("Little"));
}
