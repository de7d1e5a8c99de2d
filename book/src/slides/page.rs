//! The page of a session's slides.

use super::deck::Slide;
use super::plan::Plan;
use crate::fill::notation::escape;
use crate::fill::{Sources, packed};
use crate::footer;
use anyhow::{Context, Result, anyhow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd, html};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};
use std::fs;
use std::path::Path;

/// The style sheets of figures and explorers, which are those of the book, and of slides.
const STYLES: [&str; 4] = ["course.css", "charts.css", "explorers.css", "slides.css"];
/// The scripts of explorers that all kinds need.
const EXPLORERS: [&str; 3] = ["instance.js", "emulator.js", "explorers.js"];
/// The fonts of slides: name, weight and file.
const FONTS: [(&str, u32, &str); 3] = [
    ("Open Sans", 400, "open-sans-400.woff2"),
    ("Open Sans", 700, "open-sans-700.woff2"),
    ("Coalesced Code", 500, "coalesced-code-500.woff2"),
];
/// The beginning of an explorer's element.
const EXPLORER: &str = "class=\"explorer\" data-explorer=\"";

/// The number of letters in a line of code up to which its comment stays.
const MAX_LETTERS: usize = 72;

/// What becomes of links to the book's pages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They lead to the folder above.
    ToBook,
    /// They are plain text, because the book is not there.
    AsText,
}

/// What all pages contain.
pub struct Frame {
    styles: String,
    script: String,
    explorers: Vec<(&'static str, String)>,
    emulator: String,
}

impl Frame {
    /// Reads the parts from the folder of the book.
    ///
    /// # Errors
    /// Returns an error if a file is missing.
    pub fn read(root: &Path) -> Result<Self> {
        let theme = root.join("theme");
        let text =
            |name: &str| fs::read_to_string(theme.join(name)).with_context(|| format!("cannot read theme/{name}"));
        let mut styles = String::new();
        for (family, weight, file) in FONTS {
            let bytes = fs::read(theme.join("fonts").join(file)).with_context(|| format!("cannot read {file}"))?;
            styles += &format!(
                "@font-face {{ font-family: \"{family}\"; font-weight: {weight}; src: url(data:font/woff2;base64,{}) }}\n",
                STANDARD.encode(bytes)
            );
        }
        for name in STYLES {
            styles += &text(name)?;
        }
        let kinds = ["banks", "coalescing", "occupancy", "parallelism", "shuffle"];
        let explorers = kinds.map(|kind| Ok((kind, text(&format!("explorer-{kind}.js"))?)));
        let shared: String = EXPLORERS.map(text).into_iter().collect::<Result<_>>()?;
        let emulator = packed::emulator(root)? + &script(&shared);
        Ok(Self {
            styles,
            script: text("slides.js")?,
            explorers: explorers.into_iter().collect::<Result<_>>()?,
            emulator,
        })
    }

    /// Returns the page with these slides.
    fn around(&self, title: &str, slides: &str) -> String {
        let used = |kind: &str| slides.contains(&format!("{EXPLORER}{kind}\""));
        let explorers: String =
            self.explorers.iter().filter(|(kind, _)| used(kind)).map(|(_, text)| script(text)).collect();
        let explorers = if explorers.is_empty() { explorers } else { self.emulator.clone() + &explorers };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\" class=\"light\">\n<head>\n<meta charset=\"UTF-8\">\n<title>{title} - Coalesced</title>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n\
             <main>\n{slides}</main>\n{}{explorers}</body>\n</html>\n",
            self.styles,
            script(&self.script)
        )
    }
}

fn script(text: &str) -> String {
    format!("<script>\n{text}</script>\n")
}

/// Makes the slides of one file.
pub struct Maker<'a> {
    /// The sources of directives.
    pub sources: &'a Sources,
    /// The file of the slides, for messages.
    pub file: &'a Path,
    /// What becomes of links to the book.
    pub links: Links,
}

impl Maker<'_> {
    /// Returns the page of a session.
    ///
    /// # Errors
    /// Returns an error, which names file and line, if a directive cannot be replaced.
    pub fn page(&self, session: usize, plan: &Plan, slides: &[Slide<'_>], frame: &Frame) -> Result<String> {
        let mut sheets = vec![title(plan), self.goals(plan)?];
        let mut parts = plan.parts.iter();
        let mut part = None;
        for slide in slides {
            if slide.begins.is_some() {
                part = parts.next();
            }
            let minutes =
                part.filter(|_| slide.begins.is_some()).map(|part| format!("<p>{} minutes.</p>\n", part.minutes));
            let (body, captions) = without_captions(&self.html(&self.fill(&slide.body)?));
            let notes = self.html(&self.fill(&slide.notes)?);
            let notes = minutes.unwrap_or_default() + &notes + &captions;
            sheets.push(Sheet { kind: kind(&body), part: part.map(|part| part.name.clone()), body, notes });
        }
        sheets.push(self.end(plan)?);
        let count = sheets.len();
        let numbered = (1..).zip(&sheets).map(|(number, sheet)| sheet.html(session, number, count));
        Ok(frame.around(&escape(&plan.title), &numbered.collect::<String>()))
    }

    /// Returns lines of the file with their directives replaced.
    fn fill(&self, lines: &[(usize, &str)]) -> Result<String> {
        let filled = lines.iter().map(|(number, line)| {
            let filled = self.sources.fill_line(line);
            Ok(filled.map_err(|error| anyhow!("{}:{number}: {error:#}", self.file.display()))? + "\n")
        });
        filled.collect()
    }

    /// Returns a text of the plan as HTML.
    fn plan_html(&self, text: &str) -> Result<String> {
        Ok(self.html(&self.sources.fill_line(text).context(super::CHAPTER)?))
    }

    fn goals(&self, plan: &Plan) -> Result<Sheet> {
        let goals: String = plan.goals.iter().map(|goal| format!("- {goal}\n")).collect();
        let body = format!("<h2>Afterwards you can</h2>\n{}", self.html(&goals));
        let notes = format!("<p><strong>When late:</strong></p>\n{}", self.plan_html(&plan.when_late)?);
        Ok(Sheet { kind: "", part: None, body, notes })
    }

    fn end(&self, plan: &Plan) -> Result<Sheet> {
        let body = format!("<h2>To read</h2>\n{}{}", self.plan_html(&plan.reading)?, footer::element());
        Ok(Sheet { kind: "end", part: None, body, notes: String::new() })
    }

    /// Returns Markdown as HTML, with links that fit the place of the page.
    fn html(&self, markdown: &str) -> String {
        let mut is_text = false;
        let events = new_cmark_parser(markdown, &MarkdownOptions::default()).filter_map(|event| match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = self.target(&dest_url);
                is_text = target.is_none();
                Some(Event::Start(Tag::Link { link_type, dest_url: target?.into(), title, id }))
            }
            Event::End(TagEnd::Link) if is_text => None,
            other => Some(other),
        });
        let mut page = String::new();
        html::push_html(&mut page, events);
        color_diffs(&shorten(&page))
    }

    /// Returns where a link to a chapter, `../text/waiting.md#a`, leads from a page of slides; none if it leads nowhere.
    fn target(&self, link: &str) -> Option<String> {
        if link.contains("://") {
            return Some(link.into());
        }
        let (path, anchor) =
            link.split_once('#').map_or((link, String::new()), |(path, anchor)| (path, format!("#{anchor}")));
        let name = path.rsplit('/').next().unwrap_or(path).strip_suffix(".md").unwrap_or(path);
        (self.links == Links::ToBook).then(|| format!("../{name}.html{anchor}"))
    }
}

fn title(plan: &Plan) -> Sheet {
    let (session, subject) = plan.title.split_once(": ").unwrap_or(("", &plan.title));
    let parts =
        plan.parts.iter().map(|part| format!("<tr><td>{}</td><td>{}</td></tr>\n", part.minutes, escape(&part.name)));
    let table = "<table>\n<thead><tr><th>minutes</th><th>part</th></tr></thead>\n<tbody>\n".to_owned()
        + &parts.collect::<String>()
        + "</tbody></table>\n";
    let body = format!("<p class=\"session\">{session}</p>\n<h1>{}</h1>\n{table}", escape(subject));
    let keys = "<p>Keys: <kbd>?</kbd> lists them. Opened in two windows of one browser, both show the same slide: put one on the \
                projector, and press <kbd>s</kbd> in the other.</p>\n";
    Sheet { kind: "title", part: None, body, notes: keys.into() }
}

/// A slide of the page.
struct Sheet {
    /// Its class; may be empty.
    kind: &'static str,
    /// The part of the session that it belongs to.
    part: Option<String>,
    body: String,
    notes: String,
}

impl Sheet {
    fn html(&self, session: usize, number: usize, count: usize) -> String {
        let part = self.part.as_ref().map_or_else(String::new, |part| format!(" · {}", escape(part)));
        let notes = match self.notes.as_str() {
            "" => String::new(),
            notes => format!("<aside class=\"notes\" aria-label=\"Notes to slide {number}\">\n{notes}</aside>\n"),
        };
        format!(
            "<section class=\"slide {}\" id=\"{number}\" aria-label=\"Slide {number} of {count}\">\n<div class=\"sheet\">\n\
             <div class=\"shown\">\n{}</div>\n<p class=\"place\"><span>Session {session}{part}</span> <a href=\"#{number}\">{number} / \
             {count}</a></p>\n</div>\n{notes}</section>\n",
            self.kind, self.body
        )
    }
}

/// Returns the class of a slide: a question to the class looks different, and words alone are larger.
fn kind(body: &str) -> &'static str {
    let is_words = !["<pre", "<figure", "<table", "<div", "<math"].iter().any(|begin| body.contains(begin));
    match (body.trim_start().starts_with("<h2>Predict"), is_words) {
        (true, true) => "predict words",
        (true, false) => "predict",
        (false, true) => "words",
        (false, false) => "",
    }
}

/// Returns HTML without the captions of its figures and the sources of its numbers, and these as paragraphs.
fn without_captions(body: &str) -> (String, String) {
    let (body, captions) = without(body, "<figcaption>", "</figcaption>");
    let (body, sources) = without(&body, "<p class=\"source\">", "</p>");
    (body, captions + &sources)
}

/// Returns HTML without what is between two tags, and that as paragraphs.
fn without(body: &str, begin: &str, end: &str) -> (String, String) {
    let mut rest_of_body = String::new();
    let mut removed = String::new();
    let mut rest = body;
    while let Some((before, (inside, after))) =
        rest.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?)))
    {
        rest_of_body += before;
        removed += &format!("<p>{inside}</p>\n");
        rest = after;
    }
    (rest_of_body + rest, removed)
}

/// Returns code without the comments at the end of lines that are too long for a slide.
fn shorten(page: &str) -> String {
    let line = |line: &str| match line.split_once(" // ") {
        Some((code, _)) if line.chars().count() > MAX_LETTERS && !code.trim().is_empty() => code.trim_end().to_owned(),
        _ => line.to_owned(),
    };
    page.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns HTML whose diffs have their lines marked, which the book's pages leave to a script.
fn color_diffs(page: &str) -> String {
    let mark = |line: &str| match line.chars().next() {
        Some('+') if !line.starts_with("+++") => format!("<ins>{line}</ins>"),
        Some('-') if !line.starts_with("---") => format!("<del>{line}</del>"),
        _ => line.to_owned(),
    };
    let mut parts = page.split("<code class=\"language-diff\">");
    let mut marked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once("</code>").unwrap_or((part, ""));
        let lines: Vec<String> = code.lines().map(mark).collect();
        marked += &format!("<code class=\"language-diff\">{}</code>{rest}", lines.join("\n"));
    }
    marked
}
