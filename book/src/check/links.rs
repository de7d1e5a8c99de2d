//! The checks of links and anchors, and of the text alternatives of pictures.

use super::document::{Document, events, words};
use super::{CHAPTERS, DECKS, Material, Report};
use crate::fill::notation::slug;
use crate::sheets;
use crate::slides::name;
use crate::slides::plan::SESSIONS;
use anyhow::Result;
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};

/// The anchors of the texts, by file.
type Anchors<'a> = BTreeMap<&'a str, BTreeSet<String>>;

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let documents = || material.documents();
    let anchors: Anchors = documents().map(|document| (document.file.as_str(), anchors(document))).collect();
    let mut links = 0;
    for document in documents() {
        for (place, target) in all_targets(&document.shown) {
            let is_far = target.contains("://") || target.starts_with("mailto:") || target.starts_with("data:");
            if !is_far {
                links += 1;
                if let Some(reason) = dead(material, document, &target, &anchors) {
                    report.add(
                        &document.file,
                        document.origin(place),
                        format!("the link `{target}` is dead: {reason}"),
                    );
                }
            }
        }
        check_pictures(document, report);
    }
    report.count(links, "links");
    Ok(())
}

/// Returns the targets of a text's Markdown links.
pub fn targets(document: &Document) -> Vec<String> {
    all_targets(&document.shown).into_iter().map(|(_, target)| target).collect()
}

fn all_targets(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (event, range) in events(text) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.push((range.start, dest_url.into_string()));
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let of = |tag: &str| Some(attribute(tag, "href").or_else(|| attribute(tag, "src"))?.to_owned());
                found.extend(tags(&html).into_iter().filter_map(|tag| Some((range.start, of(tag)?))));
            }
            _ => {}
        }
    }
    found
}

/// Returns the reason why a link is dead; none if it is not.
fn dead(material: &Material, document: &Document, target: &str, anchors: &Anchors) -> Option<String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = document.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let in_book = folder == CHAPTERS;
    if let (true, Some(page)) = (in_book, path.strip_prefix("slides/").and_then(|page| page.strip_suffix(".html"))) {
        let is_there = material.decks.iter().any(|deck| deck.file == format!("{DECKS}/{page}.md"));
        return (!is_there).then(|| format!("there are no slides {DECKS}/{page}.md"));
    }
    if let (true, Some(page)) = (in_book, path.strip_prefix("sheets/").and_then(|page| page.strip_suffix(".html"))) {
        let is_there =
            ["test", sheets::INSTRUCTOR].contains(&page) || (1..=SESSIONS).any(|session| name(session) == page);
        return (!is_there).then(|| format!("there is no sheet {page}"));
    }
    let file = match path {
        "" => document.file.clone(),
        // Raw HTML contains the name of the chapter's page.
        _ if in_book => joined(folder, &path.strip_suffix(".html").map_or(path.into(), |page| format!("{page}.md")))?,
        _ => joined(folder, path)?,
    };
    if in_book && !file.starts_with(CHAPTERS) {
        return Some("the pages do not lie beside the repository's files; write its path as code".into());
    }
    if in_book && file.ends_with(".md") && !material.chapters.iter().any(|chapter| chapter.file == file) {
        return Some(format!("the summary does not list {file}"));
    }
    if !material.repository.join(&file).exists() {
        return Some(format!("there is no {file}"));
    }
    match anchors.get(file.as_str()) {
        Some(known) if !anchor.is_empty() && !known.contains(anchor) => {
            Some(format!("{file} has no heading `{anchor}`"))
        }
        _ => None,
    }
}

/// Joins a folder and a relative path: `book/text` and `../x.md` give `book/x.md`. Returns none for a path outside of the
/// repository.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Returns the anchors of a text: those of its headings in mdBook and on GitHub, and those in its HTML.
pub fn anchors(document: &Document) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for (event, _) in document.events() {
        match &event {
            Event::Start(Tag::Heading { id, .. }) => match id {
                Some(id) => drop(anchors.insert(id.to_string())),
                None => heading = Some(String::new()),
            },
            Event::End(TagEnd::Heading(_)) => {
                let slug = heading.take().map(|text| slug(&text));
                let free = |slug: &String| (1..).map(|n| format!("{slug}-{n}")).find(|slug| !anchors.contains(slug));
                let slug = slug.and_then(|slug| if anchors.contains(&slug) { free(&slug) } else { Some(slug) });
                anchors.extend(slug);
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                anchors.extend(tags(html).into_iter().filter_map(|tag| attribute(tag, "id").map(str::to_owned)));
            }
            _ => {}
        }
        if let (Some(heading), Some(words)) = (&mut heading, words(&event)) {
            heading.push_str(words);
        }
    }
    anchors
}

fn check_pictures(document: &Document, report: &mut Report) {
    let mut image: Option<(usize, String)> = None;
    for (event, range) in document.events() {
        match &event {
            Event::Start(Tag::Image { .. }) => image = Some((range.start, String::new())),
            Event::End(TagEnd::Image) => {
                if let Some((place, _)) = image.take().filter(|(_, words)| words.trim().is_empty()) {
                    report.add(
                        &document.file,
                        document.origin(place),
                        "an image without words: write ![what it shows](…)",
                    );
                }
            }
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                for tag in silent_pictures(&document.shown[range.clone()]) {
                    let text = format!("a picture without words for those who cannot see it: {tag}");
                    report.add(&document.file, document.origin(range.start), text);
                }
            }
            _ => {}
        }
        if let (Some((_, alt)), Some(words)) = (&mut image, words(&event)) {
            alt.push_str(words);
        }
    }
}

/// Returns whether an image or drawing lacks a text alternative.
fn silent_pictures(html: &str) -> Vec<&'static str> {
    let images = tags(html).into_iter().filter(|tag| tag.starts_with("<img"));
    let mut silent: Vec<_> = images
        .filter(|tag| attribute(tag, "alt").is_none_or(|alt| alt.trim().is_empty()))
        .map(|_| "give <img> an alt attribute")
        .collect();
    for drawing in html.split("<svg").skip(1) {
        let inside = drawing.split("</svg>").next().unwrap_or(drawing);
        let title = inside.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        if title.is_none_or(|(title, _)| title.trim().is_empty()) {
            silent.push("give <svg> a <title>");
        }
    }
    silent
}

/// Returns the opening tags in HTML.
fn tags(html: &str) -> Vec<&str> {
    let opening = html.match_indices('<').filter_map(|(place, _)| {
        let tag = &html[place..];
        tag[1..].starts_with(|c: char| c.is_ascii_alphabetic()).then_some(tag)
    });
    opening.map(|tag| tag.split_inclusive('>').next().unwrap_or(tag)).collect()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    Some(value.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_headings_and_ids() {
        let text = "# One `two`, three!\n\n## Same\n\n## Same\n\n<p id=\"here\">x</p>\n";
        let anchors = anchors(&Document::from_text("x.md", text.into()));
        assert_eq!(anchors.into_iter().collect::<Vec<_>>(), ["here", "one-two-three", "same", "same-1"]);
    }

    #[test]
    fn paths_are_joined_inside_of_the_repository() {
        assert_eq!(joined("book/text", "../x.md").as_deref(), Some("book/x.md"));
        assert_eq!(joined("", "./a/b"), Some("a/b".into()));
        assert_eq!(joined("book", "../../x"), None);
    }

    #[test]
    fn pictures_without_words_are_found() {
        assert_eq!(silent_pictures("<img src=\"a.png\" alt=\"A\"><svg><title>A</title></svg>").len(), 0);
        assert_eq!(silent_pictures("<img src=\"a.png\"><svg><g/></svg>").len(), 2);
    }
}
