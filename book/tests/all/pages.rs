//! The built pages, after mdBook has rendered the texts that `content.rs` checks.

use crate::support::Copy;
use scraper::{Html, Selector};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Returns the pages of a folder by name.
fn pages(folder: &Path) -> BTreeMap<String, Html> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages = files.filter(|file| file.extension().is_some_and(|extension| extension == "html"));
    pages.map(|file| (name(&file), Html::parse_document(&fs::read_to_string(&file).unwrap()))).collect()
}

fn name(file: &Path) -> String {
    file.file_name().unwrap().to_string_lossy().into_owned()
}

fn attributes<'a>(page: &'a Html, selector: &str, attribute: &'a str) -> Vec<&'a str> {
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector).filter_map(|element| element.value().attr(attribute)).collect()
}

/// Returns the dead links of the pages, `page.html: target`, and the number of links.
fn dead_links(folder: &Path) -> (Vec<String>, usize) {
    let pages = pages(folder);
    let anchors: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(name, page)| (name.as_str(), attributes(page, "[id]", "id").into_iter().collect()))
        .collect();
    let mut dead = Vec::new();
    let mut followed = 0;
    for (name, page) in &pages {
        let links = attributes(page, ":not(base)[href]", "href").into_iter().chain(attributes(page, "[src]", "src"));
        for link in links.filter(|link| !link.contains("://") && !link.starts_with("data:")) {
            followed += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            let has_anchor = || anchors.get(file).is_some_and(|anchors| anchors.contains(anchor));
            if !folder.join(file).is_file() || !(anchor.is_empty() || has_anchor()) {
                dead.push(format!("{name}: {link}"));
            }
        }
    }
    (dead, followed)
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_link_and_anchor_leads_somewhere() {
    let book = Copy::new();
    let (dead, followed) = dead_links(&book.build().unwrap());
    assert_eq!(dead, [""; 0]);
    assert!(followed > 100, "only {followed} links");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_dead_link_and_a_dead_anchor_are_noticed() {
    let book = Copy::new();
    book.add_line("sources.md", "[a](nowhere.md) [b](glossary.md#nothing)");
    let (dead, _) = dead_links(&book.build().unwrap());
    let of_page: Vec<_> = dead.iter().filter(|link| link.starts_with("sources.html")).collect();
    assert_eq!(of_page, ["sources.html: nowhere.html", "sources.html: glossary.html#nothing"]);
}

#[test]
fn recorded_times_come_from_the_record() {
    let book = Copy::new();
    let record = book.file("results/nvidia-h200/stage02.json");
    let mut records: serde_json::Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    records[0]["time_ms"]["median"] = 1234.0.into();
    fs::write(&record, records.to_string()).unwrap();
    let kernel = records[0]["kernel"].as_str().unwrap();
    book.add_line(
        "glossary.md",
        &format!(
            "{{{{time stage02-shared {kernel}}}}}\n\n{{{{ladder stage02-shared}}}}\n\n{{{{plot stage02-shared}}}}"
        ),
    );
    let page = book.page("glossary.md");
    // In a sentence, in the table, in the plot, and in the plot's text alternative.
    assert!(page.matches("1.23 s").count() >= 4);
}
